//! Operands: what comparisons saw at run time, as arguments of the class that compared.
//!
//! What a parser compares its input with is what the input should have been. It hurts where a class compares with much
//! that never comes from outside.

use crate::generator::literals::{Dictionary, LiteralKind, LiteralSource};
use crate::jvm::Literal;
use rand_chacha::ChaCha8Rng;

/// Operands by class under test.
pub struct Operands(Vec<Dictionary>);

impl Operands {
    pub fn new(classes: usize) -> Operands {
        Operands(vec![Dictionary::default(); classes])
    }

    pub fn add(&mut self, class: usize, literal: &Literal) {
        self.0[class].add(literal);
    }
}

impl LiteralSource for Operands {
    fn weight(&self, kind: LiteralKind, class: Option<usize>) -> u32 {
        class.map_or(0, |class| if self.0[class].list(kind).is_empty() { 0 } else { 20 })
    }

    fn pick(&self, kind: LiteralKind, class: Option<usize>, rng: &mut ChaCha8Rng) -> Literal {
        self.0[class.expect("operands are those of a class")].pick(kind, rng)
    }
}

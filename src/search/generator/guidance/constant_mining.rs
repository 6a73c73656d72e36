//! Constant mining: constants of the classes under test (GRT §3.1, docs/bibliography.md).
//!
//! A class's own constants first, then everyone's by their weight tf · ln((|D| + 1) / (|D| + 1 − df)), with classes as
//! documents. The paper's p_const of 0.01 is for a pool without other literals; here a class's own are a third of what is
//! drawn. It hurts where constants are many and meaningless, as in tables of a parser generator.

use super::patterns::matching;
use crate::generator::literals::{Dictionary, LiteralKind, LiteralSource, is_too_long, variants};
use crate::generator::weighted::Weighted;
use model::jvm::Literal;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

/// Constants of everyone's kept per kind, the weightiest.
const GLOBAL_LIMIT: usize = 1_000;
const LOCAL_WEIGHT: u32 = 35;
const GLOBAL_WEIGHT: u32 = 10;

/// Constants by class under test, and all of them.
pub struct ConstantMining {
    local: Vec<Dictionary>,
    global: [Weighted<Literal>; 9],
}

impl ConstantMining {
    /// From the constants of each class under test and how often each occurs.
    pub fn new<'c>(classes: impl IntoIterator<Item = impl IntoIterator<Item = &'c (Literal, u32)>>) -> ConstantMining {
        let mut local = Vec::new();
        // Of each literal the place where it occurs first, its frequency, and the number of classes that have it.
        let mut terms: FxHashMap<Literal, (usize, u32, u32)> = FxHashMap::default();
        for (class, constants) in classes.into_iter().enumerate() {
            let mut own = Dictionary::default();
            let mut here: FxHashMap<Literal, u32> = FxHashMap::default();
            for (literal, times) in constants {
                own.add(literal);
                matching(literal).iter().for_each(|text| own.add(text));
                variants(literal).into_iter().for_each(|variant| *here.entry(variant).or_default() += times);
            }
            local.push(own);
            for (literal, frequency) in here {
                let known = terms.entry(literal).or_insert((class, 0, 0));
                known.1 += frequency;
                known.2 += 1;
            }
        }
        let documents = local.len() as f64 + 1.0;
        let weigh =
            |frequency: u32, classes: u32| f64::from(frequency) * (documents / (documents - f64::from(classes))).ln();
        let mut weighed: Vec<(Literal, usize, f64)> =
            terms.into_iter().map(|(literal, (first, tf, df))| (literal, first, weigh(tf, df))).collect();
        weighed.sort_by(|one, other| other.2.total_cmp(&one.2).then_with(|| (one.1, &one.0).cmp(&(other.1, &other.0))));
        let mut global: [Weighted<Literal>; 9] = Default::default();
        for (literal, _, weight) in weighed {
            let Some(kind) = LiteralKind::of_literal(&literal) else { continue };
            let list = &mut global[kind.index()];
            if !is_too_long(&literal) && list.len() < GLOBAL_LIMIT {
                list.push(literal, weight);
            }
        }
        ConstantMining { local, global }
    }

    fn weights(&self, kind: LiteralKind, class: Option<usize>) -> (u32, u32) {
        let has_local = class.is_some_and(|class| !self.local[class].list(kind).is_empty());
        let has_global = self.global[kind.index()].len() > 0;
        (if has_local { LOCAL_WEIGHT } else { 0 }, if has_global { GLOBAL_WEIGHT } else { 0 })
    }
}

impl LiteralSource for ConstantMining {
    fn weight(&self, kind: LiteralKind, class: Option<usize>) -> u32 {
        let (local, global) = self.weights(kind, class);
        local + global
    }

    fn pick(&self, kind: LiteralKind, class: Option<usize>, rng: &mut ChaCha8Rng) -> Literal {
        let (local, global) = self.weights(kind, class);
        match class {
            Some(class) if rng.random_range(0..local + global) < local => self.local[class].pick(kind, rng),
            _ => self.global[kind.index()].draw(rng).clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;

    #[test]
    fn constant_of_many_classes_is_drawn_more_often() {
        let text = |text: &str| Literal::String(text.into());
        let mut constants = vec![vec![(text("common"), 1)]; 9];
        constants.push(vec![(text("rare"), 1)]);
        let mining = ConstantMining::new(&constants);
        let mut rng = Seed::root(1).rng();
        let mut rare = || mining.pick(LiteralKind::String, None, &mut rng) == text("rare");
        let rare = (0..1000).filter(|_| rare()).count();
        // tf · idf is 9 ln 5.5 of one and ln 1.1 of the other.
        assert!((1..30).contains(&rare), "{rare}");
    }
}

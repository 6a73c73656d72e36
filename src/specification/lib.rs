//! What a program seems to promise: axioms that all observed executions keep (Xie and Notkin, docs/bibliography.md).
//!
//! [`observations`] keeps what traces say, each distinct call once; [`table`] sets the calls of one method out as variables
//! and rows; [`templates`] and [`splits`] try the forms that an axiom may have, Daikon's core ones; [`axiomatic`] makes
//! preconditions, postconditions and invariants of what is left; [`algebraic`] finds equations between calls, for which
//! [`growth`] makes small states; [`refine`] says which further tests break them. No files
//! and no processes: all of it can be tested with calls made up in a test.

pub mod accepted;
pub mod algebraic;
pub mod axiom;
pub mod axiomatic;
pub mod growth;
pub mod observations;
pub mod refine;
mod splits;
pub mod table;
mod templates;
#[cfg(test)]
mod tests;

use axiom::{Axiom, Moment};
use model::jvm::ClassName;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// A method of a class under test, as specifications name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpecifiedMethod {
    /// The class that declares it.
    pub class: ClassName,
    /// Its name; `<init>` of constructors.
    pub name: Arc<str>,
    /// Simple names of the parameters' types.
    pub parameters: Vec<String>,
    /// As many, or none where the class file has none.
    pub parameter_names: Vec<Arc<str>>,
}

impl SpecifiedMethod {
    /// Whether it is a constructor.
    pub fn is_constructor(&self) -> bool {
        *self.name == *"<init>"
    }

    /// A name for each parameter.
    pub fn argument_names(&self) -> Vec<String> {
        let name = |index: usize| match self.parameter_names.get(index) {
            Some(name) => name.to_string(),
            None => format!("argument{}", index + 1),
        };
        (0..self.parameters.len()).map(name).collect()
    }
}

/// `stack.IntStack.push(int)`.
impl fmt::Display for SpecifiedMethod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (class, parameters) = (self.class.binary(), self.parameters.join(", "));
        if self.is_constructor() {
            return write!(formatter, "{class}({parameters})");
        }
        write!(formatter, "{class}.{}({parameters})", self.name)
    }
}

/// For each of the methods its number among others; `None` where these lack it.
pub fn numbers_among(methods: &[SpecifiedMethod], others: &[SpecifiedMethod]) -> Vec<Option<u32>> {
    let numbers: FxHashMap<String, u32> = others.iter().map(SpecifiedMethod::to_string).zip(0..).collect();
    methods.iter().map(|method| numbers.get(&method.to_string()).copied()).collect()
}

/// Where an axiom holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Between calls.
    Invariant,
    /// Where the method begins.
    Precondition,
    /// Where the method returns.
    Postcondition,
    /// Where it throws: when, and what holds then.
    Exceptional,
}

/// An axiom of a class or a method.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Index into the methods; `None` for invariants.
    pub method: Option<u32>,
    /// The class that it is about.
    pub class: ClassName,
    /// Where it holds.
    pub place: Place,
    /// What holds.
    pub axiom: Axiom,
    /// Distinct rows that it was seen to hold in.
    pub samples: usize,
}

impl Clause {
    /// As text. Of where a method begins, `orig` says nothing.
    pub fn text(&self) -> String {
        match self.place {
            Place::Precondition => axiomatic::moved(&self.axiom, Moment::Exit).to_string(),
            _ => self.axiom.to_string(),
        }
    }
}

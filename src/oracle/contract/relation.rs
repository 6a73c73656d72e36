//! What a contract says of the results of calls, for the assertions of a finding's test.

use model::execution::{Execution, Value};
use model::jvm::Literal;

/// A relation between the results of statements, which are given by their index in the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The result is true.
    True(usize),
    /// The result is false.
    False(usize),
    /// The result is above zero.
    Positive(usize),
    /// The result is zero.
    Zero(usize),
    /// The result is not null.
    NotNull(usize),
    /// The results are equal.
    Equal(usize, usize),
    /// Both results are negative, zero or positive.
    SameSign(usize, usize),
    /// One result has the sign of the other, negated.
    OppositeSigns(usize, usize),
    /// The result is of the class of the other value, which is a variable.
    SameClass {
        /// The statement that returned it.
        result: usize,
        /// The statement of the other value.
        of: usize,
    },
}

impl Relation {
    /// The statements whose results it is about.
    pub fn results(self) -> Vec<usize> {
        match self {
            Relation::True(x)
            | Relation::False(x)
            | Relation::Positive(x)
            | Relation::Zero(x)
            | Relation::NotNull(x) => vec![x],
            Relation::Equal(x, y) | Relation::SameSign(x, y) | Relation::OppositeSigns(x, y) => vec![x, y],
            Relation::SameClass { result, .. } => vec![result],
        }
    }
}

/// That the last call returned something else: the opposite of its boolean, or an object instead of null.
pub(super) fn other_than_last(calls: &[usize], execution: &Execution) -> Vec<Relation> {
    let Some(&last) = calls.last() else { return Vec::new() };
    match execution.values.get(last) {
        Some(Value::Literal(Literal::Boolean(true))) => vec![Relation::False(last)],
        Some(Value::Literal(Literal::Boolean(false))) => vec![Relation::True(last)],
        Some(Value::Null) => vec![Relation::NotNull(last)],
        _ => Vec::new(),
    }
}

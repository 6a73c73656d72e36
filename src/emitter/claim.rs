//! What should hold of the check calls at the end of a finding, by contract: what its test asserts, and fails.
//!
//! Premises are asserted too, so that a reader sees why the last assertion should hold.

use super::names::Names;
use model::execution::{Execution, Value};
use model::jvm::Literal;

/// A relation between results of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    True(usize),
    False(usize),
    Positive(usize),
    Zero(usize),
    NotNull(usize),
    Equal(usize, usize),
    SameSign(usize, usize),
    OppositeSigns(usize, usize),
    /// The result is of the class of the other value, which is a variable.
    SameClass {
        result: usize,
        of: usize,
    },
}

/// The claims of a contract about the calls at the end of a sequence, given in order; `receiver` is that of the last.
pub(super) fn claims(contract: &str, calls: &[usize], receiver: Option<usize>, execution: &Execution) -> Vec<Claim> {
    let value = |index: usize| execution.values.get(index);
    let fallback = |last: usize| match value(last) {
        Some(Value::Literal(Literal::Boolean(true))) => vec![Claim::False(last)],
        Some(Value::Literal(Literal::Boolean(false))) => vec![Claim::True(last)],
        Some(Value::Null) => vec![Claim::NotNull(last)],
        _ => Vec::new(),
    };
    match (contract, calls) {
        ("equals-symmetric" | "hash-code-consistent", [.., x, y]) => vec![Claim::Equal(*x, *y)],
        ("equals-transitive", [.., x, y, z]) => vec![Claim::True(*x), Claim::True(*y), Claim::True(*z)],
        ("equals-hash-code", [.., equals, x, y]) => vec![Claim::True(*equals), Claim::Equal(*x, *y)],
        ("compare-to-sign" | "comparator-sign", [.., x, y]) => vec![Claim::OppositeSigns(*x, *y)],
        ("compare-to-transitive" | "comparator-transitive", [.., x, y, z]) => {
            vec![Claim::Positive(*x), Claim::Positive(*y), Claim::Positive(*z)]
        }
        ("compare-to-consistent", [.., x, y, z]) => vec![Claim::Zero(*x), Claim::SameSign(*y, *z)],
        ("clone-class", [.., last]) => match (value(*last), receiver) {
            (Some(Value::Object { .. }), Some(of)) => vec![Claim::SameClass { result: *last, of }],
            _ => fallback(*last),
        },
        (_, [.., last]) => fallback(*last),
        (_, []) => Vec::new(),
    }
}

impl Claim {
    /// The statements whose results it is about.
    pub fn results(self) -> Vec<usize> {
        match self {
            Claim::True(x) | Claim::False(x) | Claim::Positive(x) | Claim::Zero(x) | Claim::NotNull(x) => vec![x],
            Claim::Equal(x, y) | Claim::SameSign(x, y) | Claim::OppositeSigns(x, y) => vec![x, y],
            Claim::SameClass { result, .. } => vec![result],
        }
    }

    /// The assertion, given the expressions of statements.
    pub fn statement(self, text: impl Fn(usize) -> String, names: &mut Names<'_>) -> String {
        match self {
            Claim::True(x) => format!("{}({});", names.assertion("assertTrue"), text(x)),
            Claim::False(x) => format!("{}({});", names.assertion("assertFalse"), text(x)),
            Claim::Positive(x) => format!("{}({} > 0);", names.assertion("assertTrue"), text(x)),
            Claim::Zero(x) => format!("{}(0, {});", names.assertion("assertEquals"), text(x)),
            Claim::NotNull(x) => format!("{}({});", names.assertion("assertNotNull"), text(x)),
            Claim::Equal(x, y) => format!("{}({}, {});", names.assertion("assertEquals"), text(x), text(y)),
            Claim::SameSign(x, y) | Claim::OppositeSigns(x, y) => {
                let sign = if matches!(self, Claim::SameSign(..)) { "" } else { "-" };
                let signum = names.java_lang("Integer") + ".signum";
                let equals = names.assertion("assertEquals");
                format!("{equals}({signum}({}), {sign}{signum}({}));", text(x), text(y))
            }
            Claim::SameClass { result, of } => {
                format!("{}({}.getClass(), {}.getClass());", names.assertion("assertSame"), text(of), text(result))
            }
        }
    }
}

//! The assertions of a finding's test, by contract: what should hold of the check calls at its end, and does not.
//!
//! Premises are asserted too, so that a reader sees why the last assertion should hold.

use super::names::Names;
use model::execution::{Execution, Value};
use model::jvm::Literal;

/// A relation between results of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContractAssertion {
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

/// The assertions of a contract on the calls at the end of a sequence, given in order; `receiver` is that of the last.
pub(super) fn contract_assertions(
    contract: &str,
    calls: &[usize],
    receiver: Option<usize>,
    execution: &Execution,
) -> Vec<ContractAssertion> {
    let value = |index: usize| execution.values.get(index);
    let fallback = |last: usize| match value(last) {
        Some(Value::Literal(Literal::Boolean(true))) => vec![ContractAssertion::False(last)],
        Some(Value::Literal(Literal::Boolean(false))) => vec![ContractAssertion::True(last)],
        Some(Value::Null) => vec![ContractAssertion::NotNull(last)],
        _ => Vec::new(),
    };
    match (contract, calls) {
        ("equals-symmetric" | "hash-code-consistent", [.., x, y]) => vec![ContractAssertion::Equal(*x, *y)],
        ("equals-transitive", [.., x, y, z]) => {
            vec![ContractAssertion::True(*x), ContractAssertion::True(*y), ContractAssertion::True(*z)]
        }
        ("equals-hash-code", [.., equals, x, y]) => {
            vec![ContractAssertion::True(*equals), ContractAssertion::Equal(*x, *y)]
        }
        ("compare-to-sign" | "comparator-sign", [.., x, y]) => vec![ContractAssertion::OppositeSigns(*x, *y)],
        ("compare-to-transitive" | "comparator-transitive", [.., x, y, z]) => {
            vec![ContractAssertion::Positive(*x), ContractAssertion::Positive(*y), ContractAssertion::Positive(*z)]
        }
        ("compare-to-consistent", [.., x, y, z]) => {
            vec![ContractAssertion::Zero(*x), ContractAssertion::SameSign(*y, *z)]
        }
        ("clone-class", [.., last]) => match (value(*last), receiver) {
            (Some(Value::Object { .. }), Some(of)) => vec![ContractAssertion::SameClass { result: *last, of }],
            _ => fallback(*last),
        },
        (_, [.., last]) => fallback(*last),
        (_, []) => Vec::new(),
    }
}

impl ContractAssertion {
    /// The statements whose results it is about.
    pub fn results(self) -> Vec<usize> {
        match self {
            ContractAssertion::True(x)
            | ContractAssertion::False(x)
            | ContractAssertion::Positive(x)
            | ContractAssertion::Zero(x)
            | ContractAssertion::NotNull(x) => vec![x],
            ContractAssertion::Equal(x, y)
            | ContractAssertion::SameSign(x, y)
            | ContractAssertion::OppositeSigns(x, y) => vec![x, y],
            ContractAssertion::SameClass { result, .. } => vec![result],
        }
    }

    /// The assertion, given the expressions of statements.
    pub fn statement(self, text: impl Fn(usize) -> String, names: &mut Names<'_>) -> String {
        match self {
            ContractAssertion::True(x) => format!("{}({});", names.assertion("assertTrue"), text(x)),
            ContractAssertion::False(x) => format!("{}({});", names.assertion("assertFalse"), text(x)),
            ContractAssertion::Positive(x) => format!("{}({} > 0);", names.assertion("assertTrue"), text(x)),
            ContractAssertion::Zero(x) => format!("{}(0, {});", names.assertion("assertEquals"), text(x)),
            ContractAssertion::NotNull(x) => format!("{}({});", names.assertion("assertNotNull"), text(x)),
            ContractAssertion::Equal(x, y) => format!("{}({}, {});", names.assertion("assertEquals"), text(x), text(y)),
            ContractAssertion::SameSign(x, y) | ContractAssertion::OppositeSigns(x, y) => {
                let sign = if matches!(self, ContractAssertion::SameSign(..)) { "" } else { "-" };
                let signum = names.java_lang("Integer") + ".signum";
                let equals = names.assertion("assertEquals");
                format!("{equals}({signum}({}), {sign}{signum}({}));", text(x), text(y))
            }
            ContractAssertion::SameClass { result, of } => {
                format!("{}({}.getClass(), {}.getClass());", names.assertion("assertSame"), text(of), text(result))
            }
        }
    }
}

//! The contracts: what must hold of every class, whatever it is for (feedback-directed random generation,
//! docs/bibliography.md).
//!
//! A contract either reads a run that was made anyway ([`Contract::violated_by`]), or asks for check calls behind a
//! sequence and judges what they returned ([`Contract::check`], [`Contract::judge`]). The check calls are ordinary
//! statements, so a finding's test shows them as they ran. Adding a contract is a new type and a line in [`ALL`].

mod clone;
mod comparator;
mod compare_to;
mod contract_method;
mod equals;
mod exceptions;
mod hash_code;
mod relation;
mod subject;
mod terminates;
mod to_string;

pub use relation::Relation;
pub use subject::{Subject, declaring_class};
pub use terminates::{TERMINATES, is_loop, is_recurring};

use super::Violation;
use model::execution::{Execution, Outcome, Thrown, Value};
use model::jvm::Literal;
use model::sequence::{CheckOperations, Operation, Sequence};

/// A run as contracts see it.
pub struct Run<'a> {
    /// What ran; after an exception, up to the statement that threw.
    pub sequence: &'a Sequence,
    /// What it did.
    pub execution: &'a Execution,
    /// All operations of the program, which calls of the sequence name by index.
    pub operations: &'a [Operation],
}

/// What the class of a value promises. It decides which contracts apply to the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// Code under test overrides `equals`.
    pub equals: bool,
    /// Code under test overrides `hashCode`.
    pub hash_code: bool,
    /// Code under test overrides `toString`.
    pub to_string: bool,
    /// It is a `Comparable` by code under test.
    pub compare_to: bool,
    /// It is a `Comparator` by code under test.
    pub compare: bool,
}

/// What the check calls of a contract did.
pub struct Checked<'a> {
    /// The operation of the first check call.
    pub called: Option<&'a Operation>,
    /// Values of the check calls that completed, in order.
    pub values: &'a [Value],
    /// What the next one threw.
    pub thrown: Option<&'a Thrown>,
}

impl Checked<'_> {
    fn boolean(&self, at: usize) -> Option<bool> {
        match self.values.get(at) {
            Some(Value::Literal(Literal::Boolean(value))) => Some(*value),
            _ => None,
        }
    }

    fn int(&self, at: usize) -> Option<i32> {
        match self.values.get(at) {
            Some(Value::Literal(Literal::Int(value))) => Some(*value),
            _ => None,
        }
    }
}

/// One contract.
pub trait Contract: Sync {
    /// Stable, in kebab case.
    fn name(&self) -> &'static str;

    /// When it holds, in Markdown, as `docs/contracts.md` has it.
    fn law(&self) -> &'static str;

    /// The methods that it is about: one of them breaks it. None where any code may.
    fn subjects(&self) -> &'static [Subject] {
        &[]
    }

    /// What the run itself violates: an exception that must not be, or a value that cannot be right.
    fn violated_by(&self, _run: &Run) -> Option<Violation> {
        None
    }

    /// How many values a check takes; 0 when the contract has no check calls of its own. They are of one class, unless
    /// [`compares_any_class`](Contract::compares_any_class) says otherwise.
    fn arity(&self) -> usize {
        0
    }

    /// Whether only the first value is of a class to which the contract applies. The others are then drawn from all classes:
    /// which ones a comparator compares is not known.
    fn compares_any_class(&self) -> bool {
        false
    }

    /// Whether the contract says anything of values that promise this.
    fn applies(&self, _promises: Promises) -> bool {
        false
    }

    /// Appends the check calls for the values of the statements at `values`.
    fn check(&self, _sequence: &mut Sequence, _values: &[usize], _operations: &CheckOperations) {}

    /// The violation that the check calls show, as one sentence.
    fn judge(&self, _checked: &Checked) -> Option<String> {
        None
    }

    /// What should hold of the results at the end of a sequence that violates the contract, and what it presupposes, so
    /// that a reader sees why the last should hold: the assertions of a finding's test. `calls` are the last statements
    /// that are calls, in order, and `receiver` is the receiver of the last. By default, the last call should have
    /// returned the other boolean, or not null.
    fn relations(&self, calls: &[usize], _receiver: Option<usize>, execution: &Execution) -> Vec<Relation> {
        relation::other_than_last(calls, execution)
    }
}

/// [`Contract::relations`] of the contract with this name. If there is none, because the finding violates an accepted
/// specification, say, the default relation of the last call.
pub fn relations(name: &str, calls: &[usize], receiver: Option<usize>, execution: &Execution) -> Vec<Relation> {
    match ALL.iter().find(|contract| contract.name() == name) {
        Some(contract) => contract.relations(calls, receiver, execution),
        None => relation::other_than_last(calls, execution),
    }
}

/// [`Contract::subjects`] of the contract with this name; none if there is no such contract.
pub fn subjects(name: &str) -> &'static [Subject] {
    ALL.iter().find(|contract| contract.name() == name).map_or(&[], |contract| contract.subjects())
}

/// The contract that a `NullPointerException` breaks.
pub const NO_NULL_POINTER: &str = "no-null-pointer";

/// The contract that an object breaks whose class says so. Its check is one call of a contract method of the program.
pub const CONTRACT_METHOD: &str = "contract-method";

/// All contracts, in the order in which they are tried.
pub static ALL: &[&dyn Contract] = &[
    &exceptions::NoNullPointerException,
    &exceptions::NoAssertionError,
    &terminates::Terminates,
    &clone::SameClass,
    &equals::Reflexive,
    &equals::NullIsFalse,
    &equals::Symmetric,
    &equals::Transitive,
    &hash_code::Consistent,
    &hash_code::EqualObjects,
    &to_string::DoesNotThrow,
    &compare_to::Sign,
    &compare_to::Transitive,
    &compare_to::Consistent,
    &comparator::Sign,
    &comparator::Transitive,
    &contract_method::ContractMethod,
];

/// Judges a run whose statements from `first_check` on are the contract's check calls; `None` when the contract holds
/// or the checks did not get to run. `called` is the operation of the first of them.
pub fn judge_check(
    contract: &dyn Contract,
    first_check: usize,
    called: Option<&Operation>,
    execution: &Execution,
) -> Option<Violation> {
    let thrown = match &execution.outcome {
        Outcome::Completed => None,
        Outcome::Threw { statement, exception } if *statement >= first_check => Some(exception),
        _ => return None,
    };
    let checked = Checked { called, values: execution.values.get(first_check..)?, thrown };
    let message = contract.judge(&checked)?;
    Some(Violation { contract: contract.name(), message, thrown: thrown.cloned() })
}

/// "`what` threw X": the sentence for a check call that must not throw.
fn must_not_throw(what: &str, checked: &Checked) -> Option<String> {
    let thrown = checked.thrown?;
    Some(format!("{what} must not throw, but threw {}", thrown.class))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sequence::OperationId;

    const OPERATIONS: CheckOperations = CheckOperations {
        equals: OperationId(0),
        hash_code: OperationId(1),
        to_string: OperationId(2),
        compare_to: OperationId(3),
        compare: OperationId(4),
        content: OperationId(5),
        file_content: None,
        message: None,
        described: None,
    };

    fn judged(contract: &dyn Contract, values: &[Value]) -> bool {
        contract.judge(&Checked { called: None, values, thrown: None }).is_some()
    }

    fn boolean(value: bool) -> Value {
        Value::Literal(Literal::Boolean(value))
    }

    fn int(value: i32) -> Value {
        Value::Literal(Literal::Int(value))
    }

    #[test]
    fn equals_contracts_are_judged_by_what_equals_returned() {
        assert!(judged(&equals::Reflexive, &[boolean(false)]) && !judged(&equals::Reflexive, &[boolean(true)]));
        assert!(judged(&equals::NullIsFalse, &[boolean(true)]) && !judged(&equals::NullIsFalse, &[boolean(false)]));
        assert!(judged(&equals::Symmetric, &[boolean(true), boolean(false)]));
        assert!(judged(&equals::Transitive, &[boolean(true), boolean(true), boolean(false)]));
        assert!(!judged(&equals::Transitive, &[boolean(true), boolean(false), boolean(false)]));
    }

    #[test]
    fn equal_objects_must_have_equal_hash_codes() {
        assert!(judged(&hash_code::EqualObjects, &[boolean(true), int(1), int(2)]));
        assert!(!judged(&hash_code::EqualObjects, &[boolean(false), int(1), int(2)]));
    }

    #[test]
    fn contract_method_must_return_true_or_nothing() {
        let judged = |values: &[Value]| {
            let descriptor = model::jvm::MethodDescriptor::parse("()Z").unwrap();
            let kind = model::sequence::OperationKind::InstanceMethod;
            let called = Operation::new(kind, model::jvm::ClassName::new("p/A"), "repOk", descriptor);
            contract_method::ContractMethod.judge(&Checked { called: Some(&called), values, thrown: None })
        };
        assert_eq!(judged(&[boolean(false)]).as_deref(), Some("p.A.repOk() must return true, but returned false"));
        assert!(judged(&[boolean(true)]).is_none() && judged(&[Value::Void]).is_none());
    }

    #[test]
    fn comparisons_must_have_opposite_signs_both_ways() {
        assert!(judged(&compare_to::Sign, &[int(1), int(1)]) && !judged(&compare_to::Sign, &[int(5), int(-2)]));
        assert!(judged(&compare_to::Transitive, &[int(1), int(1), int(-1)]));
        assert!(judged(&compare_to::Consistent, &[int(0), int(1), int(-1)]));
    }

    #[test]
    fn contracts_are_documented() {
        for contract in ALL {
            let row = format!("| `{}` | {} |", contract.name(), contract.law());
            assert!(include_str!("../../docs/contracts.md").contains(&row), "{row}");
        }
    }

    #[test]
    fn every_contract_with_checks_appends_some() {
        for contract in ALL.iter().filter(|contract| contract.arity() > 0) {
            let mut sequence = Sequence::new();
            let values: Vec<usize> = (0..contract.arity())
                .map(|_| sequence.push_literal(Literal::Null(model::jvm::Type::object())))
                .collect();
            let before = sequence.len();
            contract.check(&mut sequence, &values, &OPERATIONS);
            assert!(sequence.len() > before, "{}", contract.name());
        }
    }
}

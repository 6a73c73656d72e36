//! `clone` returns an object of the receiver's class.

use super::relation::other_than_last;
use super::{Contract, Relation, Run, Subject};
use crate::Violation;
use model::execution::{Execution, Outcome, Value};
use model::sequence::{Action, OperationKind};

/// By convention `x.clone().getClass() == x.getClass()` (the documentation of `Object.clone`).
pub struct SameClass;

impl Contract for SameClass {
    fn name(&self) -> &'static str {
        "clone-class"
    }

    fn law(&self) -> &'static str {
        "`x.clone().getClass() == x.getClass()`"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::Clone]
    }

    fn violated_by(&self, run: &Run) -> Option<Violation> {
        let last = run.sequence.len().checked_sub(1)?;
        let Action::Call(id) = run.sequence.statements()[last].action else { return None };
        let operation = &run.operations[id.0 as usize];
        let is_clone = operation.kind == OperationKind::InstanceMethod
            && &*operation.name == "clone"
            && operation.descriptor.parameters.is_empty();
        if !is_clone || run.execution.outcome != Outcome::Completed {
            return None;
        }
        let receiver = run.sequence.inputs_of(last).next()?;
        let Value::Object { class: original, .. } = run.execution.values.get(receiver)? else { return None };
        let message = match run.execution.values.get(last)? {
            Value::Null => "clone must return an object, but returned null".to_string(),
            Value::Object { class, .. } if class != original => {
                format!("clone of {original} must return the same class, but returned {class}")
            }
            _ => return None,
        };
        Some(Violation { contract: self.name(), message, thrown: None })
    }
    fn relations(&self, calls: &[usize], receiver: Option<usize>, execution: &Execution) -> Vec<Relation> {
        let Some(&last) = calls.last() else { return Vec::new() };
        match (execution.values.get(last), receiver) {
            (Some(Value::Object { .. }), Some(of)) => vec![Relation::SameClass { result: last, of }],
            _ => other_than_last(calls, execution),
        }
    }
}

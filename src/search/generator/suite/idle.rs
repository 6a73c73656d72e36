//! Idle statements: dead and pure (Randoop heuristics, docs/bibliography.md), and without an assertion on their value; a
//! test loses nothing without them.

use crate::redundancy::alive;
use model::execution::{Execution, Observed, Value};
use model::sequence::{Action, OperationKind, Sequence};
use program::Program;

/// The idle statements of a test.
pub fn idle_statements(sequence: &Sequence, execution: &Execution, program: &Program) -> Vec<usize> {
    let mut alive = alive(sequence, 1, &program.effects);
    for at in 0..sequence.len() {
        if is_asserted(sequence, at, execution, program) {
            sequence.needed_by(|index| index == at).iter().zip(&mut alive).for_each(|(needed, alive)| *alive |= needed);
        }
    }
    (0..sequence.len()).filter(|&at| !alive[at]).collect()
}

/// Whether a test asserts the statement's value, or at least that there is one. Of statements on other classes, only the
/// last one is asserted.
fn is_asserted(sequence: &Sequence, at: usize, execution: &Execution, program: &Program) -> bool {
    let Action::Call(operation) = sequence.statements()[at].action else { return false };
    let operation = &program.operations[operation.0 as usize];
    let Some(class) = program.class_of_sequence(sequence) else { return false };
    let class = &program.targets[class].name;
    let is_own =
        *class == operation.owner || program.types.ancestry(class).iter().any(|facts| facts.name == operation.owner);
    let is_seen = match operation.kind {
        OperationKind::StaticMethod | OperationKind::InstanceMethod => {
            !matches!(execution.values.get(at), None | Some(Value::Void))
        }
        OperationKind::GetStatic | OperationKind::GetField => {
            execution.values.get(at).is_some_and(|value| match value {
                Value::Void | Value::Object { observed: Observed::Nothing, .. } => false,
                Value::Object { observed: Observed::Value(content), .. } => content.can_be_made(),
                _ => true,
            })
        }
        _ => false,
    };
    is_own && is_seen
}

//! Outcomes as goals: that an operation returned, and each exception that it threw.
//!
//! A suite that covers every edge may show no method at work: edges are reached on the way to an exception, or inside of
//! other calls. So each method that is more than a getter is to be seen returning, and each exception is a goal of the
//! operation that shows it.

use super::{Goal, ProbeMap};
use model::execution::{Execution, Outcome};
use model::sequence::{Action, OperationId, OperationKind, Sequence};
use oracle::{Intent, intent, is_on_null};
use program::Program;

/// Whether it is a goal that the operation returns: a method of a class under test, open to callers, that does more than to
/// return what an object holds. Operations of other code have no probes.
pub fn is_to_return(id: OperationId, program: &Program, probes: &ProbeMap) -> bool {
    let operation = &program.operations[id.0 as usize];
    let edges = edges(id, probes);
    let is_method = matches!(operation.kind, OperationKind::StaticMethod | OperationKind::InstanceMethod);
    let is_getter = edges == 1 && operation.descriptor.parameters.is_empty() && program.effects(id).is_pure();
    is_method && !operation.internal && edges > 0 && !is_getter
}

/// The number of edges in the body.
fn edges(id: OperationId, probes: &ProbeMap) -> usize {
    probes.of_operation[id.0 as usize].iter().filter(|&&probe| probes.is_edge[probe as usize]).count()
}

/// The goal that the end of a run is: what the last call of its sequence did.
pub(super) fn goal_of(
    sequence: &Sequence,
    execution: &Execution,
    program: &Program,
    probes: &ProbeMap,
) -> Option<Goal> {
    let called = |statement: usize| match sequence.statements().get(statement)?.action {
        Action::Call(operation) => Some(operation),
        Action::Literal(_) => None,
    };
    match &execution.outcome {
        Outcome::Completed => {
            let last = called(sequence.len().checked_sub(1)?)?;
            is_to_return(last, program, probes).then_some(Goal::Returns(last))
        }
        Outcome::Threw { statement, exception } => {
            let thrower = called(*statement)?;
            let has_code = !probes.of_operation[thrower.0 as usize].is_empty();
            let is_call = !is_on_null(sequence, *statement, execution, &program.operations);
            (has_code && is_call).then(|| Goal::Throws(thrower, exception.class.clone()))
        }
        Outcome::Killed { .. } | Outcome::Unlinkable { .. } => None,
    }
}

/// Whether a run ended in an exception, and whether that was thrown on purpose.
pub(super) fn intent_of(execution: &Execution, program: &Program) -> Option<Intent> {
    match &execution.outcome {
        Outcome::Threw { exception, .. } => Some(intent(exception, program)),
        _ => None,
    }
}

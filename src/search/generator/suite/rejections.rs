//! Rejections that show little. A method that does nothing but throw says that an operation is not supported: two of these tell it of a
//! class, however many such methods it has. A method that hands its arguments on to the method of the same name of another class passes
//! on what that one rejects: a test of the other class shows it.

use super::{SelectionContext, TestCandidate, cover, subject_of};
use crate::generator::outcomes;
use model::execution::{Outcome, StackFrame};
use model::jvm::{ClassName, Type};
use model::sequence::{Operation, OperationId};
use rustc_hash::FxHashMap;

/// Tests of methods that do nothing but throw, for each class.
const BARE_OF_CLASS: usize = 2;

/// Whether the test shows no more than that a method passes on what its namesake rejects.
pub(super) fn is_forwarded(one: &TestCandidate, context: &SelectionContext) -> bool {
    let Some((operation, stack, own)) = straight_rejection(one, context) else { return false };
    let Some(called) = own.checked_sub(1).map(|above| &stack[above]) else { return false };
    let of = |class: &ClassName| Type::Class(class.clone());
    // What a class inherits is its own.
    let is_inherited = context.program.types.is_assignable(&of(&stack[own].class), &of(&called.class));
    *called.method == *operation.name && !is_inherited
}

/// The tests without those of methods that do nothing but throw beyond the first of each class.
pub(super) fn few_bare(tests: Vec<TestCandidate>, context: &SelectionContext) -> Vec<TestCandidate> {
    let mut kept: FxHashMap<ClassName, usize> = FxHashMap::default();
    let is_kept = |one: &TestCandidate| {
        let Some((class, _)) = cover::named_method(one, context).filter(|_| is_bare(one, context)) else { return true };
        let count = kept.entry(class).or_default();
        *count += 1;
        *count <= BARE_OF_CLASS
    };
    tests.into_iter().filter(is_kept).collect()
}

/// Whether the method that the test is about does nothing but throw.
fn is_bare(one: &TestCandidate, context: &SelectionContext) -> bool {
    straight_rejection(one, context).is_some_and(|(.., own)| own == 0)
}

/// If a method without branches ended in an exception: the method, the stack of the exception, and where in it the method is.
fn straight_rejection<'a>(
    one: &'a TestCandidate,
    context: &SelectionContext<'a>,
) -> Option<(&'a Operation, &'a [StackFrame], usize)> {
    let Outcome::Threw { exception, .. } = &one.execution.outcome else { return None };
    let subject: OperationId = subject_of(one)?;
    let operation = &context.program.operations[subject.0 as usize];
    let own = exception.stack.iter().rposition(|frame| context.program.is_target(&frame.class))?;
    let is_of_subject = *exception.stack[own].method == *operation.name;
    (is_of_subject && outcomes::edges(subject, context.probes) == 1).then_some((operation, &exception.stack, own))
}

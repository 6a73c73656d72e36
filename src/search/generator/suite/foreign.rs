//! Foreign code of a test: what other classes do before the call that it is about, and what objects do that this is given, of classes
//! which have nothing to do with it.
//!
//! Calls on the way get tests of their own ([`detach`](super::detach)). What these do not notice of that code is no reason for a
//! detour: `new GnuParser().flatten(…)` is written as the array that it returns, although a mutant of `flatten` would then
//! be missed, and a digest is taken of a stream of the platform.

use super::detach::{is_before, reached_before};
use super::mutation::MutationAnalysis;
use super::strengthen::at_home;
use super::{SelectionContext, TestCandidate, subject_of};
use model::execution::{Executor, ExecutorError, Value};
use model::jvm::ClassName;
use rustc_hash::FxHashSet;

/// Notes of each test what it kills in foreign code.
pub(super) fn note(
    tests: &mut [TestCandidate],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<(), ExecutorError> {
    // Then no test is refined.
    if !(mutation.should_continue)() {
        return Ok(());
    }
    let before = at_home(executors, &mut |home| reached_before(tests, context, home))?;
    for (one, before) in tests.iter_mut().zip(&before) {
        let Some(own) = own_families(one, context) else { continue };
        let strangers = strange_families(one, context);
        let is_foreign = |mutant: &u32| {
            let edge = mutation.sites[*mutant as usize].reached_by.first();
            let Some(class) = edge.and_then(|edge| context.probes.class_of(*edge)) else { return false };
            let is_on_the_way =
                || is_before(*mutant, before, mutation) || strangers.contains(&context.relations().family(class));
            !own.contains(context.program.targets[class].name.outermost()) && is_on_the_way()
        };
        one.foreign = one.kills.keys().copied().filter(is_foreign).collect();
    }
    Ok(())
}

/// The outermost classes of those whose behaviour the test is about: the class of the method, that of the object it is called on, and what
/// these extend or implement. `None` if that is no code under test.
fn own_families<'a>(one: &'a TestCandidate, context: &'a SelectionContext) -> Option<FxHashSet<&'a str>> {
    let id = subject_of(one).filter(|id| context.program.class_of(*id).is_some())?;
    let operation = &context.program.operations[id.0 as usize];
    let subject = one.sequence.len() - one.observers - 1;
    let receiver = one.sequence.inputs_of(subject).next().filter(|_| operation.has_receiver());
    let at_run_time = receiver.and_then(|at| match one.execution.values.get(at) {
        Some(Value::Object { class, .. }) => class.class_name(),
        _ => None,
    });
    let family = |class: &'a ClassName| {
        let ancestors = context.program.types.ancestry(class).into_iter().map(|ancestor| ancestor.name.outermost());
        ancestors.chain([class.outermost()])
    };
    Some(at_run_time.into_iter().chain([&operation.owner]).flat_map(family).collect())
}

/// The families of calls on the way of which the class that the test is about knows nothing.
fn strange_families(one: &TestCandidate, context: &SelectionContext) -> FxHashSet<u32> {
    let relations = context.relations();
    let Some(subject) = subject_of(one).and_then(|id| relations.family_of(id)) else { return FxHashSet::default() };
    let on_the_way = one.subject().calls().filter_map(|id| relations.family_of(id)).collect::<FxHashSet<u32>>();
    on_the_way.into_iter().filter(|family| relations.are_strangers(*family, subject)).collect()
}

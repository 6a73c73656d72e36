//! Strengthening: the mutants that tests kill decide what the tests assert.
//!
//! Each test temporarily gets calls of pure methods at its end that observe its objects. All tests run with the mutants
//! that they reach. For mutants that survive, [further tests](super::fresh) are tried, which the selection had dropped.
//! Then [assertions](super::assertions) are chosen. The cost is one run per test and reached mutant.

use super::mutation::{self, Asked, Kill, KillsBySite, MutationAnalysis, MutationSubject};
use super::order_dependency::Checked;
use super::read_back::{self, Look, Telling};
use super::{
    SelectionContext, TestCandidate, accepted, assertions, boundary, cover, detach, ends_alike, fresh, is_rejection,
    order_dependency, pairs, refine, subject_of,
};
use crate::minimizer::Effort;
use crate::redundancy::may_change;
use model::execution::{Detail, Edge, Execution, Executor, ExecutorError, Outcome, Value};
use model::jvm::{ClassName, Type};
use model::sequence::{Action, CheckOperations, Operation, OperationId, OperationKind, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Most observer calls at the end of a test.
const MOST_OBSERVERS: usize = 32;
/// Most parameters of an observer.
const MOST_PARAMETERS: usize = 2;
/// Most values that are passed to an observer for one of its parameters.
const MOST_ARGUMENTS: usize = 2;

/// The tests with their chosen assertions, some with further calls; tests that kill surviving mutants; and the mutants that
/// were run. `checked` was run in pairs before, `pool` are the sequences of the archive. All executors but the first and the
/// last may run in perturbed environments, in which mutants are not run.
pub(super) fn strengthen(
    tests: Vec<TestCandidate>,
    checked: &Checked,
    pool: &[Sequence],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<(Vec<TestCandidate>, BTreeSet<u32>), ExecutorError> {
    if !(mutation.should_begin)() {
        let tests = tests.into_iter().map(|one| TestCandidate { is_unrefined: true, ..one }).collect();
        let tests = order_dependency::drop_order_dependent(tests, checked, context, executors)?;
        let tried = reached_on_detours(&tests, mutation, context);
        return Ok((tests, tried));
    }
    context.knowledge.know_makers(pool.iter().chain(mutation.samples.iter().map(AsRef::as_ref)));
    let tests = through_the_library(tests, context, executors)?;
    let observers = observers(context);
    let mut tests = at_home(executors, &mut |home| extended(tests.clone(), &observers, mutation, context, home))?;
    // What is found late would leave no time to make the tests plainer.
    let should_add = mutation.should_add;
    let adding = MutationAnalysis {
        should_continue: should_add,
        should_find_all_kills: &|| should_add() && (mutation.should_find_all_kills)(),
        ..*mutation
    };
    let mut tried =
        at_home(executors, &mut |home| run(&mut tests, Asked::all(&mutation.in_order()), &adding, context, home))?;
    // What follows compares tests by all that they are known to kill.
    let mutation = &MutationAnalysis { should_find_all_kills: mutation.should_continue, ..*mutation };
    if should_add() {
        let adding = MutationAnalysis { should_find_all_kills: should_add, ..adding };
        let task = fresh::Task { pool, observers: &observers, tried: &tried, mutation: &adding, context };
        let (with_fresh, tried_later) = fresh::add(tests, &task, executors)?;
        tests = with_fresh;
        tried.extend(tried_later);
    } else {
        // There will hardly be the time to make all plainer: what reaches nothing that others do not goes, and those that reach
        // most come first.
        tests = cover::cover_in_reason(tests, context);
    }
    let detaching = {
        let should_detach = mutation.should_detach;
        MutationAnalysis { should_continue: should_detach, should_find_all_kills: should_detach, ..*mutation }
    };
    let tests = detach::add(tests, (&tried, &observers), &detaching, context, executors)?;
    let tests = refine::refine(tests, mutation, context, executors)?;
    let tests = accepted::add(tests, &observers, mutation, context, executors)?;
    let tests = pairs::add(tests, mutation, context, executors)?;
    let tests = boundary::add(tests, &tried, mutation, context, executors)?;
    let tests = compare_alike(tests, mutation, context, executors)?;
    let mut tests = order_dependency::drop_order_dependent(tests, checked, context, executors)?;
    tried.extend(reached_on_detours(&tests, mutation, context));
    assertions::choose(&mut tests, &tried, mutation, context);
    Ok((tests, tried))
}

/// The tests, with objects of the library in place of those of anonymous classes where these do as well. Observers that note what an
/// anonymous class is told are not there yet.
fn through_the_library(
    tests: Vec<TestCandidate>,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let operations = &context.program.operations;
    let is_anonymous = |id: OperationId| operations[id.0 as usize].kind == OperationKind::Implementation;
    let concrete = |one: TestCandidate, executor: &mut dyn Executor| {
        if one.observers > 0 || !one.sequence.calls().any(is_anonymous) {
            return Ok(one);
        }
        let leaves = one.execution.residual_state.is_some();
        context.minimize_while(one, 1, Effort::Concrete, executor, &|_, run| {
            !run.environment_dependent && (leaves || run.residual_state.is_none())
        })
    };
    at_home(executors, &mut |home| context.on_shards(tests.clone(), home, &concrete))
}

/// The tests, each run with what others about the same method kill: a test that was made plainer is known to kill only what it killed
/// before, so that of two that have become alike each would seem to be needed.
fn compare_alike(
    mut tests: Vec<TestCandidate>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let method = |one: &TestCandidate| subject_of(one).map(|subject| context.probes.member_of(subject));
    let methods: Vec<Option<OperationId>> = tests.iter().map(method).collect();
    let mut killed: FxHashMap<OperationId, FxHashSet<u32>> = FxHashMap::default();
    for (one, method) in tests.iter().zip(&methods) {
        let kills = one.kills.iter().filter(|(_, kill)| **kill != Kill::Stopped).map(|(mutant, _)| *mutant);
        if let Some(method) = method {
            killed.entry(*method).or_default().extend(kills);
        }
    }
    let is_killed_by_like = |test: usize, mutant: u32| {
        methods[test].and_then(|method| killed.get(&method)).is_some_and(|killed| killed.contains(&mutant))
    };
    if (mutation.should_continue)() {
        let all = mutation.in_order();
        let asked = Asked { asks: &is_killed_by_like, ..Asked::all(&all) };
        at_home(executors, &mut |home| run_also(&mut tests, asked, mutation, context, home))?;
    }
    Ok(tests)
}

/// The mutants that tests reach, but none that is about their class: there is nothing to run.
fn reached_on_detours(
    tests: &[TestCandidate],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
) -> BTreeSet<u32> {
    let behind = fresh::behind(0..mutation.sites.len() as u32, mutation);
    let edges = tests.iter().flat_map(|one| &one.execution.edges);
    let mut reached: BTreeSet<u32> = edges.filter_map(|hit| behind.get(&hit.edge)).flatten().copied().collect();
    for mutant in tests.iter().flat_map(|one| fresh::reached(one, &behind, mutation, context)) {
        reached.remove(&mutant);
    }
    reached
}

/// Work on candidates with some executors.
pub(super) type CandidateTask<'a, R> = dyn FnMut(&mut [Box<dyn Executor>]) -> Result<R, ExecutorError> + 'a;

/// Passes on the executors whose environment is that of the search.
pub(super) fn at_home<R>(executors: &mut [Box<dyn Executor>], work: &mut CandidateTask<R>) -> Result<R, ExecutorError> {
    let last = executors.len() - 1;
    let second = last.min(1);
    executors.swap(second, last);
    let result = work(&mut executors[..=second]);
    executors.swap(second, last);
    result
}

/// Runs the tests with mutants, and notes what each kills; the mutants that were run.
pub(super) fn run(
    tests: &mut [TestCandidate],
    asked: Asked,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<BTreeSet<u32>, ExecutorError> {
    let subjects: Vec<MutationSubject> = tests.iter().map(|one| MutationSubject::new(one, mutation)).collect();
    let matrix = mutation::run(&subjects, asked, mutation, context, executors)?;
    tests.iter_mut().zip(matrix.kills).for_each(|(one, kills)| one.kills = kills);
    Ok(matrix.tried)
}

/// Runs the tests with further mutants, and adds what each kills.
pub(super) fn run_also(
    tests: &mut [TestCandidate],
    asked: Asked,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<(), ExecutorError> {
    let known: Vec<KillsBySite> = tests.iter_mut().map(|one| std::mem::take(&mut one.kills)).collect();
    let is_run = |test: usize, mutant: u32| !known[test].contains_key(&mutant) && (asked.asks)(test, mutant);
    run(tests, Asked { asks: &is_run, ..asked }, mutation, context, executors)?;
    tests.iter_mut().zip(known).for_each(|(one, known)| one.kills.extend(known));
    Ok(())
}

/// Operations that observe an object without changing it, with few arguments.
fn observers(context: &SelectionContext) -> Vec<OperationId> {
    let operations = &context.program.operations;
    let targets = context.program.targets.iter().flat_map(|target| &target.operations).copied();
    let observes = |id: &OperationId| {
        let operation = &operations[id.0 as usize];
        matches!(operation.kind, OperationKind::InstanceMethod | OperationKind::GetField)
            && operation.inputs.len() <= 1 + MOST_PARAMETERS
            && operation.output.is_some()
            && context.program.effects(*id).is_pure()
    };
    targets.chain(context.program.result_getters.iter().copied()).filter(observes).collect()
}

/// The tests with observer calls at their ends whose results can be asserted, and are the same in other workers: a hash code
/// may be that of the object's identity.
pub(super) fn extended(
    tests: Vec<TestCandidate>,
    observers: &[OperationId],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    if !(mutation.should_continue)() {
        return Ok(tests);
    }
    let extend = |one, executor: &mut dyn Executor| extended_one(one, observers, mutation, context, executor);
    let tests = context.on_shards(tests, executors, &extend)?;
    let sequences = super::sequences_of(&tests);
    let runs = context.at_several_times(&sequences, 2, executors)?;
    Ok(tests.into_iter().zip(runs).map(|(one, runs)| without_unsteady(one, &runs)).collect())
}

/// The test without the observers whose results differ in other runs.
fn without_unsteady(one: TestCandidate, runs: &[Execution]) -> TestCandidate {
    let is_steady = |at: &usize| runs.iter().all(|run| run.values.get(*at) == one.execution.values.get(*at));
    let observers = one.sequence.len() - one.observers..one.sequence.len();
    let steady = observers.filter(is_steady).collect();
    with_observers(one, &steady)
}

/// The test with just these of its observers, and what they show.
pub(super) fn with_observers(one: TestCandidate, kept: &BTreeSet<usize>) -> TestCandidate {
    let first = one.sequence.len() - one.observers;
    with_only(one, &|at| at < first || kept.contains(&at))
}

/// The test with just these of its statements, and what they show.
pub(super) fn with_only(mut one: TestCandidate, is_kept: &dyn Fn(usize) -> bool) -> TestCandidate {
    let first = one.sequence.len() - one.observers;
    let Some(sequence) = one.sequence.retain(is_kept) else { return one };
    let all: Vec<usize> = (0..one.sequence.len()).filter(|at| is_kept(*at)).collect();
    let place = |at: usize| all.binary_search(&at).ok();
    let kept_of = |count: usize| all.iter().filter(|at| (first..first + count).contains(*at)).count();
    one.kills = one.kills.iter().filter_map(|(mutant, kill)| Some((*mutant, kill.moved(place)?))).collect();
    (one.telling, one.related, one.observers) = (kept_of(one.telling), kept_of(one.related), kept_of(one.observers));
    one.sequence = sequence;
    one.keep_run_of(&all);
    one
}

/// The test with observer calls at its end whose results can be asserted. After a rejection they show what the rejected call left.
fn extended_one(
    one: TestCandidate,
    observers: &[OperationId],
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<TestCandidate, ExecutorError> {
    let is_accepted = one.execution.outcome == Outcome::Completed;
    if !(is_accepted || leaves_something(&one, context)) || !(mutation.should_continue)() {
        return Ok(one);
    }
    let mut looks = looks(&one, observers, context);
    let pure = looks.len();
    if is_accepted {
        looks.extend(read_back::unproven(&one, context));
    }
    let with = |looks: &[&Look]| {
        let mut sequence = one.sequence.clone();
        for (operation, inputs) in looks {
            sequence.push_call(*operation, inputs);
        }
        if is_accepted { sequence } else { sequence.going_on_after(one.sequence.len()) }
    };
    let tries: Vec<Sequence> = looks.iter().map(|look| with(&[look])).collect();
    let runs = executor.execute(&tries, Detail::Observe)?;
    let is_quiet = |sequence: &Sequence, run: &Execution| {
        ends_alike(sequence, run, &one.execution.outcome)
            && run.values.len() == sequence.len()
            && !run.environment_dependent
            && context.program.are_as_declared(sequence, &run.values)
            && (run.residual_state.is_none() || one.execution.residual_state.is_some())
    };
    let is_asserted = |sequence: &Sequence, run: &Execution, by_value: bool| {
        let (last, observers) = (sequence.len() - 1, 1);
        let looked = TestCandidate { sequence: sequence.clone(), execution: run.clone(), observers, ..one.clone() };
        let assertions = (mutation.assertions)(&looked);
        assertions.iter().any(|assertion| assertion.statement == last && !(by_value && assertion.is_bare))
    };
    let value = |at: usize| {
        let (sequence, run, is_pure) = (&tries[at], &runs[at], at < pure);
        let is_worth = is_quiet(sequence, run)
            && (is_pure || read_back::leaves_state(&one, &looks[at], run))
            && is_asserted(sequence, run, !is_pure);
        run.values.last().filter(|_| is_worth).cloned()
    };
    let mut values: Vec<Option<Value>> = (0..looks.len()).map(value).collect();
    drop_texts_of_told(&looks, &mut values, &context.program.checks);
    let Telling { outcome, related } = match is_accepted {
        true => read_back::telling(&one, &looks, &values, context, executor)?,
        false => {
            let shown = (0..looks.len()).filter(|at| values[*at].is_some()).collect();
            Telling { outcome: Vec::new(), related: read_back::changed(&one, &looks, &values, shown, executor)? }
        }
    };
    let (telling, related) = (outcome.len(), outcome.iter().copied().chain(related).collect::<Vec<usize>>());
    let others = (0..looks.len()).filter(|at| values[*at].is_some() && !related.contains(at));
    let worth: Vec<&Look> = related.iter().copied().chain(others).map(|at| &looks[at]).collect();
    if worth.is_empty() {
        return Ok(one);
    }
    let sequence = with(&worth);
    let run = executor.execute(std::slice::from_ref(&sequence), Detail::Observe)?.into_iter().next();
    let Some(mut execution) = run.filter(|run| is_quiet(&sequence, run)) else { return Ok(one) };
    // What the runs of the test did not agree on is no ground for an assertion now either.
    execution.values.splice(..one.execution.values.len(), one.execution.values.iter().cloned());
    let before = one.execution.mock_calls.len().min(execution.mock_calls.len());
    execution.mock_calls.splice(..before, one.execution.mock_calls.iter().cloned());
    execution.outcome = one.execution.outcome.clone();
    let own: FxHashSet<Edge> = one.execution.edges.iter().map(|hit| hit.edge).collect();
    let only_observed = execution.edges.iter().map(|hit| hit.edge).filter(|edge| !own.contains(edge)).collect();
    let (observers, related) = (worth.len(), related.len());
    Ok(TestCandidate { sequence, execution, observers, telling, related, only_observed, ..one })
}

/// Whether the test is about a call that rejects what it is given, and may have changed something before.
fn leaves_something(one: &TestCandidate, context: &SelectionContext) -> bool {
    let last = one.sequence.len().checked_sub(1);
    is_rejection(one, context) && last.is_some_and(|last| may_change(&one.sequence, last, &context.program.effects))
}

/// The text of a container says less than its elements.
fn drop_texts_of_told(looks: &[Look], values: &mut [Option<Value>], checks: &CheckOperations) {
    let is_told = |value: &Value| matches!(value, Value::Object { observed, .. } if observed.is_comparable(None));
    for (at, (_, of)) in looks.iter().enumerate().filter(|(_, (look, _))| *look == checks.to_string) {
        let content = looks.iter().position(|(look, other)| *look == checks.content && other == of);
        if content.is_some_and(|content| values[content].as_ref().is_some_and(is_told)) {
            values[at] = None;
        }
    }
}

/// Observer calls for values of the test: those without argument first, the latest values first.
fn looks(one: &TestCandidate, observers: &[OperationId], context: &SelectionContext) -> Vec<Look> {
    let program = context.program;
    let (sequence, operations) = (&one.sequence, &program.operations);
    let Some(class) = program.class_of_sequence(sequence) else { return Vec::new() };
    let class = &program.targets[class].name;
    let package = class.package();
    let ancestry = program.types.ancestry(class);
    let is_own = |owner: &ClassName| owner == class || ancestry.iter().any(|facts| facts.name == *owner);
    // Objects that the class returned and of which nothing can be asserted directly.
    let is_of_own = |at: usize| match sequence.statements()[at].action {
        Action::Call(operation) => {
            let operation = &operations[operation.0 as usize];
            let is_shown = matches!(&one.execution.values[at], Value::Object { observed, .. } if observed.is_comparable(Some(operation)));
            is_own(&operation.owner) && !is_shown
        }
        Action::Literal(_) => false,
    };
    let fits = |at: usize, of: &Type| {
        sequence.output_of(at, operations).is_some_and(|output| program.types.is_assignable(&output, of))
    };
    let is_there = |at: usize| !matches!(one.execution.values.get(at), None | Some(Value::Null | Value::Void));
    let settled = settled(sequence, context);
    let is_back_door = context.calls_back_door(sequence);
    let is_made = |operation: OperationId, inputs: &[usize]| {
        let same = |at: usize| {
            sequence.statements()[at].action == Action::Call(operation)
                && sequence.inputs_of(at).zip(inputs).all(|(one, other)| sequence.has_same_value(one, *other))
        };
        (settled..sequence.len()).any(same)
    };
    let mut found = Vec::new();
    for arguments in 0..=MOST_PARAMETERS {
        for receiver in (0..sequence.len()).rev().filter(|&at| is_there(at)) {
            let is_object = matches!(sequence.statements()[receiver].action, Action::Call(_));
            let output = sequence.output_of(receiver, operations);
            if let Some(output) = output.filter(|_| arguments == 0 && is_object) {
                let is_container = is_container(&output, context);
                let looks = [
                    (is_container, program.checks.content),
                    (is_container || is_text(&output), program.checks.to_string),
                ];
                let file = program.checks.file_content.filter(|_| output == Type::class("java/nio/file/Path"));
                found.extend(file.map(|file| (file, vec![receiver])));
                found.extend(looks.into_iter().filter(|(fits, _)| *fits).map(|(_, look)| (look, vec![receiver])));
            }
            for &id in observers {
                let operation: &Operation = &operations[id.0 as usize];
                let is_usable = operation.inputs.len() == 1 + arguments
                    && is_object
                    && (is_own(&operation.owner) || arguments == 0 && is_of_own(receiver))
                    && fits(receiver, &operation.inputs[0])
                    && (is_back_door || !context.is_back_door(id))
                    && program.package_of(id).is_none_or(|own| own == package);
                if !is_usable {
                    continue;
                }
                let mut inputs = vec![vec![receiver]];
                for of in &operation.inputs[1..] {
                    // What an object says of itself, it says of any other one alike.
                    let is_other = |at: &usize| *at != receiver && is_there(*at) && fits(*at, of);
                    let given = (0..sequence.len()).rev().filter(is_other);
                    let given = first_distinct(given, sequence);
                    let with =
                        |inputs: &Vec<usize>| given.iter().map(|at| [&inputs[..], &[*at]].concat()).collect::<Vec<_>>();
                    inputs = inputs.iter().flat_map(with).collect();
                }
                found.extend(inputs.into_iter().map(|inputs| (id, inputs)));
            }
        }
    }
    found.retain(|(operation, inputs)| !is_made(*operation, inputs));
    if one.execution.outcome != Outcome::Completed {
        let taken = taken(sequence, context);
        found.retain(|(_, inputs)| taken[inputs[0]]);
    }
    found.truncate(MOST_OBSERVERS);
    found
}

/// For each statement, whether its value is part of what the last call took: as an input, or by a call that changed one.
fn taken(sequence: &Sequence, context: &SelectionContext) -> Vec<bool> {
    let mut taken = sequence.needed_by(|at| at + 1 == sequence.len());
    for at in (0..sequence.len()).rev() {
        let is_given = sequence.inputs_of(at).any(|input| taken[input]);
        if !taken[at] && is_given && may_change(sequence, at, &context.program.effects) {
            taken = sequence.needed_by(|other| taken[other] || other == at);
        }
    }
    taken
}

/// The first few arguments for an observer, no literal twice.
fn first_distinct(given: impl Iterator<Item = usize>, sequence: &Sequence) -> Vec<usize> {
    let mut distinct: Vec<usize> = Vec::with_capacity(MOST_ARGUMENTS);
    for at in given {
        if distinct.len() < MOST_ARGUMENTS && !distinct.iter().any(|it| sequence.has_same_value(*it, at)) {
            distinct.push(at);
        }
    }
    distinct
}

/// Whether the type is a class of the platform whose `toString` is the text that it was given.
fn is_text(of: &Type) -> bool {
    const TEXTS: [&str; 5] = [
        "java/lang/StringBuffer",
        "java/lang/StringBuilder",
        "java/io/StringWriter",
        "java/io/CharArrayWriter",
        "java/io/ByteArrayOutputStream",
    ];
    of.class_name().is_some_and(|class| TEXTS.contains(&class.internal()))
}

/// Whether the type is a collection or a map of the platform.
fn is_container(of: &Type, context: &SelectionContext) -> bool {
    const CONTAINERS: [&str; 2] = ["java/util/Collection", "java/util/Map"];
    let contains = |container: &str| context.program.types.is_assignable(of, &Type::class(container));
    of.class_name().is_some_and(|class| class.internal().starts_with("java/util/"))
        && CONTAINERS.into_iter().any(contains)
}

/// The first statement after which nothing changes any more.
fn settled(sequence: &Sequence, context: &SelectionContext) -> usize {
    let changes = |at: usize| may_change(sequence, at, &context.program.effects);
    (0..sequence.len()).rposition(changes).map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observer_takes_no_literal_twice() {
        let mut sequence = Sequence::new();
        for text in ["2024", "0112", "0112"] {
            sequence.push_literal(model::jvm::Literal::String(text.into()));
        }
        let call = sequence.push_call(OperationId(0), &[]);
        assert_eq!(first_distinct((0..call).rev(), &sequence), [2, 0]);
        assert!(sequence.has_same_value(call, call) && !sequence.has_same_value(call, 0));
    }

    #[test]
    fn observer_whose_result_differs_in_another_run_is_removed() {
        let mut sequence = Sequence::new();
        let made = sequence.push_call(OperationId(0), &[]);
        for observer in 1..3 {
            sequence.push_call(OperationId(observer), &[made]);
        }
        let run = |hash: i32| Execution {
            values: [7, hash, 9].map(|number| Value::Literal(model::jvm::Literal::Int(number))).to_vec(),
            ..Execution::ended(Outcome::Completed)
        };
        let one = TestCandidate { observers: 2, telling: 1, ..TestCandidate::new(sequence, run(1), BTreeSet::new()) };
        let steady = without_unsteady(one.clone(), &[run(1), run(1)]);
        assert_eq!((steady.sequence.len(), steady.observers, steady.telling), (3, 2, 1));
        let left = without_unsteady(one, &[run(1), run(2)]);
        assert_eq!((left.sequence.len(), left.observers, left.telling), (2, 1, 0));
        assert_eq!(left.execution.values.last(), run(1).values.last());
    }
}

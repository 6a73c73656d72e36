//! Pairs: beside a call that says true, one with other arguments or of another object that says false, and the other way round.
//!
//! A method that always says false passes a test in which it says false. The other arguments are those of a test or a sample in which
//! the method says the other thing, other texts and numbers of the test, or plain ones; the receiver stays the same. For
//! `equals`, the first other argument differs from the receiver in one literal, and a test of `x.equals(x)` also compares with an equal
//! copy, where there is one. If no arguments do, the call is made of another object: that of a test or a sample in which the method says
//! the other thing, or one that was made with another literal or one call fewer. The call that says the opposite is made last, and says
//! so alone, too. It shows the outcome of the test, so that the test which showed it before may go.

mod arguments;

use super::accepted::like_of;
use super::mutation::{Asked, KillsBySite, MutationAnalysis};
use super::refine::SLOW;
use super::split::with_changes;
use super::strengthen::{at_home, run};
use super::{SelectionContext, TestCandidate, runs, subject_of};
use crate::minimizer::{Effort, argument, variations};
use crate::reader_cost;
use crate::redundancy::sequence_hash;
use arguments::{arguments, is_words, longer};
use bytecode::analysis::purity::Effects;
use model::execution::{Detail, Execution, Executor, ExecutorError, Outcome, Value};
use model::jvm::Literal;
use model::sequence::{OperationId, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Most calls that are tried beside one test.
const MOST_TRIED: usize = 24;

/// Most calls of other objects that are tried beside one test.
const MOST_OBJECTS: usize = 16;

/// Other arguments for some parameters of a call: of each the position among its inputs, and what makes it last.
type Arguments = Vec<(usize, Sequence)>;

/// The tests, in which calls that say true or false stand beside such that say the other thing.
pub(super) fn add(
    tests: Vec<TestCandidate>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let alone: FxHashSet<OperationId> = tests.iter().filter(|one| said(one).is_some()).filter_map(subject_of).collect();
    if alone.is_empty() {
        return Ok(tests);
    }
    let others = answers(&tests, &alone, context);
    let samples = like_of(&alone, mutation, context);
    let paired = at_home(executors, &mut |home| {
        context.on_shards(tests.clone(), home, &|one, executor| {
            let Some((method, said)) = subject_of(&one).zip(said(&one)) else {
                return Ok((one, false));
            };
            let opposite = others.get(&method).into_iter().flatten();
            let opposite = opposite.filter(|(other, _)| *other != said).map(|(_, sequence)| sequence);
            let mut opposite: Vec<&Sequence> = opposite.collect();
            opposite.sort_by_cached_key(|one| reader_cost::of(one, None, &context.program.operations));
            let like: Vec<&Sequence> =
                opposite.iter().chain(samples.get(&method).into_iter().flatten()).copied().collect();
            let longer = with_longer_text(&one, said, context, executor)?;
            let is_longer = longer.is_some();
            let one = longer.unwrap_or(one);
            match with_opposite(&one, said, &like, &opposite, context, executor)? {
                Some(pair) => Ok((pair, true)),
                None => Ok((one, is_longer)),
            }
        })
    })?;
    // What a longer text kills is not known before it runs with mutants.
    let is_unknown = |one: &TestCandidate, made: &TestCandidate| made.kills.is_empty() && !one.kills.is_empty();
    if !(mutation.should_continue)() {
        let known = tests.into_iter().zip(paired);
        return Ok(known.map(|(one, (made, _))| if is_unknown(&one, &made) { one } else { made }).collect());
    }
    let mut pairs: Vec<TestCandidate> =
        paired.iter().filter(|(_, is_new)| *is_new).map(|(one, _)| one.clone()).collect();
    at_home(executors, &mut |home| run(&mut pairs, Asked::all(&mutation.in_order()), mutation, context, home))?;
    let mut pairs = pairs.into_iter();
    // Of two that each show what the other one says, one is enough.
    let mut known: FxHashSet<Vec<u64>> = FxHashSet::default();
    let chosen = |(one, (made, is_new)): (TestCandidate, (TestCandidate, bool))| {
        if !is_new {
            return made;
        }
        let pair = pairs.next().expect("there is one for each");
        if is_unknown(&one, &made) && one.kills.keys().any(|mutant| !pair.kills.contains_key(mutant)) {
            return one;
        }
        let is_first = known.insert(halves(&pair.sequence, pair.observers, &context.program.effects));
        // What else the other one reaches it goes on reaching; if that is nothing, it is not chosen.
        if is_first { pair } else { one }
    };
    Ok(tests.into_iter().zip(paired).map(chosen).collect())
}

/// What the last calls of the subject are alone, whichever comes first.
fn halves(test: &Sequence, observers: usize, effects: &[Effects]) -> Vec<u64> {
    let ends = test.len() - observers..=test.len();
    let mut halves: Vec<u64> = ends.map(|end| sequence_hash(&with_changes(&test.prefix(end), effects))).collect();
    halves.sort_unstable();
    halves
}

/// What calls of the methods said in the tests, by the method: also those that a test only looks with, with what they need.
fn answers(
    tests: &[TestCandidate],
    methods: &FxHashSet<OperationId>,
    context: &SelectionContext,
) -> FxHashMap<OperationId, Vec<(bool, Sequence)>> {
    let mut answers: FxHashMap<OperationId, Vec<(bool, Sequence)>> = FxHashMap::default();
    let mut known: FxHashSet<u64> = FxHashSet::default();
    for one in tests.iter().filter(|one| one.execution.outcome == Outcome::Completed) {
        for (at, method) in (0..one.sequence.len()).filter_map(|at| Some((at, one.sequence.call_at(at)?))) {
            let Some(said) = says(&one.execution, at).filter(|_| methods.contains(&method)) else { continue };
            // A test of what changes an object keeps what it shows.
            let is_look = at + 1 > one.sequence.len() - one.observers;
            let object = one.sequence.inputs_of(at).next();
            let is_used_before = || (0..at).any(|user| one.sequence.inputs_of(user).any(|it| Some(it) == object));
            if is_look && is_used_before() {
                continue;
            }
            let alone = with_changes(&one.sequence.prefix(at + 1), &context.program.effects);
            if known.insert(sequence_hash(&alone)) {
                answers.entry(method).or_default().push((said, alone));
            }
        }
    }
    answers
}

/// What the call said that the test is about, if that is all the test can show of it.
fn said(one: &TestCandidate) -> Option<bool> {
    let subject = one.sequence.len().checked_sub(1)?;
    // No clock ends the search, so that the same tests get pairs each time: slow ones get none.
    let is_quiet = one.execution.outcome == Outcome::Completed
        && one.execution.residual_state.is_none()
        && one.execution.cost < SLOW;
    match one.execution.values.get(subject) {
        Some(Value::Literal(Literal::Boolean(said))) if is_quiet && one.observers == 0 => Some(*said),
        _ => None,
    }
}

/// A further call of the subject of a test, and what else is called with it.
struct Further {
    change: Change,
    /// The test, and the further calls after it.
    both: Sequence,
    /// The last of these calls alone.
    second: Sequence,
}

/// In what the further calls differ from that of the test.
enum Change {
    /// The arguments of each; the last one is to say the opposite.
    Arguments(Vec<Arguments>),
    /// The one further call is made of another object.
    Object,
}

impl Further {
    fn by_arguments(alone: &Sequence, sets: Vec<Arguments>) -> Option<Further> {
        let both = with_calls(alone, &sets, true)?;
        let second = with_calls(alone, &sets[sets.len() - 1..], false)?;
        Some(Further { change: Change::Arguments(sets), both, second })
    }

    fn of_object(alone: &Sequence, second: Sequence) -> Option<Further> {
        Some(Further { change: Change::Object, both: beside(alone, &second)?, second })
    }

    fn calls(&self) -> usize {
        match &self.change {
            Change::Arguments(sets) => sets.len(),
            Change::Object => 1,
        }
    }

    /// Whether the last call differs in words alone, which are as near to those of the test as a reader wants them.
    fn is_plain(&self) -> bool {
        let are_words = |set: &Arguments| set.iter().all(|(_, maker)| is_words(maker));
        matches!(&self.change, Change::Arguments(sets) if sets.last().is_some_and(are_words))
    }

    /// The same with a plainer form of the last call alone, if that is another one.
    fn with_plainer(&self, alone: &Sequence, second: Sequence) -> Option<Further> {
        if second == self.second {
            return None;
        }
        match &self.change {
            Change::Arguments(sets) => {
                let (last, before) = sets.split_last()?;
                let plainer: Option<Arguments> =
                    last.iter().map(|(slot, _)| Some((*slot, argument(&second, *slot)?))).collect();
                Further::by_arguments(alone, before.iter().cloned().chain([plainer?]).collect())
            }
            Change::Object => Further::of_object(alone, second),
        }
    }
}

/// The sequence and another one that ends in a call of the same method: what both need, then the two calls.
fn beside(alone: &Sequence, other: &Sequence) -> Option<Sequence> {
    let (last, end) = (alone.len().checked_sub(1)?, other.len().checked_sub(1)?);
    let mut sequence = alone.prefix(last);
    let offset = sequence.append(&other.prefix(end));
    let inputs: Vec<usize> = alone.inputs_of(last).collect();
    let others: Vec<usize> = other.inputs_of(end).map(|input| input + offset).collect();
    sequence.push(alone.statements()[last].action.clone(), &inputs);
    sequence.push(other.statements()[end].action.clone(), &others);
    Some(sequence)
}

/// The test with a second call of its subject, by other arguments or of another object, with which it says the opposite. `opposite`
/// are tests in which it does.
fn with_opposite(
    one: &TestCandidate,
    said: bool,
    like: &[&Sequence],
    opposite: &[&Sequence],
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Option<TestCandidate>, ExecutorError> {
    let alone = one.subject();
    let copy = copy_of_receiver(&alone, context);
    let sets = |arguments: Arguments| {
        let with_copy = copy.iter().filter(|_| said).map(|copy| vec![copy.clone(), arguments.clone()]);
        with_copy.chain([vec![arguments.clone()]]).collect::<Vec<Vec<Arguments>>>()
    };
    let may_be_tried = |further: &Further| {
        context.knowledge.is_typed(&further.both) && !adds_back_door(&alone, &further.both, context)
    };
    let by_arguments = arguments(&alone, like, context)
        .into_iter()
        .flat_map(sets)
        .filter_map(|sets| Further::by_arguments(&alone, sets));
    let tries: Vec<Further> = by_arguments.filter(may_be_tried).take(MOST_TRIED).collect();
    if let Some(pair) = first_sound(one, said, tries, &may_be_tried, context, executor)? {
        return Ok(Some(pair));
    }
    let of_objects = objects(&alone, like, opposite, context).into_iter();
    let of_objects = of_objects.filter_map(|second| Further::of_object(&alone, second)).filter(may_be_tried);
    first_sound(one, said, of_objects.take(MOST_OBJECTS).collect(), &may_be_tried, context, executor)
}

/// The test with a longer text, if its call says the same of that and the test reaches its goals.
fn with_longer_text(
    one: &TestCandidate,
    said: bool,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Option<TestCandidate>, ExecutorError> {
    let alone = one.subject();
    let longer = longer(&alone, context).into_iter().filter(|_| said);
    let longer: Vec<Sequence> = longer
        .filter_map(|arguments| with_calls(&alone, &[arguments], false))
        .filter(|it| context.knowledge.is_typed(it))
        .collect();
    let runs = executor.execute(&longer, Detail::Observe)?;
    let serves =
        |(sequence, run): &(Sequence, Execution)| ends_in(sequence, run, said) && context.serves(one, sequence, run);
    let found = longer.into_iter().zip(runs).find(serves);
    Ok(found.map(|(sequence, execution)| TestCandidate {
        sequence,
        execution,
        kills: KillsBySite::new(),
        ..one.clone()
    }))
}

/// The first of the tries that says the opposite, with a plainer further call where there is one.
fn first_sound(
    one: &TestCandidate,
    said: bool,
    tries: Vec<Further>,
    may_be_tried: &dyn Fn(&Further) -> bool,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Option<TestCandidate>, ExecutorError> {
    let both: Vec<Sequence> = tries.iter().map(|further| further.both.clone()).collect();
    let runs = executor.execute(&both, Detail::Observe)?;
    for (further, run) in tries.into_iter().zip(runs) {
        let Some((pair, of_second)) = sound(one, said, &further, run, executor)? else { continue };
        if further.is_plain() {
            return Ok(Some(pair));
        }
        let plain = plainer(&further, of_second, !said, context, executor)?;
        let plain = further.with_plainer(&one.subject(), plain).filter(may_be_tried);
        let Some(plain) = plain else { return Ok(Some(pair)) };
        let run = executor.execute(std::slice::from_ref(&plain.both), Detail::Observe)?.into_iter().next();
        let plain = match run {
            Some(run) => sound(one, said, &plain, run, executor)?,
            None => None,
        };
        return Ok(Some(plain.map_or(pair, |(plain, _)| plain)));
    }
    Ok(None)
}

/// What the call said that a statement is.
fn says(run: &Execution, at: usize) -> Option<bool> {
    match run.values.get(at) {
        Some(Value::Literal(Literal::Boolean(said))) => Some(*said),
        _ => None,
    }
}

/// Whether the last call of the sequence said so, in a run that another one may repeat.
fn ends_in(sequence: &Sequence, run: &Execution, said: bool) -> bool {
    run.outcome == Outcome::Completed
        && !run.may_vary()
        && run.residual_state.is_none()
        && says(run, sequence.len() - 1) == Some(said)
}

/// The test with the further calls, if they say what they should, the last one also without the test and both in another worker; and
/// the run of that one alone.
fn sound(
    one: &TestCandidate,
    said: bool,
    further: &Further,
    run: Execution,
    executor: &mut dyn Executor,
) -> Result<Option<(TestCandidate, Execution)>, ExecutorError> {
    let Further { both, second, .. } = further;
    let count = further.calls();
    let says_same = |run: &Execution| (2..2 + count).all(|back| says(run, both.len() - back) == Some(said));
    if !ends_in(both, &run, !said) || !says_same(&run) {
        return Ok(None);
    }
    let mut again = executor.execute(&[second.clone(), both.clone()], Detail::Observe)?.into_iter();
    let Some(of_second) = again.next().filter(|run| ends_in(second, run, !said)) else { return Ok(None) };
    let agreed = again.next().and_then(|again| runs::agree(run, &again));
    let Some(execution) = agreed.filter(|run| ends_in(both, run, !said) && says_same(run)) else { return Ok(None) };
    // What the first call showed, it goes on showing.
    let (own, first) = (one.subject().len(), both.len() - count - 1);
    let moved = |at: usize| Some(if at + 1 < own { at } else { first });
    let kills = one.kills.iter().filter_map(|(mutant, kill)| Some((*mutant, kill.moved(moved)?)));
    let (kills, observers) = (kills.collect(), count);
    let pair = TestCandidate { sequence: both.clone(), execution, kills, observers, ..one.clone() };
    Ok(Some((TestCandidate { telling: count, related: count, ..pair }, of_second)))
}

/// A plainer form of the last call alone, which says the same as in the given run.
fn plainer(
    further: &Further,
    of_second: Execution,
    said: bool,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Sequence, ExecutorError> {
    let candidate = TestCandidate::new(further.second.clone(), of_second, BTreeSet::new());
    let is_alike = |sequence: &Sequence, run: &Execution| ends_in(sequence, run, said);
    Ok(context.minimize_while(candidate, 1, Effort::Refine, executor, &is_alike)?.sequence)
}

/// Calls of the same method of other objects: first those in tests, then of the receiver made with another literal or one call fewer,
/// the nearest first, and what like calls are made of.
fn objects(alone: &Sequence, like: &[&Sequence], opposite: &[&Sequence], context: &SelectionContext) -> Vec<Sequence> {
    let Some(method) = alone.len().checked_sub(1).and_then(|last| alone.call_at(last)) else { return Vec::new() };
    if !context.program.operations[method.0 as usize].has_receiver() || is_equals(alone, context) {
        return Vec::new();
    }
    let mut known: FxHashSet<u64> = [sequence_hash(alone)].into_iter().collect();
    let in_tests = opposite.iter().take(MOST_OBJECTS / 2).map(|one| (*one).clone());
    let varied = variations(alone, like, &context.knowledge).into_iter().take(MOST_OBJECTS);
    let all = in_tests.chain(varied).chain(like.iter().map(|one| (*one).clone()));
    all.filter(|one| known.insert(sequence_hash(one))).collect()
}

fn adds_back_door(alone: &Sequence, both: &Sequence, context: &SelectionContext) -> bool {
    context.calls_back_door(both) && !context.calls_back_door(alone)
}

/// Another object made as the receiver is, where `equals` was only told that this is equal to itself.
fn copy_of_receiver(alone: &Sequence, context: &SelectionContext) -> Option<Arguments> {
    let last = alone.len().checked_sub(1)?;
    let mut inputs = alone.inputs_of(last);
    let is_same = is_equals(alone, context) && inputs.next() == inputs.next();
    Some(vec![(1, argument(alone, 0).filter(|_| is_same)?)])
}

/// Whether the last call asks an object whether it equals another one.
fn is_equals(alone: &Sequence, context: &SelectionContext) -> bool {
    let last = alone.len().checked_sub(1).and_then(|last| alone.call_at(last));
    last.is_some_and(|id| context.program.operations[id.0 as usize].is_equals())
}

/// The sequence with further calls like its last one, which have other arguments, behind it or in its place. What makes these comes
/// before the calls.
fn with_calls(alone: &Sequence, sets: &[Arguments], keeps_first: bool) -> Option<Sequence> {
    let last = alone.len().checked_sub(1)?;
    let mut sequence = alone.prefix(last);
    let mut calls: Vec<Vec<usize>> = Vec::new();
    let own: Vec<usize> = alone.inputs_of(last).collect();
    for arguments in sets {
        let mut inputs = own.clone();
        for (slot, maker) in arguments {
            sequence.append(maker);
            *inputs.get_mut(*slot)? = sequence.len().checked_sub(1)?;
        }
        calls.push(inputs);
    }
    for inputs in keeps_first.then_some(own).into_iter().chain(calls) {
        sequence.push(alone.statements()[last].action.clone(), &inputs);
    }
    if keeps_first {
        return Some(sequence);
    }
    let used: FxHashSet<usize> =
        (0..sequence.len()).flat_map(|at| sequence.inputs_of(at).collect::<Vec<_>>()).collect();
    let is_needed = |at: usize| sequence.literal_at(at).is_none() || used.contains(&at);
    sequence.retain(is_needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_call_has_its_own_arguments_and_the_same_receiver() {
        let text = |text: &str| {
            let mut maker = Sequence::new();
            maker.push_literal(Literal::String(text.into()));
            maker
        };
        let mut alone = text("a");
        let matcher = alone.push_call(OperationId(0), &[0]);
        let item = alone.push_literal(Literal::String("b".into()));
        alone.push_call(OperationId(1), &[matcher, item]);
        let arguments = vec![(1, text("c"))];
        let both = with_calls(&alone, std::slice::from_ref(&arguments), true).unwrap();
        let calls: Vec<usize> = (0..both.len()).filter(|at| both.call_at(*at) == Some(OperationId(1))).collect();
        let inputs = |call: usize| both.inputs_of(call).collect::<Vec<usize>>();
        let (first, second) = (inputs(calls[0]), inputs(calls[1]));
        let item = |inputs: &[usize]| both.literal_at(inputs[1]).cloned();
        assert_eq!((calls, first[0]), (vec![both.len() - 2, both.len() - 1], second[0]));
        assert_eq!([item(&first), item(&second)], ["b", "c"].map(|text| Some(Literal::String(text.into()))));
        let second = with_calls(&alone, &[arguments], false).unwrap();
        assert_eq!(second.len(), both.len() - 2, "without the first call and its item");
    }

    #[test]
    fn call_of_another_object_stands_behind_that_of_the_test() {
        let of = |text: &str, calls: &[u32]| {
            let mut sequence = Sequence::new();
            let text = sequence.push_literal(Literal::String(text.into()));
            let made = sequence.push_call(OperationId(0), &[text]);
            for call in calls {
                sequence.push_call(OperationId(*call), &[made]);
            }
            sequence
        };
        let both = beside(&of("a", &[1, 9]), &of("b", &[9])).unwrap();
        assert_eq!(both.calls().map(|call| call.0).collect::<Vec<_>>(), [0, 1, 0, 9, 9]);
        let [first, second] = [2, 1].map(|back| both.inputs_of(both.len() - back).next().unwrap());
        assert_eq!(
            [first, second].map(|made| both.inputs_of(made).next().and_then(|at| both.literal_at(at).cloned())),
            { ["a", "b"].map(|text| Some(Literal::String(text.into()))) }
        );
    }

    #[test]
    fn pair_is_the_same_whichever_call_comes_first() {
        let of = |text: &str| {
            let mut sequence = Sequence::new();
            let text = sequence.push_literal(Literal::String(text.into()));
            sequence.push_call(OperationId(0), &[text]);
            sequence.push_call(OperationId(1), &[1]);
            sequence
        };
        let of_pair = |one: &str, other: &str| halves(&beside(&of(one), &of(other)).unwrap(), 1, &[Effects::NONE; 2]);
        assert_eq!(of_pair("a", "b"), of_pair("b", "a"));
        assert_ne!(of_pair("a", "b"), of_pair("a", "c"));
    }

    #[test]
    fn each_set_of_arguments_has_a_call_of_its_own() {
        let maker = |number: i32| {
            let mut maker = Sequence::new();
            let literal = maker.push_literal(Literal::Int(number));
            maker.push_call(OperationId(0), &[literal]);
            maker
        };
        let mut alone = maker(1);
        alone.push_call(OperationId(1), &[1, 1]);
        let sets = [1, 2].map(|number| vec![(1, maker(number))]);
        let all = with_calls(&alone, &sets, true).unwrap();
        let calls = (0..all.len()).filter(|at| all.call_at(*at) == Some(OperationId(1)));
        let given: Vec<Vec<usize>> = calls.map(|call| all.inputs_of(call).collect()).collect();
        assert_eq!(given, [[1, 1], [1, 3], [1, 5]], "the object, an equal one and another");
    }
}

//! The refine stage: what was found by chance is written as a person would write it.
//!
//! Observers that show nothing that is needed go first, as what they look at could not go. A test keeps its goals and the mutants that it alone kills, or it alone of those of its method, and gets values without
//! detours ([`Effort::Refine`]). What its observers show may change with that. Where mutants are then missed that the test needs,
//! each change is run with these; failing that, the test is refined so that its observers show the same.

use super::accepted::says_something;
use super::mutation::{Asked, Kill, MutationAnalysis, MutationSubject};
use super::strengthen::{at_home, run, with_observers};
use super::with_mutants::{Noticing, Wanted, WithMutants};
use super::{SelectionContext, TestCandidate, ends_alike, foreign, read_back, strangers, subject_of};
use crate::minimizer::{Effort, plain_literals};
use crate::reader_cost;
use crate::redundancy::sequence_hash;
use model::execution::mutant::Mutant;
use model::execution::{Detail, Edge, Execution, Executor, ExecutorError, Observed, Outcome, Value};
use model::jvm::Literal;
use model::sequence::{OperationId, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::mem::discriminant;

/// What a refined test has to do as before, beside reaching its goals and ending alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Its last statements show values of the same kind, and true stays true.
    Kinds,
    /// The same, and each change notices all mutants that it has to.
    Mutants,
    /// Its last statements show the same values.
    Values,
}

/// A smaller test may miss other mutants each time, and is then run with these, too.
const ATTEMPTS: [Kept; 5] = [Kept::Kinds, Kept::Kinds, Kept::Kinds, Kept::Mutants, Kept::Values];
/// Most mutants of those that an attempt missed with which each smaller test is run in the next ones, too.
const MORE_MUTANTS: usize = 3;

/// The tests, and what is known of them so far.
struct Refining {
    tests: Vec<TestCandidate>,
    /// By test.
    is_done: Vec<bool>,
    /// By test the mutants that it needs and that a smaller form of it missed.
    missed: Vec<BTreeSet<u32>>,
    /// By test whether the last attempt missed others than those before.
    has_missed_more: Vec<bool>,
}

/// The tests, refined where they stay as good.
pub(super) fn refine(
    tests: Vec<TestCandidate>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let mut tests = strangers::cut(tests, mutation, context, executors)?;
    foreign::note(&mut tests, mutation, context, executors)?;
    let tests = at_home(executors, &mut |home| without_idle_observers(tests.clone(), mutation, context, home))?;
    let count = tests.len();
    let mut refining = Refining {
        tests,
        is_done: vec![false; count],
        missed: vec![BTreeSet::new(); count],
        has_missed_more: vec![true; count],
    };
    for kept in ATTEMPTS {
        // Without a further mutant to run, what failed would fail again.
        let is_worth = |at: usize| kept != Kept::Kinds || refining.has_missed_more[at];
        let waiting = (0..count).filter(|at| !refining.is_done[*at] && is_worth(*at)).collect();
        refining = attempt(refining, waiting, kept, mutation, context, executors)?;
    }
    // A value that took the place of an object may have left what made that without a purpose.
    let tests = strangers::cut(refining.tests, mutation, context, executors)?;
    let mut killers = Killers::new(&tests, mutation, context);
    let may_lose = &mut |one: &TestCandidate, lost: &[u32]| {
        let is_free = lost.iter().all(|mutant| !killers.needs(one, *mutant));
        if is_free {
            lost.iter().for_each(|mutant| killers.lose(one, *mutant));
        }
        is_free
    };
    let tests = strangers::cut_idle_calls(tests, may_lose, mutation, context, executors)?;
    let mut known = FxHashSet::default();
    Ok(tests.into_iter().filter(|one| known.insert(sequence_hash(&one.sequence))).collect())
}

/// How many tests kill each mutant, and how many of them are about the method that it is in.
struct Killers<'a> {
    of: FxHashMap<u32, usize>,
    at_home: FxHashMap<(u32, OperationId), usize>,
    mutation: &'a MutationAnalysis<'a>,
    context: &'a SelectionContext<'a>,
}

impl Killers<'_> {
    fn new<'a>(tests: &[TestCandidate], mutation: &'a MutationAnalysis, context: &'a SelectionContext) -> Killers<'a> {
        let mut killers = Killers { of: FxHashMap::default(), at_home: FxHashMap::default(), mutation, context };
        for one in tests {
            for &mutant in one.kills.keys() {
                *killers.of.entry(mutant).or_default() += 1;
                if let Some(home) = killers.home(one, mutant) {
                    *killers.at_home.entry((mutant, home)).or_default() += 1;
                }
            }
        }
        killers
    }

    /// The method that the test is about, if the mutant is in it.
    fn home(&self, one: &TestCandidate, mutant: u32) -> Option<OperationId> {
        let reached = &self.mutation.sites[mutant as usize].reached_by;
        subject_of(one).filter(|_| strangers::is_in_subject(one, reached, self.context))
    }

    /// Whether no other test kills the mutant, or none that is about the same method. What is killed on the way in foreign code
    /// is not needed.
    fn needs(&self, one: &TestCandidate, mutant: u32) -> bool {
        let is_last = self.of[&mutant] == 1 && !one.foreign.contains(&mutant);
        is_last || self.home(one, mutant).is_some_and(|home| self.at_home[&(mutant, home)] == 1)
    }

    /// The test does not kill the mutant any more.
    fn lose(&mut self, one: &TestCandidate, mutant: u32) {
        *self.of.entry(mutant).or_default() -= 1;
        if let Some(home) = self.home(one, mutant) {
            *self.at_home.entry((mutant, home)).or_default() -= 1;
        }
    }
}

/// The tests without those observers at their ends that neither show the outcome nor a mutant that the test needs: what they look
/// at could not go.
fn without_idle_observers(
    tests: Vec<TestCandidate>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let mut killers = Killers::new(&tests, mutation, context);
    let pruned = |one: TestCandidate| {
        // Where nothing else is asserted, any observer may be the one that will be.
        if !(mutation.should_continue)() || !says_something(&one, mutation) {
            return (one, None);
        }
        let busy = busy_observers(&one, &killers);
        let mut short = with_observers(one.clone(), &busy);
        if !says_something(&short, mutation)
            && let Some(look) = plainest_look(&one, mutation)
        {
            short = with_observers(one.clone(), &busy.into_iter().chain([look]).collect());
        }
        one.kills.keys().filter(|&it| !short.kills.contains_key(it)).for_each(|&it| killers.lose(&one, it));
        let is_pruned = short.observers < one.observers;
        (one, is_pruned.then_some(short))
    };
    let pruned: Vec<(TestCandidate, Option<TestCandidate>)> = tests.into_iter().map(pruned).collect();
    context.on_shards(pruned, executors, &|(long, short), executor| {
        let Some(mut short) = short else { return Ok(long) };
        let run = executor.execute(std::slice::from_ref(&short.sequence), Detail::Observe)?.into_iter().next();
        let is_like = |run: &Execution| ends_alike(&short.sequence, run, &short.execution.outcome);
        let Some(run) = run.filter(is_like) else { return Ok(long) };
        let reached: FxHashSet<Edge> = run.edges.iter().map(|hit| hit.edge).collect();
        short.execution.edges.retain(|hit| reached.contains(&hit.edge));
        short.only_observed.retain(|edge| reached.contains(edge));
        Ok(short)
    })
}

/// The observer that says more of the outcome than that there is one, by what a reader has to take in.
fn plainest_look(one: &TestCandidate, mutation: &MutationAnalysis) -> Option<usize> {
    let first = one.sequence.len() - one.observers;
    let looks = (mutation.assertions)(one).into_iter().filter(|it| {
        let is_look = it.statement >= first && !it.is_bare;
        is_look
            && first.checked_sub(1).is_some_and(|subject| one.sequence.inputs_of(it.statement).any(|it| it == subject))
    });
    looks.min_by_key(|it| (it.effort, it.statement)).map(|it| it.statement)
}

/// The observers that a test keeps: those that show its outcome, and few others that show the mutants that it needs.
fn busy_observers(one: &TestCandidate, killers: &Killers) -> BTreeSet<usize> {
    let first = one.sequence.len() - one.observers;
    let operations = &killers.context.program.operations;
    let mut busy: BTreeSet<usize> = (first..first + one.related).collect();
    let is_shown = |of: &[usize], busy: &BTreeSet<usize>| of.iter().any(|at| *at < first || busy.contains(at));
    let needed = one.kills.iter().filter(|(mutant, _)| killers.needs(one, **mutant));
    let needed = needed.filter_map(|(_, kill)| match kill {
        Kill::Values(of) => Some(of.as_slice()),
        Kill::End | Kill::Stopped => None,
    });
    let mut hidden: Vec<&[usize]> = needed.filter(|of| !is_shown(of, &busy)).collect();
    while let Some(all) = hidden.first() {
        let shows = |at: &usize| hidden.iter().filter(|of| of.contains(at)).count();
        let says_all = |at: &usize| {
            one.sequence.call_at(*at).is_some_and(|id| read_back::is_last_resort(&operations[id.0 as usize]))
        };
        let best = all.iter().copied().max_by_key(|at| (!says_all(at), shows(at), Reverse(*at)));
        busy.extend(best);
        hidden.retain(|of| !is_shown(of, &busy));
    }
    busy
}

/// A test that runs so many probes waits until the others are done: in its time many others become plainer.
pub(super) const SLOW: u64 = 20_000;

/// Refines those tests that wait, in their order if time is short, the costliest for a reader first.
fn attempt(
    refining: Refining,
    mut waiting: Vec<usize>,
    kept: Kept,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Refining, ExecutorError> {
    let Refining { mut tests, mut is_done, mut missed, .. } = refining;
    let mut has_missed_more = vec![false; tests.len()];
    let mut killers = Killers::new(&tests, mutation, context);
    let cost = |at: &usize| {
        let is_slow = tests[*at].execution.cost >= SLOW;
        (is_slow, Reverse(reader_cost::of(&tests[*at].subject(), None, &context.program.operations)))
    };
    waiting.sort_by_cached_key(cost);
    let killed: BTreeSet<u32> = waiting.iter().flat_map(|&at| tests[at].kills.keys().copied()).collect();
    let killed: Vec<u32> = killed.into_iter().collect();
    let refined = at_home(executors, &mut |home| {
        let one_by_one = |at: usize, executor: &mut dyn Executor| {
            let one = tests[at].clone();
            // What ends the run is too costly to run beside each change.
            let must_notice = || {
                let needed =
                    one.kills.iter().filter(|(mutant, kill)| **kill != Kill::Stopped && killers.needs(&one, **mutant));
                needed.map(|(mutant, _)| *mutant).collect::<BTreeSet<u32>>()
            };
            match (mutation.should_continue)() {
                true if kept == Kept::Mutants => {
                    refined(one.clone(), kept, &must_notice(), mutation, context, executor)
                }
                true => refined(one, kept, &missed[at], mutation, context, executor),
                false => Ok(TestCandidate { is_unrefined: true, ..one }),
            }
        };
        let mut refined = context.on_shards(waiting.clone(), home, &one_by_one)?;
        let changed: Vec<bool> =
            waiting.iter().zip(&refined).map(|(&at, short)| tests[at].sequence != short.sequence).collect();
        // What the refined form kills beside what the test did has killers already. What costs a worker is run again only for the
        // test that alone notices it.
        let asks = |number: usize, mutant: u32| {
            let long = &tests[waiting[number]];
            let kill = long.kills.get(&mutant).filter(|_| changed[number]);
            kill.is_some_and(|kill| *kill != Kill::Stopped || killers.needs(long, mutant))
        };
        run(&mut refined, Asked { asks: &asks, ..Asked::all(&killed) }, mutation, context, home)?;
        Ok(refined)
    })?;
    // What others kill too, a test may miss. The first ones of the suite are the first that may.
    let mut chosen: Vec<(usize, TestCandidate)> = waiting.into_iter().zip(refined).collect();
    chosen.sort_by_key(|(at, _)| *at);
    for (at, mut short) in chosen {
        let long = &tests[at];
        if short.sequence == long.sequence {
            is_done[at] = true;
            tests[at].is_unrefined = short.is_unrefined;
            continue;
        }
        let stopped = still_stopped(long, &short, mutation).into_iter().filter(|&it| !killers.needs(long, it));
        short.kills.extend(stopped.map(|mutant| (mutant, Kill::Stopped)));
        let lost: Vec<u32> = long.kills.keys().copied().filter(|mutant| !short.kills.contains_key(mutant)).collect();
        let needed: Vec<u32> = lost.iter().copied().filter(|&it| killers.needs(long, it)).collect();
        if needed.is_empty() {
            lost.iter().for_each(|&mutant| killers.lose(long, mutant));
            is_done[at] = true;
            tests[at] = short;
        } else {
            // What ends the run is too costly to run beside each change.
            let is_new = |it: &u32| !missed[at].contains(it) && long.kills.get(it) != Some(&Kill::Stopped);
            let new: Vec<u32> = needed.into_iter().filter(is_new).collect();
            has_missed_more[at] = !new.is_empty();
            missed[at].extend(spread(&new));
        }
    }
    Ok(Refining { tests, is_done, missed, has_missed_more })
}

/// A few of the mutants from all over the code: where a test misses one, it mostly misses its neighbours, too.
fn spread(mutants: &[u32]) -> impl Iterator<Item = u32> {
    mutants.iter().step_by(mutants.len().div_ceil(MORE_MUTANTS).max(1)).copied()
}

/// The mutants with which a test ended workers: its refined form is taken to do the same if it reaches them.
pub(super) fn still_stopped(long: &TestCandidate, short: &TestCandidate, mutation: &MutationAnalysis) -> Vec<u32> {
    let reached: FxHashSet<Edge> = short.execution.edges.iter().map(|hit| hit.edge).collect();
    let reaches = |mutant: &u32| mutation.sites[*mutant as usize].reached_by.iter().any(|edge| reached.contains(edge));
    let stopped = long.kills.iter().filter(|(_, kill)| **kill == Kill::Stopped).map(|(mutant, _)| *mutant);
    stopped.filter(reaches).collect()
}

/// The test with values without detours, while it shows values of the same kind.
pub(super) fn plainer(
    one: TestCandidate,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<TestCandidate, ExecutorError> {
    refined(one, Kept::Kinds, &BTreeSet::new(), mutation, context, executor)
}

/// The test refined, while it shows what is to be kept and notices these mutants.
fn refined(
    one: TestCandidate,
    kept: Kept,
    needed: &BTreeSet<u32>,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<TestCandidate, ExecutorError> {
    let is_alike = alike(&one, kept);
    // What the test is about stays.
    let fixed = one.observers + 1;
    let mutants: Vec<Mutant> = needed.iter().map(|&site| mutation.sites[site as usize].mutant).collect();
    let long = one.clone();
    let as_small = |sequence: &Sequence, run: &Execution| TestCandidate {
        sequence: sequence.clone(),
        execution: run.clone(),
        ..long.clone()
    };
    let is_sound = |sequence: &Sequence, run: &Execution| {
        if !is_alike(run) || !context.serves(&long, sequence, run) {
            return false;
        }
        if needed.is_empty() {
            return true;
        }
        let small = as_small(sequence, run);
        let counts = context.counts(&small);
        needed.iter().all(|site| counts(&mutation.sites[*site as usize]))
    };
    let notices = |sequence: &Sequence, run: &Execution, mutated: &Execution| {
        MutationSubject::new(&as_small(sequence, run), mutation).notices(mutated).is_some()
    };
    let noticing = Noticing::default();
    let wanted = Wanted { sound: &is_sound, notices: &notices };
    let mut both = WithMutants::new(executor, &mutants, wanted, &noticing);
    let shows = |sequence: &Sequence, run: &Execution| is_alike(run) && noticing.has(sequence);
    let repeats = |sequence: &Sequence, run: &Execution| repeats_input(sequence, run, fixed);
    let one = match repeats(&one.sequence, &one.execution) {
        true => {
            let others = other_examples(&one.sequence, fixed);
            let tells = |sequence: &Sequence, run: &Execution| !repeats(sequence, run) && shows(sequence, run);
            context.first_that_serves(one, &others, &mut both, &tells)?
        }
        false => one,
    };
    let may_repeat = repeats(&one.sequence, &one.execution);
    context.minimize_while(one, fixed, Effort::Refine, &mut both, &|sequence, run| {
        (may_repeat || !repeats(sequence, run)) && shows(sequence, run)
    })
}

/// The sequence with other numbers and texts before its last `fixed - 1` statements, those of the last statements first: such as calls
/// often change.
fn other_examples(sequence: &Sequence, fixed: usize) -> Vec<Sequence> {
    const TEXTS: [&str; 4] = ["abc", " a ", "A b", "a-1"];
    let end = sequence.len().saturating_sub(fixed - 1);
    let others = |literal: &Literal| -> Vec<Literal> {
        match literal {
            Literal::String(_) => TEXTS.map(|text| Literal::String(text.into())).to_vec(),
            Literal::Boolean(_) => Vec::new(),
            literal => plain_literals(literal),
        }
    };
    let at = (0..end).rev().filter_map(|at| Some((at, sequence.literal_at(at)?)));
    at.flat_map(|(at, own)| {
        let others = others(own).into_iter().filter(move |other| other != own);
        others.map(move |other| sequence.with_literal(at, other))
    })
    .collect()
}

/// Whether the call before the last `fixed - 1` statements returned what it was given: `encode("a")` that is `"a"` says nothing of how
/// it encodes.
pub(super) fn repeats_input(sequence: &Sequence, run: &Execution, fixed: usize) -> bool {
    let Some(subject) = sequence.len().checked_sub(fixed) else { return false };
    let says = |value: &Value| match value {
        Value::Literal(literal) => !matches!(literal, Literal::Boolean(_)),
        Value::Object { observed, .. } => matches!(observed, Observed::Value(_)),
        Value::Null | Value::Void => false,
    };
    let returned = run.values.get(subject).filter(|value| says(value));
    returned.is_some_and(|returned| sequence.inputs_of(subject).any(|at| run.values.get(at) == Some(returned)))
}

/// Whether a run is like that of the test.
fn alike(one: &TestCandidate, kept: Kept) -> impl Fn(&Execution) -> bool + use<> {
    let (shown, has_observers) = (one.observers + 1, one.observers > 0);
    let last = move |run: &Execution| run.values.iter().rev().take(shown).cloned().collect::<Vec<Value>>();
    let expected = last(&one.execution);
    let leaves_state = one.execution.residual_state.is_some();
    let shows = move |run: &Execution| {
        let seen = last(run);
        let is_like = |(one, other): (&Value, &Value)| match (one, other) {
            // Yes and no are two outcomes, not two examples of one.
            (Value::Literal(Literal::Boolean(one)), Value::Literal(Literal::Boolean(other))) => one == other,
            _ => discriminant(one) == discriminant(other),
        };
        seen == expected
            || kept != Kept::Values && seen.len() == expected.len() && seen.iter().zip(&expected).all(is_like)
    };
    move |run: &Execution| {
        !run.environment_dependent
            && (leaves_state || run.residual_state.is_none())
            && (run.outcome != Outcome::Completed && !has_observers || shows(run))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn observers_that_go_take_what_they_alone_show_with_them() {
        let mut sequence = Sequence::new();
        let made = sequence.push_call(OperationId(0), &[]);
        for observer in 1..4 {
            sequence.push_call(OperationId(observer), &[made]);
        }
        let run = Execution { values: vec![Value::Void; 4], ..Execution::ended(Outcome::Completed) };
        let kills = [(7, Kill::End), (8, Kill::Values(vec![1, 3])), (9, Kill::Values(vec![2]))];
        let one = TestCandidate::new(sequence, run, BTreeSet::new());
        let one = TestCandidate { observers: 3, kills: BTreeMap::from(kills), ..one };
        let left = with_observers(one, &BTreeSet::from([3]));
        assert_eq!(left.sequence.calls().map(|call| call.0).collect::<Vec<_>>(), [0, 3]);
        assert_eq!((left.observers, left.execution.values.len()), (1, 2));
        assert_eq!(left.kills, BTreeMap::from([(7, Kill::End), (8, Kill::Values(vec![1]))]));
    }

    #[test]
    fn what_is_returned_as_it_was_given_repeats_the_input() {
        let mut sequence = Sequence::new();
        let given = sequence.push_literal(Literal::Int(7));
        sequence.push_call(OperationId(0), &[given]);
        let repeats = |returned: Value| {
            let values = vec![Value::Literal(Literal::Int(7)), returned];
            repeats_input(&sequence, &Execution { values, ..Execution::ended(Outcome::Completed) }, 1)
        };
        assert!(repeats(Value::Literal(Literal::Int(7))));
        assert!(!repeats(Value::Literal(Literal::Int(8))));
        assert!(!repeats(Value::Null));
    }

    #[test]
    fn other_examples_differ_in_one_number_or_text_of_the_call_first() {
        let mut sequence = Sequence::new();
        let text = sequence.push_literal(Literal::String("abc".into()));
        let is_kept = sequence.push_literal(Literal::Boolean(true));
        sequence.push_call(OperationId(0), &[text, is_kept]);
        let looked_at = sequence.push_literal(Literal::Int(1));
        sequence.push_call(OperationId(1), &[looked_at]);
        let examples = other_examples(&sequence, 3);
        let texts = examples.iter().map(|example| example.literal_at(text).cloned());
        assert_eq!(texts.collect::<Vec<_>>(), [" a ", "A b", "a-1"].map(|text| Some(Literal::String(text.into()))));
        assert!(examples.iter().all(|example| example.literal_at(looked_at) == Some(&Literal::Int(1))));
    }

    #[test]
    fn few_of_many_missed_mutants_are_run_from_all_over_the_code() {
        let taken = |mutants: &[u32]| spread(mutants).collect::<Vec<u32>>();
        assert_eq!(taken(&[1, 2, 3, 4, 90, 91, 92]), [1, 4, 92]);
        assert_eq!(taken(&[5, 6]), [5, 6]);
        assert!(taken(&[]).is_empty());
    }
}

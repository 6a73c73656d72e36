//! Mutation analysis of tests: which tests kill which mutants, by a different outcome or by the value of which statement.
//!
//! Mutants run in groups on one worker each. Residual state that one mutant leaves in objects behind
//! static fields could be attributed to the next. So the tests of a group run without mutants before and after it; if they
//! behave differently afterwards, the group runs again in halves, each in a fresh worker. A test that already differs
//! before the group is ignored in it.

use super::refine::SLOW;
use super::{SelectionContext, TestCandidate};
use crate::generator::Vocabulary;
use model::execution::mutant::Mutant;
use model::execution::{Detail, Edge, Execution, Executor, ExecutorError, Outcome, Thrown, Value};
use model::jvm::JavaString;
use model::sequence::Sequence;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All mutants run until so many tests have killed them, before any runs with the other tests: if time is short, it is better to
/// know of all mutants whether a test kills them than of some which tests do.
const FIRST_KILLS: usize = 3;
/// Mutants that run in one worker between two checks for residual state.
const GROUP: usize = 96;
/// Tests that are sent for a mutant at once.
const BATCH: usize = 16;
/// After this number of tests that do not end, a mutant is given up: each of them takes as long as everything else
/// together.
pub(super) const ENDLESS: usize = 3;

/// What a run counts towards [`ENDLESS`]. What costs a worker, or seconds, is not done again.
pub(super) fn endless_share(run: &Execution) -> usize {
    match run.outcome {
        _ if run.outcome.is_costly() => ENDLESS,
        Outcome::Killed { .. } => 1,
        _ => 0,
    }
}

/// A mutant and the edges that lead to it: a run that covers none of them does not reach the mutant.
#[derive(Clone, Debug)]
pub struct MutantSite {
    /// What is changed.
    pub mutant: Mutant,
    /// Edges that lead to it.
    pub reached_by: Vec<Edge>,
}

/// The mutants to kill, and what assertions tests may have.
#[derive(Clone, Copy)]
pub struct MutationAnalysis<'a> {
    /// The mutants.
    pub sites: &'a [MutantSite],
    /// Sequences that may become tests for what kept ones do not kill.
    pub samples: &'a [Arc<Sequence>],
    /// What further sequences are built from.
    pub vocabulary: &'a Vocabulary<'a>,
    /// What a test asserts unless told otherwise, as whoever writes tests knows it.
    pub assertions: &'a (dyn Fn(&TestCandidate) -> Vec<Assertion> + Sync),
    /// Whether a test that ends with the exception asserts its message.
    pub asserts_message: &'a (dyn Fn(&Thrown) -> bool + Sync),
    /// Asked before anything is done for mutants, as looking for what tests could assert takes long.
    pub should_begin: &'a (dyn Fn() -> bool + Sync),
    /// Asked before each mutant.
    pub should_continue: &'a (dyn Fn() -> bool + Sync),
    /// Asked before a mutant that three tests kill is run with others, and before any that no default mutator makes.
    pub should_find_all_kills: &'a (dyn Fn() -> bool + Sync),
    /// Asked before further tests are run with mutants.
    pub should_add: &'a (dyn Fn() -> bool + Sync),
    /// Asked between steps of trying calls alone that tests make by the way: what follows makes tests plainer.
    pub should_detach: &'a (dyn Fn() -> bool + Sync),
    /// Asked while further tests are searched for mutants; what is found has still to be run with them.
    pub should_continue_search: &'a (dyn Fn() -> bool + Sync),
    /// Whether a limit of time alone ends that search: then it may have more rounds than its least.
    pub is_search_timed: bool,
}

impl MutationAnalysis<'_> {
    /// The numbers of all sites, those of default mutators first: if time is short, these are run.
    pub(super) fn in_order(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.sites.len() as u32).collect();
        numbers.sort_by_key(|number| !self.sites[*number as usize].mutant.mutator.is_default());
        numbers
    }
}

/// A possible assertion on the value of a statement.
pub struct Assertion {
    /// Index of the statement whose value is asserted.
    pub statement: usize,
    /// How much a reader has to take in.
    pub effort: u32,
    /// It says nothing but that there is a value, or how long a text or a large table is.
    pub is_bare: bool,
    /// Whether it passes.
    pub holds: Box<dyn Fn(&Value) -> bool + Send + Sync>,
}

/// How a test detects a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kill {
    /// It ends otherwise.
    End,
    /// It is stopped, which takes seconds or a worker, so few other tests were run with the mutant.
    Stopped,
    /// By what is asserted of the values of these statements.
    Values(Vec<usize>),
}

impl Kill {
    /// The same once statements have other places, or none; `None` if none of those that showed it is left.
    pub(super) fn moved(&self, place: impl Fn(usize) -> Option<usize>) -> Option<Kill> {
        match self {
            Kill::End | Kill::Stopped => Some(self.clone()),
            Kill::Values(of) => {
                let of: Vec<usize> = of.iter().copied().filter_map(place).collect();
                (!of.is_empty()).then_some(Kill::Values(of))
            }
        }
    }
}

/// What a test kills, by the number of the mutant's site.
pub type KillsBySite = BTreeMap<u32, Kill>;

/// A test that runs with mutants.
pub(super) struct MutationSubject<'a> {
    one: &'a TestCandidate,
    assertions: Vec<Assertion>,
    /// What the exception at its end says, if that is asserted.
    message: Option<&'a JavaString>,
}

impl<'a> MutationSubject<'a> {
    pub(super) fn new(one: &'a TestCandidate, mutation: &MutationAnalysis) -> MutationSubject<'a> {
        let message = match &one.execution.outcome {
            Outcome::Threw { exception, .. } if (mutation.asserts_message)(exception) => exception.message.as_ref(),
            _ => None,
        };
        MutationSubject { one, assertions: (mutation.assertions)(one), message }
    }

    pub(super) fn notices(&self, run: &Execution) -> Option<Kill> {
        let first_observer = self.one.sequence.len() - self.one.observers;
        let same_end = match (&self.one.execution.outcome, &run.outcome) {
            (Outcome::Completed, Outcome::Completed) => true,
            // Observers may yet be removed: what they throw, their assertions notice.
            (Outcome::Completed, Outcome::Threw { statement, .. }) if *statement >= first_observer => true,
            (Outcome::Threw { statement: one, exception: expected }, Outcome::Threw { statement: two, exception }) => {
                one == two
                    && exception.superclasses.contains(&expected.nameable)
                    && self.message.is_none_or(|message| exception.message.as_ref() == Some(message))
            }
            // The JVM did not take the mutant.
            (_, Outcome::Unlinkable { .. }) => return None,
            _ => false,
        };
        if !same_end {
            return Some(if run.outcome.is_costly() { Kill::Stopped } else { Kill::End });
        }
        let fails =
            |assertion: &&Assertion| run.values.get(assertion.statement).is_none_or(|value| !(assertion.holds)(value));
        let failing: Vec<usize> = self.assertions.iter().filter(fails).map(|assertion| assertion.statement).collect();
        (!failing.is_empty()).then_some(Kill::Values(failing))
    }
}

/// Results of the analysis.
pub(super) struct Matrix {
    /// By test.
    pub(super) kills: Vec<KillsBySite>,
    /// The mutants that were run.
    pub(super) tried: BTreeSet<u32>,
}

/// Which tests run with which mutants, of those that they reach.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) mutants: &'a [u32],
    /// Whether the test, by its number, runs with the mutant.
    pub(super) asks: &'a dyn Fn(usize, u32) -> bool,
    /// Most tests that run with one mutant: the first ones.
    pub(super) most_tests: usize,
}

impl<'a> Asked<'a> {
    /// All tests with each of the mutants.
    pub(super) fn all(mutants: &'a [u32]) -> Asked<'a> {
        Asked { mutants, asks: &|_, _| true, most_tests: usize::MAX }
    }
}

/// How slow a run of so many probes is: 0 if it is not, and one more for twice as many. Slow tests run last, as do mutants that only
/// they reach: if time is short, many mutants are run with quick tests rather than few with slow ones.
fn slowness(cost: u64) -> u32 {
    (cost / SLOW).checked_ilog2().map_or(0, |doublings| doublings + 1)
}

/// Runs tests with the mutants that they reach, as far as that is asked for.
pub(super) fn run(
    tests: &[MutationSubject],
    asked: Asked,
    mutation: &MutationAnalysis,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Matrix, ExecutorError> {
    let mut by_edge: FxHashMap<Edge, Vec<usize>> = FxHashMap::default();
    for (number, test) in tests.iter().enumerate() {
        for hit in &test.one.execution.edges {
            by_edge.entry(hit.edge).or_default().push(number);
        }
    }
    let counts: Vec<_> = tests.iter().map(|test| context.counts(test.one)).collect();
    let slowness: Vec<u32> = tests.iter().map(|test| slowness(test.one.execution.cost)).collect();
    let reaching = |mutant: &u32| -> Reached {
        let site = &mutation.sites[*mutant as usize];
        let tests: BTreeSet<usize> =
            site.reached_by.iter().filter_map(|edge| by_edge.get(edge)).flatten().copied().collect();
        let tests = tests.into_iter().filter(|test| counts[*test](site) && (asked.asks)(*test, *mutant));
        let mut tests: Vec<usize> = tests.take(asked.most_tests).collect();
        tests.sort_by_key(|test| slowness[*test]);
        Reached { mutant: *mutant, tests, endless: 0 }
    };
    let mut reached: Vec<Reached> = asked.mutants.iter().map(reaching).filter(|one| !one.tests.is_empty()).collect();
    reached.sort_by_key(|one| slowness[one.tests[0]]);
    let is_default = |one: &Reached| mutation.sites[one.mutant as usize].mutant.mutator.is_default();
    let (mut default, mut further): (Vec<Reached>, Vec<Reached>) = reached.into_iter().partition(is_default);
    let mut matrix = Matrix { kills: vec![KillsBySite::new(); tests.len()], tried: BTreeSet::new() };
    for (most_kills, should_run_default) in
        [(FIRST_KILLS, mutation.should_continue), (usize::MAX, mutation.should_find_all_kills)]
    {
        let runner = |should_continue| MutantRunner { tests, sites: mutation.sites, should_continue };
        let parts = [(&default, runner(should_run_default)), (&further, runner(mutation.should_find_all_kills))];
        let groups =
            parts.iter().flat_map(|(part, runner)| part.chunks(GROUP).map(move |group| (group.to_vec(), runner)));
        let run = |(group, runner): (Vec<Reached>, &MutantRunner), executor: &mut dyn Executor| {
            runner.run_group(&group, most_kills, executor)
        };
        let results = context.on_shards(groups.collect(), executors, &run)?;
        let mut left: FxHashMap<u32, Reached> = FxHashMap::default();
        for Tried { kills, left: others } in results.into_iter().flatten() {
            matrix.tried.insert(others.mutant);
            kills.into_iter().for_each(|(test, kill)| drop(matrix.kills[test].insert(others.mutant, kill)));
            left.insert(others.mutant, others);
        }
        let later = |part: Vec<Reached>| -> Vec<Reached> {
            let left = part.iter().filter_map(|one| left.get(&one.mutant)).filter(|one| !one.tests.is_empty());
            left.cloned().collect()
        };
        (default, further) = (later(default), later(further));
    }
    Ok(matrix)
}

/// A mutant, and tests that reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reached {
    mutant: u32,
    tests: Vec<usize>,
    /// The share of [`ENDLESS`] that other tests have used.
    endless: usize,
}

struct MutantRunner<'a> {
    tests: &'a [MutationSubject<'a>],
    sites: &'a [MutantSite],
    /// Asked before each mutant.
    should_continue: &'a (dyn Fn() -> bool + Sync),
}

/// What became of a mutant.
#[derive(Debug, PartialEq, Eq)]
struct Tried {
    /// The tests that killed it.
    kills: Vec<(usize, Kill)>,
    /// The mutant with the tests that were not run, as enough others had killed it.
    left: Reached,
}

impl MutantRunner<'_> {
    /// Runs each mutant until so many tests have killed it.
    fn run_group(
        &self,
        group: &[Reached],
        most_kills: usize,
        executor: &mut dyn Executor,
    ) -> Result<Vec<Tried>, ExecutorError> {
        if !(self.should_continue)() {
            return Ok(Vec::new());
        }
        let involved: BTreeSet<usize> = group.iter().flat_map(|one| &one.tests).copied().collect();
        let involved: Vec<usize> = involved.into_iter().collect();
        let sound = self.sound(&involved, executor)?;
        let mut tried = Vec::new();
        for one in group {
            if !(self.should_continue)() {
                break;
            }
            let mut one = one.clone();
            one.tests.retain(|test| sound.contains(test));
            tried.push(self.run_mutant(one, most_kills, executor)?);
        }
        if self.sound(&involved, executor)? == sound {
            return Ok(tried);
        }
        executor.restart()?;
        if group.len() > 1 {
            let (first, second) = group.split_at(group.len() / 2);
            tried = self.run_group(first, most_kills, executor)?;
            executor.restart()?;
            tried.extend(self.run_group(second, most_kills, executor)?);
        }
        Ok(tried)
    }

    /// The tests that do what they are known to do, without a mutant.
    fn sound(&self, tests: &[usize], executor: &mut dyn Executor) -> Result<FxHashSet<usize>, ExecutorError> {
        let runs = self.execute(tests, Detail::Observe, executor)?;
        let sound = tests.iter().zip(&runs).filter(|(test, run)| self.tests[**test].notices(run).is_none());
        Ok(sound.map(|(test, _)| *test).collect())
    }

    /// Runs the tests with the mutant until so many have killed it, or it turns out not to end.
    fn run_mutant(
        &self,
        mut reached: Reached,
        most_kills: usize,
        executor: &mut dyn Executor,
    ) -> Result<Tried, ExecutorError> {
        let detail = Detail::Mutated(self.sites[reached.mutant as usize].mutant);
        let mut kills = Vec::new();
        let mut is_first = true;
        while !reached.tests.is_empty() && kills.len() < most_kills {
            // The first, and each after one that does not end, tells whether the others are worth it.
            let is_alone = is_first || reached.endless > 0;
            let most = if is_alone { 1 } else { BATCH.min((most_kills - kills.len()).saturating_mul(2)) };
            let batch: Vec<usize> = reached.tests.drain(..most.min(reached.tests.len())).collect();
            for (&test, run) in batch.iter().zip(self.execute(&batch, detail, executor)?) {
                reached.endless += endless_share(&run);
                kills.extend(self.tests[test].notices(&run).map(|kill| (test, kill)));
            }
            if reached.endless >= ENDLESS {
                reached.tests.clear();
            }
            is_first = false;
        }
        Ok(Tried { kills, left: reached })
    }

    fn execute(
        &self,
        tests: &[usize],
        detail: Detail,
        executor: &mut dyn Executor,
    ) -> Result<Vec<Execution>, ExecutorError> {
        let sequences: Vec<Sequence> = tests.iter().map(|&test| self.tests[test].one.sequence.clone()).collect();
        executor.execute(&sequences, detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::KillReason;
    use model::execution::mutant::Mutator;
    use model::jvm::ClassName;

    /// Each sequence ends with the mutant as it is said, in order, and otherwise completes.
    struct Ending(Vec<Outcome>);

    impl Executor for Ending {
        fn execute(&mut self, sequences: &[Sequence], _: Detail) -> Result<Vec<Execution>, ExecutorError> {
            let ends = sequences.iter().map(|_| if self.0.is_empty() { Outcome::Completed } else { self.0.remove(0) });
            Ok(ends.map(Execution::ended).collect())
        }

        fn restart(&mut self) -> Result<(), ExecutorError> {
            Ok(())
        }
    }

    /// The tests that kill a mutant, and those that are left, if ten tests reach it and end so with it.
    fn run(ends: &[Outcome], most_kills: usize, endless: usize) -> (Vec<usize>, Reached) {
        let one = TestCandidate::new(Sequence::new(), Execution::ended(Outcome::Completed), BTreeSet::new());
        let tests: Vec<MutationSubject> =
            (0..10).map(|_| MutationSubject { one: &one, assertions: Vec::new(), message: None }).collect();
        let mutant = Mutant { class: 0, method: 0, pc: 0, mutator: Mutator::Math };
        let sites = [MutantSite { mutant, reached_by: Vec::new() }];
        let runner = MutantRunner { tests: &tests, sites: &sites, should_continue: &|| true };
        let reached = Reached { mutant: 0, tests: (0..10).collect(), endless };
        let Tried { kills, left } = runner.run_mutant(reached, most_kills, &mut Ending(ends.to_vec())).unwrap();
        (kills.into_iter().map(|(test, _)| test).collect(), left)
    }

    fn killed(reason: KillReason) -> Outcome {
        Outcome::Killed { statement: None, reason }
    }

    #[test]
    fn other_words_of_an_exception_are_noticed_where_its_message_is_asserted() {
        let threw = |message: &str| {
            let class = ClassName::new("java/lang/IllegalStateException");
            let (nameable, superclasses) = (class.clone(), vec![class.clone()]);
            let exception = Thrown { class, nameable, superclasses, message: Some(message.into()), stack: Vec::new() };
            Execution::ended(Outcome::Threw { statement: 0, exception })
        };
        let one = TestCandidate::new(Sequence::new(), threw("closed"), BTreeSet::new());
        let words = JavaString::from("closed");
        let notices =
            |message, said| MutationSubject { one: &one, assertions: Vec::new(), message }.notices(&threw(said));
        assert_eq!(notices(Some(&words), "open"), Some(Kill::End));
        assert_eq!(notices(Some(&words), "closed"), None);
        assert_eq!(notices(None, "open"), None);
    }

    #[test]
    fn other_tests_are_left_once_enough_have_killed_the_mutant() {
        let kill = killed(KillReason::Exit);
        let survives = Outcome::Completed;
        let (kills, left) = run(&[survives.clone(), kill.clone(), kill], 2, 0);
        // The second and the third came in one batch of four.
        assert_eq!((kills, left.tests), (vec![1, 2], vec![5, 6, 7, 8, 9]));
        assert_eq!(run(&[survives], usize::MAX, 0).1.tests, []);
    }

    #[test]
    fn endless_runs_are_counted_from_one_phase_to_the_next() {
        let endless = vec![killed(KillReason::ProbeBudget); 10];
        let (kills, left) = run(&endless, 2, 0);
        assert_eq!((kills, left.endless, left.tests.len()), (vec![0, 1], 2, 8));
        let (kills, left) = run(&endless, usize::MAX, left.endless);
        assert_eq!((kills, left.tests), (vec![0], vec![]));
    }
}

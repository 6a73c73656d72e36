//! From candidates to told changes: each is minimised, and shows the same difference in fresh JVMs, one of them in another
//! environment.

use super::difference::Shown;
use super::side_by_side::{Candidate, SharedLog, SideBySide, lock};
use super::told;
use super::versions::{Launches, Versions};
use crate::engine::EngineError;
use emitter::TestCase;
use host::supervisor::{Launch, WorkerExecutor};
use model::execution::{Defaults, Detail, Execution, Executor, ExecutorError, Outcome};
use model::options::Access;
use model::sequence::{Action, Sequence};
use report::DropReason;
use report::changes::Change;
use search::minimizer::{Effort, Knowledge, minimize};
use search::redundancy::sequence_hash;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::sync::Arc;

/// Candidates for the same changed methods that are confirmed.
const PER_METHODS: usize = 6;
/// Changes that are told for the same changed methods.
const TOLD: usize = 3;

/// A worker of each version, with the log of what they did.
pub struct Pair {
    /// The executor.
    pub executor: Box<dyn Executor>,
    /// Its log.
    pub log: SharedLog,
}

impl Pair {
    /// Starts the workers.
    pub fn start(
        launches: [&Arc<Launch>; 2],
        versions: &Arc<Versions>,
        access: Access,
        name: &str,
    ) -> Result<Pair, EngineError> {
        let [older, newer] = launches;
        let workers = [
            WorkerExecutor::start(older.clone(), &format!("older-{name}"))?,
            WorkerExecutor::start(newer.clone(), &format!("newer-{name}"))?,
        ];
        let (executor, log) = SideBySide::new(workers, versions.clone(), access);
        Ok(Pair { executor: Box::new(executor), log })
    }
}

/// The candidates of all logs that are worth confirming: for the same changed methods the shortest, of different operations.
pub fn candidates(logs: &[SharedLog]) -> Vec<Candidate> {
    let mut by_operation = BTreeMap::new();
    for log in logs {
        for (key, found) in &lock(log).found {
            by_operation.entry(key.clone()).or_insert_with(Vec::new).extend(found.iter().cloned());
        }
    }
    let mut by_methods: BTreeMap<Vec<u32>, Vec<Candidate>> = BTreeMap::new();
    for ((_, through), mut found) in by_operation {
        found.sort_by_key(|candidate| candidate.sequence.len());
        by_methods.entry(through).or_default().extend(found.into_iter().take(2));
    }
    // What ran few of the changed methods says best which it is about.
    let mut groups: Vec<(Vec<u32>, Vec<Candidate>)> = by_methods.into_iter().collect();
    groups.sort_by_key(|(through, _)| (through.is_empty(), through.len()));
    let shortest = groups.into_iter().flat_map(|(_, mut found)| {
        found.sort_by_key(|candidate| candidate.sequence.len());
        found.into_iter().take(PER_METHODS)
    });
    shortest.collect()
}

/// What confirming needs.
pub struct Confirming<'a> {
    /// Both versions.
    pub versions: &'a Arc<Versions>,
    /// How their workers are started.
    pub launches: &'a Launches,
    /// Which members tests use.
    pub access: Access,
    /// Whether there is time to make candidates smaller.
    pub may_minimize: &'a dyn Fn() -> bool,
    /// Whether there is time to confirm any.
    pub may_confirm: &'a dyn Fn() -> bool,
}

/// The changes that were confirmed, and how many candidates did not behave the same each time; `None` if there was no time.
pub fn confirm(
    candidates: Vec<Candidate>,
    pair: &mut Pair,
    task: &Confirming,
) -> Result<Option<(Vec<Change>, usize)>, EngineError> {
    if candidates.is_empty() {
        return Ok(Some((Vec::new(), 0)));
    }
    let program = &task.versions.older.program;
    let knowledge = Knowledge::new(&program.operations, &program.effects, &program.types);
    let mut smaller = Vec::new();
    for candidate in candidates {
        smaller.push(match (task.may_minimize)() {
            true => minimized(candidate, pair, &knowledge)?,
            false => candidate,
        });
    }
    // Two candidates may have become one.
    let mut known = BTreeSet::new();
    smaller.retain(|candidate| known.insert(sequence_hash(&candidate.sequence)));
    if !(task.may_confirm)() {
        return Ok(None);
    }
    let sequences: Vec<Sequence> = smaller.iter().map(|candidate| candidate.sequence.clone()).collect();
    pair.executor.restart()?;
    let again = observe(&sequences, pair)?;
    let [older, newer] = [&task.launches.older, &task.launches.newer].map(|launch| {
        let [_, perturbed] = launch.perturbed(Defaults::ALL);
        Arc::new(perturbed)
    });
    let mut elsewhere = Pair::start([&older, &newer], task.versions, task.access, "elsewhere")?;
    let elsewhere = observe(&sequences, &mut elsewhere)?;
    let count = smaller.len();
    let is_same = |one: &Option<Candidate>, candidate: &Candidate| {
        one.as_ref().is_some_and(|one| is_alike(candidate, one) && told_alike(candidate, one))
    };
    let repeated = smaller.into_iter().zip(again.iter().zip(&elsewhere));
    let is_repeated = |(candidate, (again, elsewhere)): &(Candidate, (&Option<Candidate>, &Option<Candidate>))| {
        let is_repeated = is_same(again, candidate) && is_same(elsewhere, candidate);
        if !is_repeated {
            let says = |of: &Candidate| told::message(&of.sequence, &of.difference, &program.operations);
            tracing::debug!(
                says = says(candidate),
                again = again.as_ref().map(says),
                elsewhere = elsewhere.as_ref().map(says),
                sequence = candidate.sequence.describe(&program.operations),
                "not repeated"
            );
        }
        is_repeated
    };
    let repeated: Vec<Candidate> = repeated.filter(is_repeated).map(|(candidate, _)| candidate).collect();
    let flaky = count - repeated.len();
    Ok(Some((changes(&repeated, task), flaky)))
}

/// The differences of the sequences, each for itself.
fn observe(sequences: &[Sequence], pair: &mut Pair) -> Result<Vec<Option<Candidate>>, ExecutorError> {
    pair.executor.execute(sequences, Detail::Observe)?;
    let log = lock(&pair.log);
    Ok(sequences.iter().map(|sequence| log.last.get(&sequence_hash(sequence)).cloned()).collect())
}

/// The smallest sequence whose last statement differs in the same way.
fn minimized(candidate: Candidate, pair: &mut Pair, knowledge: &Knowledge) -> Result<Candidate, ExecutorError> {
    let log = pair.log.clone();
    let shows = |sequence: &Sequence| {
        let found = lock(&log).last.get(&sequence_hash(sequence)).cloned();
        found.filter(|found| {
            found.difference.statement + 1 == sequence.len()
                && is_alike(&candidate, found)
                && is_about(&candidate, found)
        })
    };
    let accepts = |sequence: &Sequence, _: &Execution| shows(sequence).is_some();
    let first = (&candidate.sequence, candidate.older.clone());
    let (sequence, _) = minimize(first, 1, Effort::Most, knowledge, pair.executor.as_mut(), &accepts)?;
    pair.executor.execute(std::slice::from_ref(&sequence), Detail::Observe)?;
    Ok(shows(&sequence).unwrap_or(candidate))
}

/// Whether the second ran changed methods of the first, and no others.
fn is_about(first: &Candidate, second: &Candidate) -> bool {
    first.through.is_empty() == second.through.is_empty()
        && second.through.iter().all(|method| first.through.contains(method))
}

/// Whether the differences are of the same kind: both return in a version, or throw the same class of exception.
fn is_alike(one: &Candidate, other: &Candidate) -> bool {
    let alike = |one: &Shown, other: &Shown| match (one, other) {
        (Shown::Threw(one), Shown::Threw(other)) => one.class == other.class,
        _ => discriminant(one) == discriminant(other),
    };
    alike(&one.difference.was, &other.difference.was) && alike(&one.difference.is, &other.difference.is)
}

fn told_alike(one: &Candidate, other: &Candidate) -> bool {
    let told = |candidate: &Candidate| [&candidate.difference.was, &candidate.difference.is].map(told::shown);
    told(one) == told(other)
}

/// For people: the first few for the same changed methods, each with the test that held for the older version.
fn changes(candidates: &[Candidate], task: &Confirming) -> Vec<Change> {
    let mut told: BTreeMap<&[u32], BTreeSet<Option<u32>>> = BTreeMap::new();
    let mut changes = Vec::new();
    for candidate in candidates {
        let operation = match candidate.sequence.statements().last().map(|last| &last.action) {
            Some(Action::Call(operation)) => Some(operation.0),
            _ => None,
        };
        let of_methods = told.entry(&candidate.through).or_default();
        if of_methods.len() < TOLD && of_methods.insert(operation) {
            changes.push(change(candidate, task));
        }
    }
    changes
}

fn change(candidate: &Candidate, task: &Confirming) -> Change {
    let Candidate { sequence, older, difference, through } = candidate;
    let program = &task.versions.older.program;
    let class = program.class_of_sequence(sequence).map(|class| program.targets[class].name.clone());
    let mut case = TestCase::regression(sequence.clone(), Execution { edges: Vec::new(), ..older.clone() });
    case.asserted = Some([difference.statement].into());
    case.alone = true;
    if let Outcome::Threw { exception, .. } = &older.outcome
        && oracle::has_own_message(exception, program)
    {
        case.message = exception.message.clone();
    }
    let (operations, style) = (&program.operations, &task.launches.target.style);
    let emission = class.as_ref().map(|class| emitter::emit(class, &[case], operations, &program.types, style));
    let written = emission.iter().flat_map(|emission| &emission.files).find_map(|file| {
        let test = file.tests.first()?;
        Some((test.method.clone(), file.source_of(test)))
    });
    let (test, source) = written.unwrap_or_else(|| (String::new(), sequence.describe(operations)));
    Change {
        class: class.map(|class| class.binary()).unwrap_or_default(),
        test,
        reason: match &difference.is {
            Shown::Missing(_) => DropReason::DoesNotCompile,
            Shown::Ended(model::execution::KillReason::ProbeBudget | model::execution::KillReason::Timeout) => {
                DropReason::TimesOut
            }
            Shown::Ended(_) => DropReason::KillsTheJvm,
            _ => DropReason::Fails,
        },
        detail: told::message(sequence, difference, operations),
        source,
        through: through.iter().map(|&method| task.versions.changed[method as usize].clone()).collect(),
    }
}

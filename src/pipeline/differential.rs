//! Looks for differences of behaviour between two versions of a module: both run the same sequences side by side, and the
//! search calls what changed.
//!
//! What did not change in either version is only vocabulary. Each difference that a caller can see is a candidate; candidates
//! are minimised and confirmed in fresh JVMs before they are told. Nothing is generated of code that is the same.

mod confirm;
mod difference;
mod neighbours;
mod observers;
mod side_by_side;
mod told;
mod versions;

use crate::PipelineError;
use crate::budget::{Budget, Portion};
use crate::concolic::BranchSolver;
use crate::deadline::Deadline;
use crate::engine::EngineError;
use crate::task::{self, Task};
use confirm::{Confirming, Pair};
use host::classpath::Module;
use host::supervisor::Launch;
use model::execution::{Executor, ExecutorError};
use model::jvm::ClassName;
use model::options::{Component, Origin, StateRepresentation};
use model::progress::{Event, Stage};
use model::seed::Seed;
use report::changes::Changes;
use search::generator::{SHARDS, Search, SearchLimits, SearchStatistics};
use side_by_side::{SharedLog, lock};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use versions::{Launches, Read, Versions};

/// Share of the time after which few rounds suffice if each changed method was shown: a slow machine takes long to confirm.
const SHOWN_SHARE: f64 = 0.4;
/// Share of the time after which nothing more is searched…
const SEARCH_SHARE: f64 = 0.8;
/// …nothing is made smaller…
const MINIMIZATION_SHARE: f64 = 0.88;
/// …and nothing more is confirmed.
const CONFIRMATION_SHARE: f64 = 0.94;
/// Rounds before a search ends because each changed method was shown, and without which no search is finished: those that
/// are small, and a few more.
const LEAST_ROUNDS: u64 = 24;

/// When the stages of a comparison have to be over; `None` without a time limit.
#[derive(Clone, Copy)]
struct Limits {
    started: Instant,
    /// When all has to be over.
    end: Option<Instant>,
}

impl Limits {
    /// From the settings, for so many classes that changed.
    fn new(task: &Task, classes: usize, started: Instant) -> Limits {
        let is_set = task.options.origin("time-limit") != Origin::Default;
        let budget = Budget::new(task.options, classes, Portion { searched: 1, of: 1 }, started, is_set);
        Limits { started, end: budget.end }
    }

    fn has_time(&self, share: f64) -> bool {
        let total = self.end.map(|end| end - self.started);
        total.is_none_or(|total| self.started.elapsed() < total.mul_f64(share))
    }
}

/// What was found.
pub struct Found {
    /// The changes.
    pub changes: Changes,
    /// Whether its time was limited.
    pub has_time_limit: bool,
    /// Whether the versions have the same code, so that there is nothing more to compare.
    pub is_same_code: bool,
}

/// Looks for differences between the older version and the module; `None` if the settings select no class of the older.
pub fn find(task: &Task, older: &Module, started: Instant) -> Result<Option<Found>, PipelineError> {
    let Task { module, options, listener, .. } = *task;
    listener.announce(Event::StageStarted(Stage::Reading));
    let Some(read) = versions::read(task, older)? else { return Ok(None) };
    let outermost: BTreeSet<&str> = read.difference.classes.iter().map(ClassName::outermost).collect();
    let limits = Limits::new(task, outermost.len(), started);
    let has_time_limit = limits.end.is_some();
    if read.difference.classes.is_empty() {
        let changes = Changes { finished: true, ..Changes::default() };
        return Ok(Some(Found { changes, has_time_limit, is_same_code: true }));
    }
    listener.announce(Event::ModuleStarted { module: module.name.clone(), classes: outermost.len() });
    sandbox::attainable(options.sandbox)?;
    let deadline = Deadline::at(limits.end, task.interrupt);
    let until_then = Task { interrupt: &deadline.is_over, ..*task };
    let is_cut = || deadline.is_over.load(Ordering::Relaxed) && !task.interrupt.load(Ordering::Relaxed);
    let changes = match compare(&until_then, older, &read, &limits) {
        // Whatever was waited for was not waited for to its end.
        Err(_) if is_cut() => Changes::default(),
        changes => changes?,
    };
    Ok(Some(Found { changes, has_time_limit, is_same_code: false }))
}

/// Searches, and confirms what was found. When the time is over, what is known by then is told.
fn compare(task: &Task, older: &Module, read: &Read, limits: &Limits) -> Result<Changes, PipelineError> {
    let scratch = task::scratch()?;
    let cut = |changes| Changes { finished: false, ..changes };
    let (versions, launches) = versions::open(task, older, read, scratch.path())?;
    let versions = Arc::new(versions);
    let mut searched = search(task, &versions, &launches, limits)?;
    let logs: Vec<SharedLog> = searched.pairs.iter().map(|pair| pair.log.clone()).collect();
    let unreached = unreached(&versions, read, &logs);
    let changes =
        Changes { tests: searched.sequences, unreached, finished: searched.is_finished, ..Changes::default() };
    task.listener.announce(Event::StageStarted(Stage::Minimizing));
    let candidates = confirm::candidates(&logs);
    let seen = candidates.len();
    let confirming = Confirming {
        versions: &versions,
        launches: &launches,
        access: task.options.access,
        may_minimize: &|| limits.has_time(MINIMIZATION_SHARE),
        may_confirm: &|| limits.has_time(CONFIRMATION_SHARE),
    };
    match confirm::confirm(candidates, &mut searched.pairs[0], &confirming) {
        Ok(Some((mut found, flaky))) => {
            found.sort_by(|one, other| (&one.class, &one.detail).cmp(&(&other.class, &other.detail)));
            Ok(Changes { changes: found, flaky, ..changes })
        }
        Ok(None) => Ok(cut(Changes { unconfirmed: seen, ..changes })),
        Err(error) if error.is_interrupt() => Ok(cut(Changes { unconfirmed: seen, ..changes })),
        Err(error) => Err(error.into()),
    }
}

/// What a search leaves.
struct Searched {
    pairs: Vec<Pair>,
    sequences: usize,
    is_finished: bool,
}

/// Searches with a worker of each version for each shard.
fn search(
    task: &Task,
    versions: &Arc<Versions>,
    launches: &Launches,
    limits: &Limits,
) -> Result<Searched, EngineError> {
    let Task { options, listener, .. } = *task;
    listener.announce(Event::StageStarted(Stage::Generating));
    let of = [Arc::new(launches.older.clone()), Arc::new(launches.newer.clone())];
    let [older, newer] = &of;
    let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let pairs = start([older, newer], versions, task, threads)?;
    let (mut executors, logs): (Vec<Box<dyn Executor>>, Vec<SharedLog>) =
        pairs.into_iter().map(|pair| (pair.executor, pair.log)).unzip();
    let search = Search::new(
        versions.older.judge(),
        &versions.probes,
        Seed::root(options.seed),
        &options.disable,
        StateRepresentation::WholeState,
    );
    let search = search.with_focus(&versions.focus).with_access(options.access);
    let search = match options.disable.contains(&Component::Symbolic) {
        true => search,
        false => search.with_concolic_seeds(Box::new(BranchSolver::new(&versions.older, older))),
    };
    let mut should_continue = |statistics: &SearchStatistics| {
        listener.announce(event(statistics, options.sequence_limit, limits));
        let may_be_shown = statistics.rounds >= LEAST_ROUNDS || !limits.has_time(SHOWN_SHARE);
        let is_shown = may_be_shown && is_all_shown(&logs, versions.changed.len());
        !is_shown && limits.has_time(SEARCH_SHARE)
    };
    let limit = SearchLimits { sequences: options.sequence_limit, threads };
    let (result, _, error) = search.run(&mut executors, &limit, &mut should_continue);
    let was_cut = match error {
        Some(ExecutorError::Interrupted) => true,
        Some(error) => return Err(error.into()),
        None => result.statistics.rounds < LEAST_ROUNDS && !limits.has_time(SEARCH_SHARE),
    };
    let pairs = executors.into_iter().zip(logs).map(|(executor, log)| Pair { executor, log }).collect();
    Ok(Searched { pairs, sequences: result.statistics.sequences as usize, is_finished: !was_cut })
}

fn start(
    launches: [&Arc<Launch>; 2],
    versions: &Arc<Versions>,
    task: &Task,
    threads: usize,
) -> Result<Vec<Pair>, EngineError> {
    let start = |shard: usize| Pair::start(launches, versions, task.options.access, &format!("shard-{shard}"));
    if threads < 2 {
        return (0..SHARDS).map(start).collect();
    }
    std::thread::scope(|scope| {
        let starting: Vec<_> = (0..SHARDS).map(|shard| scope.spawn(move || start(shard))).collect();
        starting.into_iter().map(|thread| thread.join().expect("starting a worker does not panic")).collect()
    })
}

/// Whether some candidate ran each of the changed methods.
fn is_all_shown(logs: &[SharedLog], methods: usize) -> bool {
    let mut shown: BTreeSet<u32> = BTreeSet::new();
    for log in logs {
        shown.extend(lock(log).found.keys().flat_map(|(_, through)| through));
    }
    shown.len() == methods
}

/// The changed methods of both versions that never ran.
fn unreached(versions: &Versions, read: &Read, logs: &[SharedLog]) -> Vec<String> {
    let has_probe = |method: usize| versions.changed_of.contains(&Some(method as u32));
    let ran = |method: usize| logs.iter().any(|log| lock(log).reached[method]);
    let names = versions.changed.iter().enumerate();
    let unreached = names.filter(|(method, name)| read.is_in_both(name) && has_probe(*method) && !ran(*method));
    unreached.map(|(_, name)| name.clone()).collect()
}

fn event(statistics: &SearchStatistics, sequence_limit: Option<u64>, limits: &Limits) -> Event {
    let of_sequences = sequence_limit.map(|limit| (statistics.sequences.saturating_mul(1000) / limit.max(1)).min(1000));
    let total = limits.end.map(|end| (end - limits.started).mul_f64(SEARCH_SHARE).max(Duration::from_millis(1)));
    let of_time = total.map(|total| (limits.started.elapsed().as_secs_f64() / total.as_secs_f64() * 1000.0) as u64);
    let used = of_sequences.unwrap_or(0).max(of_time.unwrap_or(0)).min(1000) as u16;
    Event::RoundFinished {
        sequences: statistics.sequences,
        edges: u64::from(statistics.covered_edges),
        total_edges: u64::from(statistics.edges),
        findings: 0,
        used,
    }
}

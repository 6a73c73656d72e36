//! The stages of a run that need workers: search, selection, minimization of findings.

use super::advisor::Advisor;
use super::budget::Budget;
use super::subject::Subject;
use crate::emitter::{self, Style, TestCase};
use crate::execution::{Executor, ExecutorError};
use crate::generator::suite::mutation::{Assertion, MutantSite, Mutation};
use crate::generator::suite::{self, Selected, Selection};
use crate::generator::{Found, Limits, SHARDS, Search, Standings};
use crate::options::{Component, Confidence, StateRepresentation};
use crate::oracle::Finding;
use crate::progress::{Event, Listener, Stage};
use crate::seed::Seed;
use crate::supervisor::{Launch, SupervisorError, WorkerExecutor};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How much later than a sample of the coverage the next one is, so that there are a few hundred however long the search.
const SAMPLE_SPACING: f64 = 1.02;

/// What the workers' stages gave.
pub struct Engine {
    pub found: Found,
    pub selection: Selection,
    /// Minimized.
    pub findings: Vec<Finding>,
    /// The same of those that are less sure than the settings ask for.
    pub less_sure: Vec<Finding>,
    /// Those that a fresh worker did not show again.
    pub findings_not_repeated: usize,
    /// Why it ended before its limits; what is here was complete by then.
    pub ended_early: Option<EngineError>,
    /// Wall-clock time of the search alone.
    pub search_time: Duration,
    /// As [`Timing::coverage`](crate::report::Timing::coverage) has it.
    pub coverage: Vec<(f64, u64, u32)>,
    /// As [`RunReport::progress`](crate::report::RunReport::progress) has it.
    pub progress: Vec<(u64, u64)>,
    pub first_sequence_after: Duration,
    /// Wall-clock time from the search's end to the selection's, and from there to that of the findings.
    pub selection_time: Duration,
    pub minimization_time: Duration,
}

/// Settings of the workers' stages.
pub struct Settings<'a> {
    pub seed: u64,
    pub sequence_limit: Option<u64>,
    /// Parts of guidance to do without.
    pub without: Vec<Component>,
    pub state: StateRepresentation,
    pub threads: usize,
    /// Of the findings worth a test.
    pub min_confidence: Confidence,
    /// How the tests will be written, which decides what they can assert.
    pub style: &'a Style,
}

/// Runs the stages; an error is one of the start. After an interrupt nothing is selected, and only what the search did is
/// told. When workers cannot be had any more, what was found until then goes its way as far as it can.
pub fn run(
    subject: &Subject,
    launch: Launch,
    settings: &Settings,
    budget: &Budget,
    listener: &dyn Listener,
) -> Result<Engine, EngineError> {
    let interrupt = launch.interrupt.clone();
    let launch = Arc::new(launch);
    listener.announce(Event::StageStarted(Stage::Generating));
    let mut executors = start_workers(&launch, settings.threads)?;

    let search_started = Instant::now();
    let limits = Limits { sequences: settings.sequence_limit, threads: settings.threads };
    let mut coverage: Vec<(f64, u64, u32)> = Vec::new();
    let mut progress: Vec<(u64, u64)> = Vec::new();
    let mut go_on = |standings: &Standings| {
        let elapsed = search_started.elapsed().as_secs_f64();
        let is_worth_a_sample =
            |&(at, _, edges): &(f64, u64, u32)| standings.covered_edges > edges && elapsed >= at * SAMPLE_SPACING;
        if coverage.last().is_none_or(is_worth_a_sample) {
            coverage.push((elapsed, standings.sequences, standings.covered_edges));
        }
        let is_worth_a_step = |&(sequences, edges): &(u64, u64)| {
            u64::from(standings.covered_edges) > edges
                && standings.sequences as f64 >= sequences as f64 * SAMPLE_SPACING
        };
        if progress.last().is_none_or(is_worth_a_step) {
            progress.push((standings.sequences, standings.covered_edges.into()));
        }
        if standings.rounds.is_multiple_of(4) {
            listener.announce(round_event(standings, settings.sequence_limit, budget));
        }
        budget.search_goes_on() && !interrupt.load(Ordering::Relaxed)
    };
    let search =
        Search::new(&subject.program, &subject.probes, Seed::root(settings.seed), &settings.without, settings.state);
    let search = if settings.without.contains(&Component::Symbolic) {
        search
    } else {
        search.advised_by(Box::new(Advisor::new(subject, &launch)))
    };
    let (found, error) = search.run(&mut executors, &limits, &mut go_on);
    let search_time = search_started.elapsed();
    coverage.push((search_time.as_secs_f64(), found.standings.sequences, found.standings.covered_edges));
    progress.push((found.standings.sequences, found.standings.covered_edges.into()));
    progress.dedup();
    let first_sequence_after = launch.first_report.get().map_or(Duration::ZERO, |&at| at - budget.started);
    listener.announce(round_event(&found.standings, settings.sequence_limit, budget));
    let mut engine = Engine {
        found,
        selection: Selection::default(),
        findings: Vec::new(),
        less_sure: Vec::new(),
        findings_not_repeated: 0,
        ended_early: None,
        search_time,
        coverage,
        progress,
        first_sequence_after,
        selection_time: Duration::ZERO,
        minimization_time: Duration::ZERO,
    };
    engine.ended_early = error.map(EngineError::from);
    if !interrupt.load(Ordering::Relaxed) {
        let chosen = choose(&mut engine, subject, &launch, &mut executors, settings, budget, listener);
        engine.ended_early = engine.ended_early.or(chosen.err());
    }
    if interrupt.load(Ordering::Relaxed) {
        // What was chosen may be a part, and none of it is verified.
        let ended_early = Some(ExecutorError::Interrupted.into());
        return Ok(Engine { selection: Selection::default(), findings: Vec::new(), ended_early, ..engine });
    }
    Ok(engine)
}

/// From what the search found to the tests and findings worth writing.
fn choose(
    engine: &mut Engine,
    subject: &Subject,
    launch: &Launch,
    executors: &mut [Box<dyn Executor>],
    settings: &Settings,
    budget: &Budget,
    listener: &dyn Listener,
) -> Result<(), EngineError> {
    let go_on = || budget.selection_goes_on() && !launch.interrupt.load(Ordering::Relaxed);
    // First, as it takes little and no finding should stay large because choosing tests took all the time; and where they
    // were found.
    let minimization_started = Instant::now();
    listener.announce(Event::StageStarted(Stage::Minimizing));
    let minimized = suite::minimize_findings(
        engine.found.findings.clone(),
        &subject.program,
        &subject.probes,
        executors,
        settings.threads,
        &go_on,
    );
    engine.minimization_time = minimization_started.elapsed();
    let selection_started = Instant::now();
    listener.announce(Event::StageStarted(Stage::Observing));
    send_elsewhere(executors, launch)?;
    let found = &engine.found;
    let sites: Vec<MutantSite> = subject.mutants.iter().map(|mutant| mutant.site.clone()).collect();
    let mutation = Mutation {
        sites: &sites,
        samples: &found.samples,
        assertions: &|one| assertions(one, subject, settings.style),
        go_on: &|| budget.mutation_goes_on() && !launch.interrupt.load(Ordering::Relaxed),
    };
    let mutation = (!settings.without.contains(&Component::Mutants)).then_some(&mutation);
    engine.selection =
        suite::select(&found.kept, &subject.program, &subject.probes, executors, settings.threads, mutation, &go_on)?;
    engine.selection_time = selection_started.elapsed();
    // After what can be had without it.
    let (findings, not_repeated) = minimized?;
    let is_sure = |finding: &Finding| finding.confidence(&subject.program) <= settings.min_confidence;
    (engine.findings, engine.less_sure) = findings.into_iter().partition(is_sure);
    engine.findings_not_repeated = not_repeated;
    Ok(())
}

/// What the test of a sequence will assert unless it is told otherwise.
fn assertions(one: &Selected, subject: &Subject, style: &Style) -> Vec<Assertion> {
    let program = &subject.program;
    let Some(class) = program.class_of_sequence(&one.subject()) else { return Vec::new() };
    let case = TestCase::regression(one.sequence.clone(), one.execution.clone());
    let assertions =
        emitter::assertions(&program.targets[class].name, &case, &program.operations, &program.types, style);
    let known = |assertion: emitter::Assertion| {
        let (statement, effort) = (assertion.statement, assertion.effort());
        let is_bare = assertion.is_bare();
        Assertion { statement, effort, is_bare, holds: Box::new(move |value| assertion.holds(value)) }
    };
    assertions.into_iter().map(known).collect()
}

/// Selection compares the runs of the first two workers, and in the end of all: what they disagree on is no ground for a
/// test. So some of them are as on other machines.
pub fn send_elsewhere(executors: &mut [Box<dyn Executor>], launch: &Launch) -> Result<(), SupervisorError> {
    for ((executor, launch), name) in executors.iter_mut().skip(1).zip(launch.elsewhere()).zip(["east", "west"]) {
        *executor = Box::new(WorkerExecutor::start(Arc::new(launch), name)?);
    }
    Ok(())
}

/// One for each shard.
pub fn start_workers(launch: &Arc<Launch>, threads: usize) -> Result<Vec<Box<dyn Executor>>, SupervisorError> {
    let start = |shard: usize| WorkerExecutor::start(launch.clone(), &format!("shard-{shard}"));
    let started: Vec<Result<WorkerExecutor, SupervisorError>> = if threads > 1 {
        std::thread::scope(|scope| {
            let starting: Vec<_> = (0..SHARDS).map(|shard| scope.spawn(move || start(shard))).collect();
            starting.into_iter().map(|thread| thread.join().expect("starting a worker does not panic")).collect()
        })
    } else {
        (0..SHARDS).map(start).collect()
    };
    started.into_iter().map(|executor| executor.map(|executor| Box::new(executor) as Box<dyn Executor>)).collect()
}

fn round_event(standings: &Standings, sequence_limit: Option<u64>, budget: &Budget) -> Event {
    let used = match sequence_limit {
        Some(limit) => (standings.sequences.saturating_mul(1000) / limit.max(1)).min(1000) as u16,
        None => 0,
    };
    Event::RoundFinished {
        sequences: standings.sequences,
        edges: u64::from(standings.covered_edges),
        total_edges: u64::from(standings.edges),
        findings: standings.findings,
        used: used.max(budget.used()),
    }
}

/// No worker could be had, or none any more.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
    #[error(transparent)]
    Executor(#[from] ExecutorError),
}

impl EngineError {
    pub fn is_interrupt(&self) -> bool {
        matches!(
            self,
            EngineError::Supervisor(SupervisorError::Interrupted) | EngineError::Executor(ExecutorError::Interrupted)
        )
    }
}

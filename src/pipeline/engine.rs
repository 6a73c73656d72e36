//! The stages of a run that need workers: search, selection, minimization of findings.

use crate::advisor::Advisor;
use crate::budget::Budget;
use crate::subject::Subject;
use emitter::{self, Style, TestCase};
use host::supervisor::{Launch, SupervisorError, WorkerExecutor};
use model::execution::{Executor, ExecutorError};
use model::options::{Component, Confidence, StateRepresentation};
use model::progress::{Event, Listener, Stage};
use model::seed::Seed;
use oracle::Finding;
use oracle::rules::{RuleHits, UnknownRule};
use search::generator::suite::mutation::{Assertion, MutantSite, Mutation};
use search::generator::suite::{self, MinimizedFindings, Selected, Selection};
use search::generator::{Found, Limits, SHARDS, Search, Standings};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How much later than a sample of the coverage the next one is, so that there are a few hundred however long the search.
const SAMPLE_SPACING: f64 = 1.02;

/// What the workers' stages gave.
pub struct Engine {
    pub found: Found,
    /// How often each finding rule decided, in the search and about its findings.
    pub rule_hits: RuleHits,
    pub selection: Selection,
    /// Minimized.
    pub findings: Vec<Finding>,
    /// The same of those whose confidence is below the threshold of the settings.
    pub below_threshold: Vec<Finding>,
    /// Those that a fresh worker did not show again.
    pub findings_not_repeated: usize,
    /// Why it ended before its limits; what is here was complete by then.
    pub ended_early: Option<EngineError>,
    /// Wall-clock time of the search alone.
    pub search_time: Duration,
    /// As [`Timing::coverage`](report::Timing::coverage) has it.
    pub coverage: Vec<(f64, u64, u32)>,
    /// As [`RunReport::progress`](report::RunReport::progress) has it.
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
    /// Components of the search that are disabled.
    pub disabled: Vec<Component>,
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
        tracing::debug!(
            round = standings.rounds,
            sequences = standings.sequences,
            edges = standings.covered_edges,
            findings = standings.findings,
            "round"
        );
        if standings.rounds.is_multiple_of(4) {
            listener.announce(round_event(standings, settings.sequence_limit, budget));
        }
        budget.search_goes_on() && !interrupt.load(Ordering::Relaxed)
    };
    let search =
        Search::new(subject.judge(), &subject.probes, Seed::root(settings.seed), &settings.disabled, settings.state);
    let search = if settings.disabled.contains(&Component::Symbolic) {
        search
    } else {
        search.advised_by(Box::new(Advisor::new(subject, &launch)))
    };
    let (found, error) = search.run(&mut executors, &limits, &mut go_on);
    let search_time = search_started.elapsed();
    tracing::info!(
        rounds = found.standings.rounds,
        sequences = found.standings.sequences,
        kept = found.kept.len(),
        findings = found.findings.len(),
        "search ended"
    );
    coverage.push((search_time.as_secs_f64(), found.standings.sequences, found.standings.covered_edges));
    progress.push((found.standings.sequences, found.standings.covered_edges.into()));
    progress.dedup();
    let first_sequence_after = launch.first_report.get().map_or(Duration::ZERO, |&at| at - budget.started);
    listener.announce(round_event(&found.standings, settings.sequence_limit, budget));
    let mut engine = Engine {
        rule_hits: found.rule_hits.clone(),
        found,
        selection: Selection::default(),
        findings: Vec::new(),
        below_threshold: Vec::new(),
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
        let stages = Stages { subject, launch: &launch, settings, budget, listener };
        let chosen = stages.choose(&mut engine, &mut executors);
        engine.ended_early = engine.ended_early.or(chosen.err());
    }
    if interrupt.load(Ordering::Relaxed) {
        // What was chosen may be a part, and none of it is verified.
        let ended_early = Some(ExecutorError::Interrupted.into());
        return Ok(Engine { selection: Selection::default(), findings: Vec::new(), ended_early, ..engine });
    }
    Ok(engine)
}

/// What the stages after the search work on.
struct Stages<'a> {
    subject: &'a Subject,
    launch: &'a Launch,
    settings: &'a Settings<'a>,
    budget: &'a Budget,
    listener: &'a dyn Listener,
}

impl Stages<'_> {
    /// From what the search found to the tests and findings worth writing.
    fn choose(&self, engine: &mut Engine, executors: &mut [Box<dyn Executor>]) -> Result<(), EngineError> {
        let Stages { subject, launch, settings, budget, listener } = *self;
        let go_on = || budget.selection_goes_on() && !launch.interrupt.load(Ordering::Relaxed);
        // First, as it takes little and no finding should stay large because choosing tests took all the time; and where they
        // were found.
        let minimization_started = Instant::now();
        listener.announce(Event::StageStarted(Stage::Minimizing));
        let task = suite::Task {
            program: &subject.program,
            probes: &subject.probes,
            threads: settings.threads,
            go_on: &go_on,
        };
        let minimized = suite::minimize_findings(engine.found.findings.clone(), subject.judge(), task, executors);
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
        let mutation = (!settings.disabled.contains(&Component::Mutants)).then_some(&mutation);
        engine.selection = suite::select(&found.kept, task, executors, mutation)?;
        engine.selection_time = selection_started.elapsed();
        // After what can be had without it.
        let MinimizedFindings { findings, not_repeated, rule_hits } = minimized?;
        tracing::info!(findings = findings.len(), not_repeated, unstable = engine.selection.unstable, "tests selected");
        engine.rule_hits.add(&rule_hits);
        for finding in findings {
            let (confidence, rule) = subject.judge().confidence(&finding);
            engine.rule_hits.count(rule);
            let is_reported = confidence <= settings.min_confidence;
            if is_reported { &mut engine.findings } else { &mut engine.below_threshold }.push(finding);
        }
        engine.findings_not_repeated = not_repeated;
        Ok(())
    }
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

/// No worker could be had, or none any more; or the settings name what does not exist.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    #[error("`disabled-rules`: {0}")]
    UnknownRule(#[from] UnknownRule),
}

impl EngineError {
    pub fn is_interrupt(&self) -> bool {
        matches!(
            self,
            EngineError::Supervisor(SupervisorError::Interrupted) | EngineError::Executor(ExecutorError::Interrupted)
        )
    }
}

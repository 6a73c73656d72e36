//! The stages of a run that need workers: search, selection, minimization of findings.

use crate::budget::Budget;
use crate::concolic::BranchSolver;
use crate::endless;
use crate::spent::{Spent, Stopwatch};
use crate::subject::Subject;
use emitter::{self, Style, TestCase};
use host::supervisor::{Launch, SupervisorError, WorkerExecutor};
use model::execution::{Defaults, Detail, Executor, ExecutorError, Thrown};
use model::options::{Access, Component, Confidence, ImplicitExceptions, StateRepresentation};
use model::progress::{Event, Listener, Stage};
use model::seed::Seed;
use model::sequence::Sequence;
use oracle::Finding;
use oracle::rules::{RuleHits, UnknownRule};
use program::Program;
use rustc_hash::FxHashSet;
use search::generator::suite::mutation::{Assertion, MutantSite, MutationAnalysis};
use search::generator::suite::{self, Held, MinimizedFindings, Selection, TestCandidate};
use search::generator::{SHARDS, Search, SearchLimits, SearchResult, SearchStatistics, Vocabulary};
use search::spelling::{Speller, SpellingExecutor};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Factor between the times of two coverage samples, so that there are a few hundred for any length of the search.
const SAMPLE_SPACING: f64 = 1.02;
/// Sequences that a worker is given at once.
const BATCH: usize = 128;
/// The workers that selection runs in perturbed environments.
const PERTURBED: RangeInclusive<usize> = 1..=2;

/// The results of the workers' stages.
pub struct Engine {
    /// The result of the search.
    pub result: SearchResult,
    /// How often each finding rule decided, in the search and about its findings.
    pub rule_hits: RuleHits,
    /// The tests.
    pub selection: Selection,
    /// Minimized.
    pub findings: Vec<Finding>,
    /// Minimized findings whose confidence is below the threshold of the settings.
    pub below_threshold: Vec<Finding>,
    /// Findings that a fresh worker did not reproduce.
    pub findings_not_repeated: usize,
    /// Why the run ended before its limits; the other results were complete by then.
    pub ended_early: Option<EngineError>,
    /// What the search alone took.
    pub search_time: Spent,
    /// As [`Timing::coverage`](report::Timing::coverage) has it.
    pub coverage: Vec<(f64, u64, u32)>,
    /// As [`RunReport::progress`](report::RunReport::progress) has it.
    pub progress: Vec<(u64, u64)>,
    /// From the start of the run to the first execution.
    pub first_sequence_after: Duration,
    /// What the selection of tests took.
    pub selection_time: Spent,
    /// What the minimization of findings took.
    pub minimization_time: Spent,
}

/// Settings of the workers' stages.
pub struct Settings<'a> {
    /// Seed of the search.
    pub seed: u64,
    /// Sequences after which the search ends.
    pub sequence_limit: Option<u64>,
    /// Components of the search that are disabled.
    pub disabled: Vec<Component>,
    /// State abstraction of the pool.
    pub state: StateRepresentation,
    /// Threads that drive workers.
    pub threads: usize,
    /// Least confidence of the findings that get a test.
    pub min_confidence: Confidence,
    /// Which members the tests use.
    pub access: Access,
    /// Whether tests expect exceptions that nobody throws on purpose.
    pub implicit_exceptions: ImplicitExceptions,
    /// What the tests of earlier runs reach.
    pub held: &'a Held,
    /// Style of the tests, which decides what they can assert.
    pub style: &'a Style,
}

/// Runs the stages; only starting them can fail. After an interrupt nothing is selected, and only the results of the search
/// are reported. If workers become unavailable later, the stages continue as far as they can with what was found until
/// then.
pub fn run(
    subject: &Subject,
    launch: Launch,
    settings: &Settings,
    budget: &Budget,
    listener: &dyn Listener,
) -> Result<Engine, EngineError> {
    let launch = Arc::new(launch);
    listener.announce(Event::StageStarted(Stage::Generating));
    let mut executors = start_workers(&launch, settings.threads)?;
    let stages = Stages { subject, launch: &launch, settings, budget, listener };
    let (mut engine, vocabulary) = stages.search(&mut executors);
    if !stages.is_interrupted() {
        let selected = stages.select(&mut engine, &vocabulary, executors);
        engine.ended_early = engine.ended_early.or(selected.err());
    }
    if stages.is_interrupted() {
        // The selection may be incomplete, and none of it is verified.
        let ended_early = Some(ExecutorError::Interrupted.into());
        return Ok(Engine { selection: Selection::default(), findings: Vec::new(), ended_early, ..engine });
    }
    Ok(engine)
}

/// What all stages use.
struct Stages<'a> {
    subject: &'a Subject,
    launch: &'a Arc<Launch>,
    settings: &'a Settings<'a>,
    budget: &'a Budget,
    listener: &'a dyn Listener,
}

/// Samples of the coverage during a search: the interval between them grows with the search.
struct CoverageSamples {
    search_started: Instant,
    /// Seconds, sequences, covered edges.
    by_time: Vec<(f64, u64, u32)>,
    /// Sequences, covered edges.
    by_sequences: Vec<(u64, u64)>,
}

impl CoverageSamples {
    fn start() -> CoverageSamples {
        CoverageSamples { search_started: Instant::now(), by_time: Vec::new(), by_sequences: Vec::new() }
    }

    /// Adds samples if edges were covered and enough time passed, or sequences ran, since the last ones.
    fn note(&mut self, statistics: &SearchStatistics) {
        let elapsed = self.search_started.elapsed().as_secs_f64();
        let is_time_due =
            |&(at, _, edges): &(f64, u64, u32)| statistics.covered_edges > edges && elapsed >= at * SAMPLE_SPACING;
        if self.by_time.last().is_none_or(is_time_due) {
            self.by_time.push((elapsed, statistics.sequences, statistics.covered_edges));
        }
        let are_sequences_due = |&(sequences, edges): &(u64, u64)| {
            u64::from(statistics.covered_edges) > edges
                && statistics.sequences as f64 >= sequences as f64 * SAMPLE_SPACING
        };
        if self.by_sequences.last().is_none_or(are_sequences_due) {
            self.by_sequences.push((statistics.sequences, statistics.covered_edges.into()));
        }
    }

    /// Adds the last samples, those of the search's end.
    fn finish(&mut self, search_time: Duration, statistics: &SearchStatistics) {
        self.by_time.push((search_time.as_secs_f64(), statistics.sequences, statistics.covered_edges));
        self.by_sequences.push((statistics.sequences, statistics.covered_edges.into()));
        self.by_sequences.dedup();
    }
}

impl Stages<'_> {
    fn is_interrupted(&self) -> bool {
        self.launch.interrupt.load(Ordering::Relaxed)
    }

    /// Searches within the budget; nothing is selected yet.
    fn search(&self, executors: &mut [Box<dyn Executor>]) -> (Engine, Vocabulary<'_>) {
        let Stages { subject, launch, settings, budget, listener } = *self;
        let (stopwatch, mut samples) = (Stopwatch::start(), CoverageSamples::start());
        let limits = SearchLimits { sequences: settings.sequence_limit, threads: settings.threads };
        let mut should_continue = |statistics: &SearchStatistics| {
            samples.note(statistics);
            tracing::debug!(
                round = statistics.rounds,
                sequences = statistics.sequences,
                edges = statistics.covered_edges,
                findings = statistics.findings,
                "round"
            );
            if statistics.rounds.is_multiple_of(4) {
                listener.announce(round_event(statistics, settings.sequence_limit, budget));
            }
            // So many sequences are wanted, whatever they bring.
            let is_done = settings.sequence_limit.is_none() && statistics.is_saturated;
            budget.should_continue_search(statistics.archived) && !is_done && !self.is_interrupted()
        };
        let search = Search::new(
            subject.judge(),
            &subject.probes,
            Seed::root(settings.seed),
            &settings.disabled,
            settings.state,
        )
        .with_access(settings.access);
        let search = if settings.disabled.contains(&Component::Symbolic) {
            search
        } else {
            search.with_concolic_seeds(Box::new(BranchSolver::new(subject, launch)))
        };
        let (result, vocabulary, error) = search.run(executors, &limits, &mut should_continue);
        let search_time = stopwatch.spent();
        tracing::info!(
            rounds = result.statistics.rounds,
            sequences = result.statistics.sequences,
            archived = result.archive.len(),
            findings = result.findings.len(),
            "search ended"
        );
        samples.finish(search_time.time, &result.statistics);
        let first_sequence_after = launch.first_report.get().map_or(Duration::ZERO, |&at| at - budget.started);
        listener.announce(round_event(&result.statistics, settings.sequence_limit, budget));
        let engine = Engine {
            rule_hits: result.rule_hits.clone(),
            result,
            selection: Selection::default(),
            findings: Vec::new(),
            below_threshold: Vec::new(),
            findings_not_repeated: 0,
            ended_early: error.map(EngineError::from),
            search_time,
            coverage: samples.by_time,
            progress: samples.by_sequences,
            first_sequence_after,
            selection_time: Spent::default(),
            minimization_time: Spent::default(),
        };
        (engine, vocabulary)
    }

    /// Minimizes the findings, and selects the tests that are worth writing.
    fn select(
        &self,
        engine: &mut Engine,
        vocabulary: &Vocabulary,
        mut executors: Vec<Box<dyn Executor>>,
    ) -> Result<(), EngineError> {
        let Stages { subject, launch, settings, listener, .. } = *self;
        let budget = self.budget.after_search(engine.result.archive.len());
        let should_continue = || budget.should_continue_selection() && !self.is_interrupted();
        // Findings come first: minimizing them takes little, it must not fail because selection used up the time, and it
        // runs in the environment in which they were found.
        let minimizing = Stopwatch::start();
        listener.announce(Event::StageStarted(Stage::Minimizing));
        let task = suite::SelectionTask {
            program: &subject.program,
            probes: &subject.probes,
            threads: settings.threads,
            implicit_exceptions: settings.implicit_exceptions,
            access: settings.access,
            held: settings.held,
            observed_for_goal: budget.observed_for_goal(engine.result.archive.len()),
            should_continue: &should_continue,
        };
        let minimized = suite::minimize_findings(engine.result.findings.clone(), subject.judge(), task, &mut executors);
        let endless = endless::find(&engine.result.endless, subject.judge(), task, launch, &budget);
        engine.minimization_time = minimizing.spent();
        let selecting = Stopwatch::start();
        listener.announce(Event::StageStarted(Stage::Observing));
        perturb_environments(&mut executors, launch, settings.threads)?;
        let mut executors = spelling(executors, &subject.program);
        let result = &engine.result;
        let sites: Vec<MutantSite> = subject.mutants.iter().map(|mutant| mutant.site.clone()).collect();
        let mutation = MutationAnalysis {
            sites: &sites,
            samples: &result.samples,
            vocabulary,
            assertions: &|one| assertions(one, subject, settings.style),
            asserts_message: &|thrown| asserts_message(thrown, subject),
            should_begin: &|| budget.should_begin_mutation(),
            should_continue: &|| budget.should_continue_mutation() && !self.is_interrupted(),
            should_find_all_kills: &|| budget.should_find_all_kills() && !self.is_interrupted(),
            should_add: &|| budget.should_continue_addition() && !self.is_interrupted(),
            should_detach: &|| budget.should_continue_detachment() && !self.is_interrupted(),
            should_continue_search: &|| budget.should_continue_directed_search() && !self.is_interrupted(),
            is_search_timed: budget.end.is_some() && settings.sequence_limit.is_none(),
        };
        let mutation = (!settings.disabled.contains(&Component::Mutants)).then_some(&mutation);
        engine.selection = suite::select(&result.archive, task, &mut executors, mutation)?;
        let selected = &mut engine.selection.tests;
        // It takes less than the rounds of verification that leave out what it would have found.
        let defaults = find_defaults(selected, launch, settings.threads, &|| !self.is_interrupted());
        engine.selection_time = selecting.spent();
        // An error of the minimization is returned only now, so that tests are selected all the same.
        let MinimizedFindings { findings, not_repeated, rule_hits } = minimized?.and(endless?);
        tracing::info!(findings = findings.len(), not_repeated, unstable = engine.selection.unstable, "tests selected");
        if mutation.is_some() {
            log_survivors(subject, &engine.selection);
        }
        engine.rule_hits.add(&rule_hits);
        for finding in findings {
            let (confidence, rule) = subject.judge().confidence(&finding);
            engine.rule_hits.count(rule);
            // The surest is the least.
            let is_reported = confidence <= settings.min_confidence;
            if is_reported { &mut engine.findings } else { &mut engine.below_threshold }.push(finding);
        }
        engine.findings_not_repeated = not_repeated;
        defaults
    }
}

/// Logs each mutant that no selected test kills, and whether it was run.
fn log_survivors(subject: &Subject, selection: &Selection) {
    let killed: FxHashSet<u32> = selection.tests.iter().flat_map(|one| one.kills.keys()).copied().collect();
    for (number, mutant) in (0..).zip(&subject.mutants).filter(|(number, _)| !killed.contains(number)) {
        tracing::debug!(
            class = %mutant.class.binary(),
            method = %mutant.method.0,
            line = mutant.line,
            mutator = mutant.site.mutant.mutator.name(),
            was_run = selection.tried.contains(&number),
            "mutant survives"
        );
    }
}

/// The assertions that the test of a sequence has by default.
fn assertions(one: &TestCandidate, subject: &Subject, style: &Style) -> Vec<Assertion> {
    let program = &subject.program;
    let Some(class) = program.class_of_sequence(&one.subject()) else { return Vec::new() };
    let case = TestCase::regression(one.sequence.clone(), one.execution.clone());
    let case = TestCase { observers: one.observers, ..case };
    let assertions =
        emitter::assertions(&program.targets[class].name, &case, &program.operations, &program.types, style);
    let known = |assertion: emitter::Assertion| {
        let (statement, effort) = (assertion.statement, assertion.effort());
        let is_bare = assertion.is_bare();
        Assertion { statement, effort, is_bare, holds: Box::new(move |value| assertion.holds(value)) }
    };
    assertions.into_iter().map(known).collect()
}

/// Whether a test that ends with the exception asserts its message.
fn asserts_message(thrown: &Thrown, subject: &Subject) -> bool {
    emitter::is_message_asserted(thrown) && oracle::has_own_message(thrown, &subject.program)
}

/// Restarts two of the workers in perturbed environments. Selection compares the runs of the first two workers, and finally
/// of all: tests must not depend on anything on which they disagree. The default locale and time zone stay, as a test can
/// set those ([`find_defaults`]).
pub fn perturb_environments(
    executors: &mut [Box<dyn Executor>],
    launch: &Launch,
    threads: usize,
) -> Result<(), SupervisorError> {
    let perturbed = (1..).zip(launch.perturbed(Defaults::NONE));
    let perturbed = perturbed.map(|(number, launch)| (Arc::new(launch), format!("perturbed-{number}")));
    let places = executors.iter_mut().skip(*PERTURBED.start());
    places.zip(start_each(perturbed.collect(), threads)?).for_each(|(place, started)| *place = started);
    Ok(())
}

/// Finds out which tests depend on the default locale or time zone: they have other values or end in another way where these
/// are others. After an interrupt nothing more is found.
pub fn find_defaults(
    tests: &mut [TestCandidate],
    launch: &Launch,
    threads: usize,
    should_continue: &(dyn Fn() -> bool + Sync),
) -> Result<(), EngineError> {
    let dependent = |tests: &[&TestCandidate], of: Defaults| {
        let mut dependent = vec![false; tests.len()];
        if tests.is_empty() || !should_continue() {
            return Ok(dependent);
        }
        let workers = (1..).zip(launch.with_other_defaults(of));
        let workers = workers.map(|(number, launch)| (Arc::new(launch), format!("defaults-{number}")));
        let changed = |executor: Box<dyn Executor>| changed(tests, executor, should_continue);
        let executors = start_each(workers.collect(), threads)?;
        let found: Vec<Result<Vec<bool>, ExecutorError>> = if threads > 1 {
            std::thread::scope(|scope| {
                let running: Vec<_> = executors.into_iter().map(|one| scope.spawn(move || changed(one))).collect();
                running.into_iter().map(|thread| thread.join().expect("running tests does not panic")).collect()
            })
        } else {
            executors.into_iter().map(changed).collect()
        };
        for found in found {
            dependent.iter_mut().zip(found?).for_each(|(dependent, changed)| *dependent |= changed);
        }
        Ok::<Vec<bool>, EngineError>(dependent)
    };
    let all: Vec<&TestCandidate> = tests.iter().collect();
    let found = dependent(&all, Defaults::ALL)?;
    let suspects: Vec<usize> = (0..tests.len()).filter(|at| found[*at]).collect();
    let all: Vec<&TestCandidate> = suspects.iter().map(|at| &tests[*at]).collect();
    let on_locale = dependent(&all, Defaults { locale: true, ..Defaults::NONE })?;
    let on_time_zone = dependent(&all, Defaults { time_zone: true, ..Defaults::NONE })?;
    for (at, (locale, time_zone)) in suspects.into_iter().zip(on_locale.into_iter().zip(on_time_zone)) {
        // What neither of them changes alone needs both.
        let needs_both = !locale && !time_zone;
        tests[at].defaults = if needs_both { Defaults::ALL } else { Defaults { locale, time_zone } };
    }
    Ok(())
}

/// Which of the tests the executor runs with another outcome.
fn changed(
    tests: &[&TestCandidate],
    mut executor: Box<dyn Executor>,
    should_continue: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<bool>, ExecutorError> {
    let mut changed = vec![false; tests.len()];
    for (changed, tests) in changed.chunks_mut(BATCH).zip(tests.chunks(BATCH)) {
        if should_continue() {
            let sequences: Vec<Sequence> = tests.iter().map(|one| one.sequence.clone()).collect();
            let runs = executor.execute(&sequences, Detail::Observe)?;
            changed
                .iter_mut()
                .zip(tests.iter().zip(runs))
                .for_each(|(changed, (one, run))| *changed = one.is_changed(&run));
        }
    }
    Ok(changed)
}

/// The executors, of which those in the environment of the search find out how observed objects are written down.
fn spelling(executors: Vec<Box<dyn Executor>>, program: &Program) -> Vec<Box<dyn Executor>> {
    let speller = Arc::new(Speller::new(program));
    let with_spelling = |(at, executor)| match at {
        at if PERTURBED.contains(&at) => executor,
        _ => Box::new(SpellingExecutor::new(executor, speller.clone())) as Box<dyn Executor>,
    };
    executors.into_iter().enumerate().map(with_spelling).collect()
}

/// Starts a worker for each shard.
pub fn start_workers(launch: &Arc<Launch>, threads: usize) -> Result<Vec<Box<dyn Executor>>, SupervisorError> {
    start_each((0..SHARDS).map(|shard| (launch.clone(), format!("shard-{shard}"))).collect(), threads)
}

/// Starts workers with these names, at the same time unless there is to be one thread.
fn start_each(workers: Vec<(Arc<Launch>, String)>, threads: usize) -> Result<Vec<Box<dyn Executor>>, SupervisorError> {
    let start = |(launch, name): (Arc<Launch>, String)| WorkerExecutor::start(launch, &name);
    let started: Vec<Result<WorkerExecutor, SupervisorError>> = if threads > 1 {
        std::thread::scope(|scope| {
            let starting: Vec<_> = workers.into_iter().map(|worker| scope.spawn(move || start(worker))).collect();
            starting.into_iter().map(|thread| thread.join().expect("starting a worker does not panic")).collect()
        })
    } else {
        workers.into_iter().map(start).collect()
    };
    started.into_iter().map(|executor| executor.map(|executor| Box::new(executor) as Box<dyn Executor>)).collect()
}

fn round_event(statistics: &SearchStatistics, sequence_limit: Option<u64>, budget: &Budget) -> Event {
    let used = match sequence_limit {
        Some(limit) => (statistics.sequences.saturating_mul(1000) / limit.max(1)).min(1000) as u16,
        None => 0,
    };
    Event::RoundFinished {
        sequences: statistics.sequences,
        edges: u64::from(statistics.covered_edges),
        total_edges: u64::from(statistics.edges),
        findings: statistics.findings,
        used: used.max(budget.used(statistics.archived)),
    }
}

/// Why workers are not available, or the settings are wrong.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// No worker could be started.
    #[error(transparent)]
    Supervisor(#[from] SupervisorError),
    /// Workers could be had no more while sequences ran.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// A setting names a finding rule that does not exist.
    #[error("`disabled-rules`: {0}")]
    UnknownRule(#[from] UnknownRule),
}

impl EngineError {
    /// Whether the user ended the run, so that nothing is wrong with workers or settings.
    pub fn is_interrupt(&self) -> bool {
        matches!(
            self,
            EngineError::Supervisor(SupervisorError::Interrupted) | EngineError::Executor(ExecutorError::Interrupted)
        )
    }
}

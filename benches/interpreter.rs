//! Whether the interpreter of symbolic exploration does what the JVM does: the sequences that a search runs, run by both.
//!
//! `cargo bench --bench interpreter -- JAR [DEPENDENCY.jar...] [--sequences=N]`, with `JAVA_HOME` set. Prints how many
//! sequences both ran to the same end with the same values, what the interpreter left alone and why, and the differences;
//! fails if there is one.

use host::classpath::{ClassPath, Jdk};
use host::supervisor::{ClassReader, Launch, WorkerExecutor};
use model::execution::{Detail, Execution, Executor, ExecutorError, Outcome};
use model::jvm::ClassName;
use model::options::{Options, StateRepresentation};
use model::seed::Seed;
use model::sequence::Sequence;
use pipeline::subject::{self, Source, Subject};
use search::generator::{SHARDS, Search, SearchLimits};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use symbolic::classes::Classes;
use symbolic::interpreter::InterpreterWorld;
use symbolic::replay::{self, ReplayEnd};
use symbolic::solver::{NoSolver, Oracle};

/// Sequences per message.
const BATCH: usize = 500;

/// Instructions of one sequence; what needs more is left alone.
const STEPS: u64 = 2_000_000;

/// Differences that are shown.
const SHOWN: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(code) = worker::args::run_if_asked(std::env::args_os()) {
        // The search's workers are this program again.
        return code;
    }
    let jars: Vec<PathBuf> = arguments.iter().filter(|it| !it.starts_with("--")).map(PathBuf::from).collect();
    let sequences = arguments.iter().find_map(|argument| argument.strip_prefix("--sequences="));
    if jars.is_empty() {
        println!("skipped: give a jar or a directory of classes, and JAVA_HOME");
        return ExitCode::SUCCESS;
    }
    match compare(&jars, sequences.unwrap_or("20000")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(jars: &[PathBuf], sequences: &str) -> Result<bool, Box<dyn Error>> {
    let jdk = Jdk::discover(std::env::var_os("JAVA_HOME").as_deref(), None)?;
    let classes = ClassPath::open(&jars[..1], &jars[1..], jdk.feature_version)?.read_own()?.into_iter().collect();
    let scratch = tempfile::tempdir()?;
    let options = Options::resolve(&[]);
    let (level, class_path) = (jdk.feature_version, jars.to_vec());
    let source = Source { classes: &classes, beside: &BTreeMap::new(), tests: &BTreeMap::new(), level, class_path };
    let (subject, launch) = subject::open(source, &options, &jdk, scratch.path(), &Arc::default())?;

    let launch = Arc::new(launch);
    let recorded = searched_sequences(&subject, &launch, options.state_abstraction, sequences.parse()?)?;

    let mut reader = ClassReader::open(&launch)?;
    let mut broken = None;
    let source = |name: &ClassName| {
        let read = reader.read(std::slice::from_ref(name));
        read.map_err(|error| broken = Some(error)).ok()?.pop()?
    };
    let mut world = InterpreterWorld::new(Classes::new(source));
    let mut agreement = Agreement::default();
    let mut worker = WorkerExecutor::start(launch.clone(), "again")?;
    let mut alone = WorkerExecutor::start(launch, "alone")?;
    for batch in recorded.chunks(BATCH) {
        let begun = Instant::now();
        let executions = worker.execute(batch, Detail::Observe)?;
        agreement.worker += begun.elapsed();
        for (sequence, execution) in batch.iter().zip(executions) {
            // What depends on the clock or on identity hashes, or was ended from outside, says nothing.
            let is_program = matches!(execution.outcome, Outcome::Completed | Outcome::Threw { .. });
            if execution.environment_dependent || !is_program {
                agreement.apart += 1;
                continue;
            }
            let begun = Instant::now();
            let operations = &subject.program.operations;
            let replayed =
                replay::replay(&mut world, &mut Oracle::new(&mut NoSolver), operations, sequence, None, STEPS);
            agreement.interpreter += begun.elapsed();
            if replay::difference(&replayed, &execution).is_none() {
                match replayed.end {
                    ReplayEnd::Stopped(stop) => *agreement.stopped.entry(stop.to_string()).or_default() += 1,
                    _ => agreement.same += 1,
                }
                continue;
            }
            // Sequences before it may have left something, such as other elements in an array that a constant holds.
            alone.restart()?;
            let execution = alone.execute(std::slice::from_ref(sequence), Detail::Observe)?.remove(0);
            if let Some(difference) = replay::difference(&replayed, &execution) {
                agreement.differing += 1;
                if agreement.differing <= SHOWN {
                    println!("{}\n  {difference}", sequence.describe(operations));
                }
            } else {
                agreement.apart += 1;
            }
        }
    }
    agreement.print(recorded.len());
    Ok(agreement.differing == 0)
}

/// The sequences that a search executes on the subject, in the order of execution.
fn searched_sequences(
    subject: &Subject,
    launch: &Arc<Launch>,
    state_abstraction: StateRepresentation,
    limit: u64,
) -> Result<Vec<Sequence>, Box<dyn Error>> {
    let recorded = Arc::default();
    let mut executors: Vec<Box<dyn Executor>> = Vec::new();
    for shard in 0..SHARDS {
        let worker = WorkerExecutor::start(launch.clone(), &format!("search{shard}"))?;
        executors.push(Box::new(Recording(worker, Arc::clone(&recorded))));
    }
    let judge = oracle::Judge::new(&subject.program, &[]);
    let search = Search::new(judge, &subject.probes, Seed::root(1), &[], state_abstraction);
    let limits = SearchLimits { sequences: Some(limit), threads: 1 };
    let (.., failed) = search.run(&mut executors, &limits, &mut |_| true);
    drop(executors);
    if let Some(failed) = failed {
        return Err(failed.into());
    }
    let recorded = std::mem::take(&mut *recorded.lock().map_err(|_| "the search panicked")?);
    Ok(recorded)
}

/// How often interpreter and worker agree, and how long each took.
#[derive(Default)]
struct Agreement {
    same: u64,
    differing: usize,
    /// Sequences that cannot be compared: they depend on the clock, or on what ran before.
    apart: u64,
    /// Sequences that the interpreter gave up, by the reason.
    stopped: BTreeMap<String, u64>,
    interpreter: Duration,
    worker: Duration,
}

impl Agreement {
    fn print(&self, sequences: usize) {
        let Agreement { same, differing, apart, stopped, interpreter, worker } = self;
        let left_alone: u64 = stopped.values().sum();
        println!(
            "{sequences} sequences: {same} the same, {differing} differ, {left_alone} not interpreted, {apart} of no use"
        );
        let mut stopped: Vec<_> = stopped.iter().collect();
        stopped.sort_by_key(|&(why, times)| (std::cmp::Reverse(*times), why));
        stopped.iter().take(SHOWN).for_each(|(why, times)| println!("  {times} {why}"));
        println!("interpreter {interpreter:.1?}, worker {worker:.1?}");
    }
}

/// Keeps what it hands on.
struct Recording(WorkerExecutor, Arc<Mutex<Vec<Sequence>>>);

impl Executor for Recording {
    fn execute(&mut self, sequences: &[Sequence], detail: Detail) -> Result<Vec<Execution>, ExecutorError> {
        self.1.lock().expect("nobody panics holding it").extend_from_slice(sequences);
        self.0.execute(sequences, detail)
    }

    fn restart(&mut self) -> Result<(), ExecutorError> {
        self.0.restart()
    }
}

//! Whether the interpreter of symbolic exploration does what the JVM does: the sequences that a search runs, run by both.
//!
//! `cargo bench --bench interpreter -- JAR [DEPENDENCY.jar...] [--sequences=N]`, with `JAVA_HOME` set. Prints how many
//! sequences both ran to the same end with the same values, what the interpreter left alone and why, and the differences;
//! fails if there is one.

use host::classpath::{ClassPath, Jdk};
use host::supervisor::{ClassReader, WorkerExecutor};
use model::execution::{Detail, Execution, Executor, ExecutorError, Outcome};
use model::jvm::ClassName;
use model::options::Options;
use model::seed::Seed;
use model::sequence::Sequence;
use pipeline::subject::{self, Source};
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
    let source = Source { classes: &classes, tests: &BTreeMap::new(), level, class_path };
    let (subject, launch) = subject::open(source, &options, &jdk, scratch.path(), &Arc::default())?;

    let recorded = Arc::default();
    let launch = Arc::new(launch);
    let mut executors: Vec<Box<dyn Executor>> = Vec::new();
    for shard in 0..SHARDS {
        let worker = WorkerExecutor::start(launch.clone(), &format!("search{shard}"))?;
        executors.push(Box::new(Recording(worker, Arc::clone(&recorded))));
    }
    let search = Search::new(
        oracle::Judge::new(&subject.program, &[]),
        &subject.probes,
        Seed::root(1),
        &[],
        options.state_abstraction,
    );
    let limits = SearchLimits { sequences: Some(sequences.parse()?), threads: 1 };
    let (_, failed) = search.run(&mut executors, &limits, &mut |_| true);
    drop(executors);
    if let Some(failed) = failed {
        return Err(failed.into());
    }
    let recorded: Vec<Sequence> = std::mem::take(&mut *recorded.lock().map_err(|_| "the search panicked")?);

    let mut reader = ClassReader::open(&launch)?;
    let mut broken = None;
    let source = |name: &ClassName| {
        let read = reader.read(std::slice::from_ref(name));
        read.map_err(|error| broken = Some(error)).ok()?.pop()?
    };
    let mut world = InterpreterWorld::new(Classes::new(source));
    let (mut same, mut differing, mut apart) = (0u64, 0usize, 0u64);
    let mut stopped: BTreeMap<String, u64> = BTreeMap::new();
    let (mut here, mut there) = (Duration::ZERO, Duration::ZERO);
    let mut worker = WorkerExecutor::start(launch.clone(), "again")?;
    let mut alone = WorkerExecutor::start(launch, "alone")?;
    for batch in recorded.chunks(BATCH) {
        let begun = Instant::now();
        let executions = worker.execute(batch, Detail::Observe)?;
        there += begun.elapsed();
        for (sequence, execution) in batch.iter().zip(executions) {
            // What depends on the clock or on identity hashes, or was ended from outside, says nothing.
            let is_program = matches!(execution.outcome, Outcome::Completed | Outcome::Threw { .. });
            if execution.environment_dependent || !is_program {
                apart += 1;
                continue;
            }
            let begun = Instant::now();
            let operations = &subject.program.operations;
            let replayed =
                replay::replay(&mut world, &mut Oracle::new(&mut NoSolver), operations, sequence, None, STEPS);
            here += begun.elapsed();
            if replay::difference(&replayed, &execution).is_none() {
                match replayed.end {
                    ReplayEnd::Stopped(stop) => *stopped.entry(stop.to_string()).or_default() += 1,
                    _ => same += 1,
                }
                continue;
            }
            // Sequences before it may have left something, such as other elements in an array that a constant holds.
            alone.restart()?;
            let execution = alone.execute(std::slice::from_ref(sequence), Detail::Observe)?.remove(0);
            if let Some(difference) = replay::difference(&replayed, &execution) {
                differing += 1;
                if differing <= SHOWN {
                    println!("{}\n  {difference}", sequence.describe(operations));
                }
            } else {
                apart += 1;
            }
        }
    }
    let left_alone: u64 = stopped.values().sum();
    println!(
        "{} sequences: {same} the same, {differing} differ, {left_alone} not interpreted, {apart} of no use",
        recorded.len()
    );
    let mut stopped: Vec<_> = stopped.into_iter().collect();
    stopped.sort_by_key(|(why, times)| (std::cmp::Reverse(*times), why.clone()));
    stopped.iter().take(SHOWN).for_each(|(why, times)| println!("  {times} {why}"));
    println!("interpreter {here:.1?}, worker {there:.1?}");
    Ok(differing == 0)
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

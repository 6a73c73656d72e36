//! What fingerprints of states cost: the sequences that a search runs, run once more with and without them.
//!
//! `cargo bench --bench states -- JAR [DEPENDENCY.jar...] [--sequences=N] [--state-abstraction=NAME]`, with `JAVA_HOME` set, searches
//! the jar's classes and then hands what the search's first shard ran to fresh workers, in turn with fingerprints and
//! without. Prints the CPU time of the thread that runs sequences, and the fingerprints' share of it. Their share of the
//! whole search is smaller, as that has a supervisor too.

use host::classpath::{ClassPath, Jdk};
use host::supervisor::{Launch, WorkerExecutor};
use model::execution::{Detail, Execution, Executor, ExecutorError};
use model::options::{Options, SettingValue as _, StateRepresentation};
use model::seed::Seed;
use model::sequence::Sequence;
use pipeline::subject::{self, Source};
use protocol::setup::State;
use search::generator::{SHARDS, Search, SearchLimits};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// Sequences per message.
const BATCH: usize = 500;

/// Runs of each kind.
const RUNS: usize = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(code) = worker::args::run_if_asked(std::env::args_os()) {
        // The search's workers are this program again.
        return code;
    }
    let jars: Vec<PathBuf> = arguments.iter().filter(|it| it.ends_with(".jar")).map(PathBuf::from).collect();
    let flag = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name));
    if jars.is_empty() {
        println!("skipped: give a jar, and JAVA_HOME");
        return ExitCode::SUCCESS;
    }
    match measure(&jars, flag("--sequences=").unwrap_or("20000"), flag("--state-abstraction=").unwrap_or("whole-state"))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(jars: &[PathBuf], sequences: &str, state: &str) -> Result<(), Box<dyn Error>> {
    let jdk = Jdk::discover(std::env::var_os("JAVA_HOME").as_deref(), None)?;
    let classes = ClassPath::open(&jars[..1], &jars[1..], jdk.feature_version)?.read_own()?.into_iter().collect();
    let scratch = tempfile::tempdir()?;
    let known = StateRepresentation::ALL.into_iter().find(|representation| representation.show() == state);
    let mut options = Options::resolve(&[]);
    options.state_abstraction = known.ok_or("no such state")?;
    let (subject, launch) = subject::open(
        Source {
            classes: &classes,
            beside: &BTreeMap::new(),
            tests: &BTreeMap::new(),
            level: jdk.feature_version,
            class_path: jars.to_vec(),
        },
        &options,
        &jdk,
        scratch.path(),
        &Arc::default(),
    )?;

    let recorded = Arc::default();
    let shared = Arc::new(launch.clone());
    let mut executors: Vec<Box<dyn Executor>> = Vec::new();
    for shard in 0..SHARDS {
        let worker = WorkerExecutor::start(shared.clone(), &format!("search{shard}"))?;
        executors.push(if shard == 0 { Box::new(Recording(worker, Arc::clone(&recorded))) } else { Box::new(worker) });
    }
    let search = Search::new(
        oracle::Judge::new(&subject.program, &[]),
        &subject.probes,
        Seed::root(1),
        &[],
        options.state_abstraction,
    );
    let limits = SearchLimits { sequences: Some(sequences.parse()?), threads: SHARDS };
    let (found, _, failed) = search.run(&mut executors, &limits, &mut |_| true);
    drop(executors);
    if let Some(failed) = failed {
        return Err(failed.into());
    }
    let recorded = std::mem::take(&mut *recorded.lock().map_err(|_| "the search panicked")?);
    println!("{} sequences searched, {} of them run again", found.statistics.sequences, recorded.len());

    let mut without = launch.clone();
    without.state = State::None;
    let (mut total_with, mut total_without) = (0.0, 0.0);
    for _ in 0..RUNS {
        let (with, without) = (run_again(&launch, &recorded)?, run_again(&without, &recorded)?);
        println!("with {with:.1} µs a sequence, without {without:.1}: {:.1} %", 100.0 * (1.0 - without / with));
        total_with += with;
        total_without += without;
    }
    println!("fingerprints of {state}: {:.1} % of the worker's time", 100.0 * (1.0 - total_without / total_with));
    Ok(())
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

/// Microseconds of CPU that a fresh worker takes for each.
fn run_again(launch: &Launch, sequences: &[Sequence]) -> Result<f64, Box<dyn Error>> {
    let mut executor = WorkerExecutor::start(Arc::new(launch.clone()), "again")?;
    let mut nanoseconds = 0;
    for batch in sequences.chunks(BATCH) {
        let (worker, before) = (executor.worker_id(), on_cpu(&executor));
        executor.execute(batch, Detail::Search)?;
        // Of a worker that was replaced meanwhile the part before that is lost, with fingerprints and without.
        nanoseconds += on_cpu(&executor) - if executor.worker_id() == worker { before } else { 0 };
    }
    Ok(nanoseconds as f64 / 1000.0 / sequences.len().max(1) as f64)
}

/// Nanoseconds that the thread which runs sequences was on a processor; the process's first thread only waits for it.
fn on_cpu(executor: &WorkerExecutor) -> u64 {
    let directory = executor.worker_id().map(|id| format!("/proc/{id}/task")).unwrap_or_default();
    let read = |task: &std::fs::DirEntry, file| std::fs::read_to_string(task.path().join(file)).unwrap_or_default();
    let tasks = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let runner = tasks.filter(|task| read(task, "comm").trim() == "main");
    runner.filter_map(|task| read(&task, "schedstat").split(' ').next()?.parse::<u64>().ok()).sum()
}

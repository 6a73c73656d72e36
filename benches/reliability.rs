//! What hostile code costs: how late a worker that hangs is ended, how soon the next one is there, and what thousands of
//! deaths leave behind.
//!
//! `cargo bench --bench reliability -- CLASSES [--times=N] [--minutes=N]`, with `JAVA_HOME` set and `CLASSES` being those of
//! `fixtures/hostile`, compiled. Prints the median and the 99th percentile of `times` deadlines and deaths, then runs
//! random sequences of all classes for so many minutes, and those that ended a worker again and again, and fails if
//! anything of them is left.

#[path = "engine/sequences.rs"]
mod sequences;

use host::classpath::{ClassPath, Jdk};
use host::supervisor::world::{Process, Storage, World};
use host::supervisor::{Launch, SupervisorError, WorkerExecutor};
use model::execution::{Detail, Executor, KillReason, Outcome};
use model::options::Options;
use model::seed::Seed;
use model::sequence::{Operations, Sequence};
use pipeline::subject::{self, Source};
use rand::RngExt;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a sequence may take: short, so that many end in it.
const DEADLINE: Duration = Duration::from_millis(300);

/// Executors that share a processor in the soak: a worker that hangs leaves it to others until it is missed.
const EXECUTORS: usize = 4;

/// Sequences per message of the soak, and calls in each.
const BATCH: usize = 8;
const LENGTH: usize = 4;

/// After so many sequences a worker of the soak is replaced: each death has its successor run those again.
const LIFETIME: u64 = 64;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(code) = worker::args::run_if_asked(std::env::args_os()) {
        // Workers are this program again.
        return code;
    }
    let flag = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name)?.parse().ok());
    let Some(classes) = arguments.iter().find(|argument| !argument.starts_with("--")) else {
        println!("skipped: give the compiled classes of fixtures/hostile, and JAVA_HOME");
        return ExitCode::SUCCESS;
    };
    match measure(Path::new(classes), flag("--times=").unwrap_or(100), flag("--minutes=").unwrap_or(0)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(classes: &Path, times: usize, minutes: usize) -> Result<(), Box<dyn Error>> {
    let jdk = Jdk::discover(std::env::var_os("JAVA_HOME").as_deref(), None)?;
    let own = vec![classes.to_path_buf()];
    let files = ClassPath::open(&own, &[], jdk.feature_version)?.read_own()?.into_iter().collect();
    let scratch = tempfile::tempdir()?;
    let (subject, mut launch) = subject::open(
        Source {
            classes: &files,
            beside: &BTreeMap::new(),
            tests: &BTreeMap::new(),
            level: jdk.feature_version,
            class_path: own,
        },
        &Options::resolve(&[]),
        &jdk,
        scratch.path(),
        &Arc::default(),
    )?;
    launch.call_timeout = DEADLINE;
    let (launch, operations) = (Arc::new(launch), &subject.program.operations);
    deadlines(&launch, operations, times)?;
    deaths(&launch, operations, times)?;
    if minutes > 0 {
        soak(&launch, operations, Duration::from_secs(60 * minutes as u64), scratch.path())?;
    }
    Ok(())
}

/// How long after its deadline the worker of a sequence that waits for nothing is gone and was missed.
fn deadlines(launch: &Arc<Launch>, operations: &Operations, times: usize) -> Result<(), Box<dyn Error>> {
    let hangs = calls(operations, &["<init>", "await"], "hostile/WaitsForever")?;
    let mut executor = WorkerExecutor::start(launch.clone(), "deadlines")?;
    let mut overshoots = Vec::new();
    for _ in 0..times {
        executor.restart()?;
        let worker = PathBuf::from(format!("/proc/{}", executor.worker_id().ok_or("there is no worker")?));
        let started = Instant::now();
        let watch = std::thread::spawn(move || {
            // A process that has ended is there until somebody has asked how.
            while worker.exists() {
                std::thread::sleep(Duration::from_micros(200));
            }
            started.elapsed()
        });
        let execution = executor.execute(std::slice::from_ref(&hangs), Detail::Search)?.remove(0);
        if !matches!(execution.outcome, Outcome::Killed { reason: KillReason::Timeout, .. }) {
            return Err(format!("a sequence that hangs ended with {:?}", execution.outcome).into());
        }
        overshoots.push(watch.join().map_err(|_| "the watch panicked")?.saturating_sub(DEADLINE));
    }
    print("deadline overshoot", overshoots);
    Ok(())
}

/// How long after a worker was killed the next one has run a sequence.
fn deaths(launch: &Arc<Launch>, operations: &Operations, times: usize) -> Result<(), Box<dyn Error>> {
    let harmless = calls(operations, &["<init>", "count"], "hostile/WaitsForever")?;
    let mut executor = WorkerExecutor::start(launch.clone(), "deaths")?;
    let mut pauses = Vec::new();
    for _ in 0..times {
        executor.restart()?;
        let worker = executor.worker_id().ok_or("there is no worker")?;
        let killed = Instant::now();
        Command::new("kill").args(["-9", &worker.to_string()]).status()?;
        executor.execute(std::slice::from_ref(&harmless), Detail::Search)?;
        pauses.push(killed.elapsed());
    }
    print("kill to the next worker's first report", pauses);
    Ok(())
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    println!("{what}: p50 {:.1?}, p99 {:.1?}, most {:.1?} of {}", at(50), at(99), at(100), times.len());
}

/// One call after the other of the class, each of the object that the first one made.
fn calls(operations: &Operations, names: &[&str], class: &str) -> Result<Sequence, String> {
    let mut sequence = Sequence::new();
    for (number, name) in names.iter().enumerate() {
        let found = operations.iter().position(|one| one.owner.internal() == class && *one.name == **name);
        let index =
            found.ok_or_else(|| format!("{class} has no {name}: are these the classes of fixtures/hostile?"))?;
        let inputs: &[usize] = if number == 0 { &[] } else { &[0] };
        sequence.push_call(model::sequence::OperationId(index as u32), inputs);
    }
    Ok(sequence)
}

/// Runs random sequences of all classes; what the process holds in the end is no more than after the first tenth.
fn soak(launch: &Arc<Launch>, operations: &Operations, time: Duration, scratch: &Path) -> Result<(), Box<dyn Error>> {
    let (starts, sequences, over) = (Arc::new(AtomicU64::new(0)), AtomicU64::new(0), AtomicBool::new(false));
    let mut launch = Launch::clone(launch);
    launch.recycle_after = LIFETIME;
    launch.world = Arc::new(Counted { world: launch.world, starts: starts.clone() });
    let launch = Arc::new(launch);
    let executors = EXECUTORS * std::thread::available_parallelism()?.get();
    let replaced = AtomicU64::new(executors as u64);
    let started = Instant::now();
    let held = std::thread::scope(|scope| -> Result<_, Box<dyn Error>> {
        let workers: Vec<_> = (0..executors)
            .map(|number| {
                let (launch, replaced, sequences, over) = (&launch, &replaced, &sequences, &over);
                scope.spawn(move || -> Result<(), String> {
                    let mut rng = Seed::root(1).child("soak").nth(number as u64).rng();
                    let start = WorkerExecutor::start(launch.clone(), &format!("soak{number}"));
                    let mut executor = start.map_err(|error| error.to_string())?;
                    let (mut deadly, mut since): (Vec<Sequence>, u64) = (Vec::new(), 0);
                    while !over.load(Ordering::Relaxed) {
                        let some = |_| match deadly.len() {
                            1.. if rng.random_bool(0.5) => deadly[rng.random_range(0..deadly.len())].clone(),
                            _ => {
                                sequences::random(operations, rng.random_range(1..=LENGTH), &BTreeSet::new(), &mut rng)
                            }
                        };
                        let batch: Vec<Sequence> = (0..BATCH).map(some).collect();
                        let ends = executor.execute(&batch, Detail::Search).map_err(|error| error.to_string())?;
                        sequences.fetch_add(ends.len() as u64, Ordering::Relaxed);
                        for (sequence, end) in batch.iter().zip(&ends) {
                            since += 1;
                            if matches!(end.outcome, Outcome::Killed { .. }) {
                                // So few that they do not count as what the process holds.
                                if deadly.len() < 500 {
                                    deadly.push(sequence.clone());
                                }
                                since = 0;
                            } else if since == LIFETIME {
                                // The executor's doing, and no death.
                                replaced.fetch_add(1, Ordering::Relaxed);
                                since = 0;
                            }
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        let mut held = [ProcessResources::default(), ProcessResources::default()];
        while started.elapsed() < time && !workers.iter().any(|worker| worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(500));
            let now = ProcessResources::now();
            held[usize::from(started.elapsed() > time / 10)].raise(&now);
        }
        over.store(true, Ordering::Relaxed);
        for worker in workers {
            worker.join().map_err(|_| "an executor panicked")??;
        }
        Ok(held)
    })?;
    let [first, rest] = held;
    println!(
        "{} sequences in {:.0?}; at least {} of {} workers died of them",
        sequences.into_inner(),
        started.elapsed(),
        starts.load(Ordering::Relaxed).saturating_sub(replaced.into_inner()),
        starts.load(Ordering::Relaxed),
    );
    let end = ProcessResources::now();
    println!("most in the first tenth: {first:?}; after it: {rest:?}; in the end: {end:?}");
    let left: Vec<_> = fs::read_dir(scratch)?.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    println!("left in the scratch directory: {left:?}");
    match () {
        // Each start of a worker has some for a moment, so the most is a matter of luck.
        () if end.descriptors > first.descriptors => Err("descriptors grew".into()),
        () if rest.bytes > first.bytes + first.bytes / 10 => Err("memory grew".into()),
        () if end.children > 0 => Err("processes are left".into()),
        () if !left.is_empty() => Err("files are left".into()),
        () => Ok(()),
    }
}

/// The machine, with the number of workers that it was asked for.
#[derive(Debug)]
struct Counted {
    world: Arc<dyn World>,
    starts: Arc<AtomicU64>,
}

impl World for Counted {
    fn now(&self) -> Duration {
        self.world.now()
    }

    fn file(&self, directory: &Path) -> io::Result<Box<dyn Storage>> {
        self.world.file(directory)
    }

    fn start(&self, launch: &Launch, name: &str) -> Result<Box<dyn Process>, SupervisorError> {
        self.starts.fetch_add(1, Ordering::Relaxed);
        self.world.start(launch, name)
    }
}

/// What a process has of the machine.
#[derive(Debug, Default)]
struct ProcessResources {
    descriptors: usize,
    bytes: u64,
    /// Of all threads, zombies included.
    children: usize,
}

impl ProcessResources {
    fn now() -> ProcessResources {
        let entries = |path: &str| fs::read_dir(path).into_iter().flatten().filter_map(Result::ok);
        let children = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        ProcessResources {
            descriptors: entries("/proc/self/fd").count(),
            bytes: line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10,
            children: entries("/proc/self/task").map(|task| children(task).split_whitespace().count()).sum(),
        }
    }

    fn raise(&mut self, other: &ProcessResources) {
        self.descriptors = self.descriptors.max(other.descriptors);
        self.bytes = self.bytes.max(other.bytes);
        self.children = self.children.max(other.children);
    }
}

//! Sequences per second through one worker: random, unguided sequences over the classes of a jar.
//!
//! `cargo bench --bench engine -- JAR [DEPENDENCY.jar...] [-XJVMOPTION...]`, with `JAVA_HOME` set. Prints the rate with
//! the whole way through the supervisor, and the CPU time of the worker: all its threads, and the one that runs the
//! sequences.

#[path = "engine/sequences.rs"]
mod sequences;

use bytecode::classfile;
use bytecode::instrument;
use host::supervisor::{ClassReader, Launch, WorkerExecutor};
use model::execution::{Detail, Executor, Outcome};
use model::jvm::ClassName;
use model::seed::Seed;
use model::sequence::Sequence;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

const BATCH: usize = 1000;
/// A worker's life.
const BATCHES: usize = 200;
const LENGTH: usize = 8;

fn main() {
    let jars: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| argument.ends_with(".jar")).map(PathBuf::from).collect();
    let (Some(jar), Some(java_home)) = (jars.first(), std::env::var_os("JAVA_HOME")) else {
        println!("skipped: give a jar, and JAVA_HOME");
        return;
    };
    let classes = read_jar(jar);
    let scratch = tempfile::tempdir().unwrap();
    let mut launch = Launch::new(java_home.into(), jars.clone(), scratch.path().to_path_buf());
    launch.jvm_args = std::env::args().filter(|argument| argument.starts_with("-X")).collect();
    launch.command[0] = env!("CARGO_BIN_EXE_randgen").into();
    let files: BTreeMap<_, _> =
        classes.iter().filter_map(|(name, bytes)| Some((name.clone(), classfile::parse(bytes).ok()?))).collect();
    let mut reader = ClassReader::open(&launch).unwrap();
    let mut source = |names: &[ClassName]| -> Vec<_> {
        let found = reader.read(names).unwrap();
        found.into_iter().map(|bytes| bytes.and_then(|bytes| classfile::parse(&bytes).ok())).collect()
    };
    let none = BTreeMap::new();
    let under_test = program::Classes { targets: &files, beside: &none, tests: &none, mocks: true };
    let program = program::read(&under_test, &|_, _| true, &|_, _| false, &mut source);
    drop(reader);
    for (name, bytes) in &classes {
        if let Ok(plan) = instrument::plan(bytes) {
            launch.class_probes.push((name.clone(), launch.probe_count));
            launch.probe_count += plan.probes.len() as u32;
        }
    }
    launch.operations = program.operations.clone();
    println!("{} classes, {} probes, {} operations", classes.len(), launch.probe_count, launch.operations.len());

    let started = Instant::now();
    let mut executor = WorkerExecutor::start(Arc::new(launch), "bench").unwrap();
    println!("start {:?}", started.elapsed());
    let mut rng = Seed::root(1).rng();
    let mut bad = BTreeSet::new();
    let mut total = 0.0;
    for batch in 0..BATCHES {
        let sequences: Vec<Sequence> =
            (0..BATCH).map(|_| sequences::random(&program.operations, LENGTH, &bad, &mut rng)).collect();
        let before = main_thread(&executor);
        let started = Instant::now();
        let executions = executor.execute(&sequences, Detail::Search).unwrap();
        let elapsed = started.elapsed();
        let cpu = main_thread(&executor).saturating_sub(before) as f64 / 1000.0 / BATCH as f64;
        total += cpu;
        let mut ends = [0; 4];
        for (sequence, execution) in sequences.iter().zip(&executions) {
            match &execution.outcome {
                Outcome::Completed => ends[0] += 1,
                Outcome::Threw { .. } => ends[1] += 1,
                Outcome::Killed { reason, .. } => {
                    ends[2] += 1;
                    println!("{reason:?}\n{}", sequence.describe(&program.operations));
                    bad.extend(sequence.statements().last().map(|statement| format!("{:?}", statement.action)));
                }
                Outcome::Unlinkable { message, .. } => {
                    ends[3] += 1;
                    if ends[3] == 1 {
                        println!("{message}");
                    }
                }
            }
        }
        if batch % 20 == 19 || batch == 0 {
            let rate = BATCH as f64 / elapsed.as_secs_f64();
            println!("batch {batch}: {rate:.0}/s, {cpu:.1} µs of CPU each, completed/threw/killed/unlinkable {ends:?}");
        }
    }
    println!(
        "mean {:.1} µs of CPU each; all threads of the last worker {} ms",
        total / BATCHES as f64,
        all_threads(&executor) / 1_000_000
    );
}

fn read_jar(path: &PathBuf) -> BTreeMap<ClassName, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut classes = BTreeMap::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        if let Some(name) = entry.name().unwrap().strip_suffix(".class").map(ClassName::new) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            classes.insert(name, bytes);
        }
    }
    classes
}

/// Nanoseconds on a processor, of the threads that `wanted` says yes to.
fn on_cpu(executor: &WorkerExecutor, wanted: impl Fn(&str) -> bool) -> u64 {
    let directory = executor.worker_id().map(|id| format!("/proc/{id}/task")).unwrap_or_default();
    let of = |task: std::fs::DirEntry| {
        let read = |file| std::fs::read_to_string(task.path().join(file)).ok();
        let name = read("comm")?;
        wanted(name.trim()).then(|| read("schedstat")?.split(' ').next()?.parse::<u64>().ok())?
    };
    std::fs::read_dir(directory).into_iter().flatten().filter_map(|task| of(task.ok()?)).sum()
}

/// CPU time of all threads of the worker.
fn all_threads(executor: &WorkerExecutor) -> u64 {
    on_cpu(executor, |_| true)
}

/// CPU time of the thread that runs sequences; the process's first thread only waits for it.
fn main_thread(executor: &WorkerExecutor) -> u64 {
    on_cpu(executor, |name| name == "main")
}

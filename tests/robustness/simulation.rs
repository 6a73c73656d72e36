//! Runs in worlds that a seed makes up: workers die, hang and lie, clocks stand still for the supervisor, disks are full and
//! lose their power. Whatever happens, every sequence has a verdict or the run has a reason, nobody waits longer than it may, no
//! report is taken that no worker gave, and the files of the project are the old or the new.
//!
//! Nothing here touches the machine: no process, no file, no clock. A seed always does the same, so a failure is reproduced by its
//! number: `RANDGEN_SIMULATED_SEED=17 cargo test --test robustness simulation`.

mod disk;
mod workers;

use disk::Fault;
use host::output::{GeneratedFile, Header, OutputError, Tree};
use host::supervisor::{Launch, WorkerExecutor};
use model::execution::{Detail, Execution, Executor, KillReason, Outcome};
use model::jvm::Literal;
use model::seed::Seed;
use model::sequence::Sequence;
use rand::RngExt;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use workers::{CALL_TIMEOUT, Faults};

const SEEDS: u64 = 10_000;

/// Seeds are shared out to so many threads.
const THREADS: u64 = 2;

/// Verdicts of one file.
const PER_FILE: usize = 12;

#[test]
fn every_simulated_failure_gives_a_verdict_or_a_reason_and_files_old_or_new() {
    if let Some(seed) = std::env::var_os("RANDGEN_SIMULATED_SEED") {
        return simulate(seed.to_str().and_then(|seed| seed.parse().ok()).expect("a number"));
    }
    std::thread::scope(|scope| {
        for first in 0..THREADS {
            scope.spawn(move || {
                for seed in (first..SEEDS).step_by(THREADS as usize) {
                    let simulated = catch_unwind(AssertUnwindSafe(|| simulate(seed)));
                    assert!(simulated.is_ok(), "seed {seed}: see above");
                }
            });
        }
    });
}

fn simulate(number: u64) {
    let seed = Seed::root(number).child("simulation");
    let subject = Subject::new(seed);
    let (undisturbed, lives) = subject.run(Faults::None);
    let undisturbed = undisturbed.expect("nothing fails");
    // Faults of workers alone change nothing, and delays cost no worker either.
    let faults = [Faults::Delays, Faults::Apart, Faults::Apart, Faults::Any][number as usize % 4];
    let (found, disturbed_lives) = subject.run(faults);
    match found {
        Ok(found) => assert!(faults == Faults::Any || found == undisturbed, "{found:?} and not {undisturbed:?}"),
        Err(reason) => assert!(faults == Faults::Any && !reason.is_empty(), "{reason}"),
    }
    assert!(faults != Faults::Delays || lives == disturbed_lives, "{lives} workers, {disturbed_lives} with delays");
    write(seed, &undisturbed);
}

/// What is to be run.
struct Subject {
    seed: Seed,
    launch: Launch,
    sequences: Vec<Sequence>,
    /// How many are run at once.
    at_once: usize,
}

impl Subject {
    fn new(seed: Seed) -> Subject {
        let mut rng = seed.child("subject").rng();
        let mut launch = Launch::new("/jdk".into(), Vec::new(), "/scratch".into());
        launch.call_timeout = CALL_TIMEOUT;
        // Few of many sequences are bad, so that the history of a worker grows into its file.
        let is_long = rng.random_range(0..10) == 0;
        let (numbers, rate) = if is_long { (300..900, 300) } else { (5..60, 8) };
        launch.recycle_after = if is_long { 2_000 } else { rng.random_range(1..60) };
        let sequence = |number: u64| {
            let mut sequence = Sequence::new();
            // What a sequence does follows from its number alone.
            sequence.push_literal(Literal::Long((number * 1_000 + rate) as i64));
            sequence
        };
        let sequences: Vec<_> = (0..rng.random_range(numbers)).map(sequence).collect();
        let at_once = rng.random_range(1..=sequences.len());
        Subject { seed, launch, sequences, at_once }
    }

    /// What all sequences did, or why that is not known; and how many workers it took.
    fn run(&self, faults: Faults) -> (Result<Vec<Execution>, String>, u64) {
        let most_lives = 100 + 40 * self.sequences.len() as u64;
        let world = workers::Simulated::new(self.seed, faults, most_lives);
        let mut launch = self.launch.clone();
        launch.world = Arc::new(world.clone());
        let launch = Arc::new(launch);
        let run = || -> Result<Vec<Execution>, String> {
            let mut executor = WorkerExecutor::start(launch.clone(), "worker").map_err(|error| error.to_string())?;
            let mut executions = Vec::new();
            let mut failed = Ok(());
            let killed = Execution::ended(Outcome::Killed { statement: None, reason: KillReason::Signal(9) });
            for sequences in self.sequences.chunks(self.at_once) {
                match executor.execute(sequences, Detail::Search) {
                    Ok(found) => executions.extend(found),
                    // What follows is run nevertheless, as by one who tries again.
                    Err(error) => {
                        failed = Err(error.to_string());
                        executions.extend(sequences.iter().map(|_| killed.clone()));
                    }
                }
            }
            self.check_verdicts(&executions);
            failed.map(|()| executions)
        };
        let found = run();
        let lives = world.state().lives;
        (found, lives)
    }

    /// Each has been killed, or there is a report of this very sequence, by a worker that had run those before it, since one
    /// was killed or earlier ones were forgotten, and nothing else.
    fn check_verdicts(&self, found: &[Execution]) {
        assert_eq!(found.len(), self.sequences.len());
        let mut first = 0;
        for (number, execution) in found.iter().enumerate() {
            match &execution.outcome {
                Outcome::Killed { .. } => first = number + 1,
                Outcome::Unlinkable { message, .. } => {
                    let is_so = |first: &usize| *message == workers::report_of(&self.sequences[*first..=number]);
                    first =
                        (first..=number).find(is_so).unwrap_or_else(|| panic!("{message} is no report of {number}"));
                }
                other => panic!("a report that no worker gave: {other:?}"),
            }
        }
    }
}

/// Writes verdicts in the place of those of an older run, while the disk fails.
fn write(seed: Seed, verdicts: &[Execution]) {
    let mut rng = seed.child("write").rng();
    let text = |part: &[Execution]| part.iter().map(|one| format!("// {:?}\n", one.outcome)).collect::<String>();
    let mut newer: Vec<GeneratedFile> =
        verdicts.chunks(PER_FILE).enumerate().map(|(number, part)| file(number, text(part))).collect();
    let older: Vec<GeneratedFile> = (0..rng.random_range(0..8))
        .map(|number| match newer.get(number) {
            Some(same) if rng.random_range(0..3) == 0 => same.clone(),
            _ => file(number, format!("// older {number}\n")),
        })
        .collect();
    newer.truncate(6);

    let disks = [seed.child("disk"), seed.child("another disk")].map(disk::Simulated::new);
    for disk in &disks {
        commit(disk, &older, || {}).expect("nothing fails yet");
        disk.place("/project/generated/p/Mine.java", "class Mine {}\n");
        disk.place("/project/generated/Note.txt", "mine");
    }
    let [disk, undisturbed] = disks;
    let old = disk.all();
    let before = undisturbed.operations();
    commit(&undisturbed, &newer, || {}).expect("nothing fails");
    let new = undisturbed.all();
    undisturbed.cut_power();
    let lasting = undisturbed.all();
    assert!(new.iter().all(|(path, text)| lasting.get(path) == Some(text)), "what a run had written did not last");

    if rng.random_range(0..10) == 0 {
        let lost = commit(&disk, &newer, || disk.steal_lock());
        assert!(matches!(lost, Err(OutputError::LockLost { .. })), "{lost:?}");
        assert!(disk.is_locked() && disk.all() == old, "a run that lost its lock writes nothing");
        return;
    }
    let fault = disk::FAULTS[rng.random_range(0..disk::FAULTS.len())];
    disk.inject(rng.random_range(1..=undisturbed.operations() - before), fault);
    let result = commit(&disk, &newer, || {});
    disk.begin_again();
    check_files(&disk.all(), &old, &new);
    if matches!(fault, Fault::Fails(_)) && !disk.renames_failed() {
        let is_written = |path: &&PathBuf| new.get(*path).is_some_and(|text| old.get(*path) != Some(text));
        let now = disk.all();
        let written = new.keys().filter(is_written).filter(|path| now.get(*path) == new.get(*path)).count();
        assert!(written == 0 || written == new.keys().filter(is_written).count(), "some files are new");
        assert!(now.keys().all(|path| old.contains_key(path) || new.contains_key(path)), "files are left: {now:?}");
    }
    if result.is_ok() && fault != Fault::PowerCut {
        assert_eq!(disk.all(), new);
    }
    // The next run may have other files.
    let (next, to_be) = if rng.random_range(0..2) == 0 { (&newer, &new) } else { (&older, &old) };
    commit(&disk, next, || {}).expect("the next run mends what this one left");
    assert!(disk.all() == *to_be && !disk.is_locked(), "{:?}", disk.all());
}

/// A file is what it was or what it was to be, or is there for a moment.
fn check_files(now: &BTreeMap<PathBuf, Vec<u8>>, old: &BTreeMap<PathBuf, Vec<u8>>, new: &BTreeMap<PathBuf, Vec<u8>>) {
    for path in now.keys().chain(old.keys()).chain(new.keys()) {
        let (is, was, to_be) = (now.get(path), old.get(path), new.get(path));
        let is_staged = was.is_none() && to_be.is_none() && path.extension().is_some_and(|name| name != "java");
        assert!(is == was || is == to_be || is_staged, "{} is torn: {is:?}", path.display());
    }
}

fn file(number: usize, text: String) -> GeneratedFile {
    let package = ["p", "q/r"][number % 2];
    GeneratedFile { path: Path::new(package).join(format!("Class{number}Test.java")), text }
}

/// A whole run of the writer; `meanwhile` is between the plan and the commit.
fn commit(disk: &disk::Simulated, files: &[GeneratedFile], meanwhile: impl Fn()) -> Result<(), OutputError> {
    let tree = Tree::open_on(Arc::new(disk.clone()), Path::new("/project/generated"), Path::new("/project"))?;
    let plan = tree.plan(files, &Header { version: "1", module: "simulated", seed: 1 }, |_| true)?;
    meanwhile();
    tree.commit(plan).map(drop)
}

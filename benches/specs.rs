//! What the loop of generating and inferring selects, and what tracing costs (Xie and Notkin, docs/bibliography.md).
//!
//! `cargo bench --bench specs -- --out DIR` with `JAVA_HOME` set compiles `fixtures/xie-notkin` and prints, for each class and
//! iteration, the tests that are selected with and without guards, and how many of them reveal a fault: they do otherwise in
//! the mended classes. Then the CPU time of running all sequences traced and plainly. With `--classes` the subjects are
//! others, and only costs are printed.

use clap::Parser;
use host::classpath::{Jdk, Module};
use host::process::{share_arenas, usage};
use host::supervisor::following::Follower;
use host::supervisor::test_library::{self, TestLibrary};
use host::supervisor::{Launch, WorkerExecutor};
use model::execution::trace::{End, Input, MethodExecution, State, TestTrace};
use model::execution::{Detail, Executor};
use model::options::{Options, PartialOptions};
use model::progress::Silent;
use model::sequence::Sequence;
use pipeline::specs::compositions::Compositions;
use pipeline::specs::observed::{self, Observed, Opened};
use pipeline::task::Task;
use protocol::setup;
use specification::algebraic::{self, Equation, Supported};
use specification::axiomatic::Tables;
use specification::observations::CallId;
use specification::refine::{self, Round, SelectedCall};
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[derive(Parser)]
#[command(name = "specs")]
struct Arguments {
    /// Put classes here
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Measure these jars or directories of classes, of which the first holds the subjects [default: the fixture]
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    classes: Vec<PathBuf>,
    /// Sequences of the search
    #[arg(long, default_value_t = 3_000)]
    sequences: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 10)]
    iterations: u32,
    /// How often sequences run of each kind, in turn; 0 to measure no time
    #[arg(long, default_value_t = 3)]
    runs: u32,
}

/// Sequences per message.
const BATCH: usize = 500;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    // `cargo bench` adds a flag of its own.
    let arguments: Vec<OsString> = std::env::args_os().filter(|argument| argument != "--bench").collect();
    if let Some(code) = worker::args::run_if_asked(std::env::args_os()) {
        // The workers are this program again.
        return code;
    }
    if arguments.len() < 2 {
        println!("skipped: give --out, or --help");
        return ExitCode::SUCCESS;
    }
    share_arenas();
    match measure(&Arguments::parse_from(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<()> {
    let jdk = Jdk::discover(std::env::var_os("JAVA_HOME").as_deref(), None)?;
    let mut options = Options::resolve(&[]);
    (options.seed, options.sequence_limit) = (arguments.seed, Some(arguments.sequences));
    fs::create_dir_all(&arguments.out)?;
    let out = arguments.out.canonicalize()?;
    let jars = test_library::locate(TestLibrary::JUnit4, true, &out, &AtomicBool::new(false))?;
    let world = World { options, jdk, listener: Silent, interrupt: Arc::default() };
    let module = match arguments.classes.split_first() {
        None => fixture(&out, &jars)?,
        Some((classes, dependencies)) => module(classes.clone(), None, [dependencies, &jars].concat()),
    };
    let opened = world.open(&module)?;
    let observed = opened.observe(&world.task(&module))?;
    println!(
        "{} sequences, {} method executions, {} distinct, {} states",
        observed.sequences.len(),
        observed.method_executions,
        observed.observations.call_count(),
        observed.observations.state_count(),
    );
    let mib = |bytes: u64| bytes / (1 << 20);
    let workers = opened.launch.peak_bytes.load(Ordering::Relaxed);
    println!("{} MiB at the supervisor's peak, {} at the largest worker's", mib(usage().own_peak_bytes), mib(workers));
    if arguments.classes.is_empty() {
        let mended = module_of_mended(&module, &out)?;
        tabulate(&opened, &observed, &world.open(&mended)?, arguments.iterations)?;
    }
    costs(&opened, &observed.sequences, arguments.runs)
}

/// What a command has for all modules.
struct World {
    options: Options,
    jdk: Jdk,
    listener: Silent,
    interrupt: Arc<AtomicBool>,
}

impl World {
    fn task<'a>(&'a self, module: &'a Module) -> Task<'a> {
        let World { options, jdk, listener, interrupt } = self;
        Task { module, options, jdk, listener, interrupt }
    }

    fn open(&self, module: &Module) -> Result<Opened> {
        Ok(observed::open(&self.task(module))?.ok_or("there are no classes")?)
    }
}

/// The compiled fixture, with its tests.
fn fixture(out: &Path, jars: &[PathBuf]) -> Result<Module> {
    let (classes, tests) = (out.join("classes"), out.join("tests"));
    compile(&sources("src/main/java/xie")?, &classes, jars)?;
    compile(&sources("src/test/java/xie")?, &tests, &[jars, std::slice::from_ref(&classes)].concat())?;
    Ok(module(classes, Some(tests), jars.to_vec()))
}

/// The fixture without its faults.
fn module_of_mended(module: &Module, out: &Path) -> Result<Module> {
    let mended = out.join("mended");
    compile(&sources("src/mended/java/xie")?, &mended, &module.classes)?;
    for entry in fs::read_dir(module.classes[0].join("xie"))? {
        let entry = entry?;
        let to = mended.join("xie").join(entry.file_name());
        if !to.exists() {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(Module { classes: vec![mended], ..module.clone() })
}

fn module(classes: PathBuf, test_classes: Option<PathBuf>, dependencies: Vec<PathBuf>) -> Module {
    Module {
        name: "specs".to_string(),
        basedir: PathBuf::new(),
        project_root: PathBuf::new(),
        classes: vec![classes],
        test_classes,
        dependencies,
        source_level: None,
        source_encoding: None,
        source_roots: Vec::new(),
        test_source_roots: Vec::new(),
        build_directory: PathBuf::new(),
        is_built: false,
        settings: PartialOptions::default(),
    }
}

fn sources(directory: &str) -> Result<Vec<PathBuf>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/xie-notkin").join(directory);
    let mut files: Vec<PathBuf> = fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    Ok(files)
}

fn compile(files: &[PathBuf], to: &Path, class_path: &[PathBuf]) -> Result<()> {
    let java_home = std::env::var_os("JAVA_HOME").map(PathBuf::from).ok_or("JAVA_HOME is not set")?;
    let mut javac = Command::new(java_home.join("bin/javac"));
    javac.args(["--release", "8", "-nowarn", "-Xlint:-options"]).arg("-cp").arg(std::env::join_paths(class_path)?);
    let status = javac.arg("-d").arg(to).args(files).stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{javac:?} failed: {status}").into()) }
}

/// SelectedCall tests with guards and without, and those of them that reveal a fault.
#[derive(Clone, Copy, Default)]
struct Counts([(usize, usize); 2]);

impl Counts {
    fn note(&mut self, kind: usize, is_revealing: bool) {
        let count = &mut self.0[kind];
        count.0 += 1;
        count.1 += usize::from(is_revealing);
    }
}

/// The paper's table: for each class and iteration what is selected.
fn tabulate(opened: &Opened, observed: &Observed, mended: &Opened, iterations: u32) -> Result<()> {
    if opened.methods != mended.methods || opened.subject.program.operations != mended.subject.program.operations {
        return Err("the mended classes have other methods".into());
    }
    let tables = Tables::new(&observed.observations, &opened.methods);
    let base = observed.base.clone();
    let refined = refine::refine(&tables, &opened.methods, &observed.tests, base, iterations, &|| true);
    let class = |selected: &SelectedCall| {
        let method = observed.observations.call(selected.call).method;
        opened.methods[method as usize].class.binary()
    };
    println!("| iteration | class | with guards | of them revealing | without | of them revealing |");
    println!("|{}", " --- |".repeat(6));
    for (index, (_, Round { with_guards, without_guards })) in refined.rounds.iter().enumerate() {
        let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
        for (kind, selected) in [with_guards, without_guards].into_iter().enumerate() {
            let sequence =
                |selected: &SelectedCall| observed.sequences[selected.test].prefix(selected.statement as usize + 1);
            let sequences: Vec<Sequence> = selected.iter().map(sequence).collect();
            let (faulty, mended) = (followed(&opened.launch, &sequences)?, followed(&mended.launch, &sequences)?);
            for ((selected, faulty), mended) in selected.iter().zip(&faulty).zip(&mended) {
                for name in [class(selected), "all".to_string()] {
                    counts.entry(name).or_default().note(kind, faulty != mended);
                }
            }
        }
        for (class, Counts([with, without])) in counts {
            println!("| {} | {class} | {} | {} | {} | {} |", index + 1, with.0, with.1, without.0, without.1);
        }
    }
    println!("fixed point: {}\n", refined.is_fixed_point);

    // Equations that what was learnt from first keeps and not all, and those that hold nearly always.
    let everything = (0..observed.observations.call_count() as CallId).collect();
    let learnt = algebraic::infer(&tables, &opened.methods, &observed.base);
    let learnt: Vec<Equation> =
        learnt.into_iter().filter(|found| found.fails == 0).map(|found| found.equation).collect();
    let broken = algebraic::broken(&tables, &opened.methods, &everything, &learnt);
    let mut common = algebraic::infer(&tables, &opened.methods, &everything);
    common.retain(|found| found.fails > 0);
    let compositions = Compositions::new(opened, observed);
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for (kind, found) in [broken, common].into_iter().enumerate() {
        let shown = found.iter().filter_map(|found| Some((found, compositions.sequence(found.special?)?)));
        let (found, sequences): (Vec<&Supported>, Vec<Sequence>) = shown.unzip();
        let (faulty, mended) = (followed(&opened.launch, &sequences)?, followed(&mended.launch, &sequences)?);
        for ((found, faulty), mended) in found.iter().zip(&faulty).zip(&mended) {
            for name in [found.equation.class.binary(), "all".to_string()] {
                counts.entry(name).or_default().note(kind, faulty != mended);
            }
        }
    }
    println!("| class | broken equations | of them revealing | special cases | of them revealing |");
    println!("|{}", " --- |".repeat(5));
    for (class, Counts([broken, special])) in counts {
        println!("| {class} | {} | {} | {} | {} |", broken.0, broken.1, special.0, special.1);
    }
    Ok(())
}

/// What a call showed: the states of its inputs before and after, and how it ended.
type Seen = (u32, Vec<(Input, Input)>, End);

/// What each sequence showed; `None` of one that did not end by itself.
fn followed(launch: &Launch, sequences: &[Sequence]) -> Result<Vec<Option<Vec<Seen>>>> {
    // Which object `equals` found first is no difference.
    let plain = |state: State| State { equal: 0, ..state };
    let input = |input: &Input| match *input {
        Input::Object { object, before, after } => {
            let of = |state| Input::Object { object, before: plain(state), after: plain(state) };
            (of(before), of(after))
        }
        other => (other, other),
    };
    let seen = |execution: &MethodExecution| -> Seen {
        let end = match &execution.end {
            End::Made { object, state } => End::Made { object: *object, state: plain(*state) },
            End::Returned(returned) => End::Returned(returned.as_ref().map(|returned| input(returned).1)),
            End::Threw(class) => End::Threw(class.clone()),
        };
        (execution.method, execution.inputs.iter().map(input).collect(), end)
    };
    let mut all = Vec::new();
    Follower::new(launch).follow(sequences, &mut |_, trace: Option<TestTrace>, _| {
        all.push(trace.map(|trace| trace.executions.iter().map(seen).collect()));
    })?;
    Ok(all)
}

/// CPU time of supervisor and workers over the same sequences, traced and plainly, as a search runs them.
fn costs(opened: &Opened, sequences: &[Sequence], runs: u32) -> Result<()> {
    let mut stateless = opened.plain();
    stateless.state = setup::State::None;
    let mut totals = [Duration::ZERO; 3];
    for _ in 0..runs {
        totals[0] += timed(|| Ok(Follower::new(&opened.launch).follow(sequences, &mut |_, _, _| {})?))?;
        totals[1] += timed(|| run_plainly(opened.plain(), sequences))?;
        totals[2] += timed(|| run_plainly(stateless.clone(), sequences))?;
    }
    let [traced, plain, stateless] = totals.map(|total| total.as_secs_f64() / f64::from(runs.max(1)));
    if runs > 0 {
        println!(
            "{} sequences: traced {traced:.2} s, as a search runs them {plain:.2} s, without states {stateless:.2} s: {:.2} \
             and {:.2} times",
            sequences.len(),
            traced / plain,
            traced / stateless,
        );
    }
    Ok(())
}

fn run_plainly(launch: Launch, sequences: &[Sequence]) -> Result<()> {
    let mut executor = WorkerExecutor::start(Arc::new(launch), "plain")?;
    for batch in sequences.chunks(BATCH) {
        executor.execute(batch, Detail::Search)?;
    }
    Ok(())
}

/// Workers have ended and were waited for when the work is done.
fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let before = usage().cpu;
    work()?;
    Ok(usage().cpu - before)
}

//! How many states are there, and how long does it take to find them? Symstra's table (docs/bibliography.md) for our
//! own versions of its classes (`fixtures/symstra`), and what exploration covers of `fixtures/rostra` beside the
//! search.
//!
//! `cargo bench --bench explore -- [--states] [--coverage]` with `JAVA_HOME` set prints one table each, both unless told
//! otherwise. Counts are the same on every machine. Seconds are not: compare those of one run alone. They are of the
//! exploration with one worker that has started; the search has its four, driven by one thread.

use ::symbolic::classes::Classes;
use ::symbolic::explore as symbolic;
use ::symbolic::interpreter::InterpreterWorld;
use ::symbolic::solver::Oracle;
use clap::Parser;
use host::classpath::{ClassPath, Jdk};
use host::supervisor::{ClassReader, Launch, WorkerExecutor};
use model::execution::Executor;
use model::jvm::ClassName;
use model::options::{Options, StateRepresentation};
use model::seed::Seed;
use pipeline::subject::{self, ClassFiles, Source, Subject};
use search::explorer::{self, Exploration, ExplorationEnd, ExplorationLimits, ExplorationRequest, ExplorationSpace};
use search::generator::{self, SHARDS, Search};
use smt::Z3;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Parser)]
#[command(name = "explore")]
struct Arguments {
    /// Count states as the paper did
    #[arg(long)]
    states: bool,
    /// Compare what is covered with what the search covers
    #[arg(long)]
    coverage: bool,
    /// Keep at most so many states
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_states: usize,
    /// Explore subjects of the second table so deep at most
    #[arg(long, value_name = "N", default_value_t = 4)]
    iterations: usize,
    /// Stop deepening there after so many sequences
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    sequences: u64,
    /// Seeds of the search
    #[arg(long, value_name = "N", default_value_t = 3)]
    seeds: u64,
}

/// A class of the paper's table.
struct Row {
    class: &'static str,
    methods: &'static [&'static str],
    /// With `N` for the number of iterations.
    arguments: &'static [&'static str],
    /// Iterations and the states that the paper has for them, 0 where it ran out of memory, and its symbolic ones.
    iterations: &'static [(usize, usize, usize)],
}

const ROWS: [Row; 2] = [
    Row {
        class: "symstra/UIntStack",
        methods: &["push"],
        arguments: &["push=1..N"],
        iterations: &[(6, 1_957, 7), (7, 0, 8), (8, 0, 9), (9, 0, 10), (10, 0, 11)],
    },
    Row {
        class: "symstra/TreeMap",
        methods: &["put", "remove"],
        arguments: &["put=1..N,null", "remove=1..N"],
        iterations: &[(4, 25, 15), (5, 72, 41), (6, 185, 139), (7, 537, 531), (8, 0, 2_251)],
    },
];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    // `cargo bench` adds a flag of its own.
    let arguments: Vec<OsString> = std::env::args_os().filter(|argument| argument != "--bench").collect();
    if let Some(code) = worker::args::run_if_asked(std::env::args_os()) {
        // The workers are this program again.
        return code;
    }
    if std::env::var_os("JAVA_HOME").is_none() {
        println!("skipped: set JAVA_HOME");
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::parse_from(arguments);
    let all = arguments.states == arguments.coverage;
    let states = if all || arguments.states { count_states(&arguments) } else { Ok(()) };
    match states.and_then(|()| if all || arguments.coverage { compare_coverage(&arguments) } else { Ok(()) }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn count_states(arguments: &Arguments) -> Result<()> {
    let fixture = Fixture::compile("symstra")?;
    println!(
        "| class | iterations | paper: states | states | sequences | seconds | paper: symbolic | symbolic | paths | seconds |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for row in &ROWS {
        let bench = Bench::open(&fixture, row.class)?;
        for &(iterations, paper, paper_symbolic) in row.iterations {
            let with_count = |text: &&str| text.replace('N', &iterations.to_string());
            let methods: Vec<String> = row.methods.iter().map(|method| method.to_string()).collect();
            let given: Vec<String> = row.arguments.iter().map(with_count).collect();
            let wanted = ExplorationRequest { methods: &methods, arguments: &given };
            let limits = ExplorationLimits { iterations, states: arguments.max_states };
            let (found, elapsed) = bench.explore(&wanted, &limits)?;
            let states = match found.end {
                ExplorationEnd::StateLimit => format!("more than {}", arguments.max_states),
                _ => found.states.len().to_string(),
            };
            let paper = if paper == 0 { "–".to_string() } else { paper.to_string() };
            let (class, sequences) = (bench.class.simple(), sequences(&found));
            let symbolic = bench.explore_symbolically(&wanted, iterations, arguments.max_states)?;
            println!(
                "| {class} | {iterations} | {paper} | {states} | {sequences} | {:.3} | {paper_symbolic} | {} | {} | {:.3} |",
                elapsed.as_secs_f64(),
                symbolic.0,
                symbolic.1,
                symbolic.2.as_secs_f64()
            );
        }
    }
    Ok(())
}

/// How far a search is to go.
#[derive(Clone, Copy)]
enum Until {
    Sequences(u64),
    Elapsed(Duration),
}

/// Explores each subject with mined arguments, then has the search run as many sequences, and as long.
fn compare_coverage(arguments: &Arguments) -> Result<()> {
    let fixture = Fixture::compile("rostra")?;
    println!(
        "| subject | iterations | states | sequences | edges | explored | seconds | searched, as many | seconds | searched, as long |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    let (mut explored_edges, mut searched_edges, mut edges_as_long, mut all_edges) = (0, 0.0, 0.0, 0);
    for class in fixture.classes.keys().filter(|class| !class.simple().contains('$')) {
        let bench = Bench::open(&fixture, class.internal())?;
        // One iteration deeper, as long as the last was cheap enough.
        let (mut found, mut elapsed) = bench.explore(
            &ExplorationRequest::default(),
            &ExplorationLimits { iterations: 1, states: arguments.max_states },
        )?;
        for iterations in 2..=arguments.iterations {
            let last = found.iterations.last().ok_or("no iteration")?;
            let next = (last.new_states * bench.calls(&ExplorationRequest::default())?) as u64;
            if found.end != ExplorationEnd::Iterations || sequences(&found) + next > arguments.sequences {
                break;
            }
            (found, elapsed) = bench.explore(
                &ExplorationRequest::default(),
                &ExplorationLimits { iterations, states: arguments.max_states },
            )?;
        }
        let mean = |until: Until| -> Result<(f64, f64)> {
            let (mut edges, mut seconds) = (0.0, 0.0);
            for seed in 0..arguments.seeds {
                let (covered, elapsed) = bench.search(seed, until)?;
                edges += f64::from(covered) / arguments.seeds as f64;
                seconds += elapsed.as_secs_f64() / arguments.seeds as f64;
            }
            Ok((edges, seconds))
        };
        let (edges, seconds) = mean(Until::Sequences(sequences(&found)))?;
        let (as_long, _) = mean(Until::Elapsed(elapsed))?;
        let last = found.iterations.last().ok_or("no iteration")?;
        let total = bench.subject.probes.is_edge.iter().filter(|is_edge| **is_edge).count();
        println!(
            "| {} | {} | {} | {} | {total} | {} | {:.2} | {edges:.1} | {seconds:.2} | {as_long:.1} |",
            class.simple(),
            last.number,
            last.states,
            sequences(&found),
            last.edges,
            elapsed.as_secs_f64(),
        );
        explored_edges += last.edges;
        searched_edges += edges;
        edges_as_long += as_long;
        all_edges += total;
    }
    println!("| all | | | | {all_edges} | {explored_edges} | | {searched_edges:.1} | | {edges_as_long:.1} |");
    Ok(())
}

fn sequences(found: &Exploration) -> u64 {
    found.iterations.iter().map(|iteration| iteration.tests).sum()
}

/// The compiled classes of a fixture.
struct Fixture {
    directory: tempfile::TempDir,
    jdk: Jdk,
    classes: ClassFiles,
}

impl Fixture {
    fn compile(name: &str) -> Result<Fixture> {
        let jdk = Jdk::discover(std::env::var_os("JAVA_HOME").as_deref(), None)?;
        let directory = tempfile::tempdir()?;
        let sources =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).join("src/main/java").join(name);
        let files: Vec<PathBuf> = std::fs::read_dir(sources)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        let classes = directory.path().join("classes");
        let compiled = Command::new(jdk.home.join("bin/javac")).arg("-d").arg(&classes).args(&files).status()?;
        if !compiled.success() {
            return Err(format!("{name} does not compile").into());
        }
        let classes = ClassPath::open(&[classes], &[], jdk.feature_version)?.read_own()?.into_iter().collect();
        Ok(Fixture { directory, jdk, classes })
    }
}

/// One class of a fixture and those nested in it, ready to be run.
struct Bench {
    class: ClassName,
    subject: Subject,
    launch: Arc<Launch>,
}

impl Bench {
    fn open(fixture: &Fixture, class: &str) -> Result<Bench> {
        let nested = format!("{class}$");
        let is_of = |name: &&ClassName| name.internal() == class || name.internal().starts_with(&nested);
        let names = fixture.classes.keys().filter(is_of);
        let classes: ClassFiles = names.map(|name| (name.clone(), fixture.classes[name].clone())).collect();
        let (subject, launch) = subject::open(
            Source {
                classes: &classes,
                beside: &ClassFiles::new(),
                tests: &ClassFiles::new(),
                level: fixture.jdk.feature_version,
                class_path: vec![fixture.directory.path().join("classes")],
            },
            &Options::resolve(&[]),
            &fixture.jdk,
            fixture.directory.path(),
            &Arc::default(),
        )?;
        Ok(Bench { class: ClassName::new(class), subject, launch: Arc::new(launch) })
    }

    /// How many calls are made in each state.
    fn calls(&self, wanted: &ExplorationRequest) -> Result<usize> {
        Ok(explorer::plan(&self.subject.program, &self.class, wanted)?.calls.len())
    }

    fn explore(&self, wanted: &ExplorationRequest, limits: &ExplorationLimits) -> Result<(Exploration, Duration)> {
        let plan = explorer::plan(&self.subject.program, &self.class, wanted)?;
        let space = ExplorationSpace {
            operations: &self.subject.program.operations,
            effects: &self.subject.program.effects,
            starts: &plan.starts,
            calls: &plan.calls,
            representation: StateRepresentation::WholeState,
            is_edge: &self.subject.probes.is_edge,
        };
        let mut executor = WorkerExecutor::start(self.launch.clone(), "explorer")?;
        let started = Instant::now();
        let (found, error) = explorer::explore(&space, limits, &mut executor, &mut |_| {});
        match error {
            Some(error) => Err(error.into()),
            None => Ok((found, started.elapsed())),
        }
    }

    /// States and paths of symbolic exploration, and how long it takes with the classes already read.
    fn explore_symbolically(
        &self,
        wanted: &ExplorationRequest,
        iterations: usize,
        states: usize,
    ) -> Result<(usize, usize, Duration)> {
        let plan = explorer::plan(&self.subject.program, &self.class, wanted)?;
        let operations = &self.subject.program.operations;
        let of = |calls: &[explorer::PlannedCall]| {
            let calls = calls.iter().map(|call| (call.operation, &call.arguments[..]));
            symbolic::with_symbols(calls, operations)
        };
        let (starts, calls) = (of(&plan.starts), of(&plan.calls));
        let space = symbolic::SymbolicSpace { operations, starts: &starts, calls: &calls };
        let mut reader = ClassReader::open(&self.launch)?;
        let source = |name: &ClassName| reader.read(std::slice::from_ref(name)).ok()?.pop()?;
        let mut world = InterpreterWorld::new(Classes::new(source));
        let mut solver = Z3::start()?;
        let mut explore = |iterations| {
            let limits = symbolic::SymbolicLimits { iterations, steps: 1_000_000, paths: 10_000, states };
            symbolic::explore(&mut world, &mut Oracle::new(&mut solver), &space, limits, &mut |_| {})
        };
        explore(1);
        let started = Instant::now();
        let found = explore(iterations);
        let states = found.iterations.iter().map(|iteration| iteration.new_states).sum();
        Ok((states, found.paths.len(), started.elapsed()))
    }

    /// The edges that the search covers until then, and how long it takes; it ends with a round.
    fn search(&self, seed: u64, until: Until) -> Result<(u32, Duration)> {
        let mut executors: Vec<Box<dyn Executor>> = Vec::new();
        for shard in 0..SHARDS {
            executors.push(Box::new(WorkerExecutor::start(self.launch.clone(), &format!("shard-{shard}"))?));
        }
        let Subject { program, probes, .. } = &self.subject;
        let search = Search::new(
            oracle::Judge::new(program, &[]),
            probes,
            Seed::root(seed),
            &[],
            StateRepresentation::WholeState,
        );
        let (sequences, longest) = match until {
            Until::Sequences(sequences) => (Some(sequences), Duration::MAX),
            Until::Elapsed(longest) => (None, longest),
        };
        let limits = generator::SearchLimits { sequences, threads: 1 };
        let started = Instant::now();
        let (found, _, error) = search.run(&mut executors, &limits, &mut |_| started.elapsed() < longest);
        match error {
            Some(error) => Err(error.into()),
            None => Ok((found.statistics.covered_edges, started.elapsed())),
        }
    }
}

//! What guidance is worth: the built binary on the libraries of the benchmark harness, run as a user would and measured
//! by the harness's `measure`.
//!
//! `cargo bench --bench guidance -- subjects|gain|states|mutants|flaky|levels|curve …`; `docs/benchmarks.md` has the
//! commands. Each run leaves its tests, reports and measurement in a directory of its own below `--out` and is not repeated
//! while that is there, so an interrupted command goes on where it was. Nothing tells one build of randgen from another: a new one needs a new `--out`.

#[path = "guidance/curve.rs"]
mod curve;
#[path = "guidance/flaky.rs"]
mod flaky;
#[path = "guidance/levels.rs"]
mod levels;
#[path = "guidance/runs.rs"]
mod runs;

use clap::{Args, Parser};
use model::options::{Component, SettingValue as _, StateRepresentation};
use serde_json::Value;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;

/// What to do.
#[derive(Parser)]
#[command(name = "guidance")]
enum Task {
    /// Generate and measure all subjects: a line of a Markdown table per run, then the means
    Subjects {
        #[command(flatten)]
        bench: Bench,
        #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1")]
        seeds: Vec<u64>,
    },
    /// What one part of guidance adds to the branch coverage of each library. The runs with it and without it are made at the
    /// same time, so that other work on the machine takes as much from either
    Gain {
        #[command(flatten)]
        bench: Bench,
        #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1")]
        seeds: Vec<u64>,
        #[arg(long, value_name = "PART", value_parser = named)]
        part: Component,
    },
    /// Compare what makes values of the pool redundant, in a Markdown table of the edges that the written tests cover, in per
    /// cent and means of the seeds
    States {
        #[command(flatten)]
        bench: Bench,
        #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1,2,3")]
        seeds: Vec<u64>,
    },
    /// Compare what the report says of mutants with what PIT says of the same tests
    Mutants {
        #[command(flatten)]
        bench: Bench,
        #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1")]
        seeds: Vec<u64>,
    },
    /// Run the tests of each run 200 times in JVMs with other time zones, locales, charsets, hash seeds, numbers of
    /// processors and orders of the tests
    Flaky {
        #[command(flatten)]
        bench: Bench,
        #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "1")]
        seeds: Vec<u64>,
    },
    /// Generate for each language level on each JDK, and compile the tests for the level with the compiler of the JDK
    Levels {
        #[command(flatten)]
        bench: Bench,
        #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "8,11,17")]
        levels: Vec<u32>,
        #[arg(long, value_name = "DIRS", value_delimiter = ',', required = true)]
        jdks: Vec<PathBuf>,
        #[arg(long, value_name = "NUMBER", default_value_t = 1)]
        seed: u64,
    },
    /// Draw the covered edges over time of the runs that `subjects` made, a picture per library
    Curve {
        #[arg(required = true)]
        out: Vec<PathBuf>,
        /// Write the pictures here
        #[arg(long, value_name = "DIR", default_value = "docs/coverage")]
        to: PathBuf,
    },
}

#[derive(Args)]
struct Bench {
    /// Directory of the harness, with `measure` and `subjects.toml`
    #[arg(long, value_name = "DIR")]
    bench_dir: PathBuf,
    /// Directory that `fetch_subjects` filled
    #[arg(long, value_name = "DIR")]
    cache: PathBuf,
    /// Make a directory for each run here
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Libraries of subjects.toml [default: those of the command]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    subjects: Vec<String>,
    /// Repeat runs that are there
    #[arg(long)]
    again: bool,
    /// Workers of each run: with 1, as many commands as there are cores can measure beside each other
    #[arg(long, value_name = "N")]
    threads: Option<u32>,
    #[command(flatten)]
    limit: Limit,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Limit {
    /// Seconds for each class of a library
    #[arg(long, value_name = "SECONDS")]
    per_class: Option<f64>,
    /// Seconds for a library
    #[arg(long, value_name = "SECONDS")]
    in_all: Option<f64>,
    /// Sequences for a library, which compares on a machine that does other work as well
    #[arg(long, value_name = "N")]
    sequences: Option<u64>,
}

/// Libraries of the commands.
const GUIDED: [&str; 5] = ["commons-cli", "commons-codec", "commons-primitives", "hamcrest-core", "jcommander"];
const LARGE: [&str; 4] = ["commons-cli", "commons-collections4", "jaxen", "joda-time"];
const MUTATED: [&str; 4] = ["commons-cli", "commons-codec", "hamcrest-core", "jcommander"];
const RUN_IN_PERTURBED_ENVIRONMENTS: [&str; 5] =
    ["commons-cli", "commons-codec", "hamcrest-core", "jcommander", "joda-time"];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    // `cargo bench` adds a flag of its own.
    let arguments: Vec<OsString> = std::env::args_os().filter(|argument| argument != "--bench").collect();
    if arguments.len() < 2 {
        println!("skipped: give a command, or --help");
        return ExitCode::SUCCESS;
    }
    let done = match Task::parse_from(arguments) {
        Task::Subjects { bench, seeds } => measure_subjects(&bench, &seeds),
        Task::Gain { bench, seeds, part } => pair(&bench, &seeds, part),
        Task::States { bench, seeds } => compare_states(&bench, &seeds),
        Task::Mutants { bench, seeds } => compare_mutants(&bench, &seeds),
        Task::Flaky { bench, seeds } => flaky::run_often(&bench, &seeds),
        Task::Levels { bench, levels, jdks, seed } => levels::compile_for(&bench, &levels, &jdks, seed),
        Task::Curve { out, to } => curve::draw_curves(&out, &to),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Figures of a run, with the digits behind the point.
const FIGURES: [(&str, usize); 10] = [
    ("classes", 0),
    ("instructions %", 1),
    ("branches %", 1),
    ("tests", 0),
    ("lines", 0),
    ("not compiling", 0),
    ("failing", 0),
    ("flaky", 0),
    ("left out", 0),
    ("s in all", 0),
];

fn measure_subjects(bench: &Bench, seeds: &[u64]) -> Result<()> {
    let libraries = bench.libraries(&[])?;
    println!("| subject | seed | {} |", FIGURES.map(|(title, _)| title).join(" | "));
    println!("|{}", " --- |".repeat(2 + FIGURES.len()));
    let mut rows = Vec::new();
    for library in &libraries {
        for &seed in seeds {
            let directory = bench.generate(library, seed, "", &[])?;
            let row = figures(&bench.measure(library, &directory, "measure", &[])?, &directory)?;
            let cells = FIGURES.iter().zip(row).map(|(&(_, digits), figure)| cell(figure, digits));
            println!("| {} | {seed} | {} |", library.name, cells.collect::<Vec<_>>().join(" | "));
            rows.push(row);
        }
    }
    let means = std::array::from_fn::<_, { FIGURES.len() }, _>(|column| mean(rows.iter().map(|row| row[column])));
    println!("| mean | | {} |", means.map(|mean| cell(mean, 1)).join(" | "));
    Ok(())
}

/// In the order of [`FIGURES`].
fn figures(measured: &Value, directory: &Path) -> Result<[f64; FIGURES.len()]> {
    let report = json(&directory.join("reports/report.json"))?;
    let timing = json(&directory.join("reports/timing.json"))?;
    // Of a suite that ended its JVM or hung, `measure` counts no results.
    let is_complete = measured["complete"] != false;
    Ok([
        number(&report, "/totals/classes")?,
        100.0 * number(measured, "/coverage/instructions/ratio")?,
        100.0 * number(measured, "/coverage/branches/ratio")?,
        number(measured, "/test_methods")?,
        number(measured, "/size/lines")?,
        number(measured, "/compile_failures")?,
        if is_complete { number(measured, "/failing_first_run")? } else { f64::NAN },
        number(measured, "/flaky")?,
        number(&report, "/totals/dropped")?,
        number(&timing, "/seconds")?,
    ])
}

fn named(part: &str) -> std::result::Result<Component, String> {
    Component::ALL.into_iter().find(|component| component.show() == part).ok_or_else(|| format!("there is no {part}"))
}

fn pair(bench: &Bench, seeds: &[u64], part: Component) -> Result<()> {
    println!("| subject | seed | branches % with {0} | without | gain |", part.show());
    println!("|{}", " --- |".repeat(5));
    let mut gains = Vec::new();
    for library in &bench.libraries(&GUIDED)? {
        for &seed in seeds {
            let generate = |suffix: &str, without: Vec<Component>| {
                let flag = format!("--disable={}", without.show());
                bench.generate(library, seed, suffix, &[flag]).map_err(|error| error.to_string())
            };
            let (with, without) = thread::scope(|scope| {
                let with = scope.spawn(|| generate("-pair-all", vec![Component::Mutants]));
                let suffix = format!("-pair-without-{}", part.show());
                let without = generate(&suffix, vec![part, Component::Mutants]);
                (with.join().expect("the other run panicked"), without)
            });
            let (with, without) = (bench.branches(library, &with?)?, bench.branches(library, &without?)?);
            println!("| {} | {seed} | {with:.1} | {without:.1} | {:+.1} |", library.name, with - without);
            gains.push(with - without);
        }
    }
    println!("| mean | | | | {:+.1} |", mean(gains.into_iter()));
    Ok(())
}

/// What the written tests of a run cover, in per cent.
fn edges(directory: &Path) -> Result<f64> {
    let report = json(&directory.join("reports/report.json"))?;
    Ok(100.0 * number(&report, "/totals/edges_covered")? / number(&report, "/totals/edges_total")?)
}

fn compare_states(bench: &Bench, seeds: &[u64]) -> Result<()> {
    let libraries = bench.libraries(&LARGE)?;
    let names: Vec<&str> = libraries.iter().map(|library| library.name.as_str()).collect();
    println!("| edges % with | {} | mean |", names.join(" | "));
    println!("|{}", " --- |".repeat(2 + names.len()));
    for state in StateRepresentation::ALL.map(|state| state.show()) {
        // As above, mutants have no part in it.
        let flags = [format!("--state-abstraction={state}"), format!("--disable={}", Component::Mutants.show())];
        let mut row = Vec::new();
        for library in &libraries {
            let of_seed = |&seed: &u64| edges(&bench.generate(library, seed, &format!("-{state}"), &flags)?);
            row.push(mean(seeds.iter().map(of_seed).collect::<Result<Vec<f64>>>()?.into_iter()));
        }
        let of_all = mean(row.iter().copied());
        let cells: Vec<String> = row.iter().chain([&of_all]).map(|&figure| cell(figure, 1)).collect();
        println!("| {state} | {} |", cells.join(" | "));
    }
    Ok(())
}

fn compare_mutants(bench: &Bench, seeds: &[u64]) -> Result<()> {
    println!("| subject | seed | tests | lines | mutants | PIT's | killed % | PIT's | difference |");
    println!("|{}", " --- |".repeat(9));
    let mut scores = Vec::new();
    for library in &bench.libraries(&MUTATED)? {
        for &seed in seeds {
            let directory = bench.generate(library, seed, "", &[])?;
            let measured = bench.measure(library, &directory, "mutation", &["--mutation", "--reruns=1"])?;
            let report = json(&directory.join("reports/report.json"))?;
            let own = number(&report, "/mutants/score")? / 100.0;
            let pit = 100.0 * number(&measured, "/mutation/score")?;
            let counts = [
                number(&measured, "/test_methods")?,
                number(&measured, "/size/lines")?,
                number(&report, "/mutants/total")?,
                number(&measured, "/mutation/mutants")?,
            ];
            let counts = counts.map(|count| cell(count, 0)).join(" | ");
            println!("| {} | {seed} | {counts} | {own:.1} | {pit:.1} | {:+.1} |", library.name, own - pit);
            scores.push((own, pit));
        }
    }
    let (own, pit) = (mean(scores.iter().map(|score| score.0)), mean(scores.iter().map(|score| score.1)));
    println!("| mean | | | | | | {own:.1} | {pit:.1} | {:+.1} |", own - pit);
    Ok(())
}

fn mean(figures: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = figures.len() as f64;
    figures.sum::<f64>() / count
}

fn cell(figure: f64, digits: usize) -> String {
    if figure.is_nan() { "incomplete".to_string() } else { format!("{figure:.digits$}") }
}

/// Runs the command, whose errors are for the user to see.
fn run(mut command: Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}").into()) }
}

/// What is in the directory, sorted, as absolute paths.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| format!("cannot read {}: {error}", directory.display());
    let entries = fs::read_dir(directory.canonicalize().map_err(failed)?).map_err(failed)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String> {
    Ok(fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?)
}

fn json(path: &Path) -> Result<Value> {
    Ok(serde_json::from_str(&read(path)?).map_err(|error| format!("cannot read {}: {error}", path.display()))?)
}

fn number(document: &Value, pointer: &str) -> Result<f64> {
    Ok(document.pointer(pointer).and_then(Value::as_f64).ok_or_else(|| format!("no number at {pointer}"))?)
}

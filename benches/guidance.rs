//! What guidance is worth: the built binary on the libraries of the benchmark harness, run as a user would and measured
//! by the harness's `measure`.
//!
//! `cargo bench --bench guidance -- subjects|ablation|states|mutants|flaky|levels|curve …`; `docs/benchmarks.md` has the
//! commands. Each run leaves its tests, reports and measurement in a directory of its own below `--out` and is not repeated
//! while that is there, so an interrupted command goes on where it was. Nothing tells one build of randgen from another: a new one needs a new `--out`.

use clap::{Args, Parser};
use model::options::{Component, SettingValue as _, StateRepresentation};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
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
    /// Compare all parts of guidance with each left out, each alone, and none, in a Markdown table of branch coverage
    Ablation {
        #[command(flatten)]
        bench: Bench,
        #[arg(long, value_name = "NUMBER", default_value_t = 1)]
        seed: u64,
        /// Take the edges that the report says the tests cover, without compiling and running them for JaCoCo
        #[arg(long)]
        quick: bool,
        /// Only the rows about this part, beside the first
        #[arg(long, value_name = "PART", value_parser = named)]
        part: Option<Component>,
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
        Task::Ablation { bench, seed, quick, part } => ablate(&bench, seed, quick, part),
        Task::Gain { bench, seeds, part } => pair(&bench, &seeds, part),
        Task::States { bench, seeds } => compare_states(&bench, &seeds),
        Task::Mutants { bench, seeds } => compare_mutants(&bench, &seeds),
        Task::Flaky { bench, seeds } => run_often(&bench, &seeds),
        Task::Levels { bench, levels, jdks, seed } => compile_for(&bench, &levels, &jdks, seed),
        Task::Curve { out, to } => draw_curves(&out, &to),
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

fn ablate(bench: &Bench, seed: u64, quick: bool, part: Option<Component>) -> Result<()> {
    let libraries = bench.libraries(&GUIDED)?;
    // Mutants guide no search; they would only take its time.
    let guiding = || Component::ALL.into_iter().filter(|&component| component != Component::Mutants);
    let all_but = |kept| guiding().filter(|&component| component != kept).collect();
    let shown = || guiding().filter(|&component| part.is_none_or(|part| part == component));
    let mut variants = vec![("all".to_string(), Vec::new())];
    variants.extend(shown().map(|left_out| (format!("without {}", left_out.show()), vec![left_out])));
    variants.extend(shown().map(|kept| (format!("{} alone", kept.show()), all_but(kept))));
    variants.push(("none".to_string(), guiding().collect()));

    let names: Vec<&str> = libraries.iter().map(|library| library.name.as_str()).collect();
    println!("| {} of | {} | mean |", if quick { "edges %" } else { "branches %" }, names.join(" | "));
    println!("|{}", " --- |".repeat(2 + names.len()));
    let mut of_all: Option<Vec<f64>> = None;
    for (variant, mut without) in variants {
        let suffix = format!("-{}", variant.replace(' ', "-"));
        without.push(Component::Mutants);
        let mut row = Vec::new();
        for library in &libraries {
            let flag = format!("--disable={}", without.show());
            let directory = bench.generate(library, seed, &suffix, &[flag])?;
            row.push(if quick { edges(&directory)? } else { bench.branches(library, &directory)? });
        }
        row.push(mean(row.iter().copied()));
        let cells: Vec<String> = match &of_all {
            None => row.iter().map(|&figure| cell(figure, 1)).collect(),
            Some(all) => {
                row.iter().zip(all).map(|(figure, all)| format!("{figure:.1} ({:+.1})", figure - all)).collect()
            }
        };
        println!("| {variant} | {} |", cells.join(" | "));
        of_all.get_or_insert(row);
    }
    Ok(())
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

/// How often `flaky` runs tests in each of its environments.
const RUNS: usize = 20;

/// What one environment of `flaky` differs in. The first four are as the workers' and the verification's are not.
const ENVIRONMENTS: [&str; 10] = [
    "-Duser.timezone=Pacific/Apia -Duser.language=ar -Duser.country=EG",
    "-Duser.timezone=America/St_Johns -Duser.language=de -Duser.country=CH -Dfile.encoding=ISO-8859-1",
    "-Duser.timezone=Asia/Kathmandu -Duser.language=th -Duser.country=TH -XX:ActiveProcessorCount=7",
    // The harness could not read what JVMs print in UTF-16.
    "-Duser.timezone=Africa/Casablanca -Duser.language=fa -Duser.country=IR -Dfile.encoding=Shift_JIS",
    "-Duser.timezone=UTC -Duser.language=tr -Duser.country=TR",
    "-XX:+UnlockExperimentalVMOptions -XX:hashCode=0 -XX:ActiveProcessorCount=1",
    "-XX:+UnlockExperimentalVMOptions -XX:hashCode=2",
    "-XX:+UnlockExperimentalVMOptions -XX:hashCode=3 -Dfile.encoding=US-ASCII",
    "-Xint",
    "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC",
];

/// JUnit 5's own settings.
const ANY_ORDER: &str = "-Djunit.jupiter.testmethod.order.default=org.junit.jupiter.api.MethodOrderer$Random \
    -Djunit.jupiter.testclass.order.default=org.junit.jupiter.api.ClassOrderer$Random";

fn run_often(bench: &Bench, seeds: &[u64]) -> Result<()> {
    println!("| subject | seed | tests | runs | failing | flaky | runs that did not end |");
    println!("|{}", " --- |".repeat(7));
    for library in &bench.libraries(&RUN_IN_PERTURBED_ENVIRONMENTS)? {
        for &seed in seeds {
            let directory = bench.generate(library, seed, "", &[])?;
            let (mut tests, mut failing, mut flaky, mut unended) = (0.0, 0.0, 0.0, 0);
            for (index, environment) in ENVIRONMENTS.iter().enumerate() {
                let order = format!("-Djunit.jupiter.execution.order.random.seed={index} {ANY_ORDER}");
                let reruns = format!("--reruns={}", RUNS - 1);
                let name = format!("flaky-{index}");
                let options = format!("{environment} {order}");
                let measured = bench.measure_with(library, &directory, &name, &[&reruns], &options)?;
                tests = number(&measured, "/test_methods")?;
                failing += number(&measured, "/failing_first_run")?;
                flaky += number(&measured, "/flaky")?;
                unended += usize::from(measured["complete"] == false);
            }
            let runs = RUNS * ENVIRONMENTS.len();
            println!("| {} | {seed} | {tests} | {runs} | {failing} | {flaky} | {unended} |", library.name);
        }
    }
    Ok(())
}

fn compile_for(bench: &Bench, levels: &[u32], jdks: &[PathBuf], seed: u64) -> Result<()> {
    println!("| subject | JDK | level | tests | files | not compiling | left out |");
    println!("|{}", " --- |".repeat(7));
    let junit: Vec<PathBuf> = files(&bench.cache.join("junit"))?;
    for library in &bench.libraries(&RUN_IN_PERTURBED_ENVIRONMENTS)? {
        for (index, jdk) in jdks.iter().enumerate() {
            for level in levels {
                let suffix = format!("-level-{level}-{index}");
                let flag = format!("--source-level={level}");
                let directory = bench.generate_on(library, seed, &suffix, &[flag], Some(jdk))?;
                let tests = sources(&directory.join("tests"))?;
                let class_path = [&library.jar].into_iter().chain(&library.dependencies).chain(&junit);
                let failing = not_compiling(&tests, jdk, *level, &std::env::join_paths(class_path)?)?;
                let report = json(&directory.join("reports/report.json"))?;
                println!(
                    "| {} | {} | {level} | {} | {} | {} | {} |",
                    library.name,
                    jdk.file_name().unwrap_or_default().display(),
                    number(&report, "/totals/tests")?,
                    tests.len(),
                    failing,
                    number(&report, "/totals/dropped")?,
                );
            }
        }
    }
    Ok(())
}

/// The Java files below the directory.
fn sources(directory: &Path) -> Result<Vec<PathBuf>> {
    let files = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter();
    let files: Vec<PathBuf> = files.map(|entry| Ok(entry?.into_path())).collect::<Result<_>>()?;
    Ok(files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "java")).collect())
}

/// How many of the files have errors for the compiler.
fn not_compiling(files: &[PathBuf], jdk: &Path, level: u32, class_path: &OsString) -> Result<usize> {
    let scratch = tempfile::tempdir()?;
    let mut command = Command::new(jdk.join("bin/javac"));
    command.args(["-nowarn", "-Xlint:-options", "-Xmaxerrs", "10000", "--release", &level.to_string()]);
    command.arg("-d").arg(scratch.path()).arg("-cp").arg(class_path).args(files);
    let compiled = command.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&compiled.stderr);
    let errors = said.lines().filter(|line| line.contains(": error: "));
    let failing: BTreeSet<&str> = errors.filter_map(|line| line.split(':').next()).collect();
    if failing.is_empty() && !compiled.status.success() {
        return Err(format!("javac failed: {said}").into());
    }
    Ok(failing.len())
}

/// A subject of the harness as it lies in the cache.
struct Library {
    name: String,
    jar: PathBuf,
    /// Its own tests, if `<artifact>-<version>-tests.jar` lies beside it.
    tests: Option<PathBuf>,
    dependencies: Vec<PathBuf>,
}

/// In a run's directory: the flags that it was made with.
const FLAGS: &str = "flags";

impl Bench {
    /// Those that were asked for, else those of the command, which are all if it names none. That none is missing is known
    /// before the first run.
    fn libraries(&self, of_command: &[&str]) -> Result<Vec<Library>> {
        let subjects: toml::Table = read(&self.bench_dir.join("subjects.toml"))?.parse()?;
        let names: Vec<String> = match (self.subjects.as_slice(), of_command) {
            ([], []) => subjects.keys().cloned().collect(),
            ([], names) => names.iter().map(|name| name.to_string()).collect(),
            (names, _) => names.to_vec(),
        };
        let library = |name: String| {
            let coordinates = subjects.get(&name).and_then(|subject| subject.get("jar")?.as_str());
            let coordinates = coordinates.ok_or_else(|| format!("subjects.toml has no {name} with a jar"))?;
            let (artifact, version) =
                coordinates.split_once(':').and_then(|(_, rest)| rest.split_once(':')).ok_or("no coordinates")?;
            let file_name = format!("{artifact}-{version}.jar");
            let missing = || format!("the cache has no {name}/{file_name}: run fetch_subjects");
            let jars = files(&self.cache.join(&name)).map_err(|_| missing())?.into_iter();
            let mut dependencies: Vec<_> = jars.filter(|path| path.extension().is_some_and(|it| it == "jar")).collect();
            let mut own = |file_name: &str| dependencies.extract_if(.., |path| path.ends_with(file_name)).next();
            let jar = own(&file_name).ok_or_else(missing)?;
            let tests = own(&format!("{artifact}-{version}-tests.jar"));
            Ok(Library { name, jar, tests, dependencies })
        };
        names.into_iter().map(library).collect()
    }

    /// The directory of a run, which is made unless it is there.
    fn generate(&self, library: &Library, seed: u64, suffix: &str, more: &[String]) -> Result<PathBuf> {
        self.generate_on(library, seed, suffix, more, None)
    }

    /// As [`Bench::generate`], on a JDK.
    fn generate_on(
        &self,
        library: &Library,
        seed: u64,
        suffix: &str,
        more: &[String],
        jdk: Option<&Path>,
    ) -> Result<PathBuf> {
        let directory = self.out.join(format!("{}-{seed}{suffix}", library.name));
        let mut flags = vec![self.limit.flag(), format!("--seed={seed}")];
        flags.extend(self.threads.map(|threads| format!("--threads={threads}")));
        flags.extend_from_slice(more);
        if directory.exists() && !self.again {
            let made_with = read(&directory.join(FLAGS))?;
            return if made_with == flags.join(" ") {
                Ok(directory)
            } else {
                Err(format!("{} was made with {made_with}: give another --out, or --again", directory.display()).into())
            };
        }
        // Takes its place only when it is whole.
        fs::create_dir_all(&self.out)?;
        let unfinished = tempfile::Builder::new().prefix("unfinished").tempdir_in(&self.out)?;
        fs::create_dir(unfinished.path().join("tests"))?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_randgen"));
        command.current_dir(&unfinished).args(["generate", "--quiet", "--output=tests", "--reports-directory=reports"]);
        command.arg("--classes").arg(&library.jar).args(&flags);
        command.envs(jdk.map(|jdk| ("JAVA_HOME", jdk)));
        if let Some(tests) = &library.tests {
            command.arg("--test-classes").arg(tests);
        }
        if !library.dependencies.is_empty() {
            command.arg("--classpath").arg(std::env::join_paths(&library.dependencies)?);
        }
        run(command)?;
        fs::write(unfinished.path().join(FLAGS), flags.join(" "))?;
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::rename(unfinished.keep(), &directory)?;
        Ok(directory)
    }

    /// What the harness says of the tests in the directory of a run.
    fn measure(&self, library: &Library, directory: &Path, name: &str, flags: &[&str]) -> Result<Value> {
        self.measure_with(library, directory, name, flags, "")
    }

    /// The branches that JaCoCo says the tests of a run cover, in per cent.
    fn branches(&self, library: &Library, directory: &Path) -> Result<f64> {
        Ok(100.0 * number(&self.measure(library, directory, "measure", &[])?, "/coverage/branches/ratio")?)
    }

    /// As [`Bench::measure`], with options for the JVMs that run the tests.
    fn measure_with(
        &self,
        library: &Library,
        directory: &Path,
        name: &str,
        flags: &[&str],
        java_options: &str,
    ) -> Result<Value> {
        let measured = directory.join(format!("{name}.json"));
        if !measured.is_file() {
            let mut command = Command::new(self.bench_dir.join("measure"));
            command.args(["--subject", &library.name, "--tests"]).arg(directory.join("tests"));
            command.arg("--cache").arg(&self.cache).arg("--out").arg(&measured).args(flags);
            command.env("JDK_JAVA_OPTIONS", java_options);
            run(command)?;
        }
        let result = json(&measured)?;
        if result["complete"] == false {
            eprintln!("warning: the tests in {} did not run to their end", directory.display());
        }
        Ok(result)
    }
}

impl Limit {
    /// As randgen's own flag.
    fn flag(&self) -> String {
        let per_class = self.per_class.map(|seconds| format!("--time-limit={seconds}"));
        let in_all = self.in_all.map(|seconds| format!("--total-time-limit={seconds}"));
        let sequences = self.sequences.map(|sequences| format!("--sequence-limit={sequences}"));
        per_class.or(in_all).or(sequences).expect("clap requires one of them")
    }
}

/// The covered edges of a run's search, in per cent, over seconds.
struct Curve {
    flags: String,
    points: Vec<(f64, f64)>,
}

fn draw_curves(outs: &[PathBuf], to: &Path) -> Result<()> {
    let mut curves: BTreeMap<String, Vec<Curve>> = BTreeMap::new();
    for directory in outs.iter().map(|out| files(out)).collect::<Result<Vec<_>>>()?.into_iter().flatten() {
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        // Those of an ablation end with a word.
        let Some((subject, seed)) = name.rsplit_once('-') else { continue };
        if seed.parse::<u64>().is_err() {
            continue;
        }
        let total = number(&json(&directory.join("reports/report.json"))?, "/totals/edges_total")?;
        let coverage = json(&directory.join("reports/timing.json"))?["coverage"].take();
        let samples: Vec<(f64, u64, f64)> = serde_json::from_value(coverage)?;
        let points = samples.into_iter().map(|(seconds, _, edges)| (seconds, 100.0 * edges / total)).collect();
        let flags = read(&directory.join(FLAGS))?;
        curves.entry(subject.to_string()).or_default().push(Curve { flags, points });
    }
    fs::create_dir_all(to)?;
    for (subject, curves) in &curves {
        let picture = to.join(format!("{subject}.svg"));
        fs::write(&picture, svg(subject, curves))?;
        println!("{}", picture.display());
    }
    Ok(())
}

/// Legible on white and on black.
const GREY: &str = "#767676";
const COLOURS: [&str; 4] = ["#2f81f7", "#d9730d", "#2da44e", "#bf4b8a"];

/// The curves as stairs, as nothing is known to be covered between two samples, with axes from zero.
fn svg(subject: &str, curves: &[Curve]) -> String {
    const LEFT: f64 = 50.0;
    const TOP: f64 = 40.0;
    const WIDTH: f64 = 620.0;
    const HEIGHT: f64 = 280.0;
    let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
    let longest = curves.iter().flat_map(|curve| &curve.points).map(|point| point.0).fold(0.001, f64::max);
    let x = |seconds: f64| LEFT + WIDTH * seconds / longest;
    let y = |percent: f64| bottom - HEIGHT * percent / 100.0;

    let mut lines = vec![
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" font-size="12" fill="{GREY}">"#,
            right + 20.0,
            bottom + 50.0
        ),
        format!(r#"<text x="{LEFT}" y="20" font-size="15">{subject}: edges covered by the search</text>"#),
        format!(r#"<text x="{}" y="{}" text-anchor="middle">seconds</text>"#, LEFT + WIDTH / 2.0, bottom + 38.0),
    ];
    let rule = |x1, y1, x2, y2| {
        format!(r#"<path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="{GREY}" stroke-opacity="0.3"/>"#)
    };
    for percent in [0.0, 20.0, 40.0, 60.0, 80.0, 100.0] {
        let y = y(percent);
        lines.push(rule(LEFT, y, right, y));
        lines.push(format!(r#"<text x="{}" y="{:.1}" text-anchor="end">{percent} %</text>"#, LEFT - 6.0, y + 4.0));
    }
    let step = distance_of_marks(longest);
    for mark in (0..).map(|index| f64::from(index) * step).take_while(|&mark| mark <= longest) {
        let x = x(mark);
        lines.push(rule(x, TOP, x, bottom));
        lines.push(format!(
            r#"<text x="{x:.1}" y="{}" text-anchor="middle">{}</text>"#,
            bottom + 18.0,
            (mark * 100.0).round() / 100.0
        ));
    }
    for (index, (curve, colour)) in curves.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let stairs: String =
            curve.points.iter().map(|&(seconds, percent)| format!("H{:.1}V{:.1}", x(seconds), y(percent))).collect();
        lines.push(format!(
            r#"<path d="M{LEFT} {bottom}{stairs}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>"#
        ));
        let percent = curve.points.last().map_or(0.0, |point| point.1);
        let y = bottom - 12.0 - 18.0 * (curves.len() - 1 - index) as f64;
        let legend = format!("{}: {percent:.1} %", curve.flags);
        lines.push(format!(r#"<text x="{}" y="{y}" text-anchor="end" fill="{colour}">{legend}</text>"#, right - 8.0));
    }
    lines.push("</svg>\n".to_string());
    lines.join("\n")
}

/// A round number of seconds that goes into `longest` at most eight times.
fn distance_of_marks(longest: f64) -> f64 {
    let power = 10f64.powf((longest / 8.0).log10().floor());
    [1.0, 2.0, 5.0].map(|factor| factor * power).into_iter().find(|step| longest / step <= 8.0).unwrap_or(10.0 * power)
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

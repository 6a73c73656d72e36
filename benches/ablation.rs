//! What each component of the guidance contributes to the search: searches with all components are compared, seed by seed,
//! with searches without one of them and without any.
//!
//! `cargo bench --bench ablation -- --cache CACHE --out RUNS.csv`, with `JAVA_HOME` set, where `fetch_subjects` of the
//! benchmark harness filled CACHE. Prints a Markdown table of the edges that the searches covered, in per cent, with 95 %
//! confidence intervals. Only the search runs, as no later stage covers more, and sequences limit it, so the figures are
//! the same on every machine. RUNS.csv keeps the result of each search, so that an interrupted command continues; it does
//! not know which build made them: a new build needs a new file.

use clap::Parser;
use host::classpath::{ClassPath, Jdk};
use model::options::{Component, Options, SettingValue as _};
use model::seed::Seed;
use pipeline::concolic::BranchSolver;
use pipeline::subject::{self, ClassFiles, Source};
use search::generator::{Search, SearchLimits};
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread;

/// Compare searches with and without each component of the guidance
#[derive(Parser)]
#[command(name = "ablation")]
struct Ablation {
    /// Directory that `fetch_subjects` filled: a directory of jars for each library
    #[arg(long, value_name = "DIR")]
    cache: PathBuf,
    /// Keep the results of the searches in this file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "commons-cli,commons-codec,commons-primitives,hamcrest-core,jcommander"
    )]
    libraries: Vec<String>,
    /// Search with the seeds from 1 to this number
    #[arg(long, value_name = "N", default_value_t = 10)]
    seeds: u64,
    /// End each search after this many sequences
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    sequences: u64,
    /// Compare only these components
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = component)]
    components: Vec<Component>,
    /// Run this many searches at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
}

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    if let Some(code) = worker::args::run_if_asked(std::env::args_os()) {
        // The search's workers are this program again.
        return code;
    }
    // `cargo bench` adds a flag of its own.
    let arguments: Vec<OsString> = std::env::args_os().filter(|argument| argument != "--bench").collect();
    if arguments.len() < 2 {
        println!("skipped: give --cache and --out, or --help");
        return ExitCode::SUCCESS;
    }
    match Ablation::parse_from(arguments).run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn component(name: &str) -> std::result::Result<Component, String> {
    Component::ALL.into_iter().find(|component| component.show() == name).ok_or_else(|| format!("there is no {name}"))
}

/// A row of the table: its name, and the components that are disabled.
struct Variant {
    name: String,
    disabled: Vec<Component>,
}

/// A library, its name in the table and its jars.
struct Library {
    name: String,
    /// The library's own first.
    jars: Vec<PathBuf>,
    classes: ClassFiles,
}

/// The covered edges of a search in per cent, by library, variant and seed.
type Results = BTreeMap<(String, String, u64), f64>;

impl Ablation {
    fn run(&self) -> Result<()> {
        let jdk = Jdk::discover(std::env::var_os("JAVA_HOME").as_deref(), None)?;
        let open = |name: &String| Library::open(&self.cache, name, &jdk);
        let libraries = self.libraries.iter().map(open).collect::<Result<Vec<Library>>>()?;
        let variants = self.variants();
        let results = self.search_all(&libraries, &variants, &jdk)?;

        println!("| edges % | {} | mean |", self.libraries.join(" | "));
        println!("|{}", " --- |".repeat(2 + libraries.len()));
        let column = |variant: &Variant, library: &String| -> Vec<f64> {
            (1..=self.seeds).map(|seed| results[&(library.clone(), variant.name.clone(), seed)]).collect()
        };
        let columns = |variant: &Variant| -> Vec<Vec<f64>> {
            let mut columns: Vec<Vec<f64>> = self.libraries.iter().map(|library| column(variant, library)).collect();
            let of_seed = |seed: usize| columns.iter().map(|column| column[seed]).sum::<f64>() / columns.len() as f64;
            columns.push((0..self.seeds as usize).map(of_seed).collect());
            columns
        };
        let all = columns(&variants[0]);
        for (index, variant) in variants.iter().enumerate() {
            let cells: Vec<String> = match index {
                0 => all.iter().map(|column| Interval::of(column).to_string()).collect(),
                _ => columns(variant).iter().zip(&all).map(|(column, all)| difference(column, all)).collect(),
            };
            println!("| {} | {} |", variant.name, cells.join(" | "));
        }
        Ok(())
    }

    /// All components, without each, and none.
    fn variants(&self) -> Vec<Variant> {
        // Mutants choose assertions and tests after the search. The libraries bring no tests of their own.
        let is_guiding = |component: &Component| !matches!(component, Component::Mutants | Component::ExistingTests);
        let guiding = || Component::ALL.into_iter().filter(is_guiding);
        let is_compared = |component: &Component| self.components.is_empty() || self.components.contains(component);
        let mut variants = vec![Variant { name: "all".to_string(), disabled: Vec::new() }];
        variants.extend(
            guiding()
                .filter(is_compared)
                .map(|component| Variant { name: format!("without {}", component.show()), disabled: vec![component] }),
        );
        variants.push(Variant { name: "none".to_string(), disabled: guiding().collect() });
        variants
    }

    /// Runs the searches that the file does not have, seed by seed, so that it has whole tables for the first seeds early.
    fn search_all(&self, libraries: &[Library], variants: &[Variant], jdk: &Jdk) -> Result<Results> {
        let results = Mutex::new(read(&self.out)?);
        let file = Mutex::new(OpenOptions::new().create(true).append(true).open(&self.out)?);
        let searches = (1..=self.seeds).flat_map(|seed| {
            variants.iter().flat_map(move |variant| libraries.iter().map(move |it| (it, variant, seed)))
        });
        let searches = Mutex::new(searches);
        let work = || -> Result<()> {
            loop {
                let next = lock(&searches).next();
                let Some((library, variant, seed)) = next else { return Ok(()) };
                let key = (library.name.clone(), variant.name.clone(), seed);
                if lock(&results).contains_key(&key) {
                    continue;
                }
                let covered = library.search(&variant.disabled, seed, self.sequences, jdk)?;
                writeln!(lock(&file), "{},{},{seed},{covered}", library.name, variant.name)?;
                lock(&results).insert(key, covered);
            }
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.jobs).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a search panicked"))
        })?;
        Ok(results.into_inner().expect("no thread panicked"))
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().expect("no thread panics while it holds the lock")
}

/// The results of an earlier command, if there are any.
fn read(file: &Path) -> Result<Results> {
    if !file.exists() {
        File::create(file)?;
    }
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let [library, variant, seed, covered] = fields[..] else { return None };
        Some(((library.to_string(), variant.to_string(), seed.parse().ok()?), covered.parse().ok()?))
    };
    let text = fs::read_to_string(file)?;
    let lines = text.lines().map(|line| parse(line).ok_or_else(|| format!("{}: {line}", file.display()).into()));
    lines.collect()
}

impl Library {
    fn open(cache: &Path, name: &str, jdk: &Jdk) -> Result<Library> {
        let directory = cache.join(name);
        let failed = |error| format!("cannot read {}: {error}", directory.display());
        let entries = fs::read_dir(&directory).map_err(failed)?;
        let paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
        let mut jars: Vec<PathBuf> =
            paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "jar")).collect();
        let is_own = |path: &PathBuf| {
            path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&format!("{name}-")))
        };
        jars.sort_by_key(|path| (!is_own(path), path.clone()));
        if !jars.first().is_some_and(is_own) {
            return Err(format!("{} has no jar of {name}", directory.display()).into());
        }
        let classes = ClassPath::open(&jars[..1], &jars[1..], jdk.feature_version)?.read_own()?.into_iter().collect();
        Ok(Library { name: name.to_string(), jars, classes })
    }

    /// The edges that a search covers, in per cent of those of the library.
    fn search(&self, disabled: &[Component], seed: u64, sequences: u64, jdk: &Jdk) -> Result<f64> {
        let scratch = tempfile::tempdir()?;
        let mut options = Options::resolve(&[]);
        options.disable = disabled.to_vec();
        let source = Source {
            classes: &self.classes,
            beside: &BTreeMap::new(),
            tests: &BTreeMap::new(),
            level: jdk.feature_version,
            class_path: self.jars.clone(),
        };
        let (subject, launch) = subject::open(source, &options, jdk, scratch.path(), &Arc::default())?;
        let launch = Arc::new(launch);
        let mut executors = pipeline::engine::start_workers(&launch, 1)?;
        let mut search =
            Search::new(subject.judge(), &subject.probes, Seed::root(seed), disabled, options.state_abstraction);
        if !disabled.contains(&Component::Symbolic) {
            search = search.with_concolic_seeds(Box::new(BranchSolver::new(&subject, &launch)));
        }
        let limits = SearchLimits { sequences: Some(sequences), threads: 1 };
        let (found, _, error) = search.run(&mut executors, &limits, &mut |_| true);
        match error {
            Some(error) => Err(error.into()),
            None => Ok(100.0 * f64::from(found.statistics.covered_edges) / f64::from(found.statistics.edges)),
        }
    }
}

/// A mean with its 95 % confidence interval.
struct Interval {
    mean: f64,
    half_width: f64,
}

/// Student's t for 95 % on both sides, by degrees of freedom from 1.
const STUDENT: [f64; 19] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093,
];

impl Interval {
    /// Of independent figures; the width is not a number if there is only one.
    fn of(figures: &[f64]) -> Interval {
        let count = figures.len() as f64;
        let mean = figures.iter().sum::<f64>() / count;
        let variance = figures.iter().map(|figure| (figure - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let student = figures.len().checked_sub(2).map(|index| STUDENT.get(index).copied().unwrap_or(1.96));
        Interval { mean, half_width: student.map_or(f64::NAN, |student| student * (variance / count).sqrt()) }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:.1} ± {:.1}", self.mean, self.half_width)
    }
}

/// The mean difference to the search with all components and the same seed, in bold where its interval excludes zero.
fn difference(figures: &[f64], all: &[f64]) -> String {
    let differences: Vec<f64> = figures.iter().zip(all).map(|(figure, all)| figure - all).collect();
    let Interval { mean, half_width } = Interval::of(&differences);
    let cell = format!("{mean:+.1} ± {half_width:.1}");
    if mean.abs() > half_width { format!("**{cell}**") } else { cell }
}

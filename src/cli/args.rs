//! The command line as typed.
//!
//! Flags that are settings have the names of `options`; [`SettingFlags::to_partial`] makes the strongest layer of them.

use crate::options::{
    Component, Confidence, Glob, Junit, OutputFormat, PartialOptions, Percent, Raw, Sandbox, Shard,
    StateRepresentation, Value,
};
use crate::sandbox::Policy;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The whole command line.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "randgen",
    version,
    about = "Generate small, deterministic JUnit suites for Maven and Gradle projects",
    arg_required_else_help = true,
    max_term_width = 100
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Generate tests for the classes of a project
    Generate(GenerateArgs),
    /// Fail on failures that the baseline does not know, and on thresholds that are missed
    Check(CheckArgs),
    /// Run the test of a finding again and say whether it still fails
    Replay(ReplayArgs),
    /// Explain a finding, a contract, or a reason why code is not tested
    Explain(ExplainArgs),
    /// Find the states that objects of a class can be brought to, and write a test for each
    Explore(ExploreArgs),
    /// Say how redundant the tests of a project are
    Assess(AssessArgs),
    /// Find the tests of one suite that add to another
    Select(SelectArgs),
    /// Find a small part of a suite that does what all of it does
    Minimize(MinimizeArgs),
    /// Infer what the classes promise, and find the tests that say otherwise
    Specs(SpecsArgs),
    /// Join what shards left on several machines
    Merge(MergeArgs),
    /// Show what was found: modules, JDK, JUnit, and what cannot be tested and why
    Doctor(DoctorArgs),
    /// Run code under test for a supervisor
    #[command(hide = true)]
    Worker(WorkerArgs),
    /// Start a program that runs code under test
    #[command(hide = true)]
    Confine(ConfineArgs),
}

/// Arguments of `randgen generate`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen generate
          Test all modules of the project in this directory
  randgen generate ../shop --module core --target-classes 'com.shop.order.*'
          Test one package of one module
  randgen generate --seed 7 --sequence-limit 200000
          Write the same bytes each time, on any machine
  randgen generate --classes shop.jar --classpath 'lib/*' --output tests
          Test a jar without asking a build")]
pub struct GenerateArgs {
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen check`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen check --update-baseline
          Let the failures that are there pass from now on: commit randgen-baseline.toml
  randgen check
          End with exit code 1 if there is a failure that randgen-baseline.toml does not know
  randgen check --coverage-threshold 80 --max-redundancy 20
          Fail as well if the tests cover too little, or too many of them are redundant
  randgen check --since HEAD~1
          Show which behaviour the last commit changed, each change with a test")]
pub struct CheckArgs {
    /// Generate tests of the classes in this jar or directory, and fail if those of the project behave differently; can be
    /// repeated
    #[arg(long, value_name = "JAR_OR_DIR", help_heading = "Project", conflicts_with = "since")]
    pub against: Vec<PathBuf>,
    /// The same, of the classes at this revision of git, which its build tool builds in a directory of its own
    #[arg(long, value_name = "REVISION", help_heading = "Project", conflicts_with_all = ["request", "classes"])]
    pub since: Option<String>,
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen replay`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen replay 0abbe5853942
          Compile the test of that finding again, run it, and end with exit code 1 if it still fails
  randgen replay 0abb
          The start of an id will do")]
pub struct ReplayArgs {
    /// The finding's id, as the last run's report has it, or how it begins
    #[arg(value_name = "ID")]
    pub id: String,
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen explain`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen explain 0abbe5853942
          Show a finding of the last run with its test and its stack
  randgen explain equals-symmetric
          Say what the contract demands
  randgen explain probe-budget
          Say why code with that reason is not tested")]
pub struct ExplainArgs {
    /// A finding's id or how it begins, the name of a contract, or the code of a reason
    #[arg(value_name = "WHAT")]
    pub what: String,
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen explore`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen explore --class com.shop.Cart
          Call every method with a few values in each state, three calls deep, and write a test for each state
  randgen explore --class Stack --methods push,pop --arguments 'push=1..3' --iterations 5
          Call two methods, one of them with 1, 2 and 3, five calls deep
  randgen explore --class TreeMap --methods 'put,remove(int)' --arguments 'put=1..4,null;5,\"five\"' --arguments int=1..5
          Give put the pairs of 1 to 4 and null, and 5 and a text; what else takes an int, 1 to 5
  randgen explore --class Account --arguments new=0;100 --state monitor-equals --keep new-edges
          Make the object with 0 and with 100, and tell its states apart by what equals reads")]
pub struct ExploreArgs {
    /// Explore objects of this class, such as com.shop.Cart
    #[arg(long, value_name = "CLASS", help_heading = "Exploration")]
    pub class: String,
    /// Call only these methods, such as 'add,remove(int)' [default: all]
    #[arg(long, value_name = "METHODS", value_parser = methods, help_heading = "Exploration")]
    pub methods: Option<Texts>,
    /// Call a method with these arguments, lists of them separated by `;` and with ranges, such as 'put=1..4,null;5,\"five\"';
    /// `new` is the constructor, and a type's name is for all that take one; can be repeated [default: a few values of each
    /// type, and constants of the class]
    #[arg(long, value_name = "METHOD=VALUES", allow_hyphen_values = true, help_heading = "Exploration")]
    pub arguments: Vec<String>,
    /// Make so many calls on an object, one after the other
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Exploration",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: u32,
    /// Stop where more states than this would have to be kept
    #[arg(long, value_name = "N", default_value_t = 100_000, help_heading = "Exploration",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub max_states: u32,
    /// Let ints, longs, chars, bytes, shorts and booleans among the arguments stand for all values at once, and ask z3 which
    /// ways there are through the methods
    #[arg(long, help_heading = "Exploration")]
    pub symbolic: bool,
    /// Write a test for each new state, for each call that takes a new edge, or none
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, help_heading = "Exploration")]
    pub keep: Keep,
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// What an exploration writes tests for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    #[default]
    NewStates,
    NewEdges,
    Nothing,
}

impl Keep {
    /// As the flag has it.
    pub fn name(self) -> String {
        self.to_possible_value().expect("no value is hidden").get_name().to_string()
    }
}

/// Arguments of `randgen merge`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen merge shards/* --output .
          Put the tests and reports of all shards where one run would have put them")]
pub struct MergeArgs {
    /// Read what a shard left in this directory, which is laid out as the project is
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// Write to this directory, laid out so too
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Arguments of `randgen doctor`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen doctor
          Show what `randgen generate` would test in this directory")]
pub struct DoctorArgs {
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen assess`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen assess
          Assess the compiled tests of the project in this directory
  randgen assess --classes shop.jar --tests shop-tests.jar --classpath 'lib/*'
          Assess tests without asking a build")]
pub struct AssessArgs {
    #[command(flatten)]
    pub suite: SuiteArgs,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Arguments of `randgen select`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen select --also target/generated-test-classes
          Find tests that add to those of the project in this directory
  randgen select --classes shop.jar --tests own-tests.jar --also generated-tests.jar --classpath 'lib/*'
          Find tests without asking a build")]
pub struct SelectArgs {
    #[command(flatten)]
    pub suite: SuiteArgs,
    /// Select from the compiled tests in this directory or jar
    #[arg(long, value_name = "JAR_OR_DIR", help_heading = "Project")]
    pub also: PathBuf,
    /// Tell states apart by whole-seq, modifying-seq, whole-state, monitor-equals or pairwise-equals
    #[arg(long, value_name = "HOW", value_parser = read::<StateRepresentation>, default_value = "monitor-equals")]
    pub state: StateRepresentation,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Arguments of `randgen minimize`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen minimize
  mvn test -Dsurefire.excludesFile=target/randgen/surefire-excludes.txt
          Run a part of the project's tests that does what all do")]
pub struct MinimizeArgs {
    #[command(flatten)]
    pub suite: SuiteArgs,
    /// Tell states apart by whole-seq, modifying-seq, whole-state, monitor-equals or pairwise-equals
    #[arg(long, value_name = "HOW", value_parser = read::<StateRepresentation>, default_value = "monitor-equals")]
    pub state: StateRepresentation,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Arguments of `randgen specs`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen specs --sequence-limit 10000
          Infer invariants, preconditions and postconditions of all classes
  randgen specs --classes shop.jar --classpath 'lib/*' --target-classes com.shop.Cart
          Infer those of one class without asking a build
  randgen specs --accept
          Keep them in randgen-specs.toml: commit it after deleting what is no promise")]
pub struct SpecsArgs {
    /// Add the tests that break what was inferred, and infer again, so many times at most
    #[arg(long, value_name = "N", default_value = "10")]
    pub max_iterations: u32,
    /// Write what was found to randgen-specs.toml of the module: from then on this command and `check` fail where it is broken
    #[arg(long)]
    pub accept: bool,
    /// Write a JUnit test of each equation
    #[arg(long)]
    pub axiom_tests: bool,
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Which classes and tests there are, and how the tests are run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub struct SuiteArgs {
    /// Read the project in this directory [default: .]
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Take only this module, by its artifact's name or directory; can be repeated
    #[arg(long = "module", value_name = "NAME")]
    pub modules: Vec<String>,
    /// Trace calls of the classes in this jar or directory, without asking a build; can be repeated
    #[arg(long, value_name = "JAR_OR_DIR", conflicts_with = "modules", requires = "tests")]
    pub classes: Vec<PathBuf>,
    /// Run the compiled tests in this directory or jar
    #[arg(long, value_name = "JAR_OR_DIR", requires = "classes")]
    pub tests: Option<PathBuf>,
    /// Find dependencies (JUnit too) here: jars and directories, separated as on java's command line; `lib/*` is all jars in lib
    #[arg(long, value_name = "PATH", requires = "classes")]
    pub classpath: Option<String>,
    /// Trace calls of these classes alone, such as 'com.shop.*,com.util.Text' [default: all]
    #[arg(long, value_name = "GLOBS", value_parser = read::<Globs>)]
    pub target_classes: Option<Globs>,
    /// Do not trace calls of these classes
    #[arg(long, value_name = "GLOBS", value_parser = read::<Globs>)]
    pub excluded_classes: Option<Globs>,
    /// Write reports to this directory of the module [default: target/randgen]
    #[arg(long, value_name = "DIR", value_parser = read::<PathBuf>)]
    pub reports_directory: Option<PathBuf>,
    /// Start the JVM that runs tests with these arguments, separated by spaces
    #[arg(long, value_name = "ARGS", allow_hyphen_values = true, value_parser = read::<Texts>)]
    pub jvm_args: Option<Texts>,
    /// Keep the tests from files, network and processes: strict, reduced or off [default: strict]
    #[arg(long, value_name = "LEVEL", value_parser = read::<Sandbox>)]
    pub sandbox: Option<Sandbox>,
    /// Give each test this long
    #[arg(long, value_name = "SECONDS", value_parser = read::<Duration>, default_value = TEST_TIMEOUT)]
    pub test_timeout: Duration,
    /// Count the mutants that the tests kill too, and run mutants this long at most
    #[arg(long, value_name = "SECONDS", value_parser = read::<Duration>)]
    pub mutants: Option<Duration>,
}

impl SuiteArgs {
    /// Those of the build that the module was read from.
    pub fn of_build() -> SuiteArgs {
        let test_timeout = read(TEST_TIMEOUT).expect("the default is a duration");
        SuiteArgs { test_timeout, ..SuiteArgs::default() }
    }

    /// The same as arguments of the commands that generate tests.
    pub fn project(&self) -> ProjectArgs {
        ProjectArgs {
            directory: self.directory.clone(),
            modules: self.modules.clone(),
            classes: self.classes.clone(),
            classpath: self.classpath.clone(),
            test_classes: self.tests.clone(),
            ..ProjectArgs::default()
        }
    }

    pub fn settings(&self) -> SettingFlags {
        SettingFlags {
            target_classes: self.target_classes.clone(),
            excluded_classes: self.excluded_classes.clone(),
            reports_directory: self.reports_directory.clone(),
            jvm_args: self.jvm_args.clone(),
            sandbox: self.sandbox,
            ..SettingFlags::default()
        }
    }
}

/// Arguments of the hidden `randgen worker`.
#[derive(Clone, Debug, Args)]
pub struct WorkerArgs {
    /// Descriptor of the socket to the supervisor
    #[arg(long, value_name = "FD")]
    pub channel: i32,
    #[command(flatten)]
    pub policy: PolicyArgs,
}

/// Arguments of the hidden `randgen confine`.
#[derive(Clone, Debug, Args)]
pub struct ConfineArgs {
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The program and its arguments
    #[arg(required = true, last = true)]
    pub command: Vec<OsString>,
}

/// What a process does to itself before code under test runs in it: `sandbox::Policy` as arguments.
#[derive(Clone, Debug, Args)]
pub struct PolicyArgs {
    #[arg(long, value_parser = read::<Sandbox>)]
    pub sandbox: Sandbox,
    #[arg(long)]
    pub readable: Vec<PathBuf>,
    #[arg(long)]
    pub writable: Vec<PathBuf>,
}

impl PolicyArgs {
    pub fn policy(&self) -> Policy {
        Policy { level: self.sandbox, readable: self.readable.clone(), writable: self.writable.clone() }
    }
}

/// Which modules a command is about, with which settings, and how it speaks.
#[derive(Clone, Debug, Default, Args)]
pub struct ModuleArgs {
    #[command(flatten)]
    pub project: ProjectArgs,
    #[command(flatten)]
    pub settings: SettingFlags,
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Which classes there are, and where their dependencies lie.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub struct ProjectArgs {
    /// Read the project in this directory [default: .]
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Take only this module, by its artifact's name or directory; can be repeated
    #[arg(long = "module", value_name = "NAME")]
    pub modules: Vec<String>,
    /// Test the classes of this jar or directory, without asking a build; can be repeated
    #[arg(long, value_name = "JAR_OR_DIR", conflicts_with_all = ["modules", "request"])]
    pub classes: Vec<PathBuf>,
    /// Find dependencies (JUnit too) here: jars and directories, separated as on java's command line; `lib/*` is all jars in lib
    #[arg(long, value_name = "PATH", requires = "classes")]
    pub classpath: Option<String>,
    /// Learn from the project's own compiled tests in this directory or jar [default: none]
    #[arg(long, value_name = "JAR_OR_DIR", requires = "classes")]
    pub test_classes: Option<PathBuf>,
    /// Write Java of this level, such as 8 or 17 [default: the build's, or of the classes]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u16).range(5..=99))]
    pub source_level: Option<u16>,
    /// Take everything about the module from this file, as the Maven and Gradle plugins write it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["directory", "modules"])]
    pub request: Option<PathBuf>,
}

/// How much to say, and how.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Console")]
pub struct ConsoleArgs {
    /// Print errors and the summary only
    #[arg(long, short)]
    pub quiet: bool,
    /// Show progress as bars, as plain lines, or not at all
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub progress: Progress,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    /// Bars on a terminal, plain lines elsewhere
    #[default]
    Auto,
    Bar,
    Plain,
    None,
}

/// Seconds for a test that somebody may have written by hand.
const TEST_TIMEOUT: &str = "20";

// Clap gives a field of type `Vec` a meaning of its own: one flag for each member. These are lists in one flag.
type Globs = Vec<Glob>;
type Texts = Vec<String>;
type Formats = Vec<OutputFormat>;
type Components = Vec<Component>;

/// Every setting as a flag; each can also stand in `randgen.toml` under the same name.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Settings (also keys of randgen.toml)")]
pub struct SettingFlags {
    /// Generate nothing
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL",
        value_parser = read::<bool>)]
    pub skip: Option<bool>,
    /// Test only these classes, such as 'com.shop.*,com.util.Text' [default: all]
    #[arg(long, value_name = "GLOBS", value_parser = read::<Globs>)]
    pub target_classes: Option<Globs>,
    /// Do not test these classes
    #[arg(long, value_name = "GLOBS", value_parser = read::<Globs>)]
    pub excluded_classes: Option<Globs>,
    /// Do not call these methods, such as 'main,com.shop.Db.drop*'
    #[arg(long, value_name = "GLOBS", value_parser = read::<Globs>)]
    pub excluded_methods: Option<Globs>,
    /// Write tests to this directory of the module [default: src/test/generated]
    #[arg(long, visible_alias = "output", value_name = "DIR", value_parser = read::<PathBuf>)]
    pub output_directory: Option<PathBuf>,
    /// Write reports to this directory of the module [default: target/randgen]
    #[arg(long, value_name = "DIR", value_parser = read::<PathBuf>)]
    pub reports_directory: Option<PathBuf>,
    /// Derive all random choices from this number [default: 0]
    #[arg(long, value_name = "N", value_parser = read::<u64>)]
    pub seed: Option<u64>,
    /// Search this long for each class [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = read::<Duration>)]
    pub time_limit: Option<Duration>,
    /// Search this long for each module, however many classes it has
    #[arg(long, value_name = "SECONDS", value_parser = read::<Duration>)]
    pub total_time_limit: Option<Duration>,
    /// Run this many sequences for each module; seed and limit then decide every byte
    #[arg(long, value_name = "N", value_parser = read::<u64>)]
    pub sequence_limit: Option<u64>,
    /// Search only classes that changed since the last run; `=false` searches all [default: true]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL",
        value_parser = read::<bool>)]
    pub incremental: Option<bool>,
    /// Test only this part of each module's classes, such as 3/8: `merge` joins them
    #[arg(long, value_name = "N/COUNT", value_parser = read::<Shard>)]
    pub shard: Option<Shard>,
    /// Search without these parts of guidance, such as 'bloodhound,swarm', to see what they are worth
    #[arg(long, value_name = "PARTS", value_parser = read::<Components>)]
    pub without: Option<Components>,
    /// Tell states apart by whole-seq, modifying-seq, whole-state, monitor-equals or pairwise-equals [default: whole-state]
    #[arg(long, value_name = "HOW", value_parser = read::<StateRepresentation>)]
    pub state: Option<StateRepresentation>,
    /// Use this many workers [default: one per processor]
    #[arg(long, short = 'j', value_name = "N", value_parser = read::<usize>)]
    pub threads: Option<usize>,
    /// Write tests for this version of JUnit: auto, 4 or 5 [default: auto]
    #[arg(long, value_name = "VERSION", value_parser = read::<Junit>)]
    pub junit: Option<Junit>,
    /// Start the JVM under test with these arguments, separated by spaces
    #[arg(long, value_name = "ARGS", allow_hyphen_values = true, value_parser = read::<Texts>)]
    pub jvm_args: Option<Texts>,
    /// Keep the code under test from files, network and processes: strict, reduced or off [default: strict]
    #[arg(long, value_name = "LEVEL", value_parser = read::<Sandbox>)]
    pub sandbox: Option<Sandbox>,
    /// Report findings that are at least certain, likely or possible [default: likely]
    #[arg(long, value_name = "LEVEL", value_parser = read::<Confidence>)]
    pub min_confidence: Option<Confidence>,
    /// Fail when no class could be tested
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL",
        value_parser = read::<bool>)]
    pub fail_when_no_tests: Option<bool>,
    /// Write these reports [default: junit-xml,json,markdown,sarif,html]
    #[arg(long, value_name = "FORMATS", value_parser = read::<Formats>)]
    pub output_formats: Option<Formats>,
    /// Let `check` take known failures from this file of the module [default: randgen-baseline.toml]
    #[arg(long, value_name = "FILE", value_parser = read::<PathBuf>)]
    pub baseline: Option<PathBuf>,
    /// Let `check` write the failures that are there to the baseline
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL",
        value_parser = read::<bool>)]
    pub update_baseline: Option<bool>,
    /// Let `check` fail when known failures are gone
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL",
        value_parser = read::<bool>)]
    pub strict: Option<bool>,
    /// Let `check` fail when the tests cover less of the edges than this
    #[arg(long, value_name = "PERCENT", value_parser = read::<Percent>)]
    pub coverage_threshold: Option<Percent>,
    /// Let `check` fail when the tests notice less of the mutants than this
    #[arg(long, value_name = "PERCENT", value_parser = read::<Percent>)]
    pub mutation_threshold: Option<Percent>,
    /// Let `check` fail when more of the module's compiled tests are redundant than this
    #[arg(long, value_name = "PERCENT", value_parser = read::<Percent>)]
    pub max_redundancy: Option<Percent>,
    /// Let plugins start this binary; it changes nothing here
    #[arg(long, hide = true, value_name = "FILE", value_parser = read::<PathBuf>)]
    pub executable: Option<PathBuf>,
    /// Say where each setting came from, and more of what happens
    #[arg(long, short, conflicts_with = "quiet", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        value_name = "BOOL", value_parser = read::<bool>)]
    pub verbose: Option<bool>,
    /// Do everything but write into the project
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL",
        value_parser = read::<bool>)]
    pub dry_run: Option<bool>,
}

/// Reads a flag's text as the kind of value that its setting has.
fn read<T: Value>(text: &str) -> Result<T, String> {
    T::read(&Raw::Bare(text.to_string())).ok_or_else(|| format!("expected {}", T::EXPECTED))
}

/// Splits names of methods at commas that are in no parentheses.
fn methods(text: &str) -> Result<Texts, String> {
    let mut depth = 0;
    let names = text.split(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth == 0
    });
    let names: Texts = names.map(|name| name.trim().to_string()).collect();
    if names.iter().any(String::is_empty) { Err("expected names separated by commas".to_string()) } else { Ok(names) }
}

impl SettingFlags {
    /// The layer that wins over all others.
    pub fn to_partial(&self) -> PartialOptions {
        let flags = self.clone();
        PartialOptions {
            skip: flags.skip,
            target_classes: flags.target_classes,
            excluded_classes: flags.excluded_classes,
            excluded_methods: flags.excluded_methods,
            output_directory: flags.output_directory,
            reports_directory: flags.reports_directory.map(Some),
            seed: flags.seed,
            time_limit: flags.time_limit,
            total_time_limit: flags.total_time_limit.map(Some),
            sequence_limit: flags.sequence_limit.map(Some),
            incremental: flags.incremental,
            shard: flags.shard.map(Some),
            without: flags.without,
            state: flags.state,
            threads: flags.threads.map(Some),
            junit: flags.junit,
            jvm_args: flags.jvm_args,
            sandbox: flags.sandbox,
            min_confidence: flags.min_confidence,
            fail_when_no_tests: flags.fail_when_no_tests,
            output_formats: flags.output_formats,
            baseline: flags.baseline.map(Some),
            update_baseline: flags.update_baseline,
            strict: flags.strict,
            coverage_threshold: flags.coverage_threshold.map(Some),
            mutation_threshold: flags.mutation_threshold.map(Some),
            max_redundancy: flags.max_redundancy.map(Some),
            executable: flags.executable.map(Some),
            verbose: flags.verbose,
            dry_run: flags.dry_run,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::KEYS;
    use clap::CommandFactory;

    fn generate(arguments: &[&str]) -> Result<GenerateArgs, clap::Error> {
        let line = ["randgen", "generate"].iter().chain(arguments);
        match Arguments::try_parse_from(line)?.command {
            Command::Generate(args) => Ok(args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definition_holds_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_setting_is_a_flag() {
        let command = Arguments::command();
        let generate = command.find_subcommand("generate").unwrap();
        for key in KEYS {
            assert!(generate.get_arguments().any(|argument| argument.get_long() == Some(key)), "--{key}");
        }
    }

    #[test]
    fn flags_become_the_strongest_layer() {
        let args = generate(&[
            "dir",
            "--target-classes",
            "a.*,b",
            "--output",
            "tests",
            "--time-limit=0.5",
            "--verbose",
            "--dry-run=false",
            "--jvm-args",
            "-Xmx1g -Da=b,c",
        ])
        .unwrap();
        let partial = args.modules.settings.to_partial();
        assert_eq!(args.modules.project.directory, Some(PathBuf::from("dir")));
        assert_eq!(partial.target_classes, Some(vec![Glob::new("a.*"), Glob::new("b")]));
        assert_eq!(partial.output_directory, Some(PathBuf::from("tests")));
        assert_eq!(partial.time_limit, Some(Duration::from_millis(500)));
        assert_eq!((partial.verbose, partial.dry_run), (Some(true), Some(false)));
        assert_eq!(partial.jvm_args, Some(vec!["-Xmx1g".to_string(), "-Da=b,c".to_string()]));
        assert_eq!(partial.seed, None);
    }

    #[test]
    fn wrong_values_say_what_was_expected() {
        let message = generate(&["--seed", "x"]).unwrap_err().to_string();
        assert!(message.contains("expected a whole number, 0 or more"), "{message}");
        let message = generate(&["--classpath", "lib.jar"]).unwrap_err().to_string();
        assert!(message.contains("--classes"), "{message}");
    }
}

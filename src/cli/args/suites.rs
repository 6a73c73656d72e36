//! Arguments of the commands that run existing suites: `assess`, `select` and `minimize`.

use super::flags::SuiteSettingFlags;
use super::project::{ConsoleArgs, ProjectArgs};
use clap::Args;
use model::options::{StateRepresentation, from_text};
use pipeline::traced::Tracing;
use std::path::PathBuf;
use std::time::Duration;

/// Seconds for a test that may be written by hand.
const TEST_TIMEOUT: &str = "20";

/// Arguments of `randgen assess`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen assess
          Assess the compiled tests of the project in this directory
  randgen assess --classes shop.jar --tests shop-tests.jar --classpath 'lib/*'
          Assess tests without running a build")]
pub struct AssessArgs {
    /// The tests to assess.
    #[command(flatten)]
    pub suite: SuiteArgs,
    /// How progress is shown.
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Arguments of `randgen select`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen select --candidates target/generated-test-classes
          Select candidates that are not redundant with the tests of the project in this directory
  randgen select --classes shop.jar --tests own-tests.jar --candidates generated-tests.jar --classpath 'lib/*'
          Select tests without running a build")]
pub struct SelectArgs {
    /// The tests that the candidates are compared with.
    #[command(flatten)]
    pub suite: SuiteArgs,
    /// Select from the compiled tests in this directory or jar
    #[arg(long, alias = "also", value_name = "JAR_OR_DIR", help_heading = "Project")]
    pub candidates: PathBuf,
    /// Compare object states by whole-seq, modifying-seq, whole-state, monitor-equals or pairwise-equals
    #[arg(long, alias = "state", value_name = "ABSTRACTION", value_parser = from_text::<StateRepresentation>,
        default_value = "monitor-equals")]
    pub state_abstraction: StateRepresentation,
    /// How progress is shown.
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Arguments of `randgen minimize`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen minimize
  mvn test -Dsurefire.excludesFile=target/randgen/surefire-excludes.txt
          Run only the tests of the project that are not redundant")]
pub struct MinimizeArgs {
    /// The tests to choose from.
    #[command(flatten)]
    pub suite: SuiteArgs,
    /// Compare object states by whole-seq, modifying-seq, whole-state, monitor-equals or pairwise-equals
    #[arg(long, alias = "state", value_name = "ABSTRACTION", value_parser = from_text::<StateRepresentation>,
        default_value = "monitor-equals")]
    pub state_abstraction: StateRepresentation,
    /// How progress is shown.
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// The suite to run, and how it is run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub struct SuiteArgs {
    /// Read the project in this directory [default: .]
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Use only this module, given by its artifact name or directory; can be repeated
    #[arg(long = "module", value_name = "NAME")]
    pub modules: Vec<String>,
    /// Trace calls of the classes in this jar or directory, without running a build; can be repeated
    #[arg(long, value_name = "JAR_OR_DIR", conflicts_with = "modules", requires = "tests")]
    pub classes: Vec<PathBuf>,
    /// Run the compiled tests in this directory or jar
    #[arg(long, value_name = "JAR_OR_DIR", requires = "classes")]
    pub tests: Option<PathBuf>,
    /// Load dependencies, including JUnit, from this class path, in the syntax of `java -cp`
    #[arg(long, value_name = "PATH", requires = "classes")]
    pub classpath: Option<String>,
    /// Read the module and its settings from this file, as written by the Maven and Gradle plugins
    #[arg(long, value_name = "FILE", conflicts_with_all = ["directory", "modules", "classes"])]
    pub request: Option<PathBuf>,
    /// Flags for the settings that matter where no tests are generated.
    #[command(flatten)]
    pub settings: SuiteSettingFlags,
    /// Stop each test after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = from_text::<Duration>, default_value = TEST_TIMEOUT)]
    pub test_timeout: Duration,
    /// Also count the mutants that the tests kill, for at most this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = from_text::<Duration>)]
    pub mutants: Option<Duration>,
}

impl SuiteArgs {
    /// How the tests are run.
    pub fn tracing(&self) -> Tracing {
        Tracing { test_timeout: self.test_timeout, mutants: self.mutants, of_build: self.classes.is_empty() }
    }

    /// The same project as arguments of the commands that generate tests.
    pub fn project(&self) -> ProjectArgs {
        ProjectArgs {
            directory: self.directory.clone(),
            modules: self.modules.clone(),
            classes: self.classes.clone(),
            classpath: self.classpath.clone(),
            test_classes: self.tests.clone(),
            request: self.request.clone(),
            ..ProjectArgs::default()
        }
    }
}

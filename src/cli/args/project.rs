//! Arguments that most commands share: the modules and classes that they use, their settings, and the console.

use super::flags::SettingFlags;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The modules that a command uses, their settings, and the console.
#[derive(Clone, Debug, Default, Args)]
pub struct ModuleArgs {
    /// Where the classes come from: a build, or files named by the user.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Flags for settings, which win over `randgen.toml`.
    #[command(flatten)]
    pub settings: SettingFlags,
    /// How progress is shown.
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// The classes under test and their dependencies.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub struct ProjectArgs {
    /// Read the project in this directory [default: .]
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Use only this module, given by its artifact name or directory; can be repeated
    #[arg(long = "module", value_name = "NAME")]
    pub modules: Vec<String>,
    /// Test the classes in this jar or directory, without running a build; can be repeated
    #[arg(long, value_name = "JAR_OR_DIR", conflicts_with_all = ["modules", "request"])]
    pub classes: Vec<PathBuf>,
    /// Load dependencies, including JUnit, from this class path, in the syntax of `java -cp`
    #[arg(long, value_name = "PATH", requires = "classes")]
    pub classpath: Option<String>,
    /// Start the search from calls in the compiled tests in this directory or jar [default: none]
    #[arg(long, value_name = "JAR_OR_DIR", requires = "classes")]
    pub test_classes: Option<PathBuf>,
    /// Write tests for this Java version, such as 8 or 17 [default: version of the build, or of the class files]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u16).range(5..=99))]
    pub source_level: Option<u16>,
    /// Read the module and its settings from this file, as written by the Maven and Gradle plugins
    #[arg(long, value_name = "FILE", conflicts_with_all = ["directory", "modules"])]
    pub request: Option<PathBuf>,
}

/// How much a command prints, and how.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Console")]
pub struct ConsoleArgs {
    /// Print only warnings, errors and results
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
    /// Bars
    Bar,
    /// A line every few seconds
    Plain,
    /// No progress
    None,
}

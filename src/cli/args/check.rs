//! Arguments of `randgen check`.

use super::ModuleArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Arguments of `randgen check`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen check --update-baseline
          Accept the current findings: commit randgen-baseline.toml
  randgen check
          End with exit code 1 if there is a finding that is not in randgen-baseline.toml
  randgen check --coverage-threshold 80 --max-redundancy 20
          Also fail if the tests cover too little, or if too many of them are redundant
  randgen check --since HEAD~1
          Report the behavioural changes of the last commit, each with a test
  randgen check --format=checkstyle > checkstyle.xml
          Write the findings with their lines for review bots, editors and build servers")]
pub struct CheckArgs {
    /// Compare with the older classes in this jar or directory: generate tests for them, and fail if the project behaves
    /// differently; can be repeated
    #[arg(long, value_name = "JAR_OR_DIR", help_heading = "Project", conflicts_with = "since")]
    pub against: Vec<PathBuf>,
    /// Compare with the classes of this Git revision, which its build tool compiles in a separate directory
    #[arg(long, value_name = "REVISION", help_heading = "Project", conflicts_with_all = ["request", "classes"])]
    pub since: Option<String>,
    /// What to check, in the project as it is now.
    #[command(flatten)]
    pub modules: ModuleArgs,
    /// Print the result as text, or as Checkstyle's XML; with XML, the text goes to stderr
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        help_heading = "Console",
        conflicts_with_all = ["against", "since"]
    )]
    pub format: CheckFormat,
}

/// What `randgen check` prints to stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// Sentences for people
    #[default]
    Text,
    /// Checkstyle's XML, one document for all modules
    Checkstyle,
}

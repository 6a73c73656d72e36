//! The command line as typed.
//!
//! Flags that are settings come from the table of `options`: [`flags`] makes them.

mod check;
mod explore;
mod flags;
mod project;
mod suites;

pub use check::{CheckArgs, CheckFormat};
pub use explore::{ExploreArgs, Keep};
pub use flags::{SettingFlags, SuiteSettingFlags};
pub use project::{ConsoleArgs, ModuleArgs, Progress, ProjectArgs};
pub use suites::{AssessArgs, MinimizeArgs, SelectArgs, SuiteArgs};

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

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
    /// What to do, with the arguments of its own.
    #[command(subcommand)]
    pub command: Command,
    /// Log what randgen does to stderr, for maintainers of randgen: a level such as debug, or pairs such as
    /// randgen_host=debug
    #[arg(long, global = true, value_name = "FILTER", help_heading = "Diagnostics")]
    pub log: Option<tracing_subscriber::filter::Targets>,
}

/// The command to run.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Generate JUnit tests for the classes of a project
    Generate(GenerateArgs),
    /// Fail on findings that are not in the baseline, and on unmet thresholds
    Check(CheckArgs),
    /// Run the test of a finding again, and report whether it still fails
    Replay(ReplayArgs),
    /// Explain a finding, a contract, a finding rule, or a reason code
    Explain(ExplainArgs),
    /// Find the states that objects of a class can reach, and write a test for each
    Explore(ExploreArgs),
    /// Measure the redundancy of the tests of a project
    Assess(AssessArgs),
    /// Select the tests of another suite that are not redundant with the tests of a project
    Select(SelectArgs),
    /// Find a small subset of the tests of a project that does the same as all of them
    Minimize(MinimizeArgs),
    /// Infer specifications, and show tests that violate them
    Specs(SpecsArgs),
    /// Merge the tests and reports of shards that ran on several machines
    Merge(MergeArgs),
    /// Show the modules, JDK and JUnit of a project, and which code cannot be tested and why
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a man page
    Man(ManArgs),
    /// Run code under test for a supervisor
    #[command(hide = true)]
    Worker(worker::args::WorkerArgs),
    /// Start a program that runs code under test
    #[command(hide = true)]
    Confine(worker::args::ConfineArgs),
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
          Write the same bytes in each run, on any machine
  randgen generate --classes shop.jar --classpath 'lib/*' --output tests
          Test a jar without running a build")]
pub struct GenerateArgs {
    /// What to generate tests for.
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen replay`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen replay 0abbe5853942
          Compile and run the test of this finding again, and end with exit code 1 if it still fails
  randgen replay 0abb
          Use the first characters of an id")]
pub struct ReplayArgs {
    /// Id of a finding in the last run's report, or its first characters
    #[arg(value_name = "ID")]
    pub id: String,
    /// The project whose last run has the finding.
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen explain`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen explain 0abbe5853942
          Show a finding of the last run with its test and its stack trace
  randgen explain equals-symmetric
          Explain a contract
  randgen explain null-argument
          Explain what a finding rule does, and when it applies
  randgen explain probe-budget
          Explain why code with this reason code is not tested")]
pub struct ExplainArgs {
    /// Id of a finding or its first characters, name of a contract or finding rule, or reason code
    #[arg(value_name = "WHAT")]
    pub what: String,
    /// The project whose last run has the finding, if one is asked for.
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen merge`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen merge shards/* --output .
          Write the tests and reports of all shards to the places where a single run would write them")]
pub struct MergeArgs {
    /// Read the results of a shard from this directory, which has the layout of the project
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// Write the merged results to this directory, with the same layout
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    /// How progress is shown.
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
    /// What `randgen generate` would be given.
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen specs`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen specs --sequence-limit 10000
          Infer invariants, preconditions and postconditions of all classes
  randgen specs --classes shop.jar --classpath 'lib/*' --target-classes com.shop.Cart
          Infer the specifications of one class without running a build
  randgen specs --accept
          Write them to randgen-specs.toml: delete those that are not intended, then commit the file")]
pub struct SpecsArgs {
    /// Add the tests that violate inferred specifications, and infer again, at most this many times
    #[arg(long, value_name = "N", default_value = "10")]
    pub max_iterations: u32,
    /// Write a JUnit test for each equation
    #[arg(long)]
    pub axiom_tests: bool,
    /// The classes to infer specifications of.
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// Arguments of `randgen completions`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen completions bash > ~/.local/share/bash-completion/completions/randgen
          Complete commands and flags in bash")]
pub struct CompletionsArgs {
    /// Shell that reads the script
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Arguments of `randgen man`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen man generate | man -l -
          Read the man page of a command")]
pub struct ManArgs {
    /// Command to describe [default: an overview of all commands]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use model::options::{Component, Glob, SETTINGS, StateRepresentation};
    use std::time::Duration;

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
        for key in SETTINGS.iter().map(|setting| setting.key) {
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
        let partial = args.modules.settings.layer;
        assert_eq!(args.modules.project.directory, Some(PathBuf::from("dir")));
        assert_eq!(partial.target_classes, Some(vec![Glob::new("a.*"), Glob::new("b")]));
        assert_eq!(partial.output_directory, Some(PathBuf::from("tests")));
        assert_eq!(partial.time_limit, Some(Duration::from_millis(500)));
        assert_eq!((partial.verbose, partial.dry_run), (Some(true), Some(false)));
        assert_eq!(partial.jvm_args, Some(vec!["-Xmx1g".to_string(), "-Da=b,c".to_string()]));
        assert_eq!(partial.seed, None);
    }

    #[test]
    fn old_flags_are_hidden_and_mean_the_present_ones() {
        let partial = generate(&["--without", "mutants", "--state=whole-seq"]).unwrap().modules.settings.layer;
        assert_eq!(partial.disable, Some(vec![Component::Mutants]));
        assert_eq!(partial.state_abstraction, Some(StateRepresentation::WholeSeq));
        assert!(generate(&["--without", "mutants", "--disable", "operands"]).is_err());
        let select = ["randgen", "select", "--also", "others", "--state", "whole-seq"];
        match Arguments::try_parse_from(select).unwrap().command {
            Command::Select(args) => assert_eq!(args.candidates, PathBuf::from("others")),
            other => panic!("{other:?}"),
        }
        for command in ["generate", "select", "minimize", "explore"] {
            let help = Arguments::command().find_subcommand_mut(command).unwrap().render_long_help().to_string();
            for old in ["--without", "--state ", "--also"] {
                assert!(!help.contains(old), "{command} {old}");
            }
        }
    }

    #[test]
    fn wrong_values_say_what_was_expected() {
        let message = generate(&["--seed", "x"]).unwrap_err().to_string();
        assert!(message.contains("expected a whole number, 0 or more"), "{message}");
        let message = generate(&["--classpath", "lib.jar"]).unwrap_err().to_string();
        assert!(message.contains("--classes"), "{message}");
    }
}

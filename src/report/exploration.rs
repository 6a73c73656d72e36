//! What is to be told of an exploration: a line for each iteration while it runs, then why it ended and what was written.

use super::summary::{counted, grouped};
use super::{Coverage, DroppedTest, FileChanges, ReportError, ReportFile, SCHEMA};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The files that `explore` writes; the second alone differs between equal runs.
pub const EXPLORE_FILES: [&str; 2] = ["explore.json", "explore-timing.json"];

/// Tests that are made of one exploration: a suite of more helps nobody, and takes gigabytes to verify.
pub const MOST_TESTS: usize = 5_000;

/// What was explored and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExploreReport {
    /// Version of the document's shape.
    pub schema: u32,
    /// Version of randgen.
    pub version: String,
    /// The module's name.
    pub module: String,
    /// Binary name of the class that was explored.
    pub class: String,
    /// The methods that were called.
    pub methods: Vec<String>,
    /// Total number of argument lists of these methods.
    pub argument_lists: usize,
    /// Number of ways in which the object was created.
    pub starts: usize,
    /// What tells states apart.
    pub state: String,
    /// Which sequences become tests.
    pub keep: String,
    /// The limit of states.
    pub max_states: usize,
    /// In order; the first creates the object.
    pub iterations: Vec<IterationReport>,
    /// Why it ended.
    pub ended: Ended,
    /// Edges of the class, its nested classes and those superclasses that are under test.
    pub edges: Coverage,
    /// Methods that were called with only some of the possible arguments.
    pub shortened: Vec<String>,
    /// Calls that were no longer made because they hung or ended the JVM too often.
    pub given_up: Vec<String>,
    /// Results of `--symbolic`; `None` without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbolic: Option<SymbolicReport>,
    /// What became of the kept sequences; `None` if none was to be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<ExploredTests>,
}

/// Results that only symbolic exploration has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SymbolicReport {
    /// Number of abandoned paths, by reason.
    pub not_interpreted: BTreeMap<String, usize>,
    /// How often a symbolic number was replaced with one concrete value, so that paths with other values were lost, by
    /// reason.
    pub made_known: BTreeMap<String, usize>,
    /// Paths for which the solver found no arguments.
    pub unsolved: usize,
    /// Paths on which the JVM behaved differently from the interpreter. Each is a defect of randgen.
    pub differing: usize,
    /// Whether the solver left a query unanswered, so that states may be counted twice.
    pub is_unsure: bool,
    /// Queries that were answered without the solver.
    pub answered_at_once: u64,
    /// Queries that the solver was asked.
    pub asked: u64,
}

/// One row of the table; iteration 0 creates the object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IterationReport {
    /// Its number.
    pub iteration: usize,
    /// Calls made, each in a sequence of its own.
    pub tests: u64,
    /// States that it found first.
    pub new_states: usize,
    /// All states that are known by then.
    pub states: usize,
    /// Edges that are covered by then.
    pub edges: usize,
    /// Calls that returned.
    pub returned: u64,
    /// Calls that threw an exception.
    pub threw: u64,
    /// Calls that hung, ended the JVM or went over a limit.
    pub killed: u64,
    /// Calls that did not link.
    pub unlinkable: u64,
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The limit of iterations was reached.
    #[default]
    Iterations,
    /// The last iteration found no new state.
    NothingNew,
    /// The limit of states was reached.
    StateLimit,
}

/// The tests of an exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExploredTests {
    /// Sequences that were to be kept; a bound on tests is why not all of them may have one.
    pub kept: usize,
    /// `p.StackExploredTest.push`
    pub written: Vec<String>,
    /// Tests that were generated and left out.
    pub dropped: Vec<DroppedTest>,
    /// Sequences that did something else when they ran in another order.
    pub unstable: usize,
    /// Sequences that break a contract, so that they are no tests of what is right: the call and the contract, each once.
    pub broken_contracts: Vec<String>,
    /// What became of the sources on disk.
    pub files: FileChanges,
}

/// The names of the columns of [`row`].
pub fn header() -> String {
    format!(
        "  {:>9}  {:>10}  {:>10}  {:>10}  {:>7}  {:>10}  {:>8}  {:>9}",
        "iteration", "tests", "new states", "states", "edges", "threw", "killed", "seconds"
    )
}

/// An iteration, and how long it took.
pub fn row(row: &IterationReport, seconds: f64) -> String {
    let IterationReport { iteration, tests, new_states, states, edges, threw, killed, unlinkable, .. } = *row;
    let cell = |count: usize| grouped(count as u64);
    format!(
        "  {iteration:>9}  {:>10}  {:>10}  {:>10}  {:>7}  {:>10}  {:>8}  {seconds:>9.2}",
        grouped(tests),
        cell(new_states),
        cell(states),
        cell(edges),
        grouped(threw),
        grouped(killed + unlinkable),
    )
}

impl SymbolicReport {
    fn add_to(&self, text: &mut String) {
        let SymbolicReport { unsolved, differing, answered_at_once, asked, .. } = *self;
        let _ = writeln!(
            text,
            "{} to the solver, {} answered without",
            counted(asked, "question"),
            grouped(answered_at_once)
        );
        for (what, found) in
            [("Not interpreted", &self.not_interpreted), ("Continued with one concrete value", &self.made_known)]
        {
            if !found.is_empty() {
                let found: Vec<String> = found.iter().map(|(why, times)| format!("{why} ({times})")).collect();
                let _ = writeln!(text, "{what}: {}", found.join(", "));
            }
        }
        if unsolved > 0 {
            let _ = writeln!(text, "{} without arguments, as the solver found none", counted(unsolved as u64, "path"));
        }
        if self.is_unsure {
            let _ = writeln!(text, "The solver gave no answer to some questions: states may be counted twice");
        }
        if differing > 0 {
            let what = counted(differing as u64, "path");
            let _ = writeln!(
                text,
                "The JVM behaved differently from the interpreter on {what}, left out: please report this"
            );
        }
    }
}

impl ExploreReport {
    /// The report of this version of randgen, with nothing explored yet.
    pub fn new(module: &str) -> ExploreReport {
        let (version, module) = (env!("CARGO_PKG_VERSION").to_string(), module.to_string());
        ExploreReport { schema: SCHEMA, version, module, ..ExploreReport::default() }
    }

    /// What is explored.
    pub fn headline(&self) -> String {
        let calls = counted(self.argument_lists as u64, "call");
        format!("{}: {calls} of {}, states by {}", self.class, self.methods.join(", "), self.state)
    }

    /// What is to be said below the table.
    pub fn text(&self) -> String {
        let last = self.iterations.last().copied().unwrap_or_default();
        let states = counted(last.states as u64, "state");
        let mut text = match self.ended {
            Ended::Iterations => {
                format!("{states} after {} (--iterations)", counted(last.iteration as u64, "iteration"))
            }
            Ended::NothingNew => format!("{states}, which are all that these calls lead to"),
            Ended::StateLimit => {
                format!("Stopped in iteration {}: {states} are known, no more are kept (--max-states)", last.iteration)
            }
        };
        let Coverage { covered, total } = self.edges;
        let _ = writeln!(text, "; {} of {} edges covered", grouped(covered), grouped(total));
        for (what, methods) in [
            ("Called with only some of the possible arguments (--arguments sets others)", &self.shortened),
            ("Given up, as they hang or end the JVM", &self.given_up),
        ] {
            if !methods.is_empty() {
                let _ = writeln!(text, "{what}: {}", methods.join(", "));
            }
        }
        if let Some(symbolic) = &self.symbolic {
            symbolic.add_to(&mut text);
        }
        if let Some(tests) = &self.tests {
            tests.list(&mut text);
        }
        text
    }

    /// With how long each iteration took.
    pub fn files(&self, seconds: &[f64]) -> Result<Vec<ReportFile>, ReportError> {
        let [report, timing] = EXPLORE_FILES.map(str::to_string);
        let seconds = serde_json::json!({ "seconds": seconds });
        Ok(vec![
            ReportFile { name: report, text: serde_json::to_string_pretty(self)? + "\n" },
            ReportFile { name: timing, text: serde_json::to_string_pretty(&seconds)? + "\n" },
        ])
    }
}

impl ExploredTests {
    fn list(&self, text: &mut String) {
        let FileChanges { directory, written, unchanged, kept, .. } = &self.files;
        let tests = counted(self.written.len() as u64, "test");
        let files = counted((written.len() + unchanged.len()) as u64, "file");
        let of = format!(" of the first {} of {}", grouped(MOST_TESTS as u64), counted(self.kept as u64, "sequence"));
        let of = if self.kept > MOST_TESTS { of } else { String::new() };
        let _ = writeln!(text, "{tests}{of} in {files} below {directory}");
        for file in kept {
            let _ = writeln!(text, "  {file} was edited and is left as it is");
        }
        for (what, count) in [
            ("did something else in another order, so there is no test of them", self.unstable),
            ("were dropped when they were verified (explore.json)", self.dropped.len()),
        ] {
            if count > 0 {
                let _ = writeln!(text, "  {} {what}", grouped(count as u64));
            }
        }
        if !self.broken_contracts.is_empty() {
            let _ = writeln!(text, "Broken contracts, which `randgen generate` reports and explains:");
        }
        for contract in &self.broken_contracts {
            let _ = writeln!(text, "  {contract}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploration_columns_align_with_their_header() {
        let iteration =
            IterationReport { iteration: 6, tests: 4_320, new_states: 720, states: 1_957, ..Default::default() };
        let row = row(&iteration, 0.25);
        assert_eq!(row.len(), header().len());
        assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["6", "4,320", "720", "1,957", "0", "0", "0", "0.25"]);
    }

    #[test]
    fn exploration_names_the_flag_of_the_limit_that_ended_it() {
        let iterations = vec![IterationReport { iteration: 8, states: 100_000, ..IterationReport::default() }];
        let report = ExploreReport { iterations, ..ExploreReport::new("shop") };
        assert_eq!(report.text(), "100,000 states after 8 iterations (--iterations); 0 of 0 edges covered\n");
        let text = ExploreReport { ended: Ended::StateLimit, ..report }.text();
        assert!(text.starts_with("Stopped in iteration 8: 100,000 states are known, no more are kept (--max-states)"));
    }
}

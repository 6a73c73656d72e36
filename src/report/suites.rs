//! Reports on existing suites: their assessment, a selection of tests that add to one, and a smaller equivalent suite.

use super::summary::{counted, grouped, mutant_line};
use super::{Coverage, Mutants, ReportError, ReportFile, SCHEMA};
use serde::Serialize;
use std::fmt::Write;

/// Tests that the console names; the report has them all.
const SHOWN: usize = 10;

/// The files that each command writes.
pub const ASSESS_FILES: [&str; 1] = ["assess.json"];
/// Of `select`.
pub const SELECT_FILES: [&str; 2] = ["select.json", "surefire-includes.txt"];
/// Of `minimize`.
pub const MINIMIZE_FILES: [&str; 2] = ["minimize.json", "surefire-excludes.txt"];

/// What is known of a suite, however it is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuiteFacts {
    /// Version of the document's shape.
    pub schema: u32,
    /// Version of randgen.
    pub version: String,
    /// The module's name.
    pub module: String,
    /// Tests that were traced; all further figures are theirs.
    pub tests: usize,
    /// Calls of methods under test that the tests make.
    pub method_executions: usize,
    /// Edges that the tests cover.
    pub edges: Coverage,
    /// Exceptions that left a method that a test called, each with that method; sorted.
    pub uncaught_exceptions: Vec<String>,
    /// If they were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutants: Option<Mutants>,
    /// Tests that were not traced.
    pub left_out: Vec<LeftOutTest>,
}

/// A test, or a class of tests, of which nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LeftOutTest {
    /// The test, or the class.
    pub test: String,
    /// A word for tools.
    pub reason: String,
    /// The same in words for people.
    pub detail: String,
}

impl SuiteFacts {
    /// The facts of this version of randgen, with nothing known yet.
    pub fn new(module: &str) -> SuiteFacts {
        let (version, module) = (env!("CARGO_PKG_VERSION").to_string(), module.to_string());
        SuiteFacts { schema: SCHEMA, version, module, ..SuiteFacts::default() }
    }

    fn headline(&self) -> String {
        let (tests, executions) = (self.tests as u64, self.method_executions as u64);
        let edges = format!("{} of {} edges covered", grouped(self.edges.covered), grouped(self.edges.total));
        let (tests, executions) = (counted(tests, "test"), counted(executions, "method execution"));
        let mutants = self.mutants.as_ref().map(|mutants| format!("\n{}", mutant_line(mutants)));
        format!("{}: {tests} with {executions}, {edges}{}", self.module, mutants.unwrap_or_default())
    }

    fn left_out_list(&self, text: &mut String) {
        if self.left_out.is_empty() {
            return;
        }
        let _ = writeln!(text, "\nLeft out");
        for test in self.left_out.iter().take(SHOWN) {
            let detail = test.detail.lines().next().unwrap_or_default();
            let _ = writeln!(text, "  {}: {}", test.test, shortened(detail));
        }
        if let Some(more @ 1..) = self.left_out.len().checked_sub(SHOWN) {
            let _ = writeln!(text, "  and {} more", grouped(more as u64));
        }
    }
}

/// A line that stays on one of the console's.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// How redundant a suite is in each state representation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AssessReport {
    /// The suite that is assessed.
    #[serde(flatten)]
    pub suite: SuiteFacts,
    /// One for each state representation.
    pub representations: Vec<Redundancy>,
}

/// What one representation finds redundant, tests and their method executions in order of their names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Redundancy {
    /// What tells states apart.
    pub state: String,
    /// Tests of which each method execution has an equivalent before it.
    pub redundant_tests: usize,
    /// Their share.
    pub redundant_tests_percent: f64,
    /// Method executions with an equivalent before them.
    pub redundant_method_executions: usize,
    /// Their share.
    pub redundant_method_executions_percent: f64,
}

impl AssessReport {
    /// For the console.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n\n", self.suite.headline());
        let _ = writeln!(text, "  {:15}  {:>21}  {:>27}", "state", "redundant tests", "redundant method executions");
        for row in &self.representations {
            let share = |count: usize, percent: f64| format!("{}  {percent:5.1} %", grouped(count as u64));
            let tests = share(row.redundant_tests, row.redundant_tests_percent);
            let executions = share(row.redundant_method_executions, row.redundant_method_executions_percent);
            let _ = writeln!(text, "  {:15}  {tests:>21}  {executions:>27}", row.state);
        }
        self.suite.left_out_list(&mut text);
        text
    }

    /// The report as JSON.
    pub fn files(&self) -> Result<Vec<ReportFile>, ReportError> {
        Ok(vec![json(ASSESS_FILES[0], self)?])
    }
}

/// Tests of another suite that add to one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelectReport {
    /// The existing suite.
    #[serde(flatten)]
    pub suite: SuiteFacts,
    /// What tells states apart.
    pub state: String,
    /// Tests of the other suite that were traced.
    pub candidates: usize,
    /// Those that add; in order of their names.
    pub selected: Vec<String>,
    /// Edges that the suite covers with the selected tests.
    pub edges_with_selected: Coverage,
    /// Mutants that the suite kills with the selected tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutants_killed_with_selected: Option<usize>,
}

impl SelectReport {
    /// For the console.
    pub fn text(&self) -> String {
        let candidates = counted(self.candidates as u64, "test");
        let selected = grouped(self.selected.len() as u64);
        let mutants = self.mutants_killed_with_selected;
        let mutants =
            mutants.map(|killed| format!(", {} killed", counted(killed as u64, "mutant"))).unwrap_or_default();
        let mut text = format!(
            "{}\n{selected} of {candidates} are not redundant under {}: {} of {} edges covered with them{mutants}\n",
            self.suite.headline(),
            self.state,
            grouped(self.edges_with_selected.covered),
            grouped(self.edges_with_selected.total),
        );
        for test in &self.selected {
            let _ = writeln!(text, "  {test}");
        }
        self.suite.left_out_list(&mut text);
        text
    }

    /// Surefire takes the list as `-Dsurefire.includesFile`.
    pub fn files(&self) -> Result<Vec<ReportFile>, ReportError> {
        Ok(vec![json(SELECT_FILES[0], self)?, list(SELECT_FILES[1], &self.selected)])
    }
}

/// A part of a suite that has all its method executions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MinimizeReport {
    /// Before.
    #[serde(flatten)]
    pub suite: SuiteFacts,
    /// What tells states apart.
    pub state: String,
    /// Tests of the part, in order of their names.
    pub kept: Vec<String>,
    /// The other tests.
    pub excluded: Vec<String>,
    /// What the kept tests do when they run alone.
    pub kept_method_executions: usize,
    /// Edges that the kept tests cover.
    pub kept_edges: Coverage,
    /// Edges that they do not cover and the suite does.
    pub lost_edges: Vec<String>,
    /// Exceptions that they do not show and the suite does.
    pub lost_exceptions: Vec<String>,
    /// Mutants that they kill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_mutants_killed: Option<usize>,
    /// Mutants that they do not kill and the suite does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost_mutants: Vec<String>,
    /// Kept tests that do not pass without the others.
    pub broken: Vec<String>,
}

impl MinimizeReport {
    /// For the console.
    pub fn text(&self) -> String {
        let suite = &self.suite;
        let (kept, tests) = (grouped(self.kept.len() as u64), counted(suite.tests as u64, "test"));
        let mut text = format!(
            "{}: {kept} of {tests} have all method executions under {}\n\n  {:19}  {:>12}  {:>12}\n",
            suite.module, self.state, "", "before", "after"
        );
        let exceptions = suite.uncaught_exceptions.len();
        let mutants = suite.mutants.iter().zip(self.kept_mutants_killed);
        let rows = [
            ("tests", suite.tests, self.kept.len()),
            ("method executions", suite.method_executions, self.kept_method_executions),
            ("edges covered", suite.edges.covered as usize, self.kept_edges.covered as usize),
            ("uncaught exceptions", exceptions, exceptions - self.lost_exceptions.len()),
        ];
        let of_mutants = mutants.map(|(mutants, kept)| ("mutants killed", mutants.killed, kept));
        for (what, before, after) in rows.into_iter().chain(of_mutants) {
            let _ = writeln!(text, "  {what:19}  {:>12}  {:>12}", grouped(before as u64), grouped(after as u64));
        }
        if let Some(mutants) = &suite.mutants {
            let _ = writeln!(text, "\n{}", mutant_line(mutants));
        }
        for (what, lost) in [
            ("Edges lost", &self.lost_edges),
            ("Exceptions lost", &self.lost_exceptions),
            ("Mutants lost", &self.lost_mutants),
            ("Do not pass without the others", &self.broken),
        ] {
            if !lost.is_empty() {
                let _ = writeln!(text, "\n{what}: {}", grouped(lost.len() as u64));
            }
            for each in lost.iter().take(SHOWN) {
                let _ = writeln!(text, "  {each}");
            }
        }
        suite.left_out_list(&mut text);
        text
    }

    /// Surefire takes the list as `-Dsurefire.excludesFile`.
    pub fn files(&self) -> Result<Vec<ReportFile>, ReportError> {
        Ok(vec![json(MINIMIZE_FILES[0], self)?, list(MINIMIZE_FILES[1], &self.excluded)])
    }
}

fn json(name: &str, report: &impl Serialize) -> Result<ReportFile, ReportError> {
    Ok(ReportFile { name: name.to_string(), text: serde_json::to_string_pretty(report)? + "\n" })
}

fn list(name: &str, tests: &[String]) -> ReportFile {
    ReportFile { name: name.to_string(), text: tests.iter().map(|test| format!("{test}\n")).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redundancy_table_has_a_row_per_state_abstraction() {
        let suite = SuiteFacts { tests: 3, method_executions: 13, ..SuiteFacts::new("shop") };
        let row = Redundancy {
            state: "whole-state".to_string(),
            redundant_tests: 1,
            redundant_tests_percent: 100.0 / 3.0,
            redundant_method_executions: 6,
            redundant_method_executions_percent: 600.0 / 13.0,
        };
        let text = AssessReport { suite, representations: vec![row] }.text();
        let row = text.lines().last().unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells, ["whole-state", "1", "33.3", "%", "6", "46.2", "%"], "{text}");
        assert!(text.starts_with("shop: 3 tests with 13 method executions, 0 of 0 edges covered\n"), "{text}");
    }
}

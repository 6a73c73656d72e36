//! What is to be told of specifications: clauses of classes and methods, and the tests that broke earlier ones.

mod page;

use super::summary::{counted, grouped};
use super::{DroppedTest, FileChanges, ReportError, ReportFile, SCHEMA};
use serde::Serialize;
use std::fmt::Write;

/// The files that `randgen specs` writes.
pub const SPECS_FILES: [&str; 2] = ["specs.json", "specs.html"];

/// Clauses of one place that the console shows.
const SHOWN: usize = 24;

/// The specification of a module, and how it came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpecificationReport {
    pub schema: u32,
    /// Version of randgen.
    pub version: String,
    pub module: String,
    pub seed: u64,
    /// The project's own tests that were learnt from; where there are none, those sequences that the search keeps.
    pub own_tests: usize,
    pub sequences: usize,
    pub method_executions: u64,
    pub distinct_method_executions: usize,
    pub states: usize,
    pub iterations: Vec<Iteration>,
    /// The last iteration broke nothing.
    pub fixed_point: bool,
    /// Equations that held of what was learnt from, and do not of all that was executed, each with a test that shows it.
    pub broken_equations: Vec<SelectedTest>,
    pub classes: Vec<ClassSpecification>,
    /// With `--axiom-tests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axiom_tests: Option<AxiomTests>,
    /// Tests that break what was accepted.
    pub broken: Vec<SelectedTest>,
    /// What was accepted of methods that are not there any more.
    pub gone: Vec<String>,
}

/// What one iteration found at odds with what was inferred before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Iteration {
    pub clauses: usize,
    pub with_guards: Vec<SelectedTest>,
    pub without_guards: Vec<SelectedTest>,
}

/// A test that breaks what was inferred from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SelectedTest {
    pub method: String,
    /// The broken clauses that no test before it breaks, or the exception that was not known.
    pub violates: Vec<String>,
    pub source: String,
}

/// How what is inferred of a module changed from one version to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SpecificationChanges {
    /// What holds of the older version and not of the newer, each with what the newer does; and what that alone throws.
    pub gone: Vec<SelectedTest>,
    /// What holds of the newer version alone, each with what the older does; and what that alone throws.
    pub new: Vec<SelectedTest>,
}

impl SpecificationChanges {
    /// Each clause with its method and the test that shows it, those that are gone first.
    pub fn lines(&self) -> impl Iterator<Item = (String, &SelectedTest)> {
        let line = |word: &str, test: &SelectedTest| format!("{word} {}: {}", test.method, test.violates.join("; "));
        let gone = self.gone.iter().map(move |test| (line("no longer", test), test));
        gone.chain(self.new.iter().map(move |test| (line("now", test), test)))
    }
}

/// What holds of a class.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClassSpecification {
    pub name: String,
    pub invariants: Vec<String>,
    /// What calls after one another do.
    pub equations: Vec<String>,
    /// Equations that hold nearly always.
    pub common: Vec<CommonEquation>,
    pub methods: Vec<MethodSpecification>,
}

/// An equation, how many compositions of calls keep and break it, and in how many states they begin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CommonEquation {
    pub equation: String,
    pub holds: usize,
    pub fails: usize,
    pub states: usize,
    pub failing_states: usize,
    /// A test that breaks it: a special case, or a fault.
    pub special: Option<SelectedTest>,
}

/// JUnit tests of equations.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AxiomTests {
    /// `p.StackAxiomTest.push`
    pub written: Vec<String>,
    pub dropped: Vec<DroppedTest>,
    pub files: FileChanges,
}

/// What holds of a method.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MethodSpecification {
    pub name: String,
    pub preconditions: Vec<String>,
    pub postconditions: Vec<String>,
    pub exceptional: Vec<String>,
}

impl SpecificationReport {
    pub fn new(module: &str, seed: u64) -> SpecificationReport {
        let (version, module) = (env!("CARGO_PKG_VERSION").to_string(), module.to_string());
        SpecificationReport { schema: SCHEMA, version, module, seed, ..SpecificationReport::default() }
    }

    /// Clauses of all places, and equations.
    pub fn clauses(&self) -> usize {
        let of_method = |method: &MethodSpecification| {
            method.preconditions.len() + method.postconditions.len() + method.exceptional.len()
        };
        let of_class = |class: &ClassSpecification| {
            class.invariants.len() + class.equations.len() + class.methods.iter().map(of_method).sum::<usize>()
        };
        self.classes.iter().map(of_class).sum()
    }

    pub fn text(&self) -> String {
        let mut text = format!(
            "{}: {} of {} from {} ({} distinct)\n",
            self.module,
            counted(self.clauses() as u64, "clause"),
            match self.classes.len() {
                1 => "1 class".to_string(),
                more => format!("{} classes", grouped(more as u64)),
            },
            counted(self.method_executions, "method execution"),
            grouped(self.distinct_method_executions as u64),
        );
        for (index, iteration) in self.iterations.iter().enumerate() {
            let _ = writeln!(
                text,
                "  iteration {}: {}, {} selected with guards, {} without",
                index + 1,
                counted(iteration.clauses as u64, "clause"),
                grouped(iteration.with_guards.len() as u64),
                grouped(iteration.without_guards.len() as u64),
            );
        }
        for class in &self.classes {
            let _ = writeln!(text, "\n{}", class.name);
            class.list(&mut text, SHOWN);
        }
        if let Some(tests) = &self.axiom_tests {
            tests.list(&mut text);
        }
        if !self.broken.is_empty() || !self.gone.is_empty() {
            let _ = write!(text, "\n{}", SpecificationReport::broken_text(&self.module, &self.broken, &self.gone));
        }
        text
    }

    /// What became of what was accepted.
    pub fn broken_text(module: &str, broken: &[SelectedTest], gone: &[String]) -> String {
        let mut text = match broken.len() {
            0 => format!("{module}: what was accepted of its specifications holds\n"),
            count => format!("{module}: {} of its accepted specifications broken\n", grouped(count as u64)),
        };
        for test in broken {
            let _ = writeln!(text, "\n  {}: {}\n{}", test.method, test.violates.join("; "), indented(&test.source));
        }
        for clause in gone {
            let _ = writeln!(text, "  accepted of a method that is not there: {clause}");
        }
        text
    }

    pub fn files(&self) -> Result<Vec<ReportFile>, ReportError> {
        let texts = [serde_json::to_string_pretty(self)? + "\n", page::render(self)];
        let file = |(name, text): (&str, String)| ReportFile { name: name.to_string(), text };
        Ok(SPECS_FILES.into_iter().zip(texts).map(file).collect())
    }
}

impl ClassSpecification {
    /// A line for each clause, at most so many of one place.
    fn list(&self, text: &mut String, most: usize) {
        list(text, "invariant", "  ", &self.invariants, most);
        list(text, "axiom", "  ", &self.equations, most);
        let told = |common: &CommonEquation| {
            let CommonEquation { equation, states, failing_states, .. } = common;
            format!("{equation} ({} of {states} states)", states - failing_states)
        };
        let common: Vec<String> = self.common.iter().map(told).collect();
        list(text, "common", "  ", &common, most);
        for method in &self.methods {
            let _ = writeln!(text, "  {}", method.name);
            list(text, "pre", "    ", &method.preconditions, most);
            list(text, "post", "    ", &method.postconditions, most);
            list(text, "throws", "    ", &method.exceptional, most);
        }
    }
}

impl AxiomTests {
    fn list(&self, text: &mut String) {
        let FileChanges { directory, written, unchanged, kept, .. } = &self.files;
        let tests = counted(self.written.len() as u64, "test");
        let files = counted((written.len() + unchanged.len()) as u64, "file");
        let _ = writeln!(text, "\n{tests} of axioms in {files} below {directory}");
        for file in kept {
            let _ = writeln!(text, "  {file} was edited and is left as it is");
        }
        if !self.dropped.is_empty() {
            let dropped = grouped(self.dropped.len() as u64);
            let _ = writeln!(text, "  {dropped} were dropped when they were verified (specs.json)");
        }
    }
}

fn indented(source: &str) -> String {
    source.lines().map(|line| format!("    {line}\n")).collect()
}

fn list(text: &mut String, place: &str, indent: &str, clauses: &[String], most: usize) {
    for clause in clauses.iter().take(most) {
        let _ = writeln!(text, "{indent}@{place} {clause}");
    }
    if let Some(more @ 1..) = clauses.len().checked_sub(most) {
        let _ = writeln!(text, "{indent}@{place} and {} more", grouped(more as u64));
    }
}

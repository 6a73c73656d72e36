//! What is to be told of specifications: clauses of classes and methods, and the tests that broke earlier ones.

pub(super) mod page;

use super::summary::{counted, grouped};
use super::{DroppedTest, FileChanges, HTML, ReportError, ReportFile, RunReport, SCHEMA, SourceTexts, html};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What `randgen specs` writes for tools; people read it in `report.html`.
pub const SPECS: &str = "specs.json";

/// Clauses of one place that the console shows.
const SHOWN: usize = 24;

/// The specification of a module, and how it came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpecificationReport {
    /// Version of the document's shape.
    pub schema: u32,
    /// Version of randgen.
    pub version: String,
    /// The module's name.
    pub module: String,
    /// All randomness comes from it.
    pub seed: u64,
    /// The project's own tests that were learnt from; where there are none, those sequences that the search keeps.
    pub own_tests: usize,
    /// Sequences that were executed.
    pub sequences: usize,
    /// Calls of methods that were observed.
    pub method_executions: u64,
    /// Those of them that differ in method, inputs, states or end.
    pub distinct_method_executions: usize,
    /// States that objects were seen in.
    pub states: usize,
    /// In their order.
    pub iterations: Vec<Iteration>,
    /// The last iteration found nothing new.
    #[serde(rename = "fixed_point")]
    pub is_fixed_point: bool,
    /// Equations that held of what was learnt from, and do not of all that was executed, each with a test that shows it.
    pub broken_equations: Vec<SelectedTest>,
    /// What was inferred, by class.
    pub classes: Vec<ClassSpecification>,
    /// With `--axiom-tests`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axiom_tests: Option<AxiomTests>,
    /// What was accepted.
    pub accepted: Vec<ClassSpecification>,
    /// Tests that break what was accepted.
    pub broken: Vec<SelectedTest>,
    /// What was accepted of methods that are not there any more.
    pub gone: Vec<String>,
}

/// What one iteration found at odds with what was inferred before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Iteration {
    /// Clauses that were inferred before it.
    pub clauses: usize,
    /// Tests that fulfil the preconditions of what they call.
    pub with_guards: Vec<SelectedTest>,
    /// Tests that count without regard to preconditions alone.
    pub without_guards: Vec<SelectedTest>,
}

/// A test that breaks what was inferred from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SelectedTest {
    /// The class that promises what is broken.
    pub class: String,
    /// The method whose call breaks it.
    pub method: String,
    /// The broken clauses that no test before it breaks, or the exception that was not known.
    pub violates: Vec<String>,
    /// Source of the test.
    pub source: String,
}

/// The specifications of a module that differ between two versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpecificationChanges {
    /// Specifications of the older version that the newer violates, and exceptions that only the older throws.
    pub gone: Vec<SelectedTest>,
    /// Specifications of the newer version that the older violates, and exceptions that only the newer throws.
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClassSpecification {
    /// Binary name.
    pub name: String,
    /// Between calls.
    pub invariants: Vec<String>,
    /// What calls after one another do.
    pub equations: Vec<String>,
    /// Equations that hold nearly always.
    pub common: Vec<CommonEquation>,
    /// Those that something is known of.
    pub methods: Vec<MethodSpecification>,
}

/// An equation, how many compositions of calls keep and break it, and in how many states they begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CommonEquation {
    /// As text.
    pub equation: String,
    /// Compositions that keep it.
    pub holds: usize,
    /// Compositions that break it.
    pub fails: usize,
    /// States that compositions begin in.
    pub states: usize,
    /// Those of them where some composition breaks it.
    pub failing_states: usize,
    /// A test that breaks it: a special case, or a fault.
    pub special: Option<SelectedTest>,
}

/// JUnit tests of equations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AxiomTests {
    /// `p.StackAxiomTest.push`
    pub written: Vec<String>,
    /// Tests that were generated and left out.
    pub dropped: Vec<DroppedTest>,
    /// What became of the sources on disk.
    pub files: FileChanges,
}

/// What holds of a method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodSpecification {
    /// With its class and its parameters' types.
    pub name: String,
    /// Where the method begins.
    pub preconditions: Vec<String>,
    /// Where it returns.
    pub postconditions: Vec<String>,
    /// Where it throws: when, and what holds then.
    pub exceptional: Vec<String>,
}

impl SpecificationReport {
    /// The report of this version of randgen, with nothing inferred yet.
    pub fn new(module: &str, seed: u64) -> SpecificationReport {
        let (version, module) = (env!("CARGO_PKG_VERSION").to_string(), module.to_string());
        SpecificationReport { schema: SCHEMA, version, module, seed, ..SpecificationReport::default() }
    }

    /// Without what became of what was accepted.
    pub fn inferred(self) -> SpecificationReport {
        SpecificationReport { accepted: Vec::new(), broken: Vec::new(), gone: Vec::new(), ..self }
    }

    /// With what became of what was accepted in another run over the module, and with what that inferred where this inferred
    /// nothing.
    pub fn join(self, other: SpecificationReport) -> SpecificationReport {
        let (mut joined, other) = if self.iterations.is_empty() { (other, self) } else { (self, other) };
        add(&mut joined.accepted, &other.accepted);
        add(&mut joined.broken, &other.broken);
        add(&mut joined.gone, &other.gone);
        joined
    }

    /// Clauses of all places, and equations.
    pub fn clauses(&self) -> usize {
        self.classes.iter().map(ClassSpecification::clauses).sum()
    }

    /// How the loop ended.
    fn end(&self) -> &'static str {
        match self.is_fixed_point {
            true => "a fixed point: the last iteration found nothing new",
            false => "no fixed point: the last iteration still found something new",
        }
    }

    /// For the console.
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
        if !self.iterations.is_empty() {
            let _ = writeln!(text, "  {}", self.end());
        }
        for class in &self.classes {
            let _ = writeln!(text, "\n{}", class.name);
            class.lines(SHOWN).iter().for_each(|line| text.extend([&line.text, "\n"]));
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
            0 => format!("{module}: all accepted specifications hold\n"),
            count => format!("{module}: {} of its accepted specifications broken\n", grouped(count as u64)),
        };
        for test in broken {
            let _ = writeln!(text, "\n  {}: {}", test.method, test.violates.join("; "));
            text.push_str(&indented(test.source.trim_end()));
        }
        for clause in gone {
            let _ = writeln!(text, "  accepted for a method that no longer exists: {clause}");
        }
        text
    }

    /// `report.html` with the last run over the module, where there was one.
    pub fn page(&self, run: Option<(&RunReport, &SourceTexts)>) -> ReportFile {
        let text = match run {
            Some((report, texts)) => html::render(report, texts, Some(self)),
            None => html::render_specification(self),
        };
        ReportFile { name: HTML.to_string(), text }
    }

    /// For tools.
    pub fn json(&self) -> Result<ReportFile, ReportError> {
        Ok(ReportFile { name: SPECS.to_string(), text: serde_json::to_string_pretty(self)? + "\n" })
    }
}

/// A line that people read.
struct Line<'a> {
    /// The method; nothing of lines of the class.
    of: &'a str,
    text: String,
    /// What the line says, if that is a clause.
    clause: Option<&'a str>,
}

impl ClassSpecification {
    /// Clauses of all places, and equations.
    fn clauses(&self) -> usize {
        let of_method = |method: &MethodSpecification| {
            method.preconditions.len() + method.postconditions.len() + method.exceptional.len()
        };
        self.invariants.len() + self.equations.len() + self.methods.iter().map(of_method).sum::<usize>()
    }

    /// A line for each clause, at most so many of one place.
    fn lines(&self, most: usize) -> Vec<Line<'_>> {
        let mut lines = list("", "invariant", &self.invariants, most);
        lines.extend(list("", "axiom", &self.equations, most));
        let common = self.common.iter().take(most).map(|common| {
            let CommonEquation { equation, states, failing_states, .. } = common;
            let text = format!("  @common {equation} ({} of {states} states)", states - failing_states);
            Line { of: "", text, clause: None }
        });
        lines.extend(common);
        lines.extend(left_out("", "common", self.common.len(), most));
        for method in &self.methods {
            let of = &*method.name;
            lines.push(Line { of, text: format!("  {of}"), clause: None });
            lines.extend(list(of, "pre", &method.preconditions, most));
            lines.extend(list(of, "post", &method.postconditions, most));
            lines.extend(list(of, "throws", &method.exceptional, most));
        }
        lines
    }

    /// Takes in what the other says beyond this.
    fn add(&mut self, other: &ClassSpecification) {
        add(&mut self.invariants, &other.invariants);
        add(&mut self.equations, &other.equations);
        self.common.extend(other.common.iter().cloned());
        for method in &other.methods {
            let at = self.methods.iter().position(|own| own.name == method.name).unwrap_or_else(|| {
                let name = method.name.clone();
                self.methods.push(MethodSpecification { name, ..MethodSpecification::default() });
                self.methods.len() - 1
            });
            let own = &mut self.methods[at];
            add(&mut own.preconditions, &method.preconditions);
            add(&mut own.postconditions, &method.postconditions);
            add(&mut own.exceptional, &method.exceptional);
        }
    }
}

fn add<T: Clone + PartialEq>(own: &mut Vec<T>, others: &[T]) {
    for other in others {
        if !own.contains(other) {
            own.push(other.clone());
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

fn list<'a>(of: &'a str, place: &str, clauses: &'a [String], most: usize) -> Vec<Line<'a>> {
    let indent = indent(of);
    let line = |clause: &'a String| Line { of, text: format!("{indent}@{place} {clause}"), clause: Some(clause) };
    clauses.iter().take(most).map(line).chain(left_out(of, place, clauses.len(), most)).collect()
}

fn left_out<'a>(of: &'a str, place: &str, count: usize, most: usize) -> Option<Line<'a>> {
    let more = count.checked_sub(most).filter(|more| *more > 0)?;
    Some(Line { of, text: format!("{}@{place} and {} more", indent(of), grouped(more as u64)), clause: None })
}

/// Clauses of methods stand below the method.
fn indent(of: &str) -> &'static str {
    if of.is_empty() { "  " } else { "    " }
}

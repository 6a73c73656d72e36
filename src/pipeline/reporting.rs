//! From what a run did to its report.

mod class;
mod finding;
mod untested;

use crate::engine::Engine;
use crate::inputs::Inputs;
use crate::kept::Kept;
use crate::subject::Subject;
use crate::suites::Suites;
use model::jvm::ClassName;
use model::sequence::Sequence;
use oracle::Finding;
use report::{self, ClassReport, DroppedTest, Obstacle, Reason, WorkerDeath};
use std::collections::{BTreeMap, BTreeSet};

pub use class::classes;
pub use untested::of_skip;

/// A test that passed verification: which selected sequence it came from, and where it stands.
pub struct Written {
    /// Indices into `Engine::selection.selected`.
    pub selected: Vec<usize>,
    /// Name of the test method.
    pub method: String,
    /// Path of its file below the output directory.
    pub file: String,
    /// What it asserts, by the statement that made the value; nothing is known of tests of several sequences.
    pub assertions: BTreeMap<usize, String>,
}

impl Written {
    /// `p.StackRandgenTest.push_returns3`
    pub fn full_name(&self) -> String {
        let class = self.file.strip_suffix(".java").unwrap_or(&self.file).replace('/', ".");
        format!("{class}.{}", self.method)
    }
}

/// The tests of one class.
#[derive(Default)]
pub struct ClassTests {
    /// The written tests.
    pub written: Vec<Written>,
    /// The dropped tests.
    pub dropped: Vec<DroppedTest>,
}

/// A finding with the source of its test.
pub struct FindingTest<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// `None` without a test that was seen to fail.
    pub source: Option<FindingSource>,
}

/// The test method of a finding, and the file that it is in, as `SourceFile::relative_path` has it.
pub struct FindingSource {
    /// Name of the test method.
    pub method: String,
    /// Path of its file below the output directory.
    pub file: String,
    /// Source of the test.
    pub text: String,
}

/// The reports on classes that the settings exclude.
pub fn excluded(classes: &[ClassName]) -> Vec<ClassReport> {
    let obstacle = Obstacle { reason: Reason::Excluded, detail: String::new() };
    let report = |class: &ClassName| ClassReport {
        name: class.binary(),
        unusable: Some(obstacle.clone()),
        ..ClassReport::default()
    };
    classes.iter().map(report).collect()
}

/// Of each class, those of the module that its tests call, be it to show a finding.
pub fn called_classes<'a>(
    subject: &Subject,
    engine: &Engine,
    (suites, kept): (&Suites, &Kept),
    classes: impl Iterator<Item = &'a ClassName>,
    inputs: &Inputs,
) -> BTreeMap<String, BTreeSet<ClassName>> {
    let operations = &subject.program.operations;
    let mut called: BTreeMap<String, BTreeSet<ClassName>> =
        classes.map(|class| (class.binary(), BTreeSet::new())).collect();
    let mut add = |class: &ClassName, sequence: &Sequence| {
        let owners = sequence.calls().map(|id| &operations[id.0 as usize].owner);
        called.entry(class.binary()).or_default().extend(owners.filter(|owner| inputs.is_own(owner)).cloned());
    };
    for (class, tests) in &suites.tests {
        let selected = tests.written.iter().flat_map(|test| &test.selected);
        selected.for_each(|&index| add(class, &engine.selection.tests[index].sequence));
    }
    for (class, kept) in &kept.classes {
        let own = kept.mentioned.iter().filter(|mentioned| inputs.is_own(mentioned));
        called.entry(class.binary()).or_default().extend(own.cloned());
    }
    let mut add = |class: &ClassName, sequence: &Sequence| {
        let owners = sequence.calls().map(|id| &operations[id.0 as usize].owner);
        called.entry(class.binary()).or_default().extend(owners.filter(|owner| inputs.is_own(owner)).cloned());
    };
    suites.findings.iter().for_each(|test| add(&test.finding.class, &test.finding.sequence));
    called
}

/// The kills that quarantined an operation.
pub fn worker_deaths(subject: &Subject, engine: &Engine) -> Vec<WorkerDeath> {
    let mut deaths: BTreeMap<(Reason, Option<String>), u32> = BTreeMap::new();
    for (operation, reason, times) in &engine.result.kills {
        let operation = subject.program.operations[operation.0 as usize].to_string();
        *deaths.entry((Reason::from(reason), Some(operation))).or_default() += *times as u32;
    }
    deaths.into_iter().map(|((reason, operation), times)| WorkerDeath { reason, operation, times }).collect()
}

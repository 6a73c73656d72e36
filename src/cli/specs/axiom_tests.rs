//! JUnit tests of equations, one for each that can be shown in calls: verified as all generated tests are, and written.

use super::compositions::Compositions;
use super::observed::{Observed, Opened};
use super::show::Show;
use crate::classpath::ClassPath;
use crate::cli::engine::EngineError;
use crate::cli::modules::Task;
use crate::cli::suites::{self, Suites};
use crate::cli::{CommandError, generate, settings};
use crate::emitter::{self, Style, TestCase};
use crate::execution::{Detail, Execution, Executor, Outcome, Value};
use crate::jvm::{ClassName, Literal};
use crate::output::Tree;
use crate::progress::{Event, Listener, Stage};
use crate::report::specifications::AxiomTests;
use crate::sequence::Sequence;
use crate::specification::algebraic::{Aspect, Supported};
use std::collections::{BTreeMap, BTreeSet};

/// Makes the tests, and puts those that pass into the module instead of earlier ones of its classes.
pub fn write(
    task: &Task,
    opened: &Opened,
    observed: &Observed,
    equations: &[Supported],
) -> Result<AxiomTests, CommandError> {
    let Task { module, options, jdk, console, interrupt } = *task;
    let directory = module.output_directory(options);
    let root = settings::writable_root(module, &directory);
    let tree = if options.dry_run { Tree::look(&directory, root) } else { Tree::open(&directory, root) }?;
    console.announce(Event::StageStarted(Stage::Observing));
    let by_class = cases(opened, observed, equations)?;

    console.announce(Event::StageStarted(Stage::Verifying));
    let program = &opened.subject.program;
    let mut suites = Suites::default();
    if !by_class.is_empty() {
        let style = Style { label: emitter::label::AXIOM, ..opened.target.style.clone() };
        let class_path = ClassPath::open(&module.classes, &module.dependencies, jdk.feature_version)?;
        let scratch = opened.scratch().join("axioms");
        let verification =
            suites::verification_of(module, options, jdk, &class_path, &opened.target, scratch, interrupt);
        suites::verify_tests(program, &style, &verification, by_class, &mut suites);
    }
    if let Some(error) = suites.ended_early {
        return Err(error.into());
    }
    console.announce(Event::StageStarted(Stage::Writing));
    let is_stale = generate::stale(Some(program), true, options, emitter::label::AXIOM);
    let files = generate::write_tests(tree, &suites::generated_files(&suites.files), &is_stale, module, options)?;
    let tests = || suites.tests.values();
    Ok(AxiomTests {
        written: tests().flat_map(|tests| &tests.written).map(|test| test.full_name()).collect(),
        dropped: tests().flat_map(|tests| tests.dropped.clone()).collect(),
        files,
    })
}

/// A case for each axiom whose example does what it says, by class.
fn cases(
    opened: &Opened,
    observed: &Observed,
    equations: &[Supported],
) -> Result<BTreeMap<ClassName, Vec<(usize, TestCase)>>, CommandError> {
    let compositions = Compositions::new(opened, observed);
    let shown = |found: &'_ Supported| compositions.shown(&found.equation, found.example?);
    let axioms = equations.iter().filter(|found| found.fails == 0);
    let (axioms, sequences): (Vec<&Supported>, Vec<Sequence>) =
        axioms.filter_map(|found| Some((found, shown(found)?))).unzip();
    let executions =
        Show::start(opened, observed)?.executor.execute(&sequences, Detail::Observe).map_err(EngineError::from)?;
    let mut by_class: BTreeMap<ClassName, Vec<(usize, TestCase)>> = BTreeMap::new();
    for (number, ((found, sequence), execution)) in axioms.into_iter().zip(sequences).zip(executions).enumerate() {
        if !does_as_said(found.equation.aspect, &execution) {
            continue;
        }
        let case = TestCase {
            alone: true,
            asserted: Some(BTreeSet::from([sequence.len() - 1])),
            note: Some(found.equation.text(&opened.methods)),
            ..TestCase::regression(sequence, execution)
        };
        by_class.entry(found.equation.class.clone()).or_default().push((number, case));
    }
    Ok(by_class)
}

/// Objects that were made again may differ from those that were observed.
fn does_as_said(aspect: Aspect, execution: &Execution) -> bool {
    let is_quiet = execution.outcome == Outcome::Completed && !execution.environment_dependent;
    let last = execution.values.last();
    is_quiet
        && execution.denied.is_none()
        && match aspect {
            Aspect::State => last == Some(&Value::Literal(Literal::Boolean(true))),
            Aspect::Result => last.is_some_and(|value| matches!(value, Value::Literal(_) | Value::Null)),
        }
}

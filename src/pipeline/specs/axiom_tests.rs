//! JUnit tests of equations, one for each that can be shown in calls: verified as all generated tests are, and written.

use super::compositions::{Compositions, Shown};
use super::observed::{Observed, Opened};
use super::show::Show;
use crate::engine::EngineError;
use crate::suites::{self, KeptByClass, Suites};
use crate::task::Task;
use crate::task::writable_root;
use crate::{PipelineError, writing};
use emitter::{self, Style, TestCase};
use host::classpath::ClassPath;
use host::output::Tree;
use host::supervisor::verification::Workspace;
use model::execution::{Detail, Executor};
use model::jvm::ClassName;
use model::progress::{Event, Stage};
use model::sequence::Sequence;
use report::specifications::AxiomTests;
use specification::algebraic::{Equation, Supported};
use std::collections::BTreeMap;

/// Makes the tests, and puts those that pass into the module instead of earlier ones of its classes.
pub fn write(
    task: &Task,
    opened: &Opened,
    observed: &Observed,
    equations: &[Supported],
) -> Result<AxiomTests, PipelineError> {
    let Task { module, options, jdk, listener, .. } = *task;
    let directory = module.output_directory(options);
    let root = writable_root(module, &directory);
    let tree = if options.dry_run { Tree::look(&directory, root) } else { Tree::open(&directory, root) }?;
    listener.announce(Event::StageStarted(Stage::Observing));
    let by_class = cases(opened, observed, equations)?;

    listener.announce(Event::StageStarted(Stage::Verifying));
    let program = &opened.subject.program;
    let mut suites = Suites::default();
    if !by_class.is_empty() {
        let style = Style { label: emitter::label::AXIOM, ..opened.target.style.clone() };
        let class_path = ClassPath::open(&module.classes, &module.dependencies, jdk.feature_version)?;
        let scratch = opened.scratch().join("axioms");
        let verification = suites::verification_of(task, &class_path, &opened.target, scratch);
        let compiler = (&verification, &mut Workspace::new(&verification));
        suites::verify_tests(program, &style, compiler, (by_class, &KeptByClass::new()), &mut suites);
    }
    if let Some(error) = suites.ended_early {
        return Err(error.into());
    }
    listener.announce(Event::StageStarted(Stage::Writing));
    let is_stale = writing::stale(Some(program), true, options, emitter::label::AXIOM);
    let files = writing::write_tests(tree, &suites::generated_files(&suites.files), &is_stale, module, options)?;
    let tests = || suites.tests.values();
    Ok(AxiomTests {
        written: tests().flat_map(|tests| &tests.written).map(|test| test.full_name()).collect(),
        dropped: tests().flat_map(|tests| tests.dropped.clone()).collect(),
        files,
    })
}

/// A case for each axiom whose example shows it, by class.
fn cases(
    opened: &Opened,
    observed: &Observed,
    equations: &[Supported],
) -> Result<BTreeMap<ClassName, Vec<(usize, TestCase)>>, PipelineError> {
    let compositions = Compositions::new(opened, observed);
    let axioms = equations.iter().filter(|found| found.fails == 0);
    let shown: Vec<(&Equation, Shown)> = axioms
        .filter_map(|found| Some((&found.equation, compositions.shown(&found.equation, found.example?)?)))
        .collect();
    let sequences: Vec<Sequence> = shown.iter().map(|(_, shown)| shown.sequence.clone()).collect();
    let executions =
        Show::start(opened, observed)?.executor.execute(&sequences, Detail::Observe).map_err(EngineError::from)?;
    let mut by_class: BTreeMap<ClassName, Vec<(usize, TestCase)>> = BTreeMap::new();
    for (number, ((equation, shown), execution)) in shown.into_iter().zip(executions).enumerate() {
        if !shown.holds(&execution) {
            continue;
        }
        let case = TestCase {
            alone: true,
            asserted: Some(shown.asserted()),
            note: Some(equation.text(&opened.methods)),
            ..TestCase::regression(shown.sequence, execution)
        };
        by_class.entry(equation.class.clone()).or_default().push((number, case));
    }
    Ok(by_class)
}

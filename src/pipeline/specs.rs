//! What the classes seem to promise, inferred from calls, and refined by tests that break it.
//!
//! What the user accepts of it stands in a file, and is a contract from then on: this command and `check` fail where calls
//! break it.

mod axiom_tests;
pub mod compositions;
pub mod observed;
pub mod page;
mod show;
pub mod versions;

use crate::PipelineError;
use crate::engine::EngineError;
use crate::task::{Task, writable_root};
use host::files;
use host::output;
use model::execution::ExecutorError;
use model::jvm::ClassName;
use observed::{Observed, Opened};
use report::RunReport;
use report::specifications::{
    ClassSpecification, CommonEquation, Iteration, MethodSpecification, SelectedTest, SpecificationReport,
};
use show::Show;
use specification::accepted::{Accepted, AcceptedError};
use specification::algebraic::{self, Equation, Supported};
use specification::axiomatic::{Specification, Tables};
use specification::observations::{CallId, Ending, Observations};
use specification::{Clause, Place, SpecifiedMethod, refine};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// What the user accepted, in the module's directory.
const ACCEPTED: &str = "randgen-specs.toml";

/// Why accepted specifications cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpecsError {
    /// The file is there, and the system does not let it be read.
    #[error("cannot read the accepted specifications {path}")]
    Unreadable {
        /// In the directory of the module.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file was edited to something that has no meaning.
    #[error("cannot use the accepted specifications {path}: {error}")]
    Refused {
        /// In the directory of the module.
        path: PathBuf,
        /// What is wrong with it.
        error: AcceptedError,
    },
}

/// What to do with what is inferred.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The loop of inference and selection is run so many times at most.
    pub max_iterations: u32,
    /// What is found becomes accepted.
    pub accept: bool,
    /// A JUnit test of each equation is written.
    pub axiom_tests: bool,
}

/// What was inferred of a module.
pub struct Answer {
    /// All specifications, with the tests that violate them.
    pub report: SpecificationReport,
    /// Where the reports are; `None` after a dry run.
    pub reports: Option<PathBuf>,
    /// The file of what was accepted just now.
    pub accepted: Option<PathBuf>,
}

/// Infers the specifications of a module; `None` if the settings select no class of it.
pub fn run(settings: &Settings, task: &Task) -> Result<Option<Answer>, PipelineError> {
    page::check(task)?;
    let file = AcceptedFile::read(task)?;
    let Some(opened) = observed::open(task)? else { return Ok(None) };
    let accepted = file.parse(task, &opened)?;
    let observed = opened.observe(task)?;
    let inferred = infer(task, &opened, &observed, settings.max_iterations)?;
    let mut report = inferred.report;
    if settings.axiom_tests {
        report.axiom_tests = Some(axiom_tests::write(task, &opened, &observed, &inferred.equations)?);
    }
    let promised = if settings.accept { &inferred.found } else { &accepted };
    report.accepted = promises(promised, &opened.methods);
    if !settings.accept {
        report.broken = broken(&opened, &observed, promised)?;
        report.gone = promised.gone.clone();
    }
    let mut answer = Answer { report, reports: None, accepted: None };
    if !task.options.dry_run {
        page::write(task, &answer.report, None)?;
        answer.reports = Some(task.module.reports_directory(task.options));
        if settings.accept {
            let text = inferred.found.render(file.text.as_deref(), &task.module.name, &opened.methods);
            let text = text.map_err(|error| file.refused(error))?;
            output::write_file(&file.path, writable_root(task.module, &file.path), text.as_bytes())?;
            answer.accepted = Some(file.path);
        }
    }
    Ok(Some(answer))
}

/// Makes sure that [`check`] can read what was accepted and say what breaks it.
pub fn check_files(task: &Task) -> Result<(), PipelineError> {
    if AcceptedFile::read(task)?.text.is_some() && !task.options.dry_run {
        page::check(task)?;
    }
    Ok(())
}

/// Whether calls keep what was accepted.
#[derive(Default)]
pub struct Checked {
    /// For the console; empty if nothing was accepted.
    pub text: String,
    /// Calls violate what was accepted.
    pub is_broken: bool,
}

/// Whether calls keep what was accepted, if something was; those that break it are shown, in the page of the run too.
pub fn check(task: &Task, run: &RunReport) -> Result<Checked, PipelineError> {
    let file = AcceptedFile::read(task)?;
    let last = page::last(task);
    if file.text.is_none() {
        if let Some(last) = last.filter(|last| !last.accepted.is_empty() || !last.gone.is_empty()) {
            page::write(task, &last.inferred(), Some(run))?;
        }
        return Ok(Checked::default());
    }
    let Some(opened) = observed::open(task)? else { return Ok(Checked::default()) };
    let accepted = file.parse(task, &opened)?;
    let observed = opened.observe(task)?;
    let report = SpecificationReport {
        broken: broken(&opened, &observed, &accepted)?,
        accepted: promises(&accepted, &opened.methods),
        gone: accepted.gone,
        ..last.unwrap_or_else(|| SpecificationReport::new(&task.module.name, task.options.seed))
    };
    let text = SpecificationReport::broken_text(&report.module, &report.broken, &report.gone);
    page::write(task, &report, Some(run))?;
    Ok(Checked { text, is_broken: !report.broken.is_empty() })
}

/// The file of what was accepted, as it is.
struct AcceptedFile {
    path: PathBuf,
    /// `None` if there is none.
    text: Option<String>,
}

impl AcceptedFile {
    fn read(task: &Task) -> Result<AcceptedFile, SpecsError> {
        let path = task.module.basedir.join(Path::new(ACCEPTED));
        match files::read_text(&path) {
            Ok(text) => Ok(AcceptedFile { path, text: Some(text) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(AcceptedFile { path, text: None }),
            Err(source) => Err(SpecsError::Unreadable { path, source }),
        }
    }

    fn parse(&self, task: &Task, opened: &Opened) -> Result<Accepted, SpecsError> {
        let Some(text) = &self.text else { return Ok(Accepted::default()) };
        Accepted::parse(text, &task.module.name, &opened.methods).map_err(|error| self.refused(error))
    }

    fn refused(&self, error: AcceptedError) -> SpecsError {
        SpecsError::Refused { path: self.path.clone(), error }
    }
}

/// What was inferred, and what is to be told of it.
struct Inferred {
    report: SpecificationReport,
    found: Accepted,
    equations: Vec<Supported>,
}

/// The loop: infer, select what breaks it, infer again.
fn infer(task: &Task, opened: &Opened, observed: &Observed, iterations: u32) -> Result<Inferred, PipelineError> {
    let Observed { observations, tests, .. } = observed;
    let methods = &opened.methods[..];
    let mut report = SpecificationReport {
        own_tests: observed.own_tests,
        sequences: observed.sequences.len(),
        method_executions: observed.method_executions,
        distinct_method_executions: observations.call_count(),
        states: observations.state_count(),
        ..SpecificationReport::new(&task.module.name, task.options.seed)
    };
    let tables = Tables::new(observations, methods);
    let should_continue = || !task.interrupt.load(Ordering::Relaxed);
    let refined = refine::refine(&tables, methods, tests, observed.base.clone(), iterations, &should_continue);
    if !should_continue() {
        return Err(EngineError::from(ExecutorError::Interrupted).into());
    }
    let mut show = Show::start(opened, observed)?;
    for (specification, round) in &refined.rounds {
        report.iterations.push(Iteration {
            clauses: specification.clauses.len(),
            with_guards: show.all(&round.with_guards, &specification.clauses)?,
            without_guards: show.all(&round.without_guards, &specification.clauses)?,
        });
    }
    report.is_fixed_point = refined.is_fixed_point;
    let specification = refined.specification;
    // Equations are inferred from all that was executed at once.
    let everything = everything(observations);
    let axioms = |found: &[Supported]| -> Vec<Equation> {
        found.iter().filter(|found| found.fails == 0).map(|found| found.equation.clone()).collect()
    };
    let learnt = axioms(&algebraic::infer(&tables, methods, &observed.base));
    let broken = algebraic::broken(&tables, methods, &everything, &learnt);
    report.broken_equations = show.special(&broken)?.into_iter().flatten().collect();
    let mut equations = algebraic::infer(&tables, methods, &everything);
    equations.retain(|found| !observed.is_doubtful(&found.equation));
    let special = show.special(&equations)?;
    let common = equations.iter().zip(special).filter(|(found, _)| found.fails > 0);
    report.classes = of_classes(&specification.clauses, &axioms(&equations), common, methods);
    let found = Accepted { clauses: specification.clauses, equations: axioms(&equations), gone: Vec::new() };
    Ok(Inferred { report, found, equations })
}

fn everything(observations: &Observations) -> BTreeSet<CallId> {
    (0..observations.call_count() as CallId).collect()
}

/// Tests that break what was accepted. Preconditions are the caller's side of it: calls beyond them break nothing.
fn broken(opened: &Opened, observed: &Observed, accepted: &Accepted) -> Result<Vec<SelectedTest>, PipelineError> {
    if *accepted == Accepted::default() {
        return Ok(Vec::new());
    }
    let methods = &opened.methods[..];
    let tables = Tables::new(&observed.observations, methods);
    let everything = everything(&observed.observations);
    // No exception is unknown: of those that were not seen nothing was accepted.
    let calls = everything.iter().map(|&id| observed.observations.call(id));
    let thrown = calls.clone().filter_map(|call| match call.ending {
        Ending::Threw(class) => Some((call.method, observed.observations.exception(class).clone())),
        Ending::Returned(_) => None,
    });
    let specification = Specification {
        clauses: accepted.clauses.clone(),
        thrown: thrown.collect(),
        called: calls.map(|call| call.method).collect(),
    };
    let mut breaches = refine::breaches(&tables, methods, &specification);
    breaches.retain(|_, breach| breach.is_guarded);
    let round = refine::select(&observed.tests, &tables, &specification, &breaches);
    let mut show = Show::start(opened, observed)?;
    let mut shown = show.all(&round.with_guards, &specification.clauses)?;
    let of_equations = algebraic::broken(&tables, methods, &everything, &accepted.equations);
    shown.extend(show.special(&of_equations)?.into_iter().flatten());
    Ok(shown)
}

/// What was accepted, as reports tell it.
fn promises(accepted: &Accepted, methods: &[SpecifiedMethod]) -> Vec<ClassSpecification> {
    of_classes(&accepted.clauses, &accepted.equations, [].into_iter(), methods)
}

/// What holds nearly always comes with a test that breaks it.
fn of_classes<'a>(
    clauses: &[Clause],
    axioms: &[Equation],
    common: impl Iterator<Item = (&'a Supported, Option<SelectedTest>)>,
    methods: &[SpecifiedMethod],
) -> Vec<ClassSpecification> {
    let mut classes: BTreeMap<ClassName, (ClassSpecification, BTreeMap<u32, MethodSpecification>)> = BTreeMap::new();
    for clause in clauses {
        let (class, of_class) = classes.entry(clause.class.clone()).or_default();
        class.name = clause.class.binary();
        let text = clause.text();
        let Some(method) = clause.method else {
            class.invariants.push(text);
            continue;
        };
        let of_method = of_class.entry(method).or_default();
        of_method.name = methods[method as usize].to_string();
        match clause.place {
            Place::Invariant => {}
            Place::Precondition => of_method.preconditions.push(text),
            Place::Postcondition => of_method.postconditions.push(text),
            Place::Exceptional => of_method.exceptional.push(text),
        }
    }
    for equation in axioms {
        let (class, _) = classes.entry(equation.class.clone()).or_default();
        class.name = equation.class.binary();
        class.equations.push(equation.text(methods));
    }
    for (Supported { equation, holds, fails, states, failing_states, .. }, special) in common {
        let (class, _) = classes.entry(equation.class.clone()).or_default();
        class.name = equation.class.binary();
        let (equation, holds, fails) = (equation.text(methods), *holds, *fails);
        let (states, failing_states) = (*states, *failing_states);
        class.common.push(CommonEquation { equation, holds, fails, states, failing_states, special });
    }
    let whole = |(class, methods): (ClassSpecification, BTreeMap<u32, MethodSpecification>)| ClassSpecification {
        methods: methods.into_values().collect(),
        ..class
    };
    classes.into_values().map(whole).collect()
}

//! How what is inferred changed from one version of a module to another.
//!
//! Both versions run the same sequences, those of a search of the older, so that only their code differs. A change is a
//! specification that all calls of one version keep and some call of the other breaks.

use super::observed::{self, Observed, Opened};
use super::show::Show;
use crate::PipelineError;
use crate::task::Task;
use host::classpath::Module;
use model::jvm::{ClassName, MethodDescriptor, Type};
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence};
use report::specifications::{SelectedTest, SpecificationChanges};
use rustc_hash::FxHashMap;
use specification::accepted::Accepted;
use specification::axiomatic::{self, Specification, Tables};
use specification::observations::{CallId, ObservedTest};
use specification::refine::{self, SelectedCall};
use specification::{self, Place, algebraic};
use std::collections::BTreeSet;

/// A version, and its calls in the sequences that both run.
struct Version {
    opened: Opened,
    observed: Observed,
    /// Sequences that a version does not run to their end, or that do something else when they run again, have no calls
    /// here.
    tests: Vec<ObservedTest>,
}

/// The specifications that only the older version of the module keeps, and those that only the newer one keeps.
pub fn compare(task: &Task, older: &Module) -> Result<SpecificationChanges, PipelineError> {
    let of_older = Task { module: older, ..*task };
    let (Some(older), Some(newer)) = (observed::open(&of_older)?, observed::open(task)?) else {
        return Ok(SpecificationChanges::default());
    };
    let known: FxHashMap<_, _> = (newer.subject.program.operations.iter().zip(0..))
        .map(|(operation, number)| (key(operation), OperationId(number)))
        .collect();
    let operations = older.subject.program.operations.iter();
    let to: Vec<Option<OperationId>> = operations.map(|operation| known.get(&key(operation)).copied()).collect();
    let searched = older.observe(&of_older)?.sequences;
    let shared = searched.into_iter().filter_map(|sequence| Some((translated(&sequence, &to)?, sequence)));
    let (for_newer, for_older): (Vec<Sequence>, Vec<Sequence>) = shared.unzip();
    let mut older = Version::run(task, older, &for_older)?;
    let mut newer = Version::run(task, newer, &for_newer)?;
    for (older, newer) in older.tests.iter_mut().zip(&mut newer.tests) {
        if older.is_empty() || newer.is_empty() {
            older.clear();
            newer.clear();
        }
    }
    let (gone, now_thrown) = newer.breaks(&older)?;
    let (new, no_longer_thrown) = older.breaks(&newer)?;
    let changes = SpecificationChanges {
        gone: gone.into_iter().chain(no_longer_thrown).collect(),
        new: new.into_iter().chain(now_thrown).collect(),
    };
    Ok(changes)
}

impl Version {
    fn run(task: &Task, opened: Opened, sequences: &[Sequence]) -> Result<Version, PipelineError> {
        let mut observed = Observed::default();
        opened.follow(task, sequences.to_vec(), &mut observed)?;
        opened.follow(task, sequences.to_vec(), &mut observed)?;
        let (first, again) = observed.tests.split_at(sequences.len());
        let stable = |(first, again): (&ObservedTest, &ObservedTest)| {
            if first == again { first.clone() } else { ObservedTest::new() }
        };
        let tests = first.iter().zip(again).map(stable).collect();
        Ok(Version { opened, observed, tests })
    }

    fn calls(&self) -> BTreeSet<CallId> {
        self.tests.iter().flatten().map(|(call, _)| *call).collect()
    }

    /// What holds in the other version and this one breaks, with what this one does; and likewise the exceptions that this
    /// one alone throws.
    fn breaks(&self, other: &Version) -> Result<(Vec<SelectedTest>, Vec<SelectedTest>), PipelineError> {
        let numbers = specification::numbers_among(&other.opened.methods, &self.opened.methods);
        let (methods, of_other) = (&self.opened.methods[..], other.calls());
        let tables = Tables::new(&other.observed.observations, &other.opened.methods);
        let mut specification = axiomatic::infer(&tables, &other.opened.methods, &of_other);
        // Both have the same inputs.
        specification.clauses.retain(|clause| clause.place != Place::Precondition);
        let mut equations = algebraic::infer(&tables, &other.opened.methods, &of_other);
        equations.retain(|found| found.fails == 0);
        let held = Accepted {
            clauses: specification.clauses,
            equations: equations.into_iter().map(|found| found.equation).collect(),
            gone: Vec::new(),
        };
        let held = held.renumbered(&numbers);
        let number = |method: u32| numbers[method as usize];
        let thrown = specification.thrown.into_iter();
        let specification = Specification {
            clauses: held.clauses,
            thrown: thrown.filter_map(|(method, class)| Some((number(method)?, class))).collect(),
            called: specification.called.into_iter().filter_map(number).collect(),
        };
        let tables = Tables::new(&self.observed.observations, methods);
        let breaches = refine::breaches(&tables, methods, &specification);
        let round = refine::select(&self.tests, &tables, &specification, &breaches);
        let selected: Vec<SelectedCall> = round.with_guards.into_iter().chain(round.without_guards).collect();
        let mut show = Show::start(&self.opened, &self.observed)?;
        let (mut broken, mut thrown) = (Vec::new(), Vec::new());
        for (selected, test) in selected.iter().zip(show.all(&selected, &specification.clauses)?) {
            if selected.breach.clauses.is_empty() { &mut thrown } else { &mut broken }.push(test);
        }
        let of_equations = show.special(&algebraic::broken(&tables, methods, &self.calls(), &held.equations))?;
        broken.extend(of_equations.into_iter().flatten());
        Ok((broken, thrown))
    }
}

/// What makes an operation the same in both versions.
fn key(operation: &Operation) -> (OperationKind, &ClassName, &str, &MethodDescriptor, &[Type]) {
    let Operation { kind, owner, name, descriptor, inputs, .. } = operation;
    (*kind, owner, name, descriptor, inputs)
}

/// The sequence in the operations of another program; `None` if that lacks one.
fn translated(sequence: &Sequence, to: &[Option<OperationId>]) -> Option<Sequence> {
    let mut translated = Sequence::new();
    for (index, statement) in sequence.statements().iter().enumerate() {
        let action = match &statement.action {
            Action::Call(operation) => Action::Call(to[operation.0 as usize]?),
            literal => literal.clone(),
        };
        translated.push(action, &sequence.inputs_of(index).collect::<Vec<_>>());
    }
    Some(translated)
}

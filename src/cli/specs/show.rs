//! Tests that break specifications, as people read them.

use super::observed::{Observed, Opened};
use crate::cli::CommandError;
use crate::cli::engine::EngineError;
use crate::emitter::{self, TestCase};
use crate::execution::{Detail, Execution, Executor};
use crate::redundancy;
use crate::report::specifications::SelectedTest;
use crate::sequence::{Action, Sequence};
use crate::specification::Clause;
use crate::specification::algebraic::Supported;
use crate::specification::observations::{CallId, Ending};
use crate::specification::refine::Selected;
use crate::supervisor::WorkerExecutor;
use std::collections::{BTreeMap, BTreeSet};

/// What it takes to show a test.
pub struct Show<'a> {
    pub opened: &'a Opened,
    pub observed: &'a Observed,
    pub executor: WorkerExecutor,
}

impl Show<'_> {
    /// Selected tests, each as short as what it shows allows.
    pub fn all(&mut self, selected: &[Selected], clauses: &[Clause]) -> Result<Vec<SelectedTest>, CommandError> {
        let effects = &self.opened.subject.program.effects;
        let small = |selected: &Selected| {
            let sequence = self.observed.sequences[selected.test].prefix(selected.statement as usize + 1);
            redundancy::clean(&sequence, 1, effects)
        };
        let sequences: Vec<Sequence> = selected.iter().map(small).collect();
        let executions = self.executor.execute(&sequences, Detail::Observe).map_err(EngineError::from)?;
        let shown = selected.iter().zip(sequences).zip(executions);
        Ok(shown.map(|((selected, sequence), execution)| self.one(selected, sequence, execution, clauses)).collect())
    }

    fn one(&self, selected: &Selected, sequence: Sequence, execution: Execution, clauses: &[Clause]) -> SelectedTest {
        let call = self.observed.observations.call(selected.call);
        let violates = match (selected.breach.clause.map(|at| &clauses[at]), &call.ending) {
            (Some(clause), _) => clause.text(),
            (None, Ending::Threw(class)) => format!("throws {}", self.observed.observations.exception(*class).binary()),
            (None, Ending::Returned(_)) => String::new(),
        };
        let method = self.opened.methods[call.method as usize].to_string();
        SelectedTest { method, violates, source: self.source(sequence, execution) }
    }

    fn source(&self, sequence: Sequence, execution: Execution) -> String {
        let program = &self.opened.subject.program;
        let class = program.class_of_sequence(&sequence).map(|class| program.targets[class].name.clone());
        let case = TestCase::regression(sequence.clone(), execution);
        let source = class.and_then(|class| {
            let emission =
                emitter::emit(&class, &[case], &program.operations, &program.types, &self.opened.target.style);
            let file = emission.files.first()?;
            Some(file.source_of(file.tests.first()?))
        });
        source.unwrap_or_else(|| sequence.describe(&program.operations))
    }

    /// Sequences that break equations: the calls of two tests, one after the other, on one object.
    pub fn broken(&mut self, broken: &[Supported]) -> Result<Vec<SelectedTest>, CommandError> {
        let calls = broken.iter().filter_map(|found| found.special);
        let wanted: BTreeSet<CallId> = calls.flat_map(|(inner, outer)| [Some(inner), outer]).flatten().collect();
        let mut places: BTreeMap<CallId, (usize, usize)> = BTreeMap::new();
        for (test, calls) in self.observed.tests.iter().enumerate() {
            for (call, statement) in calls.iter().filter(|(call, _)| wanted.contains(call)) {
                places.entry(*call).or_insert((test, *statement as usize));
            }
        }
        let mut shown = Vec::new();
        for found in broken {
            let Some((inner, outer)) = found.special else { continue };
            let Some(&(test, statement)) = places.get(&inner) else { continue };
            let sequence = self.observed.sequences[test].prefix(statement + 1);
            let sequence = match outer.map(|outer| places.get(&outer)) {
                None => Some(sequence),
                Some(Some(&(other, at))) => composed(sequence, &self.observed.sequences[other], at),
                Some(None) => None,
            };
            let Some(sequence) = sequence else { continue };
            let sequence = redundancy::clean(&sequence, 2, &self.opened.subject.program.effects);
            let executions = self.executor.execute(std::slice::from_ref(&sequence), Detail::Observe);
            let Some(execution) = executions.map_err(EngineError::from)?.pop() else { continue };
            let last = found.equation.outer.unwrap_or(found.equation.inner);
            shown.push(SelectedTest {
                method: self.opened.methods[last as usize].to_string(),
                violates: found.equation.text(&self.opened.methods),
                source: self.source(sequence, execution),
            });
        }
        Ok(shown)
    }
}

/// The sequence, and on the object of its last call what the other calls in a statement; `None` if that takes objects.
fn composed(mut sequence: Sequence, other: &Sequence, at: usize) -> Option<Sequence> {
    let receiver = sequence.inputs_of(sequence.len() - 1).next()?;
    let statement = &other.statements()[at];
    let Action::Call(operation) = statement.action else { return None };
    let mut inputs = vec![receiver];
    for input in other.inputs_of(at).skip(1) {
        let Action::Literal(literal) = &other.statements()[input].action else { return None };
        inputs.push(sequence.push_literal(literal.clone()));
    }
    sequence.push_call(operation, &inputs);
    Some(sequence)
}

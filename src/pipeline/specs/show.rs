//! Tests that break specifications, as people read them.

use super::compositions::Compositions;
use super::observed::{Observed, Opened};
use crate::PipelineError;
use crate::engine::EngineError;
use emitter::{self, TestCase};
use host::supervisor::WorkerExecutor;
use model::execution::{Detail, Execution, Executor};
use model::sequence::Sequence;
use report::specifications::SelectedTest;
use search::redundancy;
use specification::Clause;
use specification::algebraic::Supported;
use specification::observations::Ending;
use specification::refine::SelectedCall;
use std::sync::Arc;

/// What it takes to show a test.
pub struct Show<'a> {
    opened: &'a Opened,
    observed: &'a Observed,
    /// Of workers that trace nothing.
    pub executor: WorkerExecutor,
}

impl<'a> Show<'a> {
    /// Starts a worker that runs the shown tests.
    pub fn start(opened: &'a Opened, observed: &'a Observed) -> Result<Show<'a>, EngineError> {
        let executor = WorkerExecutor::start(Arc::new(opened.plain()), "show")?;
        Ok(Show { opened, observed, executor })
    }

    /// SelectedCall tests, each as short as what it shows allows.
    pub fn all(&mut self, selected: &[SelectedCall], clauses: &[Clause]) -> Result<Vec<SelectedTest>, PipelineError> {
        let effects = &self.opened.subject.program.effects;
        let small = |selected: &SelectedCall| {
            let sequence = self.observed.sequences[selected.test].prefix(selected.statement as usize + 1);
            redundancy::clean(&sequence, 1, effects)
        };
        let sequences: Vec<Sequence> = selected.iter().map(small).collect();
        let executions = self.executor.execute(&sequences, Detail::Observe).map_err(EngineError::from)?;
        let shown = selected.iter().zip(sequences).zip(executions);
        Ok(shown.map(|((selected, sequence), execution)| self.one(selected, sequence, execution, clauses)).collect())
    }

    fn one(
        &self,
        selected: &SelectedCall,
        sequence: Sequence,
        execution: Execution,
        clauses: &[Clause],
    ) -> SelectedTest {
        let call = self.observed.observations.call(selected.call);
        let violates = match &call.ending {
            Ending::Threw(class) if selected.breach.clauses.is_empty() => {
                vec![format!("throws {}", self.observed.observations.exception(*class).binary())]
            }
            _ => selected.breach.clauses.iter().map(|&at| clauses[at].text()).collect(),
        };
        let method = &self.opened.methods[call.method as usize];
        let (class, method) = (method.class.binary(), method.to_string());
        SelectedTest { class, method, violates, source: self.source(sequence, execution) }
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

    /// What breaks each of the equations.
    pub fn special(&mut self, broken: &[Supported]) -> Result<Vec<Option<SelectedTest>>, PipelineError> {
        let compositions = Compositions::new(self.opened, self.observed);
        let sequences: Vec<Option<Sequence>> =
            broken.iter().map(|found| compositions.sequence(found.special?)).collect();
        let some: Vec<Sequence> = sequences.iter().flatten().cloned().collect();
        let executions = self.executor.execute(&some, Detail::Observe).map_err(EngineError::from)?;
        let mut executions = executions.into_iter();
        let test = |(found, sequence): (&Supported, Option<Sequence>)| {
            let (sequence, execution) = (sequence?, executions.next()?);
            let last = found.equation.outer.unwrap_or(found.equation.inner);
            Some(SelectedTest {
                class: found.equation.class.binary(),
                method: self.opened.methods[last as usize].to_string(),
                violates: vec![found.equation.text(&self.opened.methods)],
                source: self.source(sequence, execution),
            })
        };
        Ok(broken.iter().zip(sequences).map(test).collect())
    }
}

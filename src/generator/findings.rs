//! Findings by their cause: of the many sequences that show one fault, one becomes a finding and the others are counted.
//!
//! The cause is what a run says of the fault whatever sequence led there: the contract and the normalised stack. With it
//! goes the cleaned form of the sequence (text 1 of the papers): witnesses are the failing sequences of a cause, those that
//! are redundant counted once.

use super::model::call_count;
use crate::execution::{Execution, Value};
use crate::oracle::{Finding, Violation};
use crate::program::Program;
use crate::redundancy::{clean, sequence_hash};
use crate::sequence::{Action, Sequence};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What of a finding does not depend on the sequence that showed it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    contract: &'static str,
    /// The exception and where in the code under test it was thrown, or which class broke the contract.
    place: String,
}

impl Cause {
    pub fn of(violation: &Violation, sequence: &Sequence, execution: &Execution, program: &Program) -> Cause {
        let place = match &violation.thrown {
            Some(thrown) => {
                // Whoever calls the code under test from outside is the same cause.
                let frame = program.own_frame(thrown).or(thrown.stack.first());
                let shown = frame.map(|frame| format!("{}.{}:{}", frame.class, frame.method, frame.line));
                format!("{} {}", thrown.class, shown.unwrap_or_default())
            }
            None => {
                let last = sequence.len() - 1;
                let receiver = sequence.inputs_of(last).next().and_then(|input| execution.values.get(input));
                match (receiver, &sequence.statements()[last].action) {
                    (Some(Value::Object { class, .. }), _) => class.to_string(),
                    (_, Action::Call(operation)) => program.operations[operation.0 as usize].to_string(),
                    (_, Action::Literal(_)) => String::new(),
                }
            }
        };
        Cause { contract: violation.contract, place }
    }
}

/// The findings of a search.
#[derive(Default)]
pub(super) struct Findings {
    /// Each with the hashes of its witnesses' cleaned forms.
    by_cause: BTreeMap<Cause, (Finding, FxHashSet<u64>)>,
}

impl Findings {
    /// Keeps one sequence of each cause: the shortest of those whose run a test can repeat, or of all if there is none.
    pub fn note(
        &mut self,
        sequence: &Sequence,
        checks: usize,
        execution: &Execution,
        violation: Violation,
        program: &Program,
    ) {
        let Some(class) = program.class_of_sequence(sequence) else { return };
        let class = program.targets[class].name.clone();
        let cause = Cause::of(&violation, sequence, execution, program);
        let cleaned = sequence_hash(&cleaned_form(sequence, checks, program));
        let new = Finding {
            class,
            sequence: sequence.clone(),
            checks,
            execution: execution.clone(),
            violation,
            witnesses: 1,
        };
        let rank = |finding: &Finding| (finding.execution.environment_dependent, call_count(&finding.sequence));
        let (known, witnesses) = self.by_cause.entry(cause).or_insert_with(|| (new.clone(), FxHashSet::default()));
        if rank(&new) < rank(known) {
            *known = new;
        }
        witnesses.insert(cleaned);
        known.witnesses = witnesses.len() as u32;
    }

    pub fn len(&self) -> usize {
        self.by_cause.len()
    }

    /// In order of their causes.
    pub fn into_vec(self) -> Vec<Finding> {
        self.by_cause.into_values().map(|(finding, _)| finding).collect()
    }
}

/// One finding for each cause and cleaned form, with the witnesses of all that have them; in order of the first.
pub(super) fn distinct(findings: impl Iterator<Item = Finding>, program: &Program) -> Vec<Finding> {
    let mut distinct: Vec<(Cause, Sequence, Finding)> = Vec::new();
    for finding in findings {
        let cause = Cause::of(&finding.violation, &finding.sequence, &finding.execution, program);
        let cleaned = cleaned_form(&finding.sequence, finding.checks, program);
        match distinct.iter_mut().find(|(known, form, _)| *known == cause && *form == cleaned) {
            Some((.., known)) => known.witnesses += finding.witnesses,
            None => distinct.push((cause, cleaned, finding)),
        }
    }
    distinct.into_iter().map(|(.., finding)| finding).collect()
}

/// What of a finding's sequence has to do with its last statements.
fn cleaned_form(sequence: &Sequence, checks: usize, program: &Program) -> Sequence {
    clean(sequence, checks.max(1), &program.effects)
}

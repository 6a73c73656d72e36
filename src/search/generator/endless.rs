//! Sequences that did not end within their limits: whether they have no end, a worker finds out that watches loops.

use super::findings::Findings;
use super::program_model::call_count;
use crate::reader_cost;
use model::execution::{Detail, Execution, Executor, ExecutorError, KillReason, Outcome};
use model::jvm::{ClassName, Type};
use model::sequence::{Action, OperationId, OperationKind, Sequence};
use oracle::contract::TERMINATES;
use oracle::rules::gives_in_a_circle;
use oracle::{Finding, Judge, Verdict};
use program::Program;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// So many sequences are kept for each call, receiver and reason.
const FOR_EACH: usize = 2;

/// So many are run again in all, which takes up to a second each.
const MOST: usize = 12;

/// What ended a run: the call, the type of its first input, and why.
type Key = (OperationId, Option<Type>, KillReason);

/// That an implementation is used, or an object given to itself, the number of calls, and what the sequence costs a reader.
type Rank = (bool, u32, u32);

/// The plainest of the sequences that did not end.
#[derive(Default)]
pub(super) struct Suspects(BTreeMap<Key, Vec<(Rank, Sequence)>>);

impl Suspects {
    /// Keeps the sequence if its run was ended for what a loop or a recursion without end does.
    pub fn note(&mut self, sequence: &Sequence, execution: &Execution, program: &Program) {
        use KillReason::{OutOfMemory, ProbeBudget, StackOverflow, Timeout};
        let Outcome::Killed { statement, reason } = execution.outcome else { return };
        if !matches!(reason, ProbeBudget | Timeout | OutOfMemory | StackOverflow) {
            return;
        }
        let at = statement.unwrap_or(sequence.len() - 1);
        let Action::Call(called) = sequence.statements()[at].action else { return };
        let sequence = sequence.prefix(at + 1);
        let first = sequence.inputs_of(at).next().and_then(|input| sequence.output_of(input, &program.operations));
        let kind = |called: OperationId| program.operations[called.0 as usize].kind;
        let is_artificial = sequence.calls().any(|called| kind(called) == OperationKind::Implementation);
        let is_doubtful = is_artificial || gives_in_a_circle(&sequence, &program.operations);
        let rank = (is_doubtful, call_count(&sequence), reader_cost::of(&sequence, None, &program.operations));
        let kept = self.0.entry((called, first, reason)).or_default();
        let place = kept.partition_point(|(other, _)| *other <= rank);
        kept.insert(place, (rank, sequence));
        kept.truncate(FOR_EACH);
    }

    /// The best of each first, and those last that took seconds: most of them waited, or ran code of the platform.
    pub fn into_sequences(self) -> Vec<Sequence> {
        let ranked = self.0.into_iter().flat_map(|((.., reason), kept)| {
            kept.into_iter()
                .enumerate()
                .map(move |(place, (_, sequence))| (reason == KillReason::Timeout, place, sequence))
        });
        let mut ranked: Vec<(bool, usize, Sequence)> = ranked.collect();
        ranked.sort_by_key(|(is_slow, place, _)| (*is_slow, *place));
        ranked.into_iter().map(|(.., sequence)| sequence).take(MOST).collect()
    }
}

/// The findings that sequences show, one for each cause, as long as `should_continue`; in a worker that watches loops. Of a class
/// whose code works too long to be watched, one sequence shows that.
pub fn find_endless(
    suspects: &[Sequence],
    judge: Judge,
    executor: &mut dyn Executor,
    should_continue: &dyn Fn() -> bool,
) -> Result<Vec<Finding>, ExecutorError> {
    let mut findings = Findings::default();
    let mut slow: FxHashSet<ClassName> = FxHashSet::default();
    for sequence in suspects.iter().take_while(|_| should_continue()) {
        let last = sequence.call_at(sequence.len() - 1);
        let owner = last.map(|called| judge.program().operations[called.0 as usize].owner.clone());
        if owner.as_ref().is_some_and(|owner| slow.contains(owner)) {
            continue;
        }
        for execution in executor.execute(std::slice::from_ref(sequence), Detail::Observe)? {
            if matches!(execution.outcome, Outcome::Killed { reason: KillReason::Timeout, .. }) {
                slow.extend(owner.clone());
            }
            let Outcome::Threw { statement, .. } = execution.outcome else { continue };
            let sequence = sequence.prefix(statement + 1);
            if let Verdict::ErrorRevealing(violation) = judge.judge_run(&sequence, &execution).verdict
                && violation.contract == TERMINATES
            {
                findings.note(&sequence, 0, &execution, violation, judge);
            }
        }
    }
    Ok(findings.into_vec())
}

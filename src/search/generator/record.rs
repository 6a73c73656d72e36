//! Records executions: covered edges, values for the pool, archive entries, findings, and operations given up.

use super::doors::Door;
use super::guidance::{OVERHEAD, operands};
use super::pool::PoolValue;
use super::program_model::call_count;
use super::texts::{self, TextId};
use super::{
    ArchiveEntry, Candidate, Focus, Goal, Merit, PENDING_LIMIT, QuarantineReason, Quarantined, Rank, Search, outcomes,
};
use crate::reader_cost;
use crate::redundancy::Made;
use model::execution::{Comparison, Edge, Execution, KillReason, Outcome, Value};
use model::jvm::Literal;
use model::options::Component;
use model::sequence::{Action, OperationId, Sequence};
use oracle::{Intent, JudgedRun, Verdict};
use std::sync::Arc;

/// Environment-dependent values in the pool per operation: their states are all new and all alike.
const VOLATILE_VALUES_PER_OPERATION: u32 = 3;
/// Sequences that cost more probes than this are not built upon.
const COST_LIMIT: u64 = 100_000;

impl Search<'_> {
    /// Records the execution of a candidate by the shard.
    pub(super) fn record_execution(&mut self, candidate: Candidate, execution: Execution, shard: usize) {
        self.sequences += 1;
        self.seeds.note(&candidate.sequence, candidate.about.is_of_tests, &execution);
        candidate.about.used.iter().for_each(|&id| self.pool.note_use(id));
        self.executed.insert(candidate.about.hash);
        if let Some(check) = candidate.about.check {
            self.record_check(&candidate.sequence, check, &execution);
            return;
        }
        let text = candidate.about.text;
        let sequence = as_far_as_it_ran(candidate.sequence, &execution);
        let Some(Action::Call(last)) = sequence.statements().last().map(|statement| statement.action.clone()) else {
            return;
        };
        let statistics = &mut self.operation_statistics[last.0 as usize];
        statistics.trials.tries += 1;
        statistics.trials.denied = statistics.trials.denied.or(execution.denied);
        if !self.model.program.are_as_declared(&sequence, &execution.values) {
            statistics.fruitless += OVERHEAD + execution.cost;
            return;
        }
        let JudgedRun { verdict, violation, suppressed_by } = self.judge.judge_run(&sequence, &execution);
        self.rule_hits.count(suppressed_by);
        let sequence = Arc::new(sequence);
        let intent = match &verdict {
            Verdict::ExpectedException(_, intent) | Verdict::Illegal(_, intent) => Some(*intent),
            _ => None,
        };
        let (edges, is_new) = self.note_edges(&execution, intent, last);
        self.note_comparisons(&sequence, &execution.comparisons);
        self.note_text(&sequence, text, &execution, !edges.is_empty());

        let statistics = &mut self.operation_statistics[last.0 as usize];
        statistics.fruitless = if edges.is_empty() { statistics.fruitless + OVERHEAD + execution.cost } else { 0 };

        let mut goals: Vec<Goal> = execution.edges.iter().map(|hit| Goal::Edge(hit.edge)).collect();
        let class = self.model.class_of(last);
        if let Some(class) = class {
            self.sequences_of_class[class] += 1;
        }
        if !matches!(verdict, Verdict::Killed(_) | Verdict::Unlinkable(_)) {
            for operation in sequence.calls() {
                self.operation_statistics[operation.0 as usize].survived = true;
            }
        }
        self.note_thrown(last, &execution);
        if let Some(violation) = violation {
            self.findings.note(&sequence, 0, &execution, violation, self.judge);
        }
        match &verdict {
            Verdict::Normal => {
                self.operation_statistics[last.0 as usize].trials.completed += 1;
                self.thrown.remove(&last);
                self.note_accepted(&sequence, last, is_new);
                self.add_values(&sequence, &execution, last);
                if class.is_some() {
                    self.note_sample(&sequence, &execution, last);
                }
            }
            Verdict::ExpectedException(..) | Verdict::ErrorRevealing(_) => {}
            Verdict::Illegal(..) => self.operation_statistics[last.0 as usize].trials.illegal += 1,
            Verdict::Killed(reason) => self.note_kill(&sequence, &execution, *reason),
            Verdict::Unlinkable(message) => {
                // None is to blame for the name of a class that does not load.
                if let Some(operation) = failing_operation(&sequence, &execution) {
                    self.quarantine(operation, QuarantineReason::Unlinkable(message.clone()));
                }
            }
        }
        let buildable = execution.cost <= COST_LIMIT
            && matches!(verdict, Verdict::Normal | Verdict::ExpectedException(..) | Verdict::Illegal(..));
        if buildable {
            if self.guidance.has(Component::Corpus) && is_new && self.is_in_focus(&sequence) {
                self.corpus.push(sequence.clone(), class.map(|class| self.families.subject(class)), execution.cost);
            }
            if class.is_some() {
                goals.extend(outcomes::goals_of(&sequence, &execution, self.model.program, self.probes));
            }
            goals.iter().for_each(|goal| self.discovery.note(goal, shard));
            self.archive(sequence, goals, &execution, intent);
        }
    }

    /// Keeps a sequence that completed as an example of its last call, if it is cheap and tests may have it.
    fn note_sample(&mut self, sequence: &Arc<Sequence>, execution: &Execution, last: OperationId) {
        let is_wanted =
            self.operation_statistics[last.0 as usize].door == Door::Open || !self.model.calls_back_door(sequence);
        if is_wanted && execution.cost <= COST_LIMIT && self.guidance.has(Component::Mutants) {
            let is_before = |called: &OperationId| *called != last && self.model.class_of(*called).is_some();
            let before = sequence.calls().filter(is_before).collect();
            self.samples.note(last, before, sequence, execution);
        }
    }

    /// Notes what an operation throws that has never completed.
    fn note_thrown(&mut self, last: OperationId, execution: &Execution) {
        if let Outcome::Threw { exception, .. } = &execution.outcome
            && self.operation_statistics[last.0 as usize].trials.completed == 0
        {
            *self.thrown.entry(last).or_default().entry(exception.class.clone()).or_default() += 1;
        }
    }

    /// Whether the sequence calls what the search looks at.
    fn is_in_focus(&self, sequence: &Sequence) -> bool {
        let focus = |called: OperationId| self.operation_statistics[called.0 as usize].focus;
        sequence.calls().any(|called| matches!(focus(called), Focus::Everywhere | Focus::Changed))
    }

    /// Archives the sequence for those of its goals that want it.
    fn archive(
        &mut self,
        sequence: Arc<Sequence>,
        mut goals: Vec<Goal>,
        execution: &Execution,
        intent: Option<Intent>,
    ) {
        let merit = match intent {
            _ if execution.environment_dependent => Merit::Volatile,
            None if execution.timed => Merit::TimedCompleted,
            None => Merit::Completed,
            Some(Intent::Deliberate) if execution.timed => Merit::TimedRejected,
            Some(Intent::Deliberate) => Merit::Rejected,
            Some(Intent::Implicit) => Merit::Failed,
        };
        let cost = reader_cost::of(&sequence, intent, &self.model.program.operations);
        let through_back_door = self.model.calls_back_door(&sequence);
        let rank = Rank { through_back_door, merit, cost };
        goals.retain(|goal| self.entries_of_goal.entry(goal.clone()).or_default().wants(rank));
        if !goals.is_empty() {
            self.archive.push(ArchiveEntry { sequence, goals, rank });
        }
    }

    /// Edges that are new, and whether any counter bucket is, as one of each new edge is. A run that no test can repeat covers nothing.
    fn note_edges(&mut self, execution: &Execution, intent: Option<Intent>, last: OperationId) -> (Vec<Edge>, bool) {
        let usable = !matches!(execution.outcome, Outcome::Killed { .. }) && !execution.environment_dependent;
        let (mut new_edges, mut new_bucket) = (Vec::new(), false);
        for hit in execution.edges.iter().filter(|_| usable) {
            self.seen_otherwise[hit.edge as usize] |= intent != Some(Intent::Implicit);
            let seen = &mut self.seen[hit.edge as usize];
            if *seen == 0 {
                self.covered_edges += u32::from(self.probes.is_edge[hit.edge as usize]);
                new_edges.push(hit.edge);
                for operation in self.operations_of_edge.get(&hit.edge).into_iter().flatten() {
                    self.operation_statistics[operation.0 as usize].covered += 1;
                    self.operation_statistics[operation.0 as usize].fruitless = 0;
                }
            }
            if *seen & (1 << hit.bucket) == 0 {
                *seen |= 1 << hit.bucket;
                new_bucket = true;
            }
        }
        if !new_edges.is_empty() {
            self.operation_statistics[last.0 as usize].fruitless = 0;
        }
        (new_edges, new_bucket)
    }

    /// Notes the texts that the last call of a completed run took, and whether the run reached something new.
    fn note_accepted(&mut self, sequence: &Sequence, last: OperationId, is_new: bool) {
        if !self.guidance.has(Component::Reuse) || self.model.class_of(last).is_none() {
            return;
        }
        for (at, input) in sequence.inputs_of(sequence.len() - 1).enumerate() {
            if let Action::Literal(literal) = &sequence.statements()[input].action {
                self.literals.add_accepted((last, at), literal, is_new);
            }
        }
    }

    /// Notes where a text could go, or what the one did that the sequence is about.
    fn note_text(&mut self, sequence: &Arc<Sequence>, text: Option<TextId>, execution: &Execution, is_new: bool) {
        let Some(texts) = &mut self.texts else { return };
        texts.gained(text, is_new);
        let Some(id) = text else {
            if !matches!(execution.outcome, Outcome::Killed { .. } | Outcome::Unlinkable { .. }) {
                texts.note(sequence, &self.model);
            }
            return;
        };
        if texts::is_accepted(execution)
            && let Some((role, literal)) = texts.accepted(id)
        {
            self.literals.add_accepted(role, &literal, is_new);
        }
    }

    /// Offers operands to the class that compared them, and tries each where the sequence had the other.
    fn note_comparisons(&mut self, sequence: &Arc<Sequence>, comparisons: &[Comparison]) {
        if !self.guidance.has(Component::Operands) {
            return;
        }
        for comparison in comparisons {
            let Some(class) = self.probes.class_of(comparison.site) else { continue };
            self.literals.add_compared(class, &comparison.left);
            self.literals.add_compared(class, &comparison.right);
            if operands::is_settled(comparison, self.probes, &self.seen) {
                continue;
            }
            for (from, to) in [(&comparison.left, &comparison.right), (&comparison.right, &comparison.left)] {
                self.substitute(sequence, from, to);
            }
        }
    }

    /// Enqueues the sequence with literal `from` replaced by `to`, and with what was done for `from` done for `to`, too.
    fn substitute(&mut self, sequence: &Sequence, from: &Literal, to: &Literal) {
        if self.pending.len() >= PENDING_LIMIT {
            return;
        }
        let replaced = operands::with_substitution(sequence, self.model.program, from, to).into_iter();
        for changed in replaced.chain(operands::with_repetition(sequence, from, to)) {
            if self.pending.len() >= PENDING_LIMIT {
                return;
            }
            self.enqueue(changed);
        }
    }

    /// Adds the values whose states the last statement made or changed.
    fn add_values(&mut self, sequence: &Arc<Sequence>, execution: &Execution, last: OperationId) {
        if execution.cost > COST_LIMIT {
            return;
        }
        let Ok(package) = self.model.package_of_sequence(sequence) else { return };
        let back_door = self.model.calls_back_door(sequence);
        let end = sequence.len() - 1;
        let calls = call_count(sequence);
        let mut statements: Vec<usize> = sequence.inputs_of(end).collect();
        statements.push(end);
        if execution.environment_dependent {
            let count = self.volatile_values.entry(last).or_default();
            *count += 1;
            if *count > VOLATILE_VALUES_PER_OPERATION {
                return;
            }
        }
        let value_at = |at: usize| PoolValue {
            sequence: sequence.clone(),
            index: at as u32,
            calls,
            cost: execution.cost,
            package,
            back_door,
        };
        self.plan_contract_methods_of_others(&value_at(end), last, execution);
        for (at, state) in statements.into_iter().zip(&execution.states) {
            let (Some(state), Action::Call(call)) = (state, &sequence.statements()[at].action) else { continue };
            let Some(Value::Object { class: runtime, .. }) = execution.values.get(at) else { continue };
            let Some(declared) = sequence.output_of(at, &self.model.program.operations) else { continue };
            // A clock that can be given is given fixed.
            if declared.is_primitive() || reader_cost::returns_clock(&self.model.program.operations[call.0 as usize]) {
                continue;
            }
            let value = value_at(at);
            let (types, typing) = (&self.model.program.types, self.guidance.typing.as_ref());
            let program = self.model.program;
            let made =
                Made { sequence, at, reported: *state, operations: &program.operations, effects: &program.effects };
            let state = self.representation.state_of(&made);
            if self.pool.add(types, typing, value.clone(), (&declared, runtime), state) {
                self.plan_checks(&value, &runtime.clone());
            }
        }
    }

    fn note_kill(&mut self, sequence: &Sequence, execution: &Execution, reason: KillReason) {
        self.endless.note(sequence, execution, self.model.program);
        let Some(operation) = self.guilty_operation(sequence, execution) else { return };
        let kills = self.kills.entry((operation, reason)).or_default();
        *kills += 1;
        let kills = *kills;
        let statistics = &mut self.operation_statistics[operation.0 as usize];
        statistics.kills += 1;
        let tries = statistics.trials.tries.max(1);
        let deadly = match reason {
            // Some arguments make a good method loop or fill the heap; only one that nearly always does is given up.
            KillReason::ProbeBudget | KillReason::OutOfMemory | KillReason::StackOverflow => {
                kills >= 20 && kills * 3 > tries
            }
            KillReason::Timeout => kills >= 6 || (kills >= 2 && kills * 4 > tries),
            KillReason::Exit | KillReason::Signal(_) | KillReason::WorkerExit(_) => kills >= 2,
        };
        if deadly {
            self.quarantine(operation, QuarantineReason::Killed(reason));
        }
    }

    /// The operation that ended a run: where a crash left no word of its statement, the only one that no run survived.
    fn guilty_operation(&self, sequence: &Sequence, execution: &Execution) -> Option<OperationId> {
        if let Outcome::Killed { statement: None, .. } = execution.outcome {
            let mut suspects =
                sequence.calls().filter(|operation| !self.operation_statistics[operation.0 as usize].survived);
            if let (Some(suspect), None) = (suspects.next(), suspects.next()) {
                return Some(suspect);
            }
        }
        failing_operation(sequence, execution)
    }

    fn quarantine(&mut self, operation: OperationId, why: QuarantineReason) {
        let statistics = &mut self.operation_statistics[operation.0 as usize];
        if !statistics.quarantined {
            statistics.quarantined = true;
            self.quarantined.push(Quarantined { operation, why });
            let calls = |sequence: &Sequence| sequence.calls().any(|called| called == operation);
            self.corpus.retain(|sequence| !calls(sequence));
            self.pending.retain(|candidate| !calls(&candidate.sequence));
            self.seeds.retain(|sequence| !calls(sequence));
        }
    }
}

/// The operation that was running when a run ended early.
fn failing_operation(sequence: &Sequence, execution: &Execution) -> Option<OperationId> {
    let at = match &execution.outcome {
        Outcome::Killed { statement, .. } => statement.unwrap_or(sequence.len() - 1),
        Outcome::Unlinkable { statement, .. } | Outcome::Threw { statement, .. } => *statement,
        Outcome::Completed => return None,
    };
    match sequence.statements().get(at)?.action {
        Action::Call(operation) => Some(operation),
        Action::Literal(_) => None,
    }
}

/// The sequence up to the statement that threw.
fn as_far_as_it_ran(sequence: Sequence, execution: &Execution) -> Sequence {
    match &execution.outcome {
        Outcome::Threw { statement, .. } => sequence.prefix(statement + 1),
        _ => sequence,
    }
}

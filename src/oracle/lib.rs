//! What an execution means: verdicts, the contracts behind findings, and the rules that suppress some of these.

mod ancestry;
pub mod contract;
mod intent;
mod null_provenance;
pub mod rules;

use contract::Contract;
pub use intent::{Intent, has_own_message, intent};
use model::execution::{Execution, KillReason, Outcome, Thrown, Value};
use model::jvm::{ClassName, Literal};
use model::options::Confidence;
use model::sequence::{Action, Implemented, Operation, OperationKind, Sequence};
use program::Program;
use rules::{Case, DELIBERATE_NULL_POINTER, Effect, Evidence, Rule};
use std::collections::BTreeSet;

/// What became of a sequence (feedback-directed random generation, docs/bibliography.md; docs/design/engine.md,
/// "Verdicts").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All statements completed and no contract is broken: the sequence may be extended.
    Normal,
    /// The last statement threw an exception that belongs to its behaviour: testable, never extended.
    ExpectedException(Thrown, Intent),
    /// What the sequence did explains the exception (a null argument, say): no fault.
    Illegal(Thrown, Intent),
    /// A contract is broken.
    ErrorRevealing(Violation),
    /// The run did not end by itself.
    Killed(KillReason),
    /// A class or member does not load, link or initialise.
    Unlinkable(String),
}

/// A broken contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Name of the contract, such as `equals-reflexive`; stable, part of fingerprints.
    pub contract: &'static str,
    /// One sentence: what should hold and what was seen.
    pub message: String,
    /// The exception, where the violation is one.
    pub thrown: Option<Thrown>,
}

/// An error-revealing sequence, minimized.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The class under test it is reported for: the one at fault, where a test can be in its package.
    pub class: ClassName,
    /// For contract checks the check calls are the last statements.
    pub sequence: Sequence,
    /// Statements at the end that are check calls of the contract; 0 when the run itself violates it.
    pub checks: usize,
    /// Of the minimized sequence, observed in detail.
    pub execution: Execution,
    /// What the execution shows, the same for all sequences with this cause.
    pub violation: Violation,
    /// Failing sequences with the same cause, redundant ones counted once; this one included.
    pub occurrences: u32,
    /// The classes under test whose objects or static methods showed it; several where they share the code at fault.
    pub shown_by: BTreeSet<ClassName>,
}

/// What a judge says of a run.
#[derive(Clone, Debug)]
pub struct JudgedRun {
    /// What remains of the run after the rules.
    pub verdict: Verdict,
    /// The contract that the run breaks, if no rule suppresses that. An exception may break one and be expected: the code
    /// under test throws it on purpose, and nothing that it was given explains it.
    pub violation: Option<Violation>,
    /// The rule that suppressed a violation.
    pub suppressed_by: Option<&'static Rule>,
}

/// Judges runs of a program by the contracts and by the rules that are not disabled.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    program: &'a Program,
    disabled: &'a [&'static Rule],
}

impl<'a> Judge<'a> {
    /// A judge that does without the disabled rules.
    pub fn new(program: &'a Program, disabled: &'a [&'static Rule]) -> Judge<'a> {
        Judge { program, disabled }
    }

    /// The program whose runs it judges.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// Judges a run of a sequence. After an exception, `sequence` must end with the statement that threw.
    pub fn judge_run(&self, sequence: &Sequence, execution: &Execution) -> JudgedRun {
        let verdict = |verdict| JudgedRun { verdict, violation: None, suppressed_by: None };
        match &execution.outcome {
            Outcome::Killed { reason, .. } => return verdict(Verdict::Killed(*reason)),
            Outcome::Unlinkable { message, .. } => return verdict(Verdict::Unlinkable(message.clone())),
            Outcome::Threw { exception, .. } if is_a(exception, "java/lang/LinkageError") => {
                let message = exception.message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
                return verdict(Verdict::Unlinkable(format!("{}{message}", exception.class)));
            }
            Outcome::Completed | Outcome::Threw { .. } => {}
        }
        let run = contract::Run { sequence, execution, operations: &self.program.operations };
        let violation = contract::ALL.iter().find_map(|contract| contract.violated_by(&run));
        let suppressed_by = violation
            .as_ref()
            .and_then(|violation| self.suppressing_rule(violation, sequence, sequence.len(), execution));
        let violation = violation.filter(|_| suppressed_by.is_none());
        let is_expected = |violation: &&Violation| {
            let case = Case { violation, sequence, first_check: sequence.len(), execution, program: self.program };
            self.enabled_rules().any(|rule| rule.id == DELIBERATE_NULL_POINTER.id && rule.applies(&case))
        };
        let revealed = violation.as_ref().filter(|violation| !is_expected(violation));
        let verdict = match (revealed, suppressed_by, &execution.outcome) {
            (Some(violation), ..) => Verdict::ErrorRevealing(violation.clone()),
            (_, Some(Rule { effect: Effect::Suppress, .. }), Outcome::Threw { exception, .. }) => {
                Verdict::Illegal(exception.clone(), intent(exception, self.program))
            }
            (_, _, Outcome::Threw { exception, .. }) => {
                Verdict::ExpectedException(exception.clone(), intent(exception, self.program))
            }
            _ => Verdict::Normal,
        };
        JudgedRun { verdict, violation, suppressed_by }
    }

    /// The violation that the check calls of a contract show, which are the statements from `first_check` on, or the rule
    /// that suppresses it; `None` if they show none or were not reached.
    pub fn judge_check(
        &self,
        contract: &dyn Contract,
        sequence: &Sequence,
        first_check: usize,
        execution: &Execution,
    ) -> Option<Result<Violation, &'static Rule>> {
        let called = sequence.call_at(first_check).map(|id| &self.program.operations[id.0 as usize]);
        let violation = contract::judge_check(contract, first_check, called, execution)?;
        Some(self.suppressing_rule(&violation, sequence, first_check, execution).map_or(Ok(violation), Err))
    }

    /// The violation that a run of a finding's sequence (or of a smaller one with as many check calls) shows.
    pub fn violation_of(
        &self,
        contract_name: &str,
        checks: usize,
        sequence: &Sequence,
        execution: &Execution,
    ) -> Option<Violation> {
        if checks == 0 {
            self.judge_run(sequence, execution).violation.filter(|violation| violation.contract == contract_name)
        } else {
            let contract = contract::ALL.iter().find(|contract| contract.name() == contract_name)?;
            self.judge_check(*contract, sequence, sequence.len().checked_sub(checks)?, execution)?.ok()
        }
    }

    /// The rule that suppresses the violation, among those that need no details of a run.
    fn suppressing_rule(
        &self,
        violation: &Violation,
        sequence: &Sequence,
        first_check: usize,
        execution: &Execution,
    ) -> Option<&'static Rule> {
        let case = Case { violation, sequence, first_check, execution, program: self.program };
        self.suppressing_rules(Evidence::AnyRun).find(|rule| rule.applies(&case))
    }

    /// The rule that suppresses the violation, among those that need details: messages of exceptions or the contents of
    /// collections.
    pub fn suppressing_rule_of_details(
        &self,
        violation: &Violation,
        sequence: &Sequence,
        first_check: usize,
        execution: &Execution,
    ) -> Option<&'static Rule> {
        let case = Case { violation, sequence, first_check, execution, program: self.program };
        self.suppressing_rules(Evidence::DetailedRun).find(|rule| rule.applies(&case))
    }

    /// How certain it is that the code under test is to blame for a finding, and the rule that lowered it.
    pub fn confidence(&self, finding: &Finding) -> (Confidence, Option<&'static Rule>) {
        let Finding { violation, sequence, execution, .. } = finding;
        let first_check = sequence.len() - finding.checks;
        let case = Case { violation, sequence, first_check, execution, program: self.program };
        let lowered = self.enabled_rules().find_map(|rule| match rule.effect {
            Effect::LowerTo(confidence) if rule.applies(&case) => Some((confidence, Some(rule))),
            _ => None,
        });
        lowered.unwrap_or((Confidence::Certain, None))
    }

    fn suppressing_rules(&self, evidence: Evidence) -> impl Iterator<Item = &'static Rule> {
        let suppresses = |rule: &&Rule| matches!(rule.effect, Effect::Suppress | Effect::Expect);
        self.enabled_rules().filter(move |rule| rule.evidence == evidence && suppresses(rule))
    }

    fn enabled_rules(&self) -> impl Iterator<Item = &'static Rule> {
        let disabled = self.disabled;
        rules::ALL.iter().copied().filter(move |rule| !disabled.iter().any(|other| other.id == rule.id))
    }
}

/// Whether the exception's class is `ancestor` or a subclass.
pub fn is_a(thrown: &Thrown, ancestor: &str) -> bool {
    thrown.superclasses.iter().any(|class| class.internal() == ancestor)
}

/// Whether the value of a statement is null: a literal, or what a call returned.
fn is_null(sequence: &Sequence, at: usize, execution: &Execution) -> bool {
    match &sequence.statements()[at].action {
        Action::Literal(literal) => matches!(literal, Literal::Null(_)),
        Action::Call(_) => matches!(execution.values.get(at), Some(Value::Null)),
    }
}

/// Whether the call at a statement has null in place of a receiver, so that it reaches no code.
pub fn is_on_null(sequence: &Sequence, at: usize, execution: &Execution, operations: &[Operation]) -> bool {
    let Action::Call(operation) = sequence.statements()[at].action else { return false };
    let receiver = sequence.inputs_of(at).next().filter(|_| operations[operation.0 as usize].has_receiver());
    receiver.is_some_and(|receiver| is_null(sequence, receiver, execution))
}

/// Whether any input of the first statements, up to `end`, is null where no annotation allows it. An implementation may
/// return null, and what an abstract class requires of subclasses, such as fields to set, is not known.
fn uses_null(sequence: &Sequence, end: usize, execution: &Execution, operations: &[Operation]) -> bool {
    let is_null = |at: usize| is_null(sequence, at, execution);
    let answers_null = |at: usize| match sequence.statements()[at].action {
        Action::Call(operation) => {
            let operation = &operations[operation.0 as usize];
            let extends = operation.kind == OperationKind::Implementation && !operation.owner_is_interface;
            extends || operation.implemented.iter().any(Implemented::answers_null)
        }
        Action::Literal(_) => false,
    };
    let allows_null = |user: usize, position: usize| match sequence.statements()[user].action {
        Action::Call(operation) => operations[operation.0 as usize].nullable.contains(&position),
        Action::Literal(_) => false,
    };
    let takes_null = |user: usize| {
        sequence.inputs_of(user).enumerate().any(|(position, input)| is_null(input) && !allows_null(user, position))
    };
    (0..end).any(|user| answers_null(user) || takes_null(user))
}

#[cfg(test)]
mod tests {
    use super::rules::testing::*;
    use super::*;
    use model::jvm::Type;

    #[test]
    fn disabled_rule_suppresses_nothing() {
        let null = Literal::Null(Type::object());
        let Finding { sequence, execution, .. } =
            failure(RUN, null, "java/lang/NullPointerException", Some(&because("\"<local4>\"")), &["p/A.find"]);
        let program = program();
        let judged = Judge::new(&program, &[]).judge_run(&sequence, &execution);
        assert!(matches!(judged.verdict, Verdict::Illegal(_, Intent::Implicit)), "{judged:?}");
        assert_eq!(judged.suppressed_by.map(|rule| rule.id), Some("null-argument"));
        let disabled = [rules::find("null-argument").unwrap()];
        let judged = Judge::new(&program, &disabled).judge_run(&sequence, &execution);
        assert!(matches!(judged.verdict, Verdict::ErrorRevealing(_)), "{judged:?}");
        assert!(judged.suppressed_by.is_none());
    }

    #[test]
    fn disabled_rule_lowers_no_confidence() {
        let finding = null_pointer(None, &["p/A.run"]);
        let program = program();
        let disabled = [rules::find("thrown-exception").unwrap()];
        assert_eq!(Judge::new(&program, &disabled).confidence(&finding).0, Confidence::Certain);
    }

    #[test]
    fn deliberate_exception_is_expected_behaviour() {
        let stack = ["java/util/Objects.requireNonNull", "p/A.run"];
        let Finding { sequence, execution, .. } = null_pointer(Some("name"), &stack);
        let program = program();
        let judged = Judge::new(&program, &[]).judge_run(&sequence, &execution);
        assert!(matches!(judged.verdict, Verdict::ExpectedException(_, Intent::Deliberate)), "{judged:?}");
    }
}

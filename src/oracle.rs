//! What an execution means: verdicts, and the contracts behind findings.

pub mod contract;
mod doubt;
mod null;

use crate::execution::{Execution, KillReason, Outcome, Thrown, Value};
use crate::jvm::{ClassName, Literal};
use crate::options::Confidence;
use crate::program::Program;
use crate::sequence::{Action, Implemented, Operation, OperationKind, Sequence};
use contract::Contract;
pub use doubt::doubt_of_message;
use doubt::{Doubt, doubt};

/// What became of a sequence (text 2 of the papers; DESIGN, "Verdicts").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All statements completed and no contract is broken: the sequence may be extended.
    Normal,
    /// The last statement threw an exception that belongs to its behaviour: testable, never extended.
    ExpectedException(Thrown),
    /// What the sequence did explains the exception (a null argument, say): no fault.
    Illegal(Thrown),
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
    /// The class under test it is reported for.
    pub class: ClassName,
    /// For contract checks the check calls are the last statements.
    pub sequence: Sequence,
    /// Statements at the end that are check calls of the contract; 0 when the run itself violates it.
    pub checks: usize,
    pub execution: Execution,
    pub violation: Violation,
    /// Failing sequences with the same cause, redundant ones counted once; this one included.
    pub witnesses: u32,
}

impl Finding {
    /// How sure it is that the code under test is to blame.
    pub fn confidence(&self, program: &Program) -> Confidence {
        doubt::confidence(&self.violation, &self.sequence, program)
    }
}

/// Judges a run of a sequence. After an exception, `sequence` must end with the statement that threw.
pub fn judge(sequence: &Sequence, execution: &Execution, program: &Program) -> Verdict {
    let operations = &program.operations[..];
    let run = contract::Run { sequence, execution, operations };
    let violation = || contract::ALL.iter().find_map(|contract| contract.violated_by(&run));
    let doubt = |violation: &Violation| doubt(violation, sequence, sequence.len(), execution, program);
    match &execution.outcome {
        Outcome::Completed => {
            let violation = violation().filter(|violation| doubt(violation).is_none());
            violation.map_or(Verdict::Normal, Verdict::ErrorRevealing)
        }
        Outcome::Killed { reason, .. } => Verdict::Killed(*reason),
        Outcome::Unlinkable { message, .. } => Verdict::Unlinkable(message.clone()),
        Outcome::Threw { exception, .. } => {
            if is_a(exception, "java/lang/LinkageError") {
                let message = exception.message.as_ref().map(|message| format!(": {message}")).unwrap_or_default();
                return Verdict::Unlinkable(format!("{}{message}", exception.class));
            }
            if is_explained_by_null(exception) && uses_null(sequence, execution, operations) {
                return Verdict::Illegal(exception.clone());
            }
            let Some(violation) = violation() else { return Verdict::ExpectedException(exception.clone()) };
            match doubt(&violation) {
                None => Verdict::ErrorRevealing(violation),
                Some(Doubt::Deliberate) => Verdict::ExpectedException(exception.clone()),
                Some(_) => Verdict::Illegal(exception.clone()),
            }
        }
    }
}

/// The violation that the check calls of a contract show, which are the statements from `first_check` on; `None` if they
/// did not get to run, or when it is doubtful.
pub fn judge_check(
    contract: &dyn Contract,
    sequence: &Sequence,
    first_check: usize,
    execution: &Execution,
    program: &Program,
) -> Option<Violation> {
    let violation = contract::judge_check(contract, first_check, execution)?;
    doubt(&violation, sequence, first_check, execution, program).is_none().then_some(violation)
}

/// The violation that a run of a finding's sequence (or of a smaller one with as many check calls) shows.
pub fn violation_of(
    contract_name: &str,
    checks: usize,
    sequence: &Sequence,
    execution: &Execution,
    program: &Program,
) -> Option<Violation> {
    if checks == 0 {
        match judge(sequence, execution, program) {
            Verdict::ErrorRevealing(violation) if violation.contract == contract_name => Some(violation),
            _ => None,
        }
    } else {
        let contract = contract::ALL.iter().find(|contract| contract.name() == contract_name)?;
        judge_check(*contract, sequence, sequence.len().checked_sub(checks)?, execution, program)
    }
}

/// Whether the exception's class is `ancestor` or a subclass.
pub fn is_a(thrown: &Thrown, ancestor: &str) -> bool {
    thrown.superclasses.iter().any(|class| class.internal() == ancestor)
}

fn is_explained_by_null(thrown: &Thrown) -> bool {
    is_a(thrown, "java/lang/NullPointerException") || is_a(thrown, "java/lang/AssertionError")
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

/// Whether any statement's input is null that no annotation allows to be. An implementation may answer null, and what a
/// subclass owes an abstract class, which fields it is to set say, nobody knows.
pub fn uses_null(sequence: &Sequence, execution: &Execution, operations: &[Operation]) -> bool {
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
    (0..sequence.len()).any(|user| answers_null(user) || takes_null(user))
}

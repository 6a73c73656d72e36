//! What an execution means: verdicts, and the contracts behind findings.

use crate::execution::{Execution, KillReason, Thrown};
use crate::jvm::ClassName;
use crate::sequence::Sequence;

/// What became of a sequence (text 2 of the papers; DESIGN, "Verdicts").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All statements completed and no contract is broken: the sequence may be extended.
    Normal,
    /// The last statement threw an exception that belongs to its behaviour: testable, never extended.
    ExpectedException(Thrown),
    /// An input explains the exception (a null argument): no fault; testable when the code itself threw it.
    Illegal(Thrown),
    /// A contract is broken.
    ErrorRevealing(Violation),
    /// The run did not end by itself.
    Killed(KillReason),
    /// A class or member does not load or link.
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
    pub execution: Execution,
    pub violation: Violation,
    /// Sequences found with the same cause, this one included.
    pub witnesses: u32,
}

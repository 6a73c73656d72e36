//! Exceptions that no caller should see: they show a fault, unless a rule says that the caller is to blame.

use super::{Contract, NO_NULL_POINTER, Run};
use crate::{Violation, is_a};
use model::execution::{Outcome, Thrown};

/// No `NullPointerException`; the rule `null-argument` suppresses those that a null argument explains.
pub struct NoNullPointerException;

impl Contract for NoNullPointerException {
    fn name(&self) -> &'static str {
        NO_NULL_POINTER
    }

    fn law(&self) -> &'static str {
        "no `NullPointerException` leaves the code, unless a null argument explains it"
    }

    fn violated_by(&self, run: &Run) -> Option<Violation> {
        let message = "a NullPointerException was thrown that no null argument explains";
        thrown(run, "java/lang/NullPointerException").map(|thrown| Violation {
            contract: self.name(),
            message: message.to_string(),
            thrown: Some(thrown),
        })
    }
}

/// No `AssertionError`.
pub struct NoAssertionError;

impl Contract for NoAssertionError {
    fn name(&self) -> &'static str {
        "no-assertion-error"
    }

    fn law(&self) -> &'static str {
        "no `AssertionError` leaves the code"
    }

    fn violated_by(&self, run: &Run) -> Option<Violation> {
        let message = "an assertion in the code under test failed, and no null argument explains it";
        thrown(run, "java/lang/AssertionError").map(|thrown| Violation {
            contract: self.name(),
            message: message.to_string(),
            thrown: Some(thrown),
        })
    }
}

fn thrown(run: &Run, class: &str) -> Option<Thrown> {
    let Outcome::Threw { exception, .. } = &run.execution.outcome else { return None };
    is_a(exception, class).then(|| exception.clone())
}

//! `toString` does not throw.

use super::{Checked, Contract, Promises, Subject, must_not_throw};
use model::sequence::{CheckOperations, Sequence};

pub struct DoesNotThrow;

impl Contract for DoesNotThrow {
    fn name(&self) -> &'static str {
        "to-string"
    }

    fn law(&self) -> &'static str {
        "`x.toString()` does not throw"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::ToString]
    }

    fn arity(&self) -> usize {
        1
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.to_string
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        sequence.push_call(operations.to_string, &[values[0]]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        must_not_throw("toString", checked)
    }
}

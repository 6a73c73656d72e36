//! The laws of `Object.hashCode`.

use super::{Checked, Contract, Promises, Relation, Subject, must_not_throw};
use model::execution::Execution;
use model::sequence::{CheckOperations, Sequence};

/// `hashCode` does not throw and returns the same twice.
pub struct Consistent;

impl Contract for Consistent {
    fn name(&self) -> &'static str {
        "hash-code-consistent"
    }

    fn law(&self) -> &'static str {
        "`x.hashCode()` does not throw and returns the same twice"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::HashCode]
    }

    fn arity(&self) -> usize {
        1
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.hash_code
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        sequence.push_call(operations.hash_code, &[values[0]]);
        sequence.push_call(operations.hash_code, &[values[0]]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        must_not_throw("hashCode", checked).or_else(|| {
            (checked.int(0)? != checked.int(1)?).then(|| "hashCode must return the same twice, but did not".to_string())
        })
    }

    fn relations(&self, calls: &[usize], _receiver: Option<usize>, _execution: &Execution) -> Vec<Relation> {
        let [.., x, y] = *calls else { return Vec::new() };
        vec![Relation::Equal(x, y)]
    }
}

/// Equal objects have equal hash codes.
pub struct EqualObjects;

impl Contract for EqualObjects {
    fn name(&self) -> &'static str {
        "equals-hash-code"
    }

    fn law(&self) -> &'static str {
        "`x.equals(y)` makes `x.hashCode() == y.hashCode()`"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::Equals, Subject::HashCode]
    }

    fn arity(&self) -> usize {
        2
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.equals
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        sequence.push_call(operations.equals, &[values[0], values[1]]);
        sequence.push_call(operations.hash_code, &[values[0]]);
        sequence.push_call(operations.hash_code, &[values[1]]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        let broken = checked.boolean(0)? && checked.int(1)? != checked.int(2)?;
        broken.then(|| "equal objects must have equal hash codes, but these differ".to_string())
    }

    fn relations(&self, calls: &[usize], _receiver: Option<usize>, _execution: &Execution) -> Vec<Relation> {
        let [.., equals, x, y] = *calls else { return Vec::new() };
        vec![Relation::True(equals), Relation::Equal(x, y)]
    }
}

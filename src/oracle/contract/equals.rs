//! The laws of `Object.equals`.

use super::{Checked, Contract, Promises, Relation, Subject, must_not_throw};
use model::execution::Execution;
use model::jvm::{Literal, Type};
use model::sequence::{CheckOperations, Sequence};

/// `x.equals(x)` is true.
pub struct Reflexive;

impl Contract for Reflexive {
    fn name(&self) -> &'static str {
        "equals-reflexive"
    }

    fn law(&self) -> &'static str {
        "`x.equals(x)`"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::Equals]
    }

    fn arity(&self) -> usize {
        1
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.equals
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        sequence.push_call(operations.equals, &[values[0], values[0]]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        let broken = checked.boolean(0) == Some(false);
        must_not_throw("equals of an object with itself", checked)
            .or_else(|| broken.then(|| "x.equals(x) must be true, but is false".to_string()))
    }
}

/// `x.equals(null)` is false.
pub struct NullIsFalse;

impl Contract for NullIsFalse {
    fn name(&self) -> &'static str {
        "equals-null"
    }

    fn law(&self) -> &'static str {
        "`x.equals(null)` is false"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::Equals]
    }

    fn arity(&self) -> usize {
        1
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.equals
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        let null = sequence.push_literal(Literal::Null(Type::object()));
        sequence.push_call(operations.equals, &[values[0], null]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        // The first check statement is the null literal; its value is not a boolean.
        let broken = checked.boolean(0).or(checked.boolean(1)) == Some(true);
        must_not_throw("equals(null)", checked)
            .or_else(|| broken.then(|| "x.equals(null) must be false, but is true".to_string()))
    }
}

/// `x.equals(y)` is `y.equals(x)`.
pub struct Symmetric;

impl Contract for Symmetric {
    fn name(&self) -> &'static str {
        "equals-symmetric"
    }

    fn law(&self) -> &'static str {
        "`x.equals(y)` is `y.equals(x)`"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::Equals]
    }

    fn arity(&self) -> usize {
        2
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.equals
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        sequence.push_call(operations.equals, &[values[0], values[1]]);
        sequence.push_call(operations.equals, &[values[1], values[0]]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        let (there, back) = (checked.boolean(0)?, checked.boolean(1)?);
        (there != back).then(|| format!("x.equals(y) is {there}, so y.equals(x) must be {there}, but is {back}"))
    }

    fn relations(&self, calls: &[usize], _receiver: Option<usize>, _execution: &Execution) -> Vec<Relation> {
        let [.., x, y] = *calls else { return Vec::new() };
        vec![Relation::Equal(x, y)]
    }
}

/// `x.equals(y)` and `y.equals(z)` make `x.equals(z)` true.
pub struct Transitive;

impl Contract for Transitive {
    fn name(&self) -> &'static str {
        "equals-transitive"
    }

    fn law(&self) -> &'static str {
        "`x.equals(y)` and `y.equals(z)` make `x.equals(z)` true"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::Equals]
    }

    fn arity(&self) -> usize {
        3
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.equals
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        sequence.push_call(operations.equals, &[values[0], values[1]]);
        sequence.push_call(operations.equals, &[values[1], values[2]]);
        sequence.push_call(operations.equals, &[values[0], values[2]]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        let broken = checked.boolean(0)? && checked.boolean(1)? && !checked.boolean(2)?;
        broken.then(|| "x.equals(y) and y.equals(z) are true, so x.equals(z) must be true, but is false".to_string())
    }

    fn relations(&self, calls: &[usize], _receiver: Option<usize>, _execution: &Execution) -> Vec<Relation> {
        let [.., x, y, z] = *calls else { return Vec::new() };
        vec![Relation::True(x), Relation::True(y), Relation::True(z)]
    }
}

//! The laws of `Comparator.compare`. Values: the comparator, then what it compares.

use super::compare_to::{judge_sign, judge_transitive, push_pairs};
use super::{Checked, Contract, Promises, Relation, Subject};
use model::execution::Execution;
use model::sequence::{CheckOperations, Sequence};

/// `sgn(c.compare(x, y))` is `-sgn(c.compare(y, x))`.
pub struct Sign;

impl Contract for Sign {
    fn name(&self) -> &'static str {
        "comparator-sign"
    }

    fn law(&self) -> &'static str {
        "`c.compare(x, y)` and `c.compare(y, x)` have opposite signs"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::Compare]
    }

    fn arity(&self) -> usize {
        3
    }

    fn compares_any_class(&self) -> bool {
        true
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.compare
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        push_pairs(sequence, operations.compare, &values[..1], &values[1..], &[(0, 1), (1, 0)]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        judge_sign("compare", checked)
    }

    fn relations(&self, calls: &[usize], _receiver: Option<usize>, _execution: &Execution) -> Vec<Relation> {
        let [.., x, y] = *calls else { return Vec::new() };
        vec![Relation::OppositeSigns(x, y)]
    }
}

/// `x > y` and `y > z` make `x > z`.
pub struct Transitive;

impl Contract for Transitive {
    fn name(&self) -> &'static str {
        "comparator-transitive"
    }

    fn law(&self) -> &'static str {
        "`x > y` and `y > z` make `x > z`, by `c.compare`"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::Compare]
    }

    fn arity(&self) -> usize {
        4
    }

    fn compares_any_class(&self) -> bool {
        true
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.compare
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        push_pairs(sequence, operations.compare, &values[..1], &values[1..], &[(0, 1), (1, 2), (0, 2)]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        judge_transitive("compare", checked)
    }

    fn relations(&self, calls: &[usize], _receiver: Option<usize>, _execution: &Execution) -> Vec<Relation> {
        let [.., x, y, z] = *calls else { return Vec::new() };
        vec![Relation::Positive(x), Relation::Positive(y), Relation::Positive(z)]
    }
}

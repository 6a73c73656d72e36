//! The laws of `Comparable.compareTo`. Exceptions are no violation: it may refuse what it cannot compare.

use super::{Checked, Contract, Promises, Relation, Subject};
use model::execution::Execution;
use model::sequence::{CheckOperations, OperationId, Sequence};

/// `sgn(x.compareTo(y))` is `-sgn(y.compareTo(x))`.
pub struct Sign;

impl Contract for Sign {
    fn name(&self) -> &'static str {
        "compare-to-sign"
    }

    fn law(&self) -> &'static str {
        "`x.compareTo(y)` and `y.compareTo(x)` have opposite signs"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::CompareTo]
    }

    fn arity(&self) -> usize {
        2
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.compare_to
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        push_pairs(sequence, operations.compare_to, &[], values, &[(0, 1), (1, 0)]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        judge_sign("compareTo", checked)
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
        "compare-to-transitive"
    }

    fn law(&self) -> &'static str {
        "`x > y` and `y > z` make `x > z`"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::CompareTo]
    }

    fn arity(&self) -> usize {
        3
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.compare_to
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        push_pairs(sequence, operations.compare_to, &[], values, &[(0, 1), (1, 2), (0, 2)]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        judge_transitive("compareTo", checked)
    }

    fn relations(&self, calls: &[usize], _receiver: Option<usize>, _execution: &Execution) -> Vec<Relation> {
        let [.., x, y, z] = *calls else { return Vec::new() };
        vec![Relation::Positive(x), Relation::Positive(y), Relation::Positive(z)]
    }
}

/// Where `x.compareTo(y)` is 0, both compare alike with `z`.
pub struct Consistent;

impl Contract for Consistent {
    fn name(&self) -> &'static str {
        "compare-to-consistent"
    }

    fn law(&self) -> &'static str {
        "where `x.compareTo(y)` is 0, both compare alike with `z`"
    }

    fn subjects(&self) -> &'static [Subject] {
        &[Subject::CompareTo]
    }

    fn arity(&self) -> usize {
        3
    }

    fn applies(&self, promises: Promises) -> bool {
        promises.compare_to
    }

    fn check(&self, sequence: &mut Sequence, values: &[usize], operations: &CheckOperations) {
        push_pairs(sequence, operations.compare_to, &[], values, &[(0, 1), (0, 2), (1, 2)]);
    }

    fn judge(&self, checked: &Checked) -> Option<String> {
        let broken = checked.int(0)? == 0 && checked.int(1)?.signum() != checked.int(2)?.signum();
        broken.then(|| {
            "x.compareTo(y) is 0, so x.compareTo(z) and y.compareTo(z) must have the same sign, but do not".to_string()
        })
    }

    fn relations(&self, calls: &[usize], _receiver: Option<usize>, _execution: &Execution) -> Vec<Relation> {
        let [.., x, y, z] = *calls else { return Vec::new() };
        vec![Relation::Zero(x), Relation::SameSign(y, z)]
    }
}

/// Appends a call per pair of `values`, with `first` as its first inputs.
pub(super) fn push_pairs(
    sequence: &mut Sequence,
    operation: OperationId,
    first: &[usize],
    values: &[usize],
    pairs: &[(usize, usize)],
) {
    for &(left, right) in pairs {
        let inputs: Vec<usize> = first.iter().copied().chain([values[left], values[right]]).collect();
        sequence.push_call(operation, &inputs);
    }
}

/// What (x, y) and (y, x) returned must have opposite signs.
pub(super) fn judge_sign(method: &str, checked: &Checked) -> Option<String> {
    let (there, back) = (checked.int(0)?, checked.int(1)?);
    (there.signum() != -back.signum())
        .then(|| format!("{method} of x and y is {there}, so of y and x it must have the opposite sign, but is {back}"))
}

/// What (x, y), (y, z) and (x, z) returned must order the three.
pub(super) fn judge_transitive(method: &str, checked: &Checked) -> Option<String> {
    let broken = checked.int(0)? > 0 && checked.int(1)? > 0 && checked.int(2)? <= 0;
    broken.then(|| format!("by {method} x is above y and y above z, so x must be above z, but is not"))
}

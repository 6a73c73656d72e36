//! Objects that were given to themselves, in which walks have no end.

use super::{Condition, Effect, Evidence, Rule};
use crate::contract::TERMINATES;
use model::options::Confidence;
use model::sequence::{Action, Operation, Sequence};
use std::collections::BTreeMap;

/// An object that holds itself, maybe through others, as a list that is an element of its own.
pub static CYCLIC_STRUCTURE: Rule = Rule {
    id: "cyclic-structure",
    sentence: "the contract is `terminates`, and the sequence gives an object to itself, or two objects to each other",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Violation(|case| {
        case.violation.contract == TERMINATES && gives_in_a_circle(case.sequence, &case.program.operations)
    }),
};

/// Whether calls before the last one lead from an object to itself, if each gives its arguments to its receiver, and all to what it
/// returns. What a method returns of the type of its receiver may be that.
pub fn gives_in_a_circle(sequence: &Sequence, operations: &[Operation]) -> bool {
    let mut given: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut same: Vec<usize> = (0..sequence.len()).collect();
    for at in 0..sequence.len().saturating_sub(1) {
        let Action::Call(called) = sequence.statements()[at].action else { continue };
        let called = &operations[called.0 as usize];
        let mut inputs: Vec<usize> = sequence.inputs_of(at).map(|input| same[input]).collect();
        let receiver = inputs.first().copied().filter(|_| called.has_receiver());
        match receiver {
            Some(receiver) if called.output.as_ref() == called.inputs.first() => same[at] = receiver,
            _ => given.entry(at).or_default().extend(&inputs),
        }
        if let Some(receiver) = receiver {
            given.entry(receiver).or_default().extend(inputs.drain(1..));
        }
    }
    let leads_back = |from: usize| {
        let (mut next, mut seen) = (given[&from].clone(), Vec::new());
        while let Some(at) = next.pop() {
            if at == from {
                return true;
            }
            if !seen.contains(&at) {
                seen.push(at);
                next.extend(given.get(&at).into_iter().flatten());
            }
        }
        false
    };
    given.keys().copied().any(leads_back)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::jvm::{Literal, Type};
    use model::sequence::{OperationId, OperationKind};

    #[test]
    fn object_that_was_given_to_itself_makes_a_finding_possible_only() {
        let program = program_with(|run| run.kind = OperationKind::InstanceMethod);
        let with_calls = |calls: &[(usize, usize)]| {
            let mut finding = null_pointer(None, &["p/A.run"]);
            let mut sequence = Sequence::new();
            let _inputs = [(); 2].map(|()| sequence.push_literal(Literal::Null(Type::object())));
            for (receiver, argument) in calls.iter().chain(&[(0, 1)]) {
                sequence.push_call(OperationId(RUN), &[*receiver, *argument]);
            }
            (finding.violation.contract, finding.violation.thrown, finding.sequence) = (TERMINATES, None, sequence);
            confidence(&finding, &program).0
        };
        assert_eq!(with_calls(&[(0, 0)]), Confidence::Possible);
        assert_eq!(with_calls(&[(0, 1), (1, 0)]), Confidence::Possible);
        // The first call's value holds what it was given, and is given to that.
        assert_eq!(with_calls(&[(0, 1), (1, 2)]), Confidence::Possible);
        assert_eq!(with_calls(&[(0, 1)]), Confidence::Certain);
    }
}

//! Objects that the caller put into themselves.

use super::{Case, Condition, Effect, Evidence, Rule};
use std::collections::BTreeSet;

/// Endless recursion of an object that contains itself because the caller put it there: collections of the JDK do the same.
pub static SELF_CONTAINING_OBJECT: Rule = Rule {
    id: "self-containing-object",
    sentence: "the sequence put an object into itself, directly or through others",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&["java/lang/StackOverflowError"], |case, _| contains_itself(case)),
};

/// Whether calls before the check calls give an object, or what was made of it, to itself: what a call takes may be held by
/// its receiver and by its result.
fn contains_itself(case: &Case) -> bool {
    let mut holds: Vec<(usize, usize)> = Vec::new();
    for at in 0..case.first_check {
        let Some((operation, arguments)) = case.call_at(at) else { continue };
        let receiver = case.sequence.inputs_of(at).next().filter(|_| operation.has_receiver());
        for argument in arguments {
            holds.extend(receiver.map(|receiver| (receiver, argument)));
            holds.push((at, argument));
        }
        holds.extend(receiver.map(|receiver| (at, receiver)));
    }
    holds.iter().any(|&(holder, held)| reaches(held, holder, &holds))
}

fn reaches(from: usize, to: usize, holds: &[(usize, usize)]) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::new());
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at) {
            open.extend(holds.iter().filter(|(holder, _)| *holder == at).map(|(_, held)| *held));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn endless_recursion_is_a_fault_unless_the_object_was_put_into_itself() {
        let overflow = failure(RUN, string(), "java/lang/StackOverflowError", None, &["p/A.run"]);
        assert_eq!(suppressed_by(&overflow, &program()), None);
        assert!(reaches(0, 0, &[]) && reaches(0, 2, &[(0, 1), (1, 2)]) && !reaches(2, 0, &[(0, 1), (1, 2)]));
    }
}

//! Joining: the statements of one test before those of another, with what both begin with only once.

use model::sequence::{Action, Sequence};

/// The statements of `first`, then those of `second` without their common beginning. The last statement of the second is
/// always kept.
pub(super) fn join(first: &Sequence, second: &Sequence) -> Sequence {
    let mut joined = first.clone();
    let mut moved: Vec<usize> = Vec::with_capacity(second.len());
    let mut in_common = true;
    for (at, statement) in second.statements().iter().enumerate() {
        let inputs: Vec<usize> = second.inputs_of(at).map(|input| moved[input]).collect();
        let is_literal = matches!(statement.action, Action::Literal(_));
        let known = (0..first.len()).find(|&known| {
            let own = first.inputs_of(known);
            first.statements()[known].action == statement.action
                && own.len() == inputs.len()
                && own.zip(&inputs).all(|(one, &two)| joined.has_same_value(one, two))
        });
        match known {
            // Later on the objects may have changed.
            Some(known) if in_common && !is_literal && at + 1 < second.len() => moved.push(known),
            _ => {
                in_common &= is_literal;
                moved.push(joined.push(statement.action.clone(), &inputs));
            }
        }
    }
    let is_used = |at: usize| (at + 1..joined.len()).any(|user| joined.inputs_of(user).any(|input| input == at));
    let is_needed = |at: usize| joined.literal_at(at).is_none() || is_used(at);
    joined.retain(is_needed).expect("only unused literals are dropped")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::program_model::call_count;
    use model::jvm::Literal;
    use model::sequence::OperationId;

    #[test]
    fn common_prefix_of_tests_is_joined() {
        let test = |last: u32| {
            let mut sequence = Sequence::new();
            let stack = sequence.push_call(OperationId(0), &[]);
            sequence.push_call(OperationId(last), &[stack]);
            sequence
        };
        let joined = join(&test(1), &test(2));
        assert_eq!(call_count(&joined), 3);
        assert_eq!(joined.inputs_of(2).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn calls_on_different_values_are_not_joined() {
        let test = |value: i32| {
            let mut sequence = Sequence::new();
            let literal = sequence.push_literal(Literal::Int(value));
            let stack = sequence.push_call(OperationId(0), &[literal]);
            sequence.push_call(OperationId(1), &[stack]);
            sequence
        };
        assert_eq!(call_count(&join(&test(1), &test(2))), 4);
        assert_eq!(call_count(&join(&test(1), &test(1))), 3);
    }
}

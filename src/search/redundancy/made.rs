//! Values that sequences make, as terms of the calls that made them.
//!
//! Objects that met in a call may be parts of one another from then on, so what changes one of them may change the others:
//! they form a group, and a change is noted of all of it. Texts, numbers and what a call returns as such are in no group.

use bytecode::analysis::purity::Effects;
use model::execution::Fingerprint;
use model::sequence::{Action, Operation, Sequence};
use rustc_hash::FxHasher;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// A value of a sequence that ran.
pub struct Made<'a> {
    /// The sequence that made it.
    pub sequence: &'a Sequence,
    /// The statement that made it.
    pub at: usize,
    /// The state that the worker reported.
    pub reported: Fingerprint,
    /// All operations of the program, by their ids.
    pub operations: &'a [Operation],
    /// What a call of each may change.
    pub effects: &'a [Effects],
}

impl Made<'_> {
    /// How the value came about, and which calls had a part in it since then that count: `counts` is given what a call may
    /// change, and as which of its inputs it took an object of the group.
    pub(super) fn term(&self, counts: impl Fn(Effects, usize) -> bool) -> Fingerprint {
        let mut terms = ValueTerms::default();
        for (at, statement) in self.sequence.statements().iter().enumerate() {
            let Action::Call(operation) = &statement.action else {
                terms.add(hash_of(&statement.action), None);
                continue;
            };
            let operation = operation.0 as usize;
            let inputs: Vec<usize> = self.sequence.inputs_of(at).collect();
            let states: Vec<Fingerprint> = inputs.iter().map(|&input| terms.state(input)).collect();
            let call = hash_of(&(operation, states));
            let output = self.operations[operation].output.as_ref();
            let is_object = output.is_some_and(|of| !of.is_primitive() && !of.is_string());
            terms.add(call, is_object.then_some(at));
            let counted = inputs
                .iter()
                .enumerate()
                .any(|(position, &input)| terms.groups[input].is_some() && counts(self.effects[operation], position));
            if counted || is_object {
                terms.join(inputs.into_iter().chain([at]), counted.then_some(call));
            }
        }
        terms.state(self.at)
    }
}

/// The terms of a sequence's values so far.
#[derive(Default)]
struct ValueTerms {
    /// The call that made each value, with the states of what it took.
    made: Vec<Fingerprint>,
    /// The group of each value, by its first member; `None` for what cannot change.
    groups: Vec<Option<usize>>,
    /// What was noted of each group, 0 if nothing.
    changes: Vec<Fingerprint>,
}

impl ValueTerms {
    fn add(&mut self, made: Fingerprint, group: Option<usize>) {
        self.made.push(made);
        self.groups.push(group);
        self.changes.push(0);
    }

    fn state(&self, at: usize) -> Fingerprint {
        self.groups[at].map_or(self.made[at], |group| hash_of(&(self.made[at], self.changes[group])))
    }

    /// Makes one group of those of the values, and notes the call of it.
    fn join(&mut self, values: impl Iterator<Item = usize>, call: Option<Fingerprint>) {
        let joined: BTreeSet<usize> = values.filter_map(|value| self.groups[value]).collect();
        let Some(&first) = joined.first() else { return };
        let noted: Vec<Fingerprint> =
            joined.iter().map(|&group| self.changes[group]).filter(|&noted| noted != 0).collect();
        let noted = if let [one] = noted[..] { one } else { hash_of(&noted) };
        self.changes[first] = call.map_or(noted, |call| hash_of(&(noted, call)));
        for group in self.groups.iter_mut().flatten().filter(|group| joined.contains(group)) {
            *group = first;
        }
    }
}

fn hash_of(thing: &impl Hash) -> Fingerprint {
    let mut hasher = FxHasher::default();
    thing.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redundancy::representation;
    use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
    use model::options::StateRepresentation;
    use model::sequence::{OperationId, OperationKind};

    const NEW: OperationId = OperationId(0);
    const IS_EMPTY: OperationId = OperationId(1);
    const PUSH: OperationId = OperationId(2);
    const VIEW: OperationId = OperationId(3);

    /// A stack, and what is called on it: `push` takes the number 3, `view` makes what reads and writes through to it.
    fn stack(calls: &[OperationId]) -> Sequence {
        let mut sequence = Sequence::new();
        let mut stack = sequence.push_call(NEW, &[]);
        for &call in calls {
            match call {
                PUSH => {
                    let number = sequence.push_literal(Literal::Int(3));
                    sequence.push_call(PUSH, &[stack, number]);
                }
                VIEW => stack = sequence.push_call(VIEW, &[stack]),
                call => drop(sequence.push_call(call, &[stack])),
            }
        }
        sequence
    }

    /// The state of the stack at the end of the sequence.
    fn state(representation: StateRepresentation, sequence: &Sequence) -> Fingerprint {
        let class = ClassName::new("p/Stack");
        let of = || Type::Class(class.clone());
        let operation = |kind, parameters: Vec<Type>, returns: Option<Type>| {
            Operation::new(kind, class.clone(), "m", MethodDescriptor { parameters, returns })
        };
        let operations = [
            operation(OperationKind::Constructor, Vec::new(), None),
            operation(OperationKind::StaticMethod, vec![of()], Some(Type::BOOLEAN)),
            operation(OperationKind::StaticMethod, vec![of(), Type::INT], None),
            operation(OperationKind::StaticMethod, vec![of()], Some(of())),
        ];
        let effects = [Effects::NONE, Effects::NONE, Effects::ALL, Effects::NONE];
        let made = Made { sequence, at: 0, reported: 7, operations: &operations, effects: &effects };
        representation::of(representation).state_of(&made)
    }

    #[test]
    fn whole_seq_counts_all_calls_and_modifying_seq_only_impure_ones() {
        use StateRepresentation::{ModifyingSeq, WholeSeq, WholeState};
        let (plain, asked, pushed) = (stack(&[]), stack(&[IS_EMPTY]), stack(&[PUSH]));
        assert_eq!(state(WholeSeq, &pushed), state(WholeSeq, &stack(&[PUSH])));
        assert_ne!(state(WholeSeq, &plain), state(WholeSeq, &asked));
        assert_eq!(state(ModifyingSeq, &plain), state(ModifyingSeq, &asked));
        assert_ne!(state(ModifyingSeq, &plain), state(ModifyingSeq, &pushed));
        assert_eq!(state(ModifyingSeq, &stack(&[IS_EMPTY, PUSH])), state(ModifyingSeq, &pushed));
        assert_eq!(state(WholeState, &plain), 7);
    }

    #[test]
    fn modification_through_an_alias_counts() {
        let changed = |calls: &[OperationId]| state(StateRepresentation::ModifyingSeq, &stack(calls));
        assert_eq!(changed(&[VIEW]), changed(&[]));
        assert_ne!(changed(&[VIEW, PUSH]), changed(&[VIEW]));
    }
}

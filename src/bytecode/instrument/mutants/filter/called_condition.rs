//! Conditions that a call answers: other mutators answer in its place.

use super::{Candidate, ClassCode, Filter, MethodCode};
use model::execution::mutant::Mutator;
use model::jvm::{MethodDescriptor, Primitive, Type};

/// The mutators with which what a comparison says is forgotten.
const FORGOTTEN: [Mutator; 2] = [Mutator::ForgottenCondition, Mutator::ForgottenCase];

pub(super) struct CalledCondition;

impl Filter for CalledCondition {
    fn name(&self) -> &'static str {
        "called-condition"
    }

    fn description(&self) -> &'static str {
        "Conditions left out by FORGOTTEN_CONDITION and FORGOTTEN_CASE that are the result of a call: TRUE_CALLS and NON_VOID_METHOD_CALLS leave them out."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| {
            !FORGOTTEN.contains(&candidate.mutator) || !is_answered(&class.method(candidate), candidate.at)
        });
    }
}

/// Whether the instruction before the jump is a call that returns true or false.
fn is_answered(method: &MethodCode, at: usize) -> bool {
    let called = at.checked_sub(1).and_then(|before| method.called(before));
    let returns = called.and_then(|called| MethodDescriptor::parse(&called.descriptor)?.returns);
    returns == Some(Type::Primitive(Primitive::Boolean))
}

//! Conditions that a call answers: other mutators answer in its place.

use super::{Candidate, ClassCode, Filter};
use model::execution::mutant::Mutator;
use model::jvm::{MethodDescriptor, Primitive, Type};

pub(super) struct CalledCondition;

impl Filter for CalledCondition {
    fn name(&self) -> &'static str {
        "called-condition"
    }

    fn description(&self) -> &'static str {
        "Conditions left out by FORGOTTEN_CONDITION that are the result of a call: TRUE_CALLS and NON_VOID_METHOD_CALLS leave them out."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| {
            let before = candidate.at.checked_sub(1).and_then(|at| class.method(candidate).called(at));
            let returns = before.and_then(|called| MethodDescriptor::parse(&called.descriptor)?.returns);
            candidate.mutator != Mutator::ForgottenCondition || returns != Some(Type::Primitive(Primitive::Boolean))
        });
    }
}

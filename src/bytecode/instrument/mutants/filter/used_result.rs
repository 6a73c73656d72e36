//! Results that would be null.

use super::{Candidate, ClassCode, Filter};
use crate::classfile::Instruction;
use crate::classfile::instruction::StackOperation;
use model::execution::mutant::Mutator;
use model::jvm::MethodDescriptor;

pub(super) struct UsedResult;

impl Filter for UsedResult {
    fn name(&self) -> &'static str {
        "used-result"
    }

    fn description(&self) -> &'static str {
        "Calls left out by NON_VOID_METHOD_CALLS whose result is an object and is used: null shows in every test."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| {
            let method = class.method(candidate);
            let returns =
                method.called(candidate.at).and_then(|called| MethodDescriptor::parse(&called.descriptor)?.returns);
            let is_object = returns.is_some_and(|returns| !returns.is_primitive());
            let is_dropped = method.instruction(candidate.at + 1) == Some(&Instruction::Stack(StackOperation::Pop));
            candidate.mutator != Mutator::NonVoidMethodCalls || !is_object || is_dropped
        });
    }
}

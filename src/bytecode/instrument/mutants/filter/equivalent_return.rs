//! Returns of what the mutant would return.

use super::{Candidate, ClassCode, Filter, MethodCode};
use crate::classfile::instruction::{FieldAccess, InvokeKind};
use crate::classfile::{EncodedConstant, Instruction};
use model::execution::mutant::Mutator;
use model::jvm::Literal;

pub(super) struct EquivalentReturn;

impl Filter for EquivalentReturn {
    fn name(&self) -> &'static str {
        "equivalent-return"
    }

    fn description(&self) -> &'static str {
        "Returns of the value that the mutant would return: `return true`, `return null`, `return Optional.empty()`."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates.retain(|candidate| {
            let is_same = |pushed: usize| returns_same(&class.method(candidate), pushed, candidate.mutator);
            !candidate.at.checked_sub(1).is_some_and(is_same)
        });
    }
}

/// Static methods that make what the mutator for empty values returns.
const EMPTY: [(&str, &str); 5] = [
    ("java/util/Optional", "empty"),
    ("java/util/stream/Stream", "empty"),
    ("java/util/Collections", "emptyList"),
    ("java/util/Collections", "emptyMap"),
    ("java/util/Collections", "emptySet"),
];

/// Whether the instruction pushes what the mutator makes the method return.
fn returns_same(method: &MethodCode, pushed: usize, mutator: Mutator) -> bool {
    match mutator {
        Mutator::PrimitiveReturns => is_zero(method, pushed),
        Mutator::FalseReturns => returns_boolean(method, pushed, false),
        Mutator::TrueReturns => returns_boolean(method, pushed, true),
        Mutator::NullReturns => method.instruction(pushed) == Some(&Instruction::Null),
        Mutator::EmptyReturns => {
            is_empty_text(method, pushed)
                || boxed(method, pushed).is_some_and(|number| is_zero(method, number))
                || is_static_call(method, pushed) && EMPTY.iter().any(|(class, name)| method.calls(pushed, class, name))
        }
        _ => false,
    }
}

fn returns_boolean(method: &MethodCode, pushed: usize, value: bool) -> bool {
    let is_value = |at: usize| method.is_small_int(at, value.into());
    is_value(pushed) || boxed(method, pushed).is_some_and(is_value) || is_boolean_object(method, pushed, value)
}

/// `Boolean.TRUE` or `Boolean.FALSE`
fn is_boolean_object(method: &MethodCode, at: usize, value: bool) -> bool {
    let Some(Instruction::Field { access: FieldAccess::GetStatic, field }) = method.instruction(at) else {
        return false;
    };
    let name = if value { "TRUE" } else { "FALSE" };
    method.class.pool.member(*field).is_ok_and(|member| member.class == "java/lang/Boolean" && member.name == name)
}

fn is_zero(method: &MethodCode, at: usize) -> bool {
    matches!(method.constant(at), Some(EncodedConstant::Implicit(_, 0)))
}

fn is_empty_text(method: &MethodCode, at: usize) -> bool {
    let index = method.constant(at).and_then(EncodedConstant::pool_index);
    let literal = index.and_then(|index| method.class.pool.literal(index).ok().flatten());
    matches!(literal, Some(Literal::String(text)) if text.units().is_empty())
}

/// The instruction that pushes what this one boxes.
fn boxed(method: &MethodCode, at: usize) -> Option<usize> {
    let is_boxing = is_static_call(method, at) && method.called(at).is_some_and(|member| member.name == "valueOf");
    at.checked_sub(1).filter(|_| is_boxing)
}

fn is_static_call(method: &MethodCode, at: usize) -> bool {
    matches!(method.instruction(at), Some(Instruction::Invoke { kind: InvokeKind::Static, .. }))
}

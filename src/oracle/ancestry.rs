//! Classes with what they inherit from: class files may name a member by any of them.

use bytecode::analysis::caller_obligations::MethodName;
use model::execution::StackFrame;
use model::jvm::ClassName;
use program::Program;

/// The class and all that it inherits from.
pub(super) fn family<'a>(class: &'a ClassName, program: &'a Program) -> impl Iterator<Item = &'a ClassName> {
    std::iter::once(class).chain(program.types.ancestry(class).into_iter().map(|facts| &facts.name))
}

/// Whether objects of one class may be instances of the other.
pub(super) fn are_related(one: &ClassName, other: &ClassName, program: &Program) -> bool {
    family(one, program).any(|class| class == other) || family(other, program).any(|class| class == one)
}

/// The method of a stack frame, as analyses name it.
pub(super) fn method_of(frame: &StackFrame) -> MethodName {
    (frame.class.clone(), frame.method.as_str().into())
}

//! Rejections: where code creates an exception that the JVM raises by itself too.
//!
//! A `NullPointerException` whose stack trace begins in code under test is either a dereference of null or a `throw`
//! statement. Its line tells: an exception is created where its constructor is called. One that `Objects.requireNonNull`
//! throws is meant, but for the calls that javac writes itself: for `text::length` and `outer.new Inner()` it duplicates the
//! value, and passes one of the two on only to see that it is not null (JLS §15.13.3, §15.9.4).
//! What it writes for a constant field of another object, `other.SIZE`, has no duplicate, and is taken for meant.

use super::caller_obligations::MethodName;
use crate::classfile::instruction::StackOperation;
use crate::classfile::{Body, Code, Instruction};
use model::jvm::ClassName;

/// What dereferences of null raise, and `Objects.requireNonNull` throws.
pub const NULL_POINTER: &str = "java/lang/NullPointerException";

/// What instructions raise without a `throw` statement (JVMS §2.10, §6.5).
pub const RAISED_BY_JVM: [&str; 9] = [
    "java/lang/ArithmeticException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/ArrayStoreException",
    "java/lang/ClassCastException",
    "java/lang/IllegalMonitorStateException",
    "java/lang/NegativeArraySizeException",
    NULL_POINTER,
    "java/lang/OutOfMemoryError",
    "java/lang/StackOverflowError",
];

/// A method, the line on which it creates an exception or demands that a value is not null (−1 in a class without line numbers),
/// and the exception's class.
pub type Rejection = (MethodName, i32, ClassName);

/// The rejections in a method's body.
pub(super) fn rejections<'b>(
    name: &'b MethodName,
    code: &'b Code,
    body: &'b Body,
) -> impl Iterator<Item = Rejection> + 'b {
    body.steps.iter().enumerate().filter_map(move |(at, step)| {
        let Instruction::Invoke { method, .. } = &step.instruction else { return None };
        let before = || at.checked_sub(1).map(|before| &body.steps[before].instruction);
        let is_javacs = || matches!(before(), Some(Instruction::Stack(StackOperation::Dup)));
        let thrown = match method.owner.internal() {
            class if &*method.name == "<init>" && RAISED_BY_JVM.contains(&class) => method.owner.clone(),
            class if is_require_non_null(class, &method.name) && !is_javacs() => ClassName::new(NULL_POINTER),
            _ => return None,
        };
        Some((name.clone(), code.line(step.pc).map_or(-1, i32::from), thrown))
    })
}

/// Whether the method is `Objects.requireNonNull`.
pub fn is_require_non_null(owner: &str, name: &str) -> bool {
    owner == "java/util/Objects" && name == "requireNonNull"
}

//! Rejections: where code creates an exception that the JVM raises by itself too.
//!
//! A `NullPointerException` whose stack trace begins in code under test is either a dereference of null or a `throw`
//! statement. Its line tells: an exception is created where its constructor is called.

use super::caller_obligations::MethodName;
use crate::classfile::{Body, Code, Instruction};
use model::jvm::ClassName;

/// What instructions raise without a `throw` statement (JVMS §2.10, §6.5).
pub const RAISED_BY_JVM: [&str; 9] = [
    "java/lang/ArithmeticException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/ArrayStoreException",
    "java/lang/ClassCastException",
    "java/lang/IllegalMonitorStateException",
    "java/lang/NegativeArraySizeException",
    "java/lang/NullPointerException",
    "java/lang/OutOfMemoryError",
    "java/lang/StackOverflowError",
];

/// A method, the line on which it creates an exception (−1 in a class without line numbers), and the exception's class.
pub type Rejection = (MethodName, i32, ClassName);

/// The rejections in a method's body.
pub(super) fn rejections<'b>(
    name: &'b MethodName,
    code: &'b Code,
    body: &'b Body,
) -> impl Iterator<Item = Rejection> + 'b {
    body.steps.iter().filter_map(move |step| {
        let Instruction::Invoke { method, .. } = &step.instruction else { return None };
        let creates = &*method.name == "<init>" && RAISED_BY_JVM.contains(&method.owner.internal());
        let line = code.line(step.pc).map_or(-1, i32::from);
        creates.then(|| (name.clone(), line, method.owner.clone()))
    })
}

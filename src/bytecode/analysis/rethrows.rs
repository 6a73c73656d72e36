//! Rethrows: calls whose exceptions the code catches and throws on, in some cases at least.
//!
//! Who retries, rolls back or counts failures lets some of them through on purpose. What `finally` throws on is not meant, nor
//! what try-with-resources does, for which javac catches `Throwable` (JLS §14.20.3.1).

use super::caller_obligations::MethodName;
use crate::classfile::{Body, Code, Handler, Instruction, Step};
use model::jvm::ClassName;

/// A method, the line of such a call (−1 in a class without line numbers), and the class that is caught and thrown on.
pub type Rethrow = (MethodName, i32, ClassName);

/// The rethrows in a method's body.
pub(super) fn rethrows<'b>(name: &'b MethodName, code: &'b Code, body: &'b Body) -> impl Iterator<Item = Rethrow> + 'b {
    let thrown_on = body.handlers.iter().filter_map(|handler| Some((handler, thrown_on(handler, body)?)));
    thrown_on.flat_map(move |(handler, class)| {
        let guarded = body.steps[handler.steps.clone()].iter();
        let calls = guarded.filter(|step| matches!(step.instruction, Instruction::Invoke { .. }));
        calls.map(move |step| (name.clone(), code.line(step.pc).map_or(-1, i32::from), class.clone()))
    })
}

/// The class that is caught there, if what is caught is also thrown there: from the same local variable, before another value is
/// stored in it.
fn thrown_on<'b>(handler: &'b Handler, body: &Body) -> Option<&'b ClassName> {
    let class = handler.catches.as_ref().filter(|class| class.internal() != "java/lang/Throwable")?;
    let Instruction::Store { local: caught, .. } = body.steps[handler.target].instruction else { return None };
    let rest = &body.steps[handler.target + 1..];
    let is_stored = |step: &Step| matches!(step.instruction, Instruction::Store { local, .. } if local == caught);
    let own = &rest[..rest.iter().position(is_stored).unwrap_or(rest.len())];
    let is_thrown = |pair: &[Step]| {
        matches!(pair[0].instruction, Instruction::Load { local, .. } if local == caught)
            && pair[1].instruction == Instruction::Throw
    };
    own.windows(2).any(is_thrown).then_some(class)
}

//! Calls that have the platform read a text: the hook is told texts that it would have read, so that what is given to the code
//! can be one of them.

use super::ProbeKind;
use super::QUESTIONS;
use super::hook::{Hook, Operands};
use crate::analysis::constants::read_by;
use crate::classfile::reader::ConstantPool;
use crate::classfile::writer::PoolWriter;

/// Between the texts that the hook is told; none has it.
const BETWEEN: &str = "\n";

/// The hook before a call whose only argument is a text to be read, and so on top of the stack.
pub(super) fn hook(method: u16, constants: &ConstantPool, pool: &mut PoolWriter) -> Option<Hook> {
    let member = constants.member(method).ok()?;
    let texts = read_by(&member.class, &member.name)?;
    let is_only = |text: &str| member.descriptor.strip_prefix(text).is_some_and(|rest| rest.starts_with(')'));
    let takes_text = is_only("(Ljava/lang/String;") || is_only("(Ljava/lang/CharSequence;");
    takes_text.then(|| Hook {
        kind: Some(ProbeKind::Site),
        owner: QUESTIONS,
        method: "reads",
        descriptor: "(Ljava/lang/Object;Ljava/lang/String;I)V",
        operands: Operands::OneAndConstant(pool.string(&texts.join(BETWEEN).as_str().into())),
    })
}

//! Takes the end of the JVM out of the hands of code under test: the bodies of `Runtime.exit` and `Runtime.halt` become
//! a call that throws. Every way to end the JVM from Java leads through these two, also `System.exit` and reflection.

use bytecode::classfile::instruction::InvokeKind;
use bytecode::classfile::writer::PoolWriter;
use bytecode::classfile::{EncodedLocal, EncodedMethod, Instruction, Kind, encode_all};
use bytecode::instrument::{PROBES, Replacement, replace_bodies};

/// The class to change.
pub const RUNTIME: &str = "java/lang/Runtime";

/// The class file of `java.lang.Runtime` with `exit` and `halt` replaced; `None` if it is not shaped as expected.
pub fn without_exit(bytes: &[u8]) -> Option<Vec<u8>> {
    let code = |pool: &mut PoolWriter| {
        let method = EncodedMethod { index: pool.method_ref(PROBES, "exit", "(I)V"), slots: 0 };
        encode_all(&[
            Instruction::Load { kind: Kind::Int, local: EncodedLocal::implicit(1) },
            Instruction::Invoke { kind: InvokeKind::Static, method },
            Instruction::Return(None),
        ])
    };
    let replacement = |name| Replacement { name, descriptor: "(I)V", max_stack: 1, max_locals: 2, code: &code };
    replace_bodies(bytes, &[replacement("exit"), replacement("halt")]).ok()
}

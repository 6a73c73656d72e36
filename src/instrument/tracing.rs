//! Hooks that tell [`TRACER`] of the calls that tests make, of what `equals` reads, and of static fields that are written.
//!
//! A method says when it is entered, with its arguments, and when it is left, in either way; so the tracer always knows
//! whether code under test is on the stack, and with it who called. A constructor has no object to show before it has
//! called another: until then no exception is seen to leave it either, and the tracer looks at the stack instead.

use super::probes::{Hook, Operands};
use super::relocate::{Body, Trap};
use crate::classfile::code::Instruction;
use crate::classfile::opcode::*;
use crate::classfile::reader::ConstantPool;
use crate::classfile::writer::PoolWriter;
use crate::jvm::types::access;
use crate::jvm::{ClassName, JavaString, MethodDescriptor, Primitive, Type};

/// The class whose static methods are called while tests are traced.
pub const TRACER: &str = "randgen/runtime/Tracer";

/// What a method is, as far as its hooks depend on it.
pub(super) struct Member<'a> {
    pub(super) access: u16,
    pub(super) name: &'a str,
    pub(super) descriptor: &'a str,
    /// As the tracer knows it.
    pub(super) number: u32,
}

/// The trace's hooks, each with its pc.
pub(super) struct Traced {
    /// To come before all others at pc 0, in this order.
    entry: Vec<Hook>,
    others: Vec<(usize, Hook)>,
    pub(super) trap: Option<Trap>,
}

impl Traced {
    /// All hooks in the order of their instructions.
    pub(super) fn among(&self, hooks: &[(usize, Hook)]) -> Vec<(usize, Hook)> {
        let entry = self.entry.iter().map(|hook| (0, *hook));
        let mut all: Vec<_> = entry.chain(hooks.iter().copied()).chain(self.others.iter().copied()).collect();
        all.sort_by_key(|(pc, _)| *pc);
        all
    }
}

/// The hooks of a body; texts that they name are added to `pool`. `None` if the descriptor makes no sense.
pub(super) fn hooks(body: &Body, constants: &ConstantPool, member: &Member, pool: &mut PoolWriter) -> Option<Traced> {
    let descriptor = MethodDescriptor::parse(member.descriptor)?;
    let is_constructor = member.name == "<init>";
    let begins = if is_constructor { after_constructor_call(&body.instructions, constants) } else { Some(0) };
    let is_counted =
        member.access & (access::PRIVATE | access::SYNTHETIC) == 0 && member.name != "<clinit>" && begins.is_some();
    let mut others = Vec::new();
    if is_constructor && let Some(begins) = begins {
        others.push((begins, hook("begun", "()V", Operands::None)));
    }
    let shows_this = is_counted && is_constructor && !body.instructions.iter().any(overwrites_this);
    for instruction in &body.instructions {
        let at = &mut |hook| others.push((instruction.pc, hook));
        match instruction.opcode {
            IRETURN..=ARETURN if is_counted => at(returned(descriptor.returns.as_ref()?)),
            RETURN if shows_this => at(hook("made", "(Ljava/lang/Object;)V", Operands::Local(ALOAD, 0))),
            IRETURN..=RETURN => at(hook("left", "()V", Operands::None)),
            GETFIELD => at(field_read(instruction, constants, pool)?),
            PUTSTATIC => at(static_write(instruction, constants, pool)?),
            ARRAYLENGTH => at(hook("length", "(Ljava/lang/Object;)V", Operands::One)),
            IALOAD..=SALOAD => at(hook("element", "(Ljava/lang/Object;I)V", Operands::Two)),
            INVOKEVIRTUAL..=INVOKESTATIC if reads_unseen(instruction, constants) => {
                at(hook("whole", "()V", Operands::None));
            }
            _ => {}
        }
    }
    let entry = if is_counted {
        entry_hooks(member, &descriptor)
    } else {
        vec![hook(if is_constructor && begins.is_some() { "construct" } else { "pass" }, "()V", Operands::None)]
    };
    let trap = begins.map(|start| Trap { start, owner: TRACER, method: "threw" });
    Some(Traced { entry, others, trap })
}

fn hook(method: &'static str, descriptor: &'static str, operands: Operands) -> Hook {
    Hook { kind: None, owner: TRACER, method, descriptor, operands }
}

/// The number of the method, the receiver where there is one to show, then each argument.
fn entry_hooks(member: &Member, descriptor: &MethodDescriptor) -> Vec<Hook> {
    let is_static = member.access & access::STATIC != 0;
    let begin = if member.name == "<init>" { "enterConstructor" } else { "enter" };
    let mut hooks = vec![hook(begin, "(I)V", Operands::Number(member.number))];
    if !is_static && member.name != "<init>" {
        hooks.push(hook("receiver", "(Ljava/lang/Object;)V", Operands::Local(ALOAD, 0)));
    }
    let mut slot = u16::from(!is_static);
    for parameter in &descriptor.parameters {
        let (load, shape, slots) = passed(parameter);
        hooks.push(hook("argument", shape, Operands::Local(load, slot)));
        slot += slots;
    }
    hooks
}

/// How a value of the type is loaded, the descriptor of a hook that takes it, and how many slots it has.
fn passed(of: &Type) -> (u8, &'static str, u16) {
    match of {
        Type::Primitive(Primitive::Boolean) => (ILOAD, "(Z)V", 1),
        Type::Primitive(Primitive::Byte) => (ILOAD, "(B)V", 1),
        Type::Primitive(Primitive::Char) => (ILOAD, "(C)V", 1),
        Type::Primitive(Primitive::Short) => (ILOAD, "(S)V", 1),
        Type::Primitive(Primitive::Int) => (ILOAD, "(I)V", 1),
        Type::Primitive(Primitive::Long) => (LLOAD, "(J)V", 2),
        Type::Primitive(Primitive::Float) => (FLOAD, "(F)V", 1),
        Type::Primitive(Primitive::Double) => (DLOAD, "(D)V", 2),
        Type::Class(_) | Type::Array(_) => (ALOAD, "(Ljava/lang/Object;)V", 1),
    }
}

/// Before a value of the type is returned.
fn returned(of: &Type) -> Hook {
    let (_, shape, slots) = passed(of);
    hook("returned", shape, if slots == 2 { Operands::Two } else { Operands::One })
}

/// Where a constructor has called another, of its class or the one above, as compilers lay it out.
fn after_constructor_call(instructions: &[Instruction], constants: &ConstantPool) -> Option<usize> {
    let mut made = 0;
    for (index, instruction) in instructions.iter().enumerate() {
        match instruction.opcode {
            NEW => made += 1,
            INVOKESPECIAL if constants.member(instruction.u2(1)).is_ok_and(|member| member.name == "<init>") => {
                if made == 0 {
                    return instructions.get(index + 1).map(|next| next.pc);
                }
                made -= 1;
            }
            _ => {}
        }
    }
    None
}

fn overwrites_this(instruction: &Instruction) -> bool {
    match instruction.opcode {
        ASTORE_0 => true,
        ASTORE => instruction.bytes[1] == 0,
        WIDE => instruction.bytes[1] == ASTORE && instruction.u2(2) == 0,
        _ => false,
    }
}

fn field_read(instruction: &Instruction, constants: &ConstantPool, pool: &mut PoolWriter) -> Option<Hook> {
    let field = constants.member(instruction.u2(1)).ok()?;
    let text = pool.string(&JavaString::from(&*field.name));
    Some(hook("read", "(Ljava/lang/Object;Ljava/lang/String;)V", Operands::OneAndText(text)))
}

fn static_write(instruction: &Instruction, constants: &ConstantPool, pool: &mut PoolWriter) -> Option<Hook> {
    let field = constants.member(instruction.u2(1)).ok()?;
    let owner = pool.string(&JavaString::from(&*ClassName::new(&field.class).binary()));
    Some(hook("write", "(Ljava/lang/String;)V", Operands::Text(owner)))
}

/// The call hands arrays, or fields, to code of the platform that no hook sees reading them.
fn reads_unseen(instruction: &Instruction, constants: &ConstantPool) -> bool {
    constants.member(instruction.u2(1)).is_ok_and(|member| match &*member.class {
        "java/util/Arrays" | "java/lang/reflect/Field" | "java/lang/reflect/Array" => true,
        "java/util/Objects" => member.name == "deepEquals",
        "java/lang/System" => member.name == "arraycopy",
        "java/lang/invoke/VarHandle" => true,
        array => array.starts_with('[') && member.name == "clone",
    })
}

//! Hooks that tell [`TRACER`] of the calls that tests make, and of what `equals` reads.
//!
//! A method says when it is entered, with its arguments, and when it is left, in either way; so the tracer always knows
//! whether code under test is on the stack, and with it who called. A constructor has no object to show before it has
//! called another: until then no exception is seen to leave it either, and the tracer looks at the stack instead.

use super::body::Body;
use super::hook::{Hook, Operands};
use super::relocate::Trap;
use crate::classfile::decode::Located;
use crate::classfile::instruction::{FieldAccess, InvokeKind};
use crate::classfile::reader::ConstantPool;
use crate::classfile::writer::PoolWriter;
use crate::classfile::{Instruction, Kind};
use model::jvm::types::access;
use model::jvm::{JavaString, MethodDescriptor, Primitive, Type};

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
        match instruction.instruction {
            Instruction::Return(Some(_)) if is_counted => at(returned(descriptor.returns.as_ref()?)),
            Instruction::Return(None) if shows_this => {
                at(hook("made", "(Ljava/lang/Object;)V", Operands::Local(Kind::Reference, 0)));
            }
            Instruction::Return(_) => at(hook("left", "()V", Operands::None)),
            Instruction::Field { access: FieldAccess::Get, field } => at(field_read(field, constants, pool)?),
            Instruction::ArrayLength => at(hook("length", "(Ljava/lang/Object;)V", Operands::One)),
            Instruction::ArrayLoad(_) => at(hook("element", "(Ljava/lang/Object;I)V", Operands::Two)),
            Instruction::Invoke { kind, method }
                if kind != InvokeKind::Interface && reads_unseen(method.index, constants) =>
            {
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
        hooks.push(hook("receiver", "(Ljava/lang/Object;)V", Operands::Local(Kind::Reference, 0)));
    }
    let mut slot = u16::from(!is_static);
    for parameter in &descriptor.parameters {
        let kind = Kind::of(parameter);
        hooks.push(hook("argument", shape(parameter), Operands::Local(kind, slot)));
        slot += if kind.is_wide() { 2 } else { 1 };
    }
    hooks
}

/// The descriptor of a hook that takes a value of the type.
fn shape(of: &Type) -> &'static str {
    match of {
        Type::Primitive(Primitive::Boolean) => "(Z)V",
        Type::Primitive(Primitive::Byte) => "(B)V",
        Type::Primitive(Primitive::Char) => "(C)V",
        Type::Primitive(Primitive::Short) => "(S)V",
        Type::Primitive(Primitive::Int) => "(I)V",
        Type::Primitive(Primitive::Long) => "(J)V",
        Type::Primitive(Primitive::Float) => "(F)V",
        Type::Primitive(Primitive::Double) => "(D)V",
        Type::Class(_) | Type::Array(_) | Type::Parameterized(_) => "(Ljava/lang/Object;)V",
    }
}

/// Before a value of the type is returned.
fn returned(of: &Type) -> Hook {
    hook("returned", shape(of), if Kind::of(of).is_wide() { Operands::Two } else { Operands::One })
}

/// Where a constructor has called another, of its class or the one above, as compilers lay it out.
fn after_constructor_call(instructions: &[Located], constants: &ConstantPool) -> Option<usize> {
    let mut made = 0;
    for (index, instruction) in instructions.iter().enumerate() {
        match instruction.instruction {
            Instruction::New(_) => made += 1,
            Instruction::Invoke { kind: InvokeKind::Special, method }
                if constants.member(method.index).is_ok_and(|member| member.name == "<init>") =>
            {
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

fn overwrites_this(located: &Located) -> bool {
    matches!(located.instruction, Instruction::Store { kind: Kind::Reference, local } if local.index == 0)
}

fn field_read(field: u16, constants: &ConstantPool, pool: &mut PoolWriter) -> Option<Hook> {
    let field = constants.member(field).ok()?;
    let text = pool.string(&JavaString::from(&*field.name));
    Some(hook("read", "(Ljava/lang/Object;Ljava/lang/String;)V", Operands::OneAndConstant(text)))
}

/// The call hands arrays, or fields, to code of the platform that no hook sees reading them.
fn reads_unseen(method: u16, constants: &ConstantPool) -> bool {
    constants.member(method).is_ok_and(|member| match &*member.class {
        "java/util/Arrays" | "java/lang/reflect/Field" | "java/lang/reflect/Array" => true,
        "java/util/Objects" => member.name == "deepEquals",
        "java/lang/System" => member.name == "arraycopy",
        "java/lang/invoke/VarHandle" => true,
        array => array.starts_with('[') && member.name == "clone",
    })
}

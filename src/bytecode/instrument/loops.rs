//! Hooks that tell [`LOOPS`] what a loop depends on, each time it begins anew: where nothing of that has changed, it has no end.
//!
//! Which values a loop takes from one round to the next, debugging information tells: the variables that have a value where the loop
//! begins. A loop that reads any other variable before it writes it, such as the iterator that a compiler adds, is not watched,
//! nor is one in a method that waits for another thread, or that has no end on purpose.

use super::body::Body;
use super::class::MethodParts;
use super::hook::{Hook, Operands};
use crate::classfile::decode::Located;
use crate::classfile::reader::ConstantPool;
use crate::classfile::writer::PoolWriter;
use crate::classfile::{Instruction, Kind};
use model::jvm::{ClassName, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The class whose static methods are called where loops are watched.
const LOOPS: &str = "randgen/runtime/Loops";

/// Classes of the platform with which code waits for what other threads do.
const WAITING: [&str; 3] =
    ["java/lang/Thread", "java/util/concurrent/locks/LockSupport", "java/util/concurrent/TimeUnit"];

/// Methods of any object likewise.
const WAITING_METHODS: [&str; 4] = ["wait", "await", "take", "sleep"];

/// Adds the hooks of a body to its others: that the method is entered, and at the beginning of each loop its variables.
pub(super) fn add(
    hooks: &mut Vec<(usize, Hook)>,
    body: &Body,
    (class, constants): (&ClassName, &ConstantPool),
    method: &MethodParts,
    pool: &mut PoolWriter,
) {
    let name = format!("{}.{}{}", class.binary(), method.name, method.descriptor);
    let entered = hook(Hook::ENTERED, "(Ljava/lang/String;)V", Operands::Text(pool.string(&name.as_str().into())));
    let after_entry = hooks.iter().take_while(|(pc, hook)| *pc == 0 && hook.is_passed_by_jumps()).count();
    hooks.insert(after_entry, (0, entered));
    if waits(&body.instructions, constants) || !body.instructions.iter().any(is_return) {
        return;
    }
    let variables = body.variables(constants);
    for (header, end) in loops(&body.instructions) {
        let known = variables.iter().filter(|(range, ..)| range.contains(&header));
        let known: BTreeMap<u16, Kind> =
            known.filter_map(|(_, slot, descriptor)| Some((*slot, Kind::of(&Type::parse(descriptor)?)))).collect();
        let Some(read) = slots_read(&body.instructions, header..=end, &known) else { continue };
        let place = pool.string(&format!("{name}:{header}").as_str().into());
        hooks.push((header, hook("begin", "(Ljava/lang/String;)V", Operands::Text(place))));
        for (slot, kind) in known.into_iter().filter(|(slot, _)| read.contains(slot)) {
            hooks.push((header, hook("variable", shape(kind), Operands::Local(kind, slot))));
        }
        hooks.push((header, hook("end", "()V", Operands::None)));
    }
    hooks.sort_by_key(|(pc, _)| *pc);
}

fn hook(method: &'static str, descriptor: &'static str, operands: Operands) -> Hook {
    Hook { kind: None, owner: LOOPS, method, descriptor, operands }
}

fn shape(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "(I)V",
        Kind::Long => "(J)V",
        Kind::Float => "(F)V",
        Kind::Double => "(D)V",
        Kind::Reference => "(Ljava/lang/Object;)V",
    }
}

/// Where loops begin, each with its last jump back.
fn loops(instructions: &[Located]) -> BTreeMap<usize, usize> {
    let mut loops = BTreeMap::new();
    for located in instructions {
        for target in located.targets().filter(|target| *target <= located.pc) {
            // In the order of the code, so that the last jump stays.
            loops.insert(target, located.pc);
        }
    }
    loops
}

/// The variables that code of a loop reads, but for those that it has written before; `None` if one of them is not known where the
/// loop begins.
fn slots_read(
    instructions: &[Located],
    range: RangeInclusive<usize>,
    known: &BTreeMap<u16, Kind>,
) -> Option<BTreeSet<u16>> {
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for located in instructions.iter().filter(|located| range.contains(&located.pc)) {
        let slot = match located.instruction {
            Instruction::Load { local, .. } | Instruction::Increment { local, .. } => local.index,
            Instruction::Store { local, .. } => {
                written.insert(local.index);
                continue;
            }
            _ => continue,
        };
        match known.contains_key(&slot) {
            true => drop(read.insert(slot)),
            false if written.contains(&slot) => {}
            false => return None,
        }
    }
    Some(read)
}

fn is_return(located: &Located) -> bool {
    matches!(located.instruction, Instruction::Return(_))
}

fn waits(instructions: &[Located], constants: &ConstantPool) -> bool {
    instructions.iter().any(|located| {
        let Instruction::Invoke { method, .. } = located.instruction else { return false };
        constants
            .member(method.index)
            .is_ok_and(|member| WAITING.contains(&&*member.class) || WAITING_METHODS.contains(&&*member.name))
    })
}

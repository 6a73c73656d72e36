//! Makes room for hooks in a body: moves instructions, and adjusts everything that names their offsets.
//!
//! An old offset has two new ones: where the inserted code begins, and where the instruction itself lies. Jumps,
//! handlers, frames, and the line and variable tables mean the first; an uninitialized type in a frame names its `new`
//! instruction and means the second. What is inserted only needs fixed lengths, so one pass over the instructions
//! finds all offsets.

mod frames;
mod layout;

use super::body::{Body, MAX_CODE, Table};
use super::hook::{Hook, Operands, put2};
use super::{ProbeInfo, ProbeKind, SkipReason};
use crate::classfile::instruction::{InvokeKind, StackOperation};
use crate::classfile::writer::PoolWriter;
use crate::classfile::{EncodedMethod, Instruction, encode};
use frames::Frames;
use layout::Layout;

/// A body with hooks.
pub(super) struct Relocated {
    /// The content of the Code attribute.
    pub(super) body: Vec<u8>,
    /// In the order of their numbers; `method` is 0.
    pub(super) probes: Vec<ProbeInfo>,
}

/// A call that sees every exception that leaves a body, and lets it go on.
#[derive(Clone, Copy)]
pub(super) struct Trap {
    /// From where on; not before the call of another constructor in a constructor (JVMS §4.10.1.4).
    pub(super) start: usize,
    /// Takes the exception.
    pub(super) owner: &'static str,
    pub(super) method: &'static str,
}

impl Trap {
    const DESCRIPTOR: &'static str = "(Ljava/lang/Throwable;)V";

    /// dup; invokestatic; athrow
    const LENGTH: usize = 5;

    fn emit(&self, pool: &mut PoolWriter, bytes: &mut Vec<u8>) {
        let index = pool.method_ref(self.owner, self.method, Trap::DESCRIPTOR);
        let method = EncodedMethod { index, slots: 0 };
        encode(&Instruction::Stack(StackOperation::Dup), bytes);
        encode(&Instruction::Invoke { kind: InvokeKind::Static, method }, bytes);
        encode(&Instruction::Throw, bytes);
    }
}

/// Inserts `hooks`, which are sorted by pc, numbering probes from `first_probe`; and the trap behind the code.
pub(super) fn relocate(
    body: &Body,
    hooks: &[(usize, Hook)],
    trap: Option<Trap>,
    first_probe: u32,
    pool: &mut PoolWriter,
) -> Result<Relocated, SkipReason> {
    let spills = hooks.iter().any(|(_, hook)| matches!(hook.operands, Operands::Longs | Operands::Doubles));
    let max_locals = body.max_locals.checked_add(if spills { 2 } else { 0 }).ok_or(SkipReason::TooLarge)?;
    let deepest = hooks.iter().map(|(_, hook)| hook.stack()).max().unwrap_or(0);
    let least_stack = if trap.is_some() { 2 } else { 0 };
    let max_stack = body.max_stack.max(least_stack).checked_add(deepest).ok_or(SkipReason::TooLarge)?;
    let spill = body.max_locals;

    let layout = Layout::new(body, hooks, spill)?;
    let length = layout.length + trap.map_or(0, |_| Trap::LENGTH);
    if length > MAX_CODE {
        return Err(SkipReason::TooLarge);
    }
    let mut exceptions = layout.exceptions(&body.exceptions)?;
    if let Some(trap) = trap {
        let (start, end) = (layout.place(trap.start)?.block, layout.length as u16);
        exceptions.extend([start, end, end, 0]);
    }
    let mut frames = None;
    let mut tables = Vec::with_capacity(body.tables.len() + 1);
    for &(name, table, content) in &body.tables {
        match table {
            Table::Lines => tables.push((name, layout.lines(content)?)),
            Table::Variables => tables.push((name, layout.variables(content)?)),
            Table::Frames => frames = Some((name, layout.frames(content)?)),
        }
    }
    layout.check_jumps(&body.instructions)?;

    // Nothing fails from here on, so that a body which is given up leaves no constants behind.
    let mut probes = Vec::new();
    let mut bytes = Vec::with_capacity(layout.length + 64);
    for value in [max_stack, max_locals] {
        put2(&mut bytes, value);
    }
    bytes.extend_from_slice(&(length as u32).to_be_bytes());
    let mut remaining = hooks.iter().peekable();
    for instruction in &body.instructions {
        while let Some((_, hook)) = remaining.next_if(|(pc, _)| *pc == instruction.pc) {
            let number = first_probe.wrapping_add(probes.len() as u32);
            hook.emit(number, spill, pool, &mut bytes);
            let info =
                |kind| ProbeInfo { kind, method: 0, pc: instruction.pc as u16, line: body.line_at(instruction.pc) };
            probes.extend(hook.kind.map(info));
            probes.extend((hook.kind == Some(ProbeKind::NotTaken)).then(|| info(ProbeKind::Taken)));
            probes.extend(hook.sees_boundary().then(|| info(ProbeKind::Boundary)));
        }
        layout.emit(instruction, &mut bytes);
    }
    if let Some(trap) = trap {
        trap.emit(pool, &mut bytes);
        frames.get_or_insert_with(|| (pool.utf8("StackMapTable"), Frames::default())).1.push_trap(layout.length, pool);
    }
    tables.extend(frames.map(|(name, frames)| (name, frames.bytes())));
    put2(&mut bytes, (exceptions.len() / 4) as u16);
    exceptions.iter().for_each(|&value| put2(&mut bytes, value));
    put2(&mut bytes, tables.len() as u16);
    for (name, content) in tables {
        put2(&mut bytes, name);
        bytes.extend_from_slice(&(content.len() as u32).to_be_bytes());
        bytes.extend_from_slice(&content);
    }
    Ok(Relocated { body: bytes, probes })
}

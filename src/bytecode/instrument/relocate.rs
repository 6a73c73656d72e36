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
pub(super) use frames::{Frames, verification};
use layout::Layout;

/// A Code attribute in the making: bodies with hooks, one behind another.
#[derive(Default)]
pub(super) struct NewBody {
    max_stack: u16,
    max_locals: u16,
    pub(super) bytes: Vec<u8>,
    /// Four values for each range.
    exceptions: Vec<u16>,
    /// The tables of the bodies, but for the frames.
    tables: Vec<(u16, Vec<u8>)>,
    pub(super) frames: Frames,
}

impl NewBody {
    /// Code that other instructions begin, which take `max_stack` slots.
    pub(super) fn beginning_with(bytes: Vec<u8>, max_stack: u16) -> NewBody {
        NewBody { bytes, max_stack, ..NewBody::default() }
    }

    /// The content of the Code attribute (JVMS §4.7.3).
    pub(super) fn attribute(self, pool: &mut PoolWriter) -> Vec<u8> {
        let mut tables = self.tables;
        if !self.frames.is_empty() {
            tables.push((pool.utf8("StackMapTable"), self.frames.bytes()));
        }
        let mut bytes = Vec::with_capacity(self.bytes.len() + 64);
        for value in [self.max_stack, self.max_locals] {
            put2(&mut bytes, value);
        }
        bytes.extend_from_slice(&(self.bytes.len() as u32).to_be_bytes());
        bytes.extend_from_slice(&self.bytes);
        put2(&mut bytes, (self.exceptions.len() / 4) as u16);
        self.exceptions.iter().for_each(|&value| put2(&mut bytes, value));
        put2(&mut bytes, tables.len() as u16);
        for (name, content) in tables {
            put2(&mut bytes, name);
            bytes.extend_from_slice(&(content.len() as u32).to_be_bytes());
            bytes.extend_from_slice(&content);
        }
        bytes
    }
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

/// What is inserted into a body: hooks that are sorted by pc, and the trap behind the code.
#[derive(Clone, Copy)]
pub(super) struct Inserted<'a> {
    pub(super) hooks: &'a [(usize, Hook)],
    pub(super) trap: Option<Trap>,
    /// The number of the body's first probe.
    pub(super) first_probe: u32,
}

/// Adds the body with what is inserted behind the code that is there. Returns its probes in the order of their numbers, with
/// `method` 0. If this fails, nothing is added.
pub(super) fn relocate(
    body: &Body,
    inserted: Inserted,
    code: &mut NewBody,
    pool: &mut PoolWriter,
) -> Result<Vec<ProbeInfo>, SkipReason> {
    let Inserted { hooks, trap, first_probe } = inserted;
    let spills = |operands| matches!(operands, Operands::Longs | Operands::Doubles | Operands::TwoBelowInts);
    let spills = hooks.iter().any(|(_, hook)| spills(hook.operands));
    let max_locals = body.max_locals.checked_add(if spills { 2 } else { 0 }).ok_or(SkipReason::TooLarge)?;
    let deepest = hooks.iter().map(|(_, hook)| hook.stack()).max().unwrap_or(0);
    let least_stack = if trap.is_some() { 2 } else { 0 };
    let max_stack = body.max_stack.max(least_stack).checked_add(deepest).ok_or(SkipReason::TooLarge)?;
    let spill = body.max_locals;

    let layout = Layout::new(body, hooks, spill, code.bytes.len())?;
    if layout.end + trap.map_or(0, |_| Trap::LENGTH) > MAX_CODE {
        return Err(SkipReason::TooLarge);
    }
    let mut exceptions = layout.exceptions(&body.exceptions)?;
    if let Some(trap) = trap {
        let (start, end) = (layout.place(trap.start)?.block, layout.end as u16);
        exceptions.extend([start, end, end, 0]);
    }
    if (code.exceptions.len() + exceptions.len()) / 4 > usize::from(u16::MAX) {
        return Err(SkipReason::TooLarge);
    }
    let mut frames = code.frames.clone();
    let mut tables = Vec::with_capacity(body.tables.len());
    for &(name, table, content) in &body.tables {
        match table {
            Table::Lines => tables.push((name, layout.lines(content)?)),
            Table::Variables => tables.push((name, layout.variables(content)?)),
            Table::Frames => layout.frames(content, &mut frames)?,
        }
    }
    layout.check_jumps(&body.instructions)?;

    // Nothing fails from here on, so that a body which is given up leaves no constants behind.
    let mut probes = Vec::new();
    let bytes = &mut code.bytes;
    let mut remaining = hooks.iter().peekable();
    for instruction in &body.instructions {
        while let Some((_, hook)) = remaining.next_if(|(pc, _)| *pc == instruction.pc) {
            let number = first_probe.wrapping_add(probes.len() as u32);
            hook.emit(number, spill, pool, bytes);
            let info =
                |kind| ProbeInfo { kind, method: 0, pc: instruction.pc as u16, line: body.line_at(instruction.pc) };
            probes.extend(hook.kind.map(info));
            probes.extend((hook.kind == Some(ProbeKind::NotTaken)).then(|| info(ProbeKind::Taken)));
            probes.extend(hook.sees_boundary().then(|| info(ProbeKind::Boundary)));
        }
        layout.emit(instruction, bytes);
    }
    if let Some(trap) = trap {
        trap.emit(pool, bytes);
        // No variable is known there, an exception is on the stack.
        let exception = [&[verification::OBJECT][..], &pool.class("java/lang/Throwable").to_be_bytes()].concat();
        frames.push_full(layout.end, (0, &[]), (1, &exception));
    }
    code.max_stack = code.max_stack.max(max_stack);
    code.max_locals = code.max_locals.max(max_locals);
    code.exceptions.extend(exceptions);
    code.tables.extend(tables);
    code.frames = frames;
    Ok(probes)
}

//! Makes room for hooks in a body: moves instructions, and adjusts everything that names their offsets.
//!
//! An old offset has two new ones: where the inserted code begins, and where the instruction itself lies. Jumps,
//! handlers, frames, and the line and variable tables mean the first; an uninitialized type in a frame names its `new`
//! instruction and means the second. What is inserted only needs fixed lengths, so one pass over the instructions
//! finds all offsets.

use super::probes::{Hook, Operands};
use super::{ProbeInfo, ProbeKind, SkipReason};
use crate::classfile::ClassFileError;
use crate::classfile::code::{Instruction, instructions};
use crate::classfile::opcode;
use crate::classfile::reader::{ConstantPool, Reader};
use crate::classfile::writer::PoolWriter;

/// A Code attribute, read (JVMS §4.7.3).
pub(super) struct Body<'a> {
    max_stack: u16,
    max_locals: u16,
    code_length: usize,
    pub(super) instructions: Vec<Instruction<'a>>,
    pub(super) exceptions: Vec<ExceptionRange>,
    /// Offset and line, sorted.
    lines: Vec<(u16, u16)>,
    /// Index of the name, and content. Those that are not known are gone: they may name offsets.
    tables: Vec<(u16, Table, Reader<'a>)>,
}

pub(super) struct ExceptionRange {
    start: usize,
    end: usize,
    pub(super) handler: usize,
    catch_type: u16,
}

impl ExceptionRange {
    /// It is of a `finally` or a `synchronized` block.
    pub(super) fn catches_all(&self) -> bool {
        self.catch_type == 0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Lines,
    /// LocalVariableTable or LocalVariableTypeTable: same shape.
    Variables,
    Frames,
}

/// A body with hooks.
pub(super) struct Relocated {
    /// The content of the Code attribute.
    pub(super) body: Vec<u8>,
    /// In the order of their numbers; `method` is 0.
    pub(super) probes: Vec<ProbeInfo>,
}

impl<'a> Body<'a> {
    pub(super) fn read(mut reader: Reader<'a>, constants: &ConstantPool<'a>) -> Result<Body<'a>, SkipReason> {
        Body::read_parts(&mut reader, constants).map_err(|_| SkipReason::Malformed)?
    }

    fn read_parts(
        reader: &mut Reader<'a>,
        constants: &ConstantPool<'a>,
    ) -> Result<Result<Body<'a>, SkipReason>, ClassFileError> {
        let (max_stack, max_locals) = (reader.u2()?, reader.u2()?);
        let code_length = reader.u4()? as usize;
        let code = reader.take(code_length)?;
        let instructions: Result<Vec<Instruction>, usize> = instructions(code).collect();
        let Ok(instructions) = instructions else { return Ok(Err(SkipReason::Malformed)) };
        if instructions.is_empty() || code_length > MAX_CODE {
            return Ok(Err(SkipReason::Malformed));
        }
        let subroutine = |instruction: &Instruction| {
            matches!(instruction.opcode, opcode::JSR | opcode::JSR_W | opcode::RET)
                || (instruction.opcode == opcode::WIDE && instruction.bytes[1] == opcode::RET)
        };
        if instructions.iter().any(subroutine) {
            return Ok(Err(SkipReason::Subroutines));
        }
        let mut exceptions = Vec::new();
        for _ in 0..reader.u2()? {
            let (start, end, handler) = (reader.u2()?.into(), reader.u2()?.into(), reader.u2()?.into());
            exceptions.push(ExceptionRange { start, end, handler, catch_type: reader.u2()? });
        }
        let mut lines = Vec::new();
        let mut tables = Vec::new();
        for _ in 0..reader.u2()? {
            let name = reader.u2()?;
            let length = reader.u4()? as usize;
            let content = reader.window(length)?;
            let table = match constants.utf8_bytes(name)? {
                b"LineNumberTable" => Table::Lines,
                b"LocalVariableTable" | b"LocalVariableTypeTable" => Table::Variables,
                b"StackMapTable" => Table::Frames,
                _ => continue,
            };
            if table == Table::Lines {
                let mut content = content;
                for _ in 0..content.u2()? {
                    lines.push((content.u2()?, content.u2()?));
                }
            }
            tables.push((name, table, content));
        }
        lines.sort_unstable();
        Ok(Ok(Body { max_stack, max_locals, code_length, instructions, exceptions, lines, tables }))
    }

    pub(super) fn line_at(&self, pc: usize) -> Option<u16> {
        let after = self.lines.partition_point(|&(start, _)| usize::from(start) <= pc);
        after.checked_sub(1).map(|at| self.lines[at].1)
    }
}

/// The largest code a method may have (JVMS §4.7.3: less than 65536).
const MAX_CODE: usize = 65535;

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
        bytes.extend([opcode::DUP, opcode::INVOKESTATIC]);
        put2(bytes, pool.method_ref(self.owner, self.method, Trap::DESCRIPTOR));
        bytes.push(opcode::ATHROW);
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
            if hook.kind == Some(ProbeKind::NotTaken) {
                probes.push(info(ProbeKind::Taken));
            }
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

impl Hook {
    /// How many slots it needs above the operands of its instruction.
    fn stack(&self) -> u16 {
        let number = u16::from(self.kind.is_some());
        number
            + match self.operands {
                Operands::None => 0,
                Operands::One | Operands::Number(_) | Operands::Text(_) => 1,
                // The upper of two wide operands is on the stack once more only after it was spilled.
                Operands::Two
                | Operands::Longs
                | Operands::Doubles
                | Operands::Local(..)
                | Operands::ReferenceAndInt(..)
                | Operands::OneAndText(_) => 2,
            }
    }

    fn length(&self, spill: u16) -> usize {
        let number = if self.kind.is_some() { 3 } else { 0 };
        let operands = match self.operands {
            Operands::None => 0,
            Operands::One | Operands::Two => 1,
            Operands::Local(_, slot) => local_length(slot),
            Operands::ReferenceAndInt(one, other) => local_length(one) + local_length(other),
            Operands::Number(_) | Operands::Text(_) => 3,
            Operands::OneAndText(_) => 4,
            Operands::Longs | Operands::Doubles => 1 + 3 * local_length(spill),
        };
        number + operands + 3
    }

    fn emit(&self, number: u32, spill: u16, pool: &mut PoolWriter, bytes: &mut Vec<u8>) {
        let (store, load) = match self.operands {
            Operands::Longs => (opcode::LSTORE, opcode::LLOAD),
            _ => (opcode::DSTORE, opcode::DLOAD),
        };
        let wide = matches!(self.operands, Operands::Longs | Operands::Doubles);
        match self.operands {
            Operands::None => {}
            Operands::One => bytes.push(opcode::DUP),
            Operands::Two => bytes.push(opcode::DUP2),
            Operands::Longs | Operands::Doubles => {
                put_local(store, spill, bytes);
                bytes.push(opcode::DUP2);
                put_local(load, spill, bytes);
            }
            Operands::Local(load, slot) => put_local(load, slot, bytes),
            Operands::ReferenceAndInt(one, other) => {
                put_local(opcode::ALOAD, one, bytes);
                put_local(opcode::ILOAD, other, bytes);
            }
            Operands::Number(number) => put_number(number, pool, bytes),
            Operands::OneAndText(text) => {
                bytes.extend([opcode::DUP, opcode::LDC_W]);
                put2(bytes, text);
            }
            Operands::Text(text) => {
                bytes.push(opcode::LDC_W);
                put2(bytes, text);
            }
        }
        if self.kind.is_some() {
            put_number(number, pool, bytes);
        }
        bytes.push(opcode::INVOKESTATIC);
        put2(bytes, pool.method_ref(self.owner, self.method, self.descriptor));
        if wide {
            put_local(load, spill, bytes);
        }
    }
}

fn put2(bytes: &mut Vec<u8>, value: u16) {
    bytes.extend_from_slice(&value.to_be_bytes());
}

/// Both forms have three bytes: lengths do not depend on numbers.
fn put_number(number: u32, pool: &mut PoolWriter, bytes: &mut Vec<u8>) {
    match i16::try_from(number) {
        Ok(small) => {
            bytes.push(opcode::SIPUSH);
            put2(bytes, small as u16);
        }
        Err(_) => {
            bytes.push(opcode::LDC_W);
            put2(bytes, pool.int(number as i32));
        }
    }
}

/// Of an instruction that loads or stores the variable.
fn local_length(slot: u16) -> usize {
    if slot > 255 { 4 } else { 2 }
}

fn put_local(opcode: u8, slot: u16, bytes: &mut Vec<u8>) {
    match u8::try_from(slot) {
        Ok(slot) => bytes.extend([opcode, slot]),
        Err(_) => {
            bytes.extend([opcode::WIDE, opcode]);
            put2(bytes, slot);
        }
    }
}

/// New offsets by old ones.
struct Layout {
    /// Of each old offset; [`NOWHERE`] within an instruction. The end of the code is there too.
    places: Vec<Place>,
    /// Of the new code.
    length: usize,
}

#[derive(Clone, Copy)]
struct Place {
    /// Where the inserted code begins; at pc 0, where the code behind the entry probe begins.
    block: u16,
    /// Where the instruction is.
    instruction: u16,
}

const NOWHERE: Place = Place { block: u16::MAX, instruction: 0 };

impl Layout {
    fn new(body: &Body, hooks: &[(usize, Hook)], spill: u16) -> Result<Layout, SkipReason> {
        let mut places = vec![NOWHERE; body.code_length + 1];
        let mut remaining = hooks.iter().peekable();
        let mut at = 0;
        for instruction in &body.instructions {
            let mut block = at;
            while let Some((_, hook)) = remaining.next_if(|(pc, _)| *pc == instruction.pc) {
                at += hook.length(spill);
                if hook.kind == Some(ProbeKind::Entry) {
                    block = at;
                }
            }
            places[instruction.pc] = Place { block: block as u16, instruction: at as u16 };
            at += match instruction.opcode {
                opcode::TABLESWITCH | opcode::LOOKUPSWITCH => {
                    instruction.bytes.len() - padding(instruction.pc) + padding(at)
                }
                _ => instruction.bytes.len(),
            };
            if at > MAX_CODE {
                return Err(SkipReason::TooLarge);
            }
        }
        places[body.code_length] = Place { block: at as u16, instruction: at as u16 };
        Ok(Layout { places, length: at })
    }

    fn place(&self, pc: usize) -> Result<Place, SkipReason> {
        let place = self.places.get(pc).copied().unwrap_or(NOWHERE);
        if place.block > place.instruction { Err(SkipReason::Malformed) } else { Ok(place) }
    }

    /// The offset of a jump from `instruction` in the new code.
    fn offset(&self, instruction: &Instruction, offset: i32) -> Result<i32, SkipReason> {
        let target = instruction.pc.checked_add_signed(offset as isize).ok_or(SkipReason::Malformed)?;
        if target + 1 == self.places.len() {
            return Err(SkipReason::Malformed);
        }
        Ok(i32::from(self.place(target)?.block) - i32::from(self.place(instruction.pc)?.instruction))
    }

    fn check_jumps(&self, instructions: &[Instruction]) -> Result<(), SkipReason> {
        for instruction in instructions {
            if let Some(offset) = instruction.jump() {
                let moved = self.offset(instruction, offset)?;
                if instruction.opcode != opcode::GOTO_W && i16::try_from(moved).is_err() {
                    return Err(SkipReason::TooLarge);
                }
            } else if let Some(switch) = instruction.switch() {
                self.offset(instruction, switch.default)?;
                for (_, offset) in switch.cases {
                    self.offset(instruction, offset)?;
                }
            }
        }
        Ok(())
    }

    /// Writes an instruction whose jumps were checked.
    fn emit(&self, instruction: &Instruction, bytes: &mut Vec<u8>) {
        let moved = |offset| self.offset(instruction, offset).expect("jumps were checked");
        if let Some(offset) = instruction.jump() {
            bytes.push(instruction.opcode);
            match instruction.opcode {
                opcode::GOTO_W => bytes.extend_from_slice(&moved(offset).to_be_bytes()),
                _ => bytes.extend_from_slice(&(moved(offset) as i16).to_be_bytes()),
            }
        } else if let Some(switch) = instruction.switch() {
            let at = usize::from(self.places[instruction.pc].instruction);
            bytes.push(instruction.opcode);
            bytes.extend(std::iter::repeat_n(0, padding(at)));
            bytes.extend_from_slice(&moved(switch.default).to_be_bytes());
            let counts = 1 + padding(instruction.pc) + 4;
            let table = instruction.opcode == opcode::TABLESWITCH;
            bytes.extend_from_slice(&instruction.bytes[counts..counts + if table { 8 } else { 4 }]);
            for (key, offset) in switch.cases {
                if !table {
                    bytes.extend_from_slice(&key.to_be_bytes());
                }
                bytes.extend_from_slice(&moved(offset).to_be_bytes());
            }
        } else {
            bytes.extend_from_slice(instruction.bytes);
        }
    }

    /// The exception table: four values for each range.
    ///
    /// The probe of a handler must not be in the handler's own range, as `finally` blocks of javac have it: when it
    /// throws, it would throw for ever. Such a range is cut around what was inserted.
    fn exceptions(&self, ranges: &[ExceptionRange]) -> Result<Vec<u16>, SkipReason> {
        let mut table = Vec::with_capacity(4 * ranges.len());
        for range in ranges {
            if range.start >= range.end {
                return Err(SkipReason::Malformed);
            }
            let handler = self.place(range.handler)?;
            let (mut start, end) = (self.place(range.start)?.block, self.place(range.end)?.block);
            if (range.start..range.end).contains(&range.handler) {
                if range.start < range.handler {
                    table.extend([start, handler.block, handler.block, range.catch_type]);
                }
                start = handler.instruction;
            }
            table.extend([start, end, handler.block, range.catch_type]);
        }
        if table.len() / 4 > usize::from(u16::MAX) { Err(SkipReason::TooLarge) } else { Ok(table) }
    }

    /// A place in a table for debuggers: code at pc 0 begins with the entry probe.
    fn debug_place(&self, pc: u16) -> Option<u16> {
        if pc == 0 { Some(0) } else { self.place(usize::from(pc)).ok().map(|place| place.block) }
    }

    /// Entries that name no instruction are left out; the JVM makes no use of them.
    fn lines(&self, mut table: Reader) -> Result<Vec<u8>, SkipReason> {
        let mut entries = Vec::new();
        for _ in 0..malformed(table.u2())? {
            let (start, line) = (malformed(table.u2())?, malformed(table.u2())?);
            entries.extend(self.debug_place(start).map(|start| [start, line]));
        }
        Ok(counted(&entries))
    }

    fn variables(&self, mut table: Reader) -> Result<Vec<u8>, SkipReason> {
        let mut entries = Vec::new();
        for _ in 0..malformed(table.u2())? {
            let [start, length, name, descriptor, slot] = {
                let mut values = [0; 5];
                for value in &mut values {
                    *value = malformed(table.u2())?;
                }
                values
            };
            let end = start.checked_add(length).and_then(|end| self.debug_place(end));
            if let (Some(start), Some(end)) = (self.debug_place(start), end) {
                entries.push([start, end.saturating_sub(start), name, descriptor, slot]);
            }
        }
        Ok(counted(&entries))
    }

    /// The StackMapTable (JVMS §4.7.4); frames that had a short form and became too distant for it get the long one.
    fn frames(&self, mut table: Reader) -> Result<Frames, SkipReason> {
        let count = malformed(table.u2())?;
        let mut bytes = Vec::new();
        let (mut old, mut new): (Option<usize>, Option<u16>) = (None, None);
        for _ in 0..count {
            let kind = malformed(table.u1())?;
            let delta = match kind {
                0..=127 => u16::from(kind % 64),
                247..=255 => malformed(table.u2())?,
                128..=246 => return Err(SkipReason::Malformed),
            };
            let pc = old.map_or(0, |old| old + 1) + usize::from(delta);
            let place = self.place(pc)?;
            let delta = new.map_or(place.block, |new| place.block - new - 1);
            (old, new) = (Some(pc), Some(place.block));
            match kind {
                0..=63 if delta < 64 => bytes.push(delta as u8),
                64..=127 if delta < 64 => bytes.push(64 + delta as u8),
                _ => {
                    bytes.push(match kind {
                        0..=63 => 251,
                        64..=127 => 247,
                        long => long,
                    });
                    put2(&mut bytes, delta);
                }
            }
            match kind {
                64..=127 | 247 => self.types(1, &mut table, &mut bytes)?,
                252..=254 => self.types(u16::from(kind) - 251, &mut table, &mut bytes)?,
                255 => {
                    for _ in ["locals", "stack"] {
                        let count = malformed(table.u2())?;
                        put2(&mut bytes, count);
                        self.types(count, &mut table, &mut bytes)?;
                    }
                }
                _ => {}
            }
        }
        Ok(Frames { count, entries: bytes, last: new })
    }

    /// Verification types of a frame.
    fn types(&self, count: u16, table: &mut Reader, bytes: &mut Vec<u8>) -> Result<(), SkipReason> {
        for _ in 0..count {
            let tag = malformed(table.u1())?;
            bytes.push(tag);
            match tag {
                0..=6 => {}
                7 => put2(bytes, malformed(table.u2())?),
                8 => put2(bytes, self.place(usize::from(malformed(table.u2())?))?.instruction),
                _ => return Err(SkipReason::Malformed),
            }
        }
        Ok(())
    }
}

/// A StackMapTable.
#[derive(Default)]
struct Frames {
    count: u16,
    entries: Vec<u8>,
    /// Where the last frame is.
    last: Option<u16>,
}

impl Frames {
    /// A full frame at the end of the code: no variable is known there, an exception is on the stack. 65,535 entries would
    /// not fit the code.
    fn push_trap(&mut self, at: usize, pool: &mut PoolWriter) {
        self.count += 1;
        self.entries.push(255);
        put2(&mut self.entries, self.last.map_or(at, |last| at - usize::from(last) - 1) as u16);
        put2(&mut self.entries, 0);
        put2(&mut self.entries, 1);
        self.entries.push(7);
        put2(&mut self.entries, pool.class("java/lang/Throwable"));
    }

    fn bytes(self) -> Vec<u8> {
        [&self.count.to_be_bytes(), self.entries.as_slice()].concat()
    }
}

/// Bytes between the opcode of a switch and its table (JVMS §6.5, `tableswitch`).
fn padding(pc: usize) -> usize {
    3 - pc % 4
}

fn malformed<T>(read: Result<T, ClassFileError>) -> Result<T, SkipReason> {
    read.map_err(|_| SkipReason::Malformed)
}

/// A table that begins with the number of its entries.
fn counted<const N: usize>(entries: &[[u16; N]]) -> Vec<u8> {
    let mut bytes = (entries.len() as u16).to_be_bytes().to_vec();
    entries.iter().flatten().for_each(|&value| put2(&mut bytes, value));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four instructions of one byte; six bytes are inserted before each.
    fn layout() -> Layout {
        let places = (0..5).map(|pc| Place { block: 7 * pc, instruction: 7 * pc + if pc < 4 { 6 } else { 0 } });
        Layout { places: places.collect(), length: 28 }
    }

    fn moved(start: usize, end: usize, handler: usize) -> Vec<u16> {
        layout().exceptions(&[ExceptionRange { start, end, handler, catch_type: 0 }]).unwrap()
    }

    #[test]
    fn a_range_covers_what_was_inserted_into_it() {
        assert_eq!(moved(1, 3, 3), [7, 21, 21, 0]);
        assert_eq!(moved(2, 4, 0), [14, 28, 0, 0]);
    }

    #[test]
    fn a_handler_that_covers_itself_does_not_cover_its_probe() {
        assert_eq!(moved(2, 3, 2), [20, 21, 14, 0]);
        assert_eq!(moved(1, 4, 2), [7, 14, 14, 0, 20, 28, 14, 0]);
    }

    #[test]
    fn ranges_that_name_no_instruction_are_malformed() {
        for (start, end, handler) in [(2, 2, 0), (3, 1, 0), (0, 5, 0), (0, 1, 9)] {
            assert!(layout().exceptions(&[ExceptionRange { start, end, handler, catch_type: 0 }]).is_err());
        }
    }
}

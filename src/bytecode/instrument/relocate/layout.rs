//! Where each instruction of a body goes, and what names its offsets.

use super::super::SkipReason;
use super::super::body::{Body, MAX_CODE};
use super::super::hook::{Hook, put2};
use crate::classfile::ClassFileError;
use crate::classfile::Instruction;
use crate::classfile::Offset;
use crate::classfile::decode::Located;
use crate::classfile::encode::{encode, encode_switch};
use crate::classfile::encoded::padding;
use crate::classfile::reader::Reader;
use crate::classfile::structure::{ExceptionRange, VariableEntry};

/// New offsets by old ones.
pub(super) struct Layout {
    /// Of each old offset; [`NOWHERE`] within an instruction. The end of the code is there too.
    places: Vec<Place>,
    /// Where the new code begins.
    start: u16,
    /// Where the new code ends.
    pub(super) end: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Where the inserted code begins, or what of it jumps do not pass by.
    pub(super) block: u16,
    /// Where the instruction is.
    pub(super) instruction: u16,
}

const NOWHERE: Place = Place { block: u16::MAX, instruction: 0 };

impl Layout {
    /// Of a body whose code begins at `start`.
    pub(super) fn new(body: &Body, hooks: &[(usize, Hook)], spill: u16, start: usize) -> Result<Layout, SkipReason> {
        let mut places = vec![NOWHERE; body.code_length + 1];
        let mut remaining = hooks.iter().peekable();
        let mut at = start;
        for instruction in &body.instructions {
            let mut block = at;
            while let Some((_, hook)) = remaining.next_if(|(pc, _)| *pc == instruction.pc) {
                at += hook.length(spill);
                if hook.is_passed_by_jumps() {
                    block = at;
                }
            }
            at += instruction.before.len();
            places[instruction.pc] = Place { block: block as u16, instruction: at as u16 };
            at += match instruction.instruction {
                Instruction::Switch(_) => instruction.bytes.len() - padding(instruction.pc) + padding(at),
                _ => instruction.bytes.len(),
            };
            if at > MAX_CODE {
                return Err(SkipReason::TooLarge);
            }
        }
        places[body.code_length] = Place { block: at as u16, instruction: at as u16 };
        Ok(Layout { places, start: start as u16, end: at })
    }

    pub(super) fn place(&self, pc: usize) -> Result<Place, SkipReason> {
        let place = self.places.get(pc).copied().unwrap_or(NOWHERE);
        if place.block > place.instruction { Err(SkipReason::Malformed) } else { Ok(place) }
    }

    /// As [`Layout::place`], but not of the end of the code.
    pub(super) fn place_of_instruction(&self, pc: usize) -> Result<Place, SkipReason> {
        if pc + 1 == self.places.len() { Err(SkipReason::Malformed) } else { self.place(pc) }
    }

    /// The distance of a jump from the instruction in the new code.
    fn moved(&self, located: &Located, by: i32) -> Result<i32, SkipReason> {
        let target = located.at_offset(by).ok_or(SkipReason::Malformed)?;
        Ok(i32::from(self.place_of_instruction(target)?.block) - i32::from(self.place(located.pc)?.instruction))
    }

    pub(super) fn check_jumps(&self, instructions: &[Located]) -> Result<(), SkipReason> {
        for located in instructions {
            if let Some(&Offset { by, is_wide }) = located.instruction.jump() {
                let moved = self.moved(located, by)?;
                if !is_wide && i16::try_from(moved).is_err() {
                    return Err(SkipReason::TooLarge);
                }
            } else if let Instruction::Switch(switch) = located.instruction {
                for by in switch.offsets() {
                    self.moved(located, by)?;
                }
            }
        }
        Ok(())
    }

    /// Writes an instruction whose jumps were checked.
    ///
    /// What does not jump is copied, not encoded again: a class file that the JVM accepts or rejects for what an instruction
    /// has beside its operands, such as the last byte of `invokeinterface`, is treated the same afterwards.
    pub(super) fn emit(&self, located: &Located, bytes: &mut Vec<u8>) {
        let moved = |by| self.moved(located, by).expect("jumps were checked");
        let moved_target = |target: Offset| Offset { by: moved(target.by), ..target };
        bytes.extend_from_slice(located.before);
        match located.instruction {
            Instruction::Branch { condition, target } => {
                encode(&Instruction::Branch { condition, target: moved_target(target) }, bytes);
            }
            Instruction::Goto { target } => encode(&Instruction::Goto { target: moved_target(target) }, bytes),
            Instruction::Switch(switch) => {
                encode_switch(&switch, usize::from(self.places[located.pc].instruction), moved, bytes);
            }
            _ => bytes.extend_from_slice(located.bytes),
        }
    }

    /// The exception table: four values for each range.
    ///
    /// The probe of a handler must not be in the handler's own range, as `finally` blocks of javac have it: when it
    /// throws, it would throw for ever. Such a range is cut around what was inserted.
    pub(super) fn exceptions(&self, ranges: &[ExceptionRange]) -> Result<Vec<u16>, SkipReason> {
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
        Ok(table)
    }

    /// A place in a table for debuggers: code at pc 0 begins with the entry probe.
    pub(super) fn debug_place(&self, pc: u16) -> Option<u16> {
        if pc == 0 { Some(self.start) } else { self.place(usize::from(pc)).ok().map(|place| place.block) }
    }

    /// Entries that name no instruction are left out; the JVM makes no use of them.
    pub(super) fn lines(&self, mut table: Reader) -> Result<Vec<u8>, SkipReason> {
        let mut entries = Vec::new();
        for _ in 0..malformed(table.u2())? {
            let (start, line) = (malformed(table.u2())?, malformed(table.u2())?);
            entries.extend(self.debug_place(start).map(|start| [start, line]));
        }
        Ok(counted(&entries))
    }

    pub(super) fn variables(&self, table: Reader) -> Result<Vec<u8>, SkipReason> {
        let mut entries = Vec::new();
        for VariableEntry { start, length, name, descriptor, slot } in malformed(VariableEntry::read_all(table))? {
            let end = start.checked_add(length).and_then(|end| self.debug_place(end));
            if let (Some(start), Some(end)) = (self.debug_place(start), end) {
                entries.push([start, end.saturating_sub(start), name, descriptor, slot]);
            }
        }
        Ok(counted(&entries))
    }
}

pub(super) fn malformed<T>(read: Result<T, ClassFileError>) -> Result<T, SkipReason> {
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
        Layout { places: places.collect(), start: 0, end: 28 }
    }

    fn moved(start: usize, end: usize, handler: usize) -> Vec<u16> {
        layout().exceptions(&[ExceptionRange { start, end, handler, catch_type: 0 }]).unwrap()
    }

    #[test]
    fn relocated_range_covers_inserted_code() {
        assert_eq!(moved(1, 3, 3), [7, 21, 21, 0]);
        assert_eq!(moved(2, 4, 0), [14, 28, 0, 0]);
    }

    #[test]
    fn self_covering_handler_excludes_its_probe() {
        assert_eq!(moved(2, 3, 2), [20, 21, 14, 0]);
        assert_eq!(moved(1, 4, 2), [7, 14, 14, 0, 20, 28, 14, 0]);
    }

    #[test]
    fn range_outside_the_code_is_malformed() {
        for (start, end, handler) in [(2, 2, 0), (3, 1, 0), (0, 5, 0), (0, 1, 9)] {
            assert!(layout().exceptions(&[ExceptionRange { start, end, handler, catch_type: 0 }]).is_err());
        }
    }
}

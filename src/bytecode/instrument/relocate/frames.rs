//! Adjusts the StackMapTable of a body (JVMS §4.7.4).

use super::super::SkipReason;
use super::super::hook::put2;
use super::layout::{Layout, malformed};
use crate::classfile::reader::Reader;

impl Layout {
    /// Adds the frames of a StackMapTable (JVMS §4.7.4); those that had a short form and became too distant for it get the
    /// long one. What they are relative to is the frame before, or that at the entry of the method.
    pub(super) fn frames(&self, mut table: Reader, frames: &mut Frames) -> Result<(), SkipReason> {
        let count = malformed(table.u2())?;
        frames.count = frames.count.checked_add(count).ok_or(SkipReason::TooLarge)?;
        let bytes = &mut frames.entries;
        let mut old: Option<usize> = None;
        for _ in 0..count {
            let kind = malformed(table.u1())?;
            let delta = match kind {
                0..=127 => u16::from(kind % 64),
                247..=255 => malformed(table.u2())?,
                128..=246 => return Err(SkipReason::Malformed),
            };
            let pc = old.map_or(0, |old| old + 1) + usize::from(delta);
            let place = self.place_of_instruction(pc)?;
            let delta = match frames.last {
                Some(last) => place.block.checked_sub(last + 1).ok_or(SkipReason::Malformed)?,
                None => place.block,
            };
            (old, frames.last) = (Some(pc), Some(place.block));
            match kind {
                0..=63 if delta < 64 => bytes.push(delta as u8),
                64..=127 if delta < 64 => bytes.push(64 + delta as u8),
                _ => {
                    bytes.push(match kind {
                        0..=63 => 251,
                        64..=127 => 247,
                        long => long,
                    });
                    put2(bytes, delta);
                }
            }
            match kind {
                64..=127 | 247 => self.types(1, &mut table, bytes)?,
                252..=254 => self.types(u16::from(kind) - 251, &mut table, bytes)?,
                255 => {
                    for _ in ["locals", "stack"] {
                        let count = malformed(table.u2())?;
                        put2(bytes, count);
                        self.types(count, &mut table, bytes)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
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

/// Tags of verification types (JVMS §4.7.4).
pub(in crate::instrument) mod verification {
    pub const INTEGER: u8 = 1;
    pub const FLOAT: u8 = 2;
    pub const DOUBLE: u8 = 3;
    pub const LONG: u8 = 4;
    pub const UNINITIALIZED_THIS: u8 = 6;
    pub const OBJECT: u8 = 7;
}

/// A StackMapTable.
#[derive(Clone, Default)]
pub(in crate::instrument) struct Frames {
    count: u16,
    entries: Vec<u8>,
    /// Where the last frame is.
    last: Option<u16>,
}

impl Frames {
    /// A full frame behind the others: how many local variables there are, with their verification types, and the same of
    /// the stack. There is at most one for an instruction, and 65,535 would not fit the code.
    pub(in crate::instrument) fn push_full(&mut self, at: usize, locals: (u16, &[u8]), stack: (u16, &[u8])) {
        self.count += 1;
        self.entries.push(255);
        put2(&mut self.entries, self.last.map_or(at, |last| at - usize::from(last) - 1) as u16);
        for (count, types) in [locals, stack] {
            put2(&mut self.entries, count);
            self.entries.extend_from_slice(types);
        }
        self.last = Some(at as u16);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        [&self.count.to_be_bytes(), self.entries.as_slice()].concat()
    }
}

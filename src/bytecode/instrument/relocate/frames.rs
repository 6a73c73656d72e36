//! Adjusts the StackMapTable of a body (JVMS §4.7.4).

use super::super::SkipReason;
use super::super::hook::put2;
use super::layout::{Layout, malformed};
use crate::classfile::reader::Reader;
use crate::classfile::writer::PoolWriter;

impl Layout {
    /// The StackMapTable (JVMS §4.7.4); frames that had a short form and became too distant for it get the long one.
    pub(super) fn frames(&self, mut table: Reader) -> Result<Frames, SkipReason> {
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
pub(super) struct Frames {
    count: u16,
    entries: Vec<u8>,
    /// Where the last frame is.
    last: Option<u16>,
}

impl Frames {
    /// A full frame at the end of the code: no variable is known there, an exception is on the stack. 65,535 entries would
    /// not fit the code.
    pub(super) fn push_trap(&mut self, at: usize, pool: &mut PoolWriter) {
        self.count += 1;
        self.entries.push(255);
        put2(&mut self.entries, self.last.map_or(at, |last| at - usize::from(last) - 1) as u16);
        put2(&mut self.entries, 0);
        put2(&mut self.entries, 1);
        self.entries.push(7);
        put2(&mut self.entries, pool.class("java/lang/Throwable"));
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        [&self.count.to_be_bytes(), self.entries.as_slice()].concat()
    }
}

//! The Code attributes of methods that are instrumented.

use super::SkipReason;
use crate::classfile::ClassFileError;
use crate::classfile::Instruction;
use crate::classfile::decode::{Located, instructions};
use crate::classfile::reader::{ConstantPool, Reader};
use crate::classfile::structure::{CodeAttribute, ExceptionRange, VariableEntry};
use std::ops::Range;

/// The largest code a method may have (JVMS §4.7.3: less than 65536).
pub(super) const MAX_CODE: usize = 65535;

/// A Code attribute with its instructions.
pub(super) struct Body<'a> {
    pub(super) max_stack: u16,
    pub(super) max_locals: u16,
    pub(super) code_length: usize,
    pub(super) instructions: Vec<Located<'a>>,
    pub(super) exceptions: Vec<ExceptionRange>,
    /// Offset and line, sorted.
    lines: Vec<(u16, u16)>,
    /// Index of the name, and content. Those that are not known are gone: they may name offsets.
    pub(super) tables: Vec<(u16, Table, Reader<'a>)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Lines,
    /// LocalVariableTable or LocalVariableTypeTable: same shape.
    Variables,
    Frames,
}

impl<'a> Body<'a> {
    pub(super) fn read(reader: Reader<'a>, constants: &ConstantPool<'a>) -> Result<Body<'a>, SkipReason> {
        let malformed = |_: ClassFileError| SkipReason::Malformed;
        let read = CodeAttribute::read(reader, constants).map_err(malformed)?;
        let instructions: Vec<Located> =
            instructions(read.code).collect::<Result<_, usize>>().map_err(|_| SkipReason::Malformed)?;
        if instructions.is_empty() || read.code.len() > MAX_CODE {
            return Err(SkipReason::Malformed);
        }
        let is_subroutine = |located: &Located| {
            use Instruction::{JumpSubroutine, ReturnSubroutine};
            matches!(located.instruction, JumpSubroutine { .. } | ReturnSubroutine { .. })
        };
        if instructions.iter().any(is_subroutine) {
            return Err(SkipReason::Subroutines);
        }
        let mut lines = read.lines().map_err(malformed)?;
        lines.sort_unstable();
        let known = read.attributes.iter().filter_map(|attribute| {
            let table = match attribute.name {
                b"LineNumberTable" => Table::Lines,
                b"LocalVariableTable" | b"LocalVariableTypeTable" => Table::Variables,
                b"StackMapTable" => Table::Frames,
                _ => return None,
            };
            Some((attribute.name_index, table, attribute.content))
        });
        Ok(Body {
            max_stack: read.max_stack,
            max_locals: read.max_locals,
            code_length: read.code.len(),
            instructions,
            tables: known.collect(),
            exceptions: read.exceptions,
            lines,
        })
    }

    /// Where each local variable has a value, its slot and its descriptor, as far as debugging information tells (JVMS §4.7.13).
    pub(super) fn variables(&self, constants: &ConstantPool) -> Vec<(Range<usize>, u16, String)> {
        let variable = |entry: VariableEntry| {
            Some((entry.range(), entry.slot, constants.utf8(entry.descriptor).ok()?.into_owned()))
        };
        self.variable_entries(constants).filter_map(variable).collect()
    }

    /// The slot, the name and the descriptor of each parameter: of the variables with a value from the start.
    pub(super) fn parameters(&self, constants: &ConstantPool) -> Vec<(u16, String, String)> {
        let parameter = |entry: VariableEntry| {
            let text = |index: u16| Some(constants.utf8(index).ok()?.into_owned());
            Some((entry.slot, text(entry.name)?, text(entry.descriptor)?))
        };
        self.variable_entries(constants).filter(|entry| entry.start == 0).filter_map(parameter).collect()
    }

    /// What cannot be read is not known.
    fn variable_entries(&self, constants: &ConstantPool) -> impl Iterator<Item = VariableEntry> {
        let tables = self.tables.iter().filter(|(name, table, _)| {
            *table == Table::Variables && constants.utf8_bytes(*name).is_ok_and(|name| name == b"LocalVariableTable")
        });
        tables.filter_map(|(_, _, content)| VariableEntry::read_all(*content).ok()).flatten()
    }

    pub(super) fn line_at(&self, pc: usize) -> Option<u16> {
        let after = self.lines.partition_point(|&(start, _)| usize::from(start) <= pc);
        after.checked_sub(1).map(|at| self.lines[at].1)
    }
}

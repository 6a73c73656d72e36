//! Operands of instructions as class files have them: numbers of constants, and distances in bytes.
//!
//! They say which of the forms of an instruction it is, so that what was decoded is encoded to the same bytes.

use super::instruction::{Form, Instruction, Number};
use std::marker::PhantomData;

/// The form of the instructions in a class file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded<'a>(PhantomData<&'a [u8]>);

impl<'a> Form for Encoded<'a> {
    type Constant = EncodedConstant;
    type Local = EncodedLocal;
    type Target = Offset;
    type Switch = EncodedSwitch<'a>;
    type Field = u16;
    type Method = EncodedMethod;
    type CallSite = u16;
    type Class = u16;
    type Array = EncodedArray;
}

/// An instruction of a class file.
pub type EncodedInstruction<'a> = Instruction<Encoded<'a>>;

/// A constant that is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodedConstant {
    /// Part of the opcode: `iconst_m1` to `iconst_5`, `lconst_0` to `dconst_1`.
    Implicit(Number, i8),
    /// `bipush`
    Byte(i8),
    /// `sipush`
    Short(i16),
    /// `ldc`: the constant with the number.
    Pool(u8),
    /// `ldc_w`
    PoolWide(u16),
    /// `ldc2_w`, for constants of two slots
    PoolTwoSlots(u16),
}

impl EncodedConstant {
    /// The int, unless it is of the constant pool or is none.
    pub fn as_int(self) -> Option<i32> {
        match self {
            EncodedConstant::Implicit(Number::Int, value) | EncodedConstant::Byte(value) => Some(value.into()),
            EncodedConstant::Short(value) => Some(value.into()),
            _ => None,
        }
    }

    /// The number in the constant pool, of constants of one slot.
    pub fn pool_index(self) -> Option<u16> {
        match self {
            EncodedConstant::Pool(index) => Some(index.into()),
            EncodedConstant::PoolWide(index) => Some(index),
            _ => None,
        }
    }
}

/// A local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodedLocal {
    /// Its number.
    pub index: u16,
    /// Where the number is.
    pub form: LocalForm,
}

/// Where an instruction has the number of a local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalForm {
    /// Part of the opcode, of the first four variables.
    Implicit,
    /// One byte.
    Byte,
    /// Two bytes, after `wide`.
    Wide,
}

impl EncodedLocal {
    /// One that is part of the opcode.
    pub const fn implicit(index: u8) -> EncodedLocal {
        EncodedLocal { index: index as u16, form: LocalForm::Implicit }
    }

    /// In one byte if that is enough.
    pub fn explicit(index: u16) -> EncodedLocal {
        EncodedLocal { index, form: if index > 255 { LocalForm::Wide } else { LocalForm::Byte } }
    }

    /// In two bytes.
    pub fn wide(index: u16) -> EncodedLocal {
        EncodedLocal { index, form: LocalForm::Wide }
    }
}

/// How far a jump is, from its own opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// In bytes.
    pub by: i32,
    /// In four bytes instead of two: `goto_w` and `jsr_w`.
    pub is_wide: bool,
}

/// A method by its number in the constant pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodedMethod {
    /// Its number.
    pub index: u16,
    /// The slots of the receiver and the arguments, which `invokeinterface` repeats; 0 for all others.
    pub slots: u8,
}

/// The type of a new array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodedArray {
    /// Of a primitive type, by its code (JVMS table 6.5.newarray-A).
    Primitive(u8),
    /// Of the class with the number in the constant pool.
    Reference(u16),
}

/// A `tableswitch` or `lookupswitch`; distances count from its opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodedSwitch<'a> {
    is_table: bool,
    /// What follows the padding.
    content: &'a [u8],
}

impl<'a> EncodedSwitch<'a> {
    /// Of a `tableswitch`: the distance of the default, the least key, the greatest, and the distance of each key.
    const TABLE_HEAD: usize = 12;
    /// Of a `lookupswitch`: the distance of the default, how many keys there are, and each with its distance.
    const LOOKUP_HEAD: usize = 8;

    /// Reads the switch whose content, after the padding, begins with the bytes; and how long its content is.
    pub(super) fn read(is_table: bool, bytes: &'a [u8]) -> Option<EncodedSwitch<'a>> {
        let i4 = |at: usize| Some(i64::from(i32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?)));
        let length = if is_table {
            let entries = i4(8)? - i4(4)? + 1;
            Self::TABLE_HEAD as i64 + 4 * (entries > 0).then_some(entries)?
        } else {
            let entries = i4(4)?;
            Self::LOOKUP_HEAD as i64 + 8 * (entries >= 0).then_some(entries)?
        };
        Some(EncodedSwitch { is_table, content: bytes.get(..usize::try_from(length).ok()?)? })
    }

    /// Whether it is a `tableswitch`.
    pub(super) fn is_table(&self) -> bool {
        self.is_table
    }

    /// Its bytes after the padding.
    pub(super) fn length(&self) -> usize {
        self.content.len()
    }

    /// Least and greatest key of a `tableswitch`, which moving the code does not change.
    pub(super) fn bounds(&self) -> &'a [u8] {
        &self.content[4..Self::TABLE_HEAD]
    }

    /// How far it jumps for keys that it does not have.
    pub fn default(&self) -> i32 {
        be_i32(self.content)
    }

    /// Each key with how far it jumps, in order of the keys.
    pub fn cases(&self) -> impl Iterator<Item = (i32, i32)> + use<'a> {
        let EncodedSwitch { is_table, content } = *self;
        let (head, entry) = if is_table { (Self::TABLE_HEAD, 4) } else { (Self::LOOKUP_HEAD, 8) };
        let low = be_i32(&content[4..]);
        content[head..].chunks_exact(entry).enumerate().map(move |(at, entry)| {
            if is_table { (low.wrapping_add(at as i32), be_i32(entry)) } else { (be_i32(entry), be_i32(&entry[4..])) }
        })
    }

    /// How far it jumps, for each key and for those that it does not have.
    pub fn offsets(&self) -> impl Iterator<Item = i32> + use<'a> {
        self.cases().map(|case| case.1).chain([self.default()])
    }
}

fn be_i32(bytes: &[u8]) -> i32 {
    i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Bytes between the opcode of a switch at `pc` and its table (JVMS §6.5, `tableswitch`).
pub(crate) fn padding(pc: usize) -> usize {
    3 - pc % 4
}

//! A call that is inserted before an instruction, and its code.

use super::ProbeKind;
use crate::classfile::instruction::{InvokeKind, Kind, StackOperation};
use crate::classfile::writer::PoolWriter;
use crate::classfile::{EncodedConstant, EncodedInstruction, EncodedLocal, EncodedMethod, Instruction, encode};

/// A call inserted before an instruction.
#[derive(Clone, Copy)]
pub(super) struct Hook {
    /// `None` for a call without a number; [`ProbeKind::NotTaken`] stands for all numbers of a jump.
    pub(super) kind: Option<ProbeKind>,
    /// The class whose static method is called.
    pub(super) owner: &'static str,
    pub(super) method: &'static str,
    pub(super) descriptor: &'static str,
    pub(super) operands: Operands,
}

/// How the operands of the instruction are handed to the hook and kept for the instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    None,
    /// One slot, by `dup`.
    One,
    /// Two slots, by `dup2`.
    Two,
    /// Two longs: the upper is kept in a fresh local variable.
    Longs,
    /// Two doubles, likewise.
    Doubles,
    /// A local variable instead, by its kind and number.
    Local(Kind, u16),
    /// Two local variables instead, a reference and an int, by their numbers.
    ReferenceAndInt(u16, u16),
    /// A number instead.
    Number(u32),
    /// One slot by `dup`, and the string or class that the pool has under the index.
    OneAndConstant(u16),
    /// The string that the pool has under the index instead.
    Text(u16),
    /// The third and fourth slot from the top: the two ints above them are kept in fresh local variables.
    TwoBelowInts,
}

impl Hook {
    /// What a call of a value of the platform reports that compares it with another one by order.
    pub(super) const ORDER_OF_VALUES: &'static str = "orderOfValues";

    /// What is told of a generator of random numbers that was made without a seed.
    pub(super) const UNSEEDED: &'static str = "unseeded";

    /// What is told of a method that is entered, where loops are watched.
    pub(super) const ENTERED: &'static str = "entered";

    /// What is told of a text that the platform has made.
    pub(super) const TEXT: &'static str = "text";

    /// Methods of `Runtime` that ask for a number of the machine, and what takes their results and returns others.
    pub(super) const OF_MACHINE: [(&'static str, &'static str); 4] =
        [("availableProcessors", "(I)I"), ("freeMemory", "(J)J"), ("totalMemory", "(J)J"), ("maxMemory", "(J)J")];

    /// What takes what a variable of the environment has, and returns something else.
    pub(super) const VARIABLE: (&'static str, &'static str) = ("getenv", "(Ljava/lang/String;)Ljava/lang/String;");

    /// Whether it belongs to the instruction before: who jumps to its place passes it by.
    pub(super) fn is_passed_by_jumps(&self) -> bool {
        let is_of_machine = Hook::OF_MACHINE.iter().any(|(method, _)| *method == self.method);
        self.kind == Some(ProbeKind::Entry)
            || [Hook::UNSEEDED, Hook::TEXT, Hook::ENTERED, Hook::VARIABLE.0].contains(&self.method)
            || is_of_machine
    }

    /// Whether there is one number more than the place or the two outcomes: two operands can be equal where their order decides.
    pub(super) fn sees_boundary(&self) -> bool {
        const ORDERS: [&str; 9] =
            ["iflt", "ifge", "ifgt", "ifle", "icmplt", "icmpge", "icmpgt", "icmple", Hook::ORDER_OF_VALUES];
        ORDERS.contains(&self.method)
    }

    /// How many slots it needs above the operands of its instruction.
    pub(super) fn stack(&self) -> u16 {
        let number = u16::from(self.kind.is_some());
        number
            + match self.operands {
                Operands::None => 0,
                Operands::One | Operands::Number(_) | Operands::Text(_) => 1,
                // The upper of two wide operands is on the stack once more only after it was spilled.
                Operands::TwoBelowInts
                | Operands::Two
                | Operands::Longs
                | Operands::Doubles
                | Operands::Local(..)
                | Operands::ReferenceAndInt(..)
                | Operands::OneAndConstant(_) => 2,
            }
    }

    pub(super) fn length(&self, spill: u16) -> usize {
        let number = if self.kind.is_some() { 3 } else { 0 };
        let operands = match self.operands {
            Operands::None => 0,
            Operands::One | Operands::Two => 1,
            Operands::Local(_, slot) => local_length(slot),
            Operands::ReferenceAndInt(one, other) => local_length(one) + local_length(other),
            Operands::Number(_) | Operands::Text(_) => 3,
            Operands::OneAndConstant(_) => 4,
            Operands::Longs | Operands::Doubles => 1 + 3 * local_length(spill),
            Operands::TwoBelowInts => 1 + 2 * (local_length(spill) + local_length(spill + 1)),
        };
        number + operands + 3
    }

    pub(super) fn emit(&self, number: u32, spill: u16, pool: &mut PoolWriter, bytes: &mut Vec<u8>) {
        let spilled = match self.operands {
            Operands::Longs => Some(Kind::Long),
            Operands::Doubles => Some(Kind::Double),
            _ => None,
        };
        match self.operands {
            Operands::None => {}
            Operands::One => encode(&DUP, bytes),
            Operands::Two => encode(&DUP2, bytes),
            Operands::Longs | Operands::Doubles => {
                let (kind, local) = (spilled.expect("both are spilled"), EncodedLocal::explicit(spill));
                encode(&Instruction::Store { kind, local }, bytes);
                encode(&DUP2, bytes);
                encode(&load(kind, spill), bytes);
            }
            Operands::TwoBelowInts => {
                for slot in [spill, spill + 1] {
                    let local = EncodedLocal::explicit(slot);
                    encode(&Instruction::Store { kind: Kind::Int, local }, bytes);
                }
                encode(&DUP2, bytes);
            }
            Operands::Local(kind, slot) => encode(&load(kind, slot), bytes),
            Operands::ReferenceAndInt(one, other) => {
                encode(&load(Kind::Reference, one), bytes);
                encode(&load(Kind::Int, other), bytes);
            }
            Operands::Number(number) => encode(&push_number(number, pool), bytes),
            Operands::OneAndConstant(constant) => {
                encode(&DUP, bytes);
                encode(&Instruction::Constant(EncodedConstant::PoolWide(constant)), bytes);
            }
            Operands::Text(text) => encode(&Instruction::Constant(EncodedConstant::PoolWide(text)), bytes),
        }
        if self.kind.is_some() {
            encode(&push_number(number, pool), bytes);
        }
        let method = EncodedMethod { index: pool.method_ref(self.owner, self.method, self.descriptor), slots: 0 };
        encode(&Instruction::Invoke { kind: InvokeKind::Static, method }, bytes);
        if let Some(kind) = spilled {
            encode(&load(kind, spill), bytes);
        }
        if self.operands == Operands::TwoBelowInts {
            encode(&load(Kind::Int, spill + 1), bytes);
            encode(&load(Kind::Int, spill), bytes);
        }
    }
}

const DUP: EncodedInstruction = Instruction::Stack(StackOperation::Dup);
const DUP2: EncodedInstruction = Instruction::Stack(StackOperation::Dup2);

pub(super) fn put2(bytes: &mut Vec<u8>, value: u16) {
    bytes.extend_from_slice(&value.to_be_bytes());
}

/// Both forms have three bytes: lengths do not depend on numbers.
fn push_number(number: u32, pool: &mut PoolWriter) -> EncodedInstruction<'static> {
    Instruction::Constant(match i16::try_from(number) {
        Ok(small) => EncodedConstant::Short(small),
        Err(_) => EncodedConstant::PoolWide(pool.int(number as i32)),
    })
}

fn load(kind: Kind, local: u16) -> EncodedInstruction<'static> {
    Instruction::Load { kind, local: EncodedLocal::explicit(local) }
}

/// Of an instruction that loads or stores the variable.
fn local_length(slot: u16) -> usize {
    if slot > 255 { 4 } else { 2 }
}

//! Sequences on their way to a worker, in the form that the class `Executor` inside the JVM decodes.

use super::{BrokenMessage, Decoder, Encoder};
use model::execution::Detail;
use model::execution::mutant::{Mutant, Mutator};
use model::jvm::Literal;
use model::sequence::{Action, Sequence};

/// What stands before each statement.
mod tag {
    pub const CALL: u8 = 0;
    pub const BOOLEAN: u8 = 1;
    pub const BYTE: u8 = 2;
    pub const CHAR: u8 = 3;
    pub const SHORT: u8 = 4;
    pub const INT: u8 = 5;
    pub const LONG: u8 = 6;
    pub const FLOAT: u8 = 7;
    pub const DOUBLE: u8 = 8;
    pub const STRING: u8 = 9;
    pub const CLASS: u8 = 10;
    pub const NULL: u8 = 11;
    /// A call that is to throw; the statements behind it run all the same.
    pub const REJECTED: u8 = 12;
}

/// Stands before a mutant and a sequence or test that is to run with it.
const MUTATED: u8 = 0x80;

/// The detail of a run at the first of the other times.
const ANOTHER_TIME: u8 = 0x40;

/// The detail of a run with a probed text.
const PROBED: u8 = 0x20;

/// Encodes one sequence: the mutant if there is one, the detail, the number of statements, then each.
pub fn encode(sequence: &Sequence, detail: Detail) -> Vec<u8> {
    let mut encoder = Encoder { bytes: Vec::with_capacity(24 + sequence.len() * 16) };
    if let Detail::Mutated(mutant) = detail {
        encode_mutant(&mut encoder, mutant);
    }
    encoder.u8(match detail {
        Detail::Search => 0,
        Detail::Observe | Detail::Mutated(_) => 1,
        Detail::SharedJvm => 2,
        Detail::Compared => 3,
        Detail::Probed => PROBED,
        Detail::AnotherTime(number) => ANOTHER_TIME + number,
    });
    encode_statements(&mut encoder, sequence);
    encoder.bytes
}

/// Encodes the number of statements, then each.
pub(super) fn encode_statements(encoder: &mut Encoder, sequence: &Sequence) {
    encoder.u32(sequence.len() as u32);
    for (index, statement) in sequence.statements().iter().enumerate() {
        match &statement.action {
            Action::Call(operation) => {
                encoder.u8(if sequence.rejected() == Some(index) { tag::REJECTED } else { tag::CALL });
                encoder.u32(operation.0);
                encoder.u32(statement.inputs.len() as u32);
                for input in sequence.inputs_of(index) {
                    encoder.u32(input as u32);
                }
            }
            Action::Literal(literal) => encode_literal(encoder, literal),
        }
    }
}

/// Encodes the mutant that what follows is to run with.
pub(super) fn encode_mutant(encoder: &mut Encoder, mutant: Mutant) {
    encoder.u8(MUTATED);
    encoder.u32(mutant.class);
    encoder.u32(u32::from(mutant.method));
    encoder.u32(u32::from(mutant.pc));
    encoder.u8(mutant.mutator as u8);
}

/// The number of statements of an encoded sequence without its mutant.
pub fn statements(encoded: &[u8]) -> Result<usize, BrokenMessage> {
    let mut decoder = Decoder::new(encoded);
    // The detail comes first.
    decoder.u8()?;
    Ok(decoder.u32()? as usize)
}

/// Takes the mutant off an encoded sequence or test, for the worker, which alone knows of it.
pub fn split_mutant(encoded: &[u8]) -> Result<(Option<Mutant>, &[u8]), BrokenMessage> {
    if encoded.first() != Some(&MUTATED) {
        return Ok((None, encoded));
    }
    let mut decoder = Decoder::new(&encoded[1..]);
    let small = |number: u32| u16::try_from(number).map_err(|_| BrokenMessage);
    let mutant = Mutant {
        class: decoder.u32()?,
        method: small(decoder.u32()?)?,
        pc: small(decoder.u32()?)?,
        mutator: *Mutator::ALL.get(usize::from(decoder.u8()?)).ok_or(BrokenMessage)?,
    };
    Ok((Some(mutant), decoder.rest()))
}

pub(super) fn encode_literal(encoder: &mut Encoder, literal: &Literal) {
    let mut primitive = |tag, bits: i64| {
        encoder.u8(tag);
        encoder.u64(bits as u64);
    };
    match literal {
        Literal::Boolean(value) => primitive(tag::BOOLEAN, i64::from(*value)),
        Literal::Byte(value) => primitive(tag::BYTE, i64::from(*value)),
        Literal::Char(value) => primitive(tag::CHAR, i64::from(*value)),
        Literal::Short(value) => primitive(tag::SHORT, i64::from(*value)),
        Literal::Int(value) => primitive(tag::INT, i64::from(*value)),
        Literal::Long(value) => primitive(tag::LONG, *value),
        Literal::Float(bits) => primitive(tag::FLOAT, i64::from(*bits)),
        Literal::Double(bits) => primitive(tag::DOUBLE, *bits as i64),
        Literal::String(text) => {
            encoder.u8(tag::STRING);
            encoder.units(text.units());
        }
        Literal::Class(of) => {
            encoder.u8(tag::CLASS);
            encoder.units(&of.descriptor().encode_utf16().collect::<Vec<_>>());
        }
        Literal::Null(_) => encoder.u8(tag::NULL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutant_is_decoded_as_it_was() {
        let mutant = Mutant { class: 70_000, method: 3, pc: 9, mutator: Mutator::Math };
        let encoded = encode(&Sequence::new(), Detail::Mutated(mutant));
        let alone = encode(&Sequence::new(), Detail::Observe);
        assert_eq!(split_mutant(&encoded).unwrap(), (Some(mutant), alone.as_slice()));
        assert_eq!(split_mutant(&alone).unwrap(), (None, alone.as_slice()));
        for cut in 1..encoded.len() - alone.len() {
            assert!(split_mutant(&encoded[..cut]).is_err());
        }
    }
}

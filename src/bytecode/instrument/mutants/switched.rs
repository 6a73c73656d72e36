//! Puts several mutants of a method into its code, of which a number says the one that runs.
//!
//! The method begins with a switch on [`ACTIVE_MUTANT`], behind which its body stands as it was and once more for each mutant. All
//! of these begin with the frame that the method begins with, so that no other frame has to be found.

use super::edit::{Edit, MethodShape, edit};
use crate::classfile::encode::encode_lookup;
use crate::classfile::instruction::FieldAccess;
use crate::classfile::writer::PoolWriter;
use crate::classfile::{Instruction, encode};
use crate::instrument::body::Body;
use crate::instrument::hook::put2;
use crate::instrument::relocate::{Inserted, NewBody, relocate, verification};
use crate::instrument::{ACTIVE_MUTANT, Class, MethodParts, PROBES};
use model::execution::mutant::Mutant;
use model::jvm::types::access;
use model::jvm::{MethodDescriptor, Primitive, Type};

/// Most code of a method with its mutants: the more there is, the longer it takes to compile it, and the less, the more often its
/// class is redefined.
const ROOM: usize = 8_000;

/// Most code of a method with its mutants, if two bodies of it take more than [`ROOM`].
const LONG_ROOM: usize = 32_000;

/// The method with the first of its mutants, as many as there is room for; and the numbers of these. `None` if there is room for none.
///
/// `length` is the length of the body with what is inserted.
pub(in crate::instrument) fn with_mutants(
    (class, method, body): (&Class, &MethodParts, &Body),
    mutants: &[(i32, &Mutant)],
    inserted: Inserted,
    length: usize,
    pool: &mut PoolWriter,
) -> Option<(NewBody, Vec<i32>)> {
    let room = if 2 * length < ROOM { ROOM } else { LONG_ROOM };
    let most = (room.saturating_sub(length) / (length + CASE)).max(1);
    let edits = edits((class, method, body), mutants, most, pool);
    if edits.is_empty() {
        return None;
    }
    let (locals, entry) = entry_frame(class, method, pool)?;
    let mut code = NewBody::beginning_with(vec![0; switch_length(edits.len())], 1);
    let original = add(body, (locals, &entry), inserted, &mut code, pool)?;
    let mut cases = Vec::with_capacity(edits.len());
    let mut numbers = Vec::with_capacity(edits.len());
    let mut copy = Body::read(method.code?, &class.pool).ok()?;
    for (number, at, edit) in &edits {
        let unchanged = copy.instructions[*at];
        edit.apply(&mut copy.instructions[*at]);
        let start = add(&copy, (locals, &entry), inserted, &mut code, pool);
        copy.instructions[*at] = unchanged;
        numbers.extend(start.map(|_| *number));
        // A mutant without room runs as the original.
        cases.push((*number, start.unwrap_or(original)));
    }
    write_switch(&mut code.bytes, original, cases, pool);
    Some((code, numbers))
}

/// Adds a body that begins with the frame of the method's entry; where it begins. `None`, and nothing added, without room.
fn add(
    body: &Body,
    entry: (u16, &[u8]),
    inserted: Inserted,
    code: &mut NewBody,
    pool: &mut PoolWriter,
) -> Option<usize> {
    let start = code.bytes.len();
    let frames = code.frames.clone();
    code.frames.push_full(start, entry, (0, &[]));
    let added = relocate(body, inserted, code, pool);
    if added.is_err() {
        code.frames = frames;
    }
    added.is_ok().then_some(start)
}

/// The number, the index of the instruction and the change of the first mutants of the method that have one.
fn edits(
    (class, method, body): (&Class, &MethodParts, &Body),
    mutants: &[(i32, &Mutant)],
    most: usize,
    pool: &mut PoolWriter,
) -> Vec<(i32, usize, Edit)> {
    let Some(shape) = MethodShape::of(class, method, body) else { return Vec::new() };
    let made = mutants.iter().filter_map(|(number, mutant)| {
        let at = body.instructions.iter().position(|one| one.pc == usize::from(mutant.pc))?;
        let edit = edit(mutant.mutator, &body.instructions[at], &shape, &class.pool, pool)?;
        Some((*number, at, edit))
    });
    made.take(most).collect()
}

/// Where in the method its switch is: behind the instruction that reads the number.
const SWITCH: usize = 3;

/// The length of a case of the switch.
const CASE: usize = 8;

/// Of all instructions before the body; there is no padding.
fn switch_length(cases: usize) -> usize {
    SWITCH + 1 + 8 + CASE * cases
}

/// Writes the switch to the start of the code: numbers and where their code begins.
fn write_switch(code: &mut [u8], original: usize, mut cases: Vec<(i32, usize)>, pool: &mut PoolWriter) {
    cases.sort_unstable();
    let distance = |start: usize| (start - SWITCH) as i32;
    let cases: Vec<(i32, i32)> = cases.into_iter().map(|(number, start)| (number, distance(start))).collect();
    let field = pool.field_ref(PROBES, ACTIVE_MUTANT, "I");
    let mut switch = Vec::with_capacity(switch_length(cases.len()));
    encode(&Instruction::Field { access: FieldAccess::GetStatic, field }, &mut switch);
    encode_lookup(SWITCH, distance(original), &cases, &mut switch);
    code[..switch.len()].copy_from_slice(&switch);
}

/// The local variables that a method begins with (JVMS §4.10.1.6): how many entries, and these.
fn entry_frame(class: &Class, method: &MethodParts, pool: &mut PoolWriter) -> Option<(u16, Vec<u8>)> {
    let descriptor = MethodDescriptor::parse(&method.descriptor)?;
    let mut types = Vec::new();
    let mut object = |name: &str, types: &mut Vec<u8>| {
        types.push(verification::OBJECT);
        put2(types, pool.class(name));
    };
    let is_instance = method.access & access::STATIC == 0;
    if is_instance && &*method.name == "<init>" {
        types.push(verification::UNINITIALIZED_THIS);
    } else if is_instance {
        object(class.name.internal(), &mut types);
    }
    for parameter in &descriptor.parameters {
        match parameter {
            Type::Primitive(Primitive::Long) => types.push(verification::LONG),
            Type::Primitive(Primitive::Float) => types.push(verification::FLOAT),
            Type::Primitive(Primitive::Double) => types.push(verification::DOUBLE),
            Type::Primitive(_) => types.push(verification::INTEGER),
            Type::Class(of) => object(of.internal(), &mut types),
            other => object(&other.descriptor(), &mut types),
        }
    }
    Some((u16::from(is_instance) + descriptor.parameters.len() as u16, types))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switch_has_the_length_that_is_kept_for_it() {
        for cases in 0..5 {
            let mut code = vec![0xff; switch_length(cases)];
            let starts = (0..cases).map(|case| (case as i32, 100 + case)).collect();
            write_switch(&mut code, 90, starts, &mut PoolWriter::starting_at(1));
            assert_eq!(code[SWITCH + 1 + 4..][..4], (cases as u32).to_be_bytes());
            assert_ne!(code.last(), Some(&0xff));
        }
    }
}

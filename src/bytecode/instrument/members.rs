//! A field and a method more in a class, as coverage tools add them.

use super::{Class, InstrumentError};
use crate::classfile::writer::{ClassTooLarge, NewCode, PoolWriter};
use crate::classfile::{Instruction, Kind, encode_all};
use model::jvm::types::access;

/// Adds a private static synthetic field and method, unless the class is an interface. What code finds out about its own
/// members by reflection is then as different from what it finds in the class as compiled as under JaCoCo.
pub fn with_added_members(bytes: &[u8]) -> Result<Vec<u8>, InstrumentError> {
    let class = Class::read(bytes)?;
    if class.access & access::INTERFACE != 0 {
        return Ok(bytes.to_vec());
    }
    let mut pool = PoolWriter::starting_at(class.pool.count());
    // Before version 49 the flag says nothing (JVMS §4.7.8).
    let (synthetic, code) = (pool.utf8("Synthetic"), pool.utf8("Code"));
    let flags = access::PRIVATE | access::STATIC | access::SYNTHETIC;
    let big_endian = |items: &[u16]| items.iter().flat_map(|item| item.to_be_bytes()).collect::<Vec<u8>>();
    let name_and_type = [pool.utf8("$coverageData"), pool.utf8("[Z")];
    let field = big_endian(&[flags | access::TRANSIENT, name_and_type[0], name_and_type[1], 1, synthetic, 0, 0]);
    let name_and_type = [pool.utf8("$coverageInit"), pool.utf8("()[Z")];
    let mut method = big_endian(&[flags, name_and_type[0], name_and_type[1], 2, synthetic, 0, 0, code]);
    let returns_null = encode_all(&[Instruction::Null, Instruction::Return(Some(Kind::Reference))]);
    let attribute = NewCode { max_stack: 1, max_locals: 0, bytes: &returns_null }.attribute();
    method.extend((attribute.len() as u32).to_be_bytes());
    method.extend(attribute);

    let mut written = class.write(&pool, &vec![None; class.methods.len()])?;
    let middle = 10 + class.constants.len() + pool.bytes().len();
    let field_count = middle + class.field_count;
    let method_count = middle + class.middle.len() - 2;
    let end_of_methods = written.len() - class.tail.len();
    written.splice(end_of_methods..end_of_methods, method);
    one_more(&mut written[method_count..])?;
    written.splice(method_count..method_count, field);
    one_more(&mut written[field_count..])?;
    Ok(written)
}

/// Counts the number at the start up.
fn one_more(bytes: &mut [u8]) -> Result<(), ClassTooLarge> {
    let count = u16::from_be_bytes([bytes[0], bytes[1]]).checked_add(1).ok_or(ClassTooLarge)?;
    bytes[..2].copy_from_slice(&count.to_be_bytes());
    Ok(())
}

//! Mutants of the data of enum constants, which static initialisers make: they have run before a mutant is activated, so the
//! workers change the objects, and code stays as it is.

use super::paths::Paths;
use crate::classfile::Instruction;
use crate::classfile::instruction::FieldAccess;
use crate::instrument::body::Body;
use crate::instrument::{Class, InstrumentError, Plan, still};
use model::jvm::ClassName;
use std::cell::LazyCell;
use std::sync::Arc;

/// Constants with more fields than this in all are data, not code.
const MOST: usize = 200;

/// The data of an enum's constants.
pub struct EnumData {
    /// Index of the static initializer among the methods of the class file.
    pub initializer: u16,
    /// How many constants there are.
    pub constants: usize,
    /// The names of the instance fields that the class declares, in their order.
    pub fields: Vec<Arc<str>>,
    /// Classes around the enum alone can read them: all are private.
    pub is_private: bool,
}

/// The data of the class's constants; `None` if it is no enum, or there is nothing to confuse.
pub fn enum_data(bytes: &[u8]) -> Result<Option<EnumData>, InstrumentError> {
    let class = Class::read(bytes)?;
    if class.super_name.as_deref() != Some("java/lang/Enum") {
        return Ok(None);
    }
    let constants = class.fields.iter().filter(|field| field.is_constant).count();
    let of_instance = || class.fields.iter().filter(|field| !field.is_static);
    let fields: Vec<Arc<str>> = of_instance().map(|field| field.name.clone()).collect();
    let is_private = of_instance().all(|field| field.is_private);
    let initializer = class.methods.iter().position(|method| &*method.name == "<clinit>");
    let is_worth_it = constants > 1 && !fields.is_empty() && constants * fields.len() <= MOST;
    Ok(initializer.filter(|_| is_worth_it).map(|at| EnumData { initializer: at as u16, constants, fields, is_private }))
}

/// A read of an instance field.
pub struct FieldRead {
    /// The field's name.
    pub field: Arc<str>,
    /// The probes, counted from the class's first, of which one is hit before.
    pub reached_by: Vec<u32>,
}

/// Each read of an instance field of `owner` in the class of the plan; constructors are left out.
pub fn reads_of_fields(bytes: &[u8], plan: &Plan, owner: &ClassName) -> Result<Vec<FieldRead>, InstrumentError> {
    let bytes = &still(bytes)?;
    let class = Class::read(bytes)?;
    let mut found = Vec::new();
    for (index, method) in class.methods.iter().enumerate().filter(|(_, method)| &*method.name != "<init>") {
        let Some(body) = method.code.and_then(|code| Body::read(code, &class.pool).ok()) else { continue };
        let probes = plan.probes.iter().enumerate().filter(|(_, probe)| usize::from(probe.method) == index);
        // Most methods read no field of the enum.
        let paths = LazyCell::new(|| Paths::new(&body, probes));
        for (at, located) in body.instructions.iter().enumerate() {
            let Instruction::Field { access: FieldAccess::Get, field } = located.instruction else { continue };
            let Ok(member) = class.pool.member(field) else { continue };
            if *member.class == *owner.internal() {
                found.push(FieldRead { field: Arc::from(&*member.name), reached_by: paths.leading_to(at) });
            }
        }
    }
    Ok(found)
}

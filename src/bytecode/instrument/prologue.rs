//! Calls at the start of methods of classes that are not instrumented otherwise, such as the JDK's.

use super::body::Body;
use super::hook::{Hook, Operands};
use super::relocate::{Inserted, NewBody, relocate};
use super::{Class, InstrumentError, PROBES};
use crate::classfile::Kind;
use crate::classfile::writer::PoolWriter;

/// A static method of [`PROBES`] that is called whenever a method is entered.
pub struct Prologue {
    /// The name of the method that is entered.
    pub name: &'static str,
    /// Its descriptor.
    pub descriptor: &'static str,
    /// The name of the method that is called.
    pub calls: &'static str,
    /// What the call is handed.
    pub shows: Shows,
}

/// What the call is handed: nothing, or the local variables of these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// No argument.
    Nothing,
    /// An object.
    Object(u16),
    /// An int.
    Int(u16),
    /// An object and an int.
    ObjectAndInt(u16, u16),
}

impl Prologue {
    fn hook(&self) -> Hook {
        let (descriptor, operands) = match self.shows {
            Shows::Nothing => ("()V", Operands::None),
            Shows::Object(slot) => ("(Ljava/lang/Object;)V", Operands::Local(Kind::Reference, slot)),
            Shows::Int(slot) => ("(I)V", Operands::Local(Kind::Int, slot)),
            Shows::ObjectAndInt(object, int) => ("(Ljava/lang/Object;I)V", Operands::ReferenceAndInt(object, int)),
        };
        Hook { kind: None, owner: PROBES, method: self.calls, descriptor, operands }
    }
}

/// The class with the calls. Methods that it does not have, which differ between releases, are passed over.
pub fn with_prologues(bytes: &[u8], prologues: &[Prologue]) -> Result<Vec<u8>, InstrumentError> {
    let class = Class::read(bytes)?;
    let mut pool = PoolWriter::starting_at(class.pool.count());
    let bodies = class.methods.iter().map(|method| {
        let is_it = |one: &&Prologue| *method.name == *one.name && *method.descriptor == *one.descriptor;
        let hooks: Vec<_> = prologues.iter().filter(is_it).map(|one| (0, one.hook())).collect();
        let body = Body::read(method.code.filter(|_| !hooks.is_empty())?, &class.pool).ok()?;
        let mut code = NewBody::default();
        relocate(&body, Inserted { hooks: &hooks, trap: None, first_probe: 0 }, &mut code, &mut pool).ok()?;
        Some(code.attribute(&mut pool))
    });
    let bodies: Vec<_> = bodies.collect();
    class.write(&pool, &bodies)
}

//! Finds the mutants of a class, and makes their code.
//!
//! The mutators are PIT's default ones and a few more, and nearly all [filters](filter) are PIT's: code that a compiler made,
//! calls of loggers, and changes that no test could notice are excluded, as far as patterns of a few instructions know them.
//! Where each probe goes is decided on the code as it was, so that a mutant has the numbers of the class.

mod edit;
mod enum_data;
mod filter;
mod paths;
mod switched;
#[cfg(test)]
mod tests;

use super::body::Body;
use super::{Class, InstrumentError, plan, still};
use crate::classfile::Instruction;
use crate::classfile::writer::PoolWriter;
use edit::{MethodShape, edit};
pub use enum_data::{EnumData, FieldRead, enum_data, reads_of_fields};
use filter::{Candidate, ClassCode, FILTERS};
use model::execution::mutant::Mutator;
use model::jvm::{ClassName, Type};
use paths::Paths;
pub(super) use switched::with_mutants;

/// A mutant of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// Index among the methods of the class file.
    pub method: u16,
    /// The instruction that is changed, by its offset in the unchanged code.
    pub pc: u16,
    /// How it is changed.
    pub mutator: Mutator,
    /// The source line of the instruction.
    pub line: Option<u16>,
    /// Of [`Mutator::EnumField`], the field's type, which may be another class with constants of its own type.
    pub field_type: Option<ClassName>,
    /// The probes, counted from the class's first, behind which the instruction lies: a run that hit none of them did
    /// not get to it.
    pub reached_by: Vec<u32>,
}

/// Name and description of each filter that excludes mutants, in the order in which they are applied.
pub fn mutant_filters() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILTERS.iter().map(|filter| (filter.name(), filter.description()))
}

/// The mutants of a class that these mutators make, in the order of their instructions; for those of [`Mutator::EnumData`] see
/// [`enum_data`].
pub fn mutants(bytes: &[u8], mutators: &[Mutator]) -> Result<Vec<Mutation>, InstrumentError> {
    let plan = plan(bytes)?;
    let bytes = &still(bytes)?;
    let class = Class::read(bytes)?;
    let bodies: Vec<Option<Body>> =
        class.methods.iter().map(|method| Body::read(method.code?, &class.pool).ok()).collect();
    let code = ClassCode { class: &class, bodies: &bodies };
    let mut candidates = candidates(&code, mutators);
    for filter in FILTERS {
        filter.exclude(&code, &mut candidates);
    }
    let mut mutations = Vec::with_capacity(candidates.len());
    for of_method in candidates.chunk_by(|one, other| one.method == other.method) {
        let index = of_method[0].method;
        let Some(body) = &bodies[index] else { continue };
        let probes = plan.probes.iter().enumerate().filter(|(_, probe)| usize::from(probe.method) == index);
        let paths = Paths::new(body, probes);
        let field_type = |candidate: &Candidate| match body.instructions[candidate.at].instruction {
            Instruction::Field { field, .. } if candidate.mutator == Mutator::EnumField => {
                Type::parse(&class.pool.member(field).ok()?.descriptor)?.class_name().cloned()
            }
            _ => None,
        };
        mutations.extend(of_method.iter().map(|candidate| Mutation {
            method: index as u16,
            pc: body.instructions[candidate.at].pc as u16,
            mutator: candidate.mutator,
            line: candidate.line,
            field_type: field_type(candidate),
            reached_by: paths.leading_to(candidate.at),
        }));
    }
    Ok(mutations)
}

/// All changes that the mutators make, in the order of the instructions.
fn candidates(code: &ClassCode, mutators: &[Mutator]) -> Vec<Candidate> {
    let class = code.class;
    let mut candidates = Vec::new();
    for (method, (parts, body)) in class.methods.iter().zip(code.bodies).enumerate() {
        let (Some(body), Some(shape)) = (body, body.as_ref().and_then(|body| MethodShape::of(class, parts, body)))
        else {
            continue;
        };
        for (at, located) in body.instructions.iter().enumerate() {
            // The constants of the changes are not needed here.
            let mut scratch = PoolWriter::starting_at(class.pool.count());
            let mut is_changed =
                |mutator: &Mutator| edit(*mutator, located, &shape, &class.pool, &mut scratch).is_some();
            let fitting = mutators.iter().copied().filter(&mut is_changed);
            let line = body.line_at(located.pc);
            candidates.extend(fitting.map(|mutator| Candidate { method, at, mutator, line }));
        }
    }
    candidates
}

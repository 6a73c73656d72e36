//! Filters: which mutants are excluded, most of them as PIT's filters exclude them, because a compiler made the code or no test could notice
//! the change.
//!
//! A new filter is a file below `filter/` and a line in [`FILTERS`].

mod array_loop;
mod assertion;
mod called_condition;
mod enum_method;
mod equivalent_math;
mod equivalent_return;
mod generated_method;
mod inlined_finally;
mod iterator_loop;
mod logging;
mod loop_exit;
mod loop_increment;
mod record_method;
mod static_initializer;
mod string_switch;
mod synthetic_method;
mod try_with_resources;
mod used_result;

use crate::classfile::decode::Located;
use crate::classfile::instruction::{Form, Kind, Number};
use crate::classfile::reader::MemberRef;
use crate::classfile::{Encoded, EncodedConstant, EncodedInstruction, Instruction};
use crate::instrument::body::Body;
use crate::instrument::{Class, MethodParts};
use model::execution::mutant::Mutator;

/// A reason for which mutants are excluded.
pub(super) trait Filter: Sync {
    /// As docs/design/mutants.md calls it.
    fn name(&self) -> &'static str;

    /// What it excludes, in one sentence.
    fn description(&self) -> &'static str;

    /// Drops those of the class's candidates that it excludes; they are in the order of their instructions.
    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>);
}

/// All filters in the order in which they are applied: the last one compares mutants that the others left.
pub(super) const FILTERS: &[&dyn Filter] = &[
    &synthetic_method::SyntheticMethod,
    &enum_method::EnumMethod,
    &record_method::RecordMethod,
    &generated_method::GeneratedMethod,
    &static_initializer::StaticInitializer,
    &logging::Logging,
    &iterator_loop::IteratorLoop,
    &array_loop::ArrayLoop,
    &loop_increment::LoopIncrement,
    &loop_exit::LoopExit,
    &called_condition::CalledCondition,
    &assertion::Assertion,
    &string_switch::StringSwitch,
    &try_with_resources::TryWithResources,
    &used_result::UsedResult,
    &equivalent_math::EquivalentMath,
    &equivalent_return::EquivalentReturn,
    &inlined_finally::InlinedFinally,
];

/// A change that a mutator could make.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// Index among the methods of the class file.
    pub(super) method: usize,
    /// Index of the instruction among those of the body.
    pub(super) at: usize,
    pub(super) mutator: Mutator,
    pub(super) line: Option<u16>,
}

/// A class as filters see it.
pub(super) struct ClassCode<'a> {
    pub(super) class: &'a Class<'a>,
    /// By the methods of the class file; `None` for those without code that can be read.
    pub(super) bodies: &'a [Option<Body<'a>>],
}

impl<'a> ClassCode<'a> {
    /// The methods with code, each with its index.
    fn methods(&self) -> impl Iterator<Item = (usize, MethodCode<'a>)> {
        let methods = self.class.methods.iter().zip(self.bodies).enumerate();
        methods
            .filter_map(|(at, (parts, body))| Some((at, MethodCode { class: self.class, parts, body: body.as_ref()? })))
    }

    /// The method of a candidate.
    fn method(&self, candidate: &Candidate) -> MethodCode<'a> {
        let body = self.bodies[candidate.method].as_ref().expect("a candidate is an instruction of a body");
        MethodCode { class: self.class, parts: &self.class.methods[candidate.method], body }
    }

    /// Excludes what is in methods of which the condition holds.
    fn exclude_methods(&self, candidates: &mut Vec<Candidate>, is_excluded: impl Fn(usize, &MethodCode) -> bool) {
        let excluded: Vec<usize> =
            self.methods().filter(|(at, method)| is_excluded(*at, method)).map(|(at, _)| at).collect();
        if !excluded.is_empty() {
            candidates.retain(|candidate| excluded.binary_search(&candidate.method).is_err());
        }
    }
}

/// A method as filters see it; instructions are named by their index in the body, and where there is none, nothing is known.
struct MethodCode<'a> {
    class: &'a Class<'a>,
    parts: &'a MethodParts<'a>,
    body: &'a Body<'a>,
}

impl<'a> MethodCode<'a> {
    fn instruction(&self, at: usize) -> Option<&'a EncodedInstruction<'a>> {
        self.body.instructions.get(at).map(|located| &located.instruction)
    }

    /// The index of the instruction that a jump leads to.
    fn target(&self, at: usize) -> Option<usize> {
        let to = self.body.instructions.get(at)?.jump_target()?;
        self.body.instructions.binary_search_by_key(&to, |located: &Located| located.pc).ok()
    }

    /// The method that a call names.
    fn called(&self, at: usize) -> Option<MemberRef<'a>> {
        self.class.pool.member(self.instruction(at)?.invoked()?.index).ok()
    }

    /// Whether it is a call of the method.
    fn calls(&self, at: usize, class: &str, name: &str) -> bool {
        self.called(at).is_some_and(|member| member.class == class && member.name == name)
    }

    fn is_branch(&self, at: usize) -> bool {
        self.instruction(at).is_some_and(Instruction::is_branch)
    }

    fn is_goto(&self, at: usize) -> bool {
        matches!(self.instruction(at), Some(Instruction::Goto { .. }))
    }

    /// The local variable that is loaded, of the kind.
    fn loaded(&self, at: usize, wanted: Kind) -> Option<u16> {
        match self.instruction(at)? {
            Instruction::Load { kind, local } if *kind == wanted => Some(local.index),
            _ => None,
        }
    }

    /// The local variable that is stored to, of the kind.
    fn stored(&self, at: usize, wanted: Kind) -> Option<u16> {
        match self.instruction(at)? {
            Instruction::Store { kind, local } if *kind == wanted => Some(local.index),
            _ => None,
        }
    }

    /// The constant that is pushed.
    fn constant(&self, at: usize) -> Option<<Encoded<'a> as Form>::Constant> {
        match self.instruction(at)? {
            Instruction::Constant(constant) => Some(*constant),
            _ => None,
        }
    }

    /// Whether it pushes an int by an opcode for it alone.
    fn is_small_int(&self, at: usize, value: i8) -> bool {
        self.constant(at) == Some(EncodedConstant::Implicit(Number::Int, value))
    }
}

#[cfg(test)]
mod tests {
    use super::FILTERS;

    #[test]
    fn documentation_lists_each_filter_in_order() {
        let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/design/mutants.md");
        let document = std::fs::read_to_string(document).unwrap();
        let filters = FILTERS.iter().map(|filter| format!("| `{}` | {} |", filter.name(), filter.description()));
        let rows = filters.collect::<Vec<_>>().join("\n");
        assert!(document.contains(&format!("| --- | --- |\n{rows}\n\n")), "the table should be\n{rows}");
    }
}

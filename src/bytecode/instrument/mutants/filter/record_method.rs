//! What the compiler adds to a record.

use super::{Candidate, ClassCode, Filter, MethodCode};
use crate::classfile::Instruction;

pub(super) struct RecordMethod;

impl Filter for RecordMethod {
    fn name(&self) -> &'static str {
        "record-method"
    }

    fn description(&self) -> &'static str {
        "`equals`, `hashCode` and `toString` of records, unless they are written out."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        if class.class.super_name.as_deref() == Some("java/lang/Record") {
            class.exclude_methods(candidates, |_, method| has_bootstrap_of_itself(method));
        }
    }
}

/// The compiler has them call `ObjectMethods` by `invokedynamic`, under the name of the method.
fn has_bootstrap_of_itself(method: &MethodCode) -> bool {
    method.body.instructions.iter().any(|located| match located.instruction {
        Instruction::InvokeDynamic(site) => {
            method.class.pool.dynamic(site).is_ok_and(|(_, name, _)| name == *method.parts.name)
        }
        _ => false,
    })
}

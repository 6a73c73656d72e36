//! Code that has run before a mutant is activated.

use super::{Candidate, ClassCode, Filter};
use crate::classfile::Instruction;
use crate::classfile::instruction::InvokeKind;
use crate::instrument::MethodParts;
use model::jvm::types::access;
use rustc_hash::FxHashSet;

pub(super) struct StaticInitializer;

impl Filter for StaticInitializer {
    fn name(&self) -> &'static str {
        "static-initializer"
    }

    fn description(&self) -> &'static str {
        "The static initializer and the private methods that it calls: they have run before a mutant is activated."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        let initializing = initializing(class);
        class.exclude_methods(candidates, |at, _| initializing.contains(&at));
    }
}

/// The methods by their indices.
fn initializing(ClassCode { class, bodies }: &ClassCode) -> FxHashSet<usize> {
    let mut found = FxHashSet::default();
    let mut waiting: Vec<usize> =
        class.methods.iter().position(|method| &*method.name == "<clinit>").into_iter().collect();
    while let Some(at) = waiting.pop() {
        let Some(body) = bodies[at].as_ref().filter(|_| found.insert(at)) else { continue };
        for located in &body.instructions {
            let Instruction::Invoke { kind, method } = located.instruction else { continue };
            let Ok(member) = class.pool.member(method.index) else { continue };
            let is_called = |method: &MethodParts| {
                method.access & access::PRIVATE != 0
                    && *member.class == *class.name.internal()
                    && *member.name == *method.name
                    && *member.descriptor == *method.descriptor
            };
            if kind != InvokeKind::Interface {
                waiting.extend(class.methods.iter().position(is_called));
            }
        }
    }
    found
}

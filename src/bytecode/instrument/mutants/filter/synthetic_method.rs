//! Methods that a compiler adds, but for the bodies of lambdas, which a person wrote.

use super::{Candidate, ClassCode, Filter};
use model::jvm::types::access;

pub(super) struct SyntheticMethod;

impl Filter for SyntheticMethod {
    fn name(&self) -> &'static str {
        "synthetic-method"
    }

    fn description(&self) -> &'static str {
        "Methods that the compiler adds, such as bridges; bodies of lambdas are not excluded."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        class.exclude_methods(candidates, |_, method| {
            method.parts.access & access::SYNTHETIC != 0 && !method.parts.name.starts_with("lambda$")
        });
    }
}

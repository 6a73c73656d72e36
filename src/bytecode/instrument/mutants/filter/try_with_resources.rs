//! What a compiler adds to close resources.

use super::{Candidate, ClassCode, Filter};

pub(super) struct TryWithResources;

impl Filter for TryWithResources {
    fn name(&self) -> &'static str {
        "try-with-resources"
    }

    fn description(&self) -> &'static str {
        "Calls of Throwable.addSuppressed, which the compiler adds to try-with-resources statements."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        candidates
            .retain(|candidate| !class.method(candidate).calls(candidate.at, "java/lang/Throwable", "addSuppressed"));
    }
}

//! What another tool wrote, such as Lombok.

use super::{Candidate, ClassCode, Filter};

pub(super) struct GeneratedMethod;

impl Filter for GeneratedMethod {
    fn name(&self) -> &'static str {
        "generated-method"
    }

    fn description(&self) -> &'static str {
        "Methods and classes with an annotation whose name has `Generated` in it, as Lombok's have."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        let is_marked = class.class.is_marked;
        class.exclude_methods(candidates, |_, method| is_marked || method.parts.is_marked);
    }
}

//! What the compiler adds to an enum.

use super::{Candidate, ClassCode, Filter};

pub(super) struct EnumMethod;

impl Filter for EnumMethod {
    fn name(&self) -> &'static str {
        "enum-method"
    }

    fn description(&self) -> &'static str {
        "Constructors of enums, `values` and `valueOf`."
    }

    fn exclude(&self, class: &ClassCode, candidates: &mut Vec<Candidate>) {
        if class.class.super_name.as_deref() == Some("java/lang/Enum") {
            class.exclude_methods(candidates, |_, method| {
                matches!(&*method.parts.name, "<init>" | "values" | "valueOf")
            });
        }
    }
}

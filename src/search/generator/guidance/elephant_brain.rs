//! Elephant brain: values by their run-time types (GRT §3.3, docs/bibliography.md).
//!
//! What `Object get()` gave is found where a `Stack` is needed if it was one, behind a cast. It hurts readers where a
//! plain value would do; minimization replaces what it can.

use model::jvm::Type;
use model::jvm::types::TypeTable;

/// Which types a value serves.
pub trait Typing: Send + Sync {
    /// Whether a value serves the need: `Some(false)` as it is, `Some(true)` behind a cast.
    fn serves(&self, types: &TypeTable, declared: &Type, runtime: &Type, need: &Type) -> Option<bool>;
}

pub struct ElephantBrain;

impl Typing for ElephantBrain {
    fn serves(&self, types: &TypeTable, declared: &Type, runtime: &Type, need: &Type) -> Option<bool> {
        // A cast to a type with arguments cannot be checked.
        let is_cast = || need.is_reifiable() && types.is_assignable(runtime, need);
        Declared.serves(types, declared, runtime, need).or_else(|| is_cast().then_some(true))
    }
}

pub(super) struct Declared;

impl Typing for Declared {
    fn serves(&self, types: &TypeTable, declared: &Type, _: &Type, need: &Type) -> Option<bool> {
        types.is_assignable(declared, need).then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_run_time_type_is_offered_after_a_cast() {
        let (object, stack) = (Type::object(), Type::class("p/Stack"));
        let types = TypeTable::default();
        assert_eq!(ElephantBrain.serves(&types, &object, &stack, &stack), Some(true));
        assert_eq!(ElephantBrain.serves(&types, &stack, &stack, &stack), Some(false));
        assert_eq!(Declared.serves(&types, &object, &stack, &stack), None);
    }
}

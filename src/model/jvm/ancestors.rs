//! The supertypes of classes, collected when somebody first asks for them.
//!
//! Before a search each type that operations make is compared with each that they take, so that a library with thousands of operations
//! asks for the same few supertypes millions of times.

use super::ClassName;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, PoisonError, RwLock};

/// By class, its supertypes as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Ancestors(RwLock<FxHashMap<ClassName, Arc<FxHashSet<ClassName>>>>);

impl Ancestors {
    /// Those of the class, which `collect` finds where nobody has asked before.
    pub(super) fn of(
        &self,
        class: &ClassName,
        collect: impl FnOnce() -> FxHashSet<ClassName>,
    ) -> Arc<FxHashSet<ClassName>> {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(class) {
            return known.clone();
        }
        let found = Arc::new(collect());
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(class.clone()).or_insert(found).clone()
    }

    /// Forgets all, as another class is known.
    pub(super) fn forget(&mut self) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Clone for Ancestors {
    /// The copy collects its own.
    fn clone(&self) -> Ancestors {
        Ancestors::default()
    }
}

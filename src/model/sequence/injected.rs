//! Fields of new objects that a container would set.

use super::Operation;
use crate::jvm::ClassName;
use std::sync::Arc;

/// Spring's class by which tests set fields that are not open to them.
pub const REFLECTION_TEST_UTILS: &str = "org/springframework/test/util/ReflectionTestUtils";

/// A field that a container sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Injected {
    /// The class that declares it.
    pub class: ClassName,
    /// Its name.
    pub name: Arc<str>,
    /// Code of the package may set it; otherwise only a test library can.
    pub is_open: bool,
}

impl Operation {
    /// The inputs that the member itself takes, without those that its object's fields are set to.
    pub fn own_inputs(&self) -> usize {
        self.inputs.len() - self.injected.len()
    }
}

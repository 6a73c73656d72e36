//! Where classes come from: modules as a build tool describes them, their class paths, and the JDK.
//!
//! What a build tool says ends here: nothing after this module knows whether Maven, Gradle or a flag named a class path.

mod entry;
mod index;
mod jdk;
mod module;

pub use index::{ClassPath, ClassPathError, feature_version_of};
pub use jdk::{Jdk, JdkError};
pub use module::{JunitFound, Module, expand, of_classes};

//! Operations that randgen adds to those of a program, for checks and for files.

use super::OperationId;

/// The class in the worker's JVM whose methods make files: each sequence has a directory of its own. A test does the same in
/// a directory of JUnit's.
pub const TEMPORARY_FILES: &str = "randgen/runtime/TemporaryFiles";

/// The operations that checks are written in: methods of `Object`, `Comparable` and `Comparator`, and a look at a value.
#[derive(Clone, Copy, Debug)]
pub struct CheckOperations {
    /// `Object.equals(Object)`.
    pub equals: OperationId,
    /// `Object.hashCode()`.
    pub hash_code: OperationId,
    /// `Object.toString()`.
    pub to_string: OperationId,
    /// `Comparable.compareTo(Object)`, erased.
    pub compare_to: OperationId,
    /// `Comparator.compare(Object, Object)`, erased.
    pub compare: OperationId,
    /// A cast to `Object`: the value again, with what it contains by then.
    pub content: OperationId,
    /// The text of a file, where sequences make some.
    pub file_content: Option<OperationId>,
    /// `Throwable.getMessage()`, where code under test declares exceptions.
    pub message: Option<OperationId>,
    /// What makes an object whose `toString` answers the only input, where code takes any object.
    pub described: Option<OperationId>,
}

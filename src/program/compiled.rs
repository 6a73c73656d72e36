//! Classes for unit tests, compiled from source.

use bytecode::classfile::{ClassFile, parse};
use model::jvm::ClassName;
use std::collections::BTreeMap;

/// The classes that `javac` makes of `source`.
pub fn compile_and_parse(source: &str, options: &[&str]) -> BTreeMap<ClassName, ClassFile> {
    let classes = testing::compile(source, options).into_iter().map(|(_, bytes)| parse(&bytes).unwrap());
    classes.map(|class| (class.name.clone(), class)).collect()
}

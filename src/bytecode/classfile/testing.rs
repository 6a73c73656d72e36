//! What unit tests look at in compiled source: its classes, decoded bodies and what these refer to.

use super::{Body, ClassFile, Decoder, Instruction, parse};
use model::jvm::ClassName;
use std::collections::BTreeMap;
use testing::compile;

/// The classes that `javac` makes of `source`.
pub(crate) fn compile_and_parse(source: &str, options: &[&str]) -> BTreeMap<ClassName, ClassFile> {
    let classes = compile(source, options).into_iter().map(|(_, bytes)| parse(&bytes).unwrap());
    classes.map(|class| (class.name.clone(), class)).collect()
}

/// The decoded body of the method called `name`.
pub(crate) fn body(class: &ClassFile, name: &str) -> Body {
    let method = class.methods.iter().find(|method| &*method.name == name).unwrap();
    Decoder::new(class).body(method.code.as_ref().unwrap()).unwrap()
}

/// Owner and name of each field and method that a body uses, in order.
pub(crate) fn references(body: &Body) -> Vec<(String, String)> {
    let named = |owner: &ClassName, name: &str| Some((owner.internal().to_string(), name.to_string()));
    let used = body.steps.iter().filter_map(|step| match &step.instruction {
        Instruction::Field { field, .. } => named(&field.owner, &field.name),
        Instruction::Invoke { method, .. } => named(&method.owner, &method.name),
        _ => None,
    });
    used.collect()
}

//! What a static initialiser leaves: the static fields that it writes, and the methods that read these.

use crate::classfile::instruction::FieldAccess;
use crate::classfile::{Body, ClassFile, Decoder, Instruction, Method};
use model::jvm::ClassName;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A field by its class and name.
pub type FieldName = (ClassName, Arc<str>);

const INITIALISER: &str = "<clinit>";

/// The class's own static fields that its initialiser may write in a line or after it; all that it writes if it repeats anything,
/// or the line is not known. Fields of the lines before do not depend on what happens there.
pub fn written_from(class: &ClassFile, line: Option<u16>) -> BTreeSet<FieldName> {
    let initialiser = class.methods.iter().find(|method| &*method.name == INITIALISER);
    let Some((method, body)) = initialiser.and_then(|method| Some((method, body_of(class, method)?))) else {
        return BTreeSet::new();
    };
    let repeats = body.steps.iter().enumerate().any(|(at, step)| step.instruction.jump().is_some_and(|to| *to <= at));
    let line_at = |pc| method.code.as_ref().and_then(|code| code.line(pc));
    let is_from = |pc| repeats || line.zip(line_at(pc)).is_none_or(|(line, at)| at >= line);
    let written = body.steps.iter().filter_map(|step| match &step.instruction {
        Instruction::Field { access: FieldAccess::PutStatic, field }
            if field.owner == class.name && is_from(step.pc) =>
        {
            Some((field.owner.clone(), field.name.clone()))
        }
        _ => None,
    });
    written.collect()
}

/// The methods, by their index, that read one of the static fields; static initialisers are left out, which run once.
pub fn readers(class: &ClassFile, fields: &BTreeSet<FieldName>) -> BTreeSet<u16> {
    let reads = |method: &Method| {
        let body = body_of(class, method).filter(|_| &*method.name != INITIALISER);
        body.is_some_and(|body| {
            body.steps.iter().any(|step| match &step.instruction {
                Instruction::Field { access: FieldAccess::GetStatic, field } => {
                    fields.contains(&(field.owner.clone(), field.name.clone()))
                }
                _ => false,
            })
        })
    };
    (0..).zip(&class.methods).filter(|(_, method)| reads(method)).map(|(number, _)| number).collect()
}

fn body_of(class: &ClassFile, method: &Method) -> Option<Body> {
    Decoder::new(class).body(method.code.as_ref()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::compile_and_parse;

    #[test]
    fn fields_written_before_the_line_are_left_out_and_readers_of_the_others_found() {
        let source = "class A {
            static final Object LOG = new Object();
            static final String NAME = name();
            static final int SIZE = NAME.length();
            static String name() { return LOG.toString(); }
            static int size() { return SIZE; }
            static int twice(int n) { return 2 * n; }
        }";
        let class = &compile_and_parse(source, &[])[&ClassName::new("A")];
        let names = |line| written_from(class, line).into_iter().map(|(_, name)| name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(Some(3)), ["NAME", "SIZE"]);
        assert_eq!(names(None), ["LOG", "NAME", "SIZE"]);
        let found = readers(class, &written_from(class, Some(3)));
        let found: Vec<&str> = found.iter().map(|method| &*class.methods[usize::from(*method)].name).collect();
        assert_eq!(found, ["size"]);
    }
}

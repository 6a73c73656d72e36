//! What code leaves to its callers: conditions that it asserts, and fields that it wants set.

use super::caches::FieldName;
use super::interpret::is_wide;
use crate::classfile::{Body, ClassFile, Decoder, Method, Operand, Step, opcode};
use crate::jvm::ClassName;
use crate::jvm::types::access;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The duties of the callers of classes.
#[derive(Clone, Debug, Default)]
pub struct Duties {
    /// Classes with `assert` statements.
    pub asserting: BTreeSet<ClassName>,
    /// Fields that a method sets to what it is given, each by the class that the method names.
    pub settable: BTreeSet<FieldName>,
    /// Fields that one of several constructors sets, or no constructor but a method: without them they are null.
    pub late: BTreeSet<FieldName>,
    /// The field of `this` that a method without parameters returns, and nothing else, by its class and name.
    pub getters: BTreeMap<(ClassName, Arc<str>), FieldName>,
}

/// Reads what classes leave to their callers.
pub fn duties<'a>(classes: impl IntoIterator<Item = &'a ClassFile>) -> Duties {
    let mut duties = Duties::default();
    for class in classes {
        // What javac makes of the statement reads this field.
        if class.fields.iter().any(|field| &*field.name == "$assertionsDisabled") {
            duties.asserting.insert(class.name.clone());
        }
        let mut decoder = Decoder::new(class);
        let mut setters: BTreeMap<FieldName, usize> = BTreeMap::new();
        let mut constructors = 0;
        for method in class.methods.iter().filter(|method| method.access & access::STATIC == 0) {
            let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
            let is_constructor = &*method.name == "<init>";
            constructors += usize::from(is_constructor);
            for field in body.steps.iter().filter_map(set_field).collect::<BTreeSet<_>>() {
                *setters.entry(field).or_default() += usize::from(is_constructor);
            }
            if is_constructor || method.access & access::PRIVATE != 0 {
                continue;
            }
            if let Some(field) = returned_field(&body) {
                duties.getters.insert((class.name.clone(), method.name.clone()), field);
            }
            for pair in body.steps.windows(2) {
                if let (Operand::Local(local), Operand::Field(field)) = (&pair[0].operand, &pair[1].operand)
                    && pair[0].opcode == opcode::ALOAD
                    && pair[1].opcode == opcode::PUTFIELD
                    && is_parameter(*local, method)
                {
                    duties.settable.insert((field.owner.clone(), field.name.clone()));
                }
            }
        }
        let late = setters.into_iter().filter(|(field, times)| field.0 == class.name && *times < constructors);
        duties.late.extend(late.map(|(field, _)| field));
    }
    duties
}

/// The field that a step sets.
fn set_field(step: &Step) -> Option<FieldName> {
    match &step.operand {
        Operand::Field(field) if step.opcode == opcode::PUTFIELD => Some((field.owner.clone(), field.name.clone())),
        _ => None,
    }
}

/// What `return this.field` returns, if that is all the method does.
fn returned_field(body: &Body) -> Option<FieldName> {
    let [this, get, back] = &*body.steps else { return None };
    match (&this.operand, &get.operand) {
        (Operand::Local(0), Operand::Field(field))
            if back.opcode == opcode::ARETURN && get.opcode == opcode::GETFIELD =>
        {
            Some((field.owner.clone(), field.name.clone()))
        }
        _ => None,
    }
}

/// Whether the local variable of an instance method is one of its parameters.
fn is_parameter(local: u16, method: &Method) -> bool {
    let slots: u16 = method.descriptor.parameters.iter().map(|of| 1 + u16::from(is_wide(of))).sum();
    (1..=slots).contains(&local)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::compile_and_parse;

    #[test]
    fn fields_that_setters_set_and_classes_that_assert_are_found() {
        let classes = compile_and_parse(
            "class C {
                Object given, made, own; final Object first; long count;
                Object name;
                C(Object first) { this.first = first; }
                C(Object first, Object name) { this.first = first; this.name = name; }
                void setGiven(long count, Object given) { this.count = count; this.given = given; }
                Object given() { return this.given; }
                Object same(Object of) { return of; }
                void make(Object of) { made = of.toString(); Object other = made; own = other; }
            }
            class D { void m(int a) { assert a > 0; } }",
            &[],
        );
        let duties = duties(classes.values());
        let settable: Vec<&str> = duties.settable.iter().map(|(_, name)| &**name).collect();
        assert_eq!(settable, ["given"]);
        let getters: Vec<&str> = duties.getters.keys().map(|(_, name)| &**name).collect();
        assert_eq!(getters, ["given"]);
        let late: Vec<&str> = duties.late.iter().map(|(_, name)| &**name).collect();
        assert_eq!(late, ["count", "given", "made", "name", "own"]);
        assert_eq!(duties.asserting, BTreeSet::from([ClassName::new("D")]));
    }
}

//! What static fields hold from when their class is initialised.

use super::miner::{Miner, entry_frame};
use crate::analysis::interpret::interpret;
use crate::classfile::instruction::FieldAccess;
use crate::classfile::{ClassFile, Decoder, Field, FieldMember, Instruction, Step};
use model::jvm::types::access;
use model::jvm::{ClassName, Literal, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How far constants follow static fields that are set from other static fields.
const STATIC_ROUNDS: usize = 3;

/// A static field by the class that declares it.
type StaticField = (ClassName, Arc<str>);

/// Static fields that hold one constant from when their class is initialized.
pub(super) struct Statics<'a> {
    pub(super) classes: &'a BTreeMap<ClassName, ClassFile>,
    pub(super) values: BTreeMap<StaticField, Literal>,
}

impl<'a> Statics<'a> {
    pub(super) fn of(classes: &'a BTreeMap<ClassName, ClassFile>) -> Statics<'a> {
        let mut declared = BTreeMap::new();
        let mut setters = Vec::new();
        for class in classes.values() {
            for field in &class.fields {
                let constant = field.constant_value.iter();
                declared.extend(constant.map(|literal| ((class.name.clone(), field.name.clone()), literal.clone())));
            }
            let settable: BTreeSet<&str> =
                class.fields.iter().filter(|field| is_set_once(field)).map(|field| &*field.name).collect();
            if settable.is_empty() {
                continue;
            }
            let mut decoder = Decoder::new(class);
            for method in &class.methods {
                let Some(body) = method.code.as_ref().and_then(|code| decoder.body(code).ok()) else { continue };
                if body.steps.iter().any(|step| set_by(step).is_some_and(|field| settable.contains(&*field.name))) {
                    setters.push((class, method, body));
                }
            }
        }
        let mut statics = Statics { classes, values: declared.clone() };
        for _ in 0..STATIC_ROUNDS {
            let mut stored: BTreeMap<StaticField, Option<Literal>> = BTreeMap::new();
            for (class, method, body) in &setters {
                let mut miner = Miner::new(body, &statics, &method.descriptor);
                if interpret(body, entry_frame(method), &mut miner).is_none() {
                    miner.stored = body.steps.iter().filter_map(set_by).map(|field| (field, None)).collect();
                }
                for (field, literal) in miner.stored {
                    let set_once = class.fields.iter().any(|own| own.name == field.name && is_set_once(own));
                    if field.owner == class.name && set_once {
                        let known =
                            stored.entry((field.owner.clone(), field.name.clone())).or_insert_with(|| literal.clone());
                        if *known != literal {
                            *known = None;
                        }
                    }
                }
            }
            let mut values = declared.clone();
            values.extend(stored.into_iter().filter_map(|(field, literal)| Some((field, literal?))));
            if std::mem::replace(&mut statics.values, values) == statics.values {
                break;
            }
        }
        statics
    }

    /// What the field that an instruction names holds.
    pub(super) fn get(&self, member: &FieldMember) -> Option<&Literal> {
        let declared = |class: &ClassName| self.values.get(&(class.clone(), member.name.clone()));
        let known = |name: &ClassName| self.classes.get(name);
        let above = |class: &&'a ClassFile| class.super_class.as_ref().and_then(known);
        // A class may claim to be its own ancestor.
        let mut classes = std::iter::successors(known(&member.owner), above).take(self.classes.len());
        classes.find_map(|class| declared(&class.name).or_else(|| class.interfaces.iter().find_map(declared)))
    }
}

/// Final, or where compilers before Java 5 keep a class literal.
fn is_set_once(field: &Field) -> bool {
    field.access & access::STATIC != 0
        && (field.access & access::FINAL != 0
            || (field.access & access::SYNTHETIC != 0 && field.field_type == Type::class("java/lang/Class")))
}

fn set_by(step: &Step) -> Option<Arc<FieldMember>> {
    match &step.instruction {
        Instruction::Field { access: FieldAccess::PutStatic, field } => Some(field.clone()),
        _ => None,
    }
}

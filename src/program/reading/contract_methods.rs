//! Methods by which a class says whether an object is as it wants it, such as `repOk`: marked `@CheckRep`, or named by a setting.
//!
//! They take nothing, and return a boolean that must be true, or nothing. They judge objects, so they are no operations of
//! their class: no test is about them.

use super::{Reader, Selection, added, names_are_java};
use crate::{SkipReason, Skipped};
use bytecode::classfile::Method;
use model::jvm::types::access;
use model::jvm::{ClassName, Primitive, Type};
use model::sequence::{Operation, OperationId};

/// The annotation of such a method, of whichever package.
const ANNOTATION: &str = "CheckRep";

impl Reader<'_, '_> {
    /// Finds the contract methods that classes of the module declare. No test can call a private one.
    pub(super) fn find_contract_methods(&mut self, named: &Selection, skipped: &mut Vec<Skipped>) {
        for (class, file) in self.targets.iter().chain(self.beside) {
            for method in file.methods.iter().filter(|method| has_form(method)) {
                let is_annotated = || method.annotations.iter().any(|annotation| simple(&annotation.of) == ANNOTATION);
                if !named(class, &method.name) && !is_annotated() {
                    continue;
                }
                if method.access & access::PRIVATE == 0 {
                    self.contract_methods.insert((class.clone(), method.name.clone()));
                } else {
                    let member = Some(self.method_operation(file, method).to_string());
                    skipped.push(Skipped { class: class.clone(), member, reason: SkipReason::NotAccessible });
                }
            }
        }
    }

    /// Whether the method of the class is a contract method, or overrides one.
    pub(super) fn is_contract_method(&self, class: &ClassName, method: &Method) -> bool {
        let is_declared = |class: &ClassName| self.contract_methods.contains(&(class.clone(), method.name.clone()));
        !self.contract_methods.is_empty()
            && has_form(method)
            && self.types.ancestry(class).iter().any(|facts| is_declared(&facts.name))
    }

    /// Adds the contract methods that tests in their packages can call; their numbers.
    pub(super) fn add_contract_methods(&self, operations: &mut Vec<Operation>) -> Vec<OperationId> {
        let mut found = Vec::new();
        for (class, name) in &self.contract_methods {
            let is_named = self.types.get(class).is_some_and(|facts| facts.source_simple_name.is_some());
            let is_usable = is_named
                && names_are_java(&self.types, class)
                && self.types.is_accessible(class, &class.package())
                && self.usable(name, &[], &[], &class.package()).is_ok();
            let Some(file) = self.file(class).filter(|_| is_usable) else { continue };
            let declared = file.methods.iter().filter(|method| method.name == *name && has_form(method));
            found.extend(declared.map(|method| {
                // What the class says of itself is no code for others, whoever may call it.
                let operation = self.method_operation(file, method);
                added(operations, Operation { internal: false, deprecated: false, back_door: false, ..operation })
            }));
        }
        found
    }
}

/// Whether the method asks an object something without more to go by.
fn has_form(method: &Method) -> bool {
    let is_of_object = method.access & (access::STATIC | access::SYNTHETIC | access::BRIDGE) == 0;
    let answers = match &method.descriptor.returns {
        None => !method.name.starts_with('<'),
        Some(returned) => *returned == Type::Primitive(Primitive::Boolean),
    };
    is_of_object && answers && method.descriptor.parameters.is_empty()
}

fn simple(class: &ClassName) -> &str {
    let name = class.internal();
    name.rsplit(['/', '$']).next().unwrap_or(name)
}

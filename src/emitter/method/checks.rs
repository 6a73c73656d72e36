//! Which values a test asserts.

use super::{ClassContext, Writer};
use crate::TestCase;
use crate::assertion::ValueCheck;
use crate::compared::is_comparison;
use crate::names::Names;
use crate::variables::Variables;
use model::execution::described::Described;
use model::execution::{Observed, Value};
use model::jvm::types::{ClassFacts, MethodFacts};
use model::jvm::{ClassName, Type};
use model::sequence::{Operation, OperationKind};

/// What the test of a case asserts of the values of its statements.
pub(crate) fn checks(
    case: &TestCase,
    context: &ClassContext<'_>,
    names: &mut Names<'_>,
) -> Result<Vec<(usize, ValueCheck)>, String> {
    let mut variables = Variables::default();
    let mut writer = Writer::new(case, context, names, &mut variables)?;
    writer.choose_checks();
    let checks = std::mem::take(&mut writer.checks).into_iter().enumerate();
    Ok(checks.filter_map(|(statement, check)| Some((statement, check?))).collect())
}

impl Writer<'_, '_> {
    /// Chooses assertions on results of the last call and of earlier ones of the class under test.
    pub(super) fn choose_checks(&mut self) {
        for index in 0..=self.last {
            let Some(operation) = self.operation(index).filter(|_| !self.is_thrower(index)) else { continue };
            let kind = match operation.kind {
                OperationKind::StaticMethod | OperationKind::InstanceMethod | OperationKind::GetField => true,
                OperationKind::GetStatic => !operation.is_enum_constant,
                // A look at what a value contains by then.
                OperationKind::Cast => self.is_observer(index) && !self.is_used(index),
                _ => false,
            };
            let concerned = self.is_concerned(index, operation);
            if kind && concerned && !self.is_identity_hash(index) {
                let Some(output) = self.output(index) else { continue };
                let says_something = |value: &&Value| match value {
                    Value::Object { observed: Observed::Value(content), .. } => !content.is_spelled_by(operation),
                    _ => true,
                };
                let check = |value: &Value| {
                    let compared = is_comparison(operation).then(|| ValueCheck::of_compared(value)).flatten();
                    compared.or_else(|| ValueCheck::of(value, &output, self.context.style, self.names))
                };
                self.checks[index] = self.stable_value(index).filter(says_something).and_then(check);
            }
        }
        for index in 0..=self.last {
            let Some(operation) = self.operation(index).filter(|_| !self.is_thrower(index)) else { continue };
            let is_method = matches!(operation.kind, OperationKind::StaticMethod | OperationKind::InstanceMethod);
            let concerned = self.is_concerned(index, operation);
            let unused = || !self.is_used(index);
            // A result that is used mostly shows by that that it is there.
            if is_method && concerned && self.checks[index].is_none() && (self.case.asserted.is_some() || unused()) {
                let is_object = operation.output.as_ref().is_some_and(|output| !output.is_primitive())
                    && matches!(self.stable_value(index), Some(Value::Object { .. }));
                self.checks[index] = is_object.then_some(ValueCheck::NotNull);
            }
        }
        if let Some(asserted) = &self.case.asserted {
            let others = self.checks.iter_mut().enumerate().filter(|(index, _)| !asserted.contains(index));
            others.for_each(|(_, check)| *check = None);
        }
    }

    /// Whether the statement tells something of the class under test: it is the last one, calls the class, or looks at an
    /// object that the class returned.
    fn is_concerned(&self, index: usize, operation: &Operation) -> bool {
        let receiver = self.case.sequence.inputs_of(index).next().filter(|_| operation.has_receiver());
        let returned_by = receiver.and_then(|receiver| self.operation(receiver));
        index >= self.last
            || self.is_observer(index)
            || self.is_own(&operation.owner)
            || returned_by.is_some_and(|returned_by| self.is_own(&returned_by.owner) && !self.is_used(index))
    }

    /// Whether the statement is there only to show what those before it did.
    fn is_observer(&self, index: usize) -> bool {
        index + self.case.observers >= self.case.sequence.len()
    }

    fn is_used(&self, index: usize) -> bool {
        (index + 1..=self.last).any(|user| self.case.sequence.inputs_of(user).any(|input| input == index))
    }

    /// The class under test or a superclass of it.
    fn is_own(&self, owner: &ClassName) -> bool {
        self.context.types.ancestry(self.context.class).iter().any(|facts| facts.name == *owner)
            || owner == self.context.class
    }

    /// What may be made of an object's address: `hashCode()` that no class overrides.
    fn is_identity_hash(&self, index: usize) -> bool {
        let Some(operation) = self.operation(index) else { return false };
        if &*operation.name == "identityHashCode" {
            return true;
        }
        if &*operation.name != "hashCode" || !operation.descriptor.parameters.is_empty() {
            return false;
        }
        let receiver = self.case.sequence.inputs_of(index).next().map(|input| &self.case.execution.values[input]);
        match receiver {
            Some(Value::Literal(_) | Value::Object { observed: Observed::Value(Described::Literal(_)), .. }) => false,
            Some(Value::Object { class: Type::Class(class), .. }) => {
                let ancestry = self.context.types.ancestry(class);
                let own = ancestry.iter().take_while(|facts| facts.name.internal() != "java/lang/Object");
                let declares = |facts: &&&ClassFacts| {
                    let is_hash =
                        |method: &MethodFacts| &*method.name == "hashCode" && method.descriptor.parameters.is_empty();
                    !facts.is_interface() && facts.methods.iter().any(is_hash)
                };
                own.filter(declares).all(|facts| facts.name.internal() == "java/lang/Enum")
            }
            _ => true,
        }
    }
}

//! Lambda expressions and method references, without the classes that the JVM makes for them.

use super::{AbruptEnd, Interpreter, InterpreterFrame, RunResult, Stop};
use crate::classes::MethodId;
use crate::heap::{HeapObject, Reference, SymbolicValue};
use bytecode::classfile::CallSite;
use model::jvm::Type;
use model::jvm::types::{access, unboxed};
use std::sync::Arc;

impl Interpreter<'_, '_, '_> {
    /// The object for a call site of `LambdaMetafactory`: which method it stands for, and what it has captured.
    pub(super) fn make_lambda(&mut self, frame: &mut InterpreterFrame, site: &CallSite) -> RunResult<()> {
        let captured = frame.pop_all(site.descriptor.parameters.len());
        let (Some(Type::Class(interface)), [method]) = (&site.descriptor.returns, &site.handles[..]) else {
            return Err(self.unsupported(frame.method));
        };
        let interface = self.link(interface)?;
        let lambda = HeapObject::Lambda { interface, method: Arc::new(method.clone()), captured };
        let lambda = SymbolicValue::Reference(self.heap.add(lambda));
        frame.stack.push(lambda);
        Ok(())
    }

    /// Runs what the lambda stands for in place of its interface's method.
    pub(super) fn invoke_lambda(
        &mut self,
        lambda: Reference,
        called: MethodId,
        arguments: &[SymbolicValue],
    ) -> RunResult<Option<SymbolicValue>> {
        let HeapObject::Lambda { method, captured, .. } = self.heap.object(lambda).clone() else {
            unreachable!("only lambdas are called so")
        };
        let missing =
            || AbruptEnd::Stopped(Stop::Unsupported(format!("the missing method {}.{}", method.owner, method.name)));
        let found = self.world.classes.find_method(&method.owner, &method.name, &method.descriptor);
        let found = found.ok_or_else(missing)?;
        let is_static = self.world.classes.method(found).access & access::STATIC != 0;
        let is_constructor = &*method.name == "<init>";
        let declared = self.world.classes.method(called).descriptor.clone();

        let mut values = Vec::new();
        if is_constructor {
            values.push(SymbolicValue::Reference(self.instantiate(found.class)?));
        }
        values.extend_from_slice(&captured);
        values.extend_from_slice(arguments);
        // The types that the interface's method has for what was not captured, against those of what runs.
        let has_receiver = !is_static && !is_constructor;
        let owner = Type::Class(method.owner.clone());
        let wanted: Vec<Type> =
            has_receiver.then_some(owner).into_iter().chain(method.descriptor.parameters.iter().cloned()).collect();
        let first = values.len() - arguments.len();
        let offset = usize::from(is_constructor);
        for (index, from) in declared.parameters.iter().enumerate() {
            let Some(to) = wanted.get(first + index - offset) else { return Err(missing()) };
            values[first + index] = self.adapted(values[first + index], from, to)?;
        }
        let made = values.first().copied();
        let result = if has_receiver { self.invoke_virtual(found, &values)? } else { self.invoke(found, &values)? };
        match (if is_constructor { made } else { result }, &method.descriptor.returns, &declared.returns) {
            (_, _, None) => Ok(None),
            (Some(value), Some(from), Some(to)) => self.adapted(value, from, to).map(Some),
            (value, ..) => Ok(value),
        }
    }

    /// Boxed or unboxed, where one of the types is primitive and the other is not.
    fn adapted(&mut self, value: SymbolicValue, from: &Type, to: &Type) -> RunResult<SymbolicValue> {
        match (from, to) {
            (Type::Primitive(primitive), Type::Class(_)) => self.boxed(value, *primitive),
            (Type::Class(_), Type::Primitive(to)) => {
                let object = self.object(value)?;
                let of = self.type_of(object);
                let from = if let Type::Class(name) = &of { unboxed(name) } else { None };
                match self.heap.fields(object) {
                    [value] if from == Some(*to) => Ok(*value),
                    _ => Err(AbruptEnd::Stopped(Stop::Unsupported(format!("{of} as {}", to.keyword())))),
                }
            }
            (Type::Primitive(from), Type::Primitive(to)) if from != to => {
                Err(AbruptEnd::Stopped(Stop::Unsupported(format!("{} as {}", from.keyword(), to.keyword()))))
            }
            _ => Ok(value),
        }
    }
}

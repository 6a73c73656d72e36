//! Calls: which method runs, and what takes the place of bootstrap methods.

use super::{AbruptEnd, Interpreter, InterpreterFrame, Natives, RunResult, Stop, natives};
use crate::classes::MethodId;
use crate::heap::{HeapObject, SymbolicValue};
use bytecode::classfile::instruction::InvokeKind;
use bytecode::classfile::{CallSite, MethodMember};
use model::jvm::types::access;
use model::jvm::{ClassName, Literal, Primitive, Type};
use std::sync::Arc;

impl Interpreter<'_, '_, '_> {
    pub(super) fn call(
        &mut self,
        frame: &mut InterpreterFrame,
        kind: InvokeKind,
        member: &Arc<MethodMember>,
    ) -> RunResult<()> {
        let is_static = kind == InvokeKind::Static;
        let arguments = frame.pop_all(member.descriptor.parameters.len() + usize::from(!is_static));
        if !is_static && arguments[0] == SymbolicValue::Null {
            return self.null_pointer();
        }
        let Some(resolved) = self.world.classes.resolve(member) else {
            let class = &member.owner;
            return Err(AbruptEnd::Stopped(Stop::Unsupported(format!("the missing method {class}.{}", member.name))));
        };
        let result = match kind {
            InvokeKind::Static => self.invoke(resolved, &arguments)?,
            InvokeKind::Special => {
                // `super.m()` means the nearest one above the class that is written in (JVMS §6.5.invokespecial).
                let above = self.world.classes.get(frame.method.class).super_class;
                let is_own =
                    self.world.classes.method(resolved).access & access::PRIVATE != 0 || &*member.name == "<init>";
                let selected = match above {
                    Some(above) if !is_own && self.world.classes.is_subclass(above, resolved.class) => {
                        self.world.classes.select(above, resolved).unwrap_or(resolved)
                    }
                    _ => resolved,
                };
                self.invoke(selected, &arguments)?
            }
            InvokeKind::Virtual | InvokeKind::Interface => self.invoke_virtual(resolved, &arguments)?,
        };
        frame.stack.extend(result.filter(|_| member.descriptor.returns.is_some()));
        Ok(())
    }

    /// Runs the method that the receiver, the first argument, has in place of the resolved one.
    pub fn invoke_virtual(
        &mut self,
        resolved: MethodId,
        arguments: &[SymbolicValue],
    ) -> RunResult<Option<SymbolicValue>> {
        let receiver = self.object(arguments[0])?;
        if let HeapObject::Lambda { .. } = self.heap.object(receiver)
            && self.world.classes.method(resolved).access & access::ABSTRACT != 0
        {
            return self.invoke_lambda(receiver, resolved, &arguments[1..]);
        }
        let class = self.class_of(receiver)?;
        match self.world.classes.select(class, resolved) {
            Some(selected) => self.invoke(selected, arguments),
            None => Err(self.unsupported(resolved)),
        }
    }

    /// Calls a method by its name, as an instruction of the class `owner` would.
    pub(super) fn call_named(
        &mut self,
        owner: &str,
        name: &str,
        descriptor: &str,
        arguments: &[SymbolicValue],
    ) -> RunResult<SymbolicValue> {
        let descriptor = model::jvm::MethodDescriptor::parse(descriptor).expect("a descriptor");
        let found = self.world.classes.find_method(&ClassName::new(owner), &Arc::from(name), &descriptor);
        let missing = || AbruptEnd::Stopped(Stop::Unsupported(format!("the missing method {owner}.{name}")));
        let method = found.ok_or_else(missing)?;
        let is_static = self.world.classes.method(method).access & access::STATIC != 0;
        let result = if is_static { self.invoke(method, arguments)? } else { self.invoke_virtual(method, arguments)? };
        Ok(result.unwrap_or(SymbolicValue::Null))
    }

    /// A number in its box (JLS §5.1.7).
    pub fn boxed(&mut self, value: SymbolicValue, primitive: Primitive) -> RunResult<SymbolicValue> {
        let wrapper = primitive.wrapper();
        let descriptor = format!("({})L{};", primitive.descriptor(), wrapper.internal());
        self.call_named(wrapper.internal(), "valueOf", &descriptor, &[value])
    }

    pub(super) fn natives(&mut self, method: MethodId) -> Natives {
        if let Some(&known) = self.world.natives.get(&method) {
            return known;
        }
        let declared = self.world.classes.method(method);
        let class = self.world.classes.name(method.class).internal();
        let (name, descriptor) = (&*declared.name, declared.descriptor.to_string());
        let always = natives::find(class, name);
        let natives = Natives { always, of_symbol: natives::find_boxing(class, name, &descriptor) };
        self.world.natives.insert(method, natives);
        natives
    }

    pub(super) fn call_dynamic(&mut self, frame: &mut InterpreterFrame, site: &CallSite) -> RunResult<()> {
        match site.bootstrap.internal() {
            "java/lang/invoke/StringConcatFactory" => self.concatenate(frame, site),
            "java/lang/invoke/LambdaMetafactory" if &*site.name != "altMetafactory" => self.make_lambda(frame, site),
            _ => {
                let what = format!("{}.{}", site.bootstrap, site.name);
                Err(AbruptEnd::Stopped(Stop::Unsupported(what)))
            }
        }
    }

    /// Puts a text together (JLS §15.18.1).
    fn concatenate(&mut self, frame: &mut InterpreterFrame, site: &CallSite) -> RunResult<()> {
        let arguments = frame.pop_all(site.descriptor.parameters.len());
        let mut parts = site.descriptor.parameters.iter().zip(arguments);
        let mut constants = site.arguments.iter().skip(1);
        let recipe: Vec<u16> = match site.arguments.first() {
            Some(Some(Literal::String(recipe))) => recipe.units().to_vec(),
            _ => vec![1; site.descriptor.parameters.len()],
        };
        let mut units = Vec::new();
        for unit in recipe {
            match unit {
                1 => {
                    let (of, value) = parts.next().expect("a recipe has as many places as there are arguments");
                    units.extend(self.text_of(of, value)?);
                }
                2 => match constants.next() {
                    Some(Some(Literal::String(text))) => units.extend_from_slice(text.units()),
                    _ => return Err(self.unsupported(frame.method)),
                },
                unit => units.push(unit),
            }
        }
        let text = self.text(&units)?;
        frame.stack.push(SymbolicValue::Reference(text));
        Ok(())
    }

    /// A value as `String.valueOf` of its type writes it.
    fn text_of(&mut self, of: &Type, value: SymbolicValue) -> RunResult<Vec<u16>> {
        let value = self.narrow(value, "a text")?;
        let descriptor = match of {
            Type::Primitive(Primitive::Byte | Primitive::Short) => "I".to_string(),
            Type::Primitive(primitive) => primitive.descriptor().to_string(),
            _ => "Ljava/lang/Object;".to_string(),
        };
        let descriptor = format!("({descriptor})Ljava/lang/String;");
        let text = self.call_named("java/lang/String", "valueOf", &descriptor, &[value])?;
        match text {
            SymbolicValue::Reference(text) => Ok(self.known_units(text)?.unwrap_or_default()),
            // `toString` returned null.
            _ => Ok("null".encode_utf16().collect()),
        }
    }

    /// A copy of an array, or of an instance field by field.
    pub(super) fn copied(&mut self, value: SymbolicValue) -> RunResult<SymbolicValue> {
        let reference = self.object(value)?;
        let copy = self.heap.object(reference).clone();
        if let HeapObject::Instance { class, .. } = copy {
            let cloneable = self.link(&ClassName::new("java/lang/Cloneable"))?;
            if !self.world.classes.is_subclass(class, cloneable) {
                let name = self.world.classes.name(class).binary();
                return self.throw("java/lang/CloneNotSupportedException", Some(&name));
            }
        }
        Ok(SymbolicValue::Reference(self.heap.add(copy)))
    }
}

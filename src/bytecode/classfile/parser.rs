//! Reads class files into their summary.

mod annotations;

use super::names::Names;
use super::reader::{ConstantPool, Constants, Reader, tag};
use super::structure::{Attribute, ClassStructure, CodeAttribute, Member, VariableEntry};
use super::{
    ClassFile, ClassFileError, Code, ExceptionEntry, Field, InnerClass, Method, ModuleDescriptor, RecordComponent,
    constant_of_type,
};
use annotations::Annotations;
use model::jvm::types::access;
use model::jvm::{ClassName, MethodDescriptor, Primitive, Type};
use std::sync::Arc;

/// Reads a class file.
pub fn parse(bytes: &[u8]) -> Result<ClassFile, ClassFileError> {
    let structure = ClassStructure::read(bytes)?;
    let may_name = FOR_ALL + FOR_EACH_BYTE * bytes.len();
    let mut parser = Parser { pool: &structure.head.pool, names: Names::new(), may_name };
    parser.class(&structure)
}

/// How long what members are called and declared with may be in all. Each of them is told of in reports, while a class file has
/// the same text once: of 20,000 methods of one name.
const FOR_ALL: usize = 1 << 20;
const FOR_EACH_BYTE: usize = 16;

struct Parser<'s, 'a> {
    pool: &'s ConstantPool<'a>,
    names: Names,
    /// What is left for members.
    may_name: usize,
}

impl<'a> Parser<'_, 'a> {
    fn text(&mut self, index: u16) -> Result<Arc<str>, ClassFileError> {
        self.names.text(self.pool, index)
    }

    fn class_name(&mut self, index: u16) -> Result<ClassName, ClassFileError> {
        self.names.class(self.pool, index)
    }

    fn module_name(&mut self, index: u16) -> Result<Arc<str>, ClassFileError> {
        self.text(self.pool.content(index, &[tag::MODULE])?.u2()?)
    }

    fn optional_class(&mut self, index: u16) -> Result<Option<ClassName>, ClassFileError> {
        if index == 0 { Ok(None) } else { self.class_name(index).map(Some) }
    }

    fn class_table(&mut self, reader: &mut Reader) -> Result<Vec<ClassName>, ClassFileError> {
        (0..reader.u2()?).map(|_| self.class_name(reader.u2()?)).collect()
    }

    fn class(&mut self, structure: &ClassStructure<'a>) -> Result<ClassFile, ClassFileError> {
        let interfaces = structure.interfaces.iter().map(|&index| self.class_name(index)).collect::<Result<_, _>>()?;
        let mut class = ClassFile {
            major: structure.head.major,
            access: structure.access,
            name: self.class_name(structure.this_class)?,
            super_class: self.optional_class(structure.super_class)?,
            interfaces,
            signature: None,
            source_file: None,
            annotations: Vec::new(),
            deprecated: false,
            inner_classes: Vec::new(),
            enclosing_method: false,
            nest_host: None,
            permitted_subclasses: Vec::new(),
            record_components: None,
            module: None,
            fields: Vec::new(),
            methods: Vec::new(),
            constants: Constants::new(self.pool),
        };
        class.fields = structure.fields.iter().map(|field| self.field(field)).collect::<Result<_, _>>()?;
        class.methods = structure.methods.iter().map(|method| self.method(method)).collect::<Result<_, _>>()?;
        self.class_attributes(&structure.attributes, &mut class)?;
        Ok(class)
    }

    fn class_attributes(&mut self, attributes: &[Attribute<'a>], class: &mut ClassFile) -> Result<(), ClassFileError> {
        let mut annotations = Annotations::default();
        for &Attribute { name, content: mut body, .. } in attributes {
            match name {
                b"Signature" => class.signature = Some(self.text(body.u2()?)?),
                // The attribute (JVMS §4.7.8) says what the flag says since Java 5.
                b"Synthetic" => class.access |= access::SYNTHETIC,
                b"SourceFile" => class.source_file = Some(self.text(body.u2()?)?),
                b"Deprecated" => class.deprecated = true,
                b"EnclosingMethod" => class.enclosing_method = true,
                b"NestHost" => class.nest_host = Some(self.class_name(body.u2()?)?),
                b"PermittedSubclasses" => class.permitted_subclasses = self.class_table(&mut body)?,
                b"InnerClasses" => {
                    for _ in 0..body.u2()? {
                        let (inner, outer, simple_name) = (body.u2()?, body.u2()?, body.u2()?);
                        class.inner_classes.push(InnerClass {
                            inner: self.class_name(inner)?,
                            outer: self.optional_class(outer)?,
                            simple_name: if simple_name == 0 { None } else { Some(self.text(simple_name)?) },
                            access: body.u2()?,
                        });
                    }
                }
                b"Record" => {
                    let mut components = Vec::new();
                    for _ in 0..body.u2()? {
                        let name = self.text(body.u2()?)?;
                        let descriptor = body.u2()?;
                        let component_type = self.field_type(descriptor, body.position())?;
                        Attribute::read_all(&mut body, self.pool)?;
                        components.push(RecordComponent { name, component_type });
                    }
                    class.record_components = Some(components);
                }
                b"Module" if class.access & access::MODULE != 0 => {
                    let name = self.module_name(body.u2()?)?;
                    let (_flags, _version) = (body.u2()?, body.u2()?);
                    let mut requires = Vec::new();
                    for _ in 0..body.u2()? {
                        requires.push(self.module_name(body.u2()?)?);
                        let (_flags, _version) = (body.u2()?, body.u2()?);
                    }
                    class.module = Some(ModuleDescriptor { name, requires });
                }
                b"BootstrapMethods" => {
                    for _ in 0..body.u2()? {
                        let handle = body.u2()?;
                        let arguments = (0..body.u2()?).map(|_| body.u2()).collect::<Result<Vec<u16>, _>>()?;
                        class.constants.bootstraps.push((handle, arguments));
                    }
                }
                _ => self.annotations(name, body, 0, &mut annotations),
            }
        }
        class.annotations = annotations.on_declaration;
        Ok(())
    }

    /// The type of the descriptor that is named right before the offset.
    fn field_type(&mut self, descriptor: u16, offset: usize) -> Result<Type, ClassFileError> {
        let malformed = ClassFileError::Malformed { what: "field descriptor", offset };
        self.names.field_type(self.pool, descriptor)?.ok_or(malformed)
    }

    /// Counts what a member is called and declared with.
    fn count(&mut self, member: &Member<'a>, others: usize) -> Result<(), ClassFileError> {
        let own = self.pool.utf8_bytes(member.name)?.len() + self.pool.utf8_bytes(member.descriptor)?.len();
        let malformed = ClassFileError::Malformed { what: "length of names in all", offset: member.after_descriptor() };
        self.may_name = self.may_name.checked_sub(own + others).ok_or(malformed)?;
        Ok(())
    }

    fn field(&mut self, member: &Member<'a>) -> Result<Field, ClassFileError> {
        let mut field = Field {
            access: member.access,
            name: self.text(member.name)?,
            field_type: self.field_type(member.descriptor, member.after_descriptor())?,
            signature: None,
            constant_value: None,
            annotations: Vec::new(),
        };
        let mut annotations = Annotations::default();
        for &Attribute { name, content: mut body, .. } in &member.attributes {
            match name {
                b"Signature" => field.signature = Some(self.text(body.u2()?)?),
                b"Synthetic" => field.access |= access::SYNTHETIC,
                b"ConstantValue" => {
                    let literal = self.names.literal(self.pool, body.u2()?)?;
                    field.constant_value = literal.and_then(|literal| constant_of_type(literal, &field.field_type));
                }
                _ => self.annotations(name, body, 0, &mut annotations),
            }
        }
        field.annotations = annotations.on_declaration;
        self.count(member, field.signature.as_ref().map_or(0, |text| text.len()))?;
        Ok(field)
    }

    fn method(&mut self, member: &Member<'a>) -> Result<Method, ClassFileError> {
        let name = self.text(member.name)?;
        let descriptor = self.names.descriptor(self.pool, member.descriptor)?;
        let descriptor = descriptor
            .ok_or(ClassFileError::Malformed { what: "method descriptor", offset: member.after_descriptor() })?;
        let count = descriptor.parameters.len();
        let mut method = Method {
            access: member.access,
            name,
            descriptor,
            signature: None,
            exceptions: Vec::new(),
            parameter_names: Vec::new(),
            annotations: Vec::new(),
            parameter_annotations: Vec::new(),
            annotation_default: None,
            deprecated: false,
            code: None,
        };
        let mut annotations = Annotations { on_declaration: Vec::new(), on_parameters: vec![Vec::new(); count] };
        let mut local_names = Vec::new();
        for &Attribute { name, content: mut body, .. } in &member.attributes {
            match name {
                b"Signature" => method.signature = Some(self.text(body.u2()?)?),
                b"Synthetic" => method.access |= access::SYNTHETIC,
                b"Exceptions" => method.exceptions = self.class_table(&mut body)?,
                b"Deprecated" => method.deprecated = true,
                b"AnnotationDefault" => method.annotation_default = self.element_value(&mut body, 0).ok(),
                b"MethodParameters" => {
                    let mut names = Vec::new();
                    for _ in 0..body.u1()? {
                        let (name, _flags) = (body.u2()?, body.u2()?);
                        if name != 0 {
                            names.push(self.text(name)?);
                        }
                    }
                    if names.len() == count {
                        method.parameter_names = names;
                    }
                }
                b"Code" => {
                    let is_static = method.access & access::STATIC != 0;
                    let slots = parameter_slots(&method.descriptor, is_static);
                    let code = self.code(body, &slots, &mut local_names)?;
                    method.code = Some(code);
                }
                _ => self.annotations(name, body, count, &mut annotations),
            }
        }
        if method.parameter_names.is_empty() {
            method.parameter_names = local_names;
        }
        method.annotations = annotations.on_declaration;
        method.parameter_annotations = annotations.on_parameters;
        let exceptions = method.exceptions.iter().map(|class| class.internal().len());
        let names = method.signature.iter().chain(&method.parameter_names).map(|text| text.len());
        self.count(member, exceptions.chain(names).sum())?;
        Ok(method)
    }

    fn code(
        &mut self,
        reader: Reader<'a>,
        parameter_slots: &[u16],
        parameter_names: &mut Vec<Arc<str>>,
    ) -> Result<Code, ClassFileError> {
        let read = CodeAttribute::read(reader, self.pool)?;
        let handlers = read.exceptions.iter().map(|range| {
            let catches = self.optional_class(range.catch_type)?;
            Ok(ExceptionEntry { range: range.clone(), catches })
        });
        let code = Code {
            handlers: handlers.collect::<Result<_, ClassFileError>>()?,
            lines: read.lines()?,
            bytes: read.range.clone(),
        };
        // For each parameter, the variable that begins first in its slot.
        let mut first_names: Vec<Option<(u16, u16)>> = vec![None; parameter_slots.len()];
        for table in read.attributes.iter().filter(|one| one.name == b"LocalVariableTable") {
            for entry in VariableEntry::read_all(table.content)? {
                if let Ok(parameter) = parameter_slots.binary_search(&entry.slot)
                    && first_names[parameter].is_none_or(|(first, _)| entry.start < first)
                {
                    first_names[parameter] = Some((entry.start, entry.name));
                }
            }
        }
        if let Some(names) = first_names.into_iter().collect::<Option<Vec<_>>>()
            && names.iter().all(|&(start, _)| start == 0)
        {
            *parameter_names = names.into_iter().map(|(_, name)| self.text(name)).collect::<Result<_, _>>()?;
        }
        Ok(code)
    }
}

/// The slot of each parameter among the local variables (JVMS §2.6.1), rising.
fn parameter_slots(descriptor: &MethodDescriptor, is_static: bool) -> Vec<u16> {
    let mut slot = u16::from(!is_static);
    let mut slots = Vec::with_capacity(descriptor.parameters.len());
    for parameter in &descriptor.parameters {
        slots.push(slot);
        let wide = matches!(parameter, Type::Primitive(Primitive::Long | Primitive::Double));
        slot = slot.saturating_add(if wide { 2 } else { 1 });
    }
    slots
}

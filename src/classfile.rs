//! Reads class files into an owned summary, and writes simple ones.
//!
//! Any bytes are read without a panic: what the format forbids is an error, what the JVM ignores (annotations it
//! cannot read, say) counts as absent. Nothing is verified; that is the JVM's business.

pub mod writer;

mod body;
pub(crate) mod code;
pub(crate) mod reader;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use body::{Body, CallSite, Decoder, FieldMember, Handler, MethodMember, Operand, Step};
pub use code::opcode;

use crate::jvm::annotations::{Annotation, ElementValue};
use crate::jvm::types::{ClassFacts, MethodFacts, access};
use crate::jvm::{ClassName, JavaString, Literal, MethodDescriptor, Primitive, Type};
use reader::{ConstantPool, Constants, Reader};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use writer::decode_units;

/// Why bytes are no class file that randgen can read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassFileError {
    #[error("not a class file: it does not begin with CAFEBABE")]
    NotAClassFile,
    #[error("the class file ends within a structure at offset {offset}")]
    Truncated { offset: usize },
    #[error("bad constant {index} in the class file")]
    BadConstant { index: u16 },
    #[error("bad {what} at offset {offset} of the class file")]
    Malformed { what: &'static str, offset: usize },
}

/// One class, interface, or module description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFile {
    /// 52 is Java 8; each release adds one.
    pub major: u16,
    /// The flags of the class itself; what source said of a member class is in its [`InnerClass`] entry.
    pub access: u16,
    pub name: ClassName,
    /// `None` for `java/lang/Object` and module descriptions.
    pub super_class: Option<ClassName>,
    pub interfaces: Vec<ClassName>,
    pub signature: Option<Arc<str>>,
    pub source_file: Option<Arc<str>>,
    /// Those that are in the class file, visible at run time or not.
    pub annotations: Vec<Annotation>,
    pub deprecated: bool,
    /// The InnerClasses attribute as it is: also classes that are only mentioned (JVMS §4.7.6).
    pub inner_classes: Vec<InnerClass>,
    /// It is a local or anonymous class.
    pub enclosing_method: bool,
    pub nest_host: Option<ClassName>,
    /// Empty unless sealed.
    pub permitted_subclasses: Vec<ClassName>,
    /// `None` unless a record.
    pub record_components: Option<Vec<RecordComponent>>,
    pub fields: Vec<Field>,
    pub methods: Vec<Method>,
    constants: Constants,
}

/// One entry of the InnerClasses attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerClass {
    pub inner: ClassName,
    /// `None` for local and anonymous classes.
    pub outer: Option<ClassName>,
    /// `None` for anonymous classes.
    pub simple_name: Option<Arc<str>>,
    pub access: u16,
}

/// One component of a record, in order of declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordComponent {
    pub name: Arc<str>,
    pub component_type: Type,
}

/// A declared field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub access: u16,
    pub name: Arc<str>,
    pub field_type: Type,
    pub signature: Option<Arc<str>>,
    /// Of the field's own type: a `char` constant is a [`Literal::Char`].
    pub constant_value: Option<Literal>,
    /// On the field or on its type.
    pub annotations: Vec<Annotation>,
}

/// A declared method, constructor or class initializer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    pub access: u16,
    pub name: Arc<str>,
    pub descriptor: MethodDescriptor,
    pub signature: Option<Arc<str>>,
    /// The `throws` clause.
    pub exceptions: Vec<ClassName>,
    /// One for each parameter of the descriptor, or empty where the class file does not name them all.
    pub parameter_names: Vec<Arc<str>>,
    /// On the method or on its return type.
    pub annotations: Vec<Annotation>,
    /// For each parameter of the descriptor, on the parameter or on its type.
    pub parameter_annotations: Vec<Vec<Annotation>>,
    /// Of an element of an annotation type: what it is where nothing is said.
    pub annotation_default: Option<ElementValue>,
    pub deprecated: bool,
    /// `None` for abstract and native methods.
    pub code: Option<Code>,
}

/// Where a method's body is in the file; a [`Decoder`] reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    bytes: std::ops::Range<usize>,
    handlers: Vec<ExceptionEntry>,
    /// Where instructions of a line begin, and the line (JVMS §4.7.12).
    lines: Vec<(u16, u16)>,
}

impl Code {
    /// The source line of the instruction there, if the class file says it.
    pub fn line(&self, pc: u16) -> Option<u16> {
        let begun = self.lines.iter().filter(|(start, _)| *start <= pc);
        begun.max_by_key(|(start, _)| *start).map(|(_, line)| *line)
    }
}

/// A line of an exception table, in offsets of instructions (JVMS §4.7.3).
#[derive(Clone, Debug, PartialEq, Eq)]
struct ExceptionEntry {
    start: u16,
    end: u16,
    target: u16,
    catches: Option<ClassName>,
}

impl ClassFile {
    /// Its own entry among the inner classes: present for member, local and anonymous classes.
    pub fn own_entry(&self) -> Option<&InnerClass> {
        self.inner_classes.iter().find(|entry| entry.inner == self.name)
    }

    /// Classes that its code or declaration refers to, other than by descriptors; sorted.
    pub fn mentioned_classes(&self) -> Vec<ClassName> {
        let pool = self.constants.pool();
        let indices = 1..u16::try_from(pool.count()).unwrap_or(u16::MAX);
        let named = indices.filter_map(|index| pool.class_name(index).ok());
        let mut classes: Vec<ClassName> = named.map(|name| ClassName::new(&name)).collect();
        classes.sort();
        classes
    }

    /// What callers need to know of the class.
    pub fn to_facts(&self) -> ClassFacts {
        let entry = self.own_entry();
        let outer = entry.and_then(|entry| entry.outer.clone());
        let source_simple_name = match entry {
            Some(entry) => entry.simple_name.clone().filter(|_| outer.is_some()),
            None => (!self.enclosing_method).then(|| Arc::from(self.name.simple())),
        };
        let methods = self.methods.iter().filter(|method| method.access & access::SYNTHETIC == 0);
        ClassFacts {
            name: self.name.clone(),
            access: entry.map_or(self.access, |entry| entry.access),
            super_class: self.super_class.clone(),
            interfaces: self.interfaces.clone(),
            outer,
            source_simple_name,
            signature: self.signature.clone(),
            methods: methods
                .map(|method| MethodFacts {
                    name: method.name.clone(),
                    descriptor: method.descriptor.clone(),
                    access: method.access,
                    exceptions: method.exceptions.clone(),
                })
                .collect(),
        }
    }
}

/// Reads a class file.
pub fn parse(bytes: &[u8]) -> Result<ClassFile, ClassFileError> {
    let mut reader = Reader::new(bytes);
    if reader.u4().ok() != Some(0xCAFE_BABE) {
        return Err(ClassFileError::NotAClassFile);
    }
    reader.u2()?;
    let major = reader.u2()?;
    let pool = ConstantPool::read(&mut reader)?;
    let mut parser = Parser { pool, names: FxHashMap::default() };
    parser.class(reader, major)
}

struct Parser<'a> {
    pool: ConstantPool<'a>,
    /// Texts made so far, by the index of their constant.
    names: FxHashMap<u16, Arc<str>>,
}

/// Annotations by what they are on.
#[derive(Default)]
struct Annotations {
    on_declaration: Vec<Annotation>,
    on_parameters: Vec<Vec<Annotation>>,
}

impl<'a> Parser<'a> {
    fn text(&mut self, index: u16) -> Result<Arc<str>, ClassFileError> {
        if let Some(name) = self.names.get(&index) {
            return Ok(name.clone());
        }
        let name: Arc<str> = Arc::from(&*self.pool.utf8(index)?);
        self.names.insert(index, name.clone());
        Ok(name)
    }

    fn class_name(&self, index: u16) -> Result<ClassName, ClassFileError> {
        Ok(ClassName::new(&self.pool.class_name(index)?))
    }

    fn optional_class(&self, index: u16) -> Result<Option<ClassName>, ClassFileError> {
        if index == 0 { Ok(None) } else { self.class_name(index).map(Some) }
    }

    fn class_table(&self, reader: &mut Reader) -> Result<Vec<ClassName>, ClassFileError> {
        (0..reader.u2()?).map(|_| self.class_name(reader.u2()?)).collect()
    }

    fn class(&mut self, mut reader: Reader<'a>, major: u16) -> Result<ClassFile, ClassFileError> {
        let mut class = ClassFile {
            major,
            access: reader.u2()?,
            name: self.class_name(reader.u2()?)?,
            super_class: self.optional_class(reader.u2()?)?,
            interfaces: self.class_table(&mut reader)?,
            signature: None,
            source_file: None,
            annotations: Vec::new(),
            deprecated: false,
            inner_classes: Vec::new(),
            enclosing_method: false,
            nest_host: None,
            permitted_subclasses: Vec::new(),
            record_components: None,
            fields: Vec::new(),
            methods: Vec::new(),
            constants: Constants::new(&self.pool),
        };
        for _ in 0..reader.u2()? {
            class.fields.push(self.field(&mut reader)?);
        }
        for _ in 0..reader.u2()? {
            class.methods.push(self.method(&mut reader)?);
        }
        self.class_attributes(reader, &mut class)?;
        Ok(class)
    }

    fn class_attributes(&mut self, mut reader: Reader<'a>, class: &mut ClassFile) -> Result<(), ClassFileError> {
        let mut annotations = Annotations::default();
        for (name, mut body) in self.attribute_list(&mut reader)? {
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
                        let component_type = self.field_type(&mut body)?;
                        body.attributes(&self.pool, |_, _| Ok(()))?;
                        components.push(RecordComponent { name, component_type });
                    }
                    class.record_components = Some(components);
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

    fn attribute_list(&self, reader: &mut Reader<'a>) -> Result<Vec<(&'a [u8], Reader<'a>)>, ClassFileError> {
        let mut list = Vec::new();
        reader.attributes(&self.pool, |name, body| {
            list.push((name, body));
            Ok(())
        })?;
        Ok(list)
    }

    fn field_type(&self, reader: &mut Reader) -> Result<Type, ClassFileError> {
        let descriptor = self.pool.utf8(reader.u2()?)?;
        Type::parse(&descriptor).ok_or_else(|| reader.malformed("field descriptor"))
    }

    fn field(&mut self, reader: &mut Reader<'a>) -> Result<Field, ClassFileError> {
        let mut field = Field {
            access: reader.u2()?,
            name: self.text(reader.u2()?)?,
            field_type: self.field_type(reader)?,
            signature: None,
            constant_value: None,
            annotations: Vec::new(),
        };
        let mut annotations = Annotations::default();
        for (name, mut body) in self.attribute_list(reader)? {
            match name {
                b"Signature" => field.signature = Some(self.text(body.u2()?)?),
                b"Synthetic" => field.access |= access::SYNTHETIC,
                b"ConstantValue" => {
                    let literal = self.pool.literal(body.u2()?)?;
                    field.constant_value = literal.and_then(|literal| constant_of_type(literal, &field.field_type));
                }
                _ => self.annotations(name, body, 0, &mut annotations),
            }
        }
        field.annotations = annotations.on_declaration;
        Ok(field)
    }

    fn method(&mut self, reader: &mut Reader<'a>) -> Result<Method, ClassFileError> {
        let (flags, name) = (reader.u2()?, self.text(reader.u2()?)?);
        let descriptor = self.pool.utf8(reader.u2()?)?;
        let descriptor = MethodDescriptor::parse(&descriptor).ok_or_else(|| reader.malformed("method descriptor"))?;
        let count = descriptor.parameters.len();
        let mut method = Method {
            access: flags,
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
        for (name, mut body) in self.attribute_list(reader)? {
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
        Ok(method)
    }

    fn code(
        &mut self,
        mut reader: Reader<'a>,
        parameter_slots: &[u16],
        parameter_names: &mut Vec<Arc<str>>,
    ) -> Result<Code, ClassFileError> {
        reader.take(4)?;
        let length = reader.u4()? as usize;
        let start = reader.position();
        reader.take(length)?;
        let mut code = Code { bytes: start..start + length, handlers: Vec::new(), lines: Vec::new() };
        for _ in 0..reader.u2()? {
            code.handlers.push(ExceptionEntry {
                start: reader.u2()?,
                end: reader.u2()?,
                target: reader.u2()?,
                catches: self.optional_class(reader.u2()?)?,
            });
        }
        // For each parameter, the variable that begins first in its slot.
        let mut first_names: Vec<Option<(u16, u16)>> = vec![None; parameter_slots.len()];
        for (name, mut body) in self.attribute_list(&mut reader)? {
            if name == b"LineNumberTable" {
                for _ in 0..body.u2()? {
                    code.lines.push((body.u2()?, body.u2()?));
                }
            }
            if name != b"LocalVariableTable" {
                continue;
            }
            for _ in 0..body.u2()? {
                let (start, _length, name, _descriptor, slot) =
                    (body.u2()?, body.u2()?, body.u2()?, body.u2()?, body.u2()?);
                if let Ok(parameter) = parameter_slots.binary_search(&slot)
                    && first_names[parameter].is_none_or(|(first, _)| start < first)
                {
                    first_names[parameter] = Some((start, name));
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

    /// Adds what an attribute holds of annotations. The JVM does not check them, so a broken one ends the list.
    fn annotations(&self, attribute: &[u8], body: Reader<'a>, parameters: usize, found: &mut Annotations) {
        let _ = match attribute {
            b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => {
                self.annotation_list(body, &mut found.on_declaration).map(|_| ())
            }
            b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations" => {
                self.parameter_annotations(body, parameters, found)
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => self.type_annotations(body, found),
            _ => Ok(()),
        };
    }

    fn annotation_list(
        &self,
        mut reader: Reader<'a>,
        found: &mut Vec<Annotation>,
    ) -> Result<Reader<'a>, ClassFileError> {
        for _ in 0..reader.u2()? {
            found.extend(self.annotation(&mut reader, 0)?);
        }
        Ok(reader)
    }

    fn parameter_annotations(
        &self,
        mut reader: Reader<'a>,
        parameters: usize,
        found: &mut Annotations,
    ) -> Result<(), ClassFileError> {
        let listed = usize::from(reader.u1()?);
        // Compilers leave out the parameters they add in front: outer instances, an enum's name and ordinal.
        let added = parameters.saturating_sub(listed);
        for parameter in 0..listed {
            let mut on_parameter = Vec::new();
            reader = self.annotation_list(reader, &mut on_parameter)?;
            if let Some(list) = found.on_parameters.get_mut(added + parameter) {
                list.extend(on_parameter);
            }
        }
        Ok(())
    }

    /// Those on the whole type of a field, a return value or a parameter (JVMS §4.7.20).
    fn type_annotations(&self, mut reader: Reader<'a>, found: &mut Annotations) -> Result<(), ClassFileError> {
        for _ in 0..reader.u2()? {
            let target = reader.u1()?;
            let mut parameter = None;
            match target {
                0x13..=0x15 => {}
                0x00 | 0x01 => drop(reader.u1()?),
                0x16 => parameter = Some(reader.u1()?),
                0x10..=0x12 | 0x17 => drop(reader.u2()?),
                _ => return Err(reader.malformed("target of a type annotation")),
            }
            let steps = reader.u1()?;
            let path = reader.take(2 * usize::from(steps))?;
            // Kind 1 steps into a nested type, which is still the type itself.
            let whole = path.chunks_exact(2).all(|step| step[0] == 1);
            let Some(annotation) = self.annotation(&mut reader, 0)? else { continue };
            match (target, parameter) {
                (0x13 | 0x14, _) if whole => found.on_declaration.push(annotation),
                (_, Some(parameter)) if whole => {
                    if let Some(list) = found.on_parameters.get_mut(usize::from(parameter)) {
                        list.push(annotation);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads one annotation; `None` if its type is no class.
    fn annotation(&self, reader: &mut Reader<'a>, depth: u32) -> Result<Option<Annotation>, ClassFileError> {
        let descriptor = self.pool.utf8(reader.u2()?)?;
        let mut elements = Vec::new();
        for _ in 0..reader.u2()? {
            let name = Arc::from(&*self.pool.utf8(reader.u2()?)?);
            elements.push((name, self.element_value(reader, depth)?));
        }
        Ok(match Type::parse(&descriptor) {
            Some(Type::Class(of)) => Some(Annotation { of, elements }),
            _ => None,
        })
    }

    fn element_value(&self, reader: &mut Reader<'a>, depth: u32) -> Result<ElementValue, ClassFileError> {
        // Deeper than any source nests annotations, far from the end of the stack.
        if depth > 64 {
            return Err(reader.malformed("nesting of annotations"));
        }
        let malformed = reader.malformed("value of an annotation");
        Ok(match reader.u1()? {
            b'e' => match Type::parse(&self.pool.utf8(reader.u2()?)?) {
                Some(Type::Class(of)) => ElementValue::Enum(of, Arc::from(&*self.pool.utf8(reader.u2()?)?)),
                _ => return Err(malformed),
            },
            b'@' => ElementValue::Annotation(self.annotation(reader, depth + 1)?.ok_or(malformed)?),
            b'[' => {
                let values = (0..reader.u2()?).map(|_| self.element_value(reader, depth + 1));
                ElementValue::Array(values.collect::<Result<_, _>>()?)
            }
            b's' => ElementValue::Constant(Literal::String(JavaString::from_units(&decode_units(
                self.pool.utf8_bytes(reader.u2()?)?,
            )))),
            b'c' => match &*self.pool.utf8(reader.u2()?)? {
                "V" => ElementValue::Void,
                of => ElementValue::Constant(Literal::Class(Type::parse(of).ok_or(malformed)?)),
            },
            letter => {
                let of = Primitive::from_descriptor(char::from(letter)).map(Type::Primitive);
                let literal = self.pool.literal(reader.u2()?)?;
                let constant = literal.zip(of).and_then(|(literal, of)| constant_of_type(literal, &of));
                ElementValue::Constant(constant.ok_or(malformed)?)
            }
        })
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

/// An int as the JVM keeps it, or another constant, as a literal of the field's type (JVMS table 4.7.2-A).
pub(crate) fn constant_of_type(literal: Literal, field_type: &Type) -> Option<Literal> {
    match (literal, field_type) {
        (Literal::Int(value), Type::Primitive(primitive)) => Some(match primitive {
            Primitive::Long | Primitive::Float | Primitive::Double => return None,
            primitive => Literal::of_number(value.into(), *primitive),
        }),
        (literal, field_type) if literal.literal_type() == *field_type => Some(literal),
        _ => None,
    }
}

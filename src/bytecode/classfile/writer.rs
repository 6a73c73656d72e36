//! Writes classes whose methods are straight-line code, and constant pools.
//!
//! There are no frames and no exception tables: a class that needs them is not for this writer.

use crate::classfile::reader::tag;
use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::types::access;
use model::jvm::{JavaString, Literal, Type};
use rustc_hash::FxHashMap;

/// A part of the class exceeds what the format can count in 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the class being written exceeds a limit of the class file format")]
pub struct ClassTooLarge;

/// Constants, each once, with the indices they will have.
#[derive(Debug, Default)]
pub struct PoolWriter {
    next: usize,
    bytes: Vec<u8>,
    known: FxHashMap<Vec<u8>, u16>,
    overflowed: bool,
}

impl PoolWriter {
    /// A pool whose first constant has index `first`: 1, or the count of a pool that is continued.
    pub(crate) fn starting_at(first: usize) -> PoolWriter {
        PoolWriter { next: first, ..PoolWriter::default() }
    }

    fn add(&mut self, constant: Vec<u8>, slots: usize) -> u16 {
        if let Some(&index) = self.known.get(&constant) {
            return index;
        }
        if self.next + slots > usize::from(u16::MAX) {
            self.overflowed = true;
            return 0;
        }
        let index = self.next as u16;
        self.next += slots;
        self.bytes.extend_from_slice(&constant);
        self.known.insert(constant, index);
        index
    }

    fn pair(&mut self, tag: u8, first: u16, second: u16) -> u16 {
        let ([a, b], [c, d]) = (first.to_be_bytes(), second.to_be_bytes());
        self.add(vec![tag, a, b, c, d], 1)
    }

    fn one(&mut self, tag: u8, index: u16) -> u16 {
        let [high, low] = index.to_be_bytes();
        self.add(vec![tag, high, low], 1)
    }

    fn units(&mut self, units: impl Iterator<Item = u16>) -> u16 {
        let encoded = encode_units(units);
        let Ok(length) = u16::try_from(encoded.len()) else {
            self.overflowed = true;
            return 0;
        };
        let mut constant = vec![tag::UTF8];
        constant.extend_from_slice(&length.to_be_bytes());
        constant.extend_from_slice(&encoded);
        self.add(constant, 1)
    }

    /// A text as the file format has it.
    pub fn utf8(&mut self, text: &str) -> u16 {
        self.units(text.encode_utf16())
    }

    /// A class by its internal name, or an array type by its descriptor.
    pub fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.one(tag::CLASS, name)
    }

    /// A string literal.
    pub fn string(&mut self, text: &JavaString) -> u16 {
        let text = self.units(text.units().iter().copied());
        self.one(tag::STRING, text)
    }

    /// An int, which stands for `boolean`, `byte`, `char` and `short` too.
    pub fn int(&mut self, value: i32) -> u16 {
        let [a, b, c, d] = value.to_be_bytes();
        self.add(vec![tag::INTEGER, a, b, c, d], 1)
    }

    /// A float by its bits.
    pub fn float(&mut self, bits: u32) -> u16 {
        let [a, b, c, d] = bits.to_be_bytes();
        self.add(vec![tag::FLOAT, a, b, c, d], 1)
    }

    /// A long, which takes two indices.
    pub fn long(&mut self, value: i64) -> u16 {
        let mut constant = vec![tag::LONG];
        constant.extend_from_slice(&value.to_be_bytes());
        self.add(constant, 2)
    }

    /// A double by its bits.
    pub fn double(&mut self, bits: u64) -> u16 {
        let mut constant = vec![tag::DOUBLE];
        constant.extend_from_slice(&bits.to_be_bytes());
        self.add(constant, 2)
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let class = self.class(class);
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let named = self.pair(tag::NAME_AND_TYPE, name, descriptor);
        self.pair(tag, class, named)
    }

    /// A field by the class that names it.
    pub fn field_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(tag::FIELD_REF, class, name, descriptor)
    }

    /// A method of a class.
    pub fn method_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(tag::METHOD_REF, class, name, descriptor)
    }

    /// A method of an interface.
    pub fn interface_method_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(tag::INTERFACE_METHOD_REF, class, name, descriptor)
    }

    /// The content of a RuntimeVisibleAnnotations attribute (JVMS §4.7.16).
    fn annotations(&mut self, annotations: &[Annotation]) -> Vec<u8> {
        let mut bytes = (annotations.len() as u16).to_be_bytes().to_vec();
        annotations.iter().for_each(|annotation| self.annotation(annotation, &mut bytes));
        bytes
    }

    fn annotation(&mut self, annotation: &Annotation, bytes: &mut Vec<u8>) {
        let of = self.utf8(&Type::Class(annotation.of.clone()).descriptor());
        bytes.extend(of.to_be_bytes());
        bytes.extend((annotation.elements.len() as u16).to_be_bytes());
        for (name, value) in &annotation.elements {
            bytes.extend(self.utf8(name).to_be_bytes());
            self.element_value(value, bytes);
        }
    }

    fn element_value(&mut self, value: &ElementValue, bytes: &mut Vec<u8>) {
        let (tag, index) = match value {
            ElementValue::Constant(literal) => match literal {
                Literal::Boolean(value) => (b'Z', self.int(i32::from(*value))),
                Literal::Byte(value) => (b'B', self.int(i32::from(*value))),
                Literal::Char(value) => (b'C', self.int(i32::from(*value))),
                Literal::Short(value) => (b'S', self.int(i32::from(*value))),
                Literal::Int(value) => (b'I', self.int(*value)),
                Literal::Long(value) => (b'J', self.long(*value)),
                Literal::Float(bits) => (b'F', self.float(*bits)),
                Literal::Double(bits) => (b'D', self.double(*bits)),
                Literal::String(text) => (b's', self.units(text.units().iter().copied())),
                // No element is null, so what a null literal says is its type.
                Literal::Class(of) | Literal::Null(of) => (b'c', self.utf8(&of.descriptor())),
            },
            ElementValue::Void => (b'c', self.utf8("V")),
            ElementValue::Enum(class, name) => {
                let class = self.utf8(&Type::Class(class.clone()).descriptor());
                bytes.push(b'e');
                bytes.extend(class.to_be_bytes());
                bytes.extend(self.utf8(name).to_be_bytes());
                return;
            }
            ElementValue::Annotation(annotation) => {
                bytes.push(b'@');
                return self.annotation(annotation, bytes);
            }
            ElementValue::Array(values) => {
                bytes.push(b'[');
                bytes.extend((values.len() as u16).to_be_bytes());
                return values.iter().for_each(|value| self.element_value(value, bytes));
            }
        };
        bytes.push(tag);
        bytes.extend(index.to_be_bytes());
    }

    /// The table of attributes of a member: these, its generic signature and its annotations, where it has them.
    fn attributes(
        &mut self,
        mut contents: Vec<(u16, Vec<u8>)>,
        signature: Option<&str>,
        annotations: &[Annotation],
    ) -> Vec<u8> {
        if let Some(signature) = signature {
            contents.push((self.utf8("Signature"), self.utf8(signature).to_be_bytes().to_vec()));
        }
        self.table(contents, annotations)
    }

    /// The table of these attributes, by the numbers of their names, and of annotations where there are any.
    fn table(&mut self, mut contents: Vec<(u16, Vec<u8>)>, annotations: &[Annotation]) -> Vec<u8> {
        if !annotations.is_empty() {
            contents.push((self.utf8("RuntimeVisibleAnnotations"), self.annotations(annotations)));
        }
        let mut bytes = (contents.len() as u16).to_be_bytes().to_vec();
        for (name, content) in contents {
            bytes.extend(name.to_be_bytes());
            bytes.extend((content.len() as u32).to_be_bytes());
            bytes.extend(content);
        }
        bytes
    }

    /// The count a class file states for the pool, unless it became too large.
    pub(crate) fn count(&self) -> Result<u16, ClassTooLarge> {
        if self.overflowed { Err(ClassTooLarge) } else { u16::try_from(self.next).map_err(|_| ClassTooLarge) }
    }

    /// The constants added, as the class file holds them.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Straight-line code of a method.
#[derive(Clone, Copy, Debug)]
pub struct NewCode<'a> {
    /// The most slots that it has on the stack.
    pub max_stack: u16,
    /// At least what the parameters need.
    pub max_locals: u16,
    /// The instructions.
    pub bytes: &'a [u8],
}

impl NewCode<'_> {
    /// The content of its Code attribute (JVMS §4.7.3), without exceptions and attributes.
    pub(crate) fn attribute(&self) -> Vec<u8> {
        let mut content = Vec::with_capacity(self.bytes.len() + 12);
        content.extend_from_slice(&self.max_stack.to_be_bytes());
        content.extend_from_slice(&self.max_locals.to_be_bytes());
        content.extend_from_slice(&(self.bytes.len() as u32).to_be_bytes());
        content.extend_from_slice(self.bytes);
        content.extend_from_slice(&[0; 4]);
        content
    }
}

/// What reflection finds of a method besides its descriptor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reflected<'a> {
    /// The generic signature (JVMS §4.7.9.1).
    pub signature: Option<&'a str>,
    /// On the method itself.
    pub annotations: &'a [Annotation],
}

/// A class being put together.
#[derive(Debug)]
pub struct ClassWriter {
    /// Constants for the code of its methods.
    pub pool: PoolWriter,
    head: Vec<u8>,
    fields: Vec<u8>,
    field_count: usize,
    methods: Vec<u8>,
    method_count: usize,
    attributes: Vec<u8>,
    too_large: bool,
    major: u16,
}

impl ClassWriter {
    /// A class without members. Names are internal ones; `access` should include `ACC_SUPER` (0x20) for classes.
    pub fn new(name: &str, super_class: &str, interfaces: &[&str], access: u16, major: u16) -> ClassWriter {
        let mut pool = PoolWriter::starting_at(1);
        let mut head = access.to_be_bytes().to_vec();
        head.extend_from_slice(&pool.class(name).to_be_bytes());
        head.extend_from_slice(&pool.class(super_class).to_be_bytes());
        head.extend_from_slice(&(interfaces.len() as u16).to_be_bytes());
        for interface in interfaces {
            head.extend_from_slice(&pool.class(interface).to_be_bytes());
        }
        ClassWriter {
            pool,
            head,
            fields: Vec::new(),
            field_count: 0,
            methods: Vec::new(),
            method_count: 0,
            attributes: vec![0, 0],
            too_large: interfaces.len() > usize::from(u16::MAX),
            major,
        }
    }

    /// Annotates the class; with `within` it is an anonymous one of that class (JVMS §4.7.6, §4.7.7).
    pub fn annotate(&mut self, annotations: &[Annotation], within: Option<&str>) {
        let mut contents = Vec::new();
        if let Some(within) = within {
            let class = self.pool.class(within).to_be_bytes();
            contents.push((self.pool.utf8("EnclosingMethod"), [class, [0; 2]].concat()));
            // It stands behind its flags; neither a class around it nor a name, and no flags.
            let entry = [&[0, 1], &self.head[2..4], &[0; 6]].concat();
            contents.push((self.pool.utf8("InnerClasses"), entry));
        }
        self.attributes = self.pool.table(contents, annotations);
    }

    /// Adds a field.
    pub fn add_field(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
        signature: Option<&str>,
        annotations: &[Annotation],
    ) {
        for value in [access, self.pool.utf8(name), self.pool.utf8(descriptor)] {
            self.fields.extend_from_slice(&value.to_be_bytes());
        }
        self.fields.extend(self.pool.attributes(Vec::new(), signature, annotations));
        self.field_count += 1;
    }

    /// Adds a method; `code` is ignored for abstract and native ones.
    pub fn add_method(&mut self, access: u16, name: &str, descriptor: &str, code: &NewCode) {
        self.add_reflected_method(access, name, descriptor, &Reflected::default(), code);
    }

    /// As `add_method`, with more to find by reflection.
    pub fn add_reflected_method(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
        reflected: &Reflected,
        code: &NewCode,
    ) {
        for value in [access, self.pool.utf8(name), self.pool.utf8(descriptor)] {
            self.methods.extend_from_slice(&value.to_be_bytes());
        }
        self.method_count += 1;
        let mut contents = Vec::new();
        if access & (access::ABSTRACT | access::NATIVE) == 0 {
            // A method of 64 KB or more is no method (JVMS §4.7.3).
            self.too_large |= code.bytes.len() > 65535;
            contents.push((self.pool.utf8("Code"), code.attribute()));
        }
        self.methods.extend(self.pool.attributes(contents, reflected.signature, reflected.annotations));
    }

    /// The class file.
    pub fn finish(self) -> Result<Vec<u8>, ClassTooLarge> {
        if self.too_large {
            return Err(ClassTooLarge);
        }
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0];
        bytes.extend_from_slice(&self.major.to_be_bytes());
        bytes.extend_from_slice(&self.pool.count()?.to_be_bytes());
        bytes.extend_from_slice(self.pool.bytes());
        bytes.extend_from_slice(&self.head);
        for (count, members) in [(self.field_count, self.fields), (self.method_count, self.methods)] {
            bytes.extend_from_slice(&u16::try_from(count).map_err(|_| ClassTooLarge)?.to_be_bytes());
            bytes.extend_from_slice(&members);
        }
        bytes.extend(self.attributes);
        Ok(bytes)
    }
}

/// Modified UTF-8 (JVMS §4.4.7) of UTF-16 units.
pub(crate) fn encode_units(units: impl Iterator<Item = u16>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in units {
        match unit {
            0x0001..=0x007F => bytes.push(unit as u8),
            0x0000 | 0x0080..=0x07FF => bytes.extend([0xC0 | (unit >> 6) as u8, 0x80 | (unit & 0x3F) as u8]),
            _ => bytes.extend([0xE0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]),
        }
    }
    bytes
}

/// UTF-16 units of modified UTF-8; a byte that starts nothing valid becomes U+FFFD.
pub(crate) fn decode_units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let continued =
            |at: usize| rest.get(at).filter(|byte| **byte & 0xC0 == 0x80).map(|byte| u16::from(byte & 0x3F));
        let (unit, length) = match (first, continued(1), continued(2)) {
            (0x00..=0x7F, _, _) => (u16::from(first), 1),
            (0xC0..=0xDF, Some(low), _) => (u16::from(first & 0x1F) << 6 | low, 2),
            (0xE0..=0xEF, Some(middle), Some(low)) => (u16::from(first & 0x0F) << 12 | middle << 6 | low, 3),
            _ => (0xFFFD, 1),
        };
        units.push(unit);
        rest = &rest[length..];
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_utf16_unit_round_trips_through_modified_utf8() {
        let units: Vec<u16> = (0..=u16::MAX).collect();
        assert_eq!(decode_units(&encode_units(units.iter().copied())), units);
    }

    #[test]
    fn pool_constant_is_added_once_and_wide_constants_take_two_indices() {
        let mut pool = PoolWriter::starting_at(1);
        let wide = pool.long(5);
        assert_eq!((pool.long(5), pool.int(5)), (wide, wide + 2));
    }

    #[test]
    fn constant_pool_beyond_the_limit_is_refused() {
        let mut writer = ClassWriter::new("p/A", "java/lang/Object", &[], 0x21, 52);
        (0..70_000).for_each(|value| {
            writer.pool.int(value);
        });
        assert_eq!(writer.finish(), Err(ClassTooLarge));
    }
}

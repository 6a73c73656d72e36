//! What constants stand for, made once each.
//!
//! Two bytes of a class file can name a constant of 65,535: were each mention made anew, a small file would take gigabytes. So
//! names are shared by all that mention them. What mentions several things at once, as descriptors do, is shared too, and counted.

use super::ClassFileError;
use super::reader::{ConstantPool, tag};
use super::writer::decode_units;
use model::jvm::{ClassName, JavaString, Literal, MethodDescriptor, Type};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Parameters and static arguments of all methods, calls and call sites of a class: more than any compiler writes.
const MOST_PARTS: usize = 1 << 20;

/// Names, types and texts by the index of the UTF-8 constant that they are read from.
pub(super) struct Names {
    texts: FxHashMap<u16, Arc<str>>,
    classes: FxHashMap<u16, ClassName>,
    fields: FxHashMap<u16, Option<Type>>,
    of_constants: FxHashMap<u16, Option<Type>>,
    descriptors: FxHashMap<u16, Option<MethodDescriptor>>,
    strings: FxHashMap<u16, JavaString>,
    parts_left: usize,
}

impl Names {
    pub(super) fn new() -> Names {
        Names {
            texts: FxHashMap::default(),
            classes: FxHashMap::default(),
            fields: FxHashMap::default(),
            of_constants: FxHashMap::default(),
            descriptors: FxHashMap::default(),
            strings: FxHashMap::default(),
            parts_left: MOST_PARTS,
        }
    }

    /// The text of a UTF-8 constant.
    pub(super) fn text(&mut self, pool: &ConstantPool, index: u16) -> Result<Arc<str>, ClassFileError> {
        cached(&mut self.texts, index, || Ok(Arc::from(&*pool.utf8(index)?)))
    }

    /// The name that a class constant holds.
    pub(super) fn class(&mut self, pool: &ConstantPool, index: u16) -> Result<ClassName, ClassFileError> {
        let text = pool.content(index, &[tag::CLASS])?.u2()?;
        cached(&mut self.classes, text, || Ok(ClassName::new(&pool.utf8(text)?)))
    }

    /// The type that a class constant holds, which may be an array's; `None` if it is none.
    pub(super) fn class_type(&mut self, pool: &ConstantPool, index: u16) -> Result<Option<Type>, ClassFileError> {
        let text = pool.content(index, &[tag::CLASS])?.u2()?;
        cached(&mut self.of_constants, text, || Ok(Type::from_class_constant(&pool.utf8(text)?)))
    }

    /// The type that a UTF-8 constant describes; `None` if it describes none.
    pub(super) fn field_type(&mut self, pool: &ConstantPool, index: u16) -> Result<Option<Type>, ClassFileError> {
        cached(&mut self.fields, index, || Ok(Type::parse(&pool.utf8(index)?)))
    }

    /// The method descriptor that a UTF-8 constant is; `None` if it is none. Its parameters count.
    pub(super) fn descriptor(
        &mut self,
        pool: &ConstantPool,
        index: u16,
    ) -> Result<Option<MethodDescriptor>, ClassFileError> {
        let found = cached(&mut self.descriptors, index, || Ok(MethodDescriptor::parse(&pool.utf8(index)?)))?;
        self.count(found.as_ref().map_or(0, |descriptor| descriptor.parameters.len()))?;
        Ok(found)
    }

    /// The loadable constant at `index`, as [`ConstantPool::literal`] has it.
    pub(super) fn literal(&mut self, pool: &ConstantPool, index: u16) -> Result<Option<Literal>, ClassFileError> {
        match pool.tag(index) {
            tag::STRING => {
                let text = pool.content(index, &[tag::STRING])?.u2()?;
                self.string(pool, text).map(|string| Some(Literal::String(string)))
            }
            tag::CLASS => {
                let of = self.class_type(pool, index)?.ok_or(ClassFileError::BadConstant { index })?;
                Ok(Some(Literal::Class(of)))
            }
            _ => pool.literal(index),
        }
    }

    /// The string of a UTF-8 constant.
    pub(super) fn string(&mut self, pool: &ConstantPool, index: u16) -> Result<JavaString, ClassFileError> {
        let read = || Ok(JavaString::from_units(&decode_units(pool.utf8_bytes(index)?)));
        cached(&mut self.strings, index, read)
    }

    /// Counts what is made of a shared constant once more.
    pub(super) fn count(&mut self, parts: usize) -> Result<(), ClassFileError> {
        let malformed = ClassFileError::Malformed { what: "number of parameters in all", offset: 0 };
        self.parts_left = self.parts_left.checked_sub(parts).ok_or(malformed)?;
        Ok(())
    }
}

fn cached<T: Clone>(
    known: &mut FxHashMap<u16, T>,
    index: u16,
    read: impl FnOnce() -> Result<T, ClassFileError>,
) -> Result<T, ClassFileError> {
    if let Some(value) = known.get(&index) {
        return Ok(value.clone());
    }
    let value = read()?;
    known.insert(index, value.clone());
    Ok(value)
}

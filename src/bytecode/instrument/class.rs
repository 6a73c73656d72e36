//! A class file cut where something can be inserted.

use super::body::Body;
use super::{InstrumentError, generated};
use crate::classfile::instruction::FieldAccess;
use crate::classfile::reader::{ConstantPool, Reader};
use crate::classfile::structure::{ClassStructure, Member};
use crate::classfile::writer::PoolWriter;
use crate::classfile::{ClassFileError, Instruction};
use model::jvm::ClassName;
use model::jvm::types::access;
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::sync::Arc;

/// A class file in parts that stay as they are, and methods whose code can be replaced.
pub(super) struct Class<'a> {
    pub(super) name: ClassName,
    /// Of `Object` alone there is none.
    pub(super) super_name: Option<String>,
    pub(super) access: u16,
    /// An annotation says that no person wrote it.
    pub(super) is_marked: bool,
    pub(super) pool: ConstantPool<'a>,
    /// Magic and version.
    head: &'a [u8],
    pub(super) constants: &'a [u8],
    /// From after the constants to the first method, the number of methods included.
    pub(super) middle: &'a [u8],
    /// Where in it the number of fields is.
    pub(super) field_count: usize,
    pub(super) fields: Vec<FieldParts>,
    pub(super) methods: Vec<MethodParts<'a>>,
    /// From after the last method.
    pub(super) tail: &'a [u8],
    /// Classes of which the code reads a static field of their own type, as an enum has for each constant; once asked for.
    with_constants: OnceCell<FxHashSet<String>>,
}

/// Enums of the platform that people have fields of.
const ENUMS: [&str; 5] = [
    "java/math/RoundingMode",
    "java/time/DayOfWeek",
    "java/time/Month",
    "java/time/temporal/ChronoUnit",
    "java/util/concurrent/TimeUnit",
];

/// A field as the class declares it.
pub(super) struct FieldParts {
    pub(super) is_static: bool,
    pub(super) is_private: bool,
    /// It holds a constant of an enum (JVMS table 4.5-A).
    pub(super) is_constant: bool,
    pub(super) name: Arc<str>,
    pub(super) descriptor: Arc<str>,
}

/// A method, cut at its code.
pub(super) struct MethodParts<'a> {
    pub(super) access: u16,
    pub(super) name: Arc<str>,
    pub(super) descriptor: Arc<str>,
    /// An annotation says that no person wrote it.
    pub(super) is_marked: bool,
    /// From the access flags to the length of the Code attribute.
    before: &'a [u8],
    /// The content of the Code attribute.
    pub(super) code: Option<Reader<'a>>,
    after: &'a [u8],
}

impl<'a> Class<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Class<'a>, ClassFileError> {
        let structure = ClassStructure::read(bytes)?;
        let (pool, places) = (structure.head.pool, structure.places);
        let fields = structure.fields.iter().map(|field| FieldParts::read(field, &pool));
        let methods = structure.methods.iter().map(|method| MethodParts::cut(method, &pool, bytes));
        Ok(Class {
            name: ClassName::new(&pool.class_name(structure.this_class)?),
            super_name: pool.class_name(structure.super_class).ok().map(|name| name.into_owned()),
            access: structure.access,
            is_marked: generated::is_marked(&structure.attributes, &pool),
            head: &bytes[..8],
            constants: &bytes[10..places.access],
            middle: &bytes[places.access..places.methods],
            field_count: places.field_count - places.access,
            fields: fields.collect::<Result<_, _>>()?,
            methods: methods.collect::<Result<_, _>>()?,
            tail: &bytes[places.attributes..],
            with_constants: OnceCell::new(),
            pool,
        })
    }

    /// Whether `ldc` may load a class (JVMS §6.5, from version 49 on).
    pub(super) fn has_class_literals(&self) -> bool {
        self.head.get(6..8).is_some_and(|major| u16::from_be_bytes([major[0], major[1]]) >= 49)
    }

    /// Whether the code reads a static field of the class that is of its own type, as the constants of an enum are. Of the
    /// platform's classes, of which many have constants, a few are known to be enums.
    pub(super) fn may_be_enum(&self, class: &str) -> bool {
        if class.starts_with("java/") {
            return ENUMS.contains(&class);
        }
        let find = || {
            let bodies = self.methods.iter().filter_map(|method| Body::read(method.code?, &self.pool).ok());
            let read = bodies.flat_map(|body| body.instructions).filter_map(|located| match located.instruction {
                Instruction::Field { access: FieldAccess::GetStatic, field } => Some(field),
                _ => None,
            });
            let members = read.filter_map(|field| self.pool.member(field).ok());
            let of_own_type = members.filter(|member| {
                let name = member.descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
                name == Some(&*member.class)
            });
            of_own_type.map(|member| member.class.to_string()).collect()
        };
        self.with_constants.get_or_init(find).contains(class)
    }

    /// The class with the constants of `added` and the bodies that are given.
    pub(super) fn write(&self, added: &PoolWriter, bodies: &[Option<Vec<u8>>]) -> Result<Vec<u8>, InstrumentError> {
        let mut bytes = self.head.to_vec();
        bytes.extend_from_slice(&added.count()?.to_be_bytes());
        bytes.extend_from_slice(self.constants);
        bytes.extend_from_slice(added.bytes());
        bytes.extend_from_slice(self.middle);
        for (method, body) in self.methods.iter().zip(bodies) {
            bytes.extend_from_slice(method.before);
            if let Some(code) = method.code {
                let content = body.as_deref().unwrap_or(code.rest());
                bytes.extend_from_slice(&(content.len() as u32).to_be_bytes());
                bytes.extend_from_slice(content);
            }
            bytes.extend_from_slice(method.after);
        }
        bytes.extend_from_slice(self.tail);
        Ok(bytes)
    }
}

impl FieldParts {
    fn read(member: &Member, pool: &ConstantPool) -> Result<FieldParts, ClassFileError> {
        let (name, descriptor) = (pool.utf8(member.name)?, pool.utf8(member.descriptor)?);
        let (is_static, is_constant) = (member.access & access::STATIC != 0, member.access & access::ENUM != 0);
        let is_private = member.access & access::PRIVATE != 0;
        Ok(FieldParts {
            is_static,
            is_private,
            is_constant,
            name: Arc::from(&*name),
            descriptor: Arc::from(&*descriptor),
        })
    }
}

impl<'a> MethodParts<'a> {
    fn cut(member: &Member<'a>, pool: &ConstantPool<'a>, bytes: &'a [u8]) -> Result<MethodParts<'a>, ClassFileError> {
        let mut codes = member.attributes.iter().filter(|attribute| attribute.name == b"Code");
        let code = codes.next().map(|attribute| attribute.content);
        if let Some(second) = codes.next() {
            return Err(second.content.malformed("second Code attribute"));
        }
        let whole = member.range.clone();
        let (before, after) = match code {
            Some(code) => {
                (&bytes[whole.start..code.position() - 4], &bytes[code.position() + code.rest().len()..whole.end])
            }
            None => (&bytes[whole], &[][..]),
        };
        let (name, descriptor) = (pool.utf8(member.name)?, pool.utf8(member.descriptor)?);
        Ok(MethodParts {
            access: member.access,
            name: Arc::from(&*name),
            descriptor: Arc::from(&*descriptor),
            is_marked: generated::is_marked(&member.attributes, pool),
            before,
            code,
            after,
        })
    }
}

//! Reads class files into an owned summary, and writes simple ones.
//!
//! Any bytes are read without a panic: what the format forbids is an error, what the JVM ignores (annotations it
//! cannot read, say) counts as absent. Nothing is verified; that is the JVM's business.

pub mod writer;

mod body;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod encoded;
pub mod instruction;
mod names;
mod opcode;
mod parser;
pub(crate) mod reader;
pub(crate) mod structure;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use body::{Body, CallSite, Constant, Decoder, FieldMember, Handler, MethodMember, Resolved, Step, Switch, bodies};
pub use encode::{encode, encode_all};
pub use encoded::{
    Encoded, EncodedArray, EncodedConstant, EncodedInstruction, EncodedLocal, EncodedMethod, EncodedSwitch, LocalForm,
    Offset,
};
pub use instruction::{Instruction, Kind};
pub use parser::parse;

use model::jvm::annotations::{Annotation, ElementValue};
use model::jvm::types::{ClassFacts, MethodFacts, access};
use model::jvm::{ClassName, Literal, MethodDescriptor, Primitive, Type};
use reader::Constants;
use std::sync::Arc;
use structure::ExceptionRange;

/// Why bytes are no class file that randgen can read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassFileError {
    /// It is something else.
    #[error("not a class file: it does not begin with CAFEBABE")]
    NotAClassFile,
    /// It ends too early.
    #[error("the class file ends within a structure at offset {offset}")]
    Truncated {
        /// Where it ends.
        offset: usize,
    },
    /// A constant is missing, of another kind than is wanted, or malformed.
    #[error("bad constant {index} in the class file")]
    BadConstant {
        /// Its number in the constant pool.
        index: u16,
    },
    /// Something else breaks the format.
    #[error("bad {what} at offset {offset} of the class file")]
    Malformed {
        /// What breaks it.
        what: &'static str,
        /// Where it is.
        offset: usize,
    },
}

/// One class, interface, or module description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFile {
    /// 52 is Java 8; each release adds one.
    pub major: u16,
    /// The flags of the class itself; what source said of a member class is in its [`InnerClass`] entry.
    pub access: u16,
    /// Its own name.
    pub name: ClassName,
    /// `None` for `java/lang/Object` and module descriptions.
    pub super_class: Option<ClassName>,
    /// Those it implements, or of an interface extends.
    pub interfaces: Vec<ClassName>,
    /// The generic signature (JVMS §4.7.9).
    pub signature: Option<Arc<str>>,
    /// The name of the file that it was compiled from.
    pub source_file: Option<Arc<str>>,
    /// Those that are in the class file, visible at run time or not.
    pub annotations: Vec<Annotation>,
    /// It has the attribute of that name.
    pub deprecated: bool,
    /// The InnerClasses attribute as it is: also classes that are only mentioned (JVMS §4.7.6).
    pub inner_classes: Vec<InnerClass>,
    /// It is a local or anonymous class.
    pub enclosing_method: bool,
    /// The class whose nest it is in; `None` for hosts themselves, and before Java 11.
    pub nest_host: Option<ClassName>,
    /// Empty unless sealed.
    pub permitted_subclasses: Vec<ClassName>,
    /// `None` unless a record.
    pub record_components: Option<Vec<RecordComponent>>,
    /// `None` unless a module description.
    pub module: Option<ModuleDescriptor>,
    /// In the order of the file.
    pub fields: Vec<Field>,
    /// In the order of the file, by which other modules number them.
    pub methods: Vec<Method>,
    constants: Constants,
}

/// One entry of the InnerClasses attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerClass {
    /// The class itself.
    pub inner: ClassName,
    /// `None` for local and anonymous classes.
    pub outer: Option<ClassName>,
    /// `None` for anonymous classes.
    pub simple_name: Option<Arc<str>>,
    /// The flags as source says them.
    pub access: u16,
}

/// One component of a record, in order of declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordComponent {
    /// Its name.
    pub name: Arc<str>,
    /// Its erased type.
    pub component_type: Type,
}

/// What a module description says of its module (JVMS §4.7.25), as far as randgen needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleDescriptor {
    /// Its name with dots.
    pub name: Arc<str>,
    /// The modules that it requires, also those that only compilers need.
    pub requires: Vec<Arc<str>>,
}

/// A declared field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its flags.
    pub access: u16,
    /// Its name.
    pub name: Arc<str>,
    /// Its erased type.
    pub field_type: Type,
    /// The generic signature of its type.
    pub signature: Option<Arc<str>>,
    /// Of the field's own type: a `char` constant is a [`Literal::Char`].
    pub constant_value: Option<Literal>,
    /// On the field or on its type.
    pub annotations: Vec<Annotation>,
}

/// A declared method, constructor or class initializer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its flags.
    pub access: u16,
    /// Its name.
    pub name: Arc<str>,
    /// Its erased parameters and what it returns.
    pub descriptor: MethodDescriptor,
    /// The generic signature.
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
    /// It has the attribute of that name.
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

/// A line of an exception table with the class that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ExceptionEntry {
    range: ExceptionRange,
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
            constants: self.constants(),
        }
    }

    /// Its public static fields of the type `int` that are constants.
    fn constants(&self) -> Vec<(Arc<str>, i32)> {
        let is_open = |access: u16| access & access::PUBLIC != 0 && access & access::STATIC != 0;
        let open = self.fields.iter().filter(|field| is_open(field.access));
        open.filter_map(|field| match field.constant_value {
            Some(Literal::Int(value)) => Some((field.name.clone(), value)),
            _ => None,
        })
        .collect()
    }
}

/// An int as the JVM keeps it, or another constant, as a literal of the field's type (JVMS table 4.7.2-A).
pub(crate) fn constant_of_type(literal: Literal, field_type: &Type) -> Option<Literal> {
    match (literal, field_type) {
        (Literal::Int(value), Type::Primitive(primitive)) => Some(match primitive {
            Primitive::Long | Primitive::Float | Primitive::Double => return None,
            primitive => Literal::of_number(value.into(), *primitive),
        }),
        (literal, field_type) if literal.literal_type().erased() == *field_type => Some(literal),
        _ => None,
    }
}

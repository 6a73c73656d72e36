//! What the fields that an anonymous class declares are called, and their accessors.

use super::{Accessor, Declared, DeclaredField};
use crate::jvm::annotations::Annotation;
use crate::jvm::{MethodDescriptor, Primitive, Type, TypeArgument};
use std::fmt;

impl DeclaredField {
    /// The accessor's name: `getSize`, `isOpen`, `setSize`.
    pub fn accessor_name(&self, accessor: Accessor) -> String {
        let prefix = match accessor {
            Accessor::Setter => "set",
            Accessor::Getter if self.of == Type::Primitive(Primitive::Boolean) => "is",
            Accessor::Getter => "get",
        };
        let mut letters = self.name.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        prefix.chars().chain(first).chain(letters).collect()
    }

    /// The accessor's erased parameters and result.
    pub fn accessor_descriptor(&self, accessor: Accessor) -> MethodDescriptor {
        match accessor {
            Accessor::Getter => MethodDescriptor { parameters: Vec::new(), returns: Some(self.of.clone()) },
            Accessor::Setter => MethodDescriptor { parameters: vec![self.of.clone()], returns: None },
        }
    }

    /// Its type with the type arguments.
    pub fn generic_type(&self) -> Type {
        match &self.of {
            Type::Class(class) if !self.arguments.is_empty() => {
                let arguments = self.arguments.iter().cloned().map(TypeArgument::Exact);
                Type::parameterized(class.clone(), arguments.collect())
            }
            of => of.clone(),
        }
    }

    /// The generic signature (JVMS §4.7.9.1) of a type with arguments.
    pub fn signature(&self) -> Option<String> {
        let arguments: String = self.arguments.iter().map(Type::descriptor).collect();
        let descriptor = self.of.descriptor();
        (!arguments.is_empty()).then(|| format!("{}<{arguments}>;", descriptor.trim_end_matches(';')))
    }
}

impl Declared {
    /// Whether there is anything that a running program can see.
    pub fn shows(&self) -> bool {
        !self.annotations.is_empty() || !self.fields.is_empty()
    }

    /// The annotations of the class and its fields.
    pub fn all_annotations(&self) -> impl Iterator<Item = &Annotation> {
        self.annotations.iter().chain(self.fields.iter().flat_map(|field| &field.annotations))
    }
}

impl fmt::Display for DeclaredField {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for annotation in &self.annotations {
            write!(formatter, "{annotation} ")?;
        }
        match self.accessor {
            Some(Accessor::Getter) => formatter.write_str("getter of ")?,
            Some(Accessor::Setter) => formatter.write_str("setter of ")?,
            None => {}
        }
        write!(formatter, "{} {}", self.of, self.name)?;
        self.input.map_or(Ok(()), |input| write!(formatter, " = input {input}"))
    }
}

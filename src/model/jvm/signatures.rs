//! Generic signatures (JVMS §4.7.9.1), read for what is left of them once type variables are replaced and arguments
//! erased.

use super::{ClassName, MethodDescriptor, Primitive, Type};
use std::collections::BTreeMap;

/// What type variables stand for, erased.
pub type Bindings = BTreeMap<String, Type>;

/// A class's type parameters and supertypes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSignature {
    /// In order of declaration; a bound may name earlier and later ones.
    pub parameters: Vec<TypeParameter>,
    /// The superclass and the interfaces, as they are in the signature.
    supertypes: String,
}

/// A type parameter with its bounds, erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeParameter {
    /// As source has it, such as `T`.
    pub name: String,
    /// At least one; the first is what the parameter erases to.
    pub bounds: Vec<Type>,
}

impl ClassSignature {
    /// What the type parameters erase to.
    pub fn erasures(&self) -> Bindings {
        self.parameters.iter().map(|parameter| (parameter.name.clone(), parameter.bounds[0].clone())).collect()
    }

    /// Reads a whole class signature, such as `<T:Ljava/lang/Object;>Lp/Base<TT;>;`.
    pub fn parse(signature: &str) -> Option<ClassSignature> {
        let mut reader = SignatureReader { rest: signature, bindings: Bindings::new() };
        let parameters = reader.type_parameters()?;
        Some(ClassSignature { parameters, supertypes: reader.rest.to_string() })
    }

    /// The supertypes with the erased type arguments that they are given; none of raw ones.
    pub fn supertypes(&self, bindings: &Bindings) -> Option<Vec<(ClassName, Vec<Type>)>> {
        let mut reader = SignatureReader { rest: &self.supertypes, bindings: bindings.clone() };
        let mut found = Vec::new();
        while !reader.rest.is_empty() {
            reader.rest = reader.rest.strip_prefix('L')?;
            found.push(reader.class()?);
        }
        Some(found)
    }
}

/// The erased descriptor of a method whose class binds its type parameters so.
pub fn bound_descriptor(signature: &str, bindings: &Bindings) -> Option<MethodDescriptor> {
    let mut reader = SignatureReader { rest: signature, bindings: bindings.clone() };
    reader.type_parameters()?;
    reader.rest = reader.rest.strip_prefix('(')?;
    let mut parameters = Vec::new();
    while !reader.rest.starts_with(')') {
        parameters.push(reader.field_type()?);
    }
    reader.rest = &reader.rest[1..];
    let returns = if reader.rest.starts_with('V') { None } else { Some(reader.field_type()?) };
    Some(MethodDescriptor { parameters, returns })
}

/// Of each parameter of a method that is a `Class<T>`, which class it is to be or to extend, erased; the type parameters of
/// the method's class are bound so.
pub fn class_bounds(signature: &str, bindings: &Bindings) -> Option<Vec<Option<Type>>> {
    let mut reader = SignatureReader { rest: signature, bindings: bindings.clone() };
    reader.type_parameters()?;
    reader.rest = reader.rest.strip_prefix('(')?;
    let mut bounds = Vec::new();
    while !reader.rest.starts_with(')') {
        bounds.push(match reader.rest.strip_prefix("Ljava/lang/Class<") {
            Some(_) => {
                reader.rest = &reader.rest[1..];
                reader.class()?.1.pop()
            }
            None => reader.field_type().map(|_| None)?,
        });
    }
    Some(bounds)
}

struct SignatureReader<'a> {
    rest: &'a str,
    bindings: Bindings,
}

impl<'a> SignatureReader<'a> {
    /// `<T:Ljava/lang/Object;>` or nothing; the parameters are bound to their erasures from here on.
    fn type_parameters(&mut self) -> Option<Vec<TypeParameter>> {
        let mut found = Vec::new();
        let Some(rest) = self.rest.strip_prefix('<') else { return Some(found) };
        self.rest = rest;
        while !self.rest.starts_with('>') {
            let name = self.until(':')?.to_string();
            let mut bounds = Vec::new();
            // The first bound is empty where an interface is the first.
            loop {
                if !self.rest.starts_with(':') {
                    bounds.push(self.field_type()?);
                }
                let Some(rest) = self.rest.strip_prefix(':') else { break };
                self.rest = rest;
            }
            if bounds.is_empty() {
                bounds.push(Type::object());
            }
            self.bindings.insert(name.clone(), bounds[0].clone());
            found.push(TypeParameter { name, bounds });
        }
        self.rest = &self.rest[1..];
        Some(found)
    }

    fn field_type(&mut self) -> Option<Type> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        match letter {
            'L' => Some(Type::Class(self.class()?.0)),
            'T' => {
                let name = self.until(';')?;
                Some(self.bindings.get(name).cloned().unwrap_or_else(Type::object))
            }
            '[' => Some(Type::array(self.field_type()?)),
            letter => Primitive::from_descriptor(letter).map(Type::Primitive),
        }
    }

    /// A class type behind its `L`, and the arguments of its innermost class; of a wildcard what it erases to counts.
    fn class(&mut self) -> Option<(ClassName, Vec<Type>)> {
        let mut name = String::new();
        let mut arguments = Vec::new();
        loop {
            let end = self.rest.find(['<', ';', '.'])?;
            name.push_str(&self.rest[..end]);
            let letter = self.rest.as_bytes()[end];
            self.rest = &self.rest[end + 1..];
            match letter {
                b'<' => {
                    arguments.clear();
                    while !self.rest.starts_with('>') {
                        arguments.push(self.argument()?);
                    }
                    self.rest = &self.rest[1..];
                }
                b'.' => {
                    arguments.clear();
                    name.push('$');
                }
                _ => return Some((ClassName::new(&name), arguments)),
            }
        }
    }

    fn argument(&mut self) -> Option<Type> {
        if let Some(rest) = self.rest.strip_prefix('*') {
            self.rest = rest;
            return Some(Type::object());
        }
        self.rest = self.rest.trim_start_matches(['+', '-']);
        self.field_type()
    }

    fn until(&mut self, letter: char) -> Option<&'a str> {
        let (found, rest) = self.rest.split_once(letter)?;
        self.rest = rest;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supertypes(signature: &str) -> Vec<String> {
        let signature = ClassSignature::parse(signature).unwrap();
        let bindings = signature.parameters.iter().map(|each| (each.name.clone(), each.bounds[0].clone())).collect();
        let shown = |(class, arguments): (ClassName, Vec<Type>)| {
            let arguments: Vec<String> = arguments.iter().map(Type::to_string).collect();
            format!("{class}<{}>", arguments.join(", "))
        };
        signature.supertypes(&bindings).unwrap().into_iter().map(shown).collect()
    }

    #[test]
    fn supertypes_are_given_erased_arguments() {
        let found = supertypes("<T::Ljava/util/List<TT;>;U:TT;>Lp/Base<TU;[I>;Lp/Outer<TT;>.Inner<*-Lp/A;>;Lp/Raw;");
        assert_eq!(found, ["p.Base<java.util.List, int[]>", "p.Outer$Inner<java.lang.Object, p.A>", "p.Raw<>"]);
    }

    #[test]
    fn bound_method_replaces_type_variables_by_arguments() {
        let bindings = Bindings::from([("T".to_string(), Type::string())]);
        let bound = |signature| bound_descriptor(signature, &bindings).map(|descriptor| descriptor.to_string());
        assert_eq!(bound("(TT;[TT;I)V").as_deref(), Some("(Ljava/lang/String;[Ljava/lang/String;I)V"));
        assert_eq!(
            bound("<E:Ljava/lang/Enum<TE;>;T:Ljava/lang/Object;>(TE;)Ljava/util/Map<TE;TT;>;^Lp/E;").as_deref(),
            Some("(Ljava/lang/Enum;)Ljava/util/Map;")
        );
        assert_eq!(bound("(Lp/A"), None);
    }

    #[test]
    fn class_parameters_have_the_bounds_of_their_signature() {
        let class = |name: &str| Some(Type::Class(ClassName::new(name)));
        let of_enums = "<E:Ljava/lang/Enum<TE;>;>(Ljava/lang/Class<TE;>;ILjava/lang/Class<+Ljava/lang/Number;>;)TE;";
        let bounds = vec![class("java/lang/Enum"), None, class("java/lang/Number")];
        assert_eq!(class_bounds(of_enums, &Bindings::new()), Some(bounds));
        let any = "(Ljava/lang/Class<*>;[TT;Ljava/lang/Class<TT;>;)V";
        let bindings = Bindings::from([("T".to_string(), Type::string())]);
        let object = class("java/lang/Object");
        assert_eq!(class_bounds(any, &Bindings::new()), Some(vec![object.clone(), None, object.clone()]));
        assert_eq!(class_bounds(any, &bindings), Some(vec![object, None, class("java/lang/String")]));
    }
}

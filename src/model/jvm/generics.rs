//! Generic declarations (JVMS §4.7.9.1) and what they become once type variables are replaced: closed types, which
//! mention no variable.
//!
//! Class files say `Map<String, Long>` in signatures alone; descriptors are erased. A class or method with type
//! parameters is read as a declaration with variables; [`Bindings`] replace them.

use super::types::TypeTable;
use super::{ClassName, Primitive, Type, TypeArgument};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What type variables stand for. A wildcard stands for its capture: an unknown type within its bounds (JLS §5.1.10).
pub type Bindings = BTreeMap<Arc<str>, TypeArgument>;

/// A type as a signature has it, with type variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GenericType {
    /// A primitive type.
    Primitive(Primitive),
    /// A class with the type arguments of its innermost class; none of a raw type or a class without parameters.
    Class(ClassName, Vec<GenericArgument>),
    /// An array of the element type.
    Array(Box<GenericType>),
    /// A type variable of the method, its class, or a class around it.
    Variable(Arc<str>),
}

/// A type argument as a signature has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GenericArgument {
    /// `?`
    Any,
    /// A type.
    Exact(GenericType),
    /// `? extends T`
    Extends(GenericType),
    /// `? super T`
    Super(GenericType),
}

/// A declared type parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericParameter {
    /// As source has it, such as `T`.
    pub name: Arc<str>,
    /// At least one; the first is what the parameter erases to.
    pub bounds: Vec<GenericType>,
}

/// The type parameters and direct supertypes of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericClass {
    /// In order of declaration; a bound may name earlier and later ones.
    pub parameters: Vec<GenericParameter>,
    /// The superclass and the interfaces.
    pub supertypes: Vec<GenericType>,
}

/// A method's type parameters, inputs and result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericMethod {
    /// Its own ones, in order of declaration.
    pub parameters: Vec<GenericParameter>,
    /// Without the receiver. Constructors of inner classes and enums have fewer than their descriptors say.
    pub inputs: Vec<GenericType>,
    /// `None` for void.
    pub output: Option<GenericType>,
}

impl GenericType {
    /// Reads the signature of a field.
    pub fn parse(signature: &str) -> Option<GenericType> {
        let mut reader = Reader { rest: signature, depth: 0 };
        reader.field_type().filter(|_| reader.rest.is_empty())
    }

    /// The type with its variables replaced; `None` if one of them is not bound.
    pub fn bind(&self, bindings: &Bindings) -> Option<Type> {
        Some(match self {
            GenericType::Primitive(primitive) => Type::Primitive(*primitive),
            GenericType::Class(class, arguments) if arguments.is_empty() => Type::Class(class.clone()),
            GenericType::Class(class, arguments) => {
                let arguments = arguments.iter().map(|argument| argument.bind(bindings)).collect::<Option<_>>()?;
                Type::parameterized(class.clone(), arguments)
            }
            GenericType::Array(element) => Type::array(element.bind(bindings)?),
            GenericType::Variable(name) => match bindings.get(name)? {
                TypeArgument::Exact(of) | TypeArgument::Extends(of) => of.clone(),
                TypeArgument::Any | TypeArgument::Super(_) => Type::object(),
            },
        })
    }

    /// What the type erases to (JLS §4.6); a variable that is not bound, to `Object`.
    pub fn erased(&self, bindings: &Bindings) -> Type {
        match self {
            GenericType::Primitive(primitive) => Type::Primitive(*primitive),
            GenericType::Class(class, _) => Type::Class(class.clone()),
            GenericType::Array(element) => Type::array(element.erased(bindings)),
            GenericType::Variable(name) => {
                bindings.get(name).and_then(TypeArgument::bound).map_or_else(Type::object, Type::erased)
            }
        }
    }

    fn collect_classes(&self, found: &mut Vec<ClassName>) {
        match self {
            GenericType::Primitive(_) | GenericType::Variable(_) => {}
            GenericType::Array(element) => element.collect_classes(found),
            GenericType::Class(class, arguments) => {
                found.push(class.clone());
                for argument in arguments {
                    match argument {
                        GenericArgument::Any => {}
                        GenericArgument::Exact(of) | GenericArgument::Extends(of) | GenericArgument::Super(of) => {
                            of.collect_classes(found);
                        }
                    }
                }
            }
        }
    }

    /// Whether one of the variables occurs in it.
    pub fn mentions(&self, variables: &[GenericParameter]) -> bool {
        match self {
            GenericType::Primitive(_) => false,
            GenericType::Class(_, arguments) => arguments.iter().any(|argument| match argument {
                GenericArgument::Any => false,
                GenericArgument::Exact(of) | GenericArgument::Extends(of) | GenericArgument::Super(of) => {
                    of.mentions(variables)
                }
            }),
            GenericType::Array(element) => element.mentions(variables),
            GenericType::Variable(name) => variables.iter().any(|variable| variable.name == *name),
        }
    }
}

impl GenericArgument {
    fn bind(&self, bindings: &Bindings) -> Option<TypeArgument> {
        // A captured variable in the place of an argument is the wildcard again.
        let captured = |of: &GenericType| match of {
            GenericType::Variable(name) => bindings.get(name).cloned(),
            _ => None,
        };
        Some(match self {
            GenericArgument::Any => TypeArgument::Any,
            GenericArgument::Exact(of) => match captured(of) {
                Some(argument) => argument,
                None => TypeArgument::Exact(of.bind(bindings)?),
            },
            GenericArgument::Extends(of) => match captured(of) {
                Some(TypeArgument::Any | TypeArgument::Super(_)) => TypeArgument::Any,
                _ => TypeArgument::Extends(of.bind(bindings)?),
            },
            GenericArgument::Super(of) => match captured(of) {
                Some(TypeArgument::Any | TypeArgument::Extends(_)) => TypeArgument::Any,
                Some(TypeArgument::Super(of)) => TypeArgument::Super(of),
                _ => TypeArgument::Super(of.bind(bindings)?),
            },
        })
    }
}

impl GenericClass {
    /// Reads a class signature, such as `<T:Ljava/lang/Object;>Lp/Base<TT;>;`.
    pub fn parse(signature: &str) -> Option<GenericClass> {
        let mut reader = Reader { rest: signature, depth: 0 };
        let parameters = reader.type_parameters()?;
        let mut supertypes = Vec::new();
        while !reader.rest.is_empty() {
            supertypes.push(reader.field_type()?);
        }
        Some(GenericClass { parameters, supertypes })
    }

    /// The class's parameters bound to the arguments, which are as many.
    pub fn bindings(&self, arguments: &[TypeArgument]) -> Bindings {
        self.parameters.iter().map(|parameter| parameter.name.clone()).zip(arguments.iter().cloned()).collect()
    }
}

impl GenericMethod {
    /// Reads a method signature, such as `<T:Ljava/lang/Object;>(TT;)Ljava/util/List<TT;>;`.
    pub fn parse(signature: &str) -> Option<GenericMethod> {
        let mut reader = Reader { rest: signature, depth: 0 };
        let parameters = reader.type_parameters()?;
        reader.expect('(')?;
        let mut inputs = Vec::new();
        while !reader.rest.starts_with(')') {
            inputs.push(reader.field_type()?);
        }
        reader.expect(')')?;
        let output = if reader.rest.starts_with('V') { None } else { Some(reader.field_type()?) };
        Some(GenericMethod { parameters, inputs, output })
    }
}

/// Binds the type parameters to what they erase to.
pub fn bind_erasures(parameters: &[GenericParameter], bindings: &mut Bindings) {
    for parameter in parameters {
        let erased = parameter.bounds[0].erased(bindings);
        bindings.insert(parameter.name.clone(), TypeArgument::Exact(erased));
    }
}

/// Of each parameter of the method that is a `Class<T>`, which class it is to be or to extend, erased; the type parameters
/// of the method's class are bound so.
pub fn class_bounds(method: &GenericMethod, of_class: &Bindings) -> Vec<Option<Type>> {
    let mut bindings = of_class.clone();
    bind_erasures(&method.parameters, &mut bindings);
    let bound = |input: &GenericType| match input {
        GenericType::Class(class, arguments) if class.internal() == "java/lang/Class" => {
            arguments.last().map(|argument| match argument {
                GenericArgument::Any => Type::object(),
                GenericArgument::Exact(of) | GenericArgument::Extends(of) | GenericArgument::Super(of) => {
                    of.erased(&bindings)
                }
            })
        }
        _ => None,
    };
    method.inputs.iter().map(bound).collect()
}

/// Whether the type arguments satisfy the bounds of the parameters that they are bound to.
pub fn satisfies_bounds(parameters: &[GenericParameter], bindings: &Bindings, types: &TypeTable) -> bool {
    parameters.iter().all(|parameter| match bindings.get(&parameter.name) {
        Some(TypeArgument::Exact(of)) => parameter
            .bounds
            .iter()
            .all(|bound| bound.bind(bindings).is_some_and(|bound| types.is_assignable(of, &bound))),
        _ => true,
    })
}

/// The classes that a signature of a class, method or field names.
pub fn classes_in(signature: &str) -> Vec<ClassName> {
    let mut found = Vec::new();
    let mut reader = Reader { rest: signature, depth: 0 };
    if let Some(parameters) = reader.type_parameters() {
        parameters.iter().flat_map(|parameter| &parameter.bounds).for_each(|bound| bound.collect_classes(&mut found));
    }
    while !reader.rest.is_empty() {
        match reader.rest.chars().next() {
            Some('(' | ')' | '^' | 'V') => reader.rest = &reader.rest[1..],
            _ => match reader.field_type() {
                Some(of) => of.collect_classes(&mut found),
                None => break,
            },
        }
    }
    found
}

/// How deeply types may be nested in a signature: code under test may claim thousands, which no compiler writes.
const NESTING: usize = 255;

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn expect(&mut self, letter: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(letter)?;
        Some(())
    }

    fn until(&mut self, letter: char) -> Option<&'a str> {
        let (found, rest) = self.rest.split_once(letter)?;
        self.rest = rest;
        Some(found)
    }

    /// `<T:Ljava/lang/Object;>` or nothing.
    fn type_parameters(&mut self) -> Option<Vec<GenericParameter>> {
        let mut found = Vec::new();
        if self.expect('<').is_none() {
            return Some(found);
        }
        while self.expect('>').is_none() {
            let name = Arc::from(self.until(':')?);
            let mut bounds = Vec::new();
            // The first bound is empty where an interface is the first.
            loop {
                if !self.rest.starts_with(':') {
                    bounds.push(self.field_type()?);
                }
                if self.expect(':').is_none() {
                    break;
                }
            }
            if bounds.is_empty() {
                bounds.push(GenericType::Class(ClassName::new("java/lang/Object"), Vec::new()));
            }
            found.push(GenericParameter { name, bounds });
        }
        Some(found)
    }

    fn field_type(&mut self) -> Option<GenericType> {
        self.depth += 1;
        let read = if self.depth <= NESTING { self.nested_type() } else { None };
        self.depth -= 1;
        read
    }

    fn nested_type(&mut self) -> Option<GenericType> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        match letter {
            'L' => self.class(),
            'T' => Some(GenericType::Variable(Arc::from(self.until(';')?))),
            '[' => Some(GenericType::Array(Box::new(self.field_type()?))),
            letter => Primitive::from_descriptor(letter).map(GenericType::Primitive),
        }
    }

    /// A class type behind its `L`.
    fn class(&mut self) -> Option<GenericType> {
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
                    while self.expect('>').is_none() {
                        arguments.push(self.argument()?);
                    }
                }
                b'.' => {
                    arguments.clear();
                    name.push('$');
                }
                _ => return Some(GenericType::Class(ClassName::new(&name), arguments)),
            }
        }
    }

    fn argument(&mut self) -> Option<GenericArgument> {
        if self.expect('*').is_some() {
            return Some(GenericArgument::Any);
        }
        if self.expect('+').is_some() {
            return self.field_type().map(GenericArgument::Extends);
        }
        if self.expect('-').is_some() {
            return self.field_type().map(GenericArgument::Super);
        }
        self.field_type().map(GenericArgument::Exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(signature: &str, bindings: &[(&str, TypeArgument)]) -> Option<String> {
        let bindings = bindings.iter().map(|(name, of)| (Arc::from(*name), of.clone())).collect();
        GenericType::parse(signature)?.bind(&bindings).map(|of| of.to_string())
    }

    #[test]
    fn variables_are_replaced_in_arguments_arrays_and_bounds() {
        let string = TypeArgument::Exact(Type::string());
        let check = |signature: &str, argument: &TypeArgument, expected: &str| {
            assert_eq!(bound(signature, &[("T", argument.clone())]).as_deref(), Some(expected));
        };
        check("TT;", &string, "java.lang.String");
        check("[TT;", &string, "java.lang.String[]");
        check("Ljava/util/Map<TT;+TT;>;", &string, "java.util.Map<java.lang.String, ? extends java.lang.String>");
        let wildcard = TypeArgument::Extends(Type::string());
        check("TT;", &wildcard, "java.lang.String");
        check("Ljava/util/List<TT;>;", &wildcard, "java.util.List<? extends java.lang.String>");
        check("Ljava/util/List<-TT;>;", &wildcard, "java.util.List<?>");
        check("Ljava/util/List<+TT;>;", &TypeArgument::Any, "java.util.List<?>");
        assert_eq!(bound("Lp/Outer<TT;>.Inner<*>;", &[]).as_deref(), Some("p.Outer$Inner<?>"));
        assert_eq!(bound("Ljava/util/List<TU;>;", &[]), None);
        assert_eq!(bound("Lp/A", &[]), None);
    }

    #[test]
    fn method_signature_has_type_parameters_with_bounds() {
        let method = GenericMethod::parse("<E:Ljava/lang/Enum<TE;>;:Lp/I;T::Lp/J;>(TE;[I)V^TT;").unwrap();
        let names: Vec<(&str, usize)> =
            method.parameters.iter().map(|parameter| (&*parameter.name, parameter.bounds.len())).collect();
        assert_eq!(names, [("E", 2), ("T", 1)]);
        assert_eq!((method.inputs.len(), method.output.clone()), (2, None));
        assert!(method.inputs[0].mentions(&method.parameters) && !method.inputs[1].mentions(&method.parameters));
    }

    #[test]
    fn supertypes_have_the_erasures_of_their_variables() {
        let signature = "<T::Ljava/util/List<TT;>;U:TT;>Lp/Base<TU;[I>;Lp/Outer<TT;>.Inner<*-Lp/A;>;Lp/Raw;";
        let class = GenericClass::parse(signature).unwrap();
        let mut bindings = Bindings::new();
        bind_erasures(&class.parameters, &mut bindings);
        let found: Vec<String> = class.supertypes.iter().map(|of| of.bind(&bindings).unwrap().to_string()).collect();
        assert_eq!(found, ["p.Base<java.util.List, int[]>", "p.Outer$Inner<?, ? super p.A>", "p.Raw"]);
    }

    #[test]
    fn erased_method_has_arguments_or_bounds_for_its_variables() {
        let of_class = Bindings::from([(Arc::from("T"), TypeArgument::Exact(Type::string()))]);
        let erased = |signature: &str| {
            let method = GenericMethod::parse(signature)?;
            let mut bindings = of_class.clone();
            bind_erasures(&method.parameters, &mut bindings);
            let parameters = method.inputs.iter().map(|of| of.erased(&bindings)).collect();
            let returns = method.output.map(|of| of.erased(&bindings));
            Some(crate::jvm::MethodDescriptor { parameters, returns }.to_string())
        };
        assert_eq!(erased("(TT;[TT;I)V").as_deref(), Some("(Ljava/lang/String;[Ljava/lang/String;I)V"));
        assert_eq!(
            erased("<E:Ljava/lang/Enum<TE;>;T:Ljava/lang/Object;>(TE;)Ljava/util/Map<TE;TT;>;^Lp/E;").as_deref(),
            Some("(Ljava/lang/Enum;)Ljava/util/Map;")
        );
        assert_eq!(erased("(Lp/A"), None);
    }

    #[test]
    fn class_parameters_have_the_bounds_of_their_signature() {
        let class = |name: &str| Some(Type::class(name));
        let bounds =
            |signature: &str, bindings: &Bindings| class_bounds(&GenericMethod::parse(signature).unwrap(), bindings);
        let of_enums = "<E:Ljava/lang/Enum<TE;>;>(Ljava/lang/Class<TE;>;ILjava/lang/Class<+Ljava/lang/Number;>;)TE;";
        let expected = vec![class("java/lang/Enum"), None, class("java/lang/Number")];
        assert_eq!(bounds(of_enums, &Bindings::new()), expected);
        let any = "(Ljava/lang/Class<*>;[TT;Ljava/lang/Class<TT;>;)V";
        let bindings = Bindings::from([(Arc::from("T"), TypeArgument::Exact(Type::string()))]);
        let object = class("java/lang/Object");
        assert_eq!(bounds(any, &Bindings::new()), vec![object.clone(), None, object.clone()]);
        assert_eq!(bounds(any, &bindings), vec![object, None, class("java/lang/String")]);
    }

    #[test]
    fn signature_nested_beyond_any_compiler_is_refused() {
        assert!(GenericType::parse(&format!("{}I", "[".repeat(NESTING - 1))).is_some());
        assert_eq!(GenericType::parse(&format!("{}I", "[".repeat(60_000))), None);
        assert_eq!(GenericType::parse(&"Lp/A<".repeat(12_000)), None);
    }
}

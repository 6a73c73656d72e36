//! Names, types, descriptors and literals of the Java virtual machine.

mod ancestors;
pub mod annotations;
pub mod generics;
pub mod types;

use std::fmt;
use std::sync::Arc;

/// A class's binary name in internal form, such as `java/util/Map$Entry` (JVMS §4.2.1).
///
/// Cheap to clone; ordered by its text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct ClassName(Arc<str>);

impl ClassName {
    /// From the internal form, with slashes.
    pub fn new(internal: &str) -> ClassName {
        ClassName(Arc::from(internal))
    }

    /// From the form that `Class.getName` returns, with dots.
    pub fn from_binary(binary: &str) -> ClassName {
        ClassName(Arc::from(binary.replace('.', "/")))
    }

    /// `java/util/Map$Entry`.
    pub fn internal(&self) -> &str {
        &self.0
    }

    /// `java.util.Map$Entry`.
    pub fn binary(&self) -> String {
        self.0.replace('/', ".")
    }

    /// `java.util`, empty for the unnamed package.
    pub fn package(&self) -> String {
        self.0.rsplit_once('/').map_or(String::new(), |(package, _)| package.replace('/', "."))
    }

    /// The internal name up to its first `$`, such as `java/util/Map`: nested classes have that of the class around them all.
    pub fn outermost(&self) -> &str {
        self.0.split_once('$').map_or(&*self.0, |(outermost, _)| outermost)
    }

    /// The name after the package, such as `Map$Entry`.
    pub fn simple(&self) -> &str {
        self.0.rsplit_once('/').map_or(&*self.0, |(_, simple)| simple)
    }
}

impl fmt::Debug for ClassName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.binary())
    }
}

/// The eight primitive types (JVMS §2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Primitive {
    /// True or false; an `int` of 1 or 0 on the operand stack (JVMS §2.3.4).
    Boolean,
    /// 8 bits, signed.
    Byte,
    /// A UTF-16 code unit: 16 bits, unsigned.
    Char,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed; narrower types are computed as this one (JVMS §2.11.1).
    Int,
    /// 64 bits, signed; takes two local variables (JVMS §2.6.1).
    Long,
    /// IEEE 754 binary32.
    Float,
    /// IEEE 754 binary64; takes two local variables (JVMS §2.6.1).
    Double,
}

impl Primitive {
    /// All of them, in the order of the enum.
    pub const ALL: [Primitive; 8] = [
        Primitive::Boolean,
        Primitive::Byte,
        Primitive::Char,
        Primitive::Short,
        Primitive::Int,
        Primitive::Long,
        Primitive::Float,
        Primitive::Double,
    ];

    /// The letter of a descriptor, such as `Z` for boolean (JVMS table 4.3-A).
    pub fn descriptor(self) -> char {
        match self {
            Primitive::Boolean => 'Z',
            Primitive::Byte => 'B',
            Primitive::Char => 'C',
            Primitive::Short => 'S',
            Primitive::Int => 'I',
            Primitive::Long => 'J',
            Primitive::Float => 'F',
            Primitive::Double => 'D',
        }
    }

    /// The type of a descriptor's letter.
    pub fn from_descriptor(letter: char) -> Option<Primitive> {
        Primitive::ALL.into_iter().find(|primitive| primitive.descriptor() == letter)
    }

    /// The keyword, such as `boolean`.
    pub fn keyword(self) -> &'static str {
        match self {
            Primitive::Boolean => "boolean",
            Primitive::Byte => "byte",
            Primitive::Char => "char",
            Primitive::Short => "short",
            Primitive::Int => "int",
            Primitive::Long => "long",
            Primitive::Float => "float",
            Primitive::Double => "double",
        }
    }

    /// The class that boxes it, such as `java/lang/Boolean`.
    pub fn wrapper(self) -> ClassName {
        ClassName::new(match self {
            Primitive::Boolean => "java/lang/Boolean",
            Primitive::Byte => "java/lang/Byte",
            Primitive::Char => "java/lang/Character",
            Primitive::Short => "java/lang/Short",
            Primitive::Int => "java/lang/Integer",
            Primitive::Long => "java/lang/Long",
            Primitive::Float => "java/lang/Float",
            Primitive::Double => "java/lang/Double",
        })
    }
}

/// A type without type variables: what a field descriptor can say (JVMS §4.3.2), and type arguments.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// A value without identity, never null.
    Primitive(Primitive),
    /// A class or interface; a raw type if the class has type parameters (JLS §4.8).
    Class(ClassName),
    /// The element type of one dimension.
    Array(Arc<Type>),
    /// A class or interface with type arguments (JLS §4.5).
    Parameterized(Arc<Parameterized>),
}

/// A class with type arguments, one for each of its type parameters.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Parameterized {
    /// What the type erases to.
    pub class: ClassName,
    /// At least one.
    pub arguments: Vec<TypeArgument>,
}

/// A type argument (JLS §4.5.1).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TypeArgument {
    /// `?`
    Any,
    /// A reference type.
    Exact(Type),
    /// `? extends T`
    Extends(Type),
    /// `? super T`
    Super(Type),
}

impl Type {
    /// `int`.
    pub const INT: Type = Type::Primitive(Primitive::Int);
    /// `boolean`.
    pub const BOOLEAN: Type = Type::Primitive(Primitive::Boolean);

    /// A class or interface by its internal name.
    pub fn class(internal: &str) -> Type {
        Type::Class(ClassName::new(internal))
    }

    /// `java.lang.Object`.
    pub fn object() -> Type {
        Type::class("java/lang/Object")
    }

    /// `java.lang.String`.
    pub fn string() -> Type {
        Type::class("java/lang/String")
    }

    /// An array of `element`.
    pub fn array(element: Type) -> Type {
        Type::Array(Arc::new(element))
    }

    /// A class with type arguments.
    pub fn parameterized(class: ClassName, arguments: Vec<TypeArgument>) -> Type {
        Type::Parameterized(Arc::new(Parameterized { class, arguments }))
    }

    /// The class or interface, its type arguments left out; `None` for primitives and arrays.
    pub fn class_name(&self) -> Option<&ClassName> {
        match self {
            Type::Class(class) => Some(class),
            Type::Parameterized(of) => Some(&of.class),
            Type::Primitive(_) | Type::Array(_) => None,
        }
    }

    /// The type without type arguments (JLS §4.6).
    pub fn erased(&self) -> Type {
        match self {
            Type::Primitive(_) | Type::Class(_) => self.clone(),
            Type::Array(element) => Type::array(element.erased()),
            Type::Parameterized(of) => Type::Class(of.class.clone()),
        }
    }

    /// Whether a cast to it can be checked at run time (JLS §4.7), if it is not raw.
    pub fn is_reifiable(&self) -> bool {
        match self {
            Type::Primitive(_) | Type::Class(_) => true,
            Type::Array(element) => element.is_reifiable(),
            Type::Parameterized(of) => of.arguments.iter().all(|argument| *argument == TypeArgument::Any),
        }
    }

    /// How deeply type arguments are nested: 0 without any.
    pub fn nesting(&self) -> usize {
        match self {
            Type::Primitive(_) | Type::Class(_) => 0,
            Type::Array(element) => element.nesting(),
            Type::Parameterized(of) => {
                1 + of.arguments.iter().filter_map(TypeArgument::bound).map(Type::nesting).max().unwrap_or(0)
            }
        }
    }

    /// All classes that it names, those of its type arguments included.
    pub fn classes(&self) -> Vec<ClassName> {
        match self {
            Type::Primitive(_) => Vec::new(),
            Type::Class(class) => vec![class.clone()],
            Type::Array(element) => element.classes(),
            Type::Parameterized(of) => {
                let bounds = of.arguments.iter().filter_map(TypeArgument::bound);
                std::iter::once(of.class.clone()).chain(bounds.flat_map(Type::classes)).collect()
            }
        }
    }

    /// Whether it is `java.lang.Object`, or an array of such: what any object is, or a list of arguments of any type.
    pub fn is_any_object(&self) -> bool {
        let element = if let Type::Array(element) = self { &**element } else { self };
        matches!(element, Type::Class(class) if class.internal() == "java/lang/Object")
    }

    /// Whether its values are no references, so that null is none of them.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Type::Primitive(_))
    }

    /// Whether it is exactly `java.lang.String`, whose values literals can be.
    pub fn is_string(&self) -> bool {
        matches!(self, Type::Class(name) if name.internal() == "java/lang/String")
    }

    /// Reads one field descriptor off the front of `text`; the rest is returned too.
    pub fn parse_prefix(text: &str) -> Option<(Type, &str)> {
        let letter = text.chars().next()?;
        let rest = &text[letter.len_utf8()..];
        match letter {
            'L' => {
                let (name, rest) = rest.split_once(';')?;
                (!name.is_empty()).then(|| (Type::class(name), rest))
            }
            '[' => {
                let element = text.trim_start_matches('[');
                let dimensions = text.len() - element.len();
                // At most 255 (JVMS §4.3.2); class files may claim thousands.
                if dimensions > 255 {
                    return None;
                }
                let (element, rest) = Type::parse_prefix(element)?;
                Some(((0..dimensions).fold(element, |element, _| Type::array(element)), rest))
            }
            letter => Some((Type::Primitive(Primitive::from_descriptor(letter)?), rest)),
        }
    }

    /// Reads a whole field descriptor, such as `[Ljava/lang/String;`.
    pub fn parse(descriptor: &str) -> Option<Type> {
        Type::parse_prefix(descriptor).filter(|(_, rest)| rest.is_empty()).map(|(parsed, _)| parsed)
    }

    /// Reads a name as a class constant holds it (JVMS §4.4.1): an array's descriptor or a class's internal name.
    pub fn from_class_constant(name: &str) -> Option<Type> {
        if name.starts_with('[') { Type::parse(name) } else { Some(Type::class(name)) }
    }

    /// The field descriptor, in which type arguments are erased.
    pub fn descriptor(&self) -> String {
        match self {
            Type::Primitive(primitive) => primitive.descriptor().to_string(),
            Type::Class(name) => format!("L{};", name.internal()),
            Type::Array(element) => format!("[{}", element.descriptor()),
            Type::Parameterized(of) => format!("L{};", of.class.internal()),
        }
    }
}

impl TypeArgument {
    /// The type that it is or that bounds it; `None` for `?`.
    pub fn bound(&self) -> Option<&Type> {
        match self {
            TypeArgument::Any => None,
            TypeArgument::Exact(of) | TypeArgument::Extends(of) | TypeArgument::Super(of) => Some(of),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Parameterized(_) => write!(formatter, "{self}"),
            _ => formatter.write_str(&self.descriptor()),
        }
    }
}

impl fmt::Debug for TypeArgument {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl fmt::Display for TypeArgument {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeArgument::Any => formatter.write_str("?"),
            TypeArgument::Exact(of) => write!(formatter, "{of}"),
            TypeArgument::Extends(of) => write!(formatter, "? extends {of}"),
            TypeArgument::Super(of) => write!(formatter, "? super {of}"),
        }
    }
}

/// `java.util.List<java.util.Map$Entry>[]`: the type with binary class names.
impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Primitive(primitive) => formatter.write_str(primitive.keyword()),
            Type::Class(name) => write!(formatter, "{name}"),
            Type::Array(element) => write!(formatter, "{element}[]"),
            Type::Parameterized(of) => {
                let arguments: Vec<String> = of.arguments.iter().map(TypeArgument::to_string).collect();
                write!(formatter, "{}<{}>", of.class, arguments.join(", "))
            }
        }
    }
}

/// Parameter types and return type of a method (JVMS §4.3.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodDescriptor {
    /// In order, without the receiver.
    pub parameters: Vec<Type>,
    /// `None` for void.
    pub returns: Option<Type>,
}

impl MethodDescriptor {
    /// Reads a whole method descriptor, such as `(ILjava/lang/String;)V`.
    pub fn parse(descriptor: &str) -> Option<MethodDescriptor> {
        let mut rest = descriptor.strip_prefix('(')?;
        let mut parameters = Vec::new();
        while !rest.starts_with(')') {
            let (parameter, after) = Type::parse_prefix(rest)?;
            // At most 255 (JVMS §4.3.3); class files may claim thousands.
            if parameters.len() == 255 {
                return None;
            }
            parameters.push(parameter);
            rest = after;
        }
        let returns = match &rest[1..] {
            "V" => None,
            descriptor => Some(Type::parse(descriptor)?),
        };
        Some(MethodDescriptor { parameters, returns })
    }
}

/// The descriptor's text.
impl fmt::Display for MethodDescriptor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("(")?;
        for parameter in &self.parameters {
            formatter.write_str(&parameter.descriptor())?;
        }
        formatter.write_str(")")?;
        formatter.write_str(&self.returns.as_ref().map_or("V".to_string(), Type::descriptor))
    }
}

/// A Java string: any UTF-16 units, also lone surrogates.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JavaString(Arc<[u16]>);

impl JavaString {
    /// From UTF-16 code units, which need not pair surrogates.
    pub fn from_units(units: &[u16]) -> JavaString {
        JavaString(Arc::from(units))
    }

    /// The UTF-16 code units, as `String.charAt` counts them.
    pub fn units(&self) -> &[u16] {
        &self.0
    }
}

/// `String.hashCode` of the UTF-16 units.
pub fn string_hash(units: &[u16]) -> i32 {
    units.iter().fold(0i32, |hash, &unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

impl From<&str> for JavaString {
    fn from(text: &str) -> JavaString {
        JavaString(text.encode_utf16().collect())
    }
}

/// Lone surrogates show as U+FFFD.
impl fmt::Display for JavaString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&String::from_utf16_lossy(&self.0))
    }
}

impl fmt::Debug for JavaString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.to_string())
    }
}

/// A value that source code can write down.
///
/// Floats are kept as their bits, so that NaN payloads and −0.0 compare and hash as what they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Literal {
    /// `true` or `false`.
    Boolean(bool),
    /// An `int` constant with a cast, as source has no literal of this type.
    Byte(i8),
    /// A UTF-16 code unit, also one half of a surrogate pair.
    Char(u16),
    /// An `int` constant with a cast, as source has no literal of this type.
    Short(i16),
    /// Such as `7`.
    Int(i32),
    /// Such as `7L`.
    Long(i64),
    /// `f32::to_bits`
    Float(u32),
    /// `f64::to_bits`
    Double(u64),
    /// A string constant, equal by its text.
    String(JavaString),
    /// A class literal, such as `String.class` or `int[].class`.
    Class(Type),
    /// `null`, seen as a value of the type (never primitive).
    Null(Type),
}

impl Literal {
    /// The type of the literal; of a class literal `java.lang.Class`.
    pub fn literal_type(&self) -> Type {
        match self {
            Literal::Boolean(_) => Type::BOOLEAN,
            Literal::Byte(_) => Type::Primitive(Primitive::Byte),
            Literal::Char(_) => Type::Primitive(Primitive::Char),
            Literal::Short(_) => Type::Primitive(Primitive::Short),
            Literal::Int(_) => Type::INT,
            Literal::Long(_) => Type::Primitive(Primitive::Long),
            Literal::Float(_) => Type::Primitive(Primitive::Float),
            Literal::Double(_) => Type::Primitive(Primitive::Double),
            Literal::String(_) => Type::string(),
            Literal::Class(of) => {
                let argument = match of {
                    Type::Primitive(primitive) => Type::Class(primitive.wrapper()),
                    of => of.clone(),
                };
                Type::parameterized(ClassName::new("java/lang/Class"), vec![TypeArgument::Exact(argument)])
            }
            Literal::Null(of) => of.clone(),
        }
    }

    /// The number as the type has it; of types that are too narrow, the lower bits.
    pub fn of_number(number: i64, of: Primitive) -> Literal {
        match of {
            Primitive::Boolean => Literal::Boolean(number != 0),
            Primitive::Byte => Literal::Byte(number as i8),
            Primitive::Char => Literal::Char(number as u16),
            Primitive::Short => Literal::Short(number as i16),
            Primitive::Int => Literal::Int(number as i32),
            Primitive::Long => Literal::Long(number),
            Primitive::Float => Literal::float(number as f32),
            Primitive::Double => Literal::double(number as f64),
        }
    }

    /// A `float` by its value; NaN keeps its payload.
    pub fn float(value: f32) -> Literal {
        Literal::Float(value.to_bits())
    }

    /// A `double` by its value; NaN keeps its payload.
    pub fn double(value: f64) -> Literal {
        Literal::Double(value.to_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_classes_have_the_name_of_the_outermost_one() {
        for name in ["java/util/Map", "java/util/Map$Entry", "java/util/Map$Entry$1"] {
            assert_eq!(ClassName::new(name).outermost(), "java/util/Map");
        }
    }

    #[test]
    fn descriptors_survive_a_round_trip() {
        for text in ["()V", "(I[[Ljava/lang/String;Z)J", "(Ljava/util/List;)[D"] {
            assert_eq!(MethodDescriptor::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn broken_descriptors_are_refused() {
        for text in ["", "(", "(I", "(Q)V", "(L;)V", "()", "()VV", "(Ljava/lang/String)V"] {
            assert_eq!(MethodDescriptor::parse(text), None, "{text}");
        }
        assert_eq!(Type::parse(&format!("{}I", "[".repeat(256))), None);
    }

    #[test]
    fn class_name_splits_into_package_and_simple_name() {
        let name = ClassName::from_binary("java.util.Map$Entry");
        assert_eq!((name.package().as_str(), name.simple()), ("java.util", "Map$Entry"));
        assert_eq!(ClassName::new("Unnamed").package(), "");
    }
}

//! Calls as Java expressions whose overload, access and type arguments the compiler resolves to the very member that
//! the sequence ran.
//!
//! Variables have raw, erased types, so that members seen through them have the types of their descriptors (JLS §4.8).
//! Where that does not hold (a receiver that is no raw type itself but inherits from a parameterized one, generic
//! methods of classes without type parameters) arguments or the receiver are cast.

use super::literal::element_text;
use super::names::Names;
use model::jvm::signatures::{ClassSignature, TypeParameter};
use model::jvm::types::{ClassFacts, MethodFacts, TypeTable, access, is_java_identifier};
use model::jvm::{ClassName, Primitive, Type};
use model::sequence::{Operation, OperationKind};

/// A Java expression by which later statements refer to a value.
#[derive(Clone, Debug)]
pub(super) struct JavaExpression {
    /// A variable, a literal or an expression that may be evaluated late.
    pub text: String,
    /// Its static type, erased.
    pub static_type: Type,
    pub shape: Shape,
    /// Nesting depth of calls in argument lists: 0 for variables, literals, and calls with only such arguments.
    pub nesting: usize,
}

impl JavaExpression {
    /// An expression without calls.
    pub fn simple(text: String, static_type: Type, shape: Shape) -> JavaExpression {
        JavaExpression { text, static_type, shape, nesting: 0 }
    }
}

/// The syntactic form of an expression, which matters for overloads and precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Plain,
    /// A cast or a new array, which a dot may not follow (JLS §15.8).
    Compound,
    Null,
    /// `Foo.class`, which is a `Class<Foo>` and not raw.
    ClassLiteral,
}

/// The expression for `operation` applied to `inputs`, or the reason why Java source cannot express it.
pub(super) fn call_text(
    operation: &Operation,
    inputs: &[JavaExpression],
    names: &mut Names<'_>,
) -> Result<String, String> {
    let named = || match is_java_identifier(&operation.name) {
        true => Ok(&*operation.name),
        false => Err(format!("`{}` is a name that Java cannot write", operation.name)),
    };
    match operation.kind {
        OperationKind::Constructor => constructor_text(operation, inputs, names),
        OperationKind::StaticMethod => {
            let name = named()?;
            check_access(operation, names)?;
            let owner = names.class_name(&operation.owner)?;
            let type_arguments = type_arguments(operation, inputs, names);
            let arguments = arguments_text(operation, &operation.owner, inputs, true, names)?;
            Ok(format!("{owner}.{type_arguments}{name}({arguments})"))
        }
        OperationKind::InstanceMethod => {
            let name = named()?;
            check_access(operation, names)?;
            let (receiver, arguments) = inputs.split_first().ok_or("a call without its receiver")?;
            let (receiver, class) = receiver_text(operation, receiver, names)?;
            let raw = names.types.get(&class).is_some_and(ClassFacts::is_generic);
            let arguments = arguments_text(operation, &class, arguments, !raw, names)?;
            Ok(format!("{receiver}.{name}({arguments})"))
        }
        OperationKind::GetStatic => {
            check_field_access(operation, names)?;
            Ok(format!("{}.{}", names.class_name(&operation.owner)?, named()?))
        }
        OperationKind::SetStatic => {
            check_field_access(operation, names)?;
            let value = assigned_text(operation, inputs.first().ok_or("an assignment without a value")?, names)?;
            Ok(format!("{}.{} = {value}", names.class_name(&operation.owner)?, named()?))
        }
        OperationKind::GetField => {
            let receiver = field_receiver_text(operation, inputs.first().ok_or("a field without its object")?, names)?;
            Ok(format!("{receiver}.{}", named()?))
        }
        OperationKind::SetField => {
            let [receiver, value] = inputs else { return Err("an assignment without its value".to_string()) };
            let value = assigned_text(operation, value, names)?;
            let receiver = field_receiver_text(operation, receiver, names)?;
            Ok(format!("{receiver}.{} = {value}", named()?))
        }
        OperationKind::Array => array_text(operation, inputs, names),
        OperationKind::Implementation => Err("an implementation is no call".to_string()),
        OperationKind::Cast => {
            let of = operation.output.as_ref().ok_or("a cast without a type")?;
            let value = inputs.first().ok_or("a cast without a value")?;
            let possible = value.shape == Shape::Null || can_be_cast(&value.static_type, of, names.types);
            let through = through_object(possible, names);
            Ok(format!("({}) {through}{}", names.type_name(of)?, value.text))
        }
    }
}

/// Whether some object is of both types (JLS §5.5): of two classes if one is the other's subclass, of an interface and a
/// class unless the latter is final.
fn can_be_cast(from: &Type, to: &Type, types: &TypeTable) -> bool {
    let is = |of: &Type, what: fn(&ClassFacts) -> bool| match of {
        Type::Class(class) => types.get(class).is_some_and(what),
        _ => false,
    };
    let is_open = |of: &Type| is(of, |facts| facts.access & access::FINAL == 0);
    types.is_assignable(from, to)
        || types.is_assignable(to, from)
        || (is(from, ClassFacts::is_interface) && is_open(to))
        || (is(to, ClassFacts::is_interface) && is_open(from))
}

/// The text as an operand of a dot.
fn primary_text(held: &JavaExpression, names: &mut Names<'_>) -> Result<String, String> {
    match held.shape {
        Shape::Null => Ok(format!("(({}) null)", names.type_name(&held.static_type)?)),
        Shape::Compound => Ok(format!("({})", held.text)),
        _ => Ok(held.text.clone()),
    }
}

fn constructor_text(operation: &Operation, inputs: &[JavaExpression], names: &mut Names<'_>) -> Result<String, String> {
    check_access(operation, names)?;
    let owner = names.class_name(&operation.owner)?;
    let is_inner = names.types.get(&operation.owner).is_some_and(|facts| facts.is_inner());
    let arguments = arguments_text(operation, &operation.owner, inputs, !is_raw(&operation.owner, names.types), names)?;
    match inputs.first() {
        Some(outer) if is_inner => {
            let simple = owner.rsplit('.').next().unwrap_or_default();
            Ok(format!("{}.new {simple}({arguments})", primary_text(outer, names)?))
        }
        _ => Ok(format!("new {owner}({arguments})")),
    }
}

fn array_text(operation: &Operation, inputs: &[JavaExpression], names: &mut Names<'_>) -> Result<String, String> {
    let Some(Type::Array(element)) = &operation.output else { return Err("an array without a type".to_string()) };
    let element_name = names.type_name(element)?;
    if inputs.is_empty() {
        // `new int[0][]`: the length belongs to the first pair of brackets.
        let (base, dimensions) = element_name.split_at(element_name.find('[').unwrap_or(element_name.len()));
        return Ok(format!("new {base}[0]{dimensions}"));
    }
    let elements: Vec<&str> = inputs.iter().map(|input| element_text(&input.text, element)).collect();
    Ok(format!("new {element_name}[] {{{}}}", elements.join(", ")))
}

/// The receiver's expression, and the class in which the compiler will look for the method.
fn receiver_text(
    operation: &Operation,
    receiver: &JavaExpression,
    names: &mut Names<'_>,
) -> Result<(String, ClassName), String> {
    let Type::Class(class) = &receiver.static_type else {
        return Ok((primary_text(receiver, names)?, ClassName::new("java/lang/Object")));
    };
    let differs = *class != operation.owner;
    // Seen through `Foo extends Bar<String>`, `set(T)` takes a String, not the Object of its descriptor.
    let parameterized = differs
        && !is_raw(class, names.types)
        && is_raw(&operation.owner, names.types)
        && parameter_signatures(operation).iter().any(|parameter| mentions_generics(parameter));
    // A subclass elsewhere may override a member of this package by one that only its own package may call.
    let restricted = differs && !operation.public && class.package() != names.package;
    if parameterized || restricted {
        let owner = names.class_name(&operation.owner)?;
        return Ok((format!("(({owner}) {})", receiver.text), operation.owner.clone()));
    }
    Ok((primary_text(receiver, names)?, class.clone()))
}

/// A field is looked up in the static type, where a subclass may hide it (JLS §8.3.3).
fn field_receiver_text(
    operation: &Operation,
    receiver: &JavaExpression,
    names: &mut Names<'_>,
) -> Result<String, String> {
    check_field_access(operation, names)?;
    if receiver.static_type == Type::Class(operation.owner.clone()) {
        return primary_text(receiver, names);
    }
    Ok(format!("(({}) {})", names.class_name(&operation.owner)?, receiver.text))
}

/// The right-hand side of an assignment to a field.
fn assigned_text(operation: &Operation, value: &JavaExpression, names: &mut Names<'_>) -> Result<String, String> {
    let generic = operation.signature.as_deref().is_some_and(mentions_generics);
    match operation.descriptor.parameters.first() {
        Some(of) if generic && *of != value.static_type => Ok(format!("({}) {}", names.type_name(of)?, value.text)),
        _ => Ok(value.text.clone()),
    }
}

fn check_access(operation: &Operation, names: &Names<'_>) -> Result<(), String> {
    let own_package = operation.owner.package() == names.package;
    let declared = names.types.get(&operation.owner).and_then(|facts| {
        let is_it = |method: &&MethodFacts| {
            method.name == operation.name && method.descriptor.parameters == operation.descriptor.parameters
        };
        facts.methods.iter().find(is_it)
    });
    let accessible = match declared {
        Some(method) if method.access & access::PRIVATE != 0 => false,
        Some(method) => own_package || method.access & access::PUBLIC != 0,
        None => own_package || operation.public || operation.kind == OperationKind::InstanceMethod,
    };
    if accessible { Ok(()) } else { Err(format!("{operation} is not accessible from the test's package")) }
}

fn check_field_access(operation: &Operation, names: &Names<'_>) -> Result<(), String> {
    let accessible = operation.public || operation.owner.package() == names.package;
    if accessible { Ok(()) } else { Err(format!("{operation} is not accessible from the test's package")) }
}

/// The arguments of the superclass's constructor: `inputs` are those of an implementation.
pub(super) fn super_arguments(
    operation: &Operation,
    inputs: &[JavaExpression],
    names: &mut Names<'_>,
) -> Result<String, String> {
    let generics = !is_raw(&operation.owner, names.types) || !operation.declared.arguments.is_empty();
    arguments_text(operation, &operation.owner, inputs, generics, names)
}

/// The arguments, cast where the compiler would otherwise choose another overload, or refuse them because of type
/// arguments; those count only if `generics`: of a raw type, members are erased.
fn arguments_text(
    operation: &Operation,
    class: &ClassName,
    arguments: &[JavaExpression],
    generics: bool,
    names: &mut Names<'_>,
) -> Result<String, String> {
    let parameters = &operation.descriptor.parameters;
    if parameters.len() != arguments.len() {
        return Err(format!("{operation} is given {} arguments", arguments.len()));
    }
    let ambiguous = is_ambiguous(operation, class, arguments, names);
    let signatures = if generics { parameter_signatures(operation) } else { Vec::new() };
    // Constructors of inner classes and enums have leading parameters that the signature leaves out.
    let hidden = parameters.len().saturating_sub(signatures.len());
    let skip_outer = usize::from(
        operation.kind == OperationKind::Constructor
            && names.types.get(&operation.owner).is_some_and(|facts| facts.is_inner()),
    );
    let mut texts = Vec::new();
    for (index, (parameter, argument)) in parameters.iter().zip(arguments).enumerate().skip(skip_outer) {
        let signature = index.checked_sub(hidden).and_then(|index| signatures.get(index)).map_or("", String::as_str);
        let variable_arity_null = operation.varargs && index + 1 == parameters.len() && argument.shape == Shape::Null;
        let overloaded = ambiguous && (argument.shape == Shape::Null || argument.static_type != *parameter);
        let typed = needs_raw(signature, argument, parameter, names.types);
        texts.push(match several_bounds(operation, signature) {
            Some(bounds) if argument.shape != Shape::Null => {
                // The parameter's own type is but the first bound.
                let fits = bounds.iter().all(|bound| names.types.is_assignable(&argument.static_type, bound));
                if fits && !ambiguous { argument.text.clone() } else { seen_as_all(&bounds, argument, names)? }
            }
            _ if variable_arity_null || overloaded || typed => {
                format!("({}) {}", names.type_name(parameter)?, operand_of_cast(&argument.text))
            }
            _ => argument.text.clone(),
        });
    }
    Ok(texts.join(", "))
}

/// The bounds of a parameter that is declared by a type variable of the method, if there are several.
fn several_bounds(operation: &Operation, parameter: &str) -> Option<Vec<Type>> {
    let variable = parameter.strip_prefix('T')?.strip_suffix(';')?;
    let declared = ClassSignature::parse(operation.signature.as_deref()?)?.parameters;
    let bounds = declared.into_iter().find(|declared| declared.name == variable)?.bounds;
    (bounds.len() > 1).then_some(bounds)
}

/// The argument cast to all bounds (JLS §15.16). One that lacks a bound fails by the cast as it would in the method.
fn seen_as_all(bounds: &[Type], argument: &JavaExpression, names: &mut Names<'_>) -> Result<String, String> {
    let possible = bounds.iter().all(|bound| can_be_cast(&argument.static_type, bound, names.types));
    let through = through_object(possible, names);
    let texts: Vec<String> = bounds.iter().map(|bound| names.type_name(bound)).collect::<Result<_, _>>()?;
    Ok(format!("({}) {through}{}", texts.join(" & "), operand_of_cast(&argument.text)))
}

/// The compiler refuses a cast that cannot succeed, which may be what the test is about.
fn through_object(possible: bool, names: &mut Names<'_>) -> String {
    if possible { String::new() } else { format!("({}) ", names.java_lang("Object")) }
}

/// `(Foo) -1` is a subtraction.
fn operand_of_cast(text: &str) -> String {
    if text.starts_with('-') { format!("({text})") } else { text.to_string() }
}

/// Whether, without casts, another method of the name and arity might be chosen (JLS §15.12.2).
fn is_ambiguous(operation: &Operation, class: &ClassName, arguments: &[JavaExpression], names: &Names<'_>) -> bool {
    let parameters = &operation.descriptor.parameters;
    // `Properties` is a `Map`, but for the compiler not more specific than a `Map<String, V>`.
    let is_generic = |of: &Type| matches!(of, Type::Class(class) if is_raw(class, names.types));
    let is_more_specific = |argument: &JavaExpression, own: &Type, their: &Type| {
        let parameterized = argument.shape == Shape::Null && own != their && is_generic(their);
        is_subtype(own, their, names.types) && !parameterized
    };
    names.types.overloads(class, &operation.name, parameters.len()).into_iter().any(|other| {
        let theirs = &other.descriptor.parameters;
        theirs != parameters
            && theirs.len() == parameters.len()
            && other.access & access::PRIVATE == 0
            && arguments.iter().zip(theirs).all(|(argument, their)| accepts(argument, their, names.types))
            && !arguments
                .iter()
                .zip(parameters.iter().zip(theirs))
                .all(|(argument, (own, their))| is_more_specific(argument, own, their))
    })
}

/// Type arguments of a static method where raw arguments alone would not tell it from an overload.
///
/// `put(Map<K, V>, V)` takes a raw map and anything, as `put(Map<K, V>, Supplier<V>)` does, and neither is more specific
/// (JLS §15.12.2.5). Where `V` is a string the first does not take a supplier.
fn type_arguments(operation: &Operation, arguments: &[JavaExpression], names: &mut Names<'_>) -> String {
    let is_variable = |signature: &String| signature.trim_start_matches('[').starts_with('T');
    let own = parameter_signatures(operation);
    let parameters =
        operation.signature.as_deref().and_then(ClassSignature::parse).map_or(Vec::new(), |it| it.parameters);
    let takes_string = |parameter: &TypeParameter| parameter.bounds == [Type::object()];
    let is_bound_by_raw = own.iter().any(|signature| signature.contains('<'));
    if parameters.is_empty() || !parameters.iter().all(takes_string) || own.iter().any(is_variable) || !is_bound_by_raw
    {
        return String::new();
    }
    let is_string =
        |argument: &JavaExpression| argument.static_type.is_string() || is_unknown(&argument.static_type, names.types);
    let may_take_all = |other: &&MethodFacts| {
        let pairs = operation.descriptor.parameters.iter().zip(&other.descriptor.parameters).zip(arguments);
        let mut wider = pairs.filter(|((own, their), _)| own != their).peekable();
        wider.peek().is_some() && wider.all(|((_, their), argument)| *their == Type::object() && !is_string(argument))
    };
    let arity = operation.descriptor.parameters.len();
    if !names.types.overloads(&operation.owner, &operation.name, arity).iter().any(may_take_all) {
        return String::new();
    }
    let string = names.java_lang("String");
    format!("<{}>", vec![string; parameters.len()].join(", "))
}

fn accepts(argument: &JavaExpression, parameter: &Type, types: &TypeTable) -> bool {
    match argument.shape {
        Shape::Null => !parameter.is_primitive(),
        _ => is_subtype(&argument.static_type, parameter, types) || is_unknown(&argument.static_type, types),
    }
}

/// Subtyping among primitive types too (JLS §4.10.1).
fn is_subtype(from: &Type, to: &Type, types: &TypeTable) -> bool {
    match (from, to) {
        (Type::Primitive(from), Type::Primitive(to)) => from == to || widens(*from, *to),
        _ => types.is_assignable(from, to),
    }
}

fn widens(from: Primitive, to: Primitive) -> bool {
    use Primitive::{Byte, Char, Double, Float, Int, Long, Short};
    match from {
        Byte => matches!(to, Short | Int | Long | Float | Double),
        Short | Char => matches!(to, Int | Long | Float | Double),
        Int => matches!(to, Long | Float | Double),
        Long => matches!(to, Float | Double),
        Float => to == Double,
        _ => false,
    }
}

/// Nothing is known of its supertypes.
fn is_unknown(of: &Type, types: &TypeTable) -> bool {
    match of {
        Type::Primitive(_) => false,
        Type::Class(class) => types.get(class).is_none(),
        Type::Array(element) => is_unknown(element, types),
    }
}

pub(super) fn is_raw(class: &ClassName, types: &TypeTable) -> bool {
    types.get(class).is_some_and(ClassFacts::is_generic)
}

/// Whether an argument must be made raw to be taken for a parameter of a generic type.
fn needs_raw(signature: &str, argument: &JavaExpression, parameter: &Type, types: &TypeTable) -> bool {
    let element = signature.trim_start_matches('[');
    match argument.shape {
        Shape::Null => false,
        Shape::ClassLiteral => {
            (element.contains('<') && !element.ends_with("<*>;"))
                || (element.starts_with('T') && *parameter != Type::object())
        }
        // A variable of a class without type parameters may inherit other type arguments than are asked for.
        Shape::Plain | Shape::Compound if element.starts_with('T') => {
            *parameter != Type::object() && argument.static_type != *parameter && element == signature
        }
        Shape::Plain | Shape::Compound => {
            let Type::Class(class) = &argument.static_type else { return false };
            element.contains('<') && argument.static_type != *parameter && !is_raw(class, types)
        }
    }
}

fn mentions_generics(signature: &str) -> bool {
    let element = signature.trim_start_matches('[');
    element.starts_with('T') || element.contains('<')
}

/// The parameters' parts of a method signature (JVMS §4.7.9.1); empty without one.
fn parameter_signatures(operation: &Operation) -> Vec<String> {
    let Some(signature) = operation.signature.as_deref() else { return Vec::new() };
    let Some(start) = outside_angles(signature, '(') else { return Vec::new() };
    let mut rest = &signature[start + 1..];
    let mut found = Vec::new();
    while !rest.is_empty() && !rest.starts_with(')') {
        let brackets = rest.len() - rest.trim_start_matches('[').len();
        let element = &rest[brackets..];
        let length = match element.chars().next() {
            Some('L' | 'T') => match outside_angles(element, ';') {
                Some(end) => end + 1,
                None => return found,
            },
            Some(letter) => letter.len_utf8(),
            None => return found,
        };
        found.push(rest[..brackets + length].to_string());
        rest = &element[length..];
    }
    found
}

/// Whether a method declares its result by a type variable, so that its type depends on where the call stands.
pub(super) fn result_is_inferred(operation: &Operation) -> bool {
    let result = operation.signature.as_deref().and_then(|signature| Some(&signature[signature.rfind(')')? + 1..]));
    result.is_some_and(|result| result.trim_start_matches('[').starts_with('T'))
}

/// Whether the compiler takes the expression for `operation` on `inputs` to be exactly of its erased output type, so
/// that it can stand where a variable of that type could.
pub(super) fn is_of_exact_type(operation: &Operation, inputs: &[JavaExpression], types: &TypeTable) -> bool {
    let result =
        operation.signature.as_deref().map(|signature| &signature[signature.rfind(')').map_or(0, |at| at + 1)..]);
    let erased = !result.is_some_and(mentions_generics);
    match operation.kind {
        OperationKind::Constructor | OperationKind::Array | OperationKind::Cast => true,
        OperationKind::StaticMethod | OperationKind::GetStatic | OperationKind::GetField => erased,
        OperationKind::InstanceMethod => {
            let Some(JavaExpression { static_type: Type::Class(class), .. }) = inputs.first() else { return false };
            // Members of a raw type are erased (JLS §4.8); a subclass may narrow the result (JLS §8.4.5).
            let own = |method: &&MethodFacts| {
                method.name == operation.name && method.descriptor.parameters == operation.descriptor.parameters
            };
            let narrowest = |method: &MethodFacts| {
                let results = method.descriptor.returns.as_ref().zip(operation.output.as_ref());
                results.is_some_and(|(other, own)| types.is_assignable(own, other))
            };
            let methods = || types.ancestry(class).into_iter().flat_map(|facts| &facts.methods);
            let known = *class == operation.owner || types.get(class).is_some();
            (erased || is_raw(class, types)) && known && methods().filter(own).all(narrowest)
        }
        OperationKind::SetStatic | OperationKind::SetField | OperationKind::Implementation => false,
    }
}

/// Where `letter` first stands outside of `<…>`.
fn outside_angles(text: &str, letter: char) -> Option<usize> {
    let mut depth = 0;
    for (at, found) in text.char_indices() {
        match found {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if found == letter && depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

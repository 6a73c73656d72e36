//! Calls as Java expressions whose overload, access and type arguments the compiler resolves to the very member that
//! the sequence ran.
//!
//! Operations have type arguments, and so have the variables for their values; javac infers the same ones. Arguments and
//! receivers are cast only where another overload would be chosen, or where the code under test is raw itself.

use super::layout::element_count;
use super::literal::{element_text, element_texts};
use super::names::Names;
use model::jvm::generics::GenericMethod;
use model::jvm::types::{ClassFacts, MethodFacts, TypeTable, access, is_java_identifier, unboxed};
use model::jvm::{ClassName, Primitive, Type, TypeArgument};
use model::sequence::{Operation, OperationKind};

/// A Java expression by which later statements refer to a value.
#[derive(Clone, Debug)]
pub(super) struct JavaExpression {
    /// A variable, a literal or an expression that may be evaluated late.
    pub text: String,
    /// Its static type.
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
            let arguments = arguments_text(operation, &operation.owner, inputs, names)?;
            Ok(format!("{owner}.{name}({arguments})"))
        }
        OperationKind::InstanceMethod => {
            let name = named()?;
            check_access(operation, names)?;
            let (receiver, arguments) = inputs.split_first().ok_or("a call without its receiver")?;
            let (receiver, class) = receiver_text(operation, receiver, arguments, names)?;
            let arguments = arguments_text(operation, &class, arguments, names)?;
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
    let is =
        |of: &Type, what: fn(&ClassFacts) -> bool| of.class_name().and_then(|class| types.get(class)).is_some_and(what);
    let is_open = |of: &Type| is(of, |facts| facts.access & access::FINAL == 0);
    if has_other_arguments(from, to, types) {
        return false;
    }
    types.is_assignable(from, to)
        || types.is_assignable(to, from)
        || (is(from, ClassFacts::is_interface) && is_open(to))
        || (is(to, ClassFacts::is_interface) && is_open(from))
}

/// Whether the class extends the type with other type arguments: no `Matcher<String>` is an `IsInstanceOf`, a `Matcher<Object>`.
fn has_other_arguments(from: &Type, to: &Type, types: &TypeTable) -> bool {
    let Type::Parameterized(given) = from else { return false };
    let Some(Type::Parameterized(own)) = types.as_super(to, &given.class) else { return false };
    let is_other = |(one, other): (&TypeArgument, &TypeArgument)| matches!((one, other), (TypeArgument::Exact(one), TypeArgument::Exact(other)) if one != other);
    given.arguments.iter().zip(&own.arguments).any(is_other)
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
    let owner = match operation.output.as_ref() {
        // The constructor of a class whose type arguments nobody could choose.
        Some(Type::Class(class)) if names.types.is_generic(class) => names.class_name(class)? + "<>",
        Some(made) => names.type_name(made)?,
        None => names.class_name(&operation.owner)?,
    };
    let is_inner = names.types.get(&operation.owner).is_some_and(|facts| facts.is_inner());
    let arguments = arguments_text(operation, &operation.owner, inputs, names)?;
    match inputs.first() {
        Some(outer) if is_inner => {
            let begin = owner.find('<').unwrap_or(owner.len());
            let simple = &owner[owner[..begin].rfind('.').map_or(0, |dot| dot + 1)..];
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
    // `new int[][] {{1}, {2}}`: the elements are of the element's type (JLS §10.6).
    let inner = format!("new {element_name} {{");
    let initializer = |text: &'_ str| text.strip_prefix(&inner).map(|rest| format!("{{{rest}"));
    let elements: Vec<String> = (inputs.iter().map(|input| element_text(&input.text, element)))
        .map(|text| initializer(text).unwrap_or_else(|| text.to_string()))
        .collect();
    Ok(format!("new {element_name}[] {{{}}}", element_texts(elements, element).join(", ")))
}

/// The receiver's expression, and the class in which the compiler will look for the method.
fn receiver_text(
    operation: &Operation,
    receiver: &JavaExpression,
    arguments: &[JavaExpression],
    names: &mut Names<'_>,
) -> Result<(String, ClassName), String> {
    let Some(class) = receiver.static_type.class_name() else {
        return Ok((primary_text(receiver, names)?, ClassName::new("java/lang/Object")));
    };
    let seen_as = operation.inputs.first().ok_or("a call without its receiver")?;
    // What is written in place has the type that it is declared with; a variable would have wildcards.
    let is_raw = receiver.static_type == Type::Class(class.clone()) && names.types.is_generic(class);
    if is_raw && !arguments.is_empty() && !is_java_identifier(&receiver.text) {
        names.note_unchecked();
    }
    // Seen through `Foo implements Comparable<Foo>`, `compareTo` takes no Object, as it does of the raw type.
    match takes_typed(operation, &receiver.static_type, arguments, names.types) {
        Some(false) => {
            return Ok((
                format!("(({}) {})", names.raw_name(&operation.owner)?, receiver.text),
                operation.owner.clone(),
            ));
        }
        Some(true) => return Ok((primary_text(receiver, names)?, operation.owner.clone())),
        None => {}
    }
    // A subclass elsewhere may override a member of this package by one that only its own package may call.
    let restricted = *class != operation.owner && !operation.public && class.package() != names.package;
    if restricted {
        return Ok((format!("(({}) {})", names.type_name(seen_as)?, receiver.text), operation.owner.clone()));
    }
    Ok((primary_text(receiver, names)?, class.clone()))
}

/// Whether the method, of a raw type, takes the arguments of the type that the receiver has; `None` where that has no type
/// arguments to say it.
fn takes_typed(
    operation: &Operation,
    receiver: &Type,
    arguments: &[JavaExpression],
    types: &TypeTable,
) -> Option<bool> {
    let is_raw = operation.inputs.first() == Some(&Type::Class(operation.owner.clone()));
    let seen = types.as_super(receiver, &operation.owner).filter(|_| is_raw && types.is_generic(&operation.owner));
    let declared = operation.signature.as_deref().and_then(GenericMethod::parse);
    let (Some(Type::Parameterized(seen)), Some(declared)) = (seen, declared) else { return None };
    let bindings = types.bindings(&Type::Parameterized(seen)).unwrap_or_default();
    Some(declared.inputs.iter().zip(arguments).all(|(parameter, argument)| {
        let parameter = parameter.bind(&bindings);
        argument.shape == Shape::Null
            || parameter.is_some_and(|parameter| is_subtype(&argument.static_type, &parameter, types))
    }))
}

/// A field is looked up in the static type, where a subclass may hide it (JLS §8.3.3).
fn field_receiver_text(
    operation: &Operation,
    receiver: &JavaExpression,
    names: &mut Names<'_>,
) -> Result<String, String> {
    check_field_access(operation, names)?;
    if receiver.static_type.class_name() == Some(&operation.owner) {
        return primary_text(receiver, names);
    }
    let seen_as = operation.inputs.first().ok_or("a field without its object")?;
    Ok(format!("(({}) {})", names.type_name(seen_as)?, receiver.text))
}

/// The right-hand side of an assignment to a field.
fn assigned_text(operation: &Operation, value: &JavaExpression, names: &mut Names<'_>) -> Result<String, String> {
    match operation.inputs.last() {
        Some(of) if value.shape != Shape::Null && !is_subtype(&value.static_type, of, names.types) => {
            Ok(format!("({}) {}", names.type_name(of)?, value.text))
        }
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

/// The arguments, cast where the compiler would otherwise choose another overload; those of the superclass's constructor
/// for an implementation.
pub(super) fn arguments_text(
    operation: &Operation,
    class: &ClassName,
    arguments: &[JavaExpression],
    names: &mut Names<'_>,
) -> Result<String, String> {
    let parameters = &operation.descriptor.parameters;
    if parameters.len() != arguments.len() {
        return Err(format!("{operation} is given {} arguments", arguments.len()));
    }
    let ambiguous = is_ambiguous(operation, class, arguments, names);
    let typed = &operation.inputs[usize::from(operation.has_receiver())..];
    let skip_outer = usize::from(
        operation.kind == OperationKind::Constructor
            && names.types.get(&operation.owner).is_some_and(|facts| facts.is_inner()),
    );
    let mut texts = Vec::new();
    for (index, (parameter, argument)) in typed.iter().zip(arguments).enumerate().skip(skip_outer) {
        let is_variable = operation.varargs && index + 1 == parameters.len();
        let overloaded =
            ambiguous && (argument.shape == Shape::Null || argument.static_type.erased() != parameter.erased());
        let is_unclear = argument.shape == Shape::Null || is_other_array(&argument.static_type, parameter);
        texts.push(match overloaded || is_variable && is_unclear {
            true => format!("({}) {}", names.type_name(parameter)?, operand_of_cast(&argument.text)),
            false => match unboxed_text(&argument.text, parameter).or_else(|| short_text(&argument.text, parameter)) {
                Some(literal) if !has_overload(operation, class, names.types) => literal.to_string(),
                _ => argument.text.clone(),
            },
        });
    }
    if operation.varargs
        && let Some(elements) =
            arguments.last().and_then(|array| variable_arguments(operation, class, array, names.types))
    {
        texts.pop();
        texts.extend((!elements.is_empty()).then(|| elements.to_string()));
    }
    Ok(texts.join(", "))
}

/// Whether the array may be meant as one of the variable arguments, too, so that javac warns (JLS §15.12.3).
fn is_other_array(given: &Type, parameter: &Type) -> bool {
    matches!((given, parameter), (Type::Array(one), Type::Array(other)) if one != other && !one.is_primitive())
        && parameter.is_reifiable()
}

/// The elements of a new array that is given for variable arguments, where no other method could be meant (JLS §15.12.4.2).
fn variable_arguments<'t>(
    operation: &Operation,
    class: &ClassName,
    array: &'t JavaExpression,
    types: &TypeTable,
) -> Option<&'t str> {
    let is_exact = operation.inputs.last() == Some(&array.static_type) && array.shape == Shape::Compound;
    let elements = array.text.strip_prefix("new ").filter(|_| is_exact)?;
    let elements = match elements.split_once("[] {") {
        Some((_, elements)) => elements.strip_suffix('}')?,
        None => elements.strip_suffix("[0]").map(|_| "")?,
    };
    let Type::Array(element) = &array.static_type else { return None };
    let count = element_count(elements);
    let is_text = elements.starts_with('"');
    // One null, or one array, would be the array itself.
    let is_plain = match &**element {
        Type::Class(class) if class.internal() == "java/lang/Object" => count != 1 || is_text,
        of => matches!(of, Type::Class(_)) || of.is_primitive(),
    };
    let fixed = operation.descriptor.parameters.len() - 1;
    let may_be_meant = |other: &MethodFacts| {
        let takes_elements = |of: &Type| !element.is_string() || of.is_primitive() || types.is_assignable(element, of);
        let taken = &other.descriptor.parameters;
        *taken != operation.descriptor.parameters
            && (other.access & access::VARARGS != 0 || taken[fixed..].iter().all(takes_elements))
    };
    let mut others = types.overloads(class, &operation.name, fixed + count).into_iter();
    let is_clear = is_plain && !others.any(may_be_meant) && elements != "null" && !elements.contains('{');
    is_clear.then_some(elements)
}

/// What `Long.valueOf(1L)` boxes, where the parameter is a `Long`: the compiler boxes it too (JLS §5.1.7).
fn unboxed_text<'t>(text: &'t str, parameter: &Type) -> Option<&'t str> {
    let wrapper = parameter.class_name().filter(|class| unboxed(class).is_some())?;
    let literal = text.strip_prefix(wrapper.simple())?.strip_prefix(".valueOf(")?.strip_suffix(')')?;
    // A literal, or the cast of one; what is computed stays as it is.
    let is_literal = literal.starts_with(|begin: char| begin.is_ascii_digit() || matches!(begin, '-' | '\'' | '('))
        || matches!(literal, "true" | "false");
    (is_literal && (!literal.contains(['(', ')']) || literal.starts_with("(byte) ") || literal.starts_with("(short) ")))
        .then_some(literal)
}

/// `90L` without its suffix, where the parameter is a `long`: the compiler widens an `int` (JLS §5.1.2).
fn short_text<'t>(text: &'t str, parameter: &Type) -> Option<&'t str> {
    let digits = text.strip_suffix('L').filter(|_| *parameter == Type::Primitive(Primitive::Long))?;
    digits.parse::<i32>().is_ok().then_some(digits)
}

/// Whether the class has another method of the name that takes as many arguments, and not just any number of them.
pub(super) fn has_overload(operation: &Operation, class: &ClassName, types: &TypeTable) -> bool {
    let parameters = &operation.descriptor.parameters;
    types.overloads(class, &operation.name, parameters.len()).iter().any(|other| {
        other.descriptor.parameters != *parameters
            && (other.access & access::VARARGS == 0
                || other.descriptor.parameters.len() == parameters.len() && parameters.len() > 1)
    })
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
    let is_generic = |of: &Type| matches!(of, Type::Class(class) if names.types.is_generic(class));
    let is_more_specific = |argument: &JavaExpression, own: &Type, their: &Type| {
        let parameterized = argument.shape == Shape::Null && is_generic(their);
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
        Type::Class(_) | Type::Parameterized(_) => of.class_name().is_none_or(|class| types.get(class).is_none()),
        Type::Array(element) => is_unknown(element, types),
    }
}

/// Whether a method declares its result by a type variable of its own, so that its type depends on where the call stands.
pub(super) fn result_is_inferred(operation: &Operation) -> bool {
    let method = operation.signature.as_deref().filter(|_| operation.is_code()).and_then(GenericMethod::parse);
    method.is_some_and(|method| method.output.is_some_and(|output| output.mentions(&method.parameters)))
}

/// Whether the compiler takes the expression for `operation` on `inputs` to be exactly of its output type, so that it can
/// stand where a variable of that type could.
pub(super) fn is_of_exact_type(operation: &Operation, inputs: &[JavaExpression], types: &TypeTable) -> bool {
    match operation.kind {
        OperationKind::Array | OperationKind::Cast | OperationKind::GetStatic | OperationKind::GetField => true,
        // A diamond is of the type that its place asks for.
        OperationKind::Constructor => !matches!(&operation.output, Some(Type::Class(class)) if types.is_generic(class)),
        OperationKind::StaticMethod => !result_is_inferred(operation),
        OperationKind::InstanceMethod => {
            let Some(class) = inputs.first().and_then(|receiver| receiver.static_type.class_name()) else {
                return false;
            };
            // A subclass may narrow the result (JLS §8.4.5).
            let own = |method: &&MethodFacts| {
                method.name == operation.name && method.descriptor.parameters == operation.descriptor.parameters
            };
            let narrowest = |method: &MethodFacts| {
                let results = method.descriptor.returns.as_ref().zip(operation.descriptor.returns.as_ref());
                results.is_some_and(|(other, own)| types.is_assignable(own, other))
            };
            let methods = || types.ancestry(class).into_iter().flat_map(|facts| &facts.methods);
            let known = *class == operation.owner || types.get(class).is_some();
            !result_is_inferred(operation) && known && methods().filter(own).all(narrowest)
        }
        OperationKind::SetStatic | OperationKind::SetField | OperationKind::Implementation => false,
    }
}

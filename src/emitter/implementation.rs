//! Implementations as lambdas or, where Java asks for more, as anonymous or local classes.

use super::annotation::annotation_text;
use super::call::{JavaExpression, Shape, arguments_text};
use super::names::Names;
use super::variables::PARAMETERS;
use model::jvm::types::access;
use model::jvm::{Primitive, Type};
use model::sequence::{Accessor, Answer, DeclaredField, FAILURE, Implemented, Operation, Recorded, Recording};

/// The expression that makes the object, of several lines unless it is a lambda. The inputs that methods answer must be
/// such that it does not matter when and how often they are evaluated.
pub(super) fn implementation_text(
    operation: &Operation,
    inputs: &[JavaExpression],
    lambdas: bool,
    names: &mut Names<'_>,
) -> Result<String, String> {
    match &operation.implemented[..] {
        [method] if lambdas && operation.is_functional() => lambda_text(method, inputs, names),
        _ => {
            let taken = operation.descriptor.parameters.len();
            let taken = inputs.get(..taken).ok_or("an input is missing")?;
            let arguments = arguments_text(operation, &operation.owner, taken, names)?;
            // The compiler gives the class a constructor of as many arguments.
            if operation.varargs && operation.inputs.get(taken.len() - 1).is_some_and(|of| !of.is_reifiable()) {
                names.note_unchecked();
            }
            let head = format!("new {}({arguments})", implemented_type(operation, names)?);
            with_body(head, operation, inputs, names)
        }
    }
}

/// The type that is implemented.
fn implemented_type(operation: &Operation, names: &mut Names<'_>) -> Result<String, String> {
    match &operation.output {
        Some(of @ Type::Parameterized(_)) => names.type_name(of),
        _ => names.raw_name(&operation.owner),
    }
}

/// The declaration of a local class with what the operation declares; an anonymous class has no place for annotations of
/// its own.
pub(super) fn local_class_text(
    name: &str,
    operation: &Operation,
    inputs: &[JavaExpression],
    names: &mut Names<'_>,
) -> Result<String, String> {
    let mut lines = Vec::new();
    for annotation in &operation.declared.annotations {
        lines.push(annotation_text(annotation, names)?);
    }
    lines.push(with_body(format!("class {name}"), operation, inputs, names)?);
    Ok(lines.join("\n"))
}

fn with_body(
    head: String,
    operation: &Operation,
    inputs: &[JavaExpression],
    names: &mut Names<'_>,
) -> Result<String, String> {
    let mut lines = Vec::new();
    for field in &operation.declared.fields {
        lines.extend(field_lines(field, inputs, names)?);
    }
    for method in &operation.implemented {
        lines.extend(method_lines(method, inputs, names)?);
    }
    if lines.is_empty() {
        return Ok(head + " { }");
    }
    Ok(format!("{head} {{\n{}\n}}", lines.join("\n")))
}

fn field_lines(field: &DeclaredField, inputs: &[JavaExpression], names: &mut Names<'_>) -> Result<Vec<String>, String> {
    let mut annotations = Vec::new();
    for annotation in &field.annotations {
        annotations.push(format!("    {}", annotation_text(annotation, names)?));
    }
    let of = match (&field.of, &field.arguments[..]) {
        (Type::Class(class), []) => names.raw_name(class)?,
        _ => names.type_name(&field.generic_type())?,
    };
    let value = match field.input {
        None => String::new(),
        Some(input) => {
            let held = inputs.get(input as usize).ok_or("an input is missing")?;
            // A class without type parameters may inherit other type arguments.
            let fits = held.shape == Shape::Null || names.types.is_assignable(&held.static_type, &field.generic_type());
            match field.of.class_name().filter(|_| !fits) {
                Some(class) => format!(" = ({}) {}", names.raw_name(class)?, held.text),
                None => format!(" = {}", held.text),
            }
        }
    };
    let name = &field.name;
    let declaration = format!("    public {of} {name}{value};");
    let Some(accessor) = field.accessor else { return Ok([annotations, vec![declaration]].concat()) };
    let method = field.accessor_name(accessor);
    let (head, body) = match accessor {
        Accessor::Getter => (format!("{of} {method}()"), format!("return {name};")),
        Accessor::Setter => (format!("void {method}({of} {name})"), format!("this.{name} = {name};")),
    };
    let method = [format!("    public {head} {{"), format!("        {body}"), "    }".to_string()];
    Ok([vec![declaration], annotations, method.to_vec()].concat())
}

/// `(a, b) -> 0`, or `received::add`
fn lambda_text(method: &Implemented, inputs: &[JavaExpression], names: &mut Names<'_>) -> Result<String, String> {
    let body = match &method.descriptor.returns {
        _ if method.answer == Answer::Throws => format!("{{ {} }}", throw_text(names)),
        None => match (method.recording, recording_text(method, inputs)?) {
            (Some(Recording { list, of: Recorded::Parameter }), _) => {
                return Ok(format!("{}::add", inputs[list as usize].text));
            }
            (_, Some(call)) => call,
            (_, None) => "{ }".to_string(),
        },
        Some(_) if method.holder().is_some() && method.descriptor.parameters.is_empty() => {
            let holder = method.holder().and_then(|holder| inputs.get(holder as usize)).ok_or("an input is missing")?;
            return Ok(format!("{}::get", holder.text));
        }
        Some(returns) => {
            let answer = answer_text(method, inputs)?;
            let held = match method.answer {
                Answer::Input(index) => inputs.get(index as usize),
                _ => None,
            };
            let contradicts = held.is_some_and(|held| {
                held.shape != Shape::Null
                    && !returns.is_primitive()
                    && !names.types.is_assignable(&held.static_type, returns)
            });
            if contradicts { format!("({}) {answer}", names.type_name(returns)?) } else { answer }
        }
    };
    let parameters: Vec<&str> = parameters(method).collect();
    Ok(match &parameters[..] {
        [one] => format!("{one} -> {body}"),
        several => format!("({}) -> {body}", several.join(", ")),
    })
}

fn throw_text(names: &mut Names<'_>) -> String {
    format!("throw new {}(\"{FAILURE}\");", names.java_lang("IllegalStateException"))
}

fn method_lines(method: &Implemented, inputs: &[JavaExpression], names: &mut Names<'_>) -> Result<Vec<String>, String> {
    let mut declared = Vec::new();
    // What has type parameters of its own is overridden by the erasure of its signature (JLS §8.4.2).
    let mut name_of = |of: &Type| if method.generic { names.erased_name(of) } else { names.type_name(of) };
    for (of, parameter) in method.descriptor.parameters.iter().zip(parameters(method)) {
        declared.push(format!("{} {parameter}", name_of(of)?));
    }
    let returns = match &method.descriptor.returns {
        Some(of) => name_of(of)?,
        None => "void".to_string(),
    };
    let visibility = match method.access {
        access if access & access::PUBLIC != 0 => "public ",
        access if access & access::PROTECTED != 0 => "protected ",
        _ => "",
    };
    let mut lines = vec![
        format!("    @{}", names.java_lang("Override")),
        format!("    {visibility}{returns} {}({}) {{", method.name, declared.join(", ")),
    ];
    lines.extend(recording_text(method, inputs)?.map(|call| format!("        {call};")));
    if method.answer == Answer::Throws {
        lines.push(format!("        {}", throw_text(names)));
    } else if method.descriptor.returns.is_some() {
        lines.push(format!("        return {};", answer_text(method, inputs)?));
    }
    lines.push("    }".to_string());
    Ok(lines)
}

/// `x` alone, else `a`, `b`…
fn parameters(method: &Implemented) -> impl Iterator<Item = &'static str> {
    let count = method.descriptor.parameters.len();
    let first = if count == 1 { PARAMETERS.len() - 1 } else { 0 };
    PARAMETERS[first..].iter().copied().take(count)
}

/// The call that notes what the method was called with: `calls.add("moved(" + a + ", " + b + ")")`.
fn recording_text(method: &Implemented, inputs: &[JavaExpression]) -> Result<Option<String>, String> {
    let Some(Recording { list, of }) = method.recording else { return Ok(None) };
    let list = &inputs.get(list as usize).ok_or("an input is missing")?.text;
    let parameters: Vec<&str> = parameters(method).collect();
    let recorded = match (of, &parameters[..]) {
        (Recorded::Parameter, [one]) => one.to_string(),
        (Recorded::Parameter, _) => return Err("several parameters are recorded as one".to_string()),
        (Recorded::Label(label), _) => inputs.get(label as usize).ok_or("an input is missing")?.text.clone(),
        (Recorded::Call, []) => format!("\"{}()\"", method.name),
        (Recorded::Call, all) => format!("\"{}(\" + {} + \")\"", method.name, all.join(" + \", \" + ")),
    };
    Ok(Some(format!("{list}.add({recorded})")))
}

/// What a method that is not void returns.
fn answer_text(method: &Implemented, inputs: &[JavaExpression]) -> Result<String, String> {
    match method.answer {
        Answer::Input(index) => Ok(inputs.get(index as usize).ok_or("an input is missing")?.text.clone()),
        Answer::Held(index) => Ok(format!("{}.get()", inputs.get(index as usize).ok_or("an input is missing")?.text)),
        Answer::Parameter(index) => {
            let parameter = parameters(method).nth(index as usize);
            Ok(parameter.ok_or("a parameter is missing")?.to_string())
        }
        Answer::Throws | Answer::Thrown(_) => Err("it throws".to_string()),
        Answer::Default => Ok(match &method.descriptor.returns {
            Some(Type::Primitive(Primitive::Boolean)) => "false",
            Some(Type::Primitive(_)) => "0",
            Some(of) if of.is_string() => "\"\"",
            _ => "null",
        }
        .to_string()),
    }
}

//! Words for one argument of a call: `nullName`, `Amount5`, `emptyData`.

use super::TestCase;
use super::method::ClassContext;
use super::purpose::kind_word;
use super::variables::capitalized;
use super::words::{ArgumentWord, constant_word, is_plain, value_word};
use model::execution::Value;
use model::jvm::{Literal, Primitive};
use model::sequence::{Action, Operation, OperationKind};

/// `nullName`, `Amount5`.
pub(super) fn argument_word(
    case: &TestCase,
    input: usize,
    parameter: &str,
    context: &ClassContext<'_>,
) -> Option<ArgumentWord> {
    use ArgumentWord::{Plain, Special};
    let keyword = Primitive::ALL.iter().find(|primitive| primitive.keyword() == parameter);
    // `with0` says as much as `with0Int`.
    let parameter = match (keyword, parameter) {
        (Some(_), _) => String::new(),
        (None, name) => capitalized(name),
    };
    let literal = match &case.sequence.statements()[input].action {
        Action::Literal(literal) => literal,
        Action::Call(_) => {
            let operation = context.operation(case, input)?;
            let value = case.execution.values.get(input);
            if let Some(Value::Literal(literal)) = value {
                return Some(value_word(literal, &parameter));
            }
            return Some(match operation.kind {
                _ if matches!(value, Some(Value::Null)) => Special(format!("null{parameter}")),
                _ if is_empty_collection(operation, value) && !is_used_twice(case, input) => {
                    Special(format!("empty{parameter}"))
                }
                OperationKind::GetStatic if is_plain(&operation.name) => Plain(constant_word(&operation.name)),
                OperationKind::Array if case.sequence.inputs_of(input).next().is_none() => {
                    Special(format!("empty{parameter}"))
                }
                OperationKind::Constructor if is_read_once(operation) && !is_used_twice(case, input) => {
                    return read_word(case, input, &parameter, context);
                }
                OperationKind::Cast => {
                    return argument_word(case, case.sequence.inputs_of(input).next()?, &parameter, context);
                }
                _ => return None,
            });
        }
    };
    // `null` and `emptyString` say as much as `nullObj` and `emptyObj`.
    Some(match literal {
        Literal::Null(_) if says_no_more_than_type(&parameter) => Special("null".to_string()),
        Literal::String(_) if says_no_more_than_type(&parameter) => value_word(literal, "String"),
        _ => value_word(literal, &parameter),
    })
}

/// Whether the operation makes a stream or reader of what is read from it, or of another one.
fn is_read_once(operation: &Operation) -> bool {
    const READ: [&str; 7] = [
        "java/io/ByteArrayInputStream",
        "java/io/StringReader",
        "java/io/CharArrayReader",
        "java/io/BufferedReader",
        "java/io/BufferedInputStream",
        "java/io/InputStreamReader",
        "java/io/DataInputStream",
    ];
    READ.contains(&operation.owner.internal()) && operation.inputs.len() == 1
}

/// `emptyData`, `DataAbc`: a stream or reader, by what is read from it.
fn read_word(case: &TestCase, made: usize, parameter: &str, context: &ClassContext<'_>) -> Option<ArgumentWord> {
    let mut content = case.sequence.inputs_of(made);
    let (content, None) = (content.next()?, content.next()) else { return None };
    match context.operation(case, content) {
        Some(array) if array.kind == OperationKind::Array && case.sequence.inputs_of(content).next().is_some() => {
            let word = kind_word(case, content, array.output.as_ref()?, context)?;
            Some(ArgumentWord::Plain(format!("{parameter}{word}")))
        }
        _ => argument_word(case, content, parameter, context),
    }
}

/// Whether the name of a parameter, which begins with a capital, says no more than that a value is asked for.
fn says_no_more_than_type(parameter: &str) -> bool {
    matches!(parameter, "Obj" | "Object" | "Str" | "String" | "Val" | "O")
}

/// Whether the platform made a collection or map in which nothing is.
fn is_empty_collection(operation: &Operation, value: Option<&Value>) -> bool {
    let is_empty = matches!(value, Some(Value::Object { observed, .. }) if observed.size() == Some(0));
    is_empty && operation.kind != OperationKind::Cast && operation.owner.internal().starts_with("java/util/")
}

/// Whether several calls take the value: one may have filled it.
fn is_used_twice(case: &TestCase, made: usize) -> bool {
    let takes = |user: &usize| case.sequence.inputs_of(*user).any(|input| input == made);
    (made + 1..case.sequence.len()).filter(takes).count() > 1
}

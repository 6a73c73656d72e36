//! Questions for what an object does not have: `getOption_unknownOpt_returnsNull`.

use super::TestCase;
use super::method::ClassContext;
use super::purpose::called_on;
use super::variables::capitalized;
use model::execution::Value;
use model::jvm::Literal;
use model::sequence::OperationKind;

/// What methods begin with that look for something by a key.
const ASKING: [&str; 8] = ["get", "find", "has", "contains", "lookup", "resolve", "remove", "indexOf"];

/// What names of parameters end with that are keys.
const KEYS: [&str; 18] = [
    "name",
    "key",
    "id",
    "opt",
    "option",
    "code",
    "user",
    "account",
    "section",
    "property",
    "header",
    "field",
    "attribute",
    "tag",
    "label",
    "topic",
    "role",
    "group",
];

/// `unknownOpt`: the text or character that a call looks for, if the test has it nowhere else, and the call says that it is not there
/// or returns what it was given for that case.
pub(super) fn unknown_word(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> Option<String> {
    let operation = context.operation(case, subject).filter(|it| it.kind == OperationKind::InstanceMethod)?;
    let begins = |word: &str| {
        let rest = operation.name.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|letter: char| letter.is_ascii_uppercase()))
    };
    ASKING.into_iter().find(|word| begins(word))?;
    called_on(case, subject, context)?;
    let inputs: Vec<usize> = case.sequence.inputs_of(subject).collect();
    let key = *inputs.get(1)?;
    let asked = text_of(case.sequence.literal_at(key)?).filter(|text| !text.trim().is_empty())?;
    let name = operation.name_of_input(1)?;
    let is_key = KEYS.iter().any(|key| name == *key || name.ends_with(&capitalized(key)));
    let is_elsewhere = |at: usize| {
        let text = case.sequence.literal_at(at).and_then(text_of);
        text.is_some_and(|text| at != key && text.contains(&asked))
    };
    let is_shared = (0..subject).any(|user| case.sequence.inputs_of(user).any(|input| input == key));
    let is_known = is_shared || (0..subject).any(is_elsewhere);
    let returned = case.execution.values.get(subject)?;
    let is_fallback = inputs[2..].iter().any(|input| match (case.sequence.literal_at(*input), returned) {
        (Some(given), Value::Literal(returned)) => given == returned,
        _ => false,
    });
    (is_key && !is_known && (is_fallback || is_nothing(returned))).then(|| format!("unknown{}", capitalized(name)))
}

fn text_of(literal: &Literal) -> Option<String> {
    match literal {
        Literal::String(text) => Some(text.to_string()),
        Literal::Char(unit) => char::from_u32(u32::from(*unit)).map(String::from),
        _ => None,
    }
}

/// Whether the value says that there is nothing.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Literal(Literal::Boolean(false) | Literal::Int(-1)) => true,
        Value::Object { observed, .. } => observed.size() == Some(0),
        Value::Literal(_) | Value::Void => false,
    }
}

//! What happens in a test, as the last part of its name: `returnsTrue`, `throwsIllegalStateException`, `sizeIs3`.

mod opposite;

use super::assertion::ValueCheck;
use super::compared::is_comparison;
use super::long_text::{beginning_word, code_word, words_inside};
use super::method::{ClassContext, extent, mock_of_list};
use super::text_kind::changed_word;
use super::value_text::TEXT_ASSERTED;
use super::variables::{capitalized, decapitalized, last_segment};
use super::words::{described_word, distinct, is_plain, joined, literal_word, shown_word, sized_word, type_word};
use super::{Role, TestCase};
use model::execution::described::Described;
use model::execution::{Observed, Value};
use model::jvm::{Literal, Type};
use model::sequence::{Operation, OperationKind};
pub(super) use opposite::true_for;
use oracle::contract::{CONTRACT_METHOD, TERMINATES};
use std::collections::BTreeSet;

/// What an outcome says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// What happens.
    Outcome,
    /// How it is called, too.
    Arguments,
    /// That, and on what.
    All,
}

/// What happens, and what that says.
pub(super) fn outcome(
    case: &TestCase,
    subject: usize,
    asserted: &BTreeSet<usize>,
    context: &ClassContext<'_>,
) -> (String, Says) {
    let returned = Some(subject).filter(|at| asserted.contains(at)).and_then(|at| case.execution.values.get(at));
    let said = match returned {
        Some(Value::Literal(Literal::Boolean(said))) if matches!(case.role, Role::Regression) => Some(*said),
        _ => None,
    };
    let pair = said.and_then(|said| opposite::outcome(case, subject, said, asserted, context));
    pair.unwrap_or_else(|| (of_one_call(case, subject, asserted, context), Says::Outcome))
}

fn of_one_call(case: &TestCase, subject: usize, asserted: &BTreeSet<usize>, context: &ClassContext<'_>) -> String {
    if let Role::Finding(violation) = &case.role {
        if violation.contract == TERMINATES {
            return "doesNotTerminate".to_string();
        }
        if violation.contract == CONTRACT_METHOD
            && let Some(method) = case.sequence.len().checked_sub(1).and_then(|last| context.operation(case, last))
        {
            return format!("violates{}", capitalized(&method.name));
        }
        let words: String =
            violation.contract.split(|letter: char| !letter.is_alphanumeric()).map(capitalized).collect();
        return format!("violates{words}");
    }
    if let Ok((_, Some(thrown))) = extent(case) {
        return format!("throws{}", capitalized(last_segment(&thrown.nameable)));
    }
    let operation = context.operation(case, subject);
    let value = |at: &usize| case.execution.values.get(*at);
    let returned = Some(&subject).filter(|at| asserted.contains(at)).and_then(value);
    let is_opaque = matches!(returned, Some(Value::Object { observed: Observed::Nothing, .. }));
    let is_fluent = case.fluent.contains(&subject) && is_opaque;
    if let Some(word) = returned.filter(|_| !is_fluent).and_then(|value| {
        let of_input = || fallback_word(case, subject, value, context).or_else(|| of_text_word(case, subject, value));
        of_input().or_else(|| returned_word(value, operation))
    }) {
        return match returned.and_then(|value| text_word(case, subject, value)) {
            Some(LongText::With(passed)) if &*word == LONG_TEXT => format!("returnsTextWith{passed}"),
            Some(LongText::Beginning(words)) if &*word == LONG_TEXT => format!("returns{words}"),
            _ => format!("returns{word}"),
        };
    }
    // What is read of the object afterwards, first what the call has set.
    let mut looks: Vec<usize> = asserted.iter().copied().filter(|at| *at > subject).collect();
    // Then what it has filled, as most objects say zero or nothing for many reasons.
    looks.sort_by_key(|at| {
        let look = context.operation(case, *at).zip(operation);
        (!look.is_some_and(|(look, set)| look.reads_what_is_set_by(set)), value(at).is_some_and(is_empty))
    });
    let read = looks.iter().filter_map(|at| {
        let operation = context.operation(case, *at)?;
        let value = value(at)?;
        if let Some(told) = told_word(case, *at, context) {
            return Some(told);
        }
        let says = || text_word(case, subject, value);
        Some(state_word(operation, value, &says))
    });
    let read = distinct(read);
    match read.as_slice() {
        [] if is_fluent => "returnsItself".to_string(),
        [] if operation.is_some_and(|operation| operation.inputs.len() > usize::from(operation.has_receiver())) => {
            "isAccepted".to_string()
        }
        [] => "succeeds".to_string(),
        [one] => one.clone(),
        several if several[0].len() + several[1].len() <= 40 => joined(&several[..2]),
        several => several[0].clone(),
    }
}

/// `callsSend`, `doesNotSend`: what a look at the calls of a mock shows.
fn told_word(case: &TestCase, look: usize, context: &ClassContext<'_>) -> Option<String> {
    let list = case.sequence.inputs_of(look).next()?;
    let mock = mock_of_list(case, list, look, context)?;
    let operation = context.operation(case, mock)?;
    let told = operation.implemented.iter().enumerate().filter(|(_, method)| method.recording.is_some());
    let told: Vec<(usize, String)> = told.map(|(at, method)| (at, capitalized(&method.name))).collect();
    let is_called =
        |method: usize| case.execution.mock_calls.iter().any(|it| it.statement == mock && it.method == method);
    let called: Vec<&str> = told.iter().filter(|(at, _)| is_called(*at)).map(|(_, name)| &**name).collect();
    Some(match (&called[..], &told[..]) {
        ([], [(_, only)]) => format!("doesNot{only}"),
        ([], _) => "callsNothing".to_string(),
        ([one], _) => format!("calls{one}"),
        ([one, other, ..], _) if one == other => format!("calls{one}"),
        ([one, other, ..], _) => format!("calls{one}And{other}"),
    })
}

/// Whether the value is zero, nothing, false or empty.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Literal(Literal::Boolean(false)) => true,
        Value::Literal(Literal::String(text)) => text.units().is_empty(),
        Value::Literal(literal) => literal_word(literal).as_deref() == Some("0"),
        Value::Object { observed, .. } => observed.size() == Some(0),
        Value::Void => false,
    }
}

/// `sizeIs3`, `isEmpty`, `isNotEmpty`, `nameIsNull`, `optionsIsNotNull`.
fn state_word(operation: &Operation, value: &Value, says: &dyn Fn() -> Option<LongText>) -> String {
    let name = &*operation.name;
    let property = ["get", "is", "has"].iter().find_map(|prefix| {
        let rest = name.strip_prefix(prefix)?;
        rest.starts_with(char::is_uppercase).then_some((*prefix, rest))
    });
    if let Value::Literal(Literal::Boolean(is_true)) = value {
        return match (property, is_true) {
            (Some((prefix @ ("is" | "has"), rest)), false) => {
                let negation = if prefix == "is" { "isNot" } else { "hasNo" };
                format!("{negation}{rest}")
            }
            (_, true) if name.starts_with("is") || name.starts_with("has") => name.to_string(),
            (property, is_true) => {
                let said = property.map_or_else(|| name.to_string(), |(_, rest)| decapitalized(rest));
                format!("{said}Is{}", if *is_true { "True" } else { "False" })
            }
        };
    }
    let subject = match property {
        Some(("get", rest)) => decapitalized(rest),
        _ if name == "toString" => "text".to_string(),
        // A look at a value that a call before changed.
        _ if operation.kind == OperationKind::Cast => "content".to_string(),
        _ => name.to_string(),
    };
    match returned_word(value, Some(operation)) {
        Some(word) if &*word == LONG_TEXT => match says() {
            Some(LongText::With(passed)) => format!("{subject}Has{passed}"),
            Some(LongText::Beginning(words)) => {
                let verb = if words.ends_with("Characters") { "Has" } else { "Is" };
                format!("{subject}{verb}{words}")
            }
            None => format!("{subject}IsLongText"),
        },
        Some(word) if is_told(value, operation) => {
            const COUNTED: [&str; 6] = ["Bytes", "Characters", "OneElement", "Elements", "OneEntry", "Entries"];
            let verb = if COUNTED.iter().any(|count| word.ends_with(count)) { "Has" } else { "Is" };
            format!("{subject}{verb}{word}")
        }
        _ => match sized(value) {
            Some(size @ 1..) => format!("{subject}Has{}", sized_word(size, false)),
            _ => format!("{subject}IsNotNull"),
        },
    }
}

fn sized(value: &Value) -> Option<usize> {
    let Value::Object { observed, .. } = value else { return None };
    observed.size()
}

/// Whether a test can say more of the value than that it is there.
fn is_told(value: &Value, returned_by: &Operation) -> bool {
    match value {
        Value::Object { observed: Observed::Nothing, .. } => false,
        Value::Object { observed: observed @ Observed::Value(_), .. } => observed.is_comparable(Some(returned_by)),
        _ => true,
    }
}

/// Whether a test compares what was returned with its content.
fn is_shown(observed: &Observed, returned_by: Option<&Operation>) -> bool {
    let is_array = matches!(observed, Observed::Value(Described::Array(..) | Described::Content(..)));
    is_array || observed.is_comparable(returned_by)
}

/// `Fallback`, `DefaultValue`: the argument that a call is given for want of a better result, where that is the result.
fn fallback_word(case: &TestCase, subject: usize, returned: &Value, context: &ClassContext<'_>) -> Option<String> {
    const FALLBACKS: [&str; 6] = ["default", "fallback", "otherwise", "orelse", "ifabsent", "ifmissing"];
    let Value::Literal(returned) = returned else { return None };
    let operation = context.operation(case, subject)?;
    let is_returned = |input: &usize| case.sequence.literal_at(*input) == Some(returned);
    let inputs: Vec<usize> = case.sequence.inputs_of(subject).collect();
    let slot = inputs.iter().position(&is_returned)?;
    let name = operation.name_of_input(slot).filter(|name| is_plain(name))?;
    let is_fallback = FALLBACKS.iter().any(|word| name.to_ascii_lowercase().contains(word));
    (is_fallback && inputs.iter().filter(|input| is_returned(input)).count() == 1).then(|| capitalized(name))
}

/// `InputUnchanged`, `TrimmedText`: what a call returned, by the only text that it was given.
fn of_text_word(case: &TestCase, subject: usize, returned: &Value) -> Option<String> {
    let Value::Literal(Literal::String(returned)) = returned else { return None };
    let mut texts = case.sequence.inputs_of(subject).filter_map(|input| match case.sequence.literal_at(input) {
        Some(Literal::String(text)) => Some(text),
        _ => None,
    });
    let given = texts.next().filter(|_| texts.next().is_none() && !returned.units().is_empty())?;
    match given == returned {
        true => Some("InputUnchanged".to_string()),
        false => changed_word(&given.to_string(), &returned.to_string()),
    }
}

/// `True`, `MinusOne`, `EmptyString`, `2Elements`, `Option`: what was returned.
fn returned_word(value: &Value, operation: Option<&Operation>) -> Option<String> {
    let output = operation.and_then(|operation| operation.output.as_ref())?;
    let is_hash = operation.is_some_and(|operation| &*operation.name == "hashCode");
    let of_type = |of: &Type| capitalized(&type_word(Some(of)));
    let compared = operation.filter(|it| is_comparison(it)).and_then(|_| ValueCheck::of_compared(value));
    if let Some(ValueCheck::Sign(sign)) = compared {
        return Some(if sign.is_lt() { "NegativeNumber" } else { "PositiveNumber" }.to_string());
    }
    Some(match value {
        Value::Void => return None,
        Value::Null => "Null".to_string(),
        _ if is_hash => "Hash".to_string(),
        Value::Literal(literal) => shown_word(literal).unwrap_or_else(|| match literal {
            Literal::String(_) => LONG_TEXT.to_string(),
            _ => of_type(output),
        }),
        Value::Object { class, .. } if class.is_string() => LONG_TEXT.to_string(),
        Value::Object { class: Type::Array(_), observed } if observed.size() == Some(0) => "EmptyArray".to_string(),
        Value::Object { observed, .. } if observed.size() == Some(0) => match operation.map(|operation| operation.kind)
        {
            Some(OperationKind::Cast) => "Empty".to_string(),
            _ => format!("Empty{}", of_type(output)),
        },
        Value::Object { observed: Observed::Value(Described::Literal(literal)), class } => {
            shown_word(literal).unwrap_or_else(|| of_type(class))
        }
        Value::Object { observed: observed @ Observed::Value(value), .. } if is_shown(observed, operation) => {
            described_word(value).unwrap_or_else(|| of_type(output))
        }
        Value::Object { class, observed: Observed::Size(size) } if is_counted(class, output) => {
            sized_word(*size as usize, output.class_name().is_some_and(|class| class.simple().ends_with("Map")))
        }
        Value::Object { .. } => of_type(output),
    })
}

/// Whether a test asserts how many elements the value has: of an array or a collection whose static type has a size.
fn is_counted(class: &Type, output: &Type) -> bool {
    let is_object = *output == Type::object();
    matches!(class, Type::Array(_)) == matches!(output, Type::Array(_))
        && !is_object
        && class.class_name().is_none_or(|class| class.internal() != "java/util/Optional")
}

/// Stands for a text that has no words of its own in a name.
const LONG_TEXT: &str = "LongText";

/// What can be said of a long text.
enum LongText {
    /// It has a word or two that the test passed.
    With(String),
    /// It begins so.
    Beginning(String),
}

/// A word of a long text that the test passed, the nearest to the call first, or how it begins.
fn text_word(case: &TestCase, subject: usize, value: &Value) -> Option<LongText> {
    let Value::Literal(Literal::String(text)) = value else { return None };
    // Of a longer one the test asserts only the length.
    if text.units().len() > TEXT_ASSERTED {
        return None;
    }
    let passed = |at: usize| match case.sequence.literal_at(at) {
        Some(Literal::String(text)) => Some(text.to_string()),
        Some(Literal::Class(of)) => of.class_name().map(|of| of.simple().to_string()),
        _ => None,
    };
    let nearest = case.sequence.inputs_of(subject).chain((0..subject).rev());
    let (text, passed) = (text.to_string(), nearest.filter_map(passed).collect::<Vec<String>>());
    let beginning = || {
        let count = || match text.chars().count() {
            1 => "SingleCharacter".to_string(),
            count => format!("{count}Characters"),
        };
        let letters = || code_word(&text).unwrap_or_else(count);
        beginning_word(&text).unwrap_or_else(letters)
    };
    Some(words_inside(&text, &passed).map_or_else(|| LongText::Beginning(beginning()), LongText::With))
}

//! Calls and values as a person writes them, for messages: `mapTo(1, MONDAY): was 7, is 0`.

use super::difference::{Difference, Shown};
use model::execution::described::{Described, ElementsKind};
use model::execution::{KillReason, Observed, Thrown, Value};
use model::jvm::{JavaString, Literal};
use model::sequence::{Action, Operation, OperationKind, Sequence};

/// Longer texts are cut.
const LONGEST: usize = 120;
/// Calls within calls that are written out.
const DEEPEST: usize = 3;

/// The call that differs, and what it did in both versions.
pub fn message(sequence: &Sequence, difference: &Difference, operations: &[Operation]) -> String {
    let call = call(sequence, difference.statement, operations, 0);
    format!("{call}: was {}, is {}", shown(&difference.was), shown(&difference.is))
}

/// What a statement did.
pub fn shown(shown: &Shown) -> String {
    match shown {
        Shown::Value(Value::Void) => "no exception".to_string(),
        Shown::Value(of) => cut(value(of)),
        Shown::Threw(thrown) => cut(exception(thrown)),
        Shown::Ended(KillReason::Exit) => "an exit of the JVM".to_string(),
        Shown::Ended(KillReason::StackOverflow) => "a stack overflow".to_string(),
        Shown::Ended(KillReason::ProbeBudget | KillReason::Timeout) => "without an end".to_string(),
        Shown::Ended(_) => "the end of the JVM".to_string(),
        Shown::Missing(message) => cut(format!("missing ({message})")),
    }
}

fn exception(thrown: &Thrown) -> String {
    match &thrown.message {
        Some(message) => format!("{}: {}", thrown.class.simple(), string(message)),
        None => thrown.class.simple().to_string(),
    }
}

fn value(of: &Value) -> String {
    match of {
        Value::Void => "nothing".to_string(),
        Value::Null => "null".to_string(),
        Value::Literal(of) => literal(of),
        Value::Object { observed: Observed::Value(content), .. } => described(content),
        Value::Object { observed: Observed::Size(size), class } => format!("{class} of size {size}"),
        Value::Object { class, .. } => format!("an object of {class}"),
    }
}

fn described(of: &Described) -> String {
    let joined = |parts: &[Described]| parts.iter().map(described).collect::<Vec<_>>().join(", ");
    match of {
        Described::Null => "null".to_string(),
        Described::Literal(of) => literal(of),
        Described::Constant(_, name) => name.clone(),
        Described::Text(_, text) => text.to_string(),
        Described::Optional(_, None) => "empty".to_string(),
        Described::Optional(_, Some(content)) => format!("Optional[{}]", described(content)),
        Described::Elements(ElementsKind::Set, parts) => format!("{{{}}}", joined(parts)),
        Described::Elements(_, parts) | Described::Array(_, parts) => format!("[{}]", joined(parts)),
        Described::Map(entries) => {
            let entry = |(key, content): &(Described, Described)| format!("{}={}", described(key), described(content));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Described::Entry(entry) => format!("{}={}", described(&entry.0), described(&entry.1)),
        Described::Record(class, parts) | Described::Object(class, parts, _) => {
            format!("{}[{}]", source_simple(class.simple()), joined(parts))
        }
        Described::Content(_, content) => described(content),
    }
}

fn literal(of: &Literal) -> String {
    match of {
        Literal::Boolean(of) => of.to_string(),
        Literal::Byte(of) => of.to_string(),
        Literal::Short(of) => of.to_string(),
        Literal::Int(of) => of.to_string(),
        Literal::Long(of) => of.to_string(),
        Literal::Char(of) => format!("{:?}", char::from_u32(u32::from(*of)).unwrap_or('\u{fffd}')),
        Literal::Float(bits) => f32::from_bits(*bits).to_string(),
        Literal::Double(bits) => f64::from_bits(*bits).to_string(),
        Literal::String(of) => string(of),
        Literal::Class(of) => format!("{of}.class"),
        Literal::Null(_) => "null".to_string(),
    }
}

fn string(of: &JavaString) -> String {
    format!("{:?}", of.to_string())
}

/// The expression of a statement; a receiver is left out of the outermost call, as the class stands before it.
fn call(sequence: &Sequence, at: usize, operations: &[Operation], depth: usize) -> String {
    let operation = match &sequence.statements()[at].action {
        Action::Literal(of) => return literal(of),
        Action::Call(operation) => &operations[operation.0 as usize],
    };
    let inputs: Vec<usize> = sequence.inputs_of(at).collect();
    let owner = source_simple(operation.owner.simple());
    if depth == DEEPEST {
        return "…".to_string();
    }
    let text = |at: &usize| call(sequence, *at, operations, depth + 1);
    let all = |inputs: &[usize]| inputs.iter().map(text).collect::<Vec<_>>().join(", ");
    let receiver = || match (depth, inputs.first()) {
        (1.., Some(first)) => text(first) + ".",
        _ => String::new(),
    };
    match operation.kind {
        OperationKind::Constructor => format!("new {owner}({})", all(&inputs)),
        OperationKind::StaticMethod if depth == 0 => format!("{}({})", operation.name, all(&inputs)),
        OperationKind::StaticMethod => format!("{owner}.{}({})", operation.name, all(&inputs)),
        OperationKind::InstanceMethod => {
            format!("{}{}({})", receiver(), operation.name, all(inputs.get(1..).unwrap_or_default()))
        }
        OperationKind::GetStatic => operation.name.to_string(),
        OperationKind::GetField => format!("{}{}", receiver(), operation.name),
        OperationKind::SetStatic | OperationKind::SetField => format!("{} = …", operation.name),
        OperationKind::Array => format!("[{}]", all(&inputs)),
        OperationKind::Cast => inputs.first().map(text).unwrap_or_default(),
        OperationKind::Implementation => format!("a {owner}"),
    }
}

fn source_simple(simple: &str) -> &str {
    simple.rsplit('$').next().unwrap_or(simple)
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::{ClassName, MethodDescriptor, Type};
    use model::sequence::OperationId;

    #[test]
    fn message_has_the_call_and_both_values() {
        let day = ClassName::new("java/time/DayOfWeek");
        let returns = Some(Type::Class(day.clone()));
        let constant = MethodDescriptor { parameters: Vec::new(), returns };
        let map_to =
            MethodDescriptor { parameters: vec![Type::INT, Type::Class(day.clone())], returns: Some(Type::INT) };
        let operations = [
            Operation::new(OperationKind::GetStatic, day, "MONDAY", constant),
            Operation::new(OperationKind::StaticMethod, ClassName::new("p/Week"), "mapTo", map_to),
        ];
        let mut sequence = Sequence::new();
        let one = sequence.push_literal(Literal::Int(1));
        let monday = sequence.push_call(OperationId(0), &[]);
        let statement = sequence.push_call(OperationId(1), &[one, monday]);
        let [was, is] = [7, 0].map(|of| Shown::Value(Value::Literal(Literal::Int(of))));
        let difference = Difference { statement, was, is };
        assert_eq!(message(&sequence, &difference, &operations), "mapTo(1, MONDAY): was 7, is 0");
    }
}

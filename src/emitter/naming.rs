//! Names of test methods: the method tested, the condition, what happens.
//!
//! `push_returns3` suffices where no other test has that name (`peekAndSize_returnExpectedValues` where several results are
//! asserted); else the arguments tell tests apart
//! (`push_negativeItem_returns3`), else what was called before (`push_afterPop_returns3`), at last a number.

use super::Role;
use super::TestCase;
use super::method::{ClassContext, extent, subject};
use super::variables::{capitalized, decapitalized, last_segment};
use model::execution::described::Described;
use model::execution::{Observed, Value};
use model::jvm::{ClassName, Literal, Primitive, Type};
use model::sequence::{Action, Operation, OperationKind};
use std::collections::{BTreeMap, BTreeSet};

/// One name per test, all different; a test has one case or several of one operation.
///
/// With each case come the statements whose values its test asserts.
pub(super) fn method_names(tests: &[Vec<(&TestCase, BTreeSet<usize>)>], context: &ClassContext<'_>) -> Vec<String> {
    let names = |test: &Vec<(&TestCase, BTreeSet<usize>)>| match test.as_slice() {
        [(case, asserted)] => candidates(case, asserted, context),
        several => vec![shared_name(several, context)],
    };
    let wanted: Vec<Vec<String>> = tests.iter().map(names).collect();
    let mut level = vec![0; tests.len()];
    // Whoever shares a name moves on to its next, more telling one, until nobody can.
    for _ in 0..3 {
        let mut shared: BTreeMap<&str, usize> = BTreeMap::new();
        for (names, &level) in wanted.iter().zip(&level) {
            *shared.entry(&names[level]).or_default() += 1;
        }
        let crowded: Vec<bool> =
            wanted.iter().zip(&level).map(|(names, &level)| shared[names[level].as_str()] > 1).collect();
        for index in 0..tests.len() {
            if crowded[index] && level[index] + 1 < wanted[index].len() {
                level[index] += 1;
            }
        }
    }
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for (candidates, level) in wanted.iter().zip(level) {
        let name = &candidates[level];
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = [name.clone()].into_iter().chain(numbered).find(|name| !taken.contains(name));
        let free = free.expect("numbers do not run out");
        taken.insert(free.clone());
        names.push(free);
    }
    names
}

/// `parse_throwsIllegalArgumentException`, `getAndSet_throwExpectedExceptions`, `abs_returnsExpectedValues`.
fn shared_name(cases: &[(&TestCase, BTreeSet<usize>)], context: &ClassContext<'_>) -> String {
    let thrown = |case: &TestCase| {
        let thrown = extent(case).ok()?.1?;
        Some(capitalized(last_segment(&thrown.nameable)))
    };
    let subjects = cases.iter().filter_map(|(case, _)| Some((*case, subject(case).ok()?)));
    let names = distinct(subjects.map(|(case, subject)| tested(case, subject, context)));
    let exceptions = distinct(cases.iter().filter_map(|(case, _)| thrown(case)));
    let asserts = cases.iter().any(|(_, asserted)| !asserted.is_empty());
    let (verb, object) = match exceptions.as_slice() {
        [class] => ("throw", class.as_str()),
        [_, ..] => ("throw", "ExpectedExceptions"),
        [] if asserts => ("return", "ExpectedValues"),
        [] => ("complete", ""),
    };
    let ending = if names.len() == 1 { "s" } else { "" };
    format!("{}_{verb}{ending}{object}", enumerated(&names))
}

/// Names for a case, from the shortest to the most telling.
fn candidates(case: &TestCase, asserted: &BTreeSet<usize>, context: &ClassContext<'_>) -> Vec<String> {
    let Ok(subject) = subject(case) else { return vec!["nothing_runs".to_string()] };
    let threw = extent(case).is_ok_and(|(_, thrown)| thrown.is_some());
    let several = several_tested(case, asserted, context).filter(|_| !threw);
    let what = several.clone().unwrap_or_else(|| tested(case, subject, context));
    let happens = match several {
        Some(_) => "returnExpectedValues".to_string(),
        None => happening(case, subject, asserted, context),
    };
    let condition = condition(case, subject, context);
    let before = earlier_call(case, subject, context);
    let mut names = Vec::new();
    let mut add = |parts: &[&str]| {
        let name = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("_");
        if names.last() != Some(&name) {
            names.push(name);
        }
    };
    if !threw {
        add(&[&what, &happens]);
    }
    add(&[&what, &condition, &happens]);
    if let Some(before) = before {
        let after = match condition.is_empty() {
            true => format!("after{}", capitalized(&before)),
            false => format!("{condition}After{}", capitalized(&before)),
        };
        add(&[&what, &after, &happens]);
    }
    names
}

/// `push`, `newStack`, `setLimit`.
fn tested(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> String {
    let Some(operation) = context.operation(case, subject) else { return "value".to_string() };
    match operation.kind {
        OperationKind::Constructor | OperationKind::Implementation => {
            format!("new{}", capitalized(last_segment(&operation.owner)))
        }
        OperationKind::SetField | OperationKind::SetStatic => format!("set{}", capitalized(&operation.name)),
        OperationKind::Array => "newArray".to_string(),
        OperationKind::Cast => format!("castTo{}", capitalized(&type_word(operation.output.as_ref()))),
        _ => operation.name.to_string(),
    }
}

/// `peekAndSize`, where the results of different methods are asserted.
fn several_tested(case: &TestCase, asserted: &BTreeSet<usize>, context: &ClassContext<'_>) -> Option<String> {
    let names = distinct(asserted.iter().map(|&index| tested(case, index, context)));
    (names.len() > 1).then(|| enumerated(&names))
}

/// Each once, in the order of first mention.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// `peekAndSizeAndPop`, `peekAndSizeAndPopAndMore`: at most three, and fewer if they are long.
fn enumerated(names: &[String]) -> String {
    let mut shown = names.first().map_or("value".to_string(), String::clone);
    for (index, name) in names.iter().enumerate().skip(1) {
        if index == 3 || shown.len() + name.len() > 48 {
            return shown + "AndMore";
        }
        shown += "And";
        shown += &capitalized(name);
    }
    shown
}

fn happening(case: &TestCase, subject: usize, asserted: &BTreeSet<usize>, context: &ClassContext<'_>) -> String {
    if let Role::Finding(violation) = &case.role {
        let words: String =
            violation.contract.split(|letter: char| !letter.is_alphanumeric()).map(capitalized).collect();
        return format!("violates{words}");
    }
    if let Ok((_, Some(thrown))) = extent(case) {
        return format!("throws{}", capitalized(last_segment(&thrown.nameable)));
    }
    let operation = context.operation(case, subject);
    let value = case.execution.values.get(subject).filter(|_| asserted.contains(&subject));
    if value.is_some() && asserted.iter().any(|&other| case.execution.values.get(other) != value) {
        return "returnsExpectedValues".to_string();
    }
    value.and_then(|value| returned(value, operation)).unwrap_or_else(|| "completes".to_string())
}

/// `returnsTrue`, `returnsMinus1`, `returnsEmptyString`, `returnsOption`.
fn returned(value: &Value, operation: Option<&Operation>) -> Option<String> {
    let output = operation.and_then(|operation| operation.output.as_ref())?;
    let is_hash = operation.is_some_and(|operation| &*operation.name == "hashCode");
    let word = match value {
        Value::Void => return None,
        Value::Null => "Null".to_string(),
        _ if is_hash => "Hash".to_string(),
        Value::Literal(literal) => literal_word(literal).unwrap_or_else(|| capitalized(&type_word(Some(output)))),
        Value::Object { observed: Observed::Value(Described::Literal(literal)), class } => {
            literal_word(literal).unwrap_or_else(|| capitalized(&type_word(Some(class))))
        }
        Value::Object { observed: Observed::Value(Described::Constant(_, name)), .. } if is_plain(name) => {
            capitalized(name)
        }
        Value::Object { class: Type::Array(_), observed } if observed.size() == Some(0) => "EmptyArray".to_string(),
        Value::Object { observed, .. } if observed.size() == Some(0) => {
            format!("Empty{}", capitalized(&type_word(Some(output))))
        }
        Value::Object { .. } => capitalized(&type_word(Some(output))),
    };
    Some(format!("returns{word}"))
}

/// A short literal as part of a name.
fn literal_word(literal: &Literal) -> Option<String> {
    let integer = |value: i64| match value {
        0..=9_999 => Some(value.to_string()),
        -9_999..=-1 => Some(format!("Minus{}", -value)),
        _ => None,
    };
    match literal {
        Literal::Boolean(value) => Some(if *value { "True" } else { "False" }.to_string()),
        Literal::Byte(value) => integer(i64::from(*value)),
        Literal::Short(value) => integer(i64::from(*value)),
        Literal::Int(i32::MAX) | Literal::Long(i64::MAX) => Some("MaxValue".to_string()),
        Literal::Int(i32::MIN) | Literal::Long(i64::MIN) => Some("MinValue".to_string()),
        Literal::Int(value) => integer(i64::from(*value)),
        Literal::Long(value) => integer(*value),
        Literal::Float(bits) => floating_word(f64::from(f32::from_bits(*bits))),
        Literal::Double(bits) => floating_word(f64::from_bits(*bits)),
        Literal::String(text) if text.units().is_empty() => Some("EmptyString".to_string()),
        Literal::String(text) => {
            let text = text.to_string();
            (text.len() <= 20 && is_plain(&text) && text.starts_with(|letter: char| letter.is_ascii_alphabetic()))
                .then(|| capitalized(&text))
        }
        Literal::Char(unit) => {
            char::from_u32(u32::from(*unit)).filter(char::is_ascii_alphanumeric).map(|letter| letter.to_string())
        }
        Literal::Class(_) | Literal::Null(_) => None,
    }
}

fn floating_word(value: f64) -> Option<String> {
    if value.is_nan() {
        Some("NaN".to_string())
    } else if value.is_infinite() {
        Some(if value > 0.0 { "Infinity" } else { "MinusInfinity" }.to_string())
    } else if value.fract() == 0.0 && value.abs() < 10_000.0 {
        let sign = if value.is_sign_negative() { "Minus" } else { "" };
        Some(format!("{sign}{}", value.abs()))
    } else {
        None
    }
}

/// What is special about the literal arguments: `nullKeyAndEmptyValue`.
fn condition(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> String {
    let Some(operation) = context.operation(case, subject) else { return String::new() };
    let mut words = Vec::new();
    for (slot, input) in case.sequence.inputs_of(subject).enumerate() {
        let Some(slot) = slot.checked_sub(usize::from(operation.has_receiver())) else { continue };
        let Action::Literal(literal) = &case.sequence.statements()[input].action else { continue };
        let adjective = match literal {
            Literal::Null(_) => "null".to_string(),
            Literal::String(text) if text.units().is_empty() => "empty".to_string(),
            Literal::String(_) => match literal_word(literal) {
                Some(word) => {
                    words.push(decapitalized(&word));
                    continue;
                }
                None => continue,
            },
            literal => match literal_word(literal) {
                Some(word) if word.starts_with(|letter: char| letter.is_ascii_digit()) => format!("with{word}"),
                Some(word) => decapitalized(&word),
                None => continue,
            },
        };
        let parameter = parameter_word(operation, slot, context);
        // `with0` says as much as `with0Int`.
        let is_keyword = Primitive::ALL.iter().any(|primitive| primitive.keyword() == parameter);
        let parameter = if is_keyword { String::new() } else { capitalized(&parameter) };
        words.push(format!("{adjective}{parameter}"));
    }
    words.truncate(2);
    let rest = words.iter().skip(1).map(|word| format!("And{}", capitalized(word))).collect::<String>();
    words.first().map_or(String::new(), |first| first.clone() + &rest)
}

/// The parameter's name, or its type's where that tells overloads apart.
fn parameter_word(operation: &Operation, slot: usize, context: &ClassContext<'_>) -> String {
    let arity = operation.descriptor.parameters.len();
    let overloaded = context.types.overloads(&operation.owner, &operation.name, arity).len() > 1;
    match operation.parameter_names.get(slot) {
        Some(name) if !overloaded && name.len() > 1 && is_plain(name) && !name.starts_with("arg") => name.to_string(),
        _ => type_word(operation.descriptor.parameters.get(slot)),
    }
}

/// The nearest earlier method called on the same object.
fn earlier_call(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> Option<String> {
    let on = case.sequence.inputs_of(subject).next()?;
    (on + 1..subject).rev().find_map(|index| {
        let operation = context.operation(case, index)?;
        let same = case.sequence.inputs_of(index).next() == Some(on);
        (operation.kind == OperationKind::InstanceMethod && same).then(|| operation.name.to_string())
    })
}

fn type_word(of: Option<&Type>) -> String {
    match of {
        Some(Type::Primitive(primitive)) => primitive.keyword().to_string(),
        Some(Type::Array(element)) => format!("{}Array", type_word(Some(element))),
        Some(Type::Class(class)) => class_word(class),
        Some(Type::Parameterized(of)) => class_word(&of.class),
        None => "void".to_string(),
    }
}

fn class_word(class: &ClassName) -> String {
    last_segment(class).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::JavaString;

    #[test]
    fn test_name_lists_methods_up_to_a_length_limit() {
        let check = |names: &[&str], expected: &str| {
            assert_eq!(enumerated(&names.iter().map(|name| name.to_string()).collect::<Vec<_>>()), expected);
        };
        check(&["peek"], "peek");
        check(&["peek", "size", "pop"], "peekAndSizeAndPop");
        check(&["peek", "size", "pop", "push"], "peekAndSizeAndPopAndMore");
        check(
            &["appendTimeZoneShortName", "appendTwoDigitWeekyear"],
            "appendTimeZoneShortNameAndAppendTwoDigitWeekyear",
        );
        check(
            &["appendTimeZoneShortName", "appendTwoDigitWeekyear", "clear"],
            "appendTimeZoneShortNameAndAppendTwoDigitWeekyearAndMore",
        );
    }

    #[test]
    fn only_short_values_become_part_of_test_names() {
        let word = |literal: Literal| literal_word(&literal).unwrap_or_default();
        let string = |text: &str| Literal::String(JavaString::from(text));
        assert_eq!(word(Literal::Int(-3)), "Minus3");
        assert_eq!(word(Literal::Long(i64::MAX)), "MaxValue");
        assert_eq!(word(Literal::Long(123_456)), "");
        assert_eq!(word(Literal::double(-0.0)), "Minus0");
        assert_eq!(word(Literal::float(0.5)), "");
        assert_eq!(word(string("")), "EmptyString");
        assert_eq!(
            (word(string("arg")), word(string("a b")), word(string("1a"))),
            ("Arg".into(), "".into(), "".into())
        );
    }
}

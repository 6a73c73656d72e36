//! Two calls of one method, of which one says true and the other false: `returnsTrueForLeapYearButNotFor1`.

use super::Says;
use crate::TestCase;
use crate::compared::compared_pair;
use crate::method::ClassContext;
use crate::purpose::{arguments, arguments_alike, called_on, calls_before, content, kind_word};
use crate::variables::capitalized;
use crate::words::{constant_word, is_plain, shown_word, type_word};
use model::execution::Value;
use model::jvm::{Literal, Type};
use model::sequence::OperationKind;
use std::collections::BTreeSet;

/// An input of both calls in which they differ: its position, and the statements that make it for the first and for the second call.
type Difference = (usize, [usize; 2]);

/// What the two calls show, and what that says of both.
pub(super) fn outcome(
    case: &TestCase,
    subject: usize,
    said: bool,
    asserted: &BTreeSet<usize>,
    context: &ClassContext<'_>,
) -> Option<(String, Says)> {
    let (other, differing) = opposite(case, subject, said, asserted)?;
    if let Some(compared) = compared_pair(case, (subject, other), said, asserted, context) {
        return Some((compared, Says::Arguments));
    }
    let alike = [subject, other].map(|at| arguments_alike(case, at, context));
    if let [Some(own), Some(other)] = &alike
        && own != other
    {
        return Some((true_for(said, &capitalized(own), &capitalized(other)), Says::Arguments));
    }
    if let [(slot, [own, other])] = differing[..]
        && let Some(own) = input_word(case, subject, slot, own, context)
        && let Some(other) = input_word(case, subject, slot, other, context)
        && own != other
    {
        return Some((true_for(said, &own, &other), Says::Arguments));
    }
    if differing.first().is_some_and(|(slot, _)| *slot == 0) && called_on(case, subject, context).is_some() {
        let named = match differing.len() {
            1 => of_two_objects(case, (subject, other), said, context),
            _ => None,
        };
        return Some(match named {
            Some(named) => (named, Says::All),
            None => (format!("returns{}", truth(said)), Says::Outcome),
        });
    }
    let unlike = unlike_word(case, subject, &differing, context);
    Some((format!("returns{}{unlike}", truth(said)), Says::Outcome))
}

fn truth(said: bool) -> &'static str {
    if said { "True" } else { "False" }
}

/// `returnsTrueOnlyAfterPush`, `returnsFalseOnlyWithName`: what only one of two objects has been through or was made of, if that is one
/// thing.
fn of_two_objects(
    case: &TestCase,
    (subject, other): (usize, usize),
    said: bool,
    context: &ClassContext<'_>,
) -> Option<String> {
    let only = |said: bool, only: String| Some(format!("returns{}Only{only}", truth(said)));
    let [own, other_own] = [subject, other].map(|at| made_of(case, at, context));
    let [past, other_past] = [subject, other].map(|at| capitalized(&calls_before(case, at, context)));
    match (past.is_empty(), other_past.is_empty()) {
        (false, true) if own == other_own => return only(said, past),
        (true, false) if own == other_own => return only(!said, other_past),
        (true, true) => {}
        _ => return None,
    }
    let without =
        |of: &[String], other: &[String]| of.iter().filter(|word| !other.contains(word)).cloned().collect::<Vec<_>>();
    let asked = context.operation(case, subject).map(|operation| capitalized(&operation.name)).unwrap_or_default();
    match (&without(&own, &other_own)[..], &without(&other_own, &own)[..]) {
        (words, []) => only(said, with(asked_for(words, &asked)?)),
        ([], words) => only(!said, with(asked_for(words, &asked)?)),
        ([own], [other]) => Some(true_for(said, own, other)),
        _ => None,
    }
}

/// The word, or of several the one that the method asks for: `LongOpt` for `hasLongOpt`.
fn asked_for<'a>(words: &'a [String], method: &str) -> Option<&'a String> {
    match words {
        [word] => Some(word),
        words => words.iter().find(|word| method.ends_with(word.as_str())),
    }
}

/// `WithName`; `WithoutName` stays.
fn with(word: &String) -> String {
    if word.starts_with("With") { word.clone() } else { format!("With{word}") }
}

/// `Opt`, `LongOpt`: the words for what the object was constructed of whose method is called.
fn made_of(case: &TestCase, at: usize, context: &ClassContext<'_>) -> Vec<String> {
    let is_new =
        |on: &usize| context.operation(case, *on).is_some_and(|maker| maker.kind == OperationKind::Constructor);
    let Some(on) = called_on(case, at, context).filter(is_new) else { return Vec::new() };
    let words = arguments(case, on, context).into_iter().map(|word| capitalized(&word.into_word()));
    words.filter(|word| word.len() <= WORD_SHOWN).collect()
}

/// `returnsTrueForNullButNotForItem`, where the call says so for the first word and the opposite for the second one.
pub(crate) fn true_for(said: bool, first: &str, second: &str) -> String {
    let (accepted, refused) = if said { (first, second) } else { (second, first) };
    format!("returnsTrueFor{accepted}ButNotFor{refused}")
}

/// The call beside the subject by other arguments which says the opposite of what it said, and in what their inputs differ.
fn opposite(
    case: &TestCase,
    subject: usize,
    said: bool,
    asserted: &BTreeSet<usize>,
) -> Option<(usize, Vec<Difference>)> {
    let sequence = &case.sequence;
    let says_opposite = |at: &usize| {
        sequence.call_at(*at) == sequence.call_at(subject)
            && case.execution.values.get(*at) == Some(&Value::Literal(Literal::Boolean(!said)))
    };
    let differing = |other: usize| -> (usize, Vec<Difference>) {
        let inputs = sequence.inputs_of(subject).zip(sequence.inputs_of(other)).enumerate();
        let differing = inputs.filter(|(_, (own, other))| !sequence.has_same_value(*own, *other));
        (other, differing.map(|(slot, (own, other))| (slot, [own, other])).collect())
    };
    let mut others = asserted.iter().copied().filter(|at| *at > subject).filter(says_opposite).map(differing);
    others.find(|(_, differing)| !differing.is_empty())
}

/// Longest word for what a call is given.
const WORD_SHOWN: usize = 20;

/// `EmptyText`, `5Euros`, `Max`, `YearMonth`: what a call of the subject takes at a position, if that can be said in short.
fn input_word(
    case: &TestCase,
    subject: usize,
    slot: usize,
    input: usize,
    context: &ClassContext<'_>,
) -> Option<String> {
    let on = called_on(case, subject, context);
    let is_receiver = slot == 0 && on.is_some();
    let declared = context.operation(case, subject)?.inputs.get(slot);
    let literal = || case.sequence.literal_at(input).and_then(literal_word);
    let constant = || {
        let read = context.operation(case, input).filter(|read| read.kind == OperationKind::GetStatic)?;
        is_plain(&read.name).then(|| constant_word(&read.name))
    };
    let itself = || (!is_receiver && on == Some(input)).then(|| "Itself".to_string());
    let kind = || kind_word(case, input, declared.filter(|_| !is_receiver)?, context);
    // Of an object that nothing more is known of, its class is all that there is to say.
    let class = || match case.execution.values.get(input)? {
        Value::Object { class: class @ (Type::Class(_) | Type::Parameterized(_)), .. } if !is_receiver => {
            declared.filter(|declared| *declared == class).map(|class| type_word(Some(class)))
        }
        _ => None,
    };
    let word =
        itself().or_else(literal).or_else(|| content(case, input)).or_else(constant).or_else(kind).or_else(class);
    word.filter(|word| (1..=WORD_SHOWN).contains(&word.len())).map(|word| capitalized(&word))
}

fn literal_word(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Null(_) => Some("Null".to_string()),
        Literal::String(text) if text.units().is_empty() => Some("EmptyText".to_string()),
        literal => shown_word(literal),
    }
}

/// Names of parameters that say no more than that there is another one.
const VAGUE: [&str; 7] = ["another", "obj", "object", "other", "that", "val", "value"];

/// `UnlikeComma`: what the call that says the opposite is given in place of an input of the subject.
fn unlike_word(case: &TestCase, subject: usize, differing: &[Difference], context: &ClassContext<'_>) -> String {
    let [(slot, [_, other])] = differing else { return "UnlikeAnother".to_string() };
    if *slot == 0 && called_on(case, subject, context).is_some() {
        return "UnlikeAnother".to_string();
    }
    let literal = || case.sequence.literal_at(*other).and_then(literal_word);
    if let Some(word) = content(case, *other).or_else(literal).filter(|word| word.len() <= WORD_SHOWN) {
        return format!("Unlike{word}");
    }
    let named = context.operation(case, subject).and_then(|operation| operation.name_of_input(*slot));
    let named = named.filter(|name| is_plain(name) && name.len() > 1 && !VAGUE.contains(name));
    format!("UnlikeAnother{}", named.map(capitalized).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_method_asks_for_is_named_of_several_words() {
        let words = ["LongOpt".to_string(), "WithHasArg".to_string()];
        assert_eq!(asked_for(&words, "HasLongOpt").map(String::as_str), Some("LongOpt"));
        assert_eq!(asked_for(&words, "IsRequired"), None);
        assert_eq!(words.each_ref().map(with), ["WithLongOpt", "WithHasArg"]);
    }
}

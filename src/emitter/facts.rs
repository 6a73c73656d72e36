//! Facts about a test: short phrases, one or two of which tell it apart from the others of its method and outcome.
//!
//! The conditions of a test say all of a kind, such as every argument. A fact says one thing: `nullName`, `with3Options`,
//! `afterClose`, `missingRequiredOption`. A name takes as few as no other test has.

use super::TestCase;
use super::message::{Said, said};
use super::method::ClassContext;
use super::purpose::{arguments, called_on, letters, objects, tested};
use super::variables::{capitalized, last_segment};
use super::words::{ArgumentWord, distinct, literal_word, sized_word, value_word};
use model::execution::{Observed, Value};
use model::jvm::{Literal, Type};
use model::sequence::{Action, HOLDER, Operation, OperationKind};
use std::collections::BTreeSet;

/// Most facts that are combined in a name.
const COMBINED: usize = 3;
/// Most facts of one test.
const MOST_FACTS: usize = 24;
/// Longest fact.
const LONGEST: usize = 40;

/// What can be said of a test, the most natural first.
pub(super) fn facts(
    case: &TestCase,
    subject: usize,
    asserted: &BTreeSet<usize>,
    context: &ClassContext<'_>,
) -> Vec<String> {
    let (special, plain): (Vec<ArgumentWord>, Vec<ArgumentWord>) =
        arguments(case, subject, context).into_iter().partition(|word| matches!(word, ArgumentWord::Special(_)));
    let mut facts: Vec<String> = changed_answer(case, subject, context).into_iter().map(str::to_string).collect();
    let (vague, wrong): (Vec<Said>, Vec<Said>) = said(case).into_iter().partition(|said| said.is_vague);
    facts.extend(wrong.into_iter().map(|said| said.words));
    facts.extend(special.into_iter().map(phrase));
    facts.extend(case.branches.iter().cloned());
    facts.extend(vague.into_iter().map(|said| said.words));
    facts.extend(plain.into_iter().map(phrase));
    facts.extend(letters(case, subject, context).into_iter().map(phrase));
    facts.extend(objects(case, subject, context).into_iter().map(phrase));
    let receiver = called_on(case, subject, context);
    let is_on_receiver = |at: usize| {
        context.operation(case, at).is_some_and(|operation| operation.kind == OperationKind::InstanceMethod)
            && case.sequence.inputs_of(at).next() == receiver
    };
    if let Some(on) = receiver {
        for at in (on + 1..subject).rev().filter(|at| is_on_receiver(*at)) {
            facts.push(format!("after{}", capitalized(&tested(case, at, context))));
            facts.extend(arguments(case, at, context).into_iter().map(phrase));
        }
        facts.extend(arguments(case, on, context).into_iter().map(|word| match word {
            ArgumentWord::Special(word) | ArgumentWord::Plain(word) => format!("of{}", capitalized(&word)),
        }));
    }
    facts.extend(sizes(case, subject, context));
    facts.extend(others(case, subject, receiver, context));
    facts.extend(values(case, asserted));
    let short = facts.into_iter().filter(|fact| !fact.is_empty() && fact.len() <= LONGEST);
    let mut facts = distinct(short);
    facts.truncate(MOST_FACTS);
    facts
}

/// `later`, where a clock has moved before the call, or `afterChange`, where another collaborator answers something else.
fn changed_answer(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> Option<&'static str> {
    let is_set = |operation: &&Operation| operation.owner.internal() == HOLDER && operation.has_receiver();
    let set = (0..subject).filter_map(|at| context.operation(case, at)).find(is_set)?;
    let tells_time = set.inputs.last().is_some_and(|answer| *answer == Type::class("java/time/Instant"));
    Some(if tells_time { "later" } else { "afterChange" })
}

fn phrase(word: ArgumentWord) -> String {
    match word {
        ArgumentWord::Special(word) => word,
        ArgumentWord::Plain(word) => format!("with{}", capitalized(&word)),
    }
}

/// `with3Options`: how many elements the arrays have that the call takes.
fn sizes(case: &TestCase, subject: usize, context: &ClassContext<'_>) -> Vec<String> {
    let size = |input: usize| {
        let operation = context.operation(case, input).filter(|operation| operation.kind == OperationKind::Array)?;
        let element = operation.inputs.first().and_then(|element| element.class_name());
        let elements = element.map_or("Element", |class| last_segment(class));
        Some(match case.sequence.inputs_of(input).len() {
            1 => format!("withOne{elements}"),
            count => format!("with{count}{elements}s"),
        })
    };
    case.sequence.inputs_of(subject).filter_map(size).collect()
}

/// What the other calls before do, the nearest first: `withOption`, `withOptionHidden`; and the literals that they take.
fn others(case: &TestCase, subject: usize, receiver: Option<usize>, context: &ClassContext<'_>) -> Vec<String> {
    let mut facts = Vec::new();
    for at in (0..subject).rev().filter(|at| Some(*at) != receiver) {
        match &case.sequence.statements()[at].action {
            Action::Call(_) => {
                let Some(operation) = context.operation(case, at) else { continue };
                match operation.kind {
                    OperationKind::Constructor | OperationKind::Implementation => {
                        facts.push(format!("with{}", capitalized(last_segment(&operation.owner))));
                    }
                    OperationKind::InstanceMethod | OperationKind::StaticMethod => {
                        facts.push(format!("using{}", capitalized(&operation.name)));
                    }
                    _ => {}
                }
                let named = arguments(case, at, context).into_iter().map(phrase);
                facts.extend(named);
            }
            Action::Literal(literal) => facts.push(phrase(value_word(literal, ""))),
        }
    }
    facts
}

/// What is asserted of values: `giving3`, `givingAbc`, `giving2Elements`.
fn values(case: &TestCase, asserted: &BTreeSet<usize>) -> Vec<String> {
    let word = |at: &usize| {
        let value = case.execution.values.get(*at)?;
        match value {
            Value::Literal(literal) => literal_word(literal).or_else(|| first_words(literal)),
            Value::Object { class, .. } if class.is_string() => None,
            Value::Object { observed: Observed::Value(_) | Observed::Size(_), .. } => match value {
                Value::Object { observed, .. } => observed.size().map(|size| sized_word(size, false)),
                _ => None,
            },
            _ => None,
        }
    };
    asserted.iter().filter_map(word).map(|word| format!("giving{word}")).collect()
}

fn first_words(literal: &Literal) -> Option<String> {
    let Literal::String(text) = literal else { return None };
    let text = text.to_string();
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.take(2).map(capitalized).collect();
    (!words.is_empty()).then(|| words.concat())
}

/// Combinations of facts that hold of no other test: those with the first one, then of a rejection those that say what is wrong with an
/// input, then the fewest and most natural. `others` are the facts of the other tests.
pub(super) fn telling(
    facts: &[String],
    throws: bool,
    others: &[&[String]],
    fits: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let holds = |facts: &[&String]| others.iter().any(|other| facts.iter().all(|fact| other.contains(fact)));
    // What a name says of itself comes with the reason, which is the first fact.
    let rank = |of: &[&String]| match of.first().copied() == facts.first() {
        true => 0,
        false if throws && of.iter().any(|fact| preposition(fact).is_none()) => 1,
        false => 2,
    };
    let by_count = (1..=COMBINED.min(facts.len())).flat_map(|count| combinations(facts, count));
    let mut all: Vec<Vec<&String>> = by_count.collect();
    all.sort_by_key(|of| rank(of));
    let unique = all.into_iter().filter(|combination| !holds(combination));
    unique.map(|combination| together(&combination)).filter(|phrase| fits(phrase)).take(COMBINED).collect()
}

/// All combinations of so many, those of the first ones first.
fn combinations(facts: &[String], count: usize) -> Vec<Vec<&String>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, last) in facts.iter().enumerate().skip(count - 1) {
        for mut begin in combinations(&facts[..at], count - 1) {
            begin.push(last);
            all.push(begin);
        }
    }
    all
}

/// `nullNameAfterClose`, `withAAndB` for `withA` and `withB`.
fn together(facts: &[&String]) -> String {
    let mut phrase = facts.first().map_or(String::new(), |first| (*first).clone());
    let mut before = facts.first().and_then(|first| preposition(first));
    for fact in facts.iter().skip(1) {
        let own = preposition(fact);
        match own {
            Some(word) if own == before => phrase = format!("{phrase}And{}", &fact[word.len()..]),
            Some(_) => phrase += &capitalized(fact),
            None => phrase = format!("{phrase}And{}", capitalized(fact)),
        }
        before = own;
    }
    phrase
}

/// The word that a fact begins with, if it says what there is and not what is wrong with it.
fn preposition(fact: &str) -> Option<&'static str> {
    ["with", "after", "of", "using", "giving"].into_iter().find(|word| is_led_by(fact, word))
}

fn is_led_by(fact: &str, word: &str) -> bool {
    fact.strip_prefix(word).is_some_and(|rest| rest.starts_with(|letter: char| !letter.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewest_facts_tell_a_test_from_the_others() {
        let facts = |facts: &[&str]| facts.iter().map(|fact| fact.to_string()).collect::<Vec<String>>();
        let first = |own: &[&str], throws: bool, others: &[&[&str]]| {
            let others: Vec<Vec<String>> = others.iter().map(|other| facts(other)).collect();
            let others: Vec<&[String]> = others.iter().map(Vec::as_slice).collect();
            telling(&facts(own), throws, &others, &|phrase| phrase.len() < 29).first().cloned().unwrap_or_default()
        };
        let check = |own: &[&str], others: &[&[&str]], expected: &str| assert_eq!(first(own, false, others), expected);
        check(&["nullName", "withSize5"], &[&["nullName"]], "nullNameWithSize5");
        check(
            &["nullOfAVeryLongName", "withSize5", "withA"],
            &[&["nullOfAVeryLongName", "withA"]],
            "nullOfAVeryLongNameWithSize5",
        );
        check(&["withA", "withB", "withC"], &[&["withA", "withC"], &["withB", "withC"]], "withAAndB");
        check(&["nullName", "afterClose"], &[&["nullName"], &["afterClose"]], "nullNameAfterClose");
        check(&["nullName"], &[&["nullName"]], "");
        let own = ["optContainsAnIllegalCharacter", "optWithSpace", "withLongOpt"];
        assert_eq!(first(&own, true, &[&own[..2]]), "optWithSpaceWithLongOpt");
        assert_eq!(first(&own, false, &[&own[..2]]), "withLongOpt");
    }
}

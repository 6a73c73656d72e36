//! Facts about a test: short phrases, one or two of which tell it apart from the others of its method and outcome.
//!
//! The conditions of a test say all of a kind, such as every argument. A fact says one thing: `nullName`, `with3Options`,
//! `afterClose`, `missingRequiredOption`. A name takes as few as no other test has.

use super::TestCase;
use super::method::{ClassContext, extent};
use super::purpose::{arguments, called_on, letters, objects, tested};
use super::variables::{capitalized, decapitalized, last_segment};
use super::words::{ArgumentWord, constant_word, distinct, literal_word, sized_word, value_word};
use model::execution::{Observed, Value};
use model::jvm::{JavaString, Literal, Type};
use model::sequence::{Action, HOLDER, Operation, OperationKind};
use std::collections::BTreeSet;

/// Words of a message that a name takes.
const MESSAGE_WORDS: usize = 6;
/// Words that do not end what a message says.
const OPEN_ENDS: [&str; 16] = [
    "and", "at", "be", "between", "by", "expected", "for", "from", "in", "is", "not", "of", "than", "to", "was", "with",
];
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
    let (wrong, wanted): (Vec<String>, Vec<String>) =
        message_words(case).into_iter().partition(|words| !is_demand(words));
    facts.extend(wrong);
    facts.extend(special.into_iter().map(phrase));
    facts.extend(case.branches.iter().cloned());
    facts.extend(wanted);
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

/// What the message of the test's exception says, in words.
pub(super) fn message_words(case: &TestCase) -> Option<String> {
    let passed = |at: usize| match case.sequence.literal_at(at) {
        Some(Literal::String(text)) => Some(text.to_string()),
        _ => None,
    };
    let passed: BTreeSet<String> = (0..case.sequence.len()).filter_map(passed).collect();
    let said = case.message.as_ref().and_then(|message| words_but_for(message, &passed));
    said.or_else(|| extent(case).ok()?.1.and_then(|thrown| class_words(last_segment(&thrown.nameable))))
}

/// What exceptions are called after that say what is wrong with an input.
const WRONGS: [&str; 12] = [
    "Ambiguous",
    "Conflicting",
    "Duplicate",
    "Illegal",
    "Incompatible",
    "Invalid",
    "Malformed",
    "Missing",
    "Unexpected",
    "Unknown",
    "Unrecognized",
    "Unsupported",
];
/// Exceptions that say only that something is wrong.
const VAGUE_EXCEPTIONS: [&str; 5] =
    ["IllegalArgument", "IllegalState", "IllegalAccess", "IllegalMonitorState", "UnsupportedOperation"];

/// `UnsupportedCharsetException` → `unsupportedCharset`
fn class_words(class: &str) -> Option<String> {
    let words = class.strip_suffix("Exception").filter(|words| !VAGUE_EXCEPTIONS.contains(words))?;
    let is_led_by = |wrong: &&str| words.strip_prefix(*wrong).is_some_and(|what| what.starts_with(char::is_uppercase));
    WRONGS.iter().any(is_led_by).then(|| decapitalized(words))
}

/// `Missing required option: h` → `missingRequiredOption`, `There is no seat B2` → `thereIsNoSeat`: what the message says but for
/// values, of which the test passes these. `None` where little else is left of it.
fn words_but_for(message: &JavaString, passed: &BTreeSet<String>) -> Option<String> {
    let text = message.to_string();
    if let Some(said) = code_words(&text).filter(|_| !passed.contains(&text)) {
        return Some(said);
    }
    let mut parts = text.split([':', '\n']);
    // `"a": not a number` begins with a value.
    let said = parts.find(|part| unquoted(part).contains(|letter: char| letter.is_ascii_alphabetic()))?;
    if said.chars().any(|letter| letter.is_alphabetic() && !letter.is_ascii()) {
        return None;
    }
    // `Was passed "m" but no main parameter was defined`: what is wrong follows.
    let clause = said.split_once(" but ").map(|(_, wrong)| wrong);
    words_of_clause(said, passed).or_else(|| words_of_clause(clause?, passed))
}

/// `NO_ARGS_ALLOWED` → `noArgsAllowed`: a message that is a constant's name.
fn code_words(text: &str) -> Option<String> {
    let is_code = |letter: u8| letter.is_ascii_uppercase() || letter == b'_';
    let is_joined = text.bytes().all(is_code) && text.trim_matches('_').contains('_');
    is_joined.then(|| decapitalized(&constant_word(text)))
}

/// What follows the name of what was called, or a value, where a message says what is wanted of it.
const DEMANDING: [&str; 9] = ["cannot", "must", "may", "should", "can", "requires", "needs", "expects", "takes"];

/// The words of a part of a message, as [`words_but_for`] tells them.
fn words_of_clause(said: &str, passed: &BTreeSet<String>) -> Option<String> {
    let words: Vec<String> = unquoted(said)
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '\'' | '-' | '.')))
        .map(|word| word.trim_matches(['\'', '-', '.']).replace('\'', ""))
        .filter(|word| !word.is_empty() && !matches!(&**word, "the" | "The" | "a" | "A" | "an" | "An"))
        .collect();
    // `B2`, `10.00` and `DRAFT` are values; one at the end adds nothing, and one in between leaves a gap.
    let is_value = |word: &String| {
        let is_joined = word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
        word.bytes().any(|byte| !byte.is_ascii_alphabetic())
            || word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase())
            || is_joined && passed.contains(word)
    };
    // `Unknown team team` says a value behind its name.
    let mut words = words;
    words.dedup_by(|word, before| word == before && passed.contains(word));
    let first = words.iter().position(|word| !is_value(word))?;
    let last = words.iter().rposition(|word| !is_value(word))?;
    let begins_with_value = first > 0 || said.trim_start().starts_with(['"', '\'', '`']);
    let words = match &words[first..=last] {
        // `5.00 EUR is not what is open`: of what follows from the call.
        [verb, rest @ ..] if begins_with_value && matches!(&**verb, "is" | "are" | "was") => {
            rest.first().filter(|word| matches!(&***word, "no" | "not"))?;
            rest
        }
        // `string-length() requires one argument`: of what is called.
        words @ [verb, ..] if begins_with_value && DEMANDING.contains(&&**verb) => words,
        _ if begins_with_value => return None,
        words => words,
    };
    // `Left at …`: the end of it was a value.
    let is_open = words.last().is_some_and(|word| OPEN_ENDS.contains(&&**word));
    if !(2..=MESSAGE_WORDS).contains(&words.len()) || words.iter().any(is_value) || is_open {
        return None;
    }
    Some(words[1..].iter().fold(decapitalized(&words[0]), |said, word| said + &capitalized(word)))
}

/// Whether a message in words says what is wanted, rather than what is wrong.
pub(super) fn is_demand(words: &str) -> bool {
    const DEMANDS: [&str; 8] = ["Must", "Should", "May", "Can", "Cannot", "Cant", "Needs", "Only"];
    let words = capitalized(words);
    words.ends_with("Required") || DEMANDS.iter().any(|word| has_word(&words, word))
}

/// Whether a name in camel case has the word, with a capital.
pub(super) fn has_word(name: &str, word: &str) -> bool {
    name.split(word).skip(1).any(|rest| !rest.starts_with(|letter: char| letter.is_ascii_lowercase()))
}

/// A text without what stands in quotation marks: a value. The apostrophe in a word is none.
fn unquoted(text: &str) -> String {
    let mut plain = String::new();
    let mut open: Option<char> = None;
    let mut before = ' ';
    for letter in text.chars() {
        let is_mark = matches!(letter, '"' | '`') || letter == '\'' && (open.is_some() || !before.is_alphanumeric());
        match open {
            Some(mark) if mark == letter => open = None,
            Some(_) => {}
            None if is_mark => open = Some(letter),
            None => plain.push(letter),
        }
        before = letter;
    }
    plain
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
    fn message_becomes_a_condition_without_its_values() {
        let check = |message: &str, expected: Option<&str>| {
            let passed = ["team", "otherSeat"].map(str::to_string).into();
            assert_eq!(words_but_for(&JavaString::from(message), &passed).as_deref(), expected, "{message:?}");
        };
        check("Missing required option: h", Some("missingRequiredOption"));
        check("opt contains illegal character value ' '", Some("optContainsIllegalCharacterValue"));
        check("amount must be positive", Some("amountMustBePositive"));
        check("There is no seat B2", Some("thereIsNoSeat"));
        check("There is no seat otherSeat", Some("thereIsNoSeat"));
        check("Unknown team team", Some("unknownTeam"));
        check("Gr\u{f6}\u{df}e ist zu klein", None);
        check("cmdLineSyntax not provided", Some("cmdLineSyntaxNotProvided"));
        check("couldn't convert \"a\" to an integer", Some("couldntConvertToInteger"));
        check("\"name\": couldn't convert \"a\" to an integer", Some("couldntConvertToInteger"));
        check("'x' is not a valid number", Some("notValidNumber"));
        check("Was passed main parameter 'm' but no main parameter was defined", Some("noMainParameterWasDefined"));
        check("string-length() requires one argument.", Some("requiresOneArgument"));
        check("'a' cannot have more than one value", Some("cannotHaveMoreThanOneValue"));
        check("closed", None);
        check("Left at 9:00, before entering", None);
        check("5 is not in the range of 1 to 3", None);
        check("10.00 EUR is not what is open", Some("notWhatIsOpen"));
        check("'x' occurs twice in a row", None);
        check("An order that is DRAFT cannot become DELIVERED", None);
    }

    #[test]
    fn demand_is_told_from_what_is_wrong() {
        let demands = [
            "amountMustBePositive",
            "cannotBeEmpty",
            "mayNotBeNull",
            "unknownTeam",
            "mustardIsMissing",
            "missingRequiredOption",
            "nameIsRequired",
        ];
        assert_eq!(demands.map(is_demand), [true, true, true, false, false, false, true]);
    }

    #[test]
    fn exception_is_called_after_what_is_wrong() {
        assert_eq!(class_words("UnsupportedCharsetException").as_deref(), Some("unsupportedCharset"));
        assert_eq!(class_words("UnsupportedOperationException"), None);
        assert_eq!(class_words("ParseException"), None);
        assert_eq!(class_words("InvalidException"), None);
        assert_eq!(code_words("NO_ARGS_ALLOWED").as_deref(), Some("noArgsAllowed"));
        assert_eq!(code_words("DRAFT"), None);
    }

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

//! A front against a parser in the head: a value is `x`, `while`, or a value in parentheses.

use super::front::Front;
use super::templates::Template;
use model::execution::{Comparison, MARKER};
use model::jvm::Literal;
use model::seed::Seed;
use model::sequence::{OperationId, Sequence};
use std::sync::Arc;

/// What the parser does with a text that is probed: whether it is accepted without the marker, the state in which the marker was
/// read, and the comparisons.
struct Run {
    is_accepted: bool,
    state: Option<u64>,
    comparisons: Vec<Comparison>,
}

fn parse(text: &[u16]) -> Run {
    let text = String::from_utf16(text).unwrap();
    let mut open = 0;
    let mut rest = text.trim_start_matches(|letter| {
        let is_open = letter == '(';
        open += u32::from(is_open);
        is_open
    });
    let (mut comparisons, mut words) = (Vec::new(), Vec::new());
    let mut expect = |wanted: &str, state: u64| {
        comparisons.extend(wanted.encode_utf16().map(|unit| character(unit, state as u32)));
        Some(state)
    };
    let word = rest.trim_end_matches(')');
    if rest.is_empty() {
        return Run { is_accepted: false, state: expect("(xw", 1), comparisons };
    }
    if !matches!(word, "x" | "while") {
        // A lexer reads letters, and asks then whether they are a word that it knows.
        if word.len() == rest.len() && word.bytes().all(|letter| letter.is_ascii_lowercase()) {
            words.push(Comparison { site: 9, left: literal(word), right: literal("while") });
            return Run { is_accepted: false, state: Some(2), comparisons: words };
        }
        return Run { is_accepted: false, state: None, comparisons: Vec::new() };
    }
    rest = &rest[word.len()..];
    let left = open.checked_sub(rest.len() as u32);
    let state = match left {
        Some(0) => expect(" ", 3),
        Some(_) => expect(")", 4),
        None => None,
    };
    Run { is_accepted: left == Some(0), state, comparisons }
}

fn literal(text: &str) -> Literal {
    Literal::String(text.into())
}

fn character(unit: u16, site: u32) -> Comparison {
    Comparison { site, left: Literal::Char(MARKER), right: Literal::Char(unit) }
}

#[test]
fn nested_texts_and_words_are_found_and_ended() {
    let mut sequence = Sequence::new();
    let at = sequence.push_literal(literal(""));
    sequence.push_call(OperationId(0), &[at]);
    let place = (OperationId(0), 0, OperationId(0));
    let mut front = Front::new();
    front.offer(Template { place, sequence: Arc::new(sequence), at, words: None });
    let (mut rng, mut accepted) = (Seed::root(1).rng(), Vec::new());
    for _ in 0..300 {
        let Some(text) = front.next(&mut rng) else { break };
        let units = front.units(text).to_vec();
        let Run { is_accepted, state, comparisons } = parse(&units);
        front.ran(text, is_accepted);
        front.probed(text, state, &comparisons);
        if is_accepted {
            accepted.push(String::from_utf16(&units).unwrap());
        }
    }
    for wanted in ["x", "while", "(x)", "((while))"] {
        assert!(accepted.iter().any(|text| text == wanted), "{wanted} is not among {accepted:?}");
    }
}

#[test]
fn place_that_nothing_reads_is_asked_once_for_each_template() {
    let mut front = Front::new();
    let mut rng = Seed::root(1).rng();
    assert_eq!(front.next(&mut rng), None);
    for number in 0..2 {
        let mut sequence = Sequence::new();
        let at = sequence.push_literal(literal(""));
        sequence.push_literal(Literal::Int(number));
        sequence.push_call(OperationId(0), &[at]);
        front.offer(Template {
            place: (OperationId(0), 0, OperationId(0)),
            sequence: Arc::new(sequence),
            at,
            words: None,
        });
    }
    for _ in 0..2 {
        let text = front.next(&mut rng).unwrap();
        assert_eq!(front.next(&mut rng), None, "its end is not known yet");
        front.ran(text, true);
        front.probed(text, None, &[]);
    }
    assert_eq!(front.next(&mut rng), None);
}

#[test]
fn words_are_elements_of_an_array_and_the_marker_is_behind_the_last_one_or_the_next() {
    let mut sequence = Sequence::new();
    let number = sequence.push_literal(Literal::Int(1));
    let at = sequence.push_call(OperationId(7), &[]);
    sequence.push_call(OperationId(0), &[number, at]);
    let place = (OperationId(0), 1, OperationId(0));
    let template = Template { place, sequence: Arc::new(sequence), at, words: Some(OperationId(7)) };
    let words = |sequence: Sequence| {
        let array = sequence.len() - 2;
        assert_eq!(sequence.call_at(array), Some(OperationId(7)));
        assert_eq!(sequence.inputs_of(array + 1).collect::<Vec<_>>(), [0, array]);
        let word = |at: usize| match sequence.literal_at(at) {
            Some(Literal::String(text)) => String::from_utf16_lossy(text.units()),
            other => panic!("{other:?}"),
        };
        sequence.inputs_of(array).map(word).collect::<Vec<_>>()
    };
    let units: Vec<u16> = "-a b ".encode_utf16().collect();
    let marker = "\u{7f}".repeat(8);
    assert_eq!(words(template.with(&units)), ["-a", "b"]);
    assert_eq!(words(template.probing(&units)), ["-a", "b", &marker]);
    assert_eq!(words(template.probing(&units[..4])), ["-a", &format!("b{marker}")]);
    assert!(words(template.with(&[])).is_empty());
}

//! Which literals read more easily than others.

use model::jvm::{JavaString, Literal, Primitive, Type};

/// Words up to this length keep their letters: nobody writes `"Missng"`.
const LONGEST_WORD: usize = 12;

/// So many different texts and classes of a test become plain ones.
const PLAIN_RANKS: usize = 3;

/// Classes that everybody knows, for the first class of a test, the second and so on.
const CLASSES: [&str; 6] = [
    "java/lang/String",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Double",
    "java/lang/Boolean",
    "java/lang/Character",
];

/// A plain literal of the same type: of texts a letter, of classes one that everybody knows; `None` after the last one.
pub(super) fn plain_literal(literal: &Literal, rank: usize) -> Option<Literal> {
    match literal {
        Literal::String(_) => {
            let letter = u8::try_from(rank).ok().filter(|rank| *rank < 26).map(|rank| char::from(b'a' + rank))?;
            Some(Literal::String(letter.to_string().as_str().into()))
        }
        Literal::Class(_) => CLASSES.get(rank).map(|class| Literal::Class(Type::class(class))),
        Literal::Int(_) => i32::try_from(rank + 1).ok().map(Literal::Int),
        _ => None,
    }
}

/// Literals of the same type that read more easily, simplest first; each has a smaller weight than the given one, which is the
/// test's literal of that rank among different ones.
pub(super) fn simpler_literals(literal: &Literal, rank: usize) -> Vec<Literal> {
    // Small numbers read as easily as 0.
    let numbers = |value: i64, primitive: Primitive| {
        let round = [rank as i64 + 1, rank as i64 + 2, 0, -1, 10, 100, 1_000];
        let fits = |round: &i64| primitive != Primitive::Byte || *round <= 100;
        match value.unsigned_abs() > 10 {
            true => round.into_iter().filter(fits).map(|round| Literal::of_number(round, primitive)).collect(),
            false => Vec::new(),
        }
    };
    let simpler = match literal {
        Literal::Int(value) => numbers(i64::from(*value), Primitive::Int),
        Literal::Long(value) => numbers(*value, Primitive::Long),
        Literal::Short(value) => numbers(i64::from(*value), Primitive::Short),
        Literal::Byte(value) => numbers(i64::from(*value), Primitive::Byte),
        Literal::Float(_) => [rank as f32 + 1.0, 0.0, -1.0].map(Literal::float).to_vec(),
        Literal::Double(_) => [rank as f64 + 1.0, 0.0, -1.0].map(Literal::double).to_vec(),
        Literal::Char(_) => {
            let letters = plain_ranks(rank.min(PLAIN_RANKS - 1));
            letters.map(|letter| Literal::Char(u16::from(b'a') + letter as u16)).collect()
        }
        Literal::String(text) => {
            let units = text.units();
            let middle = units.len() / 2;
            let part = |units: &[u16]| Literal::String(JavaString::from_units(units));
            let plain = plain_literal(literal, rank).filter(|_| rank < PLAIN_RANKS);
            let written = text.to_string();
            let cased = [written.to_uppercase(), written.to_lowercase()].map(|text| Literal::String((&*text).into()));
            let cased = cased.into_iter().filter(|_| is_oddly_cased(units));
            let halves = [part(&units[..middle]), part(&units[middle..])].into_iter().filter(|_| !is_word(units));
            let filler =
                is_garbled(units).then(|| part(&units.iter().map(|unit| filler_of(*unit)).collect::<Vec<u16>>()));
            plain.into_iter().chain(cased).chain([part(&[])]).chain(halves).chain(filler).collect()
        }
        Literal::Class(_) => plain_ranks(rank).filter_map(|rank| plain_literal(literal, rank)).collect(),
        _ => Vec::new(),
    };
    simpler.into_iter().filter(|candidate| weight(candidate) < weight(literal)).collect()
}

/// The literal's own rank, then the other plain ones.
fn plain_ranks(own: usize) -> impl Iterator<Item = usize> {
    std::iter::once(own).chain((0..PLAIN_RANKS).filter(move |other| *other != own))
}

/// What shrinking makes smaller.
fn weight(literal: &Literal) -> (usize, u64) {
    let number = |value: i64| match value {
        1 => 0,
        2..=10 => 1,
        0 => 2,
        -1 => 3,
        11..=100 => 4,
        101..=1_000 => 5,
        _ => 6,
    };
    let fraction = |value: f64| if value.fract() == 0.0 { number(value as i64) } else { 7 };
    match literal {
        Literal::Int(value) => (0, number(i64::from(*value))),
        Literal::Long(value) => (0, number(*value)),
        Literal::Short(value) => (0, number(i64::from(*value))),
        Literal::Byte(value) => (0, number(i64::from(*value))),
        Literal::Float(bits) => (0, fraction(f64::from(f32::from_bits(*bits)))),
        Literal::Double(bits) => (0, fraction(f64::from_bits(*bits))),
        Literal::Char(unit) => (
            0,
            match *unit {
                0x61..=0x63 => 0,
                0x30 => 1,
                _ => 2,
            },
        ),
        // An empty text is a special case to most code, and to a reader.
        Literal::String(text) => match text.units() {
            [0x61..=0x63] => (0, 0),
            [] => (1, 0),
            units => (1 + units.len(), u64::from(is_garbled(units)) + u64::from(is_oddly_cased(units))),
        },
        Literal::Class(of) => (0, u64::from(!of.class_name().is_some_and(|of| CLASSES.contains(&of.internal())))),
        _ => (0, 0),
    }
}

pub(super) fn is_word(units: &[u16]) -> bool {
    let is_letter = |unit: &u16| char::from_u32(u32::from(*unit)).is_some_and(char::is_alphabetic);
    units.len() <= LONGEST_WORD && units.iter().all(is_letter)
}

/// `a` in place of a letter or digit: where only the length of a word counts, `"aa\raaa"` says so and `"_A\rRGS"` does not.
fn filler_of(unit: u16) -> u16 {
    let is_of_word = char::from_u32(u32::from(unit)).is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    if is_of_word { u16::from(b'a') } else { unit }
}

/// `"_\rRGS_ALLOWED"`: letters beside a control character, or half of one, and not all the same.
fn is_garbled(units: &[u16]) -> bool {
    let is_usual = |unit: &u16| char::from_u32(u32::from(*unit)).is_some_and(|letter| !letter.is_control());
    let is_filled = units.iter().all(|unit| filler_of(*unit) == *unit);
    units.len() > 3 && !is_filled && !units.iter().all(is_usual)
}

/// `EUr`, `hTTP`: neither a name nor a word. Of `userName` and `Name`, the capitals begin words.
fn is_oddly_cased(units: &[u16]) -> bool {
    let is = |unit: u16, what: fn(char) -> bool| char::from_u32(u32::from(unit)).is_some_and(what);
    let is_upper = |unit: &u16| is(*unit, char::is_uppercase);
    let is_lower = |unit: &u16| is(*unit, char::is_lowercase);
    let has_run = units.windows(2).any(|pair| is_upper(&pair[0]) && is_upper(&pair[1]));
    let ends_in_capital = units.last().is_some_and(is_upper);
    units.iter().any(is_lower) && (has_run || ends_in_capital)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_reads_more_easily_than_an_empty_one() {
        let simplest = |text: &str| simpler_literals(&Literal::String(text.into()), 0).into_iter().next();
        let plain = Some(Literal::String("a".into()));
        assert_eq!([simplest("a"), simplest(""), simplest("b"), simplest("a b")], [None, plain.clone(), None, plain]);
    }

    #[test]
    fn class_becomes_one_that_everybody_knows() {
        let class = |class: &str| Literal::Class(Type::class(class));
        let simpler = |name: &str, rank: usize| simpler_literals(&class(name), rank);
        let [text, int, long] = ["String", "Integer", "Long"].map(|name| class(&format!("java/lang/{name}")));
        assert_eq!(simpler("p/Parser", 0), [text.clone(), int.clone(), long.clone()]);
        assert_eq!(simpler("p/Parser", 1), [int, text, long], "its own first");
        assert!(simpler("java/lang/Long", 0).is_empty());
    }

    #[test]
    fn letters_of_a_garbled_text_are_filler() {
        let last = |text: &str| simpler_literals(&Literal::String(text.into()), 0).into_iter().next_back();
        let text = |text: &str| Some(Literal::String(text.into()));
        assert_eq!(last("_\rRGS_AL"), text("a\raaaaaa"));
        assert_eq!([last("a\raaaaaa"), last("Hi, all!")], [text("aaaa"), text("all!")]);
        assert_eq!(
            ["snake_case", "[x] = 1", "\u{130}BB"].map(|text| is_garbled(JavaString::from(text).units())),
            [false; 3]
        );
    }

    #[test]
    fn oddly_written_text_is_written_in_one_case() {
        let odd =
            ["EUr", "eUR", "userName", "Name", "EUR", "x"].map(|text| is_oddly_cased(JavaString::from(text).units()));
        assert_eq!(odd, [true, true, false, false, false, false]);
    }

    #[test]
    fn number_shrinks_to_a_round_one_where_small_ones_do_not_do() {
        let simpler =
            |value: i32| simpler_literals(&Literal::Int(value), 0).into_iter().rev().take(2).collect::<Vec<_>>();
        assert_eq!(simpler(3_002_474), [1_000, 100].map(Literal::Int));
        assert_eq!(simpler(46), [10, -1].map(Literal::Int));
    }
}

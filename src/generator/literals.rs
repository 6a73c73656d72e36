//! Where literals come from: basic values, constants mined from the classes under test, operands that comparisons saw
//! at run time, and small changes of all of these.
//!
//! The static half is GRT's constant mining without its weights (text 5 of the papers, §3.1): a class's own constants
//! first, then everyone's. The run-time half hands the operand of a comparison to the class that compared. It hurts
//! where constants are many and meaningless, as in tables of a parser generator.

use crate::jvm::{JavaString, Literal, Primitive, Type};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashSet;

/// Operands kept per class and kind; later ones are ignored, so that one loop cannot flood a dictionary.
const DICTIONARY_LIMIT: usize = 400;
/// Longest string worth keeping, in UTF-16 units.
const STRING_LIMIT: usize = 100;
/// Deviation of fuzzed numbers around a constant (text 5 of the papers, §3.2: N(c, 30)).
const NUMBER_DEVIATION: f64 = 30.0;

/// The nine types that have literals worth choosing among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LiteralKind {
    Primitive(Primitive),
    String,
}

impl LiteralKind {
    /// The kind of a type, if it has literals.
    pub fn of(of: &Type) -> Option<LiteralKind> {
        match of {
            Type::Primitive(primitive) => Some(LiteralKind::Primitive(*primitive)),
            other if other.is_string() => Some(LiteralKind::String),
            _ => None,
        }
    }

    fn index(self) -> usize {
        match self {
            LiteralKind::Primitive(primitive) => primitive as usize,
            LiteralKind::String => 8,
        }
    }

    fn of_literal(literal: &Literal) -> Option<LiteralKind> {
        match literal {
            Literal::Class(_) | Literal::Null(_) => None,
            other => LiteralKind::of(&other.literal_type()),
        }
    }
}

/// Distinct literals by kind, in order of arrival.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    lists: [Vec<Literal>; 9],
    known: FxHashSet<Literal>,
}

impl Dictionary {
    /// Adds the literal and what it is in the other numeric types; bytecode has no char, byte or short constants.
    pub fn add(&mut self, literal: &Literal) {
        for variant in variants(literal) {
            let Some(kind) = LiteralKind::of_literal(&variant) else { continue };
            let list = &mut self.lists[kind.index()];
            let short = !matches!(&variant, Literal::String(text) if text.units().len() > STRING_LIMIT);
            if short && list.len() < DICTIONARY_LIMIT && self.known.insert(variant.clone()) {
                list.push(variant);
            }
        }
    }

    pub fn list(&self, kind: LiteralKind) -> &[Literal] {
        &self.lists[kind.index()]
    }
}

fn variants(literal: &Literal) -> Vec<Literal> {
    let mut variants = vec![literal.clone()];
    let mut numbers = |value: i64| {
        variants.push(Literal::Long(value));
        variants.extend(i32::try_from(value).ok().map(Literal::Int));
        variants.extend(i16::try_from(value).ok().map(Literal::Short));
        variants.extend(i8::try_from(value).ok().map(Literal::Byte));
        variants.extend(u16::try_from(value).ok().map(Literal::Char));
        variants.push(Literal::double(value as f64));
        variants.push(Literal::float(value as f32));
    };
    match literal {
        Literal::Int(value) => numbers(i64::from(*value)),
        Literal::Char(value) => numbers(i64::from(*value)),
        Literal::Short(value) => numbers(i64::from(*value)),
        Literal::Byte(value) => numbers(i64::from(*value)),
        Literal::Long(value) => numbers(*value),
        Literal::Float(bits) => variants.push(Literal::double(f64::from(f32::from_bits(*bits)))),
        Literal::Double(bits) => variants.push(Literal::float(f64::from_bits(*bits) as f32)),
        Literal::String(text) if text.units().len() == 1 => variants.push(Literal::Char(text.units()[0])),
        _ => {}
    }
    variants
}

/// Every source of literals of a run, by class under test.
#[derive(Clone, Debug)]
pub struct LiteralSources {
    basic: Dictionary,
    global: Dictionary,
    mined: Vec<Dictionary>,
    compared: Vec<Dictionary>,
}

impl LiteralSources {
    /// From the constants of each class under test and how often each occurs.
    pub fn new(constants: &[Vec<(Literal, u32)>]) -> LiteralSources {
        let mut basic = Dictionary::default();
        for literal in basic_literals() {
            let kind = LiteralKind::of_literal(&literal).expect("basic literals are of a kind");
            basic.known.insert(literal.clone());
            basic.lists[kind.index()].push(literal);
        }
        let mut global = Dictionary::default();
        let mut mined = vec![Dictionary::default(); constants.len()];
        for (class, list) in constants.iter().enumerate() {
            for (literal, _) in list {
                mined[class].add(literal);
                global.add(literal);
            }
        }
        LiteralSources { basic, global, compared: vec![Dictionary::default(); constants.len()], mined }
    }

    /// Notes an operand that a comparison in the class saw.
    pub fn add_compared(&mut self, class: usize, literal: &Literal) {
        self.compared[class].add(literal);
    }

    /// A literal for an argument of an operation of `class` (none for operations of other code).
    pub fn choose(&self, kind: LiteralKind, class: Option<usize>, rng: &mut ChaCha8Rng) -> Literal {
        if kind == LiteralKind::Primitive(Primitive::Boolean) {
            return Literal::Boolean(rng.random_bool(0.5));
        }
        let base = self.choose_known(kind, class, rng);
        if rng.random_bool(0.25) { self.fuzz(&base, class, rng) } else { base }
    }

    fn choose_known(&self, kind: LiteralKind, class: Option<usize>, rng: &mut ChaCha8Rng) -> Literal {
        let lists = [
            (35, self.basic.list(kind)),
            (35, class.map_or(&[][..], |class| self.mined[class].list(kind))),
            (20, class.map_or(&[][..], |class| self.compared[class].list(kind))),
            (10, self.global.list(kind)),
        ];
        let total: u32 = lists.iter().filter(|(_, list)| !list.is_empty()).map(|(weight, _)| weight).sum();
        let mut ticket = rng.random_range(0..total);
        for (weight, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            if ticket < weight {
                return list[rng.random_range(0..list.len())].clone();
            }
            ticket -= weight;
        }
        unreachable!("the ticket is below the sum of the weights")
    }

    /// A small change of the literal (text 5 of the papers, §3.2).
    pub fn fuzz(&self, literal: &Literal, class: Option<usize>, rng: &mut ChaCha8Rng) -> Literal {
        let mut step = || {
            // Irwin–Hall approximation of a normal deviate: no table, the same on every platform.
            let sum: f64 = (0..12).map(|_| rng.random_range(0.0..1.0)).sum();
            ((sum - 6.0) * NUMBER_DEVIATION) as i64
        };
        match literal {
            Literal::Boolean(value) => Literal::Boolean(!value),
            Literal::Byte(value) => Literal::Byte(value.wrapping_add(step() as i8)),
            Literal::Char(value) => Literal::Char(value.wrapping_add(step() as u16)),
            Literal::Short(value) => Literal::Short(value.wrapping_add(step() as i16)),
            Literal::Int(value) => Literal::Int(value.wrapping_add(step() as i32)),
            Literal::Long(value) => Literal::Long(value.wrapping_add(step())),
            Literal::Float(bits) => Literal::float(f32::from_bits(*bits) + step() as f32 / 4.0),
            Literal::Double(bits) => Literal::double(f64::from_bits(*bits) + step() as f64 / 4.0),
            Literal::String(text) => Literal::String(self.fuzz_string(text, class, rng)),
            other => other.clone(),
        }
    }

    fn fuzz_string(&self, text: &JavaString, class: Option<usize>, rng: &mut ChaCha8Rng) -> JavaString {
        let mut units = text.units().to_vec();
        let other = match self.choose_known(LiteralKind::String, class, rng) {
            Literal::String(other) => other.units().to_vec(),
            _ => Vec::new(),
        };
        let unit = match self.choose_known(LiteralKind::Primitive(Primitive::Char), class, rng) {
            // Lone surrogates and control characters are for the code that compares with them.
            Literal::Char(unit) if (0x20..0x7f).contains(&unit) => unit,
            _ => u16::from(b'a') + rng.random_range(0..26),
        };
        let at = rng.random_range(0..=units.len());
        match rng.random_range(0..7) {
            0 => units.insert(at, unit),
            1 if at < units.len() => {
                units.remove(at);
            }
            2 if at < units.len() => units[at] = unit,
            3 => {
                let end = rng.random_range(at..=units.len());
                units = units[at..end].to_vec();
            }
            4 => units.extend(other),
            5 => {
                units.splice(at..at, other);
            }
            _ => {
                let mut joined = other;
                joined.push(unit);
                joined.extend(units);
                units = joined;
            }
        }
        units.truncate(STRING_LIMIT);
        JavaString::from_units(&units)
    }
}

fn basic_literals() -> Vec<Literal> {
    let mut literals = vec![Literal::Boolean(false), Literal::Boolean(true)];
    literals.extend([0, 1, -1, 2, 10, 100, i8::MAX, i8::MIN].map(Literal::Byte));
    literals.extend([' ', 'a', 'A', '0', '1', '-', '#', '\n'].map(|unit| Literal::Char(unit as u16)));
    literals.extend([0, 1, -1, 2, 10, 100, i16::MAX, i16::MIN].map(Literal::Short));
    literals.extend([0, 1, -1, 2, 3, 5, 10, 100, i32::MAX, i32::MIN].map(Literal::Int));
    literals.extend([0, 1, -1, 2, 3, 10, 100, 1000, i64::MAX, i64::MIN].map(Literal::Long));
    literals.extend([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 10.0, 100.0, f32::NAN, f32::INFINITY].map(Literal::float));
    literals.extend([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 10.0, 100.0, f64::NAN, f64::INFINITY].map(Literal::double));
    let strings = ["", "a", "b", "abc", "hi!", " ", "0", "1", "-1", "10", "1.5", "true", "A", "a b", "a=b"];
    literals.extend(strings.map(|text| Literal::String(text.into())));
    literals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    #[test]
    fn an_int_constant_is_offered_as_a_char_too() {
        let sources = LiteralSources::new(&[vec![(Literal::Int(61), 1)]]);
        assert!(sources.mined[0].list(LiteralKind::Primitive(Primitive::Char)).contains(&Literal::Char(61)));
    }

    #[test]
    fn mined_strings_are_chosen_for_their_class() {
        let mined = Literal::String("--verbose".into());
        let sources = LiteralSources::new(&[vec![(mined.clone(), 1)], vec![]]);
        let mut rng = Seed::root(1).rng();
        let chosen = |class, rng: &mut ChaCha8Rng| {
            (0..100).filter(|_| sources.choose(LiteralKind::String, Some(class), rng) == mined).count()
        };
        assert!(chosen(0, &mut rng) > chosen(1, &mut rng));
    }

    #[test]
    fn fuzzed_literals_keep_their_type() {
        let sources = LiteralSources::new(&[]);
        let mut rng = Seed::root(2).rng();
        for literal in basic_literals() {
            for _ in 0..20 {
                assert_eq!(sources.fuzz(&literal, None, &mut rng).literal_type(), literal.literal_type());
            }
        }
    }
}

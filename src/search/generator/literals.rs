//! Where literals come from: basic values, and the sources that guidance adds.

use super::guidance::{ConstantMining, Operands};
use model::jvm::{Literal, Primitive, Type};
use model::sequence::OperationId;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxHashMap, FxHashSet};

/// Literals kept per kind; later ones are ignored, so that one loop cannot flood a dictionary.
const DICTIONARY_LIMIT: usize = 400;
/// Longest string worth keeping, in UTF-16 units.
pub const STRING_LIMIT: usize = 100;

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

    pub fn index(self) -> usize {
        match self {
            LiteralKind::Primitive(primitive) => primitive as usize,
            LiteralKind::String => 8,
        }
    }

    pub fn of_literal(literal: &Literal) -> Option<LiteralKind> {
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
    /// Adds the literal's [`variants`].
    pub fn add(&mut self, literal: &Literal) {
        for variant in variants(literal) {
            let Some(kind) = LiteralKind::of_literal(&variant) else { continue };
            let list = &mut self.lists[kind.index()];
            if !is_too_long(&variant) && list.len() < DICTIONARY_LIMIT && self.known.insert(variant.clone()) {
                list.push(variant);
            }
        }
    }

    pub fn list(&self, kind: LiteralKind) -> &[Literal] {
        &self.lists[kind.index()]
    }

    /// Any of the kind.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick(&self, kind: LiteralKind, rng: &mut ChaCha8Rng) -> Literal {
        let list = self.list(kind);
        list[rng.random_range(0..list.len())].clone()
    }
}

/// Whether the UTF-16 unit is part of a word.
pub fn is_in_word(unit: u16) -> bool {
    u8::try_from(unit).map_or(true, |unit| unit.is_ascii_alphanumeric())
}

/// Whether it is a string not worth keeping.
pub fn is_too_long(literal: &Literal) -> bool {
    matches!(literal, Literal::String(text) if text.units().len() > STRING_LIMIT)
}

/// The literal, and what it is in the other numeric types; bytecode has no char, byte or short constants.
pub fn variants(literal: &Literal) -> Vec<Literal> {
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

/// Where literals come from.
pub trait LiteralSource: Send + Sync {
    /// How often the source is asked, among those that have something for arguments of `class` (none for operations of
    /// other code); 0 if it has nothing.
    fn weight(&self, kind: LiteralKind, class: Option<usize>) -> u32;

    /// One of its literals.
    ///
    /// # Panics
    /// If it has none.
    fn pick(&self, kind: LiteralKind, class: Option<usize>, rng: &mut ChaCha8Rng) -> Literal;
}

/// Texts kept for one parameter.
const ACCEPTED_LIMIT: usize = 64;

/// An input of an operation, by its index.
pub type Role = (OperationId, usize);

/// What a literal is for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Argument {
    /// The class of the operation that takes it, if that is under test.
    pub class: Option<usize>,
    pub role: Option<Role>,
}

/// Texts that operations took without throwing, by parameter: what a parser accepts is worth giving to it again, in part or
/// beside another one.
#[derive(Default)]
struct AcceptedTexts(FxHashMap<Role, Vec<Literal>>);

impl AcceptedTexts {
    /// Adds a text; where there are many, only one that led to something new, in place of an earlier one.
    fn add(&mut self, role: Role, text: &Literal, is_new: bool) {
        let known = self.0.entry(role).or_default();
        if known.contains(text) {
            return;
        }
        if known.len() < ACCEPTED_LIMIT {
            known.push(text.clone());
        } else if is_new {
            // The oldest one.
            known.remove(0);
            known.push(text.clone());
        }
    }
}

/// Every source of literals of a run.
pub struct LiteralSources {
    accepted: AcceptedTexts,
    basic: Basic,
    mined: Option<ConstantMining>,
    compared: Option<Operands>,
}

impl LiteralSources {
    pub fn new(mined: Option<ConstantMining>, compared: Option<Operands>) -> LiteralSources {
        LiteralSources { accepted: AcceptedTexts::default(), basic: Basic::new(), mined, compared }
    }

    /// Notes an operand that a comparison in the class saw.
    pub fn add_compared(&mut self, class: usize, literal: &Literal) {
        if let Some(compared) = &mut self.compared {
            compared.add(class, literal);
        }
    }

    /// Notes a text that the parameter took, and whether that led to something new.
    pub fn add_accepted(&mut self, role: Role, literal: &Literal, is_new: bool) {
        if !is_too_long(literal) && matches!(literal, Literal::String(_)) {
            self.accepted.add(role, literal, is_new);
        }
    }

    /// A text that the parameter took, if there is any.
    pub fn accepted(&self, role: Role, rng: &mut ChaCha8Rng) -> Option<Literal> {
        let known = self.accepted.0.get(&role)?;
        Some(known[rng.random_range(0..known.len())].clone())
    }

    /// A literal for an argument of an operation of `class`.
    pub fn choose(&self, kind: LiteralKind, class: Option<usize>, rng: &mut ChaCha8Rng) -> Literal {
        if kind == LiteralKind::Primitive(Primitive::Boolean) {
            return Literal::Boolean(rng.random_bool(0.5));
        }
        let mined = self.mined.as_ref().map(|source| source as &dyn LiteralSource);
        let compared = self.compared.as_ref().map(|source| source as &dyn LiteralSource);
        let sources = || [Some(&self.basic as &dyn LiteralSource), mined, compared].into_iter().flatten();
        let total: u32 = sources().map(|source| source.weight(kind, class)).sum();
        let mut ticket = rng.random_range(0..total);
        for source in sources() {
            let weight = source.weight(kind, class);
            if ticket < weight {
                return source.pick(kind, class, rng);
            }
            ticket -= weight;
        }
        unreachable!("the ticket is below the sum of the weights")
    }
}

/// Share of special values among those that break things anywhere.
const P_SPECIAL: f64 = 0.05;

/// Values that break things anywhere.
struct Basic {
    plain: Dictionary,
    special: Dictionary,
}

impl Basic {
    fn new() -> Basic {
        let of = |literals: Vec<Literal>| {
            let mut dictionary = Dictionary::default();
            for literal in literals {
                let kind = LiteralKind::of_literal(&literal).expect("basic literals are of a kind");
                dictionary.known.insert(literal.clone());
                dictionary.lists[kind.index()].push(literal);
            }
            dictionary
        };
        Basic { plain: of(basic_literals()), special: of(special_literals()) }
    }
}

impl LiteralSource for Basic {
    fn weight(&self, _: LiteralKind, _: Option<usize>) -> u32 {
        35
    }

    fn pick(&self, kind: LiteralKind, _: Option<usize>, rng: &mut ChaCha8Rng) -> Literal {
        let has_special = !self.special.list(kind).is_empty();
        if has_special && rng.random_bool(P_SPECIAL) {
            self.special.pick(kind, rng)
        } else {
            self.plain.pick(kind, rng)
        }
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

/// Values that code seldom expects: several lines, a letter of two UTF-16 units, a letter with a combining mark, the capital i of
/// Turkish; the numbers next to those that an int holds, and the least ones above 0.
fn special_literals() -> Vec<Literal> {
    let mut literals: Vec<Literal> =
        ["a\nb", "\u{1F600}", "e\u{301}", "\u{130}"].map(|text| Literal::String(text.into())).to_vec();
    literals.extend([i64::from(i32::MAX) + 1, i64::from(i32::MIN) - 1].map(Literal::Long));
    literals.extend([Literal::float(f32::from_bits(1)), Literal::double(f64::from_bits(1))]);
    literals
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;

    #[test]
    fn special_values_are_offered_now_and_then() {
        let (sources, mut rng) = (LiteralSources::new(None, None), Seed::root(1).rng());
        let mut drawn = |kind| -> Vec<Literal> { (0..1_000).map(|_| sources.choose(kind, None, &mut rng)).collect() };
        let turkish = Literal::String("\u{130}".into());
        let texts = drawn(LiteralKind::String);
        assert!((1..40).contains(&texts.iter().filter(|text| **text == turkish).count()));
        assert!(drawn(LiteralKind::Primitive(Primitive::Long)).contains(&Literal::Long(1 << 31)));
        let ints = drawn(LiteralKind::Primitive(Primitive::Int));
        assert!(ints.iter().all(|int| basic_literals().contains(int)));
    }

    #[test]
    fn int_constant_is_also_offered_as_char() {
        let mut dictionary = Dictionary::default();
        dictionary.add(&Literal::Int(61));
        assert!(dictionary.list(LiteralKind::Primitive(Primitive::Char)).contains(&Literal::Char(61)));
    }

    #[test]
    fn text_that_led_to_something_new_replaces_the_oldest_accepted_one() {
        let role = (OperationId(0), 0);
        let text = |number: usize| Literal::String(number.to_string().as_str().into());
        let mut accepted = AcceptedTexts::default();
        (0..=ACCEPTED_LIMIT).for_each(|number| accepted.add(role, &text(number), false));
        assert!(!accepted.0[&role].contains(&text(ACCEPTED_LIMIT)));
        accepted.add(role, &text(ACCEPTED_LIMIT), true);
        accepted.add(role, &text(1), true);
        let expected: Vec<Literal> = (1..=ACCEPTED_LIMIT).map(text).collect();
        assert_eq!(accepted.0[&role], expected);
    }

    #[test]
    fn mined_strings_are_chosen_for_their_class() {
        let mined = Literal::String("--verbose".into());
        let sources = LiteralSources::new(Some(ConstantMining::new(&[vec![(mined.clone(), 1)], vec![]])), None);
        let mut rng = Seed::root(1).rng();
        let chosen = |class, rng: &mut ChaCha8Rng| {
            (0..100).filter(|_| sources.choose(LiteralKind::String, Some(class), rng) == mined).count()
        };
        assert!(chosen(0, &mut rng) > chosen(1, &mut rng));
    }
}

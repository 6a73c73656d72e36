//! Terms over symbolic ints and longs, and conditions on them: bit-precise, as the instructions are that make them.
//!
//! A term is kept once, so that equal terms have equal numbers. What is known is folded when a term is made, by the same
//! arithmetic as everywhere else.

use crate::analysis::fold;
use crate::classfile::opcode::{self, IADD, LCMP};
use crate::jvm::{Literal, Primitive};
use rustc_hash::FxHashMap;
use std::fmt;

/// A term's number in its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// An unknown int or long. Booleans, bytes, chars and shorts are ints with a condition on their range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable {
    pub number: u32,
    pub wide: bool,
}

/// How a term is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An int or a long.
    Known(Literal),
    Variable(Variable),
    /// An arithmetic instruction, a shift, a conversion between ints and longs, or `lcmp`.
    Operation(u8, Vec<Term>),
}

/// What is compared in a condition; the other two are these the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    Equal,
    NotEqual,
    /// Signed.
    Less,
    LessOrEqual,
}

/// A comparison of two terms of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition {
    pub relation: Relation,
    pub left: Term,
    pub right: Term,
}

/// A condition, or its value where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Known(bool),
    Open(Condition),
}

/// Values of variables.
pub type Model = FxHashMap<Variable, i64>;

impl Relation {
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::NotEqual => left != right,
            Relation::Less => left < right,
            Relation::LessOrEqual => left <= right,
        }
    }
}

impl Condition {
    /// What holds exactly where this does not.
    pub fn negated(self) -> Condition {
        let Condition { relation, left, right } = self;
        match relation {
            Relation::Equal => Condition { relation: Relation::NotEqual, ..self },
            Relation::NotEqual => Condition { relation: Relation::Equal, ..self },
            Relation::Less => Condition { relation: Relation::LessOrEqual, left: right, right: left },
            Relation::LessOrEqual => Condition { relation: Relation::Less, left: right, right: left },
        }
    }
}

/// All terms of one exploration.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    /// How many nodes each has below it, counted as often as they are reached.
    sizes: Vec<u32>,
    numbers: FxHashMap<Node, Term>,
    variables: u32,
}

impl Terms {
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// What it costs to look at all of the term.
    pub fn size(&self, term: Term) -> u32 {
        self.sizes[term.0 as usize]
    }

    /// A variable that was not there before.
    pub fn fresh(&mut self, wide: bool) -> Term {
        let number = self.variables;
        self.variables += 1;
        self.add(Node::Variable(Variable { number, wide }))
    }

    pub fn variable(&mut self, variable: Variable) -> Term {
        self.variables = self.variables.max(variable.number + 1);
        self.add(Node::Variable(variable))
    }

    pub fn known(&mut self, value: Literal) -> Term {
        self.add(Node::Known(value))
    }

    /// What the instruction makes of its operands; `None` where all are known and it throws.
    pub fn operation(&mut self, of: u8, operands: Vec<Term>) -> Option<Term> {
        let known: Option<Vec<Literal>> = operands.iter().map(|&operand| self.literal(operand)).collect();
        if let Some(known) = known {
            let value = evaluate(of, &known)?;
            return Some(self.known(value));
        }
        if let Some(simpler) = self.simpler(of, &operands) {
            return Some(simpler);
        }
        Some(self.add(Node::Operation(of, operands)))
    }

    /// x + 0, x - 0, x * 1, x << 0, x - x and the like.
    fn simpler(&mut self, of: u8, operands: &[Term]) -> Option<Term> {
        let [left, right] = *operands else { return None };
        let number = |terms: &Terms, term| terms.literal(term).and_then(|literal| number(&literal));
        let (first, second) = (number(self, left), number(self, right));
        match of.checked_sub(IADD)? & !1 {
            // Additions and exclusive or with nothing; shifts by nothing.
            0 | 34 if first == Some(0) => Some(right),
            0 | 4 | 24..=28 | 32 | 34 if second == Some(0) => Some(left),
            8 if second == Some(1) => Some(left),
            8 if first == Some(1) => Some(right),
            4 if left == right && of < LCMP => {
                Some(self.known(if of == opcode::IADD + 4 { Literal::Int(0) } else { Literal::Long(0) }))
            }
            _ => None,
        }
    }

    /// The value of a term that is known.
    pub fn literal(&self, term: Term) -> Option<Literal> {
        match self.node(term) {
            Node::Known(literal) => Some(literal.clone()),
            _ => None,
        }
    }

    /// The comparison, or its value if that follows from the terms alone.
    pub fn compare(&self, relation: Relation, left: Term, right: Term) -> Truth {
        let number = |term| self.literal(term).and_then(|literal| number(&literal));
        if let (Some(left), Some(right)) = (number(left), number(right)) {
            return Truth::Known(relation.holds(left, right));
        }
        if left == right {
            return Truth::Known(matches!(relation, Relation::Equal | Relation::LessOrEqual));
        }
        // `lcmp` and a jump are one comparison of longs.
        let compared = |term| match self.node(term) {
            Node::Operation(LCMP, operands) => Some((operands[0], operands[1])),
            _ => None,
        };
        if let (Some((one, other)), Some(0)) = (compared(left), number(right)) {
            return self.compare(relation, one, other);
        }
        if let (Some(0), Some((one, other))) = (number(left), compared(right)) {
            return self.compare(relation, other, one);
        }
        let is_symmetric = matches!(relation, Relation::Equal | Relation::NotEqual);
        let (left, right) = if is_symmetric && left > right { (right, left) } else { (left, right) };
        Truth::Open(Condition { relation, left, right })
    }

    /// That the term, an int, is one of these numbers.
    pub fn within(&mut self, term: Term, (least, greatest): (i32, i32)) -> Vec<Condition> {
        let (least, greatest) = (self.known(Literal::Int(least)), self.known(Literal::Int(greatest)));
        let ends =
            [(least, term), (term, greatest)].map(|(left, right)| self.compare(Relation::LessOrEqual, left, right));
        ends.into_iter()
            .filter_map(|end| if let Truth::Open(condition) = end { Some(condition) } else { None })
            .collect()
    }

    /// Whether it is of 64 bits.
    pub fn is_wide(&self, term: Term) -> bool {
        match self.node(term) {
            Node::Known(literal) => matches!(literal, Literal::Long(_)),
            Node::Variable(variable) => variable.wide,
            Node::Operation(LCMP, _) => false,
            Node::Operation(opcode::I2L, _) => true,
            Node::Operation(of, _) if *of > opcode::I2L => false,
            // Of int and long turn by turn; a shift is as wide as what is shifted.
            Node::Operation(of, _) => (of - IADD) % 4 % 2 == 1,
        }
    }

    /// The variables of the term, each time that they occur.
    pub fn for_each_variable(&self, term: Term, each: &mut impl FnMut(Variable)) {
        match self.node(term) {
            Node::Known(_) => {}
            Node::Variable(variable) => each(*variable),
            Node::Operation(_, operands) => operands.iter().for_each(|&operand| self.for_each_variable(operand, each)),
        }
    }

    /// The term with other terms for some variables; `None` if it throws then.
    pub fn replaced(&mut self, term: Term, with: &impl Fn(Variable) -> Option<Term>) -> Option<Term> {
        match self.node(term).clone() {
            Node::Known(_) => Some(term),
            Node::Variable(variable) => Some(with(variable).unwrap_or(term)),
            Node::Operation(of, operands) => {
                let operands: Option<Vec<Term>> =
                    operands.into_iter().map(|operand| self.replaced(operand, with)).collect();
                self.operation(of, operands?)
            }
        }
    }

    /// The term's value where variables have these; those that the model lacks are 0. `None` where it throws.
    pub fn evaluate(&self, term: Term, model: &Model) -> Option<Literal> {
        match self.node(term) {
            Node::Known(literal) => Some(literal.clone()),
            Node::Variable(variable) => {
                let value = model.get(variable).copied().unwrap_or(0);
                Some(if variable.wide { Literal::Long(value) } else { Literal::Int(value as i32) })
            }
            Node::Operation(of, operands) => {
                let operands: Option<Vec<Literal>> =
                    operands.iter().map(|&operand| self.evaluate(operand, model)).collect();
                evaluate(*of, &operands?)
            }
        }
    }

    /// Whether the condition holds where variables have these values.
    pub fn holds(&self, condition: &Condition, model: &Model) -> bool {
        let number = |term| self.evaluate(term, model).and_then(|literal| number(&literal));
        match (number(condition.left), number(condition.right)) {
            (Some(left), Some(right)) => condition.relation.holds(left, right),
            _ => false,
        }
    }

    fn add(&mut self, node: Node) -> Term {
        if let Some(&term) = self.numbers.get(&node) {
            return term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("memory ends before terms do"));
        let below = match &node {
            Node::Operation(_, operands) => operands.iter().fold(0, |sum: u32, &of| sum.saturating_add(self.size(of))),
            _ => 0,
        };
        self.sizes.push(below.saturating_add(1));
        self.nodes.push(node.clone());
        self.numbers.insert(node, term);
        term
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "x{}", self.number)
    }
}

/// What an int or a long is worth.
pub fn number(literal: &Literal) -> Option<i64> {
    match literal {
        Literal::Int(value) => Some((*value).into()),
        Literal::Long(value) => Some(*value),
        _ => None,
    }
}

/// The least and the greatest value of a type that is an int where code computes with it; `None` of an int itself.
pub fn range(of: Primitive) -> Option<(i32, i32)> {
    Some(match of {
        Primitive::Boolean => (0, 1),
        Primitive::Byte => (i8::MIN.into(), i8::MAX.into()),
        Primitive::Short => (i16::MIN.into(), i16::MAX.into()),
        Primitive::Char => (0, u16::MAX.into()),
        _ => return None,
    })
}

fn evaluate(of: u8, operands: &[Literal]) -> Option<Literal> {
    match (of, operands) {
        (LCMP, [Literal::Long(left), Literal::Long(right)]) => Some(Literal::Int(left.cmp(right) as i32)),
        _ => fold::arithmetic(of, operands),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_folded() {
        let mut terms = Terms::default();
        let x = terms.fresh(false);
        let (one, zero) = (terms.known(Literal::Int(1)), terms.known(Literal::Int(0)));
        let two = terms.operation(opcode::IADD, vec![one, one]).unwrap();
        assert_eq!(terms.literal(two), Some(Literal::Int(2)));
        assert_eq!(terms.operation(opcode::IADD, vec![x, zero]), Some(x));
        assert_eq!(terms.operation(opcode::IADD + 4, vec![x, x]), Some(zero));
        assert_eq!(terms.operation(opcode::IADD + 12, vec![one, zero]), None);
    }

    #[test]
    fn a_comparison_of_longs_is_one_condition() {
        let mut terms = Terms::default();
        let (x, y) = (terms.fresh(true), terms.fresh(true));
        let compared = terms.operation(LCMP, vec![x, y]).unwrap();
        let zero = terms.known(Literal::Int(0));
        let expected = Condition { relation: Relation::Less, left: x, right: y };
        assert_eq!(terms.compare(Relation::Less, compared, zero), Truth::Open(expected));
        let expected = Condition { relation: Relation::Less, left: y, right: x };
        assert_eq!(terms.compare(Relation::Less, zero, compared), Truth::Open(expected));
    }

    #[test]
    fn widths_follow_from_instructions() {
        let mut terms = Terms::default();
        let (x, y) = (terms.fresh(false), terms.fresh(true));
        let mut wide = |of, operands| {
            let term = terms.operation(of, operands).unwrap();
            terms.is_wide(term)
        };
        assert!(!wide(opcode::IADD, vec![x, x]));
        assert!(wide(opcode::IADD + 1, vec![y, y]));
        assert!(wide(opcode::ISHL + 1, vec![y, x]));
        assert!(!wide(opcode::ISHL + 4, vec![x, x]));
        assert!(wide(opcode::I2L, vec![x]));
        assert!(!wide(opcode::L2I, vec![y]));
        assert!(!wide(opcode::INEG, vec![x]));
        assert!(!wide(LCMP, vec![y, y]));
    }
}

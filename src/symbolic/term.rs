//! Terms over symbolic ints and longs, and conditions on them: bit-precise, as the instructions are that make them.
//!
//! A term is kept once, so that equal terms have equal numbers. What is known is folded when a term is made, by the same
//! arithmetic as everywhere else.

use bytecode::analysis::fold;
use bytecode::classfile::instruction::{Arithmetic, BinaryOperator, Bitwise};
use model::jvm::{Literal, Primitive};
use rustc_hash::FxHashMap;
use std::fmt;

/// A term's number in its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// An unknown int or long. Booleans, bytes, chars and shorts are ints with a condition on their range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolicVariable {
    /// Tells it from others.
    pub number: u32,
    /// Whether it is a long.
    pub wide: bool,
}

/// How a term is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An int or a long.
    Known(Literal),
    /// An unknown.
    Variable(SymbolicVariable),
    /// What an instruction makes of other terms.
    Operation(TermOperation, Vec<Term>),
}

/// An instruction that makes an int or a long of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermOperation {
    /// Of ints and longs alone, as are the conversions.
    Arithmetic(Arithmetic),
    /// `lcmp`: −1, 0 or 1.
    CompareLongs,
}

/// What is compared in a condition; the other two are these the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TermRelation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// Signed.
    Less,
    /// Signed.
    LessOrEqual,
}

/// A comparison of two terms of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathCondition {
    /// How they compare.
    pub relation: TermRelation,
    /// The left side.
    pub left: Term,
    /// The right side.
    pub right: Term,
}

/// A condition, or its value where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The condition is this.
    Known(bool),
    /// It depends on variables.
    Open(PathCondition),
}

/// Values of variables.
pub type Model = FxHashMap<SymbolicVariable, i64>;

impl TermRelation {
    /// Whether it holds of these numbers.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            TermRelation::Equal => left == right,
            TermRelation::NotEqual => left != right,
            TermRelation::Less => left < right,
            TermRelation::LessOrEqual => left <= right,
        }
    }
}

impl PathCondition {
    /// What holds exactly where this does not.
    pub fn negated(self) -> PathCondition {
        let PathCondition { relation, left, right } = self;
        match relation {
            TermRelation::Equal => PathCondition { relation: TermRelation::NotEqual, ..self },
            TermRelation::NotEqual => PathCondition { relation: TermRelation::Equal, ..self },
            TermRelation::Less => PathCondition { relation: TermRelation::LessOrEqual, left: right, right: left },
            TermRelation::LessOrEqual => PathCondition { relation: TermRelation::Less, left: right, right: left },
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
    /// How the term is made.
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
        self.add(Node::Variable(SymbolicVariable { number, wide }))
    }

    /// The term that is this variable alone.
    pub fn variable(&mut self, variable: SymbolicVariable) -> Term {
        self.variables = self.variables.max(variable.number + 1);
        self.add(Node::Variable(variable))
    }

    /// The term that is this number.
    pub fn known(&mut self, value: Literal) -> Term {
        self.add(Node::Known(value))
    }

    /// What the instruction makes of its operands; `None` where all are known and it throws.
    pub fn operation(&mut self, of: TermOperation, operands: Vec<Term>) -> Option<Term> {
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
    fn simpler(&mut self, of: TermOperation, operands: &[Term]) -> Option<Term> {
        let [left, right] = *operands else { return None };
        let number = |terms: &Terms, term| terms.literal(term).and_then(|literal| number(&literal));
        let (first, second) = (number(self, left), number(self, right));
        let TermOperation::Arithmetic(arithmetic) = of else { return None };
        // What the operation makes of the other operand is that operand.
        let (zero_first, zero_second, one) = match arithmetic {
            Arithmetic::Binary(BinaryOperator::Add, _) | Arithmetic::Bitwise(Bitwise::Xor, _) => (true, true, false),
            Arithmetic::Binary(BinaryOperator::Subtract, _)
            | Arithmetic::Shift(..)
            | Arithmetic::Bitwise(Bitwise::Or, _) => (false, true, false),
            Arithmetic::Binary(BinaryOperator::Multiply, _) => (false, false, true),
            _ => return None,
        };
        match (first, second) {
            (Some(0), _) if zero_first => Some(right),
            (_, Some(0)) if zero_second => Some(left),
            (_, Some(1)) if one => Some(left),
            (Some(1), _) if one => Some(right),
            _ if left == right && matches!(arithmetic, Arithmetic::Binary(BinaryOperator::Subtract, _)) => {
                let is_wide = arithmetic.result().is_wide();
                Some(self.known(if is_wide { Literal::Long(0) } else { Literal::Int(0) }))
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
    pub fn compare(&self, relation: TermRelation, left: Term, right: Term) -> Truth {
        let number = |term| self.literal(term).and_then(|literal| number(&literal));
        if let (Some(left), Some(right)) = (number(left), number(right)) {
            return Truth::Known(relation.holds(left, right));
        }
        if left == right {
            return Truth::Known(matches!(relation, TermRelation::Equal | TermRelation::LessOrEqual));
        }
        // `lcmp` and a jump are one comparison of longs.
        let compared = |term| match self.node(term) {
            Node::Operation(TermOperation::CompareLongs, operands) => Some((operands[0], operands[1])),
            _ => None,
        };
        if let (Some((one, other)), Some(0)) = (compared(left), number(right)) {
            return self.compare(relation, one, other);
        }
        if let (Some(0), Some((one, other))) = (number(left), compared(right)) {
            return self.compare(relation, other, one);
        }
        let is_symmetric = matches!(relation, TermRelation::Equal | TermRelation::NotEqual);
        let (left, right) = if is_symmetric && left > right { (right, left) } else { (left, right) };
        Truth::Open(PathCondition { relation, left, right })
    }

    /// That the term, an int, is one of these numbers.
    pub fn within(&mut self, term: Term, (least, greatest): (i32, i32)) -> Vec<PathCondition> {
        let (least, greatest) = (self.known(Literal::Int(least)), self.known(Literal::Int(greatest)));
        let ends =
            [(least, term), (term, greatest)].map(|(left, right)| self.compare(TermRelation::LessOrEqual, left, right));
        ends.into_iter()
            .filter_map(|end| if let Truth::Open(condition) = end { Some(condition) } else { None })
            .collect()
    }

    /// Whether it is of 64 bits.
    pub fn is_wide(&self, term: Term) -> bool {
        match self.node(term) {
            Node::Known(literal) => matches!(literal, Literal::Long(_)),
            Node::Variable(variable) => variable.wide,
            Node::Operation(TermOperation::CompareLongs, _) => false,
            Node::Operation(TermOperation::Arithmetic(arithmetic), _) => arithmetic.result().is_wide(),
        }
    }

    /// The variables of the term, each time that they occur.
    pub fn for_each_variable(&self, term: Term, each: &mut impl FnMut(SymbolicVariable)) {
        match self.node(term) {
            Node::Known(_) => {}
            Node::Variable(variable) => each(*variable),
            Node::Operation(_, operands) => operands.iter().for_each(|&operand| self.for_each_variable(operand, each)),
        }
    }

    /// The term with other terms for some variables; `None` if it throws then.
    pub fn replaced(&mut self, term: Term, with: &impl Fn(SymbolicVariable) -> Option<Term>) -> Option<Term> {
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
    pub fn holds(&self, condition: &PathCondition, model: &Model) -> bool {
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

impl fmt::Display for SymbolicVariable {
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

fn evaluate(of: TermOperation, operands: &[Literal]) -> Option<Literal> {
    match (of, operands) {
        (TermOperation::Arithmetic(arithmetic), operands) => fold::arithmetic(arithmetic, operands),
        (TermOperation::CompareLongs, [Literal::Long(left), Literal::Long(right)]) => {
            Some(Literal::Int(left.cmp(right) as i32))
        }
        (TermOperation::CompareLongs, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytecode::classfile::instruction::{Conversion, Integral, Number, Shift};

    fn binary(operator: BinaryOperator, number: Number) -> TermOperation {
        TermOperation::Arithmetic(Arithmetic::Binary(operator, number))
    }

    #[test]
    fn constant_terms_are_folded() {
        let mut terms = Terms::default();
        let x = terms.fresh(false);
        let (one, zero) = (terms.known(Literal::Int(1)), terms.known(Literal::Int(0)));
        let two = terms.operation(binary(BinaryOperator::Add, Number::Int), vec![one, one]).unwrap();
        assert_eq!(terms.literal(two), Some(Literal::Int(2)));
        assert_eq!(terms.operation(binary(BinaryOperator::Add, Number::Int), vec![x, zero]), Some(x));
        assert_eq!(terms.operation(binary(BinaryOperator::Subtract, Number::Int), vec![x, x]), Some(zero));
        assert_eq!(terms.operation(binary(BinaryOperator::Divide, Number::Int), vec![one, zero]), None);
    }

    #[test]
    fn comparison_of_longs_is_a_single_condition() {
        let mut terms = Terms::default();
        let (x, y) = (terms.fresh(true), terms.fresh(true));
        let compared = terms.operation(TermOperation::CompareLongs, vec![x, y]).unwrap();
        let zero = terms.known(Literal::Int(0));
        let expected = PathCondition { relation: TermRelation::Less, left: x, right: y };
        assert_eq!(terms.compare(TermRelation::Less, compared, zero), Truth::Open(expected));
        let expected = PathCondition { relation: TermRelation::Less, left: y, right: x };
        assert_eq!(terms.compare(TermRelation::Less, zero, compared), Truth::Open(expected));
    }

    #[test]
    fn term_width_follows_from_its_instruction() {
        let mut terms = Terms::default();
        let (x, y) = (terms.fresh(false), terms.fresh(true));
        let mut wide = |of, operands| {
            let term = terms.operation(of, operands).unwrap();
            terms.is_wide(term)
        };
        let convert = |conversion| TermOperation::Arithmetic(Arithmetic::Convert(conversion));
        assert!(!wide(binary(BinaryOperator::Add, Number::Int), vec![x, x]));
        assert!(wide(binary(BinaryOperator::Add, Number::Long), vec![y, y]));
        assert!(wide(TermOperation::Arithmetic(Arithmetic::Shift(Shift::Left, Integral::Long)), vec![y, x]));
        assert!(!wide(TermOperation::Arithmetic(Arithmetic::Shift(Shift::UnsignedRight, Integral::Int)), vec![x, x]));
        assert!(wide(convert(Conversion::IntToLong), vec![x]));
        assert!(!wide(convert(Conversion::LongToInt), vec![y]));
        assert!(!wide(TermOperation::Arithmetic(Arithmetic::Negate(Number::Int)), vec![x]));
        assert!(!wide(TermOperation::CompareLongs, vec![y, y]));
    }
}

//! Local search for a model: from values that fulfil some conditions to values that fulfil one more.
//!
//! One variable is changed at a time: to the value that inverting the condition's terms from the outside in yields, or, if
//! its range is small, to each value of the range. That solves most conditions on the characters of a string and on simple
//! arithmetic, needs no solver, and finds the same values on every machine.

use super::term::{Model, Node, PathCondition, SymbolicVariable, Term, TermOperation, TermRelation, Terms, number};
use bytecode::classfile::instruction::{Arithmetic, BinaryOperator, Bitwise, Shift};

/// Variables of the condition that may be changed.
const VARIABLES: usize = 8;

/// Every value of a variable is tried if it has at most this many.
const FEW: i64 = 256;

/// A model of `wanted` and all of `others` that differs from `from`, a model of `others`, in one variable; `None` if none was
/// found.
pub fn nearby(terms: &Terms, others: &[PathCondition], wanted: PathCondition, from: &Model) -> Option<Model> {
    let mut variables = Vec::new();
    for side in [wanted.left, wanted.right] {
        terms.for_each_variable(side, &mut |variable| {
            if !variables.contains(&variable) {
                variables.push(variable);
            }
        });
    }
    let mut values = from.clone();
    for &variable in variables.iter().take(VARIABLES) {
        let before = from.get(&variable).copied().unwrap_or(0);
        for value in candidates(terms, others, wanted, variable, from) {
            values.insert(variable, value);
            if terms.holds(&wanted, &values) && others.iter().all(|condition| terms.holds(condition, &values)) {
                return Some(values);
            }
        }
        values.insert(variable, before);
    }
    None
}

fn candidates(
    terms: &Terms,
    others: &[PathCondition],
    wanted: PathCondition,
    variable: SymbolicVariable,
    from: &Model,
) -> Vec<i64> {
    let before = from.get(&variable).copied().unwrap_or(0);
    let mut candidates = Vec::new();
    for (side, other) in [(wanted.left, wanted.right), (wanted.right, wanted.left)] {
        let Some(goal) = terms.evaluate(other, from).and_then(|literal| number(&literal)) else { continue };
        let steps: &[i64] = if wanted.relation == TermRelation::Equal { &[0] } else { &[0, 1, -1] };
        let goals = steps.iter().map(|step| goal.wrapping_add(*step));
        candidates.extend(goals.filter_map(|goal| inverted(terms, side, variable, goal, from)));
    }
    if let Some((least, greatest)) = range(terms, others, variable)
        && greatest.checked_sub(least).is_some_and(|width| (0..FEW).contains(&width))
    {
        let mut all: Vec<i64> = (least..=greatest).collect();
        all.sort_by_key(|value| value.abs_diff(before));
        candidates.extend(all);
    }
    candidates
}

/// The least and the greatest value that the conditions allow the variable by themselves.
fn range(terms: &Terms, all: &[PathCondition], variable: SymbolicVariable) -> Option<(i64, i64)> {
    let (mut least, mut greatest) = (None, None);
    for condition in all.iter().filter(|condition| condition.relation == TermRelation::LessOrEqual) {
        let known = |term| terms.literal(term).and_then(|literal| number(&literal));
        let is_it = |term| *terms.node(term) == Node::Variable(variable);
        if is_it(condition.right) {
            least = least.max(known(condition.left));
        } else if is_it(condition.left)
            && let Some(bound) = known(condition.right)
        {
            greatest = Some(greatest.map_or(bound, |greatest: i64| greatest.min(bound)));
        }
    }
    Some((least?, greatest?))
}

/// The value of the variable for which the term equals `goal` while the other variables keep their values; a guess where an
/// operation of the term loses bits.
fn inverted(terms: &Terms, term: Term, variable: SymbolicVariable, goal: i64, from: &Model) -> Option<i64> {
    let goal = if terms.is_wide(term) { goal } else { (goal as i32).into() };
    let (of, operands) = match terms.node(term) {
        Node::Known(_) => return None,
        Node::Variable(found) => return (*found == variable).then_some(goal),
        Node::Operation(of, operands) => (*of, operands),
    };
    let value = |term| terms.evaluate(term, from).and_then(|literal| number(&literal));
    let [left, right] = operands[..] else {
        let is_negation = matches!(of, TermOperation::Arithmetic(Arithmetic::Negate(_)));
        return inverted(terms, operands[0], variable, if is_negation { goal.wrapping_neg() } else { goal }, from);
    };
    let TermOperation::Arithmetic(arithmetic) = of else {
        return inverted(terms, left, variable, value(right)?.wrapping_add(goal), from);
    };
    let mut is_there = false;
    terms.for_each_variable(left, &mut |found| is_there |= found == variable);
    let (inner, other) = if is_there { (left, value(right)?) } else { (right, value(left)?) };
    use BinaryOperator::*;
    let goal = match (arithmetic, is_there) {
        (Arithmetic::Binary(Add, _), _) => goal.wrapping_sub(other),
        (Arithmetic::Binary(Subtract, _), true) => goal.wrapping_add(other),
        (Arithmetic::Binary(Subtract, _), false) => other.wrapping_sub(goal),
        (Arithmetic::Binary(Multiply, _), _) if other & 1 == 1 => goal.wrapping_mul(inverse(other)),
        (Arithmetic::Binary(Multiply, _), _) => goal.checked_div(other)?,
        (Arithmetic::Binary(Divide, _), true) => goal.wrapping_mul(other),
        (Arithmetic::Binary(Remainder, _), true) => goal,
        (Arithmetic::Shift(Shift::Left, _), true) => goal >> (other & 63),
        (Arithmetic::Shift(Shift::Right | Shift::UnsignedRight, _), true) => goal.wrapping_shl(other as u32 & 63),
        // Bits that are masked out stay as they are.
        (Arithmetic::Bitwise(Bitwise::And, _), _) => value(inner)? & !other | goal,
        (Arithmetic::Bitwise(Bitwise::Or, _), _) => goal & !other,
        (Arithmetic::Bitwise(Bitwise::Xor, _), _) => goal ^ other,
        _ => return None,
    };
    inverted(terms, inner, variable, goal, from)
}

/// The inverse of an odd number modulo 2⁶⁴, by Newton's method: three bits are correct at first, and each step doubles them.
fn inverse(odd: i64) -> i64 {
    (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2i64.wrapping_sub(odd.wrapping_mul(inverse))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Truth;
    use bytecode::classfile::instruction::{Integral, Number};
    use model::jvm::Literal;

    fn on_ints(operator: BinaryOperator) -> TermOperation {
        TermOperation::Arithmetic(Arithmetic::Binary(operator, Number::Int))
    }

    fn condition(terms: &Terms, relation: TermRelation, left: Term, right: Term) -> PathCondition {
        match terms.compare(relation, left, right) {
            Truth::Open(condition) => condition,
            Truth::Known(value) => panic!("known to be {value}"),
        }
    }

    #[test]
    fn linear_arithmetic_is_inverted() {
        let mut terms = Terms::default();
        let x = terms.fresh(false);
        let number = |terms: &mut Terms, value| terms.known(Literal::Int(value));
        let (three, seven, mask) = (number(&mut terms, 3), number(&mut terms, 7), number(&mut terms, 0xff));
        let product = terms.operation(on_ints(BinaryOperator::Multiply), vec![x, three]).unwrap();
        let sum = terms.operation(on_ints(BinaryOperator::Add), vec![product, seven]).unwrap();
        let and = TermOperation::Arithmetic(Arithmetic::Bitwise(Bitwise::And, Integral::Int));
        let masked = terms.operation(and, vec![sum, mask]).unwrap();
        let goal = number(&mut terms, 42);
        let wanted = condition(&terms, TermRelation::Equal, masked, goal);
        let model = nearby(&terms, &[], wanted, &Model::default()).unwrap();
        assert!(terms.holds(&wanted, &model));
    }

    #[test]
    fn full_range_of_long_is_not_enumerated() {
        let mut terms = Terms::default();
        let x = terms.fresh(true);
        let [least, greatest, goal] = [i64::MIN, i64::MAX, 7].map(|value| terms.known(Literal::Long(value)));
        let others = [
            condition(&terms, TermRelation::LessOrEqual, least, x),
            condition(&terms, TermRelation::LessOrEqual, x, greatest),
        ];
        let wanted = condition(&terms, TermRelation::Equal, x, goal);
        assert!(nearby(&terms, &others, wanted, &Model::default()).is_some());
    }

    #[test]
    fn solution_keeps_the_other_conditions() {
        let mut terms = Terms::default();
        let x = terms.fresh(false);
        let (zero, five, nine) =
            (terms.known(Literal::Int(0)), terms.known(Literal::Int(5)), terms.known(Literal::Int(9)));
        let others = [
            condition(&terms, TermRelation::LessOrEqual, zero, x),
            condition(&terms, TermRelation::LessOrEqual, x, nine),
            condition(&terms, TermRelation::NotEqual, x, five),
        ];
        let wanted = condition(&terms, TermRelation::LessOrEqual, five, x);
        let Node::Variable(variable) = *terms.node(x) else { unreachable!() };
        let model = nearby(&terms, &others, wanted, &Model::from_iter([(variable, 1)])).unwrap();
        assert_eq!(model[&variable], 6);
        let more = terms.operation(on_ints(BinaryOperator::Add), vec![x, five]).unwrap();
        let fifteen = terms.known(Literal::Int(15));
        let wanted = condition(&terms, TermRelation::LessOrEqual, fifteen, more);
        assert_eq!(nearby(&terms, &others, wanted, &model), None);
    }
}

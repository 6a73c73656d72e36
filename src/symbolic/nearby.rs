//! Values for which one more condition holds, near those for which the others do.
//!
//! One variable is changed at a time: to what the condition's terms make of the wanted value when they are undone from the
//! outside in, or to each of few values that it can have. That decides most conditions on the units of a text and on
//! simple arithmetic, needs no solver, and finds the same values on every machine.

use super::term::{Condition, Model, Node, Operation, Relation, Term, Terms, Variable, number};
use bytecode::classfile::instruction::{Arithmetic, BinaryOperator, Bitwise, Shift};

/// Variables of the condition that are tried.
const VARIABLES: usize = 8;

/// A variable that can have so many values is tried with each.
const FEW: i64 = 256;

/// Values for which `wanted` and all of `others` hold, where `others` hold for `from`; `None` if one change of it is not
/// enough, or was not found.
pub fn nearby(terms: &Terms, others: &[Condition], wanted: Condition, from: &Model) -> Option<Model> {
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

fn candidates(terms: &Terms, others: &[Condition], wanted: Condition, variable: Variable, from: &Model) -> Vec<i64> {
    let before = from.get(&variable).copied().unwrap_or(0);
    let mut candidates = Vec::new();
    for (side, other) in [(wanted.left, wanted.right), (wanted.right, wanted.left)] {
        let Some(aim) = terms.evaluate(other, from).and_then(|literal| number(&literal)) else { continue };
        let steps: &[i64] = if wanted.relation == Relation::Equal { &[0] } else { &[0, 1, -1] };
        let aims = steps.iter().map(|step| aim.wrapping_add(*step));
        candidates.extend(aims.filter_map(|aim| undone(terms, side, variable, aim, from)));
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
fn range(terms: &Terms, all: &[Condition], variable: Variable) -> Option<(i64, i64)> {
    let (mut least, mut greatest) = (None, None);
    for condition in all.iter().filter(|condition| condition.relation == Relation::LessOrEqual) {
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

/// What the variable must be for the term to be `aim`, while the others are as they are; where bits are lost on the way, as
/// good as can be guessed.
fn undone(terms: &Terms, term: Term, variable: Variable, aim: i64, from: &Model) -> Option<i64> {
    let aim = if terms.is_wide(term) { aim } else { (aim as i32).into() };
    let (of, operands) = match terms.node(term) {
        Node::Known(_) => return None,
        Node::Variable(found) => return (*found == variable).then_some(aim),
        Node::Operation(of, operands) => (*of, operands),
    };
    let value = |term| terms.evaluate(term, from).and_then(|literal| number(&literal));
    let [left, right] = operands[..] else {
        let is_negation = matches!(of, Operation::Arithmetic(Arithmetic::Negate(_)));
        return undone(terms, operands[0], variable, if is_negation { aim.wrapping_neg() } else { aim }, from);
    };
    let Operation::Arithmetic(arithmetic) = of else {
        return undone(terms, left, variable, value(right)?.wrapping_add(aim), from);
    };
    let mut is_there = false;
    terms.for_each_variable(left, &mut |found| is_there |= found == variable);
    let (inner, other) = if is_there { (left, value(right)?) } else { (right, value(left)?) };
    use BinaryOperator::*;
    let aim = match (arithmetic, is_there) {
        (Arithmetic::Binary(Add, _), _) => aim.wrapping_sub(other),
        (Arithmetic::Binary(Subtract, _), true) => aim.wrapping_add(other),
        (Arithmetic::Binary(Subtract, _), false) => other.wrapping_sub(aim),
        (Arithmetic::Binary(Multiply, _), _) if other & 1 == 1 => aim.wrapping_mul(inverse(other)),
        (Arithmetic::Binary(Multiply, _), _) => aim.checked_div(other)?,
        (Arithmetic::Binary(Divide, _), true) => aim.wrapping_mul(other),
        (Arithmetic::Binary(Remainder, _), true) => aim,
        (Arithmetic::Shift(Shift::Left, _), true) => aim >> (other & 63),
        (Arithmetic::Shift(Shift::Right | Shift::UnsignedRight, _), true) => aim.wrapping_shl(other as u32 & 63),
        // Bits that are masked out stay as they are.
        (Arithmetic::Bitwise(Bitwise::And, _), _) => value(inner)? & !other | aim,
        (Arithmetic::Bitwise(Bitwise::Or, _), _) => aim & !other,
        (Arithmetic::Bitwise(Bitwise::Xor, _), _) => aim ^ other,
        _ => return None,
    };
    undone(terms, inner, variable, aim, from)
}

/// Of an odd number, modulo 2⁶⁴, by Newton's method: each step doubles the bits that are right, of which there are three.
fn inverse(odd: i64) -> i64 {
    (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2i64.wrapping_sub(odd.wrapping_mul(inverse))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Truth;
    use bytecode::classfile::instruction::{Integral, Number};
    use model::jvm::Literal;

    fn on_ints(operator: BinaryOperator) -> Operation {
        Operation::Arithmetic(Arithmetic::Binary(operator, Number::Int))
    }

    fn condition(terms: &Terms, relation: Relation, left: Term, right: Term) -> Condition {
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
        let and = Operation::Arithmetic(Arithmetic::Bitwise(Bitwise::And, Integral::Int));
        let masked = terms.operation(and, vec![sum, mask]).unwrap();
        let aim = number(&mut terms, 42);
        let wanted = condition(&terms, Relation::Equal, masked, aim);
        let model = nearby(&terms, &[], wanted, &Model::default()).unwrap();
        assert!(terms.holds(&wanted, &model));
    }

    #[test]
    fn full_range_of_long_is_not_enumerated() {
        let mut terms = Terms::default();
        let x = terms.fresh(true);
        let [least, greatest, aim] = [i64::MIN, i64::MAX, 7].map(|value| terms.known(Literal::Long(value)));
        let others =
            [condition(&terms, Relation::LessOrEqual, least, x), condition(&terms, Relation::LessOrEqual, x, greatest)];
        let wanted = condition(&terms, Relation::Equal, x, aim);
        assert!(nearby(&terms, &others, wanted, &Model::default()).is_some());
    }

    #[test]
    fn solution_keeps_the_other_conditions() {
        let mut terms = Terms::default();
        let x = terms.fresh(false);
        let (zero, five, nine) =
            (terms.known(Literal::Int(0)), terms.known(Literal::Int(5)), terms.known(Literal::Int(9)));
        let others = [
            condition(&terms, Relation::LessOrEqual, zero, x),
            condition(&terms, Relation::LessOrEqual, x, nine),
            condition(&terms, Relation::NotEqual, x, five),
        ];
        let wanted = condition(&terms, Relation::LessOrEqual, five, x);
        let Node::Variable(variable) = *terms.node(x) else { unreachable!() };
        let model = nearby(&terms, &others, wanted, &Model::from_iter([(variable, 1)])).unwrap();
        assert_eq!(model[&variable], 6);
        let more = terms.operation(on_ints(BinaryOperator::Add), vec![x, five]).unwrap();
        let fifteen = terms.known(Literal::Int(15));
        let wanted = condition(&terms, Relation::LessOrEqual, fifteen, more);
        assert_eq!(nearby(&terms, &others, wanted, &model), None);
    }
}

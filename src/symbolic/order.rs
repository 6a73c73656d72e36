//! What comparisons of variables with one another and with numbers say together, decided without a solver.
//!
//! `x < y`, `x <= 7` and `x == y` bound differences of two numbers. The tightest bounds of all pairs follow from shortest
//! paths; a number that must be less than itself contradicts. Values are then chosen one after the other, near zero and
//! where `!=` asks for it apart.

use super::term::{Model, Node, PathCondition, SymbolicVariable, Term, TermRelation, Terms, number};
use std::collections::BTreeSet;

/// More variables than this are left to the solver: the time grows with the third power.
const MOST: usize = 64;

/// No bound; sums of two stay far from the ends of the type.
const NONE: i128 = i128::MAX / 4;

/// Bounds of differences.
pub struct Order {
    /// Place 0 is the number 0.
    variables: Vec<SymbolicVariable>,
    /// `bounds[x][y]`: x − y is at most that.
    bounds: Vec<Vec<i128>>,
    /// Places whose numbers differ by something else than this.
    apart: Vec<(usize, usize, i128)>,
}

impl Order {
    /// What can be said; `None` if there are too many variables. Conditions on other terms say nothing here.
    pub fn of(terms: &Terms, all: &[PathCondition]) -> Option<Order> {
        let mut variables = BTreeSet::new();
        for condition in all {
            for term in [condition.left, condition.right] {
                terms.for_each_variable(term, &mut |variable| {
                    variables.insert(variable);
                });
            }
        }
        if variables.len() > MOST {
            return None;
        }
        let variables: Vec<SymbolicVariable> = variables.into_iter().collect();
        let places = variables.len() + 1;
        let mut order = Order { bounds: vec![vec![NONE; places]; places], apart: Vec::new(), variables };
        for (place, variable) in (1..).zip(order.variables.clone()) {
            let (least, greatest) =
                if variable.wide { (i64::MIN, i64::MAX) } else { (i32::MIN.into(), i32::MAX.into()) };
            order.bound(place, 0, greatest.into());
            order.bound(0, place, -i128::from(least));
        }
        for condition in all {
            order.add(terms, condition);
        }
        Some(order)
    }

    fn add(&mut self, terms: &Terms, condition: &PathCondition) {
        // A place, and what is added to its number.
        let side = |term: Term| match terms.node(term) {
            Node::Variable(variable) => Some((1 + self.variables.binary_search(variable).ok()?, 0)),
            Node::Known(literal) => Some((0, i128::from(number(literal)?))),
            Node::Operation(..) => None,
        };
        let (Some((left, more)), Some((right, less))) = (side(condition.left), side(condition.right)) else { return };
        let difference = less - more;
        match condition.relation {
            TermRelation::Less => self.bound(left, right, difference - 1),
            TermRelation::LessOrEqual => self.bound(left, right, difference),
            TermRelation::Equal => {
                self.bound(left, right, difference);
                self.bound(right, left, -difference);
            }
            TermRelation::NotEqual => self.apart.push((left, right, difference)),
        }
    }

    fn bound(&mut self, left: usize, right: usize, by: i128) {
        let bound = &mut self.bounds[left][right];
        *bound = (*bound).min(by);
    }

    /// Whether the bounds contradict each other, or what is to be apart; makes them as tight as they are.
    pub fn contradicts(&mut self) -> bool {
        let places = self.bounds.len();
        for between in 0..places {
            for left in 0..places {
                if self.bounds[left][between] == NONE {
                    continue;
                }
                for right in 0..places {
                    let by = self.bounds[left][between] + self.bounds[between][right];
                    self.bound(left, right, by);
                }
            }
            // Beyond a circle that contradicts, bounds double with each place.
            if (0..places).any(|place| self.bounds[place][place] < 0) {
                return true;
            }
        }
        let is_exactly = |&(left, right, by): &(usize, usize, i128)| {
            self.bounds[left][right] == by && self.bounds[right][left] == -by
        };
        self.apart.iter().any(is_exactly)
    }

    /// Values that fulfil all, once nothing contradicts; `None` where one after the other finds none that is apart from those
    /// before.
    pub fn model(&self) -> Option<Model> {
        let mut values = vec![0i128];
        for place in 1..self.bounds.len() {
            let known = || values.iter().enumerate();
            let least = known().map(|(other, value)| value - self.bounds[other][place]).max()?;
            let greatest = known().map(|(other, value)| value + self.bounds[place][other]).min()?;
            let taken: BTreeSet<i128> = self
                .apart
                .iter()
                .filter_map(|&(left, right, by)| match (left == place, right == place) {
                    (true, false) => Some(values.get(right)? + by),
                    (false, true) => Some(values.get(left)? - by),
                    _ => None,
                })
                .collect();
            let start = 0.clamp(least, greatest.max(least));
            let tries = taken.len() as i128;
            let above = (start..=greatest.min(start + tries)).find(|value| !taken.contains(value));
            let below = || (least.max(start - tries)..=start).rev().find(|value| !taken.contains(value));
            values.push(above.or_else(below)?);
        }
        let values = values.into_iter().skip(1).map(|value| i64::try_from(value).ok());
        self.variables.iter().copied().zip(values).map(|(variable, value)| Some((variable, value?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Truth;
    use TermRelation::*;
    use model::jvm::Literal;

    /// Comparisons of variables, named by a letter, and numbers.
    fn check(comparisons: &[(&str, TermRelation, &str)]) -> Option<bool> {
        let mut terms = Terms::default();
        let letters: Vec<Term> = (0..26).map(|_| terms.fresh(false)).collect();
        let term = |terms: &mut Terms, text: &str| match text.parse() {
            Ok(number) => terms.known(Literal::Int(number)),
            Err(_) => letters[usize::from(text.as_bytes()[0] - b'a')],
        };
        let mut all = Vec::new();
        for &(left, relation, right) in comparisons {
            let (left, right) = (term(&mut terms, left), term(&mut terms, right));
            let Truth::Open(condition) = terms.compare(relation, left, right) else { panic!("it is known") };
            all.push(condition);
        }
        let mut order = Order::of(&terms, &all)?;
        if order.contradicts() {
            return Some(false);
        }
        let model = order.model()?;
        assert!(all.iter().all(|condition| terms.holds(condition, &model)), "{model:?}");
        Some(true)
    }

    #[test]
    fn cycle_with_a_strict_edge_is_contradictory() {
        assert_eq!(check(&[("a", Less, "b"), ("b", Less, "c")]), Some(true));
        assert_eq!(check(&[("a", Less, "b"), ("b", LessOrEqual, "c"), ("c", LessOrEqual, "a")]), Some(false));
    }

    #[test]
    fn largest_order_graph_detects_contradictory_cycles() {
        let mut terms = Terms::default();
        let variables: Vec<Term> = (0..MOST).map(|_| terms.fresh(true)).collect();
        let mut all = Vec::new();
        for &left in &variables {
            for &right in variables.iter().filter(|right| **right != left) {
                let Truth::Open(condition) = terms.compare(Less, left, right) else { panic!("it is known") };
                all.push(condition);
            }
        }
        assert!(Order::of(&terms, &all).unwrap().contradicts());
    }

    #[test]
    fn integer_between_two_bounds_needs_room() {
        assert_eq!(check(&[("3", Less, "a"), ("a", Less, "b"), ("b", Less, "6")]), Some(true));
        assert_eq!(check(&[("3", Less, "a"), ("a", Less, "b"), ("b", Less, "5")]), Some(false));
    }

    #[test]
    fn equal_terms_contradict_inequality() {
        assert_eq!(check(&[("a", Equal, "b"), ("b", Equal, "c"), ("a", NotEqual, "c")]), Some(false));
        assert_eq!(check(&[("a", LessOrEqual, "b"), ("b", LessOrEqual, "a"), ("b", NotEqual, "a")]), Some(false));
        assert_eq!(
            check(&[("a", NotEqual, "b"), ("b", NotEqual, "c"), ("a", NotEqual, "c"), ("a", NotEqual, "0")]),
            Some(true)
        );
    }

    #[test]
    fn int_terms_are_bounded_by_java_int() {
        let most = i32::MAX.to_string();
        assert_eq!(check(&[(&most, Less, "a")]), Some(false));
        assert_eq!(check(&[("a", Less, "b"), (&most, LessOrEqual, "a")]), Some(false));
    }
}

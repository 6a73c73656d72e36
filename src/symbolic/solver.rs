//! Whether conditions can hold together, and for which values.
//!
//! Most questions are answered here: one model after the other is tried on them, and what can be said of each variable
//! alone is compared. What is left is for a [`Solver`], which an SMT solver implements; its answers are kept.

use super::term::{Condition, Model, Node, Relation, Term, Terms, Variable, number};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Conditions that hold together.
pub type Conjunction = Vec<Condition>;

/// A question: are there values for which all conditions hold, and none of the cases?
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Query {
    pub all: Conjunction,
    pub none_of: Vec<Case>,
}

/// Conditions that hold together for some values of the variables that are its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Case {
    pub conditions: Conjunction,
    pub own: BTreeSet<Variable>,
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// For these values, for example; variables that are missing may have any.
    Satisfiable(Model),
    Unsatisfiable,
    /// The solver gave up, or there is none.
    Unknown,
}

/// Decides what cannot be seen at once.
pub trait Solver {
    fn solve(&mut self, terms: &Terms, query: &Query) -> Answer;
}

/// A solver that never knows.
pub struct NoSolver;

impl Solver for NoSolver {
    fn solve(&mut self, _terms: &Terms, _query: &Query) -> Answer {
        Answer::Unknown
    }
}

/// How many models are remembered.
const MODELS: usize = 32;

/// Asks a solver only what was not asked before and cannot be seen at once.
pub struct Oracle<'a> {
    solver: &'a mut dyn Solver,
    answers: FxHashMap<Query, Answer>,
    /// Those that fitted last, the latest first.
    models: Vec<Model>,
    pub statistics: Statistics,
}

/// How questions were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub at_once: u64,
    pub remembered: u64,
    pub solved: u64,
    pub unknown: u64,
}

impl<'a> Oracle<'a> {
    pub fn new(solver: &'a mut dyn Solver) -> Oracle<'a> {
        Oracle { solver, answers: FxHashMap::default(), models: Vec::new(), statistics: Statistics::default() }
    }

    /// Whether there are such values.
    pub fn answer(&mut self, terms: &Terms, mut query: Query) -> Answer {
        query.all.sort_unstable();
        query.all.dedup();
        if query.none_of.is_empty() {
            if let Some(answer) = at_once(terms, &query.all, &self.models) {
                self.statistics.at_once += 1;
                return answer;
            }
        } else if query.none_of.iter().any(|case| case.conditions.iter().all(|condition| query.all.contains(condition)))
        {
            self.statistics.at_once += 1;
            return Answer::Unsatisfiable;
        }
        if let Some(answer) = self.answers.get(&query) {
            self.statistics.remembered += 1;
            return answer.clone();
        }
        let answer = self.solver.solve(terms, &query);
        match &answer {
            Answer::Unknown => self.statistics.unknown += 1,
            Answer::Unsatisfiable => self.statistics.solved += 1,
            Answer::Satisfiable(model) => {
                self.statistics.solved += 1;
                self.models.insert(0, model.clone());
                self.models.truncate(MODELS);
            }
        }
        self.answers.insert(query, answer.clone());
        answer
    }
}

/// The answer where it is plain: a known model fits, or a variable has no value left.
fn at_once(terms: &Terms, all: &[Condition], models: &[Model]) -> Option<Answer> {
    let fits = |model: &Model| all.iter().all(|condition| terms.holds(condition, model));
    if let Some(model) = models.iter().find(|model| fits(model)) {
        return Some(Answer::Satisfiable(model.clone()));
    }
    let Some(known) = Known::gather(terms, all).consistent() else { return Some(Answer::Unsatisfiable) };
    let model = known.model();
    fits(&model).then_some(Answer::Satisfiable(model))
}

/// What conditions say of single variables.
#[derive(Default)]
struct Known {
    /// The least and the greatest value.
    ranges: FxHashMap<Variable, (i64, i64)>,
    excluded: FxHashMap<Variable, BTreeSet<i64>>,
    /// In the order of their numbers, for a model that gives each another value.
    variables: BTreeSet<Variable>,
}

impl Known {
    fn gather(terms: &Terms, all: &[Condition]) -> Known {
        let mut known = Known::default();
        for condition in all {
            for term in [condition.left, condition.right] {
                terms.for_each_variable(term, &mut |variable| {
                    known.variables.insert(variable);
                });
            }
            known.add(terms, condition);
        }
        for &variable in &known.variables {
            known.ranges.entry(variable).or_insert_with(|| whole(variable));
        }
        known
    }

    fn add(&mut self, terms: &Terms, condition: &Condition) {
        let variable = |term: Term| match terms.node(term) {
            Node::Variable(variable) => Some(*variable),
            _ => None,
        };
        let value = |term: Term| terms.literal(term).and_then(|literal| number(&literal));
        let Condition { relation, left, right } = *condition;
        let (of, value, is_left) = match (variable(left), value(right), variable(right), value(left)) {
            (Some(of), Some(value), ..) => (of, value, true),
            (_, _, Some(of), Some(value)) => (of, value, false),
            _ => return,
        };
        let (least, greatest) = self.ranges.entry(of).or_insert_with(|| whole(of));
        match (relation, is_left) {
            (Relation::Equal, _) => (*least, *greatest) = ((*least).max(value), (*greatest).min(value)),
            (Relation::NotEqual, _) => {
                self.excluded.entry(of).or_default().insert(value);
            }
            (Relation::Less, true) => *greatest = (*greatest).min(value.saturating_sub(1)),
            (Relation::LessOrEqual, true) => *greatest = (*greatest).min(value),
            (Relation::Less, false) => *least = (*least).max(value.saturating_add(1)),
            (Relation::LessOrEqual, false) => *least = (*least).max(value),
        }
    }

    /// With ranges that do not end at values that are excluded; `None` if one is empty.
    fn consistent(mut self) -> Option<Known> {
        for (variable, (least, greatest)) in &mut self.ranges {
            if let Some(excluded) = self.excluded.get(variable) {
                while least <= greatest && excluded.contains(least) {
                    *least = least.saturating_add(1);
                }
                while greatest >= least && excluded.contains(greatest) {
                    *greatest = greatest.saturating_sub(1);
                }
            }
            if least > greatest {
                return None;
            }
        }
        Some(self)
    }

    /// Values in these ranges, different ones where there is room, near zero.
    fn model(&self) -> Model {
        let mut used = BTreeSet::new();
        let mut model = Model::default();
        for variable in &self.variables {
            let (least, greatest) = self.ranges[variable];
            let start = 0.clamp(least, greatest);
            let is_free = |value: &i64| {
                let is_excluded = self.excluded.get(variable).is_some_and(|excluded| excluded.contains(value));
                !is_excluded && !used.contains(value)
            };
            let tries = self.variables.len() as i64 + self.excluded.get(variable).map_or(0, BTreeSet::len) as i64;
            let above = (start..=greatest.min(start.saturating_add(tries))).find(is_free);
            let below = || (least.max(start.saturating_sub(tries))..=start).rev().find(is_free);
            let value = above.or_else(below).unwrap_or(start);
            used.insert(value);
            model.insert(*variable, value);
        }
        model
    }
}

fn whole(variable: Variable) -> (i64, i64) {
    if variable.wide { (i64::MIN, i64::MAX) } else { (i32::MIN.into(), i32::MAX.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jvm::Literal;
    use crate::symbolic::term::Truth;

    fn answer(build: impl FnOnce(&mut Terms) -> Vec<(Relation, Term, Term)>) -> Option<bool> {
        let mut terms = Terms::default();
        let compared =
            build(&mut terms).into_iter().map(|(relation, left, right)| match terms.compare(relation, left, right) {
                Truth::Open(condition) => condition,
                Truth::Known(value) => panic!("known to be {value}"),
            });
        let all = compared.collect::<Vec<_>>();
        match Oracle::new(&mut NoSolver).answer(&terms, Query { all: all.clone(), none_of: Vec::new() }) {
            Answer::Satisfiable(model) => {
                assert!(all.iter().all(|condition| terms.holds(condition, &model)));
                Some(true)
            }
            Answer::Unsatisfiable => Some(false),
            Answer::Unknown => None,
        }
    }

    #[test]
    fn what_is_said_of_one_variable_alone_needs_no_solver() {
        use Relation::*;
        let range = |least: i32, greatest: i32| {
            answer(|terms| {
                let x = terms.fresh(false);
                let (least, greatest) = (terms.known(Literal::Int(least)), terms.known(Literal::Int(greatest)));
                vec![(LessOrEqual, least, x), (Less, x, greatest), (NotEqual, x, least)]
            })
        };
        assert_eq!(range(7, 9), Some(true));
        assert_eq!(range(7, 8), Some(false));
    }

    #[test]
    fn different_variables_get_different_values() {
        use Relation::*;
        let three = answer(|terms| {
            let [x, y, z] = [0; 3].map(|_| terms.fresh(false));
            vec![(NotEqual, x, y), (NotEqual, y, z), (NotEqual, x, z)]
        });
        assert_eq!(three, Some(true));
    }

    #[test]
    fn what_relates_variables_is_for_the_solver() {
        use Relation::*;
        let circle = answer(|terms| {
            let [x, y] = [0; 2].map(|_| terms.fresh(false));
            vec![(Less, x, y), (Less, y, x)]
        });
        assert_eq!(circle, None);
    }
}

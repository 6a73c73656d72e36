//! Whether conditions can hold together, and for which values.
//!
//! Most questions are answered here: one model after the other is tried on them, and comparisons of variables are put in
//! [order](super::order). What is left is for a [`Solver`], which an SMT solver implements; its answers are kept.

use super::order::Order;
use super::term::{Condition, Model, Terms, Variable};
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
        if let [case] = &query.none_of[..]
            && case.own.is_empty()
        {
            return self.any_but(terms, &query.all, &case.conditions);
        }
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

impl Oracle<'_> {
    /// Whether all can hold without all of the others: then without one of them.
    fn any_but(&mut self, terms: &Terms, all: &[Condition], others: &[Condition]) -> Answer {
        let mut answer = Answer::Unsatisfiable;
        for other in others {
            let all = all.iter().copied().chain([other.negated()]).collect();
            match self.answer(terms, Query { all, none_of: Vec::new() }) {
                Answer::Unsatisfiable => {}
                Answer::Unknown => answer = Answer::Unknown,
                found => return found,
            }
        }
        answer
    }
}

/// The answer where it is plain: a known model fits, or the conditions' order decides.
fn at_once(terms: &Terms, all: &[Condition], models: &[Model]) -> Option<Answer> {
    let fits = |model: &Model| all.iter().all(|condition| terms.holds(condition, model));
    if let Some(model) = models.iter().find(|model| fits(model)) {
        return Some(Answer::Satisfiable(model.clone()));
    }
    if all.iter().any(|condition| all.binary_search(&condition.negated()).is_ok()) {
        return Some(Answer::Unsatisfiable);
    }
    let mut order = Order::of(terms, all)?;
    if order.contradicts() {
        return Some(Answer::Unsatisfiable);
    }
    order.model().filter(fits).map(Answer::Satisfiable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jvm::Literal;
    use crate::symbolic::term::{Relation, Term, Truth};

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
    fn arithmetic_is_for_the_solver() {
        use Relation::*;
        let square = answer(|terms| {
            let x = terms.fresh(false);
            let square = terms.operation(crate::classfile::opcode::IADD + 8, vec![x, x]).unwrap();
            vec![(Equal, square, terms.known(Literal::Int(49)))]
        });
        assert_eq!(square, None);
    }
}

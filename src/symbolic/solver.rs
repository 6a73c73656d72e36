//! Whether conditions can hold together, and for which values.
//!
//! Most questions are answered here: one model after the other is tried on them, and comparisons of variables are put in
//! [order](super::order). What is left is for a [`Solver`], which an SMT solver implements; its answers are kept.

use super::order::Order;
use super::term::{Model, PathCondition, SymbolicVariable, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Conditions that hold together.
pub type Conjunction = Vec<PathCondition>;

/// A question: are there values for which all conditions hold, and none of the cases?
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Query {
    /// Conditions that are to hold.
    pub all: Conjunction,
    /// Cases that are not to.
    pub none_of: Vec<SatisfiableCase>,
}

/// Conditions that hold together for some values of the variables that are its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SatisfiableCase {
    /// What holds together.
    pub conditions: Conjunction,
    /// The variables that may be chosen for the case.
    pub own: BTreeSet<SymbolicVariable>,
}

/// The answer to a [`Query`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverAnswer {
    /// For these values, for example; variables that are missing may have any.
    Satisfiable(Model),
    /// There are no such values.
    Unsatisfiable,
    /// The solver gave up, or there is none.
    Unknown,
}

/// Decides what cannot be seen at once.
pub trait Solver {
    /// Answers, or says that it does not know.
    fn solve(&mut self, terms: &Terms, query: &Query) -> SolverAnswer;
}

/// A solver that never knows.
pub struct NoSolver;

impl Solver for NoSolver {
    fn solve(&mut self, _terms: &Terms, _query: &Query) -> SolverAnswer {
        SolverAnswer::Unknown
    }
}

/// How many models are remembered.
const MODELS: usize = 32;

/// Asks a solver only what was not asked before and cannot be seen at once.
pub struct Oracle<'a> {
    solver: &'a mut dyn Solver,
    answers: FxHashMap<Query, SolverAnswer>,
    /// Those that fitted last, the latest first.
    models: Vec<Model>,
    /// How questions were answered so far.
    pub statistics: Statistics,
}

/// How questions were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Seen without a solver.
    pub at_once: u64,
    /// Asked before.
    pub remembered: u64,
    /// Answered by the solver.
    pub solved: u64,
    /// Not answered by the solver.
    pub unknown: u64,
}

impl<'a> Oracle<'a> {
    /// An oracle that was asked nothing yet.
    pub fn new(solver: &'a mut dyn Solver) -> Oracle<'a> {
        Oracle { solver, answers: FxHashMap::default(), models: Vec::new(), statistics: Statistics::default() }
    }

    /// Whether there are such values.
    pub fn answer(&mut self, terms: &Terms, mut query: Query) -> SolverAnswer {
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
            return SolverAnswer::Unsatisfiable;
        }
        if let Some(answer) = self.answers.get(&query) {
            self.statistics.remembered += 1;
            return answer.clone();
        }
        let answer = self.solver.solve(terms, &query);
        match &answer {
            SolverAnswer::Unknown => self.statistics.unknown += 1,
            SolverAnswer::Unsatisfiable => self.statistics.solved += 1,
            SolverAnswer::Satisfiable(model) => {
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
    fn any_but(&mut self, terms: &Terms, all: &[PathCondition], others: &[PathCondition]) -> SolverAnswer {
        let mut answer = SolverAnswer::Unsatisfiable;
        for other in others {
            let all = all.iter().copied().chain([other.negated()]).collect();
            match self.answer(terms, Query { all, none_of: Vec::new() }) {
                SolverAnswer::Unsatisfiable => {}
                SolverAnswer::Unknown => answer = SolverAnswer::Unknown,
                found => return found,
            }
        }
        answer
    }
}

/// The answer where it is plain: a known model fits, or the conditions' order decides.
fn at_once(terms: &Terms, all: &[PathCondition], models: &[Model]) -> Option<SolverAnswer> {
    let fits = |model: &Model| all.iter().all(|condition| terms.holds(condition, model));
    if let Some(model) = models.iter().find(|model| fits(model)) {
        return Some(SolverAnswer::Satisfiable(model.clone()));
    }
    if all.iter().any(|condition| all.binary_search(&condition.negated()).is_ok()) {
        return Some(SolverAnswer::Unsatisfiable);
    }
    let mut order = Order::of(terms, all)?;
    if order.contradicts() {
        return Some(SolverAnswer::Unsatisfiable);
    }
    order.model().filter(fits).map(SolverAnswer::Satisfiable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Term, TermOperation, TermRelation, Truth};
    use bytecode::classfile::instruction::{Arithmetic, BinaryOperator, Number};
    use model::jvm::Literal;

    fn answer(build: impl FnOnce(&mut Terms) -> Vec<(TermRelation, Term, Term)>) -> Option<bool> {
        let mut terms = Terms::default();
        let compared =
            build(&mut terms).into_iter().map(|(relation, left, right)| match terms.compare(relation, left, right) {
                Truth::Open(condition) => condition,
                Truth::Known(value) => panic!("known to be {value}"),
            });
        let all = compared.collect::<Vec<_>>();
        match Oracle::new(&mut NoSolver).answer(&terms, Query { all: all.clone(), none_of: Vec::new() }) {
            SolverAnswer::Satisfiable(model) => {
                assert!(all.iter().all(|condition| terms.holds(condition, &model)));
                Some(true)
            }
            SolverAnswer::Unsatisfiable => Some(false),
            SolverAnswer::Unknown => None,
        }
    }

    #[test]
    fn conditions_on_one_variable_are_solved_without_smt() {
        use TermRelation::*;
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
        use TermRelation::*;
        let three = answer(|terms| {
            let [x, y, z] = [0; 3].map(|_| terms.fresh(false));
            vec![(NotEqual, x, y), (NotEqual, y, z), (NotEqual, x, z)]
        });
        assert_eq!(three, Some(true));
    }

    #[test]
    fn conditions_with_arithmetic_need_smt() {
        use TermRelation::*;
        let square = answer(|terms| {
            let x = terms.fresh(false);
            let product = Arithmetic::Binary(BinaryOperator::Multiply, Number::Int);
            let square = terms.operation(TermOperation::Arithmetic(product), vec![x, x]).unwrap();
            vec![(Equal, square, terms.known(Literal::Int(49)))]
        });
        assert_eq!(square, None);
    }
}

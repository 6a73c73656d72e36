//! One path through a method: the decision at each branch, and the resulting path condition.
//!
//! Paths are enumerated by repeated runs (Symstra's backtracking): a run follows the given decisions and then chooses a
//! feasible outcome at each branch; a later run takes the other outcome, if that is feasible too.

use super::solver::{Conjunction, Oracle, Query, SolverAnswer};
use super::term::{Model, PathCondition, Term, TermRelation, Terms, Truth};
use model::jvm::Literal;

/// A decision of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether the condition held.
    pub taken: bool,
    /// Whether the other outcome is feasible and was not explored yet.
    pub open: bool,
}

/// The decisions and the path condition of a run.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Conditions on the initial state, and those that were decided.
    pub conditions: Conjunction,
    /// Decisions to follow.
    given: Vec<Decision>,
    /// If set, the run takes the path of these values.
    follows: Option<Model>,
    /// Decisions of the run, in order.
    pub decisions: Vec<Decision>,
    /// Reasons why symbols were replaced by one value, which loses paths.
    pub narrowed: Vec<&'static str>,
    /// The solver did not answer: the path may be infeasible, or a feasible one was missed.
    pub unsure: bool,
}

impl Path {
    /// A path that begins where these conditions hold.
    pub fn new(conditions: Conjunction) -> Path {
        Path { conditions, ..Path::default() }
    }

    /// The path that these values take; they fulfil the conditions.
    pub fn along(conditions: Conjunction, values: Model) -> Path {
        Path { conditions, follows: Some(values), ..Path::default() }
    }

    /// Whether the path follows given values.
    pub fn is_guided(&self) -> bool {
        self.follows.is_some()
    }

    /// The next path from the same initial conditions: it takes the other outcome at the last open decision; `None` after
    /// the last path.
    pub fn next(&self, begin: &[PathCondition]) -> Option<Path> {
        let last = self.decisions.iter().rposition(|decision| decision.open)?;
        let mut given = self.decisions[..=last].to_vec();
        given[last] = Decision { taken: !given[last].taken, open: false };
        Some(Path { conditions: begin.to_vec(), given, ..Path::default() })
    }

    /// Whether the comparison holds on this path.
    pub fn decide(
        &mut self,
        terms: &Terms,
        oracle: &mut Oracle,
        relation: TermRelation,
        left: Term,
        right: Term,
    ) -> bool {
        let condition = match terms.compare(relation, left, right) {
            Truth::Known(value) => return value,
            Truth::Open(condition) => condition,
        };
        let decision = match (&self.follows, self.given.get(self.decisions.len())) {
            (Some(values), _) => Decision { taken: terms.holds(&condition, values), open: false },
            (None, Some(&given)) => given,
            (None, None) => {
                // If it is infeasible, its negation is feasible, because the path so far is.
                let taken = self.allows(terms, oracle, condition);
                Decision { taken, open: taken && self.allows(terms, oracle, condition.negated()) }
            }
        };
        self.decisions.push(decision);
        let holds = if decision.taken { condition } else { condition.negated() };
        if !self.conditions.contains(&holds) {
            self.conditions.push(holds);
        }
        decision.taken
    }

    /// Replaces the term by one of its possible values for the rest of the path.
    pub fn narrow(&mut self, terms: &mut Terms, oracle: &mut Oracle, term: Term, why: &'static str) -> Option<Literal> {
        if let Some(known) = terms.literal(term) {
            return Some(known);
        }
        // With given values no path is lost: the caller tries other values itself.
        if let Some(values) = &self.follows {
            return terms.evaluate(term, values);
        }
        let query = Query { all: self.conditions.clone(), none_of: Vec::new() };
        let SolverAnswer::Satisfiable(model) = oracle.answer(terms, query) else {
            self.unsure = true;
            return None;
        };
        let value = terms.evaluate(term, &model)?;
        let known = terms.known(value.clone());
        if let Truth::Open(condition) = terms.compare(TermRelation::Equal, term, known) {
            self.conditions.push(condition);
        }
        self.narrowed.push(why);
        Some(value)
    }

    fn allows(&mut self, terms: &Terms, oracle: &mut Oracle, condition: PathCondition) -> bool {
        if self.conditions.contains(&condition) {
            return true;
        }
        if self.conditions.contains(&condition.negated()) {
            return false;
        }
        let all = self.conditions.iter().copied().chain([condition]).collect();
        match oracle.answer(terms, Query { all, none_of: Vec::new() }) {
            SolverAnswer::Satisfiable(_) => true,
            SolverAnswer::Unsatisfiable => false,
            SolverAnswer::Unknown => {
                self.unsure = true;
                true
            }
        }
    }
}

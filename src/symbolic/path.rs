//! One way through a method: which way each condition went, and what holds therefore.
//!
//! Paths are enumerated by running again (Symstra's backtracking): a run follows the decisions that it is given and goes
//! on as can be; where the other way could be gone as well, a later run goes it.

use super::solver::{Conjunction, Oracle, Query, SolverAnswer};
use super::term::{Model, PathCondition, Term, TermRelation, Terms, Truth};
use model::jvm::Literal;

/// A decision of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Whether the condition held.
    pub taken: bool,
    /// Whether the other way can be gone too, and was not yet.
    pub open: bool,
}

/// What a run decides, and may assume.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// What holds: of the state in which the run began, and of what it decided.
    pub conditions: Conjunction,
    /// To be followed.
    given: Vec<Decision>,
    /// The run goes the way of these values alone.
    follows: Option<Model>,
    /// In their order.
    pub decisions: Vec<Decision>,
    /// What was made known although it need not be, by the reason: paths were lost there.
    pub narrowed: Vec<&'static str>,
    /// The solver gave no answer: a path that was taken may not exist, or one that exists was not taken.
    pub unsure: bool,
}

impl Path {
    /// A path that begins where these conditions hold.
    pub fn new(conditions: Conjunction) -> Path {
        Path { conditions, ..Path::default() }
    }

    /// The path that these values lead along, which fulfil the conditions.
    pub fn along(conditions: Conjunction, values: Model) -> Path {
        Path { conditions, follows: Some(values), ..Path::default() }
    }

    /// Whether it is the path of given values.
    pub fn is_guided(&self) -> bool {
        self.follows.is_some()
    }

    /// The path, from the same beginning, that goes the other way where one can last; `None` after the last path.
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
                // If it cannot hold, its opposite does: what was decided so far can hold.
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

    /// A value that the term can have here; the path goes on with no other.
    pub fn narrow(&mut self, terms: &mut Terms, oracle: &mut Oracle, term: Term, why: &'static str) -> Option<Literal> {
        if let Some(known) = terms.literal(term) {
            return Some(known);
        }
        // Whoever gives values will see what others lead to, so that nothing need be said of these.
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

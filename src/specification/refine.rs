//! The loop of generating and inferring: which tests break what was inferred from others (text 4 of the papers: "Test
//! selection").
//!
//! With *guards* a call counts only if all preconditions hold where it begins; without, calls beyond the preconditions count
//! too, but only for a broken postcondition or an exception. A precondition may say no more than which inputs were tried.

use super::axiom::Moment;
use super::axiomatic::{Specification, Tables, moved};
use super::observations::{CallId, Ending, Test};
use super::{Clause, Method, Place};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How a call is at odds with a specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach {
    /// What is broken first; `None` for an exception that was not known.
    pub clause: Option<usize>,
    /// The call begins as the preconditions have it.
    pub is_guarded: bool,
}

/// The calls that are at odds with the specification. Of methods that it says nothing of, none is.
pub fn breaches(tables: &Tables, methods: &[Method], specification: &Specification) -> FxHashMap<CallId, Breach> {
    let mut breaches = FxHashMap::default();
    let mut by_method: BTreeMap<u32, Vec<(usize, &Clause)>> = BTreeMap::new();
    for (index, clause) in specification.clauses.iter().enumerate() {
        if let Some(method) = clause.method {
            by_method.entry(method).or_default().push((index, clause));
        }
    }
    let observations = tables.observations;
    for (&method, (table, calls)) in &tables.methods {
        let Some(of) = methods.get(method as usize).filter(|_| specification.called.contains(&method)) else {
            continue;
        };
        let invariants: Vec<(usize, &Clause)> = (specification.clauses.iter().enumerate())
            .filter(|(_, clause)| clause.method.is_none() && clause.class == of.class)
            .collect();
        let at_entry: Vec<_> = invariants.iter().map(|(_, clause)| moved(&clause.axiom, Moment::Entry)).collect();
        let own = by_method.get(&method).map(Vec::as_slice).unwrap_or_default();
        for (row, &call) in calls.iter().enumerate() {
            let breaks = |clause: &Clause| table.holds(&clause.axiom, row) == Some(false);
            let is_met = own.iter().all(|(_, clause)| clause.place != Place::Precondition || !breaks(clause))
                && at_entry.iter().all(|axiom| table.holds(axiom, row) != Some(false));
            let broken = |place: Place| own.iter().find(|(_, clause)| clause.place == place && breaks(clause));
            let clause = match observations.call(call).ending {
                Ending::Returned(_) => broken(Place::Postcondition)
                    .or_else(|| broken(Place::Exceptional))
                    .or_else(|| invariants.iter().find(|(_, clause)| breaks(clause))),
                Ending::Threw(_) => broken(Place::Exceptional),
            };
            let is_unknown_exception = match observations.call(call).ending {
                Ending::Threw(class) => {
                    !specification.thrown.contains(&(method, observations.exception(class).clone()))
                }
                Ending::Returned(_) => false,
            };
            if clause.is_some() || is_unknown_exception {
                let clause = clause.map(|(index, _)| *index);
                breaches.insert(call, Breach { clause, is_guarded: is_met });
            }
        }
    }
    breaches
}

/// A test that was selected, and the call for which it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    pub test: usize,
    pub call: CallId,
    pub statement: u32,
    pub breach: Breach,
}

/// What one round of the loop selected.
#[derive(Clone, Debug, Default)]
pub struct Round {
    pub with_guards: Vec<Selected>,
    /// Those that only count without guards.
    pub without_guards: Vec<Selected>,
}

/// The first tests that show each of what is broken, a clause or that a method does not throw an exception, with guards and
/// else without.
pub fn select(tests: &[Test], tables: &Tables, breaches: &FxHashMap<CallId, Breach>) -> Round {
    let mut round = Round::default();
    let mut shown: BTreeSet<(bool, Option<usize>, u32, u32)> = BTreeSet::new();
    for (index, test) in tests.iter().enumerate() {
        let mut is_guarded = true;
        for &(call, statement) in test {
            let Some(breach) = breaches.get(&call) else { continue };
            is_guarded &= breach.is_guarded;
            let known = tables.observations.call(call);
            let exception = match known.ending {
                Ending::Threw(class) if breach.clause.is_none() => class,
                _ => 0,
            };
            let what = (breach.clause, known.method, exception);
            let is_shown = |guarded| shown.contains(&(guarded, what.0, what.1, what.2));
            if is_shown(true) || !is_guarded && is_shown(false) {
                continue;
            }
            shown.insert((is_guarded, what.0, what.1, what.2));
            let selected = Selected { test: index, call, statement, breach: Breach { is_guarded, ..breach.clone() } };
            if is_guarded { &mut round.with_guards } else { &mut round.without_guards }.push(selected);
            break;
        }
    }
    round.without_guards.retain(|selected| {
        let method = tables.observations.call(selected.call).method;
        let is_same = |other: &Selected| {
            other.breach.clause == selected.breach.clause && tables.observations.call(other.call).method == method
        };
        selected.breach.clause.is_none() || !round.with_guards.iter().any(is_same)
    });
    round
}

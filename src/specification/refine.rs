//! The loop of generating and inferring: which tests break what was inferred from others (Xie and Notkin,
//! docs/bibliography.md: "ObservedTest selection").
//!
//! With *guards* a call counts only if all preconditions hold at its entry. Without guards other calls count too, but only
//! if they break a postcondition or throw an unknown exception, because a precondition may say no more than which inputs
//! were tried. Invariants are always guards: a state that violates one comes from an earlier call, which is the one to
//! show.

use super::axiom::Moment;
use super::axiomatic::{self, Specification, Tables, moved};
use super::observations::{CallId, Ending, Observations, ObservedCall, ObservedTest};
use super::{Clause, Place, SpecifiedMethod};
use model::jvm::ClassName;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What the loop came to.
#[derive(Clone, Debug)]
pub struct Refined {
    /// Each specification on the way, and what breaks it.
    pub rounds: Vec<(Specification, Round)>,
    /// The last one.
    pub specification: Specification,
    /// The last iteration found nothing new.
    pub is_fixed_point: bool,
}

/// Infers from the calls of `base`, adds the tests that break what was inferred, and again, to a fixed point, as often as
/// `iterations` says, or until `should_continue` says no.
pub fn refine(
    tables: &Tables,
    methods: &[SpecifiedMethod],
    tests: &[ObservedTest],
    mut base: BTreeSet<CallId>,
    iterations: u32,
    should_continue: &dyn Fn() -> bool,
) -> Refined {
    let specification = axiomatic::infer(tables, methods, &base);
    let mut refined = Refined { rounds: Vec::new(), specification, is_fixed_point: false };
    for _ in 0..iterations {
        if refined.is_fixed_point || !should_continue() {
            break;
        }
        let specification = &refined.specification;
        let round = select(tests, tables, specification, &breaches(tables, methods, specification));
        let selected = || round.with_guards.iter().chain(&round.without_guards);
        // What was not shown is not learnt: a call behind the selected one may be wrong too.
        let shown = |selected: &SelectedCall| {
            let is_shown = |(_, statement): &&(CallId, u32)| *statement <= selected.statement;
            tests[selected.test].iter().take_while(is_shown).map(|(call, _)| *call).collect::<Vec<_>>()
        };
        let known = base.len();
        base.extend(selected().flat_map(shown));
        refined.is_fixed_point = base.len() == known;
        let next = match refined.is_fixed_point {
            true => refined.specification.clone(),
            false => axiomatic::infer(tables, methods, &base),
        };
        refined.rounds.push((std::mem::replace(&mut refined.specification, next), round));
    }
    leave_out_needless(&mut refined.specification, tables, methods);
    refined
}

/// Leaves out the preconditions that a call breaks which returns and keeps all else: they say no more than which inputs were
/// learnt from.
fn leave_out_needless(specification: &mut Specification, tables: &Tables, methods: &[SpecifiedMethod]) {
    let breaches = breaches(tables, methods, specification);
    let returns = |call: &CallId| matches!(tables.observations.call(*call).ending, Ending::Returned(_));
    let is_needless = |clause: &Clause| {
        let Some((table, calls)) = clause.method.and_then(|method| tables.methods.get(&method)) else { return false };
        let mut kept = calls.iter().enumerate().filter(|(_, call)| returns(call) && !breaches.contains_key(call));
        kept.any(|(row, _)| table.holds(&clause.axiom, row) == Some(false))
    };
    specification.clauses.retain(|clause| clause.place != Place::Precondition || !is_needless(clause));
}

/// How a call violates a specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach {
    /// The violated clauses; empty if the violation is an exception that the specification does not have.
    pub clauses: Vec<usize>,
    /// Whether the state at entry satisfies the invariants and preconditions.
    pub is_guarded: bool,
}

/// The calls that violate the specification. Calls of methods that it does not describe never do.
pub fn breaches(
    tables: &Tables,
    methods: &[SpecifiedMethod],
    specification: &Specification,
) -> FxHashMap<CallId, Breach> {
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
            // Subclasses have invariants of their own.
            let is_own = receiver_class(observations, call).is_none_or(|class| *class == of.class);
            let invariants = if is_own { &invariants[..] } else { &[] };
            let returns = matches!(observations.call(call).ending, Ending::Returned(_));
            let beyond: Vec<usize> = (invariants.iter().zip(&at_entry))
                .filter(|(_, axiom)| table.holds(axiom, row) == Some(false))
                .map(|((index, _), _)| *index)
                .collect();
            if returns && !beyond.is_empty() {
                breaches.insert(call, Breach { clauses: beyond, is_guarded: false });
                continue;
            }
            let is_met = beyond.is_empty()
                && own.iter().all(|(_, clause)| clause.place != Place::Precondition || !breaks(clause));
            let of = |place: Place| own.iter().filter(move |(_, clause)| clause.place == place);
            let mut broken: Vec<&(usize, &Clause)> = of(Place::Exceptional).collect();
            if returns {
                broken = of(Place::Postcondition).chain(broken).chain(invariants).collect();
            }
            broken.retain(|(_, clause)| breaks(clause));
            let is_unknown_exception = match observations.call(call).ending {
                Ending::Threw(class) => {
                    !specification.thrown.contains(&(method, observations.exception(class).clone()))
                }
                Ending::Returned(_) => false,
            };
            if !broken.is_empty() || is_unknown_exception {
                let clauses = broken.iter().map(|(index, _)| *index).collect();
                breaches.insert(call, Breach { clauses, is_guarded: is_met });
            }
        }
    }
    breaches
}

/// The run-time class of what a method was called on, or a constructor made.
fn receiver_class(observations: &Observations, call: CallId) -> Option<&ClassName> {
    let call = observations.call(call);
    let receiver = match (&call.ending, call.has_receiver) {
        (_, true) => call.before.first().copied(),
        (Ending::Returned(made), false) => *made,
        (Ending::Threw(_), false) => None,
    };
    observations.state_of(receiver?).map(|(_, state)| &state.class)
}

/// A test that was selected, and the call for which it was.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedCall {
    /// Its index among the tests.
    pub test: usize,
    /// The call that breaks something.
    pub call: CallId,
    /// The statement of that call.
    pub statement: u32,
    /// What it breaks.
    pub breach: Breach,
}

/// What one round of the loop selected.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Those that count with guards, too.
    pub with_guards: Vec<SelectedCall>,
    /// Those that only count without guards.
    pub without_guards: Vec<SelectedCall>,
}

/// The first tests that show each of what is broken, a clause or that a method does not throw an exception, with guards and
/// else without. The breach of a selected test has what no test before it shows.
pub fn select(
    tests: &[ObservedTest],
    tables: &Tables,
    specification: &Specification,
    breaches: &FxHashMap<CallId, Breach>,
) -> Round {
    let all = |call: CallId, breach: &Breach| What::all(tables.observations.call(call), specification, breach);
    let mut round = Round::default();
    let mut shown: BTreeSet<(bool, What)> = BTreeSet::new();
    for (index, test) in tests.iter().enumerate() {
        let mut is_guarded = true;
        for &(call, statement) in test {
            let Some(breach) = breaches.get(&call) else { continue };
            is_guarded &= breach.is_guarded;
            let mut new = all(call, &Breach { clauses: breach.clauses.clone(), is_guarded });
            new.retain(|what| !shown.contains(&(true, *what)) && (is_guarded || !shown.contains(&(false, *what))));
            if new.is_empty() {
                continue;
            }
            let clauses: Vec<usize> = new.iter().filter_map(|what| what.clause).collect();
            shown.extend(new.iter().map(|what| (is_guarded, *what)));
            shown.extend(new.iter().map(|what| (is_guarded, what.of_any_method(specification))));
            let selected = SelectedCall { test: index, call, statement, breach: Breach { clauses, is_guarded } };
            if is_guarded { &mut round.with_guards } else { &mut round.without_guards }.push(selected);
        }
    }
    round.without_guards.retain_mut(|selected| {
        let mut only = all(selected.call, &selected.breach);
        only.retain(|what| !shown.contains(&(true, *what)));
        selected.breach.clauses = only.iter().filter_map(|what| what.clause).collect();
        !only.is_empty()
    });
    round
}

/// Something that a test shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct What {
    /// The broken clause; `None` for the exception.
    clause: Option<usize>,
    /// `None` where it does not matter.
    method: Option<u32>,
    exception: u32,
}

impl What {
    fn all(call: &ObservedCall, specification: &Specification, breach: &Breach) -> Vec<What> {
        let method = Some(call.method);
        match call.ending {
            Ending::Threw(exception) if breach.clauses.is_empty() => vec![What { clause: None, method, exception }],
            _ => {
                let of = |clause: &usize| What { clause: Some(*clause), method, exception: 0 };
                let any = |what: What| if breach.is_guarded { what } else { what.of_any_method(specification) };
                breach.clauses.iter().map(of).map(any).collect()
            }
        }
    }

    /// An invariant that calls beyond the preconditions break is shown once, whichever methods break it.
    fn of_any_method(self, specification: &Specification) -> What {
        let is_invariant = self.clause.is_some_and(|clause| specification.clauses[clause].method.is_none());
        What { method: self.method.filter(|_| !is_invariant), ..self }
    }
}

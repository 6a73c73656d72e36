//! Preconditions, postconditions and invariants from the calls of a suite (Xie and Notkin, docs/bibliography.md:
//! "Axiomatic specification inference").
//!
//! What is implied is left out: an invariant is not said again of each method, what holds of a variable not of those that
//! are always equal to it, and of what cannot change nothing is said at exit.

use super::axiom::{Axiom, AxiomTerm, Moment, Relation, Variable};
use super::observations::{CallId, Ending, Observations, ValueId};
use super::table::{Column, Table};
use super::{Clause, Place, SpecifiedMethod, splits, templates};
use model::execution::trace::TracedMethod;
use model::jvm::ClassName;
use std::collections::{BTreeMap, BTreeSet};

/// More numeric variables are not tried three at a time.
const TRIPLED: usize = 9;

/// What calls keep.
#[derive(Clone, Debug, Default)]
pub struct Specification {
    /// Of all classes and methods.
    pub clauses: Vec<Clause>,
    /// Exceptions that are known to leave a method.
    pub thrown: BTreeSet<(TracedMethod, ClassName)>,
    /// Methods that something is known of.
    pub called: BTreeSet<TracedMethod>,
}

/// All that was observed as tables: each method's calls, each class's states.
pub struct Tables<'a> {
    /// What was observed.
    pub observations: &'a Observations,
    /// The calls of each method, as a table and by their numbers.
    pub methods: BTreeMap<TracedMethod, (Table<'a>, &'a [CallId])>,
    classes: BTreeMap<ClassName, (Table<'a>, Vec<ValueId>)>,
}

impl<'a> Tables<'a> {
    /// `methods` are by their numbers.
    pub fn new(observations: &'a Observations, methods: &[SpecifiedMethod]) -> Tables<'a> {
        let known = observations.by_method().iter().filter(|(method, _)| (**method as usize) < methods.len());
        let of_method = |(&method, calls): (&TracedMethod, &'a Vec<CallId>)| {
            (method, (Table::of_calls(observations, &methods[method as usize], calls), &calls[..]))
        };
        let all = observations.by_method().values().flatten().copied();
        let of_class = |(class, states): (ClassName, BTreeSet<ValueId>)| {
            let states: Vec<ValueId> = states.into_iter().collect();
            (class, (Table::of_states(observations, states.iter().copied()), states))
        };
        Tables {
            observations,
            methods: known.map(of_method).collect(),
            classes: states(observations, methods, all).into_iter().map(of_class).collect(),
        }
    }
}

/// Infers from these calls; `methods` are by their numbers.
pub fn infer(tables: &Tables, methods: &[SpecifiedMethod], calls: &BTreeSet<CallId>) -> Specification {
    let mut specification = Specification::default();
    let mut invariants: BTreeMap<ClassName, BTreeSet<Axiom>> = BTreeMap::new();
    for (class, states) in states(tables.observations, methods, calls.iter().copied()) {
        let Some((table, all_states)) = tables.classes.get(&class) else { continue };
        let rows: Vec<usize> = (0..table.rows).filter(|&row| states.contains(&all_states[row])).collect();
        let found = all(table, &|_| true, &rows);
        let clause = |axiom: &Axiom| Clause {
            method: None,
            class: class.clone(),
            place: Place::Invariant,
            axiom: axiom.clone(),
            samples: rows.len(),
        };
        specification.clauses.extend(found.iter().map(clause));
        invariants.insert(class, found.into_iter().collect());
    }
    for (&method, (table, ids)) in &tables.methods {
        let rows: Vec<usize> = (0..table.rows).filter(|&row| calls.contains(&ids[row])).collect();
        if rows.is_empty() {
            continue;
        }
        let of = &methods[method as usize];
        specification.called.insert(method);
        let thrown = rows.iter().filter_map(|&row| table.thrown[row]).map(|class| (method, class.clone()));
        specification.thrown.extend(thrown);
        let invariants = invariants.get(&of.class);
        let is_implied = |axiom: &Axiom| invariants.is_some_and(|known| known.contains(&moved(axiom, Moment::Exit)));
        let followers: BTreeSet<&str> = invariants.into_iter().flatten().filter_map(follower).collect();
        for (place, axioms, samples) in of_method(table, &rows, &followers) {
            let clause = |axiom| Clause { method: Some(method), class: of.class.clone(), place, axiom, samples };
            specification.clauses.extend(axioms.into_iter().filter(|axiom| !is_implied(axiom)).map(clause));
        }
    }
    specification
}

/// The states of receivers between calls, by their classes: where they are made, and before and after calls of them that
/// return.
fn states(
    observations: &Observations,
    methods: &[SpecifiedMethod],
    calls: impl Iterator<Item = CallId>,
) -> BTreeMap<ClassName, BTreeSet<ValueId>> {
    let mut states: BTreeMap<ClassName, BTreeSet<ValueId>> = BTreeMap::new();
    let mut note = |value: ValueId| {
        if let Some((_, state)) = observations.state_of(value) {
            states.entry(state.class.clone()).or_default().insert(value);
        }
    };
    for call in calls.map(|id| observations.call(id)) {
        if let (Ending::Returned(value), Some(method)) = (&call.ending, methods.get(call.method as usize)) {
            if method.is_constructor() {
                value.iter().copied().for_each(&mut note);
            }
            if call.has_receiver {
                note(call.before[0]);
                note(call.after[0]);
            }
        }
    }
    states
}

/// The axioms of a method's calls, without the variables that follow from others by an invariant.
fn of_method(table: &Table, rows: &[usize], followers: &BTreeSet<&str>) -> Vec<(Place, Vec<Axiom>, usize)> {
    let leads = |column: &Column| !followers.contains(&*column.variable.path);
    let returned: Vec<usize> = rows.iter().copied().filter(|&row| table.thrown[row].is_none()).collect();
    let preconditions = all(table, &|column| leads(column) && column.variable.moment == Moment::Entry, &returned);
    let mut post = all(table, &leads, &returned);
    // Where the object is as it was, so is all that can be said of it.
    let this = |moment| Variable { moment, path: "this".into() };
    let unchanged = Axiom::equal(this(Moment::Exit), this(Moment::Entry));
    if post.contains(&unchanged) {
        let is_of_this_at_exit = |variable: &&Variable| variable.moment == Moment::Exit && variable.is_of_this();
        post.retain(|axiom| !axiom.variables().iter().any(is_of_this_at_exit));
    }
    post.extend(splits::normal(table, &returned, &leads));
    post.retain(Axiom::is_of_exit);
    let exceptional = if returned.len() < rows.len() { splits::exceptional(table, rows, &leads) } else { Vec::new() };
    vec![
        (Place::Precondition, preconditions, returned.len()),
        (Place::Postcondition, post, returned.len()),
        (Place::Exceptional, exceptional, rows.len()),
    ]
}

/// All axioms of one, two and three of the columns that hold in all rows.
pub(super) fn all(table: &Table, wanted: &dyn Fn(&Column) -> bool, rows: &[usize]) -> Vec<Axiom> {
    let templates::Leaders { columns, equalities } = templates::leaders(table, rows);
    let is_wanted = |axiom: &Axiom| {
        axiom
            .variables()
            .iter()
            .all(|variable| table.columns.iter().find(|column| column.variable == **variable).is_some_and(wanted))
    };
    let mut axioms: Vec<Axiom> = equalities.into_iter().filter(is_wanted).collect();
    let columns: Vec<&Column> =
        columns.into_iter().map(|at| &table.columns[at]).filter(|column| wanted(column)).collect();
    let mut varying: Vec<&Column> = Vec::new();
    for column in &columns {
        axioms.extend(templates::unary(table, column, rows));
        let first = rows.first().map(|&row| column.cells[row]);
        if rows.iter().any(|&row| Some(column.cells[row]) != first) {
            varying.push(column);
        }
    }
    // Variables that a line leads to from others need no third one.
    let mut determined: BTreeSet<&Variable> = BTreeSet::new();
    for (index, left) in varying.iter().enumerate() {
        for right in &varying[index + 1..] {
            let found = templates::binary(table, left, right, rows);
            if found.iter().any(|axiom| matches!(axiom, Axiom::Linear(..))) {
                determined.insert(&right.variable);
            }
            axioms.extend(found);
        }
    }
    let is_number = |column: &&&Column| {
        rows.iter().all(|&row| matches!(column.cells[row], super::table::Cell::Number(_)))
            && !determined.contains(&column.variable)
    };
    let numeric: Vec<&&Column> = varying.iter().filter(is_number).take(TRIPLED).collect();
    for (first, x) in numeric.iter().enumerate() {
        for (second, y) in numeric.iter().enumerate().skip(first + 1) {
            for z in &numeric[second + 1..] {
                axioms.extend(templates::ternary([x, y, z], rows));
            }
        }
    }
    axioms
}

/// The variable that an invariant says is the same as another.
fn follower(invariant: &Axiom) -> Option<&str> {
    match invariant {
        Axiom::Compare(AxiomTerm::Variable(follower), Relation::Equal, AxiomTerm::Variable(_)) => Some(&follower.path),
        _ => None,
    }
}

/// The axiom with all its variables at that moment.
pub fn moved(axiom: &Axiom, moment: Moment) -> Axiom {
    axiom.map(&|variable| Variable { moment, path: variable.path.clone() })
}

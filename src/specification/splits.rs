//! What decides how a call ends: conditions at entry under which it throws, returns this or that, or changes nothing.
//!
//! Rows are split by what a call did, and by conditions on its inputs; two splits that are the same are an axiom, such as
//! `($result == -1) == (orig(this.size) == 0)`, and one inside the other is an implication.

use super::axiom::{Axiom, AxiomTerm, Moment, Relation, Variable};
use super::axiomatic;
use super::table::{Cell, Column, Table};
use super::templates::at_entry;
use model::execution::trace::Datum;
use std::collections::{BTreeMap, BTreeSet};

/// Greatest probability that one split lies within another by chance, over all pairs that are compared.
const CHANCE: f64 = 0.01;

/// Greatest probability that two splits are the same by chance. It is larger, because often only one state of many throws
/// or returns something special.
const CHANCE_OF_SAME: f64 = 0.05;

/// Numeric variables at entry that are compared with one another.
const COMPARED: usize = 8;

/// Rows of one side of a split in which further axioms are looked for.
const FEWEST: usize = 6;

/// A condition, and the rows that it holds in.
struct Split {
    axiom: Axiom,
    rows: Vec<bool>,
}

impl Split {
    fn new(table: &Table, axiom: Axiom, rows: &[usize]) -> Option<Split> {
        let rows: Vec<bool> = rows.iter().map(|&row| table.holds(&axiom, row) == Some(true)).collect();
        (rows.contains(&true) && rows.contains(&false)).then_some(Split { axiom, rows })
    }

    fn count(&self) -> usize {
        self.rows.iter().filter(|holds| **holds).count()
    }

    /// The other side, where its condition can be written.
    fn negated(&self) -> Option<Split> {
        Some(Split { axiom: negation(&self.axiom)?, rows: self.rows.iter().map(|holds| !holds).collect() })
    }

    fn is_inside(&self, other: &Split) -> bool {
        self.rows.iter().zip(&other.rows).all(|(own, others)| !own || *others)
    }
}

fn negation(axiom: &Axiom) -> Option<Axiom> {
    let Axiom::Compare(left, relation, right) = axiom else { return None };
    let opposite = match relation {
        Relation::Equal => Relation::NotEqual,
        Relation::NotEqual => Relation::Equal,
        Relation::Less => Relation::AtLeast,
        Relation::AtMost => Relation::Greater,
        Relation::Greater => Relation::AtMost,
        Relation::AtLeast => Relation::Less,
    };
    Some(Axiom::Compare(left.clone(), opposite, right.clone()))
}

/// When the method throws.
pub fn exceptional(table: &Table, rows: &[usize], wanted: &dyn Fn(&Column) -> bool) -> Vec<Axiom> {
    let thrown: BTreeSet<_> = rows.iter().filter_map(|&row| table.thrown[row]).collect();
    let ends: Vec<Split> =
        thrown.into_iter().filter_map(|class| Split::new(table, Axiom::Throws(class.clone()), rows)).collect();
    let conditions = conditions(table, rows, wanted);
    ends.iter().flat_map(|end| explanations(end, &conditions)).collect()
}

/// What decides the result and whether anything changes, of calls that return.
pub fn normal(table: &Table, rows: &[usize], wanted: &dyn Fn(&Column) -> bool) -> Vec<Axiom> {
    let conditions = conditions(table, rows, wanted);
    let ends = ends(table, rows, wanted);
    let mut axioms: Vec<Axiom> = ends.iter().flat_map(|end| explanations(end, &conditions)).collect();
    // The conditions of interest are those that explain something, and what the class itself asks.
    let explaining: Vec<&Split> = conditions
        .iter()
        .filter(|split| {
            let asks = |axiom: &Axiom| matches!(axiom, Axiom::Compare(_, _, AxiomTerm::Constant(Datum::Boolean(_))));
            asks(&split.axiom) || axioms.iter().any(|axiom| mentions(axiom, &split.axiom))
        })
        .collect();
    let mut known: BTreeSet<Vec<bool>> = BTreeSet::new();
    for split in explaining {
        for side in [split.negated(), Split::new(table, split.axiom.clone(), rows)].into_iter().flatten() {
            if side.count() < FEWEST || !known.insert(side.rows.clone()) {
                continue;
            }
            let inside: Vec<usize> =
                rows.iter().zip(&side.rows).filter(|(_, holds)| **holds).map(|(row, _)| *row).collect();
            for axiom in axiomatic::all(table, wanted, &inside) {
                let is_change = matches!(&axiom, Axiom::Linear(..))
                    || matches!(
                        &axiom,
                        Axiom::Compare(AxiomTerm::Variable(_), Relation::Equal, AxiomTerm::Variable(_))
                    );
                let fails_outside = rows.iter().any(|&row| table.holds(&axiom, row) == Some(false));
                if is_change && axiom.is_of_exit() && fails_outside {
                    axioms.push(Axiom::Implies(Box::new(side.axiom.clone()), Box::new(axiom)));
                }
            }
        }
    }
    axioms
}

fn mentions(axiom: &Axiom, condition: &Axiom) -> bool {
    match axiom {
        Axiom::Same(left, right) | Axiom::Implies(left, right) => **left == *condition || **right == *condition,
        _ => false,
    }
}

/// The condition that is the same split as the end, or else the widest inside it and the narrowest around it.
fn explanations(end: &Split, conditions: &[Split]) -> Vec<Axiom> {
    let pairs = conditions.len().max(1) as f64;
    let both = || {
        conditions.iter().flat_map(|split| {
            [Split { axiom: split.axiom.clone(), rows: split.rows.clone() }].into_iter().chain(split.negated())
        })
    };
    if chance_of_same(end) < CHANCE_OF_SAME
        && let Some(same) = both().find(|split| split.rows == end.rows)
    {
        return vec![Axiom::Same(Box::new(end.axiom.clone()), Box::new(same.axiom))];
    }
    let total = end.rows.len() as f64;
    let is_telling =
        |inner: &Split, outer: &Split| (outer.count() as f64 / total).powi(inner.count() as i32) * pairs < CHANCE;
    let mut axioms = Vec::new();
    let inside = both().filter(|split| split.is_inside(end) && is_telling(split, end));
    if let Some(widest) = inside.fold(None::<Split>, |best, split| match best {
        Some(best) if best.count() >= split.count() => Some(best),
        _ => Some(split),
    }) {
        axioms.push(Axiom::Implies(Box::new(widest.axiom), Box::new(end.axiom.clone())));
    }
    let around = both().filter(|split| end.is_inside(split) && is_telling(end, split));
    if let Some(narrowest) = around.fold(None::<Split>, |best, split| match best {
        Some(best) if best.count() <= split.count() => Some(best),
        _ => Some(split),
    }) {
        axioms.push(Axiom::Implies(Box::new(end.axiom.clone()), Box::new(narrowest.axiom)));
    }
    axioms
}

/// One by the number of ways to choose as many rows as the end has.
fn chance_of_same(end: &Split) -> f64 {
    let (rows, chosen) = (end.rows.len(), end.count().min(end.rows.len() - end.count()));
    (0..chosen).map(|index| (index + 1) as f64 / (rows - index) as f64).product()
}

/// Conditions on the inputs, simple ones first.
fn conditions(table: &Table, rows: &[usize], wanted: &dyn Fn(&Column) -> bool) -> Vec<Split> {
    let entry = || table.columns.iter().filter(|column| wanted(column) && column.variable.moment == Moment::Entry);
    let mut axioms = Vec::new();
    for column in entry() {
        axioms.extend(of_variable(table, &column.variable, &column.cells, rows, &[0, -1, 1]));
    }
    let is_number = |cells: &[Cell]| rows.iter().all(|&row| matches!(cells[row], Cell::Number(_)));
    let numbers: Vec<&Variable> =
        entry().filter(|column| is_number(&column.cells)).map(|column| &column.variable).take(COMPARED).collect();
    for column in &numbers {
        axioms.push(Axiom::compare((*column).clone(), Relation::Less, Datum::Integer(0)));
    }
    for (index, left) in numbers.iter().enumerate() {
        for right in &numbers[index + 1..] {
            for relation in [Relation::Equal, Relation::Less, Relation::Greater] {
                let side = |variable: &Variable| AxiomTerm::Variable(variable.clone());
                axioms.push(Axiom::Compare(side(left), relation, side(right)));
            }
        }
    }
    let is_list = |cells: &[Cell]| {
        rows.iter().any(|&row| matches!(table.datum(cells[row]), Some(Datum::Elements { all: Some(_), .. })))
    };
    for list in entry().filter(|column| is_list(&column.cells)) {
        let elements = entry().filter(|column| !column.variable.is_of_this() && column.variable != list.variable);
        axioms.extend(elements.map(|column| Axiom::Member(column.variable.clone(), list.variable.clone())));
    }
    axioms.into_iter().filter_map(|axiom| Split::new(table, axiom, rows)).collect()
}

/// How calls that return may differ in their ends.
fn ends(table: &Table, rows: &[usize], wanted: &dyn Fn(&Column) -> bool) -> Vec<Split> {
    let mut axioms = Vec::new();
    for column in table.columns.iter().filter(|column| wanted(column) && column.variable.moment == Moment::Exit) {
        let is_number = || rows.iter().all(|&row| matches!(column.cells[row], Cell::Number(_)));
        if column.variable.path.as_ref() == Variable::RESULT {
            axioms.extend(of_variable(table, &column.variable, &column.cells, rows, &[0, -1, 1]));
        } else if let Some(before) = at_entry(&column.variable)
            && (is_number() || column.variable.path.as_ref() == "this")
        {
            axioms.push(Axiom::equal(column.variable.clone(), before));
        }
    }
    axioms.into_iter().filter_map(|axiom| Split::new(table, axiom, rows)).collect()
}

/// What may be asked of one variable: whether it is true, null, one of these numbers, or what it is most often.
fn of_variable(table: &Table, variable: &Variable, cells: &[Cell], rows: &[usize], numbers: &[i64]) -> Vec<Axiom> {
    let mut counts: BTreeMap<Cell, usize> = BTreeMap::new();
    for &row in rows {
        *counts.entry(cells[row]).or_default() += 1;
    }
    let equal = |datum| Axiom::compare(variable.clone(), Relation::Equal, datum);
    let has = |wanted: &Datum| counts.keys().any(|cell| table.datum(*cell).as_ref() == Some(wanted));
    let mut axioms = Vec::new();
    if has(&Datum::Boolean(true)) {
        axioms.push(equal(Datum::Boolean(true)));
    }
    if has(&Datum::Null) {
        axioms.push(equal(Datum::Null));
    }
    axioms.extend(numbers.iter().map(|number| Datum::Integer(*number)).filter(has).map(equal));
    axioms
}

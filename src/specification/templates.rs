//! The forms that an axiom over one, two or three variables may have, each tried on rows.
//!
//! These are Daikon's core templates. An axiom that random values would keep with more than [`CHANCE`] is not believed: each
//! template says how likely that is, of as many distinct rows as there are.

use super::axiom::{Axiom, AxiomTerm, Moment, Relation, Variable};
use super::table::{Cell, Column, Table};
use model::execution::trace::Datum;
use std::collections::{BTreeMap, BTreeSet};

/// What chance may keep an axiom with.
const CHANCE: f64 = 0.01;

/// Rows that an axiom takes at least.
const FEWEST: usize = 4;

/// More values are no list.
const LISTED: usize = 3;

/// Each of a list of values was seen so often.
const OF_EACH: usize = 4;

/// Numbers beyond this have no meaning as bounds of a range that chance draws from.
const WIDEST: f64 = 1e9;

/// The columns that axioms may speak of, one of each set of columns that are always equal, and these equalities.
pub struct Leaders {
    pub columns: Vec<usize>,
    pub equalities: Vec<Axiom>,
}

/// Finds columns that are equal in all rows; what is known before, or shorter, stands for the others.
pub fn leaders(table: &Table, rows: &[usize]) -> Leaders {
    let mut leaders = Leaders { columns: Vec::new(), equalities: Vec::new() };
    let mut seen: BTreeMap<Vec<Cell>, usize> = BTreeMap::new();
    for (at, column) in table.columns.iter().enumerate() {
        let cells: Vec<Cell> = rows.iter().map(|&row| column.cells[row]).collect();
        if cells.iter().all(|cell| *cell == Cell::Absent) {
            continue;
        }
        let distinct: BTreeSet<Cell> = cells.iter().copied().collect();
        if distinct.len() == 1 || distinct.contains(&Cell::Absent) || !is_believed(distinct.len(), rows.len()) {
            leaders.columns.push(at);
            continue;
        }
        match seen.get(&cells) {
            Some(&leader) => {
                let (left, right) = (column.variable.clone(), table.columns[leader].variable.clone());
                leaders.equalities.push(Axiom::equal(left, right));
            }
            None => {
                seen.insert(cells, at);
                leaders.columns.push(at);
            }
        }
    }
    leaders
}

/// Whether so many values in so many rows, each found again, are no accident.
fn is_believed(distinct: usize, rows: usize) -> bool {
    rows >= FEWEST && 1.0 / (distinct as f64).powi(rows as i32 - 1) < CHANCE
}

/// What holds of one variable in all rows.
pub fn unary(table: &Table, column: &Column, rows: &[usize]) -> Vec<Axiom> {
    let cells: Vec<Cell> = rows.iter().map(|&row| column.cells[row]).filter(|cell| *cell != Cell::Absent).collect();
    if cells.len() < FEWEST {
        return Vec::new();
    }
    let variable = || column.variable.clone();
    let numbers: Vec<i64> =
        cells.iter().filter_map(|cell| if let Cell::Number(number) = cell { Some(*number) } else { None }).collect();
    let mut counts: BTreeMap<Cell, usize> = BTreeMap::new();
    for cell in &cells {
        *counts.entry(*cell).or_default() += 1;
    }
    if let (1, Some(datum)) = (counts.len(), table.datum(cells[0])) {
        // What has two values shows one of them by chance half of the time.
        let is_shown = !matches!(datum, Datum::Boolean(_)) || 0.5f64.powi(cells.len() as i32) < CHANCE;
        if let (Datum::Elements { .. } | Datum::Object(_), _) | (_, false) = (&datum, is_shown) {
            return Vec::new();
        }
        return vec![Axiom::compare(variable(), Relation::Equal, datum)];
    }
    if numbers.len() == cells.len() {
        return of_numbers(&column.variable, &numbers);
    }
    let data: Vec<Option<Datum>> = counts.keys().map(|cell| table.datum(*cell)).collect();
    if data.contains(&Some(Datum::Null)) {
        return Vec::new();
    }
    let is_boolean = data.iter().all(|datum| matches!(datum, Some(Datum::Boolean(_))));
    let is_real = data.iter().all(|datum| matches!(datum, Some(Datum::Real(_))));
    if is_boolean {
        return Vec::new();
    }
    let listed: Option<Vec<Datum>> = data.iter().cloned().collect();
    let is_list = counts.len() <= LISTED && counts.values().all(|&count| count >= OF_EACH);
    let is_simple = |datum: &Datum| matches!(datum, Datum::Text(_) | Datum::Constant(_) | Datum::Real(_));
    match listed {
        Some(listed) if is_list && listed.iter().all(is_simple) => vec![Axiom::OneOf(variable(), listed)],
        _ if is_real => of_reals(&column.variable, &data),
        _ if column.variable.path.as_ref() == "this" => Vec::new(),
        _ => {
            let mut axioms = vec![Axiom::compare(variable(), Relation::NotEqual, Datum::Null)];
            axioms.extend(of_elements(table, &column.variable, &counts));
            axioms
        }
    }
}

fn of_numbers(variable: &Variable, numbers: &[i64]) -> Vec<Axiom> {
    let counts = numbers.iter().fold(BTreeMap::<i64, usize>::new(), |mut counts, number| {
        *counts.entry(*number).or_default() += 1;
        counts
    });
    let (&least, &most) = (counts.keys().next().expect("there are numbers"), counts.keys().last().expect("likewise"));
    let width = most as f64 - least as f64 + 1.0;
    let is_list = counts.len() <= LISTED && counts.values().all(|&count| count >= OF_EACH);
    if is_list && width > counts.len() as f64 {
        let listed = counts.keys().map(|number| Datum::Integer(*number)).collect();
        return vec![Axiom::OneOf(variable.clone(), listed)];
    }
    let mut axioms = Vec::new();
    // As in Daikon: a bound is one if values gather at it, or if those beside it are as frequent as all others.
    let average = numbers.len() as f64 / width.min(counts.len() as f64 * 2.0);
    let is_bound = |bound: i64, inwards: i64| {
        let count = |step: i64| bound.checked_add(step * inwards).and_then(|at| counts.get(&at)).copied().unwrap_or(0);
        let gathers = count(0) >= FEWEST && count(0) as f64 >= 2.0 * average;
        let is_cut = count(0) >= 3 && (0..3.min(counts.len() as i64)).all(|step| count(step) as f64 >= 0.5 * average);
        bound.unsigned_abs() < WIDEST as u64 && (gathers || is_cut)
    };
    let compare = |relation, bound| Axiom::compare(variable.clone(), relation, Datum::Integer(bound));
    if is_bound(least, 1) {
        axioms.push(compare(Relation::AtLeast, least));
    }
    if is_bound(most, -1) {
        axioms.push(compare(Relation::AtMost, most));
    }
    let chance_of_no_zero = (1.0 - 1.0 / width.min(WIDEST)).powi(numbers.len() as i32);
    if least < 0 && most > 0 && !counts.contains_key(&0) && chance_of_no_zero < CHANCE {
        axioms.push(compare(Relation::NotEqual, 0));
    }
    let distance = counts.keys().fold(0, |distance, number| gcd(distance, i128::from(*number) - i128::from(least)));
    if let Ok(modulus @ 2..=1000) = i64::try_from(distance)
        && counts.len() >= FEWEST
        && (1.0 / modulus as f64).powi(counts.len() as i32 - 1) < CHANCE
    {
        axioms.push(Axiom::Modulus(variable.clone(), modulus, least.rem_euclid(modulus)));
    }
    axioms
}

fn gcd(mut left: i128, mut right: i128) -> i128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left.abs()
}

/// Zero is the one bound of reals that is no accident.
fn of_reals(variable: &Variable, data: &[Option<Datum>]) -> Vec<Axiom> {
    let real = |datum: &Option<Datum>| match datum {
        Some(Datum::Real(bits)) => f64::from_bits(*bits),
        _ => f64::NAN,
    };
    let bound = |relation| Axiom::compare(variable.clone(), relation, Datum::Real(0f64.to_bits()));
    if data.len() < 7 {
        Vec::new()
    } else if data.iter().all(|datum| real(datum) >= 0.0 && real(datum).is_sign_positive()) {
        vec![bound(Relation::AtLeast)]
    } else {
        Vec::new()
    }
}

fn of_elements(table: &Table, variable: &Variable, counts: &BTreeMap<Cell, usize>) -> Vec<Axiom> {
    let lists: Vec<Vec<i64>> = counts.keys().filter_map(|cell| table.numbers(*cell)).collect();
    if lists.len() < counts.len() {
        return Vec::new();
    }
    let mut axioms = Vec::new();
    let pairs = || lists.iter().flat_map(|list| list.windows(2));
    let is_sorted = |relation: Relation| pairs().all(|pair| relation.holds(pair[0].cmp(&pair[1])));
    let telling = pairs().filter(|pair| pair[0] != pair[1]).count();
    if telling >= 7 {
        let orders = [Relation::Less, Relation::Greater, Relation::AtMost, Relation::AtLeast];
        axioms.extend(
            orders.into_iter().find(|order| is_sorted(*order)).map(|order| Axiom::Sorted(variable.clone(), order)),
        );
    }
    let all: Vec<i64> = lists.iter().flatten().copied().collect();
    if all.len() >= 2 * FEWEST {
        for bound in of_numbers(variable, &all) {
            if let Axiom::Compare(AxiomTerm::Variable(of), relation, AxiomTerm::Constant(bound)) = bound {
                axioms.push(Axiom::Each(of, relation, bound));
            }
        }
    }
    axioms
}

/// What holds between two variables in all rows where both are.
pub fn binary(table: &Table, left: &Column, right: &Column, rows: &[usize]) -> Vec<Axiom> {
    let mut pairs: Vec<(i64, i64)> = Vec::with_capacity(rows.len());
    for &row in rows {
        match (left.cells[row], right.cells[row]) {
            (Cell::Number(left), Cell::Number(right)) => pairs.push((left, right)),
            (Cell::Absent, _) | (_, Cell::Absent) => {}
            _ => {
                return member(table, left, right, rows)
                    .or_else(|| member(table, right, left, rows))
                    .into_iter()
                    .collect();
            }
        }
    }
    let (x, y) = (&left.variable, &right.variable);
    let distinct: BTreeSet<(i64, i64)> = pairs.iter().copied().collect();
    // What a call adds to a variable each time is no accident even where that has few values, as the size of a small queue.
    let steps: BTreeSet<i64> = distinct.iter().map(|(left, right)| left.wrapping_sub(*right)).collect();
    let is_step = x.path == y.path && steps.len() == 1 && is_believed(distinct.len(), pairs.len());
    if pairs.len() < FEWEST || distinct.len() < FEWEST && !is_step {
        return Vec::new();
    }
    let of = |values: &dyn Fn(&(i64, i64)) -> i64| {
        let values: BTreeSet<i64> = distinct.iter().map(values).collect();
        (*values.first().expect("there are rows"), *values.last().expect("likewise"), values.len())
    };
    let ((least_x, most_x, many_x), (least_y, most_y, many_y)) = (of(&|pair| pair.0), of(&|pair| pair.1));
    if many_x < 2 || many_y < 2 {
        return Vec::new();
    }
    if let Some(linear) = line(x, y, &distinct) {
        return vec![linear];
    }
    // Ranges that do not meet say as much.
    if most_x <= least_y || most_y <= least_x {
        return Vec::new();
    }
    let orders = [Relation::Less, Relation::Greater, Relation::AtMost, Relation::AtLeast];
    let chance = 0.5f64.powi(distinct.len() as i32);
    let order = orders.into_iter().find(|order| distinct.iter().all(|(left, right)| order.holds(left.cmp(right))));
    let compare = |relation| Axiom::Compare(AxiomTerm::Variable(x.clone()), relation, AxiomTerm::Variable(y.clone()));
    if let Some(order) = order.filter(|_| chance < CHANCE) {
        return vec![compare(order)];
    }
    let common = (most_x.min(most_y) as f64 - least_x.max(least_y) as f64 + 1.0).clamp(1.0, WIDEST);
    let never_equal = distinct.iter().all(|(left, right)| left != right);
    if never_equal && (1.0 - 1.0 / common).powi(distinct.len() as i32) < CHANCE {
        return vec![compare(Relation::NotEqual)];
    }
    Vec::new()
}

/// `a·x + b·y == c` through all points.
fn line(x: &Variable, y: &Variable, points: &BTreeSet<(i64, i64)>) -> Option<Axiom> {
    let mut points = points.iter().map(|(x, y)| (i128::from(*x), i128::from(*y)));
    let first = points.next()?;
    let second = points.next()?;
    // The direction of the line, turned.
    let (a, b) = (second.1 - first.1, first.0 - second.0);
    let divisor = gcd(a, b).max(1);
    let (a, b) = (a / divisor, b / divisor);
    if a == 0 || b == 0 || a.abs() > 100 || b.abs() > 100 {
        return None;
    }
    let constant = a * first.0 + b * first.1;
    points.all(|(x, y)| a * x + b * y == constant).then_some(())?;
    let (a, b) = (i64::try_from(a).ok()?, i64::try_from(b).ok()?);
    Some(Axiom::Linear(vec![(a, x.clone()), (b, y.clone())], i64::try_from(constant).ok()?))
}

/// The element is among the elements whenever there are any.
fn member(table: &Table, element: &Column, elements: &Column, rows: &[usize]) -> Option<Axiom> {
    let axiom = Axiom::Member(element.variable.clone(), elements.variable.clone());
    let mut met = BTreeSet::new();
    let mut lists = BTreeSet::new();
    for &row in rows {
        if !matches!(table.datum(elements.cells[row]), Some(Datum::Elements { all: Some(_), .. }))
            || !table.holds(&axiom, row)?
        {
            return None;
        }
        met.insert(element.cells[row]);
        lists.insert(elements.cells[row]);
    }
    (met.len() >= FEWEST && lists.len() >= 2).then_some(axiom)
}

/// `a·x + b·y + c·z == d` with none of the factors zero and few of them large: found by Cramer's rule, then tried.
pub fn ternary(columns: [&Column; 3], rows: &[usize]) -> Option<Axiom> {
    let number = |cell: Cell| if let Cell::Number(number) = cell { Some(i128::from(number)) } else { None };
    let point = |row: usize| -> Option<[i128; 3]> {
        let mut point = [0; 3];
        for (coordinate, column) in point.iter_mut().zip(columns) {
            *coordinate = number(column.cells[row])?;
        }
        Some(point)
    };
    let points: BTreeSet<[i128; 3]> = rows.iter().map(|&row| point(row)).collect::<Option<_>>()?;
    if points.len() < 2 * FEWEST || points.iter().flatten().any(|coordinate| coordinate.abs() > 1 << 40) {
        return None;
    }
    let points: Vec<[i128; 3]> = points.into_iter().collect();
    let base = points[0];
    let minus = |point: &[i128; 3]| [point[0] - base[0], point[1] - base[1], point[2] - base[2]];
    let cross =
        |u: [i128; 3], v: [i128; 3]| [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let along = minus(&points[1]);
    let normal = points[2..].iter().map(|point| cross(along, minus(point))).find(|normal| *normal != [0; 3])?;
    let divisor = normal.iter().fold(0, |divisor, factor| gcd(divisor, *factor));
    let factors = normal.map(|factor| factor / divisor);
    if factors.iter().any(|factor| *factor == 0 || factor.abs() > 10) {
        return None;
    }
    let sum = |point: &[i128; 3]| -> i128 { point.iter().zip(factors).map(|(at, factor)| at * factor).sum() };
    let constant = sum(&base);
    points.iter().all(|point| sum(point) == constant).then_some(())?;
    let terms = columns.iter().zip(factors).map(|(column, factor)| (factor as i64, column.variable.clone())).collect();
    Some(Axiom::Linear(terms, i64::try_from(constant).ok()?))
}

/// The variable at the other end of the call, if it is one that a call may change.
pub fn at_entry(variable: &Variable) -> Option<Variable> {
    (variable.moment == Moment::Exit && !variable.is_result())
        .then(|| Variable { moment: Moment::Entry, path: variable.path.clone() })
}

#[cfg(test)]
mod tests;

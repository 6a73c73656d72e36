//! Each template on calls that keep it, and on too few of them.

use crate::axiomatic::{self, Tables};
use crate::observations::{CallId, Observations};
use crate::{Clause, SpecifiedMethod};
use model::execution::trace::{Datum, Descriptions, End, Input, MethodExecution, TestTrace};
use model::jvm::ClassName;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The arguments of a call of `f(x, y, z)`, and what it returned.
type Row = (Vec<Datum>, Datum);

fn int(value: i64) -> Datum {
    Datum::Integer(value)
}

fn text(value: String) -> Datum {
    Datum::Text(value.into())
}

fn list(values: &[i64]) -> Datum {
    let all: Vec<Datum> = values.iter().copied().map(int).collect();
    Datum::Elements { size: values.len() as u32, all: Some(all.into()) }
}

/// A number without meaning.
fn scattered(index: i64) -> i64 {
    (index * 7_919 + 13).rem_euclid(1_009)
}

/// What is inferred from these calls.
fn clauses(rows: &[Row]) -> Vec<String> {
    let mut observations = Observations::default();
    let mut executions = Vec::new();
    for (row, (arguments, result)) in (0u64..).zip(rows) {
        let mut descriptions = Descriptions::default();
        let mut value = |index: u64, datum: &Datum| {
            descriptions.values.insert(row * 10 + index, datum.clone());
            Input::Value(row * 10 + index)
        };
        let inputs = (1..).zip(arguments).map(|(index, datum)| value(index, datum)).collect();
        let end = End::Returned(Some(value(0, result)));
        observations.describe(descriptions);
        executions.push(MethodExecution { method: 0, statement: 0, has_receiver: false, inputs, end });
    }
    observations.record(&TestTrace { executions, ..TestTrace::default() });
    let parameters = rows[0].0.len();
    let names = ["x", "y", "z"].into_iter().take(parameters);
    let method = SpecifiedMethod {
        class: ClassName::new("A"),
        name: "f".into(),
        parameters: vec![String::new(); parameters],
        parameter_names: names.map(Arc::from).collect(),
    };
    let methods = [method];
    let calls: BTreeSet<CallId> = (0..observations.call_count() as CallId).collect();
    axiomatic::infer(&Tables::new(&observations, &methods), &methods, &calls).clauses.iter().map(Clause::text).collect()
}

/// All of the calls suggest the axiom, and the first few do not.
#[track_caller]
fn check(rows: &[Row], few: usize, axiom: &str) {
    let (all, first) = (clauses(rows), clauses(&rows[..few]));
    assert!(all.iter().any(|clause| clause == axiom), "{axiom} is not among {all:#?}");
    assert!(!first.iter().any(|clause| clause == axiom), "{axiom} is believed of {few}: {first:#?}");
}

fn rows(count: i64, row: impl Fn(i64) -> (Vec<Datum>, Datum)) -> Vec<Row> {
    (0..count).map(row).collect()
}

#[test]
fn templates_infer_constants_value_sets_and_null() {
    check(&rows(8, |at| (vec![int(5), int(scattered(at))], Datum::Null)), 3, "x == 5");
    check(&rows(8, |at| (vec![int(scattered(at))], Datum::Null)), 3, "$result == null");
    let one_of = rows(12, |at| (vec![int([2, 9, 40][at as usize % 3]), int(scattered(at))], Datum::Null));
    check(&one_of, 6, "x in {2, 9, 40}");
    let texts = rows(12, |at| (vec![text(["a", "b"][at as usize % 2].into()), int(scattered(at))], Datum::Null));
    check(&texts, 6, "x in {\"a\", \"b\"}");
    let some = rows(8, |at| (vec![text(format!("t{at}"))], Datum::Null));
    check(&some, 3, "x != null");
    let mut with_null = some;
    with_null.push((vec![Datum::Null], Datum::Null));
    assert!(!clauses(&with_null).contains(&"x != null".to_string()));
}

#[test]
fn templates_infer_bounds_non_zero_and_remainders() {
    let bounded = rows(60, |at| (vec![int(at % 6 + 3), int(scattered(at))], Datum::Null));
    check(&bounded, 5, "x >= 3");
    check(&bounded, 5, "x <= 8");
    let sign = |at: i64| if at % 2 == 0 { at / 2 % 10 + 1 } else { -(at / 2 % 10) - 1 };
    check(&rows(120, |at| (vec![int(sign(at)), int(scattered(at))], Datum::Null)), 30, "x != 0");
    check(&rows(12, |at| (vec![int(4 * scattered(at) + 1)], Datum::Null)), 3, "x % 4 == 1");
    let positive = |at: i64| Datum::Real((scattered(at) as f64 + 0.5).to_bits());
    check(&rows(9, |at| (vec![positive(at)], Datum::Null)), 6, "x >= 0.0");
}

#[test]
fn smallest_long_is_no_bound_and_does_not_overflow() {
    let extremes = [i64::MIN, -1, 1, i64::MAX];
    let found = clauses(&rows(24, |at| (vec![int(extremes[at as usize % 4]), int(scattered(at))], Datum::Null)));
    assert!(!found.iter().any(|clause| clause.starts_with("x >") || clause.starts_with("x <")), "{found:#?}");
    let apart = rows(24, |at| (vec![int(-1 - scattered(at)), int(i64::MAX - scattered(at))], Datum::Null));
    check(&apart, 3, "y == x + 9223372036854775808");
}

#[test]
fn templates_infer_sums_and_order_of_variables() {
    check(&rows(8, |at| (vec![int(scattered(at))], int(2 * scattered(at) + 3))), 3, "$result == 2 * x + 3");
    check(&rows(8, |at| (vec![int(scattered(at))], int(scattered(at)))), 1, "$result == x");
    let sum =
        |at: i64| (vec![int(scattered(at)), int(scattered(at + 40))], int(scattered(at) + 2 * scattered(at + 40)));
    check(&rows(12, sum), 6, "$result == x + 2 * y");
    let larger = |at: i64| (vec![int(scattered(at))], int(scattered(at) + scattered(at + 40) % 50 + 1));
    check(&rows(12, larger), 3, "x < $result");
    let other = |at: i64| (vec![int(at % 7), int((at / 7 + at + 1) % 7)], Datum::Null);
    let differing: Vec<Row> = rows(200, other).into_iter().filter(|(inputs, _)| inputs[0] != inputs[1]).collect();
    assert!(differing.len() > 30);
    check(&differing, 4, "x != y");
}

#[test]
fn templates_infer_size_order_bounds_and_members_of_lists() {
    let of_size = |at: i64| (0..at % 9).map(|index| scattered(at * 10 + index)).collect::<Vec<_>>();
    check(&rows(12, |at| (vec![list(&of_size(at))], int(at % 9))), 1, "$result == size(x)");
    let sorted = |at: i64| (0..4).map(|index| scattered(at) + index * (at % 3 + 1)).collect::<Vec<_>>();
    check(&rows(8, |at| (vec![list(&sorted(at))], Datum::Null)), 2, "x[i] < x[i + 1]");
    let level = |at: i64| [scattered(at), scattered(at), scattered(at) + 1].to_vec();
    check(&rows(12, |at| (vec![list(&level(at))], Datum::Null)), 4, "x[i] <= x[i + 1]");
    let small = |at: i64| (0..5).map(|index| scattered(at * 5 + index) % 4).collect::<Vec<_>>();
    check(&rows(30, |at| (vec![list(&small(at))], Datum::Null)), 1, "x[i] >= 0");
    check(&rows(8, |at| (vec![list(&sorted(at))], int(sorted(at)[2]))), 2, "$result in x");
}

#[test]
fn postconditions_are_split_by_conditions() {
    let sign = |at: i64| (vec![int(at % 5)], int(if at % 5 == 0 { -1 } else { scattered(at) }));
    check(&rows(40, sign), 3, "($result == -1) == (x == 0)");
    let doubled = |at: i64| {
        let (is_doubled, number) = (at % 2 == 0, scattered(at));
        (vec![Datum::Boolean(is_doubled), int(number)], int(if is_doubled { 2 * number } else { number }))
    };
    let found = clauses(&rows(40, doubled));
    assert!(!found.iter().any(|clause| clause == "$result == y"), "{found:#?}");
}

#[test]
fn random_numbers_suggest_no_relation() {
    let found =
        clauses(&rows(40, |at| (vec![int(scattered(at)), int(scattered(3 * at + 500))], int(scattered(7 * at + 90)))));
    let of_two = |clause: &&String| ["x", "y", "$result"].iter().filter(|name| clause.contains(*name)).count() > 1;
    assert!(found.iter().find(of_two).is_none(), "{found:#?}");
}

//! Each template on calls of a small object that is written down here, and some that nearly always hold.

use super::{Equation, Right, Supported, broken, infer};
use crate::SpecifiedMethod;
use crate::axiomatic::Tables;
use crate::observations::{CallId, Observations};
use model::execution::trace::{Datum, Description, Descriptions, End, Input, MethodExecution, State, TestTrace};
use model::jvm::ClassName;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a method does to a set of small numbers, with its argument: the set after it, and what it returns.
type Effect = fn(&BTreeSet<i64>, i64) -> (BTreeSet<i64>, Option<Datum>);

/// Name, whether it takes a number, and what it does.
const METHODS: [(&str, bool, Effect); 9] = [
    ("add", true, |set, number| (set.iter().copied().chain([number]).collect(), None)),
    ("remove", true, |set, number| (set.iter().copied().filter(|of| *of != number).collect(), None)),
    ("clear", false, |_, _| (BTreeSet::new(), None)),
    ("contains", true, |set, number| (set.clone(), Some(Datum::Boolean(set.contains(&number))))),
    ("extend", false, |set, _| {
        let beyond = set.last().map_or(100, |last| last + 100);
        (set.iter().copied().chain([beyond]).collect(), None)
    }),
    ("size", false, |set, _| (set.clone(), Some(Datum::Integer(set.len() as i64)))),
    ("isEmpty", false, |set, _| (set.clone(), Some(Datum::Boolean(set.is_empty())))),
    ("replace", true, |set, number| {
        let old = set.first().copied().unwrap_or(-1);
        ([number].into(), Some(Datum::Integer(old)))
    }),
    ("ceiling", true, |set, number| {
        let least = set.range(number..).next().copied().unwrap_or(number);
        (set.clone(), Some(Datum::Integer(least)))
    }),
];

fn state(set: &BTreeSet<i64>, descriptions: &mut Descriptions) -> State {
    let number = set.iter().fold(7, |number: u64, of| number.wrapping_mul(1_009).wrapping_add(*of as u64 + 1));
    descriptions.states.insert(number, Description { class: ClassName::new("IntSet"), variables: Vec::new() });
    State { whole: number, monitored: number, equal: number }
}

fn int(number: i64) -> Input {
    Input::Primitive { letter: b'I', bits: number as u64 }
}

fn methods() -> Vec<SpecifiedMethod> {
    let method = |(name, takes_number, _): (&str, bool, Effect)| SpecifiedMethod {
        class: ClassName::new("IntSet"),
        name: name.into(),
        parameters: if takes_number { vec!["int".to_string()] } else { Vec::new() },
        parameter_names: if takes_number { vec![Arc::from("e")] } else { Vec::new() },
    };
    METHODS.map(method).to_vec()
}

/// Every call on every set that two calls lead to.
fn observed() -> Observations {
    let mut observations = Observations::default();
    let mut sets = BTreeSet::from([BTreeSet::new()]);
    for depth in 0..4 {
        for set in sets.clone() {
            for (method, (_, takes_number, effect)) in (0..).zip(METHODS) {
                for argument in 0..if takes_number { 4 } else { 1 } {
                    let (after, result) = effect(&set, argument);
                    let mut descriptions = Descriptions::default();
                    let (before, left) = (state(&set, &mut descriptions), state(&after, &mut descriptions));
                    let receiver = Input::Object { object: 0, before, after: left };
                    let result = result.map(|result| match result {
                        Datum::Boolean(value) => Input::Primitive { letter: b'Z', bits: u64::from(value) },
                        Datum::Integer(value) => int(value),
                        other => panic!("{other:?}"),
                    });
                    let inputs = [receiver].into_iter().chain(takes_number.then(|| int(argument))).collect();
                    let end = End::Returned(result);
                    let execution = MethodExecution { method, statement: 0, has_receiver: true, inputs, end };
                    observations.describe(descriptions);
                    observations.record(&TestTrace { executions: vec![execution], ..TestTrace::default() });
                    if depth < 3 {
                        sets.insert(after);
                    }
                }
            }
        }
    }
    observations
}

fn inferred() -> Vec<Supported> {
    let observations = observed();
    let calls: BTreeSet<CallId> = (0..observations.call_count() as CallId).collect();
    infer(&Tables::new(&observations, &methods()), &methods(), &calls)
}

#[test]
fn every_template_is_inferred_where_it_holds() {
    let found = inferred();
    let axioms: Vec<String> =
        found.iter().filter(|found| found.fails == 0).map(|found| found.equation.text(&methods())).collect();
    for axiom in [
        // A constant, an argument of either call, the state that all begins in, what the inner call left, the other order.
        "isEmpty(add(S, e)).result == false",
        "replace(replace(S, e1), e2).result == e1",
        "ceiling(clear(S), e).result == e",
        "size(clear(S)).result == 0",
        "clear(clear(S)).state == clear(S).state",
        "add(add(S, e1), e2).state == add(add(S, e2), e1).state",
        "clear(add(S, e)).state == clear(S).state",
        // Of one call.
        "contains(S, e).state == S",
        // With a number added.
        "size(extend(S)).result == size(S).result + 1",
        // Under a condition on arguments, and on what an observer says.
        "(e1 == e2) ==> contains(add(S, e1), e2).result == true",
        "(e1 != e2) ==> contains(add(S, e1), e2).result == contains(S, e2).result",
        "(e1 != e2) ==> remove(add(S, e1), e2).state == add(remove(S, e2), e1).state",
        "(isEmpty(S)) ==> size(add(S, e)).result == 1",
    ] {
        assert!(axioms.iter().any(|found| found == axiom), "{axiom} is not among\n{}", axioms.join("\n"));
    }
    assert!(!axioms.iter().any(|found| found == "remove(add(S, e1), e2).state == S"), "{axioms:?}");
}

#[test]
fn clause_that_nearly_always_holds_lists_its_violations() {
    let found = inferred();
    let mut common = found.iter().filter(|found| found.fails > 0);
    assert!(common.clone().count() > 0);
    assert!(common.all(|found| found.special.is_some() && found.holds > found.fails));
}

/// As after a change that a method answers otherwise since, whatever it is called with.
#[test]
fn equation_that_no_call_satisfies_is_violated() {
    let observations = observed();
    let calls: BTreeSet<CallId> = (0..observations.call_count() as CallId).collect();
    let tables = Tables::new(&observations, &methods());
    let axiom = |found: &&Supported| found.equation.text(&methods()) == "size(clear(S)).result == 0";
    let found = infer(&tables, &methods(), &calls).iter().find(axiom).cloned().unwrap();
    let wrong = Equation { right: Right::Constant(Datum::Integer(-5)), ..found.equation.clone() };
    assert_eq!(broken(&tables, &methods(), &calls, &[found.equation]), []);
    let broken = broken(&tables, &methods(), &calls, std::slice::from_ref(&wrong));
    assert_eq!(broken.iter().map(|found| (&found.equation, found.holds)).collect::<Vec<_>>(), [(&wrong, 0)]);
}

//! Tests of which assertions are chosen.

use super::*;
use model::execution::{Execution, Thrown};
use model::jvm::{ClassName, Literal, MethodDescriptor};

fn candidate(effort: u32, kills: &[u32]) -> AssertionCandidate {
    AssertionCandidate { test: 0, statement: 0, effort, is_bare: false, tier: Tier::Subject, kills: kills.to_vec() }
}

#[test]
fn assertion_that_alone_kills_a_mutant_is_kept() {
    let candidates = [candidate(1, &[1, 2]), candidate(0, &[2]), candidate(1, &[3]), candidate(0, &[4])];
    assert_eq!(cheapest_cover(&candidates, [4].into_iter().collect()), [true, false, true, false]);
}

#[test]
fn to_string_is_asserted_for_what_nothing_else_shows() {
    let text = |kills: &[u32]| AssertionCandidate { tier: Tier::Whole, ..candidate(1, kills) };
    let candidates = [text(&[1, 2]), candidate(1, &[1]), candidate(1, &[2])];
    assert_eq!(cheapest_cover(&candidates, FxHashSet::default()), [false, true, true]);
    let kept = |kills: &[u32]| cheapest_cover(&[text(kills), candidate(1, &[1])], FxHashSet::default());
    assert_eq!(kept(&[1, 2, 3]), [true, true]);
    assert_eq!(kept(&[1, 2]), [false, true], "one mutant is too few");
}

#[test]
fn what_only_a_look_behind_a_rejection_took_goes_with_the_look() {
    let mut sequence = Sequence::new();
    let till = sequence.push_call(OperationId(0), &[]);
    let day = sequence.push_literal(Literal::Int(1));
    let refused = sequence.push_call(OperationId(1), &[till]);
    for look in [&[till][..], &[till, day]] {
        sequence.push_call(OperationId(2), look);
    }
    let exception = Thrown {
        class: ClassName::new("E"),
        nameable: ClassName::new("E"),
        superclasses: Vec::new(),
        message: None,
        stack: Vec::new(),
    };
    let outcome = Outcome::Threw { statement: refused, exception };
    let execution = Execution { values: vec![Value::Null; 5], ..Execution::ended(outcome) };
    let one = TestCandidate::new(sequence.going_on_after(refused + 1), execution, BTreeSet::new());
    let one = TestCandidate { observers: 2, ..one };
    let is_foreign = |sequence: &Sequence, at: usize| sequence.call_at(at).is_none();
    let thrower = |one: &TestCandidate| match one.execution.outcome {
        Outcome::Threw { statement, .. } => (statement, one.sequence.rejected(), one.execution.values.len()),
        _ => panic!("it throws"),
    };
    let mut shown = one.clone();
    assert_only(&mut shown, BTreeSet::from([3]), &is_foreign, &|_, _| true);
    assert_eq!((thrower(&shown), shown.observers), ((1, Some(1), 3), 1));
    let mut plain = one;
    assert_only(&mut plain, BTreeSet::new(), &is_foreign, &|_, _| true);
    assert_eq!((thrower(&plain), plain.observers), ((1, None, 1), 0));
}

#[test]
fn simplest_assertion_is_kept_among_those_killing_the_same_mutants() {
    let candidates = [candidate(4, &[1]), candidate(1, &[1]), candidate(1, &[1])];
    assert_eq!(cheapest_cover(&candidates, FxHashSet::default()), [false, true, false]);
}

/// A test that makes an object of `"name"`, and looks at its size, whether it is empty, and its text.
fn looked_at() -> (TestCandidate, [Operation; 4]) {
    let mut sequence = Sequence::new();
    let name = sequence.push_literal(Literal::String("name".into()));
    let made = sequence.push_call(OperationId(0), &[name]);
    for look in 1..4 {
        sequence.push_call(OperationId(look), &[made]);
    }
    let literals = [Literal::Int(1), Literal::Boolean(false), Literal::String("{name}".into())];
    let values = [Value::Null, Value::Null].into_iter().chain(literals.map(Value::Literal)).collect();
    let execution = Execution { values, ..Execution::ended(Outcome::Completed) };
    let one = TestCandidate { observers: 3, ..TestCandidate::new(sequence, execution, BTreeSet::new()) };
    let operations = ["make", "size", "isEmpty", "toString"].map(|name| {
        let descriptor = MethodDescriptor { parameters: Vec::new(), returns: None };
        let kind = OperationKind::InstanceMethod;
        let operation = Operation::new(kind, ClassName::new("p/A"), name, descriptor);
        Operation { inputs: vec![model::jvm::Type::class("p/A")], ..operation }
    });
    (one, operations)
}

#[test]
fn text_that_shows_what_was_put_in_stands_for_what_says_less() {
    let (one, operations) = looked_at();
    let at = |statement, kills: &[u32]| AssertionCandidate { statement, ..candidate(1, kills) };
    let asserted_of = |size: &[u32], text: &[u32], killers: &[(u32, usize)]| {
        let candidates = [at(2, size), at(3, &[]), at(4, text)];
        let own = [(&candidates[0], true), (&candidates[1], true), (&candidates[2], false)];
        let mut asserted = BTreeSet::from([2, 3]);
        let mut killers = killers.iter().copied().collect();
        show_as_a_whole(&mut asserted, &one, &own, &mut killers, &operations);
        asserted.into_iter().collect::<Vec<usize>>()
    };
    assert_eq!(asserted_of(&[1, 2], &[1, 2, 3], &[(1, 1), (2, 1)]), [4]);
    assert_eq!(asserted_of(&[1, 2], &[1], &[(1, 1), (2, 2)]), [4], "another assertion kills 2");
    assert_eq!(asserted_of(&[1, 2], &[1], &[(1, 1), (2, 1)]), [2, 4], "only the size kills 2");
}

#[test]
fn change_is_told_by_the_method_the_place_of_what_it_changes_and_the_observer() {
    let mut sequence = Sequence::new();
    let from = sequence.push_call(OperationId(0), &[]);
    let to = sequence.push_call(OperationId(0), &[]);
    let other = sequence.push_call(OperationId(0), &[]);
    sequence.push_call(OperationId(1), &[from, to]);
    let balances = [from, to, other].map(|account| sequence.push_call(OperationId(2), &[account]));
    let one = TestCandidate::new(sequence, Execution::ended(Outcome::Completed), BTreeSet::new());
    let one = TestCandidate { observers: 3, ..one };
    let shown = balances.map(|at| shown_change(&one, at));
    let change = |position| Some((OperationId(1), position, OperationId(2)));
    assert_eq!(shown, [change(0), change(1), None]);
}

#[test]
fn object_that_an_observer_shows_is_not_asserted_to_be_there() {
    let mut sequence = Sequence::new();
    let [one, other] = [0, 1].map(|maker| sequence.push_call(OperationId(maker), &[]));
    let look = sequence.push_call(OperationId(2), &[one, other]);
    let mut asserted = BTreeSet::from([one, other, look]);
    drop_what_is_looked_into(&mut asserted, &BTreeSet::from([one, other]), &sequence, look);
    assert_eq!(asserted, BTreeSet::from([other, look]));
}

#[test]
fn observer_that_shows_the_same_again_is_not_asserted_twice() {
    let mut sequence = Sequence::new();
    let made = sequence.push_call(OperationId(0), &[]);
    for observer in [1, 2, 1, 1] {
        sequence.push_call(OperationId(observer), &[made]);
    }
    let number = |value| Value::Literal(Literal::Int(value));
    let values = [0, 5, 6, 5, 7].map(number).to_vec();
    let execution = Execution { values, ..Execution::ended(Outcome::Completed) };
    let one = TestCandidate { observers: 4, ..TestCandidate::new(sequence, execution, BTreeSet::new()) };
    let mut asserted = BTreeSet::from([0, 1, 2, 3, 4]);
    let operations = ["make", "size", "top"].map(|name| {
        let descriptor = MethodDescriptor { parameters: Vec::new(), returns: None };
        Operation::new(OperationKind::InstanceMethod, ClassName::new("p/A"), name, descriptor)
    });
    drop_repeated(&mut asserted, &one, 1, &operations);
    assert_eq!(asserted, BTreeSet::from([0, 1, 2, 4]));
}

#[test]
fn trailing_calls_without_assertion_are_removed() {
    let mut sequence = Sequence::new();
    // What only an observer takes that goes.
    let list = sequence.push_call(OperationId(9), &[]);
    let made = sequence.push_call(OperationId(0), &[]);
    sequence.push_call(OperationId(1), &[made, list]);
    for observer in 2..4 {
        sequence.push_call(OperationId(observer), &[made]);
    }
    let mut execution = Execution::ended(Outcome::Completed);
    execution.values = (-1..4).map(|number| Value::Literal(model::jvm::Literal::Int(number))).collect();
    let mut one = TestCandidate { observers: 3, ..TestCandidate::new(sequence, execution, BTreeSet::new()) };
    one.kills = [(5, Kill::Values(vec![2, 4])), (6, Kill::Values(vec![3])), (7, Kill::End)].into();
    assert_only(&mut one, [4].into(), &|_, at| at == list, &|_, _| true);
    assert_eq!((one.sequence.len(), one.observers, one.asserted), (2, 1, Some([1].into())));
    assert_eq!(one.execution.values[1], Value::Literal(model::jvm::Literal::Int(3)));
    assert_eq!(one.kills, [(5, Kill::Values(vec![1])), (7, Kill::End)].into());
}

#[test]
fn what_only_the_second_call_takes_is_used() {
    let mut sequence = Sequence::new();
    let [one, other] = [0, 1].map(|maker| sequence.push_call(OperationId(maker), &[]));
    sequence.push_call(OperationId(2), &[one, one]);
    sequence.push_call(OperationId(2), &[one, other]);
    let run = Execution { values: vec![Value::Void; 4], ..Execution::ended(Outcome::Completed) };
    let pair = TestCandidate { observers: 1, telling: 1, ..TestCandidate::new(sequence, run, BTreeSet::new()) };
    assert_eq!(used(&pair), BTreeSet::from([one, other]));
    assert_eq!(used(&TestCandidate { telling: 0, ..pair }), BTreeSet::from([one]));
}

//! Deciders: the inputs of a test with which its outcome would change.
//!
//! A reader asks of the name of a test what it is that makes the call end so. Each literal, enum constant and empty array of the test is
//! changed in turn, and each call without a result that is used is left out; what changes how the test ends, or a value that
//! it asserts, decides. An outcome that changes only in that it repeats the other value, as a getter does, says less: such
//! inputs count where no other decides.

use super::mutation::{Kill, MutationAnalysis};
use super::strangers::is_in_subject;
use super::strengthen::at_home;
use super::{SelectionContext, TestCandidate};
use model::execution::{Detail, Execution, Executor, ExecutorError, Outcome, Value};
use model::jvm::{JavaString, Literal, Primitive, Type};
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence};
use std::collections::BTreeSet;

/// How a test is changed at one statement.
#[derive(Clone, Debug)]
enum Variation {
    /// It is another literal or constant.
    Other(Action),
    /// The empty array has this element.
    Filled(Literal),
    /// It is gone.
    Gone,
    /// It is gone, and what took its value takes that of the earlier statement.
    Bypassed(usize),
}

/// How the outcome of a changed test differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    None,
    /// It has the new value where it had the old one.
    Repeated,
    Other,
}

/// Most changes that are tried of a test: few have as many.
const MOST_TRIED: usize = 64;

/// Notes for each test what decides its outcome. Names depend on it, so no clock ends it.
pub(super) fn find(
    tests: Vec<TestCandidate>,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let with_deciders = |one: TestCandidate, executor: &mut dyn Executor| {
        Ok(TestCandidate { deciders: deciders(&one, &context.program.operations, executor)?, ..one })
    };
    at_home(executors, &mut |home| context.on_shards(tests.clone(), home, &with_deciders))
}

/// Notes which tests show the same without the call that they are about. A test may assert that its call leaves unchanged what the method
/// changes in other tests, or would change if it were mutated; that call is not idle.
pub(super) fn note_idle(
    tests: Vec<TestCandidate>,
    mutation: Option<&MutationAnalysis>,
    context: &SelectionContext,
    executors: &mut [Box<dyn Executor>],
) -> Result<Vec<TestCandidate>, ExecutorError> {
    let noted = |one: TestCandidate, executor: &mut dyn Executor| {
        let Some(without) = without_subject(&one, context).filter(|_| !shows_mutants(&one, mutation, context)) else {
            return Ok(one);
        };
        let subject = one.sequence.len() - one.observers - 1;
        let run = executor.execute(&[without], Detail::Observe)?;
        let is_same = |run: &Execution| difference(&one, subject, &Variation::Gone, run) == Difference::None;
        let is_idle = run.first().is_some_and(is_same);
        Ok(TestCandidate { is_idle, ..one })
    };
    at_home(executors, &mut |home| context.on_shards(tests.clone(), home, &noted))
}

/// Whether a value that the test asserts would be another one with a mutant of the method that it is about.
fn shows_mutants(one: &TestCandidate, mutation: Option<&MutationAnalysis>, context: &SelectionContext) -> bool {
    let is_own =
        |mutant: u32| mutation.is_some_and(|all| is_in_subject(one, &all.sites[mutant as usize].reached_by, context));
    one.kills.iter().any(|(mutant, kill)| matches!(kill, Kill::Values(_)) && is_own(*mutant))
}

/// The test without the call that it is about, if it asserts only what observers show, which do not take what that returned. What a
/// fluent call returned is its receiver.
fn without_subject(one: &TestCandidate, context: &SelectionContext) -> Option<Sequence> {
    let subject = (one.sequence.len() - one.observers).checked_sub(1).filter(|_| one.observers > 0)?;
    let is_shown = one.asserted.as_ref().is_none_or(|asserted| asserted.contains(&subject));
    let can_go = one.execution.outcome == Outcome::Completed && !is_shown && !one.shows_no_change;
    let is_fluent = one.sequence.call_at(subject).is_some_and(|id| context.program.effects(id).returns_receiver);
    match one.sequence.inputs_of(subject).next().filter(|_| can_go && is_fluent) {
        Some(receiver) => varied(&one.sequence, subject, &Variation::Bypassed(receiver)),
        None => varied(&one.sequence, subject, &Variation::Gone).filter(|_| can_go),
    }
}

/// The statements that decide; `None` if the outcome of the test is not the same each time, or there is too much to try, or a change does not end.
fn deciders(
    one: &TestCandidate,
    operations: &[Operation],
    executor: &mut dyn Executor,
) -> Result<Option<BTreeSet<usize>>, ExecutorError> {
    if one.execution.may_vary() {
        return Ok(None);
    }
    let last = (one.sequence.len() - one.observers).saturating_sub(1);
    let mut found: BTreeSet<(usize, Difference)> = BTreeSet::new();
    let mut tried: Vec<(usize, Variation)> = Vec::new();
    for at in 0..=last {
        if is_empty_collection(one, at, operations) {
            found.insert((at, Difference::Other));
            continue;
        }
        match variations(&one.sequence, at, last, operations) {
            // What cannot be changed may decide.
            None => drop(found.insert((at, Difference::Other))),
            Some(variations) => tried.extend(variations.into_iter().map(|variation| (at, variation))),
        }
    }
    if tried.len() > MOST_TRIED {
        return Ok(None);
    }
    for (at, variation) in tried {
        // What takes null mostly does nothing then, and that is not what the call itself is given null for.
        if is_null(&variation) && one.sequence.inputs_of(last).any(|input| input == at) {
            continue;
        }
        let Some(sequence) = varied(&one.sequence, at, &variation) else { continue };
        let run = executor.execute(std::slice::from_ref(&sequence), Detail::Observe)?.into_iter().next();
        match run {
            // A run that does not end says nothing, and takes seconds: 4,093 may have been hours.
            Some(run) if run.outcome.is_costly() => return Ok(None),
            // What cannot be made, as a number of letters cannot, is no other input.
            Some(run) if ends_before(&run, &sequence, one.observers) => {}
            // Nor is null, where it only throws.
            Some(run) if is_null(&variation) && run.outcome != Outcome::Completed => {}
            Some(run) => drop(found.insert((at, difference(one, at, &variation, &run)))),
            None => {}
        }
    }
    let with = |least: Difference| found.iter().filter(|(_, how)| *how >= least).map(|(at, _)| *at).collect();
    let deciding: BTreeSet<usize> = with(Difference::Other);
    Ok(Some(if deciding.is_empty() { with(Difference::Repeated) } else { deciding }))
}

fn is_null(variation: &Variation) -> bool {
    matches!(variation, Variation::Other(Action::Literal(Literal::Null(_))))
}

/// Whether the statement makes a collection of the platform that is empty where one call takes it: that may decide.
fn is_empty_collection(one: &TestCandidate, at: usize, operations: &[Operation]) -> bool {
    let call = one.sequence.call_at(at).map(|id| &operations[id.0 as usize]);
    let is_of_platform = call.is_some_and(|call| call.is_code() && call.owner.internal().starts_with("java/util/"));
    let is_empty =
        matches!(one.execution.values.get(at), Some(Value::Object { observed, .. }) if observed.size() == Some(0));
    let users = (at + 1..one.sequence.len()).filter(|user| one.sequence.inputs_of(*user).any(|input| input == at));
    is_of_platform && is_empty && users.count() == 1
}

/// Whether the run ended before the call that the test is about, which has so many observers.
fn ends_before(run: &Execution, sequence: &Sequence, observers: usize) -> bool {
    let subject = (sequence.len() - observers).saturating_sub(1);
    matches!(&run.outcome, Outcome::Threw { statement, .. } if *statement < subject)
}

/// How a statement can be changed; `None` if it may decide and cannot be.
fn variations(sequence: &Sequence, at: usize, last: usize, operations: &[Operation]) -> Option<Vec<Variation>> {
    let other = |literal: Literal| Variation::Other(Action::Literal(literal));
    let (id, operation) = match &sequence.statements()[at].action {
        Action::Literal(literal) => return others(literal).map(|all| all.into_iter().map(other).collect()),
        Action::Call(id) => (*id, &operations[id.0 as usize]),
    };
    let is_used = (at + 1..sequence.len()).any(|user| sequence.inputs_of(user).any(|input| input == at));
    Some(match operation.kind {
        OperationKind::GetStatic if operation.is_enum_constant => {
            constants_beside(id, operations).map(|other| Variation::Other(Action::Call(other))).collect()
        }
        OperationKind::Array if sequence.inputs_of(at).next().is_none() => {
            vec![Variation::Filled(operation.inputs.first().and_then(plain_element)?)]
        }
        OperationKind::GetStatic if is_used => return None,
        _ if at < last && !is_used => vec![Variation::Gone],
        _ => Vec::new(),
    })
}

/// Most constants of an enum that are tried in place of one.
const CONSTANTS_TRIED: usize = 2;

fn constants_beside(one: OperationId, operations: &[Operation]) -> impl Iterator<Item = OperationId> {
    let of = &operations[one.0 as usize].output;
    let others = operations.iter().enumerate().filter(move |(at, other)| {
        other.kind == OperationKind::GetStatic && other.is_enum_constant && other.output == *of && *at != one.0 as usize
    });
    others.map(|(at, _)| OperationId(at as u32)).take(CONSTANTS_TRIED)
}

fn plain_element(of: &Type) -> Option<Literal> {
    match of {
        Type::Primitive(primitive) => Some(Literal::of_number(1, *primitive)),
        of if of.is_string() => Some(Literal::String(OTHER_TEXT.into())),
        _ => None,
    }
}

/// A text that no test has.
const OTHER_TEXT: &str = "qxz";
/// How Java writes null.
const NULL: &str = "null";
/// The least number that is something, and two that hardly any test has: one that most limits allow, and one that few do.
const OTHER_NUMBERS: [i64; 3] = [1, 67, 4_093];

/// Other values in place of a literal, like it and unlike it; `None` if there are none that say something.
fn others(literal: &Literal) -> Option<Vec<Literal>> {
    let numbers = |value: i64, of: Primitive| {
        let far = OTHER_NUMBERS.iter().copied().filter(|&other| of != Primitive::Byte || other <= 100);
        let all = std::iter::once(value.saturating_add(1)).chain(far);
        all.map(|other| Literal::of_number(other, of)).collect::<Vec<Literal>>()
    };
    let all = match literal {
        Literal::Boolean(value) => vec![Literal::Boolean(!value)],
        Literal::Byte(value) => numbers(i64::from(*value), Primitive::Byte),
        Literal::Short(value) => numbers(i64::from(*value), Primitive::Short),
        Literal::Int(value) => numbers(i64::from(*value), Primitive::Int),
        Literal::Long(value) => numbers(*value, Primitive::Long),
        Literal::Float(bits) => [f32::from_bits(*bits) + 1.5, 67.5].map(Literal::float).to_vec(),
        Literal::Double(bits) => [f64::from_bits(*bits) + 1.5, 67.5].map(Literal::double).to_vec(),
        Literal::Char(_) => vec![Literal::Char(u16::from(b'q')), Literal::Char(u16::from(b'7'))],
        Literal::String(text) => {
            let alike: String = OTHER_TEXT.chars().cycle().take(text.units().len()).collect();
            let texts = [alike.as_str(), OTHER_TEXT].map(|text| Literal::String(text.into()));
            let numbers = OTHER_NUMBERS.map(|number| Literal::String(number.to_string().as_str().into()));
            let is_number = text.to_string().trim().parse::<f64>().is_ok_and(f64::is_finite);
            let null = Literal::Null(Type::string());
            if is_number { numbers.to_vec() } else { texts.into_iter().chain([null]).collect() }
        }
        Literal::Null(of) if of.is_string() => vec![Literal::String(OTHER_TEXT.into())],
        Literal::Null(_) | Literal::Class(_) => return None,
    };
    let mut distinct: Vec<Literal> = Vec::new();
    for other in all {
        if other != *literal && !distinct.contains(&other) {
            distinct.push(other);
        }
    }
    Some(distinct)
}

/// The changed sequence; `None` if a statement needs what is gone.
fn varied(sequence: &Sequence, at: usize, variation: &Variation) -> Option<Sequence> {
    if let Variation::Gone = variation {
        return sequence.retain(|other| other != at);
    }
    let mut changed = Sequence::new();
    let mut moved: Vec<usize> = Vec::with_capacity(sequence.len());
    for (index, statement) in sequence.statements().iter().enumerate() {
        let inputs: Vec<usize> = sequence.inputs_of(index).map(|input| moved[input]).collect();
        moved.push(match variation {
            Variation::Other(action) if index == at => changed.push(action.clone(), &[]),
            Variation::Filled(element) if index == at => {
                let element = changed.push_literal(element.clone());
                changed.push(statement.action.clone(), &[element])
            }
            Variation::Bypassed(earlier) if index == at => moved[*earlier],
            _ => changed.push(statement.action.clone(), &inputs),
        });
    }
    Some(match sequence.rejected() {
        Some(rejected) => changed.going_on_after(moved[rejected] + 1),
        None => changed,
    })
}

/// How the outcome of the run differs from that of the test.
fn difference(one: &TestCandidate, at: usize, variation: &Variation, run: &Execution) -> Difference {
    let moved = |statement: usize| match variation {
        Variation::Filled(_) if statement >= at => statement + 1,
        Variation::Gone | Variation::Bypassed(_) if statement > at => statement - 1,
        _ => statement,
    };
    let (old, new) = match (variation, one.sequence.literal_at(at)) {
        (Variation::Other(Action::Literal(Literal::Null(_))), Some(old)) => (shown_literal(old), NULL.to_string()),
        (Variation::Other(Action::Literal(new)), Some(old)) => (shown_literal(old), shown_literal(new)),
        _ => (String::new(), String::new()),
    };
    let compare = |before: &str, after: &str| match before == after {
        true => Difference::None,
        false if !new.is_empty() && after.replace(&new, &old) == before => Difference::Repeated,
        false => Difference::Other,
    };
    let ends = match (&one.execution.outcome, &run.outcome) {
        (Outcome::Completed, Outcome::Completed) => Difference::None,
        (Outcome::Threw { statement, exception }, Outcome::Threw { statement: other, exception: thrown }) => {
            let text = |message: &JavaString| message.to_string();
            match &exception.message {
                _ if moved(*statement) != *other || exception.class != thrown.class => Difference::Other,
                // What runs did not agree on is not asserted.
                None => Difference::None,
                Some(message) => compare(&text(message), &thrown.message.as_ref().map(text).unwrap_or_default()),
            }
        }
        _ => Difference::Other,
    };
    let first = (one.sequence.len() - one.observers).saturating_sub(1);
    let asserted = |statement: &usize| match &one.asserted {
        Some(asserted) => asserted.contains(statement),
        None => *statement >= first,
    };
    let values =
        one.execution.values.iter().enumerate().filter(|(statement, _)| *statement != at && asserted(statement));
    let of_values = values.map(|(statement, before)| {
        let after = run.values.get(moved(statement));
        after.map_or(Difference::Other, |after| compare(&shown(before), &shown(after)))
    });
    of_values.fold(ends, Difference::max)
}

fn shown(value: &Value) -> String {
    match value {
        Value::Literal(literal) => shown_literal(literal),
        Value::Null => NULL.to_string(),
        value => format!("{value:?}"),
    }
}

/// A literal as it stands in texts.
pub(super) fn shown_literal(literal: &Literal) -> String {
    match literal {
        Literal::String(text) => text.to_string(),
        Literal::Char(unit) => String::from_utf16_lossy(&[*unit]),
        Literal::Boolean(value) => value.to_string(),
        Literal::Byte(value) => value.to_string(),
        Literal::Short(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Long(value) => value.to_string(),
        Literal::Float(bits) => f32::from_bits(*bits).to_string(),
        Literal::Double(bits) => f64::from_bits(*bits).to_string(),
        Literal::Null(_) | Literal::Class(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::{ClassName, MethodDescriptor};

    /// `wrap(text, width)` gives what it takes, upper case from a width of 50 on; with no text it throws.
    struct Wrap;

    impl Executor for Wrap {
        fn execute(&mut self, sequences: &[Sequence], _: Detail) -> Result<Vec<Execution>, ExecutorError> {
            let run = |sequence: &Sequence| {
                let [text, width] = [0, 1].map(|at| match sequence.literal_at(at) {
                    Some(Literal::Null(_)) => NULL.to_string(),
                    literal => literal.map(shown_literal).unwrap_or_default(),
                });
                let is_wide = width.parse::<i32>().is_ok_and(|width| width >= 50);
                let text = if is_wide { text.to_uppercase() } else { text };
                let mut values = vec![Value::Void; sequence.len() - 1];
                values.push(Value::Literal(Literal::String(text.as_str().into())));
                Execution { values, ..Execution::ended(Outcome::Completed) }
            };
            Ok(sequences.iter().map(run).collect())
        }

        fn restart(&mut self) -> Result<(), ExecutorError> {
            Ok(())
        }
    }

    fn deciders_of(text: &str, width: i32) -> BTreeSet<usize> {
        let descriptor =
            MethodDescriptor { parameters: vec![Type::string(), Type::INT], returns: Some(Type::string()) };
        let operations = [Operation::new(OperationKind::StaticMethod, ClassName::new("p/A"), "wrap", descriptor)];
        let mut sequence = Sequence::new();
        let inputs = [Literal::String(text.into()), Literal::Int(width)].map(|literal| sequence.push_literal(literal));
        sequence.push_call(OperationId(0), &inputs);
        let run = Wrap.execute(std::slice::from_ref(&sequence), Detail::Observe).unwrap().remove(0);
        deciders(&TestCandidate::new(sequence, run, BTreeSet::new()), &operations, &mut Wrap).unwrap().unwrap()
    }

    #[test]
    fn what_changes_the_outcome_decides_and_what_is_only_repeated_if_nothing_else_does() {
        assert_eq!(deciders_of("abc", 80), BTreeSet::from([0, 1]), "a text in upper case is no repetition");
        assert_eq!(deciders_of("abc", 7), BTreeSet::from([1]), "the text is repeated");
        assert_eq!(deciders_of("123", 7), BTreeSet::from([0]), "upper case or not");
    }

    #[test]
    fn what_took_the_value_of_a_statement_takes_that_of_another_one() {
        let mut sequence = Sequence::new();
        let made = sequence.push_call(OperationId(0), &[]);
        let added = sequence.push_call(OperationId(1), &[made]);
        sequence.push_call(OperationId(2), &[added]);
        let without = varied(&sequence, added, &Variation::Bypassed(made)).unwrap();
        assert_eq!(without.calls().collect::<Vec<_>>(), [OperationId(0), OperationId(2)]);
        assert_eq!(without.inputs_of(1).collect::<Vec<_>>(), [made]);
    }

    #[test]
    fn statements_behind_a_change_are_found_again() {
        let mut sequence = Sequence::new();
        let array = sequence.push_call(OperationId(0), &[]);
        sequence.push_call(OperationId(1), &[array]);
        let filled = varied(&sequence, array, &Variation::Filled(Literal::Int(1))).unwrap();
        assert_eq!((filled.len(), filled.inputs_of(2).next()), (3, Some(1)));
        assert!(varied(&sequence, array, &Variation::Gone).is_none());
        assert_eq!(varied(&sequence, 1, &Variation::Gone).unwrap().len(), 1);
    }

    #[test]
    fn other_values_are_no_value_of_the_test() {
        let all = |literal: Literal| others(&literal).unwrap_or_default();
        assert_eq!(all(Literal::Int(66)), [67, 1, 4_093].map(Literal::Int));
        assert_eq!(all(Literal::Int(0)), [1, 67, 4_093].map(Literal::Int));
        assert_eq!(all(Literal::double(f64::NAN)), [Literal::double(67.5)]);
        let null = Literal::Null(Type::string());
        assert_eq!(all(Literal::String("qxz".into())), [null]);
        assert_eq!(all(Literal::String("a".into())).len(), 3);
        assert_eq!(all(Literal::String("1".into())), ["67", "4093"].map(|text| Literal::String(text.into())));
        assert!(others(&Literal::Null(Type::object())).is_none());
    }
}

//! Reading back: getters show what the last call of a test made or changed, whether or not a mutant demands it.
//!
//! If the call returns an object of a class under test, or makes one, what its getters return is its outcome. If it returns
//! nothing, its outcome is the state of its receiver, or else of another object that it took: the getter whose value differs
//! before and after it, failing that up to two calls with arguments whose values do. Other methods without a parameter count as
//! getters too if they are pure, or if the run shows that they left the state as it was. `toString` is read where no other
//! method shows more than a number of elements, or true or false, and the text shows what the test put in.

use super::deciders::shown_literal;
use super::{SelectionContext, TestCandidate, outcomes};
use model::execution::described::Described;
use model::execution::{Detail, Edge, Execution, Executor, ExecutorError, Fingerprint, Observed, Outcome, Value};
use model::jvm::{Literal, Type};
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence};
use model::words::standing_alone;
use oracle::contract::Subject;
use std::borrow::Borrow;

/// Most getters that show an object.
const MOST_GETTERS: usize = 3;

/// Most calls with arguments that show what a method changed: a transfer changes two balances.
const MOST_ASKED: usize = 2;

/// Most calls that are tried although they may change something.
const MOST_UNPROVEN: usize = 16;

/// A call that observes a value, with the statements that are its inputs.
pub(super) type Look = (OperationId, Vec<usize>);

/// Calls of methods without a parameter, on the receiver and the result of the test's last call, of which the analysis cannot
/// say that they change nothing. A run tells: see [`leaves_state`].
pub(super) fn unproven(one: &TestCandidate, context: &SelectionContext) -> Vec<Look> {
    let program = context.program;
    let Some(class) = program.class_of_sequence(&one.sequence) else { return Vec::new() };
    let package = program.targets[class].name.package();
    let Some(last) = one.sequence.len().checked_sub(1) else { return Vec::new() };
    let Action::Call(subject) = one.sequence.statements()[last].action else { return Vec::new() };
    let receiver =
        one.sequence.inputs_of(last).next().filter(|_| program.operations[subject.0 as usize].has_receiver());
    let is_back_door = context.calls_back_door(&one.sequence);
    let mut found = Vec::new();
    for at in receiver.into_iter().chain([last]) {
        let Some(output) = one.sequence.output_of(at, &program.operations) else { continue };
        let of_targets = program.targets.iter().flat_map(|target| &target.operations);
        for id in of_targets.chain(&program.result_getters).copied() {
            let operation = &program.operations[id.0 as usize];
            let is_usable = operation.kind == OperationKind::InstanceMethod
                && operation.inputs.len() == 1
                && operation.output.is_some()
                && id != subject
                && (is_back_door || !context.is_back_door(id))
                && !program.effects(id).is_pure()
                && program.types.is_assignable(&output, &operation.inputs[0])
                && program.package_of(id).is_none_or(|own| own == package);
            if is_usable {
                found.push((id, vec![at]));
            }
        }
    }
    found.truncate(MOST_UNPROVEN);
    found.extend(inherited(one, last, context));
    found
}

/// What shows the result of the last call although it is no method of its declared type that is under test: the message of an exception,
/// and `toString` where only the class of the object at run time declares that. More a test may not be able to say of a method which
/// returns an interface.
fn inherited(one: &TestCandidate, last: usize, context: &SelectionContext) -> Option<Look> {
    let program = context.program;
    let Some(Value::Object { class, observed }) = one.execution.values.get(last) else { return None };
    let returned_by = &program.operations[one.sequence.call_at(last)?.0 as usize];
    if observed.is_comparable(Some(returned_by)) {
        return None;
    }
    let output = one.sequence.output_of(last, &program.operations)?;
    let is_declared = |name: &str| {
        program.targets.iter().flat_map(|target| &target.operations).any(|id| {
            let operation = &program.operations[id.0 as usize];
            let shows = operation.kind == OperationKind::InstanceMethod
                && operation.inputs.len() == 1
                && &*operation.name == name;
            shows && program.types.is_assignable(&output, &operation.inputs[0])
        })
    };
    if program.types.is_assignable(&output, &Type::class("java/lang/Throwable")) {
        return program.checks.message.filter(|_| !is_declared("getMessage")).map(|message| (message, vec![last]));
    }
    // Of the code under test, or of what it builds on.
    let ancestry = program.types.ancestry(class.class_name()?).into_iter();
    let own = ancestry.filter(|facts| !facts.name.internal().starts_with("java/"));
    let has_text = own.flat_map(|facts| &facts.methods).any(|method| Subject::ToString.is(method));
    (has_text && !is_declared("toString")).then(|| (program.checks.to_string, vec![last]))
}

/// Whether the look, which the run made after the test, left the state of its object as it was.
pub(super) fn leaves_state(one: &TestCandidate, look: &Look, run: &Execution) -> bool {
    let Some(last) = one.sequence.len().checked_sub(1) else { return false };
    let states = &one.execution.states;
    let before = match one.sequence.inputs_of(last).position(|input| input == look.1[0]) {
        Some(input) => states.get(input),
        None => states.last().filter(|_| look.1[0] == last),
    };
    let is_same = |before: &Option<Fingerprint>| before.is_some() && run.states.first() == Some(before);
    before.is_some_and(is_same)
}

/// The indices of looks that have to do with the test's last call.
#[derive(Default)]
pub(super) struct Telling {
    /// They show its outcome, the most telling first.
    pub outcome: Vec<usize>,
    /// They show what else it changed or made.
    pub related: Vec<usize>,
}

/// The looks that show what the test's last call did. `values` are what the looks return after it; `None` for those that cannot
/// be asserted.
pub(super) fn telling(
    one: &TestCandidate,
    looks: &[Look],
    values: &[Option<Value>],
    context: &SelectionContext,
    executor: &mut dyn Executor,
) -> Result<Telling, ExecutorError> {
    let operations = &context.program.operations;
    let operation_of = |id: OperationId| &operations[id.0 as usize];
    let Some(last) = one.sequence.len().checked_sub(1) else { return Ok(Telling::default()) };
    let Some(id) = one.sequence.call_at(last) else { return Ok(Telling::default()) };
    let subject = operation_of(id);
    let of = |receiver: usize| {
        let is_of = move |at: &usize| looks[*at].1.first() == Some(&receiver) && values[*at].is_some();
        (0..looks.len()).filter(is_of).collect::<Vec<usize>>()
    };
    let is_bare = matches!(
        one.execution.values.get(last),
        Some(Value::Object { observed, .. }) if !observed.is_comparable(Some(subject))
    );
    let changed = match context.program.effects(id).is_pure() {
        true => Vec::new(),
        false => {
            let candidates = (0..looks.len()).filter(|at| values[*at].is_some()).collect();
            changed(one, looks, values, candidates, executor)?
        }
    };
    let receiver = one.sequence.inputs_of(last).next().filter(|_| subject.has_receiver());
    let made = if is_bare { of(last) } else { Vec::new() };
    let (found, most, others) = match subject.kind {
        OperationKind::InstanceMethod if subject.output.is_none() => (changed, 1, made),
        OperationKind::Constructor | OperationKind::StaticMethod | OperationKind::InstanceMethod => {
            (made, MOST_GETTERS, changed)
        }
        _ => (Vec::new(), 0, Vec::new()),
    };
    let takes_nothing = |at: &usize| looks[*at].1.len() == 1;
    let (alone, mut asked): (Vec<usize>, Vec<usize>) = found.iter().copied().partition(takes_nothing);
    let (mut texts, mut outcome): (Vec<usize>, Vec<usize>) =
        alone.into_iter().partition(|&at| is_last_resort(operation_of(looks[at].0)));
    texts.retain(|&at| is_text(operation_of(looks[at].0)));
    let is_field = |at: usize| operation_of(looks[at].0).kind == OperationKind::GetField;
    // What a writer got is of less interest than what the object itself shows.
    let is_aside = |at: usize| subject.output.is_none() && looks[at].1.first().copied() != receiver;
    let given = given_to(last, &one.sequence);
    let tells = |at: &usize| dullness(values[*at].as_ref(), &given);
    let is_named = |at: &usize| operation_of(looks[*at].0).reads_what_is_set_by(subject);
    // What the receiver shows as well would be the same if the call returned that.
    let is_as_before = |at: &usize| {
        let others = looks.iter().zip(values.iter().map(Option::as_ref));
        let own = (&looks[*at], values[*at].as_ref());
        looks[*at].1[0] == last && receiver.is_some_and(|receiver| is_also_of(receiver, own, others))
    };
    let rank = |at: &usize| (is_aside(*at), !is_named(at), is_as_before(at), tells(at), is_field(*at));
    outcome.sort_by_key(rank);
    if outcome.first().is_some_and(|first| is_named(first) || !is_as_before(first)) {
        outcome.retain(|at| is_named(at) || !is_as_before(at));
    }
    if outcome.first().is_some_and(|first| tells(first) == Dullness::Given) {
        // `days(7)` has 7 days; its zero years say nothing about the call.
        outcome.retain(|at| tells(at) != Dullness::Nothing || is_given(values[*at].as_ref(), &given));
    }
    outcome.truncate(most);
    if outcome.is_empty() && subject.output.is_none() {
        asked.sort_by_key(rank);
        outcome.extend(asked.iter().take(MOST_ASKED));
    }
    if outcome.iter().all(|&at| says_little(Some(operation_of(looks[at].0)), values[at].as_ref())) {
        let literals = || (0..one.sequence.len()).filter_map(|at| one.sequence.literal_at(at));
        let given = asked.iter().filter(|at| tells(at) == Dullness::Given);
        let shown = texts.iter().filter(|at| values[**at].as_ref().is_some_and(|text| shows(text, literals())));
        if let Some(better) = given.chain(shown).next() {
            outcome = vec![*better];
        }
    }
    if outcome.is_empty() {
        outcome = texts;
        outcome.truncate(most);
    }
    let related = found.into_iter().chain(others).filter(|at| !outcome.contains(at)).collect();
    Ok(Telling { outcome, related })
}

/// The looks that return something else without the last call.
pub(super) fn changed(
    one: &TestCandidate,
    looks: &[Look],
    values: &[Option<Value>],
    mut candidates: Vec<usize>,
    executor: &mut dyn Executor,
) -> Result<Vec<usize>, ExecutorError> {
    let before = one.sequence.prefix(one.sequence.len() - 1);
    candidates.retain(|&at| looks[at].1.iter().all(|input| *input < before.len()));
    let without = |at: &usize| {
        let mut sequence = before.clone();
        sequence.push_call(looks[*at].0, &looks[*at].1);
        sequence
    };
    let sequences: Vec<_> = candidates.iter().map(without).collect();
    let runs = executor.execute(&sequences, Detail::Observe)?;
    let mut runs = runs.iter();
    candidates.retain(|&at| runs.next().is_none_or(|run| shown(run) != values[at].as_ref()));
    Ok(candidates)
}

/// What the last statement of a run returned.
fn shown(run: &Execution) -> Option<&Value> {
    run.values.last().filter(|_| run.outcome == Outcome::Completed)
}

/// Whether the method shows an object as a whole, which says little to a reader, or nothing.
pub(super) fn is_last_resort(operation: &Operation) -> bool {
    operation.inputs.len() == 1 && matches!(&*operation.name, "toString" | "hashCode")
}

pub(super) fn is_text(operation: &Operation) -> bool {
    operation.inputs.len() == 1 && &*operation.name == "toString"
}

/// Whether the statement is a look at the end of the test that says little.
pub(super) fn is_faint(one: &TestCandidate, statement: usize, operations: &[Operation]) -> bool {
    let observer = one.sequence.call_at(statement).map(|id| &operations[id.0 as usize]);
    statement + one.observers >= one.sequence.len() && says_little(observer, one.execution.values.get(statement))
}

/// Whether the statement is a look at the end of the test that kills mutants of its own method alone, and does not show what the test's
/// last call was given: it would show the same after other calls. `reached_by` are the edges of each of the mutants, `of_operation`
/// those of each operation.
pub(super) fn shows_only_itself<'m>(
    one: &TestCandidate,
    statement: usize,
    reached_by: impl IntoIterator<Item = &'m Vec<Edge>>,
    of_operation: &[Vec<Edge>],
) -> bool {
    let first_observer = one.sequence.len() - one.observers;
    let (true, Some(id)) = (statement >= first_observer && first_observer > 0, one.sequence.call_at(statement)) else {
        return false;
    };
    let given = given_to(first_observer - 1, &one.sequence);
    let body = &of_operation[id.0 as usize];
    let mut is_own = reached_by.into_iter().map(|reached| reached.iter().any(|edge| body.contains(edge))).peekable();
    is_own.peek().is_some() && is_own.all(|is_own| is_own) && !is_given(one.execution.values.get(statement), &given)
}

/// Whether the statement is a look at what the test's last call returned that shows what it shows of the receiver as well.
pub(super) fn is_as_before(one: &TestCandidate, statement: usize) -> bool {
    let first_observer = one.sequence.len() - one.observers;
    let Some(last) = first_observer.checked_sub(1).filter(|_| statement >= first_observer) else { return false };
    let Some(receiver) = one.sequence.inputs_of(last).next() else { return false };
    let Some(observer) = one.sequence.call_at(statement) else { return false };
    if one.sequence.inputs_of(statement).next() != Some(last) {
        return false;
    }
    let shown =
        |at: usize| ((observer, one.sequence.inputs_of(at).collect::<Vec<usize>>()), one.execution.values.get(at));
    let (look, value) = shown(statement);
    let of_observer = (first_observer..one.sequence.len()).filter(|at| one.sequence.call_at(*at) == Some(observer));
    is_also_of(receiver, (&look, value), of_observer.map(shown))
}

/// Whether one of the looks is the same one at the receiver, with the same value.
fn is_also_of<'v>(
    receiver: usize,
    (look, value): (&Look, Option<&Value>),
    looks: impl IntoIterator<Item = (impl Borrow<Look>, Option<&'v Value>)>,
) -> bool {
    looks.into_iter().any(|(other, shown)| {
        let (operation, inputs) = other.borrow();
        *operation == look.0 && inputs.first() == Some(&receiver) && inputs[1..] == look.1[1..] && shown == value
    })
}

/// Whether the value is true or false, a number of elements, or the result of a comparison: much else would look the same.
fn says_little(observer: Option<&Operation>, value: Option<&Value>) -> bool {
    match value.and_then(literal_of) {
        Some(Literal::Boolean(_)) => true,
        Some(Literal::Int(_) | Literal::Long(_)) => observer.is_some_and(counts_or_compares),
        _ => false,
    }
}

/// Whether the method is named after a number of elements or a comparison.
fn counts_or_compares(observer: &Operation) -> bool {
    let name = &*observer.name;
    matches!(name, "size" | "length" | "count")
        || name.starts_with("compare")
        || ["Count", "Size", "Length"].iter().any(|end| name.ends_with(end))
}

/// Most UTF-16 units of an object's text that a reader takes in at once.
const MOST_UNITS: usize = 80;

/// Whether a reader sees one of the literals in the text, as a word or number of its own.
pub(super) fn shows<'a>(text: &Value, literals: impl IntoIterator<Item = &'a Literal>) -> bool {
    let Some(Literal::String(text)) = literal_of(text) else { return false };
    if text.units().len() > MOST_UNITS {
        return false;
    }
    let text = text.to_string();
    let is_shown = |literal: &Literal| {
        // True, false and single characters are in many texts.
        let wanted = match literal {
            Literal::Boolean(_) | Literal::Char(_) => return false,
            literal => shown_literal(literal),
        };
        !wanted.is_empty() && standing_alone(&text, &wanted).next().is_some()
    };
    literals.into_iter().any(is_shown)
}

/// How little a value tells of the call, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Dullness {
    /// The call was given it.
    Given,
    /// There are many such values.
    Telling,
    /// 0, or an empty text or collection.
    Nothing,
    /// True, false or null.
    Few,
    /// An object that shows nothing of itself.
    Opaque,
}

fn dullness(value: Option<&Value>, given: &[&Literal]) -> Dullness {
    match value {
        Some(Value::Object { observed, .. }) if !observed.is_comparable(None) => Dullness::Opaque,
        None | Some(Value::Void | Value::Null) => Dullness::Few,
        Some(value) if matches!(literal_of(value), Some(Literal::Boolean(_))) => Dullness::Few,
        Some(value) if outcomes::is_dull(value) => Dullness::Nothing,
        Some(_) if is_given(value, given) => Dullness::Given,
        Some(_) => Dullness::Telling,
    }
}

/// The number, text, or truth value, boxed or not.
fn literal_of(value: &Value) -> Option<&Literal> {
    match value {
        Value::Literal(literal) | Value::Object { observed: Observed::Value(Described::Literal(literal)), .. } => {
            Some(literal)
        }
        _ => None,
    }
}

/// The literals that the call takes.
fn given_to(call: usize, sequence: &Sequence) -> Vec<&Literal> {
    sequence.inputs_of(call).filter_map(|at| sequence.literal_at(at)).collect()
}

/// Whether the value is one of the literals, boxed or not and however wide.
fn is_given(value: Option<&Value>, given: &[&Literal]) -> bool {
    let Some(literal) = value.and_then(literal_of) else { return false };
    let whole = |literal: &Literal| match *literal {
        Literal::Byte(number) => Some(i64::from(number)),
        Literal::Short(number) => Some(i64::from(number)),
        Literal::Int(number) => Some(i64::from(number)),
        Literal::Long(number) => Some(number),
        _ => None,
    };
    let is_equal = |given: &Literal| given == literal || whole(given).is_some() && whole(given) == whole(literal);
    given.iter().any(|given| is_equal(given))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_literals_that_stand_alone_in_it() {
        let text = |text: &str| Value::Literal(Literal::String(text.into()));
        let shows = |value: &str, literal: Literal| shows(&text(value), [&literal]);
        assert!(
            shows("{\"name\":10}", Literal::Int(10)) && shows("5.0.0-preRelease", Literal::String("preRelease".into()))
        );
        assert!(!shows("{\"name\":10}", Literal::Int(1)), "a part of another number");
        assert!(!shows("Options@names", Literal::String("name".into())), "a part of another word");
        assert!(!shows("{}", Literal::String("".into())));
        assert!(!shows(&format!("name{}", " ".repeat(80)), Literal::String("name".into())), "too long");
    }

    #[test]
    fn number_of_elements_or_a_comparison_says_little() {
        let observer = |name: &str| {
            let descriptor = model::jvm::MethodDescriptor { parameters: Vec::new(), returns: None };
            Operation::new(OperationKind::InstanceMethod, model::jvm::ClassName::new("p/A"), name, descriptor)
        };
        let of = |name: &str, literal| says_little(Some(&observer(name)), Some(&Value::Literal(literal)));
        assert!(
            of("size", Literal::Int(1)) && of("getItemCount", Literal::Long(3)) && of("isOpen", Literal::Boolean(true))
        );
        assert!(!of("balance", Literal::Int(1)) && !of("length", Literal::String("long".into())));
    }

    #[test]
    fn look_that_shows_the_same_of_the_receiver_shows_what_was_before() {
        let mut sequence = Sequence::new();
        let format = sequence.push_call(OperationId(0), &[]);
        let quoted = sequence.push_call(OperationId(1), &[format]);
        for (look, of) in [(2, format), (2, quoted), (3, format), (3, quoted)] {
            sequence.push_call(OperationId(look), &[of]);
        }
        let values = [0, 0, 7, 7, 8, 9].map(|number| Value::Literal(Literal::Int(number))).to_vec();
        let execution = Execution { values, ..Execution::ended(Outcome::Completed) };
        let one = TestCandidate { observers: 4, ..TestCandidate::new(sequence, execution, Default::default()) };
        let as_before: Vec<usize> = (0..6).filter(|at| is_as_before(&one, *at)).collect();
        assert_eq!(as_before, [3]);
    }

    #[test]
    fn look_that_kills_mutants_of_its_own_method_alone_shows_only_itself() {
        let mut sequence = Sequence::new();
        let year = sequence.push_literal(Literal::Int(2024));
        let made = sequence.push_call(OperationId(0), &[year]);
        let [length, own_year] = [1, 2].map(|look| sequence.push_call(OperationId(look), &[made]));
        let values = [2024, 0, 31, 2024].map(|number| Value::Literal(Literal::Int(number))).to_vec();
        let execution = Execution { values, ..Execution::ended(Outcome::Completed) };
        let one = TestCandidate { observers: 2, ..TestCandidate::new(sequence, execution, Default::default()) };
        let of_operation = [vec![0], vec![1, 2], vec![3]];
        let is_alone = |at: usize, reached_by: &[Vec<Edge>]| shows_only_itself(&one, at, reached_by, &of_operation);
        assert!(is_alone(length, &[vec![1], vec![2]]));
        assert!(!is_alone(length, &[vec![1], vec![0]]), "it shows what the maker does");
        assert!(!is_alone(length, &[]) && !is_alone(made, &[vec![0]]));
        assert!(!is_alone(own_year, &[vec![3]]), "it shows what was given");
    }

    #[test]
    fn given_values_come_first_and_those_of_which_there_are_few_last() {
        let given = [&Literal::Int(7), &Literal::Int(0)];
        let of = |literal| dullness(Some(&Value::Literal(literal)), &given);
        let ascending = [Literal::Int(7), Literal::Int(5), Literal::Int(0), Literal::Boolean(true)].map(of);
        assert!(ascending.is_sorted_by(|one, next| one < next), "{ascending:?}");
        assert_eq!(of(Literal::Boolean(true)), dullness(Some(&Value::Null), &[]));
        assert_eq!(of(Literal::Long(7)), Dullness::Given);
        let boxed = Observed::Value(Described::literal(Literal::Long(7)));
        let boxed = Value::Object { class: Type::class("java/lang/Long"), observed: boxed };
        assert_eq!(dullness(Some(&boxed), &given), Dullness::Given);
        let boxed = Observed::Value(Described::literal(Literal::Boolean(true)));
        let boxed = Value::Object { class: Type::class("java/lang/Boolean"), observed: boxed };
        assert_eq!(dullness(Some(&boxed), &given), Dullness::Few);
        assert!(is_given(Some(&Value::Literal(Literal::Int(0))), &given));
    }
}

//! What a test is worth to a reader: one that shows nothing is not merged, unless it alone reaches several goals.
//!
//! Seven kinds of tests show nothing. Some assert no more than that a call returned, or that it gave an object or a text of some
//! length: who breaks the method still passes them. Some assert a hash code, which is an accident of the calculation. Some call a
//! getter on a new object and get back what the constructor took, which the tests of every other method show by the way. Some get
//! back zero, false or nothing from an object made of null, which most would say. Some show the same without the call that they are
//! about. Some show a [rejection](super::rejections) of another class, and some a text with `null` in it, or a list of nothing else.
//! Such a test stays only if it alone reaches several edges or kills several mutants, the more the longer it is: then that the code
//! runs at all is worth knowing.

use super::mutation::{Assertion, MutationAnalysis};
use super::{SelectionContext, TestCandidate, cover, rejections, subject_of};
use crate::generator::Goal;
use crate::generator::program_model::call_count;
use model::execution::described::Described;
use model::execution::mutant::Mutator;
use model::execution::{Edge, Observed, Outcome, Value};
use model::jvm::Literal;
use model::sequence::{Action, Operation, OperationId, OperationKind};
use rustc_hash::FxHashSet;

/// A test of two calls that shows nothing stays if it alone reaches so many edges of methods with branches and kills so many mutants,
/// both counted together; each further call asks for one more.
const WORTH_RUNNING: usize = 2;

/// The same, where other tests show what the method does, or one of its name: this one would only reach more of it.
const WORTH_RUNNING_MORE: usize = 5;

/// Whether the test shows more than that code runs.
pub(super) fn shows_something(
    one: &TestCandidate,
    mutation: Option<&MutationAnalysis>,
    context: &SelectionContext,
) -> bool {
    if rejections::is_forwarded(one, context) {
        return false;
    }
    let (Some(mutation), Some(asserted), Outcome::Completed) = (mutation, &one.asserted, &one.execution.outcome) else {
        return true;
    };
    let operation_of = |at: usize| one.sequence.call_at(at).map(|id| &context.program.operations[id.0 as usize]);
    let is_hash = |at: usize| operation_of(at).is_some_and(|operation| &*operation.name == "hashCode");
    let tells = |assertion: &Assertion| {
        asserted.contains(&assertion.statement) && !assertion.is_bare && !is_hash(assertion.statement)
    };
    let is_empty = one.is_idle || is_plain_getter(one, context) || is_hollow(one);
    // That a text has the word null in it, which nothing in the test is called, says that somebody forgot to look.
    let is_slip = |at: usize| !speaks_of_null(one, context) && one.execution.values.get(at).is_some_and(says_null);
    !is_empty && (mutation.assertions)(one).iter().any(|it| tells(it) && !is_slip(it.statement))
}

/// Whether a text has the word `null`, or all elements are null.
fn says_null(value: &Value) -> bool {
    let has_word = |text: &str| text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "null");
    match value {
        Value::Literal(Literal::String(text)) => has_word(&text.to_string()),
        Value::Object {
            observed: Observed::Value(Described::Elements(_, elements) | Described::Array(_, elements)),
            ..
        } => !elements.is_empty() && elements.iter().all(|element| *element == Described::Null),
        _ => false,
    }
}

/// Whether the test passes the word, calls what is named after it, or gives null to the call that it is about.
fn speaks_of_null(one: &TestCandidate, context: &SelectionContext) -> bool {
    let has_name = |name: &str| name.to_ascii_lowercase().contains("null");
    let is_passed =
        |at: usize| matches!(one.sequence.literal_at(at), Some(Literal::String(text)) if has_name(&text.to_string()));
    let is_called = |id: OperationId| {
        let operation = &context.program.operations[id.0 as usize];
        has_name(&operation.name) || has_name(operation.owner.simple())
    };
    let is_null = |at: usize| matches!(one.sequence.literal_at(at), Some(Literal::Null(_)));
    let subject = (one.sequence.len() - one.observers).checked_sub(1);
    subject.is_some_and(|subject| one.sequence.inputs_of(subject).any(is_null))
        || (0..one.sequence.len()).any(is_passed)
        || one.sequence.calls().any(is_called)
}

fn returns(one: &TestCandidate) -> bool {
    one.execution.outcome == Outcome::Completed
}

/// Whether a new object that is made of null says zero, false or nothing, as most would.
fn is_hollow(one: &TestCandidate) -> bool {
    let is_null = |at: usize| matches!(one.sequence.literal_at(at), Some(Literal::Null(_)));
    let Some(subject) = (one.sequence.len() - one.observers).checked_sub(1) else { return false };
    let receiver = one.sequence.inputs_of(subject).next();
    let is_of_null = receiver.is_some_and(|made| one.sequence.inputs_of(made).any(is_null));
    let is_nothing =
        matches!(one.execution.values.get(subject), Some(Value::Null | Value::Literal(Literal::Boolean(false))));
    one.observers == 0 && is_of_null && (is_nothing || cover::has_dull_outcome(&one.execution, 0))
}

/// Of tests that show nothing, those about a member under test that reach several edges or kill several mutants that no other
/// test does.
pub(super) fn worth_running(
    silent: Vec<TestCandidate>,
    telling: &[TestCandidate],
    mutation: Option<&MutationAnalysis>,
    context: &SelectionContext,
) -> Vec<TestCandidate> {
    let returns_null = |mutant: u32| {
        mutation.is_some_and(|mutation| mutation.sites[mutant as usize].mutant.mutator == Mutator::NullReturns)
    };
    let straight = straight_edges(context);
    let counts = |goal: &Goal| match goal {
        Goal::Edge(edge) => !straight.contains(edge),
        // That a method does not return null is what any call of it shows.
        Goal::Mutant(mutant) => !returns_null(*mutant),
        _ => false,
    };
    let goals =
        |one: &TestCandidate| cover::counted_goals(one, context).into_iter().filter(counts).collect::<Vec<Goal>>();
    let shown: FxHashSet<_> =
        telling.iter().filter(|one| returns(one)).filter_map(|one| cover::named_method(one, context)).collect();
    let mut reached: FxHashSet<Goal> = telling.iter().flat_map(goals).collect();
    let mut kept = Vec::new();
    for mut one in silent {
        // A test that ends with a call of foreign code has no member under test to be named after.
        let is_about_own = subject_of(&one).is_some_and(|id| {
            // A hash code is an accident of the calculation, whatever it reaches.
            context.program.class_of(id).is_some() && &*context.program.operations[id.0 as usize].name != "hashCode"
        });
        let own: Vec<Goal> = goals(&one).into_iter().filter(|goal| !reached.contains(goal)).collect();
        let is_shown = cover::named_method(&one, context).is_some_and(|method| shown.contains(&method));
        let least = if is_shown { WORTH_RUNNING_MORE } else { WORTH_RUNNING }.max(call_count(&one.subject()) as usize);
        if is_about_own && own.len() >= least && !one.execution.environment_dependent {
            reached.extend(own.iter().cloned());
            one.goals = own.into_iter().collect();
            kept.push(one);
        }
    }
    kept
}

/// The edges of methods without branches: that one ran is that the method was called.
fn straight_edges(context: &SelectionContext) -> FxHashSet<Edge> {
    let of_bodies = context.probes.of_operation.iter();
    let edges = of_bodies.map(|body| body.iter().filter(|edge| context.probes.is_edge[**edge as usize]));
    edges.filter(|edges| edges.clone().count() == 1).flatten().copied().collect()
}

/// Whether the test shows no more than that getters on a new object give back what the constructor took.
fn is_plain_getter(one: &TestCandidate, context: &SelectionContext) -> bool {
    let operation_of = |at: usize| one.sequence.call_at(at).map(|id| &context.program.operations[id.0 as usize]);
    let Some(subject) = (one.sequence.len() - one.observers).checked_sub(1) else { return false };
    // Of a getter that the test is about, and of those that only look at what it constructs.
    let (made, getters) = match operation_of(subject).map(|operation| operation.kind) {
        Some(OperationKind::Constructor) => (subject, subject + 1..one.sequence.len()),
        Some(_) if one.observers == 0 && subject > 0 => (subject - 1, subject..subject + 1),
        _ => return false,
    };
    if operation_of(made).is_none_or(|operation| operation.kind != OperationKind::Constructor) {
        return false;
    }
    let is_getter = |operation: &Operation| {
        operation.kind == OperationKind::InstanceMethod && operation.descriptor.parameters.is_empty()
    };
    let is_given = |input: usize, returned: &Value| match (&one.sequence.statements()[input].action, returned) {
        (Action::Literal(given), Value::Literal(returned)) => given == returned,
        (Action::Literal(_), _) => false,
        (Action::Call(_), Value::Object { .. }) => one.execution.values[input] == *returned,
        (Action::Call(_), _) => false,
    };
    let gives_back = |at: usize| {
        operation_of(at).is_some_and(is_getter)
            && one.sequence.call_at(at).is_some_and(|id| context.program.effects(id).is_pure())
            && one.sequence.inputs_of(at).next() == Some(made)
            && one
                .execution
                .values
                .get(at)
                .is_some_and(|it| one.sequence.inputs_of(made).any(|input| is_given(input, it)))
    };
    match &one.asserted {
        Some(asserted) => !asserted.is_empty() && asserted.iter().all(|at| getters.contains(at) && gives_back(*at)),
        None => !getters.is_empty() && getters.into_iter().all(gives_back),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::execution::Execution;
    use model::execution::described::ElementsKind;
    use model::jvm::Type;
    use model::sequence::Sequence;
    use std::collections::BTreeSet;

    /// A call on an object that was made of `made_of`, which another call was given null.
    fn asked(made_of: Literal, returned: bool) -> TestCandidate {
        let mut sequence = Sequence::new();
        let given = sequence.push_literal(made_of);
        let made = sequence.push_call(OperationId(0), &[given]);
        let null = sequence.push_literal(Literal::Null(Type::object()));
        sequence.push_call(OperationId(1), &[made, null]);
        sequence.push_call(OperationId(2), &[made]);
        let mut values = vec![Value::Void; 5];
        values[4] = Value::Literal(Literal::Boolean(returned));
        TestCandidate::new(sequence, Execution { values, ..Execution::ended(Outcome::Completed) }, BTreeSet::new())
    }

    #[test]
    fn text_with_the_word_null_and_a_list_of_nothing_else_say_null() {
        let text = |text: &str| Value::Literal(Literal::String(text.into()));
        assert_eq!(["--null description", "nullable", ""].map(|it| says_null(&text(it))), [true, false, false]);
        let list = |elements: Vec<Described>| Value::Object {
            class: Type::object(),
            observed: Observed::Value(Described::Elements(ElementsKind::List, elements)),
        };
        let one = Described::Literal(Literal::Int(1));
        let says = [vec![Described::Null], vec![Described::Null, one], Vec::new()].map(|it| says_null(&list(it)));
        assert_eq!(says, [true, false, false]);
    }

    #[test]
    fn object_made_of_null_that_says_false_shows_nothing() {
        let null = || Literal::Null(Type::object());
        assert!(is_hollow(&asked(null(), false)));
        assert!(!is_hollow(&asked(null(), true)));
        assert!(!is_hollow(&asked(Literal::Int(1), false)));
    }
}

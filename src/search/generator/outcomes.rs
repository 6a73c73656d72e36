//! Outcomes as goals: that an operation returned, and each exception that it threw.
//!
//! A suite that covers every edge may show no method at work: edges are reached on the way to an exception, or inside of
//! other calls. So each method that is more than a getter is to be seen returning, and each exception is a goal of the
//! operation that shows it.

use super::{Goal, ProbeMap};
use model::execution::described::Described;
use model::execution::{Execution, Observed, Outcome, Thrown, Value};
use model::jvm::types::ClassFacts;
use model::jvm::{Literal, Type};
use model::sequence::{Action, Operation, OperationId, OperationKind, Sequence};
use oracle::{Intent, intent, is_on_null};
use program::{Program, Target};

/// Whether it is a goal that the operation returns: a method of a class under test, open to callers, that does more than to
/// return what an object holds. Operations of other code have no probes.
pub fn is_to_return(id: OperationId, program: &Program, probes: &ProbeMap) -> bool {
    let operation = &program.operations[id.0 as usize];
    let edges = edges(id, probes);
    let is_method = matches!(operation.kind, OperationKind::StaticMethod | OperationKind::InstanceMethod);
    let is_getter = edges == 1 && operation.descriptor.parameters.is_empty() && program.effects(id).is_pure();
    is_method && !operation.internal && edges > 0 && !is_getter
}

/// The number of edges in the body.
pub(super) fn edges(id: OperationId, probes: &ProbeMap) -> usize {
    probes.of_operation[id.0 as usize].iter().filter(|&&probe| probes.is_edge[probe as usize]).count()
}

/// The goals that the end of a run reaches: what the last call of its sequence did.
pub(super) fn goals_of(sequence: &Sequence, execution: &Execution, program: &Program, probes: &ProbeMap) -> Vec<Goal> {
    let called = |statement: usize| match sequence.statements().get(statement)?.action {
        Action::Call(operation) => Some(operation),
        Action::Literal(_) => None,
    };
    match &execution.outcome {
        Outcome::Completed => {
            let Some(last) = sequence.len().checked_sub(1).and_then(called) else { return Vec::new() };
            let is_goal = is_to_return(last, program, probes);
            let returns = is_goal.then_some(Goal::Returns(probes.member_of(last)));
            returns.into_iter().chain(cases(sequence, last, is_goal, program, probes)).collect()
        }
        Outcome::Threw { statement, exception } => {
            let Some(thrower) = called(*statement) else { return Vec::new() };
            let has_code = !probes.of_operation[thrower.0 as usize].is_empty();
            let is_call = !is_on_null(sequence, *statement, execution, &program.operations);
            let is_goal = has_code && is_call && !passes_null_on(exception, program);
            is_goal.then(|| Goal::Throws(probes.member_of(thrower), exception.class.clone())).into_iter().collect()
        }
        Outcome::Killed { .. } | Outcome::Unlinkable { .. } => Vec::new(),
    }
}

/// Whether a called operation rejected a null that code under test passed to it: a test of that operation shows it.
fn passes_null_on(exception: &Thrown, program: &Program) -> bool {
    if exception.class.internal() != "java/lang/NullPointerException" {
        return false;
    }
    let mut frames = exception.stack.iter().filter_map(|frame| Some((program.target(&frame.class)?, frame)));
    let (Some((rejecting, frame)), Some((_, caller))) = (frames.next(), frames.next()) else { return false };
    // Constructors of superclasses take what those of classes are given.
    let is_inherited = frame.method == "<init>" && caller.method == "<init>" && frame.class != caller.class;
    let named = rejecting.operations.iter().map(|id| &program.operations[id.0 as usize]);
    let mut named = named.filter(|operation| *operation.name == *frame.method).peekable();
    let is_open = |operation: &Operation| {
        let takes_reference = operation.descriptor.parameters.iter().any(|of| !of.is_primitive());
        takes_reference && !operation.internal && !operation.back_door
    };
    !is_inherited && named.peek().is_some() && named.all(is_open)
}

/// Enums with more constants than this are not tried constant by constant.
const MOST_CASES: usize = 16;

/// The constants of enums under test that the last call takes: a colleague forgets one of them, and for one alone the result is
/// wrong. Getters count if the enum itself has them, as each constant has its own value.
fn cases(sequence: &Sequence, last: OperationId, is_goal: bool, program: &Program, probes: &ProbeMap) -> Vec<Goal> {
    let end = sequence.len() - 1;
    let operation = &program.operations[last.0 as usize];
    let is_of_receiver = || operation.has_receiver() && !operation.internal && edges(last, probes) > 0;
    let case = |(position, statement): (usize, usize)| {
        let Action::Call(constant) = sequence.statements()[statement].action else { return None };
        // What takes any object takes enums by the way.
        let owner = &program.operations[constant.0 as usize].owner;
        let is_of_type = operation.inputs.get(position).and_then(Type::class_name) == Some(owner);
        let counts = || is_goal || position == 0 && is_of_receiver();
        (is_of_type && is_case(constant, program) && counts()).then_some(Goal::ReturnsFor(
            probes.member_of(last),
            position as u32,
            constant,
        ))
    };
    sequence.inputs_of(end).enumerate().filter_map(case).collect()
}

/// Whether the operation reads one of a few constants of an enum under test.
fn is_case(id: OperationId, program: &Program) -> bool {
    let is_constant = |id: OperationId| program.operations[id.0 as usize].reads_own_constant();
    let owner = &program.operations[id.0 as usize].owner;
    let is_enum = || program.types.get(owner).is_some_and(ClassFacts::is_enum);
    let has_few = |target: &Target| target.operations.iter().filter(|id| is_constant(**id)).count() <= MOST_CASES;
    is_constant(id) && is_enum() && program.target(owner).is_some_and(has_few)
}

/// Whether a value says little of what a method does, as many wrong methods return it too: 0 or nothing.
pub(super) fn is_dull(value: &Value) -> bool {
    match value {
        Value::Literal(literal) => is_nothing(literal) == Some(true),
        Value::Object { observed: Observed::Size(size), .. } => *size == 0,
        Value::Object { observed: Observed::Value(content), .. } => {
            let numbers: Vec<bool> = content.all().into_iter().filter_map(is_zero).collect();
            let is_empty = content.size() == Some(0);
            is_empty || !numbers.is_empty() && numbers.iter().all(|is_zero| *is_zero)
        }
        Value::Object { observed: Observed::Nothing, .. } | Value::Null | Value::Void => false,
    }
}

/// Whether a number is 0, and a text empty; `None` for what is neither.
fn is_nothing(literal: &Literal) -> Option<bool> {
    Some(match literal {
        Literal::Int(number) => *number == 0,
        Literal::Long(number) => *number == 0,
        Literal::Short(number) => *number == 0,
        Literal::Byte(number) => *number == 0,
        Literal::Float(bits) => f32::from_bits(*bits) == 0.0,
        Literal::Double(bits) => f64::from_bits(*bits) == 0.0,
        Literal::String(text) => text.units().is_empty(),
        _ => return None,
    })
}

/// Whether a part of a value is the number 0; `None` if it is no number.
fn is_zero(part: &Described) -> Option<bool> {
    match part {
        Described::Literal(Literal::String(_)) => None,
        Described::Literal(literal) => is_nothing(literal),
        Described::Text(class, text) => {
            let is_number = ["java/math/", "java/time/Duration"].iter().any(|of| class.internal().starts_with(of));
            let digits = || text.to_string().chars().filter(char::is_ascii_digit).all(|digit| digit == '0');
            is_number.then(digits)
        }
        _ => None,
    }
}

/// Whether a run ended in an exception, and whether that was thrown on purpose.
pub(super) fn intent_of(execution: &Execution, program: &Program) -> Option<Intent> {
    match &execution.outcome {
        Outcome::Threw { exception, .. } => Some(intent(exception, program)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::ClassName;

    #[test]
    fn zero_and_nothing_are_dull() {
        let decimal = |text: &str| Described::Text(ClassName::new("java/math/BigDecimal"), text.into());
        let of = |content| Value::Object { class: Type::object(), observed: Observed::Value(content) };
        let money = |text| {
            Described::Record(
                ClassName::new("p/Money"),
                vec![decimal(text), Described::literal(Literal::String("EUR".into()))],
            )
        };
        assert!(is_dull(&of(decimal("0.00"))) && is_dull(&of(money("0.00"))));
        assert!(!is_dull(&of(decimal("0.05"))) && !is_dull(&of(money("1.00"))));
        assert!(is_dull(&Value::Literal(Literal::Int(0))) && !is_dull(&Value::Literal(Literal::Int(-1))));
        assert!(is_dull(&Value::Literal(Literal::String("".into()))));
        assert!(!is_dull(&Value::Literal(Literal::Boolean(false))) && !is_dull(&Value::Null));
    }
}

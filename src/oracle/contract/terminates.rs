//! Calls return. It holds only of runs whose loops are watched, in which what never ends shows as an error of the worker's.

use super::{Contract, Run};
use crate::{Violation, is_a};
use model::execution::{Outcome, StackFrame, Thrown};
use model::jvm::{JavaString, Literal, Type};
use model::sequence::{Action, Operation, Sequence};

/// The contract that an endless loop breaks.
pub const TERMINATES: &str = "terminates";

/// What a worker ends a loop with that has come back to a state.
const ENDLESS_LOOP: &str = "randgen/runtime/EndlessLoop";

/// What it ends a loop with that fills memory; a subclass.
const GROWING_LOOP: &str = "randgen/runtime/GrowingLoop";

/// Methods that anybody calls without thinking of how deep the object is, and how many parameters they have.
const SHALLOW: [(&str, usize); 5] = [("toString", 0), ("equals", 1), ("hashCode", 0), ("compareTo", 1), ("compare", 2)];

/// With larger numbers or longer texts, much work may be what the caller asked for.
const LARGE: i64 = 100;

/// Calls return: no loop comes back to a state, none fills memory, and methods like `toString` do not call themselves for ever.
pub struct Terminates;

impl Contract for Terminates {
    fn name(&self) -> &'static str {
        TERMINATES
    }

    fn law(&self) -> &'static str {
        "a call returns: no loop comes back to a state that it had, none fills memory for small arguments, and `toString`, `equals`, `hashCode`, `compareTo` and `compare` do not recurse without end"
    }

    fn violated_by(&self, run: &Run) -> Option<Violation> {
        let Outcome::Threw { statement, exception } = &run.execution.outcome else { return None };
        let Action::Call(called) = run.sequence.statements()[*statement].action else { return None };
        let called = &run.operations[called.0 as usize];
        let (message, thrown) = if is_growing(exception) && is_plain(run.sequence) {
            (format!("the call fills memory: {} does not end", place(exception)?), exception.clone())
        } else if is_recurring(exception) {
            (
                format!("the call does not return: {} comes back to a state that it had", place(exception)?),
                exception.clone(),
            )
        } else if is_a(exception, "java/lang/StackOverflowError") && is_shallow(called) && is_plain(run.sequence) {
            (format!("{} must not recurse without end", called.name), in_one_place(exception))
        } else {
            return None;
        };
        Some(Violation { contract: TERMINATES, message, thrown: Some(thrown) })
    }
}

fn is_shallow(called: &Operation) -> bool {
    let parameters = &called.descriptor.parameters;
    let is_depth = |of: &Type| matches!(of, Type::Primitive(_));
    called.has_receiver() && SHALLOW.contains(&(&*called.name, parameters.len())) && !parameters.iter().any(is_depth)
}

/// Whether the worker ended a loop, so that the exception is none of the code's.
pub fn is_loop(thrown: &Thrown) -> bool {
    is_a(thrown, ENDLESS_LOOP)
}

/// Whether the worker has seen a state of a loop again: it never ends.
pub fn is_recurring(thrown: &Thrown) -> bool {
    is_loop(thrown) && !is_growing(thrown)
}

fn is_growing(thrown: &Thrown) -> bool {
    is_a(thrown, GROWING_LOOP)
}

/// The method with the loop, which is at the top of the stack.
fn place(thrown: &Thrown) -> Option<String> {
    let StackFrame { class, method, line } = thrown.stack.first()?;
    let line = if *line > 0 { format!(", line {line},") } else { String::new() };
    Some(format!("the loop in {class}.{method}{line}"))
}

/// Where the stack ended is chance: of the methods that called one another, the first by name stands for all.
fn in_one_place(thrown: &Thrown) -> Thrown {
    let own = thrown.stack.iter().filter(|frame| !frame.class.internal().starts_with("java/"));
    let first = own.min_by_key(|frame| (frame.class.clone(), frame.method.clone()));
    let stack = first.map(|frame| StackFrame { line: -1, ..frame.clone() }).into_iter().collect();
    Thrown { stack, ..thrown.clone() }
}

fn is_plain(sequence: &Sequence) -> bool {
    let is_short = |text: &JavaString| (text.units().len() as i64) <= LARGE;
    sequence.statements().iter().all(|statement| match &statement.action {
        Action::Literal(Literal::Int(number)) => i64::from(*number).abs() <= LARGE,
        Action::Literal(Literal::Long(number)) => number.unsigned_abs() <= LARGE as u64,
        Action::Literal(Literal::Short(number)) => i64::from(*number).abs() <= LARGE,
        Action::Literal(Literal::Float(number)) => f32::from_bits(*number).abs() <= LARGE as f32,
        Action::Literal(Literal::Double(number)) => f64::from_bits(*number).abs() <= LARGE as f64,
        Action::Literal(Literal::String(text)) => is_short(text),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::*;
    use crate::{Judge, Verdict};
    use model::jvm::{ClassName, MethodDescriptor};
    use model::sequence::OperationKind;

    /// The verdict on a run in which this was thrown, given the literal.
    fn verdict(class: &str, literal: Literal) -> Verdict {
        let finding = failure(RUN, literal, class, None, &["p/B.run", "p/A.run"]);
        let mut execution = finding.execution;
        let Outcome::Threw { exception, .. } = &mut execution.outcome else { panic!("it threw") };
        if class == GROWING_LOOP {
            exception.superclasses.push(ClassName::new(ENDLESS_LOOP));
        }
        Judge::new(&program(), &[]).judge_run(&finding.sequence, &execution).verdict
    }

    fn breaks(class: &str, literal: Literal) -> bool {
        matches!(verdict(class, literal), Verdict::ErrorRevealing(Violation { contract: TERMINATES, .. }))
    }

    #[test]
    fn loops_that_the_worker_ended_break_it_but_not_those_that_large_numbers_ask_for() {
        assert!(breaks(ENDLESS_LOOP, Literal::Int(100_000)));
        assert!(breaks(GROWING_LOOP, Literal::Int(3)) && !breaks(GROWING_LOOP, Literal::Int(100_000)));
        // Other methods may be called with what is too deep.
        assert!(!breaks("java/lang/StackOverflowError", Literal::Null(Type::object())));
    }

    #[test]
    fn recursion_without_end_is_one_of_methods_that_take_no_depth() {
        let called = |name: &str, descriptor: &str| {
            let descriptor = MethodDescriptor::parse(descriptor).unwrap();
            is_shallow(&Operation::new(OperationKind::InstanceMethod, ClassName::new("p/A"), name, descriptor))
        };
        assert!(called("toString", "()Ljava/lang/String;") && called("equals", "(Ljava/lang/Object;)Z"));
        assert!(!called("toString", "(I)Ljava/lang/String;") && !called("compare", "(ILjava/lang/Object;)I"));
    }

    #[test]
    fn overflow_is_told_in_the_first_of_the_methods_that_call_one_another() {
        let finding = failure(RUN, Literal::Int(1), "java/lang/StackOverflowError", None, &["p/B.run", "p/A.run"]);
        let Outcome::Threw { exception, .. } = finding.execution.outcome else { panic!("it threw") };
        let frame = in_one_place(&exception).stack.remove(0);
        assert_eq!((frame.class.internal(), &*frame.method, frame.line), ("p/A", "run", -1));
    }
}

//! What two versions of a program do differently in one sequence, as far as a caller can see it.
//!
//! Results, exceptions and ends count, states only where a result shows them. Two exceptions that nobody throws on purpose are
//! the same: which of them the JVM raises first at nonsense is no behaviour.

use super::versions::Versions;
use model::execution::described::Described;
use model::execution::{Execution, KillReason, Observed, Outcome, Thrown, Value};
use model::jvm::Literal;
use oracle::Intent;
use program::Program;

/// An older version that comes this near to the budget of probes says nothing about the newer, which may take a bit more.
const NEAR_BUDGET: u64 = 50_000;

/// The first difference of two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The statement that behaves differently.
    pub statement: usize,
    /// What it did in the older version.
    pub was: Shown,
    /// What it does in the newer one.
    pub is: Shown,
}

/// What a statement did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It returned.
    Value(Value),
    /// It threw.
    Threw(Box<Thrown>),
    /// It was ended, or ended its JVM.
    Ended(KillReason),
    /// There is no such member, in the JVM's words.
    Missing(String),
}

/// The first difference between the runs of both versions, which were observed; `None` if a caller sees none, or if a run says
/// nothing about its version.
pub fn difference(older: &Execution, newer: &Execution, versions: &Versions) -> Option<Difference> {
    let says_nothing = |run: &Execution| run.may_vary() || run.denied.is_some();
    if says_nothing(older) || says_nothing(newer) || matches!(older.outcome, Outcome::Unlinkable { .. }) {
        return None;
    }
    let both = older.values.iter().zip(&newer.values).enumerate();
    for (statement, (was, is)) in both {
        if differ(was, is, &versions.older.program) {
            return Some(Difference { statement, was: Shown::Value(was.clone()), is: Shown::Value(is.clone()) });
        }
    }
    let [was, is] = [older, newer].map(ending);
    let statement = was.map_or(usize::MAX, |(at, _)| at).min(is.map_or(usize::MAX, |(at, _)| at));
    let shown = |run: &Execution| match ending(run) {
        Some((at, shown)) if at == statement => Some(shown),
        _ => run.values.get(statement).cloned().map(Shown::Value),
    };
    let (was, is) = (shown(older)?, shown(newer)?);
    let differ = match (&was, &is) {
        (Shown::Threw(was), Shown::Threw(is)) => threw_otherwise(was, is, versions),
        (Shown::Value(_), Shown::Value(_)) => false,
        (Shown::Ended(reason), Shown::Ended(other)) => reason != other && [reason, other].into_iter().all(repeats),
        (Shown::Ended(reason), _) | (_, Shown::Ended(reason)) => repeats(reason) && older.cost < NEAR_BUDGET,
        _ => true,
    };
    differ.then_some(Difference { statement, was, is })
}

/// Whether runs that say little of their values may differ: a reason to look closer. States count here.
pub fn may_differ(older: &Execution, newer: &Execution) -> bool {
    let (was, is) = (ending(older), ending(newer));
    // Nothing shows yet what a call leaves that throws.
    older.values != newer.values || was.is_none() && older.states != newer.states || was != is
}

/// How a run ended, if not by itself, and at which statement. A stack says where code is, not what it does.
fn ending(run: &Execution) -> Option<(usize, Shown)> {
    match &run.outcome {
        Outcome::Completed => None,
        Outcome::Threw { statement, exception } => Some((*statement, Shown::Threw(Box::new(exception.clone())))),
        Outcome::Killed { statement, reason } => Some((statement.unwrap_or(run.values.len()), Shown::Ended(*reason))),
        Outcome::Unlinkable { statement, message } => Some((*statement, Shown::Missing(message.clone()))),
    }
}

fn threw_otherwise(was: &Thrown, is: &Thrown, versions: &Versions) -> bool {
    let intents = (oracle::intent(was, &versions.older.program), oracle::intent(is, &versions.newer.program));
    if intents == (Intent::Implicit, Intent::Implicit) {
        return false;
    }
    let speaks =
        oracle::has_own_message(was, &versions.older.program) && oracle::has_own_message(is, &versions.newer.program);
    was.class != is.class || speaks && was.message != is.message
}

/// Whether a run that ended for this reason ends so each time.
fn repeats(reason: &KillReason) -> bool {
    match reason {
        KillReason::ProbeBudget | KillReason::Timeout | KillReason::Exit | KillReason::StackOverflow => true,
        KillReason::OutOfMemory | KillReason::Signal(_) | KillReason::WorkerExit(_) => false,
    }
}

/// Whether a caller sees that the values differ. What only the worker knows is the same.
fn differ(was: &Value, is: &Value, program: &Program) -> bool {
    match (was, is) {
        (Value::Literal(was), Value::Literal(is)) => {
            let (was, is) = (Described::literal(was.clone()), Described::literal(is.clone()));
            was != is && is_comparable(&was) && is_comparable(&is)
        }
        (Value::Object { class: one, observed: was }, Value::Object { class: other, observed: is }) => {
            let named = |class: &model::jvm::Type| {
                class.class_name().is_some_and(|name| program.is_target(name) && program.types.is_public(name))
            };
            let other_class = || one != other && named(one) && named(other);
            match (was, is) {
                (Observed::Value(was), Observed::Value(is)) if !has_fields(was) && !has_fields(is) => {
                    was != is && is_comparable(was) && is_comparable(is)
                }
                (Observed::Nothing, Observed::Nothing) => other_class(),
                _ => match (was.size(), is.size()) {
                    (Some(was), Some(is)) => was != is,
                    (None, None) => other_class(),
                    _ => false,
                },
            }
        }
        (Value::Null, Value::Object { .. } | Value::Literal(_)) => true,
        (Value::Object { .. } | Value::Literal(_), Value::Null) => true,
        _ => false,
    }
}

/// Whether fields of a class are told in it: how an object keeps its state is its own affair.
fn has_fields(of: &Described) -> bool {
    of.all().iter().any(|part| matches!(part, Described::Object(..)))
}

/// Whether no text in it names a class that the JVM or a worker made up.
fn is_comparable(of: &Described) -> bool {
    let names_class = |part: &&Described| match part {
        Described::Literal(Literal::String(text)) | Described::Text(_, text) => {
            let text = text.to_string();
            ["$$Lambda", "RandgenStub"].iter().any(|made_up| text.contains(made_up))
        }
        _ => false,
    };
    !of.all().iter().any(names_class)
}

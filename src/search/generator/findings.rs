//! Findings by cause: of the many sequences that show one fault, one becomes the finding, and the others are counted.
//!
//! The cause is the contract and, for an exception, its class and the topmost frame under test with its line; otherwise the
//! class that broke the contract. It does not depend on the sequence that led to the fault.
//! Occurrences are the failing sequences of a cause, counted by their cleaned form, so that redundant ones count once
//! (Randoop heuristics, docs/bibliography.md). [`Identity`] identifies a finding across runs: it omits everything that
//! changes with the seed or with edits of other code.

use super::program_model::call_count;
use crate::redundancy::{clean, sequence_hash};
use model::execution::{Execution, StackFrame, Value};
use model::jvm::Literal;
use model::sequence::{Action, Sequence};
use oracle::{Finding, Violation};
use program::Program;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The parts of a finding that do not depend on the sequence that showed it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    contract: &'static str,
    /// The exception and where in the code under test it was thrown, or which class broke the contract.
    place: String,
}

impl Cause {
    pub fn of(violation: &Violation, sequence: &Sequence, execution: &Execution, program: &Program) -> Cause {
        let place = match &violation.thrown {
            Some(thrown) => {
                // Other code on the stack is ignored: only the topmost frame under test counts.
                let frame = program.own_frame(thrown).or(thrown.stack.first());
                let shown = frame.map(|frame| format!("{}.{}:{}", frame.class, frame.method, frame.line));
                format!("{} {}", thrown.class, shown.unwrap_or_default())
            }
            None => checked(sequence, execution, program),
        };
        Cause { contract: violation.contract, place }
    }
}

/// The class of the last call's receiver, which broke the contract; or the called operation.
fn checked(sequence: &Sequence, execution: &Execution, program: &Program) -> String {
    let last = sequence.len() - 1;
    let receiver = sequence.inputs_of(last).next().and_then(|input| execution.values.get(input));
    match (receiver, &sequence.statements()[last].action) {
        (Some(Value::Object { class, .. }), _) => class.to_string(),
        (_, Action::Call(operation)) => program.operations[operation.0 as usize].to_string(),
        (_, Action::Literal(_)) => String::new(),
    }
}

/// Identifies a finding across runs, without line numbers, numbers given by the compiler, and names and values of the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// What was thrown and the method under test that threw it, or called what did; or what broke the contract.
    pub cause: String,
    /// The methods under test that were running, from the top.
    pub stack: Vec<String>,
    /// The cleaned form of the sequence, an entry per call.
    pub calls: Vec<String>,
}

impl Identity {
    /// What tells the finding from others.
    pub fn of(finding: &Finding, program: &Program) -> Identity {
        let thrown = finding.violation.thrown.as_ref();
        let frames = thrown.into_iter().flat_map(|thrown| &thrown.stack);
        let own = frames.filter(|frame| program.is_target(&frame.class));
        let mut stack: Vec<String> = own.map(method_of).collect();
        stack.dedup();
        let cause = match thrown {
            Some(thrown) => match stack.first().cloned().or(thrown.stack.first().map(method_of)) {
                Some(method) => format!("{} in {method}", thrown.class),
                None => thrown.class.to_string(),
            },
            None => checked(&finding.sequence, &finding.execution, program),
        };
        Identity { cause, stack, calls: calls(&cleaned_form(&finding.sequence, finding.checks, program), program) }
    }
}

/// Class and method of a frame without the numbers in `Shop$1` and `lambda$total$3`, which depend on preceding code.
fn method_of(frame: &StackFrame) -> String {
    let class = frame.class.to_string();
    let unnumbered = |segment: &str| segment.trim_start_matches(|letter: char| letter.is_ascii_digit()).to_string();
    let class: Vec<String> = class.split('$').map(unnumbered).collect();
    let method = match frame.method.rsplit_once('$') {
        Some((name, number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => &frame.method,
    };
    format!("{}.{method}", class.join("$"))
}

/// The calls with their inputs: the number of an earlier call, `null`, or the type of a literal, because the value of a
/// literal is random.
fn calls(sequence: &Sequence, program: &Program) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    let mut calls = Vec::new();
    for (at, statement) in sequence.statements().iter().enumerate() {
        shown.push(match &statement.action {
            Action::Literal(Literal::Null(_)) => "null".to_string(),
            Action::Literal(literal) => literal.literal_type().erased().to_string(),
            Action::Call(operation) => {
                let inputs: Vec<&str> = sequence.inputs_of(at).map(|input| shown[input].as_str()).collect();
                calls.push(format!("{} <- {}", program.operations[operation.0 as usize], inputs.join(", ")));
                format!("#{}", calls.len())
            }
        });
    }
    calls
}

/// The findings of a search.
#[derive(Default)]
pub(super) struct Findings {
    /// Each with the hashes of its occurrences' cleaned forms.
    by_cause: BTreeMap<Cause, (Finding, FxHashSet<u64>)>,
}

impl Findings {
    /// Keeps one sequence of each cause: the shortest of those whose run a test can repeat, or of all if there is none.
    pub fn note(
        &mut self,
        sequence: &Sequence,
        checks: usize,
        execution: &Execution,
        violation: Violation,
        program: &Program,
    ) {
        let Some(class) = program.class_of_sequence(sequence) else { return };
        let class = program.targets[class].name.clone();
        let cause = Cause::of(&violation, sequence, execution, program);
        let cleaned = sequence_hash(&cleaned_form(sequence, checks, program));
        let new = Finding {
            class,
            sequence: sequence.clone(),
            checks,
            execution: execution.clone(),
            violation,
            occurrences: 1,
        };
        let rank = |finding: &Finding| (finding.execution.environment_dependent, call_count(&finding.sequence));
        let (known, occurrences) = self.by_cause.entry(cause).or_insert_with(|| (new.clone(), FxHashSet::default()));
        if rank(&new) < rank(known) {
            *known = new;
        }
        occurrences.insert(cleaned);
        known.occurrences = occurrences.len() as u32;
    }

    pub fn len(&self) -> usize {
        self.by_cause.len()
    }

    /// In order of their causes.
    pub fn into_vec(self) -> Vec<Finding> {
        self.by_cause.into_values().map(|(finding, _)| finding).collect()
    }
}

/// One finding for each cause and cleaned form, with the occurrences of all of them, in order of the first. Two contracts
/// that one exception violates count as one: that of a contract check, which is more specific.
pub(super) fn distinct(findings: impl Iterator<Item = Finding>, program: &Program) -> Vec<Finding> {
    let mut distinct: Vec<(Cause, Sequence, Finding)> = Vec::new();
    for finding in findings {
        let cause = Cause::of(&finding.violation, &finding.sequence, &finding.execution, program);
        let cleaned = cleaned_form(&finding.sequence, finding.checks, program);
        let is_same = |(known, form, other): &&mut (Cause, Sequence, Finding)| {
            let is_thrown = finding.violation.thrown.is_some() && other.violation.thrown.is_some();
            match known.contract == cause.contract {
                true => *known == cause && *form == cleaned,
                false => is_thrown && known.place == cause.place,
            }
        };
        match distinct.iter_mut().find(is_same) {
            Some((known_cause, form, known)) => {
                let occurrences = known.occurrences + finding.occurrences;
                if known.checks == 0 && finding.checks > 0 {
                    (*known_cause, *form, *known) = (cause, cleaned, finding);
                }
                known.occurrences = occurrences;
            }
            None => distinct.push((cause, cleaned, finding)),
        }
    }
    distinct.into_iter().map(|(.., finding)| finding).collect()
}

/// The part of a finding's sequence that affects its last statements.
fn cleaned_form(sequence: &Sequence, checks: usize, program: &Program) -> Sequence {
    clean(sequence, checks.max(1), &program.effects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::jvm::ClassName;

    #[test]
    fn compiler_generated_numbers_are_removed_from_method_names() {
        let shown = |class: &str, method: &str| {
            method_of(&StackFrame { class: ClassName::new(class), method: method.to_string(), line: 7 })
        };
        assert_eq!(shown("shop/Cart$1", "lambda$total$3"), "shop.Cart$.lambda$total");
        assert_eq!(shown("shop/Cart$1Sum", "add"), "shop.Cart$Sum.add");
        assert_eq!(shown("shop/Cart$Line", "price2"), "shop.Cart$Line.price2");
        assert_eq!(shown("shop/Cart", "with$sign"), "shop.Cart.with$sign");
    }
}

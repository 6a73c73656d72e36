//! Findings by cause: of the many sequences that show one fault, one becomes the finding, and the others are counted.
//!
//! The cause is the contract and, for an exception, its class and the topmost frame under test, with its line unless check
//! calls of `toString` and the like threw; otherwise the class that declares the method which broke the contract, whichever
//! of its subclasses showed it. It does not depend on the sequence that led to the fault.
//! Occurrences are the failing sequences of a cause, counted by their cleaned form, so that redundant ones count once
//! (Randoop heuristics, docs/bibliography.md). [`Identity`] identifies a finding across runs: it omits everything that
//! changes with the seed or with edits of other code.

use super::program_model::call_count;
use crate::redundancy::{clean, sequence_hash};
use model::execution::{Execution, StackFrame, Thrown, Value};
use model::jvm::{ClassName, Literal, Type};
use model::options::Confidence;
use model::sequence::{Action, Sequence};
use oracle::contract::CONTRACT_METHOD;
use oracle::{Finding, Judge, Violation, contract};
use program::Program;
use rustc_hash::FxHashSet;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a finding that do not depend on the sequence that showed it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    contract: &'static str,
    /// The exception and where in the code under test it was thrown, or which class broke the contract.
    place: String,
    /// Where it was thrown, unless the contract is about certain methods.
    line: Option<i32>,
    /// The operation after which a contract method does not hold: each that breaks its object is to blame by itself.
    after: Option<String>,
}

impl Cause {
    pub fn of(violation: &Violation, sequence: &Sequence, execution: &Execution, program: &Program) -> Cause {
        if violation.contract == CONTRACT_METHOD {
            let (place, after) = contract_method(sequence, program);
            return Cause { contract: CONTRACT_METHOD, place, line: None, after };
        }
        let place = match &violation.thrown {
            Some(thrown) => {
                let shown = top_frame(thrown, program).map(|frame| format!("{}.{}", frame.class, frame.method));
                // An exception without a stack trace has no frames.
                let shown = shown.unwrap_or_else(|| checked(violation.contract, sequence, execution, program));
                format!("{} {shown}", thrown.class)
            }
            None => checked(violation.contract, sequence, execution, program),
        };
        // What a method like `toString` must not do, it must not do in any line.
        let line = line_of(violation, program).filter(|_| contract::subjects(violation.contract).is_empty());
        Cause { contract: violation.contract, place, line, after: None }
    }

    /// Whether a smaller sequence with the other cause shows the same fault. An object that is broken stays so after further
    /// calls.
    pub fn is_shown_by(&self, other: &Cause) -> bool {
        (self.contract, &self.place, self.line) == (other.contract, &other.place, other.line)
    }
}

/// The contract method that the last call checks, and the operation before it.
fn contract_method(sequence: &Sequence, program: &Program) -> (String, Option<String>) {
    let mut calls = sequence.calls().rev().map(|id| program.operations[id.0 as usize].to_string());
    (calls.next().unwrap_or_default(), calls.next())
}

/// The topmost frame under test; other code on the stack is ignored.
fn top_frame<'a>(thrown: &'a Thrown, program: &Program) -> Option<&'a StackFrame> {
    program.own_frame(thrown).or(thrown.stack.first())
}

/// The line of the topmost frame.
fn line_of(violation: &Violation, program: &Program) -> Option<i32> {
    top_frame(violation.thrown.as_ref()?, program).map(|frame| frame.line)
}

/// The class that declares the method which broke the contract, the class of the object itself if that is not known; or the
/// called operation.
fn checked(contract: &str, sequence: &Sequence, execution: &Execution, program: &Program) -> String {
    let last = sequence.len() - 1;
    match (class_of_receiver(sequence, execution), &sequence.statements()[last].action) {
        (Some(Type::Class(class)), _) => {
            let declaring = contract::declaring_class(contract::subjects(contract), class, program);
            declaring.unwrap_or_else(|| class.clone()).to_string()
        }
        (Some(other), _) => other.to_string(),
        (None, Action::Call(operation)) => program.operations[operation.0 as usize].to_string(),
        (None, Action::Literal(_)) => String::new(),
    }
}

/// The run-time class of the first input of the last call.
fn class_of_receiver<'a>(sequence: &Sequence, execution: &'a Execution) -> Option<&'a Type> {
    let receiver = sequence.inputs_of(sequence.len() - 1).next()?;
    match execution.values.get(receiver)? {
        Value::Object { class, .. } => Some(class),
        _ => None,
    }
}

/// The class under test that showed a violation: that of the object whose method was called last, or that of the member.
fn showing_class(sequence: &Sequence, execution: &Execution, program: &Program) -> Option<ClassName> {
    let Action::Call(operation) = sequence.statements()[sequence.len() - 1].action else { return None };
    let operation = &program.operations[operation.0 as usize];
    let receiver = class_of_receiver(sequence, execution).filter(|_| operation.has_receiver());
    let class = receiver.and_then(Type::class_name).unwrap_or(&operation.owner);
    program.is_target(class).then(|| class.clone())
}

/// The class at fault, if it is not the one that the sequence is about: the one that declares the method which broke the
/// contract, or the superclass in which check calls threw.
fn class_at_fault(
    violation: &Violation,
    checks: usize,
    sequence: &Sequence,
    execution: &Execution,
    program: &Program,
) -> Option<ClassName> {
    let class = class_of_receiver(sequence, execution)?.class_name()?;
    let subjects = contract::subjects(violation.contract);
    let declaring = || contract::declaring_class(subjects, class, program);
    let Some(thrown) = &violation.thrown else { return declaring() };
    if checks == 0 {
        return None;
    }
    let frame = program.own_frame(thrown).map(|frame| &frame.class);
    let inherited = frame.filter(|frame| program.types.ancestry(class).iter().any(|facts| facts.name == **frame));
    inherited.cloned().or_else(declaring)
}

/// The class that a violation is reported for: the one at fault if a test in its package can run the sequence, or else the
/// one whose tests the sequence belongs to.
pub(super) fn class_of(
    violation: &Violation,
    checks: usize,
    sequence: &Sequence,
    execution: &Execution,
    program: &Program,
) -> Option<ClassName> {
    let package = program.package_of_sequence(sequence);
    let is_usable = |class: &ClassName| package.as_ref().is_none_or(|package| class.package() == *package);
    let at_fault = class_at_fault(violation, checks, sequence, execution, program).filter(is_usable);
    at_fault.or_else(|| program.class_of_sequence(sequence).map(|class| program.targets[class].name.clone()))
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
            _ if finding.violation.contract == CONTRACT_METHOD => {
                let (method, after) = contract_method(&finding.sequence, program);
                after.map_or_else(|| method.clone(), |after| format!("{method} after {after}"))
            }
            Some(thrown) if contract::is_loop(thrown) => {
                format!("endless loop in {}", stack.first().cloned().unwrap_or_default())
            }
            Some(thrown) => match stack.first().cloned().or(thrown.stack.first().map(method_of)) {
                Some(method) => format!("{} in {method}", thrown.class),
                None => {
                    let class = checked(finding.violation.contract, &finding.sequence, &finding.execution, program);
                    format!("{} in {class}", thrown.class)
                }
            },
            None => checked(finding.violation.contract, &finding.sequence, &finding.execution, program),
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
    by_cause: BTreeMap<Cause, Occurrences>,
}

/// Sequences that show one fault.
struct Occurrences {
    /// The one that becomes the finding.
    best: Finding,
    rank: Rank,
    /// Hashes of the cleaned forms of all.
    cleaned: FxHashSet<u64>,
}

/// Whether its run depends on the environment, how sure it is, whether a subclass of the class at fault shows it, and how many
/// calls it has: the least is the best.
type Rank = (bool, Confidence, bool, u32);

impl Findings {
    /// Keeps one sequence of each cause: of those whose run a test can repeat the surest, then one that the class at fault
    /// shows itself, then the shortest.
    pub fn note(
        &mut self,
        sequence: &Sequence,
        checks: usize,
        execution: &Execution,
        violation: Violation,
        judge: Judge,
    ) {
        let program = judge.program();
        let Some(class) = class_of(&violation, checks, sequence, execution, program) else { return };
        let cause = Cause::of(&violation, sequence, execution, program);
        let cleaned = sequence_hash(&cleaned_form(sequence, checks, program));
        let showing = showing_class(sequence, execution, program);
        let new = Finding {
            class,
            sequence: sequence.clone(),
            checks,
            execution: execution.clone(),
            violation,
            occurrences: 1,
            shown_by: BTreeSet::new(),
        };
        let is_inherited = showing.as_ref() != Some(&new.class);
        let calls = call_count(&new.sequence);
        let rank = (new.execution.may_vary(), judge.confidence(&new).0, is_inherited, calls);
        let occurrences = match self.by_cause.entry(cause) {
            Entry::Vacant(entry) => entry.insert(Occurrences { best: new, rank, cleaned: FxHashSet::default() }),
            Entry::Occupied(entry) => {
                let known = entry.into_mut();
                if rank < known.rank {
                    let shown_by = std::mem::take(&mut known.best.shown_by);
                    (known.best, known.rank) = (Finding { shown_by, ..new }, rank);
                }
                known
            }
        };
        occurrences.cleaned.insert(cleaned);
        occurrences.best.occurrences = occurrences.cleaned.len() as u32;
        occurrences.best.shown_by.extend(showing);
    }

    pub fn len(&self) -> usize {
        self.by_cause.len()
    }

    /// In order of their causes.
    pub fn into_vec(self) -> Vec<Finding> {
        self.by_cause.into_values().map(|occurrences| occurrences.best).collect()
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
                // Which numbers break an object does not matter.
                true if cause.contract == CONTRACT_METHOD => *known == cause,
                true => *known == cause && *form == cleaned,
                false => {
                    let lines = [&finding, other].map(|finding| line_of(&finding.violation, program));
                    is_thrown && known.place == cause.place && lines[0] == lines[1]
                }
            }
        };
        match distinct.iter_mut().find(is_same) {
            Some((known_cause, form, known)) => {
                let occurrences = known.occurrences + finding.occurrences;
                let shown_by = known.shown_by.union(&finding.shown_by).cloned().collect();
                if known.checks == 0 && finding.checks > 0 {
                    (*known_cause, *form, *known) = (cause, cleaned, finding);
                }
                (known.occurrences, known.shown_by) = (occurrences, shown_by);
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

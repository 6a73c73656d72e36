//! Finding rules: which broken contracts are suppressed, and which findings are less certain than others.
//!
//! A finding must be worth a developer's time, and without such rules only about every second one is (GRT: 41 % true):
//! generated tests are in the package of the class and can do what no real caller does, and code relies on obligations that
//! it states to its callers. Adding a rule is a static item in a file of `rules/`, a line in [`ALL`], and a row in
//! `docs/contracts.md`.

mod artificial_object;
mod assertions;
mod blank_externalizable;
mod cyclic_structure;
mod deliberate;
mod environment;
mod internal_code;
mod null_argument;
mod null_from_state;
mod raw_type;
mod refused_operation;
#[cfg(test)]
pub(crate) mod testing;
mod thrown_exception;
mod unchecked_field;
mod unset_field;

pub use cyclic_structure::gives_in_a_circle;
pub(crate) use deliberate::DELIBERATE_NULL_POINTER;

use crate::contract::CONTRACT_METHOD;
use crate::{Intent, Violation, intent, is_a};
use bytecode::analysis::rejections::NULL_POINTER;
use model::execution::{Execution, Thrown};
use model::options::{self, Confidence, RuleId};
use model::sequence::{Action, Operation, Sequence};
use program::Program;
use std::collections::BTreeMap;
use std::fmt;

/// Decides that a violation is no finding, or how certain a finding can be at most.
#[derive(Debug)]
pub struct Rule {
    /// Stable, in kebab case: the setting `disabled-rules`, reports and documents use it.
    pub id: &'static str,
    /// When the rule applies, in Markdown, as `docs/contracts.md` has it.
    pub sentence: &'static str,
    /// What becomes of the violation.
    pub effect: Effect,
    /// How much of a run the condition reads.
    pub evidence: Evidence,
    /// When the effect follows.
    pub condition: Condition,
}

/// What a rule does with the violations that it applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The violation is no finding; its exception is the caller's fault, so the sequence is illegal.
    Suppress,
    /// The violation is no finding; its exception is behaviour that the code was written for.
    Expect,
    /// The finding has this confidence at most.
    LowerTo(Confidence),
}

/// What a rule has to see of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Any run, so it decides in the search.
    AnyRun,
    /// The message of the exception or the contents of collections, which the search does not ask for: it decides when a
    /// fresh worker runs a finding again.
    DetailedRun,
}

/// The violations that a rule applies to.
#[derive(Debug)]
pub enum Condition {
    /// Any violation for which the function holds.
    Violation(fn(&Case) -> bool),
    /// A violation by an exception of one of these classes, or of any if the list is empty, for which the function holds.
    Exception(&'static [&'static str], fn(&Case, &Thrown) -> bool),
}

/// A violation with the run that shows it.
pub struct Case<'a> {
    /// What a contract found.
    pub violation: &'a Violation,
    /// Including the check calls at its end.
    pub sequence: &'a Sequence,
    /// The statements from here on are check calls of the contract.
    pub first_check: usize,
    /// Of that sequence; with details or not, as the evidence of the rule asks.
    pub execution: &'a Execution,
    /// Where the code behind operations and stack frames is looked up.
    pub program: &'a Program,
}

/// All rules. Of those that suppress, the first that applies decides; of those that lower the confidence too, so the lower
/// confidence comes first.
pub static ALL: &[&Rule] = &[
    &environment::SANDBOX_DENIAL,
    &deliberate::THROWS_ON_PURPOSE,
    &internal_code::INTERNAL_CODE,
    &internal_code::DEPRECATED_CODE,
    &null_argument::NULL_ARGUMENT,
    &deliberate::REQUIRED_NON_NULL,
    &assertions::ASSERTION_METHOD,
    &assertions::ASSERTED_PRECONDITION,
    &raw_type::WRONG_CLASS_LITERAL,
    &environment::MISSING_CLASS,
    &environment::INACCESSIBLE_MODULE,
    &refused_operation::UNSUPPORTED_OPERATION,
    &raw_type::RAW_TYPE_ELEMENT,
    &refused_operation::CONCURRENT_MODIFICATION,
    &null_argument::NULL_ELEMENT,
    &unset_field::UNSET_FIELD,
    &artificial_object::ARTIFICIAL_OBJECT,
    &blank_externalizable::BLANK_EXTERNALIZABLE,
    &cyclic_structure::CYCLIC_STRUCTURE,
    &internal_code::INTERNAL_PACKAGE,
    &internal_code::NON_PUBLIC_CODE,
    &unchecked_field::UNCHECKED_INDEX_FIELD,
    &unchecked_field::UNCHECKED_ARGUMENT_FIELD,
    &unchecked_field::UNCHECKED_ELEMENT_INDEX,
    &deliberate::DELIBERATE_NULL_POINTER,
    &assertions::ASSERTION_ERROR,
    &null_from_state::NULL_FROM_STATE,
    &thrown_exception::THROWN_EXCEPTION,
];

const ASSERTION: &str = "java/lang/AssertionError";

/// A user named a rule that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule `{id}`{}", suggestion.map(|known| format!(", did you mean `{known}`?")).unwrap_or_default())]
pub struct UnknownRule {
    /// As the user wrote it.
    pub id: String,
    /// The rule with the nearest id, if one is near enough.
    pub suggestion: Option<&'static str>,
}

/// The rule with the id.
pub fn find(id: &str) -> Result<&'static Rule, UnknownRule> {
    ALL.iter().copied().find(|rule| rule.id == id).ok_or_else(|| {
        let known = ALL.iter().map(|rule| rule.id);
        UnknownRule { id: id.to_string(), suggestion: options::closest(id, known) }
    })
}

/// The rules with the ids.
pub fn find_all(ids: &[RuleId]) -> Result<Vec<&'static Rule>, UnknownRule> {
    ids.iter().map(|id| find(id.as_str())).collect()
}

impl Rule {
    /// Whether the rule applies to the violation.
    pub fn applies(&self, case: &Case) -> bool {
        match (&self.condition, &case.violation.thrown) {
            (Condition::Violation(holds), _) => holds(case),
            (Condition::Exception(..), Some(thrown)) if case.is_verdict(thrown) => false,
            (Condition::Exception(classes, holds), Some(thrown)) => {
                (classes.is_empty() || classes.iter().any(|class| is_a(thrown, class))) && holds(case, thrown)
            }
            (Condition::Exception(..), None) => false,
        }
    }

    /// The violations that the rule is about, in Markdown, as `docs/contracts.md` has them.
    pub fn scope(&self) -> String {
        match self.condition {
            Condition::Violation(_) => "any violation".to_string(),
            Condition::Exception([], _) => "any exception".to_string(),
            Condition::Exception(classes, _) => {
                let simple = |class: &&str| format!("`{}`", class.rsplit('/').next().unwrap_or(class));
                classes.iter().map(simple).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { id, sentence, effect, evidence, .. } = self;
        writeln!(formatter, "{id} applies when {sentence}")?;
        writeln!(formatter, "Effect: {effect}")?;
        writeln!(formatter, "Applies to: {}", self.scope())?;
        write!(formatter, "Decides: {evidence}")
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Evidence::AnyRun => "in every run of the search",
            Evidence::DetailedRun => "when a fresh worker has run a finding again",
        })
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Effect::Suppress => formatter.write_str("suppresses the violation"),
            Effect::Expect => formatter.write_str("suppresses the violation; the exception is expected behaviour"),
            Effect::LowerTo(confidence) => write!(formatter, "lowers the confidence to `{confidence}`"),
        }
    }
}

impl<'a> Case<'a> {
    /// Whether a contract method says by the exception that the object is not as its class wants it.
    fn is_verdict(&self, thrown: &Thrown) -> bool {
        self.violation.contract == CONTRACT_METHOD
            && (is_a(thrown, ASSERTION) || intent(thrown, self.program) == Intent::Deliberate)
    }

    /// The operations that the sequence calls.
    fn calls(&self) -> impl Iterator<Item = &'a Operation> {
        let program = self.program;
        self.sequence.calls().map(|operation| &program.operations[operation.0 as usize])
    }

    /// The operation that a statement calls, and the statements of its arguments.
    fn call_at(&self, at: usize) -> Option<(&'a Operation, impl Iterator<Item = usize>)> {
        let Action::Call(operation) = self.sequence.statements()[at].action else { return None };
        let operation = &self.program.operations[operation.0 as usize];
        Some((operation, self.sequence.inputs_of(at).skip(usize::from(operation.has_receiver()))))
    }
}

/// How often rules decided, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleHits(BTreeMap<&'static str, u64>);

impl RuleHits {
    /// Counts one more decision of a rule, if one decided.
    pub fn count(&mut self, rule: Option<&'static Rule>) {
        if let Some(rule) = rule {
            *self.0.entry(rule.id).or_default() += 1;
        }
    }

    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &RuleHits) {
        for (id, count) in &other.0 {
            *self.0.entry(id).or_default() += count;
        }
    }

    /// Rules that decided at least once, in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(id, count)| (*id, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rule_ids_are_unique_and_in_kebab_case() {
        let ids: BTreeSet<&str> = ALL.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), ALL.len());
        for id in ids {
            assert!(
                id.split('-').all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())),
                "{id}"
            );
        }
    }

    #[test]
    fn rules_of_lower_confidence_come_first() {
        let lowered = ALL.iter().filter_map(|rule| match rule.effect {
            Effect::LowerTo(confidence) => Some(confidence),
            _ => None,
        });
        assert!(lowered.is_sorted_by(|one, next| one >= next));
    }

    #[test]
    fn rules_are_documented_in_order() {
        let page = include_str!("../../docs/contracts.md");
        let mut rest = page;
        for rule in ALL {
            let lowered = match rule.effect {
                Effect::LowerTo(confidence) => format!(" `{confidence}` |"),
                Effect::Suppress | Effect::Expect => String::new(),
            };
            let row = format!("| `{}` | {} | {} |{lowered}\n", rule.id, rule.scope(), rule.sentence);
            rest = rest.split_once(&row).unwrap_or_else(|| panic!("missing or out of order: {row}")).1;
        }
    }

    #[test]
    fn rule_tells_sentence_effect_and_scope() {
        let expected = "null-argument applies when an input of the sequence is null\n\
            Effect: suppresses the violation\n\
            Applies to: `NullPointerException`, `AssertionError`\n\
            Decides: in every run of the search";
        assert_eq!(null_argument::NULL_ARGUMENT.to_string(), expected);
    }

    #[test]
    fn unknown_rule_is_refused_with_a_suggestion() {
        assert_eq!(find("null-argument").unwrap().id, "null-argument");
        let refusal = |id: &str| find(id).unwrap_err().to_string();
        assert_eq!(refusal("null-arguments"), "there is no rule `null-arguments`, did you mean `null-argument`?");
        assert_eq!(refusal("colour"), "there is no rule `colour`");
    }

    #[test]
    fn rule_hits_are_summed_in_order_of_ids() {
        let mut hits = RuleHits::default();
        hits.count(Some(&null_argument::NULL_ARGUMENT));
        hits.count(Some(&environment::MISSING_CLASS));
        hits.count(None);
        hits.add(&hits.clone());
        assert_eq!(hits.iter().collect::<Vec<_>>(), [("missing-class", 2), ("null-argument", 2)]);
    }
}

//! Fields that callers are obliged to set, and the sequence did not, or to null.

use super::{Condition, Effect, Evidence, NULL_POINTER, Rule};
use crate::ancestry::family;
use crate::null_provenance;
use bytecode::analysis::caches::FieldName;

/// A null field that callers set.
pub static UNSET_FIELD: Rule = Rule {
    id: "unset-field",
    sentence: "the null is a field, or an element of an array in a field, that callers are obliged to set",
    effect: Effect::Suppress,
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[NULL_POINTER], |case, thrown| {
        let settable = &case.program.caller_obligations.settable;
        let is_settable = |(class, field): FieldName| {
            family(&class, case.program).any(|class| settable.contains(&(class.clone(), field.clone())))
        };
        let sources = null_provenance::sources(thrown, case.program);
        sources.into_iter().filter_map(|source| source.field).any(is_settable)
    }),
};

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    fn rule(message: &str, stack: &[&str]) -> Option<&'static str> {
        suppressed_by(&null_pointer(Some(message), stack), &program())
    }

    #[test]
    fn unset_field_suppresses_null_of_fields_with_setters() {
        assert_eq!(rule(&because("\"this.given\""), &["p/A.run"]), Some("unset-field"));
        assert_eq!(rule(&because("\"this.made.given\""), &["p/A.run"]), Some("unset-field"));
        assert_eq!(rule(&because("\"this.made\""), &["p/A.run"]), None);
        assert_eq!(rule(&because("\"<local4>\""), &["p/A.find"]), None);
    }

    #[test]
    fn unset_field_is_found_behind_getters() {
        assert_eq!(rule(&because("the return value of \"p.A.other()\""), &["p/A.keep"]), Some("unset-field"));
        assert_eq!(rule(&because("the return value of \"p.A.self()\""), &["p/A.keep"]), None);
        assert_eq!(rule(&because("\"kept\""), &["p/A.keep"]), Some("unset-field"));
    }

    #[test]
    fn unset_field_is_unknown_for_other_lines_and_calls() {
        assert_eq!(rule(&because("\"kept\""), &["p/A.start"]), None);
        assert_eq!(rule("Cannot invoke \"p.B.end()\" because \"kept\" is null", &["p/A.keep"]), None);
    }

    #[test]
    fn unset_field_is_followed_through_parameters_to_the_caller() {
        let stack = ["p/A.step", "p/A.start"];
        assert_eq!(rule(&because("\"s\""), &stack), Some("unset-field"));
        assert_eq!(rule(&because("\"s\""), &stack[..1]), None);
        assert_eq!(rule("Cannot invoke \"p.B.end()\" because \"s\" is null", &stack), None);
    }
}

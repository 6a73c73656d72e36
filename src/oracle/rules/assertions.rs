//! Assertions: checks of arguments that may be switched off, methods for tests, and everything else.

use super::{ASSERTION, Condition, Effect, Evidence, Rule};
use crate::ancestry::method_of;
use model::execution::StackFrame;
use model::options::Confidence;

/// A method that exists to throw the error.
pub static ASSERTION_METHOD: Rule = Rule {
    id: "assertion-method",
    sentence: "the error comes from an assertion library, or through a method whose name starts with `assert`, `check`, `fail` \
               or `verify`",
    effect: Effect::Expect,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&[ASSERTION], |case, thrown| {
        let is_named_so = |frame: &StackFrame| {
            ["assert", "check", "fail", "verify"].iter().any(|verb| frame.method.starts_with(verb))
        };
        let is_library = thrown.stack.first().is_some_and(|frame| !case.program.is_target(&frame.class));
        is_library || thrown.stack.iter().any(is_named_so)
    }),
};

/// Of Java's checks of arguments the one that may be switched off.
pub static ASSERTED_PRECONDITION: Rule = Rule {
    id: "asserted-precondition",
    sentence: "an `assert` failed in the called method or constructor itself, or as the first action of a method",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&[ASSERTION], |case, thrown| {
        let obligations = &case.program.caller_obligations;
        thrown.stack.first().is_some_and(|first| {
            let is_in_called = thrown.stack.len() == 1 || thrown.stack.iter().all(|frame| frame.method == "<init>");
            is_in_called && obligations.asserting.contains(&first.class)
                || obligations.preconditions.contains(&(method_of(first), first.line))
        })
    }),
};

/// Deep in a library an assertion usually checks what it was passed.
pub static ASSERTION_ERROR: Rule = Rule {
    id: "assertion-error",
    sentence: "an assertion failed: deep in a library, the arguments usually do not fit each other",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[ASSERTION], |_, _| true),
};

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn rule(stack: &[&str]) -> Option<&'static str> {
        suppressed_by(&failure(RUN, string(), ASSERTION, None, stack), &program())
    }

    #[test]
    fn assertion_in_a_contract_method_is_its_verdict() {
        let finding = failure(RUN, string(), ASSERTION, None, &["p/A.checkRep"]);
        let violation = crate::Violation { contract: crate::contract::CONTRACT_METHOD, ..finding.violation.clone() };
        let finding = crate::Finding { violation, ..finding };
        assert_eq!(suppressed_by(&finding, &program()), None);
        assert_eq!(confidence(&finding, &program()), (Confidence::Certain, None));
    }

    #[test]
    fn assertion_method_suppresses_errors_of_checking_methods_and_libraries() {
        assert_eq!(rule(&["p/A.check0", "p/A.run"]), Some("assertion-method"));
        assert_eq!(rule(&["p/A.assertThat"]), Some("assertion-method"));
        assert_eq!(rule(&["org/junit/Assert.fail", "p/A.run"]), Some("assertion-method"));
    }

    #[test]
    fn asserted_precondition_suppresses_asserts_in_the_called_method() {
        assert_eq!(rule(&["p/A.run"]), Some("asserted-precondition"));
        assert_eq!(rule(&["p/A.<init>", "p/A.<init>"]), Some("asserted-precondition"));
        assert_eq!(rule(&["p/A.<init>", "p/A.run"]), None);
    }

    #[test]
    fn asserted_precondition_suppresses_asserts_before_any_action() {
        assert_eq!(rule(&["p/A.step", "p/A.run"]), Some("asserted-precondition"));
        assert_eq!(rule(&["p/A.settle", "p/A.run"]), None);
    }

    #[test]
    fn assertion_error_lowers_confidence_to_possible() {
        let finding = failure(RUN, string(), ASSERTION, None, &["p/A.settle", "p/A.run"]);
        assert_eq!(confidence(&finding, &program()), (Confidence::Possible, Some("assertion-error")));
    }
}

//! Code that is not for the callers that a test stands for.

use super::{Condition, Effect, Evidence, Rule};
use crate::contract::NO_NULL_POINTER;
use model::jvm::ClassName;
use model::options::Confidence;

/// Members that only the surrounding code is to use ([`Operation::internal`](model::sequence::Operation::internal)).
pub static INTERNAL_CODE: Rule = Rule {
    id: "internal-code",
    sentence: "the sequence uses a member that only the enclosing class or package is meant to use",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Violation(|case| case.calls().any(|operation| operation.internal)),
};

/// Deprecated members under test.
pub static DEPRECATED_CODE: Rule = Rule {
    id: "deprecated-code",
    sentence: "the sequence calls deprecated code under test",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Violation(|case| case.calls().any(|operation| operation.deprecated)),
};

/// A package whose name says that it is for others of the same module.
pub static INTERNAL_PACKAGE: Rule = Rule {
    id: "internal-package",
    sentence: "the sequence uses a class under test in a package named `internal`",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[], |case, _| {
        case.calls().any(|operation| case.program.is_target(&operation.owner) && is_named_internal(&operation.owner))
    }),
};

/// Code that only its own package can use. Objects of it leave the package, so the contracts of `equals` and its like hold.
pub static NON_PUBLIC_CODE: Rule = Rule {
    id: "non-public-code",
    sentence: "the contract is `no-null-pointer`, and the sequence uses code under test that is not public",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[], |case, _| {
        case.violation.contract == NO_NULL_POINTER
            && case.calls().any(|operation| case.program.is_target(&operation.owner) && !operation.public)
    }),
};

fn is_named_internal(class: &ClassName) -> bool {
    class.internal().rsplit_once('/').is_some_and(|(package, _)| package.split('/').any(|part| part == "internal"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::Violation;
    use crate::rules::NULL_POINTER;

    #[test]
    fn internal_code_suppresses_its_exceptions() {
        let finding = failure(PREPARE, string(), NULL_POINTER, Some(&because("\"<local4>\"")), &["p/A.prepare"]);
        assert_eq!(suppressed_by(&finding, &program()), Some("internal-code"));
    }

    #[test]
    fn deprecated_code_suppresses_its_exceptions() {
        let finding = null_pointer(Some(&because("\"<local4>\"")), &["p/A.find"]);
        assert_eq!(suppressed_by(&finding, &program()), None);
        let program = program_with(|run| run.deprecated = true);
        assert_eq!(suppressed_by(&finding, &program), Some("deprecated-code"));
    }

    #[test]
    fn internal_package_is_a_whole_part_of_the_package_name() {
        for (name, is_internal) in [("p/internal/A", true), ("p/internals/A", false), ("p/A$internal", false)] {
            assert_eq!(is_named_internal(&ClassName::new(name)), is_internal, "{name}");
        }
    }

    #[test]
    fn internal_package_lowers_confidence_to_possible() {
        let class = ClassName::new("p/internal/A");
        let mut program = program_with(|run| run.owner = class.clone());
        program.targets[0].name = class;
        let finding = null_pointer(None, &["p/A.run"]);
        assert_eq!(confidence(&finding, &program), (Confidence::Possible, Some("internal-package")));
    }

    #[test]
    fn non_public_code_lowers_confidence_of_null_pointers_alone() {
        let finding = null_pointer(None, &["p/A.run"]);
        let program = program_with(|run| run.public = false);
        assert_eq!(confidence(&finding, &program), (Confidence::Possible, Some("non-public-code")));
        let violation = Violation { contract: "to-string", ..finding.violation.clone() };
        let of_check = crate::Finding { violation, ..finding };
        assert_eq!(confidence(&of_check, &program), (Confidence::Likely, Some("thrown-exception")));
    }
}

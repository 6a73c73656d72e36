//! Failures of the environment: the sandbox, the class path, the module system.

use super::{Condition, Effect, Evidence, Rule};

/// The sandbox denied the run something.
pub static SANDBOX_DENIAL: Rule = Rule {
    id: "sandbox-denial",
    sentence: "the sandbox denied the run a file, the network or a process",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Violation(|case| case.execution.denied.is_some()),
};

/// A class does not load.
pub static MISSING_CLASS: Rule = Rule {
    id: "missing-class",
    sentence: "a class that the code refers to is not on the class path or does not load",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&["java/lang/LinkageError"], |_, _| true),
};

/// A module keeps its members from reflection.
pub static INACCESSIBLE_MODULE: Rule = Rule {
    id: "inaccessible-module",
    sentence: "the module system keeps a member inaccessible",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&["java/lang/reflect/InaccessibleObjectException"], |_, _| true),
};

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use model::execution::Denial;

    #[test]
    fn sandbox_denial_suppresses_any_violation() {
        let mut finding = null_pointer(Some(&because("\"<local4>\"")), &["p/A.find"]);
        finding.violation.thrown = None;
        assert_eq!(suppressed_by(&finding, &program()), None);
        finding.execution.denied = Some(Denial::File);
        assert_eq!(suppressed_by(&finding, &program()), Some("sandbox-denial"));
    }

    #[test]
    fn missing_class_suppresses_linkage_errors() {
        let finding = failure(RUN, string(), "java/lang/LinkageError", None, &["p/A.toString"]);
        assert_eq!(suppressed_by(&finding, &program()), Some("missing-class"));
    }

    #[test]
    fn inaccessible_module_suppresses_inaccessible_objects() {
        let class = "java/lang/reflect/InaccessibleObjectException";
        let finding = failure(RUN, string(), class, None, &["p/A.toString"]);
        assert_eq!(suppressed_by(&finding, &program()), Some("inaccessible-module"));
    }
}

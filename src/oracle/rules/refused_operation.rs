//! Check calls that an object refuses on purpose.

use super::{Condition, Effect, Evidence, Rule};

/// An operation that is not supported on purpose.
pub static UNSUPPORTED_OPERATION: Rule = Rule {
    id: "unsupported-operation",
    sentence: "the operation is deliberately unsupported",
    effect: Effect::Expect,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&["java/lang/UnsupportedOperationException"], |_, _| true),
};

/// A view that was used after its object changed.
pub static CONCURRENT_MODIFICATION: Rule = Rule {
    id: "concurrent-modification",
    sentence: "the object behind a view changed",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&["java/util/ConcurrentModificationException"], |_, _| true),
};

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn refused_operation_suppresses_its_exception() {
        let rule = |class: &str| suppressed_by(&failure(RUN, string(), class, None, &["p/A.run"]), &program());
        assert_eq!(rule("java/lang/UnsupportedOperationException"), Some("unsupported-operation"));
        assert_eq!(rule("java/util/ConcurrentModificationException"), Some("concurrent-modification"));
    }
}

//! Null that the sequence itself passes.

use super::{ASSERTION, Condition, Effect, Evidence, NULL_POINTER, Rule};
use crate::uses_null;

/// Null as an input, before the check calls: these pass null only to `equals`, which may not throw for it.
pub static NULL_ARGUMENT: Rule = Rule {
    id: "null-argument",
    sentence: "an input of the sequence is null",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&[NULL_POINTER, ASSERTION], |case, _| {
        uses_null(case.sequence, case.first_check, case.execution, &case.program.operations)
    }),
};

/// Null within an input. An exception without a stack, which HotSpot throws after many of its kind, says too little.
pub static NULL_ELEMENT: Rule = Rule {
    id: "null-element",
    sentence: "a collection, map or array that contains null is passed to code under test",
    effect: Effect::Suppress,
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[NULL_POINTER], |case, thrown| {
        let passes_null_element = |at| {
            case.call_at(at).is_some_and(|(operation, mut arguments)| {
                case.program.is_target(&operation.owner)
                    && arguments.any(|argument| case.execution.holding_null.contains(&argument))
            })
        };
        !thrown.stack.is_empty() && (0..case.sequence.len()).any(passes_null_element)
    }),
};

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::jvm::{Literal, Type};

    #[test]
    fn null_argument_suppresses_null_pointers_unless_an_annotation_allows_it() {
        let local = because("\"<local4>\"");
        let with_null = |operation| {
            let finding = failure(operation, Literal::Null(Type::object()), NULL_POINTER, Some(&local), &["p/A.find"]);
            suppressed_by(&finding, &program())
        };
        assert_eq!(with_null(RUN), Some("null-argument"));
        assert_eq!(with_null(RUN_WITH_NULLABLE), None);
    }

    #[test]
    fn null_argument_suppresses_assertion_errors() {
        let null = Literal::Null(Type::object());
        let finding = failure(RUN, null, ASSERTION, None, &["p/A.settle", "p/A.run"]);
        assert_eq!(suppressed_by(&finding, &program()), Some("null-argument"));
    }

    #[test]
    fn null_element_suppresses_null_pointers() {
        let mut finding = null_pointer(Some(&because("\"it\"")), &["p/A.find"]);
        assert_eq!(suppressed_by(&finding, &program()), None);
        finding.execution.holding_null = vec![0];
        assert_eq!(suppressed_by(&finding, &program()), Some("null-element"));
    }
}

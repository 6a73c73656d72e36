//! Objects that no real caller may ever create.

use super::{Condition, Effect, Evidence, Rule};
use model::options::Confidence;
use model::sequence::OperationKind;

/// A generated anonymous class, or a public field set to an arbitrary value.
pub static ARTIFICIAL_OBJECT: Rule = Rule {
    id: "artificial-object",
    sentence: "the sequence uses a generated anonymous class, or sets a public field to an arbitrary value",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Violation(|case| {
        let is_artificial = |kind| matches!(kind, OperationKind::Implementation | OperationKind::SetField);
        case.calls().any(|operation| is_artificial(operation.kind))
    }),
};

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn artificial_object_lowers_confidence_even_of_values() {
        let mut finding = null_pointer(None, &["p/A.run"]);
        let program = program_with(|run| run.kind = OperationKind::SetField);
        assert_eq!(confidence(&finding, &program), (Confidence::Possible, Some("artificial-object")));
        finding.violation.thrown = None;
        assert_eq!(confidence(&finding, &program), (Confidence::Possible, Some("artificial-object")));
    }
}

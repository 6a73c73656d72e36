//! Exceptions, which say less than returned values that contradict a contract.

use super::unchecked_field::is_accepted_by_setter;
use super::{Condition, Effect, Evidence, Rule};
use crate::contract::is_recurring;
use model::options::Confidence;

/// Any exception but what a public setter led to; the worker's own for a loop whose state came again is none of the code's.
pub static THROWN_EXCEPTION: Rule = Rule {
    id: "thrown-exception",
    sentence: "an exception breaks the contract, not returned values",
    effect: Effect::LowerTo(Confidence::Likely),
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[], |case, thrown| !is_recurring(thrown) && !is_accepted_by_setter(case, thrown)),
};

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn thrown_exception_lowers_confidence_to_likely_and_values_keep_it_certain() {
        let mut finding = null_pointer(None, &["p/A.run"]);
        assert_eq!(confidence(&finding, &program()), (Confidence::Likely, Some("thrown-exception")));
        finding.violation.thrown = None;
        assert_eq!(confidence(&finding, &program()), (Confidence::Certain, None));
    }
}

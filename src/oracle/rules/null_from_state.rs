//! Null because an object was not in the state that the call requires.

use super::{Case, Condition, Effect, Evidence, NULL_POINTER, Rule};
use crate::ancestry::are_related;
use crate::contract::NO_NULL_POINTER;
use crate::null_provenance;
use model::execution::Thrown;
use model::jvm::ClassName;
use model::options::Confidence;

/// A null that a field, getter or lookup gave.
pub static NULL_FROM_STATE: Rule = Rule {
    id: "null-from-state",
    sentence: "the null was read from a field, or returned by a getter of a field or by a lookup",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[NULL_POINTER], is_from_state),
};

/// The object whose own `toString`, `equals`, `hashCode` or `compareTo` fails must do so in no state.
fn is_from_state(case: &Case, thrown: &Thrown) -> bool {
    let program = case.program;
    let checked = thrown.stack.iter().rfind(|frame| program.is_target(&frame.class));
    let is_other = |class: &ClassName| checked.is_none_or(|frame| !are_related(class, &frame.class, program));
    let sources = null_provenance::sources(thrown, program);
    sources.iter().any(|source| case.violation.contract == NO_NULL_POINTER || is_other(&source.taken_by))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::{Finding, Violation};

    const MADE: &str = "Cannot invoke \"Object.hashCode()\" because \"this.made\" is null";

    fn of_contract(contract: &'static str, message: &str, stack: &[&str]) -> Confidence {
        let finding = null_pointer(Some(message), stack);
        let violation = Violation { contract, ..finding.violation.clone() };
        confidence(&Finding { violation, ..finding }, &program()).0
    }

    fn of(message: &str, stack: &[&str]) -> Confidence {
        of_contract(NO_NULL_POINTER, message, stack)
    }

    #[test]
    fn null_field_lowers_confidence_to_possible() {
        let finding = null_pointer(Some(MADE), &["p/A.run"]);
        assert_eq!(confidence(&finding, &program()), (Confidence::Possible, Some("null-from-state")));
        assert_eq!(of(MADE, &["p/A.unknown"]), Confidence::Possible, "the message says enough");
        assert_eq!(of(MADE, &["q/Base.run", "p/A.unknown"]), Confidence::Possible);
    }

    #[test]
    fn null_field_of_the_checked_object_keeps_the_confidence() {
        assert_eq!(of_contract("to-string", MADE, &["p/A.run"]), Confidence::Likely);
        assert_eq!(of_contract("to-string", MADE, &["p/A.run", "p/B.toString"]), Confidence::Likely, "B is of the JDK");
    }

    #[test]
    fn null_of_a_lookup_by_the_test_lowers_confidence() {
        assert_eq!(of(&because("\"found\""), &["p/A.find"]), Confidence::Possible);
        assert_eq!(of(&because("\"found\""), &["p/A.find", "p/A.start"]), Confidence::Likely);
        assert_eq!(of(&because("the return value of \"p.A.at(int)\""), &["p/A.find"]), Confidence::Possible);
        assert_eq!(of(&because("the return value of \"p.A.make()\""), &["p/A.find"]), Confidence::Likely);
    }

    #[test]
    fn null_from_a_parameter_lowers_confidence_where_the_method_is_a_lookup() {
        assert_eq!(of(&because("\"asked\""), &["p/A.ask"]), Confidence::Possible);
        assert_eq!(of(&because("\"asked\""), &["p/A.ask", "p/A.start"]), Confidence::Likely);
        assert_eq!(of(&because("\"asked\""), &["p/A.read"]), Confidence::Likely);
    }

    #[test]
    fn null_from_state_lowers_confidence_whoever_called() {
        assert_eq!(of(&because("\"derived\""), &["p/A.derive", "p/A.start"]), Confidence::Possible);
    }

    #[test]
    fn null_rejected_by_the_jdk_is_followed_to_the_field() {
        let within = "Cannot invoke \"String.trim()\" because \"in\" is null";
        let parsed = ["java/lang/Double.parseDouble", "java/lang/Integer.parseInt", "p/A.parse"];
        assert_eq!(of(within, &parsed), Confidence::Possible);
        assert_eq!(of(within, &["java/lang/Double.parseDouble", "p/A.parse"]), Confidence::Likely);
        let required = ["java/util/Objects.requireNonNull", "java/lang/Integer.parseInt", "p/A.parse"];
        assert_eq!(of("text", &required), Confidence::Possible);
    }
}

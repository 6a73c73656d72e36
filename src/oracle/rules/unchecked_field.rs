//! Numbers and strings that the sequence stored in a field of an object without a check, so that they do not fit the rest of
//! its state.

use super::{Case, Condition, Effect, Evidence, NULL_POINTER, Rule};
use crate::ancestry::{are_related, family, method_of};
use model::execution::Thrown;
use model::jvm::ClassName;
use model::sequence::Operation;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A number as an index or a size.
pub static UNCHECKED_INDEX_FIELD: Rule = Rule {
    id: "unchecked-index-field",
    sentence: "the failing code reads a field in which the sequence stored a number that no code checked",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(
        &["java/lang/IndexOutOfBoundsException", "java/lang/NegativeArraySizeException"],
        |case, thrown| reads_unchecked_field(case, thrown, false),
    ),
};

/// A number or a string as an argument of the code that fails.
pub static UNCHECKED_ARGUMENT_FIELD: Rule = Rule {
    id: "unchecked-argument-field",
    sentence: "the failing code reads a field in which the sequence stored a number or a string that no code checked",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&["java/lang/IllegalArgumentException"], |case, thrown| {
        reads_unchecked_field(case, thrown, true)
    }),
};

/// A number as the index of an element that is null, which the JVM's message tells (JEP 358).
pub static UNCHECKED_ELEMENT_INDEX: Rule = Rule {
    id: "unchecked-element-index",
    sentence: "the null is an element at an index that the failing code reads from a field in which the sequence stored a number \
               that no code checked",
    effect: Effect::Suppress,
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[NULL_POINTER], |case, thrown| {
        let message = thrown.message.as_ref().map(|message| message.to_string()).unwrap_or_default();
        let culprit = message.rsplit_once("because ").map(|(_, culprit)| culprit);
        culprit.is_some_and(|culprit| culprit.contains('[') || culprit.contains("(int)"))
            && reads_unchecked_field(case, thrown, false)
    }),
};

/// Whether code on the stack reads a field in which the sequence stored a number without a check, or, with `or_strings`, a
/// string.
fn reads_unchecked_field(case: &Case, thrown: &Thrown, or_strings: bool) -> bool {
    let program = case.program;
    let obligations = &program.caller_obligations;
    // Operations may be those of an interface, fields named as those of a subclass.
    let is_called = |class: &ClassName, operation: &Operation| match &*operation.name {
        "<init>" => operation.owner == *class,
        _ => are_related(&operation.owner, class, program),
    };
    let stored_in = |class: &ClassName| {
        let called = case.calls().filter(|operation| is_called(class, operation));
        let stored = called.filter_map(|operation| obligations.unchecked.get(&(class.clone(), operation.name.clone())));
        let stored = stored.flatten().filter(|field| or_strings || !obligations.string_fields.contains(field));
        stored.map(|(_, field)| field.clone()).collect::<BTreeSet<_>>()
    };
    thrown.stack.iter().filter(|frame| program.is_target(&frame.class)).any(|frame| {
        let classes: Vec<&ClassName> = family(&frame.class, program).collect();
        let stored: BTreeSet<Arc<str>> = classes.iter().flat_map(|class| stored_in(class)).collect();
        let mut fields = stored.iter().flat_map(|name| classes.iter().map(|class| ((*class).clone(), name.clone())));
        fields.any(|field| obligations.reads.contains(&(method_of(frame), field)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    const OUT_OF_BOUNDS: &str = "java/lang/IndexOutOfBoundsException";

    fn rule(operation: u32, class: &str, stack: &[&str]) -> Option<&'static str> {
        suppressed_by(&failure(operation, string(), class, None, stack), &program())
    }

    #[test]
    fn unchecked_index_field_suppresses_out_of_bounds() {
        let stack = ["java/lang/String.charAt", "p/A.toString"];
        assert_eq!(rule(RUN, OUT_OF_BOUNDS, &stack), Some("unchecked-index-field"));
        assert_eq!(rule(RUN_WITH_NULLABLE, OUT_OF_BOUNDS, &stack), None, "it stores no number");
        assert_eq!(rule(RUN, OUT_OF_BOUNDS, &["p/A.hashCode", "p/A.toString"]), Some("unchecked-index-field"));
        assert_eq!(rule(RUN, "java/lang/ArithmeticException", &stack), None);
    }

    #[test]
    fn unchecked_index_field_needs_a_reader_on_the_stack() {
        assert_eq!(rule(RUN, OUT_OF_BOUNDS, &["p/A.hashCode"]), None);
        assert_eq!(rule(RUN, OUT_OF_BOUNDS, &["p/B.toString"]), None);
    }

    #[test]
    fn unchecked_argument_field_suppresses_illegal_arguments_from_strings() {
        assert_eq!(rule(RUN, OUT_OF_BOUNDS, &["p/A.parse"]), None, "a string is no index");
        let illegal = "java/lang/IllegalArgumentException";
        assert_eq!(rule(RUN, illegal, &["p/A.parse"]), Some("unchecked-argument-field"));
    }

    #[test]
    fn unchecked_element_index_suppresses_null_elements() {
        let element = Some("Cannot invoke \"p.B.run()\" because \"this.other[1]\" is null");
        assert_eq!(suppressed_by(&null_pointer(element, &["p/A.pick"]), &program()), Some("unchecked-element-index"));
    }
}

//! Numbers and strings that the sequence stored in a field of an object without a check, so that they do not fit the rest of
//! its state.
//!
//! What a public setter accepts is another matter where `equals`, `hashCode` or `toString` then throws: these must do so in no
//! state that a caller can reach.

use super::{Case, Condition, Effect, Evidence, NULL_POINTER, Rule};
use crate::ancestry::{are_related, family, method_of};
use crate::contract::{self, Subject};
use crate::uses_null;
use bytecode::analysis::caches::FieldName;
use bytecode::analysis::caller_obligations::MethodName;
use model::execution::Thrown;
use model::jvm::ClassName;
use model::options::Confidence;
use model::sequence::{Operation, OperationKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A number as an index or a size.
pub static UNCHECKED_INDEX_FIELD: Rule = Rule {
    id: "unchecked-index-field",
    sentence: "the failing code reads a field in which the sequence stored a number that no code checked",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(
        &["java/lang/IndexOutOfBoundsException", "java/lang/NegativeArraySizeException"],
        |case, thrown| reads_unchecked_field(case, thrown, false),
    ),
};

/// A number or a string as an argument of the code that fails.
pub static UNCHECKED_ARGUMENT_FIELD: Rule = Rule {
    id: "unchecked-argument-field",
    sentence: "the failing code reads a field in which the sequence stored a number or a string that no code checked",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&["java/lang/IllegalArgumentException"], |case, thrown| {
        reads_unchecked_field(case, thrown, true)
    }),
};

/// A number as the index of an element that is null, which the JVM's message tells (JEP 358).
pub static UNCHECKED_ELEMENT_INDEX: Rule = Rule {
    id: "unchecked-element-index",
    sentence: "the null is an element at an index that the failing code reads from a field in which the sequence stored a number \
               that no code checked",
    effect: Effect::LowerTo(Confidence::Possible),
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
    let unchecked = &case.program.caller_obligations.unchecked;
    reads_stored_field(case, thrown, unchecked, case.calls(), or_strings) && !is_accepted_by_setter(case, thrown)
}

/// Whether `equals`, `hashCode` or `toString` of an object throws after a public setter of it accepted a value, which the
/// failing code reads.
pub(super) fn is_accepted_by_setter(case: &Case, thrown: &Thrown) -> bool {
    let subjects = contract::subjects(case.violation.contract);
    let is_of_object = |subject| matches!(subject, &Subject::Equals | &Subject::HashCode | &Subject::ToString);
    if subjects.is_empty() || !subjects.iter().all(is_of_object) {
        return false;
    }
    let checked: BTreeSet<usize> =
        (case.first_check..case.sequence.len()).flat_map(|at| case.sequence.inputs_of(at)).collect();
    let setters = (0..case.first_check).filter_map(|at| {
        let (operation, _) = case.call_at(at)?;
        let is_method = operation.kind == OperationKind::InstanceMethod && operation.public && !operation.internal;
        let receiver = case.sequence.inputs_of(at).next()?;
        (is_method && checked.contains(&receiver)).then_some(operation)
    });
    reads_stored_field(case, thrown, &case.program.caller_obligations.stored, setters, true)
        && !uses_null(case.sequence, case.first_check, case.execution, &case.program.operations)
}

/// Whether code on the stack reads a field in which one of the operations stores a number, or, with `or_strings`, a string.
fn reads_stored_field<'a>(
    case: &Case,
    thrown: &Thrown,
    stores: &BTreeMap<MethodName, BTreeSet<FieldName>>,
    operations: impl Iterator<Item = &'a Operation>,
    or_strings: bool,
) -> bool {
    let program = case.program;
    let obligations = &program.caller_obligations;
    let operations: Vec<&Operation> = operations.collect();
    // Operations may be those of an interface, fields named as those of a subclass.
    let is_called = |class: &ClassName, operation: &Operation| match &*operation.name {
        "<init>" => operation.owner == *class,
        _ => are_related(&operation.owner, class, program),
    };
    let stored_in = |class: &ClassName| {
        let called = operations.iter().filter(|operation| is_called(class, operation));
        let stored = called.filter_map(|operation| stores.get(&(class.clone(), operation.name.clone())));
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
    use super::*;
    use crate::Violation;
    use crate::contract::NO_NULL_POINTER;
    use model::jvm::{Literal, Type};
    use model::sequence::{OperationId, Sequence};

    const OUT_OF_BOUNDS: &str = "java/lang/IndexOutOfBoundsException";

    fn rule(operation: u32, class: &str, stack: &[&str]) -> Option<&'static str> {
        let finding = failure(operation, string(), class, None, stack);
        assert_eq!(suppressed_by(&finding, &program()), None);
        let (confidence, rule) = confidence(&finding, &program());
        (confidence == Confidence::Possible).then_some(rule?)
    }

    #[test]
    fn unchecked_index_field_lowers_confidence_of_out_of_bounds() {
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
    fn unchecked_argument_field_lowers_confidence_of_illegal_arguments_from_strings() {
        assert_eq!(rule(RUN, OUT_OF_BOUNDS, &["p/A.parse"]), None, "a string is no index");
        let illegal = "java/lang/IllegalArgumentException";
        assert_eq!(rule(RUN, illegal, &["p/A.parse"]), Some("unchecked-argument-field"));
    }

    #[test]
    fn unchecked_element_index_lowers_confidence_of_null_elements() {
        let element = Some("Cannot invoke \"p.B.run()\" because \"this.other[1]\" is null");
        let finding = null_pointer(element, &["p/A.pick"]);
        assert_eq!(confidence(&finding, &program()), (Confidence::Possible, Some("unchecked-element-index")));
    }

    /// `a.run(argument)`, then a check call on `a` that throws.
    fn after_setter(contract: &'static str, argument: Literal, change: impl FnOnce(&mut Operation)) -> Confidence {
        let program = program_with(|run| {
            run.kind = OperationKind::InstanceMethod;
            run.inputs.insert(0, Type::class("p/A"));
            change(run);
        });
        let failed = failure(RUN, string(), "java/lang/IllegalArgumentException", None, &["p/A.toString"]);
        let mut sequence = Sequence::new();
        let object = sequence.push_call(OperationId(RUN_WITH_NULLABLE), &[]);
        let argument = sequence.push_literal(argument);
        sequence.push_call(OperationId(RUN), &[object, argument]);
        sequence.push_call(OperationId(PREPARE), &[object]);
        let violation = Violation { contract, ..failed.violation.clone() };
        let finding = crate::Finding { sequence, checks: 1, violation, ..failed };
        let case = Case {
            violation: &finding.violation,
            sequence: &finding.sequence,
            first_check: 3,
            execution: &finding.execution,
            program: &program,
        };
        let lowered = crate::rules::ALL.iter().filter(|rule| rule.applies(&case));
        let lowered = lowered.filter_map(|rule| match rule.effect {
            crate::rules::Effect::LowerTo(confidence) => Some(confidence),
            _ => None,
        });
        lowered.max().unwrap_or(Confidence::Certain)
    }

    #[test]
    fn to_string_and_its_like_must_not_throw_after_a_public_setter_accepted_its_value() {
        for contract in ["to-string", "hash-code-consistent", "equals-reflexive"] {
            assert_eq!(after_setter(contract, string(), |_| {}), Confidence::Certain, "{contract}");
        }
        assert_eq!(after_setter("compare-to-sign", string(), |_| {}), Confidence::Possible);
        assert_eq!(after_setter(NO_NULL_POINTER, string(), |_| {}), Confidence::Possible);
        assert_eq!(after_setter("to-string", string(), |run| run.public = false), Confidence::Possible);
        assert_eq!(after_setter("to-string", Literal::Null(Type::object()), |_| {}), Confidence::Possible);
    }
}

//! Values that only raw types permit.

use super::{Case, Condition, Effect, Evidence, Rule};
use model::jvm::Literal;
use model::jvm::generics::{Bindings, GenericMethod, bind_erasures, class_bounds};
use model::sequence::Action;

/// A class literal outside the bounds of its parameter.
pub static WRONG_CLASS_LITERAL: Rule = Rule {
    id: "wrong-class-literal",
    sentence: "the sequence passes a class literal that the signature does not allow, as in `EnumSet.noneOf((Class) String.class)`",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&[], |case, _| {
        (0..case.sequence.len()).any(|at| passes_wrong_class(case, at).unwrap_or(false))
    }),
};

/// An element of another class than the code expects; `equals` takes any object and must not fail for its class.
pub static RAW_TYPE_ELEMENT: Rule = Rule {
    id: "raw-type-element",
    sentence: "raw types admitted elements of another class than the code expects; this does not excuse `equals`",
    effect: Effect::Suppress,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&["java/lang/ClassCastException"], |case, thrown| {
        case.program.own_frame(thrown).is_none_or(|frame| frame.method != "equals")
    }),
};

/// Whether the statement passes a class literal for another class than the signature of the method allows.
fn passes_wrong_class(case: &Case, at: usize) -> Option<bool> {
    let (operation, arguments) = case.call_at(at)?;
    let types = &case.program.types;
    let mut bindings = Bindings::new();
    if let Some(generic) = types.generic(&operation.owner) {
        bind_erasures(&generic.parameters, &mut bindings);
    }
    let bounds = class_bounds(&GenericMethod::parse(operation.signature.as_deref()?)?, &bindings);
    let mut bounded = arguments.zip(bounds);
    Some(bounded.any(|(argument, bound)| match (&case.sequence.statements()[argument].action, bound) {
        (Action::Literal(Literal::Class(given)), Some(bound)) => !types.is_assignable(given, &bound),
        _ => false,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::jvm::{ClassName, Type};

    #[test]
    fn wrong_class_literal_is_one_outside_the_bound_of_the_signature() {
        let program = program_with(|run| run.signature = Some("(Ljava/lang/Class<+Ljava/lang/Number;>;)V".into()));
        let rule = |class: &str| {
            let literal = Literal::Class(Type::Class(ClassName::new(class)));
            suppressed_by(&failure(RUN, literal, "java/lang/ArithmeticException", None, &["p/A.run"]), &program)
        };
        assert_eq!(rule("java/lang/String"), Some("wrong-class-literal"));
        assert_eq!(rule("java/lang/Number"), None);
    }

    #[test]
    fn raw_type_element_suppresses_casts_outside_equals() {
        let rule = |stack: &[&str]| {
            suppressed_by(&failure(RUN, string(), "java/lang/ClassCastException", None, stack), &program())
        };
        assert_eq!(rule(&["p/A.equals"]), None);
        assert_eq!(rule(&["p/A.sum", "p/A.toString"]), Some("raw-type-element"));
    }
}

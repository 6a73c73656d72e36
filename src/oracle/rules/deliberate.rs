//! Exceptions that the code under test means to throw: an annotation says so, or it created a `NullPointerException` itself, to
//! reject its input.

use super::{Condition, Effect, Evidence, NULL_POINTER, Rule};
use crate::intent::{is_check_of_javac, is_message_of_jvm};
use model::execution::{StackFrame, Thrown};
use program::Program;

/// Who wrote the code has said so.
pub static THROWS_ON_PURPOSE: Rule = Rule {
    id: "throws-on-purpose",
    sentence: "the exception leaves a method or constructor with the annotation `@ThrowsOnPurpose`",
    effect: Effect::Expect,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&[], |case, thrown| case.program.throws_on_purpose(thrown)),
};

/// The check of the JDK for arguments.
pub static REQUIRED_NON_NULL: Rule = Rule {
    id: "required-non-null",
    sentence: "the code under test called `Objects.requireNonNull`, which rejected its input",
    effect: Effect::Expect,
    evidence: Evidence::AnyRun,
    condition: Condition::Exception(&[NULL_POINTER], |case, thrown| is_thrown_by_requirement(thrown, case.program)),
};

/// A message that is not the JVM's shows that a `throw` statement made the exception.
pub static DELIBERATE_NULL_POINTER: Rule = Rule {
    id: "deliberate-null-pointer",
    sentence: "the code under test created the exception itself, so it rejects its input",
    effect: Effect::Expect,
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[NULL_POINTER], |case, thrown| {
        let message = thrown.message.as_ref().map(|message| message.to_string()).unwrap_or_default();
        !is_message_of_jvm(&message)
            && thrown.stack.first().is_some_and(|thrower| case.program.is_target(&thrower.class))
    }),
};

fn is_thrown_by_requirement(thrown: &Thrown, program: &Program) -> bool {
    let is_requirement = |frame: &&StackFrame| {
        frame.class.internal() == "java/util/Objects" && frame.method.starts_with("requireNonNull")
    };
    let mut frames = thrown.stack.iter().skip_while(is_requirement);
    let Some(check) = thrown.stack.first().filter(is_requirement) else { return false };
    frames
        .next()
        .is_some_and(|caller| program.is_target(&caller.class) && !is_check_of_javac(check, caller, thrown, program))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    fn rule(message: Option<&str>, stack: &[&str]) -> Option<&'static str> {
        suppressed_by(&null_pointer(message, stack), &program())
    }

    #[test]
    fn required_non_null_suppresses_calls_by_code_under_test() {
        assert_eq!(rule(Some("no key"), &["java/util/Objects.requireNonNull", "p/A.run"]), Some("required-non-null"));
        // Before a method reference it is javac that checks.
        assert_eq!(rule(None, &["java/util/Objects.requireNonNull", "p/A.run"]), None);
        // The code under test did not check; the code that it called did.
        assert_eq!(rule(None, &["java/util/Objects.requireNonNull", "java/util/TreeMap.get", "p/A.run"]), None);
    }

    #[test]
    fn deliberate_null_pointer_suppresses_exceptions_without_a_message_of_the_jvm() {
        assert_eq!(rule(None, &["p/A.run"]), Some("deliberate-null-pointer"));
        assert_eq!(rule(Some(&because("\"<local4>\"")), &["p/A.find"]), None);
    }
}

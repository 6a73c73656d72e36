//! Exceptions that the code under test means to throw: an annotation says so, or it created a `NullPointerException` itself, to
//! reject its input.

use super::{Condition, Effect, Evidence, NULL_POINTER, Rule};
use crate::intent::{Intent, intent, is_check_of_javac, is_message_of_jvm};
use model::execution::{StackFrame, Thrown};
use model::options::Confidence;
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

/// The line shows that a `throw` statement made the exception, and so does a message that is not the JVM's. No null argument
/// explains it, but some text may say that it is what the code is to do.
pub static DELIBERATE_NULL_POINTER: Rule = Rule {
    id: "deliberate-null-pointer",
    sentence: "the code under test created the exception itself, so it rejects its input",
    effect: Effect::LowerTo(Confidence::Possible),
    evidence: Evidence::DetailedRun,
    condition: Condition::Exception(&[NULL_POINTER], |case, thrown| {
        let is_own_message = || {
            thrown.message.as_ref().is_some_and(|message| !is_message_of_jvm(&message.to_string()))
                && thrown.stack.first().is_some_and(|thrower| case.program.is_target(&thrower.class))
        };
        intent(thrown, case.program) == Intent::Deliberate || is_own_message()
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
    use super::*;
    use crate::contract::NO_NULL_POINTER;
    use crate::{Finding, Judge, Verdict};
    use model::jvm::ClassName;

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
    fn deliberate_null_pointer_lowers_confidence_of_exceptions_that_the_code_creates() {
        let of =
            |message: Option<&str>, program: &Program| confidence(&null_pointer(message, &["p/A.unknown"]), program);
        let possible = (Confidence::Possible, Some("deliberate-null-pointer"));
        assert_eq!(of(Some("no root"), &program()), possible);
        assert_eq!(of(None, &program()), (Confidence::Likely, Some("thrown-exception")));
        let mut program = program();
        let rejection = ((ClassName::new("p/A"), "unknown".into()), 1, ClassName::new(NULL_POINTER));
        program.caller_obligations.rejections.insert(rejection);
        assert_eq!(of(None, &program), possible);
        assert_eq!(of(Some(&because("\"<local4>\"")), &program), (Confidence::Likely, Some("thrown-exception")));
    }

    #[test]
    fn deliberate_null_pointer_is_a_finding_and_expected_behaviour() {
        let mut program = program();
        let rejection = ((ClassName::new("p/A"), "run".into()), 1, ClassName::new(NULL_POINTER));
        program.caller_obligations.rejections.insert(rejection);
        let Finding { sequence, execution, .. } = null_pointer(None, &["p/A.run"]);
        let judged = Judge::new(&program, &[]).judge_run(&sequence, &execution);
        assert!(matches!(judged.verdict, Verdict::ExpectedException(_, Intent::Deliberate)), "{judged:?}");
        assert_eq!(judged.violation.map(|violation| violation.contract), Some(NO_NULL_POINTER));
        let judged = Judge::new(&program, &[&DELIBERATE_NULL_POINTER]).judge_run(&sequence, &execution);
        assert!(matches!(judged.verdict, Verdict::ErrorRevealing(_)), "{judged:?}");
    }
}

//! Whether an exception is part of what code promises, or happens to it.
//!
//! Code under test throws on purpose where its own `throw` statement runs, where it calls a check such as
//! `Objects.requireNonNull`, and where it hands its argument to a method of the JDK whose job is to reject what it cannot
//! read, and where an annotation of its method says so. So it does where the method that calls a collaborator catches its failure and throws it on. What the JVM raises at
//! a dereference of null or a bad index, and what a library throws deep inside, is implicit: no caller relies on it. The
//! stack trace decides, and for exceptions that the JVM raises too the line in the bytecode on which they are created.

use crate::is_a;
use bytecode::analysis::rejections::{RAISED_BY_JVM, is_require_non_null};
use model::execution::{StackFrame, Thrown};
use model::jvm::ClassName;
use model::sequence::FAILURE;
use program::Program;

/// Why an exception was thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intent {
    /// The code under test rejects what it was given.
    Deliberate,
    /// The JVM or a library raised it, and the code under test did not ask for that.
    Implicit,
}

/// How messages of the JVM itself begin (JEP 358).
const MESSAGES_OF_JVM: [&str; 10] = [
    "Cannot assign ",
    "Cannot enter ",
    "Cannot invoke ",
    "Cannot load ",
    "Cannot read ",
    "Cannot store ",
    "Cannot throw ",
    "Because ",
    "because ",
    "The return value ",
];

/// What javac writes into code: for `assert`, and for a `switch` that no case fits.
const WRITTEN_BY_JAVAC: [&str; 2] = ["java/lang/AssertionError", "java/lang/MatchException"];

/// Simple names of the classes that libraries have for checks of arguments and states.
const CHECKS: [&str; 11] = [
    "Args",
    "Assert",
    "Assertions",
    "Check",
    "Checks",
    "Ensure",
    "Intrinsics",
    "Preconditions",
    "Require",
    "Validate",
    "Verify",
];

/// Constructors and methods of the JDK that read text or look something up, and say so if they cannot.
const REJECTING: [(&str, &[&str]); 22] = [
    ("java/lang/Byte", &["parseByte", "valueOf", "decode"]),
    ("java/lang/Double", &["parseDouble", "valueOf"]),
    ("java/lang/Enum", &["valueOf"]),
    ("java/lang/Float", &["parseFloat", "valueOf"]),
    ("java/lang/Integer", &["parseInt", "parseUnsignedInt", "valueOf", "decode"]),
    ("java/lang/Long", &["parseLong", "parseUnsignedLong", "valueOf", "decode"]),
    ("java/lang/Short", &["parseShort", "valueOf", "decode"]),
    ("java/math/BigDecimal", &["<init>"]),
    ("java/math/BigInteger", &["<init>"]),
    ("java/net/URI", &["<init>", "create"]),
    ("java/net/URL", &["<init>"]),
    ("java/nio/charset/Charset", &["forName"]),
    ("java/text/DateFormat", &["parse"]),
    ("java/text/Format", &["parseObject"]),
    ("java/text/NumberFormat", &["parse"]),
    ("java/time/format/DateTimeFormatter", &["ofPattern"]),
    ("java/util/Base64$Decoder", &["decode"]),
    ("java/util/Currency", &["getInstance"]),
    ("java/util/HexFormat", &["parseHex"]),
    ("java/util/Optional", &["orElseThrow"]),
    ("java/util/UUID", &["fromString"]),
    ("java/util/regex/Pattern", &["compile"]),
];

/// Whether the exception was thrown on purpose.
pub fn intent(thrown: &Thrown, program: &Program) -> Intent {
    let is_of_jvm = RAISED_BY_JVM.contains(&thrown.class.internal());
    let first_own = thrown.stack.iter().position(|frame| program.is_target(&frame.class));
    let is_deliberate = match first_own {
        _ if program.throws_on_purpose(thrown) => true,
        _ if WRITTEN_BY_JAVAC.contains(&thrown.class.internal()) => false,
        Some(own) if is_of_collaborator(thrown) => is_thrown_on(&thrown.stack[own], thrown, program),
        Some(0) => !is_of_jvm || is_created_in(&thrown.stack[0], thrown, program),
        Some(own) => {
            let called = &thrown.stack[own - 1];
            let is_meant = || !is_check_of_javac(called, &thrown.stack[own], thrown, program);
            is_check(called) && is_meant() || (!is_of_jvm && rejects(called, thrown))
        }
        // An exception without a stack trace: the JVM leaves it out of those that it raises often.
        None => thrown.stack.is_empty() && program.is_target(&thrown.class),
    };
    if is_deliberate { Intent::Deliberate } else { Intent::Implicit }
}

/// Whether the code that the frame tells of catches what it called throws, and throws it on.
fn is_thrown_on(frame: &StackFrame, thrown: &Thrown, program: &Program) -> bool {
    let name = (frame.class.clone(), frame.method.as_str().into());
    let is_caught =
        |class: &ClassName| program.caller_obligations.rethrows.contains(&(name.clone(), frame.line, class.clone()));
    thrown.superclasses.iter().any(is_caught)
}

/// Whether a collaborator that the test passed in threw it: the code under test only let it through.
fn is_of_collaborator(thrown: &Thrown) -> bool {
    let has_message = thrown.message.as_ref().is_some_and(|message| message.to_string() == FAILURE);
    has_message && thrown.class.internal() == "java/lang/IllegalStateException"
}

/// Whether the message is what the code under test says, so that it is the same in every version of the JDK.
pub fn has_own_message(thrown: &Thrown, program: &Program) -> bool {
    // `Objects.checkIndex` and its like find their own words; `Objects.requireNonNull` has those of its caller.
    let hands_message_on =
        |frame: &StackFrame| is_check(frame) && (!is_of_jdk(frame) || frame.method.starts_with("requireNonNull"));
    let speaks = match thrown.stack.iter().position(|frame| program.is_target(&frame.class)) {
        Some(0) => true,
        Some(own) => hands_message_on(&thrown.stack[own - 1]),
        None => false,
    };
    let words = thrown.message.as_ref().map(|message| message.to_string()).unwrap_or_default();
    // What a cause says of itself is repeated in the message of many an exception.
    let repeats_cause = ["Exception", "cannot be cast", "java.base", "For input string", "unparseable", "Unparseable"];
    let is_deliberate = intent(thrown, program) == Intent::Deliberate;
    is_deliberate
        && speaks
        && !words.is_empty()
        && !repeats_cause.iter().any(|part| words.contains(part))
        && !is_message_of_jvm(&words)
}

/// Whether the message is one by which the JVM explains a `NullPointerException`.
pub(crate) fn is_message_of_jvm(message: &str) -> bool {
    MESSAGES_OF_JVM.iter().any(|start| message.starts_with(start))
}

/// Whether javac wrote the call of the check, as it does for `text::length`, and not who wrote the line.
pub(crate) fn is_check_of_javac(check: &StackFrame, caller: &StackFrame, thrown: &Thrown, program: &Program) -> bool {
    thrown.message.is_none()
        && is_require_non_null(check.class.internal(), &check.method)
        && !is_created_in(caller, thrown, program)
}

/// Whether the method creates such an exception on the line, or demands what it is about.
fn is_created_in(frame: &StackFrame, thrown: &Thrown, program: &Program) -> bool {
    let name = (frame.class.clone(), frame.method.as_str().into());
    let is_explained = thrown.message.as_ref().is_some_and(|message| is_message_of_jvm(&message.to_string()));
    program.caller_obligations.rejections.contains(&(name, frame.line, thrown.class.clone())) && !is_explained
}

fn is_of_jdk(frame: &StackFrame) -> bool {
    frame.class.internal().starts_with("java/") || frame.class.internal().starts_with("jdk/")
}

/// Whether a method is there to check what its caller was given.
fn is_check(frame: &StackFrame) -> bool {
    let is_of_objects = frame.class.internal() == "java/util/Objects"
        && (frame.method.starts_with("require") || frame.method.starts_with("check"));
    is_of_objects || (!is_of_jdk(frame) && CHECKS.contains(&frame.class.simple()))
}

/// Whether a method of the JDK, called by code under test, did with the exception what it is there for.
fn rejects(called: &StackFrame, thrown: &Thrown) -> bool {
    let class = called.class.internal();
    let is_listed = || {
        REJECTING.iter().any(|(rejecting, methods)| *rejecting == class && methods.contains(&called.method.as_str()))
    };
    // `Iterator.next`, `Deque.pop`, `Optional.get`
    let finds_nothing = class.starts_with("java/util/")
        && (is_a(thrown, "java/util/NoSuchElementException") || is_a(thrown, "java/util/EmptyStackException"));
    let is_no_date = class.starts_with("java/time/") && is_a(thrown, "java/time/DateTimeException");
    is_listed() || finds_nothing || is_no_date
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Finding;
    use crate::rules::testing::{RUN, because, failure, program, string};
    use model::execution::Outcome;
    use model::jvm::ClassName;

    fn thrown(class: &str, message: Option<&str>, stack: &[&str]) -> Thrown {
        let Finding { execution, .. } = failure(RUN, string(), class, message, stack);
        let Outcome::Threw { exception, .. } = execution.outcome else { unreachable!("a failure throws") };
        exception
    }

    fn check(class: &str, stack: &[&str], expected: Intent) {
        assert_eq!(intent(&thrown(class, None, stack), &program()), expected, "{class} {stack:?}");
    }

    #[test]
    fn exception_of_code_under_test_is_deliberate_unless_the_jvm_raised_it() {
        check("java/lang/IllegalStateException", &["p/A.run"], Intent::Deliberate);
        check("java/lang/NullPointerException", &["p/A.run"], Intent::Implicit);
        check("java/lang/AssertionError", &["p/A.run"], Intent::Implicit);
        check(
            "java/lang/StringIndexOutOfBoundsException",
            &["java/lang/String.substring", "p/A.run"],
            Intent::Implicit,
        );
        check("java/lang/IllegalStateException", &["q/Library.run", "p/A.run"], Intent::Implicit);
        check("java/lang/IllegalStateException", &["q/Library.run"], Intent::Implicit);
    }

    #[test]
    fn exception_of_the_jvm_is_deliberate_where_code_creates_it() {
        let mut program = program();
        let class = ClassName::new("java/lang/NullPointerException");
        program.caller_obligations.rejections.insert(((ClassName::new("p/A"), "run".into()), 1, class));
        let intent_of = |message| intent(&thrown("java/lang/NullPointerException", message, &["p/A.run"]), &program);
        assert_eq!(intent_of(Some("no name")), Intent::Deliberate);
        assert_eq!(intent_of(Some(&because("\"<local4>\""))), Intent::Implicit);
    }

    #[test]
    fn failure_of_a_collaborator_is_deliberate_where_code_catches_it_and_throws_it_on() {
        let mut program = program();
        let failure = thrown("java/lang/IllegalStateException", Some(FAILURE), &["p/A.run"]);
        assert_eq!(intent(&failure, &program), Intent::Implicit);
        let mut catch = |class: &str| {
            let name = (ClassName::new("p/A"), "run".into());
            program.caller_obligations.rethrows.insert((name, 1, ClassName::new(class)));
            intent(&failure, &program)
        };
        assert_eq!(catch("java/io/IOException"), Intent::Implicit);
        assert_eq!(catch("java/lang/IllegalStateException"), Intent::Deliberate);
    }

    #[test]
    fn value_that_is_required_is_demanded_by_the_code_unless_javac_wrote_the_call() {
        let mut program = program();
        let class = "java/lang/NullPointerException";
        let stack = ["java/util/Objects.requireNonNull", "p/A.run"];
        check(class, &stack, Intent::Implicit);
        assert_eq!(intent(&thrown(class, Some("name"), &stack), &program), Intent::Deliberate);
        let rejection = ((ClassName::new("p/A"), "run".into()), 1, ClassName::new(class));
        program.caller_obligations.rejections.insert(rejection);
        assert_eq!(intent(&thrown(class, None, &stack), &program), Intent::Deliberate);
    }

    #[test]
    fn check_and_reader_called_by_code_under_test_are_deliberate() {
        let index = ["jdk/internal/util/Preconditions.checkIndex", "java/util/Objects.checkIndex"];
        let class = "java/lang/IndexOutOfBoundsException";
        check(class, &[index[0], index[1], "p/A.run"], Intent::Deliberate);
        check(class, &[index[0], index[1], "java/util/ArrayList.get", "p/A.run"], Intent::Implicit);
        check("java/lang/IllegalArgumentException", &["q/Preconditions.checkArgument", "p/A.run"], Intent::Deliberate);
        let format = "java/lang/NumberFormatException";
        check(
            format,
            &["java/lang/NumberFormatException.forInputString", "java/lang/Integer.parseInt", "p/A.run"],
            Intent::Deliberate,
        );
        check(format, &["java/lang/Integer.parseInt", "java/util/Library.read", "p/A.run"], Intent::Implicit);
        check("java/util/NoSuchElementException", &["java/util/ArrayList$Itr.next", "p/A.run"], Intent::Deliberate);
        check("java/lang/NullPointerException", &["java/math/BigDecimal.<init>", "p/A.run"], Intent::Implicit);
    }

    #[test]
    fn message_of_the_jvm_is_not_that_of_the_code() {
        let thrown = thrown("java/lang/ArithmeticException", Some("/ by zero"), &["p/A.run"]);
        assert!(!has_own_message(&thrown, &program()));
    }

    #[test]
    fn only_messages_of_code_under_test_are_its_own() {
        let check = |message: &str, stack: &[&str], expected: bool| {
            let thrown = thrown("java/lang/IllegalArgumentException", Some(message), stack);
            assert_eq!(has_own_message(&thrown, &program()), expected, "{message} {stack:?}");
        };
        check("negative amount", &["p/A.run"], true);
        check("Objects of type java.lang.Object cannot be encoded", &["p/A.run"], true);
        check("class java.lang.Object cannot be cast to class p.A", &["p/A.run"], false);
        check("owner", &["java/util/Objects.requireNonNull", "p/A.run"], true);
        check("Index 1 out of bounds for length 0", &["java/util/Objects.checkIndex", "p/A.run"], false);
        check("For input string: \"x\"", &["java/lang/Integer.parseInt", "p/A.run"], false);
        check("java.lang.NumberFormatException: For input string: \"x\"", &["p/A.run"], false);
        check("", &["p/A.run"], false);
    }
}

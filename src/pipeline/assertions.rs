//! Which library's assertions the tests use: AssertJ's where the project's own tests do.

use crate::task::Task;
use bytecode::classfile::{self, ClassFile};
use emitter::AssertionLibrary;
use host::classpath::ClassPath;
use model::jvm::ClassName;
use model::options::Assertions;

/// The class of AssertJ that tests import.
const ASSERTJ: &str = "org/assertj/core/api/Assertions";

/// A class that came with 3.12, as `assertThatObject` did.
const SINCE_3_12: &str = "org/assertj/core/api/IteratorAssert";

/// Classes of AssertJ 3.7 and later: versions before lack `assertThatCode`, and those before 3.0 know no `Optional`.
const SINCE_3_7: [&str; 2] = ["org/assertj/core/api/OptionalAssert", "org/assertj/core/api/AtomicIntegerAssert"];

/// Those of JUnit.
const JUNIT: [&str; 3] = ["org/junit/Assert", "org/junit/jupiter/api/Assertions", "junit/framework/Assert"];

/// What tests of JUnit 3 extend, and inherit assertions from.
const TEST_CASE: &str = "junit/framework/TestCase";

/// Whether the class path has AssertJ.
pub fn has_assertj(class_path: &ClassPath) -> bool {
    class_path.contains(&ClassName::new(ASSERTJ))
}

/// What the settings say, or the project's own tests.
pub fn choose(task: &Task, class_path: &ClassPath) -> AssertionLibrary {
    let is_there = has_assertj(class_path);
    let is_chosen = match task.options.assertions {
        Assertions::Junit => false,
        Assertions::Assertj => true,
        Assertions::Auto => is_there && is_recent(class_path) && is_usual(task),
    };
    if !is_chosen {
        return AssertionLibrary::JUnit;
    }
    // What is fetched because the class path lacks it is newer.
    AssertionLibrary::AssertJ { assert_that_object: !is_there || class_path.contains(&ClassName::new(SINCE_3_12)) }
}

fn is_recent(class_path: &ClassPath) -> bool {
    SINCE_3_7.iter().all(|class| class_path.contains(&ClassName::new(class)))
}

/// Whether the project's own tests use AssertJ in as many classes as JUnit's assertions, at least. What an earlier run wrote
/// does not count.
fn is_usual(task: &Task) -> bool {
    let tests = task.module.read_tests(task.jdk.feature_version).unwrap_or_default();
    let own = tests.iter().filter(|(name, _)| !emitter::is_test(name));
    let uses: Vec<Uses> = own.filter_map(|(_, bytes)| Some(Uses::of(&classfile::parse(bytes).ok()?))).collect();
    are_for_assertj(&uses)
}

fn are_for_assertj(uses: &[Uses]) -> bool {
    let of_assertj = uses.iter().filter(|uses| uses.assertj).count();
    let of_junit = uses.iter().filter(|uses| uses.junit).count();
    of_assertj > 0 && of_assertj >= of_junit
}

/// Whose assertions a test class calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Uses {
    assertj: bool,
    junit: bool,
}

impl Uses {
    /// `assertThrows` and `fail` of JUnit do not count: they stand beside AssertJ's assertions, too.
    fn of(file: &ClassFile) -> Uses {
        let is_junit_3 = file.super_class.as_ref().is_some_and(|class| class.internal() == TEST_CASE);
        let mut uses = Uses { junit: is_junit_3, ..Uses::default() };
        for body in classfile::bodies(file) {
            for called in body.steps.iter().filter_map(|step| step.instruction.invoked()) {
                let owner = called.owner.internal();
                uses.assertj |= owner.starts_with("org/assertj/core/api/");
                uses.junit |= JUNIT.contains(&owner) && !matches!(&*called.name, "assertThrows" | "fail");
            }
        }
        uses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::compile;

    /// What the class `T` of a source that has JUnit 4 too calls.
    fn check(test: &str, expected: Uses) {
        let source = format!(
            "package org.junit;
             class Assert {{
                 static void assertEquals(int one, int other) {{ }}
                 static void assertThrows(Runnable called) {{ }}
                 static void fail() {{ }}
             }}
             class T {{ {test} }}"
        );
        let classes = compile(&source, &[]);
        let (_, bytes) = classes.iter().find(|(name, _)| name == "T.class").unwrap();
        assert_eq!(Uses::of(&classfile::parse(bytes).unwrap()), expected);
    }

    #[test]
    fn class_uses_junit_if_it_calls_other_assertions_than_those_of_exceptions() {
        let junit = Uses { junit: true, ..Uses::default() };
        check("void test() { Assert.assertEquals(1, 1); }", junit);
        check("void test() { Runnable lambda = () -> Assert.assertEquals(1, 1); }", junit);
        check("void test() { Assert.assertThrows(() -> { }); Assert.fail(); }", Uses::default());
    }

    #[test]
    fn assertj_is_usual_where_as_many_classes_use_it() {
        let uses = |assertj, junit| Uses { assertj, junit };
        let both = uses(true, true);
        assert!(are_for_assertj(&[uses(true, false), uses(false, true), both, uses(false, false)]));
        assert!(!are_for_assertj(&[uses(true, false), uses(false, true), uses(false, true)]));
        assert!(!are_for_assertj(&[uses(false, false)]));
    }
}

//! Emitted tests are compiled and run: which are kept, which are dropped, and which lose an assertion.

use super::cases::{findings, good_cases};
use super::{SHAPES, Script, UNNAMED, constant, int, object, plain, text};
use crate::fixture::Fixture;
use emitter::{AssertionLibrary, TestCase};
use host::supervisor::test_library::TestLibrary;
use model::execution::Value;
use model::jvm::Type;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

#[test]
fn tests_of_every_shape_compile_and_pass_under_junit_5() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let mut cases = good_cases(&fixture.program);
    cases.extend(findings(&fixture.program));
    let (verified, skipped) = fixture.verify("p/Shapes", &cases, TestLibrary::JUnit5, 17);
    assert_eq!(skipped, Vec::<String>::new());
    assert_eq!(verified.rejected.dropped, BTreeMap::new(), "{}", verified.files[0].text);
}

#[test]
fn tests_of_every_shape_compile_and_pass_under_junit_4_with_and_without_lambdas() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let mut cases = good_cases(&fixture.program);
    cases.extend(findings(&fixture.program));
    for level in [8, 11] {
        let (verified, skipped) = fixture.verify("p/Shapes", &cases, TestLibrary::JUnit4, level);
        assert_eq!(skipped, Vec::<String>::new());
        assert_eq!(verified.rejected.dropped, BTreeMap::new(), "{}", verified.files[0].text);
    }
}

#[test]
fn tests_of_every_shape_compile_and_pass_with_assertj() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let mut cases = good_cases(&fixture.program);
    cases.extend(findings(&fixture.program));
    let assertions = AssertionLibrary::AssertJ { assert_that_object: true };
    for (library, level) in [(TestLibrary::JUnit4, 8), (TestLibrary::JUnit5, 17)] {
        let (verified, skipped) = fixture.verify_with("p/Shapes", &cases, (library, assertions), level);
        assert_eq!(skipped, Vec::<String>::new());
        let text = &verified.files[0].text;
        assert_eq!(verified.rejected.dropped, BTreeMap::new(), "{text}");
        assert!(text.contains("assertThatThrownBy(") && !text.contains("org.junit.jupiter.api.Assertions"), "{text}");
    }
}

#[test]
fn hanging_and_exiting_tests_are_dropped_and_flaky_assertions_removed() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let on_shapes = |call: &str, value: Value| {
        let mut script = Script::new(program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        script.call(call, &[shapes], value);
        script.completed()
    };
    let mut cases = vec![
        on_shapes("p.Shapes.color()", object(Type::class("p/Shapes$Color"), constant("p/Shapes$Color", "GREEN"))),
        on_shapes("p.Shapes.spin()", Value::Void),
        on_shapes("p.Shapes.exit()", Value::Void),
        on_shapes("p.Shapes.color()", object(Type::class("p/Shapes$Color"), constant("p/Shapes$Color", "RED"))),
        on_shapes("p.Shapes.color()", object(Type::class("p/Shapes$Color"), constant("p/Shapes$Color", "BLUE"))),
    ];
    for count in [1, 2] {
        let mut script = Script::new(program);
        script.call("p.Shapes.next()", &[], int(count));
        cases.push(script.completed());
    }
    let mut never = Script::new(program);
    let shapes = never.call("p.Shapes()", &[], plain("p/Shapes"));
    cases.push(never.throws("p.Shapes.color()", &[shapes], &["java/lang/Exception", "java/lang/Throwable"]));
    cases.iter_mut().for_each(|case| case.alone = true);
    let (verified, _) = fixture.verify("p/Shapes", &cases, TestLibrary::JUnit5, 17);
    let rejected = &verified.rejected;
    let reasons: BTreeMap<usize, String> = rejected
        .dropped
        .iter()
        .map(|(case, reason)| (*case, format!("{reason:?}").split('(').next().unwrap().to_string()))
        .collect();
    let expected = [(1, "TimesOut"), (2, "KillsTheJvm"), (4, "DoesNotCompile"), (7, "Fails")];
    assert_eq!(reasons, expected.map(|(case, reason)| (case, reason.to_string())).into(), "{rejected:?}");
    // A wrong value is not asserted any more; nor is one that depends on the order of tests.
    assert!(rejected.unasserted.contains_key(&3) && !rejected.unasserted.contains_key(&0), "{rejected:?}");
    assert!(rejected.unasserted.contains_key(&5) || rejected.unasserted.contains_key(&6), "{rejected:?}");
    let kept: Vec<usize> = verified.files.iter().flat_map(|file| file.tests.iter().map(|test| test.id)).collect();
    assert_eq!(kept, [0, 3, 5, 6]);
}

#[test]
fn unnamed_package_and_classes_named_like_platform_classes_compile() {
    let Some(fixture) = Fixture::compile("Plain", UNNAMED, 8) else { return };
    let mut null = Script::new(&fixture.program);
    let name = null.string("a");
    null.call("Plain.greet(java.lang.String)", &[name], Value::Null);
    let mut echo = Script::new(&fixture.program);
    let name = echo.string("a");
    let cast = echo.call("cast to java.lang.String", &[name], text("a"));
    echo.call("Plain.echo(java.lang.String)", &[cast], text("a"));
    let mut nested = Script::new(&fixture.program);
    let test = nested.call("Plain$Test()", &[], plain("Plain$Test"));
    nested.call("Plain$Test.one()", &[test], int(1));
    let cases = [null.completed(), echo.completed(), nested.completed()];
    let (verified, skipped) = fixture.verify("Plain", &cases, TestLibrary::JUnit5, 8);
    assert_eq!((skipped.len(), &verified.rejected.dropped), (0, &BTreeMap::new()), "{}", verified.files[0].text);
}

/// A measurement, chosen by name on an idle machine: `cargo test --test jvm -- --ignored emission --nocapture`.
#[test]
#[ignore = "measures time, so it wants an idle machine"]
fn five_hundred_tests_are_verified_in_eight_seconds() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let good = good_cases(&fixture.program);
    let cases: Vec<TestCase> = good.iter().cycle().take(500).cloned().collect();
    let started = Instant::now();
    let (verified, _) = fixture.verify("p/Shapes", &cases, TestLibrary::JUnit5, 17);
    println!("{} files, {:?}", verified.files.len(), started.elapsed());
    assert!(verified.rejected.dropped.is_empty() && started.elapsed() < Duration::from_secs(8));
}

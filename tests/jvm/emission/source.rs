//! The source of emitted tests: inlined calls, grouped cases, tables of literals, and names.

use super::cases::ordered_cases;
use super::{SHAPES, Script, int, object, plain, text};
use crate::fixture::Fixture;
use emitter::{self, JUnitVersion, Style, TestCase};
use host::supervisor::test_library::TestLibrary;
use model::execution::{Observed, Value};
use model::jvm::{ClassName, Literal, Type};
use std::collections::BTreeMap;

#[test]
fn call_used_once_is_inlined_if_evaluation_order_is_kept() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let style = Style::new(JUnitVersion::Five, 8);
    let check = |case: TestCase, expected: &[&str]| {
        let emission = emitter::emit(&ClassName::new("p/Shapes"), &[case], &program.operations, &program.types, &style);
        let source = emission.files[0].source_of(&emission.files[0].tests[0]);
        let body: Vec<&str> = source.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(body[2..body.len() - 1], *expected);
    };
    let next = "Shapes.next();";
    let both = [next, "assertEquals(-1, Shapes.minus(Shapes.next(), Shapes.next()));"];
    let second = [next, "int result = Shapes.next();", "assertEquals(1, Shapes.minus(Shapes.next(), result));"];
    let apart = ["int result = Shapes.next();", next, "assertEquals(-2, Shapes.minus(result, Shapes.next()));"];
    let expected = [both.as_slice(), &second, &apart];
    for (case, expected) in ordered_cases(program).into_iter().zip(expected) {
        check(case, expected);
    }
    let mut throwing = Script::new(program);
    let shapes = throwing.call("p.Shapes()", &[], plain("p/Shapes"));
    let throwing = throwing.throws("p.Shapes.failByError()", &[shapes], &["java/lang/Error", "java/lang/Throwable"]);
    check(throwing, &["assertThrows(Error.class, () -> new Shapes().failByError());"]);
    let mut chain = Script::new(program);
    let a = chain.string("a");
    let object = chain.call("p.Shapes$Box(java.lang.Comparable)", &[a], plain("p/Shapes$Box"));
    let itself = chain.call("p.Shapes$Box.self()", &[object], plain("p/Shapes$Box"));
    let b = chain.string("b");
    chain.call("p.Shapes$Box.set(java.lang.Comparable)", &[itself, b], Value::Void);
    check(chain.completed(), &["assertDoesNotThrow(() -> new Shapes.Box<String>(\"a\").self().set(\"b\"));"]);
    // javac infers other type arguments for a diamond before a dot.
    let mut behind = Script::new(program);
    let a = behind.string("a");
    let object = behind.call("p.Shapes$Box(java.lang.Comparable)", &[a], plain("p/Shapes$Box"));
    let itself = behind.call("p.Shapes$Box.self()", &[object], plain("p/Shapes$Box"));
    let b = behind.string("b");
    behind.call("p.Shapes$Box.set(java.lang.Comparable)", &[itself, b], Value::Void);
    behind.call("p.Shapes$Box.get()", &[itself], text("b"));
    let made = "Shapes.Box<String> box = new Shapes.Box<String>(\"a\").self();";
    check(behind.completed(), &[made, "box.set(\"b\");", "assertEquals(\"b\", box.get());"]);
    // An object of the platform is the same whenever it is made; one of the program may not be.
    let mut list = Script::new(program);
    let integers = "java.util.ArrayList<java.lang.Integer>";
    let empty = list.make("java.util.ArrayList()", integers, plain("java/util/ArrayList"));
    let shapes = list.call("p.Shapes()", &[], plain("p/Shapes"));
    list.call("p.Shapes.next()", &[], int(1));
    let no = list.literal(Literal::Boolean(false));
    list.call("p.Shapes.sum(java.util.Collection, boolean)", &[empty, no], int(0));
    list.call("p.Shapes.color()", &[shapes], Value::Null);
    let list = TestCase { unasserted: [2, 5].into(), ..list.completed() };
    let expected = [
        "Shapes shapes = new Shapes();",
        next,
        "assertEquals(0, Shapes.sum(new ArrayList<Integer>(), false));",
        "shapes.color();",
    ];
    check(list, &expected);
    // A cast is written where the member is none of the type's anyway.
    let on_cast = |member: &str, value: Value| {
        let mut script = Script::new(program);
        let one = script.call("p.Shapes.ONE", &[], plain("p/Shapes$Wide"));
        let wide = script.call("cast to p.Shapes$Wide", &[one], plain("p/Shapes$Wide"));
        script.call(member, &[wide], value);
        script.completed()
    };
    check(on_cast("p.Shapes.failByError()", Value::Void), &["assertDoesNotThrow(() -> Shapes.ONE.failByError());"]);
    check(on_cast("p.Shapes$Wide.number", int(2)), &["assertEquals(2, ((Shapes.Wide) Shapes.ONE).number);"]);
    // The result of a generic method depends on where it stands, and a narrower one might choose another overload.
    let mut inferred = Script::new(program);
    let a = inferred.string("a");
    let same = inferred.call("p.Shapes.only(java.lang.Object)", &[a], plain("java/lang/Object"));
    inferred.call("p.Shapes.which(java.lang.Object)", &[same], text("Object"));
    check(
        inferred.completed(),
        &["String only = Shapes.only(\"a\");", "assertEquals(\"Object\", Shapes.which((Object) only));"],
    );
}

#[test]
fn only_cases_that_differ_in_literals_share_a_test() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let exceptions = ["java/io/IOException", "java/lang/Exception", "java/lang/Throwable"];
    let failing = |sneaky: bool, classes: &[&str]| {
        let mut script = Script::new(program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let sneaky = script.literal(Literal::Boolean(sneaky));
        script.throws("p.Shapes.fail(boolean)", &[shapes, sneaky], classes)
    };
    let which = |parameter: &str, literal: Literal, name: &str| {
        let mut script = Script::new(program);
        let argument = script.literal(literal);
        script.call(&format!("p.Shapes.which({parameter})"), &[argument], text(name));
        script.completed()
    };
    let mut cases = [
        which("int", Literal::Int(1), "int"),
        failing(false, &exceptions),
        which("int", Literal::Int(2), "int"),
        which("long", Literal::Long(1), "long"),
        failing(true, &exceptions),
        which("int", Literal::Int(3), "int"),
        which("int", Literal::Int(4), "int"),
    ];
    cases[6].alone = true;
    let style = Style::new(JUnitVersion::Five, 8);
    let emission = emitter::emit(&ClassName::new("p/Shapes"), &cases, &program.operations, &program.types, &style);
    let tests = &emission.files[0].tests;
    let together: Vec<(&str, &[usize])> = tests.iter().map(|test| (&*test.method, test.cases.as_slice())).collect();
    let expected: [(&str, &[usize]); 5] = [
        ("which_variousValue_returnsInt", &[0, 2, 5]),
        ("which_with4_returnsInt", &[6]),
        ("which_with1_returnsLong", &[3]),
        ("fail_withoutSneaky_throwsIOException", &[1]),
        ("fail_withSneaky_throwsIOException", &[4]),
    ];
    assert_eq!(together, expected);
    assert_eq!(tests.iter().map(|test| test.assertions).collect::<Vec<_>>(), [3, 1, 1, 1, 1]);
    let expected = "\
@Test
void which_variousValue_returnsInt() {
    assertEquals(\"int\", Shapes.which(1));
    assertEquals(\"int\", Shapes.which(2));
    assertEquals(\"int\", Shapes.which(3));
}
";
    assert_eq!(emission.files[0].source_of(&tests[0]), expected);
}

#[test]
fn test_is_named_after_its_last_call_and_the_value() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let name = |texts: &[&str], then_spins: bool| {
        let mut script = Script::new(program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        for of in texts {
            let given = script.string(of);
            script.call("p.Shapes.text(java.lang.String)", &[shapes, given], text(of));
        }
        if then_spins {
            script.call("p.Shapes.spin()", &[shapes], Value::Void);
        }
        let style = Style::new(JUnitVersion::Five, 8);
        let class = ClassName::new("p/Shapes");
        let emission = emitter::emit(&class, &[script.completed()], &program.operations, &program.types, &style);
        emission.files[0].tests[0].method.clone()
    };
    assert_eq!(name(&["a", "a"], false), "text_afterText_returnsInputUnchanged");
    assert_eq!(name(&["a", "b"], false), "text_afterText_returnsInputUnchanged");
    // What is asserted of other calls says nothing of the last.
    assert_eq!(name(&["a", "b"], true), "spin_afterTextTwice_succeeds");
}

#[test]
fn test_is_named_after_the_rule_that_it_shows() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let name = |case: TestCase| {
        let style = Style::new(JUnitVersion::Five, 8);
        let class = ClassName::new("p/Shapes");
        emitter::emit(&class, &[case], &program.operations, &program.types, &style).files[0].tests[0].method.clone()
    };
    let rejected = |message: &str| {
        let mut script = Script::new(program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let no = script.literal(Literal::Boolean(false));
        let thrown = ["java/io/IOException", "java/lang/Exception", "java/lang/Throwable"];
        let case = script.throws("p.Shapes.fail(boolean)", &[shapes, no], &thrown);
        name(TestCase { message: Some(message.into()), ..case })
    };
    assert_eq!(rejected("No such file: a"), "fail_noSuchFile_throwsIOException");
    // What the argument is says more of the condition than what it should be.
    assert_eq!(rejected("it must be sneaky"), "fail_withoutSneaky_throwsIOException");
    let parsed = |text: &str, fallback: i32, parsed: i32| {
        let mut script = Script::new(program);
        let (text, fallback) = (script.string(text), script.literal(Literal::Int(fallback)));
        let parsed = Value::Literal(Literal::Int(parsed));
        script.call("p.Shapes.parse(java.lang.String, int)", &[text, fallback], parsed);
        name(script.completed())
    };
    assert_eq!(parsed("", 7, 7), "parse_emptyOf_returnsFallback");
    assert_eq!(parsed("ab", 7, 2), "parse_withOfAbAndFallback7_returns2");
}

#[test]
fn test_of_a_call_beside_its_opposite_is_named_after_both() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let name = |names: [&str; 2]| {
        let mut script = Script::new(program);
        let names = names.map(|name| script.string(name));
        for (name, is_short) in names.into_iter().zip([true, false]) {
            let is_short = Value::Literal(Literal::Boolean(is_short));
            script.call("p.Shapes.isShort(java.lang.String)", &[name], is_short);
        }
        let style = Style::new(JUnitVersion::Five, 8);
        let case = TestCase { observers: 1, ..script.completed() };
        let class = ClassName::new("p/Shapes");
        emitter::emit(&class, &[case], &program.operations, &program.types, &style).files[0].tests[0].method.clone()
    };
    assert_eq!(name(["ab", "long"]), "isShort_returnsTrueForAbButNotForLong");
    assert_eq!(name(["", "a name that is far too long"]), "isShort_emptyName_returnsTrueUnlikeAnotherName");
}

#[test]
fn test_of_two_objects_is_named_after_what_only_one_has_been_through() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let name = |is_set: [bool; 2]| {
        let mut script = Script::new(program);
        let null = script.literal(Literal::Null(Type::string()));
        let text = script.string("a");
        let boxes = is_set.map(|is_set| {
            let made = script.call("p.Shapes$Box(java.lang.Comparable)", &[null], plain("p/Shapes$Box"));
            if is_set {
                script.call("p.Shapes$Box.set(java.lang.Comparable)", &[made, text], Value::Void);
            }
            made
        });
        for (made, is_set) in boxes.into_iter().zip(is_set) {
            script.call("p.Shapes$Box.isSet()", &[made], Value::Literal(Literal::Boolean(is_set)));
        }
        let style = Style::new(JUnitVersion::Five, 8);
        let case = TestCase { observers: 1, ..script.completed() };
        let class = ClassName::new("p/Shapes$Box");
        emitter::emit(&class, &[case], &program.operations, &program.types, &style).files[0].tests[0].method.clone()
    };
    assert_eq!(name([true, false]), "isSet_returnsTrueOnlyAfterSet");
    assert_eq!(name([false, true]), "isSet_returnsTrueOnlyAfterSet");
}

#[test]
fn stream_is_named_after_what_is_read_from_it() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let name = |text: &str| {
        let mut script = Script::new(program);
        let text = script.string(text);
        let reader = script.call("java.io.StringReader(java.lang.String)", &[text], plain("java/io/StringReader"));
        script.call("p.Shapes.read(java.io.Reader)", &[reader], int(-1));
        let style = Style::new(JUnitVersion::Five, 8);
        let class = ClassName::new("p/Shapes");
        let emission = emitter::emit(&class, &[script.completed()], &program.operations, &program.types, &style);
        emission.files[0].tests[0].method.clone()
    };
    assert_eq!(name(""), "read_emptySource_returnsMinusOne");
    assert_eq!(name("abc"), "read_withSourceAbc_returnsMinusOne");
}

#[test]
fn cases_that_differ_in_literals_alone_are_rows_of_one_test() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let texts = ["a", "it's", "\"b\", c", ""].map(|given| {
        let mut script = Script::new(&fixture.program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let argument = script.string(given);
        script.call("p.Shapes.text(java.lang.String)", &[shapes, argument], text(given));
        script.completed()
    });
    let (verified, _) = fixture.verify("p/Shapes", &texts, TestLibrary::JUnit5, 8);
    assert_eq!(verified.rejected.dropped, BTreeMap::new());
    let expected = "
    @ParameterizedTest
    @CsvSource({
        \"'a', 'a'\",
        \"'it''s', 'it''s'\",
        \"'\\\"b\\\", c', '\\\"b\\\", c'\",
        \"'', ''\",
    })
    void text_dependsOnOf(String of, String expected) {
        assertEquals(expected, new Shapes().text(of));
    }
";
    assert!(verified.files[0].text.contains(expected), "{}", verified.files[0].text);
}

#[test]
fn a_small_suite_reads_as_if_written_by_hand() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let mut observed = Script::new(program);
    let shapes = observed.call("p.Shapes()", &[], plain("p/Shapes"));
    let a = observed.string("a");
    observed.call("p.Shapes.names()", &[shapes], object(Type::class("java/util/ArrayList"), Observed::Size(2)));
    observed.call("p.Shapes.text(java.lang.String)", &[shapes, a], text("a"));
    let mut throwing = Script::new(program);
    let shapes = throwing.call("p.Shapes()", &[], plain("p/Shapes"));
    let no = throwing.literal(Literal::Boolean(false));
    let not_found =
        ["java/io/FileNotFoundException", "java/io/IOException", "java/lang/Exception", "java/lang/Throwable"];
    let throwing = throwing.throws("p.Shapes.fail(boolean)", &[shapes, no], &not_found);
    let cases = [observed.completed(), throwing];
    let style = Style::new(JUnitVersion::Five, 8);
    let emission = emitter::emit(&ClassName::new("p/Shapes"), &cases, &program.operations, &program.types, &style);
    let expected = "\
package p;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.FileNotFoundException;
import org.junit.jupiter.api.Test;

class ShapesRandgenTest {

    @Test
    void text_afterNames_returnsInputUnchanged() {
        Shapes shapes = new Shapes();

        assertEquals(2, shapes.names().size());
        assertEquals(\"a\", shapes.text(\"a\"));
    }

    @Test
    void fail_withoutSneaky_throwsFileNotFoundException() {
        assertThrows(FileNotFoundException.class, () -> new Shapes().fail(false));
    }
}
";
    assert_eq!(emission.files[0].text, expected);
    assert_eq!(emission.files[0].tests[0].checks, [(15..=15, 2), (16..=16, 3)]);
}

//! Emitted tests compile, and pass or fail as they should, for JUnit 4 and 5: sequences over small classes that use what
//! Java has to trip over.
//!
//! Needs a JDK with `javac` and `jmods`, and JUnit in the local Maven repository or Maven; says what it misses without.

mod suites;

use crate::fixture::Fixture;
use emitter::{self, JUnitVersion, Style, TestCase};
use host::supervisor::junit::Generation;
use model::execution::{Execution, Observed, Outcome, Thrown, Value};
use model::jvm::{ClassName, JavaString, Literal, Primitive, Type};
use model::sequence::{OperationId, Sequence};
use oracle::Violation;
use program::Program;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const SHAPES: &str = r#"
package p;

import java.util.*;

public class Shapes {
    public int number = 1;
    public static final Set<String> NAMES = Collections.singleton("a");
    public static int sum(Collection<Integer> numbers, boolean really) { return numbers.size(); }
    public static final Shapes ONE = new Shapes();
    public enum Color { RED, GREEN }
    public static class Box<T extends Comparable<T>> {
        private T value;
        public Box(T value) { this.value = value; }
        public T get() { return value; }
        public void set(T value) { this.value = value; }
        public Box<T> self() { return this; }
    }
    public static class TextBox extends Box<String> {
        public TextBox(String value) { super(value); }
    }
    public class Inner {
        private final String name;
        public Inner(String name) { this.name = name; }
        public String name() { return name; }
    }
    public static class Wide extends Shapes { public int number = 2; }
    public static String which(Object value) { return "Object"; }
    public static String which(String value) { return "String"; }
    public static String which(Integer value) { return "Integer"; }
    public static String which(int value) { return "int"; }
    public static String which(long value) { return "long"; }
    public static String which(char[] value) { return "char[]"; }
    public static String pair(Object a, String b) { return "OS"; }
    public static String pair(String a, Object b) { return "SO"; }
    public static String join(String separator, Object... parts) { return parts == null ? "null" : separator + parts.length; }
    public static <T extends Comparable<T>> T greater(T a, T b) { return a.compareTo(b) >= 0 ? a : b; }
    public static <T extends Comparable<T> & CharSequence> int longest(T a, T b) { return a.length() + (b == null ? 0 : b.length()); }
    public static <E extends Enum<E>> int ordinal(Class<E> type, String name) { return Enum.valueOf(type, name).ordinal(); }
    public static <T> T only(T value) { return value; }
    public static int count(Map<String, String> map) { return map.size(); }
    public static <V> String among(Map<String, V> map) { return "Map"; }
    public static String among(Properties map) { return "Properties"; }
    public static <K, V> String fill(Map<K, V> map, V value) { return "V"; }
    public static <K, V> String fill(Map<K, V> map, Collection<? extends V> values) { return "Collection"; }
    public static String typeName(Class<? extends Number> type) { return type.getName(); }
    public Color color() { return Color.GREEN; }
    public Map.Entry<String, Integer> entry() { return new AbstractMap.SimpleEntry<>("a", 1); }
    public List<String> names() { return new ArrayList<>(Arrays.asList("a", "b")); }
    public double[] doubles() { return new double[] {0.5, Double.NaN}; }
    public Object hidden() { return new int[] {1, 2}; }
    public char letter(char of) { return of; }
    public float same(float of) { return of; }
    public String text(String of) { return of; }
    public void fail(boolean sneaky) throws java.io.IOException {
        if (sneaky) { Shapes.<RuntimeException>sneak(new Exception("sneaky")); }
        throw new java.io.FileNotFoundException("none");
    }
    public void failPlainly() { Shapes.<RuntimeException>sneak(new java.io.IOException("sneaky")); }
    public void failByError() { throw new AssertionError("own"); }
    private static <X extends Throwable> void sneak(Throwable thrown) throws X {
        @SuppressWarnings("unchecked") X typed = (X) thrown;
        throw typed;
    }
    Secret secret() { return new Secret(); }
    static class Secret implements Comparable<Secret> {
        int depth = 3;
        public int compareTo(Secret other) { return 1; }
        @Override public boolean equals(Object other) { return other == null; }
        @Override public int hashCode() { return 7; }
    }
    public void spin() { while (true) { Thread.yield(); } }
    public void exit() { System.exit(0); }
    public static int counter;
    public static int next() { return ++counter; }
    public static int minus(int a, int b) { return a - b; }
}
"#;

/// A class of the unnamed package, with a sibling that hides `java.lang.String`.
const UNNAMED: &str = r#"
public class Plain {
    public static String greet(java.lang.String name) { return null; }
    public static java.lang.String echo(java.lang.String name) { return name; }
    public static class Test { public int one() { return 1; } }
}
class String { }
"#;

/// A sequence with what it did, written down step by step.
struct Script<'a> {
    program: &'a Program,
    sequence: Sequence,
    values: Vec<Value>,
}

impl<'a> Script<'a> {
    fn new(program: &'a Program) -> Script<'a> {
        Script { program, sequence: Sequence::new(), values: Vec::new() }
    }

    fn literal(&mut self, literal: Literal) -> usize {
        self.values.push(match &literal {
            Literal::Null(_) => Value::Null,
            Literal::Class(_) => plain("java/lang/Class"),
            literal => Value::Literal(literal.clone()),
        });
        self.sequence.push_literal(literal)
    }

    fn string(&mut self, text: &str) -> usize {
        self.literal(Literal::String(JavaString::from(text)))
    }

    fn operation(&self, shown: &str) -> OperationId {
        let found = self.program.operations.iter().position(|operation| operation.to_string() == shown);
        OperationId(found.unwrap_or_else(|| panic!("no operation {shown}")) as u32)
    }

    fn call(&mut self, shown: &str, inputs: &[usize], value: Value) -> usize {
        self.values.push(value);
        self.sequence.push_call(self.operation(shown), inputs)
    }

    fn completed(self) -> TestCase {
        let execution = execution(Outcome::Completed, self.values);
        TestCase::regression(self.sequence, execution)
    }

    fn violates(self, contract: &'static str) -> TestCase {
        let execution = execution(Outcome::Completed, self.values);
        let violation = Violation { contract, message: "should hold, \\u0041".to_string(), thrown: None };
        TestCase::finding(self.sequence, execution, violation)
    }

    /// The last call throws; its classes from the thrown one up, the first that is public second.
    fn throws(mut self, shown: &str, inputs: &[usize], classes: &[&str]) -> TestCase {
        let statement = self.sequence.push_call(self.operation(shown), inputs);
        let superclasses: Vec<ClassName> = classes.iter().map(|class| ClassName::new(class)).collect();
        let exception = Thrown {
            class: superclasses[0].clone(),
            nameable: superclasses[0].clone(),
            superclasses,
            message: None,
            stack: Vec::new(),
        };
        let execution = execution(Outcome::Threw { statement, exception }, self.values);
        TestCase::regression(self.sequence, execution)
    }
}

fn execution(outcome: Outcome, values: Vec<Value>) -> Execution {
    Execution {
        outcome,
        values,
        edges: Vec::new(),
        comparisons: Vec::new(),
        cost: 0,
        states: Vec::new(),
        environment_dependent: false,
        denied: None,
        residual_state: None,
        holding_null: Vec::new(),
    }
}

fn plain(class: &str) -> Value {
    object(Type::class(class), Observed::Nothing)
}

fn object(class: Type, observed: Observed) -> Value {
    Value::Object { class, observed }
}

fn text(text: &str) -> Value {
    Value::Literal(Literal::String(JavaString::from(text)))
}

fn int(value: i32) -> Value {
    Value::Literal(Literal::Int(value))
}

/// Its parameters have two bounds.
const LONGEST: &str = "p.Shapes.longest(java.lang.Comparable, java.lang.Comparable)";

/// Cases that must be emitted and pass.
fn good_cases(program: &Program) -> Vec<TestCase> {
    let mut cases = Vec::new();
    let mut case = |build: &dyn Fn(&mut Script)| {
        let mut script = Script::new(program);
        build(&mut script);
        cases.push(script.completed());
    };
    for (parameter, literal, name) in [
        ("java.lang.Object", Literal::Null(Type::object()), "Object"),
        ("java.lang.String", Literal::Null(Type::string()), "String"),
        ("java.lang.Integer", Literal::Null(Type::class("java/lang/Integer")), "Integer"),
        ("char[]", Literal::Null(Type::array(Type::Primitive(Primitive::Char))), "char[]"),
        ("java.lang.Object", Literal::String(JavaString::from("a")), "Object"),
        ("int", Literal::Int(-3), "int"),
        ("long", Literal::Long(i64::MIN), "long"),
    ] {
        case(&|script| {
            let argument = script.literal(literal.clone());
            script.call(&format!("p.Shapes.which({parameter})"), &[argument], text(name));
        });
    }
    for (parameter, name) in [("java.util.Map", "Map"), ("java.util.Properties", "Properties")] {
        case(&|script| {
            let null = script.literal(Literal::Null(Type::class(&parameter.replace('.', "/"))));
            script.call(&format!("p.Shapes.among({parameter})"), &[null], text(name));
        });
    }
    // With raw types alone the compiler could not choose.
    case(&|script| {
        let map = script.literal(Literal::Null(Type::class("java/util/Map")));
        let list = script.call("java.util.ArrayList()", &[], plain("java/util/ArrayList"));
        script.call("p.Shapes.fill(java.util.Map, java.util.Collection)", &[map, list], text("Collection"));
    });
    case(&|script| {
        let (a, b) = (script.string("a"), script.string("b"));
        script.call("p.Shapes.pair(java.lang.Object, java.lang.String)", &[a, b], text("OS"));
    });
    case(&|script| {
        let separator = script.string("-");
        let array = script.call("new java.lang.Object[]", &[separator, separator], plain("[Ljava/lang/Object;"));
        script.call("p.Shapes.join(java.lang.String, java.lang.Object[])", &[separator, array], text("-2"));
    });
    case(&|script| {
        let separator = script.string("-");
        let null = script.literal(Literal::Null(Type::array(Type::object())));
        script.call("p.Shapes.join(java.lang.String, java.lang.Object[])", &[separator, null], text("null"));
    });
    case(&|script| {
        let (a, b) = (script.string("a"), script.string("b"));
        script.call("p.Shapes.greater(java.lang.Comparable, java.lang.Comparable)", &[a, b], text("b"));
    });
    case(&|script| {
        let (a, b) = (script.string("a"), script.string("b"));
        script.call(LONGEST, &[a, b], int(2));
        let null = script.literal(Literal::Null(Type::class("java/lang/Comparable")));
        script.call(LONGEST, &[a, null], int(1));
    });
    case(&|script| {
        let class = script.literal(Literal::Class(Type::class("p/Shapes$Color")));
        let name = script.string("GREEN");
        script.call("p.Shapes.ordinal(java.lang.Class, java.lang.String)", &[class, name], int(1));
    });
    case(&|script| {
        let five = script.literal(Literal::Int(5));
        let boxed = object(Type::class("java/lang/Integer"), Observed::Boxed(Literal::Int(5)));
        let value = script.call("java.lang.Integer.valueOf(int)", &[five], boxed.clone());
        script.call("p.Shapes.only(java.lang.Object)", &[value], boxed);
    });
    case(&|script| {
        let class = script.literal(Literal::Class(Type::class("java/lang/Integer")));
        script.call("p.Shapes.typeName(java.lang.Class)", &[class], text("java.lang.Integer"));
    });
    // A field of another parameterized type than is asked for.
    case(&|script| {
        let names = script.call("p.Shapes.NAMES", &[], plain("java/util/Collections$SingletonSet"));
        let no = script.literal(Literal::Boolean(false));
        script.call("p.Shapes.sum(java.util.Collection, boolean)", &[names, no], int(1));
    });
    // A class without type parameters that inherits from a parameterized one.
    case(&|script| {
        let (a, b) = (script.string("a"), script.string("b"));
        let one = script.call("p.Shapes$TextBox(java.lang.String)", &[a], plain("p/Shapes$TextBox"));
        script.call("p.Shapes$Box.set(java.lang.Comparable)", &[one, b], Value::Void);
        script.call("p.Shapes$Box.get()", &[one], text("b"));
    });
    case(&|script| {
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let name = script.string("\u{7}\"\\\n\u{feff}ü€");
        let inner = script.call("p.Shapes$Inner(p.Shapes, java.lang.String)", &[shapes, name], plain("p/Shapes$Inner"));
        script.call("p.Shapes$Inner.name()", &[inner], text("\u{7}\"\\\n\u{feff}ü€"));
    });
    // A field that a subclass hides.
    case(&|script| {
        let wide = script.call("p.Shapes$Wide()", &[], plain("p/Shapes$Wide"));
        let four = script.literal(Literal::Int(4));
        script.call("p.Shapes.number =", &[wide, four], Value::Void);
        script.call("p.Shapes.number", &[wide], int(4));
        script.call("p.Shapes$Wide.number", &[wide], int(2));
    });
    for (call, value) in [
        ("color()", object(Type::class("p/Shapes$Color"), Observed::EnumConstant("GREEN".to_string()))),
        ("entry()", plain("java/util/AbstractMap$SimpleEntry")),
        ("names()", object(Type::class("java/util/ArrayList"), Observed::Size(2))),
        (
            "doubles()",
            object(
                Type::array(Type::Primitive(Primitive::Double)),
                Observed::Array(vec![Some(Literal::double(0.5)), Some(Literal::double(f64::NAN))]),
            ),
        ),
        (
            "hidden()",
            object(Type::array(Type::INT), Observed::Array(vec![Some(Literal::Int(1)), Some(Literal::Int(2))])),
        ),
    ] {
        case(&|script| {
            let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
            script.call(&format!("p.Shapes.{call}"), &[shapes], value.clone());
        });
    }
    for unit in [0x0a, 0x27, 0x5c, 0xd800, 0xffff, 0x61] {
        case(&|script| {
            let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
            let letter = script.literal(Literal::Char(unit));
            script.call("p.Shapes.letter(char)", &[shapes, letter], Value::Literal(Literal::Char(unit)));
        });
    }
    for bits in [0x7fc0_0000, 0x8000_0000, 1, 0x7f80_0000, 0x3f99_999a, 0xff7f_ffff_u32] {
        case(&|script| {
            let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
            let number = script.literal(Literal::Float(bits));
            script.call("p.Shapes.same(float)", &[shapes, number], Value::Literal(Literal::Float(bits)));
        });
    }
    case(&|script| {
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let units = JavaString::from_units(&[0xdc00, 0x5c, 0x75, 0x30, 0x30, 0x30, 0x61]);
        let argument = script.literal(Literal::String(units.clone()));
        let value = Value::Literal(Literal::String(units));
        script.call("p.Shapes.text(java.lang.String)", &[shapes, argument], value);
    });
    // What is only reachable from the package.
    case(&|script| {
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let secret = script.call("p.Shapes.secret()", &[shapes], plain("p/Shapes$Secret"));
        script.call("p.Shapes$Secret.depth", &[secret], int(3));
        script.call("p.Shapes$Secret.hashCode()", &[secret], int(7));
    });
    let script = || {
        let mut script = Script::new(program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        (script, shapes)
    };
    cases.extend(ordered_cases(program));
    let above = ["java/lang/Exception", "java/lang/Throwable"];
    let (mut sneaky, shapes) = script();
    let yes = sneaky.literal(Literal::Boolean(true));
    cases.push(sneaky.throws("p.Shapes.fail(boolean)", &[shapes, yes], &above));
    let (mut declared, shapes) = script();
    let no = declared.literal(Literal::Boolean(false));
    let not_found = ["java/io/FileNotFoundException", "java/io/IOException", above[0], above[1]];
    cases.push(declared.throws("p.Shapes.fail(boolean)", &[shapes, no], &not_found));
    let (undeclared, shapes) = script();
    cases.push(undeclared.throws("p.Shapes.failPlainly()", &[shapes], &not_found[1..]));
    let (mut cast, shapes) = script();
    let a = cast.string("a");
    let same = cast.call("p.Shapes.text(java.lang.String)", &[shapes, a], text("a"));
    let class_cast = ["java/lang/ClassCastException", "java/lang/RuntimeException", above[0], above[1]];
    cases.push(cast.throws("cast to p.Shapes$Wide", &[same], &class_cast));
    let (mut lacking, _) = script();
    let five = lacking.literal(Literal::Int(5));
    let boxed = object(Type::class("java/lang/Integer"), Observed::Boxed(Literal::Int(5)));
    let five = lacking.call("java.lang.Integer.valueOf(int)", &[five], boxed);
    cases.push(lacking.throws(LONGEST, &[five, five], &class_cast));
    let (error, shapes) = script();
    let assertion_error = ["java/lang/AssertionError", "java/lang/Error", "java/lang/Throwable"];
    cases.push(error.throws("p.Shapes.failByError()", &[shapes], &assertion_error));
    cases
}

/// Calls whose order shows in the result: in the order of their user's arguments, against it, and with another between.
fn ordered_cases(program: &Program) -> Vec<TestCase> {
    let case = |arguments: [usize; 2], difference: i32| {
        let mut script = Script::new(program);
        for count in 1..=3 {
            script.call("p.Shapes.next()", &[], int(count));
        }
        script.call("p.Shapes.minus(int, int)", &arguments, int(difference));
        TestCase { unasserted: (0..3).collect(), ..script.completed() }
    };
    vec![case([1, 2], -1), case([2, 1], 1), case([0, 2], -2)]
}

/// Cases that show findings: their tests must fail.
fn findings(program: &Program) -> Vec<TestCase> {
    let secret = || {
        let mut script = Script::new(program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let secret = script.call("p.Shapes.secret()", &[shapes], plain("p/Shapes$Secret"));
        (script, secret)
    };
    let boolean = |value| Value::Literal(Literal::Boolean(value));
    let (mut reflexive, one) = secret();
    reflexive.call("java.lang.Object.equals(java.lang.Object)", &[one, one], boolean(false));
    let (mut null, one) = secret();
    let nothing = null.literal(Literal::Null(Type::object()));
    null.call("java.lang.Object.equals(java.lang.Object)", &[one, nothing], boolean(true));
    let (mut sign, one) = secret();
    sign.call("java.lang.Comparable.compareTo(java.lang.Object)", &[one, one], int(1));
    sign.call("java.lang.Comparable.compareTo(java.lang.Object)", &[one, one], int(1));
    vec![reflexive.violates("equals-reflexive"), null.violates("equals-null"), sign.violates("compare-to-sign")]
}

#[test]
fn tests_of_every_shape_compile_and_pass_under_junit_5() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let mut cases = good_cases(&fixture.program);
    cases.extend(findings(&fixture.program));
    let (verified, skipped) = fixture.verify("p/Shapes", &cases, Generation::Five, 17);
    assert_eq!(skipped, Vec::<String>::new());
    assert_eq!(verified.rejected.dropped, BTreeMap::new(), "{}", verified.files[0].text);
}

#[test]
fn tests_of_every_shape_compile_and_pass_under_junit_4_with_and_without_lambdas() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let mut cases = good_cases(&fixture.program);
    cases.extend(findings(&fixture.program));
    for level in [8, 11] {
        let (verified, skipped) = fixture.verify("p/Shapes", &cases, Generation::Four, level);
        assert_eq!(skipped, Vec::<String>::new());
        assert_eq!(verified.rejected.dropped, BTreeMap::new(), "{}", verified.files[0].text);
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
        on_shapes("p.Shapes.color()", object(Type::class("p/Shapes$Color"), Observed::EnumConstant("GREEN".into()))),
        on_shapes("p.Shapes.spin()", Value::Void),
        on_shapes("p.Shapes.exit()", Value::Void),
        on_shapes("p.Shapes.color()", object(Type::class("p/Shapes$Color"), Observed::EnumConstant("RED".into()))),
        on_shapes("p.Shapes.color()", object(Type::class("p/Shapes$Color"), Observed::EnumConstant("BLUE".into()))),
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
    let (verified, _) = fixture.verify("p/Shapes", &cases, Generation::Five, 17);
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
    let (verified, skipped) = fixture.verify("Plain", &cases, Generation::Five, 8);
    assert_eq!((skipped.len(), &verified.rejected.dropped), (0, &BTreeMap::new()), "{}", verified.files[0].text);
}

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
    check(chain.completed(), &["new Shapes.Box(\"a\").self().set(\"b\");"]);
    // An object of the platform is the same whenever it is made; one of the program may not be.
    let mut list = Script::new(program);
    let empty = list.call("java.util.ArrayList()", &[], plain("java/util/ArrayList"));
    let shapes = list.call("p.Shapes()", &[], plain("p/Shapes"));
    list.call("p.Shapes.next()", &[], int(1));
    let no = list.literal(Literal::Boolean(false));
    list.call("p.Shapes.sum(java.util.Collection, boolean)", &[empty, no], int(0));
    list.call("p.Shapes.color()", &[shapes], Value::Null);
    let list = TestCase { unasserted: [2, 5].into(), ..list.completed() };
    let expected = [
        "Shapes shapes = new Shapes();",
        next,
        "assertEquals(0, Shapes.sum(new ArrayList(), false));",
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
    check(on_cast("p.Shapes.failByError()", Value::Void), &["Shapes.ONE.failByError();"]);
    check(on_cast("p.Shapes$Wide.number", int(2)), &["assertEquals(2, ((Shapes.Wide) Shapes.ONE).number);"]);
    // The result of a generic method depends on where it stands, and a narrower one might choose another overload.
    let mut inferred = Script::new(program);
    let a = inferred.string("a");
    let same = inferred.call("p.Shapes.only(java.lang.Object)", &[a], plain("java/lang/Object"));
    inferred.call("p.Shapes.which(java.lang.Object)", &[same], text("Object"));
    check(
        inferred.completed(),
        &["Object only = Shapes.only(\"a\");", "assertEquals(\"Object\", Shapes.which(only));"],
    );
}

#[test]
fn small_cases_share_a_method_and_its_setup() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let program = &fixture.program;
    let exceptions = ["java/io/IOException", "java/lang/Exception", "java/lang/Throwable"];
    let failing = |sneaky: bool, classes: &[&str]| {
        let mut script = Script::new(program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let sneaky = script.literal(Literal::Boolean(sneaky));
        script.throws("p.Shapes.fail(boolean)", &[shapes, sneaky], classes)
    };
    let failing_after_text = |call: &str| {
        let mut script = Script::new(program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let a = script.string("a");
        script.call("p.Shapes.text(java.lang.String)", &[shapes, a], text("a"));
        script.throws(call, &[shapes], &exceptions)
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
        which("long", Literal::Long(1), "long"),
        failing_after_text("p.Shapes.failPlainly()"),
        failing(true, &exceptions),
        failing_after_text("p.Shapes.failByError()"),
        which("int", Literal::Int(2), "int"),
    ];
    cases[6].alone = true;
    let style = Style::new(JUnitVersion::Five, 8);
    let emission = emitter::emit(&ClassName::new("p/Shapes"), &cases, &program.operations, &program.types, &style);
    let tests = &emission.files[0].tests;
    let together: Vec<&[usize]> = tests.iter().map(|test| test.cases.as_slice()).collect();
    assert_eq!(together, [[0, 2].as_slice(), &[1, 4, 3, 5], &[6]]);
    assert_eq!(tests.iter().map(|test| test.assertions).collect::<Vec<_>>(), [2, 5, 1]);
    let expected = [
        "\
@Test
public void which_returnsExpectedValues() {
    assertEquals(\"int\", Shapes.which(1));
    assertEquals(\"long\", Shapes.which(1L));
}
",
        "\
@Test
public void failAndFailPlainlyAndFailByError_throwIOException() {
    assertThrows(IOException.class, () -> new Shapes().fail(false));
    assertThrows(IOException.class, () -> new Shapes().fail(true));

    Shapes shapes = new Shapes();
    assertEquals(\"a\", shapes.text(\"a\"));
    assertThrows(IOException.class, () -> shapes.failPlainly());
    assertThrows(IOException.class, () -> shapes.failByError());
}
",
    ];
    for (test, expected) in tests.iter().zip(expected) {
        assert_eq!(emission.files[0].source_of(test), expected);
    }
}

#[test]
fn test_is_named_after_the_values_of_its_last_call() {
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
    assert_eq!(name(&["a", "a"], false), "text_returnsA");
    assert_eq!(name(&["a", "b"], false), "text_returnsExpectedValues");
    // What is asserted of other calls says nothing of the last.
    assert_eq!(name(&["a", "b"], true), "spin_completes");
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
    let (verified, _) = fixture.verify("p/Shapes", &texts, Generation::Five, 8);
    assert_eq!(verified.rejected.dropped, BTreeMap::new());
    let expected = "
    @ParameterizedTest
    @CsvSource({
        \"'a', 'a'\",
        \"'it''s', 'it''s'\",
        \"'\\\"b\\\", c', '\\\"b\\\", c'\",
        \"'', ''\",
    })
    public void text_returnsExpectedValues(String expected, String of) {
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

public class ShapesRandgenTest {

    @Test
    public void namesAndText_returnExpectedValues() {
        Shapes shapes = new Shapes();

        assertEquals(2, shapes.names().size());
        assertEquals(\"a\", shapes.text(\"a\"));
    }

    @Test
    public void fail_falseSneaky_throwsFileNotFoundException() {
        assertThrows(FileNotFoundException.class, () -> new Shapes().fail(false));
    }
}
";
    assert_eq!(emission.files[0].text, expected);
    assert_eq!(emission.files[0].tests[0].checks, [(15..=15, 2), (16..=16, 3)]);
}

/// A measurement, chosen by name on an idle machine: `cargo test --test jvm -- --ignored emission --nocapture`.
#[test]
#[ignore = "measures time, so it wants an idle machine"]
fn five_hundred_tests_are_verified_in_eight_seconds() {
    let Some(fixture) = Fixture::compile("Shapes", SHAPES, 8) else { return };
    let good = good_cases(&fixture.program);
    let cases: Vec<TestCase> = good.iter().cycle().take(500).cloned().collect();
    let started = Instant::now();
    let (verified, _) = fixture.verify("p/Shapes", &cases, Generation::Five, 17);
    println!("{} files, {:?}", verified.files.len(), started.elapsed());
    assert!(verified.rejected.dropped.is_empty() && started.elapsed() < Duration::from_secs(8));
}

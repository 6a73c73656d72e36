//! Cases over the sample classes: one for each construct of Java that an emitted test has to get right.

use super::{Script, array, constant, int, object, plain, text};
use emitter::TestCase;
use model::execution::{Observed, Value};
use model::jvm::{JavaString, Literal, Primitive, Type};
use program::Program;

/// Its parameters have two bounds.
const LONGEST: &str = "p.Shapes.longest(java.lang.Comparable, java.lang.Comparable)";

/// Cases of one program, each built by a script.
struct Cases<'a> {
    program: &'a Program,
    built: Vec<TestCase>,
}

impl Cases<'_> {
    fn add(&mut self, build: &dyn Fn(&mut Script)) {
        let mut script = Script::new(self.program);
        build(&mut script);
        self.built.push(script.completed());
    }
}

/// Cases that must be emitted and pass.
pub(super) fn good_cases(program: &Program) -> Vec<TestCase> {
    let mut cases = Cases { program, built: Vec::new() };
    add_overloads(&mut cases);
    add_generics(&mut cases);
    add_members(&mut cases);
    add_values(&mut cases);
    let mut cases = cases.built;
    cases.extend(ordered_cases(program));
    cases.extend(throwing_cases(program));
    cases
}

/// Calls of which the compiler must choose the method that the sequence calls.
fn add_overloads(cases: &mut Cases) {
    for (parameter, literal, name) in [
        ("java.lang.Object", Literal::Null(Type::object()), "Object"),
        ("java.lang.String", Literal::Null(Type::string()), "String"),
        ("java.lang.Integer", Literal::Null(Type::class("java/lang/Integer")), "Integer"),
        ("char[]", Literal::Null(Type::array(Type::Primitive(Primitive::Char))), "char[]"),
        ("java.lang.Object", Literal::String(JavaString::from("a")), "Object"),
        ("int", Literal::Int(-3), "int"),
        ("long", Literal::Long(i64::MIN), "long"),
    ] {
        cases.add(&|script| {
            let argument = script.literal(literal.clone());
            script.call(&format!("p.Shapes.which({parameter})"), &[argument], text(name));
        });
    }
    for (parameter, name) in [("java.util.Map", "Map"), ("java.util.Properties", "Properties")] {
        cases.add(&|script| {
            let null = script.literal(Literal::Null(Type::class(&parameter.replace('.', "/"))));
            script.call(&format!("p.Shapes.among({parameter})"), &[null], text(name));
        });
    }
    // For a null without a type the compiler could not choose.
    cases.add(&|script| {
        let map = script.literal(Literal::Null(Type::class("java/util/Map")));
        let integers = "java.util.ArrayList<java.lang.Integer>";
        let list = script.make("java.util.ArrayList()", integers, plain("java/util/ArrayList"));
        script.call("p.Shapes.fill(java.util.Map, java.util.Collection)", &[map, list], text("Collection"));
    });
    cases.add(&|script| {
        let (a, b) = (script.string("a"), script.string("b"));
        script.call("p.Shapes.pair(java.lang.Object, java.lang.String)", &[a, b], text("OS"));
    });
    cases.add(&|script| {
        let separator = script.string("-");
        let array = script.call("new java.lang.Object[]", &[separator, separator], plain("[Ljava/lang/Object;"));
        script.call("p.Shapes.join(java.lang.String, java.lang.Object[])", &[separator, array], text("-2"));
    });
    cases.add(&|script| {
        let separator = script.string("-");
        let null = script.literal(Literal::Null(Type::array(Type::object())));
        script.call("p.Shapes.join(java.lang.String, java.lang.Object[])", &[separator, null], text("null"));
    });
}

/// Calls whose types depend on type parameters.
fn add_generics(cases: &mut Cases) {
    cases.add(&|script| {
        let (a, b) = (script.string("a"), script.string("b"));
        script.call("p.Shapes.greater(java.lang.Comparable, java.lang.Comparable)", &[a, b], text("b"));
    });
    cases.add(&|script| {
        let (a, b) = (script.string("a"), script.string("b"));
        script.call(LONGEST, &[a, b], int(2));
        let null = script.literal(Literal::Null(Type::class("java/lang/Comparable")));
        script.call(LONGEST, &[a, null], int(1));
    });
    cases.add(&|script| {
        let class = script.literal(Literal::Class(Type::class("p/Shapes$Color")));
        let name = script.string("GREEN");
        script.call("p.Shapes.ordinal(java.lang.Class, java.lang.String)", &[class, name], int(1));
    });
    cases.add(&|script| {
        let a = script.string("a");
        script.call("p.Shapes.only(java.lang.Object)", &[a], text("a"));
    });
    cases.add(&|script| {
        let class = script.literal(Literal::Class(Type::class("java/lang/Integer")));
        script.call("p.Shapes.typeName(java.lang.Class)", &[class], text("java.lang.Integer"));
    });
    // A class without type parameters that inherits from a parameterized one.
    cases.add(&|script| {
        let (a, b) = (script.string("a"), script.string("b"));
        let one = script.call("p.Shapes$TextBox(java.lang.String)", &[a], plain("p/Shapes$TextBox"));
        script.call("p.Shapes$Box.set(java.lang.Comparable)", &[one, b], Value::Void);
        script.call("p.Shapes$Box.get()", &[one], text("b"));
    });
}

/// Members that source must name with care: of inner classes, hidden by a subclass, or visible in the package alone.
fn add_members(cases: &mut Cases) {
    cases.add(&|script| {
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let name = script.string("\u{7}\"\\\n\u{feff}ü€");
        let inner = script.call("p.Shapes$Inner(p.Shapes, java.lang.String)", &[shapes, name], plain("p/Shapes$Inner"));
        script.call("p.Shapes$Inner.name()", &[inner], text("\u{7}\"\\\n\u{feff}ü€"));
    });
    // A field that a subclass hides.
    cases.add(&|script| {
        let wide = script.call("p.Shapes$Wide()", &[], plain("p/Shapes$Wide"));
        let four = script.literal(Literal::Int(4));
        script.call("p.Shapes.number =", &[wide, four], Value::Void);
        script.call("p.Shapes.number", &[wide], int(4));
        script.call("p.Shapes$Wide.number", &[wide], int(2));
    });
    // What is only reachable from the package.
    cases.add(&|script| {
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let secret = script.call("p.Shapes.secret()", &[shapes], plain("p/Shapes$Secret"));
        script.call("p.Shapes$Secret.depth", &[secret], int(3));
        script.call("p.Shapes$Secret.hashCode()", &[secret], int(7));
    });
}

/// Values that assertions and literals must write exactly.
fn add_values(cases: &mut Cases) {
    for (call, value) in [
        ("color()", object(Type::class("p/Shapes$Color"), constant("p/Shapes$Color", "GREEN"))),
        ("entry()", plain("java/util/AbstractMap$SimpleEntry")),
        ("names()", object(Type::class("java/util/ArrayList"), Observed::Size(2))),
        (
            "doubles()",
            object(
                Type::array(Type::Primitive(Primitive::Double)),
                array(Type::Primitive(Primitive::Double), &[Literal::double(0.5), Literal::double(f64::NAN)]),
            ),
        ),
        ("hidden()", object(Type::array(Type::INT), array(Type::INT, &[Literal::Int(1), Literal::Int(2)]))),
    ] {
        cases.add(&|script| {
            let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
            script.call(&format!("p.Shapes.{call}"), &[shapes], value.clone());
        });
    }
    for unit in [0x0a, 0x27, 0x5c, 0xd800, 0xffff, 0x61] {
        cases.add(&|script| {
            let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
            let letter = script.literal(Literal::Char(unit));
            script.call("p.Shapes.letter(char)", &[shapes, letter], Value::Literal(Literal::Char(unit)));
        });
    }
    for bits in [0x7fc0_0000, 0x8000_0000, 1, 0x7f80_0000, 0x3f99_999a, 0xff7f_ffff_u32] {
        cases.add(&|script| {
            let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
            let number = script.literal(Literal::Float(bits));
            script.call("p.Shapes.same(float)", &[shapes, number], Value::Literal(Literal::Float(bits)));
        });
    }
    cases.add(&|script| {
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        let units = JavaString::from_units(&[0xdc00, 0x5c, 0x75, 0x30, 0x30, 0x30, 0x61]);
        let argument = script.literal(Literal::String(units.clone()));
        let value = Value::Literal(Literal::String(units));
        script.call("p.Shapes.text(java.lang.String)", &[shapes, argument], value);
    });
}

/// Cases that end with an exception.
fn throwing_cases(program: &Program) -> Vec<TestCase> {
    let mut cases = Vec::new();
    let script = || {
        let mut script = Script::new(program);
        let shapes = script.call("p.Shapes()", &[], plain("p/Shapes"));
        (script, shapes)
    };
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
    let (error, shapes) = script();
    let assertion_error = ["java/lang/AssertionError", "java/lang/Error", "java/lang/Throwable"];
    cases.push(error.throws("p.Shapes.failByError()", &[shapes], &assertion_error));
    cases
}

/// Calls whose order shows in the result: in the order of their user's arguments, against it, and with another between.
pub(super) fn ordered_cases(program: &Program) -> Vec<TestCase> {
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
pub(super) fn findings(program: &Program) -> Vec<TestCase> {
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

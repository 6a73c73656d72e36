//! What is mined from classes made by javac.

use super::*;
use crate::classfile::instruction::{InvokeKind, Kind, StackOperation};
use crate::classfile::testing::compile_and_parse;
use crate::classfile::{
    EncodedConstant, EncodedLocal, EncodedMethod, Offset, encode_all, parse,
    writer::{ClassWriter, NewCode},
};
use model::jvm::types::access;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::jdk_classes;

/// The constants of class `C` with the members.
fn mined(members: &str, options: &[&str]) -> Vec<(Literal, u32)> {
    let classes = compile_and_parse(&format!("class C {{ {members} }}"), options);
    mine(&classes).remove(&ClassName::new("C")).unwrap()
}

fn check(members: &str, expected: &[Literal]) {
    let found: Vec<Literal> = mined(members, &[]).into_iter().map(|(literal, _)| literal).collect();
    assert_eq!(found, expected, "{members}");
}

fn string(text: &str) -> Literal {
    Literal::String(text.into())
}

#[test]
fn parsed_string_constant_is_mined() {
    check(
        "Object m(String name) throws Exception { return new java.net.URI(name); }",
        &[string("http://localhost:80/a/b.c?d=e#f")],
    );
    check("int m(byte number) { return Integer.valueOf(number); }", &[]);
    check(
        "Object m(String text) { return java.time.LocalDate.parse(text); }",
        &["2020-02-29", "2020-03-01"].map(string),
    );
}

#[test]
fn constants_of_classes_that_no_test_can_name_are_those_of_the_class_around() {
    let found = mined(
        "Object m() { return new Object() { public String toString() { return \"anonymous\"; } }; }
         private static class Hidden { Object m() { class Local { String s = \"local\"; } return new Local(); } String s = \"hidden\"; }
         static class Named { String s = \"named\"; }",
        &[],
    );
    let mut found: Vec<Literal> = found.into_iter().map(|(literal, _)| literal).collect();
    found.sort();
    assert_eq!(found, ["anonymous", "hidden", "local"].map(string));
}

#[test]
fn constant_arithmetic_is_folded() {
    let [six, seven] = [6, 7].map(Literal::Int);
    check("int m() { int a = 6, b = 7; return a * b; }", &[six.clone(), seven, Literal::Int(42)]);
    check(
        "long m() { int a = 6; return (long) a << 40; }",
        &[six, Literal::Long(6), Literal::Int(40), Literal::Long(6 << 40)],
    );
    check("double m() { double a = 1.5; return -a; }", &[Literal::double(1.5), Literal::double(-1.5)]);
    check("int m() { int a = 6; a += 1; return a; }", &[Literal::Int(6), Literal::Int(7)]);
}

#[test]
fn constant_operation_that_throws_is_not_folded() {
    check("int m() { int a = 6, b = 0; return a / b; }", &[6, 0].map(Literal::Int));
    check("int m() { String a = \"x\"; return a.substring(2).length(); }", &[string("x"), Literal::Int(2)]);
}

#[test]
fn variable_modified_in_a_loop_is_not_constant() {
    check(
        "int m(int n) { int a = 6; while (n > 100) { a += n; n -= 9; } return a * 7; }",
        &[6, 100, 7].map(Literal::Int),
    );
    check("int m(boolean b) { int a; if (b) a = 6; else a = 8; return a + 20; }", &[6, 8, 20].map(Literal::Int));
    check(
        "int m(boolean b) { int a; if (b) a = 6; else a = 6; return a + 20; }",
        &[Literal::Int(6), Literal::Int(20), Literal::Int(26)],
    );
}

#[test]
fn string_concatenation_is_folded_for_indy_and_string_builder() {
    let source = "String m() { String a = \"--\"; int b = 4; return a + \"size=\" + b; }";
    for release in ["8", "17"] {
        let found: Vec<Literal> = mined(source, &["--release", release]).into_iter().map(|found| found.0).collect();
        assert!(found.contains(&string("--size=4")), "{found:?}");
        assert!(found.contains(&string("size=")), "{found:?}");
    }
}

#[test]
fn escaping_string_builder_is_not_folded() {
    let appended = |between: &str| {
        let source = format!(
            "void change(StringBuilder b) {{ b.append('!'); }}
             String m() {{ StringBuilder b = new StringBuilder(\"a\"); {between} b.append(\"b\"); return b.toString(); }}"
        );
        mined(&source, &[]).contains(&(string("ab"), 1))
    };
    assert!(appended(""));
    assert!(!appended("change(b);") && !appended("if (b.length() > 7) b.append('x');"));
}

#[test]
fn string_methods_of_constants_are_folded() {
    check(
        "String m() { String a = \" Ab \"; return a.trim().toLowerCase(); }",
        &[string(" Ab "), string("Ab"), string("ab")],
    );
    check(
        "String m() { return \"ab\".concat(String.valueOf('c')).replace('a', 'x'); }",
        &[
            string("ab"),
            Literal::Char(99),
            string("c"),
            string("abc"),
            Literal::Char(97),
            Literal::Char(120),
            string("xbc"),
        ],
    );
}

#[test]
fn switch_keys_are_constants_of_the_switched_type() {
    check(
        "boolean m(int a) { switch (a) { case 7: case 700: return true; default: return false; } }",
        &[7, 700].map(Literal::Int),
    );
    check(
        "boolean m(String a) { switch (a.charAt(3)) { case 'x': return true; default: return false; } }",
        &[Literal::Int(3), Literal::Char(120)],
    );
    let found = mined("int m(String a) { switch (a) { case \"on\": return 50; default: return 60; } }", &[]);
    let hashes = |literal: &Literal| matches!(literal, Literal::Int(value) if *value > 1_000);
    assert!(found.contains(&(string("on"), 1)) && !found.iter().any(|found| hashes(&found.0)), "{found:?}");
}

#[test]
fn int_constant_used_as_char_is_mined_as_char() {
    check("boolean m(String a) { return a.indexOf('=') > 300; }", &[Literal::Char(61), Literal::Int(300)]);
    check("boolean m(String a) { return a.charAt(0) == '-'; }", &[Literal::Int(0), Literal::Char(45)]);
    check("void m(char[] a, int i) { a[i] = ';'; }", &[Literal::Char(59)]);
    check("void p(char a) { p('#'); }", &[Literal::Char(35)]);
}

#[test]
fn array_elements_are_mined_but_indices_are_not() {
    check("int[] m() { return new int[] {50, 60}; }", &[50, 60].map(Literal::Int));
    check("byte[] m() { return new byte[4096]; }", &[Literal::Int(4096)]);
}

#[test]
fn boolean_constants_are_not_mined() {
    check("boolean b; void m() { b = true; n(false); } boolean n(boolean a) { return true; }", &[]);
}

#[test]
fn static_field_set_by_the_initializer_is_a_constant_of_its_readers() {
    let source = "class A extends D { static final String KEY = make(); static final int SIZE = B.HALF * 2;
            static String make() { return null; } }
        class B { static final int HALF; static { int five = 5; HALF = five * 10; } static int changed = 7; }
        class D { static final Class<?> KIND = Number.class; }
        class C { Object m(int a, Object b) { return a == A.SIZE ? A.KEY : b == A.KIND ? b : B.changed; } }";
    let classes = compile_and_parse(source, &[]);
    let found = mine(&classes).remove(&ClassName::new("C")).unwrap();
    assert_eq!(found, [(Literal::Int(100), 1), (Literal::Class(Type::class("java/lang/Number")), 1)]);
}

#[test]
fn class_literal_of_an_old_compiler_is_recognized() {
    let mut writer = ClassWriter::new("C", "java/lang/Object", &[], 0x21, 48);
    let name = writer.pool.string(&"java.util.Date".into());
    let index = writer.pool.method_ref("C", "class$", "(Ljava/lang/String;)Ljava/lang/Class;");
    let code = encode_all(&[
        Instruction::Constant(EncodedConstant::PoolWide(name)),
        Instruction::Invoke { kind: InvokeKind::Static, method: EncodedMethod { index, slots: 0 } },
        Instruction::Return(Some(Kind::Reference)),
    ]);
    writer.add_method(
        access::STATIC,
        "m",
        "()Ljava/lang/Class;",
        &NewCode { max_stack: 1, max_locals: 0, bytes: &code },
    );
    let class = parse(&writer.finish().unwrap()).unwrap();
    let found = mine(&BTreeMap::from([(class.name.clone(), class)])).remove(&ClassName::new("C")).unwrap();
    assert_eq!(found, [(string("java.util.Date"), 1), (Literal::Class(Type::class("java/util/Date")), 1)]);
}

#[test]
fn constant_is_counted_per_occurrence() {
    let found = mined("static final int LIMIT = 99; boolean m(int a) { return a > 99 || a == -99 || a < -99; }", &[]);
    assert_eq!(found, [(Literal::Int(99), 2), (Literal::Int(-99), 2)]);
}

#[test]
fn method_with_a_subroutine_yields_only_its_pushed_constants() {
    let mut writer = ClassWriter::new("C", "java/lang/Object", &[], 0x21, 48);
    let local = EncodedLocal::explicit(1);
    let code = encode_all(&[
        Instruction::Constant(EncodedConstant::Byte(77)),
        Instruction::Stack(StackOperation::Pop),
        Instruction::JumpSubroutine { target: Offset { by: 4, is_wide: false } },
        Instruction::Return(None),
        Instruction::Store { kind: Kind::Reference, local },
        Instruction::ReturnSubroutine { local },
    ]);
    writer.add_method(access::STATIC, "m", "()V", &NewCode { max_stack: 1, max_locals: 2, bytes: &code });
    let class = parse(&writer.finish().unwrap()).unwrap();
    let found = mine(&BTreeMap::from([(class.name.clone(), class)])).remove(&ClassName::new("C")).unwrap();
    assert_eq!(found, [(Literal::Int(77), 1)]);
}

#[test]
fn defaults_of_configured_fields_and_parameters_are_mined() {
    let source = "
        package org.springframework.beans.factory.annotation;
        import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) @interface Value { String value(); }
        @Retention(RetentionPolicy.RUNTIME) @interface Param { String defaultValue(); }
        class C {
            @Value(\"${tax:19}\") int tax;
            @Value(\"${url}\") String url;
            @Value(\"${limit:500}\") java.math.BigDecimal limit;
            @Value(\"#{1 + 1}\") Long two;
            void page(@Param(defaultValue = \"20\") Long size, @Param(defaultValue = \"name\") String sort, int other) { }
        }";
    let classes = compile_and_parse(source, &[]);
    let name = ClassName::new("org/springframework/beans/factory/annotation/C");
    let found: Vec<Literal> = mine(&classes).remove(&name).unwrap().into_iter().map(|(literal, _)| literal).collect();
    assert_eq!(found, [Literal::Int(19), string("500"), Literal::Long(20), string("name")]);
}

#[test]
fn nearly_all_jdk_methods_are_interpreted() {
    let Some(classes) = jdk_classes("java.logging") else { return };
    let bodies = AtomicUsize::new(0);
    classes.check_each(|name, bytes| {
        let no_classes = BTreeMap::new();
        let statics = Statics { classes: &no_classes, values: BTreeMap::new() };
        let class = parse(bytes).unwrap();
        let mut decoder = Decoder::new(&class);
        for method in &class.methods {
            let Some(code) = &method.code else { continue };
            let body = decoder.body(code).unwrap();
            bodies.fetch_add(1, Ordering::Relaxed);
            let mut miner = Miner::new(&body, &statics, &method.descriptor);
            assert!(interpret(&body, entry_frame(method), &mut miner).is_some(), "{name} {}", method.name);
        }
    });
    assert!(bodies.into_inner() > 500);
}

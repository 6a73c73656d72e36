//! Parsing and writing on classes made by javac and those of the running JDK.

use super::decode::instructions;
use super::instruction::InvokeKind;
use super::testing::{body, compile_and_parse, references};
use super::writer::{ClassWriter, NewCode};
use super::*;
use ::testing::{compile, jdk_classes};
use model::jvm::JavaString;

const SAMPLE: &str = r#"
    package p;
    import java.lang.annotation.*;
    import java.util.function.*;

    @interface Invisible { String[] value() default {}; Class<?>[] types() default { int.class, void.class };
        Sample.Color color() default Sample.Color.RED; Own own() default @Own(-1); boolean is() default true; }
    @interface Own { byte value(); }
    @Target({ElementType.TYPE_USE}) @interface Nullable {}

    @Deprecated @Invisible({"a", "b"})
    abstract class Sample<T extends Comparable<T>> implements Supplier<T> {
        static final char LETTER = 'x';
        static final boolean FLAG = true;
        static final String TEXT = "t\0\uD800";
        static final long LONG = 1L << 40;
        @Nullable Object field;
        protected static class Member {}
        class Inner { Inner(@Invisible int first, long second) {} }
        enum Color { RED, GREEN { void m() {} }; void m() {} }
        abstract int missing(int a);
        static @Nullable Object body(int number, double wide, @Nullable String text, @Invisible Object[] array)
            throws java.io.IOException {
            switch (number) { case 3: return 4.5; case 70000: return 7L; default: }
            try { array[0] = new Member[2]; } catch (IllegalStateException e) { number += 1000; }
            Runnable task = () -> System.out.println(text.length());
            Object anonymous = new Object() {};
            return (Comparable<?>) text;
        }
    }
"#;

fn sample(name: &str) -> ClassFile {
    compile_and_parse(SAMPLE, &["-g", "--release", "17"]).remove(&ClassName::new(&format!("p/{name}"))).unwrap()
}

fn names(classes: &[ClassName]) -> Vec<&str> {
    classes.iter().map(ClassName::internal).collect()
}

fn types(annotations: &[Annotation]) -> Vec<&str> {
    annotations.iter().map(|annotation| annotation.of.internal()).collect()
}

#[test]
fn member_with_the_synthetic_attribute_is_synthetic() {
    let source = "class Old { java.util.List<String> field; int plain; <T> void method() {} }";
    let mut bytes = compile(source, &[]).remove(0).1;
    // Both names have nine bytes, and a synthetic member's attribute has no content that is read.
    let at = bytes.windows(9).position(|window| window == b"Signature").unwrap();
    bytes[at..at + 9].copy_from_slice(b"Synthetic");
    let class = parse(&bytes).unwrap();
    let flags: Vec<bool> = class.fields.iter().map(|field| field.access & access::SYNTHETIC != 0).collect();
    assert_eq!(flags, [true, false]);
    assert!(class.methods.iter().any(|method| &*method.name == "method" && method.access & access::SYNTHETIC != 0));
}

#[test]
fn class_declarations_are_parsed() {
    let class = sample("Sample");
    assert_eq!((class.name.internal(), class.major), ("p/Sample", 61));
    assert_eq!(names(&class.interfaces), ["java/util/function/Supplier"]);
    assert_eq!(types(&class.annotations), ["java/lang/Deprecated", "p/Invisible"]);
    assert_eq!(class.annotations[1].to_string(), "@p.Invisible(value = {\"a\", \"b\"})");
    let defaults = sample("Invisible").methods.into_iter().map(|method| method.annotation_default.unwrap().to_string());
    assert_eq!(
        defaults.collect::<Vec<_>>(),
        ["{}", "{int.class, void.class}", "p.Sample$Color.RED", "@p.Own(value = Byte(-1))", "Boolean(true)"]
    );
    assert!(class.deprecated && !class.enclosing_method);
    assert!(class.signature.as_deref().unwrap().starts_with("<T::Ljava/lang/Comparable<TT;>;>"));
    assert_eq!(class.source_file.as_deref(), Some("Source.java"));
    let constants: Vec<_> = class.fields.iter().filter_map(|field| field.constant_value.clone()).collect();
    let text = JavaString::from_units(&[116, 0, 0xD800]);
    let expected = [Literal::Char(120), Literal::Boolean(true), Literal::String(text), Literal::Long(1 << 40)];
    assert_eq!(constants, expected);
    assert_eq!(types(&class.fields.last().unwrap().annotations), ["p/Nullable"]);
    assert!(class.methods.iter().find(|method| &*method.name == "missing").unwrap().code.is_none());
}

#[test]
fn methods_are_parsed() {
    let class = sample("Sample");
    let method = class.methods.iter().find(|method| &*method.name == "body").unwrap();
    let parameters: Vec<&str> = method.parameter_names.iter().map(|name| &**name).collect();
    assert_eq!(parameters, ["number", "wide", "text", "array"]);
    assert_eq!(names(&method.exceptions), ["java/io/IOException"]);
    assert_eq!(types(&method.annotations), ["p/Nullable"]);
    let annotated: Vec<_> = method.parameter_annotations.iter().map(|list| types(list)).collect();
    assert_eq!(annotated, [vec![], vec![], vec!["p/Nullable"], vec!["p/Invisible"]]);
}

#[test]
fn method_bodies_are_decoded() {
    let decoded = body(&sample("Sample"), "body");
    let instructions: Vec<&Instruction> = decoded.steps.iter().map(|step| &step.instruction).collect();
    for expected in [Literal::double(4.5), Literal::Long(7), Literal::Int(2)] {
        assert!(instructions.iter().any(|one| one.literal() == Some(&expected)), "{expected:?}");
    }
    let cases = instructions.iter().find_map(|instruction| match instruction {
        Instruction::Switch(switch) => Some(&switch.cases),
        _ => None,
    });
    assert_eq!(cases.unwrap().iter().map(|case| case.0).collect::<Vec<_>>(), [3, 70000]);
    assert!(instructions.contains(&&Instruction::NewArray(Type::array(Type::class("p/Sample$Member")))));
    assert!(instructions.contains(&&Instruction::New(Type::class("p/Sample$1"))));
    assert!(instructions.contains(&&Instruction::Increment { local: 0, by: 1000 }));
    let lambda = instructions.iter().find_map(|instruction| match instruction {
        Instruction::InvokeDynamic(site) => Some(site),
        _ => None,
    });
    assert_eq!(&*lambda.unwrap().handles[0].name, "lambda$body$0");
    let [handler] = &decoded.handlers[..] else { panic!("{:?}", decoded.handlers) };
    assert_eq!(handler.catches, Some(ClassName::new("java/lang/IllegalStateException")));
    let entered = &decoded.steps[handler.target].instruction;
    assert!(matches!(entered, Instruction::Store { kind: Kind::Reference, .. }), "{entered:?}");
}

#[test]
fn member_class_facts_come_from_its_inner_classes_entry() {
    let member = sample("Sample$Member").to_facts();
    assert_eq!(member.access & (access::PROTECTED | access::STATIC), access::PROTECTED | access::STATIC);
    assert_eq!(
        (member.outer, member.source_simple_name.as_deref()),
        (Some(ClassName::new("p/Sample")), Some("Member"))
    );
    let anonymous = sample("Sample$1").to_facts();
    assert_eq!((anonymous.outer, anonymous.source_simple_name), (None, None));
    let top = sample("Sample").to_facts();
    assert_eq!((top.outer, top.source_simple_name.as_deref()), (None, Some("Sample")));
    assert!(top.methods.iter().all(|method| !method.name.starts_with("lambda$")));
}

#[test]
fn parameter_annotations_skip_compiler_added_parameters() {
    let constructor = sample("Sample$Inner").methods.remove(0);
    assert_eq!(constructor.descriptor.to_string(), "(Lp/Sample;IJ)V");
    let annotated: Vec<_> = constructor.parameter_annotations.iter().map(|list| types(list)).collect();
    assert_eq!(annotated, [vec![], vec!["p/Invisible"], vec![]]);
}

#[test]
fn module_description_names_its_module_and_those_it_requires() {
    let source = "module a.b { requires java.logging; requires static java.sql; }";
    let classes = compile(source, &["--release", "17"]);
    let module = parse(&classes[0].1).unwrap().module.unwrap();
    let required: Vec<&str> = module.requires.iter().map(|name| &**name).collect();
    assert_eq!((&*module.name, required), ("a.b", vec!["java.base", "java.logging", "java.sql"]));
    assert_eq!(sample("Sample").module, None);
}

#[test]
fn records_and_sealed_classes_are_parsed() {
    let source = "sealed interface S permits A, B {}
        record A(int x, String y) implements S {}
        record B() implements S {}";
    let classes = compile(source, &["--release", "17"]);
    let parsed: Vec<ClassFile> = classes.iter().map(|class| parse(&class.1).unwrap()).collect();
    let components = parsed[0].record_components.as_ref().unwrap();
    let shown: Vec<_> = components.iter().map(|part| (&*part.name, part.component_type.to_string())).collect();
    assert_eq!(shown, [("x", "int".to_string()), ("y", "java.lang.String".to_string())]);
    assert_eq!(names(&parsed[2].permitted_subclasses), ["A", "B"]);
    assert_eq!(parsed[2].record_components, None);
}

#[test]
fn written_class_is_parsed_back() {
    let mut writer = ClassWriter::new("p/Made", "java/lang/Object", &["java/lang/Runnable"], 0x21, 52);
    let annotations = sample("Sample").annotations;
    writer.annotate(&annotations, Some("p/Outer"));
    let defaults =
        sample("Invisible").methods.into_iter().filter_map(|method| Some((method.name, method.annotation_default?)));
    let on_field = [Annotation { of: ClassName::new("p/Invisible"), elements: defaults.collect() }];
    writer.add_field(access::PUBLIC, "count", "I", Some("TT;"), &on_field);
    let method = EncodedMethod { index: writer.pool.method_ref("java/lang/System", "gc", "()V"), slots: 0 };
    let code = encode_all(&[Instruction::Invoke { kind: InvokeKind::Static, method }, Instruction::Return(None)]);
    writer.add_method(access::PUBLIC, "run", "()V", &NewCode { max_stack: 1, max_locals: 1, bytes: &code });
    let class = parse(&writer.finish().unwrap()).unwrap();
    assert_eq!((class.name.internal(), names(&class.interfaces)), ("p/Made", vec!["java/lang/Runnable"]));
    assert_eq!((&class.annotations, class.enclosing_method), (&annotations, true));
    assert_eq!((&class.fields[0].field_type, class.fields[0].signature.as_deref()), (&Type::INT, Some("TT;")));
    assert_eq!(class.fields[0].annotations, on_field);
    assert_eq!(references(&body(&class, "run")), [("java/lang/System".to_string(), "gc".to_string())]);
}

#[test]
fn every_jdk_class_is_parsed() {
    let Some(classes) = jdk_classes("java.base") else { return };
    classes.check_each(check_parsing);
}

/// Each body can be decoded, and has the same bytes when it is encoded again.
fn check_parsing(name: &str, bytes: &[u8]) {
    let class = parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(name, class.name.internal());
    let mut decoder = Decoder::new(&class);
    for method in &class.methods {
        let Some(code) = &method.code else { continue };
        decoder.body(code).unwrap_or_else(|error| panic!("{name} {}: {error}", method.name));
        let code = &bytes[code.bytes.clone()];
        assert_eq!(encoded_again(code).as_deref(), Some(code), "{name} {}", method.name);
    }
}

/// What the code is after it was decoded and encoded.
fn encoded_again(code: &[u8]) -> Option<Vec<u8>> {
    let decoded: Vec<_> = instructions(code).collect::<Result<_, usize>>().ok()?;
    Some(encode_all(&decoded.iter().map(|located| located.instruction).collect::<Vec<_>>()))
}

/// The opcodes from here on are for debuggers and implementations, or mean nothing (JVMS §6.2).
const FIRST_RESERVED: u8 = opcode::JSR_W + 1;

const INVOKEINTERFACE: u8 = opcode::INVOKEVIRTUAL + InvokeKind::Interface as u8;

#[test]
fn every_opcode_is_decoded_and_encoded_to_the_same_bytes() {
    for opcode in 0..=u8::MAX {
        // The operands of what has any, and for `wide` the opcode of `iload`.
        let operands: &[u8] = if opcode == opcode::WIDE { &[opcode::ILOAD, 1, 2] } else { &[1, 2, 3, 0, 0] };
        let code = [&[opcode], operands].concat();
        let Some(Ok(located)) = instructions(&code).next() else {
            // Switches, which are too short here, and what the JVMS reserves.
            assert!(matches!(opcode, opcode::TABLESWITCH | opcode::LOOKUPSWITCH | FIRST_RESERVED..), "{opcode}");
            continue;
        };
        let mut expected = located.bytes.to_vec();
        // Zero in class files (JVMS §6.5, `invokeinterface`, `invokedynamic`).
        match opcode {
            INVOKEINTERFACE => expected[4] = 0,
            opcode::INVOKEDYNAMIC => expected[3..].fill(0),
            _ => {}
        }
        assert_eq!(encode_all(&[located.instruction]), expected, "{opcode}");
    }
}

#[test]
fn switch_padding_depends_on_its_offset() {
    for start in 0..4 {
        let mut code = vec![0; start];
        code.push(opcode::LOOKUPSWITCH);
        code.extend(vec![0; 3 - start]);
        for value in [50, 2, -7, 20, 9, 30] {
            code.extend(i32::to_be_bytes(value));
        }
        assert_eq!(encoded_again(&code).as_deref(), Some(&code[..]));
        let located = instructions(&code).last().unwrap().unwrap();
        let Instruction::Switch(switch) = located.instruction else { panic!("{located:?}") };
        assert_eq!((switch.default(), switch.cases().collect::<Vec<_>>()), (50, vec![(-7, 20), (9, 30)]));
    }
}

#[test]
fn instruction_size_is_limited() {
    assert!(size_of::<EncodedInstruction>() <= 24, "{}", size_of::<EncodedInstruction>());
    assert!(size_of::<Step>() <= 48, "{}", size_of::<Step>());
}

#[test]
fn class_file_with_a_changed_byte_never_panics_the_parser() {
    for (_, bytes) in compile(SAMPLE, &["-g"]) {
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7F, 0x80, 0xFF, bytes[at] ^ 1, bytes[at].wrapping_add(1)] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let Ok(class) = parse(&changed) else { continue };
                let mut decoder = Decoder::new(&class);
                class.methods.iter().filter_map(|method| method.code.as_ref()).for_each(|code| {
                    let _ = decoder.body(code);
                });
            }
            assert!(parse(&bytes[..at]).is_err(), "a prefix of {at} bytes was read");
        }
    }
}

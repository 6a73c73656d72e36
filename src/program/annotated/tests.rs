//! Which objects with annotated members are made for which code.

use super::field_types::field_name;
use super::*;
use crate::compiled::compile_and_parse;
use bytecode::analysis::constants;
use model::jvm::types::TypeTable;

fn compiled(annotations: &str, reader: &str) -> BTreeMap<ClassName, ClassFile> {
    let imports = "package p; import java.lang.annotation.*;";
    let lasting = "@Retention(RetentionPolicy.RUNTIME)";
    let source = format!("{imports} public class Source {{ {} {reader} }}", annotations.replace('%', lasting));
    compile_and_parse(&source, &["--release", "17"])
}

/// What is made for the targets, which may use the other classes.
fn operations_for(targets: &BTreeMap<ClassName, ClassFile>, others: &BTreeMap<ClassName, ClassFile>) -> Vec<Operation> {
    let mut types = TypeTable::default();
    targets.values().chain(others.values()).for_each(|file| types.insert(file.to_facts()));
    let known = Known { file: &|name| targets.get(name).or_else(|| others.get(name)), types: &types };
    let families = families(targets, &constants::mine(targets), &known);
    families.into_iter().flat_map(|family| family.operations).collect()
}

/// The operations, as reports have them.
fn made_for(targets: &BTreeMap<ClassName, ClassFile>) -> Vec<String> {
    operations_for(targets, &BTreeMap::new()).iter().map(Operation::to_string).collect()
}

fn shown(annotations: &str, reader: &str) -> Vec<String> {
    made_for(&compiled(annotations, reader))
}

#[test]
fn annotated_objects_cover_every_annotation_element() {
    let found = shown(
        "% @Target(ElementType.FIELD) public @interface Option {
            String[] names(); boolean hidden() default true; int arity() default 1;
            Class<? extends Part> part() default Screw.class; Color color() default Color.RED;
            Size size() default @Size(1);
        }
        % @Target(ElementType.TYPE) public @interface Options { String value() default \"\"; }
        public @interface Size { int value(); }
        public interface Part { } public static class Screw implements Part { } static class Secret implements Part { }
        public enum Color { RED, GREEN }",
        "Object[] read = { Option.class, Options.class, \"-\", \"--\" };",
    );
    for expected in [
        "new java.lang.Object() { @p.Source$Option(names = {\"n\", \"number\"}, hidden = Boolean(false)) int number; }",
        "@p.Source$Option(names = {\"-n\", \"--number\"}",
        ", arity = Int(",
        ", part = p.Source$Screw.class)",
        ", color = p.Source$Color.",
        ", size = @p.Source$Size(value = Int(",
        "@p.Source$Options(value = \"--part\") new java.lang.Object() {",
        "@p.Source$Options(value = \"part\") new java.lang.Object() {",
        " java.lang.Object part = input 0;",
    ] {
        assert!(found.iter().any(|shown| shown.contains(expected)), "{expected} in {found:#?}");
    }
    assert!(found.iter().all(|shown| !shown.contains("Secret")));
}

#[test]
fn annotated_objects_cover_every_value_of_an_element() {
    let found = shown(
        "% public @interface A { int x() default 9; int y() default 9; int z() default 9; }",
        "Object read = A.class;",
    );
    for name in ["x", "y", "z"] {
        for value in 0..3 {
            let given = format!("@p.Source$A({name} = Int({value}))");
            assert!(found.iter().any(|shown| shown.contains(&given)), "{given} in {found:#?}");
        }
    }
}

#[test]
fn prefixes_of_names_are_the_codes_own_signs() {
    let check = |texts: &[(&str, u32)], expected: &[&str]| {
        let of = |(text, count): &(&str, u32)| (Literal::String((*text).into()), *count);
        let constants: Vec<(Literal, u32)> = texts.iter().map(of).collect();
        assert_eq!(prefixes(constants.iter()), expected, "{texts:?}");
    };
    check(&[("-", 3), ("--", 2), ("@", 1), ("*", 1)], &["--", "-"]);
    check(&[("/", 1), ("@", 4), ("/", 2), ("+", 1)], &["@", "/"]);
    check(&[("name", 9), ("x", 9), ("7", 9), ("", 9), (" ", 9), ("---", 9), ("-x", 9), ("->", 9), ("é", 9)], &[]);
    check(&[(",", 9), ("::", 9), (".", 9), ("=", 9), ("(", 9), ("]]", 9), ("\"", 9), ("#", 1)], &["#"]);
}

#[test]
fn names_are_spelled_as_the_code_writes_prefixes() {
    let annotation = "% public @interface A { String value(); }";
    for (constants, expected) in [("", vec![""]), (", \"/\"", vec!["", "/"]), (", \"--\", \"-\"", vec!["", "-", "--"])]
    {
        let found = shown(annotation, &format!("Object[] read = {{ A.class{constants} }};")).concat();
        let names = found.split("value = \"").skip(1);
        let prefixes = names.map(|name| name.split(char::is_alphanumeric).next().unwrap());
        assert_eq!(prefixes.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn elements_of_type_char_are_signs_of_the_code() {
    let annotation = "% public @interface A { char value(); }";
    for (constants, expected) in [("", vec![","]), (", ';', 'x', \"#\", \"::\"", vec!["#", ";"])] {
        let found = shown(annotation, &format!("Object[] read = {{ A.class{constants} }};")).concat();
        let signs: BTreeSet<String> =
            expected.into_iter().map(|sign| format!("Char({})", sign.as_bytes()[0])).collect();
        let given = found.split("value = ").skip(1).filter_map(|text| text.split_inclusive(')').next());
        assert_eq!(given.map(str::to_string).collect::<BTreeSet<_>>(), signs);
    }
}

#[test]
fn annotations_of_dependencies_are_used_where_the_code_has_their_class_literals() {
    let annotation = "% public @interface Dependency { String value(); }";
    for (reader, is_read) in [
        ("Object read = Dependency.class;", true),
        ("String read(Dependency of) { return of.value(); }", false),
        ("@Dependency(\"\") int carried;", false),
    ] {
        let is_annotation = |file: &ClassFile| file.access & access::ANNOTATION != 0;
        let (others, targets) = compiled(annotation, reader).into_iter().partition(|(_, file)| is_annotation(file));
        assert_eq!(!operations_for(&targets, &others).is_empty(), is_read, "{reader}");
    }
}

#[test]
fn a_worker_declares_the_class_where_annotation_types_under_test_or_their_readers_are() {
    let beside = |targets: &BTreeMap<ClassName, ClassFile>, others: &BTreeMap<ClassName, ClassFile>| {
        let operations = operations_for(targets, others);
        let all: BTreeSet<_> = operations.into_iter().filter_map(|operation| operation.declared.beside).collect();
        all.iter().map(ClassName::to_string).collect::<Vec<_>>()
    };
    let none = BTreeMap::new();
    assert_eq!(beside(&compiled("% public @interface A { }", "Object read = A.class;"), &none), ["p.Source$A"]);
    let mut annotation = compiled("% public @interface A { }", "").remove(&ClassName::new("p/Source$A")).unwrap();
    annotation.name = ClassName::new("java/beans/JavaBean");
    let others = BTreeMap::from([(annotation.name.clone(), annotation)]);
    assert_eq!(beside(&compiled("", "Object read = java.beans.JavaBean.class;"), &others), ["p.Source"]);
}

#[test]
fn annotations_that_a_class_only_has_are_not_read() {
    let annotation = "% public @interface A { String value(); }";
    for (reader, is_read) in [
        ("@A(\"\") int carried;", false),
        ("A field; A read() { return field; }", false),
        ("String read(A of) { return of.value(); }", true),
        ("boolean read(Object of) { return of instanceof A; }", true),
        ("A read(Object of) { return (A) of; }", true),
    ] {
        assert_eq!(!shown(annotation, reader).is_empty(), is_read, "{reader}");
    }
}

#[test]
fn accessors_are_annotated_for_code_that_asks_methods() {
    let asks =
        |owner: &str| format!("Object read(java.lang.reflect.{owner} of) {{ return of.getAnnotation(A.class); }}");
    let places = |target: &str, owner: &str| {
        let found = shown(&format!("% @Target({{ {target} }}) public @interface A {{ int value(); }}"), &asks(owner));
        let has = |text: &str| found.iter().any(|shown| shown.contains(text));
        [has(") setter of boolean flag;"), has(") getter of "), has(") boolean flag;")]
    };
    for owner in ["Method", "AnnotatedElement", "AccessibleObject"] {
        assert_eq!(places("ElementType.METHOD", owner), [true, true, false], "{owner}");
        assert_eq!(places("ElementType.FIELD", owner), [false, false, true], "{owner}");
    }
    assert_eq!(places("ElementType.FIELD, ElementType.METHOD", "Method"), [true; 3]);
    assert_eq!(places("ElementType.FIELD, ElementType.METHOD", "Field"), [false, false, true]);
    assert_eq!(places("ElementType.METHOD", "Field"), [false; 3]);
}

#[test]
fn annotation_class_literals_satisfy_the_element_bound() {
    let classes = "
        public interface Conv<T> { }
        public static class Text implements Conv<String> { }
        public static class Any<T> implements Conv<T> { }
        public static class Raw implements Conv { }
        public static class OfRaw extends Raw { }
        public static class Base<T> implements Conv<T> { }
        public static class OfBase extends Base<int[]> { }";
    for (element, expected) in [
        ("Class<? extends Conv<?>>", "OfBase Text"),
        ("Class<? extends Conv>[]", "Any Base OfBase OfRaw Raw Text"),
        ("Class<? extends Conv<String>>", ""),
        ("Class<? super Text>", "Text"),
        ("Class<Base>", "Base"),
        ("Class<Base<?>>", ""),
    ] {
        let annotation = format!("% public @interface A {{ {element} of(); }} {classes}");
        let found = shown(&annotation, "Object read = A.class;").concat();
        let named = found.split(".class").filter_map(|text| Some(text.rsplit_once("p.Source$")?.1));
        let names: BTreeSet<&str> = named.filter(|name| is_java_identifier(name)).collect();
        assert_eq!(names.into_iter().collect::<Vec<_>>().join(" "), expected, "{element}");
    }
}

#[test]
fn annotation_elements_without_java_identifier_are_skipped() {
    let mut targets = compiled(
        "% public @interface A { int other(); Color color() default Color.RED; int size() default 1; }
        public enum Color { RED, GREEN }",
        "Object read = A.class;",
    );
    let mut rename = |class: &str, from: &str, to: &str| {
        let file = targets.get_mut(&ClassName::new(class)).unwrap();
        let methods = file.methods.iter_mut().map(|method| &mut method.name);
        let mut names = methods.chain(file.fields.iter_mut().map(|field| &mut field.name));
        *names.find(|name| &***name == from).unwrap() = Arc::from(to);
        made_for(&targets)
    };
    let has = |found: &[String], text: &str| found.iter().any(|shown| shown.contains(text));
    let found = rename("p/Source$Color", "GREEN", "green light");
    assert!(has(&found, "Color.RED") && has(&found, "size = ") && !has(&found, "light"), "{found:#?}");
    let found = rename("p/Source$A", "size", "default");
    assert!(has(&found, "Color.RED") && !has(&found, "default = "), "{found:#?}");
    assert_eq!(rename("p/Source$A", "other", "class"), Vec::<String>::new());
}

#[test]
fn annotated_field_name_derives_from_its_class() {
    for (class, expected) in [
        ("java/lang/Long", "longValue"),
        ("java/math/BigDecimal", "bigDecimal"),
        ("java/Class", "classValue"),
        ("java/État", "état"),
        ("java/$", "value"),
    ] {
        assert_eq!(field_name(&ClassName::new(class)), expected);
    }
    let text = |text: &str| ElementValue::Constant(Literal::String(text.into()));
    for (prefix, expected) in [("--", ["-é2", "--état2"]), ("@", ["@é2", "@état2"]), ("", ["é2", "état2"])] {
        let names = naming_value(&Type::array(Type::string()), Name { prefix, word: "état2" });
        assert_eq!(names, ElementValue::Array(expected.map(text).to_vec()));
    }
}

#[test]
fn annotations_that_code_cannot_read_are_skipped() {
    let read = "Object read = A.class;";
    assert_ne!(shown("% public @interface A { int value(); }", read), Vec::<String>::new());
    for annotation in [
        "public @interface A { }",
        "% @Target(ElementType.METHOD) public @interface A { }",
        "% private @interface A { }",
        "% public @interface A { Class<? extends Runnable> value(); }",
    ] {
        assert_eq!(shown(annotation, read), Vec::<String>::new(), "{annotation}");
    }
}

use super::*;
use crate::compiled::compile_and_parse;
use model::jvm::types::TypeTable;

fn compiled(annotations: &str, reader: &str) -> BTreeMap<ClassName, ClassFile> {
    let imports = "package p; import java.lang.annotation.*;";
    let lasting = "@Retention(RetentionPolicy.RUNTIME)";
    let source = format!("{imports} public class Source {{ {} {reader} }}", annotations.replace('%', lasting));
    compile_and_parse(&source, &["--release", "17"])
}

/// The operations, as reports have them.
fn made_for(targets: &BTreeMap<ClassName, ClassFile>) -> Vec<String> {
    let mut types = TypeTable::default();
    targets.values().for_each(|file| types.insert(file.to_facts()));
    let known = Known { file: &|name| targets.get(name), types: &types };
    let families = families(targets, &BTreeMap::new(), &known);
    families.iter().flat_map(|family| &family.operations).map(Operation::to_string).collect()
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
        "Object[] read = { Option.class, Options.class };",
    );
    let option = "@p.Source$Option(names = {\"-n\", \"--number\"}";
    for expected in [
        &format!("new java.lang.Object() {{ {option}, hidden = Boolean(false)) int number; }}"),
        ", arity = Int(",
        ", part = p.Source$Screw.class)",
        ", color = p.Source$Color.",
        ", size = @p.Source$Size(value = Int(",
        "@p.Source$Options(value = \"--part\") new java.lang.Object() {",
        "@p.Source$Options(value = \"part\") new java.lang.Object() {",
        "@p.Source$Option(names = {\"n\", \"number\"}",
        " java.lang.Object part = input 0;",
    ] {
        assert!(found.iter().any(|shown| shown.contains(expected)), "{expected} in {found:#?}");
    }
    assert!(found.iter().all(|shown| !shown.contains("Secret")));
}

#[test]
fn annotated_objects_cover_every_value_of_an_element() {
    let found = shown("% public @interface A { int x() default 9; int y() default 9; int z() default 9; }", "A read;");
    for name in ["x", "y", "z"] {
        for value in 0..3 {
            let given = format!("@p.Source$A({name} = Int({value}))");
            assert!(found.iter().any(|shown| shown.contains(&given)), "{given} in {found:#?}");
        }
    }
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
    for (name, expected) in [("--état2", ["-é2", "--état2"]), ("état2", ["é2", "état2"])] {
        let names = naming_value(&Type::array(Type::string()), name);
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

//! Implementations of interfaces and abstract classes do in workers what their Java does in tests: each is run, and its
//! test compiled and passed, as lambdas and without.
//!
//! Needs what the tests of emission need; says what it misses without.

use crate::fixture::Fixture;
use bytecode::instrument;
use emitter::TestCase;
use host::supervisor::test_library::TestLibrary;
use host::supervisor::{Launch, WorkerExecutor};
use model::execution::{Detail, Execution, Executor, Outcome, Value};
use model::jvm::{Literal, Primitive, Type, TypeArgument};
use model::sequence::{HOLDER, Operation, OperationId, OperationKind, Recording, Sequence};
use program::Program;
use std::collections::BTreeMap;
use std::sync::Arc;

/// `use` takes each kind of type and tells what it was told.
const USES: &str = r#"
package p;

import java.util.*;
import java.util.concurrent.Callable;

public class Uses {
    public interface Named { String name(); int size(); List<String> parts(); boolean isOpen(); void close(); }
    public interface Words extends Comparator<String> { }
    public interface Source { Object get(); }
    public interface Text extends Source { String get(); }
    public interface Finder<A, B extends Number> { B find(A first, B second, int third); }
    public interface Step<A, B> { B run(A of); }
    public interface Parser<T> extends Step<String, T> { }
    public static abstract class Lookup<T> implements Step<String, T> {
        public abstract T find(String key);
        @Override public T run(String key) { return find(key); }
    }
    public interface Converter { <T> T convert(Class<T> to, T otherwise); }
    public interface Types { Class<? extends Number> type(); }
    interface Hidden { char letter(Hidden self, char last); }
    public interface Marker { }
    public interface Listener { void heard(String what, byte times, char how, Long id); void done(); }
    public interface Sink { void add(long id); }
    public static abstract class Shape {
        private final String told;
        protected final double input0 = -1;
        protected Shape(String name, long id) { told = name + id + area(); }
        protected abstract double area();
        public abstract float scale(float by);
        abstract short hidden();
        @Override public String toString() { return told + ":" + area() + ":" + scale(2) + ":" + hidden(); }
    }
    public static abstract class Ordered implements Comparable<Ordered> {
        protected abstract byte rank();
        public int compareTo(Ordered other) { return rank() - other.rank(); }
    }
    public static String use(Named of) {
        of.close();
        return of.name() + of.size() + of.parts() + of.isOpen();
    }
    public static String use(Parser of) { return "" + of.run("a"); }
    public static String use(Lookup<?> of) { return "" + of.run("a"); }
    public static String use(Words of) {
        String text = String.valueOf(of.compare("a", "b"));
        try { ((Comparator) of).compare("a", 1); } catch (ClassCastException e) { text += "!"; }
        return text;
    }
    public static String use(Text of) { return of.get() + ((Source) of).get(); }
    public static String use(Finder<String, Integer> of) { return "" + of.find("a", 5, 6); }
    public static String use(Converter of) { return of.convert(String.class, "else"); }
    public static String use(Types of) { return "" + of.type(); }
    static String use(Hidden of) { return "" + of.letter(of, 'z'); }
    public static String use(Marker of) { return "" + of.getClass().isAnonymousClass(); }
    public static String use(Shape of) { return of.toString(); }
    public static String use(Ordered of) { return "" + of.compareTo(of); }
    public static String use(Runnable of) { of.run(); return "ran"; }
    public static String use(Listener of) { of.heard("word", (byte) 3, 'c', null); of.done(); return "told"; }
    public static String use(Sink of) { of.add(5); of.add(6); return "added"; }
    public static String use(Callable<String> of) throws Exception { return of.call(); }
    public static String use(Enumeration<String> of) { return "" + Collections.list(of); }
}
"#;

/// `use` tells all that reflection shows it of an object.
const READS: &str = r#"
package p;

import java.lang.annotation.*;
import java.lang.reflect.*;
import java.util.*;

public class Reads {
    @Retention(RetentionPolicy.RUNTIME) @Target({ ElementType.FIELD, ElementType.METHOD })
    public @interface Option {
        String[] names();
        boolean hidden() default true; byte[] bytes() default { }; char mark() default 'a'; short low() default 1;
        int arity() default 3; long high() default 1; float part() default 1; double whole() default 1;
        Class<? extends Collection> type() default List.class; Color color() default Color.RED;
        Size[] sizes() default { }; Class<? extends Color> colors() default Color.class;
    }
    @Retention(RetentionPolicy.RUNTIME) @Target(ElementType.TYPE) public @interface Options { String value() default ""; }
    @Retention(RetentionPolicy.RUNTIME) public @interface Size { int value(); }
    public enum Color { RED, GREEN }
    public static String use(Object of) throws Exception {
        String told = Arrays.toString(of.getClass().getAnnotations()).replace("p.Reads", "");
        if (of.getClass().isAnnotationPresent(Options.class)) told += "has options";
        for (Field field : of.getClass().getDeclaredFields()) {
            Option option = field.getAnnotation(Option.class);
            if (field.getAnnotations().length > 0) {
                // The order of elements differs from JVM to JVM.
                char[] letters = Arrays.toString(field.getAnnotations()).toCharArray();
                Arrays.sort(letters);
                int all = Arrays.hashCode(letters);
                told += " " + field.getGenericType().toString().hashCode() + field.getName() + all + "=" + field.get(of);
            }
            told += option == null ? "" : Arrays.toString(option.names()) + option.hidden();
        }
        Method[] methods = of.getClass().getDeclaredMethods();
        Arrays.sort(methods, Comparator.comparing(Method::getName));
        for (Method method : methods) {
            Option option = method.getAnnotation(Option.class);
            if (option == null) continue;
            Object[] values = new Object[method.getParameterCount()];
            if (values.length > 0 && !method.getParameterTypes()[0].isPrimitive()) method.invoke(of, values);
            told += method.getName() + Arrays.toString(method.getGenericParameterTypes()).hashCode()
                + method.getGenericReturnType().toString().hashCode() + Arrays.toString(option.names())
                + (values.length == 0 ? method.invoke(of) : "");
            if ("--".equals(option.names()[0])) told += "-";
        }
        return told;
    }
}
"#;

/// What becomes of each operation's object.
const EXPECTED: [(&str, &str); 48] = [
    ("new java.lang.Runnable() { run: default, adds input 1 to input 0; }", "[text]"),
    ("new java.lang.Runnable() { run: default, call to input 0; }", "[run()]"),
    ("new java.lang.Runnable() { run: default; }", "ran"),
    ("new java.lang.Runnable() { run: throws; }", "java.lang.IllegalStateException"),
    ("new java.util.Enumeration() { hasMoreElements: default; nextElement: default; }", "[]"),
    // The platform's loop ends as each answer counts.
    ("new java.util.Enumeration() { hasMoreElements: input 0; nextElement: input 1; }", "ProbeBudget"),
    ("new java.util.concurrent.Callable() { call: held by input 0; }", "text"),
    ("new java.util.concurrent.Callable() { call: input 0; }", "text"),
    ("new java.util.concurrent.Callable() { call: throws; }", "java.lang.IllegalStateException"),
    ("new p.Uses$Converter() { convert: held by input 0; }", "text"),
    ("new p.Uses$Converter() { convert: input 0; }", "text"),
    ("new p.Uses$Converter() { convert: parameter 0; }", "java.lang.ClassCastException"),
    ("new p.Uses$Converter() { convert: parameter 1; }", "else"),
    ("new p.Uses$Converter() { convert: throws; }", "java.lang.IllegalStateException"),
    ("new p.Uses$Finder() { find: held by input 0; }", "7"),
    ("new p.Uses$Finder() { find: input 0; }", "7"),
    ("new p.Uses$Finder() { find: parameter 1; }", "5"),
    ("new p.Uses$Finder() { find: throws; }", "java.lang.IllegalStateException"),
    ("new p.Uses$Hidden() { letter: input 0; }", "c"),
    ("new p.Uses$Hidden() { letter: parameter 1; }", "z"),
    ("new p.Uses$Hidden() { letter: throws; }", "java.lang.IllegalStateException"),
    (
        "new p.Uses$Listener() { heard: default, call to input 0; done: default, call to input 0; }",
        "[heard(word, 3, c, null), done()]",
    ),
    ("new p.Uses$Listener() { heard: default; done: default; }", "told"),
    // Of integers, as another class under test has them, and of strings.
    ("new p.Uses$Lookup() { find: input 0; }", "7"),
    ("new p.Uses$Lookup() { find: input 0; }", "text"),
    ("new p.Uses$Lookup() { find: parameter 0; }", "a"),
    ("new p.Uses$Marker() { }", "true"),
    (
        "new p.Uses$Named() { name: input 0; size: input 1; parts: input 2; isOpen: input 3; close: default, call to input 4; }",
        "[close()]",
    ),
    (
        "new p.Uses$Named() { name: input 0; size: input 1; parts: input 2; isOpen: input 3; close: default; }",
        "text3[]true",
    ),
    ("new p.Uses$Ordered() { rank: input 0; }", "0"),
    ("new p.Uses$Parser() { run: held by input 0; }", "text"),
    ("new p.Uses$Parser() { run: input 0; }", "text"),
    ("new p.Uses$Parser() { run: parameter 0; }", "a"),
    ("new p.Uses$Parser() { run: throws; }", "java.lang.IllegalStateException"),
    (
        "new p.Uses$Shape(java.lang.String, long) { area: default; scale: default; hidden: default; }",
        "text80.0:0.0:0.0:0",
    ),
    (
        "new p.Uses$Shape(java.lang.String, long) { area: input 2; scale: input 3; hidden: input 4; }",
        "text81.5:1.5:2.5:9",
    ),
    ("new p.Uses$Sink() { add: default, adds input 1 to input 0; }", "[text, text]"),
    ("new p.Uses$Sink() { add: default, adds to input 0; }", "[5, 6]"),
    ("new p.Uses$Sink() { add: default; }", "added"),
    ("new p.Uses$Sink() { add: throws; }", "java.lang.IllegalStateException"),
    ("new p.Uses$Text() { get: held by input 0; }", "texttext"),
    ("new p.Uses$Text() { get: input 0; }", "texttext"),
    ("new p.Uses$Text() { get: throws; }", "java.lang.IllegalStateException"),
    ("new p.Uses$Types() { type: held by input 0; }", "class java.lang.Integer"),
    ("new p.Uses$Types() { type: input 0; }", "class java.lang.Integer"),
    ("new p.Uses$Types() { type: throws; }", "java.lang.IllegalStateException"),
    ("new p.Uses$Words() { compare: input 0; }", "3!"),
    ("new p.Uses$Words() { compare: throws; }", "java.lang.IllegalStateException"),
];

/// Appends what the input of the type is to be.
fn push_value(sequence: &mut Sequence, of: &Type, operations: &[Operation]) -> usize {
    let arguments = |of: &Type| match of {
        Type::Parameterized(of) => of.arguments.clone(),
        _ => Vec::new(),
    };
    let call = |shown: &str| {
        let makes_it = |known: &Operation| {
            known.to_string() == shown && known.output.as_ref().is_some_and(|made| arguments(made) == arguments(of))
        };
        let is_it = |known: &&Operation| known.to_string() == shown;
        let found = operations.iter().position(makes_it).or_else(|| operations.iter().position(|known| is_it(&known)));
        OperationId(found.unwrap() as u32)
    };
    let literal = match of {
        Type::Primitive(Primitive::Boolean) => Literal::Boolean(true),
        Type::Primitive(Primitive::Byte) => Literal::Byte(4),
        Type::Primitive(Primitive::Char) => Literal::Char('c' as u16),
        Type::Primitive(Primitive::Short) => Literal::Short(9),
        Type::Primitive(Primitive::Int) => Literal::Int(3),
        Type::Primitive(Primitive::Long) => Literal::Long(8),
        Type::Primitive(Primitive::Float) => Literal::float(2.5),
        Type::Primitive(Primitive::Double) => Literal::double(1.5),
        Type::Class(_) | Type::Parameterized(_) => match of.class_name().unwrap().internal() {
            "java/util/List" | "java/util/ArrayList" => return sequence.push_call(call("java.util.ArrayList()"), &[]),
            "java/lang/Number" | "java/lang/Integer" => {
                let seven = sequence.push_literal(Literal::Int(7));
                return sequence.push_call(call("java.lang.Integer.valueOf(int)"), &[seven]);
            }
            "java/lang/Class" if of.to_string().contains("Number") => Literal::Class(Type::class("java/lang/Integer")),
            "java/lang/Class" => Literal::Class(Type::string()),
            HOLDER => {
                let held = arguments(of).first().and_then(TypeArgument::bound).cloned().unwrap();
                let value = push_value(sequence, &held, operations);
                let holder = call("java.util.concurrent.atomic.AtomicReference(java.lang.Object)");
                return sequence.push_call(holder, &[value]);
            }
            "java/util/Map" => return sequence.push_call(call("java.util.HashMap()"), &[]),
            _ => Literal::String("text".into()),
        },
        Type::Array(_) => Literal::Null(of.clone()),
    };
    sequence.push_literal(literal)
}

/// Makes an object by each of the operations whose types `use` takes, and uses it; then shows what it recorded.
fn sequences(program: &Program) -> Vec<(String, Sequence)> {
    let operations = &program.operations;
    let mut found = Vec::new();
    for (id, operation) in operations.iter().enumerate() {
        let takes_it = |user: &Operation| {
            &*user.name == "use" && operation.output.as_ref().map(Type::erased) == user.inputs.first().map(Type::erased)
        };
        let user = operations.iter().position(takes_it).filter(|_| operation.kind == OperationKind::Implementation);
        let Some(user) = user else { continue };
        // The search gives an implementation no holder of another type.
        let makes = |held: &Type| operations.iter().any(|maker| maker.output.as_ref() == Some(held));
        if operation.implemented.iter().any(|method| method.holder().is_some()) && !makes(&operation.inputs[0]) {
            continue;
        }
        let mut sequence = Sequence::new();
        let inputs: Vec<usize> = operation.inputs.iter().map(|of| push_value(&mut sequence, of, operations)).collect();
        let made = sequence.push_call(OperationId(id as u32), &inputs);
        sequence.push_call(OperationId(user as u32), &[made]);
        if let Some(list) = Recording::list_of(&operation.implemented) {
            sequence.push_call(program.checks.to_string, &[inputs[list as usize]]);
        }
        found.push((operation.to_string(), sequence));
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

fn launch(fixture: &Fixture) -> Launch {
    let classes = fixture.directory.path().join("classes");
    let scratch = fixture.directory.path().join("workers");
    let mut launch = Launch::new(fixture.jdk.home.clone(), vec![classes.clone()], scratch);
    launch.command[0] = env!("CARGO_BIN_EXE_randgen").into();
    launch.operations = fixture.program.operations.clone();
    for target in &fixture.program.targets {
        let bytes = std::fs::read(classes.join(format!("{}.class", target.name.internal()))).unwrap();
        launch.class_probes.push((target.name.clone(), launch.probe_count));
        launch.probe_count += instrument::plan(&bytes).unwrap().probes.len() as u32;
    }
    launch
}

fn shown(execution: &Execution) -> String {
    match &execution.outcome {
        Outcome::Completed => match execution.values.last() {
            Some(Value::Literal(Literal::String(text))) => text.to_string(),
            other => panic!("{other:?}"),
        },
        Outcome::Threw { exception, .. } => exception.class.to_string(),
        Outcome::Killed { reason, .. } => format!("{reason:?}"),
        Outcome::Unlinkable { message, .. } => message.clone(),
    }
}

#[test]
fn implementations_behave_in_tests_as_in_workers() {
    let Some(fixture) = Fixture::compile("Uses", USES, 7) else { return };
    let sequences = sequences(&fixture.program);
    let mut executor = WorkerExecutor::start(Arc::new(launch(&fixture)), "worker").unwrap();
    let (names, runs): (Vec<String>, Vec<Sequence>) = sequences.into_iter().unzip();
    let executions = executor.execute(&runs, Detail::Observe).unwrap();
    let results: Vec<(&str, String)> = names.iter().map(String::as_str).zip(executions.iter().map(shown)).collect();
    let expected: Vec<(&str, String)> = EXPECTED.iter().map(|(name, result)| (*name, result.to_string())).collect();
    assert_eq!(results, expected);

    let ended = runs.into_iter().zip(executions).filter(|(_, run)| !matches!(run.outcome, Outcome::Killed { .. }));
    let cases: Vec<TestCase> = ended.map(|(sequence, run)| TestCase::regression(sequence, run)).collect();
    for (library, level) in [(TestLibrary::JUnit5, 17), (TestLibrary::JUnit4, 8), (TestLibrary::JUnit4, 7)] {
        let (verified, skipped) = fixture.verify("p/Uses", &cases, library, level);
        assert_eq!(skipped, Vec::<String>::new());
        let text = &verified.files[0].text;
        assert_eq!(verified.rejected.dropped, BTreeMap::new(), "{text}");
        assert_eq!(text.contains("Runnable runnable = () -> { };"), level > 7, "{text}");
    }
}

#[test]
fn annotated_objects_behave_in_tests_as_in_workers() {
    let Some(fixture) = Fixture::compile("Reads", READS, 8) else { return };
    let (names, runs): (Vec<String>, Vec<Sequence>) = sequences(&fixture.program).into_iter().unzip();
    assert!(names.iter().any(|name| name.starts_with("@p.Reads$Options(")), "{names:#?}");
    let mut executor = WorkerExecutor::start(Arc::new(launch(&fixture)), "worker").unwrap();
    let executions = executor.execute(&runs, Detail::Observe).unwrap();
    let told: Vec<String> = executions.iter().map(shown).collect();
    for expected in ["[-f, --flag]", "]false", "Options(", "--part", "list", "={}", "setItems", "isFlag", "getMap"] {
        assert!(told.iter().any(|told| told.contains(expected)), "{expected} in {told:#?}");
    }
    let cases: Vec<TestCase> =
        runs.into_iter().zip(executions).map(|(sequence, run)| TestCase::regression(sequence, run)).collect();
    for (library, level) in [(TestLibrary::JUnit5, 17), (TestLibrary::JUnit4, 7)] {
        let (verified, skipped) = fixture.verify("p/Reads", &cases, library, level);
        assert_eq!(skipped, Vec::<String>::new());
        assert_eq!(verified.rejected.dropped, BTreeMap::new());
    }
}

//! What JUnit tests call, without running them: each test method along one path, after what comes before it.
//!
//! Constants, local variables, fields of the test, arrays and the test's own methods are followed; bodies of lambdas are
//! taken where the lambda is made, which is right for `assertThrows`. Of all else a value is what some call returned, or
//! unknown. Branches are not taken, loops run once: a trace is a sample of how the code is used, not what a test does.

mod tracer;

use crate::classfile::{Body, ClassFile, Decoder, Method};
use model::jvm::types::access;
use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
use model::sequence::OperationKind;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tracer::{TracedValue, Tracer};

const TEST_ANNOTATIONS: [&str; 4] = [
    "org/junit/Test",
    "org/junit/jupiter/api/Test",
    "org/junit/jupiter/api/RepeatedTest",
    "org/junit/jupiter/params/ParameterizedTest",
];
const BEFORE_ANNOTATIONS: [&str; 4] = [
    "org/junit/BeforeClass",
    "org/junit/jupiter/api/BeforeAll",
    "org/junit/Before",
    "org/junit/jupiter/api/BeforeEach",
];

/// The calls of one test method in order, those of what is set up before it first.
pub type Trace = Vec<TraceCall>;

/// A use of a member that is not the tests' own, or of a new array.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceCall {
    /// What is done with the member.
    pub kind: OperationKind,
    /// As the instruction names it: a superclass may declare the member.
    pub owner: ClassName,
    /// Its name; empty of an array.
    pub name: Arc<str>,
    /// As that of an [`Operation`](model::sequence::Operation).
    pub descriptor: MethodDescriptor,
    /// The receiver first.
    pub inputs: Vec<TraceInput>,
}

/// What is known of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceInput {
    /// Of a parameter, as one of its type.
    Literal(Literal),
    /// What an earlier call of the trace made.
    Call(usize),
    /// Anything else.
    Unknown,
}

/// The traces of the test methods of each class that has some.
pub fn trace(tests: &BTreeMap<ClassName, ClassFile>) -> BTreeMap<ClassName, Vec<Trace>> {
    let tests = Tests::read(tests);
    let traced = tests.classes.values().map(|class| (class.name.clone(), tests.traces_of(class)));
    traced.filter(|(_, traces)| !traces.is_empty()).collect()
}

/// Name and descriptor of a method.
type Signature = (Arc<str>, MethodDescriptor);

struct Tests<'a> {
    classes: &'a BTreeMap<ClassName, ClassFile>,
    bodies: BTreeMap<&'a ClassName, FxHashMap<Signature, OwnMethod>>,
}

struct OwnMethod {
    is_static: bool,
    parameters: Vec<Type>,
    body: Body,
}

impl<'a> Tests<'a> {
    fn read(classes: &'a BTreeMap<ClassName, ClassFile>) -> Tests<'a> {
        let methods = |class: &'a ClassFile| {
            let mut decoder = Decoder::new(class);
            let mut method = |method: &Method| {
                let body = decoder.body(method.code.as_ref()?).ok()?;
                let is_static = method.access & access::STATIC != 0;
                Some((
                    signature(method),
                    OwnMethod { is_static, parameters: method.descriptor.parameters.clone(), body },
                ))
            };
            class.methods.iter().filter_map(&mut method).collect()
        };
        Tests { classes, bodies: classes.iter().map(|(name, class)| (name, methods(class))).collect() }
    }

    /// The class and its superclasses as far as they are tests too, the topmost first.
    fn ancestry(&self, class: &'a ClassFile) -> Vec<&'a ClassFile> {
        let mut ancestry = vec![class];
        let parent = |class: &ClassFile| self.classes.get(class.super_class.as_ref()?);
        // A class may claim to be its own ancestor.
        while let Some(parent) = parent(ancestry[ancestry.len() - 1])
            && ancestry.len() < self.classes.len()
        {
            ancestry.push(parent);
        }
        ancestry.reverse();
        ancestry
    }

    /// The method that a call on an object of the class runs.
    fn find(&self, class: &ClassName, signature: &Signature) -> Option<&OwnMethod> {
        let class = self.classes.get(class)?;
        let declared = |class: &&ClassFile| self.bodies[&class.name].get(signature);
        self.ancestry(class).iter().rev().find_map(declared)
    }

    fn traces_of(&self, class: &'a ClassFile) -> Vec<Trace> {
        if class.access & access::ABSTRACT != 0 {
            return Vec::new();
        }
        let ancestry = self.ancestry(class);
        let is_test_case =
            ancestry[0].super_class.as_ref().is_some_and(|name| name.internal() == "junit/framework/TestCase");
        let has = |method: &Method, annotations: &[&str]| {
            method.annotations.iter().any(|annotation| annotations.contains(&annotation.of.internal()))
        };
        let is_plain = |method: &Method| is_test_case && method.descriptor.parameters.is_empty();
        let is_test =
            |method: &Method| has(method, &TEST_ANNOTATIONS) || (is_plain(method) && method.name.starts_with("test"));
        let is_before =
            |method: &Method| has(method, &BEFORE_ANNOTATIONS) || (is_plain(method) && &*method.name == "setUp");
        let tests = signatures(&ancestry, &is_test);
        if tests.is_empty() {
            return Vec::new();
        }
        let before = signatures(&ancestry, &is_before);
        let constructor = class.methods.iter().find(|method| &*method.name == "<init>").map(signature);
        let initializer = (Arc::from("<clinit>"), MethodDescriptor { parameters: Vec::new(), returns: None });
        let trace = |test: &Signature| {
            let mut tracer = Tracer::new(self, &class.name);
            for class in &ancestry {
                tracer.enter(self.bodies[&class.name].get(&initializer), &[]);
            }
            for signature in constructor.iter().chain(&before).chain([test]) {
                tracer.enter(self.find(&class.name, signature), &[TracedValue::This]);
            }
            tracer.calls
        };
        tests.iter().map(trace).collect()
    }
}

fn signature(method: &Method) -> Signature {
    (method.name.clone(), method.descriptor.clone())
}

/// The chosen methods, overridden ones once.
fn signatures(ancestry: &[&ClassFile], is_chosen: &dyn Fn(&Method) -> bool) -> Vec<Signature> {
    let methods = ancestry.iter().flat_map(|class| &class.methods);
    let mut known = BTreeSet::new();
    methods.filter(|method| is_chosen(method)).map(signature).filter(|chosen| known.insert(chosen.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::tracer::{ARRAYS, CALL_LIMIT};
    use super::*;
    use crate::classfile::testing::compile_and_parse;

    /// JUnit as far as class files name it, in one source with the tests: class files are told apart by annotation.
    const JUNIT: &str = "
        package org.junit;
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface Test {}
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface Before {}
    ";

    fn text(trace: &Trace) -> Vec<String> {
        let input = |given: &TraceInput| match given {
            TraceInput::Literal(Literal::String(text)) => format!("{text:?}"),
            TraceInput::Literal(literal) => format!("{literal:?}"),
            TraceInput::Call(at) => format!("#{at}"),
            TraceInput::Unknown => "?".to_string(),
        };
        let call = |call: &TraceCall| {
            let inputs: Vec<String> = call.inputs.iter().map(input).collect();
            format!("{}.{}({})", call.owner.simple(), call.name, inputs.join(", "))
        };
        trace.iter().map(call).collect()
    }

    /// `source` has a class `T` with one test.
    fn check(source: &str, expected: &[&str]) {
        let tests = compile_and_parse(&format!("{JUNIT}{source}"), &[]);
        let traces = trace(&tests);
        let traces: Vec<_> = traces.into_iter().map(|(name, traces)| (name.simple().to_string(), traces)).collect();
        let [(name, traces)] = &traces[..] else { panic!("{traces:?}") };
        assert_eq!((name.as_str(), traces.len()), ("T", 1));
        assert_eq!(text(&traces[0]), expected);
    }

    #[test]
    fn calls_after_set_up_are_traced_with_their_constants() {
        check(
            "class T {
                StringBuilder builder;
                final char mark = '#';
                @Before public void prepare() { builder = new StringBuilder(\"a\" + 1); }
                @Test public void appends() {
                    int number = 3 * Integer.parseInt(\"7\");
                    builder.append(mark).append(number).append(2 + \"ab\".length()).append(true);
                }
            }",
            &[
                "StringBuilder.<init>(\"a1\")",
                "Integer.parseInt(\"7\")",
                "StringBuilder.append(#0, Char(35))",
                "StringBuilder.append(#2, ?)",
                "StringBuilder.append(#3, Int(4))",
                "StringBuilder.append(#4, Boolean(true))",
            ],
        );
    }

    #[test]
    fn array_is_traced_with_its_elements_at_the_time_of_use() {
        check(
            "class T {
                static final String[][] NAMES = {{\"a\", null}, {\"b\"}};
                @Test public void names() {
                    java.util.Arrays.deepHashCode(NAMES);
                    NAMES[1][0] = \"late\";
                    for (String name : NAMES[0]) { Integer.valueOf(name); }
                    Object[] ring = new Object[1];
                    ring[0] = ring;
                    java.util.Arrays.hashCode(ring);
                }
            }",
            &[
                "Object.(\"a\", Null(Ljava/lang/String;))",
                "Object.(\"b\")",
                "Object.(#0, #1)",
                "Arrays.deepHashCode(#2)",
                "Integer.valueOf(\"a\")",
                "Object.(?)",
                "Arrays.hashCode(#5)",
            ],
        );
    }

    #[test]
    fn own_methods_and_lambdas_are_traced_and_other_results_are_unknown() {
        check(
            "abstract class Base {
                abstract String name();
                @Test public void parses() {
                    check(() -> parse(name()));
                    parse(other.get());
                }
                java.util.function.Supplier<String> other;
                static int parse(String text) { if (text == null) { return 0; } return Integer.parseInt(text, 8); }
                static void check(Runnable test) {}
            }
            class T extends Base { String name() { return \"12\"; } }",
            &["Integer.parseInt(\"12\", Int(8))", "Supplier.get(?)", "Integer.parseInt(#1, Int(8))"],
        );
    }

    #[test]
    fn loop_is_traced_once_and_recursion_is_bounded() {
        check(
            "class T {
                @Test public void loops() throws Exception {
                    for (int i = 5; i < 9; i++) {
                        try { Integer.valueOf(i); } catch (RuntimeException e) { Integer.valueOf(-1); }
                    }
                    int i = 0;
                    do { Long.valueOf(7); } while (++i < 3);
                    switch (i) { case 1: Integer.valueOf(10); break; default: Integer.valueOf(11); }
                    if (i > 5) { throw new Exception(); }
                    deeper();
                    Long.valueOf(2);
                }
                void deeper() { Math.abs(1); deeper(); }
            }",
            &[
                "Integer.valueOf(Int(5))",
                "Long.valueOf(Long(7))",
                "Integer.valueOf(Int(10))",
                "Exception.<init>()",
                "Math.abs(Int(1))",
                "Math.abs(Int(1))",
                "Math.abs(Int(1))",
                "Long.valueOf(Long(2))",
            ],
        );
    }

    #[test]
    fn nested_arrays_are_traced_up_to_the_limits() {
        // Each array holds the next one twice.
        let nested = |count: usize| {
            let arrays: String = (0..count).map(|at| format!("Object[] a{at} = new Object[2];")).collect();
            let hold = |at: usize| format!("a{at}[0] = a{}; a{at}[1] = a{0};", at + 1);
            arrays + &(0..count - 1).map(hold).collect::<String>()
        };
        let calls = |before: usize, count: usize| {
            let body = "Math.abs(1);".repeat(before) + &nested(count) + "java.util.Arrays.asList(a0); Math.abs(2);";
            let tests = compile_and_parse(&format!("{JUNIT}class T {{ @Test public void test() {{ {body} }} }}"), &[]);
            trace(&tests).into_values().next().unwrap().remove(0)
        };
        let trace = calls(0, 60);
        assert_eq!((trace.len(), trace[60].inputs.as_slice()), (62, [TraceInput::Call(59)].as_slice()));
        assert_eq!(calls(CALL_LIMIT, 60).len(), CALL_LIMIT);
        assert_eq!(calls(CALL_LIMIT - 3, 60).len(), CALL_LIMIT);
        // The array that is one too many is unknown, and so holds nothing.
        assert_eq!(calls(0, ARRAYS + 1).len(), CALL_LIMIT);
    }
}

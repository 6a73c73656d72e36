//! What JUnit tests call, without running them: each test method along one path, after what comes before it.
//!
//! Constants, local variables, fields of the test, arrays and the test's own methods are followed; bodies of lambdas are
//! taken where the lambda is made, which is right for `assertThrows`. Of all else a value is what some call returned, or
//! unknown. Branches are not taken, loops run once: a trace is a sample of how the code is used, not what a test does.

use super::STRING_LIMIT;
use super::fold;
use super::interpret::{Evaluate, Frame, is_wide, run_straight};
use crate::classfile::{
    Body, CallSite, ClassFile, Decoder, FieldMember, Method, MethodMember, Operand, Step, constant_of_type, opcode,
};
use crate::jvm::types::access;
use crate::jvm::{ClassName, Literal, MethodDescriptor, Primitive, Type};
use crate::sequence::OperationKind;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Calls of one test that are noted.
const CALL_LIMIT: usize = 400;
/// Arrays of one test that are followed, which is also how deep they can lie in each other.
const ARRAYS: usize = CALL_LIMIT;
/// Elements of an array that are followed.
const ARRAY_LIMIT: i32 = 16;
/// How deep a test's own methods are followed into each other, and how many of them in one test.
const DEPTH_LIMIT: usize = 4;
const ENTRY_LIMIT: usize = 200;

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
pub type Trace = Vec<Call>;

/// A use of a member that is not the tests' own, or of a new array.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub kind: OperationKind,
    /// As the instruction names it: a superclass may declare the member.
    pub owner: ClassName,
    pub name: Arc<str>,
    /// As that of an [`Operation`](crate::sequence::Operation).
    pub descriptor: MethodDescriptor,
    /// The receiver first.
    pub inputs: Vec<Given>,
}

/// What is known of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Of a parameter, as one of its type.
    Literal(Literal),
    /// What an earlier call of the trace made.
    Call(usize),
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
                tracer.enter(self.find(&class.name, signature), &[Value::This]);
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

#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// A constant as the stack has it.
    Known(Literal),
    Null,
    /// What a call of the trace made.
    Made(usize),
    /// An object that no constructor was called on yet.
    New(usize),
    /// An array of known length.
    Array(usize),
    /// The test itself.
    This,
    Unknown,
}

#[derive(Clone)]
struct Array {
    element: Type,
    elements: Vec<Value>,
    /// The call that makes it, with what it held when something took it first.
    made: Option<usize>,
}

struct Tracer<'a> {
    tests: &'a Tests<'a>,
    class: &'a ClassName,
    calls: Vec<Call>,
    arrays: Vec<Array>,
    /// Of the test, by name.
    fields: FxHashMap<Arc<str>, Value>,
    returned: Value,
    created: usize,
    depth: usize,
    entered: usize,
}

impl<'a> Tracer<'a> {
    fn new(tests: &'a Tests<'a>, class: &'a ClassName) -> Tracer<'a> {
        Tracer {
            tests,
            class,
            calls: Vec::new(),
            arrays: Vec::new(),
            fields: FxHashMap::default(),
            returned: Value::Unknown,
            created: 0,
            depth: 0,
            entered: 0,
        }
    }

    /// Follows a method of the tests; `given` begins with the receiver, if there is one, and what is missing is unknown.
    fn enter(&mut self, method: Option<&'a OwnMethod>, given: &[Value]) -> Value {
        let Some(method) = method.filter(|_| self.depth < DEPTH_LIMIT && self.entered < ENTRY_LIMIT) else {
            return Value::Unknown;
        };
        let mut given = given.iter().cloned().chain(std::iter::repeat(Value::Unknown));
        let receiver = if method.is_static { None } else { given.next() };
        let frame = Frame::at_entry(receiver, given.zip(method.parameters.iter().map(is_wide)));
        self.entered += 1;
        self.depth += 1;
        let outer = std::mem::replace(&mut self.returned, Value::Unknown);
        run_straight(&method.body, frame, self);
        self.depth -= 1;
        std::mem::replace(&mut self.returned, outer)
    }

    fn note(&mut self, call: Call) -> Value {
        if self.calls.len() == CALL_LIMIT {
            return Value::Unknown;
        }
        self.calls.push(call);
        Value::Made(self.calls.len() - 1)
    }

    /// The value as an input of the type; an array that was none yet is made.
    fn give(&mut self, value: &Value, of: &Type) -> Given {
        match value {
            Value::Known(literal) if of.is_primitive() => {
                constant_of_type(literal.clone(), of).map_or(Given::Unknown, Given::Literal)
            }
            Value::Known(literal) => Given::Literal(literal.clone()),
            Value::Null => Given::Literal(Literal::Null(of.clone())),
            Value::Made(call) => Given::Call(*call),
            Value::Array(index) => self.array(*index).map_or(Given::Unknown, Given::Call),
            Value::New(_) | Value::This | Value::Unknown => Given::Unknown,
        }
    }

    fn array(&mut self, index: usize) -> Option<usize> {
        if self.arrays[index].made.is_none() {
            // Past the limit nothing is noted as made, and arrays in arrays would be looked into again and again.
            if self.calls.len() == CALL_LIMIT {
                return None;
            }
            let Array { element, elements, .. } = self.arrays[index].clone();
            let inputs = elements.iter().map(|value| self.give(value, &element)).collect();
            let returns = Some(Type::array(element.clone()));
            let descriptor = MethodDescriptor { parameters: vec![element], returns };
            let owner = ClassName::new("java/lang/Object");
            let call = Call { kind: OperationKind::Array, owner, name: Arc::from(""), descriptor, inputs };
            if let Value::Made(made) = self.note(call) {
                self.arrays[index].made = Some(made);
            }
        }
        self.arrays[index].made
    }

    fn new_array(&mut self, of: &Type, length: &Value) -> Value {
        let (Type::Array(element), Value::Known(Literal::Int(length @ 0..=ARRAY_LIMIT))) = (of, length) else {
            return Value::Unknown;
        };
        if self.arrays.len() == ARRAYS {
            return Value::Unknown;
        }
        let empty = match &**element {
            Type::Primitive(Primitive::Long) => Value::Known(Literal::Long(0)),
            Type::Primitive(Primitive::Float) => Value::Known(Literal::float(0.0)),
            Type::Primitive(Primitive::Double) => Value::Known(Literal::double(0.0)),
            Type::Primitive(_) => Value::Known(Literal::Int(0)),
            _ => Value::Null,
        };
        self.arrays.push(Array { element: (**element).clone(), elements: vec![empty; *length as usize], made: None });
        Value::Array(self.arrays.len() - 1)
    }

    fn element(&mut self, array: &Value, index: &Value) -> Option<&mut Value> {
        let (Value::Array(array), Value::Known(Literal::Int(index))) = (array, index) else { return None };
        self.arrays[*array].elements.get_mut(usize::try_from(*index).ok()?)
    }

    fn call(&mut self, opcode: u8, method: &MethodMember, operands: &[Value], frame: &mut Frame<Value>) -> Value {
        let is_static = opcode == opcode::INVOKESTATIC;
        let class = match operands.first() {
            _ if is_static => Some(&method.owner),
            Some(Value::This) if opcode == opcode::INVOKESPECIAL => Some(&method.owner),
            Some(Value::This) => Some(self.class),
            _ => None,
        };
        let tests = self.tests;
        let own = class.and_then(|class| tests.find(class, &(method.name.clone(), method.descriptor.clone())));
        if own.is_some() {
            return self.enter(own, operands);
        }
        if let Some(literal) = folded(method, operands) {
            return Value::Known(literal);
        }
        let (kind, receiver) = match (&*method.name, operands.first()) {
            ("<init>", Some(Value::New(_))) => (OperationKind::Constructor, None),
            ("<init>", _) => return Value::Unknown,
            _ if is_static => (OperationKind::StaticMethod, None),
            _ => (OperationKind::InstanceMethod, operands.first()),
        };
        let owner =
            if method.owner.internal().starts_with('[') { Type::object() } else { Type::Class(method.owner.clone()) };
        // What a null receiver throws is no use of the method.
        let receiver =
            receiver.map(|value| if *value == Value::Null { Given::Unknown } else { self.give(value, &owner) });
        let parameters = &method.descriptor.parameters;
        let arguments = operands[operands.len() - parameters.len()..].iter().zip(parameters);
        let arguments: Vec<Given> = arguments.map(|(value, of)| self.give(value, of)).collect();
        let made = self.note(Call {
            kind,
            owner: method.owner.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            inputs: receiver.into_iter().chain(arguments).collect(),
        });
        if kind == OperationKind::Constructor {
            frame.values_mut().filter(|value| **value == operands[0]).for_each(|value| *value = made.clone());
        }
        made
    }

    /// A lambda of the tests, taken as run here; of other call sites nothing is known.
    fn call_site(&mut self, site: &CallSite, operands: &[Value]) -> Value {
        if let Some(handle) = site.handles.first() {
            let tests = self.tests;
            self.enter(tests.find(&handle.owner, &(handle.name.clone(), handle.descriptor.clone())), operands);
        }
        Value::Unknown
    }

    /// A field of an object or class that is not the tests' own.
    fn field(&mut self, kind: OperationKind, field: &FieldMember, operands: &[Value]) -> Value {
        let of = &field.field_type;
        let (parameters, returns) = match kind {
            OperationKind::SetField => (vec![of.clone()], None),
            _ => (Vec::new(), Some(of.clone())),
        };
        let types = [Type::Class(field.owner.clone()), of.clone()];
        let inputs = operands.iter().zip(&types).map(|(value, of)| self.give(value, of)).collect();
        let descriptor = MethodDescriptor { parameters, returns };
        self.note(Call { kind, owner: field.owner.clone(), name: field.name.clone(), descriptor, inputs })
    }
}

fn literal_of(value: &Value) -> Option<Literal> {
    match value {
        Value::Known(literal) => Some(literal.clone()),
        _ => None,
    }
}

/// What a method of `String` returns whose receiver and arguments are known.
fn folded(method: &MethodMember, operands: &[Value]) -> Option<Literal> {
    let literals = operands.iter().map(literal_of).collect::<Option<Vec<Literal>>>()?;
    match &literals[..] {
        [Literal::String(text), arguments @ ..] if method.owner.internal() == "java/lang/String" => {
            fold::string_method(&method.name, text.units(), arguments)
        }
        _ => None,
    }
}

impl Evaluate for Tracer<'_> {
    type Value = Value;

    fn evaluate(&mut self, _: usize, step: &Step, operands: &[Value], frame: &mut Frame<Value>) -> Value {
        use opcode::*;
        match (step.opcode, &step.operand) {
            (ACONST_NULL, _) => Value::Null,
            (LDC, Operand::Constant(Literal::String(text))) if text.units().len() > STRING_LIMIT => Value::Unknown,
            (LDC, Operand::Constant(literal)) => Value::Known(literal.clone()),
            (IINC, Operand::Increment { by, .. }) => match operands[0] {
                Value::Known(Literal::Int(value)) => Value::Known(Literal::Int(value.wrapping_add(*by))),
                _ => Value::Unknown,
            },
            (IALOAD..ISTORE, _) => self.element(&operands[0], &operands[1]).cloned().unwrap_or(Value::Unknown),
            (IASTORE..POP, _) => {
                // One that is older may hold this one.
                let is_older = matches!(operands, [Value::Array(array), _, Value::Array(held)] if held <= array);
                if let Some(element) = self.element(&operands[0], &operands[1]) {
                    *element = if is_older { Value::Unknown } else { operands[2].clone() };
                }
                Value::Unknown
            }
            (ARRAYLENGTH, _) => match operands[0] {
                Value::Array(array) => Value::Known(Literal::Int(self.arrays[array].elements.len() as i32)),
                _ => Value::Unknown,
            },
            (IADD..LCMP, _) => {
                let literals: Option<Vec<Literal>> = operands.iter().map(literal_of).collect();
                let folded = literals.and_then(|literals| fold::arithmetic(step.opcode, &literals));
                folded.map_or(Value::Unknown, Value::Known)
            }
            (IRETURN..=ARETURN, _) => {
                if operands[0] != Value::Unknown {
                    self.returned = operands[0].clone();
                }
                Value::Unknown
            }
            (GETSTATIC, Operand::Field(field)) if !self.tests.classes.contains_key(&field.owner) => {
                self.field(OperationKind::GetStatic, field, operands)
            }
            (GETSTATIC, Operand::Field(field)) => self.fields.get(&field.name).cloned().unwrap_or(Value::Unknown),
            (GETFIELD, Operand::Field(field)) if operands[0] == Value::This => {
                self.fields.get(&field.name).cloned().unwrap_or(Value::Unknown)
            }
            (GETFIELD, Operand::Field(field)) => self.field(OperationKind::GetField, field, operands),
            (PUTSTATIC, Operand::Field(field)) => {
                if self.tests.classes.contains_key(&field.owner) {
                    self.fields.insert(field.name.clone(), operands[0].clone());
                }
                Value::Unknown
            }
            (PUTFIELD, Operand::Field(field)) if operands[0] == Value::This => {
                self.fields.insert(field.name.clone(), operands[1].clone());
                Value::Unknown
            }
            (PUTFIELD, Operand::Field(field)) => self.field(OperationKind::SetField, field, operands),
            (_, Operand::Method(method)) => self.call(step.opcode, method, operands, frame),
            (_, Operand::CallSite(site)) => self.call_site(site, operands),
            (NEW, Operand::Type(Type::Class(name))) if !self.tests.classes.contains_key(name) => {
                self.created += 1;
                Value::New(self.created)
            }
            (NEWARRAY | ANEWARRAY, Operand::Type(of)) => self.new_array(of, &operands[0]),
            (CHECKCAST, _) => operands[0].clone(),
            _ => Value::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::testing::compile_and_parse;

    /// JUnit as far as class files name it, in one source with the tests: class files are told apart by annotation.
    const JUNIT: &str = "
        package org.junit;
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface Test {}
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface Before {}
    ";

    fn text(trace: &Trace) -> Vec<String> {
        let input = |given: &Given| match given {
            Given::Literal(Literal::String(text)) => format!("{text:?}"),
            Given::Literal(literal) => format!("{literal:?}"),
            Given::Call(at) => format!("#{at}"),
            Given::Unknown => "?".to_string(),
        };
        let call = |call: &Call| {
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
    fn arrays_are_made_with_what_they_hold_when_they_are_taken() {
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
    fn own_methods_and_lambdas_are_followed_and_what_others_return_is_not_known() {
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
    fn loops_run_once_and_recursion_ends() {
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
    fn arrays_in_arrays_end_at_the_limits() {
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
        assert_eq!((trace.len(), trace[60].inputs.as_slice()), (62, [Given::Call(59)].as_slice()));
        assert_eq!(calls(CALL_LIMIT, 60).len(), CALL_LIMIT);
        assert_eq!(calls(CALL_LIMIT - 3, 60).len(), CALL_LIMIT);
        // The array that is one too many is unknown, and so holds nothing.
        assert_eq!(calls(0, ARRAYS + 1).len(), CALL_LIMIT);
    }
}

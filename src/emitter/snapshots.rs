//! What each feature of the emitter looks like in a test class as a whole, in `snapshots/`.
//!
//! The class under test is made up, and so is what its methods did: `tests/jvm/emission.rs` compiles and runs what is emitted.

use crate::{AssertionLibrary, JUnitVersion, Style, TestCase, emit};
use model::execution::described::Described;
use model::execution::{Defaults, Execution, Observed, Outcome, Thrown, Value};
use model::jvm::types::{ClassFacts, TypeTable, access};
use model::jvm::{ClassName, Literal, MethodDescriptor, Type};
use model::options::TestComments;
use model::sequence::{Answer, Implemented, Operation, OperationId, OperationKind, Sequence, TEMPORARY_FILES};
use oracle::Violation;

const CLASS: &str = "sample/Stack";
const LISTENER: &str = "sample/Listener";

// Operations of the class, by index.
const NEW: OperationId = OperationId(0);
const PUSH: OperationId = OperationId(1);
const POP: OperationId = OperationId(2);
const TWICE: OperationId = OperationId(3);
const NAME: OperationId = OperationId(4);
const VALUES: OperationId = OperationId(5);
const COPY: OperationId = OperationId(6);
const LISTEN: OperationId = OperationId(7);
const NEW_LISTENER: OperationId = OperationId(8);
const NEW_ARRAY: OperationId = OperationId(9);
const FILE: OperationId = OperationId(10);
const MISSING: OperationId = OperationId(11);
const READ: OperationId = OperationId(12);
const LOAD: OperationId = OperationId(13);
const WITH: OperationId = OperationId(14);

fn operations() -> Vec<Operation> {
    let of = |kind, owner: &str, name: &str, descriptor: &str| {
        Operation::new(kind, ClassName::new(owner), name, MethodDescriptor::parse(descriptor).unwrap())
    };
    let method = |name, descriptor| of(OperationKind::InstanceMethod, CLASS, name, descriptor);
    let function = |name, descriptor| of(OperationKind::StaticMethod, CLASS, name, descriptor);
    let mut listener = of(OperationKind::Implementation, LISTENER, "<init>", "()V");
    listener.owner_is_interface = true;
    let changed = MethodDescriptor::parse("(I)I").unwrap();
    listener.implemented = vec![Implemented {
        name: "changed".into(),
        linked: vec![changed.clone()],
        descriptor: changed,
        access: access::PUBLIC,
        generic: false,
        answer: Answer::Parameter(0),
        recording: None,
    }];
    vec![
        of(OperationKind::Constructor, CLASS, "<init>", "(I)V"),
        method("push", "(I)V"),
        method("pop", "()I"),
        function("twice", "(I)I"),
        method("name", "()Ljava/lang/String;"),
        method("values", "()[I"),
        function("copyOf", "([I)Lsample/Stack;"),
        method("listen", "(Lsample/Listener;)Z"),
        listener,
        of(OperationKind::Array, "java/lang/Object", "", "(I)[I"),
        of(OperationKind::StaticMethod, TEMPORARY_FILES, "file", "(Ljava/lang/String;)Ljava/nio/file/Path;"),
        of(OperationKind::StaticMethod, TEMPORARY_FILES, "missing", "()Ljava/nio/file/Path;"),
        of(OperationKind::StaticMethod, TEMPORARY_FILES, "read", "(Ljava/nio/file/Path;)Ljava/lang/String;"),
        function("load", "(Ljava/nio/file/Path;)I"),
        method("with", "(I)Lsample/Stack;"),
    ]
}

fn types() -> TypeTable {
    let mut types = TypeTable::default();
    let class = |name: &str, access, super_class: Option<&str>| ClassFacts {
        name: ClassName::new(name),
        access,
        super_class: super_class.map(ClassName::new),
        interfaces: Vec::new(),
        outer: None,
        source_simple_name: name.rsplit('/').next().map(Into::into),
        signature: None,
        methods: Vec::new(),
        constants: Vec::new(),
    };
    types.insert(class("java/lang/Object", access::PUBLIC, None));
    types.insert(class(CLASS, access::PUBLIC, Some("java/lang/Object")));
    types.insert(class("java/nio/file/Path", access::PUBLIC | access::INTERFACE | access::ABSTRACT, None));
    types.insert(class(LISTENER, access::PUBLIC | access::INTERFACE | access::ABSTRACT, Some("java/lang/Object")));
    types
}

/// A sequence and the values that its statements made.
#[derive(Default)]
struct Run {
    sequence: Sequence,
    values: Vec<Value>,
}

impl Run {
    fn number(&mut self, number: i32) -> usize {
        self.values.push(int(number));
        self.sequence.push_literal(Literal::Int(number))
    }

    fn call(&mut self, operation: OperationId, inputs: &[usize], value: Value) -> usize {
        self.values.push(value);
        self.sequence.push_call(operation, inputs)
    }

    fn stack(&mut self, capacity: i32) -> usize {
        let capacity = self.number(capacity);
        self.call(NEW, &[capacity], object(CLASS))
    }

    fn completed(self) -> TestCase {
        let execution = Execution { values: self.values, ..Execution::ended(Outcome::Completed) };
        TestCase::regression(self.sequence, execution)
    }

    /// The operation throws, and nothing follows.
    fn threw(mut self, operation: OperationId, inputs: &[usize], exception: &Thrown) -> (Sequence, Execution) {
        let statement = self.sequence.push_call(operation, inputs);
        let outcome = Outcome::Threw { statement, exception: exception.clone() };
        (self.sequence, Execution { values: self.values, ..Execution::ended(outcome) })
    }
}

fn int(number: i32) -> Value {
    Value::Literal(Literal::Int(number))
}

fn object(class: &str) -> Value {
    Value::Object { class: Type::Class(ClassName::new(class)), observed: Observed::Nothing }
}

fn thrown(class: &str, message: &str) -> Thrown {
    Thrown {
        class: ClassName::new(class),
        nameable: ClassName::new(class),
        superclasses: [class, "java/lang/RuntimeException"].map(ClassName::new).to_vec(),
        message: Some(message.into()),
        stack: Vec::new(),
    }
}

fn popped() -> TestCase {
    let mut run = Run::default();
    let stack = run.stack(3);
    let pushed = run.number(7);
    run.call(PUSH, &[stack, pushed], Value::Void);
    run.call(POP, &[stack], int(7));
    run.completed()
}

fn popped_empty() -> TestCase {
    let mut run = Run::default();
    let stack = run.stack(0);
    let (sequence, execution) = run.threw(POP, &[stack], &thrown("java/lang/IllegalStateException", "empty"));
    TestCase::regression(sequence, execution)
}

/// What a rejected call left is read behind it.
fn popped_empty_and_looked_at() -> TestCase {
    let TestCase { mut sequence, mut execution, .. } = popped_empty();
    let (stack, length) = (sequence.len() - 2, sequence.len());
    sequence.push_call(NAME, &[stack]);
    execution.values.extend([Value::Null, Value::Literal(Literal::String("a".into()))]);
    let sequence = sequence.going_on_after(length);
    TestCase { observers: 1, message: Some("empty".into()), ..TestCase::regression(sequence, execution) }
}

fn named() -> TestCase {
    let mut run = Run::default();
    let stack = run.stack(1);
    run.call(NAME, &[stack], Value::Literal(Literal::String("a \"quoted\"\n\u{e9}\u{2028}".into())));
    run.completed()
}

fn copied() -> TestCase {
    let mut run = Run::default();
    let (first, second) = (run.number(1), run.number(-2));
    let ints = Type::array(Type::INT);
    let held = |of: &[i32]| {
        let elements = of.iter().map(|&number| Described::Literal(Literal::Int(number)));
        Observed::Value(Described::Array(Type::array(Type::INT), elements.collect()))
    };
    let array = run.call(NEW_ARRAY, &[first, second], Value::Object { class: ints.clone(), observed: held(&[1, -2]) });
    let stack = run.call(COPY, &[array], object(CLASS));
    run.call(VALUES, &[stack], Value::Object { class: ints, observed: held(&[1, -2]) });
    run.completed()
}

fn listened() -> TestCase {
    let mut run = Run::default();
    let stack = run.stack(2);
    let listener = run.call(NEW_LISTENER, &[], object(LISTENER));
    run.call(LISTEN, &[stack, listener], Value::Literal(Literal::Boolean(true)));
    run.completed()
}

fn doubled(number: i32) -> TestCase {
    let mut run = Run::default();
    let argument = run.number(number);
    run.call(TWICE, &[argument], int(2 * number));
    run.completed()
}

fn check(name: &str, cases: &[TestCase], style: &Style) {
    let emission = emit(&ClassName::new(CLASS), cases, &operations(), &types(), style);
    assert_eq!(emission.skipped, []);
    let text: String =
        emission.files.iter().map(|file| format!("// {}\n{}", file.relative_path(), file.text)).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn junit_5_suite_with_values_exceptions_arrays_and_a_lambda() {
    let cases = [popped(), popped_empty(), named(), copied(), listened()];
    check("junit_5", &cases, &Style::new(JUnitVersion::Five, 17));
}

/// The name of the test of a case whose outcome these statements decide.
fn name_of(case: TestCase, deciders: &[usize]) -> String {
    let case = TestCase { deciders: Some(deciders.iter().copied().collect()), ..case };
    let style = Style::new(JUnitVersion::Five, 17);
    let emission = emit(&ClassName::new(CLASS), &[case], &operations(), &types(), &style);
    let (_, rest) = emission.files[0].text.split_once("void ").expect("a test");
    rest.split('(').next().unwrap_or_default().to_string()
}

#[test]
fn names_say_what_decides_and_nothing_else() {
    // The capacity is the first statement, the pushed number the third, the call of push the fourth.
    assert_eq!(name_of(popped(), &[2]), "pop_afterPushWith7_returns7");
    assert_eq!(name_of(popped(), &[3]), "pop_afterPush_returns7");
    assert_eq!(name_of(popped(), &[0]), "pop_of3_returns7");
    assert_eq!(name_of(popped(), &[]), "pop_returns7");
    assert_eq!(name_of(doubled(4), &[0]), "twice_with4_returns8");
    // Of true and false a name says under which of its conditions the call gave it.
    assert_eq!(name_of(listened(), &[]), "listen_onNewStack_returnsTrue");
}

#[test]
fn suite_with_assertions_of_assertj() {
    let cases = [popped(), popped_empty(), popped_empty_and_looked_at(), named(), copied(), listened()];
    let assertions = AssertionLibrary::AssertJ { assert_that_object: true };
    check("assertj", &cases, &Style { assertions, ..Style::new(JUnitVersion::Five, 17) });
    let style = Style::new(JUnitVersion::Four { assert_throws: false }, 7);
    check("assertj_java_7", &cases, &Style { assertions, ..style });
}

#[test]
fn paragraphs_have_comments_if_these_are_asked_for() {
    let named = TestCase { message: Some("empty".into()), ..popped_empty() };
    let mut pushed = Run::default();
    let stack = pushed.stack(3);
    let number = pushed.number(7);
    pushed.call(PUSH, &[stack, number], Value::Void);
    pushed.call(NAME, &[stack], Value::Literal(Literal::String("a".into())));
    let pushed = TestCase { observers: 1, ..pushed.completed() };
    let mut accepted = Run::default();
    let stack = accepted.stack(3);
    let number = accepted.number(7);
    accepted.call(PUSH, &[stack, number], Value::Void);
    let cases = [popped(), named, popped_empty_and_looked_at(), pushed, accepted.completed(), copied(), doubled(1)];
    let comments = TestComments::GivenWhenThen;
    let style = Style { comments, ..Style::new(JUnitVersion::Five, 17) };
    check("given_when_then", &cases, &style);
    check("given_when_then_grouped", &[1, 2, 3, -4].map(doubled), &style);
    let assertions = AssertionLibrary::AssertJ { assert_that_object: true };
    check("given_when_then_assertj", &cases, &Style { assertions, ..style });
    let style = Style::new(JUnitVersion::Four { assert_throws: false }, 7);
    check("given_when_then_java_7", &cases, &Style { comments, ..style });
}

#[test]
fn rows_of_assertj_take_what_is_expected_as_their_last_parameter() {
    let assertions = AssertionLibrary::AssertJ { assert_that_object: true };
    let style = Style { parameterized: true, assertions, ..Style::new(JUnitVersion::Five, 17) };
    check("assertj_parameterized", &[1, 2, 3, -4].map(doubled), &style);
}

#[test]
fn junit_4_suite_of_java_7_has_neither_lambdas_nor_assert_throws() {
    let cases = [popped(), popped_empty(), named(), copied(), listened()];
    check("junit_4_java_7", &cases, &Style::new(JUnitVersion::Four { assert_throws: false }, 7));
}

#[test]
fn what_a_rejected_call_left_is_asserted_behind_it() {
    check("rejected", &[popped_empty_and_looked_at()], &Style::new(JUnitVersion::Five, 17));
    let style = Style::new(JUnitVersion::Four { assert_throws: false }, 7);
    check("rejected_java_7", &[popped_empty_and_looked_at()], &style);
}

#[test]
fn class_sets_the_defaults_that_its_tests_depend_on() {
    let on_locale = Defaults { locale: true, ..Defaults::NONE };
    let cases = [TestCase { defaults: on_locale, ..popped() }, popped_empty()];
    check("locale", &cases, &Style::new(JUnitVersion::Five, 17));
    let cases = [TestCase { defaults: Defaults::ALL, ..popped() }];
    check("defaults_junit_4", &cases, &Style::new(JUnitVersion::Four { assert_throws: true }, 8));
}

/// A file that is read, and one that the code makes, with what it contains then.
fn loaded() -> [TestCase; 2] {
    let path = || object("java/nio/file/Path");
    let text = |text: &str| Literal::String(text.into());
    let mut loaded = Run::default();
    for content in ["a", "b"] {
        loaded.values.push(Value::Literal(text(content)));
        let content = loaded.sequence.push_literal(text(content));
        let file = loaded.call(FILE, &[content], path());
        loaded.call(LOAD, &[file], int(1));
    }
    let mut made = Run::default();
    let file = made.call(MISSING, &[], path());
    made.call(LOAD, &[file], int(0));
    made.call(READ, &[file], Value::Literal(text("made")));
    [loaded.completed(), TestCase { observers: 1, ..made.completed() }]
}

#[test]
fn files_are_made_in_a_directory_of_junit() {
    check("files", &loaded(), &Style::new(JUnitVersion::Five, 17));
    check("files_junit_4", &loaded(), &Style::new(JUnitVersion::Four { assert_throws: true }, 8));
    let none = Style { has_directories: false, ..Style::new(JUnitVersion::Five, 17) };
    let emission = emit(&ClassName::new(CLASS), &loaded(), &operations(), &types(), &none);
    assert!(emission.files.is_empty() && emission.skipped.len() == 2);
}

#[test]
fn call_that_returns_its_receiver_is_compared_with_it() {
    let mut run = Run::default();
    let stack = run.stack(2);
    let item = run.number(7);
    let with = run.call(WITH, &[stack, item], object(CLASS));
    run.call(POP, &[stack], int(7));
    let case = TestCase { observers: 1, fluent: [with].into(), ..run.completed() };
    let mut run = Run::default();
    let stack = run.stack(2);
    let item = run.number(7);
    let with = run.call(WITH, &[stack, item], object(CLASS));
    let alone = TestCase { fluent: [with].into(), ..run.completed() };
    check("fluent", &[case.clone(), alone], &Style::new(JUnitVersion::Five, 17));
    let assertions = AssertionLibrary::AssertJ { assert_that_object: true };
    check("fluent_assertj", &[case], &Style { assertions, ..Style::new(JUnitVersion::Five, 17) });
}

#[test]
fn sources_that_are_not_utf_8_have_escapes() {
    check("ascii", &[named()], &Style { utf8: false, ..Style::new(JUnitVersion::Five, 17) });
}

#[test]
fn cases_that_differ_in_literals_become_rows_of_a_parameterized_test() {
    let style = Style { parameterized: true, ..Style::new(JUnitVersion::Five, 17) };
    check("parameterized", &[1, 2, 3, -4].map(doubled), &style);
}

#[test]
fn small_cases_share_a_method_where_there_are_no_parameterized_tests() {
    check("grouped", &[1, 2, 3, -4].map(doubled), &Style::new(JUnitVersion::Five, 17));
}

#[test]
fn finding_states_the_broken_contract() {
    let mut run = Run::default();
    let stack = run.stack(-1);
    let exception = thrown("java/lang/NullPointerException", "values is null");
    let (sequence, execution) = run.threw(POP, &[stack], &exception);
    let violation = Violation {
        contract: "no-null-pointer",
        message: "a NullPointerException without a null argument".to_string(),
        thrown: Some(exception),
    };
    let finding = TestCase::finding(sequence, execution, violation);
    check("finding", &[finding], &Style { label: crate::label::FINDING, ..Style::new(JUnitVersion::Five, 17) });
}

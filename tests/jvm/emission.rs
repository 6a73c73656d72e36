//! Emitted tests compile, and pass or fail as they should, for JUnit 4 and 5: sequences over small classes that use what
//! Java has to trip over.
//!
//! Needs a JDK with `javac` and `jmods`, and JUnit in the local Maven repository or Maven; says what it misses without.

mod cases;
mod round_trip;
mod source;
mod suites;
mod verified;

use emitter::TestCase;
use model::execution::described::Described;
use model::execution::{Execution, Observed, Outcome, Thrown, Value};
use model::jvm::{ClassName, JavaString, Literal, Type};
use model::sequence::{Action, Operation, OperationId, Sequence};
use oracle::Violation;
use program::Program;

const SHAPES: &str = r#"
package p;

import java.util.*;

public class Shapes {
    public int number = 1;
    public static int sum(Collection<Integer> numbers, boolean really) { return numbers.size(); }
    public static final Shapes ONE = new Shapes();
    public enum Color { RED, GREEN }
    public static class Box<T extends Comparable<T>> {
        private T value;
        public Box(T value) { this.value = value; }
        public T get() { return value; }
        public boolean isSet() { return value != null; }
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
    public static boolean isShort(String name) { return name.length() < 3; }
    public static int read(java.io.Reader source) throws java.io.IOException { return source.read(); }
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
        public int depth = 3;
        public int compareTo(Secret other) { return 1; }
        @Override public boolean equals(Object other) { return other == null; }
        @Override public int hashCode() { return 7; }
    }
    public void spin() { while (true) { Thread.yield(); } }
    public void exit() { System.exit(0); }
    public static int counter;
    public static int next() { return ++counter; }
    public static int minus(int a, int b) { return a - b; }
    public static int parse(String of, int fallback) { return of.isEmpty() ? fallback : of.length(); }
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

    /// The operation of the name whose type arguments fit the inputs.
    fn operation(&self, shown: &str, inputs: &[usize]) -> OperationId {
        let Program { operations, types, .. } = self.program;
        let fits = |operation: &Operation| {
            let taken = operation.inputs.iter().chain(operation.inputs.last().into_iter().cycle());
            inputs.iter().zip(taken).all(|(&input, of)| {
                let given = self.sequence.output_of(input, operations).unwrap();
                let is_null = matches!(self.sequence.statements()[input].action, Action::Literal(Literal::Null(_)));
                is_null || types.is_assignable(&given, of)
            })
        };
        let known = || operations.iter().enumerate().filter(|(_, operation)| operation.to_string() == shown);
        let found = known().find(|(_, operation)| fits(operation)).or_else(|| known().next());
        OperationId(found.unwrap_or_else(|| panic!("no operation {shown}")).0 as u32)
    }

    fn call(&mut self, shown: &str, inputs: &[usize], value: Value) -> usize {
        self.values.push(value);
        self.sequence.push_call(self.operation(shown, inputs), inputs)
    }

    /// The call without inputs that makes a value of the type, which is written with its type arguments.
    fn make(&mut self, shown: &str, of: &str, value: Value) -> usize {
        let makes = |operation: &Operation| {
            operation.to_string() == shown && operation.output.as_ref().is_some_and(|made| made.to_string() == of)
        };
        let found = self.program.operations.iter().position(makes);
        self.values.push(value);
        self.sequence.push_call(OperationId(found.unwrap_or_else(|| panic!("nothing makes {of}")) as u32), &[])
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
        let statement = self.sequence.push_call(self.operation(shown, inputs), inputs);
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
        timed: false,
        denied: None,
        residual_state: None,
        decisions: 0,
        mock_calls: Vec::new(),
        holding_null: Vec::new(),
    }
}

fn plain(class: &str) -> Value {
    object(Type::class(class), Observed::Nothing)
}

fn object(class: Type, observed: Observed) -> Value {
    Value::Object { class, observed }
}

fn constant(class: &str, name: &str) -> Observed {
    Observed::Value(Described::Constant(ClassName::new(class), name.to_string()))
}

fn array(element: Type, elements: &[Literal]) -> Observed {
    let elements = elements.iter().cloned().map(Described::literal);
    Observed::Value(Described::Array(Type::array(element), elements.collect()))
}

fn text(text: &str) -> Value {
    Value::Literal(Literal::String(JavaString::from(text)))
}

fn int(value: i32) -> Value {
    Value::Literal(Literal::Int(value))
}

//! Values of every described kind: observed in a worker, written as assertions, compiled, and compared by JUnit.

use crate::fixture::Fixture;
use emitter::{AssertionLibrary, TestCase};
use host::supervisor::test_library::TestLibrary;
use host::supervisor::{Launch, WorkerExecutor};
use model::execution::{Detail, Executor, Outcome};
use model::jvm::ClassName;
use model::sequence::{OperationId, OperationKind, Sequence};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Methods without parameters; beside each the expected value that its test has to contain from Java 11 on.
const VALUES: &[(&str, &str, &str)] = &[
    ("BigDecimal", "new BigDecimal(\"12.50\")", "new BigDecimal(\"12.50\")"),
    ("BigInteger", "BigInteger.ONE.shiftLeft(70)", "new BigInteger(\"1180591620717411303424\")"),
    ("LocalDate", "LocalDate.of(2024, 2, 29)", "LocalDate.of(2024, 2, 29)"),
    ("LocalTime", "LocalTime.of(8, 30, 5)", "LocalTime.of(8, 30, 5)"),
    ("LocalDateTime", "LocalDateTime.of(2024, 2, 29, 8, 0, 0, 1)", "LocalDateTime.of(2024, 2, 29, 8, 0, 0, 1)"),
    ("Instant", "Instant.ofEpochSecond(5)", "Instant.parse(\"1970-01-01T00:00:05Z\")"),
    ("Duration", "Duration.ofMinutes(90)", "Duration.ofMinutes(90)"),
    ("Period", "Period.of(1, 0, 3)", "Period.of(1, 0, 3)"),
    ("Year", "Year.of(2024)", "Year.of(2024)"),
    ("YearMonth", "YearMonth.of(2024, 2)", "YearMonth.of(2024, 2)"),
    ("MonthDay", "MonthDay.of(2, 29)", "MonthDay.of(2, 29)"),
    ("DayOfWeek", "DayOfWeek.MONDAY", "DayOfWeek.MONDAY"),
    (
        "ZonedDateTime",
        "ZonedDateTime.of(2024, 10, 27, 2, 30, 0, 0, ZoneId.of(\"Europe/Berlin\"))",
        "ZonedDateTime.parse(\"2024-10-27T02:30+02:00[Europe/Berlin]\")",
    ),
    (
        "OffsetDateTime",
        "OffsetDateTime.of(2024, 1, 2, 3, 4, 0, 0, ZoneOffset.ofHours(2))",
        "OffsetDateTime.parse(\"2024-01-02T03:04+02:00\")",
    ),
    ("OffsetTime", "OffsetTime.of(3, 4, 0, 0, ZoneOffset.UTC)", "OffsetTime.parse(\"03:04Z\")"),
    ("ZoneId", "ZoneId.of(\"Europe/Berlin\")", "ZoneId.of(\"Europe/Berlin\")"),
    ("ZoneOffset", "ZoneOffset.ofHours(-5)", "ZoneOffset.ofHours(-5)"),
    ("UUID", "new UUID(1, 2)", "UUID.fromString(\"00000000-0000-0001-0000-000000000002\")"),
    ("URI", "URI.create(\"http://a/b?c\")", "URI.create(\"http://a/b?c\")"),
    ("Locale", "Locale.GERMANY", "Locale.GERMANY"),
    ("Currency", "Currency.getInstance(\"EUR\")", "Currency.getInstance(\"EUR\")"),
    ("Path", "Paths.get(\"a\", \"b\")", "Path.of(\"a/b\")"),
    ("File", "new File(\"a\")", "new File(\"a\")"),
    ("Charset", "java.nio.charset.StandardCharsets.UTF_8", "StandardCharsets.UTF_8"),
    ("Date", "new Date(5)", "new Date(5L)"),
    ("Class<?>", "String.class", "String.class"),
    ("Object", "int[].class", "int[].class"),
    ("Long", "3L", "Long.valueOf(3L)"),
    ("Optional<String>", "Optional.of(\"a\")", "Optional.of(\"a\")"),
    ("Optional<Long>", "Optional.empty()", "Optional.empty()"),
    ("OptionalInt", "OptionalInt.of(3)", "OptionalInt.of(3)"),
    ("OptionalLong", "OptionalLong.empty()", "OptionalLong.empty()"),
    ("OptionalDouble", "OptionalDouble.of(0.5)", "OptionalDouble.of(0.5)"),
    (
        "java.util.concurrent.atomic.AtomicInteger",
        "new java.util.concurrent.atomic.AtomicInteger(3)",
        "assertEquals(3,",
    ),
    ("java.util.concurrent.atomic.AtomicLong", "new java.util.concurrent.atomic.AtomicLong(3)", "assertEquals(3L,"),
    ("java.util.concurrent.atomic.AtomicBoolean", "new java.util.concurrent.atomic.AtomicBoolean(true)", "assertTrue("),
    (
        "java.util.concurrent.atomic.AtomicReference<Long>",
        "new java.util.concurrent.atomic.AtomicReference<>(3L)",
        "assertEquals(Long.valueOf(3L),",
    ),
    ("StringBuilder", "new StringBuilder(\"a\")", "assertEquals(\"a\","),
    ("StringBuffer", "new StringBuffer(\"b\")", "assertEquals(\"b\","),
    ("StringWriter", "written(\"c\")", "assertEquals(\"c\","),
    ("List<String>", "new ArrayList<>(Arrays.asList(\"a\", \"b\"))", "List.of(\"a\", \"b\")"),
    ("List<String>", "Arrays.asList(\"a\", null)", "Arrays.asList(\"a\", null)"),
    ("List<String>", "Collections.singletonList(null)", "Collections.singletonList(null)"),
    ("List<String>", "Collections.unmodifiableList(new LinkedList<>(Arrays.asList(\"l\")))", "List.of(\"l\")"),
    ("List<String>", "Collections.emptyList()", ".isEmpty()"),
    ("Object", "Collections.emptyList()", "List.of()"),
    (
        "List<Optional<BigDecimal>>",
        "Arrays.asList(Optional.of(BigDecimal.ONE))",
        "List.of(Optional.of(BigDecimal.ONE))",
    ),
    ("Set<String>", "new HashSet<>(Arrays.asList(\"b\", \"a\"))", "Set.of(\"a\", \"b\")"),
    ("Set<DayOfWeek>", "EnumSet.of(DayOfWeek.FRIDAY)", "Set.of(DayOfWeek.FRIDAY)"),
    ("Set<String>", "Collections.singletonMap(\"k\", 1).keySet()", "Set.of(\"k\")"),
    ("Map<String, Long>", "map()", "Map.of(\"a\", 1L, \"b\", 2L)"),
    ("Map<String, Long>", "Collections.singletonMap(\"a\", null)", "Collections.singletonMap(\"a\", null)"),
    ("Map<String, Long>", "Collections.unmodifiableMap(map())", "Map.of(\"a\", 1L, \"b\", 2L)"),
    (
        "Set<Map.Entry<String, Long>>",
        "new TreeMap<>(Collections.singletonMap(\"e\", 1L)).entrySet()",
        "Map.entry(\"e\", 1L)",
    ),
    ("Map.Entry<String, Long>", "new AbstractMap.SimpleEntry<>(\"a\", 1L)", "Map.entry(\"a\", 1L)"),
    ("Collection<Long>", "new TreeMap<>(map()).values()", "List.of(1L, 2L), new ArrayList<>("),
    ("Deque<String>", "new ArrayDeque<>(Arrays.asList(\"x\", \"y\"))", "List.of(\"x\", \"y\"), new ArrayList<>("),
    ("String[]", "new String[] {\"a\", null}", "new String[] {\"a\", null}"),
    ("int[][]", "new int[][] {{1, 2}, {}}", "new int[][] {{1, 2}, {}}"),
    ("int[][]", "new int[0][]", "new int[0][]"),
    ("LocalDate[]", "new LocalDate[] {LocalDate.of(2024, 1, 2)}", "new LocalDate[] {LocalDate.of(2024, 1, 2)}"),
    ("Object", "new Long[] {1L}", "new Long[] {1L}"),
];

/// Likewise of records.
const RECORDS: &[(&str, &str, &str)] = &[
    (
        "Money",
        "new Money(new BigDecimal(\"1.00\"), Unit.EURO)",
        "new Records.Money(new BigDecimal(\"1.00\"), Records.Unit.EURO)",
    ),
    ("Pair<String, Long>", "new Pair<>(\"a\", 2L)", "new Records.Pair<>(\"a\", 2L)"),
    (
        "List<Pair<Money, List<String>>>",
        "List.of(new Pair<>(new Money(BigDecimal.TEN, null), List.of(\"a\")))",
        "List.of(new Records.Pair<>(new Records.Money(BigDecimal.TEN, null), List.of(\"a\")))",
    ),
    (
        "Small",
        "new Small((byte) 1, 'c', 2.5f, Optional.empty())",
        "new Records.Small((byte) 1, 'c', 2.5f, Optional.empty())",
    ),
];

const DECLARATIONS: &str = "
    static StringWriter written(String text) {
        StringWriter writer = new StringWriter();
        writer.write(text);
        return writer;
    }
    static Map<String, Long> map() {
        Map<String, Long> map = new HashMap<>();
        map.put(\"b\", 2L);
        map.put(\"a\", 1L);
        return map;
    }
";

const RECORD_DECLARATIONS: &str = "
    public enum Unit { EURO }
    public record Money(BigDecimal amount, Unit unit) { }
    public record Pair<A, B>(A first, B second) { }
    public record Small(byte b, char c, float f, Optional<String> text) { }
";

fn source(name: &str, values: &[(&str, &str, &str)], declarations: &str) -> String {
    let imports = ["java.io", "java.math", "java.net", "java.nio.charset", "java.nio.file", "java.time", "java.util"];
    let imports: String = imports.iter().map(|package| format!("import {package}.*;\n")).collect();
    let method = |(at, (of, value, _)): (usize, &(&str, &str, &str))| {
        format!("    public static {of} value{at}() {{ return {value}; }}\n")
    };
    let methods: String = values.iter().enumerate().map(method).collect();
    format!("package p;\n{imports}public class {name} {{\n{methods}{declarations}}}\n")
}

/// Methods whose results AssertJ's `assertThat` takes in a special way; beside each what the test of it has to contain.
const ASSERTJ_VALUES: &[(&str, &str, &str)] = &[
    ("boolean", "true", ").isTrue()"),
    ("byte", "3", ").isEqualTo((byte) 3)"),
    ("short", "-3", ").isEqualTo((short) -3)"),
    ("char", "'c'", ").isEqualTo('c')"),
    ("long", "1L << 40", ").isEqualTo(1099511627776L)"),
    ("float", "0.5f", ").isEqualTo(0.5f)"),
    ("double", "0.0 / 0.0", ").isNaN()"),
    ("double", "-0.0", ").isEqualTo(Double.valueOf(-0.0))"),
    ("Double", "0.5", ").isEqualTo(0.5)"),
    ("Double", "Double.NaN", ").isNaN()"),
    ("Object", "Double.NaN", ").isEqualTo(Double.NaN)"),
    ("Byte", "(byte) 3", ").isEqualTo((byte) 3)"),
    ("Character", "'c'", ").isEqualTo('c')"),
    ("Number", "3L", ").isEqualTo(3L)"),
    ("Comparable<Integer>", "3", "assertThatObject("),
    ("Boolean", "false", ").isFalse()"),
    ("Object", "false", ").isEqualTo(false)"),
    ("CharSequence", "\"a\"", ").isEqualTo(\"a\")"),
    ("String", "null", ").isNull()"),
    ("StringBuilder", "new StringBuilder(\"a\")", ".toString()).isEqualTo(\"a\")"),
    ("byte[]", "new byte[] {1, -1}", ").containsExactly(1, -1)"),
    ("short[]", "new short[] {1, -1}", ").containsExactly(1, -1)"),
    ("char[]", "new char[] {'a', 'b'}", ").containsExactly('a', 'b')"),
    ("float[]", "new float[] {1, Float.NaN}", ").containsExactly(1.0f, Float.NaN)"),
    ("double[]", "new double[] {1}", ").containsExactly(1.0)"),
    ("long[]", "new long[0]", ").isEmpty()"),
    ("boolean[]", "new boolean[] {true}", ").containsExactly(true)"),
    ("Integer[]", "new Integer[] {1, null}", ").containsExactly(1, null)"),
    ("Object[]", "new Object[] {1, \"a\"}", ").containsExactly(1, \"a\")"),
    ("Object", "new int[] {1}", ").isEqualTo(new int[] {1})"),
    ("int[][]", "new int[][] {{1, 2}, {}}", "assertThatObject("),
    ("List<String>", "Arrays.asList(\"a\", \"b\")", ").containsExactly(\"a\", \"b\")"),
    ("List<? extends Number>", "Arrays.asList(1, 2)", ").isEqualTo(List.of(1, 2))"),
    ("List<Object>", "Arrays.asList(1, \"a\")", ").containsExactly(1, \"a\")"),
    ("List<Byte>", "Arrays.asList((byte) 1)", ").containsExactly((byte) 1)"),
    ("List<List<String>>", "Arrays.asList(Arrays.asList(\"a\"))", ").isEqualTo(List.of(List.of(\"a\")))"),
    ("List<String>", "Collections.singletonList(null)", ").isEqualTo(Collections.singletonList(null))"),
    ("Set<Long>", "new HashSet<>(Arrays.asList(1L, 2L))", ").containsExactlyInAnyOrder(1L, 2L)"),
    ("Collection<Long>", "new TreeMap<>(map()).values()", ").containsExactly(1L, 2L)"),
    ("Collection<?>", "new TreeMap<>(map()).values()", "assertThat(new ArrayList<>("),
    ("Deque<String>", "new ArrayDeque<>(Arrays.asList(\"x\"))", ").containsExactly(\"x\")"),
    ("SortedSet<String>", "new TreeSet<>()", ").isEmpty()"),
    ("Map<String, Long>", "map()", ").isEqualTo(Map.of(\"a\", 1L, \"b\", 2L))"),
    ("List<Long>", "new ArrayList<>(Collections.nCopies(20, 1L))", ").hasSize(20)"),
    ("Map<Long, Object>", "large()", ").hasSize(20)"),
    ("String", "String.join(\"\", Collections.nCopies(400, \"a\"))", ").hasSize(400)"),
    ("Optional<String>", "Optional.of(\"a\")", ").contains(\"a\")"),
    ("Optional<?>", "Optional.of(\"a\")", ").isEqualTo(Optional.of(\"a\"))"),
    ("Optional<Object>", "Optional.of(new Object())", ").isPresent()"),
    ("OptionalLong", "OptionalLong.of(3)", ").hasValue(3L)"),
    ("Iterator<String>", "Arrays.asList(\"a\").iterator()", ").isNotNull()"),
    ("java.util.stream.Stream<String>", "Arrays.asList(\"a\").stream()", ").isNotNull()"),
    ("java.util.stream.IntStream", "java.util.stream.IntStream.of(1)", ").isNotNull()"),
    ("java.util.function.Predicate<String>", "text -> true", ").isNotNull()"),
    ("Runnable", "() -> { }", ").isNotNull()"),
    ("RuntimeException", "new IllegalStateException()", ").isNotNull()"),
    ("java.util.concurrent.CompletableFuture<Long>", "null", ").isNull()"),
    ("Both", "new Both()", "assertThatObject("),
    ("Raw", "new Raw()", ").isNotNull()"),
    ("Level", "Level.HIGH", ").isEqualTo("),
    ("Names", "new Names()", ").isNotNull()"),
    ("SizedComparable", "new SizedComparable()", "assertThatObject("),
];

const ASSERTJ_DECLARATIONS: &str = "
    static Map<String, Long> map() {
        Map<String, Long> map = new HashMap<>();
        map.put(\"b\", 2L);
        map.put(\"a\", 1L);
        return map;
    }
    static Map<Long, Object> large() {
        Map<Long, Object> map = new HashMap<>();
        for (long key = 0; key < 20; key++) map.put(key, new Object());
        return map;
    }
    public static class Both implements Comparable<Both>, Iterable<String> {
        public int compareTo(Both other) { return 0; }
        public Iterator<String> iterator() { return Collections.emptyIterator(); }
    }
    @SuppressWarnings(\"rawtypes\")
    public static class Raw implements Comparable {
        public int compareTo(Object other) { return 0; }
    }
    public enum Level implements java.util.function.IntPredicate {
        LOW, HIGH;
        public boolean test(int value) { return true; }
    }
    public static class Names extends ArrayList<String> { }
    public static class SizedComparable extends ArrayList<String> implements Comparable<SizedComparable> {
        public int compareTo(SizedComparable other) { return 0; }
    }
";

/// Each method's value is observed in a worker, and the test of it, for both versions of JUnit and these levels of the Java
/// language, compiles, passes, and contains the expected value.
fn check(name: &str, values: &[(&str, &str, &str)], declarations: &str, compiled_for: u8, levels: [u8; 2]) {
    let Some((fixture, cases)) = observed(name, values, declarations, compiled_for) else { return };
    for level in levels {
        for library in [TestLibrary::JUnit4, TestLibrary::JUnit5] {
            let form = (library, AssertionLibrary::JUnit);
            check_written((&fixture, name), &cases, form, level, if level >= 11 { values } else { &[] });
        }
    }
}

/// The tests of the cases, one for each method, compile, pass, and contain the expected values.
fn check_written(
    (fixture, name): (&Fixture, &str),
    cases: &[TestCase],
    form: (TestLibrary, AssertionLibrary),
    level: u8,
    values: &[(&str, &str, &str)],
) {
    let (verified, skipped) = fixture.verify_with(&format!("p/{name}"), cases, form, level);
    assert_eq!(skipped, Vec::<String>::new());
    let text = &verified.files[0].text;
    assert_eq!(verified.rejected.dropped, BTreeMap::new(), "{text}");
    assert_eq!(verified.rejected.unasserted, BTreeMap::new(), "{text}");
    for (at, (_, _, expected)) in values.iter().enumerate() {
        let call = format!("{name}.value{at}()");
        let mut tests = text.split("@Test");
        let is_shown = tests.any(|test| test.contains(&call) && test.contains(expected));
        assert!(is_shown, "{expected} for {call} in\n{text}");
    }
}

/// The methods as a compiled class, and a case for each with what a worker observed.
fn observed(
    name: &str,
    values: &[(&str, &str, &str)],
    declarations: &str,
    compiled_for: u8,
) -> Option<(Fixture, Vec<TestCase>)> {
    let fixture = Fixture::compile(name, &source(name, values, declarations), compiled_for)?;
    let class = ClassName::new(&format!("p/{name}"));
    let classes = fixture.directory.path().join("classes");
    let scratch = fixture.directory.path().join("workers");
    let mut launch = Launch::new(fixture.jdk.home.clone(), vec![classes], scratch);
    launch.command[0] = env!("CARGO_BIN_EXE_randgen").into();
    launch.operations = fixture.program.operations.clone();
    let mut executor = WorkerExecutor::start(Arc::new(launch), "round-trip").unwrap();
    let sequence = |at: usize| {
        let name = format!("value{at}");
        let is_wanted = |operation: &model::sequence::Operation| {
            operation.kind == OperationKind::StaticMethod && operation.owner == class && *operation.name == *name
        };
        let found = fixture.program.operations.iter().position(is_wanted);
        let mut sequence = Sequence::new();
        sequence.push_call(OperationId(found.unwrap_or_else(|| panic!("no {name}")) as u32), &[]);
        sequence
    };
    let sequences: Vec<Sequence> = (0..values.len()).map(sequence).collect();
    let executions = executor.execute(&sequences, Detail::Observe).unwrap();
    let case = |(sequence, execution): (Sequence, model::execution::Execution)| {
        assert_eq!(execution.outcome, Outcome::Completed);
        TestCase { alone: true, ..TestCase::regression(sequence, execution) }
    };
    let cases = sequences.into_iter().zip(executions).map(case).collect();
    Some((fixture, cases))
}

#[test]
fn values_of_the_jdk_are_asserted_by_equal_values() {
    check("Values", VALUES, DECLARATIONS, 8, [8, 11]);
}

#[test]
fn records_are_asserted_by_equal_records() {
    check("Records", RECORDS, RECORD_DECLARATIONS, 17, [17, 17]);
}

#[test]
fn values_of_the_jdk_are_asserted_by_assertj() {
    let assertj = |assert_that_object| AssertionLibrary::AssertJ { assert_that_object };
    if let Some((fixture, cases)) = observed("Values", VALUES, DECLARATIONS, 8) {
        check_written((&fixture, "Values"), &cases, (TestLibrary::JUnit4, assertj(true)), 8, &[]);
        check_written((&fixture, "Values"), &cases, (TestLibrary::JUnit5, assertj(false)), 11, &[]);
    }
    if let Some((fixture, cases)) = observed("Taken", ASSERTJ_VALUES, ASSERTJ_DECLARATIONS, 8) {
        check_written((&fixture, "Taken"), &cases, (TestLibrary::JUnit5, assertj(true)), 11, ASSERTJ_VALUES);
    }
}

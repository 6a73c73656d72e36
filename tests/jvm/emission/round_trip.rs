//! Values of every described kind: observed in a worker, written as assertions, compiled, and compared by JUnit.

use crate::fixture::Fixture;
use emitter::TestCase;
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

/// Each method's value is observed in a worker, and the test of it, for both versions of JUnit and these levels of the Java
/// language, compiles, passes, and contains the expected value.
fn check(name: &str, values: &[(&str, &str, &str)], declarations: &str, compiled_for: u8, levels: [u8; 2]) {
    let Some(fixture) = Fixture::compile(name, &source(name, values, declarations), compiled_for) else { return };
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
    let cases: Vec<TestCase> = sequences.into_iter().zip(executions).map(case).collect();
    for level in levels {
        for library in [TestLibrary::JUnit4, TestLibrary::JUnit5] {
            let (verified, skipped) = fixture.verify(class.internal(), &cases, library, level);
            assert_eq!(skipped, Vec::<String>::new());
            let text = &verified.files[0].text;
            assert_eq!(verified.rejected.dropped, BTreeMap::new(), "{text}");
            assert_eq!(verified.rejected.unasserted, BTreeMap::new(), "{text}");
            for (at, (_, _, expected)) in values.iter().enumerate().filter(|_| level >= 11) {
                let call = format!("{name}.value{at}()");
                let mut tests = text.split("@Test");
                let is_shown = tests.any(|test| test.contains(&call) && test.contains(expected));
                assert!(is_shown, "{expected} for {call} in\n{text}");
            }
        }
    }
}

#[test]
fn values_of_the_jdk_are_asserted_by_equal_values() {
    check("Values", VALUES, DECLARATIONS, 8, [8, 11]);
}

#[test]
fn records_are_asserted_by_equal_records() {
    check("Records", RECORDS, RECORD_DECLARATIONS, 17, [17, 17]);
}

//! JUnit 4 and 5 source from sequences and what they did: values in, text out.
//!
//! One call of [`emit`] makes the test files of one class. A case that Java source cannot express (a name that is no
//! identifier, a type that the test's package cannot name) is skipped with its reason, never emitted wrongly on
//! purpose; what slips through is found by the compiler in `supervisor::verification`, and dropped.

mod annotation;
mod argument;
mod assertion;
mod call;
mod compared;
mod contract_assertion;
mod enclosed;
mod facts;
mod file;
mod fixture;
mod grouping;
mod implementation;
mod kept;
mod layout;
mod literal;
mod long_text;
mod message;
mod method;
mod names;
mod naming;
mod opening;
mod outcome;
mod parameterization;
mod platform_value;
mod purpose;
mod text_kind;
mod unknown;
mod value_text;
mod variables;
mod words;

pub use file::{WrittenFile, WrittenTest};
pub use method::is_message_asserted;

use fixture::Fixture;
use grouping::Group;
use kept::KeptFiles;
use method::ClassContext;
use model::execution::{Defaults, Execution, Value};
use model::jvm::types::TypeTable;
use model::jvm::{ClassName, JavaString};
use model::options::{TestComments, TestNames};
use model::sequence::{Operation, Sequence};
use names::Names;
use opening::{Annotations, annotations, opening};
use oracle::Violation;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;
use variables::Variables;

/// A sequence to be written as one test method.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// What the test calls.
    pub sequence: Sequence,
    /// What the sequence did, with `Detail::Observe`.
    pub execution: Execution,
    /// Whether it asserts current behaviour or shows a finding.
    pub role: Role,
    /// Statements whose values are not to be asserted, as that was shown to fail now and then.
    pub unasserted: BTreeSet<usize>,
    /// The statements whose values are asserted where they can be; `None` for those that readers expect.
    pub asserted: Option<BTreeSet<usize>>,
    /// It is to have a test method of its own.
    pub alone: bool,
    /// A comment before the test.
    pub note: Option<String>,
    /// Calls at the end that only show what the call before them did.
    pub observers: usize,
    /// The message of the exception at the end, if it is to be asserted.
    pub message: Option<JavaString>,
    /// The exception at the end is not thrown on purpose; such tests have a class of their own.
    pub implicit: bool,
    /// What its class has to set for it.
    pub defaults: Defaults,
    /// What is so where only one side of a branch of the method ran that the test is about, in words: `hoursAbove24`; in the order
    /// of the code.
    pub branches: Vec<String>,
    /// The literals, constants, empty arrays and calls with which its outcome would change; `None` if that is not known.
    pub deciders: Option<BTreeSet<usize>>,
    /// Calls that return the object on which they are called.
    pub fluent: BTreeSet<usize>,
}

impl TestCase {
    /// A test that holds what the sequence does today.
    pub fn regression(sequence: Sequence, execution: Execution) -> TestCase {
        TestCase {
            sequence,
            execution,
            role: Role::Regression,
            unasserted: BTreeSet::new(),
            asserted: None,
            alone: false,
            note: None,
            observers: 0,
            message: None,
            implicit: false,
            defaults: Defaults::NONE,
            branches: Vec::new(),
            deciders: None,
            fluent: BTreeSet::new(),
        }
    }

    /// A test that fails as long as the contract is broken.
    pub fn finding(sequence: Sequence, execution: Execution, violation: Violation) -> TestCase {
        let role = Role::Finding(violation);
        TestCase { role, ..TestCase::regression(sequence, execution) }
    }
}

/// What a test is for.
#[derive(Clone, Debug)]
pub enum Role {
    /// Passes today.
    Regression,
    /// Fails today: its last statements show the broken contract.
    Finding(Violation),
}

/// The JUnit whose API the tests use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JUnitVersion {
    /// JUnit 4.
    Four {
        /// 4.13 or later, which has `Assert.assertThrows`.
        assert_throws: bool,
    },
    /// JUnit 5, Jupiter.
    Five,
}

/// The library whose assertions the tests use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssertionLibrary {
    /// The assertions of JUnit.
    JUnit,
    /// AssertJ 3 or later.
    AssertJ {
        /// 3.12 or later, which has `assertThatObject`.
        assert_that_object: bool,
    },
}

/// What JUnit 5's parameterized tests are annotated with, by simple and full names.
pub const PARAMETERIZED: [(&str, &str); 2] = [
    ("ParameterizedTest", "org.junit.jupiter.params.ParameterizedTest"),
    ("CsvSource", "org.junit.jupiter.params.provider.CsvSource"),
];

/// What stands between the class's name and `Test` in the name of a test class: which command wrote it.
pub mod label {
    /// Tests of `generate`.
    pub const GENERATED: &str = "Randgen";
    /// Tests of `explore`.
    pub const EXPLORED: &str = "Explored";
    /// Tests of equations that `specs` inferred.
    pub const AXIOM: &str = "Axiom";
    /// Tests of findings, which fail.
    pub const FINDING: &str = "Finding";
    /// Follows one of the others where all tests expect exceptions that nobody throws on purpose.
    pub(crate) const IMPLICIT: &str = "Implicit";
}

/// How the source is to look.
#[derive(Clone, Debug)]
pub struct Style {
    /// The version of JUnit that the tests are written for.
    pub junit: JUnitVersion,
    /// Feature number of the Java language: 7, 8, 11, 17…
    pub source_level: u8,
    /// One of [`label`].
    pub label: &'static str,
    /// The project's sources are UTF-8: letters of all scripts stand as they are, else all but ASCII is escaped.
    pub utf8: bool,
    /// The class path has JUnit 5's parameterized tests.
    pub parameterized: bool,
    /// Whose assertions the tests use.
    pub assertions: AssertionLibrary,
    /// The form of the names of test methods.
    pub names: TestNames,
    /// What stands above the paragraphs of a test.
    pub comments: TestComments,
    /// JUnit can make directories for tests.
    pub has_directories: bool,
    /// The default locale where the tests' values were seen, as a language tag, if source can name it…
    pub locale: Option<String>,
    /// …and the default time zone, by its name.
    pub time_zone: Option<String>,
    /// Further files are begun at so many tests…
    pub tests_per_file: usize,
    /// …or so many bytes, far below the limits of a class file (JVMS §4.11).
    pub bytes_per_file: usize,
}

impl Style {
    /// The usual style for this version of JUnit and level of the Java language.
    pub fn new(junit: JUnitVersion, source_level: u8) -> Style {
        Style {
            junit,
            source_level,
            label: label::GENERATED,
            utf8: true,
            parameterized: false,
            assertions: AssertionLibrary::JUnit,
            names: TestNames::default(),
            comments: TestComments::default(),
            has_directories: true,
            locale: Some("en-US".to_string()),
            time_zone: Some("UTC".to_string()),
            tests_per_file: 300,
            bytes_per_file: 200_000,
        }
    }

    /// Expected exceptions are asserted by lambdas.
    fn has_assert_throws(&self) -> bool {
        match (self.assertions, self.junit) {
            (AssertionLibrary::AssertJ { .. }, _) => self.has_lambdas(),
            (AssertionLibrary::JUnit, JUnitVersion::Five) => true,
            (AssertionLibrary::JUnit, JUnitVersion::Four { assert_throws }) => assert_throws && self.has_lambdas(),
        }
    }

    /// That a call throws nothing can be said by an assertion.
    fn has_assert_does_not_throw(&self) -> bool {
        let is_in_library = self.uses_assertj() || self.junit == JUnitVersion::Five;
        is_in_library && self.has_lambdas()
    }

    fn uses_assertj(&self) -> bool {
        matches!(self.assertions, AssertionLibrary::AssertJ { .. })
    }

    /// What stands before test classes and methods, which have to be public for JUnit 4.
    fn modifier(&self) -> &'static str {
        if self.junit == JUnitVersion::Five { "" } else { "public " }
    }

    /// The language has lambdas, and variables that they or anonymous classes use need not be declared final.
    fn has_lambdas(&self) -> bool {
        self.source_level >= 8
    }
}

/// The files of one class's tests.
#[derive(Clone, Debug, Default)]
pub struct Emission {
    /// In order: those of deliberate outcomes first.
    pub files: Vec<SourceFile>,
    /// Cases that no file has, in order.
    pub skipped: Vec<SkippedCase>,
}

/// A case that cannot be written as Java source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedCase {
    /// Index of the case.
    pub case: usize,
    /// A lowercase fragment for reports.
    pub reason: String,
}

/// One test class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// With dots; empty for the unnamed package.
    pub package: String,
    /// Simple name of the test class.
    pub class_name: String,
    /// From the package declaration to the last brace.
    pub text: String,
    /// In the order of the source.
    pub tests: Vec<EmittedTest>,
}

impl SourceFile {
    /// Below the source root: `org/example/StackRandgenTest.java`.
    pub fn relative_path(&self) -> String {
        let directory = if self.package.is_empty() { String::new() } else { self.package.replace('.', "/") + "/" };
        format!("{directory}{}.java", self.class_name)
    }

    /// The test class's name with dots.
    pub fn binary_name(&self) -> String {
        if self.package.is_empty() { self.class_name.clone() } else { format!("{}.{}", self.package, self.class_name) }
    }

    /// The source of the assertions of a test of one case, by the statement whose value each is about.
    pub fn assertions_of(&self, test: &EmittedTest) -> BTreeMap<usize, String> {
        let text = |lines: &RangeInclusive<usize>| {
            let lines = self.text.lines().skip(lines.start() - 1).take(lines.end() + 1 - lines.start());
            lines.map(str::trim).collect::<Vec<_>>().join(" ")
        };
        test.checks.iter().map(|(lines, statement)| (*statement, text(lines))).collect()
    }

    /// The source of one test method, unindented, for reports.
    pub fn source_of(&self, test: &EmittedTest) -> String {
        let lines = self.text.lines().skip(test.first_line - 1).take(test.last_line + 1 - test.first_line);
        lines.map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
    }
}

/// Where a case, or several small ones, ended up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedTest {
    /// Indices of the cases, at least one.
    pub cases: Vec<usize>,
    /// Name of the method.
    pub method: String,
    /// What it is about: the name of the method under test.
    pub subject: String,
    /// Line of the annotation (or comment before it), counted from 1.
    pub first_line: usize,
    /// Line of the closing brace.
    pub last_line: usize,
    /// Assertions in the method; 0 for one that only shows that nothing is thrown.
    pub assertions: usize,
    /// Where values are asserted, in a test of one case: the lines, and the statement that made the value.
    pub checks: Vec<(RangeInclusive<usize>, usize)>,
}

/// Above this, the number of elements says nothing to a reader.
const MOST_COUNTED: usize = 16;

/// One assertion of a test.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// Whose value it is about.
    pub statement: usize,
    check: assertion::ValueCheck,
}

impl Assertion {
    /// Whether it would pass if the value were this.
    pub fn holds(&self, value: &Value) -> bool {
        self.check.holds(value)
    }

    /// It says nothing but that there is a value, or how long a text or a table is.
    pub fn is_bare(&self) -> bool {
        use assertion::ValueCheck::{ArrayLength, NotNull, Size, StringLength};
        match self.check {
            NotNull | StringLength(_) => true,
            Size(size) | ArrayLength(size) => size > MOST_COUNTED,
            _ => false,
        }
    }

    /// How much a reader has to take in.
    pub fn effort(&self) -> u32 {
        self.check.effort()
    }
}

/// What the test of a case in a test class of `class` can assert; nothing if it cannot be written.
pub fn assertions(
    class: &ClassName,
    case: &TestCase,
    operations: &[Operation],
    types: &TypeTable,
    style: &Style,
) -> Vec<Assertion> {
    let context = ClassContext { class, operations, types, style };
    let mut names = Names::new(types, &class.package(), &test_class_name(&class_stem(class, types), 1, style, false));
    let asserted = Some((0..case.sequence.len()).collect());
    let checks = method::checks(&TestCase { asserted, ..case.clone() }, &context, &mut names).unwrap_or_default();
    // A number that nobody can check by reading stands only where a test is about it.
    let subject = method::subject(case).ok();
    let is_hash = |at: usize| context.operation(case, at).is_some_and(|operation| &*operation.name == "hashCode");
    let telling = checks.into_iter().filter(|(statement, _)| Some(*statement) == subject || !is_hash(*statement));
    telling.map(|(statement, check)| Assertion { statement, check }).collect()
}

/// Writes `cases` as test classes of `class`, in its package.
pub fn emit(
    class: &ClassName,
    cases: &[TestCase],
    operations: &[Operation],
    types: &TypeTable,
    style: &Style,
) -> Emission {
    emit_beside(class, &[], cases, operations, types, style)
}

/// Writes `cases` into the test classes of `class` that earlier runs left, which are among the files in any case; of these, the
/// tests are not listed.
pub fn emit_beside(
    class: &ClassName,
    kept: &[WrittenFile],
    cases: &[TestCase],
    operations: &[Operation],
    types: &TypeTable,
    style: &Style,
) -> Emission {
    let context = ClassContext { class, operations, types, style };
    let package = class.package();
    let stem = class_stem(class, types);
    let kept = KeptFiles::new(kept, &stem, style);
    let mut emission = Emission::default();

    // How a test reads depends on its file's imports, so it is written twice: for its size, and in its file.
    let first_class = test_class_name(&stem, 1, style, false);
    let (mut writable, mut written) = (Vec::new(), Vec::new());
    for (case, test_case) in cases.iter().enumerate() {
        let mut names = Names::new(types, &package, &first_class);
        match method::write(test_case, &context, &mut names, &mut Variables::default()) {
            Ok(method) => {
                writable.push(case);
                written.push((test_case, method));
            }
            Err(reason) => emission.skipped.push(SkippedCase { case, reason }),
        }
    }
    let mut taken = kept.methods.clone();
    taken.extend(fixture::METHODS.map(str::to_string));
    let groups = grouping::grouped(&written, &context, &mut Names::new(types, &package, &first_class), &taken);
    let size = |group: &Group| {
        let lines = group.cases.iter().flat_map(|&at| &written[at].1.body);
        lines.map(|line| line.len() + 9).sum::<usize>() + 90
    };
    for implicit in [false, true] {
        let mut chunk: Vec<(Vec<usize>, &Group)> = Vec::new();
        let (mut number, mut count, mut bytes) = kept.room(implicit, style);
        let mut files: BTreeMap<usize, SourceFile> =
            kept.series(implicit).iter().map(|(number, file)| (*number, kept::unchanged(file))).collect();
        let mut tests = groups.iter().filter(|group| written[group.cases[0]].0.implicit == implicit).peekable();
        while let Some(group) = tests.next() {
            chunk.push((group.cases.iter().map(|&at| writable[at]).collect(), group));
            bytes += size(group);
            count += 1;
            let full = count >= style.tests_per_file
                || tests.peek().is_none_or(|next| bytes + size(next) > style.bytes_per_file);
            if full {
                let class_name = test_class_name(&stem, number, style, implicit);
                let beside = kept.series(implicit).get(&number).copied();
                let file = write_file(&chunk, cases, (&package, class_name), &context, beside, &mut emission.skipped);
                files.extend(file.map(|file| (number, file)));
                chunk.clear();
                number += 1;
                (count, bytes) = (0, 0);
            }
        }
        emission.files.extend(files.into_values());
    }
    emission.skipped.sort_by_key(|skipped| skipped.case);
    emission
}

/// `Stack`; of a nested class `OuterInner`, or `Outer_Inner` where the package has an `OuterInner` already.
fn class_stem(class: &ClassName, types: &TypeTable) -> String {
    let segments: Vec<&str> = class.simple().split('$').filter(|segment| !segment.is_empty()).collect();
    let joined: String = segments.concat();
    let directory = class.internal().strip_suffix(class.simple()).unwrap_or_default();
    let clashes = segments.len() > 1 && types.get(&ClassName::new(&format!("{directory}{joined}"))).is_some();
    let stem = if clashes { segments.join("_") } else { joined };
    // Names from other languages: what no identifier has becomes an underscore.
    stem.chars().map(|letter| if letter.is_alphanumeric() || letter == '_' { letter } else { '_' }).collect()
}

/// Whether a file below the source root is one of those that [`emit`] makes, or made, for the class and the label.
pub fn is_test_of(path: &Path, class: &ClassName, types: &TypeTable, label: &str) -> bool {
    let package = class.package().replace('.', "/");
    let stem = class_stem(class, types);
    path.parent() == Some(Path::new(&package))
        && path.file_stem().is_some_and(|name| stem_of_test(&name.to_string_lossy(), label) == Some(&stem))
}

/// Whether a file below the source root has the name of one that [`emit`] makes for a class and the label.
pub fn is_test_file(path: &Path, label: &str) -> bool {
    path.file_stem().is_some_and(|name| stem_of_test(&name.to_string_lossy(), label).is_some())
}

/// Whether the class has the name of one that [`emit`] makes, or is nested in one that has.
pub fn is_test(class: &ClassName) -> bool {
    let name = class.simple().split('$').next().unwrap_or_default();
    [label::GENERATED, label::EXPLORED, label::AXIOM].iter().any(|label| stem_of_test(name, label).is_some())
}

/// What stands before the label in the name of a test class.
fn stem_of_test<'a>(name: &'a str, label: &str) -> Option<&'a str> {
    let (stem, rest) = name.strip_suffix("Test")?.rsplit_once(label)?;
    let number = rest.strip_prefix(label::IMPLICIT).unwrap_or(rest);
    number.chars().all(|digit| digit.is_ascii_digit()).then_some(stem)
}

/// `StackRandgenTest`, `StackRandgen2Test`, `StackRandgenImplicitTest`…
fn test_class_name(stem: &str, number: usize, style: &Style, implicit: bool) -> String {
    let number = if number == 1 { String::new() } else { number.to_string() };
    let implicit = if implicit { label::IMPLICIT } else { "" };
    format!("{stem}{}{implicit}{number}Test", style.label)
}

/// Writes one file of cases with their names, with the tests of earlier runs that it has; `None` if none of the cases can be
/// written in it.
fn write_file(
    chunk: &[(Vec<usize>, &Group)],
    cases: &[TestCase],
    (package, class_name): (&str, String),
    context: &ClassContext<'_>,
    beside: Option<&WrittenFile>,
    skipped: &mut Vec<SkippedCase>,
) -> Option<SourceFile> {
    let mut names = Names::new(context.types, package, &class_name);
    names.keep_imports(beside.into_iter().flat_map(kept::imports_of));
    let mut methods = Vec::new();
    for (group_cases, group) in chunk {
        let (written, left_out) = grouping::write_together(group_cases, cases, context, &mut names);
        skipped.extend(left_out);
        methods.extend(written.map(|(kept, method)| (kept, *group, method)));
    }
    if methods.is_empty() {
        return None;
    }
    let of_file = methods.iter().flat_map(|(kept, ..)| kept).map(|&case| &cases[case]);
    let fixture = Fixture::of(of_file, context.style, &mut names);
    let parameterized = methods.iter().filter(|(_, _, method)| method.table.is_some()).count();
    let annotations = annotations(&names, context.style, parameterized, methods.len());
    let mut lines = opening(&class_name, &names, &annotations, &fixture, context.style);
    let Annotations { test, shows_sentences, .. } = annotations;
    let public = context.style.modifier();
    let mut tests = Vec::new();
    for (cases, group, method) in methods {
        let name = group.method(context.style.names);
        lines.push(String::new());
        let first_line = lines.len() + 1;
        lines.extend(method.comment.as_ref().map(|comment| format!("    {comment}")));
        let parameters = match &method.table {
            None => {
                let time = method.time_limit(context.style.junit);
                lines.push(format!("    @{test}{time}"));
                ""
            }
            Some(table) => {
                lines.extend(["    @ParameterizedTest".to_string(), "    @CsvSource({".to_string()]);
                lines.extend(table.rows.iter().map(|row| format!("        \"{row}\",")));
                lines.push("    })".to_string());
                &table.parameters
            }
        };
        if shows_sentences {
            lines.push(format!("    @DisplayName(\"{}\")", group.name.sentence()));
        }
        let throws = method.throws.map_or(String::new(), |thrown| format!(" throws {thrown}"));
        let header = layout::wrapped(&format!("{public}void {name}({parameters}){throws} {{"), HEADER_COLUMNS);
        lines.extend(header.into_iter().map(|line| format!("    {line}")));
        let headings_until = |line: usize| method.headings.iter().filter(|(at, _)| *at <= line).count();
        let moved = |line: usize| lines.len() + 1 + line + headings_until(line);
        let checks = method.checks.iter();
        let checks = checks.map(|(of, statement)| (moved(*of.start())..=moved(*of.end()), *statement)).collect();
        lines.extend(layout::indented(&method.body, &method.headings));
        lines.push("    }".to_string());
        let (assertions, last_line) = (method.assertions, lines.len());
        let subject = group.name.subject.clone();
        tests.push(EmittedTest { cases, method: name, subject, first_line, last_line, assertions, checks });
    }
    lines.push("}".to_string());
    let mut text = lines.join("\n") + "\n";
    if !context.style.utf8 {
        text = ascii(&text);
    }
    let file = SourceFile { package: package.to_string(), class_name, text, tests };
    match beside {
        Some(kept) => {
            let subjects: Vec<String> = file.tests.iter().map(|test| test.subject.clone()).collect();
            kept::merged(kept, &file, &subjects)
        }
        None => Some(file),
    }
}

/// The header of a test has so many columns, without its indentation.
const HEADER_COLUMNS: usize = 116;

/// All but ASCII as Unicode escapes, which Java reads anywhere in a source (JLS §3.3).
fn ascii(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            escaped.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

#[cfg(test)]
mod snapshots;

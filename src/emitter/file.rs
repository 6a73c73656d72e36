//! A test class as text: its parts, read back from a file that [`emit`](crate::emit) wrote.
//!
//! The emitter writes every file in one form, so lines are enough to tell its parts apart. What does not have that form is not
//! read: it is no file of the emitter, or of another version.

use super::fixture::Fixture;
use super::{JUnitVersion, Style};
use std::collections::BTreeSet;

/// A test class in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// With dots; empty for the unnamed package.
    pub package: String,
    /// Simple name of the test class.
    pub class_name: String,
    /// Import declarations of static members, in their order.
    pub(super) statics: Vec<String>,
    /// Those of classes.
    pub(super) imports: Vec<String>,
    /// From the annotations of the class to its opening brace.
    pub(super) head: Vec<String>,
    /// Its members that are no tests.
    pub(super) fixture: Fixture,
    /// In the order of the file.
    pub tests: Vec<WrittenTest>,
}

/// A test method as it stands in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTest {
    /// Name of the method.
    pub method: String,
    /// From its comment or first annotation to its closing brace, with their indentation.
    pub(super) lines: Vec<String>,
}

impl WrittenTest {
    /// The source without its indentation, for reports.
    pub fn source(&self) -> String {
        self.lines.iter().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
    }

    /// Whether its name says that it is about the method.
    pub(super) fn is_about(&self, subject: &str) -> bool {
        let mut letters = subject.chars();
        let capitalized: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        let follows = |prefix: &str, is_end: &dyn Fn(char) -> bool| {
            self.method.strip_prefix(prefix).is_some_and(|rest| rest.chars().next().is_none_or(is_end))
        };
        !subject.is_empty()
            && (follows(subject, &|next| next == '_')
                || follows(&format!("test{capitalized}"), &|next| next.is_uppercase() || next == '_'))
    }
}

impl WrittenFile {
    /// Reads the text of a file without its first line, which says who made it; `None` if it has another form.
    pub fn read(text: &str) -> Option<WrittenFile> {
        let lines: Vec<&str> = text.lines().collect();
        let is_head = |line: &&str| line.starts_with("class ") || line.starts_with("public class ");
        let opening = lines.iter().position(is_head)?;
        let class_name = lines[opening].strip_suffix(" {")?.rsplit(' ').next()?.to_string();
        let mut file = WrittenFile {
            package: String::new(),
            class_name,
            statics: Vec::new(),
            imports: Vec::new(),
            head: Vec::new(),
            fixture: Fixture::default(),
            tests: Vec::new(),
        };
        for line in &lines[..opening] {
            if let Some(package) = line.strip_prefix("package ") {
                file.package = package.strip_suffix(';')?.to_string();
            } else if line.starts_with("import static ") {
                file.statics.push(line.to_string());
            } else if line.starts_with("import ") {
                file.imports.push(line.to_string());
            } else if line.starts_with('@') {
                file.head.push(line.to_string());
            } else if !line.is_empty() {
                return None;
            }
        }
        file.head.push(lines[opening].to_string());
        let mut test: Vec<String> = Vec::new();
        let members = lines[opening + 1..].strip_suffix(&["}"])?;
        file.fixture = Fixture::read(members.get(1..).unwrap_or_default());
        let fixture = file.fixture.lines().len();
        for line in members.iter().skip(if fixture > 0 { 1 + fixture } else { 0 }) {
            if test.is_empty() && line.is_empty() {
                continue;
            }
            test.push(line.to_string());
            if *line == "    }" {
                let lines = std::mem::take(&mut test);
                file.tests.push(WrittenTest { method: method_name(&lines)?, lines });
            }
        }
        // What is lost by reading would be lost by writing.
        (test.is_empty() && file.text() == text).then_some(file)
    }

    /// Below the source root: `org/example/StackRandgenTest.java`.
    pub fn relative_path(&self) -> String {
        let directory = if self.package.is_empty() { String::new() } else { self.package.replace('.', "/") + "/" };
        format!("{directory}{}.java", self.class_name)
    }

    /// The test class's name with dots.
    pub fn binary_name(&self) -> String {
        if self.package.is_empty() { self.class_name.clone() } else { format!("{}.{}", self.package, self.class_name) }
    }

    /// The whole text, with the lines of each test: the first and the last, counted from 1.
    pub fn text_with_lines(&self) -> (String, Vec<(usize, usize)>) {
        let mut lines: Vec<&str> = Vec::new();
        let package = format!("package {};", self.package);
        if !self.package.is_empty() {
            lines.extend([&*package, ""]);
        }
        for paragraph in [&self.statics, &self.imports] {
            if !paragraph.is_empty() {
                lines.extend(paragraph.iter().map(String::as_str));
                lines.push("");
            }
        }
        lines.extend(self.head.iter().map(String::as_str));
        let fixture = self.fixture.lines();
        if !fixture.is_empty() {
            lines.push("");
            lines.extend(fixture.iter().map(String::as_str));
        }
        let mut places = Vec::new();
        for test in &self.tests {
            lines.push("");
            places.push((lines.len() + 1, lines.len() + test.lines.len()));
            lines.extend(test.lines.iter().map(String::as_str));
        }
        lines.push("}");
        (lines.join("\n") + "\n", places)
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.text_with_lines().0
    }

    /// The file with some of its tests, and without the imports that only the others need; `None` if no test is left.
    pub fn with_tests(&self, is_kept: &dyn Fn(&WrittenTest) -> bool) -> Option<WrittenFile> {
        let mut file = self.clone();
        file.tests.retain(is_kept);
        if file.tests.len() < self.tests.len() {
            let fixture = file.fixture.lines();
            let lines = file.tests.iter().flat_map(|test| &test.lines).chain(&fixture);
            let used: BTreeSet<String> = lines.flat_map(|line| words(line)).collect();
            let is_used = |line: &String| imported(line).is_none_or(|name| name == "*" || used.contains(name));
            file.statics.retain(is_used);
            file.imports.retain(is_used);
        }
        (!file.tests.is_empty()).then_some(file)
    }

    /// Whether the tests are written for the same version of JUnit.
    pub fn fits(&self, style: &Style) -> bool {
        let jupiter = "org.junit.jupiter";
        let mut lines = self.imports.iter().chain(self.tests.iter().flat_map(|test| &test.lines));
        lines.any(|line| line.contains(jupiter)) == (style.junit == JUnitVersion::Five)
    }
}

/// The name that an import declaration adds, or `*`.
pub(super) fn imported(line: &str) -> Option<&str> {
    line.strip_suffix(';')?.rsplit(['.', ' ']).next()
}

/// The name of the method whose source this is.
fn method_name(lines: &[String]) -> Option<String> {
    let declaration =
        lines.iter().find(|line| line.starts_with("    void ") || line.starts_with("    public void "))?;
    let (before, _) = declaration.split_once('(')?;
    before.rsplit(' ').next().map(str::to_string)
}

/// What could be identifiers in a line.
fn words(line: &str) -> impl Iterator<Item = String> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$').map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "package p;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

@SuppressWarnings({\"rawtypes\", \"unchecked\"})
class ARandgenTest {

    // A note.
    @Test
    void size_ofEmpty_returns0() {
        assertEquals(0, new A().size(List.of()));
    }

    @Test
    void sizeOf_null_throwsIllegalArgumentException() throws Exception {
        A a = new A();

        assertThrows(IllegalArgumentException.class, () -> a.sizeOf(null));
    }
}
";

    #[test]
    fn file_reads_back_as_it_was_written() {
        let file = WrittenFile::read(TEXT).unwrap();
        assert_eq!((file.relative_path(), file.binary_name()), ("p/ARandgenTest.java".into(), "p.ARandgenTest".into()));
        let methods: Vec<&str> = file.tests.iter().map(|test| &*test.method).collect();
        assert_eq!(methods, ["size_ofEmpty_returns0", "sizeOf_null_throwsIllegalArgumentException"]);
        assert_eq!(file.text_with_lines(), (TEXT.to_string(), vec![(12, 16), (18, 23)]));
        assert!(file.tests[0].is_about("size") && !file.tests[1].is_about("size") && file.tests[1].is_about("sizeOf"));
        assert!(file.tests[0].source().starts_with("// A note.\n@Test\nvoid size"));
        for other in
            ["", "class A {\n}\n\n", &TEXT.replace("class A", "/** Mine. */\nclass A"), &TEXT[..TEXT.len() - 2]]
        {
            assert_eq!(WrittenFile::read(other).filter(|file| !file.tests.is_empty()), None);
        }
    }

    #[test]
    fn defaults_that_a_class_sets_stay_with_the_imports_that_they_need() {
        let members = "
    private final Locale defaultLocale = Locale.getDefault();

    @BeforeEach
    void setDefaults() {
        Locale.setDefault(Locale.US);
    }

    @AfterEach
    void restoreDefaults() {
        Locale.setDefault(defaultLocale);
    }
";
        let names = ["java.util.Locale", "org.junit.jupiter.api.AfterEach", "org.junit.jupiter.api.BeforeEach"];
        let [locale, after, before] = names.map(|name| format!("import {name};\n"));
        let text = TEXT.replace("class ARandgenTest {\n", &format!("class ARandgenTest {{\n{members}"));
        let text =
            text.replace("import java.util.List;\n", &format!("import java.util.List;\n{locale}{after}{before}"));
        let file = WrittenFile::read(&text).unwrap();
        assert_eq!(file.tests.len(), 2);
        let one = file.with_tests(&|test| test.method.starts_with("sizeOf_")).unwrap().text();
        assert!(one.contains(members) && [locale, after, before].iter().all(|import| one.contains(import)), "{one}");
    }

    #[test]
    fn import_goes_with_the_last_test_that_needs_it() {
        let file = WrittenFile::read(TEXT).unwrap();
        let text = file.with_tests(&|test| test.method.starts_with("sizeOf_")).unwrap().text();
        assert!(!text.contains("java.util.List") && !text.contains("assertEquals;"), "{text}");
        assert!(text.contains("api.Test;") && text.contains("assertThrows;"), "{text}");
        assert_eq!(file.with_tests(&|_| true), Some(file.clone()));
        assert_eq!(file.with_tests(&|_| false), None);
    }
}

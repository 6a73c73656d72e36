//! What stands in a file before its first test: the package, the imports, the class and what it sets.

use super::fixture::Fixture;
use super::names::Names;
use super::{JUnitVersion, PARAMETERIZED, Style};
use model::options::TestNames;

/// What a file needs of JUnit.
pub(super) struct Annotations {
    /// How the annotation of a test is written.
    pub test: &'static str,
    /// The annotations to import.
    imports: Vec<&'static str>,
    /// The class of the assertions.
    assertions: &'static str,
    /// Tests have sentences as their names.
    pub shows_sentences: bool,
}

/// Of a file with so many tests, some of which are parameterized.
pub(super) fn annotations(names: &Names<'_>, style: &Style, parameterized: usize, tests: usize) -> Annotations {
    let (annotation, assertions) = match style.junit {
        JUnitVersion::Four { .. } => ("org.junit.Test", "org.junit.Assert"),
        JUnitVersion::Five => ("org.junit.jupiter.api.Test", "org.junit.jupiter.api.Assertions"),
    };
    let assertions = if style.uses_assertj() { "org.assertj.core.api.Assertions" } else { assertions };
    let test = if names.test_annotation_is_hidden() { annotation } else { "Test" };
    let mut imports = Vec::new();
    if test != annotation && parameterized < tests {
        imports.push(annotation);
    }
    if parameterized > 0 {
        imports.extend(PARAMETERIZED.map(|(_, annotation)| annotation));
    }
    let shows_sentences =
        style.names == TestNames::Sentences && style.junit == JUnitVersion::Five && !names.is_taken("DisplayName");
    if shows_sentences {
        imports.push("org.junit.jupiter.api.DisplayName");
    }
    Annotations { test, imports, assertions, shows_sentences }
}

/// The lines of a file before its first test.
pub(super) fn opening(
    class_name: &str,
    names: &Names<'_>,
    annotations: &Annotations,
    fixture: &Fixture,
    style: &Style,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if !names.package.is_empty() {
        lines.extend([format!("package {};", names.package), String::new()]);
    }
    let (statics, imports) = names.import_lines(&annotations.imports, annotations.assertions);
    for paragraph in [statics, imports] {
        if !paragraph.is_empty() {
            lines.extend(paragraph);
            lines.push(String::new());
        }
    }
    if names.has_raw_types() {
        lines.push("@SuppressWarnings({\"rawtypes\", \"unchecked\"})".to_string());
    }
    lines.push(format!("{}class {class_name} {{", style.modifier()));
    let fixture = fixture.lines();
    if !fixture.is_empty() {
        lines.push(String::new());
        lines.extend(fixture);
    }
    lines
}

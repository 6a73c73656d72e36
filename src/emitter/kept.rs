//! Test classes that go on from one run to the next: tests that stay keep their text and their place, and new ones are put
//! beside the tests of the same method.

use super::file::{WrittenFile, WrittenTest, imported};
use super::{EmittedTest, SourceFile, Style, test_class_name};
use std::collections::{BTreeMap, BTreeSet};

/// What earlier runs left of a class's tests, by number of the file.
pub(super) struct KeptFiles<'a> {
    /// Those of deliberate outcomes.
    deliberate: BTreeMap<usize, &'a WrittenFile>,
    /// Those of exceptions that nobody throws on purpose.
    implicit: BTreeMap<usize, &'a WrittenFile>,
    /// The names of all their tests.
    pub methods: BTreeSet<String>,
}

impl<'a> KeptFiles<'a> {
    /// Sorts the files of the class with this stem by their names.
    pub fn new(files: &'a [WrittenFile], stem: &str, style: &Style) -> KeptFiles<'a> {
        let methods = files.iter().flat_map(|file| &file.tests).map(|test| test.method.clone()).collect();
        let series = |implicit: bool| {
            let most = files.len() + files.iter().filter_map(|file| number_in(&file.class_name)).max().unwrap_or(0);
            let numbered = (1..=most).filter_map(|number| {
                let name = test_class_name(stem, number, style, implicit);
                Some((number, files.iter().find(|file| file.class_name == name)?))
            });
            numbered.collect()
        };
        KeptFiles { deliberate: series(false), implicit: series(true), methods }
    }

    /// Those of one series, by number.
    pub fn series(&self, implicit: bool) -> &BTreeMap<usize, &'a WrittenFile> {
        if implicit { &self.implicit } else { &self.deliberate }
    }

    /// The number of the file to which new tests are added, with its tests and bytes: the last one if it has room.
    pub fn room(&self, implicit: bool, style: &Style) -> (usize, usize, usize) {
        let Some((&number, file)) = self.series(implicit).last_key_value() else { return (1, 0, 0) };
        let (tests, bytes) = (file.tests.len(), file.text().len());
        match tests < style.tests_per_file && bytes < style.bytes_per_file {
            true => (number, tests, bytes),
            false => (number + 1, 0, 0),
        }
    }
}

/// The number in the name of a test class.
fn number_in(class_name: &str) -> Option<usize> {
    let stem = class_name.strip_suffix("Test")?;
    let digits = stem.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    digits.rsplit(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// The classes that a file imports one by one, with dots, without those of JUnit.
pub(super) fn imports_of(file: &WrittenFile) -> impl Iterator<Item = &str> {
    let names = file.imports.iter().filter_map(|line| line.strip_prefix("import ")?.strip_suffix(';'));
    names.filter(|name| !name.ends_with('*') && !name.starts_with("org.junit."))
}

/// A file that stays as it is.
pub(super) fn unchanged(file: &WrittenFile) -> SourceFile {
    let (package, class_name) = (file.package.clone(), file.class_name.clone());
    SourceFile { package, class_name, text: file.text(), tests: Vec::new() }
}

/// Adds the tests of a file to one that an earlier run wrote; each with the method that it is about. Of the result, `tests`
/// are only the added ones. `None` if the new file has not the usual form.
pub(super) fn merged(kept: &WrittenFile, new: &SourceFile, subjects: &[String]) -> Option<SourceFile> {
    let added = WrittenFile::read(&new.text)?;
    if added.tests.len() != new.tests.len() || added.tests.len() != subjects.len() {
        return None;
    }
    let mut file = kept.clone();
    file.statics = joined(&kept.statics, &added.statics);
    file.imports = joined(&kept.imports, &added.imports);
    file.fixture = kept.fixture.joined(&added.fixture);
    let annotations = added.head[..added.head.len() - 1].iter().filter(|line| !kept.head.contains(line));
    file.head.splice(..0, annotations.cloned().collect::<Vec<_>>());
    // The position of each added test, in the order in which they were emitted.
    let mut order: Vec<(WrittenTest, Option<usize>)> = file.tests.drain(..).map(|test| (test, None)).collect();
    for (index, (test, subject)) in added.tests.into_iter().zip(subjects).enumerate() {
        let beside = order.iter().rposition(|(other, of)| match of {
            None => other.is_about(subject),
            Some(of) => subjects[*of] == *subject,
        });
        order.insert(beside.map_or(order.len(), |beside| beside + 1), (test, Some(index)));
    }
    let (tests, indices): (Vec<WrittenTest>, Vec<Option<usize>>) = order.into_iter().unzip();
    file.tests = tests;
    let (text, places) = file.text_with_lines();
    let mut moved = Vec::new();
    for (index, (first_line, last_line)) in indices.into_iter().zip(places) {
        let Some(index) = index else { continue };
        let test = &new.tests[index];
        let line = |line: usize| line + first_line - test.first_line;
        let checks = test.checks.iter().map(|(of, statement)| (line(*of.start())..=line(*of.end()), *statement));
        moved.push(EmittedTest { first_line, last_line, checks: checks.collect(), ..test.clone() });
    }
    Some(SourceFile { text, tests: moved, ..new.clone() })
}

/// Import declarations of both, in the emitter's order. One of all members makes those of single ones superfluous.
fn joined(kept: &[String], added: &[String]) -> Vec<String> {
    let mut all: BTreeSet<&String> = kept.iter().chain(added).collect();
    let is_static = |line: &str| line.starts_with("import static ");
    let whole: Vec<&str> =
        all.iter().filter(|line| is_static(line)).filter_map(|line| line.strip_suffix("*;")).collect();
    all.retain(|line| {
        let package = imported(line).and_then(|name| line.strip_suffix(&format!("{name};")));
        line.ends_with("*;") || !is_static(line) || !package.is_some_and(|package| whole.contains(&package))
    });
    all.into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(tests: &[&str], imports: &[&str]) -> String {
        let imports: String = imports.iter().map(|name| format!("import {name};\n")).collect();
        let tests: String =
            tests.iter().map(|name| format!("\n    @Test\n    void {name}() {{\n        f();\n    }}\n")).collect();
        format!("package p;\n\n{imports}\nclass ARandgenTest {{\n{tests}}}\n")
    }

    fn source(text: String, methods: &[&str]) -> SourceFile {
        let places = WrittenFile::read(&text).unwrap().text_with_lines().1;
        let test = |(method, (first_line, last_line)): (&&str, (usize, usize))| EmittedTest {
            cases: vec![0],
            method: method.to_string(),
            subject: method.split('_').next().unwrap().to_string(),
            first_line,
            last_line,
            assertions: 1,
            checks: vec![(first_line + 2..=first_line + 2, 0)],
        };
        let tests = methods.iter().zip(places).map(test).collect();
        SourceFile { package: "p".to_string(), class_name: "ARandgenTest".to_string(), text, tests }
    }

    #[test]
    fn new_test_stands_beside_the_tests_of_its_subject() {
        let kept = WrittenFile::read(&file(&["add_x", "add_y", "get_x"], &["java.util.List", "z.Z"])).unwrap();
        let added = ["add_z", "clear_x", "add_w"];
        let new = source(file(&added, &["java.util.Set", "z.Z"]), &added);
        let subjects = ["add", "clear", "add"].map(str::to_string);
        let merged = merged(&kept, &new, &subjects).unwrap();
        let all = ["add_x", "add_y", "add_z", "add_w", "get_x", "clear_x"];
        assert_eq!(merged.text, file(&all, &["java.util.List", "java.util.Set", "z.Z"]));
        let lines: Vec<&str> = merged.text.lines().collect();
        for test in &merged.tests {
            assert!(lines[test.first_line].contains(&test.method), "{} {}", test.method, merged.text);
            assert!(lines[test.checks[0].0.start() - 1].contains("f();") && lines[test.last_line - 1] == "    }");
        }
    }

    #[test]
    fn import_of_all_members_replaces_single_ones() {
        let lines = |names: &[&str]| names.iter().map(|name| format!("import static {name};")).collect::<Vec<_>>();
        assert_eq!(joined(&lines(&["a.A.b", "c.C.d"]), &lines(&["a.A.*"])), lines(&["a.A.*", "c.C.d"]));
    }

    #[test]
    fn new_tests_go_to_the_last_file_that_has_room() {
        let mut style = Style::new(super::super::JUnitVersion::Five, 17);
        let first = WrittenFile::read(&file(&["a_x"], &["z.Z"])).unwrap();
        let second = WrittenFile { class_name: "ARandgen2Test".to_string(), ..first.clone() };
        let implicit = WrittenFile { class_name: "ARandgenImplicitTest".to_string(), ..first.clone() };
        let files = [second, implicit, first];
        let kept = KeptFiles::new(&files, "A", &style);
        assert_eq!(kept.series(false).keys().copied().collect::<Vec<_>>(), [1, 2]);
        assert_eq!((kept.room(false, &style).0, kept.room(true, &style).0), (2, 1));
        style.tests_per_file = 1;
        assert_eq!((kept.room(false, &style).0, kept.room(true, &style).0), (3, 2));
    }
}

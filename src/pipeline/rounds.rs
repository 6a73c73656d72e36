//! The test files of each round of verification: a test of several cases that is rejected comes back as one of each.

use crate::suites::KeptByClass;
use emitter::{self, Emission, EmittedTest, Role, SourceFile, Style, TestCase};
use host::supervisor::verification::{DropReason, Failure, Rejected, TestFile, TestSpan};
use model::jvm::ClassName;
use model::jvm::types::TypeTable;
use model::sequence::Operation;
use oracle::contract::is_loop;
use std::collections::{BTreeMap, BTreeSet};

/// Cases by the class that they are about, each with its number.
pub type CasesByClass = BTreeMap<ClassName, Vec<(usize, TestCase)>>;

/// What the rounds were given so far.
pub struct Rounds<'a> {
    cases: CasesByClass,
    operations: &'a [Operation],
    types: &'a TypeTable,
    style: &'a Style,
    /// Tests of earlier runs, which stay as they are.
    kept: Option<&'a KeptByClass>,
    /// A test of several cases has the number of its first case plus this.
    first_shared: usize,
    /// The cases of such tests in all rounds.
    shared: BTreeMap<usize, Vec<usize>>,
    /// The last round: the numbers of the cases that a class's files were made from, and these.
    pub last: BTreeMap<ClassName, (Vec<usize>, Emission)>,
    /// The test method that each case was in last.
    pub names: BTreeMap<usize, String>,
}

impl<'a> Rounds<'a> {
    /// No round was verified yet.
    pub fn new(cases: CasesByClass, operations: &'a [Operation], types: &'a TypeTable, style: &'a Style) -> Rounds<'a> {
        let first_shared = cases.values().flatten().map(|(number, _)| number + 1).max().unwrap_or(0);
        let (shared, last, names) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Rounds { cases, operations, types, style, kept: None, first_shared, shared, last, names }
    }

    /// Puts the tests beside those of earlier runs, which are not verified again.
    pub fn beside(mut self, kept: &'a KeptByClass) -> Rounds<'a> {
        for (class, _) in kept.iter().filter(|(_, kept)| !kept.files.is_empty()) {
            self.cases.entry(class.clone()).or_default();
        }
        self.kept = Some(kept);
        self
    }

    /// All files without what is rejected.
    pub fn files(&mut self, rejected: &Rejected) -> Vec<TestFile> {
        let alone: BTreeSet<usize> =
            rejected.dropped.keys().filter_map(|id| self.shared.get(id)).flatten().copied().collect();
        let is_proved = |number: &usize| rejected.proved.as_ref().is_none_or(|proved| proved.contains(number));
        let is_kept =
            |number: &usize| !rejected.dropped.contains_key(number) && (!alone.contains(number) || is_proved(number));
        let mut files = Vec::new();
        for (class, cases) in &self.cases {
            let kept = cases.iter().filter(|(number, _)| is_kept(number));
            let (numbers, cases): (Vec<usize>, Vec<TestCase>) = kept
                .map(|(number, case)| {
                    let mut case = case.clone();
                    case.unasserted.extend(rejected.unasserted.get(number).into_iter().flatten());
                    case.alone |= alone.contains(number);
                    (*number, case)
                })
                .unzip();
            let beside = self.kept.and_then(|kept| kept.get(class)).map_or(&[][..], |kept| &kept.files);
            let emission = emitter::emit_beside(class, beside, &cases, self.operations, self.types, self.style);
            for file in &emission.files {
                let id = |test: &EmittedTest| match test.cases[..] {
                    [case] => numbers[case],
                    _ => self.first_shared + numbers[test.cases[0]],
                };
                for test in &file.tests {
                    let cases: Vec<usize> = test.cases.iter().map(|&case| numbers[case]).collect();
                    self.names.extend(cases.iter().map(|&case| (case, test.method.clone())));
                    if cases.len() > 1 {
                        self.shared.insert(id(test), cases);
                    }
                }
                files.push(test_file(file, |test| (id(test), failure(&cases[test.cases[0]].role))));
            }
            self.last.insert(class.clone(), (numbers, emission));
        }
        files
    }

    /// The cases of dropped tests that are in no written test, with the reasons.
    pub fn left_out(
        &self,
        dropped: BTreeMap<usize, DropReason>,
        written: &BTreeSet<usize>,
    ) -> BTreeMap<usize, DropReason> {
        let mut left_out = BTreeMap::new();
        for (id, reason) in &dropped {
            let cases = self.shared.get(id).into_iter().flatten().filter(|case| !written.contains(case));
            left_out.extend(cases.map(|&case| (case, reason.clone())));
        }
        // The result of a case alone says more than that of a test that it shared.
        left_out.extend(dropped.into_iter().filter(|(id, _)| !self.shared.contains_key(id)));
        left_out
    }
}

/// How a test fails that shows a finding; such a test has one case.
fn failure(role: &Role) -> Option<Failure> {
    let Role::Finding(violation) = role else { return None };
    Some(match &violation.thrown {
        Some(thrown) if !is_loop(thrown) => Failure::Exception(thrown.class.binary()),
        _ => Failure::Assertion,
    })
}

/// A file for verification; `role` gives each test's number and how it fails.
fn test_file(file: &SourceFile, role: impl Fn(&EmittedTest) -> (usize, Option<Failure>)) -> TestFile {
    let span = |test: &EmittedTest| {
        let (id, fails) = role(test);
        TestSpan {
            id,
            method: test.method.clone(),
            first_line: test.first_line,
            last_line: test.last_line,
            fails,
            checks: test.checks.clone(),
        }
    };
    TestFile {
        path: file.relative_path(),
        class_name: file.binary_name(),
        text: file.text.clone(),
        tests: file.tests.iter().map(span).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use emitter::JUnitVersion;
    use model::execution::{Execution, Outcome, Value};
    use model::jvm::types::{ClassFacts, access};
    use model::jvm::{Literal, MethodDescriptor, Type};
    use model::sequence::{OperationId, OperationKind, Sequence};

    /// Three cases of a static method that returns its argument, with the numbers 4, 5 and 6.
    fn cases() -> CasesByClass {
        let case = |number: usize| {
            let mut sequence = Sequence::new();
            let literal = Literal::Int(number as i32);
            let argument = sequence.push_literal(literal.clone());
            sequence.push_call(OperationId(0), &[argument]);
            let execution = Execution {
                values: vec![Value::Literal(literal.clone()), Value::Literal(literal)],
                ..Execution::ended(Outcome::Completed)
            };
            (number, TestCase::regression(sequence, execution))
        };
        [(ClassName::new("p/A"), vec![case(4), case(5), case(6)])].into()
    }

    fn operation() -> Operation {
        let descriptor = MethodDescriptor { parameters: vec![Type::INT], returns: Some(Type::INT) };
        Operation::new(OperationKind::StaticMethod, ClassName::new("p/A"), "same", descriptor)
    }

    fn types() -> TypeTable {
        let mut types = TypeTable::default();
        types.insert(ClassFacts {
            name: ClassName::new("p/A"),
            access: access::PUBLIC,
            super_class: None,
            interfaces: Vec::new(),
            outer: None,
            source_simple_name: Some("A".into()),
            signature: None,
            methods: Vec::new(),
            constants: Vec::new(),
        });
        types
    }

    fn ids(files: &[TestFile]) -> Vec<usize> {
        files.iter().flat_map(|file| file.tests.iter().map(|test| test.id)).collect()
    }

    #[test]
    fn cases_of_a_rejected_test_are_verified_separately() {
        let (operations, types, style) = ([operation()], types(), Style::new(JUnitVersion::Five, 8));
        let mut rounds = Rounds::new(cases(), &operations, &types, &style);
        let mut rejected = Rejected::default();
        assert_eq!(ids(&rounds.files(&rejected)), [7 + 4]);

        rejected.dropped.insert(7 + 4, DropReason::Fails("one of three".to_string()));
        assert_eq!(ids(&rounds.files(&rejected)), [4, 5, 6]);
        assert_eq!(rounds.left_out(rejected.dropped.clone(), &[4, 5, 6].into()), BTreeMap::new());

        rejected.dropped.insert(5, DropReason::Fails("alone".to_string()));
        assert_eq!(ids(&rounds.files(&rejected)), [4, 6]);
        let alone = [(5, DropReason::Fails("alone".to_string()))];
        assert_eq!(rounds.left_out(rejected.dropped, &[4, 6].into()), alone.into());
    }

    #[test]
    fn cases_of_a_test_rejected_in_the_last_round_are_dropped() {
        let (operations, types, style) = ([operation()], types(), Style::new(JUnitVersion::Five, 8));
        let mut rounds = Rounds::new(cases(), &operations, &types, &style);
        let mut rejected = Rejected::default();
        rounds.files(&rejected);
        rejected.dropped.insert(7 + 4, DropReason::TimesOut);
        rejected.proved = Some([7 + 4].into());
        assert!(rounds.files(&rejected).is_empty());
        let left_out = [4, 5, 6].map(|case| (case, DropReason::TimesOut));
        assert_eq!(rounds.left_out(rejected.dropped, &BTreeSet::new()), left_out.into());
    }
}

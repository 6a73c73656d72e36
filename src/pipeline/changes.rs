//! Behaviour that changed between two versions of a module: tests that hold for the one, run on the other.

use crate::rounds::Rounds;
use crate::suites::{self, Request, Suites};
use host::classpath::Module;
use host::supervisor::verification::{self, DropReason, Rejected, TestFile, VerificationError};
use report::changes::{Change, Changes};
use std::collections::{BTreeMap, BTreeSet};

/// Runs the suites of the one version on the classes of the other. A test of several cases that fails is run as one of
/// each, so that what is told is small. An error is why not all of it is known.
pub fn find(request: &Request, suites: &Suites, other: &Module) -> (Changes, Option<VerificationError>) {
    let tests = suites.cases.values().map(Vec::len).sum();
    if tests == 0 {
        return (Changes::default(), None);
    }
    let program = &request.subject.program;
    let style = &request.target.style;
    let mut rounds = Rounds::new(suites.cases.clone(), &program.operations, &program.types, style);
    // As each test was last.
    let mut sources: BTreeMap<usize, (String, String)> = BTreeMap::new();
    let emit = &mut |rejected: &Rejected| {
        let mut files = rounds.files(rejected);
        for file in &mut files {
            sources.extend(sources_of(file));
            // What is asserted is what the test is for.
            file.tests.iter_mut().for_each(|test| test.checks.clear());
        }
        files
    };
    let verified = match verification::verify(&suites::verification(request, other, "changes"), emit) {
        Ok(verified) => verified,
        Err(error) => return (Changes::default(), Some(error)),
    };
    let paths: BTreeSet<String> = verified.files.into_iter().map(|file| file.path).collect();
    let kept = rounds.last.values().flat_map(|(numbers, emission)| {
        let whole = emission.files.iter().filter(|file| paths.contains(&file.relative_path()));
        whole.flat_map(|file| &file.tests).flat_map(|test| &test.cases).map(|&case| numbers[case])
    });
    let kept: BTreeSet<usize> = kept.collect();
    let mut changes = Changes { tests, ..Changes::default() };
    for (case, reason) in rounds.left_out(verified.rejected.dropped, &kept) {
        if matches!(reason, DropReason::Flaky(_)) {
            changes.flaky += 1;
            continue;
        }
        let of_case = |cases: &[(usize, _)]| cases.iter().any(|(number, _)| *number == case);
        let class = suites.cases.iter().find(|(_, cases)| of_case(cases)).map(|(class, _)| class.binary());
        let (test, source) = sources.get(&case).cloned().unwrap_or_else(|| {
            let name = rounds.names.get(&case).cloned().unwrap_or_default();
            let shared = sources.values().find(|(method, _)| *method == name);
            (name.clone(), shared.map(|(_, source)| source.clone()).unwrap_or_default())
        });
        let (reason, detail) = suites::drop_reason(reason);
        changes.changes.push(Change { class: class.unwrap_or_default(), test, reason, detail, source });
    }
    changes.changes.sort_by(|one, two| (&one.class, &one.test).cmp(&(&two.class, &two.test)));
    (changes, verified.cut_short.map(VerificationError::from))
}

/// The name and source of each test, by its number.
fn sources_of(file: &TestFile) -> impl Iterator<Item = (usize, (String, String))> {
    let lines: Vec<&str> = file.text.lines().collect();
    file.tests.iter().map(move |test| {
        let lines = &lines[test.first_line - 1..test.last_line];
        let source = lines.iter().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect();
        (test.id, (test.method.clone(), source))
    })
}

//! What a run would find, without a sequence run and without a file written.

use crate::subject::{self, Source, Subject};
use crate::task::writable_root;
use crate::{PipelineError, reporting, task};
use host::classpath::{ClassPath, Jdk, JunitFound, Module};
use host::output::Tree;
use model::options::{Options, Origin};
use smt::{NoZ3, Z3};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Whether there is a solver for symbolic exploration.
pub fn solver() -> Result<(), NoZ3> {
    Z3::start().map(drop)
}

/// What there is to say of a module, and how many of its classes can be tested.
pub fn examine(
    module: &Module,
    options: &Options,
    jdk: &Jdk,
    interrupt: &Arc<AtomicBool>,
) -> Result<(String, usize), PipelineError> {
    let class_path = ClassPath::open(&module.classes, &module.dependencies, jdk.feature_version)?;
    let (classes, excluded) = subject::select(class_path.read_own()?, options);
    let output_directory = module.output_directory(options);
    Tree::look(&output_directory, writable_root(module, &output_directory))?;
    let sandbox = sandbox::attainable(options.sandbox)?;
    let scratch = task::scratch()?;
    let level = subject::source_level(module, &classes, jdk);
    let (tests, unread_tests) = subject::read_tests(module, options, jdk);
    let source = Source { classes: &classes, beside: &excluded, tests: &tests, level, class_path: module.class_path() };
    let (subject, _) = subject::open(source, options, jdk, scratch.path(), interrupt)?;
    let testable = subject.program.targets.iter().filter(|target| !target.operations.is_empty());
    let (count, operations) =
        testable.fold((0, 0), |(classes, operations), target| (classes + 1, operations + target.operations.len()));
    let mut lines = vec![
        ("directory", module.basedir.display().to_string()),
        ("Java", module.source_level.map_or("not said by the build".to_string(), |level| level.to_string())),
        ("JUnit", junit(JunitFound::on(&class_path)).to_string()),
        ("sandbox", sandbox.described()),
        ("tests", output_directory.display().to_string()),
        ("reports", module.reports_directory(options).display().to_string()),
        ("classes", format!("{} found, {count} to test with {operations} operations", classes.len() + excluded.len())),
    ];
    let existing = &subject.program.existing_tests;
    if existing.classes > 0 {
        let from = format!("{} sequences of {} test classes", existing.sequences.len(), existing.classes);
        lines.push(("own tests", from));
    }
    if !excluded.is_empty() {
        lines.push(("", format!("{} left out by settings", excluded.len())));
    }
    let set = options.describe().into_iter().filter(|(_, _, origin)| options.verbose || *origin != Origin::Default);
    lines.extend(set.map(|(name, value, origin)| ("setting", format!("{name} = {value} ({origin})"))));
    lines.extend(class_path.warnings().into_iter().chain(unread_tests).map(|warning| ("warning", warning)));
    lines.extend(untestable(&subject).into_iter().map(|(reason, what)| ("not testable", format!("{what}: {reason}"))));
    let mut text = format!("\n{}\n", module.name);
    for (label, value) in lines {
        writeln!(text, "  {label:<12}  {value}").expect("a string takes all text");
    }
    Ok((text, count))
}

fn junit(found: JunitFound) -> &'static str {
    match (found.four, found.five) {
        (true, true) => "4 and 5",
        (true, false) => "4",
        (false, true) => "5",
        (false, false) => "none on the class path",
    }
}

/// What no test can use, with the reason's code and what was seen.
fn untestable(subject: &Subject) -> Vec<(String, String)> {
    let skipped = subject.program.skipped.iter().map(|skipped| {
        let (reason, detail) = reporting::of_skip(&skipped.reason);
        let what = match &skipped.member {
            Some(member) => member.clone(),
            None => skipped.class.to_string(),
        };
        (with_detail(&reason.to_string(), &detail), what)
    });
    let unreadable =
        subject.unreadable.iter().map(|(class, message)| (with_detail("unreadable", message), class.to_string()));
    skipped.chain(unreadable).collect()
}

fn with_detail(reason: &str, detail: &str) -> String {
    if detail.is_empty() { reason.to_string() } else { format!("{reason} ({detail})") }
}

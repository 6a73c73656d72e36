//! Joins the results of shards that ran on several machines to those of one run.
//!
//! Each directory has the layout of the project, or of the part of it that a machine sent; results at the same place below
//! several directories belong to one module. If a shard is missing, nothing is joined: no gate should pass because results
//! are missing.

use crate::last_run::{Generated, LastRun};
use crate::specs::page;
use crate::{PipelineError, sources, writing};
use host::output::{self, GeneratedFile, Header, Tree};
use model::options::{OutputFormat, Shard};
use report::specifications::{SPECS, SpecificationReport};
use report::{self, RunReport};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Why there is nothing whole to join.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// None of these directories has the report of a shard.
    #[error("no report of a finished run in {}: a shard leaves report.json and run.json", list(.0))]
    NoReports(Vec<PathBuf>),
    /// The files in this directory differ from what its run recorded.
    #[error("the files in {0} were changed after the run")]
    Changed(PathBuf),
    /// The reports cannot be of shards of one run.
    #[error("{one} and {other} are not shards of the same run: classes, settings or randgen's version differ")]
    OtherInputs {
        /// A directory of reports.
        one: PathBuf,
        /// Another one.
        other: PathBuf,
    },
    /// Two reports have the same shard.
    #[error("{one} and {other} are the same shard of {module}")]
    Twice {
        /// Its name.
        module: String,
        /// A directory of reports.
        one: PathBuf,
        /// Another one.
        other: PathBuf,
    },
    /// A shard has no report that can be used.
    #[error("shard {missing} of {module} is missing, or its run ended early")]
    Incomplete {
        /// Its name.
        module: String,
        /// The first such shard.
        missing: Shard,
    },
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// What a machine left of a module.
struct Part {
    run: LastRun,
    generated: Generated,
    reports: PathBuf,
    /// Where its tests are below the directory that the user named; `None` where that has none.
    tests: Option<PathBuf>,
}

/// Joins what the directories hold, module by module, and writes it to `output`; what there is to say of each module, with
/// the directory of its reports.
pub fn merge(directories: &[PathBuf], output: &Path) -> Result<Vec<(RunReport, PathBuf)>, PipelineError> {
    // By the place of the reports.
    let mut modules: BTreeMap<PathBuf, Vec<Part>> = BTreeMap::new();
    for directory in directories {
        for (place, part) in parts(directory)? {
            modules.entry(place).or_default().push(part);
        }
    }
    if modules.is_empty() {
        return Err(MergeError::NoReports(directories.to_vec()).into());
    }
    modules.values().try_for_each(|parts| check_whole(parts))?;
    let written = modules.into_iter().map(|(place, parts)| Ok((write(output, &place, parts)?, output.join(&place))));
    written.collect()
}

/// The parts below a directory, each with the place of its reports there.
fn parts(directory: &Path) -> Result<Vec<(PathBuf, Part)>, MergeError> {
    let entries = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter().flatten();
    let notes = entries.filter(|entry| entry.file_name() == LastRun::FILE_NAME && entry.file_type().is_file());
    let part = |note: walkdir::DirEntry| {
        let reports = note.path().parent().expect("a file lies in a directory").to_path_buf();
        let below = |path: &Path| path.strip_prefix(directory).expect("the walk starts there").to_path_buf();
        let changed = || MergeError::Changed(reports.clone());
        let run = LastRun::read(&reports).ok_or_else(changed)?;
        let around = reports.ancestors().take_while(|path| path.starts_with(directory));
        let named = Path::new(&run.report.files.directory);
        let leads_up = named.components().any(|component| component == Component::ParentDir);
        let tests = around.map(|path| path.join(named)).find(|path| path.starts_with(directory) && path.is_dir());
        let tests = tests.filter(|_| !leads_up);
        let generated = run.generated(tests.as_deref(), &reports).ok_or_else(changed)?;
        let tests = tests.map(|path| below(&path));
        Ok((below(&reports), Part { run, generated, reports, tests }))
    };
    notes.map(part).collect()
}

/// Refuses parts of which some are missing, or that were made from different things.
fn check_whole(parts: &[Part]) -> Result<(), MergeError> {
    let mut numbers: BTreeMap<u32, &Part> = BTreeMap::new();
    for part in parts {
        let module = &part.run.report.module;
        if !part.run.is_like(&parts[0].run) {
            return Err(MergeError::OtherInputs { one: parts[0].reports.clone(), other: part.reports.clone() });
        }
        let number = part.run.report.shard.map_or(1, |shard| shard.number);
        if let Some(first) = numbers.insert(number, part) {
            let (module, one, other) = (module.clone(), first.reports.clone(), part.reports.clone());
            return Err(MergeError::Twice { module, one, other });
        }
    }
    let RunReport { module, shard, .. } = &parts[0].run.report;
    let count = shard.map_or(1, |shard| shard.count);
    match (1..=count).find(|number| !numbers.contains_key(number)) {
        Some(number) => Err(MergeError::Incomplete { module: module.clone(), missing: Shard { number, count } }),
        None => Ok(()),
    }
}

/// Writes tests and reports of a whole module where its parts had them.
fn write(root: &Path, place: &Path, parts: Vec<Part>) -> Result<RunReport, PipelineError> {
    let tests = parts.iter().find_map(|part| part.tests.clone());
    let reports_directory = root.join(place);
    let specification = specification(&reports_directory, &parts);
    let (runs, generated): (Vec<LastRun>, Vec<Generated>) =
        parts.into_iter().map(|part| (part.run, part.generated)).unzip();
    let mut runs = runs.into_iter();
    let first = runs.next().expect("a module is there for its parts");
    let mut run = runs.fold(first, LastRun::join);
    run.report.shard = None;
    let (mut files, mut findings) = (Vec::new(), Vec::new());
    for part in generated {
        files.extend(part.tests);
        findings.extend(part.findings);
    }
    let mut names = report::fixed_names(&OutputFormat::ALL);
    names.extend(specification.is_some().then_some(SPECS));
    output::check_reports(&reports_directory, root, &names)?;
    if let Some(tests) = &tests {
        let header = Header { version: &run.report.version, module: &run.report.module, seed: run.report.seed };
        let tree = Tree::open(&root.join(tests), root)?;
        let plan = tree.plan_whole(&files, &header, |_| true)?;
        let directory = std::mem::take(&mut run.report.files.directory);
        run.report.files = writing::file_changes(directory, &tree.commit(plan)?);
    }
    let texts = sources::texts(&run.report, root);
    let reports = report::files(&run.report, None, &texts, specification.as_ref(), &OutputFormat::ALL)?;
    let report = run.report.clone();
    output::write_reports(&reports_directory, root, &report.module, &run.files(reports, &findings))?;
    if let Some(specification) = specification {
        let file = specification.json()?;
        let file = GeneratedFile { path: file.name.into(), text: file.text };
        output::write_reports(&reports_directory, root, &page::owner(&report.module), &[file])?;
    }
    Ok(report)
}

/// The joined specification of the parts. If no part inferred one, it has what the last report in the directory inferred.
fn specification(reports_directory: &Path, parts: &[Part]) -> Option<SpecificationReport> {
    let read = |directory: &Path| page::read(directory, &parts[0].run.report.module);
    let of_parts = parts.iter().filter_map(|part| read(&part.reports));
    of_parts.chain(read(reports_directory).map(SpecificationReport::inferred)).reduce(SpecificationReport::join)
}

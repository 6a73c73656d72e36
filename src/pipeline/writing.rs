//! Puts the tests of a command into the module, in place of those that earlier runs with the same label wrote.

use host::classpath::Module;
use host::output::{self, GeneratedFile, Header, OutputError, Tree};
use model::options::Options;
use program::Program;
use report::{FileChanges, ReportFile};
use std::path::{Path, PathBuf};

/// Which tests of earlier runs with the label are of the classes that this run was about; after a run that ended early, none
/// is removed.
pub fn stale(
    program: Option<&Program>,
    is_whole: bool,
    options: &Options,
    label: &'static str,
) -> impl Fn(&Path) -> bool {
    let is_about_all = options.target_classes.is_empty() && options.shard.is_none();
    move |path| {
        let is_of = |program: &Program| {
            program.targets.iter().any(|target| emitter::is_test_of(path, &target.name, &program.types, label))
        };
        is_whole && (is_about_all && emitter::is_test_file(path, label) || program.is_some_and(is_of))
    }
}

/// Replaces tests in the module, and removes those that are stale.
pub fn write_tests(
    tree: Tree,
    files: &[GeneratedFile],
    is_stale: &dyn Fn(&Path) -> bool,
    module: &Module,
    options: &Options,
) -> Result<FileChanges, OutputError> {
    let header = Header { version: env!("CARGO_PKG_VERSION"), module: &module.name, seed: options.seed };
    let plan = tree.plan(files, &header, is_stale)?;
    tracing::debug!(files = files.len(), dry_run = options.dry_run, "files planned");
    let changes = if options.dry_run { plan.changes().clone() } else { tree.commit(plan)? };
    Ok(file_changes(options.output_directory.display().to_string(), &changes))
}

/// For the report.
pub fn file_changes(directory: String, changes: &output::Changes) -> FileChanges {
    let names = |paths: &[PathBuf]| paths.iter().map(|path| path.to_string_lossy().replace('\\', "/")).collect();
    FileChanges {
        directory,
        written: names(&changes.written),
        unchanged: names(&changes.unchanged),
        kept: names(&changes.kept),
        removed: names(&changes.removed),
    }
}

/// Rendered reports as files to write.
pub fn report_files(files: Vec<ReportFile>) -> Vec<GeneratedFile> {
    files.into_iter().map(|file| GeneratedFile { path: file.name.into(), text: file.text }).collect()
}

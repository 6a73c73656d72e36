//! Reports: files that are listed as randgen's, so the old ones are replaced without a question.

use super::{GeneratedFile, Machine, OutputError, create_directories, remove_empty, replace_all, stays_inside};
use crate::files::{self, is_plain};
use model::digest;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lists the files of the last runs, each with its module and a hash of its content, so that the module's next run can remove
/// what it does not write again.
const LIST: &str = ".randgen-reports";

/// Makes sure that reports with these names can be written to `directory`, and leaves no trace of that.
pub fn check_reports(directory: &Path, project_root: &Path, names: &[&str]) -> Result<(), OutputError> {
    stays_inside(&Machine, directory, project_root)?;
    refuse_foreign(directory, &listed(directory), names.iter().map(Path::new))?;
    let created = create_directories(&Machine, directory)?;
    let written = tempfile::tempfile_in(directory);
    remove_empty(&Machine, &created);
    written.map(drop).map_err(|source| OutputError::NotWritable { path: directory.to_path_buf(), source })
}

/// Replaces the reports of the module's last run in `directory` by `files`, whose text is written as it is.
pub fn write_reports(
    directory: &Path,
    project_root: &Path,
    module: &str,
    files: &[GeneratedFile],
) -> Result<(), OutputError> {
    let is_stale = |path: &Path, owner: &str| owner == module && files.iter().all(|file| file.path != path);
    put(directory, project_root, module, files, &is_stale)
}

/// Writes a report of the module; its others stay.
pub fn write_report(
    directory: &Path,
    project_root: &Path,
    module: &str,
    file: GeneratedFile,
) -> Result<(), OutputError> {
    put(directory, project_root, module, &[file], &|_, _| false)
}

/// The module that a report is of; `None` if it is not there, or none of ours.
pub fn module_of_report(directory: &Path, name: &str) -> Option<String> {
    let listed = listed(directory).remove(Path::new(name))?;
    directory.join(name).exists().then_some(listed.module)
}

fn put(
    directory: &Path,
    project_root: &Path,
    module: &str,
    files: &[GeneratedFile],
    is_stale: &dyn Fn(&Path, &str) -> bool,
) -> Result<(), OutputError> {
    stays_inside(&Machine, directory, project_root)?;
    create_directories(&Machine, directory)?;
    if let Some(file) = files.iter().find(|file| !is_plain(&file.path)) {
        return Err(OutputError::OutsideProject { directory: directory.to_path_buf(), target: file.path.clone() });
    }
    let old = listed(directory);
    refuse_foreign(directory, &old, files.iter().map(|file| file.path.as_path()))?;
    let (stale, others): (Vec<_>, Vec<_>) = old.into_iter().partition(|(path, old)| is_stale(path, &old.module));
    let entry = |file: &GeneratedFile| Listed { module: module.to_string(), hash: hash(file.text.as_bytes()) };
    let new = files.iter().map(|file| (file.path.clone(), entry(file)));
    let list: BTreeMap<PathBuf, Listed> = others.into_iter().chain(new).collect();
    let line = |(path, Listed { module, hash }): (&PathBuf, &Listed)| format!("{}\t{module}\t{hash}\n", path.display());
    let list: String = list.iter().map(line).collect();
    let mut texts: Vec<(PathBuf, &[u8])> =
        files.iter().map(|file| (directory.join(&file.path), file.text.as_bytes())).collect();
    for (target, _) in &texts {
        stays_inside(&Machine, target.parent().unwrap_or(directory), directory)?;
    }
    texts.push((directory.join(LIST), list.as_bytes()));
    replace_all(&Machine, &texts)?;
    for (path, old) in stale {
        // The list lies in the project, and so may links in the directory: neither leads to a file outside, nor to one that no
        // run has written.
        let is_inside = is_plain(&path) && has_no_links(directory, path.parent().unwrap_or(Path::new("")));
        if is_inside && files::read(&directory.join(&path)).is_ok_and(|bytes| hash(&bytes) == old.hash) {
            // Gone already, or not ours to remove: no reason to fail after the reports are written.
            let _ = fs::remove_file(directory.join(path));
        }
    }
    Ok(())
}

/// Whether each part of `path` is a directory below `directory`, and none a link.
fn has_no_links(directory: &Path, path: &Path) -> bool {
    let parts = path.ancestors().filter(|part| !part.as_os_str().is_empty());
    parts.into_iter().all(|part| fs::symlink_metadata(directory.join(part)).is_ok_and(|about| about.is_dir()))
}

/// What the list says of a report.
struct Listed {
    module: String,
    /// Empty where an earlier version wrote the list.
    hash: String,
}

fn hash(bytes: &[u8]) -> String {
    digest::hex(Sha256::new_with_prefix(bytes))
}

/// The reports of earlier runs.
fn listed(directory: &Path) -> BTreeMap<PathBuf, Listed> {
    let path = directory.join(LIST);
    let is_file = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file());
    let list = is_file.then(|| files::read_text(&path).ok()).flatten().unwrap_or_default();
    let entry = |line: &str| {
        let mut parts = line.split('\t').map(str::to_string);
        let path = PathBuf::from(parts.next()?);
        let mut next = || parts.next().unwrap_or_default();
        Some((path, Listed { module: next(), hash: next() }))
    };
    list.lines().filter_map(entry).collect()
}

/// A file that no run has written may be worth more than a report.
fn refuse_foreign<'a>(
    directory: &Path,
    listed: &BTreeMap<PathBuf, Listed>,
    names: impl IntoIterator<Item = &'a Path>,
) -> Result<(), OutputError> {
    let mut unlisted = names.into_iter().filter(|name| !listed.contains_key(*name)).map(|name| directory.join(name));
    match unlisted.find(|path| fs::symlink_metadata(path).is_ok()) {
        Some(path) => Err(OutputError::ForeignReport { path }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_of_reports_directory_changes_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        check_reports(&scratch.path().join("target/randgen"), scratch.path(), &["report.md"]).unwrap();
        assert!(!scratch.path().join("target").exists());
        fs::write(scratch.path().join("target"), "").unwrap();
        let error = check_reports(&scratch.path().join("target/randgen"), scratch.path(), &["report.md"]).unwrap_err();
        assert!(matches!(error, OutputError::NotADirectory { .. }), "{error}");
    }

    #[test]
    fn reports_of_the_last_run_are_replaced_and_other_files_stay() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("target/randgen");
        let file = |path: &str, text: &str| GeneratedFile { path: PathBuf::from(path), text: text.to_string() };
        write_reports(&directory, scratch.path(), "shop", &[file("junit/A.xml", "1"), file("report.json", "1")])
            .unwrap();
        fs::write(directory.join("mine.txt"), "").unwrap();
        write_reports(&directory, scratch.path(), "shop", &[file("junit/B.xml", "2"), file("report.json", "2")])
            .unwrap();
        assert_eq!(fs::read_to_string(directory.join("report.json")).unwrap(), "2");
        assert!(!directory.join("junit/A.xml").exists() && directory.join("junit/B.xml").exists());
        assert!(directory.join("mine.txt").exists());
    }

    #[test]
    fn forged_list_of_reports_removes_no_file_that_no_run_has_written() {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        fs::create_dir_all(path(".git/refs/heads")).unwrap();
        let kept = [".git/refs/heads/mine", "notes.md", "edited.xml"];
        for name in kept {
            fs::write(path(name), "text").unwrap();
        }
        fs::write(path("gone.xml"), "text").unwrap();
        let other = hash(b"another text");
        let forged = format!(
            "{}\tshop\t{other}\n{}\tshop\n{}\tshop\t{other}\ngone.xml\tshop\t{}\n",
            kept[0],
            kept[1],
            kept[2],
            hash(b"text")
        );
        fs::write(path(LIST), forged).unwrap();
        let report = GeneratedFile { path: "report.md".into(), text: String::new() };
        write_reports(scratch.path(), scratch.path(), "shop", &[report]).unwrap();
        for name in kept {
            assert!(path(name).exists(), "{name}");
        }
        assert!(!path("gone.xml").exists());
    }

    #[test]
    fn forged_list_of_reports_removes_nothing_outside() {
        let scratch = tempfile::tempdir().unwrap();
        let (directory, outside) = (scratch.path().join("target/randgen"), scratch.path().join("outside"));
        fs::create_dir_all(&directory).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "text").unwrap();
        std::os::unix::fs::symlink(&outside, directory.join("link")).unwrap();
        fs::create_dir(directory.join("inner")).unwrap();
        std::os::unix::fs::symlink(&outside, directory.join("inner/link")).unwrap();
        let absolute = outside.join("kept").display().to_string();
        let forged = ["link/kept", "inner/link/kept", "../../outside/kept", &absolute, "link/../link/kept"];
        let forged = forged.map(|path| format!("{path}\tshop\t{}\n", hash(b"text"))).concat();
        fs::write(directory.join(LIST), forged).unwrap();
        let report = GeneratedFile { path: "report.md".into(), text: String::new() };
        write_reports(&directory, &directory, "shop", &[report]).unwrap();
        assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "text");
        // Nor is anything written there.
        for path in ["link/report.md", "../../outside/report.md", "inner/link/report.md"] {
            let report = GeneratedFile { path: path.into(), text: String::new() };
            let refused = write_report(&directory, &directory, "shop", report);
            assert!(matches!(refused, Err(OutputError::OutsideProject { .. })), "{path}: {refused:?}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }

    #[test]
    fn reports_of_another_module_stay() {
        let scratch = tempfile::tempdir().unwrap();
        let write = |module: &str, names: &[&str]| {
            let file = |name: &&str| GeneratedFile { path: PathBuf::from(name), text: module.to_string() };
            write_reports(scratch.path(), scratch.path(), module, &names.iter().map(file).collect::<Vec<_>>()).unwrap();
        };
        write("shop", &["Shop.xml", "report.md"]);
        write("stock", &["Stock.xml", "report.md"]);
        write("shop", &["report.md"]);
        let left = |name: &str| fs::read_to_string(scratch.path().join(name)).ok();
        assert_eq!((left("Shop.xml"), left("Stock.xml").as_deref()), (None, Some("stock")));
        assert_eq!(left("report.md").as_deref(), Some("shop"));
    }

    #[test]
    fn report_replaced_by_another_command_belongs_to_the_new_module() {
        let scratch = tempfile::tempdir().unwrap();
        let file = |path: &str| GeneratedFile { path: path.into(), text: String::new() };
        let path = |name: &str| scratch.path().join(name);
        write_reports(scratch.path(), scratch.path(), "shop", &[file("report.json")]).unwrap();
        write_reports(scratch.path(), scratch.path(), "shop specs", &[file("specs.json"), file("report.html")])
            .unwrap();
        write_report(scratch.path(), scratch.path(), "shop", file("report.html")).unwrap();
        assert!(path("report.json").exists() && path("report.html").exists());
        let module = |name| module_of_report(scratch.path(), name);
        assert_eq!((module("report.html").as_deref(), module("report.md")), (Some("shop"), None));
        write_reports(scratch.path(), scratch.path(), "shop specs", &[file("specs.json")]).unwrap();
        assert!(path("report.html").exists());
        write_reports(scratch.path(), scratch.path(), "shop", &[file("report.json")]).unwrap();
        assert!(!path("report.html").exists() && module("report.html").is_none());
    }

    #[test]
    fn foreign_file_with_the_name_of_a_report_is_not_replaced() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("report.md");
        fs::write(&path, "mine").unwrap();
        let report = GeneratedFile { path: "report.md".into(), text: String::new() };
        for refused in [
            check_reports(scratch.path(), scratch.path(), &["report.json", "report.md"]),
            write_reports(scratch.path(), scratch.path(), "shop", std::slice::from_ref(&report)),
        ] {
            assert!(matches!(refused, Err(OutputError::ForeignReport { .. })), "{refused:?}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        fs::remove_file(&path).unwrap();
        write_reports(scratch.path(), scratch.path(), "shop", &[report]).unwrap();
        check_reports(scratch.path(), scratch.path(), &["report.md"]).unwrap();
    }
}

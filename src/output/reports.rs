//! Reports: files that are randgen's alone, so the old ones are replaced without a question.

use super::{GeneratedFile, OutputError, create_directories, remove_empty, replace_all, stays_inside};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Lists the files of the last run, so that the next one can remove what it does not write again.
const LIST: &str = ".randgen-reports";

/// Makes sure that reports can be written to `directory`, and leaves no trace of that.
pub fn check_reports(directory: &Path, project_root: &Path) -> Result<(), OutputError> {
    stays_inside(directory, project_root)?;
    let created = create_directories(directory)?;
    let written = tempfile::tempfile_in(directory);
    remove_empty(&created);
    written.map(drop).map_err(|source| OutputError::NotWritable { path: directory.to_path_buf(), source })
}

/// Replaces the reports of the last run in `directory` by `files`, whose text is written as it is.
pub fn write_reports(directory: &Path, project_root: &Path, files: &[GeneratedFile]) -> Result<(), OutputError> {
    stays_inside(directory, project_root)?;
    create_directories(directory)?;
    let list = directory.join(LIST);
    let old = fs::read_to_string(&list).unwrap_or_default();
    let mut names: Vec<String> = files.iter().map(|file| file.path.to_string_lossy().into_owned()).collect();
    names.sort();
    let names: String = names.into_iter().map(|name| name + "\n").collect();
    let mut texts: Vec<(PathBuf, &str)> =
        files.iter().map(|file| (directory.join(&file.path), file.text.as_str())).collect();
    for (target, _) in &texts {
        stays_inside(target.parent().unwrap_or(directory), directory)?;
    }
    texts.push((list, &names));
    replace_all(&texts)?;
    for line in old.lines() {
        let path = Path::new(line);
        let is_below = path.components().all(|component| matches!(component, Component::Normal(_)));
        if is_below && !files.iter().any(|file| file.path == path) {
            // Gone already, or not ours to remove: no reason to fail after the reports are written.
            let _ = fs::remove_file(directory.join(path));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_takes_reports_is_left_as_it_was() {
        let scratch = tempfile::tempdir().unwrap();
        check_reports(&scratch.path().join("target/randgen"), scratch.path()).unwrap();
        assert!(!scratch.path().join("target").exists());
        fs::write(scratch.path().join("target"), "").unwrap();
        let error = check_reports(&scratch.path().join("target/randgen"), scratch.path()).unwrap_err();
        assert!(matches!(error, OutputError::NotADirectory { .. }), "{error}");
    }

    #[test]
    fn reports_of_the_last_run_are_replaced_and_other_files_stay() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().join("target/randgen");
        let file = |path: &str, text: &str| GeneratedFile { path: PathBuf::from(path), text: text.to_string() };
        write_reports(&directory, scratch.path(), &[file("junit/A.xml", "1"), file("report.json", "1")]).unwrap();
        fs::write(directory.join("mine.txt"), "").unwrap();
        write_reports(&directory, scratch.path(), &[file("junit/B.xml", "2"), file("report.json", "2")]).unwrap();
        assert_eq!(fs::read_to_string(directory.join("report.json")).unwrap(), "2");
        assert!(!directory.join("junit/A.xml").exists() && directory.join("junit/B.xml").exists());
        assert!(directory.join("mine.txt").exists());
    }
}

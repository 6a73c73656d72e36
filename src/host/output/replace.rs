//! Puts new texts in the place of old ones.

use super::{Disk, OutputError};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Ends the name of a file that is written but not yet in its place.
pub(super) const STAGED: &str = ".randgen-tmp";

/// Puts every text in its place, all or (but for a failing rename) none.
pub(super) fn replace_all(disk: &dyn Disk, texts: &[(PathBuf, &[u8])]) -> Result<(), OutputError> {
    let mut staging = Staging { disk, files: Vec::new(), created: Vec::new() };
    for (target, text) in texts {
        let directory = target.parent().expect("a file lies in a directory");
        staging.created.extend(create_directories(disk, directory)?);
        let mut name = target.file_name().expect("a file has a name").to_os_string();
        name.push(STAGED);
        let staged = directory.join(name);
        stage(disk, &staged, target, text).map_err(|source| {
            let _ = disk.remove(&staged);
            OutputError::NotWritable { path: target.clone(), source }
        })?;
        staging.files.push((staged, target));
    }
    let mut directories = BTreeSet::new();
    while let Some((staged, target)) = staging.files.pop() {
        disk.rename(&staged, target).map_err(|source| {
            let _ = disk.remove(&staged);
            OutputError::NotWritable { path: target.to_path_buf(), source }
        })?;
        directories.extend(target.parent());
    }
    for directory in directories {
        // Where the system can; the texts are safe already.
        let _ = disk.sync(directory);
    }
    Ok(())
}

/// Makes a directory and those around it; returns what was not there before, outermost first.
pub(super) fn create_directories(disk: &dyn Disk, directory: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && disk.entry(path).is_err();
    let mut created: Vec<PathBuf> = directory.ancestors().take_while(is_missing).map(Path::to_path_buf).collect();
    created.reverse();
    disk.create_directories(directory).map_err(|source| {
        remove_empty(disk, &created);
        OutputError::NotWritable { path: directory.to_path_buf(), source }
    })?;
    Ok(created)
}

pub(super) fn remove_empty(disk: &dyn Disk, created: &[PathBuf]) {
    for directory in created.iter().rev() {
        // Refused when something is in it, as it should be.
        let _ = disk.remove_directory(directory);
    }
}

/// Writes `text` beside its `target`.
fn stage(disk: &dyn Disk, path: &Path, target: &Path, text: &[u8]) -> io::Result<()> {
    // What a killed run left behind, or a link: never written through.
    match disk.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = disk.create(path, target)?;
    file.write(text)?;
    file.sync()
}

/// Files beside their places, and new directories. Dropping it removes the files that are not in their place, and the
/// directories that are empty.
struct Staging<'a> {
    disk: &'a dyn Disk,
    files: Vec<(PathBuf, &'a Path)>,
    created: Vec<PathBuf>,
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        for (staged, _) in &self.files {
            let _ = self.disk.remove(staged);
        }
        remove_empty(self.disk, &self.created);
    }
}

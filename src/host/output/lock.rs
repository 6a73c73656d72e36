//! Keeps a second run out of an output directory while the first is at work.
//!
//! The system's lock on an open file decides, and ends with its process however that dies; the file's text, the owner's
//! process id, is only for the message.

use super::{DirectoryLock, OutputError};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = ".randgen.lock";

#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    /// `None` only while it is dropped.
    file: Option<File>,
}

impl Lock {
    pub(super) fn take(directory: &Path) -> Result<Lock, OutputError> {
        let path = directory.join(NAME);
        let failed = |source| OutputError::NotWritable { path: directory.to_path_buf(), source };
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            // A link in the lock's place would have its target overwritten.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
            let mut file = options.open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let pid = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
                    return Err(OutputError::Busy { directory: directory.to_path_buf(), pid });
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
            // The owner before may have removed the file after it was opened here: then this lock guards nothing.
            if !is_same_file(&file, &path) {
                continue;
            }
            file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(failed)?;
            return Ok(Lock { path, file: Some(file) });
        }
    }
}

impl DirectoryLock for Lock {
    fn holds(&self) -> bool {
        self.file.as_ref().is_some_and(|file| is_same_file(file, &self.path))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if cfg!(windows) {
            // An open file cannot be removed there.
            self.file = None;
        }
        // Somebody may have cleaned the directory and another run taken a lock of its own there.
        if self.file.as_ref().is_none_or(|file| is_same_file(file, &self.path)) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same_file(_file: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn lock_file_that_is_a_symlink_is_not_followed() {
        let scratch = tempfile::tempdir().unwrap();
        let (directory, precious) = (scratch.path().join("generated"), scratch.path().join("pom.xml"));
        fs::create_dir(&directory).unwrap();
        fs::write(&precious, "<project/>").unwrap();
        std::os::unix::fs::symlink(&precious, directory.join(NAME)).unwrap();
        assert!(matches!(Lock::take(&directory), Err(OutputError::NotWritable { .. })));
        assert_eq!(fs::read_to_string(&precious).unwrap(), "<project/>");
    }

    #[test]
    fn run_whose_lock_was_deleted_does_not_remove_the_lock_of_the_next_run() {
        let scratch = tempfile::tempdir().unwrap();
        let first = Lock::take(scratch.path()).unwrap();
        fs::remove_file(scratch.path().join(NAME)).unwrap();
        let _second = Lock::take(scratch.path()).unwrap();
        drop(first);
        assert!(matches!(Lock::take(scratch.path()), Err(OutputError::Busy { .. })));
    }
}

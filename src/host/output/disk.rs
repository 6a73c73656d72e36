//! What the writer needs of a file system, and that of the machine.
//!
//! In the simulation (`tests/robustness/simulation.rs`) it is another, which is full, broken or cut off when a seed says so.

use super::OutputError;
use super::lock::Lock;
use crate::files;
use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Whole files, and directories.
pub trait Disk: Debug {
    /// What is there; a link is something else, whatever it leads to.
    fn entry(&self, path: &Path) -> io::Result<Entry>;

    /// The path without links.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf>;

    /// All bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Files below a directory, sorted; links are not followed.
    fn files(&self, directory: &Path) -> io::Result<Vec<PathBuf>>;

    /// Makes a directory and those around it.
    fn create_directories(&self, path: &Path) -> io::Result<()>;

    /// Removes a directory that is empty.
    fn remove_directory(&self, path: &Path) -> io::Result<()>;

    /// Makes a file, with the permissions of the one at `like` if there is one.
    fn create(&self, path: &Path, like: &Path) -> io::Result<Box<dyn NewFile>>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Moves a file in the place of another.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Returns when renames in the directory would last through a power cut.
    fn sync(&self, directory: &Path) -> io::Result<()>;

    /// Keeps other runs out of the directory until it is dropped.
    fn lock(&self, directory: &Path) -> Result<Box<dyn DirectoryLock>, OutputError>;
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A link, or something special.
    Other,
}

/// A file that is being written.
pub trait NewFile {
    /// Appends the bytes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Returns when what was written would last through a power cut.
    fn sync(&mut self) -> io::Result<()>;
}

/// A lock of a directory.
pub trait DirectoryLock: Debug {
    /// Whether it still keeps others out: somebody may have cleaned the directory.
    fn holds(&self) -> bool;
}

/// The machine's file systems.
#[derive(Debug)]
pub(super) struct Machine;

impl Disk for Machine {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        let kind = fs::symlink_metadata(path)?.file_type();
        Ok(match () {
            () if kind.is_file() => Entry::File,
            () if kind.is_dir() => Entry::Directory,
            () => Entry::Other,
        })
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        files::read(path)
    }

    fn files(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let entries = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter();
        let files = entries.filter(|entry| entry.as_ref().map_or(true, |entry| entry.file_type().is_file()));
        Ok(files.map(|entry| Ok(entry?.into_path())).collect::<Result<_, walkdir::Error>>()?)
    }

    fn create_directories(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn create(&self, path: &Path, like: &Path) -> io::Result<Box<dyn NewFile>> {
        let file = File::create_new(path)?;
        if let Ok(old) = fs::symlink_metadata(like)
            && old.is_file()
        {
            file.set_permissions(old.permissions())?;
        }
        Ok(Box::new(file))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync(&self, directory: &Path) -> io::Result<()> {
        File::open(directory)?.sync_all()
    }

    fn lock(&self, directory: &Path) -> Result<Box<dyn DirectoryLock>, OutputError> {
        Ok(Box::new(Lock::take(directory)?))
    }
}

impl NewFile for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

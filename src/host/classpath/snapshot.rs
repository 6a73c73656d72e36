//! The files of a version of a module, kept as a jar for a later run.

use crate::files;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Larger files are no code, and left out.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Nothing that is larger in all is kept.
const MOST_BYTES: usize = 512 << 20;

/// Class files and resources by their path, with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<String, Vec<u8>>);

impl Snapshot {
    /// What a JVM finds in these directories and jars; of two files of a path the first. Files that links of a directory lead to
    /// outside of it are left out: code under test may not read them, and could read the jar.
    ///
    /// # Errors
    ///
    /// If an entry is neither a directory nor a jar, or cannot be read; or if all is larger than modules are.
    pub fn of(entries: &[PathBuf]) -> io::Result<Snapshot> {
        let mut snapshot = Snapshot::default();
        let mut left = MOST_BYTES;
        for entry in entries {
            let about = std::fs::metadata(entry)?;
            match (about.is_dir(), about.is_file()) {
                (true, _) => snapshot.add_directory(entry, &mut left)?,
                (_, true) => snapshot.add_jar(entry, &mut left)?,
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        Ok(snapshot)
    }

    /// The jar of these files, the same bytes for the same files.
    ///
    /// # Errors
    ///
    /// If the files are too many or too large for the format.
    pub fn to_jar(&self) -> io::Result<Vec<u8>> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default());
        for (name, bytes) in &self.0 {
            writer.start_file(name.as_str(), options).map_err(io::Error::other)?;
            writer.write_all(bytes)?;
        }
        Ok(writer.finish().map_err(io::Error::other)?.into_inner())
    }

    fn add_directory(&mut self, directory: &Path, left: &mut usize) -> io::Result<()> {
        for found in files::below(directory)? {
            let Some(below) = found.strip_prefix(directory).ok().and_then(Path::to_str) else { continue };
            if std::fs::metadata(&found)?.len() <= MAX_FILE_BYTES {
                self.add(below.replace('\\', "/"), files::read(&found)?, left)?;
            }
        }
        Ok(())
    }

    fn add_jar(&mut self, jar: &Path, left: &mut usize) -> io::Result<()> {
        let mut archive = ZipArchive::new(BufReader::new(File::open(jar)?)).map_err(io::Error::other)?;
        for index in 0..archive.len() {
            let member = archive.by_index(index).map_err(io::Error::other)?;
            let name = member.name().map_err(io::Error::other)?.into_owned();
            if !member.is_file() || member.size() > MAX_FILE_BYTES {
                continue;
            }
            let mut bytes = Vec::new();
            member.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
            self.add(name, bytes, left)?;
        }
        Ok(())
    }

    fn add(&mut self, name: String, bytes: Vec<u8>, left: &mut usize) -> io::Result<()> {
        *left = left.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        self.0.entry(name).or_insert(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn jar_of_a_snapshot_has_the_same_files_and_the_same_bytes_each_time() {
        let scratch = tempfile::tempdir().unwrap();
        let classes = scratch.path().join("classes");
        fs::create_dir_all(classes.join("p")).unwrap();
        fs::write(classes.join("p/A.class"), b"\xca\xfe").unwrap();
        fs::write(classes.join("words.txt"), "word\n").unwrap();
        let snapshot = Snapshot::of(std::slice::from_ref(&classes)).unwrap();
        let jar = scratch.path().join("passed.jar");
        fs::write(&jar, snapshot.to_jar().unwrap()).unwrap();
        assert_eq!(Snapshot::of(std::slice::from_ref(&jar)).unwrap(), snapshot);
        assert_eq!(snapshot.to_jar().unwrap(), fs::read(&jar).unwrap());
        fs::write(classes.join("p/A.class"), b"\xca\xff").unwrap();
        assert_ne!(Snapshot::of(&[classes]).unwrap(), snapshot);
        fs::write(&jar, "no jar").unwrap();
        assert!(Snapshot::of(&[jar]).is_err());
    }

    #[test]
    fn files_outside_that_links_lead_to_are_not_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir_all(at("classes/p")).unwrap();
        fs::create_dir(at("home")).unwrap();
        fs::write(at("home/secret"), "pSsT-4711").unwrap();
        std::os::unix::fs::symlink(at("home/secret"), at("classes/secret.txt")).unwrap();
        std::os::unix::fs::symlink(at("home"), at("classes/p/home")).unwrap();
        assert_eq!(Snapshot::of(&[at("classes")]).unwrap(), Snapshot::default());
    }

    #[test]
    fn pipe_in_the_place_of_a_jar_is_refused_at_once() {
        let scratch = tempfile::tempdir().unwrap();
        let pipe = scratch.path().join("passed.jar");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(Snapshot::of(&[pipe]).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}

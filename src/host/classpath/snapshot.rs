//! The files of a version of a module, kept as a jar for a later run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Larger files are no code, and left out.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Class files and resources by their path, with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<String, Vec<u8>>);

impl Snapshot {
    /// What a JVM finds in these directories and jars; of two files of a path the first.
    ///
    /// # Errors
    ///
    /// If an entry is neither a directory nor a jar, or cannot be read.
    pub fn of(entries: &[PathBuf]) -> io::Result<Snapshot> {
        let mut files = BTreeMap::new();
        for entry in entries {
            match std::fs::metadata(entry)?.is_dir() {
                true => add_directory(entry, &mut files)?,
                false => add_jar(entry, &mut files)?,
            }
        }
        Ok(Snapshot(files))
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
}

fn add_directory(directory: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for found in walkdir::WalkDir::new(directory).follow_links(true).sort_by_file_name().into_iter().flatten() {
        let is_small = found.metadata().is_ok_and(|metadata| metadata.len() <= MAX_FILE_BYTES);
        let Ok(below) = found.path().strip_prefix(directory) else { continue };
        let Some(below) = below.to_str().filter(|_| found.file_type().is_file() && is_small) else { continue };
        let bytes = std::fs::read(found.path())?;
        files.entry(below.replace('\\', "/")).or_insert(bytes);
    }
    Ok(())
}

fn add_jar(jar: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(jar)?)).map_err(io::Error::other)?;
    for index in 0..archive.len() {
        let member = archive.by_index(index).map_err(io::Error::other)?;
        let name = member.name().map_err(io::Error::other)?.into_owned();
        if !member.is_file() || member.size() > MAX_FILE_BYTES {
            continue;
        }
        let mut bytes = Vec::new();
        member.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        files.entry(name).or_insert(bytes);
    }
    Ok(())
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
}

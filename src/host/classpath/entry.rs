//! One entry of a class path: a jar or a directory, with its class files by name.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use zip::ZipArchive;

/// No class file is larger: its parts have 16-bit counts of at most 4 GB in theory, a few MB in practice. Keeps a zip
/// bomb, or an attribute that nobody reads, from taking all memory.
const MAX_CLASS_BYTES: u64 = 16 << 20;

const VERSIONS: &str = "META-INF/versions/";

/// An opened entry.
pub(super) struct Entry {
    pub(super) path: PathBuf,
    store: Store,
}

enum Store {
    Directory,
    Jar(Mutex<ZipArchive<BufReader<File>>>),
}

/// Where in an entry the class file of a name lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    File(PathBuf),
    Member(usize),
}

impl Entry {
    /// Opens the entry and lists its classes by internal name, as a JVM of `feature_version` sees them.
    pub(super) fn open(path: &Path, feature_version: u16) -> io::Result<(Entry, BTreeMap<String, Place>)> {
        let about = std::fs::metadata(path)?;
        if about.is_dir() {
            let entry = Entry { path: path.to_path_buf(), store: Store::Directory };
            return Ok((entry, classes_of_directory(path)?));
        }
        if !about.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is neither a directory nor a jar"));
        }
        let mut archive = ZipArchive::new(BufReader::new(File::open(path)?)).map_err(io::Error::other)?;
        let classes = classes_of_jar(&mut archive, feature_version)?;
        Ok((Entry { path: path.to_path_buf(), store: Store::Jar(Mutex::new(archive)) }, classes))
    }

    /// The bytes at a place that [`Entry::open`] returned; an error of kind `FileTooLarge` if it is larger than class files are.
    pub(super) fn read(&self, place: &Place) -> io::Result<Vec<u8>> {
        match (&self.store, place) {
            (_, Place::File(path)) => read_at_most(File::open(path)?, 0),
            (Store::Jar(archive), Place::Member(index)) => {
                let mut archive = archive.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                let member = archive.by_index(*index).map_err(io::Error::other)?;
                let size = member.size();
                read_at_most(member, size)
            }
            (Store::Directory, Place::Member(_)) => unreachable!("members belong to jars"),
        }
    }
}

/// What a jar holds, whenever it was packed: its files by name, each with a checksum of its content. `None` of what is no jar.
pub fn jar_content(path: &Path) -> Option<BTreeMap<String, u64>> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(path).ok()?)).ok()?;
    let mut content = BTreeMap::new();
    for index in 0..archive.len() {
        let member = archive.by_index_raw(index).ok()?;
        let name = member.name().ok()?.into_owned();
        if member.is_file() {
            content.insert(name, u64::from(member.crc32()) << 32 ^ member.size());
        }
    }
    Some(content)
}

fn read_at_most(reader: impl Read, expected: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(expected.min(1 << 20) as usize);
    reader.take(MAX_CLASS_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_CLASS_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too large for a class file"));
    }
    Ok(bytes)
}

/// The internal name of a class that a path inside an entry stands for; module descriptors are no classes.
fn class_name(path: &str) -> Option<&str> {
    let name = path.strip_suffix(".class")?;
    let simple = name.rsplit('/').next()?;
    (!simple.is_empty() && simple != "module-info").then_some(name)
}

fn classes_of_directory(root: &Path) -> io::Result<BTreeMap<String, Place>> {
    let mut classes = BTreeMap::new();
    for found in walkdir::WalkDir::new(root).follow_links(true).sort_by_file_name() {
        let found = match found {
            Ok(found) => found,
            // A loop of links or a directory we may not read: the JVM finds no classes there either.
            Err(error) if error.depth() > 0 => continue,
            Err(error) => return Err(error.into()),
        };
        let relative = found.path().strip_prefix(root).expect("the walk starts at the root");
        let Some(relative) = relative.to_str() else { continue };
        let relative = relative.replace(std::path::MAIN_SEPARATOR, "/");
        if relative.starts_with("META-INF/") || !found.file_type().is_file() {
            continue;
        }
        if let Some(name) = class_name(&relative) {
            classes.insert(name.to_string(), Place::File(found.into_path()));
        }
    }
    Ok(classes)
}

fn classes_of_jar(
    archive: &mut ZipArchive<BufReader<File>>,
    feature_version: u16,
) -> io::Result<BTreeMap<String, Place>> {
    let multi_release = is_multi_release(archive)?;
    // By name, the best version so far; 0 is the unversioned one.
    let mut best: BTreeMap<String, (u16, Place)> = BTreeMap::new();
    for index in 0..archive.len() {
        let Some(Ok(path)) = archive.name_for_index(index) else { continue };
        let (version, path) = match path.strip_prefix(VERSIONS).and_then(|rest| rest.split_once('/')) {
            Some((version, rest)) => match version.parse() {
                Ok(version) if multi_release && (9..=feature_version).contains(&version) => (version, rest),
                _ => continue,
            },
            None if path.starts_with("META-INF/") => continue,
            None => (0, &*path),
        };
        let Some(name) = class_name(path) else { continue };
        if best.get(name).is_none_or(|(known, _)| *known < version) {
            best.insert(name.to_string(), (version, Place::Member(index)));
        }
    }
    Ok(best.into_iter().map(|(name, (_, place))| (name, place)).collect())
}

/// Whether the manifest's main section says `Multi-Release: true`.
fn is_multi_release(archive: &mut ZipArchive<BufReader<File>>) -> io::Result<bool> {
    let Some(index) = archive.index_for_name("META-INF/MANIFEST.MF") else { return Ok(false) };
    let manifest = read_at_most(archive.by_index(index).map_err(io::Error::other)?, 0)?;
    let manifest = String::from_utf8_lossy(&manifest);
    let main_section = manifest.lines().take_while(|line| !line.trim_end().is_empty());
    Ok(main_section
        .filter_map(|line| line.split_once(':'))
        .any(|(name, value)| name.eq_ignore_ascii_case("Multi-Release") && value.trim().eq_ignore_ascii_case("true")))
}

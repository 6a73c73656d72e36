//! One entry of a class path: a jar or a directory, with its class files by name.

use crate::files;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use zip::ZipArchive;

/// No class file is larger: its parts have 16-bit counts of at most 4 GB in theory, a few MB in practice. Keeps a zip
/// bomb, or an attribute that nobody reads, from taking all memory.
pub(super) const MAX_CLASS_BYTES: u64 = 16 << 20;

const VERSIONS: &str = "META-INF/versions/";
const DESCRIPTOR: &str = "module-info.class";

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
    for found in files::below(root)? {
        let relative = found.strip_prefix(root).expect("the walk starts at the root");
        let Some(relative) = relative.to_str() else { continue };
        let relative = relative.replace(std::path::MAIN_SEPARATOR, "/");
        if let Some(name) = class_name(&relative).filter(|_| !relative.starts_with("META-INF/")) {
            classes.insert(name.to_string(), Place::File(found));
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

/// Whether the manifest says `Multi-Release: true`.
fn is_multi_release(archive: &mut ZipArchive<BufReader<File>>) -> io::Result<bool> {
    Ok(manifest_value(archive, "Multi-Release")?.is_some_and(|value| value.eq_ignore_ascii_case("true")))
}

/// The value of a name in the manifest's main section, the first line of it.
fn manifest_value(archive: &mut ZipArchive<BufReader<File>>, name: &str) -> io::Result<Option<String>> {
    let Some(index) = archive.index_for_name("META-INF/MANIFEST.MF") else { return Ok(None) };
    let manifest = read_at_most(archive.by_index(index).map_err(io::Error::other)?, 0)?;
    let manifest = String::from_utf8_lossy(&manifest);
    let main_section = manifest.lines().take_while(|line| !line.trim_end().is_empty());
    let mut values = main_section.filter_map(|line| line.split_once(':'));
    let value = values.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_string());
    Ok(value)
}

/// What makes an entry of a class path a module (JLS §7.7, `ModuleFinder.of`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModuleIdentity {
    /// The class file that describes it.
    Described(Vec<u8>),
    /// An automatic module of this name.
    Automatic(String),
}

/// The module that a directory or jar is to a JVM of `feature_version`; `None` if it is none, or cannot be read.
pub fn module_identity(path: &Path, feature_version: u16) -> Option<ModuleIdentity> {
    if path.is_dir() {
        let bytes = read_at_most(File::open(path.join(DESCRIPTOR)).ok()?, 0).ok()?;
        return Some(ModuleIdentity::Described(bytes));
    }
    let mut archive = ZipArchive::new(BufReader::new(File::open(path).ok()?)).ok()?;
    let newest = if is_multi_release(&mut archive).ok()? { feature_version } else { 0 };
    let versioned = (9..=newest).rev().map(|version| format!("{VERSIONS}{version}/{DESCRIPTOR}"));
    let described = versioned.chain([DESCRIPTOR.to_string()]).find_map(|name| archive.index_for_name(&name));
    if let Some(index) = described {
        return Some(ModuleIdentity::Described(read_at_most(archive.by_index(index).ok()?, 0).ok()?));
    }
    let declared = manifest_value(&mut archive, "Automatic-Module-Name").ok()?;
    declared.or_else(|| automatic_name(path.file_stem()?.to_str()?)).map(ModuleIdentity::Automatic)
}

/// The name of the automatic module in a jar whose file has this name without its extension: `a.b` of `a-b-1.2`.
fn automatic_name(file: &str) -> Option<String> {
    let is_version = |rest: &str| {
        let digits = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
        digits.len() < rest.len() && (digits.is_empty() || digits.starts_with('.'))
    };
    let version = file.match_indices('-').find(|(at, _)| is_version(&file[at + 1..])).map(|(at, _)| at);
    let parts = file[..version.unwrap_or(file.len())].split(|letter: char| !letter.is_ascii_alphanumeric());
    let name = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    #[test]
    fn automatic_module_is_named_by_its_manifest_or_its_file() {
        assert_eq!(automatic_name("commons-lang3-3.12.0").as_deref(), Some("commons.lang3"));
        assert_eq!(automatic_name("a--b_c-x2").as_deref(), Some("a.b.c.x2"));
        let scratch = tempfile::tempdir().unwrap();
        let jar = scratch.path().join("my-lib-2.jar");
        let identity = |members: &[(&str, &str)]| {
            let mut writer = zip::ZipWriter::new(File::create(&jar).unwrap());
            for (name, text) in members {
                writer.start_file(*name, SimpleFileOptions::default()).unwrap();
                writer.write_all(text.as_bytes()).unwrap();
            }
            writer.finish().unwrap();
            module_identity(&jar, 17).unwrap()
        };
        let automatic = |name: &str| ModuleIdentity::Automatic(name.to_string());
        let described = |text: &str| ModuleIdentity::Described(text.as_bytes().to_vec());
        const MANIFEST: &str = "META-INF/MANIFEST.MF";
        assert_eq!(identity(&[]), automatic("my.lib"));
        assert_eq!(identity(&[(MANIFEST, "Automatic-Module-Name: org.lib\n")]), automatic("org.lib"));
        assert_eq!(identity(&[("module-info.class", "0"), (MANIFEST, "Automatic-Module-Name: a\n")]), described("0"));
        let versioned = [("module-info.class", "0"), ("META-INF/versions/11/module-info.class", "11")];
        assert_eq!(identity(&versioned), described("0"));
        assert_eq!(identity(&[versioned[0], versioned[1], (MANIFEST, "Multi-Release: true\n")]), described("11"));
        assert_eq!(module_identity(scratch.path(), 17), None);
    }
}

//! A class path opened: every class file by its name, the first entry that has it wins.

use super::entry::{Entry, MAX_CLASS_BYTES, Place};
use model::jvm::ClassName;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why the classes under test cannot be read.
#[derive(Debug, Error)]
pub enum ClassPathError {
    /// A directory or jar of classes under test cannot be read.
    #[error("cannot read the classes in {path}")]
    Unreadable {
        /// The directory or jar.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// There is nothing to test, mostly as nothing was compiled.
    #[error("no class files in {}", list(.paths))]
    NoClasses {
        /// Where classes were looked for.
        paths: Vec<PathBuf>,
    },
    /// The JDK cannot load the classes.
    #[error("{path} holds classes for Java {needed}, such as {class}, but the JDK in use is {feature_version}")]
    TooNew {
        /// The directory or jar.
        path: PathBuf,
        /// Binary name of the first such class.
        class: String,
        /// Feature version of Java, by the version of the class file.
        needed: u16,
        /// That of the JDK in use.
        feature_version: u16,
    },
}

fn list(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    shown.join(", ")
}

/// The class files under test are no larger together; those beyond are taken for unreadable, and not unpacked.
const MOST_BYTES: usize = 256 << 20;

/// All classes of a class path; those under test come first.
pub struct ClassPath {
    entries: Vec<Entry>,
    /// How many of the entries hold classes under test.
    own: usize,
    index: BTreeMap<String, (usize, Place)>,
    feature_version: u16,
    /// Dependencies, with what is wrong with each.
    unreadable: Vec<(PathBuf, io::Error)>,
}

impl ClassPath {
    /// Opens the jars and directories `own`, with the classes under test, and then `dependencies`.
    ///
    /// Jars with versioned classes show what a JVM of `feature_version` would see. An unreadable dependency is a
    /// warning, as the JVM passes over it too; one that does not exist is not even that, as builds name many.
    pub fn open(own: &[PathBuf], dependencies: &[PathBuf], feature_version: u16) -> Result<ClassPath, ClassPathError> {
        let mut class_path =
            ClassPath { entries: Vec::new(), own: 0, index: BTreeMap::new(), feature_version, unreadable: Vec::new() };
        for path in own {
            class_path.add(path).map_err(|source| ClassPathError::Unreadable { path: path.clone(), source })?;
        }
        if class_path.index.is_empty() {
            return Err(ClassPathError::NoClasses { paths: own.to_vec() });
        }
        class_path.own = class_path.entries.len();
        for path in dependencies {
            match class_path.add(path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => class_path.unreadable.push((path.clone(), error)),
            }
        }
        Ok(class_path)
    }

    fn add(&mut self, path: &Path) -> io::Result<()> {
        let (entry, classes) = Entry::open(path, self.feature_version)?;
        for (name, place) in classes {
            self.index.entry(name).or_insert((self.entries.len(), place));
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Dependencies that could not be read, each a sentence.
    pub fn warnings(&self) -> Vec<String> {
        let warning =
            |(path, error): &(PathBuf, io::Error)| format!("the dependency {} cannot be read: {error}", path.display());
        self.unreadable.iter().map(warning).collect()
    }

    /// Whether the path is a dependency that could not be read; a compiler would not pass over it.
    pub fn is_unreadable(&self, path: &Path) -> bool {
        self.unreadable.iter().any(|(unreadable, _)| unreadable == path)
    }

    /// Whether any entry has the class.
    pub fn contains(&self, name: &ClassName) -> bool {
        self.index.contains_key(name.internal())
    }

    /// The class files under test, sorted by name.
    ///
    /// A file that the JVM could not load for its version makes the whole path unusable; damage inside a class file is
    /// left to whoever parses it.
    pub fn read_own(&self) -> Result<Vec<(ClassName, Vec<u8>)>, ClassPathError> {
        let (mut files, mut total) = (Vec::new(), 0);
        for (name, (entry, place)) in &self.index {
            if *entry >= self.own {
                continue;
            }
            let entry = &self.entries[*entry];
            let read = if total < MOST_BYTES { entry.read(place) } else { Err(io::ErrorKind::FileTooLarge.into()) };
            let bytes = match read {
                // The class alone is not tested, as any that cannot be parsed. What it took to see that counts.
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    total += MAX_CLASS_BYTES as usize;
                    Vec::new()
                }
                read => read.map_err(|source| ClassPathError::Unreadable { path: entry.path.clone(), source })?,
            };
            total += bytes.len();
            if let Some(needed) = feature_version_of(&bytes)
                && needed > self.feature_version
            {
                return Err(ClassPathError::TooNew {
                    path: entry.path.clone(),
                    class: name.replace('/', "."),
                    needed,
                    feature_version: self.feature_version,
                });
            }
            files.push((ClassName::new(name), bytes));
        }
        Ok(files)
    }
}

/// The Java version that a class file needs at least (JVMS table 4.1-A); `None` for what is no class file.
pub fn feature_version_of(class_file: &[u8]) -> Option<u16> {
    let [0xca, 0xfe, 0xba, 0xbe, _, _, high, low, ..] = class_file else { return None };
    u16::from_be_bytes([*high, *low]).checked_sub(44)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// The first bytes of a class file, and a mark to tell it by.
    fn class_file(feature_version: u16, mark: u8) -> Vec<u8> {
        let [high, low] = (feature_version + 44).to_be_bytes();
        vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, high, low, mark]
    }

    fn jar(path: &Path, members: &[(&str, &[u8])]) {
        let mut writer = ZipWriter::new(fs::File::create(path).unwrap());
        for (name, bytes) in members {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap();
    }

    fn mark(class_path: &ClassPath, name: &str) -> Option<u8> {
        let (entry, place) = class_path.index.get(name)?;
        class_path.entries[*entry].read(place).ok().map(|bytes| bytes[8])
    }

    fn own_names(class_path: &ClassPath) -> Vec<ClassName> {
        class_path.read_own().unwrap().into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn class_file_too_large_to_be_one_is_left_to_the_parser_as_empty() {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        fs::write(path("Fat.class"), vec![0xca; (16 << 20) + 1]).unwrap();
        fs::write(path("Lean.class"), [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52]).unwrap();
        let read = ClassPath::open(&[scratch.path().to_path_buf()], &[], 17).unwrap().read_own().unwrap();
        let lengths: Vec<(&str, usize)> = read.iter().map(|(name, bytes)| (name.internal(), bytes.len())).collect();
        assert_eq!(lengths, [("Fat", 0), ("Lean", 8)]);
    }

    /// A megabyte on disk holds a gigabyte of zeros, which takes seconds to unpack.
    #[test]
    fn classes_beyond_the_limit_of_all_are_not_unpacked() {
        let scratch = tempfile::tempdir().unwrap();
        let archive = scratch.path().join("a.jar");
        let fat = vec![0; (16 << 20) + 1];
        let names: Vec<String> = (0..20).map(|number| format!("Fat{number:02}.class")).collect();
        let members = names.iter().map(|name| (name.as_str(), &fat[..]));
        jar(&archive, &members.chain([("Lean.class", &class_file(8, 1)[..])]).collect::<Vec<_>>());
        // The last of these members cannot be unpacked.
        let mut bytes = fs::read(&archive).unwrap();
        let lean = bytes.windows(10).position(|window| window == b"Lean.class").unwrap();
        bytes[lean + 10..lean + 13].fill(0xff);
        fs::write(&archive, bytes).unwrap();
        let read = ClassPath::open(&[archive], &[], 17).unwrap().read_own().unwrap();
        assert!(read.len() == 21 && read.iter().all(|(_, bytes)| bytes.is_empty()));
    }

    #[test]
    fn first_class_path_entry_with_the_class_wins() {
        let scratch = tempfile::tempdir().unwrap();
        let (directory, archive) = (scratch.path().join("classes"), scratch.path().join("a.jar"));
        fs::create_dir_all(directory.join("p")).unwrap();
        fs::write(directory.join("p/A.class"), class_file(8, 1)).unwrap();
        fs::write(directory.join("p/module-info.class"), class_file(9, 1)).unwrap();
        fs::write(directory.join("p/notes.txt"), "").unwrap();
        jar(&archive, &[("p/A.class", &class_file(8, 2)), ("p/B.class", &class_file(8, 2))]);
        let class_path = ClassPath::open(&[directory], &[archive, scratch.path().join("gone.jar")], 17).unwrap();
        assert_eq!(
            (mark(&class_path, "p/A"), mark(&class_path, "p/B"), mark(&class_path, "p/C")),
            (Some(1), Some(2), None)
        );
        assert_eq!(own_names(&class_path), [ClassName::new("p/A")]);
        assert!(class_path.warnings().is_empty());
    }

    #[test]
    fn multi_release_jar_gives_classes_of_the_running_jvm() {
        let scratch = tempfile::tempdir().unwrap();
        let archive = scratch.path().join("a.jar");
        jar(
            &archive,
            &[
                ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n"),
                ("META-INF/versions/11/p/A.class", &class_file(11, 11)),
                ("META-INF/versions/21/p/A.class", &class_file(21, 21)),
                ("META-INF/versions/9/p/A.class", &class_file(9, 9)),
                ("p/A.class", &class_file(8, 8)),
            ],
        );
        let seen = |version: u16| {
            let class_path = ClassPath::open(std::slice::from_ref(&archive), &[], version).unwrap();
            assert_eq!(own_names(&class_path).len(), 1);
            mark(&class_path, "p/A")
        };
        assert_eq!((seen(8), seen(10), seen(17), seen(25)), (Some(8), Some(9), Some(11), Some(21)));
    }

    #[test]
    fn a_corrupt_jar_is_an_error_under_test_and_a_warning_among_dependencies() {
        let scratch = tempfile::tempdir().unwrap();
        let (good, bad) = (scratch.path().join("good.jar"), scratch.path().join("bad.jar"));
        jar(&good, &[("A.class", &class_file(8, 1))]);
        fs::write(&bad, "not a jar").unwrap();
        let error = ClassPath::open(std::slice::from_ref(&bad), &[], 17).err().unwrap();
        assert!(matches!(error, ClassPathError::Unreadable { path, .. } if path == bad));
        let class_path = ClassPath::open(&[good], &[bad], 17).unwrap();
        assert!(class_path.warnings()[0].contains("bad.jar"), "{:?}", class_path.warnings());
    }

    #[test]
    fn classes_newer_than_the_jdk_are_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let archive = scratch.path().join("a.jar");
        jar(&archive, &[("p/A.class", &class_file(21, 1)), ("p/Odd.class", b"odd")]);
        let message = |version: u16| {
            ClassPath::open(std::slice::from_ref(&archive), &[], version)
                .unwrap()
                .read_own()
                .err()
                .map(|error| error.to_string())
        };
        assert!(
            message(17).unwrap().ends_with("a.jar holds classes for Java 21, such as p.A, but the JDK in use is 17")
        );
        assert_eq!(message(21), None);
    }

    #[test]
    fn a_path_without_classes_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let error = ClassPath::open(&[scratch.path().to_path_buf()], &[], 17).err().unwrap();
        assert!(matches!(error, ClassPathError::NoClasses { .. }));
        let error = ClassPath::open(&[scratch.path().join("gone")], &[], 17).err().unwrap();
        assert!(matches!(error, ClassPathError::Unreadable { .. }));
    }
}

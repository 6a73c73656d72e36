//! A module of a project: everything a run needs to know of it.

use super::{ClassPath, ClassPathError};
use model::jvm::ClassName;
use model::options::{Options, PartialOptions};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What the files are called whose texts may be read by code under test, the bytes that they have at most, and how many are looked at.
const DOCUMENTS: [&str; 4] = ["csv", "json", "properties", "xml"];
/// What a build writes anew each time is no document.
const STAMPS: [&str; 4] = ["pom.xml", "pom.properties", "build-info.properties", "git.properties"];
const LONGEST_DOCUMENT: u64 = 1_000;
const MOST_DOCUMENTS: usize = 100;

/// One module, with absolute paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// What its build calls it, such as a Maven artifact's name.
    pub name: String,
    /// Its directory.
    pub basedir: PathBuf,
    /// The directory of the whole project; nothing is written outside.
    pub project_root: PathBuf,
    /// Directories and jars with the classes under test.
    pub classes: Vec<PathBuf>,
    /// The module's compiled tests, which the tests' class path has between the classes and the dependencies.
    pub test_classes: Option<PathBuf>,
    /// What tests may use beside the classes under test.
    pub dependencies: Vec<PathBuf>,
    /// Version of the Java language; `None` if the build does not say.
    pub source_level: Option<u16>,
    /// `None` if the build does not say.
    pub source_encoding: Option<String>,
    /// Roots of its Java sources.
    pub source_roots: Vec<PathBuf>,
    /// Roots of its tests' Java sources.
    pub test_source_roots: Vec<PathBuf>,
    /// Where the build puts what it makes, such as `target`.
    pub build_directory: PathBuf,
    /// A build compiles its tests, with nothing but these dependencies; not so of classes that flags name.
    pub is_built: bool,
    /// Settings that the build file gives.
    pub settings: PartialOptions,
}

impl Module {
    /// Whether there is any class file to test, or a jar that may hold some.
    pub fn has_classes(&self) -> bool {
        let is_class = |entry: walkdir::Result<walkdir::DirEntry>| {
            entry.is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "class"))
        };
        self.classes.iter().any(|path| path.is_file() || walkdir::WalkDir::new(path).into_iter().any(is_class))
    }

    /// The class files of the module's own tests; none where the build has compiled none.
    pub fn read_tests(&self, feature_version: u16) -> Result<BTreeMap<ClassName, Vec<u8>>, ClassPathError> {
        let Some(path) = self.test_classes.as_ref().filter(|path| path.exists()) else { return Ok(BTreeMap::new()) };
        match ClassPath::open(std::slice::from_ref(path), &[], feature_version) {
            Ok(tests) => Ok(tests.read_own()?.into_iter().collect()),
            Err(ClassPathError::NoClasses { .. }) => Ok(BTreeMap::new()),
            Err(error) => Err(error),
        }
    }

    /// Short documents among the module's resources and those of its tests, in the order of their paths: what lies in the directories
    /// of classes, as the build puts it there. Those of an archive belong to others.
    pub fn read_documents(&self) -> Vec<String> {
        let roots = self.classes.iter().chain(&self.test_classes).filter(|path| path.is_dir());
        let files = roots.flat_map(|root| walkdir::WalkDir::new(root).sort_by_file_name().into_iter().flatten());
        let is_document = |file: &walkdir::DirEntry| {
            let extension = file.path().extension().and_then(OsStr::to_str);
            let length = file.metadata().map_or(u64::MAX, |metadata| metadata.len());
            extension.is_some_and(|extension| DOCUMENTS.contains(&extension))
                && !STAMPS.iter().any(|stamp| file.file_name() == *stamp)
                && file.file_type().is_file()
                && (1..=LONGEST_DOCUMENT).contains(&length)
                && !file.path().components().any(|part| part.as_os_str() == "META-INF")
        };
        let texts = files.filter(is_document).filter_map(|file| std::fs::read_to_string(file.path()).ok());
        texts.take(MOST_DOCUMENTS).collect()
    }

    /// The class path of tests: classes under test first.
    pub fn class_path(&self) -> Vec<PathBuf> {
        self.classes.iter().chain(&self.test_classes).chain(&self.dependencies).cloned().collect()
    }

    /// Where generated tests go.
    pub fn output_directory(&self, options: &Options) -> PathBuf {
        self.basedir.join(&options.output_directory)
    }

    /// The root of main sources with which the build would compile what is in a directory: one that contains it, unless a root of test
    /// sources between them does, which a build leaves out of the main ones.
    pub fn main_sources_around(&self, directory: &Path) -> Option<&Path> {
        let is_around = |root: &&PathBuf| directory.starts_with(root);
        let root = self.source_roots.iter().find(is_around)?;
        let of_tests = |tests: &PathBuf| tests.starts_with(root) && is_around(&tests) && tests != directory;
        (!self.test_source_roots.iter().any(of_tests)).then_some(root)
    }

    /// Where reports and caches go.
    pub fn reports_directory(&self, options: &Options) -> PathBuf {
        match &options.reports_directory {
            Some(directory) => self.basedir.join(directory),
            None => self.build_directory.join("randgen"),
        }
    }
}

/// Which versions of JUnit a class path has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JunitFound {
    /// JUnit 4.
    pub four: bool,
    /// JUnit 5, Jupiter.
    pub five: bool,
}

impl JunitFound {
    /// Looks for the annotations that tests of each version carry.
    pub fn on(class_path: &ClassPath) -> JunitFound {
        let has = |name: &str| class_path.contains(&ClassName::new(name));
        JunitFound { four: has("org/junit/Test"), five: has("org/junit/jupiter/api/Test") }
    }
}

/// The module that `--classes`, `--test-classes` and `--classpath` describe, without a build; it lies in `directory`.
pub fn of_classes(
    directory: &Path,
    classes: &[PathBuf],
    test_classes: Option<&PathBuf>,
    class_path: Option<&str>,
) -> Module {
    let absolute = |path: &PathBuf| directory.join(path);
    let name = classes.first().and_then(|path| path.file_stem()).unwrap_or(OsStr::new("classes"));
    Module {
        name: name.to_string_lossy().into_owned(),
        basedir: directory.to_path_buf(),
        project_root: directory.to_path_buf(),
        classes: classes.iter().map(absolute).collect(),
        test_classes: test_classes.map(absolute),
        dependencies: class_path.map_or(Vec::new(), |path| expand(directory, path)),
        source_level: None,
        source_encoding: None,
        source_roots: Vec::new(),
        test_source_roots: Vec::new(),
        build_directory: directory.join("target"),
        is_built: false,
        settings: PartialOptions::default(),
    }
}

/// The entries of a class path as `java -cp` takes it, below `directory`; `lib/*` is all jars in `lib`, sorted. Ends of lines
/// separate entries, too, as class paths are often read from files.
pub fn expand(directory: &Path, class_path: &str) -> Vec<PathBuf> {
    let mut entries = Vec::new();
    for entry in class_path.lines().flat_map(std::env::split_paths) {
        if entry.as_os_str().is_empty() {
            continue;
        }
        let entry = directory.join(entry);
        if entry.file_name() != Some(OsStr::new("*")) {
            entries.push(entry);
            continue;
        }
        let listed = entry.parent().and_then(|parent| std::fs::read_dir(parent).ok()).into_iter().flatten();
        let mut jars: Vec<PathBuf> = listed
            .filter_map(|found| Some(found.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jar")))
            .collect();
        jars.sort();
        entries.extend(jars);
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_path_wildcard_expands_to_all_jars_of_the_directory() {
        let scratch = tempfile::tempdir().unwrap();
        for name in ["b.jar", "a.jar", "c.txt"] {
            std::fs::write(scratch.path().join(name), "").unwrap();
        }
        let names: Vec<PathBuf> = ["x", "a.jar", "b.jar"].iter().map(|name| scratch.path().join(name)).collect();
        assert_eq!(expand(scratch.path(), "x::*"), names);
        assert_eq!(expand(scratch.path(), "x:\r\n*\n"), names);
    }

    #[test]
    fn reports_directory_defaults_to_the_build_directory() {
        let module = of_classes(Path::new("/p"), &[PathBuf::from("shop.jar")], None, None);
        let mut options = Options::resolve(&[]);
        assert_eq!(module.reports_directory(&options), Path::new("/p/target/randgen"));
        assert_eq!(module.output_directory(&options), Path::new("/p/src/test/generated"));
        options.reports_directory = Some("out".into());
        assert_eq!(module.reports_directory(&options), Path::new("/p/out"));
        assert_eq!((module.name.as_str(), module.class_path()), ("shop", vec![PathBuf::from("/p/shop.jar")]));
    }

    #[test]
    fn tests_among_main_sources_would_be_compiled_with_them() {
        let module = |sources: &str, tests: &str| Module {
            source_roots: vec![sources.into()],
            test_source_roots: vec![tests.into()],
            ..of_classes(Path::new("/p"), &[PathBuf::from("shop.jar")], None, None)
        };
        let around = |sources, tests| {
            module(sources, tests).main_sources_around(Path::new("/p/src/test/generated")).map(Path::to_path_buf)
        };
        assert_eq!(around("/p/src/main/java", "/p/src/test/java"), None);
        assert_eq!(around("/p/src", "/p/test"), Some("/p/src".into()));
        assert_eq!(around("/p/src", "/p/src/test/generated"), Some("/p/src".into()), "which a plugin has added");
        assert_eq!(around("/p/src", "/p/src/test"), None);
    }

    #[test]
    fn documents_are_short_texts_in_the_directories_of_classes_and_tests() {
        let scratch = tempfile::tempdir().unwrap();
        let (classes, tests) = (scratch.path().join("classes"), scratch.path().join("tests"));
        let write = |path: PathBuf, text: &str| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(classes.join("b/units.csv"), "m,km");
        write(classes.join("git.properties"), "time=now");
        write(classes.join("META-INF/beans.xml"), "<beans/>");
        write(tests.join("a.json"), "[1]");
        write(tests.join("long.json"), &"1".repeat(2_000));
        write(tests.join("notes.txt"), "no document");
        let module = of_classes(scratch.path(), &[classes], Some(&tests), None);
        assert_eq!(module.read_documents(), ["m,km", "[1]"]);
    }
}

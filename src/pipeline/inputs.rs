//! The inputs of a run, as hashes: if one of them changed, results have to be computed again.
//!
//! The results of a run depend on randgen itself, the class files and resources of the module, its dependencies, the JDK,
//! and the settings. The module's own tests do not count: the search only starts with their calls, and a build compiles
//! them after it generates. Nor do settings that say where files go, or that only the gate reads.

use bytecode::classfile;
use host::classpath::{self, Jdk, Module};
use host::files;
use host::supervisor::this_program;
use model::digest;
use model::jvm::ClassName;
use model::options::{Options, Origin, SETTINGS};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Hashes of all that a run over a module is made from.
#[derive(Default)]
pub struct Inputs {
    /// Of what every class depends on.
    pub shared: String,
    classes: BTreeMap<ClassName, OwnClass>,
}

/// A class file of the module.
struct OwnClass {
    hash: String,
    /// Classes of the module that it refers to.
    mentions: Vec<ClassName>,
}

impl Inputs {
    /// Of a module with these class files.
    pub fn read(module: &Module, options: &Options, jdk: &Jdk, own: &[(ClassName, Vec<u8>)]) -> Inputs {
        let names: BTreeSet<&ClassName> = own.iter().map(|(name, _)| name).collect();
        let class = |bytes: &[u8]| {
            let mentioned = classfile::parse(bytes).map(|file| file.mentioned_classes()).unwrap_or_default();
            let mentions = mentioned.into_iter().filter(|name| names.contains(name)).collect();
            OwnClass { hash: digest::hex(Sha256::new_with_prefix(bytes)), mentions }
        };
        let classes = own.iter().map(|(name, bytes)| (name.clone(), class(bytes))).collect();
        Inputs { shared: shared(module, options, jdk, own), classes }
    }

    /// Of all classes.
    pub fn whole(&self) -> String {
        self.hash(self.classes.iter())
    }

    /// Of a class, those that its tests call, and what any of them refers to.
    pub fn of(&self, class: &ClassName, called: &BTreeSet<ClassName>) -> String {
        let mut reached: BTreeMap<&ClassName, &OwnClass> = BTreeMap::new();
        let mut next: Vec<&ClassName> = called.iter().chain([class]).collect();
        while let Some(name) = next.pop() {
            // What is called may be gone.
            let Some((name, own)) = self.classes.get_key_value(name) else { continue };
            if reached.insert(name, own).is_none() {
                next.extend(&own.mentions);
            }
        }
        self.hash(reached)
    }

    /// Of a class alone, with the classes nested in the same outermost one.
    pub fn of_itself(&self, class: &ClassName) -> String {
        self.hash(self.classes.iter().filter(|(name, _)| name.outermost() == class.outermost()))
    }

    /// Whether the module contains the class.
    pub fn is_own(&self, class: &ClassName) -> bool {
        self.classes.contains_key(class)
    }

    fn hash<'a>(&self, classes: impl IntoIterator<Item = (&'a ClassName, &'a OwnClass)>) -> String {
        let mut hash = Sha256::new_with_prefix(&self.shared);
        for (name, class) in classes {
            hash.update(format!("\n{} {}", name.internal(), class.hash));
        }
        digest::hex(hash)
    }
}

/// Of everything but the class files that are searched one by one; a jar is one thing.
fn shared(module: &Module, options: &Options, jdk: &Jdk, own: &[(ClassName, Vec<u8>)]) -> String {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(&std::fs::read(this_program()).unwrap_or_default());
    add(&std::fs::read(jdk.home.join("release")).unwrap_or_default());
    for (setting, (name, value, origin)) in SETTINGS.iter().zip(options.describe()) {
        if setting.changes_results {
            // Whether a time limit was set counts too: the default one does not apply if there is a sequence limit.
            add(format!("{name}={value} {}", origin == Origin::Default).as_bytes());
        }
    }
    add(format!("{} {:?} {:?}", module.name, module.source_level, module.source_encoding).as_bytes());
    let entries =
        module.classes.iter().map(|path| (path, true)).chain(module.dependencies.iter().map(|path| (path, false)));
    let stamps = Stamps::unread(own);
    let mut left = MOST_BYTES;
    for (entry, is_own) in entries {
        add(b"entry");
        for found in files::below(entry).into_iter().flatten() {
            let below = found.strip_prefix(entry).unwrap_or(Path::new(""));
            let is_searched = is_own && below.extension().is_some_and(|is| is == "class");
            if is_searched || stamps.has(below) {
                continue;
            }
            add(below.as_os_str().as_encoded_bytes());
            match classpath::jar_content(&found) {
                Some(content) => {
                    for (name, checksum) in content.iter().filter(|(name, _)| !stamps.has(Path::new(name))) {
                        add(name.as_bytes());
                        add(&checksum.to_le_bytes());
                    }
                }
                None => add(&content_or_age(&found, &mut left)),
            }
        }
    }
    digest::hex(hash)
}

/// So much of resources is read in all.
const MOST_BYTES: u64 = 1 << 30;

/// The content of a file, or its length and the time of its last change where there is more of it than is read: a project can
/// have more in holes than there is memory, or time.
fn content_or_age(path: &Path, left: &mut u64) -> Vec<u8> {
    let Ok(about) = std::fs::metadata(path) else { return Vec::new() };
    let content = match left.checked_sub(about.len()) {
        Some(rest) => {
            *left = rest;
            files::read(path).ok()
        }
        None => None,
    };
    content.unwrap_or_else(|| format!("{} {:?}", about.len(), about.modified().ok()).into_bytes())
}

/// Files that only say when, by whom and of what a build was made: builds write them anew each time.
const STAMPS: [&str; 6] =
    ["MANIFEST.MF", "INDEX.LIST", "pom.xml", "pom.properties", "build-info.properties", "git.properties"];

/// Those of [`STAMPS`] that no class of the module names, so that none reads them.
struct Stamps(Vec<&'static str>);

impl Stamps {
    fn unread(own: &[(ClassName, Vec<u8>)]) -> Stamps {
        let is_in = |bytes: &[u8], name: &str| bytes.windows(name.len()).any(|window| window == name.as_bytes());
        let is_read = |name: &&str| own.iter().any(|(_, bytes)| is_in(bytes, name));
        Stamps(STAMPS.into_iter().filter(|name| !is_read(name)).collect())
    }

    /// Whether the file at a path below a directory, or in a jar, is one.
    fn has(&self, below: &Path) -> bool {
        let Some(stamp) = self.0.iter().find(|name| below.ends_with(name)) else { return false };
        match *stamp {
            "MANIFEST.MF" | "INDEX.LIST" => below.parent() == Some(Path::new("META-INF")),
            "pom.xml" | "pom.properties" => below.starts_with("META-INF/maven"),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::options::PartialOptions;
    use std::fs;
    use std::path::PathBuf;
    use testing::compile;

    /// Of the classes of `source` in a project in the directory, with settings.
    fn inputs(directory: &Path, source: &str, settings: &[(&str, &str)]) -> Inputs {
        let mut partial = PartialOptions::default();
        settings.iter().for_each(|(name, value)| partial.set_text(name, value).unwrap());
        let options = Options::resolve(&[(Origin::Flag, partial)]);
        let module = classpath::of_classes(directory, &[PathBuf::from("classes")], None, Some("lib.jar"));
        let jdk = Jdk { home: directory.join("jdk"), feature_version: 17 };
        let named = |(file, bytes): (String, Vec<u8>)| (ClassName::new(file.strip_suffix(".class").unwrap()), bytes);
        let own: Vec<_> = compile(source, &[]).into_iter().map(named).collect();
        Inputs::read(&module, &options, &jdk, &own)
    }

    #[test]
    fn every_class_is_stale_after_a_change_of_resources_dependencies_or_settings() {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir(scratch.path().join("classes")).unwrap();
        let write = |name: &str, text: &str| fs::write(scratch.path().join(name), text).unwrap();
        write("lib.jar", "1");
        let hash = |settings: &[(&str, &str)]| inputs(scratch.path(), "class A {}", settings).shared;
        let first = hash(&[]);
        for setting in [("strict", "true"), ("threads", "3"), ("coverage-threshold", "9"), ("shard", "1/2")] {
            assert_eq!(hash(&[setting]), first, "{setting:?}");
        }
        assert_ne!(hash(&[("seed", "1")]), first);
        for name in ["classes/git.properties", "classes/META-INF/MANIFEST.MF"] {
            fs::create_dir_all(scratch.path().join(name).parent().unwrap()).unwrap();
            let before = hash(&[]);
            write(name, "2");
            assert_eq!(hash(&[]), before, "{name}");
        }
        let reading = "class A { String f = \"/git.properties\"; }";
        let of_reading = || inputs(scratch.path(), reading, &[]).shared;
        let before = of_reading();
        write("classes/git.properties", "3");
        assert_ne!(of_reading(), before, "a class reads it");
        for name in ["lib.jar", "classes/more.properties"] {
            let before = hash(&[]);
            write(name, "2");
            assert_ne!(hash(&[]), before, "{name}");
        }
    }

    #[test]
    fn class_depends_on_classes_called_by_its_code_and_tests() {
        let scratch = tempfile::tempdir().unwrap();
        let source =
            "class A { B b = new B(); } class B { int x() { return C.Y; } } class C { static int Y = 1; } class D {}";
        let class = ClassName::new;
        let hashes = |source: &str, called: &[&str]| {
            let inputs = inputs(scratch.path(), source, &[]);
            let called = called.iter().map(|name| class(name)).collect();
            let of = ["A", "B", "C", "D"].map(|name| inputs.of(&class(name), &called));
            (of, inputs.whole())
        };
        let changed = |from: &str, to: &str, called: &[&str]| {
            let ((old, whole), (new, other)) = (hashes(source, called), hashes(&source.replace(from, to), called));
            assert_ne!(whole, other);
            old.iter().zip(&new).map(|(old, new)| old != new).collect::<Vec<_>>()
        };
        assert_eq!(hashes(source, &[]), hashes(source, &[]));
        assert_eq!(changed("Y = 1", "Y = 2", &[]), [true, true, true, false]);
        assert_eq!(changed("class D {", "class D { int z;", &[]), [false, false, false, true]);
        assert_eq!(changed("class A {", "class A { int z;", &[]), [true, false, false, false]);
        assert_eq!(changed("class D {", "class D { int z;", &["D"]), [true; 4]);
    }
}

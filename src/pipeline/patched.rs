//! The module that a project's classes are, with those of its dependencies that it requires.

use bytecode::classfile::parse;
use host::classpath::{Module, ModuleIdentity, module_identity};
use host::supervisor::verification::PatchedModule;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The first Java version with modules.
const FIRST: u16 = 9;

/// The module of which tests will be part; `None` if the classes are none, the project's tests are one of their own, tests are for a
/// Java without modules, or a module is missing that the compiler asks for.
pub fn module(module: &Module, source_level: u8, feature_version: u16) -> Option<PatchedModule> {
    if feature_version < FIRST || u16::from(source_level) < FIRST {
        return None;
    }
    let described = |bytes: &[u8]| parse(bytes).ok()?.module;
    let (own, descriptor) = module.classes.iter().find_map(|path| match module_identity(path, feature_version)? {
        ModuleIdentity::Described(bytes) => Some((path, described(&bytes)?)),
        ModuleIdentity::Automatic(_) => None,
    })?;
    let mut found: BTreeMap<Arc<str>, (&PathBuf, Vec<Arc<str>>)> = BTreeMap::new();
    for path in &module.dependencies {
        let (name, requires) = match module_identity(path, feature_version) {
            Some(ModuleIdentity::Automatic(name)) => (name.into(), Vec::new()),
            Some(ModuleIdentity::Described(bytes)) => match described(&bytes) {
                Some(descriptor) => (descriptor.name, descriptor.requires),
                None => continue,
            },
            None => continue,
        };
        found.entry(name).or_insert((path, requires));
    }
    // Of its own module, javac also wants those that are only needed to compile.
    let is_missing = |name: &Arc<str>| !found.contains_key(name) && !is_of_jdk(name);
    if descriptor.requires.iter().any(is_missing) {
        return None;
    }
    let mut required = BTreeSet::new();
    let mut pending = descriptor.requires;
    while let Some(name) = pending.pop() {
        if let Some((path, requires)) = found.get(&name)
            && required.insert(*path)
        {
            pending.extend(requires.iter().cloned());
        }
    }
    let has_descriptor =
        |path: &PathBuf| matches!(module_identity(path, feature_version), Some(ModuleIdentity::Described(_)));
    if module.test_classes.as_ref().is_some_and(has_descriptor) {
        return None;
    }
    let others = module.classes.iter().chain(&module.test_classes).filter(|path| *path != own && path.exists());
    Some(PatchedModule {
        name: descriptor.name.to_string(),
        path: [own].into_iter().chain(required).cloned().collect(),
        parts: others.cloned().collect(),
    })
}

/// Whether the JDK has the module, going by its name.
fn is_of_jdk(name: &str) -> bool {
    name.starts_with("java.") || name.starts_with("jdk.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::classpath::of_classes;
    use std::path::Path;

    /// A directory with the description of a module, in which other modules of the JDK's names are required.
    fn described(root: &Path, name: &str, requires: &str) -> PathBuf {
        let directory = root.join(name);
        std::fs::create_dir(&directory).unwrap();
        let classes = testing::compile(&format!("module {name} {{ {requires} }}"), &["--release", "17"]);
        std::fs::write(directory.join("module-info.class"), renamed(&classes[0].1)).unwrap();
        directory
    }

    /// `javac` knows only modules that exist: those of these names become others, as long, among the dependencies.
    fn renamed(class_file: &[u8]) -> Vec<u8> {
        let mut bytes = class_file.to_vec();
        for (from, to) in [(b"java.sql", b"my.outer"), (b"java.xml", b"my.inner")] {
            while let Some(at) = bytes.windows(from.len()).position(|window| window == from) {
                bytes[at..at + to.len()].copy_from_slice(to);
            }
        }
        bytes
    }

    #[test]
    fn module_path_has_what_the_module_requires_and_no_other_dependency() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        let inner = described(root, "my.inner", "");
        let outer = described(root, "my.outer", "requires java.xml;");
        let other = described(root, "my.other", "requires java.xml;");
        let own = described(root, "own", "requires java.sql; requires java.logging;");
        let tests = root.join("tests");
        std::fs::create_dir(&tests).unwrap();
        let mut project = of_classes(root, std::slice::from_ref(&own), Some(&tests), None);
        project.dependencies = vec![other, outer.clone(), inner.clone()];
        let expected =
            PatchedModule { name: "own".to_string(), path: vec![own, inner, outer], parts: vec![tests.clone()] };
        assert_eq!(module(&project, 17, 17), Some(expected));
        assert_eq!(module(&project, 8, 17), None);
        let all = std::mem::take(&mut project.dependencies);
        assert_eq!(module(&project, 17, 17), None, "javac does not find the required module");
        project.dependencies = all;
        std::fs::write(tests.join("module-info.class"), "").unwrap();
        assert_eq!(module(&project, 17, 17), None, "the tests are a module of their own");
        project.test_classes = None;
        project.classes = vec![root.to_path_buf()];
        assert_eq!(module(&project, 17, 17), None, "the classes are no module");
    }
}

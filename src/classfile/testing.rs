//! Class files for tests: of the running JDK, and compiled from source.

use super::{Body, ClassFile, Decoder, Operand, parse};
use crate::jvm::ClassName;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::Command;

/// Every class of a module of the JDK, or `None` (and a word about it) where the JDK has no `jmods`.
pub(crate) fn jdk_classes(module: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let home = java_locator::locate_java_home().unwrap();
    let path = Path::new(&home).join(format!("jmods/{module}.jmod"));
    let Ok(file) = std::fs::File::open(&path) else {
        eprintln!("skipped, no class of the JDK is read: {} is missing", path.display());
        return None;
    };
    // A jmod is a zip behind four bytes, which the reader skips by itself.
    let mut archive = zip::ZipArchive::new(std::io::BufReader::new(file)).unwrap();
    let mut classes = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        if name.ends_with(".class") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            classes.push((name, bytes));
        }
    }
    assert!(!classes.is_empty());
    Some(classes)
}

/// The class files that `javac` makes of `source`, by file name, sorted.
pub(crate) fn compile(source: &str, options: &[&str]) -> Vec<(String, Vec<u8>)> {
    let home = java_locator::locate_java_home().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("Source.java");
    std::fs::write(&file, source).unwrap();
    let output = Command::new(Path::new(&home).join("bin/javac"))
        .args(options)
        .arg("-d")
        .arg(directory.path())
        .arg(&file)
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut classes: Vec<(String, Vec<u8>)> = walkdir::WalkDir::new(directory.path())
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "class"))
        .map(|entry| (entry.file_name().to_str().unwrap().to_string(), std::fs::read(entry.path()).unwrap()))
        .collect();
    classes.sort();
    classes
}

/// The classes that `javac` makes of `source`.
pub(crate) fn compile_and_parse(source: &str, options: &[&str]) -> BTreeMap<ClassName, ClassFile> {
    let classes = compile(source, options).into_iter().map(|(_, bytes)| parse(&bytes).unwrap());
    classes.map(|class| (class.name.clone(), class)).collect()
}

/// The decoded body of the method called `name`.
pub(crate) fn body(class: &ClassFile, name: &str) -> Body {
    let method = class.methods.iter().find(|method| &*method.name == name).unwrap();
    Decoder::new(class).body(method.code.as_ref().unwrap()).unwrap()
}

/// Owner and name of each field and method that a body uses, in order.
pub(crate) fn references(body: &Body) -> Vec<(String, String)> {
    let named = |owner: &ClassName, name: &str| Some((owner.internal().to_string(), name.to_string()));
    let used = body.steps.iter().filter_map(|step| match &step.operand {
        Operand::Field(field) => named(&field.owner, &field.name),
        Operand::Method(method) => named(&method.owner, &method.name),
        _ => None,
    });
    used.collect()
}

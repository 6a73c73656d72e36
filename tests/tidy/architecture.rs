//! Holds the source to what Cargo cannot hold: which crates may touch the world, and how files begin. Which crate uses which is
//! in their manifests; the module map of `docs/architecture.md` is compared with these.
//!
//! It reads source text, as rust-analyzer's `tidy` does: rustfmt gives every item its own lines, so that nothing needs to be
//! parsed. Code for tests is left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The groups of the module map, from the bottom up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Vocabulary,
    Reading,
    Deciding,
    Telling,
    World,
}

use Layer::{Deciding, Reading, Telling, Vocabulary, World};

/// Each crate of `src/` with its layer, bottom-up.
const CRATES: &[(&str, Layer)] = &[
    ("model", Vocabulary),
    ("bytecode", Reading),
    ("program", Reading),
    ("oracle", Deciding),
    ("search", Deciding),
    ("symbolic", Deciding),
    ("specification", Deciding),
    ("emitter", Telling),
    ("report", Telling),
    ("protocol", World),
    ("sandbox", World),
    ("smt", World),
    ("worker", World),
    ("host", World),
    ("pipeline", World),
    ("cli", World),
];

/// The crate that gives unit tests their class files; it is no part of randgen.
const FOR_TESTS: &str = "testing";

/// A file longer than this holds more than one idea.
const LONGEST_FILE: usize = 600;

/// Files that may be longer, with the reason.
const LONGER_FILES: &[(&str, &str)] = &[
    (
        "src/worker/runtime/Executor.java",
        "reading, calling and writing share two static buffers, and every further class must be loaded before the stack \
         can be at its end",
    ),
    (
        "src/worker/runtime/Probes.java",
        "instrumented code calls one class, as every further one must be loaded before the stack can be at its end",
    ),
];

/// A source file; `code` lacks comments and `#[cfg(test)]` items, and is empty for a file that such an item declares.
struct Source {
    path: PathBuf,
    /// The crate it belongs to: a folder of `src`.
    package: String,
    /// The top-level module of that crate, `lib` for its root.
    module: String,
    code: String,
}

/// The files below a directory with one of the extensions, sorted.
fn files_with(directory: &Path, extensions: &[&str]) -> impl Iterator<Item = PathBuf> {
    let entries = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter();
    let paths = entries.map(|entry| entry.expect("sources can be read").into_path());
    paths.filter(|path| {
        path.extension().is_some_and(|extension| extensions.iter().any(|expected| extension == *expected))
    })
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    let mut for_tests = BTreeSet::new();
    for path in files_with(&root, &["rs"]) {
        let relative = path.strip_prefix(&root).expect("the walk stays below src");
        let mut names = relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let package = names.next().expect("a file has a name");
        if package == FOR_TESTS || package == "main.rs" {
            continue;
        }
        let module = names.next().map(|name| name.trim_end_matches(".rs").to_string()).unwrap_or_default();
        let text = fs::read_to_string(&path).expect("source is UTF-8");
        // The modules of a crate's root lie beside it, those of another file in a folder of its name.
        let below = if path.ends_with("lib.rs") { path.with_file_name("") } else { path.with_extension("") };
        for_tests.extend(test_modules(&text).map(|name| below.join(name).with_extension("rs")));
        sources.push(Source { code: without_comments(&without_tests(&text)), package, module, path });
    }
    for source in &mut sources {
        if for_tests.contains(&source.path) {
            source.code.clear();
        }
    }
    assert!(sources.len() > CRATES.len(), "src was not found");
    sources
}

/// Names in `#[cfg(test)] mod name;`: files that are for tests as a whole.
fn test_modules(text: &str) -> impl Iterator<Item = &str> {
    let declared = text.split("#[cfg(test)]\n").skip(1).filter_map(|after| after.lines().next()?.strip_suffix(';'));
    declared.filter_map(|declaration| declaration.split_once("mod ").map(|(_, name)| name))
}

/// Leaves out each item at column 0 that follows `#[cfg(test)]`.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        for line in lines.by_ref() {
            let ends = line == "}" || (!line.starts_with([' ', '#']) && (line.ends_with(';') || line.ends_with("{}")));
            if ends {
                break;
            }
        }
    }
    kept
}

fn without_comments(text: &str) -> String {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| line.split(" // ").next().unwrap_or(line).to_string() + "\n").collect()
}

fn layer_of(package: &str) -> Option<Layer> {
    CRATES.iter().find(|(name, _)| *name == package).map(|(_, layer)| *layer)
}

/// The crates of the workspace that the crate uses, by its manifest, without those for its tests.
fn used_crates(package: &str) -> Vec<&'static str> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(package).join("Cargo.toml");
    let manifest: toml::Table = fs::read_to_string(manifest).expect("each crate has a manifest").parse().expect("TOML");
    let uses = manifest["dependencies"].as_table().expect("a table");
    CRATES.iter().map(|(name, _)| *name).filter(|name| uses.contains_key(*name)).collect()
}

#[test]
fn every_crate_is_in_the_table() {
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("src can be read");
    let mut found: BTreeSet<String> = folders
        .map(|entry| entry.expect("src can be read"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().expect("UTF-8"))
        .collect();
    assert!(found.remove(FOR_TESTS));
    assert_eq!(found, CRATES.iter().map(|(name, _)| name.to_string()).collect());
}

#[test]
fn layers_use_only_layers_below() {
    for (index, (package, layer)) in CRATES.iter().enumerate() {
        for used in used_crates(package) {
            let at = CRATES.iter().position(|(name, _)| *name == used).expect("it is of the table");
            assert!(at < index, "{package} uses {used}, which is not listed before it");
            assert!(layer_of(used) <= Some(*layer), "{package} must not use {used}");
        }
    }
}

#[test]
fn the_documentation_has_the_same_table() {
    let page = include_str!("../../docs/architecture.md");
    let documented: Vec<(String, String, String)> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .map(|row: Vec<&str>| (row[0].replace('`', ""), row[1].to_string(), row[3].replace('`', "")))
        .collect();
    let expected: Vec<(String, String, String)> = CRATES
        .iter()
        .map(|(name, layer)| (name.to_string(), format!("{layer:?}"), used_crates(name).join(", ")))
        .collect();
    assert_eq!(documented, expected);
}

/// Fails for each source of the chosen layers or modules that holds one of the words.
fn check_absent(words: &[&str], why: &str, applies: impl Fn(&Source) -> bool) {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| applies(source)) {
        for (number, line) in source.code.lines().enumerate() {
            if let Some(word) = words.iter().find(|word| mentions(line, word)) {
                wrong.push(format!("{}: `{word}` near code line {}", source.path.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{why}:\n{}", wrong.join("\n"));
}

/// Whether the word is in the line; a word that begins like a name, only where that name begins.
fn mentions(line: &str, word: &str) -> bool {
    let continues_name = |before: &str| before.ends_with(|last: char| last.is_alphanumeric() || last == '_');
    let is_name = word.starts_with(|first: char| first.is_alphabetic());
    line.match_indices(word).any(|(at, _)| !(is_name && continues_name(&line[..at])))
}

fn below_the_world(source: &Source) -> bool {
    layer_of(&source.package).is_some_and(|layer| layer != World)
}

#[test]
fn files_clocks_and_processes_belong_to_the_world() {
    let words = [
        // Also after `use std::{env, fs};`, and for one item of such a module.
        "fs::",
        "net::",
        "process::",
        "env::",
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
        "time::Instant",
        "time::SystemTime",
        "Instant::now",
        "File::",
        "thread::sleep",
    ];
    check_absent(&words, "only the last layer may touch the world", below_the_world);
}

#[test]
fn only_listed_modules_write_files() {
    let words =
        ["fs::write", "File::create", "fs::rename", "fs::remove_", "OpenOptions", "create_dir", "set_permissions"];
    // `output` writes in the user's tree; the others only in scratch directories and caches of their own. `files` opens for
    // reading, with flags, and `sandbox` writes what the kernel is told of the process.
    let writers = ["output", "scratch", "supervisor", "process", "classpath", "files"];
    check_absent(&words, "writes files", |source| match source.package.as_str() {
        "worker" | "pipeline" | "cli" | "sandbox" => false,
        "host" => !writers.contains(&source.module.as_str()),
        _ => true,
    });
}

#[test]
fn pipeline_prints_nothing_and_reads_no_environment() {
    let words = ["println!", "print!", "eprint!", "eprintln!", "io::std", "env::", "std::env", "clap::"];
    check_absent(&words, "consoles and environments belong to the cli", |source| source.package == "pipeline");
}

#[test]
fn pipeline_names_no_flags() {
    // The flags in `revision` are those of git.
    let applies = |source: &Source| source.package == "pipeline" && source.module != "revision";
    check_absent(&["\"--", " --"], "flags belong to the cli", applies);
}

#[test]
fn maps_with_a_random_order_are_not_used_where_order_may_show() {
    let words = ["collections::HashMap", "collections::HashSet", "RandomState", "rand::rng(", "thread_rng"];
    check_absent(&words, "order must depend on the program and the seed alone", below_the_world);
}

#[test]
fn only_worker_process_and_sandbox_are_excepted_from_the_lint_against_unsafe_code() {
    let may = |source: &Source| {
        (source.package == "worker" && source.module == "lib")
            || (source.package == "host" && source.module == "process")
            || (source.package == "sandbox" && source.module == "lib")
    };
    check_absent(&["(unsafe_code"], "the compiler denies unsafe code", |source| !may(source));
}

#[test]
fn files_say_what_they_are_for_and_hold_one_idea() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    let mut count = 0;
    for directory in ["src", "tests", "benches"] {
        for path in files_with(&root.join(directory), &["rs", "java"]) {
            count += 1;
            let text = fs::read_to_string(&path).expect("source is UTF-8");
            if path.extension().is_some_and(|extension| extension == "rs") && !text.starts_with("//!") {
                wrong.push(format!("{} does not open with `//!`", path.display()));
            }
            let length = text.lines().count();
            let exception = LONGER_FILES.iter().find(|(file, _)| path == root.join(file));
            match exception {
                None if length > LONGEST_FILE => wrong.push(format!("{} has {length} lines", path.display())),
                Some((file, reason)) if length <= LONGEST_FILE => {
                    wrong.push(format!("{file} needs no exception any more: {reason}"));
                }
                _ => {}
            }
        }
    }
    assert!(count > CRATES.len(), "the sources were not found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn architecture_checks_ignore_test_code_and_parts_of_names() {
    let code = "a\n#[cfg(test)]\nmod tests {\n    use crate::cli;\n}\nb\n#[cfg(test)]\nuse x;\nc\n#[cfg(test)]\n#[path = \"t.rs\"]\nmod tests;\nd\n";
    assert_eq!(without_tests(code), "a\nb\nc\nd\n");
    assert!(mentions("let text = fs::read(path);", "fs::") && !mentions("refs::of(path)", "fs::"));
    assert_eq!(test_modules("#[cfg(test)]\npub(crate) mod testing;\nmod real;\n").collect::<Vec<_>>(), ["testing"]);
}

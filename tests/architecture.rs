//! Holds the source to its own architecture: who uses whom, who may touch the world, and how files begin.
//!
//! The table below is the module map of `docs/architecture.md`. It reads source text, as rust-analyzer's `tidy` does: rustfmt
//! gives every item its own lines, so that nothing needs to be parsed. Code for tests is left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The groups of the module map, from the bottom up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    Vocabulary,
    Reading,
    Deciding,
    Telling,
    World,
}

use Layer::{Deciding, Reading, Telling, Vocabulary, World};

/// Module, layer, and what it may use beside the vocabulary (modules of the vocabulary list all they may use).
/// Each uses only modules listed before it, so there are no cycles.
const MODULES: &[(&str, Layer, &[&str])] = &[
    ("jvm", Vocabulary, &[]),
    ("sequence", Vocabulary, &["jvm"]),
    ("execution", Vocabulary, &["sequence", "jvm"]),
    ("digest", Vocabulary, &[]),
    ("options", Vocabulary, &["digest"]),
    ("seed", Vocabulary, &[]),
    ("progress", Vocabulary, &["execution", "sequence"]),
    ("classfile", Reading, &[]),
    ("analysis", Reading, &["classfile"]),
    ("instrument", Reading, &["classfile"]),
    ("program", Reading, &["classfile", "analysis"]),
    ("redundancy", Deciding, &["analysis"]),
    ("oracle", Deciding, &["program"]),
    ("specification", Deciding, &["program"]),
    ("minimizer", Deciding, &["analysis", "redundancy"]),
    // Which finding is distinct is decided on the minimized sequence, so the selection of the suite needs the minimizer.
    ("generator", Deciding, &["program", "redundancy", "oracle", "minimizer"]),
    ("explorer", Deciding, &["program", "redundancy"]),
    ("symbolic", Deciding, &["classfile", "analysis"]),
    ("emitter", Telling, &["oracle"]),
    ("report", Telling, &["oracle", "emitter"]),
    ("process", World, &[]),
    ("project", World, &[]),
    ("classpath", World, &["project", "process"]),
    ("output", World, &[]),
    ("protocol", World, &[]),
    ("sandbox", World, &[]),
    ("smt", World, &["symbolic", "classfile"]),
    ("supervisor", World, &["protocol", "process", "sandbox"]),
    ("worker", World, &["protocol", "sandbox", "instrument", "classfile"]),
];

/// The one module that may use all others; it is not in the table.
const TOP: &str = "cli";

/// A file longer than this holds more than one idea.
const LONGEST_FILE: usize = 800;

/// A source file; `code` lacks comments and `#[cfg(test)]` items, and is empty for a file that such an item declares.
struct Source {
    path: PathBuf,
    /// The top-level module it belongs to.
    module: String,
    code: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    let mut for_tests = BTreeSet::new();
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name() {
        let path = entry.expect("src can be read").into_path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let relative = path.strip_prefix(&root).expect("the walk stays below src");
        let first = relative.components().next().expect("a file has a name").as_os_str().to_string_lossy();
        let module = first.strip_suffix(".rs").unwrap_or(&first).to_string();
        let text = fs::read_to_string(&path).expect("source is UTF-8");
        for_tests.extend(test_modules(&text).map(|name| path.with_extension("").join(name).with_extension("rs")));
        sources.push(Source { code: without_comments(&without_tests(&text)), module, path });
    }
    for source in &mut sources {
        if for_tests.contains(&source.path) {
            source.code.clear();
        }
    }
    assert!(sources.len() > MODULES.len(), "src was not found");
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

/// The top-level modules that paths starting with `crate::` name, also in groups (`crate::{jvm, seed::Seed}`).
fn used_modules(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == '$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut name = String::new();
            for character in group.chars() {
                match character {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => drop(used.insert(std::mem::take(&mut name))),
                    _ if depth == 0 => name.push(character),
                    _ => {}
                }
            }
            used.insert(name);
        } else {
            used.insert(rest.chars().take_while(|next| next.is_alphanumeric() || *next == '_').collect());
        }
    }
    let first = |path: String| path.trim().split("::").next().unwrap_or_default().trim().to_string();
    used.into_iter().map(first).filter(|module| !module.is_empty()).collect()
}

fn layer_of(module: &str) -> Option<Layer> {
    MODULES.iter().find(|(name, ..)| *name == module).map(|(_, layer, _)| *layer)
}

#[test]
fn the_table_lists_each_module_after_all_it_uses() {
    for (index, (module, layer, uses)) in MODULES.iter().enumerate() {
        for used in *uses {
            let at = MODULES.iter().position(|(name, ..)| name == used);
            assert!(at.is_some_and(|at| at < index), "{module} uses {used}, which is not listed before it");
            assert!(
                *layer == World || layer_of(used) != Some(World),
                "{module} must not know the world through {used}"
            );
        }
    }
}

#[test]
fn the_documentation_has_the_same_table() {
    let page = include_str!("../docs/architecture.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let documented: Vec<(String, String, String)> =
        rows.iter().map(|row| (row[0].replace('`', ""), row[1].to_string(), row[3].replace('`', ""))).collect();
    let expected: Vec<(String, String, String)> =
        MODULES.iter().map(|(name, layer, uses)| (name.to_string(), format!("{layer:?}"), uses.join(", "))).collect();
    assert_eq!(documented, expected);
}

#[test]
fn every_module_is_in_the_table() {
    let root = ["lib", "main", TOP];
    let known: BTreeSet<&str> = MODULES.iter().map(|(name, ..)| *name).chain(root).collect();
    for source in sources() {
        assert!(known.contains(source.module.as_str()), "{} belongs to no module of the table", source.path.display());
    }
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let mut wrong = Vec::new();
    for source in sources() {
        let Some((module, layer, uses)) = MODULES.iter().find(|(name, ..)| *name == source.module) else { continue };
        for used in used_modules(&source.code) {
            let allowed = used == *module
                || uses.contains(&used.as_str())
                || (*layer != Vocabulary && layer_of(&used) == Some(Vocabulary));
            if !allowed {
                wrong.push(format!("{} uses {used}", source.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "against the module map:\n{}", wrong.join("\n"));
}

/// Fails for each source of the chosen layers or modules that holds one of the words.
fn check_absent(words: &[&str], why: &str, applies: impl Fn(&Source) -> bool) {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| applies(source)) {
        for (number, line) in source.code.lines().enumerate() {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                wrong.push(format!("{}: `{word}` near code line {}", source.path.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{why}:\n{}", wrong.join("\n"));
}

fn below_the_world(source: &Source) -> bool {
    layer_of(&source.module).is_some_and(|layer| layer != World)
}

#[test]
fn files_clocks_and_processes_belong_to_the_world() {
    let words = [
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
fn files_are_written_by_few() {
    let words =
        ["fs::write", "File::create", "fs::rename", "fs::remove_", "OpenOptions", "create_dir", "set_permissions"];
    // `output` writes in the user's tree; the others only in scratch directories and caches of their own.
    let writers = ["output", "worker", "supervisor", "process", "classpath", "cli"];
    check_absent(&words, "writes files", |source| !writers.contains(&source.module.as_str()));
}

#[test]
fn maps_with_a_random_order_are_not_used_where_order_may_show() {
    let words = ["collections::HashMap", "collections::HashSet", "RandomState", "rand::rng(", "thread_rng"];
    check_absent(&words, "order must depend on the program and the seed alone", below_the_world);
}

#[test]
fn unsafe_code_is_in_two_modules() {
    let may = ["worker", "process"];
    check_absent(&["unsafe ", "unsafe{"], "unsafe code", |source| !may.contains(&source.module.as_str()));
}

#[test]
fn files_say_what_they_are_for_and_hold_one_idea() {
    let mut wrong = Vec::new();
    for source in sources() {
        let text = fs::read_to_string(&source.path).expect("source is UTF-8");
        if !text.starts_with("//!") {
            wrong.push(format!("{} does not open with `//!`", source.path.display()));
        }
        let length = text.lines().count();
        if length > LONGEST_FILE {
            wrong.push(format!("{} has {length} lines", source.path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn used_modules_are_found_in_every_form_of_a_path() {
    let code = "use crate::jvm::{ClassName, Type};\nuse crate::{seed::Seed, oracle::{self, Verdict},\n sequence};\nlet x = crate::report::text(); $crate::no";
    let expected = ["jvm", "oracle", "report", "seed", "sequence"];
    assert_eq!(used_modules(code).into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn test_code_is_left_out() {
    let code = "a\n#[cfg(test)]\nmod tests {\n    use crate::cli;\n}\nb\n#[cfg(test)]\nuse x;\nc\n#[cfg(test)]\n#[path = \"t.rs\"]\nmod tests;\nd\n";
    assert_eq!(without_tests(code), "a\nb\nc\nd\n");
    assert_eq!(test_modules("#[cfg(test)]\npub(crate) mod testing;\nmod real;\n").collect::<Vec<_>>(), ["testing"]);
}

//! Every write, fsync and rename of a run fails once, or is the last thing that the run does: what is in the project then is
//! old or new, file by file, and the next run makes it whole. `strace` injects the faults; without it nothing is tested.

use super::merge::{generate_shards, sources};
use super::{Scene, text};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The calls, by all names that they have on some processor.
const CALLS: [&str; 3] = ["write", "fsync,fdatasync", "rename,renameat,renameat2"];

/// A full disk, a broken one, and a kill.
const FAULTS: [&str; 3] = ["error=ENOSPC", "error=EIO", "signal=KILL"];

/// Every so many-th call of each kind; all where there is time.
fn sweep(step: usize) {
    if Command::new("strace").arg("-V").output().is_err() {
        let _ = std::io::stderr().write_all(b"skipped: no strace here\n");
        return;
    }
    let scene = Scene::new();
    sources(&scene);
    for (shards, seed) in [("older", "1"), ("newer", "2")] {
        generate_shards(&scene, shards, &["--seed", seed]);
    }
    let older = merged(&scene, "older", Vec::new());
    let newer = merged(&scene, "newer", Vec::new());
    assert!(
        older.keys().eq(newer.keys()) && older.values().zip(newer.values()).filter(|(old, new)| old != new).count() > 5
    );
    let mut injected = 0;
    for (calls, fault) in CALLS.iter().flat_map(|calls| FAULTS.map(|fault| (calls, fault))) {
        for when in (1..).step_by(step) {
            let inject = format!("inject={calls}:{fault}:when={when}");
            let _ = fs::remove_dir_all(scene.path("project"));
            place(&scene.path("project"), &older);
            let mut command = Command::new("strace");
            command.args(["-f", "-qq", "-e", &inject, "-o"]).arg(scene.path("trace"));
            command.arg(env!("CARGO_BIN_EXE_randgen")).args(["merge", "newer/1", "newer/2", "--output", "project"]);
            let output = command.current_dir(scene.path("")).output().unwrap();
            // The trace has the call that failed; a run that made fewer calls had no fault.
            let trace = fs::read_to_string(scene.path("trace")).unwrap();
            if !trace.contains("INJECTED") && !trace.contains("killed by SIGKILL") {
                break;
            }
            injected += 1;
            let left = tree(&scene.path("project"));
            for (path, bytes) in left.iter().filter(|(path, _)| !is_passing(path)) {
                let is_whole = older.get(path) == Some(bytes) || newer.get(path) == Some(bytes);
                assert!(is_whole, "{} is neither old nor new after {inject}", path.display());
            }
            if output.status.success() {
                assert!(left == newer, "{inject} is no success: {}", text(&output));
            }
            let mended = merged(&scene, "newer", left.into_iter().collect());
            assert!(lasting(&mended) == lasting(&newer), "not mended after {inject}");
        }
    }
    assert!(injected >= 9 * 10 / step, "{injected} faults");
    println!("{injected} faults");
}

#[test]
fn file_system_fault_leaves_each_file_old_or_new() {
    sweep(7);
}

#[test]
#[ignore = "takes minutes: make test-full"]
fn file_system_fault_at_every_call_leaves_each_file_old_or_new() {
    sweep(1);
}

/// Without the reports that list which files this run wrote and which it found.
fn lasting(tree: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<&PathBuf, &Vec<u8>> {
    // The list of reports has hashes of the others.
    const LISTS: [&str; 4] = ["report.json", "report.md", "run.json", ".randgen-reports"];
    let lists_files = |path: &Path| LISTS.iter().any(|name| path.ends_with(name));
    tree.iter().filter(|(path, _)| !lists_files(path)).collect()
}

/// Files of a run that did not end: the next removes them.
fn is_passing(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".randgen-tmp") || path.ends_with(".randgen.lock")
}

/// What joining the shards makes of a project with these files.
fn merged(scene: &Scene, shards: &str, before: Vec<(PathBuf, Vec<u8>)>) -> BTreeMap<PathBuf, Vec<u8>> {
    let _ = fs::remove_dir_all(scene.path("project"));
    place(&scene.path("project"), &before.into_iter().collect());
    let parts = [1, 2].map(|number| format!("{shards}/{number}"));
    let mut command = scene.randgen(&["merge", &parts[0], &parts[1], "--output", "project"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    tree(&scene.path("project"))
}

fn place(directory: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    fs::create_dir_all(directory).unwrap();
    for (path, bytes) in files {
        let target = directory.join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, bytes).unwrap();
    }
}

fn tree(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = walkdir::WalkDir::new(directory).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| (entry.path().strip_prefix(directory).unwrap().to_path_buf(), fs::read(entry.path()).unwrap()))
        .collect()
}

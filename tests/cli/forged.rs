//! Forged files: class files and reports of earlier runs whose paths lead out of the project.

use super::{Scene, stderr};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const SECRET: &str = "pSsT-4711";

/// The files below a directory that have the secret in them.
fn telling(directory: &Path) -> Vec<String> {
    let files = walkdir::WalkDir::new(directory).into_iter().flatten().filter(|entry| entry.file_type().is_file());
    let tells = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap()).contains(SECRET);
    files.filter(|entry| tells(entry.path())).map(|entry| entry.path().display().to_string()).collect()
}

/// A file with the secret, in a directory that is no project's.
fn secret_outside() -> (TempDir, PathBuf) {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, SECRET).unwrap();
    (outside, secret)
}

/// Puts another text into the constant pool of a class file.
fn with_constant(class: &[u8], old: &str, new: &str) -> Vec<u8> {
    let constant = |text: &str| [&[1], &u16::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat();
    let (old, new) = (constant(old), constant(new));
    let at = class.windows(old.len()).position(|window| window == old).unwrap();
    [&class[..at], &new, &class[at + old.len()..]].concat()
}

#[test]
fn source_file_of_a_class_leads_to_no_file_outside_the_project() {
    let (_outside, secret) = secret_outside();
    let scene = Scene::with_ring_buffer();
    let path = scene.path("classes/buffer/RingBuffer.class");
    let forged = with_constant(&fs::read(&path).unwrap(), "RingBuffer.java", secret.to_str().unwrap());
    fs::write(&path, forged).unwrap();
    let generate = ["generate", "--classes", "classes", "--sequence-limit", "200", "--progress", "none"];
    let output = scene.randgen(&[&generate[..], &["--output-formats", "html,sarif"]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(scene.path("target/randgen/report.html").exists());
    assert_eq!(telling(scene.directory.path()), Vec::<String>::new());
}

#[test]
fn forged_report_leads_specs_to_no_file_outside_the_project() {
    let (_outside, secret) = secret_outside();
    let scene = Scene::with_ring_buffer();
    let run = |command: &str| {
        let arguments = [command, "--classes", "classes", "--sequence-limit", "200", "--progress", "none"];
        let output = scene.randgen(&[&arguments[..], &["--output-formats", "html,json"]].concat()).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    };
    run("generate");
    let path = scene.path("target/randgen/report.json");
    std::os::unix::fs::symlink(&secret, scene.path("link")).unwrap();
    for source in [secret.to_str().unwrap(), "link", "../../../../../../../etc/passwd"] {
        let mut report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        report["classes"][0]["source"] = source.into();
        fs::write(&path, report.to_string()).unwrap();
        run("specs");
        let page = fs::read_to_string(scene.path("target/randgen/report.html")).unwrap();
        assert!(!page.contains(SECRET) && !page.contains("root:x:0"), "{source}");
    }
}

/// The path of the test is read below the reports and was written below the sources that are compiled: with a link, the one
/// led to the forged file and the other out of the scratch directory.
#[test]
fn replay_of_a_forged_finding_writes_nothing_outside_its_scratch() {
    let scene = Scene::with_ring_buffer();
    let generate = ["generate", "--classes", "classes", "--sequence-limit", "2000", "--progress", "none"];
    assert!(scene.randgen(&generate).output().unwrap().status.success());
    let path = scene.path("target/randgen/report.json");
    let mut report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let finding = &mut report["classes"][0]["findings"][0];
    let (id, test) = (finding["id"].as_str().unwrap().to_string(), finding["test"].as_str().unwrap().to_string());
    finding["file"] = format!("link/{}victim/V.java", "../".repeat(6)).into();
    fs::write(&path, report.to_string()).unwrap();
    scene.write("evil/victim/V.java", format!("package victim;\nclass V {{\n    void {test}() {{\n    }}\n}}\n"));
    fs::create_dir_all(scene.path("evil/1/2/3/4/5/6")).unwrap();
    let findings = scene.path("target/randgen/findings");
    fs::create_dir_all(&findings).unwrap();
    std::os::unix::fs::symlink(scene.path("evil/1/2/3/4/5/6"), findings.join("link")).unwrap();
    scene.write("tmp/victim/V.java", "class V {}\n");
    let mut replay = scene.randgen(&["replay", &id, "--classes", "classes", "--progress", "none"]);
    let output = replay.env("TMPDIR", scene.path("tmp")).output().unwrap();
    assert_eq!(fs::read_to_string(scene.path("tmp/victim/V.java")).unwrap(), "class V {}\n");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn pipes_and_devices_in_a_project_neither_hang_a_run_nor_fill_its_memory() {
    let scene = Scene::with_ring_buffer();
    let path = scene.path("randgen.toml");
    let refused = || {
        let output = scene.randgen(&["doctor", "--classes", "classes"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("it is not a regular file"), "{}", stderr(&output));
    };
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    refused();
    fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    refused();
}

//! The program as users start it: messages, exit codes, and what it leaves behind.

mod access;
mod aging;
mod annotations;
mod assertions;
mod axioms;
mod bad_input;
mod causes;
mod check;
mod collaborators;
mod command_line;
mod confinement;
mod contracts;
mod doctor;
mod endless;
mod explore;
mod faults;
mod files;
mod forged;
mod help;
mod incremental;
mod interpreter;
mod log;
mod machine;
mod merge;
mod modules;
mod rejections;
mod replay;
mod reports;
mod saturation;
mod specs;
mod suites;
mod surroundings;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The compiled classes of a fixture in a directory of their own, and a place to run in.
struct Scene {
    directory: TempDir,
}

impl Scene {
    fn new() -> Scene {
        Scene { directory: tempfile::tempdir().unwrap() }
    }

    /// With `classes`, made from the fixture's sources.
    fn with_classes(fixture: &str) -> Scene {
        let scene = Scene::new();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture).join("src/main/java");
        let sources: Vec<PathBuf> = walkdir::WalkDir::new(sources)
            .into_iter()
            .map(|entry| entry.unwrap().into_path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "java"))
            .collect();
        scene.compile(&sources);
        scene
    }

    /// With the class of the fixture `ring-buffer`, a queue with one fault.
    fn with_ring_buffer() -> Scene {
        let scene = Scene::new();
        scene.compile_ring_buffer(&ring_buffer());
        scene
    }

    /// Makes `classes` from this version of the queue.
    fn compile_ring_buffer(&self, source: &str) {
        self.write("sources/RingBuffer.java", source);
        self.compile(&[self.path("sources/RingBuffer.java")]);
    }

    /// With one compiled class.
    fn with_class(name: &str, source: &str) -> Scene {
        let scene = Scene::new();
        scene.write(&format!("src/{name}.java"), source);
        scene.compile(&[scene.path(&format!("src/{name}.java"))]);
        scene
    }

    /// Makes `classes` from Java files.
    fn compile(&self, sources: &[PathBuf]) {
        let compiled = Command::new("javac").arg("-d").arg(self.path("classes")).args(sources).status().unwrap();
        assert!(compiled.success());
    }

    /// A copy of the fixture.
    fn with_project(fixture: &str) -> Scene {
        let scene = Scene::new();
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture);
        let copied = Command::new("cp").arg("-r").arg(project.join(".")).arg(scene.directory.path()).status().unwrap();
        assert!(copied.success());
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// `randgen` with these arguments, without the settings of whoever runs the tests.
    fn randgen(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_randgen"));
        command
            .current_dir(self.directory.path())
            .args(arguments)
            .env_remove("CI")
            .env_remove("RANDGEN_LOG")
            .env("TERM", "dumb");
        command
    }

    /// Every file with its bytes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let walk = walkdir::WalkDir::new(self.directory.path()).into_iter().map(|entry| entry.unwrap());
        walk.map(|entry| {
            let bytes = if entry.file_type().is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
            (entry.into_path(), bytes)
        })
        .collect()
    }

    /// Runs the command, which has to fail so and leave every file as it is.
    fn check_refused(&self, mut command: Command, exit_code: i32, message: &str) {
        let before = self.files();
        let output = command.output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(exit_code), "{said}");
        assert!(said.contains(message), "{message:?} is not in {said}");
        assert!(self.files() == before, "files changed");
    }
}

/// The source of the fixture `ring-buffer`, for small queues only: those that fill the heap cost a worker each.
fn ring_buffer() -> String {
    let source = "fixtures/ring-buffer/src/main/java/buffer/RingBuffer.java";
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(source)).unwrap();
    let small = source.replace("capacity < 0", "capacity < 0 || capacity > 99");
    assert_ne!(small, source);
    small
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(output))
}

/// Runs the command, and expects the exit code and each of the parts; what it said. `more` is what tells it from others.
fn said(mut command: Command, more: &[&str], exit_code: i32, parts: &[&str]) -> String {
    let output = command.output().unwrap();
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(exit_code), "{more:?}: {shown}");
    for part in parts {
        assert!(shown.contains(part), "{more:?}: {part:?} is not in {shown}");
    }
    shown
}

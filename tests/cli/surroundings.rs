//! What is around a run: signals that stop it, an output that nobody reads, variables that other programs were meant to see.

use super::{Scene, stderr};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const GENERATE: [&str; 9] =
    ["generate", "--classes", "classes", "--sequence-limit", "1500", "--seed", "3", "--output", "tests"];

/// What was generated, which is taken away.
fn take_tests(scene: &Scene, output: &Output) -> Vec<(PathBuf, String)> {
    assert!(output.status.success(), "{}", stderr(output));
    let walk = walkdir::WalkDir::new(scene.path("tests")).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = walk.filter(|entry| entry.file_type().is_file());
    let texts: Vec<_> = files.map(|entry| (entry.path().into(), fs::read_to_string(entry.path()).unwrap())).collect();
    assert!(!texts.is_empty());
    // A run finds what the last one found.
    for left in ["tests", "target"] {
        fs::remove_dir_all(scene.path(left)).unwrap();
    }
    texts
}

#[test]
fn a_run_that_was_stopped_and_continued_believes_that_nothing_hung() {
    let scene = Scene::with_classes("int-stack");
    let undisturbed = take_tests(&scene, &scene.randgen(&GENERATE).output().unwrap());
    let mut command = scene.randgen(&GENERATE);
    let mut child = command.args(["--progress", "plain"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut text = String::new();
    while !text.contains("generating") {
        assert!(said.read_line(&mut text).unwrap() > 0, "{text}");
    }
    // Longer than a sequence may take.
    for pause in [100, 400] {
        std::thread::sleep(Duration::from_millis(pause));
        let all: Vec<String> = [child.id()].into_iter().chain(children(child.id())).map(|id| id.to_string()).collect();
        for (signal, time) in [("-STOP", 2500), ("-CONT", 0)] {
            // One of them may have ended meanwhile.
            let _ = Command::new("kill").arg(signal).args(&all).stderr(Stdio::null()).status().unwrap();
            std::thread::sleep(Duration::from_millis(time));
        }
    }
    said.read_to_string(&mut text).unwrap();
    let report = fs::read_to_string(scene.path("target/randgen/report.json"));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{text}");
    assert!(!report.unwrap_or_default().contains("\"timeout\""), "{text}");
    assert_eq!(take_tests(&scene, &output), undisturbed);
}

/// Of all threads of a process.
fn children(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    children.flat_map(|text| text.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>()).collect()
}

#[test]
fn an_output_that_nobody_reads_costs_no_test() {
    let scene = Scene::with_classes("int-stack");
    let read = take_tests(&scene, &scene.randgen(&GENERATE).output().unwrap());
    let run = |shell: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", shell, "sh", env!("CARGO_BIN_EXE_randgen")]).args(GENERATE);
        command.current_dir(scene.path("")).env_remove("CI").output().unwrap()
    };
    for shell in ["exec \"$@\" >&- 2>&-", "\"$@\" --progress plain 2>&1 | true; exit 0"] {
        let output = run(shell);
        let said = stderr(&output);
        assert!(!said.contains("panicked"), "{said}");
        assert_eq!(take_tests(&scene, &output), read, "{shell}");
    }
}

#[test]
fn variables_for_other_javas_change_nothing() {
    let scene = Scene::with_classes("int-stack");
    let plain = take_tests(&scene, &scene.randgen(&GENERATE).output().unwrap());
    let mut command = scene.randgen(&GENERATE);
    for name in ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"] {
        command.env(name, "-javaagent:/nowhere/agent.jar -Xmx1m -Dfile.encoding=UTF-16");
    }
    command.env("JDK_JAVAC_OPTIONS", "-Werror -Xlint:all --no-such-option");
    command.env("CLASSPATH", Path::new("/nowhere")).env("JAVA_OPTS", "-Xmx1m").env("MAVEN_OPTS", "-Xmx1m");
    assert_eq!(take_tests(&scene, &command.output().unwrap()), plain);
}

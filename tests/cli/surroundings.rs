//! What is around a run: signals that stop it, an output that nobody reads, variables that other programs were meant to see.

use super::{Scene, stderr};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const GENERATE: [&str; 9] =
    ["generate", "--classes", "classes", "--sequence-limit", "1500", "--seed", "3", "--output", "tests"];

/// Longer than a sequence may take.
const PAUSE: Duration = Duration::from_millis(2500);

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
fn suspended_and_resumed_run_reports_no_timeouts() {
    let scene = Scene::with_classes("int-stack");
    let undisturbed = take_tests(&scene, &scene.randgen(&GENERATE).output().unwrap());
    let mut command = scene.randgen(&GENERATE);
    let mut child = command.args(["--progress", "plain"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut text = String::new();
    while !text.contains("generating") {
        assert!(said.read_line(&mut text).unwrap() > 0, "{text}");
    }
    for pause in [100, 400] {
        std::thread::sleep(Duration::from_millis(pause));
        assert!(child.try_wait().unwrap().is_none(), "the run was over before it was stopped: {text}");
        let workers = children(child.id());
        for (signal, time) in [("-STOP", PAUSE), ("-CONT", Duration::ZERO)] {
            assert!(send(signal, child.id()), "{signal}");
            for worker in &workers {
                // It may have ended meanwhile.
                let _ = send(signal, *worker);
            }
            std::thread::sleep(time);
        }
    }
    said.read_to_string(&mut text).unwrap();
    let report = fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{text}");
    assert!(!report.contains("\"timeout\""), "{text}");
    assert_eq!(take_tests(&scene, &output), undisturbed);
}

/// Whether the process got the signal.
fn send(signal: &str, to: u32) -> bool {
    Command::new("kill").args([signal, &to.to_string()]).stderr(Stdio::null()).status().unwrap().success()
}

/// Of all threads of a process.
fn children(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    children.flat_map(|text| text.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>()).collect()
}

#[test]
fn closed_stdout_loses_no_test() {
    let scene = Scene::with_classes("int-stack");
    let read = take_tests(&scene, &scene.randgen(&GENERATE).output().unwrap());
    let said = scene.path("said.txt");
    let run = |shell: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", shell, "sh", env!("CARGO_BIN_EXE_randgen")]).args(GENERATE);
        command.current_dir(scene.path("")).env_remove("CI").env("SAID", &said).output().unwrap()
    };
    // A panic is told in the standard error, or, where nobody reads that either, by the exit code.
    for shell in [
        "exec \"$@\" >&- 2>\"$SAID\"",
        "exec \"$@\" >&- 2>&-",
        "{ \"$@\" --progress plain 2>&1; echo $? >\"$SAID.code\"; } | true; exit $(cat \"$SAID.code\")",
    ] {
        fs::write(&said, "").unwrap();
        let output = run(shell);
        let told = fs::read_to_string(&said).unwrap();
        assert!(!told.contains("panicked"), "{told}");
        assert_eq!(take_tests(&scene, &output), read, "{shell}");
    }
}

#[test]
fn java_environment_variables_of_the_user_change_nothing() {
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

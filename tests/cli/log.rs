//! `--log` writes what a maintainer asks for to stderr, and nothing without it.

use super::{Scene, stderr};

fn generate(filter: Option<&str>) -> (i32, String) {
    let scene = Scene::with_classes("int-stack");
    let mut command =
        scene.randgen(&["generate", "--classes", "classes", "--sequence-limit", "500", "--progress", "none"]);
    if let Some(filter) = filter {
        command.args(["--log", filter]);
    }
    let output = command.output().unwrap();
    (output.status.code().unwrap(), stderr(&output))
}

#[test]
fn log_shows_stages_and_workers_and_is_off_by_default() {
    let (code, log) = generate(Some("debug"));
    assert_eq!(code, 0, "{log}");
    for event in
        ["stage started stage=Generating", "worker started worker=\"shard-0\"", "search ended", "tests run round=0"]
    {
        assert!(log.contains(event), "{event} is not in {log}");
    }
    // The one line that is left says that the class path has no JUnit.
    let (code, shown) = generate(None);
    assert_eq!((code, shown.lines().count()), (0, 1), "{shown}");
    assert!(shown.starts_with("warning: "), "{shown}");
}

#[test]
fn log_filter_selects_by_target() {
    let (_, log) = generate(Some("randgen_host=debug"));
    assert!(log.contains("worker started") && !log.contains("search ended"), "{log}");
}

#[test]
fn malformed_log_filter_is_a_usage_error() {
    let (code, message) = generate(Some("randgen_host=loud"));
    assert_eq!(code, 2, "{message}");
    assert!(message.contains("--log"), "{message}");
}

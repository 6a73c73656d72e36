//! What the definition of the command line gives beside the commands: completion scripts, man pages, and old names.

use super::{Scene, stderr};

/// What a command prints, which has to succeed.
fn printed(arguments: &[&str]) -> String {
    let output = Scene::new().randgen(arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn completion_scripts_know_commands_and_flags() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = printed(&["completions", shell]);
        for expected in ["generate", "minimize", "state-abstraction", "min-confidence"] {
            assert!(script.contains(expected), "{shell} {expected}");
        }
        assert!(!script.contains("confine"), "{shell} completes what is hidden");
    }
    let scene = Scene::new();
    scene.check_refused(scene.randgen(&["completions", "cmd"]), 2, "possible values: bash");
}

#[test]
fn man_pages_describe_all_commands_or_one() {
    let page = printed(&["man"]);
    assert!(page.contains(".TH randgen 1") && page.contains("randgen\\-minimize(1)"), "{page}");
    let page = printed(&["man", "generate"]);
    assert!(page.contains(".TH randgen-generate 1"), "{page}");
    assert!(page.contains("state\\-abstraction") && page.contains("[default: whole\\-state]"), "{page}");
    assert!(!page.contains("\\-\\-without"), "{page}");
    let scene = Scene::new();
    scene.check_refused(scene.randgen(&["man", "generat"]), 2, "no command generat, did you mean generate?");
    scene.check_refused(scene.randgen(&["man", "confine"]), 2, "no command confine");
}

#[test]
fn old_names_in_randgen_toml_work_with_one_warning() {
    let scene = Scene::with_classes("int-stack");
    scene.write("randgen.toml", "without = [\"operands\"]\n");
    let output = scene.randgen(&["doctor", "--classes", "classes", "--state", "whole-seq"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let shown = String::from_utf8_lossy(&output.stdout);
    for expected in ["disable = operands (randgen.toml)", "state-abstraction = whole-seq (flag)"] {
        assert!(shown.contains(expected), "{shown}");
    }
    let warnings = stderr(&output);
    assert_eq!(warnings.matches("warning: ").count(), 1, "{warnings}");
    assert!(warnings.contains("the setting `without` is now `disable`"), "{warnings}");
}

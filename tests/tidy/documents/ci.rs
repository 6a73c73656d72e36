//! The files for CI servers in `docs/ci` and the GitHub Action: they parse, their commands exist, and their scripts do in a
//! shell what they say.

use clap::Parser;
use serde_yaml_ng::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const ACTION: &str = include_str!("../../../action.yml");
const GITLAB_TEMPLATE: &str = include_str!("../../../docs/ci/gitlab-template.yml");
const PRE_COMMIT: &str = include_str!("../../../docs/ci/pre-commit-config.yaml");

const CI_FILES: [(&str, &str); 3] = [
    ("github-actions.yml", include_str!("../../../docs/ci/github-actions.yml")),
    ("gitlab-ci.yml", include_str!("../../../docs/ci/gitlab-ci.yml")),
    ("Jenkinsfile", include_str!("../../../docs/ci/Jenkinsfile")),
];

#[test]
fn ci_files_are_yaml_with_jobs_that_follow_each_other() {
    let github = parse(CI_FILES[0].1);
    assert_eq!(github["jobs"]["gate"]["needs"], "generate");
    for job in ["generate", "gate"] {
        for step in github["jobs"][job]["steps"].as_sequence().unwrap() {
            assert!(step["uses"].is_string() != step["run"].is_string(), "a step is an action or a script: {step:?}");
        }
    }
    let gitlab = parse(CI_FILES[1].1);
    let stages = gitlab["stages"].as_sequence().unwrap();
    for job in ["randgen", "gate"] {
        assert!(stages.contains(&gitlab[job]["stage"]), "{job}");
        assert!(gitlab[job]["script"].as_sequence().unwrap().iter().all(|line| line.is_string()), "{job}");
    }
    assert_eq!(gitlab["gate"]["needs"][0], "randgen");
}

/// Groovy's own parser reads the Jenkinsfile in `make test-gradle`; here is what it cannot know.
#[test]
fn commands_in_ci_files_parse() {
    let variables = [("${{ matrix.shard }}", "1"), ("$CI_NODE_INDEX", "1"), ("$CI_NODE_TOTAL", "4"), ("$SHARD", "1")];
    for (file, text) in CI_FILES {
        let mut commands = Vec::new();
        for line in text.lines().map(|line| line.trim().trim_start_matches("- ")) {
            let line = variables.iter().fold(line.to_string(), |line, (name, value)| line.replace(name, value));
            if line.starts_with("randgen ") {
                let arguments = cli::args::Arguments::try_parse_from(line.split_whitespace());
                assert!(arguments.is_ok(), "{file}: {line}: {}", arguments.unwrap_err());
                commands.push(line.split_whitespace().nth(1).unwrap().to_string());
            }
        }
        assert_eq!(commands, ["generate", "merge", "check"], "{file}");
    }
}

fn parse(text: &str) -> Value {
    serde_yaml_ng::from_str(text).unwrap()
}

/// The script of a step of the action.
fn step(name: &str) -> String {
    let action = parse(ACTION);
    let steps = action["runs"]["steps"].as_sequence().unwrap();
    let step =
        steps.iter().find(|step| step["name"] == name).unwrap_or_else(|| panic!("the action has no step {name}"));
    step["run"].as_str().unwrap().to_string()
}

#[test]
fn steps_of_the_action_are_an_action_or_a_script_and_read_inputs_that_exist() {
    let action = parse(ACTION);
    for step in action["runs"]["steps"].as_sequence().unwrap() {
        assert!(step["uses"].is_string() != step["run"].is_string(), "{step:?}");
        assert_eq!(step["run"].is_string(), step["shell"] == "bash", "a script of an action names its shell: {step:?}");
        // Values of a pull request in a script would be run as a part of it.
        assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step:?}");
    }
    for (_, rest) in ACTION.match_indices("inputs.").map(|(at, text)| ACTION.split_at(at + text.len())) {
        let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '-').collect();
        assert!(action["inputs"][&*name].is_mapping(), "{name}");
    }
}

#[test]
fn pre_commit_hook_runs_a_command_that_exists() {
    let hook = &parse(PRE_COMMIT)["repos"][0]["hooks"][0];
    let entry = hook["entry"].as_str().unwrap();
    assert!(cli::args::Arguments::try_parse_from(entry.split_whitespace()).is_ok(), "{entry}");
    assert_eq!((&hook["language"], &hook["pass_filenames"]), (&"system".into(), &false.into()));
}

/// A clone with the modules `core` and `web`, and a `PATH` on which programs only write down how they were called.
struct Clone {
    directory: TempDir,
}

impl Clone {
    fn new() -> Clone {
        let clone = Clone { directory: tempfile::tempdir().unwrap() };
        for file in ["pom.xml", "README.md", "core/pom.xml", "core/src/main/java/A.java", "web/build.gradle.kts"] {
            clone.write(file, "first");
        }
        clone.write("web/src/main/java/B.java", "first");
        clone.write(
            "bin/randgen",
            "#!/bin/sh\necho \"randgen $*\" >>\"$CALLS\"\necho '# web: the gate fails' >\"$GITHUB_STEP_SUMMARY\"\nexit 1\n",
        );
        let called = "#!/bin/sh\necho \"${0##*/} $*\" >>\"$CALLS\"\n";
        clone.write("bin/gh", &format!("{called}case \"$*\" in *paginate*) echo \"$EARLIER\" ;; esac\n"));
        clone.write("bin/curl", called);
        for program in ["randgen", "gh", "curl"] {
            fs::set_permissions(clone.path("bin").join(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        clone.git(&["init", "--quiet"]);
        clone.git(&["add", "*.xml", "*.md", "*.kts", "*.java"]);
        clone.commit();
        clone
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) -> String {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(who).args(arguments).current_dir(self.directory.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    }

    fn commit(&self) {
        self.git(&["commit", "--quiet", "--all", "--message", "change"]);
    }

    /// Runs a script as GitHub does.
    fn run(&self, script: &str, variables: &[(&str, &str)]) -> Output {
        self.write("script", script);
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "script"]).current_dir(self.directory.path());
        bash.env("PATH", path).env("RUNNER_TEMP", self.directory.path()).env("CALLS", self.path("calls"));
        bash.env("GITHUB_OUTPUT", self.path("output")).env("GITHUB_STEP_SUMMARY", self.path("step-summary"));
        bash.envs(variables.iter().copied()).output().unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// What the action and the GitLab job check after these files have changed.
    fn check_modules(changed: &[&str], expected: Option<&str>) {
        let clone = Clone::new();
        let base = clone.git(&["rev-parse", "HEAD"]);
        changed.iter().for_each(|file| clone.write(file, "second"));
        clone.commit();
        let output = clone.run(&step("Find the changed modules"), &[("BASE", &base)]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(clone.read("output"), format!("checks={}\n", expected.is_some()), "{changed:?}");
        if expected.is_some() {
            let output = clone.run(&step("Run the gate"), &[("ARGUMENTS", "--quiet")]);
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            assert_eq!(clone.read("step-summary"), "# web: the gate fails\n");
        }
        let expected = expected.map(|arguments| format!("randgen check --quiet{arguments}\n")).unwrap_or_default();
        assert_eq!(clone.read("calls"), expected, "{changed:?}");

        fs::write(clone.path("calls"), "").unwrap();
        let template = parse(GITLAB_TEMPLATE);
        let script = template[".randgen-check"]["script"][0].as_str().unwrap();
        let variables =
            [("CI_MERGE_REQUEST_DIFF_BASE_SHA", &*base), ("RANDGEN_ARGUMENTS", "--quiet"), ("RANDGEN_TOKEN", "")];
        let output = clone.run(script, &variables);
        assert_eq!(output.status.code(), Some(i32::from(!expected.is_empty())), "{output:?}");
        assert_eq!(clone.read("calls"), expected, "{changed:?}");
    }
}

#[test]
fn changed_modules_alone_are_checked() {
    Clone::check_modules(&["web/src/main/java/B.java", "README.md"], Some(" --module web"));
    let both = ["web/src/main/java/B.java", "core/src/main/java/A.java"];
    Clone::check_modules(&both, Some(" --module core --module web"));
}

#[test]
fn change_of_the_whole_build_checks_every_module() {
    Clone::check_modules(&["pom.xml", "core/src/main/java/A.java"], Some(""));
}

#[test]
fn change_outside_the_modules_checks_nothing() {
    Clone::check_modules(&["README.md"], None);
}

#[test]
fn without_a_base_every_module_is_checked() {
    let clone = Clone::new();
    assert!(clone.run(&step("Find the changed modules"), &[("BASE", "")]).status.success());
    assert_eq!((clone.read("output"), clone.read("randgen-modules")), ("checks=true\n".to_string(), String::new()));
}

#[test]
fn summary_becomes_a_comment_that_the_next_run_replaces() {
    let clone = Clone::new();
    clone.write("randgen-summary.md", "# web: the gate fails\n");
    let variables = [("GITHUB_REPOSITORY", "shop/shop"), ("PULL_REQUEST", "7"), ("GH_TOKEN", "")];
    let comment = |earlier: &str| {
        let output =
            clone.run(&step("Comment on the pull request"), &[&variables[..], &[("EARLIER", earlier)]].concat());
        assert!(output.status.success(), "{output:?}");
        assert_eq!(clone.read("randgen-comment.md"), "<!-- randgen -->\n# web: the gate fails\n");
        clone.read("calls").lines().last().unwrap().to_string()
    };
    assert!(comment("").contains("--method POST repos/shop/shop/issues/7/comments -F body=@"));
    assert!(comment("12").contains("--method PATCH repos/shop/shop/issues/comments/12 -F body=@"));
}

#[test]
fn gitlab_note_is_written_with_a_token_only() {
    let template = parse(GITLAB_TEMPLATE);
    let script = template[".randgen-check"]["script"][0].as_str().unwrap();
    let clone = Clone::new();
    let project = [("CI_API_V4_URL", "api"), ("CI_PROJECT_ID", "3"), ("CI_MERGE_REQUEST_IID", "7")];
    let variables = [("RANDGEN_ARGUMENTS", ""), ("RANDGEN_TOKEN", "secret")];
    clone.run(script, &[&project[..], &variables[..]].concat());
    assert!(
        clone.read("calls").trim_end().ends_with("api/projects/3/merge_requests/7/notes"),
        "{}",
        clone.read("calls")
    );
}

#[test]
fn files_that_the_documents_name_are_in_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["action.yml", "docs/ci/gitlab-template.yml", "docs/ci/pre-commit-config.yaml"] {
        let name = file.rsplit('/').next().unwrap();
        assert!(fs::read_to_string(root.join("docs/ci.md")).unwrap().contains(name), "{name}");
    }
}

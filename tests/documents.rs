//! The documents say what the code does: each list in them that the code has too is compared with it.

use randgen::options::{BUILD_NAMES, KEYS};

#[test]
fn the_readme_lists_every_setting_in_order() {
    let readme = include_str!("../README.md");
    let table = readme.split("\n## Settings\n").nth(1).expect("the section is there");
    let table = table.split("\n## ").next().expect("a section has an end");
    let listed: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(listed, KEYS);
}

#[test]
fn the_maven_plugin_has_every_setting_in_order() {
    let mojo = include_str!("../maven-plugin/src/main/java/dev/randgen/maven/AbstractRandgenMojo.java");
    let parameters = mojo.split("@Parameter(property = \"randgen.").skip(1);
    let listed: Vec<&str> = parameters.filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(listed, BUILD_NAMES);
}

#[test]
fn the_gradle_plugin_has_every_setting_in_order() {
    let extension = include_str!("../gradle-plugin/src/main/java/dev/randgen/gradle/RandgenExtension.java");
    let listed: Vec<&str> =
        extension.split(" = setting(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(listed, BUILD_NAMES);
}

#[test]
fn links_between_documents_lead_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = include_str!("../README.md");
    for (_, rest) in readme.match_indices("](").map(|(at, _)| readme.split_at(at + 2)) {
        let target = rest.split(')').next().expect("a link ends");
        assert!(target.contains("://") || root.join(target).exists(), "README.md links to {target}");
    }
}

#[test]
fn every_contract_is_documented_in_order() {
    let page = include_str!("../docs/contracts.md");
    let listed: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let known: Vec<&str> = randgen::oracle::contract::ALL.iter().map(|contract| contract.name()).collect();
    assert_eq!(listed, known);
}

const CI_FILES: [(&str, &str); 3] = [
    ("github-actions.yml", include_str!("../docs/ci/github-actions.yml")),
    ("gitlab-ci.yml", include_str!("../docs/ci/gitlab-ci.yml")),
    ("Jenkinsfile", include_str!("../docs/ci/Jenkinsfile")),
];

#[test]
fn ci_files_are_yaml_with_jobs_that_follow_each_other() {
    let parse = |text: &str| serde_yaml_ng::from_str::<serde_yaml_ng::Value>(text).unwrap();
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
fn commands_in_ci_files_are_randgens() {
    use clap::Parser;
    let variables = [("${{ matrix.shard }}", "1"), ("$CI_NODE_INDEX", "1"), ("$CI_NODE_TOTAL", "4"), ("$SHARD", "1")];
    for (file, text) in CI_FILES {
        let mut commands = Vec::new();
        for line in text.lines().map(|line| line.trim().trim_start_matches("- ")) {
            let line = variables.iter().fold(line.to_string(), |line, (name, value)| line.replace(name, value));
            if line.starts_with("randgen ") {
                let arguments = randgen::cli::args::Arguments::try_parse_from(line.split_whitespace());
                assert!(arguments.is_ok(), "{file}: {line}: {}", arguments.unwrap_err());
                commands.push(line.split_whitespace().nth(1).unwrap().to_string());
            }
        }
        assert_eq!(commands, ["generate", "merge", "check"], "{file}");
    }
}

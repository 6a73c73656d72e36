//! The documents say what the code does: each list in them that the code has too is compared with it.

mod settings;

#[test]
fn links_in_the_readme_resolve() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = include_str!("../../README.md");
    for (_, rest) in readme.match_indices("](").map(|(at, _)| readme.split_at(at + 2)) {
        let target = rest.split(')').next().expect("a link ends");
        if target.contains("://") {
            continue;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = root.join(if path.is_empty() { "README.md" } else { path });
        assert!(path.exists(), "README.md links to {target}");
        if !anchor.is_empty() {
            let page = std::fs::read_to_string(&path).expect("a page with an anchor is text");
            assert!(page.lines().any(|line| anchor_of(line).as_deref() == Some(anchor)), "README.md links to {target}");
        }
    }
}

/// The anchor that code hosts give a heading.
fn anchor_of(line: &str) -> Option<String> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    Some(heading.chars().filter(|&letter| letter.is_alphanumeric() || "-_".contains(letter)).collect())
}

#[test]
fn every_contract_and_rule_is_documented_in_order() {
    let page = include_str!("../../docs/contracts.md");
    let (contracts, rules) = page.split_once("\n## Suppression rules\n").expect("the section is there");
    let listed = |text: &'static str| -> Vec<&str> {
        text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
    };
    let known: Vec<&str> = oracle::contract::ALL.iter().map(|contract| contract.name()).collect();
    assert_eq!(listed(contracts), known);
    let known: Vec<&str> = oracle::rules::ALL.iter().map(|rule| rule.id).collect();
    assert_eq!(listed(rules), known);
}

#[test]
fn every_filter_of_mutants_is_documented_in_order() {
    let page = include_str!("../../docs/design/mutants.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "));
    let documented: Vec<(&str, &str)> = rows.collect();
    let known: Vec<(&str, &str)> = bytecode::instrument::mutant_filters().collect();
    assert!(documented.windows(known.len()).any(|rows| rows == known), "{documented:#?} should contain {known:#?}");
}

#[test]
fn tests_named_in_the_reliability_page_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = include_str!("../../docs/design/reliability.md");
    let mentions = page.split('`').filter_map(|code| code.split_once(".rs: "));
    let named: Vec<(String, &str)> = mentions.map(|(path, test)| (format!("{path}.rs"), test)).collect();
    assert!(!named.is_empty());
    for (path, test) in named {
        let source = std::fs::read_to_string(root.join(&path)).unwrap_or_default();
        assert!(source.contains(&format!("fn {test}(")), "docs/design/reliability.md names {path}: {test}");
    }
}

const CI_FILES: [(&str, &str); 3] = [
    ("github-actions.yml", include_str!("../../docs/ci/github-actions.yml")),
    ("gitlab-ci.yml", include_str!("../../docs/ci/gitlab-ci.yml")),
    ("Jenkinsfile", include_str!("../../docs/ci/Jenkinsfile")),
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
fn commands_in_ci_files_parse() {
    use clap::Parser;
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

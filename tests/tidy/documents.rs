//! The documents say what the code does: each list in them that the code has too is compared with it.

mod ci;
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

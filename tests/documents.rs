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

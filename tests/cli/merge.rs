//! Shards: what each leaves, and what is made of it.

use super::{Scene, text};
use std::collections::BTreeSet;
use std::fs;
use std::process::Output;

/// Of two shards, the first has three.
const NAMES: [&str; 6] = ["A", "B", "C", "H", "J", "N"];

/// Six classes, the last of which has a fault; and what two shards left of them in `shards/1` and `shards/2`.
fn scene() -> Scene {
    let scene = Scene::new();
    sources(&scene);
    generate_shards(&scene, "shards", &[]);
    scene
}

/// The classes alone.
pub fn sources(scene: &Scene) {
    let sources = NAMES.map(|name| {
        let body = if name == "N" { "Object o = null; return o.hashCode() + x;" } else { "return x > 3 ? x + 1 : 0;" };
        let path = format!("sources/{name}.java");
        scene.write(&path, format!("package p; public class {name} {{ public int of(int x) {{ {body} }} }}"));
        scene.path(&path)
    });
    scene.compile(&sources);
}

/// What two shards leave, in `directory/1` and `directory/2`.
pub fn generate_shards(scene: &Scene, directory: &str, more: &[&str]) {
    for number in 1..=2 {
        generate(scene, &[&["--shard", &format!("{number}/2")], more].concat());
        let shard = scene.path(&format!("{directory}/{number}"));
        fs::create_dir_all(&shard).unwrap();
        fs::rename(scene.path("target"), shard.join("target")).unwrap();
        fs::rename(scene.path("src"), shard.join("src")).unwrap();
    }
}

fn generate(scene: &Scene, more: &[&str]) {
    let arguments = ["generate", "--classes", "classes", "--sequence-limit", "3000", "--progress", "none"];
    let output = scene.randgen(&[&arguments, more].concat()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

fn merge(scene: &Scene, shards: &[&str]) -> Output {
    scene.randgen(&[&["merge"], shards, &["--output", "."]].concat()).output().unwrap()
}

fn report(scene: &Scene, directory: &str) -> serde_json::Value {
    let path = scene.path(directory).join("target/randgen/report.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn names(report: &serde_json::Value) -> BTreeSet<String> {
    report["classes"].as_array().unwrap().iter().map(|class| class["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn merged_shards_equal_a_run_over_all_classes() {
    let scene = scene();
    let parts = ["shards/1", "shards/2"].map(|shard| report(&scene, shard));
    assert!(names(&parts[0]).is_disjoint(&names(&parts[1])) && parts[0]["shard"] == "1/2");
    let output = merge(&scene, &["shards/1", "shards/2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("1 finding"), "{}", text(&output));

    let joined = report(&scene, "");
    assert_eq!(names(&joined), NAMES.iter().map(|name| format!("p.{name}")).collect());
    assert!(joined["shard"].is_null());
    for figure in ["tests", "findings", "edges_covered", "edges_total", "witnesses"] {
        let sum: u64 = parts.iter().map(|part| part["totals"][figure].as_u64().unwrap()).sum();
        assert_eq!(joined["totals"][figure].as_u64(), Some(sum), "{figure}");
    }
    for class in joined["classes"].as_array().unwrap() {
        for test in class["tests"].as_array().unwrap() {
            let path = scene.path("src/test/generated").join(test["file"].as_str().unwrap());
            assert!(fs::read_to_string(path).unwrap().contains(test["name"].as_str().unwrap()), "{test}");
        }
        let has_xml = scene.path(&format!("target/randgen/TEST-randgen-{}.xml", class["name"].as_str().unwrap()));
        assert!(has_xml.exists());
    }
    assert!(scene.path("target/randgen/findings/p/NFindingTest.java").exists());
}

#[test]
fn check_judges_a_merged_run_without_another_search() {
    let scene = scene();
    assert!(merge(&scene, &["shards/1", "shards/2"]).status.success());
    let check = ["check", "--classes", "classes", "--sequence-limit", "3000", "--progress", "none"];
    let said = scene.randgen(&check).output().unwrap();
    assert_eq!(said.status.code(), Some(1), "{}", text(&said));
    assert!(text(&said).contains("1 new finding"), "{}", text(&said));
    assert!(!scene.path("target/randgen/timing.json").exists(), "it searched");
    let before = scene.files();
    generate(&scene, &[]);
    assert!(scene.files() == before, "what was joined holds for a whole run");
}

#[test]
fn merge_joins_accepted_specifications() {
    let scene = Scene::new();
    sources(&scene);
    scene.write("sources/A.java", "package p; public class A { public int of(int x) { return 7; } }");
    scene.compile(&[scene.path("sources/A.java")]);
    let specs = ["specs", "--classes", "classes", "--sequence-limit", "500", "--progress", "none", "--accept"];
    let output = scene.randgen(&specs).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    sources(&scene);
    generate_shards(&scene, "shards", &[]);
    // A file that somebody else wrote is refused before tests are written.
    scene.write("target/randgen/specs.json", "mine");
    let output = merge(&scene, &["shards/1", "shards/2"]);
    assert!(!output.status.success() && text(&output).contains("specs.json"), "{}", text(&output));
    assert!(!scene.path("src").exists());
    fs::remove_file(scene.path("target/randgen/specs.json")).unwrap();
    let output = merge(&scene, &["shards/1", "shards/2"]);
    assert!(output.status.success(), "{}", text(&output));
    let path = |name: &str| scene.path("target/randgen").join(name);
    let read = |name: &str| fs::read_to_string(path(name)).unwrap();
    for part in [
        "<td class=\"class\">N</td>",
        "<h2>Accepted specifications that are broken</h2>\n<article>\n<h3>p.A.of(int)</h3>",
        "<tr><th>Iteration</th>",
        "// accepted, broken</span>",
    ] {
        assert!(read("report.html").contains(part), "{part} is not in {}", read("report.html"));
    }
    let joined: serde_json::Value = serde_json::from_str(&read("specs.json")).unwrap();
    let of_part = fs::read_to_string(scene.path("shards/2/target/randgen/specs.json")).unwrap();
    let of_part: serde_json::Value = serde_json::from_str(&of_part).unwrap();
    assert_eq!(joined["broken"], of_part["broken"], "both parts say the same");
    // Without those of the parts, what was inferred there stays, and nothing is said of what was accepted.
    for shard in ["shards/1", "shards/2"] {
        fs::remove_file(scene.path(shard).join("target/randgen/specs.json")).unwrap();
    }
    assert!(merge(&scene, &["shards/1", "shards/2"]).status.success());
    let page = read("report.html");
    assert!(page.contains("<tr><th>Iteration</th>") && !page.contains("// accepted"), "{page}");
}

#[test]
fn merge_of_an_incomplete_set_of_shards_is_refused() {
    let scene = scene();
    let refused = |shards: &[&str], message: &str| {
        let mut command = scene.randgen(&["merge"]);
        command.args(shards).args(["--output", "."]);
        scene.check_refused(command, 2, message);
    };
    refused(&["shards/1"], "shard 2/2 of classes is missing, or its run ended early");
    refused(&["shards/1", "shards/2", "shards/1"], "are the same shard of classes");
    refused(&["sources"], "no report of a finished run in sources");
    refused(&["no-such"], "no report of a finished run in no-such");
    let report = scene.path("shards/2/target/randgen/report.json");
    let text = fs::read_to_string(&report).unwrap();
    fs::write(&report, text.replace("\"edges_covered\": ", "\"edges_covered\": 9")).unwrap();
    refused(&["shards/1", "shards/2"], "were changed after the run");
    fs::write(&report, text).unwrap();
    generate(&scene, &["--shard", "2/2", "--seed", "4"]);
    fs::remove_dir_all(scene.path("shards/2")).unwrap();
    fs::create_dir(scene.path("shards/2")).unwrap();
    fs::rename(scene.path("target"), scene.path("shards/2/target")).unwrap();
    refused(&["shards/1", "shards/2"], "are not shards of the same run");
}

#[test]
fn shard_without_classes_is_merged() {
    let scene = scene();
    for number in 1..=9 {
        generate(
            &scene,
            &["--shard", &format!("{number}/9"), "--reports-directory", &format!("nine/{number}/target/randgen")],
        );
    }
    let shards: Vec<String> = (1..=9).map(|number| format!("nine/{number}")).collect();
    let output = merge(&scene, &shards.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(names(&report(&scene, "")).len(), 6);
}

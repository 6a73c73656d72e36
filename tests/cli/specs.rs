//! `specs` on the subjects of Xie and Notkin's evaluation, compiled without the names of parameters.

use super::stderr;
use super::suites::Suite;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The class's specification.
fn class<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["classes"].as_array().unwrap().iter().find(|class| class["name"] == name).unwrap()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// Seed 2, as with 1 the clause of `BinaryHeap.insert` that its fault breaks is never inferred.
fn specs(suite: &Suite) -> (Option<i32>, String, Value) {
    let mut command = suite.scene.randgen(&["specs", "--classes", "classes", "--test-classes", "tests", "--quiet"]);
    command.args(["--classpath", &suite.class_path, "--sequence-limit", "3000", "--seed", "2"]);
    let output = command.output().unwrap();
    let report = fs::read_to_string(suite.scene.path("target/randgen/specs.json")).unwrap_or_default();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output));
    (output.status.code(), said, serde_json::from_str(&report).unwrap_or_default())
}

fn xie_notkin() -> Suite {
    let suite = Suite::of_fixture("xie-notkin");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/xie-notkin/src/test/java/xie/UBStackTest.java");
    suite.compile("tests", &[tests]);
    suite
}

#[test]
fn specs_selects_tests_that_violate_clauses_inferred_from_the_suite() {
    let (code, said, report) = specs(&xie_notkin());
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(report["own_tests"], 5);
    let iterations = report["iterations"].as_array().unwrap().iter();
    let kinds = iterations.flat_map(|iteration| [&iteration["with_guards"], &iteration["without_guards"]]);
    let selected: Vec<&Value> = kinds.flat_map(|tests| tests.as_array().unwrap()).collect();
    let is_broken = |method: &str, clause: &str, part: &str| {
        let breaks = |test: &&Value| {
            test["method"] == method
                && texts(&test["violates"]).contains(&clause)
                && test["source"].as_str().unwrap().contains(part)
        };
        assert!(selected.iter().any(breaks), "{method} {clause}: {selected:#?}");
    };
    is_broken("xie.UBStack.top()", "($result == -1) == (orig(this.numberOfElements) == 0)", "push(-1)");
    // The faults that were planted: an element that is not moved up, and one that is forgotten.
    is_broken("xie.BinaryHeap.insert(int)", "argument1 >= this.findMin()", "insert(");
    is_broken("xie.QueueAr.dequeue()", "this.currentSize == orig(this.currentSize) - 1", "dequeue()");
    // A third shows in each small state, so it is an exception from what holds of most.
    let common = class(&report, "xie.StackAr")["common"].as_array().unwrap();
    let popped = "topAndPop(push(S, argument1)).state == S";
    let special = common.iter().find(|common| common["equation"] == popped).map(|common| &common["special"]["source"]);
    assert!(special.is_some_and(|source| source.as_str().unwrap().contains("topAndPop()")), "{common:#?}");

    let stack = texts(&class(&report, "xie.UBStack")["equations"]);
    for axiom in [
        "isEmpty(push(S, argument1)).result == false",
        "maxSize(S).result == 2",
        "(!isFull(S)) ==> top(push(S, argument1)).result == argument1",
        "(isEmpty(S)) ==> pop(push(S, argument1)).state == S",
    ] {
        assert!(stack.contains(&axiom), "{axiom}: {stack:#?}");
    }
    let faulty = texts(&class(&report, "xie.StackAr")["equations"]);
    assert!(faulty.contains(&"isEmpty(topAndPop(S)).result == false"), "{faulty:#?}");
    let plain = texts(&class(&report, "xie.StackLi")["equations"]);
    assert!(plain.contains(&"top(push(S, argument1)).result == argument1"), "{plain:#?}");
    assert!(plain.contains(&"pop(push(S, argument1)).state == S"), "{plain:#?}");
    // Of what is like a set alone, the order does not matter.
    let commuted = |class: &str, method: &str| {
        let axiom = format!(
            "{method}({method}(S, argument11), argument12).state == {method}({method}(S, argument12), argument11).state"
        );
        texts(&self::class(&report, class)["equations"]).contains(&&*axiom)
    };
    assert!(commuted("xie.BinarySearchTree", "insert"));
    assert!(!commuted("xie.UBStack", "push") && !commuted("xie.StackLi", "push"));
}

#[test]
fn specs_output_depends_on_seed_and_sequence_limit_only() {
    let report = |threads: &str| {
        let suite = Suite::of_fixture("int-stack");
        let mut command = suite.scene.randgen(&["specs", "--classes", "classes", "--quiet", "-j", threads]);
        command.args(["--sequence-limit", "500", "--classpath", &suite.class_path]);
        assert!(command.output().unwrap().status.success());
        fs::read_to_string(suite.scene.path("target/randgen/specs.json")).unwrap()
    };
    let one = report("1");
    assert_eq!(one, report("3"));
    assert!(one.contains("isEmpty(push(S, argument1)).result == false"), "{one}");
}

/// Compiles the fixture's class without its fault over that with it.
fn mend(suite: &Suite, class: &str) {
    let mended =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/xie-notkin/src/mended/java/xie/{class}.java"));
    suite.compile("classes", &[mended]);
}

#[test]
fn accepted_specification_is_a_contract_in_every_command() {
    let suite = Suite::of_fixture("xie-notkin");
    mend(&suite, "StackAr");
    let run = |command: &str, more: &[&str]| {
        let mut randgen = suite.scene.randgen(&[command, "--classes", "classes", "--quiet", "--seed", "1"]);
        randgen.args(["--classpath", &suite.class_path, "--sequence-limit", "2000"]).args(more);
        let output = randgen.args(["--target-classes", "xie.StackAr"]).output().unwrap();
        (output.status.code(), format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output)))
    };
    let (code, said) = run("specs", &["--accept"]);
    assert_eq!(code, Some(0), "{said}");
    let accepted = suite.scene.path("randgen-specs.toml");
    let text = fs::read_to_string(&accepted).unwrap();
    assert!(text.contains("topAndPop(push(S, argument1)).state == S"), "{text}");
    let (code, said) = run("check", &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("all accepted specifications hold"), "{said}");

    let faulty = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/xie-notkin/src/main/java/xie/StackAr.java");
    suite.compile("classes", &[faulty]);
    for (command, expected) in [("specs", 1), ("check", 1), ("generate", 0)] {
        let (code, said) = run(command, &[]);
        assert_eq!(code, Some(expected), "{command}: {said}");
        for part in ["of its accepted specifications broken", "topAndPop(push(S, argument1)).state == S", "topAndPop()"]
        {
            assert!(said.contains(part), "{command}: {part:?} is not in {said}");
        }
        let fails = said.contains("the gate fails, as accepted specifications are broken");
        assert_eq!(fails, command == "check", "{command}: {said}");
    }
    // The page has the run with what it broke, and `specs` leaves the run there.
    let page = || fs::read_to_string(suite.scene.path("target/randgen/report.html")).unwrap();
    let broken = "@axiom topAndPop(push(S, argument1)).state == S  // accepted, broken</span>";
    let has_both = || ["<h2>Coverage</h2>", broken].iter().all(|part| page().contains(part));
    assert!(has_both(), "{}", page());
    run("specs", &[]);
    assert!(has_both() && !suite.scene.path("target/randgen/specs.html").exists(), "{}", page());
    run("generate", &[]);
    assert!(has_both(), "{}", page());
    // Deleting the file is taking all promises back, deleting an entry one.
    fs::remove_file(&accepted).unwrap();
    let (code, said) = run("check", &[]);
    assert_eq!(code, Some(0), "{said}");
    let is_inferred = ["<h2>Coverage</h2>", "<h2>Specifications</h2>"].iter().all(|part| page().contains(part));
    assert!(is_inferred && !page().contains("// accepted") && !page().contains("that are broken</h2>"), "{}", page());
    fs::write(&accepted, "version = 1\n").unwrap();
    let (code, said) = run("check", &[]);
    assert_eq!(code, Some(0), "{said}");
    // A file that somebody else wrote is refused before anything runs.
    let reports = suite.scene.path("target/randgen");
    fs::remove_dir_all(&reports).unwrap();
    fs::create_dir(&reports).unwrap();
    fs::write(reports.join("specs.json"), "{}").unwrap();
    for command in ["generate", "check"] {
        let (code, said) = run(command, &[]);
        assert!(code != Some(0) && said.contains("specs.json"), "{said}");
        assert_eq!(fs::read_dir(&reports).unwrap().count(), 1, "{said}");
    }
}

#[test]
fn specs_page_keeps_run_results_that_cannot_be_rewritten() {
    let source = "public class Counter { private int count; public int next() { return ++count; } }";
    let suite = Suite::of_sources(&[("Counter", source)], &[("NoTest", "class NoTest {}")]);
    let run = |command: &str, formats: &str| {
        let mut randgen = suite.scene.randgen(&[command, "--classes", "classes", "--progress", "none"]);
        randgen.args(["--classpath", &suite.class_path, "--sequence-limit", "200", "--output-formats", formats]);
        let output = randgen.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let page = || fs::read_to_string(suite.scene.path("target/randgen/report.html")).unwrap_or_default();
    let (coverage, specifications) = ("<h2>Coverage</h2>", "<h2>Specifications</h2>");
    run("specs", "html");
    assert!(page().contains(specifications) && !page().contains(coverage), "{}", page());
    run("generate", "html");
    assert!(page().contains(specifications) && page().contains(coverage), "{}", page());
    let said = run("specs", "html");
    assert!(said.contains("report.html is left as it is"), "{said}");
    assert!(page().contains(coverage), "{}", page());
    // The page of a run goes with it, whoever wrote it last.
    run("generate", "html,json");
    let said = run("specs", "html,json");
    assert!(!said.contains("left as it is") && page().contains(coverage), "{said}");
    run("specs", "json");
    assert!(page().contains(coverage), "{}", page());
    run("generate", "json");
    assert_eq!(page(), "");
}

#[test]
fn check_reports_specification_changes_between_versions() {
    let suite = Suite::of_fixture("xie-notkin");
    let copied = Command::new("cp").arg("-r").args([suite.scene.path("classes"), suite.scene.path("old")]).status();
    assert!(copied.unwrap().success());
    let check = || {
        let mut randgen = suite.scene.randgen(&["check", "--classes", "classes", "--against", "old", "--quiet"]);
        randgen.args(["--classpath", &suite.class_path, "--sequence-limit", "2000", "--target-classes", "xie.StackAr"]);
        let output = randgen.output().unwrap();
        let report = fs::read_to_string(suite.scene.path("target/randgen/check/changes.json")).unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), report)
    };
    let (code, said, report) = check();
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["specification"], serde_json::json!({ "gone": [], "new": [] }));

    mend(&suite, "StackAr");
    let (code, said, report) = check();
    // Only changes that tests show fail the gate. Whether the few tests of this limit show the mended fault is up to the search.
    let parsed: Value = serde_json::from_str(&report).unwrap();
    let changes = parsed["changes"].as_array().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(code, Some(i32::from(!changes.is_empty())), "{said}");
    assert!(
        said.contains("no longer xie.StackAr.topAndPop(): ") && said.contains("now xie.StackAr.topAndPop(): "),
        "{said}"
    );
    let of = |kind: &str| {
        let report: Value = serde_json::from_str(&report).unwrap();
        let tests = report["specification"][kind].as_array().unwrap().clone();
        tests
            .iter()
            .flat_map(|test| texts(&test["violates"]).iter().map(|text| text.to_string()).collect::<Vec<_>>())
            .collect()
    };
    let (gone, new): (Vec<String>, Vec<String>) = (of("gone"), of("new"));
    assert!(gone.iter().any(|clause| clause == "isEmpty(topAndPop(S)).result == false"), "{gone:#?}");
    assert!(new.iter().any(|clause| clause == "topAndPop(push(S, argument1)).state == S"), "{new:#?}");
    assert_eq!(check(), (code, said, report), "it is the same each time");
}

#[test]
fn each_equation_becomes_a_verified_test() {
    let suite = Suite::of_fixture("int-stack");
    let specs = || {
        let mut randgen = suite.scene.randgen(&["specs", "--classes", "classes", "--quiet", "--axiom-tests"]);
        randgen.args(["--classpath", &suite.class_path, "--sequence-limit", "500", "--junit", "4"]);
        let output = randgen.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let said = specs();
    let path = "src/test/generated/stack/IntStackAxiomTest.java";
    let text = fs::read_to_string(suite.scene.path(path)).unwrap();
    for (axiom, assertion) in [
        ("// pop(push(S, argument1)).result == argument1", "pop());"),
        ("// pop(push(S, argument1)).state == S", "assertTrue(intStack.equals("),
        ("// isEmpty(push(S, argument1)).result == false", "assertFalse(intStack.isEmpty());"),
    ] {
        let test = text.split(axiom).nth(1).unwrap_or_else(|| panic!("{axiom} is not in {text}"));
        let test = test.split("// ").next().unwrap();
        assert!(test.contains("@Test") && test.contains(assertion), "{axiom}: {test}");
    }
    let report: Value =
        serde_json::from_str(&fs::read_to_string(suite.scene.path("target/randgen/specs.json")).unwrap()).unwrap();
    assert_eq!(text.matches("@Test").count(), report["axiom_tests"]["written"].as_array().unwrap().len(), "{said}");
    let page = fs::read_to_string(suite.scene.path("target/randgen/report.html")).unwrap();
    assert!(page.contains("@axiom pop(push(S, argument1)).state == S") && !page.contains("://"), "{page}");
    specs();
    assert_eq!(fs::read_to_string(suite.scene.path(path)).unwrap(), text);
}

/// The equations of a class, whose source is given, where next to nothing is searched.
fn equations_of(name: &str, source: &str) -> Vec<String> {
    let suite = Suite::of_sources(&[(name, source)], &[("NoTest", "class NoTest {}")]);
    let mut randgen = suite.scene.randgen(&["specs", "--classes", "classes", "--quiet"]);
    let output = randgen.args(["--classpath", &suite.class_path, "--sequence-limit", "1"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let report = fs::read_to_string(suite.scene.path("target/randgen/specs.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    texts(&class(&report, name)["equations"]).into_iter().map(str::to_string).collect()
}

#[test]
fn growth_continues_from_states_that_equals_does_not_distinguish() {
    const TALLY: &str = "public class Tally {
        private int value, bonus;
        public Tally(int value) { this.value = value; }
        public void set(int value, boolean twice) { this.value = twice ? 2 * value : value; }
        public void reset() { value = 1; bonus++; }
        public int total() { return value + bonus; }
        public int value() { return value; }
        @Override public boolean equals(Object other) { return other instanceof Tally && ((Tally) other).value == value; }
        @Override public int hashCode() { return value; }
    }";
    let equations = equations_of("Tally", TALLY);
    let has = |equation: &str| equations.iter().any(|found| found == equation);
    assert!(has("value(reset(S)).result == 1") && !has("total(reset(S)).result == 1"), "{equations:#?}");
}

#[test]
fn clause_about_a_result_needs_full_coverage_of_the_method() {
    const TEXTS: &str = "public class Texts {
        public int calls;
        public String same(String text) { calls++; return text; }
        public String shortened(String text) {
            calls++;
            return text != null && text.length() == 12_345 ? text.substring(40) : text;
        }
    }";
    let equations = equations_of("Texts", TEXTS);
    let has = |equation: &str| equations.iter().any(|found| found == equation);
    let same = |method: &str| format!("{method}(S, argument1).result == argument1");
    assert!(has(&same("same")) && !has(&same("shortened")), "{equations:#?}");
}

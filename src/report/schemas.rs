//! The schemas of JSON reports in `docs/schemas`: they are derived from the types that are written, so that neither is changed
//! without the other, and what is rendered is held to them; as SARIF is held to its own.
//!
//! `UPDATE=1 cargo test -p randgen-report schemas` writes them.

use crate::baseline::{Comparison, Failure, Known};
use crate::changes::{Change, Changes, ChangesReport};
use crate::exploration::{ExploreReport, ExploredTests, IterationReport, SymbolicReport};
use crate::gate::{GateReport, Threshold};
use crate::specifications::{
    AxiomTests, ClassSpecification, CommonEquation, Iteration, MethodSpecification, SelectedTest, SpecificationChanges,
    SpecificationReport,
};
use crate::suites::{AssessReport, LeftOutTest, MinimizeReport, Redundancy, SelectReport, SuiteFacts};
use crate::{Coverage, DropReason, DroppedTest, FileChanges, Mutant, MutantStatus, Mutants, RunReport, Timing};
use crate::{example, json, sarif};
use jsonschema::Validator;
use model::options::Confidence;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Of [`Confidence`], which knows of no schemas.
pub fn confidence(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Confidence::ALL })
}

/// Of a shard, such as `3/8`, or none.
pub fn shard(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"], "pattern": "^[1-9][0-9]*/[1-9][0-9]*$" })
}

/// Of numbers of lines as ranges, such as `3-7,9`.
pub fn ranges(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$" })
}

fn schema<T: JsonSchema>(file: &str) -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_string(), json!(format!("{file}.json of randgen")));
    schema.to_value()
}

/// Each report with its schema.
fn schemas() -> [(&'static str, Value); 9] {
    [
        ("report", schema::<json::Document<'_>>("report")),
        ("timing", schema::<Timing>("timing")),
        ("check", schema::<GateReport>("check")),
        ("changes", schema::<ChangesReport>("changes")),
        ("specs", schema::<SpecificationReport>("specs")),
        ("explore", schema::<ExploreReport>("explore")),
        ("assess", schema::<AssessReport>("assess")),
        ("select", schema::<SelectReport>("select")),
        ("minimize", schema::<MinimizeReport>("minimize")),
    ]
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn published_schemas_match_the_report_types() {
    for (name, schema) in schemas() {
        let path = repository().join(format!("docs/schemas/{name}.json"));
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(published == text, "docs/schemas/{name}.json: UPDATE=1 cargo test -p randgen-report schemas");
    }
}

fn validator(name: &str) -> Validator {
    let (_, schema) = schemas().into_iter().find(|(known, _)| *known == name).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn check(name: &str, report: &impl Serialize) {
    check_value(&validator(name), &serde_json::to_value(report).unwrap(), name);
}

fn check_value(validator: &Validator, document: &Value, name: &str) {
    let errors: Vec<String> =
        validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, [""; 0], "{name}");
}

fn mutants() -> Mutants {
    Mutants::new(vec![Mutant {
        class: "p.A".to_string(),
        method: "m()V".to_string(),
        line: Some(1),
        mutator: "MATH".to_string(),
        status: MutantStatus::NotReached,
        killed_by: None,
        assertion: None,
    }])
}

fn files() -> FileChanges {
    FileChanges { directory: "src/test/generated".to_string(), ..FileChanges::default() }
}

fn dropped() -> DroppedTest {
    DroppedTest { name: "test".to_string(), reason: DropReason::Fails, detail: String::new() }
}

#[test]
fn run_report_matches_its_schema() {
    let run = RunReport { mutants: Some(mutants()), ..example::run() };
    for run in
        [run, RunReport::default(), RunReport { shard: Some("3/8".to_string().try_into().unwrap()), ..example::run() }]
    {
        let text = json::render(&run).unwrap();
        check_value(&validator("report"), &serde_json::from_str(&text).unwrap(), "report");
    }
    check(
        "timing",
        &Timing {
            stages: vec![("search".to_string(), 0.5)],
            cpu_of_stages: vec![("search".to_string(), 0.75)],
            ..Timing::default()
        },
    );
}

#[test]
fn missing_mistyped_and_unknown_fields_violate_the_schema() {
    let rendered = || -> Value { serde_json::from_str(&json::render(&example::run()).unwrap()).unwrap() };
    let validator = validator("report");
    for change in [
        (|report: &mut Value| drop(report.as_object_mut().unwrap().remove("seed"))) as fn(&mut Value),
        |report| report["classes"][1]["edges"]["covered"] = "9".into(),
        |report| report["classes"][0]["unusable"]["reason"] = "bad-luck".into(),
        |report| report["classes"][1]["findings"][0]["confidence"] = "sure".into(),
        |report| report["classes"][1]["lines"]["covered"] = "2-".into(),
        |report| report["shard"] = "3".into(),
    ] {
        let mut report = rendered();
        change(&mut report);
        assert!(!validator.is_valid(&report), "{report}");
    }
}

#[test]
fn gate_and_change_reports_match_their_schemas() {
    let failure = Failure { id: "0123456789ab".to_string(), ..Failure::default() };
    let known = Known { module: "p".to_string(), failure: failure.clone(), first_seen: "2026-11-22".to_string() };
    let comparison = Comparison { new: vec![failure], gone: vec![known], ..Comparison::default() };
    let threshold = Threshold::at_least("coverage-threshold", 80, (7, 9), "7 of 9 edges".to_string());
    let gate = GateReport::new(&example::run(), "randgen-baseline.toml".to_string(), comparison, vec![threshold], true);
    check("check", &gate);
    let change = Change {
        class: "p.A".to_string(),
        test: "test".to_string(),
        reason: DropReason::TimesOut,
        detail: String::new(),
        source: String::new(),
        through: vec!["buffer.RingBuffer.isFull".to_string()],
    };
    let unreached = vec!["buffer.RingBuffer.isEmpty".to_string()];
    let changes = Changes { tests: 4, changes: vec![change], flaky: 1, finished: true, unconfirmed: 0, unreached };
    let specification = SpecificationChanges { gone: vec![selected()], new: Vec::new() };
    check("changes", &ChangesReport::new("p", "v1".to_string(), changes, specification));
}

fn selected() -> SelectedTest {
    SelectedTest {
        class: "p.A".to_string(),
        method: "p.A.top()".to_string(),
        violates: vec!["$result == 1".to_string()],
        source: String::new(),
    }
}

#[test]
fn specification_report_matches_its_schema() {
    let common = CommonEquation {
        equation: "f(S).state == S".to_string(),
        holds: 9,
        fails: 1,
        states: 5,
        failing_states: 1,
        special: Some(selected()),
    };
    let class = ClassSpecification {
        common: vec![common],
        methods: vec![MethodSpecification::default()],
        ..ClassSpecification::default()
    };
    let axiom_tests = AxiomTests { written: Vec::new(), dropped: vec![dropped()], files: files() };
    let report = SpecificationReport {
        iterations: vec![Iteration { clauses: 1, with_guards: vec![selected()], without_guards: Vec::new() }],
        classes: vec![class],
        axiom_tests: Some(axiom_tests),
        ..SpecificationReport::new("p", 3)
    };
    check("specs", &report);
    check("specs", &report.inferred());
    check("specs", &SpecificationReport::new("p", 3));
}

#[test]
fn exploration_report_matches_its_schema() {
    let tests = ExploredTests { dropped: vec![dropped()], files: files(), ..ExploredTests::default() };
    let report = ExploreReport {
        iterations: vec![IterationReport::default()],
        symbolic: Some(SymbolicReport::default()),
        tests: Some(tests),
        ..ExploreReport::new("p")
    };
    check("explore", &report);
    check("explore", &ExploreReport::new("p"));
}

#[test]
fn suite_report_matches_its_schema() {
    let left_out = LeftOutTest { test: "p.ATest".to_string(), reason: "fails".to_string(), detail: String::new() };
    let suite = SuiteFacts { mutants: Some(mutants()), left_out: vec![left_out], ..SuiteFacts::new("p") };
    let row = Redundancy {
        state: "whole-state".to_string(),
        redundant_tests: 1,
        redundant_tests_percent: 50.0,
        redundant_method_executions: 6,
        redundant_method_executions_percent: 46.2,
    };
    check("assess", &AssessReport { suite: suite.clone(), representations: vec![row] });
    let mut select = SelectReport {
        suite: suite.clone(),
        state: "whole-state".to_string(),
        candidates: 2,
        selected: vec!["p.ATest.test".to_string()],
        edges_with_selected: Coverage { covered: 1, total: 2 },
        mutants_killed_with_selected: Some(1),
    };
    check("select", &select);
    select.mutants_killed_with_selected = None;
    check("select", &select);
    let minimize = MinimizeReport {
        suite,
        state: "whole-state".to_string(),
        kept: Vec::new(),
        excluded: Vec::new(),
        kept_method_executions: 3,
        kept_edges: Coverage { covered: 1, total: 2 },
        lost_edges: Vec::new(),
        lost_exceptions: Vec::new(),
        kept_mutants_killed: None,
        lost_mutants: vec!["MATH in p.A.m()V".to_string()],
        broken: Vec::new(),
    };
    check("minimize", &minimize);
}

#[test]
fn sarif_report_matches_its_schema() {
    let path = repository().join("tests/schemas/sarif-schema-2.1.0.json");
    let mut schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for definition in ["run", "toolComponent"] {
        // As published, these patterns have a bracket too many to be regular expressions.
        let language = &mut schema["definitions"][definition]["properties"]["language"];
        assert!(language.as_object_mut().unwrap().remove("pattern").is_some());
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    // What a run wrote of classes made to break things, and one with a finding in its sources.
    let hostile = serde_json::from_str(include_str!("../../tests/robustness/parsers/report.json")).unwrap();
    for run in [example::run(), hostile] {
        let mut document: Value = serde_json::from_str(&sarif::render(&run).unwrap()).unwrap();
        check_value(&validator, &document, "SARIF");
        document["runs"][0]["results"][0]["level"] = "fatal".into();
        assert!(!validator.is_valid(&document), "the validator does nothing");
    }
}

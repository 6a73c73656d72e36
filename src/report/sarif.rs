//! SARIF 2.1.0, as code hosts show findings beside the lines that they are about.
//!
//! A rule per contract and a result per finding. Paths are relative to the whole project, as hosts want them; a finding's id
//! goes along as its fingerprint, so that a host knows it again.

use super::{ClassReport, Finding, ReportError, RunReport};
use model::options::Confidence;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const VERSION: &str = "2.1.0";
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Stands for the directory of the project, which is elsewhere on each machine.
const ROOT: &str = "%SRCROOT%";

/// The document, indented, with a line's end.
pub fn render(report: &RunReport) -> Result<String, ReportError> {
    let findings =
        || report.classes.iter().flat_map(|class| class.findings.iter().map(move |finding| (class, finding)));
    let contracts: BTreeSet<&str> = findings().map(|(_, finding)| finding.contract.as_str()).collect();
    let contracts: Vec<&str> = contracts.into_iter().collect();
    let rules: Vec<Value> =
        contracts.iter().map(|contract| json!({ "id": contract, "name": pascal(contract) })).collect();
    let results: Vec<Value> = findings().map(|(class, finding)| result(class, finding, &contracts)).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [{
            "tool": { "driver": { "name": "randgen", "version": report.version, "rules": rules } },
            "automationDetails": { "id": format!("randgen/{}/", report.module) },
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn result(class: &ClassReport, finding: &Finding, contracts: &[&str]) -> Value {
    let text = format!("{} breaks {}: {}", class.name, finding.contract, finding.message);
    let mut location = Map::new();
    if let Some(position) = &finding.position {
        let mut physical = Map::new();
        physical.insert("artifactLocation".into(), json!({ "uri": uri(&position.file), "uriBaseId": ROOT }));
        if let Some(line) = position.line {
            physical.insert("region".into(), json!({ "startLine": line }));
        }
        location.insert("physicalLocation".into(), physical.into());
    }
    location
        .insert("logicalLocations".into(), json!([{ "fullyQualifiedName": finding.operation, "kind": "function" }]));
    json!({
        "ruleId": finding.contract,
        "ruleIndex": contracts.iter().position(|contract| *contract == finding.contract),
        "level": if finding.confidence == Confidence::Possible { "warning" } else { "error" },
        "message": { "text": format!("{text}\n\n{}", finding.source.trim_end()) },
        "locations": [location],
        "partialFingerprints": { "randgenFinding/v1": finding.id },
        "properties": {
            "cause": finding.cause,
            "confidence": finding.confidence,
            "test": finding.test,
            "witnesses": finding.occurrences,
            "shownBy": finding.shown_by,
        },
    })
}

/// `no-null-pointer` as `NoNullPointer`, as names of rules are written.
fn pascal(contract: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    contract.split('-').filter(|word| !word.is_empty()).map(capital).collect()
}

/// A path as a reference (RFC 3986).
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'$' => uri.push(byte as char),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn sarif_result_has_location_and_fingerprint() {
        let document: Value = serde_json::from_str(&render(&example::run()).unwrap()).unwrap();
        let run = &document["runs"][0];
        assert_eq!((&document["version"], &run["tool"]["driver"]["name"]), (&VERSION.into(), &"randgen".into()));
        let result = &run["results"][0];
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!((&rule["id"], &rule["name"]), (&result["ruleId"], &"NoNullPointer".into()));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/main/java/buffer/RingBuffer.java");
        assert_eq!(place["region"]["startLine"], 27);
        assert_eq!(result["partialFingerprints"]["randgenFinding/v1"], "0123456789ab");
    }

    #[test]
    fn sarif_result_without_position_has_no_physical_location() {
        let mut report = example::run();
        report.classes[1].findings[0].position = None;
        let document: Value = serde_json::from_str(&render(&report).unwrap()).unwrap();
        let location = &document["runs"][0]["results"][0]["locations"][0];
        assert!(location.get("physicalLocation").is_none());
        assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "buffer.RingBuffer.enqueue(double)");
    }

    #[test]
    fn sarif_paths_are_uri_encoded() {
        assert_eq!(uri("src/a b/Größe$1.java"), "src/a%20b/Gr%C3%B6%C3%9Fe$1.java");
    }
}

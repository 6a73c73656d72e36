//! The JSON report: the [`RunReport`] as serde writes it, with the schema's version and the totals; `docs/reports.md`
//! describes it.

use super::{ReportError, RunReport, SCHEMA, Totals};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    totals: Totals,
    #[serde(flatten)]
    report: &'a RunReport,
}

/// The document, indented, with a line's end.
pub fn render(report: &RunReport) -> Result<String, ReportError> {
    let document = Document { schema: SCHEMA, totals: report.totals(), report };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_holds_schema_totals_and_reason_codes() {
        let text = render(&super::super::tests::example()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], 1);
        assert_eq!(value["totals"]["findings"], 1);
        assert_eq!(value["classes"][0]["unusable"]["reason"], "initialiser-throws");
        assert_eq!(value["classes"][1]["not_tested"][0]["reason"], "exit");
        assert_eq!(value["classes"][1]["dropped"][0]["reason"], "flaky");
    }
}

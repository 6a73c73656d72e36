//! The JSON report: the [`RunReport`] as serde writes it, with the schema's version and the totals; `docs/reports.md`
//! describes it.

use super::{ReportError, RunReport, SCHEMA, Totals};
use serde::Serialize;

/// The result of a run over one module.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document<'a> {
    /// Raised when a field changes its meaning or goes away.
    schema: u32,
    /// Sums over the classes.
    totals: Totals,
    #[serde(flatten)]
    report: &'a RunReport,
}

/// The document, indented, with a line's end.
pub fn render(report: &RunReport) -> Result<String, ReportError> {
    let document = Document { schema: SCHEMA, totals: report.totals(), report };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

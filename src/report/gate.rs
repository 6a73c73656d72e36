//! The result of the gate for a module: its run compared with the baseline, and figures compared with their thresholds.

use super::baseline::{Comparison, Failure, Known};
use super::markup::without_html;
use super::summary::{counted, visible};
use super::{ReportError, ReportFile, RunReport, SCHEMA, place};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The files that `check` writes.
pub const CHECK_FILES: [&str; 1] = ["check.json"];

const FOUND: &str = "Findings that the version before shows as well";

/// The gate's result for a module.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GateReport {
    /// Version of the document's shape.
    pub schema: u32,
    /// Version of randgen.
    pub version: String,
    /// The module's name.
    pub module: String,
    /// Path of the baseline, relative to the module if it is below the module.
    pub baseline: String,
    /// Whether the gate passes.
    pub passed: bool,
    /// Findings that are not in the baseline.
    pub new: Vec<Failure>,
    /// Findings that are not in the baseline, and that the last version without new findings shows as well. They do not fail
    /// the gate.
    pub found: Vec<Failure>,
    /// Baseline entries that the run found.
    pub known: Vec<Known>,
    /// Baseline entries that the run did not find.
    pub gone: Vec<Known>,
    /// Baseline entries of classes that the run did not test.
    pub not_looked_at: Vec<Known>,
    /// New findings that no test reproduces reliably. They do not fail the gate.
    pub not_shown: Vec<Failure>,
    /// In the order of the settings.
    pub thresholds: Vec<Threshold>,
    /// Whether baseline entries that are gone fail the gate.
    pub strict: bool,
    /// Lines that consoles make links, by the ids of findings; for the console alone.
    #[serde(skip)]
    places: BTreeMap<String, String>,
}

/// A figure and its limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Threshold {
    /// Name of the setting.
    pub setting: &'static str,
    /// The setting's value, in per cent.
    pub limit: u8,
    /// The figure itself, rounded down to a tenth.
    pub percent: f64,
    /// The figure in words.
    pub detail: String,
    /// Whether the figure is on the right side of its limit.
    pub is_met: bool,
}

impl Threshold {
    /// Nothing of nothing is enough.
    pub fn at_least(setting: &'static str, limit: u8, (part, whole): (u64, u64), detail: String) -> Threshold {
        let is_met = part * 100 >= u64::from(limit) * whole;
        Threshold { setting, limit, percent: percent(part, whole), detail, is_met }
    }

    /// A figure that is to be no larger than its limit.
    pub fn at_most(setting: &'static str, limit: u8, (part, whole): (u64, u64), detail: String) -> Threshold {
        let is_met = part * 100 <= u64::from(limit) * whole;
        Threshold { setting, limit, percent: percent(part, whole), detail, is_met }
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    (part * 1000).checked_div(whole).unwrap_or_default() as f64 / 10.0
}

impl GateReport {
    /// The answer of this version of randgen about a run.
    pub fn new(
        run: &RunReport,
        baseline: String,
        comparison: Comparison,
        thresholds: Vec<Threshold>,
        strict: bool,
    ) -> GateReport {
        let Comparison { new, known, gone, not_looked_at, not_shown, found } = comparison;
        let passed = new.is_empty() && (gone.is_empty() || !strict) && thresholds.iter().all(|one| one.is_met);
        let known = known.into_iter().map(|(known, _)| known).collect();
        let findings = run.classes.iter().flat_map(|class| class.findings.iter().map(move |finding| (class, finding)));
        let places =
            findings.filter_map(|(class, finding)| Some((finding.id.clone(), place::frame(&class.name, finding)?)));
        let (version, module) = (env!("CARGO_PKG_VERSION").to_string(), run.module.clone());
        GateReport {
            schema: SCHEMA,
            version,
            module,
            baseline,
            passed,
            new,
            found,
            known,
            gone,
            not_looked_at,
            not_shown,
            thresholds,
            strict,
            places: places.collect(),
        }
    }

    /// The report as JSON.
    pub fn files(&self) -> Result<Vec<ReportFile>, ReportError> {
        Ok(vec![ReportFile { name: CHECK_FILES[0].to_string(), text: serde_json::to_string_pretty(self)? + "\n" }])
    }

    fn headline(&self) -> String {
        let mut parts = vec![
            counted(self.new.len() as u64, "new finding"),
            format!("{} known", self.known.len()),
            format!("{} gone", self.gone.len()),
        ];
        if !self.found.is_empty() {
            parts.insert(1, format!("{} found, not new", self.found.len()));
        }
        let unmet = self.thresholds.iter().filter(|threshold| !threshold.is_met);
        parts.extend(unmet.map(|threshold| format!("{} not met", threshold.setting)));
        format!("{}: the gate {}: {}", self.module, if self.passed { "passes" } else { "fails" }, parts.join(", "))
    }

    /// For the console.
    pub fn text(&self) -> String {
        let mut text = self.headline() + "\n";
        for (heading, failures) in [("New findings", &self.new), (FOUND, &self.found)] {
            if !failures.is_empty() {
                let _ = writeln!(text, "\n{heading}");
            }
            for (at, failure) in failures.iter().enumerate() {
                failure_text(&mut text, at + 1, failure);
                if let Some(place) = self.places.get(&failure.id) {
                    let _ = writeln!(text, "     {}", visible(place));
                }
            }
        }
        if !self.gone.is_empty() {
            text.push_str("\nBaseline findings that no longer occur\n");
        }
        for known in &self.gone {
            let _ = writeln!(text, "  {}", line_of(known));
        }
        if !self.thresholds.is_empty() {
            text.push_str("\nThresholds\n");
        }
        for threshold in &self.thresholds {
            let _ = writeln!(text, "  {}", threshold.line());
        }
        text.push('\n');
        for note in self.notes() {
            let _ = writeln!(text, "{note}");
        }
        let _ = writeln!(text, "Baseline: {}", self.baseline);
        text
    }

    /// For a pull request.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", self.headline());
        let new = self.new.iter().map(|failure| ("New", failure));
        for (what, failure) in new.chain(self.found.iter().map(|failure| ("Found, not new", failure))) {
            let Failure { class, contract, id, description, cause, test } = failure;
            let _ = writeln!(text, "\n## {what}: {class} `{contract}`\n\n{}\n", visible(description));
            let _ = writeln!(text, "```java\n{}\n```\n\nFinding {id}: {cause}", test.trim_end());
        }
        if !self.gone.is_empty() {
            text.push_str("\n## Baseline findings that no longer occur\n\n");
        }
        for known in &self.gone {
            let _ = writeln!(text, "- {}", line_of(known));
        }
        if !self.thresholds.is_empty() {
            text.push_str("\n## Thresholds\n\n");
        }
        for threshold in &self.thresholds {
            let _ = writeln!(text, "- {}", threshold.line());
        }
        for note in self.notes() {
            let _ = writeln!(text, "\n{note}");
        }
        without_html(&text)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.new.is_empty() {
            notes.push("`update-baseline` adds the new findings to the baseline.".to_string());
        }
        if !self.found.is_empty() {
            let count = counted(self.found.len() as u64, "finding");
            notes.push(format!(
                "{count} that the last version without new findings shows as well; reported, but no reason to fail. \
                 `update-baseline` adds what was found to the baseline."
            ));
        }
        if !self.gone.is_empty() {
            let fails = if self.strict { "fails on them, as strict is set" } else { "passes, as strict is not set" };
            notes.push(format!(
                "Baseline findings no longer occur; the gate {fails}. `update-baseline` removes them from the baseline."
            ));
        }
        if !self.not_shown.is_empty() {
            let count = counted(self.not_shown.len() as u64, "finding");
            let fails = if self.not_shown.len() == 1 { "does" } else { "do" };
            notes.push(format!("{count} not reproduced reliably; reported, but {fails} not fail the gate."));
        }
        if !self.not_looked_at.is_empty() {
            let count = counted(self.not_looked_at.len() as u64, "known finding");
            notes.push(format!("{count} of classes that were not tested in this run."));
        }
        notes
    }
}

impl Threshold {
    fn line(&self) -> String {
        let Threshold { setting, limit, percent, detail, is_met } = self;
        let word = if *is_met { "met" } else { "not met" };
        format!("{setting} {limit} % is {word}: {percent:.1} %, {detail}")
    }
}

fn failure_text(text: &mut String, number: usize, failure: &Failure) {
    let Failure { class, contract, id, description, cause, test } = failure;
    let _ = writeln!(text, "  {number}. {class} breaks {contract}: {}", visible(description));
    for line in test.lines() {
        let _ = writeln!(text, "{}", format!("       {line}").trim_end());
    }
    let _ = writeln!(text, "     finding {id}: {cause}");
}

fn line_of(known: &Known) -> String {
    let Failure { class, contract, id, description, .. } = &known.failure;
    format!("{class} {contract}: {} (finding {id}, first seen {})", visible(description), known.first_seen)
}

#[cfg(test)]
mod tests {
    use super::super::baseline::Baseline;
    use super::*;
    use crate::example;

    fn gate(baseline: &Baseline, found: bool, thresholds: Vec<Threshold>, strict: bool) -> GateReport {
        let mut report = example::run();
        if !found {
            report.classes[1].findings.clear();
        }
        let comparison = baseline.compare(&report);
        GateReport::new(&report, "randgen-baseline.toml".to_string(), comparison, thresholds, strict)
    }

    fn knowing() -> Baseline {
        let none = Baseline::default();
        none.updated("ring-buffer", &none.compare(&example::run()), "2026-11-22")
    }

    #[test]
    fn new_findings_fail_the_gate_and_are_named() {
        let gate = gate(&Baseline::default(), true, Vec::new(), false);
        assert!(!gate.passed);
        let expected = "ring-buffer: the gate fails: 1 new finding, 0 known, 0 gone

New findings
  1. buffer.RingBuffer breaks no-null-pointer: NullPointerException <without> a null argument
       RingBuffer ringBuffer = new RingBuffer(3);
       ringBuffer.enqueue(-1.0);
     finding 0123456789ab: java.lang.NullPointerException in buffer.RingBuffer.enqueue
     at buffer.RingBuffer.enqueue(RingBuffer.java:27)

`update-baseline` adds the new findings to the baseline.
Baseline: randgen-baseline.toml
";
        assert_eq!(gate.text(), expected);
        assert!(gate.markdown().contains("## New: buffer.RingBuffer `no-null-pointer`"));
    }

    #[test]
    fn findings_that_the_version_before_shows_are_reported_and_do_not_fail_the_gate() {
        let mut comparison = Baseline::default().compare(&example::run());
        comparison.found = std::mem::take(&mut comparison.new);
        assert_eq!(comparison.excuses().len(), 1);
        let gate = GateReport::new(&example::run(), "randgen-baseline.toml".to_string(), comparison, Vec::new(), false);
        assert!(gate.passed);
        let text = gate.text();
        assert!(text.starts_with("ring-buffer: the gate passes: 0 new findings, 1 found, not new, 0 known, 0 gone\n"));
        assert!(
            text.contains(FOUND) && text.contains("finding 0123456789ab: java.lang.NullPointerException"),
            "{text}"
        );
        assert!(gate.markdown().contains("## Found, not new: buffer.RingBuffer `no-null-pointer`"));
    }

    #[test]
    fn fixed_findings_fail_the_gate_only_with_strict() {
        assert!(gate(&knowing(), true, Vec::new(), true).passed);
        let lenient = gate(&knowing(), false, Vec::new(), false);
        assert!(lenient.passed && lenient.text().contains("first seen 2026-11-22"), "{}", lenient.text());
        assert!(!gate(&knowing(), false, Vec::new(), true).passed);
    }

    #[test]
    fn threshold_is_compared_exactly() {
        let least = |limit, part, whole| Threshold::at_least("coverage-threshold", limit, (part, whole), String::new());
        assert!(least(75, 9, 12).is_met && !least(76, 9, 12).is_met && least(100, 0, 0).is_met);
        let most = |limit, part, whole| Threshold::at_most("max-redundancy", limit, (part, whole), String::new());
        assert!(most(25, 1, 4).is_met && !most(24, 1, 4).is_met && most(0, 0, 0).is_met);
        let gate = gate(&knowing(), true, vec![least(76, 9, 12)], false);
        assert!(!gate.passed);
        assert!(gate.text().contains("1 known, 0 gone, coverage-threshold not met"), "{}", gate.text());
        assert!(gate.text().contains("coverage-threshold 76 % is not met: 75.0 %"), "{}", gate.text());
    }

    #[test]
    fn gate_report_lists_known_findings_with_their_date() {
        let gate = gate(&knowing(), true, Vec::new(), false);
        let document: serde_json::Value = serde_json::from_str(&gate.files().unwrap()[0].text).unwrap();
        assert_eq!(document["known"][0]["id"], "0123456789ab");
        assert_eq!(document["known"][0]["first_seen"], "2026-11-22");
        assert_eq!(document["passed"], true);
    }
}

//! The summary: short and exact, as text for the console and as Markdown for a pull request.

use super::{ClassReport, Coverage, Finding, Mutants, NotTested, Reason, RunReport, Timing, Totals};
use crate::aging;
use crate::markup::without_html;
use crate::place;
use crate::weakest::{WEAKEST, WeakMethod, weakest};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Findings that the console lists; the report has them all.
const SHOWN: usize = 5;

/// For the console, at a run's end; `reports` is the place of the full report.
pub fn text(report: &RunReport, timing: Option<&Timing>, reports: &str) -> String {
    let totals = report.totals();
    let mut text = String::new();
    line(&mut text, &headline(report, &totals));
    let speed = timing.map_or(String::new(), |timing| {
        format!(" in {:.1} s, {} a second", timing.seconds, grouped(timing.sequences_per_second as u64))
    });
    line(&mut text, &format!("{}{speed}; seed {}", counted(report.sequences, "sequence"), report.seed));
    if !report.sandbox.is_empty() {
        line(&mut text, &format!("sandbox: {}", report.sandbox));
    }
    let reused = report.classes.iter().filter(|class| class.reused).count();
    if reused > 0 {
        let classes = if reused == 1 { "class" } else { "classes" };
        line(&mut text, &format!("{} unchanged {classes}, results of the last run reused", grouped(reused as u64)));
    }
    if report.existing_tests.sequences > 0 {
        line(&mut text, &existing_tests(report));
    }
    if let Some(reason) = &report.ended_early {
        line(&mut text, &format!("ended early: {reason}"));
    }
    class_table(&mut text, report);
    if totals.tests_back_door > 0 {
        line(&mut text, &format!("\n{}", back_door_line(&totals)));
    }
    if totals.edges_only_implicit > 0 {
        line(&mut text, &format!("\n{}", only_implicit_line(&totals)));
    }
    if let Some(mutants) = &report.mutants {
        line(&mut text, &format!("\n{}", mutant_line(mutants)));
    }
    text.push_str(&aging::text(report));
    finding_list(&mut text, report);
    untested_list(&mut text, report);
    if totals.dropped > 0 {
        line(
            &mut text,
            &format!("\nGenerated tests left out (each a defect of randgen): {}", dropped_by_reason(report)),
        );
    }
    // A run that was measured has announced them before.
    for warning in report.warnings.iter().filter(|_| timing.is_none()) {
        line(&mut text, &format!("warning: {warning}"));
    }
    line(&mut text, "");
    line(&mut text, &file_line(report));
    line(&mut text, &format!("Report: {reports}"));
    text
}

/// For the console where the last run holds; `reports` is the place of its report.
pub fn text_of_last_run(report: &RunReport, reports: &str) -> String {
    let headline = headline(report, &report.totals());
    format!(
        "{headline}\nnothing changed since the last run: its tests and reports are still valid\n{}Report: {reports}\n",
        aging::failing(report)
    )
}

/// `Mutants: 335 of 497 killed (67 %), 140 survived, 22 reached by no test`
pub(super) fn mutant_line(mutants: &Mutants) -> String {
    let percent = mutants.percent().map(|percent| format!(" ({percent} %)")).unwrap_or_default();
    let mut line = format!("Mutants: {} of {} killed{percent}", mutants.killed, mutants.total);
    let rest =
        [(mutants.survived, "survived"), (mutants.not_reached, "reached by no test"), (mutants.not_run, "not run")];
    for (count, what) in rest.into_iter().filter(|(count, _)| *count > 0) {
        let _ = write!(line, ", {count} {what}");
    }
    line
}

/// `Reached only by implicit exceptions: 12 edges`
fn only_implicit_line(totals: &Totals) -> String {
    format!("Reached only by implicit exceptions: {}", counted(totals.edges_only_implicit, "edge"))
}

/// `Through members that only the package can use: 3 tests`
fn back_door_line(totals: &Totals) -> String {
    format!("Through members that only the package can use: {}", counted(totals.tests_back_door as u64, "test"))
}

/// For `report.md`.
pub fn markdown(report: &RunReport) -> String {
    let totals = report.totals();
    let mut text = format!("# {}\n\n", headline(report, &totals));
    markdown_run(&mut text, report);
    markdown_classes(&mut text, report);
    text.push_str(&aging::markdown(report));
    markdown_findings(&mut text, report);
    if totals.below_threshold > 0 {
        let _ = writeln!(text, "\n{}.", below_threshold_sentence(totals.below_threshold));
    }
    if totals.not_tested > 0 {
        markdown_reasons(&mut text, "Not tested", untested(report));
    }
    let never_returned: Vec<_> = report
        .classes
        .iter()
        .flat_map(|class| &class.never_returned)
        .map(|NotTested { operation, reason, detail }| (&**operation, *reason, &**detail))
        .collect();
    if !never_returned.is_empty() {
        markdown_reasons(&mut text, "Never returned", never_returned);
    }
    let without = report.classes.iter().flat_map(|class| &class.without_normal_outcome);
    let without: Vec<_> =
        without.map(|NotTested { operation, reason, detail }| (&**operation, *reason, &**detail)).collect();
    if !without.is_empty() {
        markdown_reasons(&mut text, "Without a normal outcome", without);
    }
    let weakest = weakest(report);
    if !weakest.is_empty() {
        markdown_weakest(&mut text, &weakest);
    }
    if totals.dropped > 0 {
        markdown_dropped(&mut text, report);
    }
    markdown_remarks(&mut text, report);
    let _ = writeln!(text, "\n## Files\n\n{}", file_line(report));
    for (word, paths) in [("kept", &report.files.kept), ("removed", &report.files.removed)] {
        for path in paths {
            let _ = writeln!(text, "- {word}: `{path}`");
        }
    }
    without_html(&text)
}

/// What ran, and how far.
fn markdown_run(text: &mut String, report: &RunReport) {
    let limit = report.sequence_limit.map_or("none".to_string(), grouped);
    let _ = writeln!(
        text,
        "randgen {}, seed {}, {} in {}, sequence limit {limit}.",
        report.version,
        report.seed,
        counted(report.sequences, "sequence"),
        counted(report.rounds, "round")
    );
    if report.existing_tests.sequences > 0 {
        let _ = writeln!(text, "\n{}.", existing_tests(report));
    }
    if let Some(reason) = &report.ended_early {
        let _ = writeln!(text, "\n**Ended early:** {reason}");
    }
}

/// The methods of which the suite would miss most.
fn markdown_weakest(text: &mut String, weakest: &[WeakMethod]) {
    text.push_str("\n## What the suite would miss\n\nMutants that no test kills, by method.\n\n");
    text.push_str("| Method | Missed | Covered and killed |\n| --- | ---: | --- |\n");
    for method in weakest.iter().take(WEAKEST) {
        let line = method.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let WeakMethod { class, method: name, .. } = method;
        let _ = writeln!(text, "| `{class}.{name}`{line} | {} | {} |", method.missed(), method.figures());
    }
    if weakest.len() > WEAKEST {
        let _ = writeln!(text, "\nAnd {} more in `report.json`.", counted((weakest.len() - WEAKEST) as u64, "method"));
    }
}

/// A row for each class, and the mutants of all.
fn markdown_classes(text: &mut String, report: &RunReport) {
    text.push_str("\n| Class | Tests | Edges | Findings | Left out |\n| --- | ---: | ---: | ---: | ---: |\n");
    for class in &report.classes {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            class.name,
            class.unusable.as_ref().map_or(class.tests.len().to_string(), |obstacle| obstacle.reason.to_string()),
            coverage(&class.edges),
            class.findings.len(),
            class.dropped.len()
        );
    }
    if let Some(mutants) = &report.mutants {
        let _ = writeln!(text, "\n{}.", mutant_line(mutants));
    }
    let totals = report.totals();
    if totals.tests_back_door > 0 {
        let _ = writeln!(text, "\n{}.", back_door_line(&totals));
    }
    if totals.edges_only_implicit > 0 {
        let _ = writeln!(text, "\n{}.", only_implicit_line(&totals));
    }
}

fn markdown_findings(text: &mut String, report: &RunReport) {
    let findings = all_findings(report);
    if !findings.is_empty() {
        text.push_str("\n## Findings\n");
    }
    for (class, finding) in findings {
        let _ = writeln!(text, "\n### {} `{}`\n\n{}\n", class.name, finding.contract, finding.message);
        let _ = writeln!(text, "```java\n{}\n```", finding.source.trim_end());
        if let Some(exception) = &finding.exception {
            let _ = writeln!(text, "\n```text\n{}\n```", stack_text(exception));
        }
        let _ = writeln!(
            text,
            "\n{}; finding {}, {}, {}",
            sentence(&shown_by(finding)),
            finding.id,
            finding.confidence,
            if finding.test.is_empty() { "without a test" } else { "its test is in `findings/`" }
        );
    }
}

/// Members with the reason that holds for each.
fn markdown_reasons<'a>(
    text: &mut String,
    heading: &str,
    members: impl IntoIterator<Item = (&'a str, Reason, &'a str)>,
) {
    let _ = write!(text, "\n## {heading}\n\n| What | Reason | Detail |\n| --- | --- | --- |\n");
    for (what, reason, detail) in members {
        let _ = writeln!(text, "| `{what}` | {reason}: {} | {} |", reason.explanation(), cell(detail));
    }
}

fn markdown_dropped(text: &mut String, report: &RunReport) {
    text.push_str("\n## Left out\n\nGenerated tests that did not pass their check; each is a defect of randgen.\n\n");
    for class in &report.classes {
        for dropped in &class.dropped {
            let detail = cell(&dropped.detail);
            let _ = writeln!(text, "- `{}.{}`, {}: {detail}", class.name, dropped.name, dropped.reason);
        }
    }
}

/// What did not repeat, which workers died, and what else the user should know.
fn markdown_remarks(text: &mut String, report: &RunReport) {
    if report.unstable_sequences + report.findings_not_repeated > 0 {
        let _ = writeln!(
            text,
            "\n## Not repeated\n\nIn a fresh worker, {} and {} behaved differently than in the search.",
            counted(report.unstable_sequences as u64, "sequence"),
            counted(report.findings_not_repeated as u64, "finding")
        );
    }
    if report.unrefined_tests > 0 {
        let tests = counted(report.unrefined_tests as u64, "test");
        let _ = writeln!(text, "\n## Not refined\n\nThere was no time to make {tests} plainer.");
    }
    if !report.worker_deaths.is_empty() {
        text.push_str("\n## Workers that died\n\n");
        for death in &report.worker_deaths {
            let operation = death.operation.as_deref().unwrap_or("an unknown operation");
            let _ = writeln!(text, "- {} in `{operation}`, {}", death.reason, times(death.times));
        }
    }
    if !report.warnings.is_empty() {
        text.push_str("\n## Warnings\n\n");
        for warning in &report.warnings {
            let _ = writeln!(text, "- {warning}");
        }
    }
}

/// "shown by 41 classes in 812 sequences": the classes only if there are several.
pub(super) fn shown_by(finding: &Finding) -> String {
    let sequences = counted(finding.occurrences.into(), "sequence");
    match finding.shown_by.len() {
        0 | 1 => format!("shown by {sequences}"),
        classes => format!("shown by {classes} classes in {sequences}"),
    }
}

/// One finding for the console: what was seen, the test and the stack.
pub fn finding(class: &str, finding: &Finding) -> String {
    let Finding { id, contract, confidence, message, .. } = finding;
    let mut text = format!("finding {id}, {confidence}: {class} breaks {contract}\n{}\n\n", visible(message));
    line(&mut text, finding.source.trim_end());
    if let Some(exception) = &finding.exception {
        line(&mut text, &format!("\n{}", stack_text(exception)));
    }
    if let Some(place) = place::frame(class, finding) {
        line(&mut text, &format!("\n{}", visible(&place)));
    }
    line(&mut text, &format!("\n{}", sentence(&shown_by(finding))));
    text
}

fn headline(report: &RunReport, totals: &Totals) -> String {
    format!(
        "{}: {} for {} of {}, {}, {} of {} edges covered",
        report.module,
        counted(totals.tests as u64, "test"),
        totals.classes_tested,
        if totals.classes == 1 { "1 class".to_string() } else { format!("{} classes", totals.classes) },
        findings(totals),
        grouped(totals.edges_covered),
        grouped(totals.edges_total)
    )
}

fn findings(totals: &Totals) -> String {
    let count = counted(totals.findings as u64, "finding");
    match totals.occurrences {
        0 => count,
        1 => format!("{count}, 1 occurrence"),
        occurrences => format!("{count}, {} occurrences", grouped(occurrences)),
    }
}

fn existing_tests(report: &RunReport) -> String {
    let tests = &report.existing_tests;
    let classes = if tests.classes == 1 { "class" } else { "classes" };
    let sequences = counted(tests.sequences as u64, "sequence");
    format!("The search started with {sequences} from {} existing test {classes}", tests.classes)
}

fn class_table(text: &mut String, report: &RunReport) {
    let rows: Vec<&ClassReport> =
        report.classes.iter().filter(|class| !class.tests.is_empty() || !class.findings.is_empty()).collect();
    let Some(width) = rows.iter().map(|class| class.name.chars().count()).max() else { return };
    line(text, &format!("\n  {:width$}  {:>5}  {:>18}  {:>8}", "class", "tests", "edges", "findings"));
    for class in rows {
        let findings = if class.findings.is_empty() { String::new() } else { class.findings.len().to_string() };
        let row =
            format!("  {:width$}  {:>5}  {:>18}  {findings:>8}", class.name, class.tests.len(), coverage(&class.edges));
        line(text, row.trim_end());
    }
}

fn finding_list(text: &mut String, report: &RunReport) {
    let Totals { findings: count, below_threshold, .. } = report.totals();
    if count > 0 {
        line(text, "\nFindings");
    }
    for (number, (class, finding)) in all_findings(report).into_iter().take(SHOWN).enumerate() {
        line(text, &format!("  {}. {} breaks {}: {}", number + 1, class.name, finding.contract, finding.message));
        for statement in finding.source.lines() {
            line(text, &format!("       {statement}"));
        }
        if let Some(exception) = &finding.exception {
            line(text, &format!("     {}", exception_line(exception)));
        }
        if let Some(place) = place::frame(&class.name, finding) {
            line(text, &format!("     {}", visible(&place)));
        }
        let test = if finding.test.is_empty() { "without a test" } else { "its test is in findings/" };
        let shown_by = shown_by(finding);
        line(text, &format!("     finding {}, {}, {shown_by}, {test}", finding.id, finding.confidence));
    }
    if count > SHOWN {
        line(text, &format!("  … and {} more in the report", count - SHOWN));
    }
    if below_threshold > 0 {
        line(text, &format!("\n{}", below_threshold_sentence(below_threshold)));
    }
}

/// Of findings that the settings leave out.
pub(super) fn below_threshold_sentence(count: usize) -> String {
    format!("{} below `min-confidence`", counted(count as u64, "more finding"))
}

fn untested_list(text: &mut String, report: &RunReport) {
    let mut by_reason: BTreeMap<Reason, Vec<&str>> = BTreeMap::new();
    for (what, reason, _) in untested(report) {
        by_reason.entry(reason).or_default().push(what);
    }
    if by_reason.is_empty() {
        return;
    }
    line(text, "\nNot tested");
    for (reason, members) in by_reason {
        let shown = members.iter().take(3).copied().collect::<Vec<_>>().join(", ");
        let more = if members.len() > 3 { ", …" } else { "" };
        line(text, &format!("  {:>4}  {reason} ({}): {shown}{more}", members.len(), reason.explanation()));
    }
}

fn untested(report: &RunReport) -> impl Iterator<Item = (&str, Reason, &str)> {
    report.classes.iter().flat_map(|class| {
        let whole = class.unusable.iter().map(|obstacle| (&*class.name, obstacle.reason, &*obstacle.detail));
        whole.chain(class.not_tested.iter().map(|member| (&*member.operation, member.reason, &*member.detail)))
    })
}

/// The surest first.
pub(super) fn all_findings(report: &RunReport) -> Vec<(&ClassReport, &Finding)> {
    let classes = report.classes.iter();
    let mut findings: Vec<_> =
        classes.flat_map(|class| class.findings.iter().map(move |finding| (class, finding))).collect();
    findings.sort_by_key(|(_, finding)| finding.confidence);
    findings
}

fn dropped_by_reason(report: &RunReport) -> String {
    let mut by_reason = BTreeMap::new();
    for dropped in report.classes.iter().flat_map(|class| &class.dropped) {
        *by_reason.entry(dropped.reason).or_insert(0) += 1;
    }
    by_reason.iter().map(|(reason, count)| format!("{count} {reason}")).collect::<Vec<_>>().join(", ")
}

fn file_line(report: &RunReport) -> String {
    let files = &report.files;
    let mut text = format!("{} written to {}", counted(files.written.len() as u64, "file"), files.directory);
    for (count, what) in [
        (files.unchanged.len(), "unchanged"),
        (files.kept.len(), "kept because it was edited"),
        (files.removed.len(), "removed"),
    ] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    text
}

fn exception_line(exception: &super::ExceptionReport) -> String {
    match &exception.message {
        Some(message) => format!("{}: {}", exception.class, visible(message)),
        None => exception.class.clone(),
    }
}

/// As `Throwable.printStackTrace` shows it.
pub(super) fn stack_text(exception: &super::ExceptionReport) -> String {
    let frames = exception.stack.iter().map(|frame| format!("\n    at {frame}"));
    exception_line(exception) + &frames.collect::<String>()
}

fn coverage(edges: &Coverage) -> String {
    match edges.percent() {
        Some(percent) => format!("{}/{} {percent:>3} %", grouped(edges.covered), grouped(edges.total)),
        None => "none".to_string(),
    }
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_string() } else { format!("{} times", grouped(count.into())) }
}

pub(super) fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// With a capital at the start.
fn sentence(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

/// `1234567` as `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// One table cell: no line ends, no bars.
fn cell(text: &str) -> String {
    visible(text).replace('|', "\\|")
}

/// Text of the code under test as one line that cannot steer a terminal.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), expected);
        }
    }
}

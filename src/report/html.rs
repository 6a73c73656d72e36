//! `report.html`: the report for people, in one file that needs nothing else, on a phone and in the dark too.
//!
//! What a clock says is left out, as in all reports but `timing.json`. All text of the code under test is escaped; the one
//! script copies a test.

use super::lines::{self, Line};
use super::markup::Escaped;
use super::specifications::{self, SpecificationReport};
use super::summary::{all_findings, below_threshold_sentence, counted, grouped, shown_by, stack_text, visible};
use super::{ClassReport, Coverage, Finding, MethodReport, Reason, RunReport, SourceTexts, Totals};
use crate::weakest::{WEAKEST, weakest};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeMap;

const STYLE: &str = include_str!("report.css");

const SCRIPT: &str = "\
for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', () => {
    const test = button.nextElementSibling;
    const copied = () => { button.textContent = 'Copied'; };
    const select = () => getSelection().selectAllChildren(test);
    navigator.clipboard ? navigator.clipboard.writeText(test.textContent).then(copied, select) : select();
  });
}";

/// A whole page, with the module's name as title. The line ends are there for those who compare or patch the file.
fn page(module: &str, content: Markup) -> String {
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" { "\n"
            head { "\n"
                meta charset="utf-8"; "\n"
                meta name="viewport" content="width=device-width, initial-scale=1"; "\n"
                title { (Escaped(module)) ": randgen" } "\n"
                style { "\n" (PreEscaped(STYLE)) } "\n"
            } "\n"
            body { "\n"
                h1 { (Escaped(module)) } "\n"
                (content)
                script { "\n" (PreEscaped(SCRIPT)) "\n" } "\n"
            } "\n"
        } "\n"
    };
    page.into_string()
}

/// A test's source, to be copied.
pub fn test(source: &str) -> Markup {
    html! {
        div.test { button type="button" { "Copy" } pre tabindex="0" { (Escaped(source.trim_end())) } } "\n"
    }
}

/// The page of specifications alone, where there is no run yet.
pub fn render_specification(specification: &SpecificationReport) -> String {
    let content = html! {
        p.quiet { "randgen " (Escaped(&specification.version)) } "\n"
        (specifications::page::broken(specification))
        (specifications::page::section(specification))
    };
    page(&specification.module, content)
}

/// The file's text; sources are shown as far as there are any.
pub fn render(report: &RunReport, texts: &SourceTexts, specification: Option<&SpecificationReport>) -> String {
    let content = html! {
        (run(report))
        (figures(&report.totals()))
        (findings(report))
        @if let Some(specification) = specification { (specifications::page::broken(specification)) }
        (coverage(report))
        (weakest_methods(report))
        (progress(report))
        (sources(report, texts))
        @if let Some(specification) = specification { (specifications::page::section(specification)) }
        (back_doors(report))
        (untested(report))
        (left_out(report))
        (warnings(report))
    };
    page(&report.module, content)
}

/// What ran, and how far.
fn run(report: &RunReport) -> Markup {
    let limit = report
        .sequence_limit
        .map_or("no sequence limit".to_string(), |limit| format!("sequence limit {}", grouped(limit)));
    let reused = report.classes.iter().filter(|class| class.reused).count();
    html! {
        p.quiet {
            "randgen " (Escaped(&report.version)) ", seed " (report.seed) ", " (counted(report.sequences, "sequence")) ", " (limit)
        } "\n"
        @if let Some(reason) = &report.ended_early {
            p.bad { "Ended early: " (Escaped(reason)) } "\n"
        }
        @if reused > 0 {
            p.quiet { (reused) @if reused == 1 { " class is" } @else { " classes are" } " as the last run left them" } "\n"
        }
    }
}

/// The sums, at a glance.
fn figures(totals: &Totals) -> Markup {
    let edges = Coverage { covered: totals.edges_covered, total: totals.edges_total };
    let covered = edges.percent().map_or("none".to_string(), |percent| format!("{percent} %"));
    let of_findings =
        format!("{}, shown by {}", noun(totals.findings, "finding"), counted(totals.occurrences, "sequence"));
    let figures = [
        (None, grouped(totals.tests as u64), noun(totals.tests, "test")),
        (None, format!("{} of {}", totals.classes_tested, totals.classes), "classes with tests".to_string()),
        (None, covered, format!("of {} edges covered", grouped(edges.total))),
        ((totals.findings > 0).then_some("bad"), grouped(totals.findings as u64), of_findings),
    ];
    html! {
        ul.figures { "\n"
            @for (class, figure, what) in figures {
                li class=[class] { b { (figure) } " " (what) } "\n"
            }
        } "\n"
    }
}

fn noun(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_string() } else { format!("{noun}s") }
}

fn findings(report: &RunReport) -> Markup {
    let Totals { findings, below_threshold, .. } = report.totals();
    html! {
        @if findings + below_threshold > 0 {
            h2 { "Findings" } "\n"
        }
        @if below_threshold > 0 {
            p.quiet { (Escaped(&below_threshold_sentence(below_threshold))) "." } "\n"
        }
        @for (class, found) in all_findings(report) {
            (finding(class, found))
        }
    }
}

fn finding(class: &ClassReport, finding: &Finding) -> Markup {
    let Finding { id, contract, confidence, message, source, .. } = finding;
    html! {
        article id=(Escaped(id)) { "\n"
            h3 { (Escaped(&class.name)) " breaks " (Escaped(contract)) } "\n"
            p { (Escaped(message)) } "\n"
            @if let Some(position) = &finding.position {
                p { code { (Escaped(&position.file)) @if let Some(line) = position.line { ":" (line) } } } "\n"
            }
            (test(source))
            @if let Some(exception) = &finding.exception {
                details { summary { "Stack" } pre { (Escaped(&stack_text(exception))) } } "\n"
            }
            p.quiet { "Finding " (Escaped(id)) ", " (confidence) ", " (shown_by(finding)) } "\n"
        } "\n"
    }
}

fn coverage(report: &RunReport) -> Markup {
    let mut packages: BTreeMap<&str, Vec<&ClassReport>> = BTreeMap::new();
    for class in &report.classes {
        let package = class.name.rsplit_once('.').map_or("", |(package, _)| package);
        packages.entry(package).or_default().push(class);
    }
    html! {
        h2 { "Coverage" } "\n"
        div.wide { table { "\n"
            tr { th { "Class" } th.number { "Tests" } th.number { "Findings" } th.number { "Edges" } th {} } "\n"
            @for (package, classes) in packages {
                (package_row(package, &classes))
                @for class in classes {
                    (class_row(package, class))
                }
            }
        } } "\n"
    }
}

/// The methods of which the suite would miss most.
fn weakest_methods(report: &RunReport) -> Markup {
    let weakest = weakest(report);
    html! {
        @if !weakest.is_empty() {
            h2 { "What the suite would miss" } "\n"
            p.quiet {
                "Mutants that no test kills, by method"
                @if weakest.len() > WEAKEST { "; the first " (WEAKEST) " of " (weakest.len()) " methods" }
            } "\n"
            div.wide { table { "\n"
                tr { th { "Method" } th.number { "Missed" } th { "Covered and killed" } } "\n"
                @for method in weakest.iter().take(WEAKEST) {
                    tr {
                        td.class {
                            (Escaped(&method.class)) "." (Escaped(&method.method))
                            @if let Some(line) = method.line { ", line " (line) }
                        }
                        td.number { (method.missed()) }
                        td { (method.figures()) }
                    } "\n"
                }
            } } "\n"
        }
    }
}

fn package_row(package: &str, classes: &[&ClassReport]) -> Markup {
    let tests: usize = classes.iter().map(|class| class.tests.len()).sum();
    let findings = classes.iter().map(|class| class.findings.len()).sum();
    html! {
        tr.package {
            td { (Escaped(if package.is_empty() { "(unnamed package)" } else { package })) }
            td.number { (tests) }
            (finding_cell(findings))
            (edge_cells(&sum_of_edges(classes)))
        } "\n"
    }
}

fn class_row(package: &str, class: &ClassReport) -> Markup {
    let simple = class.name.strip_prefix(package).map_or(&*class.name, |name| name.trim_start_matches('.'));
    html! {
        tr {
            td.class { (Escaped(simple)) }
            td.number { @if let Some(why) = &class.unusable { (why.reason) } @else { (class.tests.len()) } }
            (finding_cell(class.findings.len()))
            (edge_cells(&class.edges))
        } "\n"
    }
}

fn finding_cell(findings: usize) -> Markup {
    html! { td.number { @if findings > 0 { (findings) } } }
}

fn sum_of_edges(classes: &[&ClassReport]) -> Coverage {
    let sum = |of: &dyn Fn(&Coverage) -> u64| classes.iter().map(|class| of(&class.edges)).sum::<u64>();
    Coverage { covered: sum(&|edges| edges.covered), total: sum(&|edges| edges.total) }
}

/// How many edges are covered, as figures and as a bar.
fn edge_cells(edges: &Coverage) -> Markup {
    match edges.percent() {
        Some(percent) => html! {
            td.number { (grouped(edges.covered)) "/" (grouped(edges.total)) " " (percent) " %" }
            td { meter min="0" max="100" value=(percent) {} }
        },
        None => html! { td.number {} td {} },
    }
}

/// The search's coverage by sequences: what a clock says is not for this page.
fn progress(report: &RunReport) -> Markup {
    const WIDTH: f64 = 600.0;
    const HEIGHT: f64 = 140.0;
    let Some(&(sequences, edges)) = report.progress.last().filter(|(_, edges)| *edges > 0) else { return html! {} };
    let most = edges.max(report.totals().edges_total);
    let point = |at: u64, covered: u64| {
        let (x, y) = (at as f64 / sequences.max(1) as f64, covered as f64 / most as f64);
        format!("{:.1},{:.1}", x * WIDTH, HEIGHT - y * HEIGHT)
    };
    let points: Vec<String> = report.progress.iter().map(|&(at, covered)| point(at, covered)).collect();
    // Written by hand, as the macro knows no elements of XML without an end; there are only numbers in it.
    let drawing = PreEscaped(format!(
        "<path d=\"M0,0 H{WIDTH} M0,{HEIGHT} H{WIDTH}\" class=\"axis\"/><polyline points=\"0,{HEIGHT} {}\"/>",
        points.join(" ")
    ));
    html! {
        h2 { "Search" } "\n"
        figure {
            svg viewBox={ "0 -4 " (WIDTH) " " (HEIGHT + 8.0) } role="img" aria-label="Edges covered by sequences executed" {
                (drawing)
            } "\n"
            figcaption.quiet {
                (counted(edges, "edge")) " of " (grouped(most)) " covered by " (counted(sequences, "sequence"))
                "; the tests that were written may cover fewer"
            }
        } "\n"
    }
}

/// Each source file with the methods of its classes, and its lines where its text is there.
fn sources(report: &RunReport, texts: &SourceTexts) -> Markup {
    let mut files: BTreeMap<&str, Vec<&ClassReport>> = BTreeMap::new();
    for class in report.classes.iter().filter(|class| !class.methods.is_empty()) {
        files.entry(class.source.as_deref().unwrap_or(&class.name)).or_default().push(class);
    }
    html! {
        @if !files.is_empty() {
            h2 { "Methods and lines" } "\n"
        }
        @if files.keys().any(|file| texts.contains_key(*file)) {
            p.quiet.legend {
                "Lines that the tests " span.covered { "run" } ", " span.partly { "run in part" } ", "
                span.missed { "do not run" }
            } "\n"
        }
        @for (file, classes) in files {
            (source(file, &classes, texts.get(file)))
        }
    }
}

fn source(file: &str, classes: &[&ClassReport], text: Option<&String>) -> Markup {
    let percent = sum_of_edges(classes).percent();
    html! {
        details {
            summary {
                code { (Escaped(file)) } " " span.quiet { @if let Some(percent) = percent { (percent) " %" } }
            } "\n"
            div.wide { table { "\n"
                @for class in classes {
                    tr.package { td { (Escaped(&class.name)) } td {} (edge_cells(&class.edges)) } "\n"
                    @for method in &class.methods {
                        (method_row(method))
                    }
                }
            } } "\n"
            @if let Some(text) = text {
                (listing(text, &lines::of_file(classes.iter().map(|class| &class.lines))))
            }
        } "\n"
    }
}

fn method_row(method: &MethodReport) -> Markup {
    let MethodReport { name, line, edges, not_tested } = method;
    html! {
        tr {
            td.class { (Escaped(name)) @if let Some(reason) = not_tested { " " code { (reason) } } }
            td.number { @if let Some(line) = line { (line) } }
            (edge_cells(edges))
        } "\n"
    }
}

/// Numbers are drawn by the style, so that they are not copied with the text.
fn listing(text: &str, lines: &BTreeMap<u16, Line>) -> Markup {
    let class = |number: u16| match lines.get(&number)? {
        Line::Covered => Some("covered"),
        Line::Partly => Some("partly"),
        Line::Missed => Some("missed"),
    };
    html! {
        pre.source tabindex="0" {
            @for (number, line) in (1..).zip(text.lines()) {
                span class=[class(number)] data-line=(number) { (Escaped(line)) }
            }
        } "\n"
    }
}

fn untested(report: &RunReport) -> Markup {
    let mut by_reason: BTreeMap<Reason, Vec<(&str, &str)>> = BTreeMap::new();
    for class in &report.classes {
        let whole = class.unusable.iter().map(|why| (why.reason, (&*class.name, &*why.detail)));
        let members = class.not_tested.iter().map(|member| (member.reason, (&*member.operation, &*member.detail)));
        whole.chain(members).for_each(|(reason, what)| by_reason.entry(reason).or_default().push(what));
    }
    html! {
        @if !by_reason.is_empty() {
            h2 { "Not tested" } "\n"
        }
        @for (reason, members) in by_reason {
            details {
                summary { (grouped(members.len() as u64)) " " code { (reason) } ": " (reason.explanation()) } "\n"
                ul { "\n"
                    @for (what, detail) in members {
                        li { code { (Escaped(what)) } @if !detail.is_empty() { ": " (Escaped(&visible(detail))) } } "\n"
                    }
                }
            } "\n"
        }
    }
}

/// The tests through back doors, by class.
fn back_doors(report: &RunReport) -> Markup {
    let totals = report.totals();
    html! {
        @if totals.tests_back_door > 0 {
            h2 { "Through the back door" } "\n"
            details {
                summary { (counted(totals.tests_back_door as u64, "test")) " of members that only the package can use" } "\n"
                ul { "\n"
                    @for class in &report.classes {
                        @for test in class.tests.iter().filter(|test| test.back_door) {
                            li { code { (Escaped(&class.name)) } ": " code { (Escaped(&test.name)) } } "\n"
                        }
                    }
                }
            } "\n"
        }
    }
}

fn left_out(report: &RunReport) -> Markup {
    let mut dropped =
        report.classes.iter().flat_map(|class| class.dropped.iter().map(move |test| (class, test))).peekable();
    if dropped.peek().is_none() {
        return html! {};
    }
    html! {
        h2 { "Left out" } "\n"
        p { "Generated tests that did not pass their check; each is a defect of randgen." } "\n"
        ul { "\n"
            @for (class, test) in dropped {
                li {
                    code { (Escaped(&class.name)) "." (Escaped(&test.name)) } ", " (test.reason) ": "
                    (Escaped(&visible(&test.detail)))
                } "\n"
            }
        } "\n"
    }
}

fn warnings(report: &RunReport) -> Markup {
    html! {
        @if !report.warnings.is_empty() {
            h2 { "Warnings" } "\n"
        }
        @for warning in &report.warnings {
            p { (Escaped(warning)) } "\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn messages_of_code_under_test_are_escaped() {
        let mut report = example::run();
        let finding = &mut report.classes[1].findings[0];
        finding.message = "<script>alert('\u{0}')</script>".to_string();
        finding.source = "a < b && c[\"</pre>\"]".to_string();
        let page = render(&report, &SourceTexts::new(), None);
        assert!(page.contains("&lt;script&gt;alert(&#39;\u{fffd}&#39;)&lt;/script&gt;"), "{page}");
        assert!(page.contains("a &lt; b &amp;&amp; c[&quot;&lt;/pre&gt;&quot;]"), "{page}");
    }
}

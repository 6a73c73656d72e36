//! `report.html`: the report for people, in one file that needs nothing else, on a phone and in the dark too.
//!
//! What a clock says is left out, as in all reports but `timing.json`. All text of the code under test is escaped; the one
//! script copies a test.

use super::lines::{self, Line};
use super::markup::Escaped;
use super::specifications::{self, SpecificationReport};
use super::summary::{all_findings, counted, grouped, less_sure_sentence, stack_text, visible};
use super::{ClassReport, Coverage, Finding, MethodReport, Reason, RunReport, SourceTexts, Totals};
use std::collections::BTreeMap;
use std::fmt::Write;

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

/// How pages begin, with the module's name as title.
fn head(module: &str) -> String {
    let title = Escaped(module);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}: randgen</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
}

/// How pages end.
fn end(page: &mut String) {
    let _ = write!(page, "<script>\n{SCRIPT}\n</script>\n</body>\n</html>\n");
}

/// A test's source, to be copied.
pub fn test(page: &mut String, source: &str) {
    let _ = writeln!(
        page,
        "<div class=\"test\"><button type=\"button\">Copy</button><pre tabindex=\"0\">{}</pre></div>",
        Escaped(source.trim_end())
    );
}

/// The page of specifications alone, where there is no run yet.
pub fn render_specification(specification: &SpecificationReport) -> String {
    let mut html = head(&specification.module);
    let _ = writeln!(html, "<p class=\"quiet\">randgen {}</p>", Escaped(&specification.version));
    specifications::page::broken(&mut html, specification);
    specifications::page::section(&mut html, specification);
    end(&mut html);
    html
}

/// The file's text; sources are shown as far as there are any.
pub fn render(report: &RunReport, texts: &SourceTexts, specification: Option<&SpecificationReport>) -> String {
    let totals = report.totals();
    let mut page = head(&report.module);
    let limit = report
        .sequence_limit
        .map_or("no sequence limit".to_string(), |limit| format!("sequence limit {}", grouped(limit)));
    let _ = writeln!(
        page,
        "<p class=\"quiet\">randgen {}, seed {}, {}, {limit}</p>",
        Escaped(&report.version),
        report.seed,
        counted(report.sequences, "sequence"),
    );
    if let Some(reason) = &report.ended_early {
        let _ = writeln!(page, "<p class=\"bad\">Ended early: {}</p>", Escaped(reason));
    }
    let edges = Coverage { covered: totals.edges_covered, total: totals.edges_total };
    let covered = edges.percent().map_or("none".to_string(), |percent| format!("{percent} %"));
    let reused = report.classes.iter().filter(|class| class.reused).count();
    if reused > 0 {
        let classes = if reused == 1 { "class is" } else { "classes are" };
        let _ = writeln!(page, "<p class=\"quiet\">{reused} {classes} as the last run left them</p>");
    }
    let figures = [
        ("", grouped(totals.tests as u64), noun(totals.tests, "test")),
        ("", format!("{} of {}", totals.classes_tested, totals.classes), "classes with tests".to_string()),
        ("", covered, format!("of {} edges covered", grouped(edges.total))),
        (
            if totals.findings > 0 { " class=\"bad\"" } else { "" },
            grouped(totals.findings as u64),
            format!("{}, shown by {}", noun(totals.findings, "finding"), counted(totals.witnesses, "sequence")),
        ),
    ];
    page.push_str("<ul class=\"figures\">\n");
    for (class, figure, what) in figures {
        let _ = writeln!(page, "<li{class}><b>{figure}</b> {what}</li>");
    }
    page.push_str("</ul>\n");
    findings(&mut page, report);
    if let Some(specification) = specification {
        specifications::page::broken(&mut page, specification);
    }
    coverage(&mut page, report);
    progress(&mut page, report);
    sources(&mut page, report, texts);
    if let Some(specification) = specification {
        specifications::page::section(&mut page, specification);
    }
    untested(&mut page, report);
    left_out(&mut page, report);
    if !report.warnings.is_empty() {
        page.push_str("<h2>Warnings</h2>\n");
        for warning in &report.warnings {
            let _ = writeln!(page, "<p>{}</p>", Escaped(warning));
        }
    }
    end(&mut page);
    page
}

fn noun(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_string() } else { format!("{noun}s") }
}

fn findings(page: &mut String, report: &RunReport) {
    let Totals { findings, less_sure, .. } = report.totals();
    if findings + less_sure > 0 {
        page.push_str("<h2>Findings</h2>\n");
    }
    if less_sure > 0 {
        let _ = writeln!(page, "<p class=\"quiet\">{}.</p>", Escaped(&less_sure_sentence(less_sure)));
    }
    for (class, finding) in all_findings(report) {
        let Finding { id, contract, confidence, message, source, witnesses, .. } = finding;
        let _ = writeln!(
            page,
            "<article id=\"{0}\">\n<h3>{1} breaks {2}</h3>\n<p>{3}</p>",
            Escaped(id),
            Escaped(&class.name),
            Escaped(contract),
            Escaped(message)
        );
        if let Some(position) = &finding.position {
            let line = position.line.map(|line| format!(":{line}")).unwrap_or_default();
            let _ = writeln!(page, "<p><code>{}{line}</code></p>", Escaped(&position.file));
        }
        test(page, source);
        if let Some(exception) = &finding.exception {
            let stack = stack_text(exception);
            let _ = writeln!(page, "<details><summary>Stack</summary><pre>{}</pre></details>", Escaped(&stack));
        }
        let times = counted((*witnesses).into(), "sequence");
        let _ = writeln!(
            page,
            "<p class=\"quiet\">Finding {}, {confidence}, shown by {times}</p>\n</article>",
            Escaped(id)
        );
    }
}

fn coverage(page: &mut String, report: &RunReport) {
    let mut packages: BTreeMap<&str, Vec<&ClassReport>> = BTreeMap::new();
    for class in &report.classes {
        let package = class.name.rsplit_once('.').map_or("", |(package, _)| package);
        packages.entry(package).or_default().push(class);
    }
    page.push_str(
        "<h2>Coverage</h2>\n<div class=\"wide\"><table>\n<tr><th>Class</th><th class=\"number\">Tests</th>\
         <th class=\"number\">Findings</th><th class=\"number\">Edges</th><th></th></tr>\n",
    );
    for (package, classes) in packages {
        let sum = |of: &dyn Fn(&ClassReport) -> u64| classes.iter().map(|class| of(class)).sum::<u64>();
        let edges = Coverage { covered: sum(&|class| class.edges.covered), total: sum(&|class| class.edges.total) };
        let tests = sum(&|class| class.tests.len() as u64).to_string();
        let found = sum(&|class| class.findings.len() as u64);
        let name = if package.is_empty() { "(unnamed package)" } else { package };
        row(page, " class=\"package\"", "", name, &tests, found, &edges);
        for class in classes {
            let simple = class.name.strip_prefix(package).map_or(&*class.name, |name| name.trim_start_matches('.'));
            let tests = class.unusable.as_ref().map_or(class.tests.len().to_string(), |why| why.reason.to_string());
            row(page, "", " class=\"class\"", simple, &tests, class.findings.len() as u64, &class.edges);
        }
    }
    page.push_str("</table></div>\n");
}

fn row(page: &mut String, of_row: &str, of_name: &str, name: &str, tests: &str, findings: u64, edges: &Coverage) {
    let findings = if findings == 0 { String::new() } else { findings.to_string() };
    let _ = writeln!(
        page,
        "<tr{of_row}><td{of_name}>{}</td><td class=\"number\">{tests}</td><td class=\"number\">{findings}</td>{}</tr>",
        Escaped(name),
        edge_cells(edges)
    );
}

/// How many edges are covered, as figures and as a bar.
fn edge_cells(edges: &Coverage) -> String {
    let (shown, meter) = match edges.percent() {
        Some(percent) => (
            format!("{}/{} {percent} %", grouped(edges.covered), grouped(edges.total)),
            format!("<meter min=\"0\" max=\"100\" value=\"{percent}\"></meter>"),
        ),
        None => (String::new(), String::new()),
    };
    format!("<td class=\"number\">{shown}</td><td>{meter}</td>")
}

/// The search's coverage by sequences: what a clock says is not for this page.
fn progress(page: &mut String, report: &RunReport) {
    const WIDTH: f64 = 600.0;
    const HEIGHT: f64 = 140.0;
    let Some(&(sequences, edges)) = report.progress.last().filter(|(_, edges)| *edges > 0) else { return };
    let most = edges.max(report.totals().edges_total);
    let point = |at: u64, covered: u64| {
        let (x, y) = (at as f64 / sequences.max(1) as f64, covered as f64 / most as f64);
        format!("{:.1},{:.1}", x * WIDTH, HEIGHT - y * HEIGHT)
    };
    let points: Vec<String> = report.progress.iter().map(|&(at, covered)| point(at, covered)).collect();
    let (edges, sequences) = (counted(edges, "edge"), counted(sequences, "sequence"));
    let _ = writeln!(
        page,
        "<h2>Search</h2>\n<figure><svg viewBox=\"0 -4 {WIDTH} {}\" role=\"img\" aria-label=\"Edges covered by sequences executed\">\
         <path d=\"M0,0 H{WIDTH} M0,{HEIGHT} H{WIDTH}\" class=\"axis\"/><polyline points=\"0,{HEIGHT} {}\"/></svg>\n\
         <figcaption class=\"quiet\">{edges} of {} covered by {sequences}; the tests that were written may cover fewer</figcaption></figure>",
        HEIGHT + 8.0,
        points.join(" "),
        grouped(most),
    );
}

/// Each source file with the methods of its classes, and its lines where its text is there.
fn sources(page: &mut String, report: &RunReport, texts: &SourceTexts) {
    let mut files: BTreeMap<&str, Vec<&ClassReport>> = BTreeMap::new();
    for class in report.classes.iter().filter(|class| !class.methods.is_empty()) {
        files.entry(class.source.as_deref().unwrap_or(&class.name)).or_default().push(class);
    }
    if files.is_empty() {
        return;
    }
    page.push_str("<h2>Methods and lines</h2>\n");
    if files.keys().any(|file| texts.contains_key(*file)) {
        page.push_str(
            "<p class=\"quiet legend\">Lines that the tests <span class=\"covered\">run</span>, \
             <span class=\"partly\">run in part</span>, <span class=\"missed\">do not run</span></p>\n",
        );
    }
    for (file, classes) in files {
        let sum = |of: &dyn Fn(&Coverage) -> u64| classes.iter().map(|class| of(&class.edges)).sum::<u64>();
        let edges = Coverage { covered: sum(&|edges| edges.covered), total: sum(&|edges| edges.total) };
        let percent = edges.percent().map_or(String::new(), |percent| format!("{percent} %"));
        let _ = writeln!(
            page,
            "<details><summary><code>{}</code> <span class=\"quiet\">{percent}</span></summary>\n<div class=\"wide\"><table>",
            Escaped(file)
        );
        for class in &classes {
            let _ = writeln!(
                page,
                "<tr class=\"package\"><td>{}</td><td></td>{}</tr>",
                Escaped(&class.name),
                edge_cells(&class.edges)
            );
            class.methods.iter().for_each(|method| method_row(page, method));
        }
        page.push_str("</table></div>\n");
        if let Some(text) = texts.get(file) {
            let lines = lines::of_file(classes.iter().map(|class| &class.lines));
            listing(page, text, &lines);
        }
        page.push_str("</details>\n");
    }
}

fn method_row(page: &mut String, method: &MethodReport) {
    let MethodReport { name, line, edges, not_tested } = method;
    let reason = not_tested.map(|reason| format!(" <code>{reason}</code>")).unwrap_or_default();
    let line = line.map(|line| line.to_string()).unwrap_or_default();
    let name = Escaped(name);
    let _ = writeln!(
        page,
        "<tr><td class=\"class\">{name}{reason}</td><td class=\"number\">{line}</td>{}</tr>",
        edge_cells(edges)
    );
}

/// Numbers are drawn by the style, so that they are not copied with the text.
fn listing(page: &mut String, text: &str, lines: &BTreeMap<u16, Line>) {
    page.push_str("<pre class=\"source\" tabindex=\"0\">");
    for (number, line) in (1..).zip(text.lines()) {
        let class = match lines.get(&number) {
            Some(Line::Covered) => " class=\"covered\"",
            Some(Line::Partly) => " class=\"partly\"",
            Some(Line::Missed) => " class=\"missed\"",
            None => "",
        };
        let _ = write!(page, "<span{class} data-line=\"{number}\">{}</span>", Escaped(line));
    }
    page.push_str("</pre>\n");
}

fn untested(page: &mut String, report: &RunReport) {
    let mut by_reason: BTreeMap<Reason, Vec<(&str, &str)>> = BTreeMap::new();
    for class in &report.classes {
        let whole = class.unusable.iter().map(|why| (why.reason, (&*class.name, &*why.detail)));
        let members = class.not_tested.iter().map(|member| (member.reason, (&*member.operation, &*member.detail)));
        whole.chain(members).for_each(|(reason, what)| by_reason.entry(reason).or_default().push(what));
    }
    if by_reason.is_empty() {
        return;
    }
    page.push_str("<h2>Not tested</h2>\n");
    for (reason, members) in by_reason {
        let _ = writeln!(
            page,
            "<details><summary>{} <code>{reason}</code>: {}</summary>\n<ul>",
            grouped(members.len() as u64),
            reason.explanation()
        );
        for (what, detail) in members {
            let detail = if detail.is_empty() { String::new() } else { format!(": {}", visible(detail)) };
            let _ = writeln!(page, "<li><code>{}</code>{}</li>", Escaped(what), Escaped(&detail));
        }
        page.push_str("</ul></details>\n");
    }
}

fn left_out(page: &mut String, report: &RunReport) {
    let dropped = || report.classes.iter().flat_map(|class| class.dropped.iter().map(move |test| (class, test)));
    if dropped().next().is_none() {
        return;
    }
    page.push_str(
        "<h2>Left out</h2>\n<p>Generated tests that did not pass their check; each is a defect of randgen.</p>\n<ul>\n",
    );
    for (class, test) in dropped() {
        let _ = writeln!(
            page,
            "<li><code>{}.{}</code>, {}: {}</li>",
            Escaped(&class.name),
            Escaped(&test.name),
            test.reason,
            Escaped(&visible(&test.detail))
        );
    }
    page.push_str("</ul>\n");
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn the_page_has_findings_coverage_and_reasons_and_needs_nothing_else() {
        let source = "package buffer;\nif (a < b) {\n\n}\nstop();\n";
        let page = render(
            &example(),
            &[("src/main/java/buffer/RingBuffer.java".to_string(), source.to_string())].into(),
            None,
        );
        for part in [
            "<h3>buffer.RingBuffer breaks no-null-pointer</h3>",
            "<code>src/main/java/buffer/RingBuffer.java:27</code>",
            "RingBuffer ringBuffer = new RingBuffer(3);",
            ", likely, shown by 812 sequences</p>",
            "<p class=\"quiet\">2 more findings are less sure; `min-confidence` can ask for them.</p>",
            "<tr class=\"package\"><td>buffer</td>",
            "<td class=\"class\">RingBuffer</td><td class=\"number\">1</td><td class=\"number\">1</td><td class=\"number\">9/12 75 %</td>",
            "<td class=\"class\">stop() <code>exit</code></td><td class=\"number\">5</td><td class=\"number\">0/1 0 %</td>",
            "<span class=\"covered\" data-line=\"2\">if (a &lt; b) {</span><span class=\"partly\" data-line=\"3\">",
            "<span data-line=\"4\">}</span><span class=\"missed\" data-line=\"5\">stop();</span>",
            "points=\"0,140 150.0,70.0 600.0,35.0\"",
            "<code>initialiser-throws</code>: static initialiser throws",
            "<code>buffer.RingBuffer.dequeue_returnsZero</code>, flaky: expected 0.0",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
        assert!(!page.contains("://") && !page.contains("src=\""), "something is loaded");
    }

    #[test]
    fn text_of_the_code_under_test_is_no_markup() {
        let mut report = example();
        let finding = &mut report.classes[1].findings[0];
        finding.message = "<script>alert('\u{0}')</script>".to_string();
        finding.source = "a < b && c[\"</pre>\"]".to_string();
        let page = render(&report, &SourceTexts::new(), None);
        assert!(page.contains("&lt;script&gt;alert(&#39;\u{fffd}&#39;)&lt;/script&gt;"), "{page}");
        assert!(page.contains("a &lt; b &amp;&amp; c[&quot;&lt;/pre&gt;&quot;]"), "{page}");
    }
}

//! `specs.html`: specifications for people, a section for each class, in lines as the console has them.

use super::{ClassSpecification, SelectedTest, SpecificationReport};
use crate::report::html;
use crate::report::markup::Escaped;
use crate::report::summary::{counted, grouped};
use std::fmt::Write;

pub fn render(report: &SpecificationReport) -> String {
    let mut page = html::head(&report.module);
    let _ = writeln!(
        page,
        "<p class=\"quiet\">randgen {}, seed {}, {}, {} ({} distinct)</p>",
        Escaped(&report.version),
        report.seed,
        counted(report.sequences as u64, "sequence"),
        counted(report.method_executions, "method execution"),
        grouped(report.distinct_method_executions as u64),
    );
    tests(&mut page, "Accepted and broken", &report.broken);
    for clause in &report.gone {
        let _ = writeln!(page, "<p>Accepted of a method that is not there: <code>{}</code></p>", Escaped(clause));
    }
    for class in &report.classes {
        let mut lines = String::new();
        class.list(&mut lines, usize::MAX);
        let _ = writeln!(
            page,
            "<h2>{}</h2>\n<pre class=\"source\" tabindex=\"0\">{}</pre>",
            Escaped(&class.name),
            Escaped(&lines)
        );
        special_cases(&mut page, class);
    }
    for (number, iteration) in (1..).zip(&report.iterations) {
        tests(&mut page, &format!("Iteration {number}, with guards"), &iteration.with_guards);
        tests(&mut page, &format!("Iteration {number}, without guards"), &iteration.without_guards);
    }
    tests(&mut page, "Broken equations", &report.broken_equations);
    html::end(&mut page);
    page
}

fn special_cases(page: &mut String, class: &ClassSpecification) {
    let special: Vec<SelectedTest> = class.common.iter().filter_map(|common| common.special.clone()).collect();
    if !special.is_empty() {
        let _ = writeln!(page, "<details><summary>{}</summary>", counted(special.len() as u64, "special case"));
        special.iter().for_each(|test| show(page, test));
        page.push_str("</details>\n");
    }
}

fn tests(page: &mut String, title: &str, tests: &[SelectedTest]) {
    if !tests.is_empty() {
        let count = counted(tests.len() as u64, "test");
        let _ = writeln!(page, "<h2>{title}</h2>\n<details><summary>{count}</summary>");
        tests.iter().for_each(|test| show(page, test));
        page.push_str("</details>\n");
    }
}

fn show(page: &mut String, test: &SelectedTest) {
    let _ = writeln!(page, "<article>\n<h3>{}</h3>\n<ul>", Escaped(&test.method));
    for clause in &test.violates {
        let _ = writeln!(page, "<li><code>{}</code></li>", Escaped(clause));
    }
    let _ = writeln!(page, "</ul>");
    html::test(page, &test.source);
    page.push_str("</article>\n");
}

//! Specifications in `report.html`: what is broken of what was accepted, then a part for each class, in lines as the console
//! has them, with the tests that break what others suggest.

use super::{ClassSpecification, Line, SelectedTest, SpecificationReport};
use crate::html;
use crate::markup::Escaped;
use crate::summary::{counted, grouped};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

/// Tests that break what was accepted.
pub fn broken(report: &SpecificationReport) -> Markup {
    html! {
        @if !(report.broken.is_empty() && report.gone.is_empty()) {
            h2 { "Accepted specifications that are broken" } "\n"
        }
        @for test in &report.broken {
            (show(test))
        }
        @for clause in &report.gone {
            p { "Accepted for a method that no longer exists: " code { (Escaped(clause)) } } "\n"
        }
    }
}

/// All classes.
pub fn section(report: &SpecificationReport) -> Markup {
    let mut classes: BTreeMap<&str, ClassSpecification> = BTreeMap::new();
    for class in report.classes.iter().chain(&report.accepted) {
        let known = ClassSpecification { name: class.name.clone(), ..ClassSpecification::default() };
        classes.entry(&class.name).or_insert(known).add(class);
    }
    html! {
        h2 { "Specifications" } "\n"
        @if !report.iterations.is_empty() {
            (iterations(report))
        }
        @if !classes.is_empty() {
            p.quiet.legend {
                "What the classes seem to promise, and what of it is " span.covered { "accepted" } ", or "
                span.missed { "accepted and broken" }
            } "\n"
        }
        @for (name, class) in &classes {
            (of_class(report, name, class))
        }
    }
}

fn of_class(report: &SpecificationReport, name: &str, class: &ClassSpecification) -> Markup {
    let of_class = |test: &&SelectedTest| test.class == name;
    let selected = report.iterations.iter().flat_map(|round| round.with_guards.iter().chain(&round.without_guards));
    let selected: Vec<&SelectedTest> = selected.chain(&report.broken_equations).filter(of_class).collect();
    let special: Vec<&SelectedTest> = class.common.iter().filter_map(|common| common.special.as_ref()).collect();
    html! {
        details {
            summary {
                code { (Escaped(name)) } " " span.quiet { (counted(class.clauses() as u64, "clause")) }
            } "\n"
            // A parser drops the first line's end of an element `pre`.
            pre.clauses tabindex="0" { "\n" (clauses(report, name, class)) } "\n"
            (tests("that breaks what others suggest", "that break what others suggest", &selected))
            (tests("of a special case", "of special cases", &special))
        } "\n"
    }
}

/// The lines of a class, marked by what became of those that were accepted.
fn clauses(report: &SpecificationReport, name: &str, class: &ClassSpecification) -> Markup {
    let accepted: BTreeSet<(&str, String)> = report
        .accepted
        .iter()
        .filter(|class| class.name == name)
        .flat_map(|class| class.lines(usize::MAX))
        .map(|line| (line.of, line.text))
        .collect();
    let broken = report.broken.iter().filter(|test| test.class == name);
    let broken = broken.flat_map(|test| test.violates.iter().map(|clause| (&*test.method, &**clause)));
    let broken: BTreeSet<(&str, &str)> = broken.collect();
    // What is said of no method is broken by any.
    let breaks = |of: &str, clause: &str| {
        broken.contains(&(of, clause)) || of.is_empty() && broken.iter().any(|(_, broken)| *broken == clause)
    };
    let mark = |line: &Line| {
        let is_broken = line.clause.is_some_and(|clause| breaks(line.of, clause));
        let is_accepted = line.clause.is_some() && accepted.contains(&(line.of, line.text.clone()));
        match (is_accepted, is_broken) {
            (true, true) => (Some("missed"), "  // accepted, broken"),
            (true, false) => (Some("covered"), "  // accepted"),
            (false, _) => (None, ""),
        }
    };
    html! {
        @for line in class.lines(usize::MAX) {
            @let (class, note) = mark(&line);
            span class=[class] { (Escaped(&line.text)) (note) } "\n"
        }
    }
}

/// How the specification came about.
fn iterations(report: &SpecificationReport) -> Markup {
    html! {
        p.quiet {
            "Of seed " (report.seed) ": " (counted(report.sequences as u64, "sequence")) ", "
            (counted(report.method_executions, "method execution"))
            " (" (grouped(report.distinct_method_executions as u64)) " distinct); " (report.end())
        } "\n"
        div.wide { table { "\n"
            tr {
                th { "Iteration" } th.number { "Clauses" } th.number { "Selected with guards" } th.number { "Without" }
            } "\n"
            @for (number, iteration) in (1..).zip(&report.iterations) {
                tr {
                    td { (number) }
                    td.number { (grouped(iteration.clauses as u64)) }
                    td.number { (iteration.with_guards.len()) }
                    td.number { (iteration.without_guards.len()) }
                } "\n"
            }
        } } "\n"
    }
}

fn tests(one: &str, several: &str, tests: &[&SelectedTest]) -> Markup {
    html! {
        @if !tests.is_empty() {
            details {
                summary { (counted(tests.len() as u64, "test")) " " (if tests.len() == 1 { one } else { several }) }  "\n"
                @for test in tests {
                    (show(test))
                }
            } "\n"
        }
    }
}

fn show(test: &SelectedTest) -> Markup {
    html! {
        article { "\n"
            h3 { (Escaped(&test.method)) } "\n"
            ul { "\n"
                @for clause in &test.violates {
                    li { code { (Escaped(clause)) } } "\n"
                }
            } "\n"
            (html::test(&test.source))
        } "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specifications::{Iteration, MethodSpecification};

    fn class(name: &str, equations: &[&str], postconditions: &[&str]) -> ClassSpecification {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        let method = MethodSpecification {
            name: format!("{name}.top()"),
            postconditions: texts(postconditions),
            ..MethodSpecification::default()
        };
        ClassSpecification {
            name: name.to_string(),
            equations: texts(equations),
            methods: vec![method],
            ..ClassSpecification::default()
        }
    }

    fn test(class: &str, violates: &str) -> SelectedTest {
        SelectedTest {
            class: class.to_string(),
            method: format!("{class}.top()"),
            violates: vec![violates.to_string()],
            source: "stack.top();".to_string(),
        }
    }

    #[test]
    fn specification_page_shows_inferred_accepted_and_violated_clauses() {
        let mut report = SpecificationReport {
            classes: vec![
                class("p.A", &["f(S).result < 2"], &["$result == 1"]),
                class("p.B", &["f(S).result < 2"], &[]),
            ],
            accepted: vec![class("p.A", &["f(S).result < 2", "g(S).state == S"], &["$result == 1"])],
            iterations: vec![Iteration {
                clauses: 1_234,
                with_guards: vec![test("p.A", "$result >= 0")],
                without_guards: Vec::new(),
            }],
            is_fixed_point: true,
            ..SpecificationReport::new("p", 3)
        };
        report.broken = vec![test("p.A", "g(S).state == S")];
        let page = broken(&report).into_string() + &section(&report).into_string();
        for part in [
            "<h2>Accepted specifications that are broken</h2>\n<article>\n<h3>p.A.top()</h3>\n<ul>\n<li><code>g(S).state == S",
            "(0 distinct); a fixed point: the last iteration found nothing new</p>",
            "<tr><td>1</td><td class=\"number\">1,234</td><td class=\"number\">1</td><td class=\"number\">0</td></tr>",
            "<code>p.A</code> <span class=\"quiet\">3 clauses</span>",
            "<span class=\"covered\">  @axiom f(S).result &lt; 2  // accepted</span>\n",
            "<span class=\"missed\">  @axiom g(S).state == S  // accepted, broken</span>\n",
            "<span>  p.A.top()</span>\n<span class=\"covered\">    @post $result == 1  // accepted</span>\n",
            "<summary>1 test that breaks what others suggest</summary>\n<article>\n<h3>p.A.top()</h3>\n<ul>\n<li><code>$result &gt;= 0",
            "<code>p.B</code> <span class=\"quiet\">1 clause</span></summary>\n<pre class=\"clauses\" tabindex=\"0\">\n\
             <span>  @axiom f(S).result &lt; 2</span>\n",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }

    #[test]
    fn clause_violated_by_one_method_is_kept_for_another() {
        let mut both = class("p.A", &[], &["$result == 1"]);
        let pop = MethodSpecification { name: "p.A.pop()".to_string(), ..both.methods[0].clone() };
        both.methods.push(pop);
        let report = SpecificationReport {
            classes: vec![both.clone()],
            accepted: vec![both],
            broken: vec![test("p.A", "$result == 1")],
            ..SpecificationReport::new("p", 3)
        };
        let page = section(&report).into_string();
        for part in [
            "<code>p.A</code> <span class=\"quiet\">2 clauses</span>",
            "<span>  p.A.top()</span>\n<span class=\"missed\">    @post $result == 1  // accepted, broken</span>\n\
             <span>  p.A.pop()</span>\n<span class=\"covered\">    @post $result == 1  // accepted</span>\n",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }
}

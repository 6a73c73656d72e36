//! Specifications in `report.html`: what is broken of what was accepted, then a part for each class, in lines as the console
//! has them, with the tests that break what others suggest.

use super::{ClassSpecification, SelectedTest, SpecificationReport};
use crate::report::html;
use crate::report::markup::Escaped;
use crate::report::summary::{counted, grouped};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Tests that break what was accepted.
pub fn broken(page: &mut String, report: &SpecificationReport) {
    if report.broken.is_empty() && report.gone.is_empty() {
        return;
    }
    page.push_str("<h2>Accepted specifications that are broken</h2>\n");
    report.broken.iter().for_each(|test| show(page, test));
    for clause in &report.gone {
        let _ = writeln!(page, "<p>Accepted of a method that is not there: <code>{}</code></p>", Escaped(clause));
    }
}

/// All classes.
pub fn section(page: &mut String, report: &SpecificationReport) {
    let mut classes: BTreeMap<&str, ClassSpecification> = BTreeMap::new();
    for class in report.classes.iter().chain(&report.accepted) {
        let known = ClassSpecification { name: class.name.clone(), ..ClassSpecification::default() };
        classes.entry(&class.name).or_insert(known).add(class);
    }
    page.push_str("<h2>Specifications</h2>\n");
    if !report.iterations.is_empty() {
        iterations(page, report);
    }
    if classes.is_empty() {
        return;
    }
    page.push_str(
        "<p class=\"quiet legend\">What the classes seem to promise, and what of it is <span class=\"covered\">accepted</span>, \
         or <span class=\"missed\">accepted and broken</span></p>\n",
    );
    for (name, class) in classes {
        let of_class = |test: &&SelectedTest| test.class == name;
        let accepted: BTreeSet<(&str, String)> = report
            .accepted
            .iter()
            .filter(|class| class.name == name)
            .flat_map(|class| class.lines(usize::MAX))
            .map(|line| (line.of, line.text))
            .collect();
        let broken = report.broken.iter().filter(of_class);
        let broken = broken.flat_map(|test| test.violates.iter().map(|clause| (&*test.method, &**clause)));
        let broken: BTreeSet<(&str, &str)> = broken.collect();
        // What is said of no method is broken by any.
        let breaks = |of: &str, clause: &str| {
            broken.contains(&(of, clause)) || of.is_empty() && broken.iter().any(|(_, broken)| *broken == clause)
        };
        let selected = report.iterations.iter().flat_map(|round| round.with_guards.iter().chain(&round.without_guards));
        let selected: Vec<&SelectedTest> = selected.chain(&report.broken_equations).filter(of_class).collect();
        let special: Vec<&SelectedTest> = class.common.iter().filter_map(|common| common.special.as_ref()).collect();
        let count = counted(class.clauses() as u64, "clause");
        let _ = writeln!(
            page,
            "<details><summary><code>{}</code> <span class=\"quiet\">{count}</span></summary>\n<pre class=\"clauses\" tabindex=\"0\">",
            Escaped(name)
        );
        for line in class.lines(usize::MAX) {
            let is_broken = line.clause.is_some_and(|clause| breaks(line.of, clause));
            let is_accepted = line.clause.is_some() && accepted.contains(&(line.of, line.text.clone()));
            let (mark, note) = match (is_accepted, is_broken) {
                (true, true) => (" class=\"missed\"", "  // accepted, broken"),
                (true, false) => (" class=\"covered\"", "  // accepted"),
                (false, _) => ("", ""),
            };
            let _ = writeln!(page, "<span{mark}>{}{note}</span>", Escaped(&line.text));
        }
        page.push_str("</pre>\n");
        tests(page, "that breaks what others suggest", "that break what others suggest", &selected);
        tests(page, "of a special case", "of special cases", &special);
        page.push_str("</details>\n");
    }
}

/// How the specification came about.
fn iterations(page: &mut String, report: &SpecificationReport) {
    let _ = writeln!(
        page,
        "<p class=\"quiet\">Of seed {}: {}, {} ({} distinct); {}</p>\n<div class=\"wide\"><table>\n\
         <tr><th>Iteration</th><th class=\"number\">Clauses</th><th class=\"number\">Selected with guards</th>\
         <th class=\"number\">Without</th></tr>",
        report.seed,
        counted(report.sequences as u64, "sequence"),
        counted(report.method_executions, "method execution"),
        grouped(report.distinct_method_executions as u64),
        report.end(),
    );
    for (number, iteration) in (1..).zip(&report.iterations) {
        let clauses = grouped(iteration.clauses as u64);
        let (with, without) = (iteration.with_guards.len(), iteration.without_guards.len());
        let _ = writeln!(
            page,
            "<tr><td>{number}</td><td class=\"number\">{clauses}</td><td class=\"number\">{with}</td>\
             <td class=\"number\">{without}</td></tr>"
        );
    }
    page.push_str("</table></div>\n");
}

fn tests(page: &mut String, one: &str, several: &str, tests: &[&SelectedTest]) {
    if !tests.is_empty() {
        let what = if tests.len() == 1 { one } else { several };
        let count = counted(tests.len() as u64, "test");
        let _ = writeln!(page, "<details><summary>{count} {what}</summary>");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specifications::{Iteration, MethodSpecification};

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
    fn a_class_shows_what_is_inferred_of_it_what_of_that_is_accepted_and_what_is_broken() {
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
        let mut page = String::new();
        broken(&mut page, &report);
        section(&mut page, &report);
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
    fn what_one_method_breaks_is_kept_by_another_that_promises_the_same() {
        let mut both = class("p.A", &[], &["$result == 1"]);
        let pop = MethodSpecification { name: "p.A.pop()".to_string(), ..both.methods[0].clone() };
        both.methods.push(pop);
        let report = SpecificationReport {
            classes: vec![both.clone()],
            accepted: vec![both],
            broken: vec![test("p.A", "$result == 1")],
            ..SpecificationReport::new("p", 3)
        };
        let mut page = String::new();
        section(&mut page, &report);
        for part in [
            "<code>p.A</code> <span class=\"quiet\">2 clauses</span>",
            "<span>  p.A.top()</span>\n<span class=\"missed\">    @post $result == 1  // accepted, broken</span>\n\
             <span>  p.A.pop()</span>\n<span class=\"covered\">    @post $result == 1  // accepted</span>\n",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }
}

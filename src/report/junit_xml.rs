//! JUnit XML, one file per class under test, as build servers read it and Jenkins' schema has it.
//!
//! A test case per emitted test and per finding. The format's times and time stamps are optional and left out: what a
//! clock says would make equal runs differ.

use super::{ChangedTest, ClassReport, Finding, ReportError};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Why findings are none to fail for, by their ids.
pub type Excuses = BTreeMap<String, String>;

/// Whether the class has anything to show in this format.
pub fn has_cases(class: &ClassReport) -> bool {
    !class.tests.is_empty() || !class.changed.is_empty() || !class.findings.is_empty()
}

/// The file's text. A finding with an excuse is a test that was skipped, any other one that failed.
pub fn render(class: &ClassReport, excuses: &Excuses) -> Result<String, ReportError> {
    let mut suite = TestSuite::new(class.name.as_str());
    for test in &class.tests {
        suite.add_test_case(case(class, &test.name, TestCaseStatus::success()));
    }
    for test in &class.changed {
        suite.add_test_case(case(class, &test.name, failed(test)));
    }
    for finding in &class.findings {
        let name = if finding.test.is_empty() { &finding.contract } else { &finding.test };
        suite.add_test_case(case(class, name, status(finding, excuses.get(&finding.id))));
    }
    let mut report = Report::new("randgen");
    report.add_test_suite(suite);
    // As Surefire's, the file is one suite with nothing around it: the schema does not have all that quick-junit says of all
    // suites. In texts a `<` is escaped.
    let is_around = |line: &&str| line.starts_with("<testsuites ") || line.starts_with("</testsuites>");
    Ok(report.to_string()?.split_inclusive('\n').filter(|line| !is_around(line)).collect())
}

fn case(class: &ClassReport, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(class.name.as_str());
    case
}

/// Of a test of an earlier run that fails now.
fn failed(test: &ChangedTest) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let is_class = |word: &str| {
        word.contains('.') && word.chars().all(|letter| letter.is_alphanumeric() || ".$_".contains(letter))
    };
    let thrown = test.detail.split([':', ' ']).next().filter(|word| is_class(word));
    status.set_type(thrown.map_or_else(|| test.reason.to_string(), str::to_string));
    status.set_message(test.detail.clone());
    status.set_description(test.source.clone());
    status
}

fn status(finding: &Finding, excuse: Option<&String>) -> TestCaseStatus {
    let message = format!("{}: {}", finding.contract, finding.message);
    let mut status = match excuse {
        Some(excuse) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("{excuse}: {message}"));
            status
        }
        None => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(finding.exception.as_ref().map_or(finding.contract.as_str(), |exception| &exception.class));
            status.set_message(message);
            status
        }
    };
    status.set_description(description(finding));
    status
}

/// The test, its stack, and what names the finding.
fn description(finding: &Finding) -> String {
    let mut description = finding.source.clone();
    if let Some(exception) = &finding.exception {
        let message = exception.message.as_ref().map(|message| format!(": {message}"));
        let _ = write!(description, "\n{}{}", exception.class, message.unwrap_or_default());
        exception.stack.iter().for_each(|frame| description.push_str(&format!("\n    at {frame}")));
        description.push('\n');
    }
    description += &format!("\nfinding: {}\noccurrences: {}\n", finding.id, finding.occurrences);
    if finding.shown_by.len() > 1 {
        description += &format!("shown by {} classes: {}\n", finding.shown_by.len(), finding.shown_by.join(", "));
    }
    description
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn finding_with_an_excuse_is_a_skipped_test_with_a_note() {
        let excuses = [("0123456789ab".to_string(), "known since 2026-11-22".to_string())].into();
        let text = render(&example::run().classes[1], &excuses).unwrap();
        assert!(text.contains("tests=\"2\" skipped=\"1\" errors=\"0\" failures=\"0\""), "{text}");
        assert!(
            text.contains("<skipped message=\"known since 2026-11-22: no-null-pointer: NullPointerException"),
            "{text}"
        );
        assert!(!text.contains("<failure"), "{text}");
    }

    #[test]
    fn test_of_an_earlier_run_that_fails_is_a_failure() {
        let mut class = example::run().classes[1].clone();
        class.findings.clear();
        let detail = "org.opentest4j.AssertionFailedError: expected: <1> but was: <2>".to_string();
        let (name, source) = ("size_returns1".to_string(), "@Test\n".to_string());
        class.changed = vec![ChangedTest::new(name, String::new(), crate::DropReason::Fails, detail, source)];
        let text = render(&class, &Excuses::new()).unwrap();
        assert!(
            text.contains("failures=\"1\"") && text.contains("type=\"org.opentest4j.AssertionFailedError\""),
            "{text}"
        );
    }

    #[test]
    fn control_characters_of_user_messages_do_not_break_the_document() {
        let mut class = example::run().classes[1].clone();
        class.findings[0].message = "a\u{0}b\u{1b}[31m]]>\n</testsuites>".to_string();
        let text = render(&class, &Excuses::new()).unwrap();
        assert!(!text.contains(['\u{0}', '\u{1b}']));
        assert!(text.contains("&lt;/testsuites&gt;"));
        quick_junit::Report::deserialize_from_str(&format!(
            "<testsuites name=\"all\">{}</testsuites>",
            text.split_once("?>").unwrap().1
        ))
        .unwrap();
    }
}

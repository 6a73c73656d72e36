//! JUnit XML, one file per class under test, as build servers read it.
//!
//! A test case per emitted test and per finding. The format's times and time stamps are optional and left out: what a
//! clock says would make equal runs differ.

use super::{ClassReport, Finding, ReportError};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// Whether the class has anything to show in this format.
pub fn has_cases(class: &ClassReport) -> bool {
    !class.tests.is_empty() || !class.findings.is_empty()
}

/// The file's text.
pub fn render(class: &ClassReport) -> Result<String, ReportError> {
    let mut suite = TestSuite::new(class.name.as_str());
    for test in &class.tests {
        suite.add_test_case(case(class, &test.name, TestCaseStatus::success()));
    }
    for finding in &class.findings {
        suite.add_test_case(failure(class, finding));
    }
    let mut report = Report::new("randgen");
    report.add_test_suite(suite);
    Ok(report.to_string()?)
}

fn case(class: &ClassReport, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(class.name.as_str());
    case
}

fn failure(class: &ClassReport, finding: &Finding) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(finding.exception.as_ref().map_or(finding.contract.as_str(), |exception| &exception.class));
    status.set_message(format!("{}: {}", finding.contract, finding.message));
    let mut description = finding.source.clone();
    if let Some(exception) = &finding.exception {
        description.push_str(&format!("\n{}", exception.class));
        if let Some(message) = &exception.message {
            description.push_str(&format!(": {message}"));
        }
        for frame in &exception.stack {
            description.push_str(&format!("\n    at {frame}"));
        }
        description.push('\n');
    }
    description.push_str(&format!("\nfinding: {}\nwitnesses: {}\n", finding.id, finding.witnesses));
    status.set_description(description);
    let name = if finding.test.is_empty() { &finding.contract } else { &finding.test };
    case(class, name, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_failures_and_tests_pass() {
        let text = render(&super::super::tests::example().classes[1]).unwrap();
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="randgen" tests="2" skipped="0" failures="1" errors="0">
    <testsuite name="buffer.RingBuffer" tests="2" skipped="0" errors="0" failures="1">
        <testcase name="isFull_returnsFalse" classname="buffer.RingBuffer"/>
        <testcase name="enqueue_throwsNullPointerException" classname="buffer.RingBuffer">
            <failure message="no-null-pointer: NullPointerException &lt;without&gt; a null argument" type="java.lang.NullPointerException">RingBuffer ringBuffer = new RingBuffer(3);
ringBuffer.enqueue(-1.0);

java.lang.NullPointerException
    at buffer.RingBuffer.enqueue(27)

finding: 0123456789ab
witnesses: 812
</failure>
        </testcase>
    </testsuite>
</testsuites>
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn control_characters_of_user_messages_do_not_break_the_document() {
        let mut class = super::super::tests::example().classes[1].clone();
        class.findings[0].message = "a\u{0}b\u{1b}[31m]]>".to_string();
        let text = render(&class).unwrap();
        assert!(!text.contains(['\u{0}', '\u{1b}']));
        quick_junit::Report::deserialize_from_str(&text).unwrap();
    }
}

//! JUnit XML, one file per class under test, as build servers read it and Jenkins' schema has it.
//!
//! A test case per emitted test and per finding. The format's times and time stamps are optional and left out: what a
//! clock says would make equal runs differ.

use super::markup::Escaped;
use super::{ClassReport, Finding};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Why findings are none to fail for, by their ids.
pub type Excuses = BTreeMap<String, String>;

/// Whether the class has anything to show in this format.
pub fn has_cases(class: &ClassReport) -> bool {
    !class.tests.is_empty() || !class.findings.is_empty()
}

/// The file's text. A finding with an excuse is a test that was skipped, any other one that failed.
pub fn render(class: &ClassReport, excuses: &Excuses) -> String {
    let name = Escaped(&class.name);
    let skipped = class.findings.iter().filter(|finding| excuses.contains_key(&finding.id)).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{skipped}\">\n",
        class.tests.len() + class.findings.len(),
        class.findings.len() - skipped,
    );
    for test in &class.tests {
        let _ = writeln!(text, "  <testcase name=\"{}\" classname=\"{name}\"/>", Escaped(&test.name));
    }
    for finding in &class.findings {
        let test = if finding.test.is_empty() { &finding.contract } else { &finding.test };
        let _ = writeln!(text, "  <testcase name=\"{}\" classname=\"{name}\">", Escaped(test));
        let _ = match excuses.get(&finding.id) {
            Some(excuse) => writeln!(
                text,
                "    <skipped message=\"{}\">{}</skipped>",
                Escaped(&format!("{excuse}: {}: {}", finding.contract, finding.message)),
                Escaped(&description(finding))
            ),
            None => writeln!(
                text,
                "    <failure message=\"{}\" type=\"{}\">{}</failure>",
                Escaped(&format!("{}: {}", finding.contract, finding.message)),
                Escaped(finding.exception.as_ref().map_or(&finding.contract, |exception| &exception.class)),
                Escaped(&description(finding))
            ),
        };
        text.push_str("  </testcase>\n");
    }
    text + "</testsuite>\n"
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
    description + &format!("\nfinding: {}\nwitnesses: {}\n", finding.id, finding.witnesses)
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn findings_are_failures_and_tests_pass() {
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="buffer.RingBuffer" tests="2" failures="1" errors="0" skipped="0">
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
"#;
        assert_eq!(render(&example().classes[1], &Excuses::new()), expected);
    }

    #[test]
    fn a_finding_with_an_excuse_is_skipped_with_a_note() {
        let excuses = [("0123456789ab".to_string(), "known since 2026-11-22".to_string())].into();
        let text = render(&example().classes[1], &excuses);
        assert!(text.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""), "{text}");
        assert!(
            text.contains("<skipped message=\"known since 2026-11-22: no-null-pointer: NullPointerException"),
            "{text}"
        );
        assert!(!text.contains("<failure"), "{text}");
    }
}

//! Checkstyle's XML, which review bots, editors and build servers read: a file per source, and in it what `check` says of
//! its lines.
//!
//! Only what has a place in the code is in it. Thresholds and specifications have none: `check` tells of them in words.

use super::gate::GateReport;
use super::{ClassReport, Finding, RunReport};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The version of Checkstyle whose format this is; readers look for none.
const VERSION: &str = "4.3";

/// Something to say of a line.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Remark {
    line: u32,
    severity: &'static str,
    message: String,
    source: String,
}

/// A document about all modules: new findings and failing tests of earlier runs are errors, findings that an older version
/// shows as well are warnings, and those of the baseline, or that no test reproduces, are notes.
pub fn render(modules: &[(GateReport, RunReport)]) -> io::Result<String> {
    let mut files: BTreeMap<String, Vec<Remark>> = BTreeMap::new();
    for (gate, run) in modules {
        for class in &run.classes {
            for finding in &class.findings {
                let (file, line) = place(class, finding);
                files.entry(file).or_default().push(Remark { line, ..remark(gate, class, finding) });
            }
            for test in &class.changed {
                let message = format!("the test {} of an earlier run fails: {}", test.name, test.detail);
                let remark = Remark { line: 1, severity: "error", message, source: "randgen.changed-test".to_string() };
                files.entry(source_of(class)).or_default().push(remark);
            }
        }
    }
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer.write_event(Event::Start(BytesStart::new("checkstyle").with_attributes([("version", VERSION)])))?;
    for (name, mut remarks) in files {
        remarks.sort();
        writer.write_event(Event::Start(BytesStart::new("file").with_attributes([("name", &*printable(&name))])))?;
        for Remark { line, severity, message, source } in remarks {
            let (line, message) = (line.to_string(), printable(&message));
            let attributes =
                [("line", &*line), ("severity", severity), ("message", &*message), ("source", &*printable(&source))]
                    .map(|(name, value)| (name.to_string(), value.to_string()));
            let mut error = BytesStart::new("error");
            attributes.iter().for_each(|(name, value)| error.push_attribute((&**name, &**value)));
            writer.write_event(Event::Empty(error))?;
        }
        writer.write_event(Event::End(BytesEnd::new("file")))?;
    }
    writer.write_event(Event::End(BytesEnd::new("checkstyle")))?;
    Ok(String::from_utf8(writer.into_inner()).expect("names and texts are UTF-8") + "\n")
}

/// What the gate says of a finding; its line is the caller's.
fn remark(gate: &GateReport, class: &ClassReport, finding: &Finding) -> Remark {
    let ids = |failures: &[super::baseline::Failure]| -> BTreeSet<String> {
        failures.iter().map(|failure| failure.id.clone()).collect()
    };
    let (severity, standing) = if ids(&gate.new).contains(&finding.id) {
        ("error", "")
    } else if ids(&gate.found).contains(&finding.id) {
        ("warning", ", found, not new")
    } else if ids(&gate.not_shown).contains(&finding.id) {
        ("info", ", not reproduced reliably")
    } else {
        ("info", ", known")
    };
    let Finding { id, contract, message, .. } = finding;
    let message = format!("{} breaks {contract}: {message} (finding {id}{standing})", class.name);
    Remark { line: 1, severity, message, source: format!("randgen.{contract}") }
}

/// The file, relative to the whole project, and the line, which the format demands: the first if it is not known.
fn place(class: &ClassReport, finding: &Finding) -> (String, u32) {
    match &finding.position {
        Some(position) => (position.file.clone(), position.line.unwrap_or(1)),
        None => (source_of(class), 1),
    }
}

/// The class's source, or where a source root would have it.
fn source_of(class: &ClassReport) -> String {
    let outer = class.name.split('$').next().unwrap_or_default();
    class.source.clone().unwrap_or_else(|| outer.replace('.', "/") + ".java")
}

/// XML cannot hold all characters, escaped or not (XML 1.0 §2.2); and readers want a message in one line.
fn printable(text: &str) -> String {
    let is_char = |letter: char| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|letter| if is_char(letter) { letter } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::Baseline;
    use crate::{ChangedTest, DropReason, example};

    fn rendered(run: RunReport, baseline: &Baseline) -> String {
        let comparison = baseline.compare(&run);
        let gate = GateReport::new(&run, "randgen-baseline.toml".to_string(), comparison, Vec::new(), false);
        render(&[(gate, run)]).unwrap()
    }

    #[test]
    fn new_finding_is_an_error_at_its_line() {
        let expected = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<checkstyle version=\"4.3\">
  <file name=\"src/main/java/buffer/RingBuffer.java\">
    <error line=\"27\" severity=\"error\" message=\"buffer.RingBuffer breaks no-null-pointer: NullPointerException \
&lt;without&gt; a null argument (finding 0123456789ab)\" source=\"randgen.no-null-pointer\"/>
  </file>
</checkstyle>
";
        assert_eq!(rendered(example::run(), &Baseline::default()), expected);
    }

    #[test]
    fn finding_of_the_baseline_is_a_note() {
        let none = Baseline::default();
        let knowing = none.updated("ring-buffer", &none.compare(&example::run()), "2026-11-22");
        let text = rendered(example::run(), &knowing);
        assert!(text.contains("severity=\"info\"") && text.contains("(finding 0123456789ab, known)"), "{text}");
    }

    #[test]
    fn test_of_an_earlier_run_that_fails_is_an_error_of_its_class() {
        let mut run = example::run();
        run.classes[1].findings.clear();
        let (name, detail) = ("size_returns1".to_string(), "expected: <1> but was: <2>".to_string());
        run.classes[1].changed = vec![ChangedTest::new(name, String::new(), DropReason::Fails, detail, String::new())];
        let text = rendered(run, &Baseline::default());
        let expected = "line=\"1\" severity=\"error\" message=\"the test size_returns1 of an earlier run fails: expected: \
                        &lt;1&gt; but was: &lt;2&gt;\"";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn text_of_the_code_under_test_does_not_leave_its_attribute() {
        let mut run = example::run();
        run.classes[1].name = "a.B$C".to_string();
        run.classes[1].source = None;
        run.classes[1].findings[0].position = None;
        run.classes[1].findings[0].message = "\"/></file>\n'&\u{0}\u{1b}\u{ffff}".to_string();
        let text = rendered(run, &Baseline::default());
        assert!(text.contains("<file name=\"a/B.java\">") && text.contains("line=\"1\""), "{text}");
        assert!(!text.contains(['\u{0}', '\u{1b}', '\u{ffff}']), "{text}");
        assert_eq!(text.matches("</file>").count(), 1, "{text}");
        let mut reader = quick_xml::Reader::from_str(&text);
        let messages: Vec<String> = std::iter::from_fn(|| match reader.read_event().unwrap() {
            Event::Eof => None,
            Event::Empty(error) => {
                let message = error.try_get_attribute("message").unwrap().unwrap();
                Some(message.value.to_string())
            }
            _ => Some(String::new()),
        })
        .filter(|message| !message.is_empty())
        .collect();
        assert!(messages[0].contains("&quot;/&gt;&lt;/file&gt; &apos;&amp;"), "{messages:?}");
    }

    #[test]
    fn modules_without_findings_are_an_empty_document() {
        let mut run = example::run();
        run.classes[1].findings.clear();
        assert!(rendered(run, &Baseline::default()).ends_with("<checkstyle version=\"4.3\">\n</checkstyle>\n"));
    }
}

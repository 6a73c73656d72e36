//! Each rendering of a small run as a whole, in `snapshots/`.

use crate::example;
use crate::{SourceTexts, Timing, html, json, junit_xml, markdown, sarif, text};

fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn console_summary_of_a_run() {
    let timing = Timing { seconds: 2.04, sequences_per_second: 10_000.0, ..Timing::default() };
    check("console", &text(&example::run(), Some(&timing), "target/randgen/report.md"));
}

#[test]
fn markdown_summary_of_a_run() {
    check("markdown", &markdown(&example::run()));
}

#[test]
fn json_report_of_a_run() {
    check("json", &json::render(&example::run()).unwrap());
}

#[test]
fn sarif_report_of_a_run() {
    check("sarif", &sarif::render(&example::run()).unwrap());
}

#[test]
fn junit_xml_report_of_a_class_with_a_finding() {
    check("junit_xml", &junit_xml::render(&example::run().classes[1], &crate::Excuses::new()).unwrap());
}

#[test]
fn html_page_of_a_run_with_source() {
    let source = "package buffer;\nif (a < b) {\n\n}\nstop();\n";
    let texts: SourceTexts = [("src/main/java/buffer/RingBuffer.java".to_string(), source.to_string())].into();
    let page = html::render(&example::run(), &texts, None);
    assert!(!page.contains("://") && !page.contains("src=\""), "something is loaded");
    check("html", &page.replace(include_str!("report.css"), "/* report.css */\n"));
}

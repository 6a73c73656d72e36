//! Which members generated tests use: those of the front door, or all of their package.

use super::{Scene, stderr};
use serde_json::Value;
use std::path::PathBuf;

/// A public class with members that only its package can use: one that a public method reaches, and one that nothing
/// does. `Ledger` and its method are found through a public factory, `Auditor` through nothing.
const SOURCES: [(&str, &str); 4] = [
    (
        "Till",
        "package shop;

        public class Till {
            int total;
            protected int sales;
            private String owner = \"nobody\";

            public void sell(int price) {
                if (isPrice(price)) {
                    total += price;
                    sales++;
                }
            }

            boolean isPrice(int price) {
                return price > 0;
            }

            public int total() {
                return total;
            }

            public Ledger ledger() {
                return new Ledger(sales);
            }

            String forgotten(int year) {
                return year < 2000 ? \"old\" : \"new\";
            }
        }",
    ),
    (
        "Ledger",
        "package shop;

        class Ledger {
            final int rows;

            Ledger(int rows) {
                this.rows = rows;
            }

            public boolean isEmpty() {
                return rows == 0;
            }
        }",
    ),
    (
        "Auditor",
        "package shop;

        class Auditor {
            int audited = 0;

            int audit(int sales) {
                audited++;
                return sales > 10 ? audited : -audited;
            }
        }",
    ),
    (
        "Rounding",
        "package shop;

        public class Rounding {
            public static long cents(String code, long amount) {
                return code.length() == 3 && code.startsWith(\"JP\") ? whole(amount) : amount;
            }

            static long whole(long amount) {
                return amount < 0 ? -(-amount / 100) * 100 : amount / 100 * 100;
            }
        }",
    ),
];

/// The report and the generated sources.
fn generated(arguments: &[&str]) -> (Value, String) {
    let scene = Scene::new();
    let write = |(name, source): &(&str, &str)| -> PathBuf {
        let path = format!("src/shop/{name}.java");
        scene.write(&path, source);
        scene.path(&path)
    };
    scene.compile(&SOURCES.iter().map(write).collect::<Vec<_>>());
    let limits = ["--sequence-limit", "8000", "--progress", "none", "--output", "tests"];
    let mut command = scene.randgen(&[&["generate", "--classes", "classes"][..], &limits, arguments].concat());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let report = std::fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    let files = walkdir::WalkDir::new(scene.path("tests")).sort_by_file_name().into_iter().map(Result::unwrap);
    let sources = files.filter(|file| file.file_type().is_file());
    let text: String = sources.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect();
    (serde_json::from_str(&report).unwrap(), text)
}

/// The bodies of the tests whose entry in the report is so marked.
fn marked(report: &Value, text: &str, back_door: bool) -> Vec<String> {
    let classes = report["classes"].as_array().unwrap();
    let tests = classes.iter().flat_map(|class| class["tests"].as_array().unwrap());
    let names = tests.filter(|test| test["back_door"] == back_door).map(|test| test["name"].as_str().unwrap());
    let body = |name: &str| {
        let (_, rest) = text.split_once(&format!("void {name}(")).unwrap();
        rest.split("\n    }\n").next().unwrap().to_string()
    };
    names.map(body).collect()
}

/// Nobody needs an object of `Rounding`, which has static methods alone: its constructor has no test.
fn check_coverage(report: &Value) {
    let edges = |key: &str| report["totals"][key].as_u64().unwrap();
    assert!(edges("edges_covered") + 1 >= edges("edges_total"), "{}", report["totals"]);
}

fn check_fields(text: &str) {
    for field in ["total", "sales", "owner", "rows", "audited"] {
        let is_read = text.match_indices(&format!(".{field}")).any(|(at, found)| {
            !text[at + found.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '(' || next == '_')
        });
        assert!(!is_read, "the field {field} is used in {text}");
    }
}

#[test]
fn tests_go_through_the_front_door_and_others_are_marked() {
    let (report, text) = generated(&[]);
    check_fields(&text);
    let (front, back) = (marked(&report, &text, false), marked(&report, &text, true));
    for body in &front {
        assert!(
            !["isPrice(", "forgotten(", "whole(", "Auditor", "new Ledger("].iter().any(|it| body.contains(it)),
            "{body}"
        );
    }
    for called in ["isPrice(", "new Ledger(", "whole("] {
        assert!(!text.contains(called), "{called} in {text}");
    }
    for called in ["forgotten(", "audit("] {
        assert!(back.iter().any(|body| body.contains(called)), "{called} is not in {back:?}");
    }
    assert!(front.iter().any(|body| body.contains("isEmpty()")), "{front:?}");
    assert_eq!(report["totals"]["tests_back_door"], back.len());
    check_coverage(&report);
}

#[test]
fn tests_with_package_access_call_all_members_and_no_hidden_field() {
    let (report, text) = generated(&["--access", "package"]);
    check_fields(&text);
    assert!(["isPrice(", "whole(", "new Ledger("].iter().any(|called| text.contains(called)), "{text}");
    assert!(text.contains("forgotten(") && text.contains("audit("), "{text}");
    check_coverage(&report);
}

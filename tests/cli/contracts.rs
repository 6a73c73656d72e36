//! Contracts of the user's own, and faults that the papers show: what is a finding, how certain it is, and what its test says.

use super::{Scene, said};
use serde_json::Value;
use std::fs;

/// An account that may be overdrawn, and one of two transfers that forget a limit. Both say what must hold.
const ACCOUNT: &str = "package bank; public class Account {
    private int balance;
    private boolean open = true;
    public void deposit(int amount) {
        if (amount <= 0 || amount > 1000 || balance > 1000000) { throw new IllegalArgumentException(\"amount\"); }
        balance += amount;
    }
    public void withdraw(int amount) {
        if (amount < 0) { throw new IllegalArgumentException(\"amount\"); }
        balance -= amount;
    }
    public void close() { open = false; }
    public boolean isOpen() { return open; }
    public int balance() { return balance; }
    @CheckRep public boolean repOk() { return balance >= 0; }
    void checkOpen() { if (!open && balance != 0) { throw new IllegalStateException(\"closed with money\"); } }
    @interface CheckRep {}
}";

fn run(scene: &Scene, command: &str, more: &[&str], exit_code: i32, parts: &[&str]) -> String {
    let arguments = [command, "--classes", "classes", "--sequence-limit", "3000", "--progress", "none"];
    said(scene.randgen(&[&arguments[..], more].concat()), more, exit_code, parts)
}

/// The findings of the last run: contract, cause and confidence.
fn findings(scene: &Scene) -> Vec<[String; 3]> {
    let report = fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let classes = report["classes"].as_array().unwrap().iter();
    let all = classes.flat_map(|class| class["findings"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let mut found: Vec<[String; 3]> =
        all.map(|finding| ["contract", "cause", "confidence"].map(|key| text(&finding[key]))).collect();
    found.sort();
    found
}

/// All Java files below the directory.
fn sources(scene: &Scene, directory: &str) -> String {
    let walk = walkdir::WalkDir::new(scene.path(directory)).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = walk.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "java"));
    files.map(|entry| fs::read_to_string(entry.path()).unwrap()).collect()
}

#[test]
fn contract_methods_judge_objects_and_are_no_subjects() {
    let scene = Scene::with_class("Account", ACCOUNT);
    run(&scene, "generate", &[], 0, &["bank.Account breaks contract-method: bank.Account.repOk() must return true"]);
    let rep_ok = "bank.Account.repOk() after bank.Account.withdraw(int)";
    assert_eq!(findings(&scene), [["contract-method", rep_ok, "certain"]]);
    let found = sources(&scene, "target/randgen");
    assert!(found.contains("assertTrue(account.repOk());") && found.contains("void withdraw_"), "{found}");
    let passing = sources(&scene, "src/test/generated");
    assert!(passing.contains("withdraw") && passing.contains("checkOpen"), "{passing}");
    assert!(!passing.contains("repOk"), "{passing}");
    let report = fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    assert!(!report.contains("\"repOk()\"") && report.contains("\"checkOpen()\""), "{report}");

    // A void method that the settings name, and the baseline.
    scene.write("randgen.toml", "contract-methods = [\"bank.*.check*\"]\n");
    run(&scene, "check", &[], 1, &["the gate fails: ", "bank.Account.checkOpen() must not throw"]);
    run(&scene, "check", &["--update-baseline"], 0, &["0 new findings"]);
    run(&scene, "check", &[], 0, &["0 new findings"]);
    // Tests that an earlier run wrote stay, so it is another suite.
    run(&scene, "generate", &["--output", "fresh"], 0, &[]);
    let check_open = findings(&scene).into_iter().find(|[_, cause, _]| cause.contains("checkOpen()")).unwrap();
    assert_eq!(check_open[2], "certain", "what the method throws is what it says");
    let passing = sources(&scene, "fresh");
    assert!(passing.contains("withdraw") && !passing.contains("repOk") && !passing.contains("checkOpen"), "{passing}");
    said(scene.randgen(&["explain", "contract-method"]), &[], 0, &["marked `@CheckRep`", "contract-methods"]);
}

/// Figure 1 of the paper on feedback-directed random generation, the second test, with a date of our own.
const DATE: &str = "package dates; public class CalendarDate {
    private int year = 2000;
    private final int month;
    public CalendarDate(int month) {
        if (month < 1 || month > 12) { throw new IllegalArgumentException(\"month\"); }
        this.month = month;
    }
    public void setYear(int year) { this.year = year; }
    public int getYear() { return year; }
    @Override public int hashCode() { return daysBefore() * 12 + month; }
    private int daysBefore() {
        if (year == 0) { throw new IllegalArgumentException(\"there is no year 0\"); }
        return year * 365;
    }
    @Override public boolean equals(Object other) {
        return other instanceof CalendarDate && ((CalendarDate) other).year == year
                && ((CalendarDate) other).month == month;
    }
}";

#[test]
fn hash_code_that_throws_after_a_setter_accepted_its_value_is_certain() {
    let scene = Scene::with_class("CalendarDate", DATE);
    let said = run(&scene, "generate", &[], 0, &["hashCode must not throw"]);
    assert_eq!(said.matches("so they compile only after you add the dependency").count(), 1, "{said}");
    let [contract, _, confidence] = &findings(&scene)[..][0];
    assert_eq!((&**contract, &**confidence), ("hash-code-consistent", "certain"));
    let found = sources(&scene, "target/randgen");
    assert!(found.contains(".setYear(0);") && found.contains(".hashCode()"), "{found}");
}

/// The queue of the paper on redundancy heuristics, whose `enqueue` throws the exception itself.
const QUEUE: &str = "package queue; public class RootQueue {
    private final double[] elements;
    private int size;
    public RootQueue(int capacity) {
        if (capacity < 0 || capacity > 99) { throw new IllegalArgumentException(\"capacity\"); }
        elements = new double[capacity];
    }
    public boolean isFull() { return size == elements.length; }
    public boolean isEmpty() { return size == 0; }
    public void enqueue(double element) {
        if (element < 0) { throw new NullPointerException(); }
        if (!isFull()) { elements[size++] = Math.sqrt(element); }
    }
}";

#[test]
fn null_pointer_that_the_code_throws_itself_is_possible_and_has_a_test() {
    let scene = Scene::with_class("RootQueue", QUEUE);
    run(&scene, "generate", &[], 0, &[]);
    assert_eq!(findings(&scene), <[[String; 3]; 0]>::default());
    let passing = sources(&scene, "src/test/generated");
    assert!(passing.contains("throwsNullPointerException"), "{passing}");
    let report = fs::read_to_string(scene.path("target/randgen/report.json")).unwrap();
    assert!(!report.contains("\"no-test\""), "{report}");
    run(&scene, "generate", &["--min-confidence", "possible"], 0, &["breaks no-null-pointer"]);
    let expected = "java.lang.NullPointerException in queue.RootQueue.enqueue";
    assert_eq!(findings(&scene), [["no-null-pointer", expected, "possible"]]);
    let found = sources(&scene, "target/randgen");
    assert!(found.contains(".enqueue(-1.0);"), "{found}");
}

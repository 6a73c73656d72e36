//! What generated tests hand to the code under test: clocks that move, and each constant of an enum whose data matters; and
//! what it told collaborators, or left, before it threw.

use super::{Scene, stderr};

/// The generated tests of one class of no package.
fn generated(name: &str, source: &str) -> String {
    let scene = Scene::with_class(name, source);
    let limits = ["--sequence-limit", "6000", "--progress", "none", "--output", "tests", "--junit", "5"];
    let output = scene.randgen(&[&["generate", "--classes", "classes"][..], &limits].concat()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    std::fs::read_to_string(scene.path(&format!("tests/{name}RandgenTest.java"))).unwrap()
}

#[test]
fn clock_moves_where_that_shows_something() {
    let text = generated(
        "Ticket",
        "import java.time.*;
         public class Ticket {
             private final Clock clock;
             private final Instant bought;
             public Ticket(Clock clock) { this.clock = clock; bought = clock.instant(); }
             public boolean isValid() { return clock.instant().isBefore(bought.plusSeconds(5400)); }
         }",
    );
    assert!(text.contains("AtomicReference<Instant> now = new AtomicReference<>("), "{text}");
    assert!(text.contains("now.set("), "{text}");
    assert!(text.contains("assertFalse(ticket.isValid())"), "{text}");
    // A clock that stands is enough for the other test.
    assert!(text.contains("Clock.fixed("), "{text}");
}

#[test]
fn each_constant_of_an_enum_is_used_whose_data_is_its_own() {
    let text = generated(
        "Parcel",
        "public class Parcel {
             public enum Size {
                 SMALL(4), MEDIUM(6), LARGE(9);
                 private final int euros;
                 Size(int euros) { this.euros = euros; }
             }
             public static int price(Size size, boolean insured) { return size.euros + (insured ? 3 : 0); }
         }",
    );
    for (constant, price) in [("SMALL", 4), ("MEDIUM", 6), ("LARGE", 9)] {
        // A test of its own, or a row of one.
        let shown = [(price, "false"), (price + 3, "true")].map(|(price, insured)| {
            let alone = format!("assertEquals({price}, Parcel.price(Parcel.Size.{constant}, {insured}))");
            let is_row =
                |line: &str| line.contains(&format!("\"{constant}, ")) && line.contains(&format!(" {price}\""));
            text.contains(&alone) || text.lines().any(is_row)
        });
        assert!(shown.contains(&true), "{constant} in {text}");
    }
}

#[test]
fn code_that_takes_any_object_is_given_one_without_a_text() {
    let text = generated(
        "Label",
        "public class Label {
             public static String of(Object item) {
                 String text = item.toString();
                 return text == null ? \"nothing\" : \"[\" + text + \"]\";
             }
         }",
    );
    assert!(has_test_with(&text, &["public String toString() {", "return null;", "\"nothing\""]), "{text}");
}

/// Whether one of the tests has all of these texts.
fn has_test_with(tests: &str, texts: &[&str]) -> bool {
    tests.split("@Test").any(|test| texts.iter().all(|text| test.contains(text)))
}

#[test]
fn what_a_rejected_call_left_is_asserted() {
    let tests = generated(
        "Till",
        "import java.util.*;
         public class Till {
             private final List<String> refused = new ArrayList<>();
             private int left = 100;
             public void take(int amount) {
                 if (amount > left) {
                     refused.add(\"took \" + amount);
                     throw new IllegalStateException(\"only \" + left);
                 }
                 left -= amount;
             }
             public List<String> refused() { return List.copyOf(refused); }
             public int left() { return left; }
         }",
    );
    let rejected = "assertThrows(IllegalStateException.class, () -> till.take(";
    assert!(has_test_with(&tests, &[rejected, "assertEquals(List.of(\"took "]), "{tests}");
}

#[test]
fn what_a_collaborator_was_told_before_an_exception_is_asserted() {
    let tests = generated(
        "Gate",
        "public class Gate {
             public interface Log { void add(String line); }
             private final Log log;
             public Gate(Log log) { this.log = log; }
             public void open(int code) {
                 if (code != 4711) {
                     log.add(\"refused \" + code);
                     throw new IllegalArgumentException(\"wrong code\");
                 }
             }
         }",
    );
    let rejected = "assertThrows(IllegalArgumentException.class, () -> gate.open(";
    assert!(has_test_with(&tests, &[rejected, "assertEquals(List.of(\"refused ", ", received);"]), "{tests}");
}

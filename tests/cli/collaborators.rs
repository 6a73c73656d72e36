//! What generated tests hand to the code under test: clocks that move, and each constant of an enum whose data matters.

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

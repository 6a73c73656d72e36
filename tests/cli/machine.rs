//! What differs between machines, in the tests that are written: default locales, time zones, and directories.

use super::{Scene, stderr};
use std::fs;

/// The text of the only test class of a class.
fn written(scene: &Scene, limit: &str) -> String {
    let output = scene
        .randgen(&["generate", "--classes", "classes", "--sequence-limit", limit, "--seed", "1", "--output", "tests"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!stderr(&output).contains("left out"), "{}", stderr(&output));
    let walk = walkdir::WalkDir::new(scene.path("tests")).into_iter().map(Result::unwrap);
    let files: Vec<_> = walk.filter(|entry| entry.file_type().is_file()).collect();
    assert_eq!(files.len(), 1);
    fs::read_to_string(files[0].path()).unwrap()
}

#[test]
fn values_that_depend_on_defaults_are_asserted_where_these_are_set() {
    let source = "package shop; import java.time.*;
        public class Receipt {
            public String line(String name, double price) { return String.format(\"%s %.2f\", name, price); }
            public static int hour(Instant at) { return at.atZone(ZoneId.systemDefault()).getHour(); }
        }";
    let text = written(&Scene::with_class("shop/Receipt", source), "3000");
    for part in ["Locale.setDefault(Locale.US);", "TimeZone.setDefault(TimeZone.getTimeZone(\"UTC\"));", ".00\", "] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let source = "package shop; public class Plain { public static int twice(int number) { return 2 * number; } }";
    let text = written(&Scene::with_class("shop/Plain", source), "1000");
    assert!(!text.contains("setDefault"), "{text}");
}

#[test]
fn files_are_read_and_written_in_a_directory_of_the_test() {
    let source = "package shop; import java.io.*; import java.nio.file.*;
        public class Notes {
            public static int count(File file) throws IOException {
                int count = 0;
                for (String line : Files.readAllLines(file.toPath())) { if (!line.isBlank()) { count++; } }
                return count;
            }
            public static void save(Path file, int number) throws IOException { Files.writeString(file, \"no. \" + number); }
        }";
    let text = written(&Scene::with_class("shop/Notes", source), "4000");
    for part in ["@TempDir\n    Path directory;", "Files.writeString(directory.resolve(", "assertEquals(\"no. "] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

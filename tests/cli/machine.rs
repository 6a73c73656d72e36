//! What differs between machines and moments, in the tests that are written: default locales, time zones, directories, and the
//! time.

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

#[test]
fn class_that_notes_when_objects_are_made_is_tested_but_for_the_time() {
    let source = "package shop; import java.time.*; import java.util.*;
        public class Ticket {
            private final UUID id = UUID.randomUUID();
            private final Instant made = Instant.now();
            private final String title;
            private boolean isClosed;
            public Ticket(String title) { this.title = Objects.requireNonNull(title); }
            public UUID id() { return id; }
            public Instant made() { return made; }
            public boolean isOfWeekend() { return made.atZone(ZoneOffset.UTC).getDayOfWeek().getValue() > 5; }
            public boolean isOlderThan(Duration age) { return made.plus(age).isBefore(Instant.now()); }
            public void close() { isClosed = true; }
            public String describe() { return title + (isClosed ? \" (closed)\" : \"\"); }
        }";
    let text = written(&Scene::with_class("shop/Ticket", source), "6000");
    let is_asserted = |line: &&str| line.contains("assert") && !line.contains("import");
    let asserted: Vec<&str> = text.lines().filter(is_asserted).collect();
    assert!(asserted.iter().any(|line| line.contains("(closed)\", ")), "{text}");
    for varying in ["id()", "made()", "isOfWeekend()"] {
        assert!(!asserted.iter().any(|line| line.contains(varying) && !line.contains("assertNotNull")), "{text}");
    }
}

#[test]
fn class_that_draws_random_numbers_is_tested_but_for_what_shows_them() {
    let source = "package shop; import java.security.SecureRandom; import java.util.*; import java.util.concurrent.ThreadLocalRandom;
        public class Session {
            private static final SecureRandom SECURE = new SecureRandom();
            private final Random random = new Random();
            private final String token;
            private final String user;
            private final long delay;
            private boolean isClosed;
            public Session(String user) {
                byte[] bytes = new byte[16];
                SECURE.nextBytes(bytes);
                token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
                this.user = Objects.requireNonNull(user);
                this.delay = 100 + ThreadLocalRandom.current().nextInt(50);
            }
            public String token() { return token; }
            public long delay() { return delay; }
            public boolean isLucky() { return random.nextInt(1_000_000) == 77; }
            public String region() { String region = System.getenv(\"SHOP_REGION\"); return region == null ? \"none\" : region; }
            public void close() { isClosed = true; }
            public String describe() { return user + (isClosed ? \" (closed)\" : \"\"); }
        }";
    let text = written(&Scene::with_class("shop/Session", source), "3000");
    let is_asserted = |line: &&str| line.contains("assert") && !line.contains("import");
    let asserted: Vec<&str> = text.lines().filter(is_asserted).collect();
    assert!(asserted.iter().any(|line| line.contains("(closed)\", ")), "{text}");
    for varying in ["token()", "delay()", "isLucky()", "region()"] {
        assert!(!asserted.iter().any(|line| line.contains(varying) && !line.contains("assertNotNull")), "{text}");
    }
}

//! `assess`, `select` and `minimize` on suites that somebody wrote.

use super::{Scene, stderr};
use randgen::supervisor::junit::{self, Generation};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// A scene with compiled classes under test, and `tests` of them.
pub(super) struct Suite {
    pub(super) scene: Scene,
    pub(super) class_path: String,
}

impl Suite {
    /// The stack of the papers with T1, T2 and T3.
    pub(super) fn of_int_stack() -> Suite {
        let suite = Suite::of(Scene::with_classes("int-stack"));
        let tests =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/int-stack/src/test/java/stack/IntStackTest.java");
        suite.compile("tests", &[tests]);
        suite
    }

    /// Classes and tests, each as a name and source.
    fn of_sources(classes: &[(&str, &str)], tests: &[(&str, &str)]) -> Suite {
        let suite = Suite::of(Scene::new());
        suite.scene.compile(&suite.write(classes));
        suite.compile("tests", &suite.write(tests));
        suite
    }

    fn of(scene: Scene) -> Suite {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("junit-Four");
        let junit = junit::locate(Generation::Four, &cache, &AtomicBool::new(false)).unwrap();
        let shown: Vec<String> = junit.iter().map(|jar| jar.display().to_string()).collect();
        Suite { scene, class_path: shown.join(":") }
    }

    fn write(&self, sources: &[(&str, &str)]) -> Vec<PathBuf> {
        for (name, source) in sources {
            self.scene.write(&format!("src/{name}.java"), source);
        }
        sources.iter().map(|(name, _)| self.scene.path(&format!("src/{name}.java"))).collect()
    }

    fn compile(&self, directory: &str, sources: &[PathBuf]) {
        let class_path = format!("{}:{}", self.scene.path("classes").display(), self.class_path);
        let mut javac = Command::new("javac");
        javac.args(["-cp", &class_path, "-d"]).arg(self.scene.path(directory)).args(sources);
        assert!(javac.status().unwrap().success());
    }

    fn randgen(&self, command: &str, arguments: &[&str]) -> Command {
        let mut randgen = self.scene.randgen(&[command, "--classes", "classes", "--tests", "tests", "--quiet"]);
        randgen.args(["--classpath", &self.class_path]).args(arguments);
        randgen
    }

    /// Runs the command, which has to succeed; its JSON report.
    fn run(&self, command: &str, arguments: &[&str]) -> Value {
        let output = self.randgen(command, arguments).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_str(&self.report(&format!("{command}.json"))).unwrap()
    }

    fn report(&self, name: &str) -> String {
        fs::read_to_string(self.scene.path("target/randgen").join(name)).unwrap()
    }
}

/// How many tests each representation finds redundant, from the first to the last of them.
fn redundant(report: &Value) -> Vec<u64> {
    let rows = report["representations"].as_array().unwrap().iter();
    rows.map(|row| row["redundant_tests"].as_u64().unwrap()).collect()
}

#[test]
fn the_example_of_the_papers_is_as_redundant_as_they_say() {
    let suite = Suite::of_int_stack();
    let report = suite.run("assess", &[]);
    assert_eq!(report["method_executions"], 13);
    assert_eq!(redundant(&report), [0, 1, 1, 2, 2]);
    let kept = |state: &str| suite.run("minimize", &["--state", state])["kept"].clone();
    let (t1, t2, t3) = ("stack.IntStackTest#t1", "stack.IntStackTest#t2", "stack.IntStackTest#t3");
    assert_eq!(kept("whole-seq"), serde_json::json!([t1, t2, t3]));
    assert_eq!(kept("modifying-seq"), serde_json::json!([t1, t2]));
    assert_eq!(kept("whole-state"), serde_json::json!([t1, t2]));
    assert_eq!(kept("monitor-equals"), serde_json::json!([t1]));
    assert_eq!(kept("pairwise-equals"), serde_json::json!([t1]));
    assert_eq!(suite.report("surefire-excludes.txt"), format!("{t2}\n{t3}\n"));
    // Reports of one command do not replace those of another.
    assert!(suite.report("assess.json").contains("whole-seq"));
}

#[test]
fn a_test_is_selected_if_it_adds_to_the_suite() {
    let suite = Suite::of_int_stack();
    let source = "package stack; public class OtherTest {
        @org.junit.Test public void known() { new IntStack().push(3); }
        @org.junit.Test public void other() { new IntStack().push(4); }
        @org.junit.Test public void same() { new IntStack().push(4); }
        @org.junit.Test public void throwing() { try { new IntStack().pop(); } catch (RuntimeException expected) { } }
    }";
    suite.compile("others", &suite.write(&[("OtherTest", source)]));
    let report = suite.run("select", &["--also", "others"]);
    assert_eq!((&report["tests"], &report["candidates"]), (&3.into(), &4.into()));
    assert_eq!(report["selected"], serde_json::json!(["stack.OtherTest#other", "stack.OtherTest#throwing"]));
    assert_eq!(suite.report("surefire-includes.txt"), "stack.OtherTest#other\nstack.OtherTest#throwing\n");
    suite.scene.check_refused(suite.randgen("select", &["--also", "tests"]), 2, "IntStackTest is in both suites");
}

const ORDER: &str = "package shop; public class Order {
    private final Item item;
    private final java.util.List<Item> more = new java.util.ArrayList<>();
    private int asked;
    private int hash;
    public Order(String name) { item = new Item(name); }
    public int size() { asked++; return more.size(); }
    public void add(String name) { more.add(new Item(name)); }
    public boolean equals(Object other) { return this == other || other instanceof Order && isSame((Order) other); }
    private boolean isSame(Order other) { return item.equals(other.item) && more.equals(other.more); }
    public int hashCode() { if (hash == 0) { hash = item.hashCode(); } return hash; }
    static class Item {
        final String name;
        Item(String name) { this.name = name; }
        public boolean equals(Object other) { return this == other || other instanceof Item && name.equals(((Item) other).name); }
        public int hashCode() { return name.hashCode(); }
    }
}";

#[test]
fn what_equals_reads_through_helpers_and_objects_counts_and_a_cached_hash_never_does() {
    let tests = "package shop; public class OrderTest {
        @org.junit.Test public void a() { Order order = new Order(\"x\"); order.hashCode(); order.add(\"y\"); }
        @org.junit.Test public void b() { Order order = new Order(\"x\"); order.add(\"y\"); }
        @org.junit.Test public void c() { Order order = new Order(\"x\"); order.size(); order.add(\"y\"); }
        @org.junit.Test public void d() { Order order = new Order(\"x\"); order.size(); order.size(); order.add(\"y\"); }
        @org.junit.Test public void e() { Order order = new Order(\"x\"); order.add(\"z\"); order.add(\"y\"); }
        @org.junit.Test public void f() { Order order = new Order(\"x\"); order.add(\"y\"); order.add(\"y\"); }
    }";
    let suite = Suite::of_sources(&[("Order", ORDER)], &[("OrderTest", tests)]);
    // b under all but whole-seq; d where the field that counts questions does not matter.
    assert_eq!(redundant(&suite.run("assess", &[])), [0, 1, 1, 2, 2]);
}

#[test]
fn calls_of_tests_are_counted_and_those_of_code_under_test_are_not() {
    let classes = [
        (
            "Base",
            "package shop; public class Base { private final int n;
            public Base(int n) { if (n < 0) { throw new IllegalArgumentException(); } this.n = n; }
            public int twice() { return 2 * n; } }",
        ),
        (
            "Sub",
            "package shop; public class Sub extends Base implements Comparable<Sub> {
            public Sub(int n) { super(Math.abs(n) > 9 ? Integer.parseInt(\"x\") : n); }
            public int fourTimes() { return twice() + helper(); }
            private int helper() { return twice(); }
            public int compareTo(Sub other) { return twice() - other.twice(); } }",
        ),
    ];
    let tests = "package shop; public class SubTest {
        @org.junit.Test public void exceptions() {
            for (int n : new int[] {-1, 10}) { try { new Sub(n); } catch (RuntimeException expected) { } }
            new Sub(1).fourTimes();
        }
        @org.junit.Test public void throughTheJdk() {
            java.util.Arrays.asList(new Sub(1), new Sub(2)).sort(null);
        }
    }";
    let suite = Suite::of_sources(&classes, &[("SubTest", tests)]);
    let report = suite.run("assess", &[]);
    // Three constructors and fourTimes; two constructors and compareTo.
    assert_eq!(report["method_executions"], 7);
    // The second is thrown before another constructor is called, where nothing of the class can see which it is.
    let exceptions = report["uncaught_exceptions"].as_array().unwrap();
    assert_eq!(exceptions.len(), 2, "{report}");
    assert_eq!(exceptions[0], "shop.Sub.<init>(I)V: java.lang.IllegalArgumentException");
}

#[test]
fn tests_that_cannot_be_judged_are_named_and_left_out() {
    let class = "package shop; public class Shop { int open; public void open(int at) { open = at; } }";
    let tests = "package shop; import org.junit.*; public class ShopTest {
        static final java.util.List<Integer> seen = new java.util.ArrayList<>();
        @Test public void good() { new Shop().open(8); }
        @Test public void fails() { new Shop().open(9); Assert.fail(\"on purpose\"); }
        @Test public void hangs() { while (true) { new Shop(); } }
        @Test public void exits() { new Shop(); System.exit(0); }
        @Test public void overflows() { overflows(); }
        @Ignore @Test public void ignored() { new Shop(); }
        @Test public void assumes() { Assume.assumeTrue(false); }
        @Test public void silent() { }
        @Test public void countsOne() { new Shop().open(seen.size()); seen.add(1); }
        @Test public void countsTwo() { new Shop().open(seen.size()); seen.add(2); }
        @Test(expected = IllegalStateException.class) public void expects() {
            new Shop().open(10); throw new IllegalStateException();
        }
        public static class Ruled {
            @Rule public org.junit.rules.TestName name = new org.junit.rules.TestName();
            @Test public void ruled() { new Shop(); }
        }
    }";
    let suite = Suite::of_sources(&[("Shop", class)], &[("ShopTest", tests)]);
    let report = suite.run("minimize", &["--test-timeout", "3"]);
    let reasons: Vec<(&str, &str)> = report["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| (test["test"].as_str().unwrap().rsplit('#').next().unwrap(), test["reason"].as_str().unwrap()))
        .collect();
    let expected = [
        ("assumes", "skipped"),
        ("countsOne", "unstable"),
        ("countsTwo", "unstable"),
        ("exits", "fails"),
        ("fails", "fails"),
        ("hangs", "hangs"),
        ("ignored", "needs-engine"),
        ("overflows", "fails"),
        ("silent", "calls-nothing"),
        ("ruled", "needs-engine"),
    ];
    assert_eq!(reasons, expected);
    assert_eq!(report["kept"], serde_json::json!(["shop.ShopTest#expects", "shop.ShopTest#good"]));
}

#[test]
fn suites_that_are_not_there_are_refused() {
    let suite = Suite::of_int_stack();
    fs::create_dir(suite.scene.path("empty")).unwrap();
    let refused = |arguments: &[&str]| suite.scene.randgen(&[&["assess", "--classes", "classes"], arguments].concat());
    suite.scene.check_refused(refused(&[]), 2, "--tests");
    suite.scene.check_refused(refused(&["--tests", "empty"]), 4, "no compiled tests in");
    suite.scene.check_refused(refused(&["--tests", "gone"]), 3, "gone");
    // Without JUnit no test class can be loaded.
    suite.scene.check_refused(refused(&["--tests", "tests"]), 4, "no test of classes could be traced");
}

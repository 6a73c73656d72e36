//! `assess`, `select` and `minimize` on suites that somebody wrote.

use super::{Scene, stderr};
use host::supervisor::test_library::{self, TestLibrary};
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
    /// Rostra's stack with its tests T1, T2 and T3.
    pub(super) fn of_int_stack() -> Suite {
        let suite = Suite::of_fixture("int-stack");
        let tests =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/int-stack/src/test/java/stack/IntStackTest.java");
        suite.compile("tests", &[tests]);
        suite
    }

    /// The classes of the fixture, with JUnit 4 and no tests yet.
    pub(super) fn of_fixture(fixture: &str) -> Suite {
        Suite::of(Scene::with_classes(fixture), junit_4())
    }

    /// Classes and tests, each as a name and source.
    pub(super) fn of_sources(classes: &[(&str, &str)], tests: &[(&str, &str)]) -> Suite {
        Suite::of_sources_with(junit_4(), classes, tests)
    }

    fn of_sources_with(junit: Vec<String>, classes: &[(&str, &str)], tests: &[(&str, &str)]) -> Suite {
        let suite = Suite::of(Scene::new(), junit);
        suite.scene.compile(&suite.write(classes));
        suite.compile("tests", &suite.write(tests));
        suite
    }

    fn of(scene: Scene, class_path: Vec<String>) -> Suite {
        Suite { scene, class_path: class_path.join(":") }
    }

    fn write(&self, sources: &[(&str, &str)]) -> Vec<PathBuf> {
        for (name, source) in sources {
            self.scene.write(&format!("src/{name}.java"), source);
        }
        sources.iter().map(|(name, _)| self.scene.path(&format!("src/{name}.java"))).collect()
    }

    pub(super) fn compile(&self, directory: &str, sources: &[PathBuf]) {
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

fn junit_4() -> Vec<String> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("junit-Four");
    let jars = test_library::locate(TestLibrary::JUnit4, true, &cache, &AtomicBool::new(false)).unwrap();
    jars.iter().map(|jar| jar.display().to_string()).collect()
}

/// JUnit 5 with its engine, as a build has it.
fn jupiter() -> Vec<String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jupiter");
    fs::create_dir_all(&directory).unwrap();
    let [group, artifact, version] = *TestLibrary::JUnit5.dependency().split(':').collect::<Vec<_>>() else { panic!() };
    let project = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version>
         <dependencies><dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
         </dependency></dependencies></project>"
    );
    fs::write(directory.join("pom.xml"), project).unwrap();
    let mut maven = Command::new("mvn");
    maven.args(["-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=path"]).current_dir(&directory);
    assert!(maven.status().unwrap().success());
    fs::read_to_string(directory.join("path")).unwrap().trim().split(':').map(str::to_string).collect()
}

/// How many tests each representation finds redundant, from the first to the last of them.
fn redundant(report: &Value) -> Vec<u64> {
    let rows = report["representations"].as_array().unwrap().iter();
    rows.map(|row| row["redundant_tests"].as_u64().unwrap()).collect()
}

#[test]
fn assess_of_rostras_int_stack_counts_the_redundant_tests_of_the_paper() {
    let suite = Suite::of_int_stack();
    let report = suite.run("assess", &[]);
    assert_eq!(report["method_executions"], 13);
    assert_eq!(redundant(&report), [0, 1, 1, 2, 2]);
    let kept = |state: &str| suite.run("minimize", &["--state-abstraction", state])["kept"].clone();
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
fn select_picks_tests_that_add_to_the_suite() {
    let suite = Suite::of_int_stack();
    let source = "package stack; public class OtherTest {
        @org.junit.Test public void known() { new IntStack().push(3); }
        @org.junit.Test public void other() { new IntStack().push(4); }
        @org.junit.Test public void same() { new IntStack().push(4); }
        @org.junit.Test public void throwing() { try { new IntStack().pop(); } catch (RuntimeException expected) { } }
    }";
    suite.compile("others", &suite.write(&[("OtherTest", source)]));
    let report = suite.run("select", &["--candidates", "others"]);
    assert_eq!((&report["tests"], &report["candidates"]), (&3.into(), &4.into()));
    assert_eq!(report["selected"], serde_json::json!(["stack.OtherTest#other", "stack.OtherTest#throwing"]));
    assert_eq!(suite.report("surefire-includes.txt"), "stack.OtherTest#other\nstack.OtherTest#throwing\n");
    suite.scene.check_refused(suite.randgen("select", &["--candidates", "tests"]), 2, "IntStackTest is in both suites");
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
fn state_by_equals_includes_fields_read_by_helpers_and_excludes_cached_hash() {
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
fn assess_counts_calls_of_tests_and_not_of_code_under_test() {
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
fn assess_names_tests_it_cannot_judge() {
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
    }";
    let suite = Suite::of_sources(&[("Shop", class)], &[("ShopTest", tests)]);
    let report = suite.run("minimize", &["--test-timeout", "3"]);
    let reasons: Vec<(&str, &str)> =
        left_out(&report).into_iter().map(|(test, reason)| (test.rsplit('#').next().unwrap(), reason)).collect();
    let expected = [
        ("assumes", "skipped"),
        ("countsOne", "unstable"),
        ("countsTwo", "unstable"),
        ("exits", "fails"),
        ("fails", "fails"),
        ("hangs", "hangs"),
        ("ignored", "skipped"),
        ("overflows", "fails"),
        ("silent", "calls-nothing"),
    ];
    assert_eq!(reasons, expected);
    assert_eq!(report["kept"], serde_json::json!(["shop.ShopTest#expects", "shop.ShopTest#good"]));
}

/// What is left out, each with its reason.
fn left_out(report: &Value) -> Vec<(&str, &str)> {
    let tests = report["left_out"].as_array().unwrap().iter();
    tests.map(|test| (test["test"].as_str().unwrap(), test["reason"].as_str().unwrap())).collect()
}

#[test]
fn assess_names_polluting_tests_and_leaves_them_out() {
    let class = "package shop; public class Shop {
        static int limit = 5; static Shop only; static final int[] DEPTHS = {1, 2};
        public static void limit(int to) { limit = to; }
        public static Shop only() { if (only == null) { only = new Shop(); } return only; }
        public int room() { return limit; }
    }";
    let tests = "package shop; import org.junit.*; public class ShopTest {
        static int own;
        @Test public void keepsToItself() { own++; new Shop().room(); }
        @Test public void makesTheOnlyOne() { Shop.only(); }
        @Test public void putsBack() { Shop.limit(7); new Shop().room(); Shop.limit(5); }
        @Test public void setsALimit() { Shop.limit(7); }
        @Test public void setsALocale() { new Shop(); java.util.Locale.setDefault(java.util.Locale.FRANCE); }
    }";
    let suite = Suite::of_sources(&[("Shop", class)], &[("ShopTest", tests)]);
    let report = suite.run("assess", &[]);
    let expected = [("shop.ShopTest#setsALimit", "static-state"), ("shop.ShopTest#setsALocale", "static-state")];
    assert_eq!(left_out(&report), expected);
    assert!(report["left_out"][0]["detail"].as_str().unwrap().contains("shop.Shop.limit"), "{report}");
    assert_eq!(report["tests"], 3);
}

#[test]
fn state_of_a_set_is_independent_of_insertion_order() {
    let class = "package shop; public class Bag {
        private final java.util.Set<Item> items = new java.util.HashSet<>();
        public void add(String name) { items.add(new Item(name)); }
        public int size() { return items.size(); }
        static class Item { final String name; Item(String name) { this.name = name; } }
    }";
    let tests = "package shop; public class BagTest {
        @org.junit.Test public void a() { Bag bag = new Bag(); bag.add(\"x\"); bag.add(\"y\"); bag.size(); }
        @org.junit.Test public void b() { Bag bag = new Bag(); bag.add(\"y\"); bag.add(\"x\"); bag.size(); }
    }";
    let suite = Suite::of_sources(&[("Bag", class)], &[("BagTest", tests)]);
    let report = suite.run("assess", &[]);
    let whole_state = report["representations"].as_array().unwrap().iter().find(|row| row["state"] == "whole-state");
    // The constructor, and size of what has the same two items.
    assert_eq!(whole_state.unwrap()["redundant_method_executions"], 2, "{report}");
}

const SHOP: (&str, &str) =
    ("Shop", "package shop; public class Shop { int open; public void open(int at) { open = at; } }");

#[test]
fn junit_4_runners_apply_rules_and_parameters() {
    let ruled = "package shop; import org.junit.*; public class RuledTest {
        @Rule public org.junit.rules.ExternalResource shop = new org.junit.rules.ExternalResource() {
            protected void before() { new Shop().open(1); }
        };
        @Test public void ruled() { new Shop().open(2); }
        @Test(timeout = 1000) public void elsewhere() { new Shop().open(3); }
    }";
    let parameterized = "package shop; import org.junit.*; import org.junit.runners.Parameterized;
    @org.junit.runner.RunWith(Parameterized.class) public class EachTest {
        @Parameterized.Parameters(name = \"at {0}\") public static Object[] hours() { return new Object[] {8, 9, 10}; }
        @Parameterized.Parameter public int hour;
        @Test public void opens() { new Shop().open(hour); }
        @Ignore @Test public void ignored() { new Shop(); }
    }";
    let all = "package shop; @org.junit.runner.RunWith(org.junit.runners.Suite.class)
    @org.junit.runners.Suite.SuiteClasses({RuledTest.class, EachTest.class}) public class AllTests { }";
    let old = "package shop; public class OldTest extends junit.framework.TestCase {
        private Shop shop; protected void setUp() { shop = new Shop(); } public void testOpens() { shop.open(4); }
    }";
    let broken = "package shop; @org.junit.Ignore public class IgnoredTest { @org.junit.Test public void never() { } }";
    let sources = [
        ("RuledTest", ruled),
        ("EachTest", parameterized),
        ("AllTests", all),
        ("OldTest", old),
        ("IgnoredTest", broken),
    ];
    let suite = Suite::of_sources(&[SHOP], &sources);
    let report = suite.run("minimize", &["--state-abstraction", "whole-state"]);
    let expected = [("shop.EachTest#ignored", "skipped"), ("shop.IgnoredTest#never", "skipped")];
    assert_eq!(left_out(&report), expected);
    // Of what runs on a thread of the rule's, the rule alone is seen.
    assert_eq!((&report["tests"], &report["method_executions"]), (&4.into(), &(4 + 2 + 6 + 2).into()));
    let kept = ["shop.EachTest#opens", "shop.OldTest#testOpens", "shop.RuledTest#ruled"];
    assert_eq!(report["kept"], serde_json::json!(kept));
}

#[test]
fn junit_5_tests_run_with_the_jupiter_engine_and_are_left_out_without_it() {
    let tests = "package shop; import java.util.stream.*; import org.junit.jupiter.api.*; import org.junit.jupiter.api.condition.*;
    import org.junit.jupiter.api.extension.*; import org.junit.jupiter.params.*; import org.junit.jupiter.params.provider.*;
    class ShopTest {
        @BeforeEach void prepare(TestInfo info) { info.getDisplayName(); }
        @ParameterizedTest @ValueSource(ints = {8, 9}) void each(int hour) { new Shop().open(hour); }
        @RepeatedTest(3) void again() { new Shop().open(10); }
        @TestFactory Stream<DynamicTest> made() {
            return Stream.of(11, 12).map(hour -> DynamicTest.dynamicTest(\"at \" + hour, () -> new Shop().open(hour)));
        }
        @EnabledOnOs(OS.WINDOWS) @Test void elsewhere() { new Shop(); }
        @Disabled @Test void never() { new Shop(); }
        @Test void assumes() { Assumptions.assumeTrue(false); }
        @Test void fails() { Assertions.fail(); }
        @Nested @ExtendWith(Thirteen.class) class Extended {
            @Test void given(Shop shop) { shop.open(13); }
        }
        static class Thirteen implements ParameterResolver {
            public boolean supportsParameter(ParameterContext to, ExtensionContext in) { return to.getParameter().getType() == Shop.class; }
            public Object resolveParameter(ParameterContext to, ExtensionContext in) { return new Shop(); }
        }
    }";
    let plain = "package shop; import org.junit.jupiter.api.*; class PlainTest {
        static int hour; @BeforeAll static void open() { hour = 8; } Shop shop; @BeforeEach void prepare() { shop = new Shop(); }
        @Test void opens() { shop.open(hour); }
        @Disabled @Test void never() { }
    }";
    let mut suite = Suite::of_sources_with(jupiter(), &[SHOP], &[("ShopTest", tests), ("PlainTest", plain)]);
    let report = suite.run("assess", &[]);
    let expected = [
        ("shop.PlainTest#never", "skipped"),
        ("shop.ShopTest#assumes", "skipped"),
        ("shop.ShopTest#elsewhere", "skipped"),
        ("shop.ShopTest#fails", "fails"),
        ("shop.ShopTest#never", "skipped"),
    ];
    assert_eq!(left_out(&report), expected);
    // Two parameters, three repetitions, two dynamic tests, one given an object, one plain.
    assert_eq!((&report["tests"], &report["method_executions"]), (&5.into(), &18.into()));

    let is_engine = |jar: &&str| jar.contains("-engine-");
    suite.class_path = suite.class_path.split(':').filter(|jar| !is_engine(jar)).collect::<Vec<_>>().join(":");
    let report = suite.run("assess", &[]);
    assert_eq!((&report["tests"], &report["method_executions"]), (&1.into(), &2.into()));
    let needing = left_out(&report).into_iter().filter(|(_, reason)| *reason == "needs-engine");
    assert_eq!(needing.count(), 8, "{report}");
}

#[test]
fn missing_suite_is_refused() {
    let suite = Suite::of_int_stack();
    fs::create_dir(suite.scene.path("empty")).unwrap();
    let refused = |arguments: &[&str]| suite.scene.randgen(&[&["assess", "--classes", "classes"], arguments].concat());
    suite.scene.check_refused(refused(&[]), 2, "--tests");
    suite.scene.check_refused(refused(&["--tests", "empty"]), 4, "no compiled tests in");
    suite.scene.check_refused(refused(&["--tests", "gone"]), 3, "gone");
    // Without JUnit no test class can be loaded.
    suite.scene.check_refused(refused(&["--tests", "tests"]), 4, "no test of classes could be traced");
}

#[test]
fn minimize_reports_mutants_that_only_removed_tests_kill() {
    let class = "package shop; public class Shop { public int twice(int n) { return n * 2; } }";
    let tests = "package shop; public class ShopTest {
        @org.junit.Test public void asks() { new Shop().twice(3); }
        @org.junit.Test public void asserts() { org.junit.Assert.assertEquals(6, new Shop().twice(3)); }
    }";
    let suite = Suite::of_sources(&[("Shop", class)], &[("ShopTest", tests)]);
    let report = suite.run("minimize", &["--mutants", "60"]);
    assert_eq!(report["kept"], serde_json::json!(["shop.ShopTest#asks"]));
    assert_eq!((&report["mutants"]["killed"], &report["mutants"]["total"]), (&2.into(), &2.into()));
    assert_eq!(report["mutants"]["mutants"][0]["killed_by"], "shop.ShopTest#asserts");
    assert_eq!(report["kept_mutants_killed"], 0);
    let lost = ["shop.Shop.twice, line 1: MATH", "shop.Shop.twice, line 1: PRIMITIVE_RETURNS"];
    assert_eq!(report["lost_mutants"], serde_json::json!(lost));
    // Nobody is told of mutants who did not ask.
    assert_eq!(suite.run("assess", &[]).get("mutants"), None);

    let other = "package shop; public class OtherTest {
        @org.junit.Test public void asserts() { org.junit.Assert.assertEquals(8, new Shop().twice(4)); }
    }";
    suite.compile("others", &suite.write(&[("OtherTest", other)]));
    fs::remove_file(suite.scene.path("tests/shop/ShopTest.class")).unwrap();
    let asks = tests.replace("org.junit.Assert.assertEquals(6, new Shop().twice(3))", "new Shop().twice(2)");
    suite.compile("tests", &suite.write(&[("ShopTest", &asks)]));
    let report = suite.run("select", &["--candidates", "others", "--mutants", "60"]);
    assert_eq!((&report["mutants"]["killed"], &report["mutants_killed_with_selected"]), (&0.into(), &2.into()));
}

#[test]
fn mutant_that_pollutes_or_hangs_kills_no_other_mutant() {
    let class = "package shop; public class Shop {
        static final int[] SOLD = {0};
        static int visits;
        public static int sell(int n) {
            SOLD[0] += n;
            int sold = SOLD[0];
            SOLD[0] -= n;
            return sold;
        }
        public static void visit(int n) { if (n > 100) { visits++; } }
        public static int count(int n) { while (n != 0) { n = n - 1; } return n + 7; }
    }";
    let tests = "package shop; public class ShopTest {
        @org.junit.Test public void counts() { org.junit.Assert.assertEquals(7, Shop.count(5)); }
        @org.junit.Test public void sells() { org.junit.Assert.assertEquals(5, Shop.sell(5)); Shop.visit(1); }
    }";
    let suite = Suite::of_sources(&[("Shop", class)], &[("ShopTest", tests)]);
    let report = suite.run("assess", &["--mutants", "60"]);
    let told = |mutant: &Value| {
        let text = |key: &str| mutant[key].as_str().unwrap().to_string();
        format!("{} {}: {}", mutant["line"], text("operator"), text("status"))
    };
    let found: Vec<String> = report["mutants"]["mutants"].as_array().unwrap().iter().map(told).collect();
    let expected = [
        "5 MATH: killed",
        // It returns what it should, and leaves twice as much sold for all that come after it.
        "7 MATH: survived",
        "8 PRIMITIVE_RETURNS: killed",
        "10 CONDITIONALS_BOUNDARY: survived",
        "10 NEGATE_CONDITIONALS: survived",
        "10 MATH: not-reached",
        "11 NEGATE_CONDITIONALS: killed",
        "11 MATH: killed",
        "11 MATH: killed",
        "11 PRIMITIVE_RETURNS: killed",
    ];
    assert_eq!(found, expected);
}

//! Verification that is ended early, or runs out of rounds, keeps what is complete and compiles. Needs a JDK.

use host::classpath::Jdk;
use host::supervisor::verification::{CutShort, DropReason, Rejected, TestFile, TestSpan, VerificationRequest, verify};
use model::options::Sandbox;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Stands in for JUnit's, which the runner knows by name only.
const ANNOTATION: &str = "package org.junit;
@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
public @interface Test {}
";

/// The class that takes long, in the third of its runs alone.
const SLOW: &str = "Slow";

fn file(id: usize, class: &str) -> TestFile {
    let sleep = "if (java.util.TimeZone.getDefault().getID().equals(\"America/St_Johns\")) Thread.sleep(20000);";
    let body = if class == SLOW { sleep } else { "" };
    TestFile {
        path: format!("{class}.java"),
        class_name: class.to_string(),
        text: format!(
            "public class {class} {{\n@org.junit.Test\npublic void test() throws Exception {{ {body} }}\n}}\n"
        ),
        tests: vec![TestSpan {
            id,
            method: "test".to_string(),
            first_line: 2,
            last_line: 3,
            fails: None,
            checks: Vec::new(),
        }],
    }
}

/// The classes that passed in the third run, once the slow one runs in it.
fn passed_before_slow(scratch: &Path) -> BTreeSet<String> {
    let read = |name: &str| std::fs::read_to_string(scratch.join("run-0-2-0").join(name)).unwrap_or_default();
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        let (results, order) = (read("results"), read("tests"));
        let class = |position: &str| order.lines().nth(position.parse().unwrap()).unwrap().split(' ').next().unwrap();
        if results.lines().any(|line| line.strip_prefix("S ").is_some_and(|position| class(position) == SLOW)) {
            let passed = results.lines().filter_map(|line| line.strip_prefix("P "));
            return passed.map(|position| class(position).to_string()).collect();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the slow test never ran");
}

/// Checks in `directory`, with this machine's JDK.
fn request(directory: &Path, runs: usize) -> VerificationRequest {
    let variable = |name: &str| std::env::var_os(name);
    let jdk = Jdk::discover(variable("JAVA_HOME").as_deref(), variable("PATH").as_deref()).unwrap();
    VerificationRequest {
        java_home: jdk.home,
        java_version: u32::from(jdk.feature_version),
        class_path: Vec::new(),
        module: None,
        source_level: 8,
        encoding: "UTF-8".to_string(),
        jvm_args: Vec::new(),
        typed_jvm_args: Vec::new(),
        scratch: directory.join("scratch"),
        randgen: env!("CARGO_BIN_EXE_randgen").into(),
        sandbox: Sandbox::Strict,
        runs,
        test_timeout: Duration::from_secs(60),
        // Has the slow class between others in the third run.
        seed: 2,
        deadline: Some(Instant::now() + Duration::from_secs(120)),
        interrupt: Arc::new(AtomicBool::new(false)),
    }
}

fn annotation() -> TestFile {
    TestFile {
        path: "org/junit/Test.java".to_string(),
        class_name: "org.junit.Test".to_string(),
        text: ANNOTATION.to_string(),
        tests: Vec::new(),
    }
}

/// A file as [`file`] makes it, with another body of its test.
fn with_body(id: usize, class: &str, body: &str) -> TestFile {
    let mut file = file(id, class);
    file.text = file.text.replace("{  }", body);
    file
}

#[test]
fn tests_kept_after_the_last_round_compile() {
    let directory = tempfile::tempdir().unwrap();
    let mut emit = |rejected: &Rejected| {
        let mut files = vec![annotation(), file(100, "Good")];
        // Another test fails in each round.
        let next = rejected.dropped.len();
        files.push(with_body(next, &format!("Fails{next}"), "{ throw new Error(); }"));
        if !rejected.dropped.contains_key(&101) {
            let body = if rejected.proved.is_some() { "{ int number = \"\"; }" } else { "{ }" };
            files.push(with_body(101, "Spoilt", body));
        }
        files
    };
    let mut request = request(directory.path(), 1);
    // Where the annotation is, once the first round compiled it.
    request.class_path = vec![request.scratch.join("compile/classes")];
    let verified = verify(&request, &mut emit).unwrap();
    let kept: Vec<&str> =
        verified.files.iter().filter(|file| !file.tests.is_empty()).map(|file| &*file.class_name).collect();
    assert_eq!(kept, ["Good"]);
    assert_eq!(verified.cut_short, None);
    assert!(matches!(verified.rejected.dropped[&101], DropReason::DoesNotCompile(_)));
}

#[test]
fn test_that_needs_the_loader_of_the_system_is_dropped_and_no_run_leaves_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let finds =
        |loader: &str| format!("{{ if ({loader}.getResource(\"own\") == null) throw new Error(\"not found\"); }}");
    let mut emit = |rejected: &Rejected| {
        let of_system = with_body(1, "OfSystem", &finds("ClassLoader.getSystemClassLoader()"));
        let files = [annotation(), with_body(0, "OfClass", &finds("OfClass.class.getClassLoader()")), of_system];
        files
            .into_iter()
            .filter(|file| !file.tests.iter().any(|test| rejected.dropped.contains_key(&test.id)))
            .collect()
    };
    let mut request = request(directory.path(), 3);
    std::fs::create_dir(directory.path().join("resources")).unwrap();
    std::fs::write(directory.path().join("resources/own"), "").unwrap();
    request.class_path = vec![request.scratch.join("compile/classes"), directory.path().join("resources")];
    let verified = verify(&request, &mut emit).unwrap();
    let DropReason::Flaky(message) = &verified.rejected.dropped[&1] else { panic!("{:?}", verified.rejected) };
    let run = ", a class loader that is not the system's, and the members that a coverage agent adds: ";
    assert!(message.contains(&format!("{run}java.lang.Error: not found")), "{message}");
    assert_eq!(verified.rejected.dropped.len(), 1);
    let left = std::fs::read_dir(&request.scratch).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["compile"]);
}

/// As JaCoCo's do, the added members are private, static and synthetic; nothing else is different.
#[test]
fn test_that_counts_declared_members_is_dropped_and_one_that_skips_synthetic_ones_stays() {
    let directory = tempfile::tempdir().unwrap();
    let bodies = [
        ("Fields", "if (Fields.class.getDeclaredFields().length != 0) throw new Error(\"fields\");"),
        ("Methods", "if (Methods.class.getDeclaredMethods().length != 1) throw new Error(\"methods\");"),
        (
            "Plain",
            "for (java.lang.reflect.Field one : Plain.class.getDeclaredFields()) {
                 if (one.getModifiers() != 0x108a || !one.getName().equals(\"$jacocoData\")) throw new Error();
             }
             if (!Plain.class.getProtectionDomain().getCodeSource().getLocation().getPath().endsWith(\"/\")) throw new Error();",
        ),
        // Shapes of class files: long constants, interfaces, enums, texts that are not ASCII.
        (
            "Shapes",
            "long large = 1L << 40; double half = 0.5; String text = \"\\u20ac\";
             if (Shape.valueOf(\"ROUND\").sides() + large + half < 0 || text.length() != 1) throw new Error(); }
             interface Sided { default int sides() { return 0; } }
             enum Shape implements Sided { ROUND;",
        ),
    ];
    let mut emit = |rejected: &Rejected| {
        let file = |(id, (class, body)): (usize, &(&str, &str))| with_body(id, class, &format!("{{ {body} }}"));
        let is_kept = |file: &TestFile| !file.tests.iter().any(|test| rejected.dropped.contains_key(&test.id));
        [annotation()].into_iter().chain(bodies.iter().enumerate().map(file)).filter(is_kept).collect()
    };
    let mut request = request(directory.path(), 3);
    request.class_path = vec![request.scratch.join("compile/classes")];
    let verified = verify(&request, &mut emit).unwrap();
    let dropped = &verified.rejected.dropped;
    assert_eq!(dropped.keys().copied().collect::<Vec<_>>(), [0, 1], "{dropped:?}");
    for (id, error) in [(0, "java.lang.Error: fields"), (1, "java.lang.Error: methods")] {
        let DropReason::Flaky(said) = &dropped[&id] else { panic!("{dropped:?}") };
        assert!(said.contains("fails in run 3") && said.ends_with(error), "{said}");
    }
}

/// It stops the runner's clock and has the file of results grow, so that neither says that it hangs.
#[test]
fn test_that_forges_progress_is_not_waited_for_without_end() {
    let directory = tempfile::tempdir().unwrap();
    let body = "{
        Class<?> runner = ClassLoader.getSystemClassLoader().loadClass(\"randgen.runtime.TestRunner\");
        java.lang.reflect.Field current = runner.getDeclaredField(\"current\");
        current.setAccessible(true);
        current.setInt(null, -1);
        java.lang.reflect.Field results = runner.getDeclaredField(\"results\");
        results.setAccessible(true);
        while (true) {
            ((java.io.OutputStream) results.get(null)).write(new byte[] {10});
            Thread.sleep(1000);
        } }";
    let mut emit = |rejected: &Rejected| {
        let files = [annotation(), with_body(0, "Good", "{ }"), with_body(1, "Forging", body)];
        let is_kept = |file: &TestFile| file.class_name != "Forging" || !rejected.dropped.contains_key(&1);
        files.into_iter().filter(is_kept).collect()
    };
    let mut request = request(directory.path(), 1);
    request.test_timeout = Duration::from_secs(1);
    request.class_path = vec![request.scratch.join("compile/classes")];
    let verified = verify(&request, &mut emit).unwrap();
    let dropped = &verified.rejected.dropped;
    assert!(matches!(&dropped[&1], DropReason::KillsTheJvm(said) if said.contains("stopped answering")), "{dropped:?}");
    assert_eq!(dropped.len(), 1);
}

#[test]
fn test_that_depends_on_the_locale_stays_where_its_class_sets_it() {
    let directory = tempfile::tempdir().unwrap();
    let annotation_of = |name: &str| {
        let mut file = annotation();
        file.path = file.path.replace("Test", name);
        file.class_name = file.class_name.replace("Test", name);
        file.text = file.text.replace("Test", name);
        file
    };
    let with_members = |id: usize, class: &str, members: &str| {
        let body = "if (!String.format(\"%.1f\", 0.5).equals(\"0.5\")) throw new Error();";
        with_body(id, class, &format!("{{ {body} }} {members}"))
    };
    let set = "@org.junit.Before public void set() { java.util.Locale.setDefault(java.util.Locale.US); }";
    let restore = "@org.junit.After public void restore() { java.util.Locale.setDefault(old); }
        private final java.util.Locale old = java.util.Locale.getDefault();";
    let mut emit = |rejected: &Rejected| {
        let mut files: Vec<TestFile> = ["Test", "Before", "After"].map(annotation_of).into();
        files.push(with_members(1, "Sets", &format!("{set} {restore}")));
        if !rejected.dropped.contains_key(&2) {
            files.push(with_members(2, "Bare", ""));
        }
        if !rejected.dropped.contains_key(&3) {
            let kept =
                "static class Kept { static final java.text.Format FORM = java.text.NumberFormat.getInstance(); }";
            let mut cached = with_members(3, "Cached", &format!("{set} {restore} {kept}"));
            cached.text = cached.text.replace("String.format(\"%.1f\", 0.5)", "Kept.FORM.format(0.5)");
            files.push(cached);
        }
        files
    };
    let mut request = request(directory.path(), 3);
    request.class_path = vec![request.scratch.join("compile/classes")];
    let verified = verify(&request, &mut emit).unwrap();
    // What a static field keeps of the locale may come from before.
    assert_eq!(verified.rejected.dropped.keys().collect::<Vec<_>>(), [&2, &3], "{:?}", verified.rejected.dropped);
}

#[test]
fn interrupt_keeps_files_whose_tests_completed_all_runs() {
    let directory = tempfile::tempdir().unwrap();
    let request = request(directory.path(), 3);
    let mut files: Vec<TestFile> =
        ["A", "B", "C", SLOW, "D", "E", "F"].iter().enumerate().map(|(id, class)| file(id, class)).collect();
    files.push(annotation());
    let (verified, passed, took) = std::thread::scope(|scope| {
        let verifying = scope.spawn(|| verify(&request, &mut |_| files.clone()).unwrap());
        let passed = passed_before_slow(&request.scratch);
        request.interrupt.store(true, Ordering::Relaxed);
        let sent = Instant::now();
        (verifying.join().unwrap(), passed, sent.elapsed())
    });
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(verified.cut_short, Some(CutShort::Interrupted));
    assert!(verified.rejected.dropped.is_empty());
    assert!(!passed.is_empty() && passed.len() < 6, "{passed:?}");
    let kept = verified.files.iter().filter(|file| !file.tests.is_empty()).map(|file| file.class_name.clone());
    assert_eq!(kept.collect::<BTreeSet<_>>(), passed);
}

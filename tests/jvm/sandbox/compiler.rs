//! What a class path may try against the `javac` that compiles the tests.

use super::{ANNOTATION, Canary};
use host::classpath::Jdk;
use host::supervisor::verification::{TestFile, TestSpan, VerificationRequest, verify};
use model::options::Sandbox;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testing::for_each_jdk;

const PLUGIN: &str = r#"package plugin;

import com.sun.source.util.JavacTask;
import com.sun.source.util.Plugin;
import java.nio.file.Files;
import java.nio.file.Path;

public class Source implements Plugin {
    public String getName() { return "hostile"; }
    public boolean autoStart() { return true; }
    public void init(JavacTask task, String... arguments) {
        try { Files.writeString(Path.of("TREE", "planted"), "text"); } catch (Exception denied) { }
        throw new IllegalStateException("PLUGIN RAN");
    }
}
"#;

/// A directory of classes whose services name a plugin of `javac` that starts by itself and writes below `tree`.
fn class_path_with_plugin(directory: &Path, tree: &Path) {
    let source = PLUGIN.replace("TREE", tree.to_str().unwrap());
    for (name, bytes) in testing::compile(&source, &[]) {
        fs::create_dir_all(directory.join("plugin")).unwrap();
        fs::write(directory.join("plugin").join(name), bytes).unwrap();
    }
    fs::create_dir_all(directory.join("META-INF/services")).unwrap();
    fs::write(directory.join("META-INF/services/com.sun.source.util.Plugin"), "plugin.Source\n").unwrap();
}

fn request(jdk: &Path, class_path: &Path, scratch: &Path, sandbox: Sandbox) -> VerificationRequest {
    let jdk = Jdk::discover(Some(jdk.as_os_str()), None).unwrap();
    VerificationRequest {
        java_home: jdk.home,
        java_version: u32::from(jdk.feature_version),
        class_path: vec![class_path.to_path_buf()],
        module: None,
        source_level: 8,
        encoding: "UTF-8".to_string(),
        jvm_args: Vec::new(),
        typed_jvm_args: Vec::new(),
        scratch: scratch.to_path_buf(),
        randgen: env!("CARGO_BIN_EXE_randgen").into(),
        sandbox,
        runs: 1,
        test_timeout: Duration::from_secs(20),
        seed: 1,
        deadline: Some(Instant::now() + Duration::from_secs(240)),
        interrupt: Arc::default(),
    }
}

fn file(path: &str, class_name: &str, text: &str, tests: &[(usize, &str)]) -> TestFile {
    let span = |(id, (line, method)): (usize, &(usize, &str))| TestSpan {
        id,
        method: method.to_string(),
        first_line: *line,
        last_line: *line,
        fails: None,
        checks: Vec::new(),
    };
    TestFile {
        path: path.to_string(),
        class_name: class_name.to_string(),
        text: text.to_string(),
        tests: tests.iter().enumerate().map(span).collect(),
    }
}

fn annotation() -> TestFile {
    file("org/junit/Test.java", "", ANNOTATION, &[])
}

const PASSES: &str = "package a;\npublic class PassesTest {\n    @org.junit.Test public void passes() { }\n}\n";

#[test]
fn compiler_plugins_of_the_class_path_do_not_run() {
    for_each_jdk(|jdk| {
        for sandbox in [Sandbox::Strict, Sandbox::Off] {
            let (mut canary, scratch) = (Canary::new(), tempfile::tempdir().unwrap());
            let class_path = scratch.path().join("classes");
            class_path_with_plugin(&class_path, &canary.tree());
            let request = request(jdk, &class_path, &scratch.path().join("scratch"), sandbox);
            let suite = file("a/PassesTest.java", "a.PassesTest", PASSES, &[(3, "passes")]);
            let verified = verify(&request, &mut |_| vec![annotation(), suite.clone()]).unwrap();
            assert!(verified.rejected.dropped.is_empty(), "{:?}", verified.rejected.dropped);
            assert_eq!(canary.harm(), [""; 0]);
        }
    });
}

/// The class is a link out of the class path, and its constant all that the test needs of it: only the compiler reads it.
#[test]
fn compiler_reads_no_file_outside_the_class_path() {
    for_each_jdk(|jdk| {
        for (sandbox, kept) in [(Sandbox::Strict, 0), (Sandbox::Off, 1)] {
            let (canary, scratch) = (Canary::new(), tempfile::tempdir().unwrap());
            let class_path = scratch.path().join("classes");
            fs::create_dir_all(&class_path).unwrap();
            let (name, bytes) =
                testing::compile("class Outside { static final int ONE = 1; }", &["--release", "8"]).remove(0);
            fs::write(canary.tree().join(&name), bytes).unwrap();
            std::os::unix::fs::symlink(canary.tree().join(&name), class_path.join(&name)).unwrap();
            let text =
                "public class UsesTest {\n    @org.junit.Test public void uses() { int one = Outside.ONE; }\n}\n";
            let request = request(jdk, &class_path, &scratch.path().join("scratch"), sandbox);
            let verified = verify(&request, &mut |rejected| {
                let tests: &[(usize, &str)] = if rejected.dropped.is_empty() { &[(2, "uses")] } else { &[] };
                let suite = (!tests.is_empty()).then(|| file("UsesTest.java", "UsesTest", text, tests));
                [annotation()].into_iter().chain(suite).collect()
            });
            let kept_tests: usize = verified.unwrap().files.iter().map(|file| file.tests.len()).sum();
            assert_eq!(kept_tests, kept, "{sandbox:?}");
        }
    });
}

/// The source of one test class makes the parser overflow its stack.
#[test]
fn class_at_which_javac_crashes_loses_only_its_own_tests() {
    for_each_jdk(|jdk| {
        let scratch = tempfile::tempdir().unwrap();
        let request = request(jdk, scratch.path(), &scratch.path().join("scratch"), Sandbox::Strict);
        let deep = "(".repeat(200_000);
        let crash = format!(
            "package a;\npublic class CrashTest {{\n    @org.junit.Test public void crashes() {{ int a = {deep}; }}\n}}\n"
        );
        let verified = verify(&request, &mut |rejected| {
            let passes = file("a/PassesTest.java", "a.PassesTest", PASSES, &[(3, "passes")]);
            let mut crashes = file("a/CrashTest.java", "a.CrashTest", &crash, &[(3, "crashes")]);
            crashes.tests[0].id = 1;
            let mut files = vec![annotation(), passes, crashes];
            files.retain(|file| file.tests.iter().all(|test| !rejected.dropped.contains_key(&test.id)));
            files
        });
        let verified = verified.unwrap();
        assert_eq!(verified.rejected.dropped.keys().collect::<Vec<_>>(), [&1], "{:?}", verified.rejected.dropped);
        assert_eq!(verified.files.iter().map(|file| file.tests.len()).sum::<usize>(), 1);
    });
}

//! A class compiled for tests of what is emitted for it, its operations, and the verification of its tests.

use bytecode::classfile::{self, ClassFile};
use emitter::{self, AssertionLibrary, JUnitVersion, Style, TestCase};
use host::supervisor::test_library::{self, TestLibrary};
use host::supervisor::verification::{Failure, Rejected, TestFile, TestSpan, VerificationRequest, Verified, verify};
use model::jvm::ClassName;
use model::options::Sandbox;
use program::{self, Program};
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The class files of the default JDK, by its module files.
pub struct Jdk {
    pub home: PathBuf,
    base: zip::ZipArchive<Cursor<Vec<u8>>>,
}

impl Jdk {
    pub fn find() -> Option<Jdk> {
        let home = std::env::var_os("JAVA_HOME").map(PathBuf::from).or_else(|| {
            let java = std::fs::canonicalize("/usr/bin/java").ok()?;
            java.parent()?.parent().map(Path::to_path_buf)
        })?;
        let bytes = std::fs::read(home.join("jmods/java.base.jmod")).ok()?;
        let base = zip::ZipArchive::new(Cursor::new(bytes.get(4..)?.to_vec())).ok()?;
        Some(Jdk { home, base })
    }

    fn read(&mut self, name: &ClassName) -> Option<ClassFile> {
        let mut bytes = Vec::new();
        self.base.by_name(&format!("classes/{}.class", name.internal())).ok()?.read_to_end(&mut bytes).ok()?;
        classfile::parse(&bytes).ok()
    }
}

/// A compiled class and its operations.
pub struct Fixture {
    pub directory: tempfile::TempDir,
    pub program: Program,
    pub jdk: Jdk,
}

impl Fixture {
    /// Compiled for Java `level`; `None` without the tools, which is said.
    pub fn compile(name: &str, source: &str, level: u8) -> Option<Fixture> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join(format!("{name}.java"));
        std::fs::write(&file, source).unwrap();
        Fixture::compile_files(&[file], level, directory)
    }

    /// Sources in any place; the classes come into the directory.
    pub fn compile_files(files: &[PathBuf], level: u8, directory: tempfile::TempDir) -> Option<Fixture> {
        let Some(mut jdk) = Jdk::find() else {
            testing::skip("jmods", "no JDK with jmods, so nothing is compiled");
            return None;
        };
        let classes = directory.path().join("classes");
        let status = Command::new(jdk.home.join("bin/javac"))
            .args(["--release", &level.to_string(), "-nowarn", "-Xlint:none", "-parameters", "-d"])
            .arg(&classes)
            .args(files)
            .status();
        assert!(status.unwrap().success());
        let mut files = BTreeMap::new();
        for entry in walkdir::WalkDir::new(&classes).into_iter().filter_map(Result::ok) {
            if entry.path().extension().is_some_and(|extension| extension == "class") {
                let parsed = classfile::parse(&std::fs::read(entry.path()).unwrap()).unwrap();
                files.insert(parsed.name.clone(), parsed);
            }
        }
        let wanted = |_: &ClassName, _: &str| true;
        let mut source = |names: &[ClassName]| names.iter().map(|name| jdk.read(name)).collect();
        let none = BTreeMap::new();
        let under_test = program::Classes { targets: &files, beside: &none, tests: &none, mocks: true };
        let program = program::read(&under_test, &wanted, &|_, _| false, &mut source);
        Some(Fixture { directory, program, jdk })
    }

    pub fn verify(&self, class: &str, cases: &[TestCase], library: TestLibrary, level: u8) -> (Verified, Vec<String>) {
        self.verify_with(class, cases, (library, AssertionLibrary::JUnit), level)
    }

    /// Tests that are written with the assertions of this library.
    pub fn verify_with(
        &self,
        class: &str,
        cases: &[TestCase],
        (library, assertions): (TestLibrary, AssertionLibrary),
        level: u8,
    ) -> (Verified, Vec<String>) {
        let jars = |library: TestLibrary| {
            let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("junit-{library:?}"));
            test_library::locate(library, true, &cache, &AtomicBool::new(false)).unwrap()
        };
        let mut libraries = jars(library);
        // The first assertion of AssertJ in a JVM takes longer.
        let (of, seconds) = match assertions {
            AssertionLibrary::JUnit => ("junit", 1),
            AssertionLibrary::AssertJ { .. } => {
                libraries.extend(jars(TestLibrary::AssertJ));
                ("assertj", 5)
            }
        };
        let version = match library {
            TestLibrary::JUnit4 => JUnitVersion::Four { assert_throws: level > 8 },
            TestLibrary::JUnit5 | TestLibrary::AssertJ => JUnitVersion::Five,
        };
        let parameterized = version == JUnitVersion::Five;
        let style = Style { parameterized, assertions, ..Style::new(version, level) };
        let mut skipped = Vec::new();
        let mut emit = |rejected: &Rejected| {
            let kept: Vec<usize> = (0..cases.len()).filter(|case| !rejected.dropped.contains_key(case)).collect();
            let mut kept_cases: Vec<TestCase> = kept.iter().map(|&case| cases[case].clone()).collect();
            for (case, id) in kept_cases.iter_mut().zip(&kept) {
                case.unasserted.extend(rejected.unasserted.get(id).into_iter().flatten());
            }
            let types = &self.program.types;
            let emission = emitter::emit(&ClassName::new(class), &kept_cases, &self.program.operations, types, &style);
            skipped = emission.skipped.iter().map(|skipped| skipped.reason.clone()).collect();
            emission
                .files
                .iter()
                .map(|file| TestFile {
                    path: file.relative_path(),
                    class_name: file.binary_name(),
                    text: file.text.clone(),
                    tests: file
                        .tests
                        .iter()
                        .map(|test| TestSpan {
                            id: kept[test.cases[0]],
                            method: test.method.clone(),
                            first_line: test.first_line,
                            last_line: test.last_line,
                            fails: matches!(kept_cases[test.cases[0]].role, emitter::Role::Finding(_))
                                .then_some(Failure::Assertion),
                            checks: test.checks.clone(),
                        })
                        .collect(),
                })
                .collect()
        };
        let request = VerificationRequest {
            java_home: self.jdk.home.clone(),
            java_version: 17,
            class_path: [self.directory.path().join("classes")].into_iter().chain(libraries).collect(),
            module: None,
            source_level: u32::from(level),
            encoding: "UTF-8".to_string(),
            jvm_args: Vec::new(),
            typed_jvm_args: Vec::new(),
            scratch: self.directory.path().join(format!("scratch-{library:?}-{of}-{level}")),
            randgen: env!("CARGO_BIN_EXE_randgen").into(),
            sandbox: Sandbox::Strict,
            runs: 3,
            test_timeout: Duration::from_secs(seconds),
            seed: 1,
            deadline: Some(Instant::now() + Duration::from_secs(120)),
            interrupt: Default::default(),
        };
        let verified = verify(&request, &mut emit).unwrap();
        if std::env::var_os("RANDGEN_SHOW_EMITTED").is_some() {
            verified.files.iter().for_each(|file| println!("{}", file.text));
        }
        (verified, skipped)
    }
}

//! The attack table: what code under test may try against the machine it runs on, in workers and in the JVMs that run
//! tests. Every attack runs without a sandbox too, where it has to succeed: else it would prove nothing.

mod compiler;

use crate::subject::Subject;
use host::classpath::Jdk;
use host::supervisor::WorkerExecutor;
use host::supervisor::verification::{TestFile, TestSpan, VerificationRequest, verify};
use model::execution::{Denial, Detail, Execution, Executor, Outcome, Value};
use model::jvm::Literal;
use model::options::Sandbox;
use model::sequence::Sequence;
use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use testing::for_each_jdk;

const ATTACKS: &str = include_str!("sandbox/Attacks.java");

const SECRET: &str = "pSsT-4711";

/// What an attack is aimed at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Directory,
    Process,
    Tcp,
    Udp,
    Path,
    /// A name that no server knows.
    Name,
}

/// Attacks, what they are aimed at, and what they are denied.
const TABLE: &[(&str, At, Denial)] = &[
    ("deletesTree", At::Directory, Denial::File),
    ("deletesFile", At::Directory, Denial::File),
    ("deletesByChannel", At::Directory, Denial::File),
    ("overwrites", At::Directory, Denial::File),
    ("appends", At::Directory, Denial::File),
    ("truncates", At::Directory, Denial::File),
    ("mapsForWriting", At::Directory, Denial::File),
    ("createsFile", At::Directory, Denial::File),
    ("createsDirectory", At::Directory, Denial::File),
    ("createsFifo", At::Directory, Denial::Process),
    ("createsLinkOutside", At::Directory, Denial::File),
    ("movesOut", At::Directory, Denial::File),
    ("movesIn", At::Directory, Denial::File),
    ("writesThroughSymbolicLink", At::Directory, Denial::File),
    ("writesThroughHardLink", At::Directory, Denial::File),
    ("writesByParents", At::Directory, Denial::File),
    ("writesThroughProc", At::Directory, Denial::File),
    ("setsMode", At::Directory, Denial::File),
    ("setsPermissions", At::Directory, Denial::File),
    ("setsTime", At::Directory, Denial::File),
    ("setsTimeByChannel", At::Directory, Denial::File),
    ("reads", At::Directory, Denial::File),
    ("readsStream", At::Directory, Denial::File),
    ("lists", At::Directory, Denial::File),
    ("walks", At::Directory, Denial::File),
    ("readsEnvironmentOf", At::Process, Denial::File),
    ("readsCommandOf", At::Process, Denial::File),
    ("readsMemoryOf", At::Process, Denial::File),
    ("ends", At::Process, Denial::Process),
    ("executes", At::Directory, Denial::Process),
    ("executesDirectly", At::Directory, Denial::Process),
    ("connects", At::Tcp, Denial::Network),
    ("connectsByChannel", At::Tcp, Denial::Network),
    ("sendsDatagram", At::Udp, Denial::Network),
    ("connectsToPath", At::Path, Denial::Network),
    ("listens", At::Tcp, Denial::Network),
    ("resolves", At::Name, Denial::Network),
];

/// What there is to attack.
struct Canary {
    directory: tempfile::TempDir,
    before: BTreeMap<PathBuf, String>,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
    process: Child,
}

impl Canary {
    fn new() -> Canary {
        let directory = tempfile::Builder::new().prefix("canary").tempdir().unwrap();
        let tree = directory.path().join("tree");
        fs::create_dir_all(tree.join("inner")).unwrap();
        for (name, text) in [("kept", "kept text"), ("secret", SECRET), ("inner/deep", "deep text")] {
            fs::write(tree.join(name), text).unwrap();
        }
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        let unix = UnixListener::bind(directory.path().join("socket")).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        unix.set_nonblocking(true).unwrap();
        let process = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
        let before = state(&tree);
        Canary { directory, before, tcp, udp, unix, process }
    }

    fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    fn target(&self, at: At) -> String {
        match at {
            At::Directory => self.tree().display().to_string(),
            At::Process => self.process.id().to_string(),
            At::Tcp => self.tcp.local_addr().unwrap().port().to_string(),
            At::Udp => self.udp.local_addr().unwrap().port().to_string(),
            At::Path => self.directory.path().join("socket").display().to_string(),
            At::Name => "canary.invalid".to_string(),
        }
    }

    /// What is not as it was.
    fn harm(&mut self) -> Vec<String> {
        let mut harm = Vec::new();
        let after = state(&self.tree());
        if after != self.before {
            harm.push(format!("files were {:?}, are {after:?}", self.before));
        }
        if self.tcp.accept().is_ok() {
            harm.push("the TCP server heard something".to_string());
        }
        if self.udp.recv(&mut [0; 8]).is_ok() {
            harm.push("the UDP server heard something".to_string());
        }
        if self.unix.accept().is_ok() {
            harm.push("the UNIX server heard something".to_string());
        }
        if self.process.try_wait().unwrap().is_some() {
            harm.push("the process ended".to_string());
        }
        harm
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Content, mode and time of every file below the directory.
fn state(directory: &Path) -> BTreeMap<PathBuf, String> {
    let entries = walkdir::WalkDir::new(directory).into_iter().map(Result::unwrap);
    let of = |entry: walkdir::DirEntry| {
        let about = fs::symlink_metadata(entry.path()).unwrap();
        let content = if about.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        let (mode, time) = (about.mode(), (about.mtime(), about.mtime_nsec()));
        (entry.path().to_path_buf(), format!("{:?} {mode:o} {time:?}", String::from_utf8_lossy(&content)))
    };
    entries.map(of).collect()
}

fn attacks() -> Subject {
    Subject::new(&[("attack/Attacks", ATTACKS)])
}

fn executor(subject: &Subject, jdk: &Path, sandbox: Sandbox) -> WorkerExecutor {
    let mut launch = subject.launch_for(jdk);
    launch.sandbox = sandbox;
    launch.call_timeout = Duration::from_secs(10);
    WorkerExecutor::start(Arc::new(launch), "attacked").unwrap()
}

fn sequence(subject: &mut Subject, name: &str, target: &str) -> Sequence {
    let operation = subject.static_method("attack/Attacks", name, "(Ljava/lang/String;)Ljava/lang/String;");
    let mut sequence = Sequence::new();
    let argument = sequence.push_literal(Literal::String(target.into()));
    sequence.push_call(operation, &[argument]);
    sequence
}

fn run(executor: &mut WorkerExecutor, sequence: &Sequence) -> (String, Execution) {
    let execution = executor.execute(std::slice::from_ref(sequence), Detail::Observe).unwrap().remove(0);
    assert_eq!(execution.outcome, Outcome::Completed);
    let Some(Value::Literal(Literal::String(said))) = execution.values.last() else { panic!("{execution:?}") };
    (said.to_string(), execution)
}

#[test]
fn strict_sandbox_denies_and_labels_every_attack() {
    for_each_jdk(|jdk| {
        let mut canary = Canary::new();
        let mut subject = attacks();
        let sequences: Vec<Sequence> =
            TABLE.iter().map(|(name, at, _)| sequence(&mut subject, name, &canary.target(*at))).collect();
        let mut executor = executor(&subject, jdk, Sandbox::Strict);
        let mut complaints = Vec::new();
        for ((name, _, denial), sequence) in TABLE.iter().zip(&sequences) {
            let (said, execution) = run(&mut executor, sequence);
            complaints.extend(canary.harm().into_iter().map(|harm| format!("{name}: {harm}")));
            // Of methods that answer with a truth value, the answer says that it did not come to pass.
            if !["failed", "did false", "did null"].contains(&said.as_str()) && *name != "ends" {
                complaints.push(format!("{name} {said}"));
            }
            if execution.denied != Some(*denial) || !execution.environment_dependent {
                complaints.push(format!("{name} is labelled {:?}", execution.denied));
            }
        }
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    });
}

#[test]
fn every_attack_succeeds_without_a_sandbox() {
    for_each_jdk(|jdk| {
        let mut complaints = Vec::new();
        let mut subject = attacks();
        let table = TABLE.iter().filter(|(_, at, _)| *at != At::Name);
        let mut aimed = |(name, at, _): &(&'static str, At, Denial)| {
            let canary = Canary::new();
            let sequence = sequence(&mut subject, name, &canary.target(*at));
            (*name, canary, sequence)
        };
        let aimed: Vec<(&str, Canary, Sequence)> = table.map(&mut aimed).collect();
        let mut executor = executor(&subject, jdk, Sandbox::Off);
        for (name, mut canary, sequence) in aimed {
            let (said, _) = run(&mut executor, &sequence);
            // A signal takes its time.
            let patience = Instant::now() + Duration::from_secs(5);
            while name == "ends" && canary.harm().is_empty() && Instant::now() < patience {
                std::thread::sleep(Duration::from_millis(10));
            }
            let learnt = ["reads", "lists", "walks", "listens"].iter().any(|verb| name.starts_with(verb));
            if canary.harm().is_empty() && !(learnt && said.starts_with("did ")) {
                complaints.push(format!("{name} {said}, and did nothing"));
            }
        }
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    });
}

#[test]
fn reduced_sandbox_allows_reading_files_only() {
    for_each_jdk(|jdk| {
        let mut canary = Canary::new();
        let mut subject = attacks();
        let reads = ["reads", "readsStream", "lists", "walks", "readsCommandOf"];
        let sequences: Vec<Sequence> =
            TABLE.iter().map(|(name, at, _)| sequence(&mut subject, name, &canary.target(*at))).collect();
        let mut executor = executor(&subject, jdk, Sandbox::Reduced);
        for ((name, ..), sequence) in TABLE.iter().zip(&sequences) {
            let (said, _) = run(&mut executor, sequence);
            assert!(!reads.contains(name) || said.starts_with("did "), "{name} {said}");
        }
        assert_eq!(canary.harm(), [""; 0]);
    });
}

#[test]
fn harmless_operations_are_allowed_and_not_labelled() {
    for_each_jdk(|jdk| {
        let mut subject = attacks();
        let expected = [
            ("worksInScratch", "did true true 2 true true"),
            ("draws", "did -1"),
            ("threads", "did 6"),
            ("zones", "did 19800000"),
            ("readsOwnEnvironment", "did [HOME, JAVA_HOME, LC_ALL, TMPDIR, TZ]"),
            ("opensWindow", "failed"),
        ];
        let sequences: Vec<Sequence> = expected.iter().map(|(name, _)| sequence(&mut subject, name, "")).collect();
        let channel = sequence(&mut subject, "writesToTheChannel", "3");
        let mut executor = executor(&subject, jdk, Sandbox::Strict);
        for ((name, answer), sequence) in expected.iter().zip(&sequences) {
            let (said, execution) = run(&mut executor, sequence);
            assert_eq!((*name, said.as_str(), execution.denied), (*name, *answer, None));
        }
        // The channel is a socket, which no path opens; what follows it arrives.
        assert_eq!(run(&mut executor, &channel).0, "failed");
        assert_eq!(run(&mut executor, &sequences[0]).0, expected[0].1);
    });
}

#[test]
fn denial_in_a_static_initialiser_labels_every_use_of_the_class() {
    for_each_jdk(|jdk| {
        let mut subject = attacks();
        let shows = sequence(&mut subject, "showsHost", "");
        let other = sequence(&mut subject, "threads", "");
        let mut executor = executor(&subject, jdk, Sandbox::Strict);
        for _ in 0..3 {
            let (said, execution) = run(&mut executor, &shows);
            assert_eq!((said.as_str(), execution.denied), ("unknown", Some(Denial::Network)));
        }
        assert_eq!(run(&mut executor, &other).1.denied, None);
    });
}

const ANNOTATION: &str = "package org.junit;\n@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)\n\
                          public @interface Test {\n    Class<? extends Throwable> expected() default Error.class;\n}\n";

/// The attacks as the tests of a suite; each says whether it came to something by failing.
fn suite(canary: &Canary) -> TestFile {
    let mut text = "package attack;\npublic class AttacksTest {\n".to_string();
    let mut tests = Vec::new();
    for (id, (name, at, _)) in TABLE.iter().enumerate() {
        let target = canary.target(*at).replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("    @org.junit.Test public void {name}() {{ Attacks.{name}(\"{target}\"); }}\n"));
        let line = id + 3;
        let span = TestSpan {
            id,
            method: name.to_string(),
            first_line: line,
            last_line: line,
            fails: None,
            checks: Vec::new(),
        };
        tests.push(span);
    }
    text.push_str("}\n");
    TestFile { path: "attack/AttacksTest.java".to_string(), class_name: "attack.AttacksTest".to_string(), text, tests }
}

fn verified(canary: &Canary, sandbox: Sandbox) -> usize {
    let scratch = tempfile::tempdir().unwrap();
    let variable = |name: &str| std::env::var_os(name);
    let jdk = Jdk::discover(variable("JAVA_HOME").as_deref(), variable("PATH").as_deref()).unwrap();
    let request = VerificationRequest {
        java_home: jdk.home,
        java_version: u32::from(jdk.feature_version),
        class_path: Vec::new(),
        module: None,
        source_level: 8,
        encoding: "UTF-8".to_string(),
        jvm_args: Vec::new(),
        typed_jvm_args: Vec::new(),
        scratch: scratch.path().join("scratch"),
        randgen: env!("CARGO_BIN_EXE_randgen").into(),
        sandbox,
        runs: 2,
        test_timeout: Duration::from_secs(20),
        seed: 1,
        deadline: Some(Instant::now() + Duration::from_secs(240)),
        interrupt: Arc::default(),
    };
    let source = |path: &str, text: &str| TestFile {
        path: path.to_string(),
        class_name: String::new(),
        text: text.to_string(),
        tests: Vec::new(),
    };
    let shared = [source("org/junit/Test.java", ANNOTATION), source("attack/Attacks.java", ATTACKS)];
    let verified = verify(&request, &mut |_| [shared.to_vec(), vec![suite(canary)]].concat()).unwrap();
    assert!(verified.rejected.dropped.is_empty(), "{:?}", verified.rejected.dropped);
    verified.files.iter().map(|file| file.tests.len()).sum()
}

#[test]
fn verification_denies_every_attack_of_a_test() {
    let mut canary = Canary::new();
    assert_eq!(verified(&canary, Sandbox::Strict), TABLE.len());
    assert_eq!(canary.harm(), [""; 0]);
    assert_eq!(verified(&canary, Sandbox::Off), TABLE.len());
    assert!(canary.harm().len() >= 5, "{:?}", canary.harm());
}

/// A kernel, or a container, without Landlock: the call for it does not exist.
fn without_landlock(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::spawn(|| {
        use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
        // Of `landlock_create_ruleset`, on all processors.
        let rules = [(444, Vec::new())].into_iter().collect();
        let (action, arch) = (SeccompAction::Errno(38), std::env::consts::ARCH.try_into().unwrap());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch).unwrap();
        seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
        work();
    });
    thread.join().unwrap();
}

#[test]
fn missing_landlock_is_refused_unless_sandbox_is_reduced() {
    without_landlock(|| {
        let project = tempfile::tempdir().unwrap();
        let source = project.path().join("Plain.java");
        fs::write(&source, "public class Plain { public int twice(int n) { return n > 3 ? 2 * n : 0; } }").unwrap();
        let javac = Command::new("javac").arg("-d").arg(project.path().join("classes")).arg(&source).status().unwrap();
        assert!(javac.success());
        let generate = |more: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_randgen"));
            command.args(["generate", "--classes", "classes", "--sequence-limit", "50", "--progress", "none"]);
            command.args(more).current_dir(project.path()).output().unwrap()
        };
        let refused = generate(&[]);
        let message = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(6), "{message}");
        assert!(message.contains("no Landlock") && message.contains("--sandbox=reduced"), "{message}");
        let left: Vec<_> = fs::read_dir(project.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "classes" || name == "Plain.java"), "{left:?}");
        let reduced = generate(&["--sandbox", "reduced"]);
        let said = String::from_utf8_lossy(&reduced.stdout);
        assert_eq!(reduced.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&reduced.stderr));
        assert!(said.contains("sandbox: reduced, without Landlock"), "{said}");
    });
}

//! A small program compiled for a test, its operations, and workers for it.

use bytecode::instrument;
use host::supervisor::{Launch, WorkerExecutor};
use model::jvm::{ClassName, MethodDescriptor, Type};
use model::sequence::{Operation, OperationId, OperationKind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use testing::jdks;

pub struct Subject {
    directory: TempDir,
    class_probes: Vec<(ClassName, u32)>,
    probe_count: u32,
    operations: Vec<Operation>,
    /// How long a sequence may take, where the test has an opinion.
    pub call_timeout: Option<Duration>,
}

impl Subject {
    /// Compiles sources given by internal class name.
    pub fn new(sources: &[(&str, &str)]) -> Subject {
        // A name that workers must not stumble over.
        let directory = tempfile::Builder::new().prefix("Zoë's ").tempdir().unwrap();
        let classes = directory.path().join("classes");
        let mut javac = Command::new(jdks()[0].join("bin/javac"));
        javac.args(["--release", "8", "-nowarn", "-d"]).arg(&classes);
        if sources.iter().any(|(_, source)| source.contains("sun.misc")) {
            // The documented API of a release has no sun.misc.
            javac = Command::new(jdks()[0].join("bin/javac"));
            javac.args(["-source", "8", "-target", "8", "-nowarn", "-g:lines,vars", "-d"]).arg(&classes);
        }
        for (name, source) in sources {
            let path = directory.path().join("src").join(format!("{name}.java"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, source).unwrap();
            javac.arg(path);
        }
        let output = javac.env("LC_ALL", "C.UTF-8").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut subject =
            Subject { directory, class_probes: Vec::new(), probe_count: 0, operations: Vec::new(), call_timeout: None };
        for entry in walkdir::WalkDir::new(&classes).sort_by_file_name() {
            let entry = entry.unwrap();
            if entry.path().extension().is_some_and(|extension| extension == "class") {
                let name = entry.path().strip_prefix(&classes).unwrap().with_extension("");
                let plan = instrument::plan(&std::fs::read(entry.path()).unwrap()).unwrap();
                subject.class_probes.push((ClassName::new(&name.to_string_lossy()), subject.probe_count));
                subject.probe_count += plan.probes.len() as u32;
            }
        }
        subject
    }

    /// The bytes of a compiled class.
    pub fn class_file(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.directory.path().join("classes").join(format!("{name}.class"))).unwrap()
    }

    fn add(&mut self, kind: OperationKind, owner: &str, name: &str, descriptor: &str, public: bool) -> OperationId {
        let method = match kind {
            OperationKind::GetField | OperationKind::GetStatic => format!("(){descriptor}"),
            _ => descriptor.to_string(),
        };
        let descriptor = MethodDescriptor::parse(&method).unwrap();
        self.operations.push(Operation {
            owner_is_interface: owner == "java/util/List" || owner == "java/util/Collection",
            public,
            ..Operation::new(kind, ClassName::new(owner), name, descriptor)
        });
        OperationId(self.operations.len() as u32 - 1)
    }

    pub fn constructor(&mut self, owner: &str, descriptor: &str) -> OperationId {
        self.add(OperationKind::Constructor, owner, "<init>", descriptor, true)
    }

    pub fn method(&mut self, owner: &str, name: &str, descriptor: &str) -> OperationId {
        self.add(OperationKind::InstanceMethod, owner, name, descriptor, true)
    }

    pub fn hidden_method(&mut self, owner: &str, name: &str, descriptor: &str) -> OperationId {
        self.add(OperationKind::InstanceMethod, owner, name, descriptor, false)
    }

    pub fn static_method(&mut self, owner: &str, name: &str, descriptor: &str) -> OperationId {
        self.add(OperationKind::StaticMethod, owner, name, descriptor, true)
    }

    pub fn field(&mut self, owner: &str, name: &str, descriptor: &str) -> OperationId {
        self.add(OperationKind::GetField, owner, name, descriptor, true)
    }

    pub fn array(&mut self, element: Type) -> OperationId {
        let descriptor = format!("({0})[{0}", element.descriptor());
        self.add(OperationKind::Array, "java/lang/Object", "", &descriptor, true)
    }

    pub fn cast(&mut self, to: Type) -> OperationId {
        let descriptor = format!("(Ljava/lang/Object;){}", to.descriptor());
        self.add(OperationKind::Cast, "java/lang/Object", "", &descriptor, true)
    }

    pub fn scratch(&self) -> PathBuf {
        self.directory.path().join("scratch")
    }

    pub fn launch_for(&self, jdk: &Path) -> Launch {
        let mut launch = Launch::new(jdk.to_path_buf(), vec![self.directory.path().join("classes")], self.scratch());
        launch.command[0] = env!("CARGO_BIN_EXE_randgen").into();
        launch.class_probes = self.class_probes.clone();
        launch.probe_count = self.probe_count;
        launch.operations = self.operations.clone().into();
        launch.call_timeout = self.call_timeout.unwrap_or(launch.call_timeout);
        launch
    }

    pub fn executor(&self, jdk: &Path) -> WorkerExecutor {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("worker-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        WorkerExecutor::start(Arc::new(self.launch_for(jdk)), &name).unwrap()
    }
}

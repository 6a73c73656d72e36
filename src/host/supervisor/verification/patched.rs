//! Tests of a module: compiled into it and run in it, as Maven's compiler plugin and Surefire do.
//!
//! A module sees the packages of the modules that it requires, and finds services and resources in another way than classes on
//! a class path do. Builds differ in whether their tests run in the module, so tests must pass both ways.

use super::{Running, VerificationRequest, Waited, confined, joined};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Longer than a JVM takes to find its modules.
const PATIENCE: Duration = Duration::from_secs(30);

/// The module of the classes under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedModule {
    /// Its name with dots.
    pub name: String,
    /// Entries of the tests' class path: the module's own, and those that it requires. The others stay on the class path.
    pub path: Vec<PathBuf>,
    /// Entries of the tests' class path whose classes and resources belong to the module, too.
    pub parts: Vec<PathBuf>,
}

impl PatchedModule {
    /// Whether the JVM starts with the module and all that it requires; what does not is left to the class path.
    pub fn resolves(&self, request: &VerificationRequest) -> bool {
        let java = request.java_home.join("bin").join("java");
        let mut command = confined(request, &java, &[], &[]);
        command.arg("-p").arg(joined(self.path.iter().map(PathBuf::as_path)));
        command.args(["--add-modules", &self.name, "--version"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        let Ok(mut running) = Running::start(command) else { return false };
        let waited = running.wait(request, || began.elapsed() > PATIENCE);
        matches!(waited, Ok(Waited::Ended(status)) if status.success())
    }

    /// The entries of a class path that are neither in the module nor required by it.
    fn others<'a>(&'a self, class_path: &'a [PathBuf]) -> impl Iterator<Item = &'a Path> {
        let is_other = |entry: &&PathBuf| !self.path.contains(entry) && !self.parts.contains(entry);
        class_path.iter().filter(is_other).map(PathBuf::as_path)
    }

    /// What `javac` and `java` both take: the module path, and what the tests add to the module.
    fn arguments(&self, tests: &Path) -> Vec<String> {
        let added = joined([tests].into_iter().chain(self.parts.iter().map(PathBuf::as_path)));
        let path = joined(self.path.iter().map(PathBuf::as_path));
        let patch = format!("{}={added}", self.name);
        let reads = format!("{}=ALL-UNNAMED", self.name);
        ["--module-path", &path, "--patch-module", &patch, "--add-reads", &reads].map(str::to_string).to_vec()
    }
}

/// The class path of `javac`, with the module for which it compiles the sources of a directory.
pub(super) fn of_compiler(request: &VerificationRequest, sources: &Path) -> Vec<String> {
    let Some(module) = &request.module else {
        return vec!["-cp".to_string(), joined(request.class_path.iter().map(PathBuf::as_path))];
    };
    let mut arguments = module.arguments(sources);
    arguments.extend(["-cp".to_string(), joined(module.others(&request.class_path))]);
    arguments
}

/// The class path of a JVM that runs compiled tests of these packages in their module, with the module.
pub(super) fn of_jvm(
    request: &VerificationRequest,
    module: &PatchedModule,
    classes: &Path,
    packages: &BTreeSet<&str>,
) -> Vec<String> {
    let mut arguments = module.arguments(classes);
    arguments.extend(["--add-modules".to_string(), module.name.clone()]);
    for package in packages {
        arguments.extend(["--add-opens".to_string(), format!("{}/{package}=ALL-UNNAMED", module.name)]);
    }
    let class_path = [classes].into_iter().chain(module.others(&request.class_path));
    arguments.extend(["-cp".to_string(), joined(class_path)]);
    arguments
}

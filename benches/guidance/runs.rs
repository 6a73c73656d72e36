//! Runs of the binary on the libraries of the harness: each is made once, kept in a directory of its own, and measured there.

use super::{Bench, Limit, Result, files, json, number, read, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A subject of the harness as it lies in the cache.
pub(super) struct Library {
    pub(super) name: String,
    pub(super) jar: PathBuf,
    /// Its own tests, if `<artifact>-<version>-tests.jar` lies beside it.
    pub(super) tests: Option<PathBuf>,
    pub(super) dependencies: Vec<PathBuf>,
}

/// In a run's directory: the flags that it was made with.
pub(super) const FLAGS: &str = "flags";

impl Bench {
    /// Those that were asked for, else those of the command, which are all if it names none. That none is missing is known
    /// before the first run.
    pub(super) fn libraries(&self, of_command: &[&str]) -> Result<Vec<Library>> {
        let subjects: toml::Table = read(&self.bench_dir.join("subjects.toml"))?.parse()?;
        let names: Vec<String> = match (self.subjects.as_slice(), of_command) {
            ([], []) => subjects.keys().cloned().collect(),
            ([], names) => names.iter().map(|name| name.to_string()).collect(),
            (names, _) => names.to_vec(),
        };
        let library = |name: String| {
            let coordinates = subjects.get(&name).and_then(|subject| subject.get("jar")?.as_str());
            let coordinates = coordinates.ok_or_else(|| format!("subjects.toml has no {name} with a jar"))?;
            let (artifact, version) =
                coordinates.split_once(':').and_then(|(_, rest)| rest.split_once(':')).ok_or("no coordinates")?;
            let file_name = format!("{artifact}-{version}.jar");
            let missing = || format!("the cache has no {name}/{file_name}: run fetch_subjects");
            let jars = files(&self.cache.join(&name)).map_err(|_| missing())?.into_iter();
            let mut dependencies: Vec<_> = jars.filter(|path| path.extension().is_some_and(|it| it == "jar")).collect();
            let mut own = |file_name: &str| dependencies.extract_if(.., |path| path.ends_with(file_name)).next();
            let jar = own(&file_name).ok_or_else(missing)?;
            let tests = own(&format!("{artifact}-{version}-tests.jar"));
            Ok(Library { name, jar, tests, dependencies })
        };
        names.into_iter().map(library).collect()
    }

    /// The directory of a run, which is made unless it is there.
    pub(super) fn generate(&self, library: &Library, seed: u64, suffix: &str, more: &[String]) -> Result<PathBuf> {
        self.generate_on(library, seed, suffix, more, None)
    }

    /// As [`Bench::generate`], on a JDK.
    pub(super) fn generate_on(
        &self,
        library: &Library,
        seed: u64,
        suffix: &str,
        more: &[String],
        jdk: Option<&Path>,
    ) -> Result<PathBuf> {
        let directory = self.out.join(format!("{}-{seed}{suffix}", library.name));
        let mut flags = vec![self.limit.flag(), format!("--seed={seed}")];
        flags.extend(self.threads.map(|threads| format!("--threads={threads}")));
        flags.extend_from_slice(more);
        if directory.exists() && !self.again {
            let made_with = read(&directory.join(FLAGS))?;
            return if made_with == flags.join(" ") {
                Ok(directory)
            } else {
                Err(format!("{} was made with {made_with}: give another --out, or --again", directory.display()).into())
            };
        }
        // Takes its place only when it is whole.
        fs::create_dir_all(&self.out)?;
        let unfinished = tempfile::Builder::new().prefix("unfinished").tempdir_in(&self.out)?;
        fs::create_dir(unfinished.path().join("tests"))?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_randgen"));
        command.current_dir(&unfinished).args(["generate", "--quiet", "--output=tests", "--reports-directory=reports"]);
        command.arg("--classes").arg(&library.jar).args(&flags);
        command.envs(jdk.map(|jdk| ("JAVA_HOME", jdk)));
        if let Some(tests) = &library.tests {
            command.arg("--test-classes").arg(tests);
        }
        if !library.dependencies.is_empty() {
            command.arg("--classpath").arg(std::env::join_paths(&library.dependencies)?);
        }
        run(command)?;
        fs::write(unfinished.path().join(FLAGS), flags.join(" "))?;
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::rename(unfinished.keep(), &directory)?;
        Ok(directory)
    }

    /// What the harness says of the tests in the directory of a run.
    pub(super) fn measure(&self, library: &Library, directory: &Path, name: &str, flags: &[&str]) -> Result<Value> {
        self.measure_with(library, directory, name, flags, "")
    }

    /// The branches that JaCoCo says the tests of a run cover, in per cent.
    pub(super) fn branches(&self, library: &Library, directory: &Path) -> Result<f64> {
        Ok(100.0 * number(&self.measure(library, directory, "measure", &[])?, "/coverage/branches/ratio")?)
    }

    /// As [`Bench::measure`], with options for the JVMs that run the tests.
    pub(super) fn measure_with(
        &self,
        library: &Library,
        directory: &Path,
        name: &str,
        flags: &[&str],
        java_options: &str,
    ) -> Result<Value> {
        let measured = directory.join(format!("{name}.json"));
        if !measured.is_file() {
            let mut command = Command::new(self.bench_dir.join("measure"));
            command.args(["--subject", &library.name, "--tests"]).arg(directory.join("tests"));
            command.arg("--cache").arg(&self.cache).arg("--out").arg(&measured).args(flags);
            command.env("JDK_JAVA_OPTIONS", java_options);
            run(command)?;
        }
        let result = json(&measured)?;
        if result["complete"] == false {
            eprintln!("warning: the tests in {} did not run to their end", directory.display());
        }
        Ok(result)
    }
}

impl Limit {
    /// As randgen's own flag.
    fn flag(&self) -> String {
        let per_class = self.per_class.map(|seconds| format!("--time-limit={seconds}"));
        let in_all = self.in_all.map(|seconds| format!("--total-time-limit={seconds}"));
        let sequences = self.sequences.map(|sequences| format!("--sequence-limit={sequences}"));
        per_class.or(in_all).or(sequences).expect("clap requires one of them")
    }
}

//! The splicer against nine libraries from Maven Central: every class that links before links after, with
//! verification on, with the members that a coverage tool would add, and what H2 and Joda-Time answer stays the same.
//!
//! Needs Maven and a network (or a filled local repository), so it is run by name:
//! `cargo test --release --test jvm -- --ignored splicer_corpus --nocapture`, which also prints the throughput.

use bytecode::instrument::{self, Insertion, InstrumentError};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const LIBRARIES: usize = 9;

#[test]
#[ignore = "fetches nine libraries with Maven and starts a JVM eight times"]
fn spliced_classes_of_nine_libraries_link_and_work() {
    let corpus = Path::new(env!("CARGO_TARGET_TMPDIR")).join("splicer-corpus");
    let originals = fetch(&corpus);
    let mut totals = Totals::default();
    let spliced: Vec<PathBuf> = originals.iter().map(|jar| splice_jar(jar, &corpus, false, &mut totals)).collect();
    let mut again = Totals::default();
    let watched: Vec<PathBuf> = originals.iter().map(|jar| splice_jar(jar, &corpus, true, &mut again)).collect();
    println!(
        "{} classes, {:.1} MB in, {:.1} MB out, {} probes; planned and spliced at {:.1} MB/s; unread {}, methods {:?}",
        totals.classes,
        totals.bytes_in as f64 / 1e6,
        totals.bytes_out as f64 / 1e6,
        totals.probes,
        totals.bytes_in as f64 / 1e6 / totals.elapsed.as_secs_f64(),
        totals.failures.len(),
        totals.skipped,
    );
    assert_eq!(totals.failures, Vec::<String>::new());
    assert!(totals.classes > 9_000 && totals.probes > 100_000, "the corpus is not what it was");

    for home in jdks() {
        let java = Java::prepare(&home, &corpus, totals.probes);
        let (before, after) = (java.check("link", &originals), java.check("link", &spliced));
        let (linked, broken) = broken_classes(&before, &after);
        println!("{}: {linked} classes link before, {} of them not after", home.display(), broken.len());
        assert!(linked > 9_000, "{before}");
        assert_eq!(broken, Vec::<&str>::new());
        let answers = java.check("run", &originals);
        assert!(answers.lines().count() > 500, "{answers}");
        assert_eq!(java.check("run", &spliced), answers);
        let watched = java.check("link", &watched);
        // The Scala compiler says of variables that they have values where they have none.
        let (_, broken) = broken_classes(&before, &watched);
        assert!(broken.len() < 10 && broken.iter().all(|line| line.starts_with("- scala.")), "{broken:?}");
    }
}

#[derive(Default)]
struct Totals {
    classes: usize,
    bytes_in: usize,
    bytes_out: usize,
    probes: u32,
    elapsed: Duration,
    failures: Vec<String>,
    skipped: BTreeMap<String, usize>,
}

/// The jars, sorted.
fn fetch(corpus: &Path) -> Vec<PathBuf> {
    let jars = corpus.join("jars");
    let listed = || -> Vec<PathBuf> {
        let entries = fs::read_dir(&jars).into_iter().flatten().map(|entry| entry.unwrap().path());
        let mut found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "jar")).collect();
        found.sort();
        found
    };
    if listed().len() != LIBRARIES {
        fs::create_dir_all(&jars).unwrap();
        let status = Command::new("mvn")
            .args(["-q", "-B", "dependency:copy-dependencies", "-DexcludeTransitive=true"])
            .arg(format!("-DoutputDirectory={}", jars.display()))
            .arg("-f")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jvm/splicer/pom.xml"))
            .status();
        assert!(status.expect("Maven runs").success(), "Maven could not fetch the libraries");
    }
    let jars = listed();
    assert_eq!(jars.len(), LIBRARIES, "{jars:?}");
    jars
}

/// The jar with probes, and with what watches loops if that is asked for.
fn splice_jar(jar: &Path, corpus: &Path, loops: bool, totals: &mut Totals) -> PathBuf {
    let directory = corpus.join(if loops { "watched" } else { "spliced" });
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join(jar.file_name().unwrap());
    let mut archive = zip::ZipArchive::new(BufReader::new(File::open(jar).unwrap())).unwrap();
    let mut out = zip::ZipWriter::new(BufWriter::new(File::create(&path).unwrap()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        if entry.is_dir() {
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if name.ends_with(".class") {
            let started = Instant::now();
            let spliced = splice_class(&bytes, loops, totals);
            totals.elapsed += started.elapsed();
            totals.classes += 1;
            totals.bytes_in += bytes.len();
            match spliced {
                Ok(spliced) => bytes = spliced,
                Err(error) => totals.failures.push(format!("{name}: {error}")),
            }
            totals.bytes_out += bytes.len();
        }
        out.start_file(name, stored).unwrap();
        out.write_all(&bytes).unwrap();
    }
    out.finish().unwrap();
    path
}

fn splice_class(bytes: &[u8], loops: bool, totals: &mut Totals) -> Result<Vec<u8>, InstrumentError> {
    let plan = instrument::plan(bytes)?;
    let spliced = instrument::splice(bytes, &Insertion { first_probe: totals.probes, first_method: None, loops })?;
    totals.probes += plan.probes.len() as u32;
    // With more calls, a method may have no room for all.
    assert!(loops || spliced.skipped_methods == plan.skipped_methods);
    for skipped in &spliced.skipped_methods {
        *totals.skipped.entry(format!("{:?}", skipped.reason)).or_default() += 1;
    }
    instrument::with_added_members(&spliced.bytes)
}

/// The JDK in use, and those beside it that can run the checker.
fn jdks() -> Vec<PathBuf> {
    let located = fs::canonicalize(java_locator::locate_java_home().unwrap()).unwrap();
    let beside = fs::read_dir(located.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let mut homes: Vec<PathBuf> =
        beside.filter_map(|home| fs::canonicalize(home).ok()).filter(|home| home.join("bin/javac").exists()).collect();
    homes.push(located);
    homes.sort();
    homes.dedup();
    homes
}

struct Java {
    home: PathBuf,
    /// Folders with the compiled checker and the compiled probes.
    checker: PathBuf,
    boot: PathBuf,
    probes: u32,
}

impl Java {
    fn prepare(home: &Path, corpus: &Path, probes: u32) -> Java {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jvm/splicer");
        let (checker, boot) = (corpus.join("checker"), corpus.join("boot"));
        for (names, classes) in [
            (&["Checker.java"][..], &checker),
            (&["Probes.java", "Questions.java", "Machine.java", "Loops.java"], &boot),
        ] {
            fs::create_dir_all(classes).unwrap();
            let mut javac = Command::new(home.join("bin/javac"));
            let files = names.iter().map(|name| sources.join(name));
            let output = javac.arg("-d").arg(classes).args(files).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        Java { home: home.to_path_buf(), checker, boot, probes }
    }

    fn check(&self, task: &str, jars: &[PathBuf]) -> String {
        let output = Command::new(self.home.join("bin/java"))
            .args([
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+BytecodeVerificationLocal",
                "-XX:+BytecodeVerificationRemote",
            ])
            .args(["-XX:+UseSerialGC", "-Xmx512m", "-Duser.timezone=UTC", "-Duser.language=en", "-Duser.country=US"])
            .arg(format!("-Dprobes={}", self.probes))
            .arg(format!("-Xbootclasspath/a:{}", self.boot.display()))
            .arg("-cp")
            .arg(&self.checker)
            .args(["Checker", task])
            .args(jars)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// How many classes linked, and the lines of those among them that do not link afterwards.
fn broken_classes<'a>(before: &str, after: &'a str) -> (usize, Vec<&'a str>) {
    let name = |line: &'a str| line.split(' ').nth(1).unwrap_or_default();
    let mut linked = 0;
    let mut failed: BTreeMap<&str, &str> =
        after.lines().filter(|line| line.starts_with('-')).map(|line| (name(line), line)).collect();
    let lines_after: std::collections::BTreeSet<&str> = after.lines().map(name).collect();
    let mut broken = Vec::new();
    for line in before.lines().filter(|line| line.starts_with('+')) {
        linked += 1;
        let class = line.split(' ').nth(1).unwrap_or_default();
        match failed.remove(class) {
            Some(line) => broken.push(line),
            None => assert!(lines_after.contains(class), "{class} was not loaded"),
        }
    }
    (linked, broken)
}

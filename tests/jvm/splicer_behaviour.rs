//! Spliced code computes what it computed before, and a probe that throws gets out of any loop.

use bytecode::instrument::{self, Insertion};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn spliced_code_computes_the_same_results() {
    for options in [&["--release", "8"][..], &["--release", "17", "-g"]] {
        let program = Program::compile("Behaviour", &[("Wide", wide_locals())], options);
        let expected = program.run(&program.before, &[]);
        assert!(expected.contains("\n1\n2\n3\n4\n5\nrg"), "{expected}");
        for first_method in [None, Some(40_000)] {
            let probes = program.splice(40_000, first_method, |_| true);
            assert!(probes > 100, "{probes}");
            assert_eq!(program.run(&program.after, &[&format!("-Dprobes={}", 40_000 + probes)]), expected);
        }
    }
}

#[test]
fn throwing_probe_ends_loops_that_catch_everything() {
    let program = Program::compile("Endless", &[], &["--release", "8"]);
    program.splice(0, None, |class| class == "Loops.class");
    let printed = program.run(&program.after, &["-Dlimit=100"]);
    assert_eq!(printed, "limit\nended\n".repeat(4) + "unlocked\n");
}

/// A class whose method has so many local variables that a spilled operand needs the wide form.
fn wide_locals() -> String {
    let mut source = "class Wide { static double compare(long a, double b) {".to_string();
    for local in 0..150 {
        write!(source, "long l{local} = a + {local}; ").unwrap();
    }
    source + "if (l3 > l149 - 140 || b < a * 0.5) return l70 + l149 - b; return a > 0L ? l149 : l20; } }"
}

struct Program {
    main: &'static str,
    directory: tempfile::TempDir,
    before: PathBuf,
    after: PathBuf,
}

impl Program {
    /// Compiles a program of `tests/jvm/splicer` with some more classes, and the probes.
    fn compile(main: &'static str, others: &[(&str, String)], options: &[&str]) -> Program {
        let directory = tempfile::tempdir().unwrap();
        let program =
            Program { main, before: directory.path().join("before"), after: directory.path().join("after"), directory };
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jvm/splicer");
        let mut files = vec![sources.join(format!("{main}.java"))];
        for (name, source) in others {
            let file = program.directory.path().join(format!("{name}.java"));
            fs::write(&file, source).unwrap();
            files.push(file);
        }
        for (classes, files) in [
            (&program.before, &files[..]),
            (&program.boot(), &["Probes.java", "Questions.java", "Tracer.java"].map(|name| sources.join(name))),
        ] {
            let output =
                java_tool("javac").args(options).arg("-nowarn").arg("-d").arg(classes).args(files).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        program
    }

    fn boot(&self) -> PathBuf {
        self.directory.path().join("boot")
    }

    /// Splices the classes that are `chosen`, with numbers from `first_probe`, and traced if there is a `first_method`; how
    /// many probes there are.
    fn splice(&self, first_probe: u32, first_method: Option<u32>, chosen: impl Fn(&str) -> bool) -> u32 {
        fs::create_dir_all(&self.after).unwrap();
        let mut probes = 0;
        for entry in fs::read_dir(&self.before).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            if !chosen(name) {
                fs::write(self.after.join(name), bytes).unwrap();
                continue;
            }
            let plan = instrument::plan(&bytes).unwrap();
            assert_eq!(plan.skipped_methods, []);
            let spliced = instrument::splice(
                &bytes,
                &Insertion { first_probe: first_probe + probes, first_method, loops: false },
            )
            .unwrap();
            probes += plan.probes.len() as u32;
            fs::write(self.after.join(name), spliced.bytes).unwrap();
        }
        probes
    }

    /// What the program prints with verification of all classes.
    fn run(&self, classes: &Path, options: &[&str]) -> String {
        let output = java_tool("java")
            .args(["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "-XX:+UseSerialGC"])
            .arg(format!("-Xbootclasspath/a:{}", self.boot().display()))
            .args(options)
            .arg("-cp")
            .arg(classes)
            .arg(self.main)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

fn java_tool(name: &str) -> Command {
    Command::new(Path::new(&java_locator::locate_java_home().unwrap()).join("bin").join(name))
}

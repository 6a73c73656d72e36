//! How redundant are suites as tools of their time made them? Rostra's table (docs/bibliography.md), for our own
//! versions of its subjects (`fixtures/rostra`) and suites made here.
//!
//! `cargo bench --bench rostra -- --out DIR` with `JAVA_HOME` set makes the suites and prints, for each subject and
//! kind of suite, what `randgen assess` finds redundant in it and what `randgen minimize` loses. Figures are of the suites
//! alone, so they are the same on every machine; seconds are not. Tests assert what calls return and throw, and the state
//! of the subject after each, which makes a method execution what Rostra takes it for: they were run once to see that.

use bytecode::classfile::{self, ClassFile, Method};
use clap::Parser;
use host::supervisor::test_library::{self, TestLibrary};
use model::jvm::types::access;
use model::jvm::{Primitive, Type};
use model::options::{SettingValue as _, StateRepresentation};
use serde_json::Value;
use std::error::Error;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

#[derive(Parser)]
#[command(name = "rostra")]
struct Arguments {
    /// Put classes, suites and reports here
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Classes of the fixture [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    subjects: Vec<String>,
    /// Kinds of suites: exhaustive, single [default: both]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    suites: Vec<String>,
    /// Assess alone, without mutants, which takes a fraction of the time
    #[arg(long)]
    quick: bool,
}

/// Tests of one class of the suite. JUnit 4 looks at all of a class for each test that it runs.
const TESTS_PER_CLASS: usize = 100;

/// A way to make suites.
struct Kind {
    name: &'static str,
    /// Calls of a test at most.
    calls: usize,
    numbers: &'static [&'static str],
    texts: &'static [&'static str],
    /// All constructors and methods that return one make receivers and arguments, of arguments that are so made, and null is
    /// an argument; otherwise only a constructor without arguments does. Constructors alone are tests too.
    nests: bool,
}

/// All sequences of calls with few arguments, as Jtest made them; and single calls with all receivers and arguments that
/// an expression of at most so many constructors and methods gives, as JCrasher made them (its `planner` and `PresetValues`).
const KINDS: [Kind; 2] = [
    Kind { name: "exhaustive", calls: 3, numbers: &["0", "1"], texts: &["\"a\""], nests: false },
    Kind { name: "single", calls: 1, numbers: &["-1", "0", "1"], texts: &["\"\"", "\"a\""], nests: true },
];

/// How deep they are nested in one another; JCrasher goes three calls deep, and the tested one is the first.
const DEPTH: usize = 2;

/// Seconds for the mutants of a suite, which no suite here needs.
const MUTANTS: &str = "--mutants=3600";

/// Shows tests the state of an object without a call of it: its fields and what they lead to, each object once, and of lists
/// their elements.
const STATE: &str = r#"import java.lang.reflect.*;
import java.util.*;
import java.util.function.Function;

class State {
    /** Of what the test got its objects from. */
    static String looked = "";

    private final Map<Object, Integer> numbers = new IdentityHashMap<>();
    private int hash;

    static String of(Object subject) {
        State state = new State();
        state.add(subject);
        return Integer.toHexString(state.hash) + " ";
    }

    static <R, T> T after(R receiver, Function<R, T> call) {
        try {
            return call.apply(receiver);
        } finally {
            looked += of(receiver);
        }
    }

    private void add(Object value) {
        if (value == null || value instanceof Number || value instanceof String || value instanceof Boolean) {
            hash = 31 * hash + Objects.hashCode(value);
            return;
        }
        Integer known = numbers.putIfAbsent(value, numbers.size());
        hash = 31 * hash + (known == null ? value.getClass().getName().hashCode() : known);
        if (known == null) {
            addParts(value);
        }
    }

    private void addParts(Object value) {
        if (value instanceof List) {
            ((List<?>) value).forEach(this::add);
            return;
        }
        if (value.getClass().isArray()) {
            for (int i = 0; i < Array.getLength(value); i++) {
                add(Array.get(value, i));
            }
            return;
        }
        for (Field field : value.getClass().getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                try {
                    add(field.get(value));
                } catch (IllegalAccessException refused) {
                    throw new AssertionError(refused);
                }
            }
        }
    }
}
"#;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    // `cargo bench` adds a flag of its own.
    let arguments: Vec<OsString> = std::env::args_os().filter(|argument| argument != "--bench").collect();
    if arguments.len() < 2 {
        println!("skipped: give --out, or --help");
        return ExitCode::SUCCESS;
    }
    match tabulate(&Arguments::parse_from(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn tabulate(Arguments { out, subjects, suites, quick }: &Arguments) -> Result<()> {
    let java_home = std::env::var_os("JAVA_HOME").map(PathBuf::from).ok_or("JAVA_HOME is not set")?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rostra/src/main/java/rostra");
    fs::create_dir_all(out)?;
    let out = out.canonicalize()?;
    let jars = test_library::locate(TestLibrary::JUnit4, true, &out, &AtomicBool::new(false))?;
    let bench =
        Bench { java_home, classes: out.join("classes"), class_path: std::env::join_paths(&jars)?, out, quick: *quick };
    let mut files: Vec<PathBuf> = fs::read_dir(sources)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    bench.compile(&files, &bench.classes, &[])?;

    let states = StateRepresentation::ALL.map(|state| state.show());
    println!("| suite | subject | tests | calls | {} | edges | exceptions | mutants | s |", states.join(" | "));
    println!("|{}", " --- |".repeat(4 + states.len() + 4));
    for kind in KINDS.iter().filter(|kind| suites.is_empty() || suites.iter().any(|name| name == kind.name)) {
        for file in &files {
            let subject = file.file_stem().unwrap_or_default().to_string_lossy();
            if subjects.is_empty() || subjects.iter().any(|name| *name == subject) {
                println!("| {} | {subject} | {} |", kind.name, bench.row(kind, &subject)?.join(" | "));
            }
        }
    }
    Ok(())
}

/// Where things are.
struct Bench {
    java_home: PathBuf,
    out: PathBuf,
    classes: PathBuf,
    /// JUnit's.
    class_path: OsString,
    quick: bool,
}

impl Bench {
    /// The cells of a suite: tests, method executions, per cent of redundant tests in each representation with what its
    /// minimized suite loses; edges, exceptions and mutants of the whole suite; seconds of the assessment.
    fn row(&self, kind: &Kind, subject: &str) -> Result<Vec<String>> {
        let classes = self.read(subject)?;
        let directory = self.out.join(kind.name).join(subject);
        let tests = directory.join("tests");
        let sources = directory.join("src");
        fs::create_dir_all(&sources)?;
        let state = sources.join("State.java");
        fs::write(&state, STATE)?;
        self.compile(&[state], &tests, &[])?;
        let mut files = Vec::new();
        for (index, bodies) in suite(&classes, kind).chunks(TESTS_PER_CLASS).enumerate() {
            let name = format!("{subject}{index}Test");
            let file = sources.join(format!("{name}.java"));
            fs::write(&file, recorder(&name, bodies)?)?;
            self.compile(std::slice::from_ref(&file), &tests, &[&self.classes, &tests])?;
            fs::write(&file, source(&name, bodies, &self.record(&name, &tests)?)?)?;
            files.push(file);
        }
        self.compile(&files, &tests, &[&self.classes, &tests])?;

        let started = Instant::now();
        let assessed = self.randgen("assess", subject, &tests, &directory, &[])?;
        let seconds = started.elapsed().as_secs_f64();
        let mut mutants = String::new();
        let mut cells = vec![assessed["tests"].to_string(), assessed["method_executions"].to_string()];
        for (state, redundancy) in
            StateRepresentation::ALL.iter().zip(assessed["representations"].as_array().into_iter().flatten())
        {
            let percent = redundancy["redundant_tests_percent"].as_f64().ok_or("no percentage")?;
            let mut cell = format!("{percent:.1} %");
            if !self.quick {
                let state = format!("--state-abstraction={}", state.show());
                let minimized = self.randgen("minimize", subject, &tests, &directory, &[&state, MUTANTS])?;
                mutants = format!("{} of {}", minimized["mutants"]["killed"], minimized["mutants"]["total"]);
                let kinds = [("edges", "lost_edges"), ("exceptions", "lost_exceptions"), ("mutants", "lost_mutants")];
                for (what, lost) in kinds {
                    let lost = minimized[lost].as_array().map_or(0, Vec::len);
                    if lost > 0 {
                        write!(cell, ", −{lost} {what}")?;
                    }
                }
            }
            cells.push(cell);
        }
        let exceptions = assessed["uncaught_exceptions"].as_array().map_or(0, Vec::len);
        cells.push(format!("{} of {}", assessed["edges"]["covered"], assessed["edges"]["total"]));
        cells.push(exceptions.to_string());
        cells.push(mutants);
        cells.push(format!("{seconds:.1}"));
        Ok(cells)
    }

    /// The subject and the public classes in it.
    fn read(&self, subject: &str) -> Result<Vec<ClassFile>> {
        let directory = self.classes.join("rostra");
        let mut names: Vec<String> = Vec::new();
        for entry in fs::read_dir(&directory)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            names.extend(Some(name).filter(|name| name.starts_with(&format!("{subject}$"))));
        }
        names.sort();
        names.insert(0, format!("{subject}.class"));
        let classes = names.iter().map(|name| Ok(classfile::parse(&fs::read(directory.join(name))?)?));
        let is_public = |class: &ClassFile| class.own_entry().is_none_or(|own| own.access & access::PUBLIC != 0);
        classes.filter(|class: &Result<ClassFile>| class.as_ref().map_or(true, is_public)).collect()
    }

    fn compile(&self, files: &[PathBuf], to: &Path, class_path: &[&Path]) -> Result<()> {
        let mut javac = Command::new(self.java_home.join("bin/javac"));
        let paths = std::env::split_paths(&self.class_path).chain(class_path.iter().map(|path| path.to_path_buf()));
        javac.args(["--release", "8", "-nowarn", "-Xlint:-options"]).arg("-cp").arg(std::env::join_paths(paths)?);
        run(javac.arg("-d").arg(to).args(files))
    }

    /// What the tests of a class see, a line each.
    fn record(&self, name: &str, tests: &Path) -> Result<Vec<String>> {
        let mut java = Command::new(self.java_home.join("bin/java"));
        java.arg("-cp").arg(std::env::join_paths([tests, &self.classes])?).arg(name);
        let output = java.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("{java:?} failed: {}", output.status).into());
        }
        Ok(String::from_utf8(output.stdout)?.lines().map(str::to_string).collect())
    }

    /// The report of a command on the suite.
    fn randgen(&self, command: &str, subject: &str, tests: &Path, reports: &Path, more: &[&str]) -> Result<Value> {
        let mut randgen = Command::new(env!("CARGO_BIN_EXE_randgen"));
        randgen.current_dir(reports).args([command, "--target-classes"]).arg(format!("rostra.{subject}"));
        randgen.arg("--classes").arg(&self.classes).arg("--tests").arg(tests).arg("--classpath").arg(&self.class_path);
        let reports = reports.join("reports");
        run(randgen.arg("--reports-directory").arg(&reports).args(more))?;
        Ok(serde_json::from_str(&fs::read_to_string(reports.join(format!("{command}.json")))?)?)
    }
}

/// The bodies of the tests: each sequence of calls, shorter ones first.
fn suite(classes: &[ClassFile], kind: &Kind) -> Vec<String> {
    let mut tests = Vec::new();
    for class in classes {
        let name = source_name(class);
        let calls = calls(classes, class, kind);
        let seen = |object| format!("{name} subject = {object}; seen += State.of(subject);");
        if kind.nests {
            tests.extend(constructions(classes, class, kind, DEPTH + 1).map(seen));
        }
        let mut sequences: Vec<String> = objects(classes, class, kind, DEPTH).into_iter().map(seen).collect();
        for _ in 0..kind.calls {
            let longer = |sequence: &String| calls.iter().map(|call| format!("{sequence} {call}")).collect::<Vec<_>>();
            sequences = sequences.iter().flat_map(longer).collect();
            tests.extend(sequences.iter().cloned());
        }
    }
    tests
}

fn source_name(class: &ClassFile) -> String {
    class.name.binary().replace('$', ".")
}

/// What a public method of each object of the class is called with; what is returned is `seen`, and the state behind it.
fn calls(classes: &[ClassFile], class: &ClassFile, kind: &Kind) -> Vec<String> {
    let mut calls = Vec::new();
    for method in public_methods(class) {
        let (before, after) = match &method.descriptor.returns {
            Some(of) if named(classes, of).is_some() => ("seen += State.of(", ");"),
            Some(_) => ("seen += ", " + \" \";"),
            None => ("", ";"),
        };
        let call = |arguments: String| {
            format!("{before}subject.{}({arguments}){after} seen += State.of(subject);", method.name)
        };
        calls.extend(arguments(classes, &method.descriptor.parameters, kind, DEPTH).into_iter().map(call));
    }
    calls
}

/// Those of objects, but for what all objects have.
fn public_methods(class: &ClassFile) -> impl Iterator<Item = &Method> {
    class.methods.iter().filter(|method| {
        method.access & access::PUBLIC != 0
            && method.access & access::STATIC == 0
            && !["<init>", "equals", "hashCode"].contains(&&*method.name)
    })
}

/// The class that the type is, if it is one of these.
fn named<'a>(classes: &'a [ClassFile], of: &Type) -> Option<&'a ClassFile> {
    classes.iter().find(|class| matches!(of, Type::Class(name) if *name == class.name))
}

/// Expressions that make or get objects of the class, of at most so many constructors and methods in one another.
fn objects(classes: &[ClassFile], class: &ClassFile, kind: &Kind, depth: usize) -> Vec<String> {
    let mut objects: Vec<String> = constructions(classes, class, kind, depth).collect();
    if !kind.nests || depth == 0 {
        return objects;
    }
    for owner in classes {
        let is_one = |of: &Type| matches!(of, Type::Class(name) if *name == class.name);
        let getters = public_methods(owner).filter(|method| method.descriptor.returns.as_ref().is_some_and(is_one));
        let getters: Vec<&Method> = getters.collect();
        for receiver in if getters.is_empty() { Vec::new() } else { self::objects(classes, owner, kind, depth - 1) } {
            for method in &getters {
                let arguments = arguments(classes, &method.descriptor.parameters, kind, depth - 1).into_iter();
                objects.extend(
                    arguments
                        .map(|arguments| format!("State.after({receiver}, it -> it.{}({arguments}))", method.name)),
                );
            }
        }
    }
    objects
}

/// Those that its constructors make.
fn constructions(
    classes: &[ClassFile],
    class: &ClassFile,
    kind: &Kind,
    depth: usize,
) -> impl Iterator<Item = String> + use<> {
    let is_public = |method: &&Method| method.access & access::PUBLIC != 0 && *method.name == *"<init>";
    let of = class.methods.iter().filter(is_public).map(|constructor| &constructor.descriptor.parameters);
    let of = of.filter(|parameters| depth > 0 && (kind.nests || parameters.is_empty()));
    let arguments: Vec<String> = of.flat_map(|parameters| arguments(classes, parameters, kind, depth - 1)).collect();
    let name = source_name(class);
    arguments.into_iter().map(move |arguments| format!("new {name}({arguments})"))
}

/// All lists of arguments for the parameters, with objects of at most the depth.
fn arguments(classes: &[ClassFile], parameters: &[Type], kind: &Kind, depth: usize) -> Vec<String> {
    let mut lists = vec![String::new()];
    for (index, of) in parameters.iter().enumerate() {
        let texts = |values: &[&str]| values.iter().map(|value| value.to_string()).collect();
        let (mut values, name): (Vec<String>, _) = match of {
            Type::Primitive(Primitive::Int) => (texts(kind.numbers), None),
            of if of.is_string() => (texts(kind.texts), Some("String".to_string())),
            of => {
                let class = named(classes, of).unwrap_or(&classes[0]);
                (objects(classes, class, kind, depth), Some(source_name(class)))
            }
        };
        values.extend(name.filter(|_| kind.nests).map(|name| format!("({name}) null")));
        let separator = if index > 0 { ", " } else { "" };
        let longer =
            |first: &String| values.iter().map(|value| format!("{first}{separator}{value}")).collect::<Vec<_>>();
        lists = lists.iter().flat_map(longer).collect();
    }
    lists
}

/// Runs the body and notes what it throws; the calls note what they return.
fn seeing(body: &str) -> String {
    let caught = "catch (RuntimeException thrown) { seen += thrown.getClass().getName(); }";
    format!("State.looked = \"\"; String seen = \"\"; try {{ {body} }} {caught} seen += State.looked;")
}

/// A program that prints what each test sees.
fn recorder(name: &str, bodies: &[String]) -> Result<String> {
    let mut text = format!("public class {name} {{\n");
    for (index, body) in bodies.iter().enumerate() {
        writeln!(text, "    static String see{index}() {{ {} return seen; }}", seeing(body))?;
    }
    writeln!(text, "    public static void main(String[] arguments) {{")?;
    for index in 0..bodies.len() {
        writeln!(text, "        System.out.println(see{index}());")?;
    }
    Ok(text + "    }\n}\n")
}

/// A class of tests, each of which expects to see what was recorded of it.
fn source(name: &str, bodies: &[String], seen: &[String]) -> Result<String> {
    let mut text = format!("public class {name} {{\n");
    for (index, (body, seen)) in bodies.iter().zip(seen).enumerate() {
        let (body, assertion) = (seeing(body), format!("org.junit.Assert.assertEquals({seen:?}, seen);"));
        writeln!(text, "    @org.junit.Test public void test{index}() {{ {body} {assertion} }}")?;
    }
    Ok(text + "}\n")
}

/// Runs the command, whose errors are for the user to see.
fn run(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed: {status}").into()) }
}

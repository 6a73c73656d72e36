//! Compiles tests, many of them by two `javac`s; what they complain about is dropped, test by test.

use super::{
    DropReason, Rejected, Running, TestFile, TestSpan, VerificationError, VerificationRequest, Waited, absolute,
    confined, create, patched, write,
};
use crate::files;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The class that runs tests; compiled with them, as its class file must suit the same JVMs.
const RUNNER: &str = include_str!("TestRunner.java");
const RUNNER_PATH: &str = "randgen/runtime/TestRunner.java";

/// Source text, in bytes, from which on a second `javac` saves more time than it takes to start.
const WORTH_TWO: usize = 500_000;

/// Most compilations of one round, but for those that look for a crash.
const ATTEMPTS: usize = 8;

/// Longer than any compilation takes: a class file can be such that `javac` never ends.
const PATIENCE: Duration = Duration::from_secs(600);

/// Where verifications compile: test classes do not use one another, so a file that stays as it was stays compiled.
pub struct Workspace {
    directory: PathBuf,
    pub(super) classes: PathBuf,
    /// The text of each file that is compiled, by path.
    compiled: BTreeMap<String, String>,
    /// How often `javac` ran.
    attempts: usize,
    /// What was wrong with files that were to be compiled ahead.
    complaint: Option<Complaint>,
}

/// The errors in files, with the texts of these by path.
struct Complaint {
    texts: BTreeMap<String, String>,
    errors: Vec<CompileError>,
    output: String,
}

impl Complaint {
    /// The errors in those of the files that still have the text which was compiled.
    fn errors_of(&self, files: &[TestFile]) -> Vec<CompileError> {
        let is_same = |file: &TestFile| self.texts.get(&file.path) == Some(&file.text);
        self.errors.iter().filter(|error| error.file_of(files).is_some_and(is_same)).cloned().collect()
    }
}

impl Workspace {
    /// In the scratch directory of the request; nothing is compiled yet.
    pub fn new(request: &VerificationRequest) -> Workspace {
        Workspace::at(absolute(request).scratch.join("compile"))
    }

    /// Compiles files that are verified later, in parts: a `javac` for each part would take longer. Errors count when the first
    /// of them are verified.
    pub fn compile_ahead(
        &mut self,
        request: &VerificationRequest,
        files: &[TestFile],
    ) -> Result<(), VerificationError> {
        let text = |file: &TestFile| (file.path.clone(), file.text.clone());
        let complaint = |output: String| Complaint {
            texts: files.iter().map(text).collect(),
            errors: parse_errors(&output),
            output,
        };
        self.complaint = compile(&absolute(request), self, files)?.map(complaint);
        Ok(())
    }

    fn at(directory: PathBuf) -> Workspace {
        let classes = directory.join("classes");
        Workspace { directory, classes, compiled: BTreeMap::new(), attempts: 0, complaint: None }
    }

    pub(super) fn has_compiled(&self, file: &TestFile) -> bool {
        self.compiled.get(&file.path) == Some(&file.text)
    }
}

/// Emits and compiles, dropping tests with errors, until `javac` is content; the tests that compile.
pub(super) fn compile_all(
    request: &VerificationRequest,
    workspace: &mut Workspace,
    rejected: &mut Rejected,
    emit: &mut dyn FnMut(&Rejected) -> Vec<TestFile>,
) -> Result<Vec<TestFile>, VerificationError> {
    let mut output = String::new();
    for _ in 0..ATTEMPTS {
        let files = emit(rejected);
        let mut errors = Vec::new();
        if let Some(known) = workspace.complaint.take() {
            errors = known.errors_of(&files);
            output = known.output;
        }
        if errors.is_empty() {
            let Some(printed) = compile(request, workspace, &files)? else { return Ok(files) };
            errors = parse_errors(&printed);
            output = printed;
        }
        let dropped = &mut rejected.dropped;
        let before = dropped.len();
        for error in errors {
            let Some(file) = error.file_of(&files) else { continue };
            for test in concerned(file, error.line) {
                dropped.entry(test.id).or_insert_with(|| DropReason::DoesNotCompile(error.message.clone()));
            }
        }
        if dropped.len() == before {
            for (file, said) in crashing(request, workspace, &files)? {
                for test in &file.tests {
                    dropped.insert(test.id, DropReason::DoesNotCompile(format!("javac fails: {said}")));
                }
            }
        }
        tracing::info!(dropped = dropped.len() - before, "tests do not compile");
        if dropped.len() == before {
            break;
        }
    }
    Err(VerificationError::Compiler(output.chars().take(2000).collect()))
}

/// The tests that an error in this line is about.
fn concerned(file: &TestFile, line: usize) -> Vec<&TestSpan> {
    let own = file.tests.iter().find(|test| (test.first_line..=test.last_line).contains(&line));
    if let Some(test) = own {
        return vec![test];
    }
    let lines: Vec<&str> = file.text.lines().collect();
    let text_of = |test: &TestSpan| lines.get(test.first_line - 1..test.last_line).unwrap_or_default().join("\n");
    let imported = line.checked_sub(1).and_then(|at| imported_name(lines.get(at)?));
    let needs = |test: &&TestSpan| imported.is_some_and(|name| has_word(&text_of(test), name));
    let in_need: Vec<&TestSpan> = file.tests.iter().filter(needs).collect();
    // The class itself, or an import for the class: no test can be told apart.
    if in_need.is_empty() { file.tests.iter().collect() } else { in_need }
}

/// The name that an import adds: `Entry` of `import java.util.Map.Entry;`.
fn imported_name(line: &str) -> Option<&str> {
    let path = line.trim().strip_prefix("import ")?.strip_suffix(';')?;
    path.rsplit('.').next().map(str::trim).filter(|name| *name != "*")
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// The files at which `javac` ends without an error in a test, as it crashes, with what it prints; none if it does so whatever
/// it is given.
fn crashing<'a>(
    request: &VerificationRequest,
    workspace: &Workspace,
    files: &'a [TestFile],
) -> Result<Vec<(&'a TestFile, String)>, VerificationError> {
    let is_open = |file: &&TestFile| !workspace.has_compiled(file);
    let (mut tests, others): (Vec<&TestFile>, Vec<&TestFile>) =
        files.iter().filter(is_open).partition(|file| !file.tests.is_empty());
    let mut tries = 0;
    let mut crash_of = |some: &[&TestFile], flags: &[&str]| {
        let some: Vec<TestFile> = others.iter().chain(some).map(|file| (*file).clone()).collect();
        tries += 1;
        let workspace = &mut Workspace::at(workspace.directory.join(format!("alone-{tries}")));
        let output = compile_with(flags, request, workspace, &some)?;
        Ok::<_, VerificationError>(output.filter(|output| parse_errors(output).is_empty()))
    };
    let shown = |output: &str| output.lines().take(3).collect::<Vec<_>>().join(" ").chars().take(300).collect();
    let mut found = Vec::new();
    if tests.is_empty() || crash_of(&[], &[])?.is_some() {
        return Ok(found);
    }
    // The class that it looked into last is to blame, unless it crashed before it looked into any.
    loop {
        let Some(output) = crash_of(&tests, &["-verbose"])? else { return Ok(found) };
        let blamed = last_checked(&output).and_then(|class| tests.iter().position(|file| file.class_name == class));
        let Some(blamed) = blamed else { break };
        let Some(output) = crash_of(&[tests[blamed]], &[])? else { break };
        found.push((tests.remove(blamed), shown(&output)));
    }
    let mut pending = vec![&tests[..]];
    while let Some(some) = pending.pop() {
        let Some(output) = crash_of(some, &[])? else { continue };
        match some {
            [] => {}
            [file] => found.push((*file, shown(&output))),
            _ => pending.extend([&some[some.len() / 2..], &some[..some.len() / 2]]),
        }
    }
    Ok(found)
}

/// The last class that `javac -verbose` prints it looked into.
fn last_checked(output: &str) -> Option<&str> {
    output.lines().rev().find_map(|line| line.strip_prefix("[checking ")?.strip_suffix(']'))
}

/// Compiles the files; `None` if there are no errors, else what `javac` printed.
fn compile(
    request: &VerificationRequest,
    workspace: &mut Workspace,
    files: &[TestFile],
) -> Result<Option<String>, VerificationError> {
    compile_with(&[], request, workspace, files)
}

/// As [`compile`], with further flags. Many files are compiled by two `javac`s at the same time.
fn compile_with(
    flags: &[&str],
    request: &VerificationRequest,
    workspace: &mut Workspace,
    files: &[TestFile],
) -> Result<Option<String>, VerificationError> {
    let runner = TestFile {
        path: RUNNER_PATH.to_string(),
        class_name: String::new(),
        text: RUNNER.to_string(),
        tests: Vec::new(),
    };
    let is_new = |file: &&TestFile| !workspace.has_compiled(file);
    let new: Vec<&TestFile> = files.iter().chain([&runner]).filter(is_new).collect();
    if new.is_empty() {
        return Ok(None);
    }
    let parts = parts(&new).into_iter().map(|part| {
        workspace.attempts += 1;
        (workspace.directory.join(workspace.attempts.to_string()), part)
    });
    let (parts, classes): (Vec<_>, &Path) = (parts.collect(), &workspace.classes);
    let outputs: Vec<_> = std::thread::scope(|scope| {
        let compile = |(directory, part): &(PathBuf, &[&TestFile])| javac(flags, request, directory, classes, part);
        let running: Vec<_> = parts.iter().map(|part| scope.spawn(move || compile(part))).collect();
        running.into_iter().map(|one| one.join().expect("no compilation panics")).collect()
    });
    for ((_, part), output) in parts.into_iter().zip(&outputs) {
        if matches!(output, Ok(None)) {
            workspace.compiled.extend(part.iter().map(|file| (file.path.clone(), file.text.clone())));
        }
    }
    let outputs: Vec<Option<String>> = outputs.into_iter().collect::<Result<_, VerificationError>>()?;
    Ok(outputs.into_iter().flatten().reduce(|all, output| all + &output))
}

/// The files in two parts of about the same size if they are many.
fn parts<'a, 'f>(files: &'a [&'f TestFile]) -> Vec<&'a [&'f TestFile]> {
    let whole: usize = files.iter().map(|file| file.text.len()).sum();
    if whole < WORTH_TWO || files.len() < 2 {
        return vec![files];
    }
    let mut before = 0;
    let half = files.iter().position(|file| {
        before += file.text.len();
        before * 2 >= whole
    });
    let (first, second) = files.split_at((half.unwrap_or(0) + 1).clamp(1, files.len() - 1));
    vec![first, second]
}

/// Compiles the files in one go, with its sources and log in the directory; `None` if there are no errors, else what `javac` printed.
fn javac(
    flags: &[&str],
    request: &VerificationRequest,
    directory: &Path,
    classes: &Path,
    files: &[&TestFile],
) -> Result<Option<String>, VerificationError> {
    let (sources, nothing, work) = (directory.join("sources"), directory.join("nothing"), directory.join("work"));
    for directory in [classes, &nothing, &work] {
        create(directory)?;
    }
    let mut arguments: Vec<String> = vec![
        "-proc:none".into(),
        // Plugins are looked for here, else on the class path; `-proc:none` does not keep out those that start by themselves.
        "-processorpath".into(),
        nothing.to_string_lossy().into_owned(),
        "-nowarn".into(),
        "-Xlint:none".into(),
        "-Xmaxerrs".into(),
        "100000".into(),
        "-g".into(),
        // Errors of flow analysis in the same run as those of attribution (the option's name before and since JDK 9).
        "-XDshould-stop.ifError=FLOW".into(),
        "-XDshouldStopPolicyIfError=FLOW".into(),
        "-implicit:none".into(),
        // Else sources that lie in a jar are taken for newer versions of its classes.
        "-sourcepath".into(),
        sources.to_string_lossy().into_owned(),
        "-encoding".into(),
        request.encoding.clone(),
        "-d".into(),
        classes.to_string_lossy().into_owned(),
    ];
    arguments.extend(patched::of_compiler(request, &sources));
    arguments.extend(level_arguments(request));
    arguments.extend(flags.iter().map(|flag| flag.to_string()));
    // Whatever names them: nothing is written outside.
    for file in files.iter().filter(|file| files::is_plain(Path::new(&file.path))) {
        let path = sources.join(&file.path);
        write(&path, &file.text)?;
        arguments.push(path.to_string_lossy().into_owned());
    }
    let argument_file = directory.join("arguments");
    write(&argument_file, &arguments.iter().map(|argument| quoted(argument)).collect::<String>())?;

    let output = directory.join("javac.log");
    let log =
        std::fs::File::create(&output).map_err(|source| VerificationError::Scratch { path: output.clone(), source })?;
    let javac = request.java_home.join("bin").join("javac");
    let mut command = confined(request, &javac, &[directory], &[classes, &work]);
    command
        .args(["-J-Xmx512m", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", "-J-Duser.language=en"])
        .args(["-J-Duser.country=US", "-J-Dfile.encoding=UTF-8", "-J-Dstderr.encoding=UTF-8"])
        .args(["-J-XX:-UsePerfData".to_string(), format!("-J-Djava.io.tmpdir={}", work.display())])
        .arg(format!("@{}", argument_file.display()))
        .current_dir(&work)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    let began = Instant::now();
    match Running::start(command)?.wait(request, || began.elapsed() > PATIENCE) {
        Ok(Waited::CutShort(reason)) => return Err(reason.into()),
        Ok(Waited::Ended(status)) if status.success() => return Ok(None),
        Ok(Waited::Ended(_)) => {}
        Ok(Waited::Over) => return Err(VerificationError::Compiler("it did not end within ten minutes".to_string())),
        Err(error) => return Err(VerificationError::Compiler(error.to_string())),
    }
    let bytes = files::read(&output).map_err(|source| VerificationError::Scratch { path: output, source })?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The language level, at least what the JDK still knows, at most its own.
fn level_arguments(request: &VerificationRequest) -> Vec<String> {
    let java = request.java_version;
    let oldest = match java {
        ..=8 => 5,
        9..=11 => 6,
        12..=19 => 7,
        _ => 8,
    };
    let level = request.source_level.clamp(oldest, java.max(oldest)).to_string();
    if java >= 9 {
        vec!["--release".into(), level]
    } else {
        vec!["-source".into(), level.clone(), "-target".into(), level]
    }
}

/// One line of an argument file.
fn quoted(argument: &str) -> String {
    let escaped = argument.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
    format!("\"{escaped}\"\n")
}

/// One complaint of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CompileError {
    path: PathBuf,
    line: usize,
    message: String,
}

/// Reads `path:line: error: message`, the line of source after it, and the symbol that a later line names.
fn parse_errors(output: &str) -> Vec<CompileError> {
    let mut errors: Vec<CompileError> = Vec::new();
    let mut lines = output.lines();
    while let Some(line) = lines.next() {
        if let Some(mut error) = parse_error(line) {
            let source = lines.next().unwrap_or_default().trim();
            error.message.push_str(&format!(" in `{source}`"));
            errors.push(error);
        } else if let Some(symbol) = line.trim_start().strip_prefix("symbol:")
            && let Some(last) = errors.last_mut()
        {
            last.message.push_str(": ");
            last.message.push_str(symbol.trim());
        }
    }
    errors
}

impl CompileError {
    /// The file, of these, that it is in.
    fn file_of<'f>(&self, files: &'f [TestFile]) -> Option<&'f TestFile> {
        files.iter().find(|file| self.path.ends_with(Path::new(&file.path)))
    }
}

fn parse_error(line: &str) -> Option<CompileError> {
    let (place, message) = line.split_once(": error: ")?;
    let (path, number) = place.rsplit_once(':')?;
    Some(CompileError { path: PathBuf::from(path), line: number.parse().ok()?, message: message.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_of_an_import_concerns_the_tests_that_need_it() {
        let text = "package a;\nimport b.Map.Entry;\nimport b.Gone;\nclass T {\n  void x() { Entry e; }\n  void y() { MyEntry e; }\n}\n";
        let span = |id: usize, line: usize| TestSpan {
            id,
            method: String::new(),
            first_line: line,
            last_line: line,
            fails: None,
            checks: Vec::new(),
        };
        let file = TestFile {
            path: "a/T.java".to_string(),
            class_name: "a.T".to_string(),
            text: text.to_string(),
            tests: vec![span(0, 5), span(1, 6)],
        };
        let check = |line, expected: &[usize]| {
            assert_eq!(concerned(&file, line).iter().map(|test| test.id).collect::<Vec<_>>(), expected, "{line}");
        };
        check(2, &[0]);
        check(6, &[1]);
        // Needed by nobody in particular, the class's own line, and none.
        check(3, &[0, 1]);
        check(4, &[0, 1]);
        check(99, &[0, 1]);
    }

    #[test]
    fn class_at_which_javac_crashes_is_the_last_one_that_it_checked() {
        let said = "[parsing completed 3ms]\n[checking a.ATest]\n[wrote a/ATest.class]\n[checking a.BTest]\n\tat com.sun.tools\n";
        assert_eq!(last_checked(said), Some("a.BTest"));
        assert_eq!(last_checked("An exception has occurred in the compiler\n"), None);
    }

    fn file(path: &str, text: &str) -> TestFile {
        TestFile { path: path.to_string(), class_name: String::new(), text: text.to_string(), tests: Vec::new() }
    }

    #[test]
    fn many_files_are_compiled_in_two_parts_of_which_none_is_empty() {
        let lengths = |sizes: &[usize]| {
            let files: Vec<TestFile> = sizes.iter().map(|size| file("A.java", &"x".repeat(*size))).collect();
            let files: Vec<&TestFile> = files.iter().collect();
            parts(&files).iter().map(|part| part.len()).collect::<Vec<_>>()
        };
        let half = WORTH_TWO / 2;
        assert_eq!(lengths(&[half - 1, half]), [2]);
        assert_eq!(lengths(&[half, half, half, half]), [2, 2]);
        assert_eq!(lengths(&[2 * half]), [1]);
        assert_eq!(lengths(&[4 * half, 1, 1]), [1, 2]);
        assert_eq!(lengths(&[1, 1, 4 * half]), [2, 1]);
    }

    #[test]
    fn errors_of_a_text_that_changed_since_are_forgotten() {
        let errors_of = |files: &[TestFile]| {
            let texts = ["A", "B"].map(|name| (format!("p/{name}.java"), "old".to_string()));
            let errors = parse_errors("/s/p/A.java:1: error: x\n  a\n/s/p/B.java:2: error: y\n  b\n");
            let known = Complaint { texts: texts.into(), errors, output: String::new() }.errors_of(files);
            known.into_iter().map(|error| error.line).collect::<Vec<_>>()
        };
        assert_eq!(errors_of(&[file("p/A.java", "old"), file("p/B.java", "new")]), [1]);
        assert!(errors_of(&[file("p/C.java", "old")]).is_empty());
    }

    #[test]
    fn unknown_symbol_is_named_in_the_compile_error() {
        let output =
            "/A.java:3: error: cannot find symbol\n    foo();\n    ^\n  symbol:   method foo()\n  location: class A\n";
        assert_eq!(parse_errors(output)[0].message, "cannot find symbol in `foo();`: method foo()");
    }

    #[test]
    fn javac_errors_are_parsed_with_file_and_line() {
        let output =
            "/s p/A:1/ATest.java:12: error: incompatible types: int cannot be converted to String\n  x\n1 error\n";
        let expected = CompileError {
            path: PathBuf::from("/s p/A:1/ATest.java"),
            line: 12,
            message: "incompatible types: int cannot be converted to String in `x`".to_string(),
        };
        assert_eq!(parse_errors(output), [expected]);
    }
}

//! Whatever is read may be broken, by accident or on purpose: bytes of real files that were changed, cut and mixed are read
//! without a panic, in time, and without memory that the input does not account for.
//!
//! `make test` tries a few thousand of each kind, `make test-full` each kind for a minute. The n-th input of a kind is always
//! the same, so a failure is reproduced by its number.

use crate::heap;
use bytecode::classfile::{self, Decoder};
use bytecode::instrument::{self, Insertion, Mutation};
use cli::config;
use host::classpath::request;
use host::project::{self, Element};
use model::execution::mutant::{Mutant, Mutator};
use model::jvm::generics::{self, Bindings, GenericClass, GenericMethod, GenericType};
use model::jvm::{MethodDescriptor, Type};
use model::seed::Seed;
use protocol::{self, Frames, Kind, outcomes, sequences, setup, traces};
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use report::RunReport;
use report::baseline::Baseline;
use specification::accepted::Accepted;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Of the fixture of hostile code, shortened.
const REPORT: &str = include_str!("parsers/report.json");

/// Inputs of each kind in a run that is not long.
const CASES: u64 = 3_000;

/// A reader that takes longer for one input, on a machine however busy, does not end.
const PATIENCE: Duration = Duration::from_secs(60);

/// What reading an input may take of the heap: something for each of its bytes, and something for all.
const FOR_EACH_BYTE: isize = 64;
const FOR_ALL: isize = 256 << 10;

/// Reads an input as far as it goes; whether it was what it should be.
type Reader = fn(&[u8]) -> bool;

#[test]
fn class_files_are_read_and_spliced_or_refused() {
    let mut inputs = Vec::new();
    let scratch = compiled_fixture();
    for entry in walkdir::WalkDir::new(scratch.path()).sort_by_file_name() {
        inputs.push(fs::read(entry.unwrap().path()).unwrap_or_default());
    }
    inputs.retain(|bytes| !bytes.is_empty());
    assert!(inputs.len() > 100, "{} classes", inputs.len());
    check("class files", &inputs, |bytes| {
        if let Ok(class) = classfile::parse(bytes) {
            let mut decoder = Decoder::new(&class);
            class.methods.iter().filter_map(|method| method.code.as_ref()).for_each(|code| drop(decoder.body(code)));
            class.to_facts();
            class.mentioned_classes();
        }
        let insertion = Insertion { first_probe: 7, first_method: Some(3), loops: false };
        let (planned, spliced) = (instrument::plan(bytes), instrument::splice(bytes, &insertion));
        assert_eq!(planned.is_ok(), spliced.is_ok());
        let planned_well = planned.is_ok();
        if let Ok(spliced) = spliced {
            instrument::plan(&spliced.bytes).expect("what was spliced is a class file");
        }
        let _ = instrument::with_added_members(bytes);
        if let Ok(plan) = planned {
            instrument::lines(bytes, &plan, &|_| true);
        }
        for Mutation { method, pc, mutator, .. } in
            instrument::mutants(bytes, &Mutator::ALL).unwrap_or_default().into_iter().take(3)
        {
            let _ = instrument::mutate(bytes, &insertion, &[(1, Mutant { class: 0, method, pc, mutator })]);
        }
        planned_well
    });
}

#[test]
fn signatures_and_descriptors_are_read_or_refused() {
    let texts = [
        "Ljava/lang/Object;Ljava/lang/Comparable<Lhostile/BoundedGenerics<TT;>;>;",
        "<T::Ljava/lang/Comparable<-TT;>;:Ljava/io/Serializable;>Ljava/lang/Object;",
        "<E::Ljava/lang/Comparable<TE;>;>(Ljava/util/List<+TE;>;)TE;",
        "<K:Ljava/lang/Object;V:Ljava/lang/Object;>(Ljava/util/Map<*[TK;>.Entry<TK;TV;>;[[I)V^TE;^Ljava/io/IOException;",
        "(IJ[[Ljava/lang/String;ZBCSFD)Ljava/util/Map$Entry;",
        "[[[[[[[[Ljava/lang/Object;",
    ];
    check("signatures", &texts.map(|text| text.as_bytes().to_vec()), |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        let bindings = Bindings::default();
        let class = GenericClass::parse(text);
        if let Some(signature) = &class {
            signature.supertypes.iter().for_each(|supertype| drop(supertype.bind(&bindings)));
        }
        let method = GenericMethod::parse(text);
        if let Some(method) = &method {
            generics::class_bounds(method, &bindings);
        }
        generics::classes_in(text);
        let field = GenericType::parse(text);
        Type::from_class_constant(text);
        class.is_some()
            || method.is_some()
            || field.is_some()
            || Type::parse(text).is_some()
            || MethodDescriptor::parse(text).is_some()
    });
}

#[test]
fn poms_are_read_or_refused() {
    let poms = ["hostile", "reactor", "commons-cli", "ring-buffer"].map(|name| fixture(&format!("{name}/pom.xml")));
    check("POMs", &poms, |bytes| {
        if let Ok(element) = Element::parse(bytes) {
            element.text_at(&["build", "plugins", "plugin", "version"]);
        }
        project::read_effective(&written(bytes)).is_ok()
    });
}

#[test]
fn settings_and_requests_are_read_or_refused() {
    let settings = b"# Settings\nseed = 1\ntarget-classes = [\"a.*\", 'b.C']\ntime-limit = 0.5\njunit = \"auto\"\n\
        jvm-args = [\"-Xmx1g\"]\nshard = \"1/3\"\ncoverage-threshold = 80\nverbose = true\n";
    let page = fs::read_to_string(root().join("docs/design/request-file.md")).unwrap();
    let request = page.split("```").nth(1).and_then(|block| block.split_once('\n')).expect("the page has an example").1;
    check("settings", &[settings.to_vec(), request.as_bytes().to_vec()], |bytes| {
        let settings = config::parse(Path::new("randgen.toml"), bytes);
        request::load(&written(bytes)).is_ok() || settings.is_ok()
    });
}

#[test]
fn baselines_and_accepted_specifications_are_read_or_refused() {
    let (report, none) = (report(), Baseline::default());
    let known = none.updated(&report.module, &none.compare(&report), "2026-11-22");
    assert_eq!(known.len(), 1);
    check("baselines", &[none.render().into_bytes(), known.render().into_bytes()], |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return false };
        let accepted = Accepted::parse(text, "m", &[]);
        let baseline = Baseline::parse(text);
        let is_read = accepted.is_ok() || baseline.is_ok();
        if let Ok(baseline) = baseline {
            assert!(Baseline::parse(&baseline.render()) == Ok(baseline), "it does not read back");
        }
        is_read
    });
}

#[test]
fn reports_of_the_last_run_are_read_or_refused() {
    check("reports", &[REPORT.as_bytes().to_vec()], |bytes| serde_json::from_slice::<RunReport>(bytes).is_ok());
}

#[test]
fn frames_and_messages_of_workers_are_read_or_refused() {
    let mut frames = Vec::new();
    let messages =
        [outcomes::stopped(), outcomes::unlinkable("java.lang.NoClassDefFoundError"), traces::encode_list("a.B")];
    for (message, kind) in messages.iter().zip([Kind::Outcome, Kind::Contents, Kind::Run]) {
        protocol::append_frame(&mut frames, kind, &[message]);
    }
    let class_probes = [("a/B", 0), ("a/C", 12)].into_iter();
    let limits = setup::WorkerLimits {
        probe_count: 20,
        probe_budget: 1000,
        call_timeout_ms: 1000,
        state: setup::State::None,
        added_members: false,
        watches_loops: false,
        describes: true,
    };
    let tracing = setup::Tracing { class_methods: &[], caches: &[], observers: &[] };
    let setup = setup::encode(&["-Xmx64m".to_string()], &limits, class_probes, tracing, &[]);
    let mut inputs = messages[..2].to_vec();
    inputs.extend([frames, setup]);
    check("messages", &inputs, |bytes| {
        let (mut frames, mut count) = (Frames::default(), 0);
        for part in bytes.chunks(7) {
            frames.push(part);
            while let Ok(Some(_)) = frames.next_frame() {
                count += 1;
            }
        }
        let _ = protocol::read_frame(&mut &*bytes);
        let names = &mut outcomes::Names::default();
        let outcome = outcomes::decode(bytes, None, &[], 20, names).is_ok();
        let _ = sequences::split_mutant(bytes);
        let setup = setup::decode(bytes).is_ok_and(|setup| setup.is_some());
        let _ = traces::decode_judged(bytes);
        let _ = traces::decode_list(bytes);
        for describes in [false, true] {
            let _ = traces::decode_trace(bytes, 20, names, &mut traces::States::new(describes));
        }
        outcomes::is_spent(bytes);
        outcomes::may_have_done_harm(bytes);
        outcome || setup || count > 0
    });
}

/// Reads changed inputs, a number of them or for as many seconds as `RANDGEN_TEST_SECONDS` says.
fn check(kind: &'static str, inputs: &[Vec<u8>], read: Reader) {
    let seconds = std::env::var("RANDGEN_TEST_SECONDS").ok().map(|seconds| seconds.parse().expect("a number"));
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    for input in inputs {
        assert!(read(input), "{kind}: not read unchanged: {}", input.escape_ascii());
    }
    let (sender, receiver) = channel();
    let inputs = inputs.to_vec();
    let reading = std::thread::spawn(move || {
        let seed = Seed::root(1).child(kind);
        let mut most = (0, 0);
        for number in (0..).take_while(|number| end.map_or(*number < CASES, |end| Instant::now() < end)) {
            if sender.send(number).is_err() {
                return;
            }
            let input = changed(&inputs, &mut seed.nth(number).rng());
            let before = heap::begin();
            let read = catch_unwind(AssertUnwindSafe(|| read(&input)));
            let taken = heap::most() - before;
            assert!(read.is_ok(), "{kind}, input {number}: {}", input.escape_ascii());
            let allowed = FOR_ALL + FOR_EACH_BYTE * input.len() as isize;
            assert!(taken <= allowed, "{kind}, input {number} of {} bytes takes {taken}", input.len());
            most = most.max((taken, input.len()));
        }
        println!("{kind}: at most {} bytes for an input of {}", most.0, most.1);
    });
    let mut last = 0;
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(number) => last = number,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => panic!("{kind}: reading input {last} does not end"),
        }
    }
    reading.join().expect("no input made the reader panic");
    println!("{kind}: {} inputs", last + 1);
}

/// One of the inputs with up to eight changes.
fn changed(inputs: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = inputs[rng.random_range(0..inputs.len())].clone();
    for _ in 0..rng.random_range(1..=8) {
        let at = rng.random_range(0..=bytes.len());
        let some = rng.random_range(0..=(bytes.len() - at).min(64));
        match rng.random_range(0..9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = *[0, 1, 0x7F, 0x80, 0xFF].get(rng.random_range(0..5)).unwrap(),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..at + some)),
            4 => {
                let copy = bytes[at..at + some].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let mut noise = vec![0; some];
                rng.fill_bytes(&mut noise);
                bytes.splice(at..at, noise);
            }
            // Counts and lengths, of which some are large.
            6 if at + 4 <= bytes.len() => bytes[at..at + 4].copy_from_slice(&rng.random::<u32>().to_le_bytes()),
            7 if at + 4 <= bytes.len() => bytes[at..at + 4].copy_from_slice(&0x0FFF_FFFF_u32.to_le_bytes()),
            _ => {
                let other = &inputs[rng.random_range(0..inputs.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[rng.random_range(0..=other.len())..]);
            }
        }
    }
    bytes
}

fn report() -> RunReport {
    serde_json::from_str(REPORT).unwrap()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(root().join("fixtures").join(name)).unwrap()
}

/// A file with these bytes, for readers that take a path; each thread has one.
fn written(bytes: &[u8]) -> PathBuf {
    let name = format!("{:?}", std::thread::current().id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("parsers-{name}"));
    fs::write(&path, bytes).unwrap();
    path
}

/// Classes of all shapes.
fn compiled_fixture() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().unwrap();
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let mut javac = Command::new(home.map_or("javac".into(), |home| home.join("bin/javac")));
    javac.args(["--release", "17", "-g", "-nowarn", "-d"]).arg(scratch.path());
    let sources =
        walkdir::WalkDir::new(root().join("fixtures/hostile/src")).into_iter().map(|entry| entry.unwrap().into_path());
    javac.args(sources.filter(|path| path.extension().is_some_and(|extension| extension == "java")));
    let output = javac.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    scratch
}

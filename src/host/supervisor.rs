//! Spawns workers, ends those that hang, restarts them and decides what their deaths mean; implements
//! [`Executor`](model::execution::Executor).
//!
//! The results of a worker are a deterministic function of the sequences since its start, so the supervisor keeps those. If
//! a worker dies or hangs, the next one replays them and runs the interrupted sequence again. A sequence is to blame only if
//! two workers ended in the same way while they executed it, or four in any way. A worker killed from outside therefore
//! changes nothing in the results.

mod connection;
mod executor;
pub mod following;
mod history;
pub mod kills;
mod machine;
mod reach;
mod spawn;
pub mod suite_tracing;
pub mod test_library;
mod texts;
pub mod verification;
pub mod world;

pub use executor::WorkerExecutor;

use connection::Connection;
use model::execution::Defaults;
use model::jvm::ClassName;
use model::options::Sandbox;
use model::sequence::{Operation, Operations, Sequence};
use protocol::setup::State;
use protocol::{Decoder, Encoder, Kind, setup};
use sandbox::Policy;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use world::World;

/// Tells which sequences may run.
#[derive(Clone)]
pub struct Admission(Arc<dyn Fn(&Sequence) -> bool + Send + Sync>);

impl Admission {
    /// Admits the sequences for which the function holds.
    pub fn new(admits: impl Fn(&Sequence) -> bool + Send + Sync + 'static) -> Admission {
        Admission(Arc::new(admits))
    }

    fn admits(&self, sequence: &Sequence) -> bool {
        (self.0)(sequence)
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Admission")
    }
}

/// All that workers of a run have in common.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Where workers run.
    pub world: Arc<dyn World>,
    /// The command that starts a worker on descriptor 0, without the arguments for its sandbox; by default this program's
    /// hidden subcommand.
    pub command: Vec<OsString>,
    /// The JDK whose JVM workers embed.
    pub java_home: PathBuf,
    /// The code under test and its dependencies.
    pub class_path: Vec<PathBuf>,
    /// What JDK and class path lead to.
    readable: Vec<PathBuf>,
    /// Isolation level of the workers.
    pub sandbox: Sandbox,
    /// The classes to instrument, with the number of their first probe.
    pub class_probes: Vec<(ClassName, u32)>,
    /// The number of each of these classes' first method; empty unless calls of them are traced.
    pub class_methods: Vec<u32>,
    /// What is reported as the state of an object; more than the default needs `class_methods`.
    pub state: State,
    /// Whether the classes under test get members more, as coverage tools add them.
    pub added_members: bool,
    /// Whether loops without an end are found out, and a stack that overflows is an exception as others.
    pub watches_loops: bool,
    /// Fields that are no state, each as its class's binary name, a dot and its own.
    pub caches: Vec<String>,
    /// Whether what is traced is described too; needs `class_methods`.
    pub describes: bool,
    /// Methods without parameters that change nothing, named likewise, for the descriptions.
    pub observers: Vec<String>,
    /// Probes of all classes together.
    pub probe_count: u32,
    /// What sequences call.
    pub operations: Operations,
    /// Which sequences may run, where not all may: the others count as killed without having run.
    pub admission: Option<Admission>,
    /// Options of the JVM that come after randgen's own, so that they win.
    pub jvm_args: Vec<String>,
    /// `LC_ALL` of workers, which decides how the JVM reads the names of files.
    pub locale: &'static str,
    /// A directory of this run; each worker gets one of its own below it.
    pub scratch: PathBuf,
    /// After this long a sequence is stopped.
    pub call_timeout: Duration,
    /// After this many executed probes a sequence is stopped.
    pub probe_budget: u64,
    /// After this many sequences a worker is replaced.
    pub recycle_after: u64,
    /// Ends every execution early.
    pub interrupt: Arc<AtomicBool>,
    /// Largest resident size of any worker that was ended; those that end by themselves leave none.
    pub peak_bytes: Arc<AtomicU64>,
    /// When the first sequence of the run had run.
    pub first_report: Arc<OnceLock<Instant>>,
}

impl Launch {
    /// A launch with the documented limits and without operations, which is enough to read the JDK's classes.
    pub fn new(java_home: PathBuf, class_path: Vec<PathBuf>, scratch: PathBuf) -> Launch {
        Launch {
            world: Arc::new(machine::Machine::new()),
            command: vec![this_program().into(), "worker".into(), "--channel".into(), "0".into()],
            readable: reach::of(&java_home, &class_path),
            sandbox: Sandbox::default(),
            java_home,
            class_path,
            class_probes: Vec::new(),
            class_methods: Vec::new(),
            state: State::default(),
            added_members: false,
            watches_loops: false,
            caches: Vec::new(),
            describes: false,
            observers: Vec::new(),
            probe_count: 0,
            operations: Operations::from([]),
            admission: None,
            jvm_args: Vec::new(),
            locale: "C.UTF-8",
            scratch,
            call_timeout: Duration::from_secs(2),
            probe_budget: 500_000,
            recycle_after: 200_000,
            interrupt: Arc::default(),
            peak_bytes: Arc::default(),
            first_report: Arc::default(),
        }
    }

    /// The same launch in two perturbed environments, like those of other machines, and with other defaults of these kinds; the
    /// first also adds the members that coverage tools add. Results that differ there depend on the environment.
    pub fn perturbed(&self, of: Defaults) -> [Launch; 2] {
        let [mut first, mut second, _] = self.with_other_defaults(of);
        first.added_members = true;
        // A machine whose file names are ASCII, unless its own are not.
        let is_ascii = |path: &PathBuf| path.to_string_lossy().is_ascii();
        let is_ascii = self.class_path.iter().chain([&self.java_home, &self.scratch]).all(is_ascii);
        for (launch, options) in [(&mut first, FIRST_PERTURBATION), (&mut second, SECOND_PERTURBATION)] {
            launch.jvm_args.extend(options.iter().map(|option| option.to_string()));
            if is_ascii {
                launch.locale = "C";
            }
        }
        [first, second]
    }

    /// The same launch with other defaults of these kinds.
    pub fn with_other_defaults(&self, of: Defaults) -> [Launch; 3] {
        OTHER_DEFAULTS.map(|(locale, time_zone)| {
            let locale = locale.iter().filter(|_| of.locale);
            let time_zone = Some(&time_zone).filter(|_| of.time_zone);
            let mut launch = self.clone();
            launch.jvm_args.extend(locale.chain(time_zone).map(|option| option.to_string()));
            launch
        })
    }

    /// Lets workers read the paths that these arguments of the JVM name.
    pub fn read_paths_of(&mut self, jvm_args: &[String]) {
        self.readable.extend(reach::named_by(jvm_args));
    }

    /// For a worker with this directory of its own.
    fn policy(&self, directory: &Path) -> Policy {
        Policy { level: self.sandbox, readable: self.readable.clone(), writable: vec![directory.to_path_buf()] }
    }

    fn setup(&self, directory: &str, operations: &[Operation]) -> Vec<u8> {
        let class_path: Vec<_> = self.class_path.iter().map(|path| path.to_string_lossy()).collect();
        let mut options: Vec<String> = JVM_OPTIONS.iter().map(|option| option.to_string()).collect();
        options.push(format!("-Djava.class.path={}", class_path.join(":")));
        options.push(format!("-Djava.io.tmpdir={directory}"));
        options.push(format!("-Duser.home={directory}"));
        options.extend(self.jvm_args.iter().cloned());
        let limits = setup::WorkerLimits {
            probe_count: self.probe_count,
            probe_budget: self.probe_budget,
            call_timeout_ms: self.call_timeout.as_millis() as u64,
            state: self.state,
            added_members: self.added_members,
            watches_loops: self.watches_loops,
            describes: self.describes,
        };
        let class_probes = self.class_probes.iter().map(|(name, first)| (name.internal(), *first));
        let tracing =
            setup::Tracing { class_methods: &self.class_methods, caches: &self.caches, observers: &self.observers };
        setup::encode(&options, &limits, class_probes, tracing, operations)
    }
}

/// The program that runs. On Linux by a link that still leads to it when the file was replaced or removed meanwhile.
pub fn this_program() -> PathBuf {
    let link = PathBuf::from("/proc/self/exe");
    if link.exists() { link } else { std::env::current_exe().unwrap_or_else(|_| PathBuf::from("randgen")) }
}

/// What every worker's JVM is started with.
///
/// Identity hashes count upwards (`hashCode=3`), as hash tables of objects without their own `hashCode` are laid out by
/// them and a replay must see the same layout. Methods are compiled when their counters say so and not when a compiler
/// thread gets to it (`-BackgroundCompilation`), as it depends on compilation how deep a recursion fits the stack; on
/// busy processors this costs nothing. A crash ends in SIGABRT and leaves no core, as the worker forbids that;
/// with `CreateCoredumpOnCrash` off it would end in status 1. A stack trace is as deep as reports show it.
const JVM_OPTIONS: &[&str] = &[
    "-Xms64m",
    "-Xmx256m",
    "-XX:+UseSerialGC",
    // A worker lives too short for the optimizing compiler: it took half of all CPU time and made a 60,000-sequence
    // search of commons-cli three times slower (docs/design/engine.md).
    "-XX:TieredStopAtLevel=1",
    // Probes push some methods over the size beyond which HotSpot would leave them interpreted.
    "-XX:-DontCompileHugeMethods",
    "-XX:MaxMetaspaceSize=160m",
    "-XX:MaxDirectMemorySize=32m",
    "-XX:ReservedCodeCacheSize=64m",
    // Caches behind soft references stay, so that no garbage collection shows in what a sequence does.
    "-XX:SoftRefLRUPolicyMSPerMB=1000000",
    "-XX:-UsePerfData",
    "-XX:-BackgroundCompilation",
    "-XX:+DisableAttachMechanism",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:MaxJavaStackTraceDepth=64",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=3",
    "-XX:ActiveProcessorCount=2",
    "-XX:+SuppressFatalErrorMessage",
    "-Xshare:auto",
    "-Xrs",
    "-ea",
    "-Djava.awt.headless=true",
    "-Djava.security.manager=disallow",
    "-Dfile.encoding=UTF-8",
    "-Duser.timezone=UTC",
    "-Duser.language=en",
    "-Duser.country=US",
];

/// A worker that ends before it has run anything was probably killed from outside. After this many in a row it was not.
const ATTEMPTS: u32 = 5;

/// Locales and time zones of other machines, as options of the JVM: a language in which `i` is not the lower case of `I`, one with
/// another calendar and another symbol of the US dollar, and one with other digits; offsets that are no whole numbers of hours.
const OTHER_DEFAULTS: [([&str; 2], &str); 3] = [
    (["-Duser.language=tr", "-Duser.country=TR"], "-Duser.timezone=Asia/Kolkata"),
    (["-Duser.language=th", "-Duser.country=TH"], "-Duser.timezone=America/St_Johns"),
    (["-Duser.language=ar", "-Duser.country=EG"], "-Duser.timezone=Pacific/Apia"),
];

/// Another name of the directory for files, an old charset, another number of processors, and identical identity hashes, so
/// that hash tables have another layout.
const FIRST_PERTURBATION: &[&str] =
    &["-Drandgen.files=randgen-first", "-Dfile.encoding=ISO-8859-1", "-XX:hashCode=2", "-XX:ActiveProcessorCount=3"];

/// Other names and another charset again.
const SECOND_PERTURBATION: &[&str] = &["-Drandgen.files=randgen-second", "-Dfile.encoding=US-ASCII"];

/// Why no worker is available.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// The user asked for the end of the run, by a signal.
    #[error("the run was interrupted")]
    Interrupted,
    /// The worker's process did not start.
    #[error("could not start a worker with `{program}`: {source}")]
    Spawn {
        /// The binary itself, which is started as a worker.
        program: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A worker has nowhere to write.
    #[error("could not make the scratch directory {}: {source}", path.display())]
    Scratch {
        /// The directory.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The JVM refuses its options, or its JDK is broken.
    #[error("the JVM of {} does not start{}: {message}", java_home.display(), with(jvm_args))]
    Jvm {
        /// The JDK.
        java_home: PathBuf,
        /// Options that the user set.
        jvm_args: Vec<String>,
        /// The JVM's own words.
        message: String,
    },
    /// It ended while it loaded the JVM; the text says how.
    #[error("a worker ended before it was ready: {0}")]
    Died(String),
    /// It is no worker of this randgen, or code under test forged the message.
    #[error("a worker sent a message that makes no sense")]
    Broken,
}

/// The JVM options that the user set, as part of a message; empty if there are none.
fn with(jvm_args: &[String]) -> String {
    if jvm_args.is_empty() { String::new() } else { format!(" with {}", jvm_args.join(" ")) }
}

/// Reads class files as a JVM finds them, from its own modules or the class path. No code under test runs.
pub struct ClassReader {
    launch: Launch,
    connection: Option<Connection>,
}

impl ClassReader {
    /// Starts a worker for it; needs no operations in `launch`.
    pub fn open(launch: &Launch) -> Result<ClassReader, SupervisorError> {
        let mut reader = ClassReader { launch: launch.clone(), connection: None };
        reader.connection()?;
        Ok(reader)
    }

    /// The class files of `names`, in order; `None` for those that are nowhere.
    pub fn read(&mut self, names: &[ClassName]) -> Result<Vec<Option<Vec<u8>>>, SupervisorError> {
        let mut classes = Vec::with_capacity(names.len());
        for names in names.chunks(500) {
            let mut request = Encoder::default();
            for name in names {
                request.text(&format!("{}.class", name.internal()));
            }
            let contents = self.ask(&request.bytes)?;
            let mut decoder = Decoder::new(&contents);
            for _ in names {
                let found = match decoder.u8() {
                    Ok(0) => None,
                    Ok(1) => Some(decoder.blob().map_err(|_| SupervisorError::Broken)?.to_vec()),
                    _ => return Err(SupervisorError::Broken),
                };
                classes.push(found);
            }
        }
        Ok(classes)
    }

    fn connection(&mut self) -> Result<&mut Connection, SupervisorError> {
        if self.connection.is_none() {
            self.connection = Some(Connection::open(&self.launch, "resources", &[])?);
        }
        self.connection.as_mut().ok_or(SupervisorError::Broken)
    }

    /// Asks again when the worker was killed: reading does nothing that ends one.
    fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, SupervisorError> {
        let mut attempts = 1;
        loop {
            match self.connection()?.ask(Kind::Resources, request, Kind::Contents) {
                Err(SupervisorError::Died(_)) if attempts < ATTEMPTS => {
                    attempts += 1;
                    self.connection = None;
                }
                result => return result,
            }
        }
    }
}

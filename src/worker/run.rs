//! Starts the JVM, adds randgen's own classes, and runs what the supervisor sends.

use super::initialisers::ReadingProbes;
use super::isolate::{self, leave};
use super::jni::{Env, JavaError};
use super::jvmti::{self, Jvmti, Numbers};
use super::mutants::Mutants;
use super::output::Output;
use super::vm::{Vm, VmError};
use super::watchdog::{self, OwnTime, Watch};
use super::{RUNTIME_CLASSES, clock, denials, exit, randomness, stub, threads};
use bytecode::instrument;
use jni_sys::{JNIEnv, jboolean, jclass, jfieldID, jint, jmethodID, jobject, jvalue};
use model::sequence::OperationKind;
use protocol::setup::{Setup, Target};
use protocol::{self, Decoder, Encoder, Kind, outcomes, sequences};
use std::ffi::c_void;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::ptr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Room for one sequence and for one outcome. Memory that is never touched costs nothing.
const INPUT: usize = 16 << 20;
const OUTPUT: usize = 32 << 20;

/// Local references of the start, the most of them to classes that are changed.
const START_LOCALS: jint = 128;

/// How long threads that a sequence left may take to end once interrupted, and how long each look at them takes at most.
const GRACE: Duration = Duration::from_millis(50);
const LOOK: Duration = Duration::from_millis(1);

/// With more descriptors open a sequence is taken to have left them; a JVM and its jars need far fewer.
const MOST_DESCRIPTORS: i32 = 400;

/// The JVM did not get to where sequences can run.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error(transparent)]
    Vm(#[from] VmError),
    #[error(transparent)]
    Java(#[from] JavaError),
    #[error(transparent)]
    Jvmti(#[from] jvmti::JvmtiError),
    #[error("the JVM has no JVMTI")]
    NoJvmti,
    #[error("no thread for the watchdog: {0}")]
    Thread(std::io::Error),
}

/// Runs on the thread whose stack the code under test gets.
pub fn run(mut channel: UnixStream, setup: Setup<'static>) -> ExitCode {
    let output = match channel.try_clone() {
        Ok(stream) => Output::new(stream),
        Err(_) => return ExitCode::from(71),
    };
    let watch = Watch::new(output);
    let mut machine = match Machine::start(setup, &watch) {
        Ok(machine) => machine,
        Err(error) => {
            // If this cannot be sent, the closed channel says enough.
            let _ = protocol::write_frame(&mut channel, Kind::Failed, error.to_string().as_bytes());
            leave();
        }
    };
    if protocol::write_frame(&mut channel, Kind::Ready, &[]).is_err() {
        leave();
    }
    eprintln!("ready");
    // The JVM is never shut down: that would wait for threads of the code under test and run its hooks.
    while let Ok(Some((kind, content))) = protocol::read_frame(&mut channel) {
        let done = match kind {
            Kind::Run => machine.run_all(&content),
            Kind::Resources => machine.send_resources(&content),
            _ => None,
        };
        if done.is_none() {
            break;
        }
    }
    leave()
}

/// The started JVM and what it takes to run a sequence in it.
struct Machine {
    env: Env,
    mutants: Mutants,
    executor: jclass,
    run: jmethodID,
    left_threads: jmethodID,
    resource: jmethodID,
    input: &'static mut [u8],
    output: &'static mut [u8],
    watch: Arc<Watch>,
    number: u64,
}

/// What native methods need; the JVM calls them without an argument of ours.
struct Tables {
    operations: Vec<Target<'static>>,
    /// Whose calls are traced.
    traced: Vec<&'static str>,
    /// Fields that are no state.
    caches: Vec<&'static str>,
    /// The instrumented classes by their first probes.
    owners: Vec<(u32, &'static str)>,
    /// Methods without parameters that change nothing.
    observers: Vec<&'static str>,
    loader: jobject,
    accessible: jfieldID,
}

// SAFETY: the loader is a global reference and the field is an id; any thread may use both.
unsafe impl Send for Tables {}
// SAFETY: as above; nothing is changed after the start.
unsafe impl Sync for Tables {}

static TABLES: OnceLock<Tables> = OnceLock::new();

impl Tables {
    /// The class that has the probe, with its first one.
    fn first_probe(&self, probe: jint) -> Option<&(u32, &'static str)> {
        let after = self.owners.partition_point(|(first, _)| *first <= probe as u32);
        self.owners.get(after.checked_sub(1)?)
    }
}

impl Machine {
    fn start(setup: Setup<'static>, watch: &Arc<Watch>) -> Result<Machine, StartError> {
        let vm = Vm::start(&setup.jvm_options)?;
        let env = vm.attach(c"main", ptr::null_mut(), false)?;
        env.ensure_locals(START_LOCALS)?;
        // SAFETY: the JVM answered with a JVMTI environment.
        let jvmti = unsafe { Jvmti::from_raw(vm.environment(jvmti::VERSION).ok_or(StartError::NoJvmti)?) };
        define_runtime(env)?;
        set_limits(env, jvmti, &setup)?;
        settle_iteration_order(env)?;
        threads::count_starts(env, env.find_class("randgen/runtime/Probes")?)?;
        let classes: Vec<&str> = setup.class_probes.iter().map(|(name, _)| *name).collect();
        let mut owners: Vec<_> = setup.class_probes.iter().map(|(name, first)| (*first, *name)).collect();
        owners.sort_unstable();
        let traced_classes = if setup.class_methods.is_empty() { Vec::new() } else { classes.clone() };
        let numbers =
            numbers(setup.class_probes, &setup.class_methods, setup.probe_count, setup.watches_loops).collect();
        jvmti.hook_classes(numbers, setup.added_members)?;
        let mut changed = vec![env.find_class(exit::RUNTIME)?];
        // Not every JDK has all of these.
        let names = clock::CLASSES.iter().chain(denials::CLASSES).chain(randomness::CLASSES);
        changed.extend(names.filter_map(|name| env.find_class(name).ok()));
        jvmti.retransform(&changed)?;

        let executor = env.find_class("randgen/runtime/Executor")?;
        let tables = Tables {
            operations: setup.operations,
            traced: traced_classes,
            caches: setup.caches,
            owners,
            observers: setup.observers,
            loader: env.global(system_loader(env)?),
            accessible: env.field(env.find_class("java/lang/reflect/AccessibleObject")?, "override", "Z")?,
        };
        // This runs once per process.
        let _ = TABLES.set(tables);
        // SAFETY: all are static natives whose parameters the functions below have.
        unsafe {
            env.register_natives(
                executor,
                &[
                    (c"define", c"(I)Ljava/lang/Object;", define as *mut c_void),
                    (c"initialised", c"(I)Ljava/lang/String;", initialised as *mut c_void),
                    (c"open", c"([Ljava/lang/reflect/AccessibleObject;)V", open as *mut c_void),
                    (c"traced", c"(I)Ljava/lang/String;", traced as *mut c_void),
                    (c"cache", c"(I)Ljava/lang/String;", cache as *mut c_void),
                    (c"owner", c"(I)Ljava/lang/String;", owner as *mut c_void),
                    (c"readsStatics", c"(I[B[BI)Z", reads_statics as *mut c_void),
                    (c"observer", c"(I)Ljava/lang/String;", observer as *mut c_void),
                ],
            )?;
        }
        let input = vec![0; INPUT].leak();
        let output = vec![0; OUTPUT].leak();
        let start = env.static_method(executor, "start", "(Ljava/nio/ByteBuffer;Ljava/nio/ByteBuffer;)V")?;
        // SAFETY: the memory is leaked, so it stays; the method takes two buffers.
        unsafe {
            let buffers = [
                jvalue { l: env.direct_buffer(input.as_mut_ptr(), INPUT)? },
                jvalue { l: env.direct_buffer(output.as_mut_ptr(), OUTPUT)? },
            ];
            env.call_static_void(executor, start, &buffers)?;
        }
        let machine = Machine {
            env,
            mutants: Mutants::new(env, jvmti, classes, executor)?,
            executor,
            run: env.static_method(executor, "run", "(I)I")?,
            left_threads: env.static_method(executor, "leftThreads", "(Z)Z")?,
            resource: env.static_method(executor, "resource", "(Ljava/lang/String;)[B")?,
            input,
            output,
            watch: watch.clone(),
            number: 0,
        };
        start_watchdog(vm, env, jvmti, watch.clone(), Duration::from_millis(setup.call_timeout_ms))?;
        Ok(machine)
    }

    /// Runs the sequences of a message and reports each. `None` when there is nobody left to report to.
    fn run_all(&mut self, message: &[u8]) -> Option<()> {
        let mut decoder = Decoder::new(message);
        while !decoder.is_empty() {
            let spent = self.run_one(decoder.blob().ok()?)?;
            if spent {
                self.watch.output.lock().ok()?.flush().ok()?;
                leave();
            }
        }
        self.watch.output.lock().ok()?.flush().ok()
    }

    /// Runs one sequence; whether the worker is spent by it.
    fn run_one(&mut self, message: &[u8]) -> Option<bool> {
        self.number += 1;
        let (mutant, sequence) = sequences::split_mutant(message).ok()?;
        if let Err(error) = self.mutants.switch_to(mutant) {
            let outcome = outcomes::unlinkable(&error.to_string());
            self.watch.output.lock().ok()?.push(Kind::Outcome, &[&outcome]).ok()?;
            return Some(false);
        }
        self.input.get_mut(..sequence.len())?.copy_from_slice(sequence);
        let threads_before = threads::begin();
        let classes_before = jvmti::loaded();
        self.watch.begin(self.number);
        // SAFETY: the method takes an int and returns one.
        let length =
            unsafe { self.env.call_static_int(self.executor, self.run, &[jvalue { i: sequence.len() as jint }]) };
        // The executor catches what code under test throws. As far as is known it throws itself only if memory does not even
        // last for a report.
        let failed = self.env.clear_exception();
        let mut spent = false;
        let mut why = "";
        let started_threads = !failed && threads::started() != threads_before;
        if started_threads {
            spent = self.has_left_threads();
            why = "threads left";
        }
        self.watch.end();
        if !spent && isolate::open_descriptors() > MOST_DESCRIPTORS {
            spent = true;
            why = "too many open files";
        }
        let mut output = self.watch.output.lock().ok()?;
        if self.watch.was_stopped(self.number) {
            output.push(Kind::Outcome, &[&outcomes::stopped()]).ok()?;
            eprintln!("spent after {} sequences: it was stopped", self.number);
            return Some(true);
        }
        if failed {
            let statements = sequences::statements(sequence).ok()?;
            output.push(Kind::Outcome, &[&outcomes::out_of_memory(statements)]).ok()?;
            eprintln!("spent after {} sequences: an exception in the executor", self.number);
            return Some(true);
        }
        match self.output.get_mut(..usize::try_from(length).ok()?) {
            Some(outcome) if outcome.len() > 1 => {
                // A run that was cut short may have left a class that it initialised unusable for good.
                if outcomes::may_have_done_harm(outcome) && jvmti::loaded() != classes_before {
                    spent = true;
                    why = "cut short while classes were loaded";
                }
                if started_threads {
                    outcomes::note_threads(outcome);
                }
                if spent {
                    outcome[1] |= outcomes::SPENT;
                }
                output.push(Kind::Outcome, &[outcome]).ok()?;
                if outcome[1] & outcomes::SPENT == 0 {
                    return Some(false);
                }
                // The log is a maintainer's; otherwise this leads nowhere.
                eprintln!("spent after {} sequences: {}", self.number, if spent { why } else { "memory is short" });
                Some(true)
            }
            _ => None,
        }
    }

    /// Interrupts threads that a sequence left and waits a little; whether some still run.
    fn has_left_threads(&self) -> bool {
        let mut grace = OwnTime::new(GRACE, LOOK);
        let mut is_first = true;
        loop {
            // SAFETY: the method takes a boolean and returns one.
            let left =
                unsafe { self.env.call_static_boolean(self.executor, self.left_threads, &[jvalue { z: is_first }]) };
            let failed = self.env.clear_exception();
            let left = left || threads::has_virtual();
            if failed || !left || grace.is_over() {
                return failed || left;
            }
            is_first = false;
        }
    }

    fn send_resources(&mut self, message: &[u8]) -> Option<()> {
        let mut decoder = Decoder::new(message);
        let mut contents = Encoder::default();
        while !decoder.is_empty() {
            let name = self.env.string(decoder.text().ok()?).ok()?;
            // SAFETY: the method takes a string and returns a byte array or null.
            let found = unsafe {
                match self.env.call_static_object(self.executor, self.resource, &[jvalue { l: name }]) {
                    Ok(array) if !array.is_null() => {
                        let bytes = self.env.byte_array(array);
                        self.env.delete_local(array);
                        Some(bytes)
                    }
                    _ => None,
                }
            };
            self.env.delete_local(name);
            contents.u8(u8::from(found.is_some()));
            if let Some(bytes) = found {
                contents.blob(&bytes);
            }
        }
        let mut output = self.watch.output.lock().ok()?;
        output.push(Kind::Contents, &[&contents.bytes]).ok()?;
        output.flush().ok()
    }
}

/// The numbers of each class: its probes are those from its first to the next class's first.
fn numbers(
    first_probes: Vec<(&'static str, u32)>,
    first_methods: &[u32],
    probe_count: u32,
    loops: bool,
) -> impl Iterator<Item = (&'static str, Numbers)> {
    let mut classes: Vec<_> = first_probes
        .into_iter()
        .enumerate()
        .map(|(at, (name, first))| (first, name, at as u32, first_methods.get(at).copied()))
        .collect();
    classes.sort_unstable();
    let ends: Vec<u32> = classes.iter().skip(1).map(|(first, ..)| *first).chain([probe_count]).collect();
    classes.into_iter().zip(ends).map(move |((first, name, class, first_method), end)| {
        (name, Numbers { class, probes: first..end, first_method, loops })
    })
}

/// Adds randgen's classes to the boot loader, superclasses before subclasses.
fn define_runtime(env: Env) -> Result<(), JavaError> {
    let mut pending: Vec<_> = RUNTIME_CLASSES.iter().collect();
    while !pending.is_empty() {
        let before = pending.len();
        pending.retain(|(name, bytes)| match env.define_class(name, ptr::null_mut(), bytes) {
            Ok(class) => {
                env.delete_local(class);
                false
            }
            Err(_) => {
                env.clear_exception();
                true
            }
        });
        if pending.len() == before {
            return Err(JavaError(format!("could not define {}", pending[0].0)));
        }
    }
    Ok(())
}

/// Sets the numbers that the other runtime classes read when they are initialised.
fn set_limits(env: Env, jvmti: Jvmti, setup: &Setup) -> Result<(), StartError> {
    let limits = env.find_class("randgen/runtime/Limits")?;
    // Reflection costs ten times as much to read a field.
    let java_base = env.module_of(env.find_class("java/lang/Object")?);
    jvmti.export(java_base, c"jdk.internal.misc", env.module_of(limits))?;
    env.set_static_int(limits, "probes", setup.probe_count as i32)?;
    env.set_static_int(limits, "budget", setup.probe_budget.min(i32::MAX as u64) as i32)?;
    env.set_static_int(limits, "operations", setup.operations.len() as i32)?;
    env.set_static_int(limits, "state", setup.state as i32)?;
    env.set_static_boolean(limits, "describes", setup.describes)?;
    env.set_static_boolean(limits, "loops", setup.watches_loops)?;
    Ok(())
}

/// Immutable sets and maps iterate in an order that each JVM draws from its clock.
fn settle_iteration_order(env: Env) -> Result<(), JavaError> {
    let collections = env.find_class("java/util/ImmutableCollections")?;
    env.set_static_long(collections, "SALT32L", 0x2545_F491)?;
    env.set_static_boolean(collections, "REVERSE", false)
}

fn system_loader(env: Env) -> Result<jobject, JavaError> {
    let class = env.find_class("java/lang/ClassLoader")?;
    let method = env.static_method(class, "getSystemClassLoader", "()Ljava/lang/ClassLoader;")?;
    // SAFETY: the method takes nothing and returns an object.
    unsafe { env.call_static_object(class, method, &[]) }
}

/// Starts the watchdog among the system's threads. It is one of them when this returns, and so not counted as left by a sequence.
fn start_watchdog(vm: Vm, env: Env, jvmti: Jvmti, watch: Arc<Watch>, timeout: Duration) -> Result<(), StartError> {
    let thread_class = env.find_class("java/lang/Thread")?;
    let current = env.static_method(thread_class, "currentThread", "()Ljava/lang/Thread;")?;
    let group_of = env.method(thread_class, "getThreadGroup", "()Ljava/lang/ThreadGroup;")?;
    let parent_of = env.method(env.find_class("java/lang/ThreadGroup")?, "getParent", "()Ljava/lang/ThreadGroup;")?;
    let stopped = env.find_class("randgen/runtime/Stopped")?;
    // SAFETY: the methods are those of the objects' classes and take nothing; the thread of the worker is in the group
    // "main", whose parent is the system's.
    let (thread, group) = unsafe {
        let thread = env.call_static_object(thread_class, current, &[])?;
        let group = env.call_object(env.call_object(thread, group_of)?, parent_of)?;
        (env.global(thread), env.global(group))
    };
    let target = watchdog::Target { jvmti, thread, exception: env.global(env.alloc_object(stopped)) };
    let group = Global(group);
    let (attached, is_attached) = std::sync::mpsc::channel();
    std::thread::Builder::new()
        .name("watchdog".to_string())
        .spawn(move || {
            let group = group;
            let has_attached = vm.attach(c"randgen watchdog", group.0, true).is_ok();
            // The other end waits.
            let _ = attached.send(());
            if has_attached {
                watchdog::watch(&watch, &target, timeout);
                // Detaching would need the JVM's cooperation; the process ends soon.
                loop {
                    std::thread::park();
                }
            }
        })
        .map_err(StartError::Thread)?;
    // A thread that ended without a word is gone, too.
    let _ = is_attached.recv();
    Ok(())
}

struct Global(jobject);

// SAFETY: it holds a global reference, which any attached thread may use.
unsafe impl Send for Global {}

/// `Executor.define`: the stub of an operation, or the descriptor of an array's elements.
unsafe extern "C" fn define(raw: *mut JNIEnv, _class: jclass, operation: jint) -> jobject {
    // SAFETY: the JVM passes the environment of the current thread.
    let env = unsafe { Env::from_raw(raw) };
    let Some((tables, target)) =
        TABLES.get().and_then(|tables| Some((tables, tables.operations.get(operation as usize)?)))
    else {
        return ptr::null_mut();
    };
    if target.kind == OperationKind::Array {
        return env.string(target.descriptor).unwrap_or(ptr::null_mut());
    }
    let generated = std::panic::catch_unwind(|| stub::generate(operation as u32, target).ok()).unwrap_or(None);
    let mut stub = ptr::null_mut();
    for (name, bytes) in generated.unwrap_or_default() {
        let bytes = instrument::still(&bytes).unwrap_or(std::borrow::Cow::Borrowed(&bytes));
        env.delete_local(stub);
        // A failure leaves the exception pending, for the executor to catch.
        let Ok(class) = env.define_class(&name, tables.loader, &bytes) else { return ptr::null_mut() };
        stub = class;
    }
    if stub.is_null() {
        return ptr::null_mut();
    }
    let object = env.alloc_object(stub);
    env.delete_local(stub);
    object
}

/// `Executor.initialised`: the class under test that a call of the operation initialises (JVMS §5.5).
unsafe extern "C" fn initialised(raw: *mut JNIEnv, _class: jclass, operation: jint) -> jobject {
    // SAFETY: the JVM passes the environment of the current thread.
    let env = unsafe { Env::from_raw(raw) };
    let target = TABLES.get().and_then(|tables| tables.operations.get(operation as usize));
    let initialises = |kind| {
        use OperationKind::{Constructor, GetStatic, SetStatic, StaticMethod};
        matches!(kind, Constructor | StaticMethod | GetStatic | SetStatic)
    };
    let extends = |target: &Target| target.kind == OperationKind::Implementation && !target.owner_is_interface;
    match target {
        Some(target) if (initialises(target.kind) || extends(target)) && jvmti::is_instrumented(target.owner) => {
            env.string(&target.owner.replace('/', ".")).unwrap_or(ptr::null_mut())
        }
        _ => ptr::null_mut(),
    }
}

/// `Executor.traced`: the names of the classes whose calls are traced, one after the other; null behind the last.
unsafe extern "C" fn traced(raw: *mut JNIEnv, _class: jclass, index: jint) -> jobject {
    // SAFETY: the JVM passes the environment of the current thread.
    let env = unsafe { Env::from_raw(raw) };
    let name = TABLES.get().and_then(|tables| tables.traced.get(index as usize));
    name.and_then(|name| env.string(&name.replace('/', ".")).ok()).unwrap_or(ptr::null_mut())
}

/// `Executor.cache`: likewise, the fields that are no state.
unsafe extern "C" fn cache(raw: *mut JNIEnv, _class: jclass, index: jint) -> jobject {
    // SAFETY: the JVM passes the environment of the current thread.
    let env = unsafe { Env::from_raw(raw) };
    member(env, |tables| &tables.caches, index)
}

/// `Executor.observer`: likewise, the methods that say something of an object's state.
unsafe extern "C" fn observer(raw: *mut JNIEnv, _class: jclass, index: jint) -> jobject {
    // SAFETY: the JVM passes the environment of the current thread.
    let env = unsafe { Env::from_raw(raw) };
    member(env, |tables| &tables.observers, index)
}

fn member(env: Env, list: impl Fn(&Tables) -> &Vec<&'static str>, index: jint) -> jobject {
    let member = TABLES.get().and_then(|tables| list(tables).get(index as usize));
    member.and_then(|member| env.string(member).ok()).unwrap_or(ptr::null_mut())
}

/// `Executor.readsStatics`: whether the probe's method, of the class file `reader`, reads what the static initialiser of the other
/// class file writes from this line on.
unsafe extern "C" fn reads_statics(
    raw: *mut JNIEnv,
    _class: jclass,
    probe: jint,
    reader: jobject,
    initialised: jobject,
    line: jint,
) -> jboolean {
    // SAFETY: the JVM passes the environment of the current thread and two byte arrays.
    let (reader, initialised) = unsafe {
        let env = Env::from_raw(raw);
        (env.byte_array(reader), env.byte_array(initialised))
    };
    let probing = || {
        let first = TABLES.get()?.first_probe(probe)?.0;
        let probes = ReadingProbes::of(&reader, &initialised, u16::try_from(line).ok());
        Some(probes.has(probe as usize - first as usize))
    };
    let reads = std::panic::catch_unwind(probing).ok().flatten().unwrap_or(true);
    jboolean::from(reads)
}

/// `Executor.owner`: the class that has the probe.
unsafe extern "C" fn owner(raw: *mut JNIEnv, _class: jclass, probe: jint) -> jobject {
    // SAFETY: the JVM passes the environment of the current thread.
    let env = unsafe { Env::from_raw(raw) };
    let name = TABLES.get().and_then(|tables| tables.first_probe(probe));
    name.and_then(|(_, name)| env.string(&name.replace('/', ".")).ok()).unwrap_or(ptr::null_mut())
}

/// `Executor.open`: makes reflective objects skip their access checks.
unsafe extern "C" fn open(raw: *mut JNIEnv, _class: jclass, fields: jobject) {
    // SAFETY: the JVM passes the environment of the current thread and an array of fields, which are accessible objects.
    unsafe {
        if let Some(tables) = TABLES.get() {
            Env::from_raw(raw).set_boolean_in_all(fields, tables.accessible);
        }
    }
}

//! JVMTI over its raw function table: instrumenting classes as they load, and stopping a thread.
//!
//! No crate binds JVMTI; function number n of its specification is slot n − 1 of the table.

use super::{clock, denials, exit, randomness, stub, threads};
use bytecode::instrument::{self, Mutation};
use jni_sys::{jclass, jint, jobject};
use model::execution::mutant::{Mutant, Mutator};
use rustc_hash::FxHashMap;
use std::ffi::{CStr, c_char, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, mpsc};
use std::{ptr, slice};

/// JVMTI 1.2, which all JVMs of interest have.
pub const VERSION: jint = 0x3001_0200;

const SET_EVENT_NOTIFICATION_MODE: usize = 1;
const STOP_THREAD: usize = 6;
const ALLOCATE: usize = 45;
const ADD_MODULE_EXPORTS: usize = 94;
const SET_EVENT_CALLBACKS: usize = 121;
const ADD_CAPABILITIES: usize = 141;
const RETRANSFORM_CLASSES: usize = 151;

const CLASS_FILE_LOAD_HOOK: jint = 54;
/// Position of that event's function among the callbacks, which begin with event 50.
const CLASS_FILE_LOAD_HOOK_SLOT: usize = 4;
const CALLBACKS: usize = 40;

const VIRTUAL_THREAD_START: jint = 87;
const VIRTUAL_THREAD_END: jint = 88;
const VIRTUAL_THREAD_START_SLOT: usize = 37;

/// Bits: 10 signal thread (StopThread), 26 hooks for all classes, 37 retransform.
const CAPABILITIES: u64 = 1 << 10 | 1 << 26 | 1 << 37;

/// Bit 44, of JVMs from Java 21 on.
const SUPPORT_VIRTUAL_THREADS: u64 = 1 << 44;

/// A JVMTI function failed with the number.
#[derive(Debug, thiserror::Error)]
#[error("JVMTI function {function} failed with {code}")]
pub struct JvmtiError {
    function: usize,
    code: jint,
}

/// The JVMTI environment; usable from any attached thread.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Jvmti(*mut *const *const c_void);

// SAFETY: JVMTI environments may be used by all threads (JVMTI specification, "Environments").
unsafe impl Send for Jvmti {}

impl Jvmti {
    /// # Safety
    /// `raw` is a JVMTI environment of the living JVM.
    pub unsafe fn from_raw(raw: *mut c_void) -> Jvmti {
        Jvmti(raw.cast())
    }

    /// # Safety
    /// `F` is the type of the function in the slot.
    unsafe fn function<F: Copy>(self, slot: usize) -> F {
        // SAFETY: the table has far more slots than the ones named here, and the caller vouches for the type.
        unsafe { *(*self.0).add(slot).cast::<F>() }
    }

    fn check(function: usize, code: jint) -> Result<(), JvmtiError> {
        if code == 0 { Ok(()) } else { Err(JvmtiError { function: function + 1, code }) }
    }

    /// Has every class pass the hook of this module from now on: those of `numbers` are instrumented, and get members more
    /// if they are to.
    pub fn hook_classes(
        self,
        numbers: FxHashMap<&'static str, Numbers>,
        added_members: bool,
    ) -> Result<(), JvmtiError> {
        let (sender, receiver) = mpsc::channel::<Splice>();
        std::thread::spawn(move || splice_all(&receiver, added_members));
        // There is one JVM per process, and this runs once.
        let _ = SPLICER.set(Splicer { numbers, requests: Mutex::new(sender) });
        let mut callbacks = [ptr::null::<c_void>(); CALLBACKS];
        callbacks[CLASS_FILE_LOAD_HOOK_SLOT] = class_file_load_hook as *const c_void;
        callbacks[VIRTUAL_THREAD_START_SLOT] = threads::virtual_thread_starts as *const c_void;
        callbacks[VIRTUAL_THREAD_START_SLOT + 1] = threads::virtual_thread_ends as *const c_void;
        let capabilities = [CAPABILITIES, 0];
        // SAFETY: the function types are those of the specification for the three slots; the JVM copies capabilities
        // and callbacks.
        unsafe {
            let add: extern "C" fn(Jvmti, *const u64) -> jint = self.function(ADD_CAPABILITIES);
            Jvmti::check(ADD_CAPABILITIES, add(self, capabilities.as_ptr()))?;
            let set: extern "C" fn(Jvmti, *const *const c_void, jint) -> jint = self.function(SET_EVENT_CALLBACKS);
            Jvmti::check(SET_EVENT_CALLBACKS, set(self, callbacks.as_ptr(), size_of_val(&callbacks) as jint))?;
            let enable: unsafe extern "C" fn(Jvmti, jint, jint, jobject, ...) -> jint =
                self.function(SET_EVENT_NOTIFICATION_MODE);
            // Before Java 21 there are none to be told of.
            if add(self, [SUPPORT_VIRTUAL_THREADS, 0].as_ptr()) == 0 {
                for event in [VIRTUAL_THREAD_START, VIRTUAL_THREAD_END] {
                    Jvmti::check(SET_EVENT_NOTIFICATION_MODE, enable(self, 1, event, ptr::null_mut()))?;
                }
            }
            Jvmti::check(SET_EVENT_NOTIFICATION_MODE, enable(self, 1, CLASS_FILE_LOAD_HOOK, ptr::null_mut()))
        }
    }

    /// Passes classes that are loaded through the hook again.
    pub fn retransform(self, classes: &[jclass]) -> Result<(), JvmtiError> {
        // SAFETY: the function type is that of the slot, and the classes are live references.
        unsafe {
            let retransform: extern "C" fn(Jvmti, jint, *const jclass) -> jint = self.function(RETRANSFORM_CLASSES);
            Jvmti::check(RETRANSFORM_CLASSES, retransform(self, classes.len() as jint, classes.as_ptr()))
        }
    }

    /// Lets `to` use the public classes of a package of `from`.
    pub fn export(self, from: jobject, package: &CStr, to: jobject) -> Result<(), JvmtiError> {
        // SAFETY: the function type is that of the slot, and both modules are live references.
        unsafe {
            let export: extern "C" fn(Jvmti, jobject, *const c_char, jobject) -> jint =
                self.function(ADD_MODULE_EXPORTS);
            Jvmti::check(ADD_MODULE_EXPORTS, export(self, from, package.as_ptr(), to))
        }
    }

    /// Makes `thread` throw `exception` wherever it is in Java code.
    pub fn stop(self, thread: jobject, exception: jobject) -> Result<(), JvmtiError> {
        // SAFETY: the function type is that of the slot, and both are global references.
        unsafe {
            let stop: extern "C" fn(Jvmti, jobject, jobject) -> jint = self.function(STOP_THREAD);
            Jvmti::check(STOP_THREAD, stop(self, thread, exception))
        }
    }

    fn allocate(self, bytes: &[u8]) -> Option<*mut u8> {
        let mut memory = ptr::null_mut();
        // SAFETY: the function type is that of the slot; the memory is as large as was asked for.
        unsafe {
            let allocate: extern "C" fn(Jvmti, i64, *mut *mut u8) -> jint = self.function(ALLOCATE);
            if allocate(self, bytes.len() as i64, &mut memory) != 0 || memory.is_null() {
                return None;
            }
            ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len());
        }
        Some(memory)
    }
}

/// The numbers that a class to instrument gets.
#[derive(Clone)]
pub struct Numbers {
    /// Its own.
    pub class: u32,
    pub probes: Range<u32>,
    /// Of its first method, where calls are traced.
    pub first_method: Option<u32>,
    /// Whether its loops are watched.
    pub loops: bool,
}

/// What the hook needs; it is called without an argument of ours.
struct Splicer {
    numbers: FxHashMap<&'static str, Numbers>,
    requests: Mutex<mpsc::Sender<Splice>>,
}

static SPLICER: OnceLock<Splicer> = OnceLock::new();

/// A mutant that its class is to get, with others or not.
#[derive(Clone)]
pub struct Request {
    pub mutant: Mutant,
    /// Otherwise the class gets as many mutants as there is room for.
    pub is_alone: bool,
    /// The first ones of those: they are requested in turns.
    pub in_turns: Vec<Mutant>,
}

/// What the class of the mutant gets if it passes the hook again.
static REQUEST: Mutex<Option<Request>> = Mutex::new(None);

/// The mutants that it got, with their numbers.
static INSERTED: Mutex<Vec<(Mutant, i32)>> = Mutex::new(Vec::new());

/// Redefines a class by `redefine`, which passes it through the hook again; returns the mutants that it got, with their numbers.
pub fn with_mutants(
    request: Request,
    redefine: impl FnOnce() -> Result<(), JvmtiError>,
) -> Result<Vec<(Mutant, i32)>, JvmtiError> {
    let set = |to| drop(REQUEST.lock().map(|mut current| *current = to));
    set(Some(request));
    let redefined = redefine();
    set(None);
    let inserted = INSERTED.lock().map(|mut inserted| std::mem::take(&mut *inserted)).unwrap_or_default();
    redefined.map(|()| inserted)
}

/// The numbers of a class begin at its own number times this, so that no mutant of another class has one of them.
const MUTANTS_OF_A_CLASS: usize = 4096;

/// The mutants that a class is asked to have, the most wanted first: the one that is requested, those that are requested in turns, and
/// those behind it, of which the ones that are reported come first.
fn numbered(bytes: &[u8], class: u32, request: Request) -> Vec<(i32, Mutant)> {
    let mutators = if request.is_alone { &[][..] } else { &Mutator::ALL };
    let found = instrument::mutants(bytes, mutators).unwrap_or_default();
    let mutant = |one: Mutation| Mutant { class, method: one.method, pc: one.pc, mutator: one.mutator };
    let wanted = in_order(found.into_iter().map(mutant).collect(), &request);
    let first = (class as i32).wrapping_mul(MUTANTS_OF_A_CLASS as i32);
    (1..).map(|number| first.wrapping_add(number)).zip(wanted).take(MUTANTS_OF_A_CLASS - 1).collect()
}

/// The mutants: the requested one, then those that are requested again and again, and the others from it on, of which the ones that are
/// reported come first.
fn in_order(mut wanted: Vec<Mutant>, request: &Request) -> Vec<Mutant> {
    let Request { mutant: requested, in_turns, .. } = request;
    wanted.sort_by_key(|mutant| !mutant.mutator.is_default());
    match wanted.iter().position(|mutant| mutant == requested) {
        Some(at) => wanted.rotate_left(at),
        None => wanted.insert(0, *requested),
    }
    let in_turn = |mutant: &Mutant| in_turns.iter().position(|one| one == mutant);
    wanted[1..].sort_by_key(|mutant| in_turn(mutant).unwrap_or(in_turns.len()));
    wanted
}

static LOADED: AtomicU64 = AtomicU64::new(0);

/// How many classes have been loaded since the hook is there, stubs left out.
pub fn loaded() -> u64 {
    LOADED.load(Ordering::Relaxed)
}

/// Whether the class is one of those under test.
pub fn is_instrumented(name: &str) -> bool {
    SPLICER.get().is_some_and(|splicer| splicer.numbers.contains_key(name))
}

/// A class to instrument, its numbers, the mutant that it is to get, and where the result goes.
struct Splice {
    bytes: Vec<u8>,
    numbers: Numbers,
    mutant: Option<Request>,
    reply: mpsc::Sender<Option<Vec<u8>>>,
}

/// Instruments on a thread of its own: the thread that loads the class may be near the end of its stack.
fn splice_all(requests: &mpsc::Receiver<Splice>, added_members: bool) {
    for request in requests {
        let Splice { bytes, numbers, mutant, reply } = request;
        let spliced = std::panic::catch_unwind(|| {
            let spliced = splice(&bytes, &numbers, mutant)?;
            if added_members { instrument::with_added_members(&spliced).ok() } else { Some(spliced) }
        });
        let spliced = spliced.unwrap_or(None);
        // The hook waits for the reply; it cannot be gone.
        let _ = reply.send(spliced);
    }
}

/// A class that cannot be instrumented runs as it is; so does one that is not the class file the probes were counted in,
/// as another version in a multi-release jar would not be. A class that cannot have mutants has none.
fn splice(bytes: &[u8], numbers: &Numbers, mutant: Option<Request>) -> Option<Vec<u8>> {
    let Numbers { probes, first_method, loops, .. } = numbers;
    let insertion = instrument::Insertion { first_probe: probes.start, first_method: *first_method, loops: *loops };
    if instrument::plan(bytes).ok()?.probes.len() != numbers.probes.len() {
        return None;
    }
    if let Some(request) = mutant {
        let wanted = numbered(bytes, numbers.class, request);
        if let Ok(mutated) = instrument::mutate(bytes, &insertion, &wanted) {
            let had = |(number, _): &&(i32, Mutant)| mutated.numbers.contains(number);
            let inserted = wanted.iter().filter(had).map(|(number, mutant)| (*mutant, *number));
            *INSERTED.lock().ok()? = inserted.collect();
            return Some(mutated.bytes);
        }
    }
    instrument::splice(bytes, &insertion).ok().map(|spliced| spliced.bytes)
}

impl Splicer {
    fn instrument(&self, bytes: &[u8], numbers: &Numbers, mutant: Option<Request>) -> Option<Vec<u8>> {
        let (reply, answer) = mpsc::channel();
        let request = Splice { bytes: bytes.to_vec(), numbers: numbers.clone(), mutant, reply };
        self.requests.lock().ok()?.send(request).ok()?;
        answer.recv().ok()?
    }
}

extern "C" fn class_file_load_hook(
    jvmti: Jvmti,
    _jni: *mut c_void,
    redefined: jclass,
    _loader: jobject,
    name: *const c_char,
    _protection_domain: jobject,
    length: jint,
    bytes: *const u8,
    new_length: *mut jint,
    new_bytes: *mut *mut u8,
) {
    if name.is_null() || bytes.is_null() {
        return;
    }
    // SAFETY: the JVM passes a terminated name and `length` bytes that live through the call.
    let (name, bytes) = unsafe { (CStr::from_ptr(name), slice::from_raw_parts(bytes, length as usize)) };
    let (Ok(name), Some(splicer)) = (name.to_str(), SPLICER.get()) else { return };
    if redefined.is_null() && !stub::is_stub(name) {
        LOADED.fetch_add(1, Ordering::Relaxed);
    }
    let changed = match splicer.numbers.get(name) {
        Some(numbers) => {
            // Not when it is loaded: what its static initialiser leaves is there for all later sequences.
            let request = REQUEST.lock().ok().and_then(|current| current.clone()).filter(|_| !redefined.is_null());
            let mutant = request.filter(|request| request.mutant.class == numbers.class);
            splicer.instrument(bytes, numbers, mutant)
        }
        None if name == exit::RUNTIME && !redefined.is_null() => exit::without_exit(bytes),
        None if randomness::CLASSES.contains(&name) => randomness::announced(name, bytes),
        None if clock::CLASSES.contains(&name) => clock::stilled(name, bytes),
        None if denials::CLASSES.contains(&name) => denials::announced(name, bytes),
        None => return,
    };
    if let Some(changed) = changed
        && let Some(memory) = jvmti.allocate(&changed)
    {
        // SAFETY: both pointers are the JVM's own results, to be set together.
        unsafe {
            *new_length = changed.len() as jint;
            *new_bytes = memory;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requested_mutant_comes_first_then_those_in_turns_and_those_behind_it() {
        let mutant = |pc, mutator| Mutant { class: 0, method: 0, pc, mutator };
        let math = |pc| mutant(pc, Mutator::Math);
        let rounding = mutant(1, Mutator::Rounding);
        let all = vec![math(0), rounding, math(2), math(4)];
        let order = |mutant, in_turns: &[Mutant]| {
            in_order(all.clone(), &Request { mutant, is_alone: false, in_turns: in_turns.to_vec() })
        };
        assert_eq!(order(math(2), &[]), [math(2), math(4), rounding, math(0)]);
        assert_eq!(order(rounding, &[]), [rounding, math(0), math(2), math(4)]);
        // A filter leaves it out, which other settings do not have.
        assert_eq!(order(math(6), &[]), [math(6), math(0), math(2), math(4), rounding]);
        assert_eq!(order(math(2), &[math(2), math(0), rounding]), [math(2), math(0), rounding, math(4)]);
    }
}

//! Counts the threads that Java code starts, so that a sequence that starts none costs nothing.
//!
//! A sequence that starts very many is refused more, with the error that the JVM has for it, long before the machine
//! feels it.
//!
//! `Thread.start0` is native and bound by name; the worker binds it again to a function that counts and goes on to the
//! JVM's own. Virtual threads, which no group lists, are counted by events of JVMTI.

use super::jni::{Env, JavaError};
use jni_sys::{JNIEnv, jclass, jfieldID, jobject};
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

type StartThread = unsafe extern "C" fn(*mut JNIEnv, jobject);

/// What the native method needs.
struct Starter {
    start: StartThread,
    probes: jclass,
    /// `Probes.threaded`: from the first start on, probes look which thread they are hit by.
    threaded: jfieldID,
}

// SAFETY: the class is a global reference and the field is an id; any attached thread may use both.
unsafe impl Send for Starter {}
// SAFETY: as above; nothing is changed.
unsafe impl Sync for Starter {}

static START: OnceLock<Starter> = OnceLock::new();
static STARTED: AtomicU64 = AtomicU64::new(0);
static VIRTUAL: AtomicI64 = AtomicI64::new(0);
static ALLOWED: AtomicU64 = AtomicU64::new(u64::MAX);

/// Threads that one sequence may start.
const MOST: u64 = 256;

/// Begins to count; `probes` is told when there is a second thread.
pub fn count_starts(env: Env, probes: jclass) -> Result<(), JavaError> {
    // SAFETY: libjvm is loaded and stays so; dlopen with NOLOAD only finds it. JVM_StartThread is what `start0` was
    // bound to, with exactly this signature.
    let start = unsafe {
        let library = libc::dlopen(c"libjvm.so".as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY);
        let symbol =
            if library.is_null() { std::ptr::null_mut() } else { libc::dlsym(library, c"JVM_StartThread".as_ptr()) };
        if symbol.is_null() {
            return Err(JavaError("could not find JVM_StartThread".to_string()));
        }
        std::mem::transmute::<*mut c_void, StartThread>(symbol)
    };
    START.get_or_init(|| Starter {
        start,
        probes: env.global(probes),
        threaded: env.static_field(probes, "threaded", "Z").unwrap_or(std::ptr::null_mut()),
    });
    let thread = env.find_class("java/lang/Thread")?;
    // SAFETY: start0 is an instance method without parameters and result.
    unsafe { env.register_natives(thread, &[(c"start0", c"()V", start_thread as *mut c_void)]) }
}

/// A sequence begins; the result is what [`started`] gives now.
pub fn begin() -> u64 {
    let started = started();
    ALLOWED.store(started + MOST, Ordering::Relaxed);
    started
}

/// Whether a virtual thread has started and not ended.
pub fn has_virtual() -> bool {
    VIRTUAL.load(Ordering::Relaxed) > 0
}

/// The event of JVMTI.
pub extern "C" fn virtual_thread_starts(_jvmti: *mut c_void, _env: *mut JNIEnv, _thread: jobject) {
    STARTED.fetch_add(1, Ordering::Relaxed);
    VIRTUAL.fetch_add(1, Ordering::Relaxed);
}

/// The event of JVMTI.
pub extern "C" fn virtual_thread_ends(_jvmti: *mut c_void, _env: *mut JNIEnv, _thread: jobject) {
    VIRTUAL.fetch_sub(1, Ordering::Relaxed);
}

/// How many threads Java code has started so far.
pub fn started() -> u64 {
    STARTED.load(Ordering::Relaxed)
}

unsafe extern "C" fn start_thread(env: *mut JNIEnv, thread: jobject) {
    if STARTED.fetch_add(1, Ordering::Relaxed) >= ALLOWED.load(Ordering::Relaxed) {
        // SAFETY: the JVM passes the environment of the current thread.
        unsafe { Env::from_raw(env) }.throw("java/lang/OutOfMemoryError", c"too many threads");
        return;
    }
    if let Some(starter) = START.get() {
        // SAFETY: the arguments are those of the JVM's own call, and the field is a static boolean of the class.
        unsafe {
            if !starter.threaded.is_null() {
                Env::from_raw(env).set_static_boolean_field(starter.probes, starter.threaded, true);
            }
            (starter.start)(env, thread)
        }
    }
}

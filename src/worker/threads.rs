//! Counts the threads that Java code starts, so that a sequence that starts none costs nothing.
//!
//! A sequence that starts very many is refused more, with the error that the JVM has for it, long before the machine
//! feels it.
//!
//! `Thread.start0` is native and bound by name; the worker binds it again to a function that counts and goes on to the
//! JVM's own.

use super::jni::{Env, JavaError};
use jni_sys::{JNIEnv, jobject};
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

type StartThread = unsafe extern "C" fn(*mut JNIEnv, jobject);

static START: OnceLock<StartThread> = OnceLock::new();
static STARTED: AtomicU64 = AtomicU64::new(0);
static ALLOWED: AtomicU64 = AtomicU64::new(u64::MAX);

/// Threads that one sequence may start.
const MOST: u64 = 256;

/// Begins to count.
pub fn count_starts(env: Env) -> Result<(), JavaError> {
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
    START.get_or_init(|| start);
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
    if let Some(start) = START.get() {
        // SAFETY: the arguments are those of the JVM's own call.
        unsafe { start(env, thread) }
    }
}

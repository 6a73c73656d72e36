//! The embedded JVM: starting it and attaching threads to it.

use super::isolate;
use super::jni::Env;
use jni::{InitArgsBuilder, JavaVM};
use jni_sys::{JNI_OK, JNI_VERSION_1_6, JavaVMAttachArgs, jobject};
use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::ptr;

/// Why there is no JVM.
#[derive(Debug, thiserror::Error)]
pub enum VmError {
    #[error("no libjvm found: {0}")]
    NotFound(String),
    #[error("{0}")]
    Start(String),
    #[error("a thread could not be attached")]
    Attach,
}

/// The process's JVM.
#[derive(Clone)]
pub struct Vm(JavaVM);

impl Vm {
    /// Loads libjvm from JAVA_HOME and starts the JVM.
    pub fn start(options: &[&str]) -> Result<Vm, VmError> {
        isolate::restore_signals();
        let library = PathBuf::from(
            java_locator::locate_jvm_dyn_library().map_err(|error| VmError::NotFound(error.to_string()))?,
        )
        .join("libjvm.so");
        let mut arguments = InitArgsBuilder::new();
        for option in options {
            arguments = arguments.option(*option);
        }
        let arguments = arguments.build().map_err(|error| VmError::Start(error.to_string()))?;
        JavaVM::with_libjvm(arguments, || Ok(library)).map(Vm).map_err(|error| VmError::Start(error.to_string()))
    }

    /// Attaches the current thread for the rest of its life.
    pub fn attach(&self, name: &CStr, group: jobject, daemon: bool) -> Result<Env, VmError> {
        let raw = self.0.get_raw();
        let mut arguments = JavaVMAttachArgs { version: JNI_VERSION_1_6, name: name.as_ptr().cast_mut(), group };
        let mut env = ptr::null_mut();
        // SAFETY: the JVM lives as long as the process, and the arguments live through the call.
        let result = unsafe {
            let arguments = ptr::from_mut(&mut arguments).cast();
            if daemon {
                ((**raw).v1_4.AttachCurrentThreadAsDaemon)(raw, &mut env, arguments)
            } else {
                ((**raw).v1_1.AttachCurrentThread)(raw, &mut env, arguments)
            }
        };
        if result != JNI_OK {
            return Err(VmError::Attach);
        }
        // SAFETY: the thread stays attached until it ends.
        Ok(unsafe { Env::from_raw(env.cast()) })
    }

    /// Another interface of the JVM, by its version number.
    pub fn environment(&self, version: i32) -> Option<*mut c_void> {
        let raw = self.0.get_raw();
        let mut env = ptr::null_mut();
        // SAFETY: the current thread is attached and the JVM lives.
        let result = unsafe { ((**raw).v1_2.GetEnv)(raw, &mut env, version) };
        (result == JNI_OK && !env.is_null()).then_some(env)
    }
}

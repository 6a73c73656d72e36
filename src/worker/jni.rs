//! The JNI functions that the worker uses, over the raw table: the checked ones of the `jni` crate cost twice as much.
//!
//! A thread's [`Env`] is the capability to call them. Local references die with the native frame or with the thread;
//! the worker makes few, except for stubs, which Java keeps.

use jni_sys::{JNIEnv, JNINativeMethod, jclass, jfieldID, jint, jmethodID, jobject, jsize, jvalue};
use std::ffi::{CStr, CString, c_void};
use std::ptr;

/// A Java exception was thrown, or something was not found; the text says what was asked for.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct JavaError(pub String);

/// The JNI environment of the current thread.
#[derive(Clone, Copy)]
pub struct Env(*mut JNIEnv);

/// Calls a function of the table; `$version` is the union member of jni-sys it lives in.
macro_rules! call {
    ($env:expr, $function:ident $(, $argument:expr)*) => {
        ((**$env.0).v1_6.$function)($env.0 $(, $argument)*)
    };
}

impl Env {
    /// # Safety
    /// `raw` is the environment of the current thread, which stays attached as long as the value is used.
    pub unsafe fn from_raw(raw: *mut JNIEnv) -> Env {
        Env(raw)
    }

    /// Clears a pending exception; whether there was one.
    pub fn clear_exception(self) -> bool {
        // SAFETY: valid with or without a pending exception.
        unsafe {
            let pending = call!(self, ExceptionCheck);
            if pending {
                call!(self, ExceptionClear);
            }
            pending
        }
    }

    /// Whether an exception is pending.
    pub fn exception_check(self) -> bool {
        // SAFETY: valid with or without a pending exception.
        unsafe { call!(self, ExceptionCheck) }
    }

    /// Prints a pending exception to `System.err` and clears it. Once code under test has run, that may be the code's own.
    fn describe(self) {
        // SAFETY: valid with or without a pending exception; describing clears it.
        unsafe { call!(self, ExceptionDescribe) }
    }

    /// Makes room for so many local references; a thread that Java did not call has few.
    pub fn ensure_locals(self, count: jint) -> Result<(), JavaError> {
        // SAFETY: called without a pending exception, on the thread that the references are for.
        let result = unsafe { call!(self, EnsureLocalCapacity, count) };
        if result == 0 { Ok(()) } else { Err(self.thrown("EnsureLocalCapacity")) }
    }

    /// Takes a pending exception for the failure of what was asked for.
    fn thrown(self, what: &str) -> JavaError {
        self.clear_exception();
        JavaError(format!("could not use {what}"))
    }

    fn found<T>(self, raw: *mut T, what: &str) -> Result<*mut T, JavaError> {
        if raw.is_null() || self.exception_check() {
            return Err(self.thrown(what));
        }
        Ok(raw)
    }

    /// A class of the boot loader or the class path.
    pub fn find_class(self, name: &str) -> Result<jclass, JavaError> {
        let text = c_string(name)?;
        // SAFETY: the name is a terminated string.
        let class = unsafe { call!(self, FindClass, text.as_ptr()) };
        self.found(class, name)
    }

    /// Leaves an exception of the class pending.
    pub fn throw(self, class: &str, message: &CStr) {
        if let Ok(class) = self.find_class(class) {
            // SAFETY: the class is a throwable one and the message is terminated.
            unsafe { call!(self, ThrowNew, class, message.as_ptr()) };
        }
    }

    /// Defines a class; `loader` may be null for the boot loader. Leaves the exception pending when it fails.
    pub fn define_class(self, name: &str, loader: jobject, bytes: &[u8]) -> Result<jclass, JavaError> {
        let text = c_string(name)?;
        // SAFETY: name and bytes live through the call; the JVM copies what it keeps.
        let class =
            unsafe { call!(self, DefineClass, text.as_ptr(), loader, bytes.as_ptr().cast(), bytes.len() as jsize) };
        if class.is_null() { Err(JavaError(format!("could not define {name}"))) } else { Ok(class) }
    }

    /// An instance without running a constructor; null with a pending exception when the class does not link.
    pub fn alloc_object(self, class: jclass) -> jobject {
        // SAFETY: the class is one that this thread has just defined.
        unsafe { call!(self, AllocObject, class) }
    }

    pub fn static_method(self, class: jclass, name: &str, descriptor: &str) -> Result<jmethodID, JavaError> {
        let (name_text, descriptor_text) = (c_string(name)?, c_string(descriptor)?);
        // SAFETY: the class is a live reference and the strings are terminated.
        let method = unsafe { call!(self, GetStaticMethodID, class, name_text.as_ptr(), descriptor_text.as_ptr()) };
        self.found(method, name)
    }

    pub fn method(self, class: jclass, name: &str, descriptor: &str) -> Result<jmethodID, JavaError> {
        let (name_text, descriptor_text) = (c_string(name)?, c_string(descriptor)?);
        // SAFETY: the class is a live reference and the strings are terminated.
        let method = unsafe { call!(self, GetMethodID, class, name_text.as_ptr(), descriptor_text.as_ptr()) };
        self.found(method, name)
    }

    pub fn field(self, class: jclass, name: &str, descriptor: &str) -> Result<jfieldID, JavaError> {
        let (name_text, descriptor_text) = (c_string(name)?, c_string(descriptor)?);
        // SAFETY: the class is a live reference and the strings are terminated.
        let field = unsafe { call!(self, GetFieldID, class, name_text.as_ptr(), descriptor_text.as_ptr()) };
        self.found(field, name)
    }

    pub fn static_field(self, class: jclass, name: &str, descriptor: &str) -> Result<jfieldID, JavaError> {
        let (name_text, descriptor_text) = (c_string(name)?, c_string(descriptor)?);
        // SAFETY: the class is a live reference and the strings are terminated.
        let field = unsafe { call!(self, GetStaticFieldID, class, name_text.as_ptr(), descriptor_text.as_ptr()) };
        self.found(field, name)
    }

    /// Sets a static field of type int.
    pub fn set_static_int(self, class: jclass, name: &str, value: i32) -> Result<(), JavaError> {
        let field = self.static_field(class, name, "I")?;
        // SAFETY: the field is of this class and of this type.
        unsafe { call!(self, SetStaticIntField, class, field, value) };
        Ok(())
    }

    /// Sets a static field of type long.
    pub fn set_static_long(self, class: jclass, name: &str, value: i64) -> Result<(), JavaError> {
        let field = self.static_field(class, name, "J")?;
        // SAFETY: the field is of this class and of this type.
        unsafe { call!(self, SetStaticLongField, class, field, value) };
        Ok(())
    }

    /// # Safety
    /// The field is a static one of the class, of type int.
    pub unsafe fn set_static_int_field(self, class: jclass, field: jfieldID, value: i32) {
        // SAFETY: the caller vouches for the field.
        unsafe { call!(self, SetStaticIntField, class, field, value) }
    }

    /// # Safety
    /// The field is a static one of the class, of type boolean.
    pub unsafe fn set_static_boolean_field(self, class: jclass, field: jfieldID, value: bool) {
        // SAFETY: the caller vouches for the field.
        unsafe { call!(self, SetStaticBooleanField, class, field, value) }
    }

    /// Sets a static field of type boolean.
    pub fn set_static_boolean(self, class: jclass, name: &str, value: bool) -> Result<(), JavaError> {
        let field = self.static_field(class, name, "Z")?;
        // SAFETY: the field is of this class and of this type.
        unsafe { call!(self, SetStaticBooleanField, class, field, value) };
        Ok(())
    }

    /// # Safety
    /// The method is a static one of the class that returns an int, and the arguments fit it.
    pub unsafe fn call_static_int(self, class: jclass, method: jmethodID, arguments: &[jvalue]) -> jint {
        // SAFETY: the caller vouches for method and arguments.
        unsafe { call!(self, CallStaticIntMethodA, class, method, arguments.as_ptr()) }
    }

    /// # Safety
    /// The method is a static one of the class that returns a boolean, and the arguments fit it.
    pub unsafe fn call_static_boolean(self, class: jclass, method: jmethodID, arguments: &[jvalue]) -> bool {
        // SAFETY: the caller vouches for method and arguments.
        unsafe { call!(self, CallStaticBooleanMethodA, class, method, arguments.as_ptr()) }
    }

    /// # Safety
    /// The method is a static one of the class that returns an object, and the arguments fit it.
    pub unsafe fn call_static_object(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<jobject, JavaError> {
        // SAFETY: the caller vouches for method and arguments.
        let object = unsafe { call!(self, CallStaticObjectMethodA, class, method, arguments.as_ptr()) };
        if self.exception_check() { Err(self.thrown("a static method")) } else { Ok(object) }
    }

    /// # Safety
    /// The method is an instance one of the object's class that returns an object and takes nothing.
    pub unsafe fn call_object(self, object: jobject, method: jmethodID) -> Result<jobject, JavaError> {
        // SAFETY: the caller vouches for object and method.
        let result = unsafe { call!(self, CallObjectMethodA, object, method, ptr::null()) };
        if self.exception_check() { Err(self.thrown("a method")) } else { Ok(result) }
    }

    /// For the start, before code under test has run, and for methods that call no more than an initialiser.
    ///
    /// # Safety
    /// The method is a static one of the class that returns nothing, and the arguments fit it.
    pub unsafe fn call_static_void(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> Result<(), JavaError> {
        // SAFETY: the caller vouches for method and arguments.
        unsafe { call!(self, CallStaticVoidMethodA, class, method, arguments.as_ptr()) };
        if !self.exception_check() {
            return Ok(());
        }
        self.describe();
        Err(self.thrown("a start method"))
    }

    /// The module of a class.
    pub fn module_of(self, class: jclass) -> jobject {
        // SAFETY: the class is a live reference, and every JVM that has modules has the function.
        unsafe { ((**self.0).v9.GetModule)(self.0, class) }
    }

    /// A reference that outlives the native frame.
    pub fn global(self, object: jobject) -> jobject {
        // SAFETY: the object is null or a live reference.
        unsafe { call!(self, NewGlobalRef, object) }
    }

    /// Gives a local reference back.
    pub fn delete_local(self, object: jobject) {
        // SAFETY: the object is null or a local reference of this thread that is not used again.
        unsafe { call!(self, DeleteLocalRef, object) }
    }

    /// A string from text without supplementary characters or NUL, such as a descriptor.
    pub fn string(self, text: &str) -> Result<jobject, JavaError> {
        let units: Vec<u16> = text.encode_utf16().collect();
        // SAFETY: the units live through the call, which copies them.
        let string = unsafe { call!(self, NewString, units.as_ptr(), units.len() as jsize) };
        self.found(string, "a string")
    }

    /// A direct byte buffer over `memory`.
    ///
    /// # Safety
    /// The memory lives and stays where it is as long as Java uses the buffer.
    pub unsafe fn direct_buffer(self, memory: *mut u8, length: usize) -> Result<jobject, JavaError> {
        // SAFETY: the caller vouches for the memory.
        let buffer = unsafe { call!(self, NewDirectByteBuffer, memory.cast(), length as i64) };
        self.found(buffer, "a direct buffer")
    }

    /// The content of a byte array.
    ///
    /// # Safety
    /// `array` is a live reference to a byte array.
    pub unsafe fn byte_array(self, array: jobject) -> Vec<u8> {
        // SAFETY: the caller vouches for the array; the vector has room for all of it.
        unsafe {
            let length = call!(self, GetArrayLength, array);
            let mut bytes = vec![0u8; length as usize];
            call!(self, GetByteArrayRegion, array, 0, length, bytes.as_mut_ptr().cast());
            bytes
        }
    }

    /// Binds native methods: name, descriptor, function.
    ///
    /// # Safety
    /// Each function has the signature that JNI derives from the descriptor.
    pub unsafe fn register_natives(
        self,
        class: jclass,
        methods: &[(&CStr, &CStr, *mut c_void)],
    ) -> Result<(), JavaError> {
        let methods: Vec<JNINativeMethod> = methods
            .iter()
            .map(|(name, signature, function)| JNINativeMethod {
                name: name.as_ptr().cast_mut(),
                signature: signature.as_ptr().cast_mut(),
                fnPtr: *function,
            })
            .collect();
        // SAFETY: the strings are terminated and the caller vouches for the functions.
        let result = unsafe { call!(self, RegisterNatives, class, methods.as_ptr(), methods.len() as jint) };
        if result != 0 || self.clear_exception() {
            return Err(JavaError("could not bind native methods".to_string()));
        }
        Ok(())
    }

    /// Sets a boolean field of each object of an array.
    ///
    /// # Safety
    /// `array` is an array of objects that have the field.
    pub unsafe fn set_boolean_in_all(self, array: jobject, field: jfieldID) {
        // SAFETY: the caller vouches for array and field; the index stays below the length.
        unsafe {
            for index in 0..call!(self, GetArrayLength, array) {
                let object = call!(self, GetObjectArrayElement, array, index);
                if !object.is_null() {
                    call!(self, SetBooleanField, object, field, true);
                    call!(self, DeleteLocalRef, object);
                }
            }
        }
    }
}

fn c_string(text: &str) -> Result<CString, JavaError> {
    CString::new(text).map_err(|_| JavaError(format!("the name {text:?} contains NUL")))
}

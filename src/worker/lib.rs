//! The process that runs code under test: the JVM embedded in it, and the few Java classes that must live inside.
//!
//! A worker is disposable. It gets its setup, runs sequences, and ends when its channel closes, when a sequence left
//! the JVM in a state that the next must not see, or when its supervisor kills it. It decides nothing.

#![expect(unsafe_code, reason = "JNI, JVMTI and the memory that a JVM shares with them")]

pub mod args;

mod clock;
mod denials;
mod exit;
mod implementation;
mod initialisers;
mod isolate;
mod jni;
mod jvmti;
mod mutants;
mod output;
mod randomness;
mod run;
mod stub;
mod threads;
mod vm;
mod watchdog;

use model::options::Sandbox;
use protocol::{self, Kind, setup};
use sandbox::{Policy, Then};
use std::ffi::{OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// Names and bytes of the classes that the worker adds to its JVM, all of the package `randgen.runtime`.
pub static RUNTIME_CLASSES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/runtime_classes.rs"));

/// The stack of the thread that runs the code under test: as much as the thread of a test has when `java` starts it.
/// More would let sequences pass that overflow the stack as tests, and let overflows take longer.
const STACK: usize = 1 << 20;

/// Runs a worker on the socket `channel`, within the policy, until there is no more to do.
fn main(channel: RawFd, policy: &Policy) -> ExitCode {
    let mut channel = match isolate::isolate(channel) {
        Ok(channel) => channel,
        // Without a channel there is nobody to tell.
        Err(_) => return ExitCode::from(71),
    };
    // Before there is a second thread, which would not be restricted.
    let confined = match policy.level {
        Sandbox::Off => Ok(()),
        _ => isolate::separate(policy).map_err(|error| error.to_string()),
    };
    let confined = confined.and_then(|()| policy.enforce(Then::RunCode).map_err(|error| error.to_string()));
    let Ok(Some((Kind::Setup, bytes))) = protocol::read_frame(&mut channel) else { return ExitCode::from(71) };
    // The tables are used by callbacks of the JVM for as long as the process lives.
    let bytes: &'static [u8] = Box::leak(bytes.into_boxed_slice());
    let message = match (confined, setup::decode(bytes)) {
        (Err(error), _) => error,
        (Ok(()), Ok(Some(setup))) => {
            let run = || run::run(channel, setup);
            match std::thread::Builder::new().name("main".to_string()).stack_size(STACK).spawn(run) {
                Ok(thread) => return thread.join().unwrap_or(ExitCode::from(70)),
                Err(error) => {
                    eprintln!("no thread: {error}");
                    return ExitCode::from(71);
                }
            }
        }
        (Ok(()), Ok(None)) => "supervisor and worker are of different versions".to_string(),
        (Ok(()), Err(_)) => "the setup message is broken".to_string(),
    };
    // If the message cannot be sent, the closed channel says enough.
    let _ = protocol::write_frame(&mut channel, Kind::Failed, message.as_bytes());
    ExitCode::from(71)
}

/// Becomes the program of `command`, within the policy and a worker's limits. Should that fail, standard error has the
/// reason: there is no channel.
fn confine(policy: &Policy, command: &[OsString]) -> ExitCode {
    let [program, arguments @ ..] = command else {
        eprintln!("no program is named");
        return ExitCode::from(71);
    };
    eprintln!("{}", become_confined(policy, program, arguments));
    ExitCode::from(71)
}

/// Returns only why it could not.
fn become_confined(policy: &Policy, program: &OsStr, arguments: &[OsString]) -> String {
    if let Err(error) = isolate::die_with_parent() {
        return error.to_string();
    }
    if policy.level == Sandbox::Off {
        return match isolate::limit() {
            Err(error) => error.to_string(),
            Ok(()) => format!("{}: {}", program.display(), Command::new(program).args(arguments).exec()),
        };
    }
    let opened = match isolate::open_beyond_limit(program) {
        Ok(opened) => opened,
        Err(error) => return format!("{}: {error}", program.display()),
    };
    if let Err(error) = isolate::separate(policy).and_then(|()| isolate::limit()) {
        return error.to_string();
    }
    match policy.enforce(Then::Execute(opened)) {
        Err(error) => error.to_string(),
        Ok(()) => format!("{}: {}", program.display(), isolate::execute(opened, program, arguments)),
    }
}

//! Runs a command to its end, or to ours: the deadline, or the user's interrupt.
//!
//! The child leads a process group of its own, and the whole group is gone when [`run`] returns. Only the end of its
//! output is kept, as that is where build tools say what went wrong.

use super::group;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long output is waited for when the group is gone: a process that left the group may hold the pipe for ever.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What a command may use.
#[derive(Clone, Copy, Debug)]
pub struct ProcessLimits<'a> {
    /// How long it may run.
    pub time: Duration,
    /// Bytes of standard output and of standard error to keep, counted from their ends.
    pub output: usize,
    /// Becomes true when the user wants everything to end.
    pub interrupted: &'a AtomicBool,
}

/// Why a command is not running any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// A signal from elsewhere.
    Signalled(i32),
    /// The limit of time was reached.
    TimedOut,
    /// The user wants everything to end.
    Interrupted,
}

/// A command that is not running any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// The end of its standard output.
    pub stdout: Vec<u8>,
    /// The end of its standard error.
    pub stderr: Vec<u8>,
}

impl Finished {
    /// The last lines of what it said, standard error after standard output; blank ones left out.
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let text = [String::from_utf8_lossy(&self.stdout), String::from_utf8_lossy(&self.stderr)].join("\n");
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(count)..].iter().map(|line| line.to_string()).collect()
    }
}

/// Runs `command` without standard input. An error means that it could not be started.
pub fn run(command: &mut Command, limits: &ProcessLimits<'_>) -> io::Result<Finished> {
    let deadline = Instant::now() + limits.time;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let stdout = Tail::read(child.stdout.take().expect("piped above"), limits.output);
    let stderr = Tail::read(child.stderr.take().expect("piped above"), limits.output);
    let stopped = wait(&mut child, deadline, limits.interrupted);
    // Also after its own end: what it leaves running would hold the pipes and the machine.
    group::kill(child.id());
    let status = child.wait()?;
    let last_words = Instant::now() + LAST_WORDS;
    Ok(Finished {
        end: stopped.unwrap_or_else(|| end_of(status)),
        stdout: stdout.take(last_words),
        stderr: stderr.take(last_words),
    })
}

/// Waits until the child has ended or must; `None` when it ended by itself. It is not reaped, so its group is still ours.
fn wait(child: &mut Child, deadline: Instant, interrupted: &AtomicBool) -> Option<End> {
    let mut pause = Duration::from_millis(1);
    loop {
        if has_ended(child.id()) {
            return None;
        }
        if interrupted.load(Ordering::Relaxed) {
            return Some(End::Interrupted);
        }
        if Instant::now() >= deadline {
            return Some(End::TimedOut);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn has_ended(pid: u32) -> bool {
    // SAFETY: siginfo_t is plain data for which zeros are a value.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: waitid writes to `info` alone, which outlives the call; with WNOWAIT the child stays to be waited for.
    let result = unsafe { libc::waitid(libc::P_PID, pid, &mut info, options) };
    // An error means that there is no such child any more.
    // SAFETY: after a successful call, or as zeroed above, si_pid can be read.
    result != 0 || unsafe { info.si_pid() } != 0
}

fn end_of(status: ExitStatus) -> End {
    match status.code() {
        Some(code) => End::Exited(code),
        None => End::Signalled(status.signal().unwrap_or_default()),
    }
}

/// The end of a stream, filled by a thread.
struct Tail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    finished: Receiver<()>,
}

impl Tail {
    fn read(mut stream: impl Read + Send + 'static, limit: usize) -> Tail {
        let bytes = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, finished) = sync_channel(1);
        let shared = Arc::clone(&bytes);
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            loop {
                let count = match stream.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                let mut bytes = shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                bytes.extend(&buffer[..count]);
                let surplus = bytes.len().saturating_sub(limit);
                bytes.drain(..surplus);
            }
            // Nobody may be waiting any more.
            let _ = sender.send(());
        });
        Tail { bytes, finished }
    }

    fn take(self, last_words: Instant) -> Vec<u8> {
        // Either way there is what came until now.
        let _ = self.finished.recv_timeout(last_words.saturating_duration_since(Instant::now()));
        let mut bytes = self.bytes.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        std::mem::take(&mut *bytes).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, time: Duration, interrupted: bool) -> (Finished, Duration) {
        let interrupted = AtomicBool::new(interrupted);
        let started = Instant::now();
        let limits = ProcessLimits { time, output: 10, interrupted: &interrupted };
        let finished = run(Command::new("sh").args(["-c", script]), &limits).unwrap();
        (finished, started.elapsed())
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn exit_code_and_the_end_of_the_output_are_kept() {
        let (finished, _) = shell("echo a long first line; echo last; echo oops >&2; exit 3", LONG, false);
        assert_eq!(finished.end, End::Exited(3));
        assert_eq!((finished.stdout.as_slice(), finished.stderr.as_slice()), (&b"line\nlast\n"[..], &b"oops\n"[..]));
        assert_eq!(finished.last_lines(2), ["last", "oops"]);
    }

    #[test]
    fn timeout_kills_the_command_and_its_children() {
        let (finished, elapsed) = shell("sleep 30 & echo started; wait", Duration::from_millis(300), false);
        assert_eq!((finished.end, finished.stdout.as_slice()), (End::TimedOut, &b"started\n"[..]));
        assert!(elapsed < LONG, "{elapsed:?}");
    }

    #[test]
    fn background_children_of_a_command_are_not_waited_for() {
        let (finished, elapsed) = shell("sleep 30 & exit 0", LONG, false);
        assert!(finished.end == End::Exited(0) && elapsed < LONG, "{elapsed:?}");
    }

    #[test]
    fn an_interrupt_ends_a_command() {
        let (finished, elapsed) = shell("sleep 30", LONG, true);
        assert!(finished.end == End::Interrupted && elapsed < LONG, "{elapsed:?}");
    }

    #[test]
    fn death_by_signal_is_distinguished_from_exit() {
        assert_eq!(shell("kill -9 $$", LONG, false).0.end, End::Signalled(9));
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let interrupted = AtomicBool::new(false);
        let limits = ProcessLimits { time: LONG, output: 10, interrupted: &interrupted };
        assert!(run(&mut Command::new("no-such-program-here"), &limits).is_err());
    }
}

//! What a worker does to itself before it opens libjvm, so that code under test finds little to disturb.
//!
//! Standard streams lead nowhere, no descriptor is open but the channel, and the process dies with its supervisor.
//! The environment, the working directory and the process group are the supervisor's doing; files, network and other
//! processes are kept from it by `sandbox`.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::net::UnixStream;

/// Where the channel moves: away from the numbers that code under test expects to be streams.
const CHANNEL: RawFd = 3;

/// What code under test may use up. Address space bounds threads and native memory: a JVM with the supervisor's options
/// reserves less than half of it. A core file would only fill the scratch directory.
const LIMITS: [(libc::__rlimit_resource_t, libc::rlim_t); 4] =
    [(libc::RLIMIT_CORE, 0), (libc::RLIMIT_AS, 4 << 30), (libc::RLIMIT_FSIZE, 64 << 20), (libc::RLIMIT_NOFILE, 1024)];

/// Cuts the process off; returns the channel.
pub fn isolate(channel: RawFd) -> io::Result<UnixStream> {
    die_with_parent()?;
    // SAFETY: prctl, dup3 and close_range take plain numbers, and a name that lives for ever; the descriptors closed are
    // inherited ones, which nothing in this process owns yet, as this runs before anything else.
    unsafe {
        // Started by a link, it would be called like the link.
        check(libc::prctl(libc::PR_SET_NAME, c"randgen".as_ptr()))?;
        if channel != CHANNEL {
            check(libc::dup3(channel, CHANNEL, libc::O_CLOEXEC))?;
        }
        check(libc::close_range(CHANNEL as u32 + 1, u32::MAX, 0))?;
    }
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    let errors = match std::env::var_os("RANDGEN_WORKER_LOG") {
        Some(path) => OpenOptions::new().create(true).append(true).open(path)?,
        None => null.try_clone()?,
    };
    redirect(&null, libc::STDIN_FILENO)?;
    redirect(&null, libc::STDOUT_FILENO)?;
    redirect(&errors, libc::STDERR_FILENO)?;
    limit()?;
    // SAFETY: the descriptor was made above and has no other owner.
    Ok(unsafe { UnixStream::from_raw_fd(CHANNEL) })
}

/// Has the process end when the thread ends that started it; also after it became another program.
pub fn die_with_parent() -> io::Result<()> {
    // SAFETY: prctl takes plain numbers here.
    unsafe { check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL)) }
}

/// Sets the limits, which nobody but root can raise again.
pub fn limit() -> io::Result<()> {
    for (resource, most) in LIMITS {
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: setrlimit reads the struct it is given.
        unsafe { check(libc::setrlimit(resource, &limit))? };
    }
    Ok(())
}

/// Puts SIGSEGV and SIGBUS back to what a C program has: Rust's own handlers would eat HotSpot's.
pub fn restore_signals() {
    // SAFETY: SIG_DFL is a valid disposition for these signals, and no other thread changes them.
    unsafe {
        libc::signal(libc::SIGSEGV, libc::SIG_DFL);
        libc::signal(libc::SIGBUS, libc::SIG_DFL);
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // A file that grows beyond its limit is an IOException.
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// About how many descriptors are open: the lowest number that is free.
pub fn open_descriptors() -> RawFd {
    // SAFETY: the duplicate belongs to nobody else and is closed again; a failure gives −1, which is closed in vain.
    unsafe {
        let free = libc::fcntl(CHANNEL, libc::F_DUPFD_CLOEXEC, 0);
        libc::close(free);
        if free < 0 { RawFd::MAX } else { free }
    }
}

/// Ends the process at once, without the JVM's shutdown, which would wait for threads and run hooks.
pub fn leave() -> ! {
    // SAFETY: _exit does not return and runs nothing.
    unsafe { libc::_exit(0) }
}

fn redirect(file: &File, descriptor: RawFd) -> io::Result<()> {
    // SAFETY: both descriptors are open or standard ones; dup2 closes the old target.
    unsafe { check(libc::dup2(file.as_raw_fd(), descriptor)) }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

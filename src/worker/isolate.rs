//! What a worker does to itself before it opens libjvm, so that code under test finds little to disturb.
//!
//! Standard streams lead nowhere, no descriptor is open but the channel, and the process dies with its supervisor.
//! The environment, the working directory and the process group are the supervisor's doing; files, network and other
//! processes are kept from it by `sandbox`.

use sandbox::{Policy, apart};
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// Where the channel moves: away from the numbers that code under test expects to be streams.
const CHANNEL: RawFd = 3;

/// What code under test may use up. Address space bounds threads and native memory: a JVM with the supervisor's options
/// reserves less than half of it. A core file would only fill the scratch directory.
const LIMITS: [(libc::__rlimit_resource_t, libc::rlim_t); 4] =
    [(libc::RLIMIT_CORE, 0), (libc::RLIMIT_AS, 4 << 30), (libc::RLIMIT_FSIZE, 64 << 20), (libc::RLIMIT_NOFILE, FILES)];

/// How many files code under test may have open.
const FILES: libc::rlim_t = 1024;

/// So many files are looked at to see whether all can be read.
const MOST_FILES: usize = 20_000;

/// The right to read files whatever their modes say (`CAP_DAC_READ_SEARCH`).
const READ_ALL: u32 = 2;

/// The structures of `capset`, of the version with two words of 32 capabilities.
const CAPABILITY_VERSION: u32 = 0x2008_0522;

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

/// Opens the program at a number that no file can get once the limits are set, and closed when the program runs.
pub fn open_beyond_limit(program: &OsStr) -> io::Result<RawFd> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_PATH | libc::O_CLOEXEC).open(program)?;
    let number = FILES as RawFd;
    let raised = libc::rlimit { rlim_cur: FILES + 1, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the structs live through the calls, which take plain numbers else; the descriptor is nobody else's.
    unsafe {
        let mut limit = raised;
        check(libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit))?;
        limit.rlim_cur = raised.rlim_cur.min(limit.rlim_max);
        check(libc::setrlimit(libc::RLIMIT_NOFILE, &limit))?;
        check(libc::dup3(file.as_raw_fd(), number, libc::O_CLOEXEC))?;
    }
    Ok(number)
}

/// Becomes the opened program, which sees `name` as its own; returns only why it could not.
pub fn execute(opened: RawFd, name: &OsStr, arguments: &[OsString]) -> io::Error {
    let text = |bytes: &[u8]| CString::new(bytes).unwrap_or_default();
    let arguments: Vec<CString> = [name]
        .into_iter()
        .chain(arguments.iter().map(OsString::as_os_str))
        .map(|text_of| text(text_of.as_bytes()))
        .collect();
    let variable = |(name, value): (OsString, OsString)| [name.into_vec(), value.into_vec()].join(&b'=');
    let environment: Vec<CString> = std::env::vars_os().map(|pair| text(&variable(pair))).collect();
    let pointers = |texts: &[CString]| -> Vec<*const libc::c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (argument_pointers, environment_pointers) = (pointers(&arguments), pointers(&environment));
    // SAFETY: the arrays end with null and outlive the call, and so do the texts that they point to.
    unsafe {
        // As a C program expects it; Rust ignores it from the start.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::syscall(
            libc::SYS_execveat,
            opened,
            c"".as_ptr(),
            argument_pointers.as_ptr(),
            environment_pointers.as_ptr(),
            libc::AT_EMPTY_PATH,
        );
    }
    io::Error::last_os_error()
}

/// Leaves the machine's namespaces as far as it lets the process, and gives up what root may do: the user, and its capabilities.
/// The user `nobody` owns what the policy lets it write from then on. To be called before there is a second thread.
pub fn separate(policy: &Policy) -> io::Result<()> {
    apart::enter();
    let needed: Vec<PathBuf> = policy.readable.iter().chain(&policy.writable).cloned().collect();
    drop_bounding_set();
    if apart::changes_user() {
        apart::change_user(&policy.writable)?;
        // A change of users has cleared it.
        die_with_parent()?;
    }
    drop_capabilities(&needed)
}

/// No program that is executed can have other capabilities than the right to read.
fn drop_bounding_set() {
    // SAFETY: prctl takes plain numbers here. Whoever has no capabilities may not drop any, and has none to drop.
    unsafe {
        for capability in (0..64).filter(|capability| *capability != READ_ALL) {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    }
}

/// Gives up what root may do and others may not. Only the right to read all files stays, and only if one of `needed` cannot
/// be read without: which files are read, Landlock decides.
fn drop_capabilities(needed: &[PathBuf]) -> io::Result<()> {
    let may_read_all = permitted_capabilities()? & (1 << READ_ALL);
    set_capabilities(0, may_read_all, 0)?;
    let kept = if may_read_all != 0 && needed.iter().any(|path| is_closed(path)) { may_read_all } else { 0 };
    set_capabilities(kept, kept, kept)?;
    if kept != 0 {
        // Else it would be lost where another program is executed, unless by root.
        // SAFETY: prctl takes plain numbers here.
        unsafe { check(libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE, READ_ALL, 0, 0))? };
    }
    Ok(())
}

/// Whether something at the path, or below, cannot be read, or there is too much to look through. What lies in the system's directories
/// can be read by all.
fn is_closed(path: &Path) -> bool {
    let is_denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    // Without waiting for whoever may be at the other end of a pipe.
    if OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).is_err_and(|error| is_denied(&error)) {
        return true;
    }
    let is_below = |roots: &[&str]| roots.iter().any(|root| path.starts_with(root));
    if is_below(&["/usr", "/bin", "/lib", "/lib64", "/etc"]) && !is_below(&["/usr/src", "/usr/local"]) {
        return false;
    }
    let (mut directories, mut left) = (vec![path.to_path_buf()], MOST_FILES);
    while let Some(directory) = directories.pop() {
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) if is_denied(&error) => return true,
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            let Some(one_less) = left.checked_sub(1) else { return true };
            left = one_less;
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() {
                directories.push(entry.path());
            } else if about.is_file()
                && about.mode() & 0o004 == 0
                && File::open(entry.path()).is_err_and(|error| is_denied(&error))
            {
                return true;
            }
        }
    }
    false
}

fn permitted_capabilities() -> io::Result<u32> {
    let header = [CAPABILITY_VERSION, 0];
    let mut sets = [[0_u32; 3]; 2];
    // SAFETY: header and sets have the layout of the version that the header names.
    check_long(unsafe { libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr()) })?;
    Ok(sets[0][1])
}

/// Sets the first 32 capabilities; the others go.
fn set_capabilities(effective: u32, permitted: u32, inheritable: u32) -> io::Result<()> {
    let header = [CAPABILITY_VERSION, 0];
    let sets = [[effective, permitted, inheritable], [0; 3]];
    // SAFETY: header and sets have the layout of the version that the header names, and are only read.
    check_long(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) })
}

fn check_long(result: libc::c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
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

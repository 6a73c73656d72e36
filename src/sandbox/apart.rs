//! What a process gives up beside files and system calls, where this machine lets it: the network and the queues of others,
//! by namespaces of its own; and, if it is root's, its user.
//!
//! Neither is what the levels promise: Landlock and seccomp deny the same and more. It is what remains should one of them have
//! a hole. A namespace for process ids would make the JVM process 1, to which signals mean something else, and one for mounts
//! would make `File.canWrite` answer otherwise than where the tests run, so there are none.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The user and the group that nobody is.
pub const NOBODY: u32 = 65_534;

const NAMESPACES: libc::c_int = libc::CLONE_NEWNET | libc::CLONE_NEWIPC;

/// `SECBIT_NO_SETUID_FIXUP`.
const NO_SETUID_FIXUP: libc::c_int = 1 << 2;

/// What root needs to become another user and still manage what runs: `CAP_CHOWN`, `CAP_DAC_OVERRIDE`, `CAP_DAC_READ_SEARCH`,
/// `CAP_FOWNER`, `CAP_KILL`, `CAP_SETGID`, `CAP_SETUID`, `CAP_SETPCAP`, `CAP_SYS_PTRACE`.
const OF_ROOT: [u32; 9] = [0, 1, 2, 3, 5, 6, 7, 8, 19];

/// Which of it this machine lets a process do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// A network and queues of its own.
    pub namespaces: bool,
    /// A user without rights instead of root.
    pub user: bool,
}

impl Apart {
    /// Tries it in a process that ends at once.
    pub fn attainable() -> Apart {
        Apart { namespaces: namespaces_attainable(), user: changes_user() }
    }
}

/// Leaves the namespaces of this machine, if they can be left; the first process killed when memory runs short is this one.
/// To be called before there is a second thread.
pub fn enter() {
    // One that may not be written leaves the machine's choice.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    // SAFETY: the calls take plain numbers and read nothing of this process.
    let (user, group, flags) = unsafe { (libc::geteuid(), libc::getegid(), flags()) };
    // SAFETY: as above.
    let has_left = unsafe { libc::unshare(flags) } == 0;
    if has_left && flags & libc::CLONE_NEWUSER != 0 {
        // The same numbers as outside; without them the process would be nobody to itself.
        let maps = [("setgroups", "deny".to_string()), ("uid_map", one(user)), ("gid_map", one(group))];
        for (file, map) in maps {
            let _ = fs::write(format!("/proc/self/{file}"), map);
        }
    }
}

fn one(id: u32) -> String {
    format!("{id} {id} 1")
}

/// Root needs no namespace of users, and what it could read it could not read in one.
fn flags() -> libc::c_int {
    // SAFETY: the call takes and changes nothing.
    if unsafe { libc::geteuid() } == 0 { NAMESPACES } else { NAMESPACES | libc::CLONE_NEWUSER }
}

fn namespaces_attainable() -> bool {
    let flags = flags();
    let mut command = Command::new("/proc/self/exe");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: between fork and its end the child makes two system calls that take plain numbers, and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            let refused = libc::unshare(flags);
            libc::_exit(refused.abs())
        });
    }
    command.status().is_ok_and(|status| status.success())
}

/// Whether a process of this user becomes nobody before it runs code: root does, if it has its usual rights.
pub fn changes_user() -> bool {
    // SAFETY: the call takes and changes nothing.
    let is_root = unsafe { libc::geteuid() } == 0;
    is_root && has_rights(&fs::read_to_string("/proc/self/status").unwrap_or_default()) && nobody_is_known()
}

fn has_rights(status: &str) -> bool {
    let permitted = status.lines().find_map(|line| line.strip_prefix("CapPrm:"));
    let permitted = permitted.and_then(|number| u64::from_str_radix(number.trim(), 16).ok()).unwrap_or(0);
    OF_ROOT.iter().all(|right| permitted & (1 << right) != 0)
}

/// In a container, there may be only some users.
fn nobody_is_known() -> bool {
    let has = |map: &str| {
        let ranges = map.lines().filter_map(|line| {
            let mut numbers = line.split_whitespace().map(str::parse::<u64>);
            let (first, _, count) = (numbers.next()?.ok()?, numbers.next(), numbers.next()?.ok()?);
            Some(first..first + count)
        });
        ranges.into_iter().any(|range| range.contains(&u64::from(NOBODY)))
    };
    ["uid_map", "gid_map"]
        .iter()
        .all(|file| fs::read_to_string(format!("/proc/self/{file}")).is_ok_and(|map| has(&map)))
}

/// Becomes nobody, with the capabilities that it had; the paths become nobody's. Only if
/// [`changes_user`], and before there is a second thread.
pub fn change_user(writable: &[PathBuf]) -> io::Result<()> {
    for path in writable {
        std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY))?;
    }
    // SAFETY: the calls take plain numbers, and an empty list of groups.
    unsafe {
        // Capabilities then change with the user neither now nor in `access`, which asks whether a file can be read.
        check(libc::prctl(libc::PR_SET_SECUREBITS, NO_SETUID_FIXUP, 0, 0, 0))?;
        check(libc::setgroups(0, std::ptr::null()))?;
        check(libc::setresgid(NOBODY, NOBODY, NOBODY))?;
        check(libc::setresuid(NOBODY, NOBODY, NOBODY))?;
        // A change of users clears it, and its own `/proc/self` would be closed to it.
        check(libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0))
    }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_changes_only_with_the_rights_of_root() {
        assert!(has_rights("Name:\trandgen\nCapPrm:\t000001ffffffffff\nCapEff:\t0\n"));
        // What a container leaves.
        assert!(!has_rights("CapPrm:\t00000000a80425fb\n"));
        assert!(!has_rights("CapPrm:\tx\n") && !has_rights(""));
    }
}

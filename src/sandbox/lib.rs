//! What of the machine a process may still reach, once it has said so to the kernel: files by Landlock, system calls by
//! seccomp. Neither can be taken back, and both are inherited.
//!
//! No one of them denies everything: Landlock leaves datagrams, UNIX sockets, modes and times of files; filters of system
//! calls see no paths. With both, a process keeps its memory and threads, may read the files of the policy and of the system
//! (at the level `reduced` all files that the user may read), and may write only to the writable directories and `/dev/null`.

#[expect(unsafe_code, reason = "namespaces and users are left by system calls")]
pub mod apart;
mod calls;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use model::options::{Sandbox, SettingValue};
use std::ffi::OsString;
use std::fmt;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};

/// What a process asks the kernel for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How much is restricted; with [`Sandbox::Off`], the lists mean nothing.
    pub level: Sandbox,
    /// Files, and directories with all in them, beside those of the system that every JVM reads.
    pub readable: Vec<PathBuf>,
    /// Likewise, of what it may read, change and create.
    pub writable: Vec<PathBuf>,
}

/// How much of a level this machine can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attained {
    /// Files are read and written only where the policy says, and system calls are filtered.
    Strict,
    /// All files can be read, the policy says which are written, and system calls are filtered.
    Reduced,
    /// No file is guarded.
    CallsAlone,
    /// Nothing is restricted.
    Off,
}

impl Attained {
    /// The level and what this kernel gives for it, as reports have it.
    pub fn described(self) -> String {
        let landlock = match self {
            Attained::Strict | Attained::Reduced => landlock_version(),
            Attained::CallsAlone | Attained::Off => None,
        };
        if self == Attained::Off {
            return self.to_string();
        }
        let mut parts = Vec::new();
        if let Some(version) = landlock {
            let scopes = if version >= ABI::V6 { "with scopes" } else { "without scopes" };
            parts.push(format!("Landlock ABI {} {scopes}", format!("{version:?}").trim_start_matches('V')));
        }
        parts.push("seccomp allow-list".to_string());
        let apart = apart::Apart::attainable();
        let or_not = |is_had, what: &str| if is_had { what.to_string() } else { format!("no {what}") };
        parts.push(or_not(apart.namespaces, "namespaces"));
        parts.extend(Some("user nobody".to_string()).filter(|_| apart.user));
        format!("{self}: {}", parts.join(", "))
    }
}

/// The version of Landlock in use. A thread is restricted to learn it, and ends.
fn landlock_version() -> Option<ABI> {
    let restricted = std::thread::spawn(|| ruleset().and_then(RulesetCreated::restrict_self)).join().ok()?.ok()?;
    match restricted.landlock {
        LandlockStatus::Available { effective_abi, .. } => Some(effective_abi),
        _ => None,
    }
}

/// As messages name it.
impl fmt::Display for Attained {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Attained::Strict => "strict",
            Attained::Reduced => "reduced",
            Attained::CallsAlone => "reduced, without Landlock",
            Attained::Off => "off",
        })
    }
}

/// The level cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The strict level needs Landlock, which this kernel does not offer.
    #[error(
        "the kernel offers no Landlock (Linux 5.13 or later, in a container that lets it through); \
         `--sandbox=reduced` runs without Landlock, so the code under test can write any file"
    )]
    NoLandlock,
    /// seccomp is missing, or does not know this architecture; the text says what failed.
    #[error("system calls cannot be filtered: {0}; `--sandbox=off` runs the code under test without isolation")]
    NoFilter(String),
    /// The kernel offers what is needed and denied it to this process; the text is its answer.
    #[error("the kernel refused the sandbox: {0}")]
    Refused(String),
}

impl From<RulesetError> for SandboxError {
    fn from(error: RulesetError) -> SandboxError {
        SandboxError::Refused(error.to_string())
    }
}

/// What this machine can give of a level, without a process restricted.
pub fn attainable(level: Sandbox) -> Result<Attained, SandboxError> {
    if level == Sandbox::Off {
        return Ok(Attained::Off);
    }
    calls::check()?;
    match (level, ruleset().is_ok()) {
        (Sandbox::Strict, true) => Ok(Attained::Strict),
        (Sandbox::Strict, false) => Err(SandboxError::NoLandlock),
        (_, true) => Ok(Attained::Reduced),
        (_, false) => Ok(Attained::CallsAlone),
    }
}

/// What is left to do after the restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Run code under test in this process, which starts no other.
    RunCode,
    /// Become the program of this descriptor, once and without a new process. The descriptor has to close by itself then,
    /// and its number to be beyond the limit of open files: so nobody gets it again.
    Execute(RawFd),
}

impl Policy {
    /// Restricts the calling thread and all that it starts from now on, for good.
    pub fn enforce(&self, then: Then) -> Result<(), SandboxError> {
        let attained = attainable(self.level)?;
        if matches!(attained, Attained::Strict | Attained::Reduced) {
            self.guard_files(then)?;
        }
        if attained != Attained::Off {
            calls::filter(then)?;
        }
        Ok(())
    }

    fn guard_files(&self, then: Then) -> Result<(), SandboxError> {
        let read = AccessFs::ReadFile | AccessFs::ReadDir;
        // Files of any kind but devices and sockets.
        let write = read
            | AccessFs::WriteFile
            | AccessFs::Truncate
            | AccessFs::RemoveFile
            | AccessFs::RemoveDir
            | AccessFs::MakeReg
            | AccessFs::MakeDir
            | AccessFs::MakeSym
            | AccessFs::MakeFifo
            | AccessFs::Refer;
        let system = SYSTEM.iter().map(Path::new);
        let readable: Vec<&Path> = match self.level {
            Sandbox::Strict => system.chain(self.readable.iter().map(PathBuf::as_path)).collect(),
            Sandbox::Reduced | Sandbox::Off => vec![Path::new("/")],
        };
        let programs: BitFlags<AccessFs> = match then {
            Then::RunCode => BitFlags::empty(),
            // The program and what the kernel loads it with.
            Then::Execute(_) => AccessFs::Execute.into(),
        };
        let ruleset = ruleset()?
            .add_rules(path_beneath_rules(readable, read | programs))?
            .add_rules(path_beneath_rules(&self.writable, write))?
            .add_rules(path_beneath_rules(["/dev/null"], write))?;
        ruleset.restrict_self().map(|_| ()).map_err(SandboxError::from)
    }

    /// The policy as arguments of randgen's hidden commands.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["--sandbox".into(), self.level.show().into()];
        for (flag, paths) in [("--readable", &self.readable), ("--writable", &self.writable)] {
            arguments.extend(paths.iter().flat_map(|path| [flag.into(), path.clone().into_os_string()]));
        }
        arguments
    }
}

/// Rules for all that Landlock can guard: the first version's is a must, what later ones added is denied where they are
/// known.
fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))?
        .handle_access(AccessNet::from_all(ABI::V4))?
        .scope(Scope::from_all(ABI::V6))?
        .create()
}

/// What every JVM reads: libraries, time zones, fonts, what it asks about the machine, and sources of zeroes and randomness.
/// Those that are not there are passed over.
const SYSTEM: &[&str] = &[
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/timezone",
    "/usr/share/zoneinfo",
    "/usr/share/locale",
    "/etc/fonts",
    "/usr/share/fontconfig",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/var/cache/fontconfig",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    // Of the process itself; those of others stay closed.
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/cgroups",
    "/proc/version",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/threads-max",
    "/proc/sys/vm/max_map_count",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/hugepages",
    "/sys/kernel/mm/transparent_hugepage",
];

#[cfg(test)]
mod tests;

//! The system calls that code under test may make.
//!
//! Two filters. The list of calls that a JVM makes decides: any other call does not exist (ENOSYS), those that the kernel
//! learns of after this was written among them. Calls by which Java code would notice what it is denied fail with EPERM
//! instead, which is what the JDK's exceptions are recognised by. The list was measured with `strace` on JDK 17 and 25.

use super::{SandboxError, Then};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Whether the kernel filters system calls, on a processor whose calls are known here.
pub fn check() -> Result<(), SandboxError> {
    arch()?;
    match std::fs::metadata("/proc/sys/kernel/seccomp/actions_avail") {
        Ok(_) => Ok(()),
        Err(error) => Err(SandboxError::NoFilter(format!("/proc/sys/kernel/seccomp: {error}"))),
    }
}

/// Filters the calls of the calling thread and of all that it starts.
pub fn filter(then: Then) -> Result<(), SandboxError> {
    let failed = |error: seccompiler::Error| SandboxError::NoFilter(error.to_string());
    for program in programs(then)? {
        seccompiler::apply_filter(&program).map_err(failed)?;
    }
    Ok(())
}

fn arch() -> Result<TargetArch, SandboxError> {
    std::env::consts::ARCH
        .try_into()
        .map_err(|_| SandboxError::NoFilter(format!("the processor is of the kind {}", std::env::consts::ARCH)))
}

/// In the order in which they are installed: of two filters that refuse a call, the later one's error counts, so the later
/// one has to let pass what the earlier one refuses. It also refuses to install more.
fn programs(then: Then) -> Result<[BpfProgram; 2], SandboxError> {
    let arch = arch()?;
    let failed = |error: seccompiler::BackendError| SandboxError::NoFilter(error.to_string());
    let compile = |rules, otherwise, matching| -> Result<BpfProgram, SandboxError> {
        SeccompFilter::new(rules, otherwise, matching, arch).and_then(BpfProgram::try_from).map_err(failed)
    };
    let denied = denied(then).map_err(failed)?;
    let mut allowed = allowed().map_err(failed)?;
    for call in denied.keys() {
        allowed.entry(*call).or_default();
    }
    let errno = |errno: i32| SeccompAction::Errno(errno as u32);
    Ok([
        compile(denied, SeccompAction::Allow, errno(libc::EPERM))?,
        compile(allowed, errno(libc::ENOSYS), SeccompAction::Allow)?,
    ])
}

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// What one rule asks of a call: each of these arguments.
type Conditions<'a> = &'a [(u8, SeccompCmpOp, u64)];

/// Adds a rule; calls with several are matched by any of them.
fn add(rules: &mut Rules, call: c_long, conditions: Conditions) -> Result<(), seccompiler::BackendError> {
    let condition = |(argument, operator, value): &(u8, SeccompCmpOp, u64)| {
        // Numbers are ints, and what lies in the upper half of the register is not looked at; an address is all of it.
        let is_address = call == libc::SYS_sendto || call == libc::SYS_prlimit64;
        let length = if is_address { SeccompCmpArgLen::Qword } else { SeccompCmpArgLen::Dword };
        SeccompCondition::new(*argument, length, operator.clone(), *value)
    };
    let conditions = conditions.iter().map(condition).collect::<Result<Vec<_>, _>>()?;
    rules.entry(call).or_default().push(SeccompRule::new(conditions)?);
    Ok(())
}

/// Calls that fail with EPERM.
fn denied(then: Then) -> Result<Rules, seccompiler::BackendError> {
    use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
    let mut rules: Rules = DENIED.iter().chain(DENIED_OF_PROCESSOR).map(|call| (*call, Vec::new())).collect();
    match then {
        Then::RunCode => drop(rules.insert(libc::SYS_execveat, Vec::new())),
        // Only of this descriptor, which the program that is run does not have and whose number it cannot get again.
        Then::Execute(program) => {
            add(&mut rules, libc::SYS_execveat, &[(0, Ne, program as u64)])?;
            add(&mut rules, libc::SYS_execveat, &[(4, Ne, libc::AT_EMPTY_PATH as u64)])?;
        }
    }
    // Threads, but no processes, and no thread that lives in namespaces of its own.
    add(&mut rules, libc::SYS_clone, &[(0, MaskedEq(libc::CLONE_THREAD as u64), 0)])?;
    for flag in NAMESPACES {
        let flag = u64::from(*flag as u32);
        add(&mut rules, libc::SYS_clone, &[(0, MaskedEq(flag), flag)])?;
    }
    // Signals to itself alone, and none that stops it: its supervisor would wait for it.
    let own_id = u64::from(std::process::id());
    let calls = [libc::SYS_kill, libc::SYS_rt_sigqueueinfo, libc::SYS_tgkill, libc::SYS_rt_tgsigqueueinfo];
    for (call, signal) in calls.into_iter().zip([1, 1, 2, 2]) {
        add(&mut rules, call, &[(0, Ne, own_id)])?;
        for stop in [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU] {
            add(&mut rules, call, &[(signal, Eq, stop as u64)])?;
        }
    }
    // Limits are read only.
    add(&mut rules, libc::SYS_prlimit64, &[(2, Ne, 0)])?;
    Ok(rules)
}

/// Calls that exist.
fn allowed() -> Result<Rules, seccompiler::BackendError> {
    use seccompiler::SeccompCmpOp::{Eq, MaskedEq};
    let mut rules: Rules = ALLOWED.iter().chain(ALLOWED_OF_PROCESSOR).map(|call| (*call, Vec::new())).collect();
    // A pair of datagram sockets sends to any path (`sendto`), a pair of streams only to its other end.
    let stream = libc::SOCK_STREAM as u64;
    add(&mut rules, libc::SYS_socketpair, &[(0, Eq, libc::AF_UNIX as u64), (1, MaskedEq(0xff), stream)])?;
    add(&mut rules, libc::SYS_sendto, &[(4, Eq, 0)])?;
    // Not F_SETOWN and F_SETSIG, which have the kernel send signals, nor leases and notifications.
    for command in DESCRIPTOR_COMMANDS {
        add(&mut rules, libc::SYS_fcntl, &[(1, Eq, *command as u64)])?;
    }
    // Not FIOSETOWN and SIOCSPGRP, nor the flags of files, which need no right to write.
    for request in DEVICE_REQUESTS {
        add(&mut rules, libc::SYS_ioctl, &[(1, Eq, u64::from(*request as u32))])?;
    }
    // Not PR_SET_PDEATHSIG, by which it dies with its supervisor, nor PR_SET_SECCOMP.
    for option in PROCESS_OPTIONS {
        add(&mut rules, libc::SYS_prctl, &[(0, Eq, *option as u64)])?;
    }
    Ok(rules)
}

const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

const DESCRIPTOR_COMMANDS: &[i32] = &[
    libc::F_DUPFD,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_DUPFD_CLOEXEC,
];

/// Also `TCGETS2`, by which newer C libraries ask whether a descriptor is a terminal.
const DEVICE_REQUESTS: &[u64] = &[libc::TCGETS, 0x802c_542a, libc::FIONREAD, libc::FIONBIO, libc::FIOCLEX];

/// The last is PR_SET_VMA, by which C libraries and JVMs name their memory.
const PROCESS_OPTIONS: &[i32] =
    &[libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_GET_DUMPABLE, libc::PR_CAPBSET_READ, 0x5356_4d41];

/// What JVMs and C libraries do with files that Landlock guards, with memory, threads and time.
const ALLOWED: &[c_long] = &[
    // Files by path.
    libc::SYS_openat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_umask,
    // Open files.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_getdents64,
    libc::SYS_fgetxattr,
    libc::SYS_flistxattr,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_fadvise64,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_flock,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_eventfd2,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_rm_watch,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_recvfrom,
    libc::SYS_shutdown,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_getsockopt,
    // Memory.
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_msync,
    libc::SYS_brk,
    libc::SYS_membarrier,
    // Threads and signals.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpgid,
    libc::SYS_getsid,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_getpriority,
    libc::SYS_getcpu,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Time, and what the machine is like.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_getrandom,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrusage,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getgroups,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_capget,
];

/// Older forms of the same, and the registers of threads.
#[cfg(target_arch = "x86_64")]
const ALLOWED_OF_PROCESSOR: &[c_long] = &[
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_getdents,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_eventfd,
    libc::SYS_inotify_init,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_time,
    libc::SYS_pause,
    libc::SYS_getpgrp,
    libc::SYS_getrlimit,
    libc::SYS_arch_prctl,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_OF_PROCESSOR: &[c_long] = &[libc::SYS_renameat];

/// What else leads out of a process, so far as Java code can ask for it or once could.
const DENIED: &[c_long] = &[
    // Other programs. No child lives without one of the calls that are denied by their arguments.
    libc::SYS_execve,
    // Other processes: their memory, files and lives.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_tkill,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    // The supervisor ends it by its group.
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_setrlimit,
    // The network, and what else processes meet in. Pairs of sockets stay: nobody else has the other end.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmdt,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Files by ways that Landlock does not guard, or does not in all versions.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_truncate,
    libc::SYS_mknodat,
    // It tells what others do with files that cannot be read.
    libc::SYS_inotify_add_watch,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    // Calls that do others' work, unseen by filters.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The system itself.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_settimeofday,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_vhangup,
];

/// Older forms of the same, and calls that only some processors have.
#[cfg(target_arch = "x86_64")]
const DENIED_OF_PROCESSOR: &[c_long] = &[
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_mknod,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_kexec_file_load,
];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_OF_PROCESSOR: &[c_long] = &[];

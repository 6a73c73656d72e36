//! The system calls that code under test is denied: it sees EPERM, as if it were not allowed to.
//!
//! A list of what is denied and not of what is allowed: the JVM's calls differ between releases, C libraries and processors,
//! and those below are all that lead out of a process whose files Landlock guards.

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

fn programs(then: Then) -> Result<[BpfProgram; 2], SandboxError> {
    let arch = arch()?;
    let compile = |rules, errno: i32| -> Result<BpfProgram, SandboxError> {
        let failed = |error: seccompiler::BackendError| SandboxError::NoFilter(error.to_string());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno as u32), arch);
        filter.and_then(BpfProgram::try_from).map_err(failed)
    };
    // Its flags are behind a pointer, which a filter does not follow; told that there is no such call, C libraries use
    // `clone`.
    let absent = with_other_numbers(BTreeMap::from([(libc::SYS_clone3, Vec::new())]));
    Ok([compile(absent, libc::ENOSYS)?, compile(with_other_numbers(denied(then)?), libc::EPERM)?])
}

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

fn denied(then: Then) -> Result<Rules, SandboxError> {
    let mut rules: Rules = ALWAYS.iter().chain(OF_PROCESSOR).map(|call| (*call, Vec::new())).collect();
    if then == Then::RunCode {
        rules.insert(libc::SYS_execve, Vec::new());
    }
    let own_id = u64::from(std::process::id());
    let mut on = |call: c_long, conditions: &[(u8, SeccompCmpOp, u64)]| -> Result<(), SandboxError> {
        let failed = |error: seccompiler::BackendError| SandboxError::NoFilter(error.to_string());
        for (argument, operator, value) in conditions {
            let length = match operator {
                // A pointer.
                SeccompCmpOp::Ne if *value == 0 => SeccompCmpArgLen::Qword,
                _ => SeccompCmpArgLen::Dword,
            };
            let condition = SeccompCondition::new(*argument, length, operator.clone(), *value).map_err(failed)?;
            rules.entry(call).or_default().push(SeccompRule::new(vec![condition]).map_err(failed)?);
        }
        Ok(())
    };
    // Threads, but no processes.
    on(libc::SYS_clone, &[(0, SeccompCmpOp::MaskedEq(libc::CLONE_THREAD as u64), 0)])?;
    // Signals to itself alone.
    for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
        on(call, &[(0, SeccompCmpOp::Ne, own_id)])?;
    }
    // It is to die with its supervisor, and limits stay as they are.
    on(libc::SYS_prctl, &[(0, SeccompCmpOp::Eq, libc::PR_SET_PDEATHSIG as u64)])?;
    on(libc::SYS_prlimit64, &[(2, SeccompCmpOp::Ne, 0)])?;
    Ok(rules)
}

/// On x86-64 each call has a second number, with which kernels that know the x32 ABI take it.
fn with_other_numbers(rules: Rules) -> Rules {
    if !cfg!(target_arch = "x86_64") {
        return rules;
    }
    let others: Rules = rules.iter().map(|(call, rules)| (call | 0x4000_0000, rules.clone())).collect();
    rules.into_iter().chain(others).collect()
}

const ALWAYS: &[c_long] = &[
    // Other programs. No child lives without one of the calls that are denied by their arguments.
    libc::SYS_execveat,
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
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
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
const OF_PROCESSOR: &[c_long] = &[
    libc::SYS_fork,
    libc::SYS_vfork,
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
const OF_PROCESSOR: &[c_long] = &[];

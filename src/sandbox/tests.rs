//! What the kernel denies a thread that asked it to. No other thread of these tests is bound by it.

#![expect(unsafe_code, reason = "system calls are made that no library makes")]

use super::{Policy, Then};
use libc::c_long;
use model::options::Sandbox;
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::process::Command;

const SECRET: &str = "pSsT-4711";

#[test]
fn enforced_policy_denies_files_processes_and_sockets() {
    let scratch = tempfile::tempdir().unwrap();
    let own = scratch.path().to_path_buf();
    let (inside, outside) = (own.join("inside"), own.join("outside"));
    fs::create_dir(&inside).unwrap();
    fs::write(&outside, SECRET).unwrap();
    let denied = std::thread::spawn(move || {
        let policy = Policy { level: Sandbox::Strict, readable: Vec::new(), writable: vec![inside.clone()] };
        policy.enforce(Then::RunCode).unwrap();
        fs::write(inside.join("file"), "text").unwrap();
        let mode = fs::metadata(inside.join("file")).unwrap().permissions();
        let outcomes = [
            fs::read(&outside).map(drop),
            fs::write(&outside, "").map(drop),
            fs::rename(inside.join("file"), own.join("moved")),
            fs::set_permissions(inside.join("file"), mode),
            Command::new("/bin/true").status().map(drop),
            UdpSocket::bind("127.0.0.1:0").map(drop),
            TcpListener::bind("127.0.0.1:0").map(drop),
            std::os::unix::net::UnixDatagram::unbound().map(drop),
            fs::read(format!("/proc/{}/environ", std::os::unix::process::parent_id())).map(drop),
        ];
        outcomes.map(|outcome| outcome.err().map(|error| error.kind()))
    });
    let kinds = denied.join().unwrap();
    let is_denial =
        |kind: &Option<ErrorKind>| matches!(kind, Some(ErrorKind::PermissionDenied | ErrorKind::CrossesDevices));
    assert!(kinds.iter().all(is_denial), "{kinds:?}");
    assert_eq!(fs::read_to_string(scratch.path().join("outside")).unwrap(), SECRET);
}

/// The error of a call, made by a thread that is restricted: 0 if it succeeds.
fn error_of(number: c_long, arguments: [c_long; 6]) -> i32 {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the callers pass plain numbers, or addresses of what they own until the call returns.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    if result < 0 { std::io::Error::last_os_error().raw_os_error().unwrap() } else { 0 }
}

/// What `work` finds in a thread that may only write the directory it is given.
fn restricted<T: Send + 'static>(work: impl FnOnce(&std::path::Path) -> T + Send + 'static) -> T {
    let scratch = tempfile::tempdir().unwrap();
    let own = scratch.path().to_path_buf();
    let restricted = move || {
        let policy = Policy { level: Sandbox::Strict, readable: Vec::new(), writable: vec![own.clone()] };
        policy.enforce(Then::RunCode).unwrap();
        work(&own)
    };
    std::thread::spawn(restricted).join().unwrap()
}

#[test]
fn calls_that_are_not_listed_do_not_exist() {
    restricted(|own| {
        let file = fs::File::create(own.join("file")).unwrap();
        let descriptor = c_long::from(file.as_raw_fd());
        // quotactl_fd, and of Linux 6.13 to 6.17: setxattrat, removexattrat, open_tree_attr, file_setattr.
        for call in [443, 463, 466, 467, 469, 999] {
            assert_eq!(error_of(call, [descriptor, 0, 0, 0, 0, 0]), libc::ENOSYS, "{call}");
        }
        // A filter of its own could have its calls answered by itself.
        assert_eq!(error_of(libc::SYS_seccomp, [1, 0, 0, 0, 0, 0]), libc::ENOSYS);
        assert_eq!(error_of(libc::SYS_prctl, [libc::PR_SET_PDEATHSIG.into(), 0, 0, 0, 0, 0]), libc::ENOSYS);
        if cfg!(target_arch = "x86_64") {
            // The x32 forms of getpid and of readv, which has another number there.
            for call in [39, 515] {
                assert_eq!(error_of(0x4000_0000 | call, [0; 6]), libc::ENOSYS, "{call}");
            }
        }
    });
}

#[test]
fn system_v_objects_of_others_are_out_of_reach() {
    // SAFETY: plain numbers.
    let queue = unsafe { libc::msgget(libc::IPC_PRIVATE, 0o600) };
    let errors = restricted(move |_| {
        let queue = c_long::from(queue);
        [libc::SYS_shmat, libc::SYS_shmctl, libc::SYS_semctl, libc::SYS_semop, libc::SYS_msgrcv, libc::SYS_msgsnd]
            .map(|call| error_of(call, [queue, 0, 0, 0, 0, 0]))
            .into_iter()
            .chain([error_of(libc::SYS_msgctl, [queue, libc::IPC_RMID.into(), 0, 0, 0, 0])])
            .collect::<Vec<_>>()
    });
    assert_eq!(errors, [libc::EPERM; 7]);
    // SAFETY: plain numbers; it is still there.
    assert_eq!(unsafe { libc::msgctl(queue, libc::IPC_RMID, std::ptr::null_mut()) }, 0);
}

#[test]
fn pairs_of_sockets_reach_only_each_other() {
    restricted(|_| {
        let mut pair = [0_i32; 2];
        let address = pair.as_mut_ptr() as c_long;
        let pair_of = |kind: i32| error_of(libc::SYS_socketpair, [1, kind.into(), 0, address, 0, 0]);
        assert_eq!(pair_of(libc::SOCK_DGRAM), libc::ENOSYS);
        assert_eq!(pair_of(libc::SOCK_DGRAM | libc::SOCK_CLOEXEC), libc::ENOSYS);
        assert_eq!(pair_of(libc::SOCK_SEQPACKET), libc::ENOSYS);
        assert_eq!(pair_of(libc::SOCK_STREAM | libc::SOCK_CLOEXEC), 0);
        let (descriptor, text) = (c_long::from(pair[0]), c"a".as_ptr() as c_long);
        assert_eq!(error_of(libc::SYS_sendto, [descriptor, text, 1, 0, 0, 0]), 0);
        assert_eq!(error_of(libc::SYS_sendto, [descriptor, text, 1, 0, text, 1]), libc::ENOSYS);
        assert_eq!(error_of(libc::SYS_sendmsg, [descriptor, 0, 0, 0, 0, 0]), libc::EPERM);
        assert_eq!(error_of(libc::SYS_sendmmsg, [descriptor, 0, 0, 0, 0, 0]), libc::EPERM);
    });
}

#[test]
fn signals_are_sent_neither_to_others_nor_to_stop_itself() {
    restricted(|own| {
        let file = fs::File::create(own.join("file")).unwrap();
        let descriptor = c_long::from(file.as_raw_fd());
        let parent = c_long::from(std::os::unix::process::parent_id());
        // F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE.
        for command in [8, 10, 15, 1024] {
            assert_eq!(error_of(libc::SYS_fcntl, [descriptor, command, parent, 0, 0, 0]), libc::ENOSYS, "{command}");
        }
        // FIOSETOWN, SIOCSPGRP, and FS_IOC_SETFLAGS, which makes files immutable.
        for request in [0x8901, 0x8902, 0x4008_6602] {
            assert_eq!(error_of(libc::SYS_ioctl, [descriptor, request, 0, 0, 0, 0]), libc::ENOSYS, "{request:x}");
        }
        let own_id = c_long::from(std::process::id());
        for signal in [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU].map(c_long::from) {
            assert_eq!(error_of(libc::SYS_kill, [own_id, signal, 0, 0, 0, 0]), libc::EPERM);
            assert_eq!(error_of(libc::SYS_tgkill, [own_id, own_id, signal, 0, 0, 0]), libc::EPERM);
        }
        assert_eq!(error_of(libc::SYS_kill, [own_id, 0, 0, 0, 0, 0]), 0);
        assert_eq!(error_of(libc::SYS_kill, [parent, 0, 0, 0, 0, 0]), libc::EPERM);
    });
}

#[test]
fn report_names_what_the_kernel_gives() {
    let strict = super::attainable(Sandbox::Strict).unwrap().described();
    assert!(
        strict.starts_with("strict: Landlock ABI ") && strict.contains(" scopes, seccomp allow-list, "),
        "{strict}"
    );
    let apart = super::apart::Apart::attainable();
    assert_eq!((strict.contains(" no namespaces"), strict.ends_with("user nobody")), (!apart.namespaces, apart.user));
    let calls_alone = super::Attained::CallsAlone.described();
    assert!(calls_alone.starts_with("reduced, without Landlock: seccomp allow-list, "), "{calls_alone}");
    assert_eq!(super::attainable(Sandbox::Off).unwrap().described(), "off");
}

//! What the kernel denies a thread that asked it to. No other thread of these tests is bound by it.

use super::{Policy, Then};
use model::options::Sandbox;
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
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

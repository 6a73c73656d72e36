//! The machine that randgen runs on, as a supervisor's [`World`].

use super::world::{Process, Storage, TICK, World};
use super::{Launch, SupervisorError, spawn};
use crate::process::{self, group};
use crate::scratch;
use model::execution::KillReason;
use protocol::{self, Kind};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often it is seen whether a worker fills its directory.
const LOOK_AT_DISK: Duration = Duration::from_millis(100);

/// How long a worker may let the supervisor wait before it accepts data.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Machine {
    began: Instant,
}

impl Machine {
    pub fn new() -> Machine {
        Machine { began: Instant::now() }
    }
}

impl World for Machine {
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn file(&self, directory: &Path) -> io::Result<Box<dyn Storage>> {
        std::fs::create_dir_all(directory)?;
        Ok(Box::new(tempfile::tempfile_in(directory)?))
    }

    fn start(&self, launch: &Launch, name: &str) -> Result<Box<dyn Process>, SupervisorError> {
        let directory = fresh_directory(&launch.scratch, name)?;
        let program = launch.command.first().map(|program| program.to_string_lossy().into_owned()).unwrap_or_default();
        let failed = |source| SupervisorError::Spawn { program: program.clone(), source };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        ours.set_read_timeout(Some(TICK)).map_err(failed)?;
        ours.set_write_timeout(Some(WRITE_PATIENCE)).map_err(failed)?;
        let mut command = Command::new(&program);
        command
            .args(&launch.command[1.min(launch.command.len())..])
            .args(launch.policy(&directory).arguments())
            .arg0("randgen")
            .env_clear()
            .env("JAVA_HOME", &launch.java_home)
            .env("HOME", &directory)
            .env("TMPDIR", &directory)
            .env("TZ", "UTC")
            .env("LC_ALL", launch.locale)
            .current_dir(&directory)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        if let Some(log) = std::env::var_os("RANDGEN_WORKER_LOG") {
            command.env("RANDGEN_WORKER_LOG", log);
        }
        let child = spawn::spawn(command).map_err(failed)?;
        Ok(Box::new(Worker {
            child,
            stream: ours,
            peak_bytes: launch.peak_bytes.clone(),
            directory,
            looked: Instant::now(),
        }))
    }
}

impl Storage for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, bytes, offset)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.set_len(0)?;
        io::Seek::rewind(self)
    }
}

/// A process of this machine.
struct Worker {
    child: Child,
    stream: UnixStream,
    peak_bytes: Arc<AtomicU64>,
    directory: PathBuf,
    /// When it was last seen how full that is.
    looked: Instant,
}

impl Process for Worker {
    fn id(&self) -> u32 {
        self.child.id()
    }

    fn directory(&self) -> &Path {
        &self.directory
    }

    fn send(&mut self, kind: Kind, content: &[u8]) -> io::Result<()> {
        protocol::write_frame(&mut self.stream, kind, content)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.looked.elapsed() > LOOK_AT_DISK {
            if scratch::is_full(&self.directory, self.child.id()) {
                tracing::info!(pid = self.child.id(), "worker has filled its directory");
                self.kill();
            }
            self.looked = Instant::now();
        }
        self.stream.read(buffer)
    }

    fn end(&mut self) -> KillReason {
        if let Ok(None) = self.child.try_wait() {
            // A worker that closed its channel is about to be gone; one that still runs is killed.
            std::thread::sleep(Duration::from_millis(20));
        }
        self.kill();
        match self.child.wait() {
            Ok(status) => match status.signal() {
                Some(signal) => KillReason::Signal(signal),
                None => KillReason::WorkerExit(status.code().unwrap_or(-1)),
            },
            Err(_) => KillReason::WorkerExit(-1),
        }
    }
}

impl Worker {
    /// Kills the process unless it has ended. Its peak memory is noted first, because it cannot be read afterwards.
    fn kill(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.peak_bytes.fetch_max(process::peak_bytes(self.child.id()).unwrap_or(0), Ordering::Relaxed);
            group::kill(self.child.id());
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
        // Waiting reaps the process; an error means that it is reaped already.
        let _ = self.child.wait();
        // If this fails, the files are removed with the run's scratch directory.
        let _ = scratch::remove_tree(&self.directory);
    }
}

fn fresh_directory(scratch: &Path, name: &str) -> Result<PathBuf, SupervisorError> {
    let path = scratch.join(name);
    let failed = |source| SupervisorError::Scratch { path: path.clone(), source };
    scratch::remove_tree(&path).and_then(|()| std::fs::create_dir_all(&path)).map_err(failed)?;
    path.canonicalize().map_err(failed)
}

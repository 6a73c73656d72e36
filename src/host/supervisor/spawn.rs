//! Starts worker processes from one thread that lives as long as this program.
//!
//! A worker asks the kernel for its death with its parent (`PR_SET_PDEATHSIG`), and to the kernel the parent is the
//! *thread* that forked: were workers started from the search's short-lived threads, they would die with those.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, OnceLock, mpsc};

type Request = (Command, mpsc::Sender<io::Result<Child>>);

/// Spawns `command` so that the child may ask for its death with this program.
pub fn spawn(command: Command) -> io::Result<Child> {
    static SPAWNER: OnceLock<Mutex<mpsc::Sender<Request>>> = OnceLock::new();
    let gone = || io::Error::other("the thread that spawns workers is gone");
    let spawner = SPAWNER.get_or_init(|| {
        let (sender, receiver) = mpsc::channel::<Request>();
        std::thread::spawn(move || {
            for (mut command, reply) in receiver {
                // A requester that is gone no longer wants the child: dropping the command closed its channel.
                let _ = reply.send(command.spawn());
            }
        });
        Mutex::new(sender)
    });
    let (reply, answer) = mpsc::channel();
    spawner.lock().map_err(|_| gone())?.send((command, reply)).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

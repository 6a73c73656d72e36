//! What the user's signals do: the first asks the run to end, the second ends it, the third ends it at once.

use crate::exit::ExitCode;
use host::process::group;
use host::scratch;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What killed workers have to be gone in, so that they write no more.
const GONE: Duration = Duration::from_millis(100);

/// Listens for SIGINT and SIGTERM; the first sets `interrupt`.
pub fn listen(interrupt: &Arc<AtomicBool>) -> io::Result<()> {
    let ending = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, ExitCode::Interrupted as i32, ending.clone())?;
        signal_hook::flag::register(signal, interrupt.clone())?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("signals".to_string()).spawn(move || {
        if signals.forever().nth(1).is_some() {
            ending.store(true, Ordering::Relaxed);
            group::kill_children();
            std::thread::sleep(GONE);
            scratch::remove_all();
            std::process::exit(ExitCode::Interrupted as i32);
        }
    })?;
    Ok(())
}

//! Ends a process group: a child that was made a group's leader, and everything it started.

/// Kills every process of the group whose leader has the process id `leader`.
///
/// The leader must not have been waited for yet, or its number could belong to somebody else.
pub fn kill(leader: u32) {
    let Ok(group) = i32::try_from(leader) else { return };
    if group > 1 {
        // SAFETY: killpg takes plain numbers and touches no memory of ours; a group that is gone is an ignored error.
        unsafe { libc::killpg(group, libc::SIGKILL) };
    }
}

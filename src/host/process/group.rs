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

/// Kills the groups of all children of this process, which has given up on them.
pub fn kill_children() {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    for thread in threads {
        let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        // Each is either alive or not waited for, as the lists name no others; should one be waited for meanwhile, it
        // takes the system longer than this to give its number away again.
        children.split_whitespace().filter_map(|id| id.parse().ok()).for_each(kill);
    }
}

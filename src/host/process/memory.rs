//! How the process holds on to memory that it has freed.

/// Threads share two of the allocator's arenas. Each round of a search has threads of its own, whose sequences are freed
/// by another: with an arena for each thread, a seventh of the memory lay idle.
///
/// To be called before there are other threads; without effect where the C library is not GNU's.
pub fn share_arenas() {
    #[cfg(target_env = "gnu")]
    // SAFETY: mallopt takes two numbers and is called while no other thread allocates.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 2);
    }
}

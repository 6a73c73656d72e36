//! Counts what each thread holds of the heap.

#![expect(unsafe_code, reason = "an allocator implements an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

/// What this thread holds. What another gives back that it has taken counts on.
pub fn begin() -> isize {
    MOST.set(HELD.get());
    HELD.get()
}

/// The most that it has held since.
pub fn most() -> isize {
    MOST.get()
}

fn count(bytes: isize) {
    // A thread that ends has no counters any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: all that is done with memory, the system's allocator does; counters of plain numbers allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

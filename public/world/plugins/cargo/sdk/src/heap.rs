//! `cabi_realloc`, through which the preview 1 adapter takes its own memory from this program's heap.
//!
//! Without it the adapter grows the memory, and a wasi-libc of before 2023 (Debian's) then takes all memory that it finds
//! at its first allocation for its heap, the adapter's part too: large values overwrite the adapter's state.

use std::alloc::{alloc, realloc, Layout};

/// # Safety
/// `old` is null or came from here with `old_length` bytes and the same alignment.
#[no_mangle]
unsafe extern "C" fn cabi_realloc(old: *mut u8, old_length: usize, align: usize, length: usize) -> *mut u8 {
    match (old_length, length) {
        (_, 0) => align as *mut u8,
        (0, _) => alloc(Layout::from_size_align_unchecked(length, align)),
        _ => realloc(old, Layout::from_size_align_unchecked(old_length, align), length),
    }
}

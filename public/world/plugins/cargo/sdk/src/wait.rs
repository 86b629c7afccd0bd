//! Reading stdin, and waiting for it no longer than until a time.

use std::io;
use std::time::Duration;

#[cfg(target_os = "wasi")]
mod system {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};
    use std::mem::{size_of, ManuallyDrop};
    use std::os::fd::FromRawFd;

    /// The descriptor without the buffer of `std::io`, which `poll_oneoff` could not see into.
    fn descriptor(number: i32) -> ManuallyDrop<File> {
        // SAFETY: 0 and 1 are open as long as the process runs, and are never closed through this.
        ManuallyDrop::new(unsafe { File::from_raw_fd(number) })
    }

    pub fn read(buffer: &mut [u8]) -> io::Result<usize> {
        descriptor(0).read(buffer)
    }

    pub fn write(bytes: &[u8]) -> io::Result<()> {
        descriptor(1).write_all(bytes)
    }

    #[repr(C)]
    struct Subscription {
        userdata: u64,
        tag: u8,
        what: What,
    }

    /// The largest member of a union, whose alignment counts for all.
    #[repr(C, align(8))]
    struct What {
        /// The number of the clock, or of the descriptor.
        subject: u32,
        timeout: u64,
        precision: u64,
        flags: u16,
    }

    #[repr(C)]
    #[derive(Clone, Copy, Default)]
    struct Event {
        userdata: u64,
        error: u16,
        tag: u8,
        bytes: u64,
        flags: u16,
    }

    // The layout of the ABI, which no compiler checks.
    const _: () = assert!(size_of::<Subscription>() == 48 && size_of::<Event>() == 32);

    #[link(wasm_import_module = "wasi_snapshot_preview1")]
    extern "C" {
        fn poll_oneoff(what: *const Subscription, events: *mut Event, count: usize, happened: *mut usize) -> u16;
    }

    const CLOCK: u8 = 0;
    const MONOTONIC: u32 = 1;
    const READ: u8 = 1;
    const STDIN: u32 = 0;

    /// Waits until stdin has something, its end included, or the time is over; whether it is stdin.
    pub fn wait(timeout: Duration, stdin: bool) -> bool {
        let nanoseconds = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        let subscription = |tag, subject, timeout| Subscription {
            userdata: tag as u64,
            tag,
            what: What {
                subject,
                timeout,
                precision: 0,
                flags: 0,
            },
        };
        let what = [
            subscription(CLOCK, MONOTONIC, nanoseconds),
            subscription(READ, STDIN, 0),
        ];
        let mut events = [Event::default(); 2];
        let mut happened = 0;
        let count = if stdin { 2 } else { 1 };
        // SAFETY: both arrays are as long as `count` says at least, and laid out as the call wants them.
        let error = unsafe { poll_oneoff(what.as_ptr(), events.as_mut_ptr(), count, &mut happened) };
        assert_eq!(error, 0, "poll_oneoff failed");
        events[..happened.min(2)]
            .iter()
            .any(|event| event.userdata == READ as u64)
    }
}

/// Outside of WASI, where plugins are only compiled for their documentation and simple tests.
#[cfg(not(target_os = "wasi"))]
mod system {
    use super::*;
    use std::io::{Read, Write};

    pub fn read(buffer: &mut [u8]) -> io::Result<usize> {
        io::stdin().lock().read(buffer)
    }

    pub fn write(bytes: &[u8]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush())
    }

    pub fn wait(timeout: Duration, _stdin: bool) -> bool {
        std::thread::sleep(timeout);
        false
    }
}

pub(crate) use system::*;

//! What a process sees of its surroundings: `report`, `clock`, `random`, `env`.

use crate::params::{done, Outcome, Params};
use crate::version::version;
use serde_json::json;
use std::env;

pub fn run(op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "report" => done(json!({
            "version": version(),
            "pid": env::var("SAUSAGE_PID").ok(),
            "plugin": env::var("SAUSAGE_PLUGIN").ok(),
            "parent": env::var("SAUSAGE_PARENT").ok(),
            "env": env::vars().collect::<Vec<_>>(),
            "args": env::args().collect::<Vec<_>>(),
            "cwd": env::current_dir().ok(),
        })),
        "clock" => done(json!({ "wall": clock(REALTIME).to_string(), "monotonic": clock(MONOTONIC).to_string() })),
        "random" => done(random(params.number_or("bytes", 16) as usize)),
        _ => return None,
    })
}

const REALTIME: u32 = 0;
const MONOTONIC: u32 = 1;

#[cfg(target_os = "wasi")]
mod wasi {
    #[link(wasm_import_module = "wasi_snapshot_preview1")]
    extern "C" {
        pub fn random_get(buffer: *mut u8, length: usize) -> u16;
        pub fn clock_time_get(clock: u32, precision: u64, time: *mut u64) -> u16;
    }
}

/// Nanoseconds, as the host gives them.
#[cfg(target_os = "wasi")]
fn clock(id: u32) -> u64 {
    let mut time = 0;
    let errno = unsafe { wasi::clock_time_get(id, 1, &mut time) };
    assert_eq!(errno, 0, "clock {id}");
    time
}

#[cfg(target_os = "wasi")]
fn random(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let errno = unsafe { wasi::random_get(bytes.as_mut_ptr(), length) };
    assert_eq!(errno, 0, "random");
    bytes
}

#[cfg(not(target_os = "wasi"))]
fn clock(_: u32) -> u64 {
    0
}

#[cfg(not(target_os = "wasi"))]
fn random(length: usize) -> Vec<u8> {
    vec![0; length]
}

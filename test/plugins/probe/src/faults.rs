//! Ways to fail and to use up: `trap`, `overflow`, `panic`, `exit`, `loop`, `spin`, `sleep`, `allocate`, `exhaust`.

use crate::params::{done, Outcome, Params};
use std::hint::black_box;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub fn run(op: &str, params: &Params) -> Option<Outcome> {
    Some(match op {
        "trap" => trap(),
        "overflow" => done(recurse(1)),
        "panic" => panic!("{}", params.text("message").unwrap_or("told to panic")),
        "exit" => std::process::exit(params.number_or("code", 0) as i32),
        "loop" => loop {
            black_box(());
        },
        "spin" => {
            let end = Instant::now() + Duration::from_millis(params.number_or("ms", 10));
            while Instant::now() < end {
                (0..1000).for_each(|number| _ = black_box(number));
            }
            done(())
        }
        "sleep" => {
            sleep(Duration::from_millis(params.number_or("ms", 10)));
            done(())
        }
        "allocate" => allocate(params.number_or("max", u64::MAX)),
        "exhaust" => loop {
            std::mem::forget(black_box(vec![1u8; BLOCK]));
        },
        _ => return None,
    })
}

const BLOCK: usize = 1 << 20;

fn trap() -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    std::process::abort();
}

#[allow(unconditional_recursion)]
fn recurse(depth: u64) -> u64 {
    black_box(recurse(black_box(depth + 1))) + 1
}

/// Takes memory in blocks of 1 MiB, up to `max` bytes, until there is no more; gives it back and answers how much.
fn allocate(max: u64) -> Outcome {
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    while ((blocks.len() * BLOCK) as u64) < max {
        let mut block = Vec::new();
        if blocks.try_reserve(1).is_err() || block.try_reserve_exact(BLOCK).is_err() {
            break;
        }
        block.resize(BLOCK, 1);
        blocks.push(block);
    }
    done(black_box(&blocks).len() * BLOCK)
}

//! The version of this binary, in a slot that a test can find and write over: so it makes versions without a compiler.

/// The marker, `=`, and 40 bytes of text that spaces fill up. `test/plugins/version.ts` knows both.
#[used]
static SLOT: [u8; 62] = *b"SAUSAGE-PROBE-VERSION=1                                       ";

pub fn version() -> String {
    // Read as if it could have changed since the compilation, which is what a test makes of it.
    let slot = unsafe { std::ptr::read_volatile(&raw const SLOT) };
    let text = String::from_utf8_lossy(&slot);
    text.split_once('=').map_or("", |(_, version)| version).trim_end().to_string()
}

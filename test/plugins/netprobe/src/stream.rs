//! Streams read and written to the end, as the tests need them.

use crate::params::{failed, Failure};
use serde_json::json;
use wasip2::io::streams::{InputStream, OutputStream, StreamError};

/// The failure of a stream, with its code in it.
pub fn failure(error: StreamError) -> Failure {
    match error {
        StreamError::Closed => failed(-32000, "closed", json!({ "code": "closed" })),
        StreamError::LastOperationFailed(error) => {
            // `network-error-code` is not in these bindings; the host's text is the name of the code
            let code = error.to_debug_string();
            failed(-32000, &code, json!({ "code": code }))
        }
    }
}

pub fn write_all(out: &OutputStream, bytes: &[u8]) -> Result<(), Failure> {
    let mut left = bytes;
    while !left.is_empty() {
        let permit = out.check_write().map_err(failure)? as usize;
        if permit == 0 {
            out.subscribe().block();
            continue;
        }
        let count = permit.min(left.len());
        out.write(&left[..count]).map_err(failure)?;
        left = &left[count..];
    }
    Ok(())
}

/// Some bytes, at least one; None at the end.
pub fn read_some(input: &InputStream, most: usize) -> Result<Option<Vec<u8>>, Failure> {
    match input.blocking_read(most as u64) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(StreamError::Closed) => Ok(None),
        Err(error) => Err(failure(error)),
    }
}

/// Up to `count` bytes; fewer at the end.
pub fn read_count(input: &InputStream, count: usize) -> Result<Vec<u8>, Failure> {
    let mut all = Vec::new();
    while all.len() < count {
        match read_some(input, count - all.len())? {
            Some(bytes) => all.extend_from_slice(&bytes),
            None => break,
        }
    }
    Ok(all)
}

/// Reads until `text` has come and no further, or to the end.
pub fn read_until(input: &InputStream, text: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut all = Vec::new();
    while !all.ends_with(text) {
        match read_some(input, 1)? {
            Some(bytes) => all.extend_from_slice(&bytes),
            None => break,
        }
    }
    Ok(all)
}

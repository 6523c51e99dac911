//! One test program: see ../README.md for what is in which file.

mod ambush;
mod backends;
mod checker;
mod exact;
mod families;
mod many;
mod peers;
mod properties;
mod second;
mod soak;
mod variant;
mod vectors;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};

/// Writes bytes as lowercase hexadecimal digits.
fn hex(bytes: impl AsRef<[u8]>) -> String {
    HEXLOWER.encode(bytes.as_ref())
}

/// Reads bytes that are written as hexadecimal digits.
fn unhex(digits: impl AsRef<[u8]>) -> Vec<u8> {
    HEXLOWER_PERMISSIVE.decode(digits.as_ref()).unwrap()
}

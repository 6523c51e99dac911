//! OpenSSL's names for RC4, as in its <openssl/rc4.h>.
//!
//! The caller owns the RC4_KEY: on any multiple of 4, copied by `memcpy`, never freed. Our streams
//! must lie on a multiple of 256. So a key holds only the table and the indexes. Each call of `RC4`
//! works on an aligned copy, which is wiped.

use std::{
    ffi::{CString, c_char, c_int},
    sync::OnceLock,
};

use arcfour::{Backend, MAX_KEY, Rc4};

use crate::{raw, stream::apply_rc4};

/// Marks a key initialised by `RC4_set_key`. `RC4` aborts without it: an unset table gives an all-zero
/// keystream.
const SET: u32 = u32::from_be_bytes(*b"ARC4");

/// Same size and alignment as OpenSSL's `RC4_KEY`. The contents are private.
#[repr(C)]
pub struct RC4_KEY {
    i: u8,
    j: u8,
    unused: [u8; 2],
    set: u32,
    s: [u8; 256],
    unused_data: [u32; 192],
}

// OpenSSL's: x, y and data[256], each an `unsigned int`.
const _: () = assert!(size_of::<RC4_KEY>() == 258 * 4 && align_of::<RC4_KEY>() == 4);

impl RC4_KEY {
    fn keep(&mut self, rc4: &Rc4) {
        let (s, i, j) = rc4.state().parts();
        (self.s, self.i, self.j, self.set) = (*s, i, j, SET);
    }
}

/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn RC4_set_key(key: *mut RC4_KEY, len: c_int, data: *const u8) {
    // Further bytes are never reached by the key schedule.
    let used = usize::try_from(len).unwrap_or(0).min(MAX_KEY);
    // SAFETY: the caller's pointers, as in OpenSSL; every field is valid whatever its bytes are.
    let (key, data) = unsafe { (raw::object(key), raw::slice(data, used)) };
    match (key, data.map(Rc4::from_key)) {
        (Ok(key), Ok(Ok(rc4))) => key.keep(&rc4),
        _ => refuse(&format!("RC4_set_key: NULL, or a key of {len} bytes; it must have 1 or more")),
    }
}

/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn RC4(key: *mut RC4_KEY, len: usize, indata: *const u8, outdata: *mut u8) {
    // SAFETY: the caller's pointer, as in OpenSSL; every field is valid whatever its bytes are.
    let Ok(key) = (unsafe { raw::object(key) }) else { refuse("RC4: the key is NULL") };
    if key.set != SET {
        refuse("RC4: the key was not set by libarcfour's RC4_set_key");
    }
    let mut rc4 = Rc4::from_parts(&key.s, key.i, key.j);
    // SAFETY: the caller's pointers, as in OpenSSL.
    if unsafe { apply_rc4(&mut rc4, indata, outdata, len) }.is_err() {
        refuse(&format!("RC4: NULL, or {len} bytes"));
    }
    key.keep(&rc4);
}

/// cbindgen:ignore
#[unsafe(no_mangle)]
pub extern "C" fn RC4_options() -> *const c_char {
    static OPTIONS: OnceLock<CString> = OnceLock::new();
    let options = || CString::new(format!("rc4(arcfour,{})", Backend::detect().name()));
    OPTIONS.get_or_init(|| options().expect("the names of backends have no NUL")).as_ptr()
}

/// These functions cannot return an error, and continuing would leave the data unencrypted.
fn refuse(why: &str) -> ! {
    eprintln!("libarcfour: {why}");
    std::process::abort()
}

//! One stream, which C holds by a pointer.

use std::ffi::c_int;

use arcfour::{
    Family, Rc4,
    cipher::{StreamCipher, inout::InOutBuf},
};

use crate::{
    error::{Error, answer},
    family::{Cipher, numbered},
    raw,
};

/// One stream: a family of ciphers, a key, and a position in its keystream.
#[derive(Clone)]
pub struct Stream {
    family: Family,
    cipher: Cipher,
    dropped: u64,
}

impl Stream {
    fn new(family: Family, key: &[u8], iv: &[u8], drop: u64) -> Result<Box<Self>, Error> {
        let cipher = Cipher::start(family, key, iv)?;
        let mut stream = Box::new(Self { family, cipher, dropped: 0 });
        stream.drop_first(drop);
        Ok(stream)
    }

    /// Drops the first `n` bytes.
    fn drop_first(&mut self, n: u64) {
        self.cipher.keystream().skip(n);
        self.dropped = n;
    }

    fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        match &mut self.cipher {
            Cipher::Rc4(rc4) => rc4.rekey(key)?,
            other => *other = Cipher::start(self.family, key, &[])?,
        }
        Ok(())
    }
}

/// Makes a stream of RC4 of a key of 1 to 256 bytes, and stores its address in `*stream`.
///
/// The first `drop` bytes of keystream are discarded, as RC4-drop[n] does; 0 for plain RC4.
/// `arcfour_free` releases the stream.
///
/// ARCFOUR_NULL: `stream` or `key` is NULL. ARCFOUR_KEY_LENGTH. On an error `*stream` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_new(
    stream: *mut *mut Stream,
    key: *const u8,
    key_len: usize,
    drop: u64,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    answer(unsafe {
        raw::place(stream, || Stream::new(Family::Rc4, raw::slice(key, key_len)?, &[], drop))
    })
}

/// Makes a stream of any family of ciphers: as `arcfour_new` otherwise.
///
/// `family` is an `arcfour_family`. ARCFOUR_VMPC and ARCFOUR_VMPC_KSA3 take an IV of 1 to 256
/// bytes; for all others `iv_len` is 0, and `iv` may be NULL. All but ARCFOUR_RC4, ARCFOUR_RC4A and
/// ARCFOUR_PARC4R are computed by their definition, a byte at a time.
///
/// ARCFOUR_NULL: `stream`, `key` or `iv` is NULL. ARCFOUR_FAMILY. ARCFOUR_KEY_LENGTH.
/// ARCFOUR_IV_LENGTH. On an error `*stream` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_new_family(
    stream: *mut *mut Stream,
    family: c_int,
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    iv_len: usize,
    drop: u64,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    answer(unsafe {
        raw::place(stream, || {
            let (key, iv) = (raw::slice(key, key_len)?, raw::slice(iv, iv_len)?);
            Stream::new(numbered(family)?, key, iv, drop)
        })
    })
}

/// Makes a copy of a stream, which goes on from the same place by itself, and stores its address in
/// `*copy`. `arcfour_free` releases it.
///
/// ARCFOUR_NULL: `copy` or `stream` is NULL. On an error `*copy` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_copy(copy: *mut *mut Stream, stream: *const Stream) -> Error {
    // SAFETY: `as_ref` checks for NULL; else the caller's pointers, as the header asks for them.
    answer(unsafe {
        raw::place(copy, || Ok(Box::new(stream.as_ref().ok_or(Error::ARCFOUR_NULL)?.clone())))
    })
}

/// Wipes and releases a stream. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_free(stream: *mut Stream) {
    if !stream.is_null() {
        // SAFETY: not NULL, so a constructor made it and it was not freed yet, as the header asks.
        drop(unsafe { Box::from_raw(stream) });
    }
}

/// Starts the stream over with another key, at position 0 after `drop` discarded bytes. This is
/// what to use for many short messages by RC4, which then needs no allocation.
///
/// ARCFOUR_NULL, ARCFOUR_KEY_LENGTH, ARCFOUR_IV_LENGTH: the stream is left as it was. The last is
/// for the families that take an IV: make a new stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_key(
    stream: *mut Stream,
    key: *const u8,
    key_len: usize,
    drop: u64,
) -> Error {
    let rekey = || {
        // SAFETY: the caller's pointers, as the header asks for them.
        let (stream, key) = unsafe { (raw::object(stream)?, raw::slice(key, key_len)?) };
        stream.rekey(key)?;
        stream.drop_first(drop);
        Ok(())
    };
    answer(rekey())
}

/// Xors the next `len` bytes of keystream to `in` and writes them to `out`: encrypts and decrypts.
///
/// `in` and `out` may be the same, or overlap in any way: the result is as if `in` had been read
/// first. With a `len` of 0 they may be NULL.
///
/// ARCFOUR_NULL, ARCFOUR_LENGTH: nothing was written, and the stream is where it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_apply(
    stream: *mut Stream,
    r#in: *const u8,
    out: *mut u8,
    len: usize,
) -> Error {
    let apply = || {
        // SAFETY: the caller's pointers, as the header asks for them.
        let stream = unsafe { raw::object(stream)? };
        // SAFETY: the same.
        unsafe { apply(&mut stream.cipher, r#in, out, len) }
    };
    answer(apply())
}

/// Xors keystream to `from` and writes it to `to`, however they overlap.
///
/// # Safety
/// Unless NULL, `from` and `to` lead to `len` bytes that no other code uses, and the bytes at
/// `from` are initialised.
unsafe fn apply(
    cipher: &mut Cipher,
    from: *const u8,
    to: *mut u8,
    len: usize,
) -> Result<(), Error> {
    match cipher {
        // SAFETY: the caller's promise.
        Cipher::Rc4(rc4) => unsafe { apply_rc4(rc4, from, to, len) },
        Cipher::Other(cipher) => {
            raw::check(from, len)?;
            raw::check(to, len)?;
            if from != to && len > 0 {
                // SAFETY: both have `len` bytes; `copy` allows that they overlap.
                unsafe { to.copy_from(from, len) };
            }
            // SAFETY: the caller's promise.
            cipher.apply(unsafe { raw::slice_mut(to, len)? });
            Ok(())
        }
    }
}

/// The same by RC4, without a copy between disjoint buffers.
///
/// # Safety
/// As `apply`.
pub unsafe fn apply_rc4(
    rc4: &mut Rc4,
    from: *const u8,
    to: *mut u8,
    len: usize,
) -> Result<(), Error> {
    raw::check(from, len)?;
    raw::check(to, len)?;
    let mut from = from;
    if from != to && raw::overlap((from.addr(), len), (to.addr(), len)) {
        // SAFETY: both have `len` bytes; `copy` allows that they overlap.
        unsafe { to.copy_from(from, len) };
        from = to;
    }
    if len > 0 {
        // SAFETY: not NULL, as checked above, of `len` bytes each, and the same or disjoint.
        rc4.apply_keystream_inout(unsafe { InOutBuf::from_raw(from, to, len) });
    }
    Ok(())
}

/// Writes the next `len` bytes of keystream to `out`.
///
/// ARCFOUR_NULL, ARCFOUR_LENGTH: nothing was written, and the stream is where it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_fill(stream: *mut Stream, out: *mut u8, len: usize) -> Error {
    let fill = || {
        // SAFETY: the caller's pointers, as the header asks for them.
        let (stream, out) = unsafe { (raw::object(stream)?, raw::slice_mut(out, len)?) };
        stream.cipher.keystream().fill(out);
        Ok(())
    };
    answer(fill())
}

/// Advances by `n` bytes. Only ARCFOUR_PARC4R can jump; else this takes as long as making the bytes.
///
/// ARCFOUR_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_skip(stream: *mut Stream, n: u64) -> Error {
    // SAFETY: the caller's pointer, as the header asks for it.
    answer(unsafe { raw::object(stream) }.map(|stream| stream.cipher.keystream().skip(n)))
}

/// Returns how many bytes of keystream have been used or skipped since the key (modulo 2^64), without those
/// dropped with the key. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_position(stream: *const Stream) -> u64 {
    // SAFETY: `as_ref` checks for NULL; else the caller's pointer, as the header asks for it.
    let stream = unsafe { stream.as_ref() };
    stream.map_or(0, |stream| stream.cipher.position().wrapping_sub(stream.dropped))
}

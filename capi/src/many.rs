//! Many streams, which run faster together than one after the other.

use arcfour::{Rc4, apply_many, fill_many, lanes, rekey_many};

use crate::{
    error::{Error, answer},
    raw,
};

/// Many streams of RC4 that are advanced together.
pub struct Many {
    streams: Vec<Rc4>,
}

/// Returns how many streams run fastest together on this machine: pass a multiple of it to
/// `arcfour_many_new`. Other numbers work too, only slower.
#[unsafe(no_mangle)]
pub extern "C" fn arcfour_lanes() -> usize {
    lanes()
}

/// Makes `count` streams, each with a key of 1 to 256 bytes: `keys[n]` has `key_lens[n]` bytes.
/// Stores their address in `*many`; `arcfour_many_free` releases them.
///
/// ARCFOUR_NULL: `many`, `keys`, `key_lens` or a key is NULL. ARCFOUR_KEY_LENGTH. ARCFOUR_LENGTH or
/// ARCFOUR_MEMORY: `count` is too large. On an error `*many` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_many_new(
    many: *mut *mut Many,
    keys: *const *const u8,
    key_lens: *const usize,
    count: usize,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    answer(unsafe {
        raw::place(many, || {
            let keys = slices(keys, key_lens, count)?;
            let mut streams = reserved(count)?;
            for key in &keys {
                streams.push(Rc4::from_key(key)?);
            }
            Ok(Box::new(Many { streams }))
        })
    })
}

/// Wipes and releases streams. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_many_free(many: *mut Many) {
    if !many.is_null() {
        // SAFETY: not NULL, so it is from `arcfour_many_new` and was not freed yet, as the header
        // asks.
        drop(unsafe { Box::from_raw(many) });
    }
}

/// Starts every stream over with another key, at position 0: `keys[n]` has `key_lens[n]` bytes.
///
/// ARCFOUR_NULL, ARCFOUR_KEY_LENGTH, ARCFOUR_MEMORY: all streams are left as they were.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_many_key(
    many: *mut Many,
    keys: *const *const u8,
    key_lens: *const usize,
) -> Error {
    let rekey = || {
        // SAFETY: the caller's pointers, as the header asks for them.
        let many = unsafe { raw::object(many)? };
        // SAFETY: the same; `keys` and `key_lens` have one entry for each stream.
        let keys = unsafe { slices(keys, key_lens, many.streams.len())? };
        Ok(rekey_many(&mut many.streams, &keys)?)
    };
    answer(rekey())
}

/// Xors the next bytes of each stream to its data in place: `data[n]` has `lens[n]` bytes.
///
/// Fastest when all lengths are the same. The data must not overlap; where a length is 0, the
/// pointer may be NULL.
///
/// ARCFOUR_NULL, ARCFOUR_LENGTH, ARCFOUR_OVERLAP, ARCFOUR_MEMORY: nothing was written, and all
/// streams are where they were.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_apply_many(
    many: *mut Many,
    data: *const *mut u8,
    lens: *const usize,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    answer(unsafe { advance(many, data, lens, apply_many) })
}

/// Writes the next bytes of each stream to its buffer: `outs[n]` has `lens[n]` bytes.
///
/// As `arcfour_apply_many` otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_fill_many(
    many: *mut Many,
    outs: *const *mut u8,
    lens: *const usize,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    answer(unsafe { advance(many, outs, lens, fill_many) })
}

/// # Safety
/// Unless NULL, the pointers lead to streams, one pointer and one length for each stream. No other
/// thread uses them meanwhile.
unsafe fn advance(
    many: *mut Many,
    buffers: *const *mut u8,
    lens: *const usize,
    all: fn(&mut [Rc4], &mut [&mut [u8]]),
) -> Result<(), Error> {
    // SAFETY: the caller's promise.
    let streams = unsafe { &mut raw::object(many)?.streams };
    // SAFETY: the same.
    let (starts, lens) =
        unsafe { (raw::slice(buffers, streams.len())?, raw::slice(lens, streams.len())?) };
    let mut ranges = reserved(streams.len())?;
    for (&start, &len) in starts.iter().zip(lens) {
        raw::check(start, len)?;
        if len > 0 {
            ranges.push((start.addr(), len));
        }
    }
    ranges.sort_unstable();
    if ranges.windows(2).any(|pair| raw::overlap(pair[0], pair[1])) {
        return Err(Error::ARCFOUR_OVERLAP);
    }
    let mut slices = reserved(streams.len())?;
    for (&start, &len) in starts.iter().zip(lens) {
        // SAFETY: the caller's promise, and no two overlap, as checked above.
        slices.push(unsafe { raw::slice_mut(start, len)? });
    }
    all(streams, &mut slices);
    Ok(())
}

/// # Safety
/// Unless NULL, the pointers lead to `count` pointers to bytes, and their lengths. No code changes
/// them during `'a`.
unsafe fn slices<'a>(
    starts: *const *const u8,
    lens: *const usize,
    count: usize,
) -> Result<Vec<&'a [u8]>, Error> {
    // SAFETY: the caller's promise.
    let (starts, lens) = unsafe { (raw::slice(starts, count)?, raw::slice(lens, count)?) };
    let mut slices = reserved(count)?;
    for (&start, &len) in starts.iter().zip(lens) {
        // SAFETY: the same.
        slices.push(unsafe { raw::slice(start, len)? });
    }
    Ok(slices)
}

/// An empty list with room for `count`.
fn reserved<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| Error::ARCFOUR_MEMORY)?;
    Ok(list)
}

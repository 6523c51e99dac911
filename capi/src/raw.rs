//! Makes references of C's pointers, and checks every length and every NULL.

use std::slice;

use crate::error::Error;

/// Refuses a length that no slice can have, and NULL with a length above 0.
pub fn check<T>(at: *const T, len: usize) -> Result<(), Error> {
    match len.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX as usize => {}
        _ => return Err(Error::ARCFOUR_LENGTH),
    }
    if len > 0 && at.is_null() { Err(Error::ARCFOUR_NULL) } else { Ok(()) }
}

/// Returns the `len` objects at `at`. If `len` is 0, `at` may be NULL.
///
/// # Safety
/// Unless NULL, `at` is aligned and leads to `len` objects that no code changes during `'a`.
pub unsafe fn slice<'a, T>(at: *const T, len: usize) -> Result<&'a [T], Error> {
    check(at, len)?;
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: neither NULL nor longer than a slice may be, by the check above; the rest is the
    // caller's promise.
    Ok(unsafe { slice::from_raw_parts(at, len) })
}

/// Returns the `len` objects at `at`, to be changed.
///
/// # Safety
/// Unless NULL, `at` is aligned and leads to `len` objects that no other code uses during `'a`.
pub unsafe fn slice_mut<'a, T>(at: *mut T, len: usize) -> Result<&'a mut [T], Error> {
    check(at, len)?;
    if len == 0 {
        return Ok(&mut []);
    }
    // SAFETY: as in `slice`.
    Ok(unsafe { slice::from_raw_parts_mut(at, len) })
}

/// Returns the object at `at`.
///
/// # Safety
/// Unless NULL, `at` leads to an object that no other code uses during `'a`.
pub unsafe fn object<'a, T>(at: *mut T) -> Result<&'a mut T, Error> {
    // SAFETY: `as_mut` checks for NULL; the rest is the caller's promise.
    unsafe { at.as_mut() }.ok_or(Error::ARCFOUR_NULL)
}

/// Makes an object and stores its address at `at`. On an error it stores NULL, because C may free a
/// pointer that had no value before.
///
/// # Safety
/// Unless NULL, `at` may be written to.
pub unsafe fn place<T>(
    at: *mut *mut T,
    new: impl FnOnce() -> Result<Box<T>, Error>,
) -> Result<(), Error> {
    if at.is_null() {
        return Err(Error::ARCFOUR_NULL);
    }
    let (new, done) = match new() {
        Ok(new) => (Box::into_raw(new), Ok(())),
        Err(error) => (std::ptr::null_mut(), Err(error)),
    };
    // SAFETY: not NULL, by the check above; the rest is the caller's promise.
    unsafe { at.write(new) };
    done
}

/// Returns true if two ranges of bytes, given by start and length, share a byte.
pub fn overlap(a: (usize, usize), b: (usize, usize)) -> bool {
    a.1 > 0 && b.1 > 0 && a.0 < b.0.saturating_add(b.1) && b.0 < a.0.saturating_add(a.1)
}

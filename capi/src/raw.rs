//! Pointers from C, as references: every length and every NULL is checked here.

use std::slice;

use crate::error::Error;

/// Refuses what no slice can be: too long, or NULL though not empty.
pub fn check<T>(at: *const T, len: usize) -> Result<(), Error> {
    match len.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX as usize => {}
        _ => return Err(Error::ARCFOUR_LENGTH),
    }
    if len > 0 && at.is_null() { Err(Error::ARCFOUR_NULL) } else { Ok(()) }
}

/// `len` objects at `at`. None of them need no pointer.
///
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

/// `len` objects at `at`, to be changed.
///
/// Unless NULL, `at` is aligned and leads to `len` objects that no other code uses during `'a`.
pub unsafe fn slice_mut<'a, T>(at: *mut T, len: usize) -> Result<&'a mut [T], Error> {
    check(at, len)?;
    if len == 0 {
        return Ok(&mut []);
    }
    // SAFETY: as in `slice`.
    Ok(unsafe { slice::from_raw_parts_mut(at, len) })
}

/// The object at `at`.
///
/// Unless NULL, `at` leads to an object that no other code uses during `'a`.
pub unsafe fn object<'a, T>(at: *mut T) -> Result<&'a mut T, Error> {
    // SAFETY: `as_mut` checks for NULL; the rest is the caller's promise.
    unsafe { at.as_mut() }.ok_or(Error::ARCFOUR_NULL)
}

/// Makes an object and stores its address at `at`.
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
    let new = new()?;
    // SAFETY: not NULL, by the check above; the rest is the caller's promise.
    unsafe { at.write(Box::into_raw(new)) };
    Ok(())
}

/// Whether two ranges of bytes, given by start and length, share a byte.
pub fn overlap(a: (usize, usize), b: (usize, usize)) -> bool {
    a.1 > 0 && b.1 > 0 && a.0 < b.0.saturating_add(b.1) && b.0 < a.0.saturating_add(a.1)
}

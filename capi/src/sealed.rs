//! Sealed files, which C reads piece by piece from a callback.

use std::{
    ffi::{CString, c_char, c_int, c_void},
    io::{self, Read, Seek, SeekFrom},
};

use arcfour_container::{Error as Failure, Opener, Options, Sealer, Secret};

use crate::{
    error::{Error, answer},
    raw,
};

/// The kind of a secret.
#[repr(C)]
#[allow(non_camel_case_types, dead_code)] // C has but one name space, and it is C that uses them
pub enum SecretKind {
    /// The text of a key file, which `arcfour keygen` writes: 64 hexadecimal digits.
    ARCFOUR_KEY_FILE = 0,
    /// A passphrase of 1 to 4096 bytes. Each file takes 64 MiB of memory for a moment.
    ARCFOUR_PASSPHRASE = 1,
}

/// Reads at most `len` bytes at `offset` of the input into `buffer`, as `pread` does. Returns how many
/// were read, 0 at the end of the input, or -1 if it cannot be read. Offsets follow one another, so
/// that a pipe needs no offset, but for `arcfour_open_range`.
pub type ReadAt = Option<
    unsafe extern "C" fn(context: *mut c_void, offset: u64, buffer: *mut u8, len: usize) -> isize,
>;

/// An input that C reads.
struct Input {
    read: unsafe extern "C" fn(*mut c_void, u64, *mut u8, usize) -> isize,
    context: *mut c_void,
    offset: u64,
    size: u64,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the buffer has `buffer.len()` bytes. The caller who gave the callback promises
        // the rest.
        let read =
            unsafe { (self.read)(self.context, self.offset, buffer.as_mut_ptr(), buffer.len()) };
        let read = usize::try_from(read).ok().filter(|&read| read <= buffer.len());
        let read = read.ok_or_else(|| io::Error::other("the callback says so"))?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let offset = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.offset.checked_add_signed(by),
        };
        self.offset = offset.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}

/// A file that is being sealed or opened.
pub struct Sealed {
    work: Work,
    fault: CString,
}

enum Work {
    /// Nothing has been read.
    Seal(Input, Secret),
    Open(Input, Secret),
    Range(Input, Secret, u64, u64),
    Sealing(Sealer<Input>),
    Opening(Opener<Input>),
    /// It is complete, or an error ended it.
    Ended,
}

impl Sealed {
    fn new(work: Work) -> Box<Self> {
        Box::new(Self { work, fault: CString::default() })
    }

    /// Starts the requested work, unless it has been started.
    fn start(&mut self) -> Result<(), Failure> {
        self.work = match std::mem::replace(&mut self.work, Work::Ended) {
            Work::Seal(input, secret) => {
                Work::Sealing(Sealer::new(input, &secret, Options::default())?)
            }
            Work::Open(input, secret) => Work::Opening(Opener::new(input, &secret)?),
            Work::Range(input, secret, start, len) => {
                Work::Opening(Opener::range(input, &secret, start, len)?)
            }
            started => started,
        };
        Ok(())
    }

    /// Returns the place and the length of the next piece. The length is 0 only at the end.
    fn next(&mut self) -> Result<(*const u8, usize), Failure> {
        self.start()?;
        let piece = match &mut self.work {
            Work::Sealing(sealer) => sealer.next_piece()?,
            Work::Opening(opener) => opener.next_piece()?,
            _ => None,
        };
        if let Some(piece) = piece {
            return Ok((piece.as_ptr(), piece.len()));
        }
        self.work = Work::Ended;
        Ok((std::ptr::null(), 0))
    }

    /// Ends it by an error.
    fn end(&mut self, error: &Failure) -> Error {
        self.work = Work::Ended;
        self.fault = CString::new(error.to_string()).unwrap_or_default();
        match error {
            Failure::Read(_) => Error::ARCFOUR_READ,
            Failure::Random(_) => Error::ARCFOUR_RANDOM,
            Failure::Range { .. } => Error::ARCFOUR_RANGE,
            Failure::Memory { .. } => Error::ARCFOUR_MEMORY,
            _ => Error::ARCFOUR_SEALED,
        }
    }
}

/// Reads a secret.
///
/// # Safety
/// Unless NULL, `secret` leads to `len` bytes.
unsafe fn read_secret(kind: c_int, secret: *const u8, len: usize) -> Result<Secret, Error> {
    // SAFETY: the caller's promise.
    let secret = unsafe { raw::slice(secret, len)? };
    match kind {
        0 => Secret::from_key_file(secret).map_err(|_| Error::ARCFOUR_SECRET),
        1 => Secret::from_passphrase(secret).map_err(|_| Error::ARCFOUR_SECRET),
        _ => Err(Error::ARCFOUR_SECRET),
    }
}

fn input(read: ReadAt, context: *mut c_void, size: u64) -> Result<Input, Error> {
    let read = read.ok_or(Error::ARCFOUR_NULL)?;
    Ok(Input { read, context, offset: 0, size })
}

/// Stores the address of the file that `work` begins with an input and a secret.
///
/// # Safety
/// As the header asks for the pointers.
unsafe fn begin(
    sealed: *mut *mut Sealed,
    input: Result<Input, Error>,
    secret_kind: c_int,
    secret: *const u8,
    secret_len: usize,
    work: impl FnOnce(Input, Secret) -> Work,
) -> Error {
    // SAFETY: the caller's promise.
    answer(unsafe {
        raw::place(sealed, || {
            let input = input?;
            Ok(Sealed::new(work(input, read_secret(secret_kind, secret, secret_len)?)))
        })
    })
}

/// Begins to seal what `read` reads, so that every later change is detected, and stores the address of
/// the file in `*sealed`. Nothing is read yet.
///
/// `secret_kind` is an `arcfour_secret_kind`, `secret` its `secret_len` bytes. `context` is handed to
/// `read`. `arcfour_sealed_next` returns the sealed file, `arcfour_sealed_free` releases it.
///
/// ARCFOUR_NULL: `sealed`, `read` or `secret` is NULL. ARCFOUR_SECRET: the secret is none of its kind. On
/// an error `*sealed` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_seal(
    sealed: *mut *mut Sealed,
    read: ReadAt,
    context: *mut c_void,
    secret_kind: c_int,
    secret: *const u8,
    secret_len: usize,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    unsafe { begin(sealed, input(read, context, 0), secret_kind, secret, secret_len, Work::Seal) }
}

/// Begins to open the sealed file that `read` reads: as `arcfour_seal` otherwise. `arcfour_sealed_next`
/// returns the plaintext.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_open(
    sealed: *mut *mut Sealed,
    read: ReadAt,
    context: *mut c_void,
    secret_kind: c_int,
    secret: *const u8,
    secret_len: usize,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    unsafe { begin(sealed, input(read, context, 0), secret_kind, secret, secret_len, Work::Open) }
}

/// Begins to open `len` bytes of the plaintext from `start` on: as `arcfour_open` otherwise. The sealed file
/// has `size` bytes. Only the header and the chunks with these bytes are read and verified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_open_range(
    sealed: *mut *mut Sealed,
    read: ReadAt,
    context: *mut c_void,
    size: u64,
    secret_kind: c_int,
    secret: *const u8,
    secret_len: usize,
    start: u64,
    len: u64,
) -> Error {
    // SAFETY: the caller's pointers, as the header asks for them.
    unsafe {
        begin(
            sealed,
            input(read, context, size),
            secret_kind,
            secret,
            secret_len,
            |input, secret| Work::Range(input, secret, start, len),
        )
    }
}

/// Stores in `*piece` and `*len` where the next piece of the result is, and its length: 0 at the end. It
/// stays there until the next call with this `sealed`. Plaintext is verified before it is returned. The
/// bytes before an error are genuine, but incomplete.
///
/// ARCFOUR_NULL. ARCFOUR_READ: the callback failed. ARCFOUR_SEALED: the file was changed, or the secret is
/// wrong. ARCFOUR_RANGE: the plaintext has no such range. ARCFOUR_RANDOM, ARCFOUR_MEMORY. After any error
/// except ARCFOUR_NULL, `arcfour_sealed_fault` says more, and the next call returns the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_sealed_next(
    sealed: *mut Sealed,
    piece: *mut *const u8,
    len: *mut usize,
) -> Error {
    let next = || {
        // SAFETY: the caller's pointers, as the header asks for them.
        let (sealed, piece, len) =
            unsafe { (raw::object(sealed)?, raw::object(piece)?, raw::object(len)?) };
        (*piece, *len) = (std::ptr::null(), 0);
        (*piece, *len) = sealed.next().map_err(|error| sealed.end(&error))?;
        Ok(())
    };
    answer(next())
}

/// Returns the message of the error that ended the file: one line of English, which names the faulty
/// chunk. The message is empty if there was no error, and for NULL. It stays valid until
/// `arcfour_sealed_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_sealed_fault(sealed: *const Sealed) -> *const c_char {
    // SAFETY: `as_ref` checks for NULL; else the caller's pointer, as the header asks for it.
    let sealed = unsafe { sealed.as_ref() };
    sealed.map_or(c"", |sealed| sealed.fault.as_c_str()).as_ptr()
}

/// Wipes the secret, and releases a file. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arcfour_sealed_free(sealed: *mut Sealed) {
    if !sealed.is_null() {
        // SAFETY: not NULL, so a constructor made it and it was not freed yet, as the header asks.
        drop(unsafe { Box::from_raw(sealed) });
    }
}

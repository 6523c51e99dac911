//! Standard input and output as the program received them, and waiting for either.

use std::{
    fs::File,
    io::{self, ErrorKind, Write},
    os::fd::{AsFd, BorrowedFd},
    sync::OnceLock,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::{Errno, fcntl_getfd},
    stdio,
};

/// Whether standard input and standard output were open when the program started.
static OPEN: OnceLock<[bool; 2]> = OnceLock::new();

/// Looks before `main`, because Rust's start-up code opens /dev/null in place of a closed standard
/// stream. Later this looks the same as /dev/null opened by the caller, as by Python's
/// `subprocess.DEVNULL`. Without this check, `arcfour crypt >&-` would silently lose its output.
#[ctor::ctor(unsafe)]
fn look() {
    let is_open = |stream: BorrowedFd<'_>| fcntl_getfd(stream) != Err(Errno::BADF);
    let _ = OPEN.set([is_open(stdio::stdin()), is_open(stdio::stdout())]);
}

/// Standard input.
///
/// # Errors
/// If it was closed when the program started.
pub fn stdin() -> io::Result<File> {
    duplicate(OPEN.get().is_none_or(|open| open[0]), io::stdin())
}

/// Standard output, without a buffer.
///
/// # Errors
/// If it was closed when the program started.
pub fn stdout() -> io::Result<File> {
    duplicate(OPEN.get().is_none_or(|open| open[1]), io::stdout())
}

fn duplicate(is_open: bool, stream: impl AsFd) -> io::Result<File> {
    if is_open { Ok(stream.as_fd().try_clone_to_owned()?.into()) } else { Err(Errno::BADF.into()) }
}

/// Repeats `work` after a signal interrupted it. If `work` would block, waits until `file` is ready
/// and repeats it. Another program can set a pipe or a terminal to O_NONBLOCK.
///
/// # Errors
/// If it fails otherwise.
pub fn retry<T>(
    file: &mut File,
    direction: PollFlags,
    mut work: impl FnMut(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match work(file) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                match poll(&mut [PollFd::new(&*file, direction)], None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            done => return done,
        }
    }
}

/// Writes all of `bytes`, if need be in several writes.
///
/// # Errors
/// If it cannot.
pub fn write_all(file: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match retry(file, PollFlags::OUT, |file| file.write(bytes))? {
            0 => return Err(ErrorKind::WriteZero.into()),
            n => bytes = &bytes[n..],
        }
    }
    Ok(())
}

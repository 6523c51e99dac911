//! Reads whole documents of other programs, and has the messages for both kinds.

use std::io::{Read, Seek};

use super::{failure::Failure, input::Input};

/// The longest document that is read, in bytes.
const MOST: u64 = (1 << 31) - 1;
/// Number of bytes that identify a document.
const START: u64 = 1 << 20;

/// Reads a whole document. If the start is not a document's, reads only the start, from which a
/// reader names the fault.
///
/// # Errors
/// If it cannot be read, or is longer than the limit.
pub fn read_all(mut input: Input) -> Result<Vec<u8>, Failure> {
    let name = input.name().to_owned();
    let failed = |error| Failure::read(&name, &error);
    let size = input.size().unwrap_or(0);
    if size > MOST {
        return Err(too_long(&name, &size.to_string()));
    }
    let mut bytes = Vec::new();
    input.by_ref().take(START).read_to_end(&mut bytes).map_err(failed)?;
    if begins_as_document(&bytes) {
        bytes.reserve_exact(size.saturating_sub(bytes.len() as u64) as usize + 1);
        let left = MOST + 1 - bytes.len() as u64;
        input.take(left).read_to_end(&mut bytes).map_err(failed)?;
    }
    if bytes.len() as u64 > MOST {
        return Err(too_long(&name, &format!("more than {MOST}")));
    }
    Ok(bytes)
}

/// Reads the rest of a document that begins with `start`.
///
/// # Errors
/// If it cannot be read, or is longer than the limit.
pub fn read_rest(start: &[u8], input: Input) -> Result<Vec<u8>, Failure> {
    let name = input.name().to_owned();
    let mut bytes = start.to_vec();
    let read = input.take(MOST + 1 - start.len() as u64).read_to_end(&mut bytes);
    read.map_err(|error| Failure::read(&name, &error))?;
    match bytes.len() as u64 > MOST {
        true => Err(too_long(&name, &format!("more than {MOST}"))),
        false => Ok(bytes),
    }
}

fn too_long(name: &str, size: &str) -> Failure {
    Failure::Work(format!("cannot read {name}: it has {size} bytes; a document has at most {MOST}"))
}

/// Refuses a file that is longer than the limit and does not begin like a document.
///
/// # Errors
/// If it is such a file, or cannot be read.
pub fn refuse_too_long(input: &mut Input) -> Result<(), Failure> {
    let Some(size) = input.size().filter(|size| *size > MOST) else { return Ok(()) };
    let name = input.name().to_owned();
    let mut start = Vec::new();
    let read = input.by_ref().take(START).read_to_end(&mut start).and_then(|_| input.rewind());
    read.map_err(|error| Failure::read(&name, &error))?;
    match begins_as_document(&start) {
        true => Ok(()),
        false => Err(too_long(&name, &size.to_string())),
    }
}

/// Returns true if bytes begin like a PDF file, a compound file, a database of Access, or a ZIP
/// file (the form of newer documents). A repair takes a PDF file whose header comes late.
fn begins_as_document(bytes: &[u8]) -> bool {
    const STARTS: [&[u8]; 3] = [b"\xd0\xcf\x11\xe0", b"\0\x01\0\0", b"PK"];
    STARTS.iter().any(|start| bytes.starts_with(start))
        || bytes.windows(5).any(|bytes| bytes == b"%PDF-")
}

/// Returns the hash of a document for password crackers, for the end of a report. `mode` is
/// hashcat's, if hashcat reads it.
pub fn labelled_hash(hash: &str, mode: Option<u32>) -> String {
    let programs = mode.map_or("john".to_owned(), |mode| format!("`hashcat -m {mode}` or john"));
    // The hash is not wrapped, so that it can be copied.
    format!("If the password is lost, {programs} can search for it by this hash:\n{hash}\n")
}

/// Returns the hash of a document as a line.
///
/// # Errors
/// If the document has none.
pub fn bare_hash(name: &str, hash: Option<&str>) -> Result<String, Failure> {
    let none = || {
        Failure::Work(format!(
            "cannot inspect {name}: it has no hash; PDF and Office files have one if a password \
             makes their RC4 key"
        ))
    };
    hash.map(|hash| format!("{hash}\n")).ok_or_else(none)
}

/// The message that the empty password is wrong and no other was given.
pub fn needs_password(name: &str) -> Failure {
    Failure::Work(format!(
        "cannot decrypt {name}: it needs a password; --password asks for it, and \
         --password-file, --password-env and --file-key are other ways"
    ))
}

/// The message that neither the given password nor any of a list is right.
pub fn no_password_opens(name: &str) -> Failure {
    Failure::Work(format!("cannot decrypt {name}: no password opens it"))
}

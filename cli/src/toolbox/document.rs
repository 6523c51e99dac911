//! Documents of other programs: read whole, and what both kinds say.

use std::io::Read;

use crate::{failure::Failure, input::Input};

/// Reads all of a document. One that is longer than any that can be used is not read to its end.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_all(input: Input) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 1 << 31;
    let name = input.name().to_owned();
    let mut bytes = Vec::with_capacity(input.size().unwrap_or(0).min(MOST) as usize + 1);
    let read = input.take(MOST).read_to_end(&mut bytes);
    read.map_err(|error| Failure::read(&name, &error))?;
    Ok(bytes)
}

/// That the empty password does not open a document, and none was given.
pub(super) fn needs_password(name: &str) -> Failure {
    Failure::Work(format!(
        "cannot decrypt {name}: it needs a password; --password asks for it, and \
         --password-file, --password-env and --file-key are other ways"
    ))
}

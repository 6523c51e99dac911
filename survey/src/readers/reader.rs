//! The interface of readers.

use std::path::Path;

use crate::{
    finding::Finding,
    input::{Input, ReadError},
};

/// Finds the RC4 in files of one format. Input is hostile: no input makes a reader panic, or allocate more than a small
/// multiple of the bytes read.
pub trait Reader: Send + Sync {
    /// The name of its format, for messages: `keytab`.
    fn name(&self) -> &'static str;

    /// Returns true if an input looks like its format, by the name and the first [`HEAD`] bytes.
    /// This must be cheap, because every file of a survey is tested. The path of a member of an
    /// archive is the name of the member.
    fn recognises(&self, path: &Path, head: &[u8]) -> bool;

    /// Calls `found` with each finding.
    ///
    /// # Errors
    /// If the input cannot be read or is damaged. Earlier findings stay valid.
    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError>;
}

/// Number of first bytes by which a file is recognised.
pub const HEAD: usize = 4096;

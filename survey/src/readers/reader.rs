//! What every reader does.

use std::path::Path;

use crate::{
    finding::Finding,
    input::{Input, ReadError},
};

/// Finds the RC4 in files of one format. Input is hostile: no input makes a reader panic, or allocate more than a small
/// multiple of the bytes read.
pub trait Reader: Send + Sync {
    /// What it reads, for messages: `keytab`.
    fn name(&self) -> &'static str;

    /// Returns true if this looks like its format, by the name and the first bytes ([`HEAD`] of
    /// them, or all if there are fewer). Cheap: every file of a survey passes here. The path of a
    /// member of an archive is the name of the member.
    fn recognises(&self, path: &Path, head: &[u8]) -> bool;

    /// Tells `found` each finding.
    ///
    /// # Errors
    /// The input can't be read or is damaged. What was found before stays found.
    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError>;
}

/// How many of its first bytes a file is recognised by.
pub const HEAD: usize = 4096;

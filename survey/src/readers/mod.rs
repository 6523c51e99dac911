//! One reader a format.

mod capture;
pub mod ccache;
pub mod config;
pub mod evtx;
mod files;
pub mod kerberos;
pub mod keytab;
pub mod ldif;
pub mod program;

use std::path::Path;

use crate::finding::Finding;
use crate::input::Input;
pub use crate::input::ReadError;

/// Finds the RC4 in files of one format. Input is hostile: no input makes a reader panic, or allocate more than a small
/// multiple of the bytes read.
pub trait Reader: Send + Sync {
    /// What it reads, for messages: `keytab`.
    fn name(&self) -> &'static str;

    /// Whether this looks like its format, by the name and the first bytes ([`HEAD`] of them, or all if there are fewer).
    /// Cheap: every file of a survey passes here. The path of a member of an archive is the name of the member.
    fn recognises(&self, path: &Path, head: &[u8]) -> bool;

    /// Tells `found` each finding.
    ///
    /// # Errors
    /// The input can't be read or is damaged. What was found before stays found.
    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError>;
}

/// How many of its first bytes a file is recognised by.
pub const HEAD: usize = 4096;

/// Every reader. More than one may recognise a file; each of them reads it.
pub fn all() -> Vec<Box<dyn Reader>> {
    let mut readers = Vec::new();
    readers.extend(files::readers());
    readers.extend(capture::readers());
    readers.push(Box::new(keytab::Keytab) as Box<dyn Reader>);
    readers.push(Box::new(ccache::CredentialCache));
    readers.push(Box::new(evtx::EventLog));
    readers.push(Box::new(ldif::Ldif));
    readers.extend(config::readers());
    readers.push(Box::new(program::Programs));
    readers
}

//! The readers, one for each format.

mod capture;
pub mod ccache;
pub mod config;
pub mod evtx;
mod files;
pub mod kerberos;
pub mod keytab;
pub mod ldif;
mod memory;
pub mod program;
mod reader;
mod registry;
mod unicode;

pub use self::reader::{HEAD, Reader};
pub use crate::input::ReadError;

/// Every reader. Several may recognise a file, and then each reads it.
pub fn all() -> Vec<Box<dyn Reader>> {
    let mut readers = Vec::new();
    readers.extend(files::readers());
    readers.extend(capture::readers());
    readers.push(Box::new(keytab::Keytab) as Box<dyn Reader>);
    readers.push(Box::new(ccache::CredentialCache));
    readers.push(Box::new(evtx::EventLog));
    readers.push(Box::new(ldif::Ldif));
    readers.push(Box::new(registry::Registry));
    readers.extend(config::readers());
    readers.push(Box::new(program::Programs));
    readers.push(Box::new(memory::Memory));
    readers
}

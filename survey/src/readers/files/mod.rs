//! Files of documents, and ours.

use super::Reader;

/// The readers of this folder.
pub fn readers() -> Vec<Box<dyn Reader>> {
    Vec::new()
}

//! Documents, and wholly encrypted files.

mod encrypted;
mod office;
mod pdf;

use super::Reader;

/// The readers of this folder.
pub fn readers() -> Vec<Box<dyn Reader>> {
    vec![
        Box::new(pdf::Pdf),
        Box::new(office::Office),
        Box::new(encrypted::Sealed),
        Box::new(encrypted::Salted),
    ]
}

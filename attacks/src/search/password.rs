//! Passwords of documents, instead of keys.

use std::fmt::Debug;

/// The test of a password. Its document's format is known to the implementation alone.
pub trait PasswordTest: Debug + Send + Sync {
    /// Whether a password opens the document.
    fn passes(&self, password: &[u8]) -> bool;

    /// What the document says of its password, in bits: a wrong one passes with probability 2^−bits.
    fn known_bits(&self) -> f64;

    /// A text that is equal for tests of the same document, and for no others.
    fn canonical(&self) -> String;
}

//! The error of an unknown name.

use std::fmt;

/// The name of a cipher or a hash function is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    what: &'static str,
    names: String,
}

impl UnknownName {
    pub(super) fn of(what: &'static str, names: impl Iterator<Item = &'static str>) -> Self {
        Self { what, names: names.collect::<Vec<_>>().join(", ") }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {}; there are {}", self.what, self.names)
    }
}

impl std::error::Error for UnknownName {}

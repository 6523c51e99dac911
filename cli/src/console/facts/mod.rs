//! Facts of other programs' documents, read without a password.

pub mod office;
pub mod pdf;

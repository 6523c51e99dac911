//! What documents of other programs say of themselves, without their password.

pub mod office;
pub mod pdf;

#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]

pub mod office;
pub mod openssl;
pub mod pdf;

pub use arcfour_text as text;
pub use arcfour_text::{Reader, Transform};

#![doc = include_str!("../README.md")]

pub mod office;
pub mod openssl;
pub mod pdf;

pub use arcfour_text as text;
pub use arcfour_text::{Reader, Transform};

#![doc = include_str!("../README.md")]

pub mod office;
pub mod openssl;
pub mod pdf;
pub mod text;
mod transform;

pub use transform::{Reader, Transform};

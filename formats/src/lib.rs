#![doc = include_str!("../README.md")]

pub mod openssl;
pub mod text;
mod transform;

pub use transform::{Reader, Transform};

#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]

mod adapter;
#[cfg(feature = "wgpu")]
mod device;
mod error;
#[cfg(feature = "wgpu")]
mod job;
#[cfg(feature = "wgpu")]
mod sizes;

pub use adapter::{Adapter, adapters};
pub use error::{Error, REACH};

/// True if this build can use a GPU: with the feature `wgpu`.
pub const BUILT: bool = cfg!(feature = "wgpu");

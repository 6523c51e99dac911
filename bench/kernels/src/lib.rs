#![doc = include_str!("../README.md")]

mod data;
mod error;
mod kernel;
mod measured;
mod sealing;

pub use error::Error;
pub use kernel::{Kernel, KernelSpeed, kernels};
pub use measured::{Measured, measured};
pub use sealing::{SealingSpeed, sealing};

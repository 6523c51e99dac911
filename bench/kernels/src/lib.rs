#![doc = include_str!("../README.md")]

mod data;
mod error;
mod kernel;
mod sealing;

pub use error::Error;
pub use kernel::{Kernel, KernelSpeed, kernels};
pub use sealing::{SealingSpeed, sealing};

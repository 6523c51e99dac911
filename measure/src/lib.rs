#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]

mod chains;
mod meter;
mod probe;
mod processor;
mod quiet;
mod ratio;
mod sample;
mod summary;

pub use chains::MULTIPLY_CYCLES;
pub use meter::{Goal, Meter};
pub use probe::{Probe, clock_error, multiply_cycles};
pub use processor::{cpuinfo, processor};
pub use ratio::Ratio;
pub use sample::Sample;
pub use summary::Summary;

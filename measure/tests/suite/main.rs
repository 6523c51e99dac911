//! Tests the public interface of the crate.

mod meter;
mod probe;
mod ratio;

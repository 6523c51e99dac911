//! Tests the public interface of the crate.

mod escaped;
mod size;

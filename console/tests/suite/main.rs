//! Tests the public interface of the crate.

mod size;

//! Measuring, by its public interface.

mod meter;
mod probe;
mod ratio;

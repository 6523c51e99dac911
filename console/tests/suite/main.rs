//! What the commands share, by its public interface.

mod escaped;
mod size;

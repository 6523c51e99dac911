//! One test program: see ../README.md for what is in which file.

mod ambush;
mod backends;
mod checker;
mod exact;
mod families;
mod many;
mod peers;
mod properties;
mod second;
mod soak;
mod vectors;

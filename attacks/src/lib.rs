#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]

pub mod backtrack;
mod best;
pub mod broadcast;
pub mod cryptoapi;
mod digest;
pub mod experiment;
pub mod families;
pub mod memory;
pub mod search;
pub mod state;
pub mod variant;
pub mod weak;
pub mod wep;

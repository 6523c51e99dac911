#![doc = include_str!("../README.md")]

pub mod broadcast;
pub mod experiment;
pub mod memory;
pub mod search;
pub mod state;
pub mod wep;

#![doc = include_str!("../README.md")]

pub mod campaign;
pub mod ent;
pub mod file;
pub mod keys;
pub mod measure;
pub mod published;
pub mod sampler;
pub mod table;
pub mod verify;

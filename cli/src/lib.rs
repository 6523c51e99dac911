#![doc = include_str!("../README.md")]

pub mod failure;
pub mod family;
pub mod filter;
pub mod input;
pub mod key;
pub mod output;
pub mod progress;
pub mod rc4;
pub mod secret;
pub mod size;
pub mod stream;
pub mod toolbox;

/// What both commands say before anything else.
pub const WARNING: &str = "\
RC4 is broken: do not use it for anything new (RFC 7465). It hides little from
an expert and detects no change. This program is for reading and writing the
data that still holds it, and for studying it.";

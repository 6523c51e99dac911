#![doc = include_str!("../README.md")]

pub mod failure;
pub mod filter;
pub mod identity;
pub mod input;
pub mod output;
pub mod size;
pub mod stdio;
pub mod stream;

/// The warning at the head of every help text of both commands.
pub const WARNING: &str =
    "RC4 is broken (RFC 7465). Use it to read old data, never to protect new data.";

/// The meaning of the exit codes of both commands.
pub const EXIT_CODES: &str =
    "Exit codes: 0 done (or the pipe was closed), 1 the work failed, 2 wrong usage.";

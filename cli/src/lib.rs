#![doc = include_str!("../README.md")]
#![doc(hidden)] // the two commands; their parts are public for their tests and for fuzzing

mod commands;
pub mod console;
pub mod dispatch;

pub use arcfour_console::{EXIT_CODES, WARNING};

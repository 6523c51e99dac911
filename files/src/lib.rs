#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]
#![forbid(unsafe_code)]

#[cfg(not(unix))]
compile_error!("arcfour-files needs a Unix system: it works on file descriptors and links");

mod descriptor;
mod new_file;
mod pipeline;
mod secret;
mod signals;

pub use new_file::{CreateError, NewFile, NewFileOptions};
pub use pipeline::{Feed, Pipeline, Work, read_full};
pub use secret::{SecretFile, secret_from_environment};
pub use signals::{OnSignal, handle_signals, on_signal, stop_on_signal};

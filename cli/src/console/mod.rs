//! The parts that the commands share: input, output, secrets, progress, tables, failures. Nothing
//! here knows a command. Parts that `rc4` also needs are in the crate `arcfour_console`.

pub use arcfour_console::{failure, filter, identity, input, output, size, stdio, stream};

pub mod adapter;
pub mod at;
pub mod backend;
pub mod batch;
pub mod cipher;
pub mod compared;
pub mod device;
pub mod document;
pub mod duration;
pub mod facts;
pub mod family;
pub mod files;
pub mod hidden;
pub mod key;
pub mod password;
pub mod program;
pub mod progress;
pub mod say;
pub mod sealing;
pub mod secret;
pub mod shown;
pub mod table;

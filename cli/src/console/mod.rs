//! What the commands share: input, output, secrets, progress, tables, failures. Nothing here knows a command.

pub mod backend;
pub mod batch;
pub mod cipher;
pub mod document;
pub mod duration;
pub mod failure;
pub mod family;
pub mod files;
pub mod filter;
pub mod identity;
pub mod input;
pub mod key;
pub mod output;
pub mod password;
pub mod program;
pub mod progress;
pub mod sealing;
pub mod secret;
pub mod shell;
pub mod shown;
pub mod size;
pub mod stdio;
pub mod stream;
pub mod table;

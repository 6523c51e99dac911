//! How a command ends: the message, and the exit code.

use std::{
    fmt::Display,
    io::{self, Write},
    process::ExitCode,
};

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command line asks for something that cannot be: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The work failed: exit code 1.
    #[error("{0}")]
    Work(String),
    /// Whoever read the output has seen enough. Not an error: exit code 0, no message.
    #[error("the reader of the output went away")]
    ClosedPipe,
}

impl Failure {
    /// Opening or reading `name` failed.
    pub fn read(name: impl Display, error: &io::Error) -> Self {
        Self::Work(format!("cannot read {name}: {error}"))
    }

    /// Creating or writing `name` failed.
    pub fn write(name: impl Display, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Work(format!("cannot write {name}: {error}")),
        }
    }
}

impl From<arcfour::KeyLengthError> for Failure {
    fn from(error: arcfour::KeyLengthError) -> Self {
        Self::Usage(error.to_string())
    }
}

/// The exit code of a finished command, once its message is on standard error: one line that
/// begins with the command's name, and behind it `usage` if the usage was wrong.
pub fn finish(command: &str, usage: &str, result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Work(message)) => {
            complain(&format!("{command}: {message}\n"));
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            complain(&format!("{command}: {message}\n{usage}"));
            ExitCode::from(2)
        }
    }
}

/// Writes `text` to standard error, in one piece. If nobody reads that, there is nobody to tell.
pub fn complain(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

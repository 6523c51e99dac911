//! The end of a command: its message and exit code.

use std::{
    error::Error,
    fmt::{self, Display},
    io::{self, Write},
    process::ExitCode,
};

use arcfour_files::CreateError;
use arcfour_text::Escaped;

/// The reason for which a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong or asks for something impossible: exit code 2.
    Usage(String),
    /// The work failed: exit code 1.
    Work(String),
    /// The reader of the output closed the pipe. Not an error: exit code 0, no message.
    ClosedPipe,
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usage(message) | Self::Work(message) => message,
            Self::ClosedPipe => "the reader closed the output",
        })
    }
}

impl Error for Failure {}

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

    /// Creating the new file `name` failed.
    pub fn create(name: impl Display, error: CreateError) -> Self {
        match error {
            CreateError::Exists => Self::Work(format!(
                "the output {name} exists; choose another, or add --force to replace it"
            )),
            CreateError::Open { descriptor } => Self::Usage(format!(
                "the output {name} is a file that is open already; for it, use -o - >&{descriptor}"
            )),
            error => Self::Work(format!("cannot write {name}: {error}")),
        }
    }
}

impl From<arcfour::KeyLengthError> for Failure {
    fn from(error: arcfour::KeyLengthError) -> Self {
        Self::Usage(error.to_string())
    }
}

/// Ends a command and returns the exit code. The message goes to standard error, on one line that
/// begins with the command's name. `usage` follows if the usage was wrong.
pub fn finish(command: &str, usage: &str, result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Work(message)) => {
            write_stderr(&format!("{command}: {}\n", Escaped(&message)));
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            write_stderr(&format!("{command}: {}\n{usage}", Escaped(&message)));
            ExitCode::from(2)
        }
    }
}

/// Writes a line to standard error that does not end the command.
pub fn warn(command: &str, message: &str) {
    write_stderr(&format!("{command}: {}\n", Escaped(message)));
}

/// Writes `text` to standard error in one piece. Ignores a failure, because no other stream could
/// report it.
pub fn write_stderr(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

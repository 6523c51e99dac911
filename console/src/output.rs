//! The output: a stream, or a new file that gets its name when it is complete.

use std::{
    fs::{File, OpenOptions},
    io::{IsTerminal, Write},
    path::Path,
    time::SystemTime,
};

use arcfour_files::{CreateError, NewFile, handle_signals};

use super::{
    failure::Failure,
    identity::{Guard, Identity},
    stdio,
    stream::Sink,
};

/// An open output and its name for messages.
pub struct Output {
    to: To,
    name: String,
}

enum To {
    Stream(File),
    NewFile(Box<NewFile>),
}

/// The effect of the output on a terminal.
pub enum Shown {
    /// Text.
    Text,
    /// Bytes that may disturb the terminal, with the alternative that the message offers.
    Raw(&'static str),
}

impl Output {
    /// The output that a command line asks for: the file at `path`, or standard output if there is
    /// none or it is `-`. With `-` raw bytes may go to a terminal.
    ///
    /// # Errors
    /// If the output is a file of `guards` or a terminal that raw bytes would disturb, or cannot be
    /// created.
    pub fn open(
        path: Option<&Path>,
        force: bool,
        shown: Shown,
        guards: &[Option<&Guard>],
    ) -> Result<Self, Failure> {
        let insists = path == Some(Path::new("-"));
        let output = match path {
            Some(path) if !insists => Self::create(path, force, guards)?,
            _ => Self::stdout(guards)?,
        };
        match shown {
            Shown::Raw(instead) if output.is_terminal() && !insists => {
                Err(Failure::Usage(format!(
                    "raw bytes would disturb the terminal; use -o FILE, {instead}, or -o - to \
                     insist"
                )))
            }
            _ => Ok(output),
        }
    }

    /// Standard output.
    ///
    /// # Errors
    /// If it is closed, or leads to a file of `guards`.
    pub fn stdout(guards: &[Option<&Guard>]) -> Result<Self, Failure> {
        let name = "standard output".to_owned();
        let file = stdio::stdout().map_err(|error| Failure::write(&name, &error))?;
        refuse(guards, Identity::of(&file), &name)?;
        Ok(Self { to: To::Stream(file), name })
    }

    /// Opens a file at `path`. An existing file is replaced only with `force`. Devices and pipes
    /// are written to directly. /dev/stdout is standard output.
    ///
    /// # Errors
    /// If the output is a file of `guards`, or if something there may not be replaced or is open
    /// already. If the file cannot be created.
    pub fn create(path: &Path, force: bool, guards: &[Option<&Guard>]) -> Result<Self, Failure> {
        let name = format!("'{}'", path.display());
        refuse(guards, Identity::at(path), &name)?;
        handle_signals();
        let to = match NewFile::options().replace(force).create(path) {
            Ok(file) => To::NewFile(Box::new(file)),
            Err(CreateError::NotRegular) => {
                let device = OpenOptions::new().write(true).open(path);
                To::Stream(device.map_err(|error| Failure::write(&name, &error))?)
            }
            Err(CreateError::Open { descriptor: 1 }) => return Self::stdout(guards),
            Err(error) => return Err(Failure::create(&name, error)),
        };
        Ok(Self { to, name })
    }

    /// Returns true for a file that gets its name when it is complete.
    pub fn is_new_file(&self) -> bool {
        matches!(self.to, To::NewFile(_))
    }

    /// Gives a new file a time of change. A later write changes the time again.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set_modified(&self, time: SystemTime) -> Result<(), Failure> {
        match &self.to {
            To::Stream(_) => Ok(()),
            To::NewFile(file) => {
                file.set_modified(time).map_err(|error| Failure::write(&self.name, &error))
            }
        }
    }

    /// Ends the output. A new file is written to the disk, then gets its name.
    ///
    /// # Errors
    /// If that fails.
    pub fn commit(self) -> Result<(), Failure> {
        match self.to {
            To::Stream(_) => Ok(()),
            To::NewFile(file) => file.commit().map_err(|error| Failure::write(&self.name, &error)),
        }
    }
}

fn refuse(guards: &[Option<&Guard>], output: Option<Identity>, name: &str) -> Result<(), Failure> {
    guards.iter().flatten().try_for_each(|guard| guard.refuse(output, name))
}

impl Sink for Output {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = match &mut self.to {
            To::Stream(file) => stdio::write_all(file, bytes),
            To::NewFile(file) => file.write_all(bytes),
        };
        written.map_err(|error| Failure::write(&self.name, &error))
    }

    fn is_terminal(&self) -> bool {
        matches!(&self.to, To::Stream(file) if file.is_terminal())
    }
}

/// Prints a finished text to standard output.
///
/// # Errors
/// If standard output cannot be written to.
pub fn print(text: &[u8]) -> Result<(), Failure> {
    let written = stdio::stdout().and_then(|mut out| stdio::write_all(&mut out, text));
    written.map_err(|error| Failure::write("standard output", &error))
}

/// Returns what printing returned, without a closed pipe. A command whose exit code is a verdict
/// gives it to a reader of only the first lines too.
///
/// # Errors
/// If printing failed for another reason.
pub fn despite_closed_pipe(printed: Result<(), Failure>) -> Result<(), Failure> {
    match printed {
        Err(Failure::ClosedPipe) => Ok(()),
        printed => printed,
    }
}

//! Documents from an input and to an output, for every command on PDF.

use std::io::{self, Write};

use arcfour_formats::pdf::{Document, Error, Source};

use crate::console::{failure::Failure, say::say, stream::Sink};

/// Reads a document. With `repairs`, recovers the readable part of a damaged document.
pub(super) fn read(source: Source, repairs: bool) -> Result<Document, Error> {
    if repairs { Document::repair(source) } else { Document::read(source) }
}

/// Warns of the lost part of a damaged document; `done` says what happened to the rest.
pub(super) fn warn_of_loss(document: &Document, name: &str, done: &str) {
    if let Some(lost) = document.lost() {
        say(&format!("warning: {name} is damaged: {lost}; the rest is {done}"));
    }
}

/// Writes a document.
pub(super) fn write(document: Document, output: &mut dyn Sink) -> Result<(), Failure> {
    let mut to = io::BufWriter::with_capacity(1 << 20, Into { sink: output, failure: None });
    let written = document.write(&mut to).and_then(|()| to.flush());
    if let Some(failure) = to.get_mut().failure.take() {
        return Err(failure);
    }
    written.map_err(|error| Failure::Work(format!("cannot write the document: {error}")))
}

/// A sink as a writer. It keeps the failure, which is more precise than the error.
struct Into<'a> {
    sink: &'a mut dyn Sink,
    failure: Option<Failure>,
}

impl Write for Into<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.sink.write(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(failure) => {
                self.failure = Some(failure);
                Err(io::Error::other("the sink failed"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the failure for an input, with the reason.
pub(super) fn failed(what: &str, name: &str, error: &Error) -> Failure {
    Failure::Work(format!("cannot {what} {name}: {}", reason(error)))
}

/// Returns the text of an error, and what helps.
pub(super) fn reason(error: &Error) -> String {
    match error {
        Error::Incomplete(_) => format!("{error}; --repair takes what is there"),
        error => error.to_string(),
    }
}

//! Reads an indirect object.

use super::{
    Error,
    scan::{Fault, Kind, Scan, scan},
    source::Source,
    token::Lexer,
    value::Value,
};

/// Number of bytes read first for an object, and the maximum size of an object without its stream.
const FIRST: usize = 1 << 10;
const MAX_OBJECT: usize = 256 << 20;
/// Maximum length of the text after the value that belongs to it: `stream` and an end of line.
const AFTER: usize = 64;

/// An indirect object, without the data of its stream.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) number: u32,
    pub(super) generation: u16,
    /// The place of its number.
    pub(super) at: u64,
    /// The bytes from its number to the end of its value, or to the first byte of its stream.
    pub(super) text: Vec<u8>,
    pub(super) scan: Scan,
    pub(super) is_stream: bool,
    /// A fault of the object that does not prevent reading it.
    pub(super) fault: Option<&'static str>,
}

impl Object {
    /// Reads the object at a place, or after white space and comments there.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if no object is there.
    pub(super) fn read(source: &mut Source, at: u64, references: bool) -> Result<Self, Error> {
        Self::read_within(MAX_OBJECT, source, at, references)
    }

    /// Reads an object of at most `most` bytes.
    fn read_within(
        most: usize,
        source: &mut Source,
        at: u64,
        references: bool,
    ) -> Result<Self, Error> {
        let left = source.len().saturating_sub(at);
        let mut size = FIRST;
        loop {
            // A place inside a number would give another object number.
            let before = at.min(1) as usize;
            let window = source.window(at - before as u64, before + size)?;
            let window = &window[..window.len().min(before + size)];
            if before == 1 && window.len() > 1 && window[..2].iter().all(u8::is_ascii_digit) {
                return Err(not_there());
            }
            let window = window.get(before..).unwrap_or_default();
            let is_whole = window.len() as u64 >= left;
            let parsed = Self::parse(window, at, references);
            source.charge(match &parsed {
                Ok((object, _)) => object.text.len() as u64,
                Err(_) => size as u64,
            })?;
            match parsed {
                Ok((object, end)) if is_whole || end + AFTER < size => return Ok(object),
                Err(Fault::Wrong) => return Err(not_there()),
                Err(Fault::Unfinished) if is_whole => return Err(not_there()),
                _ if size >= most => {
                    return Err(Error::Damaged(format!("the object at byte {at} is too large")));
                }
                _ => size *= 4,
            }
        }
    }

    /// Returns the object, and the end of the last token read.
    fn parse(window: &[u8], at: u64, references: bool) -> Result<(Self, usize), Fault> {
        let mut lexer = Lexer::new(window, 0);
        let (number, start) = lexer.integer().ok_or_else(|| Fault::at(&mut lexer))?;
        let (generation, _) = lexer.integer().ok_or_else(|| Fault::at(&mut lexer))?;
        lexer.word(b"obj").ok_or_else(|| Fault::at(&mut lexer))?;
        let number = u32::try_from(number).map_err(|_| Fault::Wrong)?;
        let generation = u16::try_from(generation).map_err(|_| Fault::Wrong)?;
        let bytes = &window[start..];
        let scan = scan(bytes, lexer.at - start, references)?;
        let mut lexer = Lexer::new(bytes, scan.value.end);
        let mut fault = scan.fault;
        let is_stream = scan.kind == Kind::Dictionary && lexer.word(b"stream").is_some();
        let end = match is_stream {
            true => {
                let (skipped, is_proper) = end_of_line(lexer.rest());
                if !is_proper {
                    fault = Some("has no line end after its word stream");
                }
                lexer.at + skipped
            }
            false => {
                if lexer.word(b"endobj").is_none() {
                    fault = Some("has no endobj");
                }
                scan.value.end
            }
        };
        let looked_at = start + end.max(lexer.at);
        let (at, text) = (at + start as u64, bytes[..end].to_vec());
        Ok((Self { number, generation, at, text, scan, is_stream, fault }, looked_at))
    }

    /// Returns the start of its stream, or the end of its value.
    pub(super) fn end(&self) -> u64 {
        self.at + self.text.len() as u64
    }

    pub(super) fn value(&self) -> Value {
        Value::of(&self.text[self.scan.value.clone()])
    }

    /// Returns the value of a name in its dictionary; null if the name is missing.
    pub(super) fn get(&self, name: &str) -> Value {
        match self.scan.entry(&self.text, name.as_bytes()) {
            Some(entry) => Value::of(&self.text[entry.value.range()]),
            None => Value::null(),
        }
    }
}

fn not_there() -> Error {
    Error::Incomplete("cannot be read".to_owned())
}

/// Returns the length of the line end after `stream`, and whether the standard allows it.
fn end_of_line(rest: &[u8]) -> (usize, bool) {
    let spaces = rest.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
    match &rest[spaces..] {
        [b'\r', b'\n', ..] => (spaces + 2, spaces == 0),
        [b'\n', ..] => (spaces + 1, spaces == 0),
        [b'\r', ..] => (spaces + 1, false),
        _ => (spaces, false),
    }
}

/// The limit is the last of the windows, with the bytes after the object that are looked at.
#[cfg(test)]
#[test]
fn an_object_has_at_most_the_bytes_of_the_limit() {
    let read = |len: usize, after: usize| {
        let text = format!("  1 0 obj ({}){}", "x".repeat(len - 10), " ".repeat(after));
        let mut source = Source::from(text.into_bytes());
        Object::read_within(4096, &mut source, 2, false)
    };
    let too_large = Error::Damaged("the object at byte 2 is too large".to_owned());
    assert_eq!(read(4096 - AFTER - 1, 9000).unwrap().text.len(), 4096 - AFTER - 1);
    assert_eq!(read(4096 - AFTER, 9000).err(), Some(too_large));
    // At the end of a file nothing is missing.
    assert_eq!(read(4096, 0).unwrap().text.len(), 4096);
}

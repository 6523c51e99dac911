//! Cross-reference tables and streams: ISO 32000-1, §7.5.4 to §7.5.8.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{
    Error, filters,
    object::Object,
    scan::{Fault, scan},
    source::Source,
    token::{Lexer, Token},
    value::Value,
};

/// Largest number of an object: three bytes of it are in the key of the object.
pub(super) const MAX_NUMBER: u32 = 0xff_ffff;
/// `startxref` is searched in the last `TAIL` bytes.
const TAIL: u64 = 1054;
/// Most bytes of a trailer dictionary.
const MAX_TRAILER: usize = 16 << 20;

/// The place of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Free,
    At { at: u64, generation: u16 },
    In { container: u32, index: u32 },
}

/// The union of all cross-reference sections.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) entries: BTreeMap<u32, Entry>,
    /// Objects that a later section replaces.
    pub(super) older: Vec<(u64, u32, u16)>,
    /// The trailer dictionary of the newest section.
    pub(super) trailer: Vec<u8>,
    /// The sections themselves.
    pub(super) sections: Vec<Range<u64>>,
    /// The number of the newest cross-reference stream.
    pub(super) stream_number: Option<u32>,
    /// True if the table was rebuilt from the objects found in the file.
    pub(super) is_rebuilt: bool,
}

/// The entries of a section.
type Entries = Vec<(u32, Entry)>;

impl Table {
    /// Reads the sections from the newest to the oldest.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if that cannot be done.
    pub(super) fn read(source: &mut Source) -> Result<Self, Error> {
        let mut table = Self::default();
        let mut next = Some(start(source)?);
        let mut seen: BTreeSet<u64> = next.into_iter().collect();
        while let Some(at) = next {
            let (dict, entries, mut free) = table.section(source, at)?;
            if table.trailer.is_empty() {
                table.trailer = dict.text().to_vec();
            }
            table.add(entries)?;
            let hybrid = dict.get("XRefStm").integer().and_then(|at| u64::try_from(at).ok());
            if let Some(at) = hybrid.filter(|&at| seen.insert(at)) {
                let (_, entries, more) = table.section(source, at)?;
                table.add(entries)?;
                free.extend(more);
            }
            table.add(free)?;
            next = match dict.get("Prev") {
                previous if previous.is_null() => None,
                previous => {
                    let at = previous.integer().and_then(|at| u64::try_from(at).ok());
                    // 0 is written for nothing.
                    Some(at.ok_or_else(unreadable)?).filter(|&at| at > 0)
                }
            };
            // A circular chain misses the sections that it should have led to.
            if next.is_some_and(|at| !seen.insert(at)) {
                return Err(unreadable());
            }
        }
        Ok(table)
    }

    fn add(&mut self, entries: Entries) -> Result<(), Error> {
        for (number, entry) in entries {
            if number >= MAX_NUMBER {
                return Err(Error::Damaged(format!(
                    "it has an object {number}; numbers are less than {MAX_NUMBER}"
                )));
            }
            if let std::collections::btree_map::Entry::Vacant(place) = self.entries.entry(number) {
                place.insert(entry);
            } else if let Entry::At { at, generation } = entry {
                self.older.push((at, number, generation));
            }
        }
        Ok(())
    }

    /// Returns the dictionary of a section, its entries, and its free entries.
    fn section(
        &mut self,
        source: &mut Source,
        at: u64,
    ) -> Result<(Value, Entries, Entries), Error> {
        let window = source.window(at, 1 << 10)?;
        let mut lexer = Lexer::new(window, 0);
        let (dict, entries) = match lexer.word(b"xref") {
            Some(_) => self.classic(source, at)?,
            None => self.stream(source, at)?,
        };
        let (free, used) = entries.into_iter().partition(|(_, entry)| *entry == Entry::Free);
        Ok((dict, used, free))
    }

    /// Reads a table at once, up to the end of its trailer.
    fn classic(&mut self, source: &mut Source, at: u64) -> Result<(Value, Entries), Error> {
        let left = source.len().saturating_sub(at);
        let mut size = 1 << 12;
        loop {
            let window = source.window(at, size)?;
            let is_whole = window.len() as u64 >= left;
            match classic(window) {
                Ok((dict, entries, end)) if is_whole || end + 64 < window.len() => {
                    self.sections.push(at..at + end as u64);
                    return Ok((dict, entries));
                }
                Err(Fault::Wrong) => return Err(unreadable()),
                Err(Fault::Unfinished) if is_whole => return Err(unreadable()),
                _ => size = 4 * window.len(),
            }
        }
    }

    fn stream(&mut self, source: &mut Source, at: u64) -> Result<(Value, Entries), Error> {
        let object = Object::read(source, at, false).map_err(unreadable_unless_io)?;
        let is_one = object.is_stream && object.get("Type").name().as_deref() == Some(b"XRef");
        // It is written anew under this number.
        if !is_one || object.scan.fault.is_some() || !(1..MAX_NUMBER).contains(&object.number) {
            return Err(unreadable());
        }
        let len = object.get("Length").integer().and_then(|len| u64::try_from(len).ok());
        let len = len.filter(|&len| len <= source.len() - object.end());
        let len = len.ok_or_else(unreadable)?;
        let dict = object.value();
        let mut data = vec![];
        source.append(object.end(), len as usize, &mut data)?;
        let (filters, parameters) = (dict.get("Filter"), dict.get("DecodeParms"));
        let data = filters::decoded(data, &filters.elements(), &parameters.elements());
        let data = data.map_err(|_| unreadable())?;
        let entries = streamed(&dict, &data).ok_or_else(unreadable)?;
        let mut end = object.end() + len;
        let window = source.window(end, 256)?;
        let mut lexer = Lexer::new(window, 0);
        lexer.word(b"endstream").ok_or_else(unreadable)?;
        lexer.word(b"endobj");
        skip_startxref(&mut lexer);
        end += lexer.at as u64;
        self.sections.push(object.at..end);
        self.stream_number.get_or_insert(object.number);
        Ok((dict, entries))
    }
}

pub(super) fn unreadable() -> Error {
    Error::Incomplete("its cross-reference table cannot be read".to_owned())
}

fn unreadable_unless_io(error: Error) -> Error {
    match error {
        Error::Read(_) => error,
        _ => unreadable(),
    }
}

/// Returns the place of the newest section.
fn start(source: &mut Source) -> Result<u64, Error> {
    let at = source.len().saturating_sub(TAIL);
    let tail = source.window(at, TAIL as usize)?;
    let found = memchr::memmem::rfind(tail, b"startxref").ok_or_else(unreadable)?;
    let number = Lexer::new(tail, found + b"startxref".len()).integer();
    number.map(|(at, _)| at).filter(|&at| at > 0).ok_or_else(unreadable)
}

/// `startxref`, a number and `%%EOF` belong to the section before them.
fn skip_startxref(lexer: &mut Lexer<'_>) {
    if lexer.word(b"startxref").is_some() && lexer.integer().is_some() {
        let rest = lexer.rest();
        let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if rest[spaces..].starts_with(b"%%EOF") {
            lexer.at += spaces + 5;
        }
    }
}

/// Skips text after an entry, up to the end of its line, as qpdf does.
fn skip_remark(lexer: &mut Lexer<'_>) {
    let rest = lexer.rest();
    let line = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
    let text = rest[..line].trim_ascii_start();
    // Some tables have several entries on a line, or the trailer on the line of an entry.
    let goes_on = text.starts_with(b"trailer") || text.first().is_none_or(u8::is_ascii_digit);
    if !goes_on {
        lexer.at += line;
    }
}

fn classic(bytes: &[u8]) -> Result<(Value, Entries, usize), Fault> {
    let mut lexer = Lexer::new(bytes, 0);
    lexer.word(b"xref");
    let mut entries = vec![];
    loop {
        let (token, at) = lexer.next();
        let first = match token {
            Token::Integer(first) => first,
            Token::End => return Err(Fault::Unfinished),
            Token::Word if &bytes[at..lexer.at] == b"trailer" => break,
            _ if lexer.at == bytes.len() => return Err(Fault::Unfinished),
            _ => return Err(Fault::Wrong),
        };
        let (count, _) = lexer.integer().ok_or_else(|| Fault::at(&mut lexer))?;
        for number in first..first.saturating_add(count) {
            let before = lexer.at;
            let (at, _) = lexer.integer().ok_or_else(|| Fault::at(&mut lexer))?;
            let (generation, _) = lexer.integer().ok_or_else(|| Fault::at(&mut lexer))?;
            let (_, word) = lexer.next();
            let entry = match &bytes[word..lexer.at] {
                b"n" if at > 0 => {
                    let generation = u16::try_from(generation).map_err(|_| Fault::Wrong)?;
                    Entry::At { at, generation }
                }
                b"n" | b"f" => Entry::Free,
                [] => return Err(Fault::Unfinished),
                _ => return Err(Fault::Wrong),
            };
            let number = u32::try_from(number).map_err(|_| Fault::Wrong)?;
            debug_assert!(lexer.at > before);
            entries.push((number, entry));
            skip_remark(&mut lexer);
        }
    }
    if lexer.rest().len() > MAX_TRAILER {
        let end = lexer.at + MAX_TRAILER;
        return classic_end(&bytes[..end], lexer.at, entries);
    }
    classic_end(bytes, lexer.at, entries)
}

fn classic_end(
    bytes: &[u8],
    at: usize,
    entries: Entries,
) -> Result<(Value, Entries, usize), Fault> {
    let found = scan(bytes, at, false)?;
    // If an entry were added or removed, other readers would pair its keys and values differently.
    if found.fault.is_some() {
        return Err(Fault::Wrong);
    }
    let dict = Value::of(&bytes[found.value.clone()]);
    let mut lexer = Lexer::new(bytes, found.value.end);
    skip_startxref(&mut lexer);
    Ok((dict, entries, lexer.at))
}

/// Returns the entries of a cross-reference stream.
fn streamed(dict: &Value, mut data: &[u8]) -> Option<Entries> {
    let widths: Option<Vec<usize>> = dict.get("W").elements().iter().map(small).collect();
    let [kind, second, third] = widths?[..] else { return None };
    if kind + second + third == 0 {
        return None;
    }
    let size = dict.get("Size").integer().and_then(|size| u64::try_from(size).ok())?;
    let index = match dict.get("Index") {
        index if index.is_null() => vec![0, size],
        index => {
            let numbers = index.elements();
            let number = |number: &Value| u64::try_from(number.integer()?).ok();
            numbers.iter().map(number).collect::<Option<Vec<_>>>()?
        }
    };
    let mut entries = vec![];
    for pair in index.chunks(2) {
        let &[first, count] = pair else { return None };
        for number in first..first.checked_add(count)? {
            let (entry, rest) = data.split_at_checked(kind + second + third)?;
            data = rest;
            let field = |range: Range<usize>| {
                entry[range].iter().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
            };
            let of_kind = if kind == 0 { 1 } else { field(0..kind) };
            let (second, third) = (field(kind..kind + second), field(kind + second..entry.len()));
            let entry = match of_kind {
                1 if second == 0 => Entry::Free,
                1 => Entry::At { at: second, generation: u16::try_from(third).ok()? },
                2 => Entry::In {
                    container: u32::try_from(second).ok()?,
                    index: u32::try_from(third).ok()?,
                },
                _ => Entry::Free,
            };
            entries.push((u32::try_from(number).ok()?, entry));
        }
    }
    Some(entries)
}

fn small(value: &Value) -> Option<usize> {
    usize::try_from(value.integer()?).ok().filter(|width| *width <= 8)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str =
        "xref\n0 2\n0000000000 65535 f \n0000000015 00007 n \n4 1\n0000000000 00000 n \n";

    fn at(at: u64, generation: u16) -> Entry {
        Entry::At { at, generation }
    }

    #[test]
    fn a_classic_table_is_read_to_its_end() {
        let end = "trailer\n<< /Size 5 >>";
        let (dict, entries, len) = classic(format!("{LINES}{end}\n").as_bytes()).unwrap();
        assert_eq!(dict.text(), b"<< /Size 5 >>");
        assert_eq!(entries, [(0, Entry::Free), (1, at(15, 7)), (4, Entry::Free)]);
        assert_eq!(len, LINES.len() + end.len());
        for (after, with) in [
            ("\nstartxref\n99\n%%EOF", 19),
            ("\nstartxref 99%%EOF9", 18),
            ("\nstartxref\n99\n%%EO", 13),
            ("\nstartxref\n9x\n%%EOF", 10),
            ("\nstartxxxx\n", 0),
        ] {
            let found = classic(format!("{LINES}{end}{after}").as_bytes()).unwrap().2;
            assert_eq!(found, LINES.len() + end.len() + with, "{after}");
        }
        let whole = format!("{LINES}{end}");
        for len in 0..whole.len() {
            let found = classic(&whole.as_bytes()[..len]).err();
            assert_eq!(found, Some(Fault::Unfinished), "{}", &whole[..len]);
        }
        for (old, new) in [
            ("00007 n", "65536 n"),
            ("00007 n", "00007 x"),
            ("00007 n", "n"),
            ("0 2", "4294967295 2"),
            ("0 2", "0 (2)"),
            ("4 1\n", "four 1\n"),
            ("/Size 5", "/Size"),
        ] {
            let found = classic(whole.replacen(old, new, 1).as_bytes()).err();
            assert_eq!(found, Some(Fault::Wrong), "{new}");
        }
        assert!(classic(whole.replacen("65535 f", "65536 f", 1).as_bytes()).is_ok());
    }

    #[test]
    fn a_trailer_has_16_mib_at_most() {
        let trailer = |len: usize| {
            let mut text = format!("{LINES}trailer << %").into_bytes();
            let start = LINES.len() + "trailer".len();
            text.resize(start + len - 3, b'x');
            text.extend(b"\n>>      ");
            classic(&text).map(|(_, _, end)| end - start)
        };
        assert_eq!(trailer(16 << 20), Ok(16 << 20));
        assert_eq!(trailer((16 << 20) + 1), Err(Fault::Unfinished));
        let text = [LINES.as_bytes(), b"trailer<<>>", &vec![b' '; 16 << 20]].concat();
        assert_eq!(classic(&text).unwrap().2, LINES.len() + 11);
    }

    #[test]
    fn the_entries_of_a_stream_are_read() {
        let entries = |dict: &str, data: &[u8]| streamed(&Value::of(dict.as_bytes()), data);
        let inside = |container, index| Entry::In { container, index };
        let data = [0, 1, 2, 1, 3, 4, 2, 5, 6, 3, 7, 8, 1, 0, 9];
        let expected = [Entry::Free, at(3, 4), inside(5, 6), Entry::Free, Entry::Free];
        let found = entries("<</W[1 1 1]/Size 5>>", &data).unwrap();
        assert_eq!(found, (0..).zip(expected).collect::<Vec<_>>());
        for (dict, data, expected) in [
            ("<</W[0 2 1]/Size 1>>", &[1, 2, 3][..], &[(0, at(258, 3))][..]),
            ("<</W[1 2 0]/Size 1>>", &[1, 1, 2], &[(0, at(258, 0))]),
            ("<</W[2 1 2]/Size 1>>", &[0, 2, 9, 1, 0], &[(0, inside(9, 256))]),
            ("<</W[0 8 0]/Size 1>>", &[0, 0, 0, 0, 0, 0, 1, 0, 9], &[(0, at(256, 0))]),
            (
                "<</W[1 1 0]/Size 9/Index[3 2 7 1]>>",
                &[1, 1, 1, 2, 1, 3],
                &[(3, at(1, 0)), (4, at(2, 0)), (7, at(3, 0))],
            ),
            ("<</W[1 1 0]/Size 9/Index[4294967295 1]>>", &[1, 1], &[(u32::MAX, at(1, 0))]),
            ("<</W[1 1 2]/Size 1>>", &[1, 1, 255, 255], &[(0, at(1, 65535))]),
            ("<</W[1 1 1]/Size 0>>", &[], &[]),
        ] {
            assert_eq!(entries(dict, data).as_deref(), Some(expected), "{dict}");
        }
        for (dict, len) in [
            ("<</W[1 1 1]/Size 5>>", 14),
            ("<</W[1 1]/Size 1>>", 9),
            ("<</W[1 1 1 1]/Size 1>>", 9),
            ("<</W[0 0 0]/Size 1>>", 9),
            ("<</W[0 9 0]/Size 1>>", 9),
            ("<</W[1 -1 1]/Size 1>>", 9),
            ("<</W[1 1 1]>>", 9),
            ("<</W[1 1 1]/Size -1>>", 9),
            ("<</W[1 1 1]/Size 1/Index[0]>>", 9),
            ("<</W[1 1 1]/Size 1/Index[0 1 2]>>", 9),
            ("<</W[1 1 1]/Size 1/Index[-1 1]>>", 9),
            ("<</W[1 1 0]/Size 9/Index[4294967296 1]>>", 9),
            ("<</W[1 1 3]/Size 1>>", 9),
            ("<</W[0 1 4]/Size 1>>", 9),
        ] {
            assert_eq!(entries(dict, &[1; 15][..len]), None, "{dict}");
        }
        assert_eq!(entries("<</W[1 5 1]/Size 1>>", &[2, 1, 0, 0, 0, 0, 0]), None);
        assert_eq!(entries("<</W[1 1 5]/Size 1>>", &[2, 1, 1, 0, 0, 0, 0]), None);
    }

    #[test]
    fn the_newest_section_is_named_in_the_last_1054_bytes() {
        let read = |before: &str, after: usize| {
            let text =
                format!("%PDF-1.5\n{LINES}trailer <</Root 1 0 R{before}>>\nstartxref\n9\n%%EOF\n");
            let pad = 1054 + after - "startxref\n9\n%%EOF\n".len();
            let text = [text.as_bytes(), &vec![b'%'; pad]].concat();
            Table::read(&mut Source::from(text))
                .map(|table| (table.entries.len(), table.sections.len()))
        };
        assert_eq!(read("", 0), Ok((3, 1)));
        assert_eq!(read("", 1), Err(unreadable()));
        assert_eq!(read("/Prev 0", 0), Ok((3, 1)), "0 is written for nothing");
        for previous in ["/Prev 9", "/Prev -1", "/Prev (a)", "/Prev 1", "/Prev 99999"] {
            assert_eq!(read(previous, 0), Err(unreadable()), "{previous}");
        }
    }

    /// After the first section, the reader has a window of 16 KiB in memory. Its last two bytes begin
    /// the second.
    #[test]
    fn a_section_may_begin_at_the_end_of_a_window() {
        let stream = "5 0 obj <</Type/XRef/W[1 1 0]/Size 1/Length 2/Prev 16391>>stream\n\x01\x09\nendstream endobj\n";
        let text = format!("%PDF-1.5\n {stream}").into_bytes();
        let mut text = [&text[..], &vec![b'%'; 16_391 - 1 - text.len()], b"\n"].concat();
        text.extend(format!("{LINES}trailer<</Size 1>>{}\nstartxref 10", "%".repeat(2000)).bytes());
        let table = Table::read(&mut Source::from(text)).unwrap();
        assert_eq!(table.entries.len(), 3);
        assert_eq!(table.entries[&0], at(9, 0));
    }
}

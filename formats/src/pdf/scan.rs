//! Scans one value of PDF by its tokens, and records the places of its end and its parts.

use std::{borrow::Cow, ops::Range};

use super::token::{Lexer, Token, name_of};

/// Maximum nesting; other programs have the same limit.
const MAX_DEPTH: usize = 499;

const NOT_NAMES: &str = "has a dictionary whose keys are not names";
const NOT_DIGITS: &str = "has a string with a character that is not a hexadecimal digit";

/// A place in the scanned bytes. Offsets have 32 bits, since there may be many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    start: u32,
    end: u32,
}

impl Place {
    fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    Word,
    String,
    Array,
    Dictionary,
    Reference(u32, u16),
}

/// A part of the outermost array or dictionary.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// The name, with its slash; empty in an array.
    pub(super) key: Place,
    pub(super) value: Place,
}

/// A value and the places of its parts.
#[derive(Debug)]
pub(super) struct Scan {
    pub(super) kind: Kind,
    pub(super) value: Range<usize>,
    /// The parts of the outermost array or dictionary, in order.
    pub(super) entries: Vec<Entry>,
    /// All strings except the contents of signatures, which are not encrypted.
    pub(super) strings: Vec<Place>,
    /// All references, if they were requested.
    pub(super) references: Vec<(u32, u16)>,
    /// The numbers of attachments, and of dictionaries that refer to attachments: the references in
    /// EF entries (ISO 32000-1, table 44).
    pub(super) attachments: Vec<u32>,
    /// The last fault that does not hide where the value ends.
    pub(super) fault: Option<&'static str>,
}

/// An error in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The bytes end within the value.
    Unfinished,
    /// The bytes are no value.
    Wrong,
}

impl Fault {
    /// An error at the next token.
    pub(super) fn at(lexer: &mut Lexer<'_>) -> Self {
        if lexer.is_last() { Self::Unfinished } else { Self::Wrong }
    }
}

/// An open array or dictionary.
#[derive(Default)]
struct Open {
    is_dictionary: bool,
    /// The last key, if its value is still to come.
    key: Option<Place>,
    start: usize,
    has_byte_range: bool,
    /// The index of the string that is the value of Contents.
    contents: Option<usize>,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    open: Vec<Open>,
    scan: Scan,
    with_references: bool,
}

/// Reads the value that starts at `at`, or after white space and comments there.
pub(super) fn scan(bytes: &[u8], at: usize, with_references: bool) -> Result<Scan, Fault> {
    let scan = Scan {
        kind: Kind::Word,
        value: 0..0,
        entries: vec![],
        strings: vec![],
        references: vec![],
        attachments: vec![],
        fault: None,
    };
    Scanner { bytes, open: vec![], scan, with_references }.run(at)
}

impl Scanner<'_> {
    fn run(mut self, at: usize) -> Result<Scan, Fault> {
        let mut lexer = Lexer::new(self.bytes, at);
        loop {
            let (token, start) = lexer.next();
            let kind = match token {
                Token::End => return Err(Fault::Unfinished),
                Token::Stray if lexer.at == self.bytes.len() => return Err(Fault::Unfinished),
                Token::Stray => return Err(Fault::Wrong),
                Token::ArrayStart | Token::DictStart => {
                    if self.open.len() == MAX_DEPTH {
                        return Err(Fault::Wrong);
                    }
                    let is_dictionary = token == Token::DictStart;
                    self.open.push(Open { is_dictionary, start, ..Open::default() });
                    continue;
                }
                Token::ArrayEnd | Token::DictEnd => {
                    let closed = self.open.pop().ok_or(Fault::Wrong)?;
                    if closed.is_dictionary != (token == Token::DictEnd) {
                        return Err(Fault::Wrong);
                    }
                    let kind = self.close(&closed);
                    self.value(kind, closed.start, lexer.at);
                    if self.open.is_empty() {
                        return Ok(self.scan);
                    }
                    continue;
                }
                Token::Name => {
                    if let Some(open) = self.open.last_mut()
                        && open.is_dictionary
                        && open.key.is_none()
                    {
                        open.key = Some(Place::new(start, lexer.at));
                        continue;
                    }
                    Kind::Name
                }
                Token::Integer(number) => self.number_or_reference(number, &mut lexer),
                Token::Literal | Token::Hex | Token::DamagedHex => {
                    if token == Token::DamagedHex {
                        self.scan.fault = Some(NOT_DIGITS);
                    }
                    self.scan.strings.push(Place::new(start, lexer.at));
                    Kind::String
                }
                Token::Word => match &self.bytes[start..lexer.at] {
                    b"endobj" | b"stream" | b"endstream" | b"obj" => return Err(Fault::Wrong),
                    [b'+' | b'-' | b'.' | b'0'..=b'9', ..] => Kind::Number,
                    _ => Kind::Word,
                },
            };
            self.value(kind, start, lexer.at);
            if self.open.is_empty() {
                return Ok(self.scan);
            }
        }
    }

    /// Two integers and R are a reference.
    fn number_or_reference(&mut self, number: u64, lexer: &mut Lexer<'_>) -> Kind {
        let after = lexer.at;
        if let Ok(number) = u32::try_from(number)
            && let Some((generation, _)) = lexer.integer()
            && let Ok(generation) = u16::try_from(generation)
            && lexer.word(b"R").is_some()
        {
            if self.with_references {
                self.scan.references.push((number, generation));
            }
            return Kind::Reference(number, generation);
        }
        lexer.at = after;
        Kind::Number
    }

    /// A value is complete.
    fn value(&mut self, kind: Kind, start: usize, end: usize) {
        let place = Place::new(start, end);
        let depth = self.open.len();
        let Some(open) = self.open.last_mut() else {
            self.scan.kind = kind;
            self.scan.value = start..end;
            return;
        };
        let key = open.key.take();
        if open.is_dictionary {
            let Some(key) = key else {
                self.scan.fault = Some(NOT_NAMES);
                return;
            };
            let name = name_at(self.bytes, key);
            match &name[..] {
                b"ByteRange" => open.has_byte_range = true,
                b"Contents" if kind == Kind::String => {
                    open.contents = Some(self.scan.strings.len() - 1);
                }
                _ => {}
            }
            if let Kind::Reference(number, _) = kind
                && (*name == *b"EF" || self.is_in_attachments(depth))
            {
                self.scan.attachments.push(number);
            }
        }
        if depth == 1 {
            self.scan.entries.push(Entry { key: key.unwrap_or_default(), value: place });
        }
    }

    /// Returns true if the innermost of `depth` open dictionaries is the value of an EF entry.
    fn is_in_attachments(&self, depth: usize) -> bool {
        let around = depth.checked_sub(2).map(|at| &self.open[at]);
        let key = around.filter(|open| open.is_dictionary).and_then(|open| open.key);
        key.is_some_and(|key| *name_at(self.bytes, key) == *b"EF")
    }

    /// An array or a dictionary ends.
    fn close(&mut self, open: &Open) -> Kind {
        if !open.is_dictionary {
            return Kind::Array;
        }
        // A key without a value.
        if open.key.is_some() {
            self.scan.fault = Some(NOT_NAMES);
        }
        // The contents of a signature sign the file's bytes, so they are not encrypted.
        if let Some(contents) = open.contents.filter(|_| open.has_byte_range) {
            self.scan.strings[contents] = Place::default();
        }
        Kind::Dictionary
    }
}

/// The name at a place. Most names have no escapes, and are not copied.
fn name_at(bytes: &[u8], place: Place) -> Cow<'_, [u8]> {
    let raw = &bytes[place.range()];
    if raw.contains(&b'#') { Cow::Owned(name_of(raw)) } else { Cow::Borrowed(&raw[1..]) }
}

impl Scan {
    /// Returns the last entry with a name.
    pub(super) fn entry(&self, bytes: &[u8], name: &[u8]) -> Option<Entry> {
        let is_it = |entry: &&Entry| name_of(&bytes[entry.key.range()]) == name;
        self.entries.iter().rev().find(is_it).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_and_others_are_faults() {
        for (text, kind, value) in [
            (" (a) ", Kind::String, "(a)"),
            ("% (a)\n<4 1> ", Kind::String, "<4 1>"),
            ("/a#20b/c", Kind::Name, "/a#20b"),
            ("12 3 R ", Kind::Reference(12, 3), "12 3 R"),
            ("12 3 /R ", Kind::Number, "12"),
            ("12 65536 R ", Kind::Number, "12"),
            ("4294967296 0 R ", Kind::Number, "4294967296"),
            ("-1 ", Kind::Number, "-1"),
            (".5 ", Kind::Number, ".5"),
            ("+.5 ", Kind::Number, "+.5"),
            ("1.5 ", Kind::Number, "1.5"),
            ("true ", Kind::Word, "true"),
            ("[1 [2] (]) ] ]", Kind::Array, "[1 [2] (]) ]"),
            ("<</a<</b[]>>>>>>", Kind::Dictionary, "<</a<</b[]>>>>"),
        ] {
            let found = scan(text.as_bytes(), 0, false).unwrap();
            assert_eq!((found.kind, &text[found.value]), (kind, value), "{text}");
            assert_eq!(found.references, []);
        }
        for (text, fault) in [
            ("", Fault::Unfinished),
            ("[1 ", Fault::Unfinished),
            ("<</a 1>", Fault::Unfinished),
            ("(a", Fault::Unfinished),
            (")", Fault::Unfinished),
            (") ", Fault::Wrong),
            ("[1 } 2]", Fault::Wrong),
            ("] ", Fault::Wrong),
            ("[1>>", Fault::Wrong),
            ("<</a 1]", Fault::Wrong),
            ("[1 endobj ]", Fault::Wrong),
            ("[1 stream ]", Fault::Wrong),
            ("endstream ", Fault::Wrong),
            ("[obj]", Fault::Wrong),
        ] {
            assert_eq!(scan(text.as_bytes(), 0, false).unwrap_err(), fault, "{text}");
        }
        let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(scan(nested(499).as_bytes(), 0, false).is_ok());
        assert_eq!(scan(nested(500).as_bytes(), 0, false).unwrap_err(), Fault::Wrong);
    }

    #[test]
    fn the_parts_of_the_outermost_value_have_places() {
        let parts = |text: &str| {
            let found = scan(text.as_bytes(), 0, true).unwrap();
            let part = |entry: &Entry| {
                format!("{}={}", &text[entry.key.range()], &text[entry.value.range()])
            };
            let strings = found.strings.iter().map(|place| &text[place.range()]);
            (
                found.entries.iter().map(part).collect::<Vec<_>>().join(" "),
                strings.collect::<Vec<_>>().join(" "),
                found.references,
                found.fault,
            )
        };
        let sorted = |entries: &str, strings: &str, references: &[(u32, u16)], fault| {
            (entries.to_owned(), strings.to_owned(), references.to_vec(), fault)
        };
        for (text, expected) in [
            (
                "[1 2 0 R(a)[3 1 R]]",
                sorted("=1 =2 0 R =(a) =[3 1 R]", "(a)", &[(2, 0), (3, 1)], None),
            ),
            (
                "<</a(b)/c<</d<65>>>/e/f>>",
                sorted("/a=(b) /c=<</d<65>>> /e=/f", "(b) <65>", &[], None),
            ),
            ("<</a 1/b>>", sorted("/a=1", "", &[], Some(NOT_NAMES))),
            ("<</a 1(b)/c 2>>", sorted("/a=1 /c=2", "(b)", &[], Some(NOT_NAMES))),
            ("[<6z>]", sorted("=<6z>", "<6z>", &[], Some(NOT_DIGITS))),
            // The contents of a signature are left out, wherever its other entry stands.
            (
                "<</M(a)/Contents(b)/ByteRange[]>>",
                sorted("/M=(a) /Contents=(b) /ByteRange=[]", "(a) ", &[], None),
            ),
            (
                "[<</ByteR#61nge 0/C#6fntents<65>/M(a)>>]",
                sorted("=<</ByteR#61nge 0/C#6fntents<65>/M(a)>>", " (a)", &[], None),
            ),
            (
                "[<</ByteRange 0>><</Contents(b)>>]",
                sorted("=<</ByteRange 0>> =<</Contents(b)>>", "(b)", &[], None),
            ),
            (
                "<</ByteRange 0/Contents[(b)]>>",
                sorted("/ByteRange=0 /Contents=[(b)]", "(b)", &[], None),
            ),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
        let found = scan(b"<</a 1/#61 2>>", 0, false).unwrap();
        let last = found.entry(b"<</a 1/#61 2>>", b"a").unwrap();
        assert_eq!(last.value.range(), 11..12, "the last of two entries with one name");
    }
}

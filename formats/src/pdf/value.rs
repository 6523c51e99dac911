//! One small value with its bytes from the file, such as a dictionary.

use super::{
    scan::{Entry, Kind, Scan, scan},
    string,
    token::name_of,
};

/// A value that owns its bytes.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) bytes: Vec<u8>,
    scan: Scan,
}

impl Value {
    /// Reads a value from bytes; null if they are no value.
    pub(super) fn of(bytes: &[u8]) -> Self {
        // A space ends the last token.
        let mut bytes = bytes.to_vec();
        bytes.push(b' ');
        match scan(&bytes, 0, false) {
            Ok(scan) => Self { bytes, scan },
            Err(_) => Self::null(),
        }
    }

    pub(super) fn null() -> Self {
        Self::of(b"null")
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.bytes[self.scan.value.clone()]
    }

    pub(super) fn kind(&self) -> Kind {
        self.scan.kind
    }

    pub(super) fn is_null(&self) -> bool {
        self.kind() == Kind::Word && self.text() == b"null"
    }

    pub(super) fn integer(&self) -> Option<i64> {
        let text = Some(self.text()).filter(|_| self.kind() == Kind::Number)?;
        str::from_utf8(text).ok()?.parse().ok()
    }

    pub(super) fn name(&self) -> Option<Vec<u8>> {
        (self.kind() == Kind::Name).then(|| name_of(self.text()))
    }

    pub(super) fn string(&self) -> Option<Vec<u8>> {
        (self.kind() == Kind::String).then(|| string::decoded(self.text()))
    }

    pub(super) fn reference(&self) -> Option<(u32, u16)> {
        match self.kind() {
            Kind::Reference(number, generation) => Some((number, generation)),
            _ => None,
        }
    }

    /// Returns the value of a name in a dictionary; null if the name is missing.
    pub(super) fn get(&self, name: &str) -> Self {
        match self.entry(name) {
            Some(entry) => self.part(entry),
            None => Self::null(),
        }
    }

    pub(super) fn entry(&self, name: &str) -> Option<Entry> {
        self.scan.entry(&self.bytes, name.as_bytes())
    }

    /// Returns the entries of a dictionary, or the elements of an array.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.scan.entries
    }

    pub(super) fn key(&self, entry: Entry) -> Vec<u8> {
        name_of(&self.bytes[entry.key.range()])
    }

    pub(super) fn part(&self, entry: Entry) -> Self {
        Self::of(&self.bytes[entry.value.range()])
    }

    /// Returns the elements of an array. Another value is returned as a single element, and null as
    /// none.
    pub(super) fn elements(&self) -> Vec<Self> {
        match self.kind() {
            Kind::Array => self.entries().iter().map(|&entry| self.part(entry)).collect(),
            _ if self.is_null() => vec![],
            _ => vec![Self::of(self.text())],
        }
    }
}

#[cfg(test)]
#[test]
fn only_the_word_null_is_null() {
    for (text, is_null) in
        [("null", true), ("true", false), ("/null", false), ("(null)", false), ("nul", false)]
    {
        let value = Value::of(text.as_bytes());
        assert_eq!(value.is_null(), is_null, "{text}");
        assert_eq!(value.elements().is_empty(), is_null, "{text}");
    }
    assert!(Value::of(b"[").is_null(), "no value");
}

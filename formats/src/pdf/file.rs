//! Finds a file's objects by number, follows references and opens object streams.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use super::{
    Error, Method,
    ciphers::{Ciphers, OfStream},
    crypt::printable,
    filters,
    object::Object,
    scan::{Scan, scan},
    source::Source,
    table::{Entry, Table},
    token::Lexer,
    value::Value,
};

/// Maximum size of an encoded object stream, in bytes.
const MAX_CONTAINER: u64 = 64 << 20;
/// Maximum total size of the cached decoded object streams, in bytes.
const KEPT: usize = 8 << 20;
/// A smaller stream counts as `LEAST` bytes, because each look-up searches the list of streams.
const LEAST: usize = 8 << 10;
/// Longest chain of references.
const MAX_CHAIN: usize = 64;
/// Limits of decoded object streams: bytes for each byte of a file, and bytes allowed in every
/// file.
const HELD_TIMES: u64 = 1024;
const HELD_FREELY: u64 = 1 << 28;

/// A file: its bytes, its table and its ciphers.
pub(super) struct File {
    pub(super) source: Source,
    pub(super) table: Table,
    /// The ciphers of the document, once the key is known.
    pub(super) ciphers: Option<Arc<Ciphers>>,
    /// True if damage is repaired as far as possible.
    pub(super) repairs: bool,
    /// The numbers of the attachments, if they have another method than other streams.
    pub(super) attachments: BTreeSet<u32>,
    /// The first fault of an object stream that was read all the same.
    pub(super) mended: Option<String>,
    containers: VecDeque<Arc<Container>>,
    /// Bytes that object streams may still be decoded to.
    decodable: u64,
}

/// The place of a stream's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Data {
    pub(super) len: u64,
    /// True if the Length is wrong or missing.
    pub(super) is_wrong: bool,
}

impl File {
    pub(super) fn new(source: Source, table: Table, repairs: bool) -> Self {
        let len = source.len();
        Self {
            source,
            table,
            ciphers: None,
            repairs,
            attachments: BTreeSet::new(),
            mended: None,
            containers: VecDeque::new(),
            decodable: HELD_TIMES.saturating_mul(len).saturating_add(HELD_FREELY),
        }
    }

    /// Rebuilds the table from the objects found in the file.
    pub(super) fn rebuild(&mut self) -> Result<(), Error> {
        self.table = Table::rebuilt(&mut self.source)?;
        self.containers.clear();
        Ok(())
    }

    /// Returns the object at a place.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if no object is there.
    pub(super) fn object_at(&mut self, at: u64, references: bool) -> Result<Object, Error> {
        Object::read(&mut self.source, at, references)
    }

    /// Follows references and returns the value. Null if the reference leads nowhere.
    pub(super) fn resolve(&mut self, mut value: Value) -> Result<Value, Error> {
        for _ in 0..MAX_CHAIN {
            let Some((number, generation)) = value.reference() else { return Ok(value) };
            value = self.value(number, generation)?;
        }
        Ok(Value::null())
    }

    /// Returns the elements of an array, or the value itself, all resolved.
    pub(super) fn elements(&mut self, value: Value) -> Result<Vec<Value>, Error> {
        let array = self.resolve(value)?;
        array.elements().into_iter().map(|element| self.resolve(element)).collect()
    }

    /// Returns the value of an object; null if the object is missing.
    fn value(&mut self, number: u32, generation: u16) -> Result<Value, Error> {
        let value = match self.table.entries.get(&number) {
            Some(&Entry::At { at, generation: has }) if has == generation => {
                let object = self.object_at(at, false);
                object.map(|object| match object.number == number {
                    true => object.value(),
                    false => Value::null(),
                })
            }
            Some(&Entry::In { container, .. }) if generation == 0 => {
                self.container(container).map(|container| container.value(number))
            }
            _ => Ok(Value::null()),
        };
        match value {
            Err(Error::Incomplete(_)) => Ok(Value::null()),
            value => value,
        }
    }

    /// Returns the place of a stream's data. If the Length is wrong, the data end before the word
    /// `endstream` or `endobj`.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if the data have no end.
    pub(super) fn data(&mut self, object: &Object) -> Result<Data, Error> {
        let length = self.resolve(object.get("Length"))?.integer();
        let start = object.end();
        // Beyond the end of the file, there is no `endstream`.
        if let Some(len) = length.and_then(|len| u64::try_from(len).ok())
            && self.is_end(start + len)?
        {
            return Ok(Data { len, is_wrong: false });
        }
        let len = self.found_end(start)?;
        Ok(Data { len, is_wrong: true })
    }

    /// Returns true if `endstream` is at `at`.
    pub(super) fn is_end(&mut self, at: u64) -> Result<bool, Error> {
        let window = self.source.window(at, 64)?;
        let window = &window[..window.len().min(64)];
        Ok(Lexer::new(window, 0).word(b"endstream").is_some())
    }

    /// Returns the number of bytes from `start` to `endstream` or `endobj`, without the line end
    /// before.
    fn found_end(&mut self, start: u64) -> Result<u64, Error> {
        let mut at = start;
        let end = loop {
            let window = self.source.window(at, 1 << 14)?;
            if window.len() < b"endobj".len() {
                return Err(Error::Incomplete("has a stream without an end".to_owned()));
            }
            let ends = [&b"endstream"[..], b"endobj"];
            let found = ends.iter().filter_map(|word| memchr::memmem::find(window, word)).min();
            match found {
                Some(skip) => break at + skip as u64,
                None => {
                    let skipped = window.len().saturating_sub(b"endstream".len() - 1).max(1) as u64;
                    self.source.charge(skipped)?;
                    at += skipped;
                }
            }
        };
        let before = end.saturating_sub(2).max(start);
        let line_end = match &self.source.window(before, 2)?[..(end - before) as usize] {
            b"\r\n" => 2,
            [.., b'\r' | b'\n'] => 1,
            _ => 0,
        };
        Ok(end - start - line_end)
    }

    /// Returns the cipher of a stream, by its crypt filter or else by its type.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if it names a crypt filter that is not there.
    pub(super) fn cipher_of(&mut self, object: &Object) -> Result<OfStream, Error> {
        let Some(ciphers) = self.ciphers.as_ref().map(Arc::clone) else {
            return Ok(OfStream::default());
        };
        let kind = self.resolve(object.get("Type"))?.name();
        if kind.as_deref() == Some(b"XRef") {
            return Ok(OfStream::default());
        }
        let filters = self.elements(object.get("Filter"))?;
        let first = filters.first().and_then(|filter| filter.name());
        let has_crypt_filter = first.as_deref() == Some(b"Crypt");
        let is_named = has_crypt_filter && ciphers.security.version >= 4 && !ciphers.encrypts;
        let method = match is_named {
            true => {
                let name = self.crypt_filter_of(object)?;
                ciphers.security.filters.get(&name).ok_or_else(|| {
                    let name = printable(&name);
                    Error::Incomplete(format!("names the crypt filter {name}, which is not there"))
                })?
            }
            // The Type of an attachment may be missing.
            false if self.attachments.contains(&object.number) => &ciphers.security.embedded_files,
            false => ciphers.of_type(kind.as_deref()),
        };
        let key = match method {
            Method::Identity => None,
            Method::Rc4 => Some(ciphers.key_of(object)),
            other => return Err(Error::Unsupported(format!("{other}, in a stream"))),
        };
        Ok(OfStream { key, has_crypt_filter })
    }

    /// Returns the name of a stream's crypt filter.
    fn crypt_filter_of(&mut self, object: &Object) -> Result<Vec<u8>, Error> {
        let parameters = self.elements(object.get("DecodeParms"))?;
        let name = parameters.first().map(|parameters| self.resolve(parameters.get("Name")));
        let name = name.transpose()?.and_then(|name| name.name());
        Ok(name.unwrap_or_else(|| b"Identity".to_vec()))
    }

    /// Opens an object stream.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if that cannot be done.
    pub(super) fn container(&mut self, number: u32) -> Result<Arc<Container>, Error> {
        if let Some(kept) = self.containers.iter().find(|kept| kept.number == number) {
            return Ok(Arc::clone(kept));
        }
        let failed = |why: &str| Error::Incomplete(format!("object stream {number}: {why}"));
        let Some(&Entry::At { at, generation }) = self.table.entries.get(&number) else {
            return Err(failed("it is not there"));
        };
        let object = self.object_at(at, false).map_err(|error| match error {
            Error::Incomplete(why) => failed(&format!("it {why}")),
            error => error,
        })?;
        if (object.number, object.generation) != (number, generation) || !object.is_stream {
            return Err(failed("it is not there"));
        }
        let is_one = self.resolve(object.get("Type"))?.name().as_deref() == Some(b"ObjStm");
        if !is_one {
            let fault = format!("object stream {number}: its Type is not ObjStm");
            if !self.repairs {
                return Err(Error::Incomplete(fault));
            }
            self.mended.get_or_insert(fault);
        }
        let Data { len, is_wrong } = self.data(&object)?;
        if is_wrong && !self.repairs || len > MAX_CONTAINER {
            return Err(failed("its Length is wrong"));
        }
        let mut data = vec![];
        self.source.append(object.end(), len as usize, &mut data)?;
        // A document that is being encrypted still has its plain object streams.
        let is_encrypted = self.ciphers.as_ref().is_some_and(|ciphers| !ciphers.encrypts);
        if is_encrypted && let Some(key) = self.cipher_of(&object)?.key {
            key.apply(&mut data);
        }
        let filters = self.elements(object.get("Filter"))?;
        let parameters = self.elements(object.get("DecodeParms"))?;
        let bytes = filters::decoded(data, &filters, &parameters).map_err(|why| failed(&why))?;
        self.decodable = self
            .decodable
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| Error::Damaged("its object streams hold too much".to_owned()))?;
        let count = self.resolve(object.get("N"))?.integer();
        let first = self.resolve(object.get("First"))?.integer();
        let container = Container::new(number, bytes, count, first).map_err(failed)?;
        let container = Arc::new(container);
        self.containers.push_front(Arc::clone(&container));
        let mut kept = 0;
        self.containers.retain(|container| {
            kept += container.bytes.len().max(LEAST);
            kept <= KEPT || container.number == number
        });
        Ok(container)
    }
}

/// An object stream, decoded.
pub(super) struct Container {
    number: u32,
    bytes: Vec<u8>,
    /// Numbers of the objects, where they start, and their places in the index, by number.
    index: Vec<(u32, u32, u32)>,
}

impl Container {
    fn new(
        number: u32,
        bytes: Vec<u8>,
        count: Option<i64>,
        first: Option<i64>,
    ) -> Result<Self, &'static str> {
        let size = |value: Option<i64>| value.and_then(|value| usize::try_from(value).ok());
        let first = size(first).filter(|first| *first <= bytes.len()).ok_or("it has no index")?;
        let count = size(count).filter(|count| *count <= bytes.len()).ok_or("it has no N")?;
        let mut lexer = Lexer::new(&bytes[..first], 0);
        let mut index = vec![];
        for place in 0..count {
            let pair = lexer.integer().zip(lexer.integer()).ok_or("its index is not numbers")?;
            let ((number, _), (start, _)) = pair;
            let start = usize::try_from(start).ok().and_then(|start| first.checked_add(start));
            let start = start.filter(|start| *start < bytes.len());
            let start = start.ok_or("its index leads out of it")?;
            let number = u32::try_from(number).map_err(|_| "its index is not numbers")?;
            index.push((number, start as u32, place as u32));
        }
        // If two objects have one number, the last is used.
        index.reverse();
        index.sort_by_key(|entry| entry.0);
        index.dedup_by_key(|entry| entry.0);
        Ok(Self { number, bytes, index })
    }

    /// The numbers of its objects, each with its place in the index.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (u32, u32)> {
        self.index.iter().map(|&(number, _, place)| (place, number))
    }

    /// Reads each of its objects.
    pub(super) fn each(
        &self,
        references: bool,
        mut seen: impl FnMut(u32, Option<Scan>),
    ) -> Result<(), Error> {
        let mut left = 2 * self.bytes.len() + self.index.len();
        for &(number, start, _) in &self.index {
            let found = scan(&self.bytes, start as usize, references).ok();
            let len = found.as_ref().map_or(self.bytes.len(), |scan| scan.value.len());
            left = left.checked_sub(len).ok_or_else(|| {
                Error::Incomplete(format!("object stream {}: its objects overlap", self.number))
            })?;
            seen(number, found);
        }
        Ok(())
    }

    fn value(&self, number: u32) -> Value {
        let at = self.index.binary_search_by_key(&number, |entry| entry.0);
        let start = at.ok().map(|at| self.index[at].1 as usize);
        let found = start.and_then(|start| scan(&self.bytes, start, false).ok());
        match found {
            Some(found) => Value::of(&self.bytes[found.value]),
            None => Value::null(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(bytes: &[u8], count: i64, first: i64) -> Result<Container, &'static str> {
        Container::new(7, bytes.to_vec(), Some(count), Some(first))
    }

    #[test]
    fn the_index_of_an_object_stream_leads_into_it() {
        let bytes = b"4 0 6 4 4 2 1 2 3";
        let found = container(bytes, 3, 12).unwrap();
        let numbers: Vec<_> = found.numbers().collect();
        assert_eq!(numbers, [(2, 4), (1, 6)], "of two objects with one number, the last");
        let values = [1, 4, 6].map(|number| found.value(number).integer());
        assert_eq!(values, [None, Some(2), Some(3)]);
        assert_eq!(container(bytes, 0, 17).unwrap().numbers().count(), 0);
        for (count, first, why) in [
            (3, 18, "it has no index"),
            (3, -1, "it has no index"),
            (18, 12, "it has no N"),
            (-1, 12, "it has no N"),
            (3, 10, "its index is not numbers"),
        ] {
            assert_eq!(container(bytes, count, first).err(), Some(why), "{count} {first}");
        }
        assert_eq!(container(b"4 4 5", 1, 4).err(), Some("its index leads out of it"));
        assert_eq!(container(b"4 1 5", 1, 4).err(), Some("its index leads out of it"));
        assert_eq!(container(b"4 0 5", 1, 4).unwrap().value(4).integer(), Some(5));
        assert_eq!(container(b"4294967296 0 5", 1, 13).err(), Some("its index is not numbers"));
    }

    /// The limit is two bytes for each byte of the stream, and one for each object. Three objects may
    /// thus be one value of 27 bytes.
    #[test]
    fn objects_of_an_object_stream_overlap_within_bounds() {
        let each = |value: &str| {
            let bytes = format!("1 0 2 0 3 0 {value}");
            let mut seen = vec![];
            let container = container(bytes.as_bytes(), 3, 12).unwrap();
            let result = container.each(false, |number, scan| seen.push((number, scan.is_some())));
            (result.map_err(|error| error.to_string()), seen)
        };
        let value = |len: usize| format!("({})", "x".repeat(len - 2));
        assert_eq!(each(&value(27)), (Ok(()), vec![(1, true), (2, true), (3, true)]));
        let (result, seen) = each(&value(28));
        assert!(result.unwrap_err().ends_with("object stream 7: its objects overlap"));
        assert_eq!(seen.len(), 2);
        // What is no value counts as the whole stream.
        assert_eq!(each("]").1, [(1, false), (2, false)]);
    }
}

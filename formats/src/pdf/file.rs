//! Reading a file with `lopdf`, its decryption kept out.
//!
//! `lopdf` decrypts what it loads, with a password alone, and drops object streams it cannot decode.
//! Two names are therefore hidden from it in the bytes of the file and put back afterwards: `Encrypt`,
//! by which it sees that a file is encrypted, and `First`, without which it decodes no object stream:
//! that is done here, after decryption. The words put in their place occur nowhere in the file, so
//! putting back is exact.
//!
//! # Memory
//!
//! `lopdf` copies the streams out of the file, and holds up to 140 bytes for each value, five times that for
//! an array and six times for a dictionary, even if they are empty. A table that names one place in the
//! file many times would multiply that: what is loaded may not weigh more than twice the file. Object
//! streams are decompressed to at most [`MAX_OBJECT_STREAM`] each; their values take at most
//! [`MAX_STREAM_UNITS`] times 140 bytes in each, by the text before it is read, and [`MAX_UNITS`] times in
//! all.

use std::{cell::Cell, collections::BTreeMap};

use lopdf::{
    Dictionary, Document, LoadOptions, Object, ObjectId, ObjectStream, Stream, dictionary,
    xref::{XrefEntry, XrefRecovery},
};
use memchr::memmem;

use super::Error;

/// Largest file: offsets in `lopdf` have 32 bits.
pub(super) const MAX_FILE: usize = u32::MAX as usize >> 1;
/// Most bytes an object stream or a cross-reference stream is decompressed to.
const MAX_OBJECT_STREAM: usize = 16 << 20;
/// Largest number of an object: three bytes of it are in the key of the object.
const MAX_NUMBER: u32 = 0xff_ffff;
/// Limits on the memory of the values of one object stream, and of all together, in [`units`].
const MAX_STREAM_UNITS: usize = 1 << 22;
const MAX_UNITS: usize = 1 << 24;
/// Memory of an array and of a dictionary, without their values, in [`units`].
const ARRAY_UNITS: usize = 5;
const DICTIONARY_UNITS: usize = 6;
/// The type that object streams have while `lopdf` loads them: of its own it would drop them.
const OBJECT_STREAM: &[u8] = b"\0ObjStm";

thread_local! {
    /// Units of memory that may still be loaded; `None` after an object needed more.
    static BUDGET: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A file as it stands: nothing decrypted, object streams closed.
pub(super) struct Loaded {
    pub(super) document: Document,
    /// The object streams, which are no longer in the document.
    pub(super) object_streams: BTreeMap<ObjectId, Stream>,
    /// The entry Encrypt, which is no longer in the trailer.
    pub(super) encrypt: Option<Object>,
    /// Streams whose length is in an object stream.
    unsized_streams: Vec<ObjectId>,
    /// The file, if there are such streams.
    bytes: Vec<u8>,
    /// The part of the file that could not be read.
    pub(super) lost: Option<String>,
}

impl Loaded {
    /// Loads a file.
    pub(super) fn read(mut bytes: Vec<u8>) -> Result<Self, Error> {
        if bytes.len() > MAX_FILE {
            return Err(Error::Damaged(format!("it has more than {MAX_FILE} bytes")));
        }
        let start = memmem::find(&bytes, b"%PDF-")
            .ok_or_else(|| Error::Damaged("it does not have %PDF- in it".to_owned()))?;
        bytes.drain(..start);
        let hidden = [hide(&mut bytes, b"Encrypt")?, hide(&mut bytes, b"First")?];
        let mut document = load(&bytes)?;
        document.objects.values_mut().for_each(|object| restore(object, &hidden));
        let mut trailer = Object::Dictionary(std::mem::take(&mut document.trailer));
        restore(&mut trailer, &hidden);
        if let Object::Dictionary(dict) = trailer {
            document.trailer = dict;
        }
        document.max_id = highest(&document)?;
        let lost = lost(&document);
        let encrypt = document.trailer.remove(b"Encrypt").filter(|entry| !entry.is_null());
        // They describe the file that was read.
        for name in ["Prev", "XRefStm", "Type", "W", "Index", "Filter", "DecodeParms", "Length"] {
            document.trailer.remove(name.as_bytes());
        }
        let mut loaded = Self {
            document,
            object_streams: BTreeMap::new(),
            encrypt,
            unsized_streams: vec![],
            bytes: vec![],
            lost,
        };
        loaded.take_streams();
        if !loaded.unsized_streams.is_empty() {
            loaded.bytes = bytes;
        }
        Ok(loaded)
    }

    /// Takes the object streams out, and notes the streams without a length.
    fn take_streams(&mut self) {
        let mut object_streams = vec![];
        for (&id, object) in &self.document.objects {
            if let Object::Stream(stream) = object {
                if stream.dict.has_type(OBJECT_STREAM) {
                    object_streams.push(id);
                } else if stream.start_position.is_some() && stream.content.is_empty() {
                    self.unsized_streams.push(id);
                }
            }
        }
        for id in object_streams {
            if let Some(Object::Stream(stream)) = self.document.objects.remove(&id) {
                self.object_streams.insert(id, stream);
            }
        }
    }

    /// Puts the objects of the object streams, which are decrypted now, into the document, then the
    /// contents of the streams whose length is among them. Returns the numbers of those objects, which are
    /// not encrypted on their own.
    pub(super) fn open_object_streams(&mut self) -> Result<Vec<ObjectId>, Error> {
        let mut opened = vec![];
        let mut taken = 0;
        for ((container, _), stream) in std::mem::take(&mut self.object_streams) {
            let failed = |why: String| Error::Damaged(format!("object stream {container}: {why}"));
            for (id, object) in objects_of(&stream).map_err(failed)? {
                taken += units(&object);
                if taken > MAX_UNITS {
                    return Err(failed("the object streams hold too many values".to_owned()));
                }
                let entry = self.document.reference_table.get(id.0);
                let is_its_place = match entry {
                    Some(XrefEntry::Compressed { container: place, .. }) => *place == container,
                    Some(_) => false,
                    None => true,
                };
                if is_its_place && !self.document.objects.contains_key(&id) {
                    self.document.objects.insert(id, object);
                    opened.push(id);
                }
            }
        }
        self.fill_unsized_streams()?;
        self.bytes = vec![];
        self.document.max_id = highest(&self.document)?;
        Ok(opened)
    }

    fn fill_unsized_streams(&mut self) -> Result<(), Error> {
        let mut left = self.bytes.len();
        for id in std::mem::take(&mut self.unsized_streams) {
            let failed = || Error::Damaged(format!("the stream of object {} has no length", id.0));
            let stream = self.document.get_object(id).and_then(Object::as_stream);
            let stream = stream.map_err(|_| failed())?;
            let length = stream.dict.get_deref(b"Length", &self.document);
            let length = length.and_then(Object::as_i64).ok().and_then(|n| usize::try_from(n).ok());
            let (start, length) =
                (stream.start_position.ok_or_else(failed)?, length.ok_or_else(failed)?);
            let end = start.checked_add(length).ok_or_else(failed)?;
            let content = self.bytes.get(start..end).ok_or_else(failed)?;
            let after = self.bytes[end..].trim_ascii_start();
            left = left.checked_sub(length).ok_or_else(overlap)?;
            if !after.starts_with(b"endstream") {
                return Err(failed());
            }
            let content = content.to_vec();
            let stream = self.document.get_object_mut(id).and_then(Object::as_stream_mut);
            stream.map_err(|_| failed())?.set_content(content);
        }
        Ok(())
    }
}

/// Loads the objects that the cross-reference table has, but for those in object streams.
fn load(bytes: &[u8]) -> Result<Document, Error> {
    BUDGET.set(Some(bytes.len().saturating_mul(2)));
    let options = LoadOptions {
        filter: Some(within_budget),
        max_decompressed_size: Some(MAX_OBJECT_STREAM),
        ..LoadOptions::default()
    };
    let loaded = Document::load_mem_with_options(bytes, options);
    if BUDGET.get().is_none() {
        return Err(overlap());
    }
    loaded.map_err(|error| Error::Damaged(one_line(&error.to_string())))
}

/// The largest number of an object.
fn highest(document: &Document) -> Result<u32, Error> {
    match document.objects.keys().next_back().map_or(0, |id| id.0) {
        number if number < MAX_NUMBER => Ok(number),
        number => Err(Error::Damaged(format!(
            "it has an object {number}; numbers are less than {MAX_NUMBER}"
        ))),
    }
}

fn overlap() -> Error {
    Error::Damaged("its objects overlap: together they are larger than the file".to_owned())
}

/// Keeps an object while the budget lasts.
fn within_budget(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let (values, bytes) = weight(object);
    BUDGET.set(BUDGET.get().and_then(|left| left.checked_sub(values + bytes)));
    BUDGET.get()?;
    if let Object::Stream(stream) = object
        && stream.dict.has_type(b"ObjStm")
    {
        stream.dict.set("Type", Object::Name(OBJECT_STREAM.to_vec()));
    }
    Some((id, Object::Null)) // that there is something is all that is looked at
}

/// Number of values, and of bytes in strings and streams.
fn weight(object: &Object) -> (usize, usize) {
    let sum = |(values, bytes): (usize, usize), object: &Object| {
        let (more_values, more_bytes) = weight(object);
        (values + more_values, bytes + more_bytes)
    };
    match object {
        Object::String(bytes, _) => (1, bytes.len()),
        Object::Array(each) => each.iter().fold((1, 0), sum),
        Object::Dictionary(dict) => dict.iter().map(|(_, value)| value).fold((1, 0), sum),
        Object::Stream(stream) => {
            stream.dict.iter().map(|(_, value)| value).fold((1, stream.content.len()), sum)
        }
        _ => (1, 0),
    }
}

/// Memory that a value takes, in units of 140 bytes.
fn units(object: &Object) -> usize {
    match object {
        Object::Array(each) => each.iter().map(units).sum::<usize>() + ARRAY_UNITS,
        Object::Dictionary(dict) => {
            dict.iter().map(|(_, value)| units(value)).sum::<usize>() + DICTIONARY_UNITS
        }
        _ => 1,
    }
}

/// Upper bound on the [`units`] that the values written in a text take.
fn units_of_text(text: &[u8]) -> usize {
    let mut before = b' ';
    let starts = text.iter().map(|&byte| {
        let begins = is_regular(byte) && !is_regular(before);
        before = byte;
        match byte {
            b'[' => ARRAY_UNITS,
            b'<' => DICTIONARY_UNITS / 2, // there are two
            b'/' | b'(' | b'+' | b'-' | b'.' => 1,
            _ => usize::from(begins),
        }
    });
    starts.sum()
}

/// A name, and what stands for it where it is hidden.
struct Hidden {
    name: &'static [u8],
    word: Vec<u8>,
}

/// Replaces each `/name` in the file by a word of the same length that occurs nowhere in it.
fn hide(bytes: &mut [u8], name: &'static [u8]) -> Result<Hidden, Error> {
    if is_escaped_in(bytes, name) {
        let name = String::from_utf8_lossy(name);
        return Err(Error::Damaged(format!("it has the name {name} in a disguise of # escapes")));
    }
    let mut words = (0..1u32 << 16).map(|n| {
        let mut word = format!("z{n:04x}").into_bytes();
        word.resize(name.len(), b'z');
        word
    });
    let free = |word: &Vec<u8>| memmem::find(bytes, word).is_none();
    let word = words.find(free).ok_or_else(|| Error::Damaged("it has every word".to_owned()))?;
    let pattern = [b"/", name].concat();
    let places: Vec<usize> = memmem::find_iter(bytes, &pattern).map(|at| at + 1).collect();
    for at in places {
        let end = at + name.len();
        if bytes.get(end).is_none_or(|&byte| !is_regular(byte)) {
            bytes[at..end].copy_from_slice(&word);
        }
    }
    Ok(Hidden { name, word })
}

/// Whether the file has the name with some of its letters as # and two digits.
fn is_escaped_in(bytes: &[u8], name: &[u8]) -> bool {
    let longest = 3 * name.len() + 1;
    memchr::memchr_iter(b'#', bytes).any(|at| {
        let start = memchr::memrchr(b'/', &bytes[at.saturating_sub(longest)..at]);
        let Some(start) = start.map(|start| at.saturating_sub(longest) + start + 1) else {
            return false;
        };
        let end = bytes[start..].iter().take(longest).position(|&byte| !is_regular(byte));
        let end = start + end.unwrap_or(longest.min(bytes.len() - start));
        let mut token = &bytes[start..end];
        let mut decoded = vec![];
        while let Some((&first, rest)) = token.split_first() {
            let digits = rest.get(..2).filter(|_| first == b'#');
            let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
            match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => (decoded.push(byte), token = &rest[2..]),
                None => (decoded.push(first), token = rest),
            };
        }
        decoded == name
    })
}

/// ISO 32000-1, §7.2.2: neither white space nor a delimiter.
fn is_regular(byte: u8) -> bool {
    !matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ') && !b"()<>[]{}/%".contains(&byte)
}

/// Puts the hidden names back, in names, strings and streams.
fn restore(object: &mut Object, hidden: &[Hidden]) {
    match object {
        Object::Name(name) => restore_in(name, hidden),
        Object::String(bytes, _) => restore_in(bytes, hidden),
        Object::Array(each) => each.iter_mut().for_each(|each| restore(each, hidden)),
        Object::Dictionary(dict) => restore_dictionary(dict, hidden),
        Object::Stream(stream) => {
            restore_dictionary(&mut stream.dict, hidden);
            restore_in(&mut stream.content, hidden);
        }
        _ => {}
    }
}

fn restore_dictionary(dict: &mut Dictionary, hidden: &[Hidden]) {
    dict.iter_mut().for_each(|(_, value)| restore(value, hidden));
    if hidden.iter().any(|hidden| dict.has(&hidden.word)) {
        let old = std::mem::take(dict);
        for (key, value) in old {
            let mut key = key;
            restore_in(&mut key, hidden);
            dict.set(key, value);
        }
    }
}

fn restore_in(bytes: &mut [u8], hidden: &[Hidden]) {
    for Hidden { name, word } in hidden {
        let places: Vec<usize> = memmem::find_iter(bytes, word).collect();
        for at in places {
            bytes[at..at + name.len()].copy_from_slice(name);
        }
    }
}

/// Says which part of a file did not load, if any.
fn lost(document: &Document) -> Option<String> {
    if document.xref_recovery == Some(XrefRecovery::Reconstructed) {
        return Some("its cross-reference table cannot be read".to_owned());
    }
    let has = |number: &u32, generation: u16| {
        document.objects.contains_key(&(*number, generation))
            || document.objects.range((*number, 0)..=(*number, u16::MAX)).next().is_some()
    };
    let missing =
        document.reference_table.entries.iter().find_map(|(number, entry)| match entry {
            XrefEntry::Normal { generation, .. } if !has(number, *generation) => Some(number),
            _ => None,
        })?;
    Some(format!("object {missing} cannot be read"))
}

/// The objects in an object stream.
///
/// Each is read from its own bytes: two that start at one place, or within each other, are refused.
fn objects_of(stream: &Stream) -> Result<Vec<(ObjectId, Object)>, String> {
    let content = stream.get_plain_content_with_limit(MAX_OBJECT_STREAM);
    let content = content.map_err(|error| one_line(&error.to_string()))?;
    let first = stream.dict.get(b"First").and_then(Object::as_i64).ok();
    let first = first.and_then(|first| usize::try_from(first).ok());
    let index = first.and_then(|first| content.get(..first)).ok_or("it has no index")?;
    let numbers: Option<Vec<u32>> = String::from_utf8_lossy(index)
        .split_ascii_whitespace()
        .map(|number| number.parse().ok())
        .collect();
    let numbers = numbers.ok_or("its index is not numbers")?;
    let body = &content[index.len()..];
    if units_of_text(body) > MAX_STREAM_UNITS {
        return Err("it holds too many values".to_owned());
    }
    let (pairs, _) = numbers.as_chunks::<2>();
    let mut objects = vec![];
    for (n, &[number, start]) in pairs.iter().enumerate() {
        let start = start as usize;
        let end = pairs.get(n + 1).map_or(body.len(), |next| next[1] as usize);
        let bytes = body.get(start..end).ok_or("its index is not in order")?;
        let header = format!("{number} 0 ");
        let alone = Stream::new(
            dictionary! { "N" => 1, "First" => header.len() as i64 },
            [header.as_bytes(), bytes].concat(),
        );
        let parsed = ObjectStream::new_with_limit(&alone, Some(MAX_OBJECT_STREAM));
        let parsed = parsed.map_err(|error| one_line(&error.to_string()))?;
        match parsed.objects.into_iter().next() {
            Some(object) => objects.push(object),
            None if bytes.trim_ascii().is_empty() => {}
            None => return Err(format!("object {number} in it cannot be read")),
        }
    }
    Ok(objects)
}

/// A message of another crate, on one line.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

//! Rewrites one object: only its strings and the names of its crypt filters.

use std::ops::Range;

use super::{
    Error,
    ciphers::OfStream,
    file::{Data, File},
    object::Object,
    references::Handler,
    scan::{Entry, Kind},
    standard::ObjectKey,
    string,
    token::is_space,
    value::Value,
};

/// The dictionary of a linearized file is the first object.
const LINEARIZED_WITHIN: u64 = 1 << 10;

/// A range of bytes and its replacement.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) with: Vec<u8>,
}

/// Applies edits. An edit inside another edit is dropped.
pub(super) fn edited(text: &[u8], mut edits: Vec<Edit>, to: &mut Vec<u8>) {
    edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
    let mut at = 0;
    for Edit { range, with } in edits {
        if range.start >= at {
            to.extend(&text[at..range.start]);
            to.extend(with);
            at = range.end;
        }
    }
    to.extend(&text[at..]);
}

/// Applies edits, and passes the strings outside the edits through a cipher. Strings are handled
/// one by one, because memory may not hold all.
pub(super) fn rewritten(object: &Object, mut edits: Vec<Edit>, key: &ObjectKey, to: &mut Vec<u8>) {
    let text = &object.text;
    edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
    edits.push(Edit { range: text.len()..text.len(), with: vec![] });
    let mut strings = object.scan.strings.iter().map(|place| place.range()).peekable();
    let mut at = 0;
    for Edit { range, with } in edits {
        while let Some(string) = strings.next_if(|string| string.start < range.start) {
            if string.start < at || string.is_empty() {
                continue;
            }
            to.extend(&text[at..string.start]);
            let mut bytes = string::decoded(&text[string.clone()]);
            key.apply(&mut bytes);
            string::encoded(&bytes, &text[string.clone()], to);
            at = string.end;
        }
        if range.start >= at {
            to.extend(&text[at..range.start]);
            to.extend(with);
            at = range.end;
        }
    }
}

/// Removes an entry from a dictionary, with the space after it.
pub(super) fn without(text: &[u8], entry: Entry) -> Edit {
    let range = entry.key.range().start..entry.value.range().end;
    let space = text[range.end..].iter().take_while(|&&byte| byte == b' ').count();
    Edit { range: range.start..range.end + space, with: vec![] }
}

/// Returns the edits of an object, the key of its strings, and the key of its stream.
pub(super) fn edits(
    file: &mut File,
    object: &Object,
    data: Option<Data>,
    handler: Option<Handler>,
) -> Result<(Vec<Edit>, Option<ObjectKey>, OfStream), Error> {
    let handler = handler.filter(|handler| handler.number == object.number && !object.is_stream);
    if handler.is_some_and(|handler| handler.is_kept) {
        return Ok((vec![], None, OfStream::default()));
    }
    if handler.is_some() || is_linearization(object) && !object.is_stream {
        let edit = Edit { range: object.scan.value.clone(), with: b" null ".to_vec() };
        return Ok((vec![edit], None, OfStream::default()));
    }
    let mut edits = vec![];
    let is_table =
        object.is_stream && file.resolve(object.get("Type"))?.name().as_deref() == Some(b"XRef");
    let key = file.ciphers.as_ref().and_then(|ciphers| ciphers.of_strings(object));
    let key = key.filter(|_| !is_table);
    let mut of_stream = OfStream::default();
    if let Some(data) = data {
        of_stream = file.cipher_of(object)?;
        if of_stream.has_crypt_filter {
            edits.extend(without_crypt_filter(file, object)?);
        }
        if data.is_wrong {
            edits.push(length(object, data.len));
        }
    }
    Ok((edits, key, of_stream))
}

fn is_linearization(object: &Object) -> bool {
    object.at < LINEARIZED_WITHIN && !object.get("Linearized").is_null()
}

/// Adds a missing Length, or corrects a wrong one.
fn length(object: &Object, len: u64) -> Edit {
    match object.scan.entry(&object.text, b"Length") {
        Some(entry) => {
            let mut range = entry.value.range();
            let space = if is_space(object.text[range.start - 1]) { "" } else { " " };
            let mut after = "";
            if object.scan.fault.is_some() {
                // A damaged reference leaves `0 R` behind, which would follow the number.
                let keys = object.scan.entries.iter().map(|entry| entry.key.range().start);
                let next = keys.filter(|key| *key > range.start).min();
                range.end = next.unwrap_or(object.scan.value.end - 2);
                after = " ";
            }
            Edit { range, with: format!("{space}{len}{after}").into_bytes() }
        }
        None => {
            let end = object.scan.value.end - 2;
            Edit { range: end..end, with: format!("/Length {len} ").into_bytes() }
        }
    }
}

/// Removes the crypt filter, always the first filter, from a stream.
fn without_crypt_filter(file: &mut File, object: &Object) -> Result<Vec<Edit>, Error> {
    let mut edits = vec![];
    for name in [&b"Filter"[..], b"DecodeParms"] {
        let Some(entry) = object.scan.entry(&object.text, name) else { continue };
        let value = file.resolve(Value::of(&object.text[entry.value.range()]))?;
        let rest = match value.kind() {
            Kind::Array => value.entries().get(1),
            _ => None,
        };
        edits.push(match rest {
            None => without(&object.text, entry),
            Some(rest) => {
                let with = [b"[", &value.bytes[rest.value.range().start..]].concat();
                Edit { range: entry.value.range(), with: with.trim_ascii_end().to_vec() }
            }
        });
    }
    Ok(edits)
}

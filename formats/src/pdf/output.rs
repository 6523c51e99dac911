//! Writes the file with its single cross-reference section.

use std::io::{self, Write};

use super::{
    Error, Standard,
    file::File,
    plan::{Plan, Region},
    references::Handler,
    rewrite::{Edit, edited, edits, rewritten, without},
    scan::scan,
    string,
    table::{Entry, MAX_NUMBER},
    value::Value,
    write::Target,
};

/// The entries of the trailer that describe its own section.
const OF_SECTION: [&str; 10] =
    ["Prev", "XRefStm", "Type", "W", "Index", "Filter", "DecodeParms", "DL", "Length", "Size"];

/// Writes a file by its plan. A file without a header gets one.
///
/// # Errors
/// If that fails.
pub(super) fn write(
    file: &mut File,
    plan: &Plan,
    header: &[u8],
    to: &mut dyn Write,
) -> io::Result<()> {
    let ciphers = file.ciphers.clone().expect("they were made");
    let mut target = Target::new(to);
    target.buffer().extend(header);
    let base = file.source.base();
    file.source.set_base(0);
    target.copy(&mut file.source, 0..base, None)?;
    file.source.set_base(base);
    let mut table: Vec<(u32, Entry)> = vec![];
    let (mut at, mut highest) = (0, highest(file).max(plan.highest.min(RESERVED - 1)));
    for &(start, region) in &plan.regions {
        target.copy(&mut file.source, at..start, None)?;
        at = match region {
            Region::Section { end } => end,
            Region::Object { number, is_newest } => {
                let place = target.position() - base;
                let (end, generation) =
                    object(file, &mut target, start, plan.handler, &mut highest)?;
                if is_newest {
                    table.push((number, Entry::At { at: place, generation }));
                }
                end
            }
        };
    }
    let end = file.source.len();
    target.copy(&mut file.source, at..end, None)?;
    if !matches!(target.last(), Some(b'\n' | b'\r')) {
        target.buffer().push(b'\n');
    }
    let inner = file.table.entries.iter().filter(|(_, entry)| matches!(entry, Entry::In { .. }));
    table.extend(inner.map(|(&number, &entry)| (number, entry)));
    let mut added = vec![];
    if ciphers.encrypts {
        let number = highest + 1;
        highest = number;
        table.push((number, Entry::At { at: target.position() - base, generation: 0 }));
        let dict = dictionary_of(&ciphers.standard);
        target.buffer().extend(format!("{number} 0 obj\n{dict}\nendobj\n").bytes());
        added.extend(format!(" /Encrypt {number} 0 R").bytes());
    }
    let mut dropped = OF_SECTION.to_vec();
    dropped.push("Encrypt");
    let has_id = ciphers.encrypts && {
        let id = Value::of(&file.table.trailer).get("ID");
        !(id.elements().len() == 2 && id.elements().iter().all(|id| id.string().is_some()))
    };
    if has_id {
        dropped.push("ID");
        let mut id = vec![];
        string::encoded(&ciphers.standard.id, b"<", &mut id);
        added.extend([&b" /ID ["[..], &id, &id, b"]"].concat());
    }
    let own = file.table.stream_number.unwrap_or(highest + 1);
    section(file, table, own, &dropped, &added, &mut target, base)?;
    target.flush()
}

/// The highest numbers go to new objects, even if something refers to missing objects of these
/// numbers.
const RESERVED: u32 = MAX_NUMBER - 2;

/// Returns the highest number in the table or in the trailer's references and Size. New objects get
/// higher numbers.
fn highest(file: &File) -> u32 {
    let trailer = Value::of(&file.table.trailer);
    let size = trailer.get("Size").integer();
    let size = size.and_then(|size| u32::try_from(size.saturating_sub(1)).ok());
    let last = file.table.entries.keys().next_back().copied();
    let referred = scan(&trailer.bytes, 0, true).map(|scan| scan.references).unwrap_or_default();
    let referred = referred.into_iter().map(|(number, _)| number);
    let numbers = [size, last, file.table.stream_number].into_iter().flatten().chain(referred);
    numbers.filter(|number| *number < MAX_NUMBER).max().unwrap_or(0)
}

/// Returns true if numbers are left for the encryption dictionary and a cross-reference stream.
pub(super) fn has_numbers_left(file: &File) -> bool {
    highest(file) < RESERVED
}

/// Writes an object up to the end of its value or stream. Returns the object's place and
/// generation.
fn object(
    file: &mut File,
    target: &mut Target<'_>,
    at: u64,
    handler: Option<Handler>,
    highest: &mut u32,
) -> Result<(u64, u16), Error> {
    let object = file.object_at(at, true)?;
    let references = object.scan.references.iter().map(|(number, _)| *number);
    *highest = references.filter(|number| *number < RESERVED).fold(*highest, u32::max);
    let data = if object.is_stream { Some(file.data(&object)?) } else { None };
    let (edits, key, of_stream) = edits(file, &object, data, handler)?;
    match &key {
        Some(key) => rewritten(&object, edits, key, target.buffer()),
        None => edited(&object.text, edits, target.buffer()),
    }
    let buffer = target.buffer();
    let is_ended = buffer.ends_with(b"stream\n") || buffer.ends_with(b"stream\r\n");
    if object.is_stream && !is_ended {
        // Encrypted, the first bytes would belong to the word before them.
        buffer.truncate(buffer.trim_ascii_end().len());
        buffer.push(b'\n');
    }
    let (start, len) = (object.end(), data.map_or(0, |data| data.len));
    target.copy(&mut file.source, start..start + len, of_stream.key)?;
    // Without the word, another program would look for the end of the data by itself.
    if data.is_some_and(|data| data.is_wrong) && !file.is_end(start + len)? {
        target.buffer().extend(b"\nendstream");
    }
    Ok((start + len, object.generation))
}

/// Writes a table, or a stream if there are object streams or the newest section was one.
fn section(
    file: &File,
    mut table: Vec<(u32, Entry)>,
    own: u32,
    dropped: &[&str],
    added: &[u8],
    target: &mut Target<'_>,
    base: u64,
) -> Result<(), Error> {
    let has_containers = table.iter().any(|(_, entry)| matches!(entry, Entry::In { .. }));
    let is_stream = has_containers || file.table.stream_number.is_some();
    let at = target.position() - base;
    if is_stream {
        table.retain(|(number, _)| *number != own);
        table.push((own, Entry::At { at, generation: 0 }));
    }
    table.push((0, Entry::Free));
    table.sort_unstable_by_key(|(number, _)| *number);
    let size = table.last().map_or(0, |(number, _)| number + 1);
    let runs: Vec<&[(u32, Entry)]> = table.chunk_by(|a, b| a.0 + 1 == b.0).collect();

    let trailer = Value::of(&file.table.trailer);
    let mut text = vec![];
    let drops = dropped.iter().filter_map(|name| trailer.entry(name));
    let mut changes: Vec<Edit> = drops.map(|entry| without(&trailer.bytes, entry)).collect();
    let end = trailer.bytes.len() - 3;
    let mut with = format!(" /Size {size}").into_bytes();
    with.extend(added);
    if is_stream {
        let index: Vec<_> = runs.iter().map(|run| format!("{} {}", run[0].0, run.len())).collect();
        let index = index.join(" ");
        let len = 13 * table.len();
        with.extend(format!(" /Type /XRef /W [1 8 4] /Index [{index}] /Length {len}").bytes());
    }
    with.push(b' ');
    changes.push(Edit { range: end..end, with });
    edited(&trailer.bytes, changes, &mut text);

    let buffer = target.buffer();
    if is_stream {
        buffer.extend(format!("{own} 0 obj\n").bytes());
        buffer.extend(text.trim_ascii_end());
        buffer.extend(b"\nstream\n");
        for (_, entry) in runs.iter().copied().flatten() {
            let (kind, second, third) = match *entry {
                Entry::Free => (0, 0, u32::from(u16::MAX)),
                Entry::At { at, generation } => (1, at, u32::from(generation)),
                Entry::In { container, index } => (2, u64::from(container), index),
            };
            buffer.push(kind);
            buffer.extend(second.to_be_bytes());
            buffer.extend(third.to_be_bytes());
        }
        buffer.extend(b"\nendstream\nendobj\n");
    } else {
        buffer.extend(b"xref\n");
        for run in runs {
            buffer.extend(format!("{} {}\n", run[0].0, run.len()).bytes());
            for (_, entry) in run {
                let (at, generation, kind) = match *entry {
                    Entry::At { at, generation } => (at, generation, 'n'),
                    _ => (0, u16::MAX, 'f'),
                };
                buffer.extend(format!("{at:010} {generation:05} {kind} \n").bytes());
            }
        }
        buffer.extend(b"trailer\n");
        buffer.extend(text.trim_ascii_end());
        buffer.push(b'\n');
    }
    buffer.extend(format!("startxref\n{at}\n%%EOF\n").bytes());
    Ok(())
}

/// Returns the encryption dictionary of a handler.
pub(super) fn dictionary_of(standard: &Standard) -> String {
    let hex = |bytes: &[u8]| {
        let mut text = vec![];
        string::encoded(bytes, b"<", &mut text);
        String::from_utf8(text).expect("hexadecimal digits")
    };
    let mut dict = format!(
        "<< /Filter /Standard /V {} /R {} /O {} /U {} /P {}",
        standard.version,
        standard.revision,
        hex(&standard.owner),
        hex(&standard.user),
        standard.permissions
    );
    if standard.version >= 2 {
        dict += &format!(" /Length {}", 8 * standard.key_len);
    }
    if standard.version == 4 {
        let len = standard.key_len;
        dict += &format!(
            " /CF << /StdCF << /CFM /V2 /AuthEvent /DocOpen /Length {len} >> >> /StmF /StdCF /StrF /StdCF"
        );
        if !standard.encrypt_metadata {
            dict += " /EncryptMetadata false";
        }
    }
    dict + " >>"
}

//! Rebuilds the table of a damaged file from the objects found in it.

use super::{
    Error,
    file::File,
    object::Object,
    scan::{Kind, scan},
    source::Source,
    table::{Entry, MAX_NUMBER, Table},
    token::{Lexer, is_regular},
    value::Value,
};

/// Number of bytes searched at once.
const WINDOW: usize = 1 << 12;
/// Most bytes of a trailer.
const TRAILER: usize = 1 << 18;
/// Bytes before `obj` in which the numbers are searched, and bytes of a word that a window may cut.
const BEFORE: usize = 40;

impl Table {
    /// Collects every object. If several have one number, the last is used.
    ///
    /// # Errors
    /// If the file cannot be read, or has no trailer and no catalog.
    pub(super) fn rebuilt(source: &mut Source) -> Result<Self, Error> {
        let mut table = Self { is_rebuilt: true, ..Self::default() };
        let (mut catalog, mut trailers) = (None, Trailers::default());
        let mut at = 0;
        while at < source.len() {
            let (place, is_trailer) = match found(source, at)? {
                Found::Object(place) => (place, false),
                Found::Trailer(place) => (place, true),
                Found::Nothing(next) => {
                    at = next;
                    continue;
                }
            };
            at = match is_trailer {
                true => table.take_trailer(source, place, &mut trailers)?,
                false => table.take_object(source, place, &mut catalog, &mut trailers)?,
            };
        }
        table.trailer = trailers.joined();
        if table.trailer.is_empty() {
            let (number, generation) = catalog.ok_or_else(|| {
                Error::Damaged("it has neither a trailer nor a catalog".to_owned())
            })?;
            table.trailer = format!("<< /Root {number} {generation} R >>").into_bytes();
        }
        Ok(table)
    }

    fn take_trailer(
        &mut self,
        source: &mut Source,
        at: u64,
        trailers: &mut Trailers,
    ) -> Result<u64, Error> {
        let after = at + b"trailer".len() as u64;
        for size in [WINDOW, TRAILER] {
            let window = source.window(after, size)?;
            if let Ok(found) = scan(window, 0, false)
                && found.kind == Kind::Dictionary
            {
                let end = after + found.value.end as u64;
                trailers.keep(&window[found.value]);
                self.sections.push(at..end);
                return Ok(end);
            }
        }
        Ok(after)
    }

    fn take_object(
        &mut self,
        source: &mut Source,
        at: u64,
        catalog: &mut Option<(u32, u16)>,
        trailers: &mut Trailers,
    ) -> Result<u64, Error> {
        let object = match Object::read(source, at, false) {
            Ok(object) if (1..MAX_NUMBER).contains(&object.number) => object,
            Ok(_) | Err(Error::Incomplete(_)) => return Ok(at + 1),
            Err(error) => return Err(error),
        };
        let mut end = object.end();
        if object.is_stream {
            let length = object.get("Length").integer().and_then(|len| u64::try_from(len).ok());
            let length = length.unwrap_or(0);
            let window = source.window(end + length, 64)?;
            if Lexer::new(window, 0).word(b"endstream").is_some() {
                end += length;
            }
        }
        match object.get("Type").name().as_deref() {
            Some(b"XRef") if object.is_stream => {
                trailers.keep(&object.text[object.scan.value.clone()]);
                self.stream_number = Some(object.number);
                return Ok(end);
            }
            Some(b"Catalog") => *catalog = Some((object.number, object.generation)),
            _ => {}
        }
        let entry = Entry::At { at: object.at, generation: object.generation };
        if let Some(Entry::At { at, generation }) = self.entries.insert(object.number, entry) {
            self.older.push((at, object.number, generation));
        }
        Ok(end)
    }
}

/// Entries that a trailer may take from another.
const SHARED: [&str; 2] = ["Info", "ID"];

/// The trailers that lead to a catalog. Each is read once, because there may be many.
#[derive(Default)]
struct Trailers {
    /// The last trailer with an encryption dictionary, or else the last.
    best: Vec<u8>,
    is_encrypted: bool,
    /// The last entry of each name.
    shared: [Vec<u8>; 2],
}

impl Trailers {
    fn keep(&mut self, text: &[u8]) {
        let dict = Value::of(text);
        if dict.get("Root").is_null() {
            return;
        }
        for (last, name) in self.shared.iter_mut().zip(SHARED) {
            if let Some(entry) = dict.entry(name) {
                *last = dict.bytes[entry.key.range().start..entry.value.range().end].to_vec();
            }
        }
        let is_encrypted = !dict.get("Encrypt").is_null();
        if is_encrypted || !self.is_encrypted {
            self.best = text.to_vec();
            self.is_encrypted = is_encrypted;
        }
    }

    /// Returns the best trailer with the entries that it lacks. Empty if there is no trailer.
    fn joined(self) -> Vec<u8> {
        let best = Value::of(&self.best);
        let Some(start) = best.text().strip_suffix(b">>") else { return vec![] };
        let mut text = start.to_vec();
        for (entry, name) in self.shared.iter().zip(SHARED) {
            if best.get(name).is_null() {
                text.extend(entry);
            }
        }
        text.extend(b">>");
        text
    }
}

enum Found {
    Object(u64),
    Trailer(u64),
    /// Nothing is searched before this place.
    Nothing(u64),
}

/// Returns the next object or trailer from `at` on.
fn found(source: &mut Source, at: u64) -> Result<Found, Error> {
    let from = at.saturating_sub(BEFORE as u64);
    let window = source.window(from, WINDOW)?;
    let skip = (at - from) as usize;
    let window = &window[..window.len().min(WINDOW)];
    let rest = &window[skip..];
    let objects = memchr::memmem::find_iter(rest, b"obj");
    let start = objects
        .map(|word| start_of(window, skip + word))
        .find_map(|start| start.filter(|start| *start >= skip));
    let before = &window[skip..start.unwrap_or(window.len())];
    let trailer = memchr::memmem::find(before, b"trailer").map(|found| skip + found);
    if let (Some(start), None) = (start, trailer) {
        return Ok(Found::Object(from + start as u64));
    }
    Ok(match trailer {
        Some(trailer) => Found::Trailer(from + trailer as u64),
        // A word at the end may be cut.
        None => Found::Nothing(match window.len() < WINDOW {
            true => from + window.len() as u64,
            false => from + (window.len() - BEFORE) as u64,
        }),
    })
}

/// Returns the start of the two numbers before `obj`.
fn start_of(window: &[u8], word: usize) -> Option<usize> {
    let mut at = word;
    for _ in 0..2 {
        at -= window[..at].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        let digits = window[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        at = Some(at - digits).filter(|_| (1..=10).contains(&digits))?;
    }
    let is_start = at == 0 || !is_regular(window[at - 1]);
    is_start.then_some(at)
}

/// Adds the objects of the object streams to a rebuilt table.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn open_object_streams(file: &mut File) -> Result<(), Error> {
    let places: Vec<(u32, u64)> = file
        .table
        .entries
        .iter()
        .filter_map(|(&number, entry)| match *entry {
            Entry::At { at, .. } => Some((number, at)),
            _ => None,
        })
        .collect();
    for (number, at) in places {
        let is_container = match file.object_at(at, false) {
            Ok(object) => {
                object.is_stream
                    && file.resolve(object.get("Type"))?.name().as_deref() == Some(b"ObjStm")
            }
            Err(_) => false,
        };
        if !is_container {
            continue;
        }
        match file.container(number) {
            Ok(container) => {
                for (index, inner) in container.numbers().filter(|(_, inner)| *inner < MAX_NUMBER) {
                    let entry = Entry::In { container: number, index };
                    file.table.entries.entry(inner).or_insert(entry);
                }
            }
            Err(Error::Incomplete(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

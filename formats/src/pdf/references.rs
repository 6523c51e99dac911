//! Follows the references of a file: to the encryption dictionary, to attachments, and from the trailer
//! to every object.

use std::collections::BTreeSet;

use super::{
    Error,
    file::File,
    scan::{Scan, scan},
    table::Entry,
    value::Value,
};

/// The encryption dictionary, if it is a separate object.
#[derive(Clone, Copy)]
pub(super) struct Handler {
    pub(super) number: u32,
    /// True if something else refers to it, so that it must stay.
    pub(super) is_kept: bool,
}

impl Handler {
    fn of(trailer: &[u8]) -> Option<Self> {
        let trailer = Value::of(trailer);
        let (number, _) = trailer.get("Encrypt").reference()?;
        let mut handler = Self { number, is_kept: false };
        for &entry in trailer.entries().iter().filter(|entry| trailer.key(**entry) != b"Encrypt") {
            let found = scan(&trailer.part(entry).bytes, 0, true);
            handler.see(0, &found.map(|scan| scan.references).unwrap_or_default());
        }
        Some(handler)
    }

    /// Looks for the dictionary among the references of an object.
    fn see(&mut self, from: u32, references: &[(u32, u16)]) {
        self.is_kept |= from != self.number && references.iter().any(|id| id.0 == self.number);
    }
}

/// The references that matter, of all objects.
pub(super) struct Seen {
    pub(super) handler: Option<Handler>,
    attachments: BTreeSet<u32>,
}

impl Seen {
    /// Begins with the trailer.
    pub(super) fn of(trailer: &[u8]) -> Self {
        Self { handler: Handler::of(trailer), attachments: BTreeSet::new() }
    }

    /// Sees the references of an object.
    pub(super) fn see(&mut self, from: u32, scan: &Scan) {
        if let Some(handler) = &mut self.handler {
            handler.see(from, &scan.references);
        }
        self.attachments.extend(&scan.attachments);
    }

    /// Returns the numbers of the attachments, if they have another method than other streams.
    pub(super) fn attachments(self, file: &mut File) -> Result<BTreeSet<u32>, Error> {
        let security = file.ciphers.as_ref().map(|ciphers| &ciphers.security);
        if security.is_none_or(|security| security.embedded_files == security.streams) {
            return Ok(BTreeSet::new());
        }
        let mut all = self.attachments.clone();
        for number in self.attachments {
            // A dictionary refers to attachments.
            let reference = Value::of(format!("{number} 0 R").as_bytes());
            if let Some(false) = unless_damaged(is_stream(file, &reference))?
                && let Some(dictionary) = unless_damaged(file.resolve(reference))?
            {
                let parts = dictionary.entries().iter().map(|entry| dictionary.part(*entry));
                all.extend(parts.filter_map(|part| Some(part.reference()?.0)));
            }
        }
        Ok(all)
    }
}

/// Returns true if a reference leads to a stream.
pub(super) fn is_stream(file: &mut File, value: &Value) -> Result<bool, Error> {
    let entry = value.reference().and_then(|(number, _)| file.table.entries.get(&number));
    match entry {
        Some(&Entry::At { at, .. }) => Ok(file.object_at(at, false)?.is_stream),
        _ => Ok(false),
    }
}

/// Returns the numbers of all objects that the trailer leads to. An object stream counts as a
/// whole.
pub(super) fn reached(file: &mut File) -> Result<BTreeSet<u32>, Error> {
    let mut trailer = file.table.trailer.clone();
    trailer.push(b' ');
    let mut next = match scan(&trailer, 0, true) {
        Ok(scan) => scan.references,
        Err(_) => vec![],
    };
    let (mut reached, mut opened) = (BTreeSet::new(), BTreeSet::new());
    while let Some((number, _)) = next.pop() {
        match file.table.entries.get(&number) {
            // A wrong generation in the table may be the fault.
            Some(&Entry::At { at, .. }) => {
                if reached.insert(number)
                    && let Some(object) = unless_damaged(file.object_at(at, true))?
                    && object.number == number
                {
                    next.extend(
                        object.scan.references.iter().filter(|id| !reached.contains(&id.0)),
                    );
                }
            }
            Some(&Entry::In { container, .. }) => {
                reached.insert(number);
                if opened.insert(container)
                    && let Some(container) = unless_damaged(file.container(container))?
                {
                    let seen = container.each(true, |_, scan| {
                        let found = scan.map(|scan| scan.references).unwrap_or_default();
                        next.extend(found.iter().filter(|id| !reached.contains(&id.0)));
                    });
                    unless_damaged(seen)?;
                }
            }
            _ => {}
        }
    }
    Ok(reached)
}

fn unless_damaged<T>(found: Result<T, Error>) -> Result<Option<T>, Error> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::Incomplete(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

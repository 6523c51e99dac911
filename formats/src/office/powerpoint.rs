//! Presentations of PowerPoint: [MS-PPT] §2.3.3 and §2.3.7.

use super::{
    Error, FileKey, Handler, Protection, compound::Compound, error::damaged, handler::BlockKey,
    header,
};

const STREAM: &str = "PowerPoint Document";
const USER: &str = "Current User";
const CRYPT_SESSION: u16 = 0x2f14;
const USER_EDIT: u16 = 0x0ff5;
const PERSIST_DIRECTORY: u16 = 0x1772;

/// Returns the record at an offset of PowerPoint's stream: the kind, and the place of the body.
fn atom(stream: &[u8], at: usize) -> Result<(u16, std::ops::Range<usize>), Error> {
    let head = stream.get(at..).and_then(|rest| rest.first_chunk::<8>());
    let head = head.ok_or_else(|| damaged(&format!("there is no record at byte {at}")))?;
    let len = u32::from_le_bytes(head[4..].try_into().expect("four bytes")) as usize;
    let end = (at + 8).saturating_add(len);
    if end > stream.len() {
        return Err(damaged(&format!("the record at byte {at} is cut short")));
    }
    Ok((u16::from_le_bytes([head[2], head[3]]), at + 8..end))
}

/// An edit of a presentation. PowerPoint writes an encrypted presentation as one edit.
struct Edit {
    at: usize,
    /// The place of the edit before; 0 in the first edit.
    before: usize,
    directory: usize,
    /// The number of the encryption session's object.
    session: Option<u32>,
}

impl Edit {
    fn parse(stream: &[u8], at: usize) -> Result<Self, Error> {
        let (kind, body) = atom(stream, at)?;
        if kind != USER_EDIT {
            return Err(damaged("the record of its last edit has another type"));
        }
        let body = &stream[body];
        let number = |at: usize| {
            let bytes = body.get(at..at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
        };
        let place = |at| match number(at) {
            Some(place) => Ok(place as usize),
            None => Err(damaged("its last edit is cut short")),
        };
        Ok(Self { at, before: place(8)?, directory: place(12)?, session: number(28) })
    }

    /// Returns this edit and the edits before, the newest first.
    fn and_before(self, stream: &[u8]) -> Result<Vec<Self>, Error> {
        let mut edits = vec![self];
        while let Some(&Self { at, before, .. }) = edits.last().filter(|edit| edit.before != 0) {
            // Each edit lies behind the edit before, so the list ends.
            if before >= at {
                return Err(damaged("an edit names a later edit as the edit before"));
            }
            edits.push(Self::parse(stream, before)?);
        }
        Ok(edits)
    }

    /// Returns the start of each object of this edit, by number.
    fn objects(&self, stream: &[u8]) -> Result<Vec<(u32, usize)>, Error> {
        let (kind, body) = atom(stream, self.directory)?;
        if kind != PERSIST_DIRECTORY {
            return Err(damaged("the record of its object directory has another type"));
        }
        let mut objects = vec![];
        let (words, _) = stream[body].as_chunks::<4>();
        let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
        while let Some(entry) = words.next() {
            let (first, count) = (entry & 0xf_ffff, entry >> 20);
            for n in 0..count {
                let at =
                    words.next().ok_or_else(|| damaged("its directory of objects is cut short"))?;
                objects.push((first + n, at as usize));
            }
        }
        Ok(objects)
    }

    /// Removes the encryption session from the edit and the directory, which keep their places.
    fn forget_session(&self, stream: &mut [u8], session: u32) -> Result<(), Error> {
        // The session's number is the last field of the edit, so the record now ends before it.
        let len = 28_u32;
        stream[self.at + 4..self.at + 8].copy_from_slice(&len.to_le_bytes());
        stream[self.at + 36..self.at + 40].fill(0);
        let (_, body) = atom(stream, self.directory)?;
        let directory = &mut stream[body.clone()];
        let mut at = 0;
        while let Some(entry) = directory.get(at..at + 4) {
            let entry = u32::from_le_bytes(entry.try_into().expect("four bytes"));
            let (first, count) = (entry & 0xf_ffff, entry >> 20);
            let end = at + 4 + 4 * count as usize;
            // If the session is not the last object of its entry, zeros keep its place.
            if first + count == session + 1 && count > 0 && end == directory.len() {
                let entry = first | (count - 1) << 20;
                directory[at..at + 4].copy_from_slice(&entry.to_le_bytes());
                let len = (directory.len() - 4) as u32;
                stream[self.directory + 4..self.directory + 8].copy_from_slice(&len.to_le_bytes());
                return Ok(());
            }
            at = end;
        }
        Ok(())
    }
}

/// Returns true if an older version of PowerPoint wrote the file.
pub(super) fn is_95(file: &Compound) -> bool {
    file.has("PP40") || (file.has("Header") && file.has("PersistentStorage Directory"))
}

/// Returns the protection of the presentation. The last edit names the encryption session, which is
/// an object.
pub(super) fn protection(file: &Compound) -> Result<Protection, Error> {
    let stream = file.stream(STREAM)?;
    let edit = last_edit(file, &stream)?;
    let Some(session) = edit.session else { return Ok(Protection::None) };
    let objects = objects(&edit.and_before(&stream)?, &stream)?;
    let at = objects.iter().find(|(id, _)| *id == session).map(|(_, at)| *at);
    let at = at.ok_or_else(|| damaged("its encryption session is not there"))?;
    let (kind, body) = atom(&stream, at)?;
    if kind != CRYPT_SESSION {
        return Err(damaged("the record of its encryption session has another type"));
    }
    header::parse(&stream[body])
}

/// Returns the last edit, which the current user's stream names.
fn last_edit(file: &Compound, stream: &[u8]) -> Result<Edit, Error> {
    let user = file.stream(USER)?;
    let at = user.get(16..20).ok_or_else(|| damaged("its current user is cut short"))?;
    let at = u32::from_le_bytes(at.try_into().expect("four bytes")) as usize;
    Edit::parse(stream, at)
}

/// Returns the start of each object, by number. The objects of the newest edit come first.
fn objects(edits: &[Edit], stream: &[u8]) -> Result<Vec<(u32, usize)>, Error> {
    let mut objects = vec![];
    for edit in edits {
        objects.extend(edit.objects(stream)?);
        // Four bytes of a directory name an object. Many edits that name one directory would fill the memory.
        if 4 * objects.len() > stream.len() {
            return Err(damaged("the object directories of its edits overlap"));
        }
    }
    Ok(objects)
}

pub(super) fn decrypt(file: &mut Compound, handler: &Handler, key: &FileKey) -> Result<(), Error> {
    let mut stream = file.stream(STREAM)?;
    let edit = last_edit(file, &stream)?;
    let session = edit.session.ok_or(Error::NotEncrypted)?;
    let cipher = stream.clone();
    let edits = edit.and_before(&cipher)?;
    let mut objects = objects(&edits, &cipher)?;
    // In the order of the stream. No two may overlap, because bytes would be decrypted twice.
    objects.sort_unstable_by_key(|(id, at)| (*at, *id));
    // An edit may repeat an object of the edit before.
    objects.dedup();
    let mut end = 0;
    for (id, at) in objects {
        if at < end {
            return Err(damaged("two of its objects overlap"));
        }
        if id == session {
            let (_, body) = atom(&cipher, at)?;
            end = body.end;
            stream[at..end].fill(0);
            continue;
        }
        let start = handler.block_key(key, id);
        let mut head = *cipher
            .get(at..)
            .and_then(|rest| rest.first_chunk::<8>())
            .ok_or_else(|| damaged(&format!("its object {id} is beyond its end")))?;
        start.apply(&mut head);
        let len = u32::from_le_bytes(head[4..].try_into().expect("four bytes")) as usize;
        end = at.saturating_add(8).saturating_add(len);
        let object = stream.get_mut(at..end);
        let object = object.ok_or_else(|| damaged(&format!("its object {id} is cut short")))?;
        start.apply(object);
    }
    for edit in edits.iter().filter(|edit| edit.session == Some(session)) {
        edit.forget_session(&mut stream, session)?;
    }
    file.replace(STREAM, &stream)?;
    let mut user = file.stream(USER)?;
    user[12..16].copy_from_slice(&0xe391_c05f_u32.to_le_bytes()); // headerToken: not encrypted
    file.replace(USER, &user)
}

/// Decrypts the stream of pictures, if there is one.
///
/// # Errors
/// If it is damaged; it then stays as it is.
pub(super) fn decrypt_pictures(
    file: &mut Compound,
    handler: &Handler,
    key: &FileKey,
) -> Result<(), Error> {
    if !file.has(PICTURES) {
        return Ok(());
    }
    let mut stream = file.stream(PICTURES)?;
    let mut fields = Fields { stream: &mut stream, at: 0, start: handler.block_key(key, 0) };
    while fields.at < fields.stream.len() {
        fields.picture()?;
    }
    file.replace(PICTURES, &stream)
}

const PICTURES: &str = "Pictures";
/// [MS-ODRAW] §2.2.32: an entry that names or contains a picture.
const STORE_ENTRY: u16 = 0xf007;
/// The fields of the entry: types, identifier, tag, size, references, offset, unused, length of the name, unused.
const STORE_ENTRY_FIELDS: [usize; 11] = [1, 1, 16, 2, 4, 4, 4, 1, 1, 1, 1];
/// [MS-ODRAW] §2.2.24 to §2.2.26: EMF, WMF and PICT have a separate header before the data.
const METAFILES: [u16; 3] = [0xf01a, 0xf01b, 0xf01c];
/// The instances with two identifiers: [MS-ODRAW] §2.2.23.
const TWO_IDENTIFIERS: [u16; 8] = [0x217, 0x3d5, 0x46b, 0x543, 0x6e1, 0x6e3, 0x6e5, 0x7a9];

/// Decrypts a stream field by field. Each field uses the keystream of block 0 from its start.
struct Fields<'a> {
    stream: &'a mut [u8],
    at: usize,
    start: BlockKey,
}

impl Fields<'_> {
    fn next(&mut self, len: usize) -> Result<&[u8], Error> {
        let end = self.at.saturating_add(len);
        let field = self.stream.get_mut(self.at..end);
        let field = field.ok_or_else(|| damaged("a picture is cut short"))?;
        self.start.apply(field);
        self.at = end;
        Ok(field)
    }

    /// The instance and kind of a record, and where it ends.
    fn head(&mut self) -> Result<(u16, u16, usize), Error> {
        let head = *self.next(8)?.first_chunk::<8>().expect("eight bytes");
        let word = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let len = u32::from_le_bytes(head[4..].try_into().expect("four bytes")) as usize;
        Ok((word(0) >> 4, word(2), self.at.saturating_add(len)))
    }

    fn picture(&mut self) -> Result<(), Error> {
        let (mut instance, mut kind, end) = self.head()?;
        if kind == STORE_ENTRY {
            let mut name = 0;
            for (n, len) in STORE_ENTRY_FIELDS.into_iter().enumerate() {
                let field = self.next(len)?;
                if n == 8 {
                    name = usize::from(field[0]);
                }
            }
            self.next(name)?;
            if self.at == end {
                return Ok(());
            }
            (instance, kind, _) = self.head()?;
        }
        if !(0xf018..=0xf117).contains(&kind) {
            return Err(damaged("the record of a picture has another type"));
        }
        for _ in 0..if TWO_IDENTIFIERS.contains(&instance) { 2 } else { 1 } {
            self.next(16)?;
        }
        self.next(if METAFILES.contains(&kind) { 34 } else { 1 })?;
        let rest = end.checked_sub(self.at).ok_or_else(|| damaged("a picture is cut short"))?;
        self.next(rest).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directories before and after the session 30 leaves them: numbers and counts of runs, with
    /// their places. The last number is the length of the record.
    #[test]
    fn the_session_leaves_the_end_of_the_directory() {
        let run = |first: u32, count: u32| first | count << 20;
        let stream = |directory: &[u32], len: usize| {
            let mut stream = vec![9; 48];
            let words: Vec<u8> = directory.iter().flat_map(|word| word.to_le_bytes()).collect();
            let head = [[0, 0, 0x72, 0x17], (len as u32).to_le_bytes()].concat();
            stream.extend([&head[..], &words, &[9; 8]].concat());
            stream
        };
        for (before, after, len) in [
            (&[run(30, 1), 7][..], &[run(30, 0), 7][..], 4),
            (&[run(28, 3), 5, 6, 7], &[run(28, 2), 5, 6, 7], 12),
            (&[run(1, 2), 5, 6, run(30, 1), 7], &[run(1, 2), 5, 6, run(30, 0), 7], 16),
            (&[run(1, 1), 5, run(29, 2), 6, 7], &[run(1, 1), 5, run(29, 1), 6, 7], 16),
            // Zeros keep the place of a session that is not the last object.
            (&[run(30, 2), 6, 7], &[run(30, 2), 6, 7], 12),
            (&[run(30, 1), 7, run(1, 1), 5], &[run(30, 1), 7, run(1, 1), 5], 16),
            (&[run(1, 1), 7, run(31, 0)], &[run(1, 1), 7, run(31, 0)], 12),
            (&[run(1, 1), 5, run(32, 1), 7], &[run(1, 1), 5, run(32, 1), 7], 16),
            (&[run(29, 3), 5, 6], &[run(29, 3), 5, 6], 12),
        ] {
            let mut found = stream(before, 4 * before.len());
            Edit { at: 4, before: 0, directory: 48, session: Some(30) }
                .forget_session(&mut found, 30)
                .unwrap();
            let mut expected = stream(after, len);
            expected[8..12].copy_from_slice(&[28, 0, 0, 0]);
            expected[40..44].fill(0);
            assert_eq!(found, expected, "{before:?}");
        }
    }

    #[test]
    fn edits_that_name_one_directory_are_refused() {
        let words = [100 << 20].into_iter().chain(1..=100).flat_map(u32::to_le_bytes);
        let mut stream = [&[0, 0, 0x72, 0x17][..], &404_u32.to_le_bytes()].concat();
        stream.extend(words);
        let edit = || Edit { at: 0, before: 0, directory: 0, session: None };
        assert_eq!(objects(&[edit()], &stream).unwrap().len(), 100);
        let error = objects(&[edit(), edit()], &stream).unwrap_err().to_string();
        assert!(error.contains("the object directories of its edits overlap"), "{error}");
    }
}

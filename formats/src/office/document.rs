//! A whole document: a compound file whose streams are decrypted in place.

use std::{
    fmt,
    io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom, Write},
};

use arcfour::{Rc4, apply_many, lanes};
use cfb::CompoundFile;

use super::{Error, FileKey, Handler, Protection, header};

/// Largest file.
const MAX_FILE: usize = u32::MAX as usize >> 1;
/// [MS-DOC] §2.2.6.2: the start of the main stream that is not encrypted.
const FIB_BASE: usize = 68;
/// Bytes under one key in Word's streams, and in Excel's.
const WORD_BLOCK: usize = 512;
const EXCEL_BLOCK: usize = 1024;
/// [MS-CFB] §2.2: the first bytes of every compound file.
const COMPOUND_FILE: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/// [MS-XLS] §2.2.9: the password of a workbook that is encrypted and opens without being asked for one.
const EXCEL_DEFAULT: &str = "VelvetSweatshop";

/// The program whose format a document has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Word: .doc, .dot.
    Doc,
    /// Excel: .xls, .xlt.
    Xls,
    /// PowerPoint: .ppt, .pot, .pps.
    Ppt,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Doc => "Word 97 to 2003",
            Self::Xls => "Excel 97 to 2003",
            Self::Ppt => "PowerPoint 97 to 2003",
        })
    }
}

/// What opened a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenedWith {
    /// The password, whole.
    Password,
    /// The first 15 characters of the password: Word and Excel cut it when they encrypted.
    First15,
    /// Excel's default password, `VelvetSweatshop`, since none was given.
    ExcelDefault,
}

/// A document in memory, which takes three times the memory of the file at most.
pub struct Document {
    file: CompoundFile<Cursor<Vec<u8>>>,
    size: usize,
    format: Format,
    protection: Protection,
}

impl Document {
    /// Reads a document, encrypted or not.
    ///
    /// # Errors
    /// If it is none of the three kinds, or damaged.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Error> {
        let size = bytes.len();
        if size > MAX_FILE {
            return Err(Error::Format(format!("it has more than {MAX_FILE} bytes")));
        }
        if bytes.starts_with(b"PK\x03\x04") {
            return Err(Error::Format(
                "it is a ZIP file, as Office 2007 and later write".to_owned(),
            ));
        }
        if !bytes.starts_with(&COMPOUND_FILE) {
            let start = "it does not begin with the bytes d0 cf 11 e0 a1 b1 1a e1";
            return Err(Error::Format(start.to_owned()));
        }
        let open = CompoundFile::open(Cursor::new(bytes));
        let file = open.map_err(|error| damaged(&message(&error)))?;
        let format = match () {
            () if file.is_stream("WordDocument") => Format::Doc,
            () if file.is_stream("Workbook") || file.is_stream("Book") => Format::Xls,
            () if file.is_stream("PowerPoint Document") => Format::Ppt,
            () if file.is_stream("EncryptedPackage") => {
                return Err(Error::Unsupported(
                    "the encryption of Office 2007 and later, AES; msoffcrypto-tool opens it"
                        .to_owned(),
                ));
            }
            () => return Err(Error::Format("it is a compound file of another program".to_owned())),
        };
        let mut document = Self { file, size, format, protection: Protection::None };
        document.protection = match format {
            Format::Doc => document.doc_protection()?,
            Format::Xls => document.xls_protection()?,
            Format::Ppt => document.ppt_protection()?,
        };
        Ok(document)
    }

    /// Returns the program whose format the document has.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How it is protected.
    pub fn protection(&self) -> &Protection {
        &self.protection
    }

    /// The RC4 handler.
    ///
    /// # Errors
    /// If the document is not encrypted with RC4.
    pub fn handler(&self) -> Result<&Handler, Error> {
        match &self.protection {
            Protection::Rc4(handler) => Ok(handler),
            Protection::None => Err(Error::NotEncrypted),
            Protection::Xor => Err(Error::Unsupported(
                "XOR obfuscation, which is not RC4; LibreOffice opens it".to_owned(),
            )),
            Protection::Other(name) => Err(Error::Unsupported(name.clone())),
        }
    }

    /// The file key of a password. The empty password also stands for Excel's default one.
    ///
    /// With the handler of Office 97, a password of more than 15 characters is tried whole and then cut:
    /// Office up to 2003 and LibreOffice cut it when they encrypt, later versions of Office do not always.
    ///
    /// # Errors
    /// If the password is wrong or not UTF-8, or the document is not encrypted with RC4.
    pub fn open(&self, password: &[u8]) -> Result<(FileKey, OpenedWith), Error> {
        let handler = self.handler()?;
        let password = str::from_utf8(password).map_err(|_| Error::Text)?;
        let whole = (password, OpenedWith::Password);
        let other = match handler {
            _ if password.is_empty() && self.format == Format::Xls => {
                Some((EXCEL_DEFAULT, OpenedWith::ExcelDefault))
            }
            Handler::Office97(_) => cut(password).map(|start| (start, OpenedWith::First15)),
            Handler::CryptoApi(_) => None,
        };
        [Some(whole), other]
            .into_iter()
            .flatten()
            .map(|(password, with)| (handler.file_key(password), with))
            .find(|(key, _)| handler.fits(key))
            .ok_or(Error::WrongPassword)
    }

    /// Names the parts that stay encrypted when the document is decrypted, if there are any.
    pub fn left_out(&self) -> Option<&'static str> {
        let has = |name| self.file.entry(name).is_ok_and(|entry| !entry.is_empty());
        let pictures = self.format == Format::Ppt && has("Pictures");
        let summary = has("EncryptedSummary") || has("encryption");
        match (pictures, summary) {
            (true, true) => Some("its pictures and its summary"),
            (true, false) => Some("its pictures"),
            (false, true) => Some("its summary"),
            (false, false) => None,
        }
    }

    /// Decrypts the document, and returns the file.
    ///
    /// # Errors
    /// If the key is wrong, the document is damaged, or not encrypted with RC4.
    pub fn decrypt(mut self, key: &FileKey) -> Result<Vec<u8>, Error> {
        let handler = self.handler()?.clone();
        if !handler.fits(key) {
            return Err(Error::WrongKey);
        }
        match self.format {
            Format::Doc => self.decrypt_doc(&handler, key)?,
            Format::Xls => self.decrypt_xls(&handler, key)?,
            Format::Ppt => self.decrypt_ppt(&handler, key)?,
        }
        self.file.flush().map_err(|error| damaged(&message(&error)))?;
        Ok(self.file.into_inner().into_inner())
    }

    /// All of a stream.
    fn stream(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        let failed = |error: io::Error| damaged(&format!("{name}: {}", message(&error)));
        let mut stream = self.file.open_stream(name).map_err(failed)?;
        if stream.len() > self.size as u64 {
            return Err(damaged(&format!("{name} claims to be larger than the file")));
        }
        let mut bytes = Vec::with_capacity(stream.len() as usize);
        stream.read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// Replaces the contents of a stream by as many bytes.
    fn replace(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let failed = |error: io::Error| damaged(&format!("{name}: {}", message(&error)));
        let mut stream = self.file.open_stream(name).map_err(failed)?;
        stream.seek(SeekFrom::Start(0)).map_err(failed)?;
        stream.write_all(bytes).and_then(|()| stream.flush()).map_err(failed)
    }

    /// [MS-DOC] §2.5.2: whether the document is encrypted, and the name and the header's length of its
    /// table stream.
    fn doc_protection(&mut self) -> Result<Protection, Error> {
        let main = self.stream("WordDocument")?;
        let fib = Fib::parse(&main)?;
        if !fib.is_encrypted {
            return Ok(Protection::None);
        }
        if fib.is_obfuscated {
            return Ok(Protection::Xor);
        }
        let table = self.stream(fib.table)?;
        let len = fib.key as usize;
        header::parse(
            table.get(..len).ok_or_else(|| damaged("its encryption header is cut short"))?,
        )
    }

    fn decrypt_doc(&mut self, handler: &Handler, key: &FileKey) -> Result<(), Error> {
        let mut main = self.stream("WordDocument")?;
        let fib = Fib::parse(&main)?;
        let mut base: [u8; FIB_BASE] = *main.first_chunk().ok_or_else(|| damaged("a short FIB"))?;
        apply_blocks(handler, key, WORD_BLOCK, &mut main);
        base[0x0b] &= !0x81; // fEncrypted and fObfuscated
        base[0x0e..0x12].fill(0); // lKey
        main[..FIB_BASE].copy_from_slice(&base);
        self.replace("WordDocument", &main)?;
        let mut table = self.stream(fib.table)?;
        apply_blocks(handler, key, WORD_BLOCK, &mut table);
        table[..fib.key as usize].fill(0);
        self.replace(fib.table, &table)?;
        if self.file.is_stream("Data") {
            let mut data = self.stream("Data")?;
            apply_blocks(handler, key, WORD_BLOCK, &mut data);
            self.replace("Data", &data)?;
        }
        Ok(())
    }

    fn workbook(&self) -> &'static str {
        if self.file.is_stream("Workbook") { "Workbook" } else { "Book" }
    }

    /// [MS-XLS] §2.4.117.
    fn xls_protection(&mut self) -> Result<Protection, Error> {
        let workbook = self.stream(self.workbook())?;
        if !matches!(workbook.first_chunk(), Some([0x09, 0x00 | 0x02 | 0x04 | 0x08])) {
            return Err(damaged("the workbook does not begin with BOF"));
        }
        for record in Records(&workbook, 0) {
            let (kind, body) = record?;
            match (kind, &workbook[body]) {
                // Of Excel 5 and 95, there is only XOR.
                (FILE_PASS, [_, _, _, _] | [0, 0, ..]) => return Ok(Protection::Xor),
                (FILE_PASS, [1, 0, header @ ..]) => return header::parse(header),
                (FILE_PASS, _) => return Ok(Protection::Other("an unknown FilePass".to_owned())),
                (EOF, _) => break,
                _ => {}
            }
        }
        Ok(Protection::None)
    }

    fn decrypt_xls(&mut self, handler: &Handler, key: &FileKey) -> Result<(), Error> {
        for name in [self.workbook(), "Revision Log"] {
            if !self.file.is_stream(name) {
                continue;
            }
            let cipher = self.stream(name)?;
            let mut plain = cipher.clone();
            apply_blocks(handler, key, EXCEL_BLOCK, &mut plain);
            for record in Records(&cipher, 0) {
                let (kind, body) = record?;
                let header = body.start - 4..body.start;
                plain[header.clone()].copy_from_slice(&cipher[header.clone()]);
                let clear = match kind {
                    _ if NOT_ENCRYPTED.contains(&kind) => body.clone(),
                    BOUND_SHEET => body.start..body.end.min(body.start + 4),
                    _ => body.start..body.start,
                };
                plain[clear.clone()].copy_from_slice(&cipher[clear]);
                if kind == FILE_PASS {
                    // A record without a meaning keeps the place: other records hold offsets.
                    plain[header.start..header.start + 2].fill(0);
                    plain[body].fill(0);
                }
            }
            self.replace(name, &plain)?;
        }
        Ok(())
    }

    /// [MS-PPT] §2.3.3, §2.3.7: the encryption session is an object of the last edit.
    fn ppt_protection(&mut self) -> Result<Protection, Error> {
        let stream = self.stream("PowerPoint Document")?;
        let edit = self.last_edit(&stream)?;
        let Some(session) = edit.session else { return Ok(Protection::None) };
        let objects = edit.objects(&stream)?;
        let at = objects.iter().find(|(id, _)| *id == session).map(|(_, at)| *at);
        let at = at.ok_or_else(|| damaged("its encryption session is not there"))?;
        let (kind, body) = atom(&stream, at)?;
        if kind != CRYPT_SESSION {
            return Err(damaged("its encryption session is something else"));
        }
        header::parse(&stream[body])
    }

    /// The last edit, which the current user's stream names.
    fn last_edit(&mut self, stream: &[u8]) -> Result<Edit, Error> {
        let user = self.stream("Current User")?;
        let at = user.get(16..20).ok_or_else(|| damaged("its current user is cut short"))?;
        let at = u32::from_le_bytes(at.try_into().expect("four bytes")) as usize;
        Edit::parse(stream, at)
    }

    fn decrypt_ppt(&mut self, handler: &Handler, key: &FileKey) -> Result<(), Error> {
        let mut stream = self.stream("PowerPoint Document")?;
        let edit = self.last_edit(&stream)?;
        let session = edit.session.ok_or(Error::NotEncrypted)?;
        let cipher = stream.clone();
        let mut objects = edit.objects(&cipher)?;
        // In the order of the stream; no two may overlap, or the same bytes are decrypted twice.
        objects.sort_by_key(|(_, at)| *at);
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
            let start = handler.block_key(key, id).start();
            let mut head = *cipher
                .get(at..)
                .and_then(|rest| rest.first_chunk::<8>())
                .ok_or_else(|| damaged(&format!("its object {id} is beyond its end")))?;
            start.clone().apply(&mut head);
            let len = u32::from_le_bytes(head[4..].try_into().expect("four bytes")) as usize;
            end = at.saturating_add(8).saturating_add(len);
            let object = stream.get_mut(at..end);
            let object = object.ok_or_else(|| damaged(&format!("its object {id} is cut short")))?;
            start.clone().apply(object);
        }
        edit.forget_session(&mut stream, session)?;
        self.replace("PowerPoint Document", &stream)?;
        let mut user = self.stream("Current User")?;
        user[12..16].copy_from_slice(&0xe391_c05f_u32.to_le_bytes()); // headerToken: not encrypted
        self.replace("Current User", &user)
    }
}

const FILE_PASS: u16 = 0x2f;
const EOF: u16 = 0x0a;
const BOUND_SHEET: u16 = 0x85;
/// [MS-XLS] §2.2.10: BOF, FilePass, UsrExcl, FileLock, InterfaceHdr, RRDInfo, RRDHead.
const NOT_ENCRYPTED: [u16; 7] = [0x0809, FILE_PASS, 0x0194, 0x0195, 0xe1, 0x0196, 0x0138];

/// The records of a workbook from an offset on: kind, and place of the body.
struct Records<'a>(&'a [u8], usize);

impl Iterator for Records<'_> {
    type Item = Result<(u16, std::ops::Range<usize>), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self(bytes, at) = *self;
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        // What follows the last record is padding.
        if rest.iter().all(|&byte| byte == 0) {
            return None;
        }
        let Some([a, b, c, d]) = rest.first_chunk() else {
            self.1 = bytes.len();
            return Some(Err(damaged("its last record is cut short")));
        };
        let (kind, len) = (u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]));
        let body = at + 4..at + 4 + usize::from(len);
        if body.end > bytes.len() {
            self.1 = bytes.len();
            return Some(Err(damaged(&format!("the record at byte {at} is cut short"))));
        }
        self.1 = body.end;
        Some(Ok((kind, body)))
    }
}

/// The start of Word's main stream, the file information block.
struct Fib {
    is_encrypted: bool,
    is_obfuscated: bool,
    table: &'static str,
    /// Length of the encryption header.
    key: u32,
}

impl Fib {
    fn parse(main: &[u8]) -> Result<Self, Error> {
        let base: &[u8; FIB_BASE] = main.first_chunk().ok_or_else(|| damaged("a short FIB"))?;
        if base[..2] != [0xec, 0xa5] {
            return Err(Error::Format("its main stream is not that of Word 97".to_owned()));
        }
        Ok(Self {
            is_encrypted: base[0x0b] & 1 != 0,
            is_obfuscated: base[0x0b] & 0x80 != 0,
            table: if base[0x0b] & 2 != 0 { "1Table" } else { "0Table" },
            key: u32::from_le_bytes(base[0x0e..0x12].try_into().expect("four bytes")),
        })
    }
}

const CRYPT_SESSION: u16 = 0x2f14;
const USER_EDIT: u16 = 0x0ff5;
const PERSIST_DIRECTORY: u16 = 0x1772;

/// The record at an offset of PowerPoint's stream: kind, and place of the body.
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

/// An edit of a presentation. An encrypted one has exactly one.
struct Edit {
    at: usize,
    directory: usize,
    /// The number of the encryption session's object.
    session: Option<u32>,
}

impl Edit {
    fn parse(stream: &[u8], at: usize) -> Result<Self, Error> {
        let (kind, body) = atom(stream, at)?;
        if kind != USER_EDIT {
            return Err(damaged("its last edit is something else"));
        }
        let body = &stream[body];
        let number = |at: usize| {
            let bytes = body.get(at..at + 4)?;
            Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
        };
        let directory = number(12).ok_or_else(|| damaged("its last edit is cut short"))? as usize;
        Ok(Self { at, directory, session: number(28) })
    }

    /// The objects that are not in an earlier edit, by number: where each begins.
    fn objects(&self, stream: &[u8]) -> Result<Vec<(u32, usize)>, Error> {
        let (kind, body) = atom(stream, self.directory)?;
        if kind != PERSIST_DIRECTORY {
            return Err(damaged("its directory of objects is something else"));
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

    /// Takes the encryption session out of the edit and the directory, which keep their places.
    fn forget_session(&self, stream: &mut [u8], session: u32) -> Result<(), Error> {
        // The number of the session is the last field of the edit: the record ends before it.
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
            // It is the last object of its entry, or else its place stays, of zeros.
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

/// Decrypts a stream in blocks, each under a key of its own; several in one loop.
fn apply_blocks(handler: &Handler, key: &FileKey, block: usize, data: &mut [u8]) {
    let mut number = 0;
    for group in data.chunks_mut(block * lanes()) {
        let mut blocks: Vec<&mut [u8]> = group.chunks_mut(block).collect();
        let mut ciphers: Vec<Rc4> = blocks
            .iter()
            .map(|_| {
                let cipher = handler.block_key(key, number).start();
                number += 1;
                cipher
            })
            .collect();
        apply_many(&mut ciphers, &mut blocks);
    }
}

/// The first 15 characters of a password, in units of UTF-16, if it has more.
fn cut(password: &str) -> Option<&str> {
    let mut units = 0;
    let (at, _) = password.char_indices().find(|(_, letter)| {
        units += letter.len_utf16();
        units > 15
    })?;
    Some(&password[..at])
}

fn damaged(what: &str) -> Error {
    Error::Damaged(what.to_owned())
}

/// Writes an error of the crate that reads compound files on one line.
fn message(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => "it ends too early".to_owned(),
        _ => error.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

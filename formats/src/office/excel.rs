//! Workbooks of Excel: [MS-XLS] §2.2.10 and §2.4.117.

use std::ops::Range;

use super::{
    Error, Format, Handler, Protection, Xor,
    cipher::{Cipher, apply_blocks},
    compound::Compound,
    error::damaged,
    header, xor,
};

/// §2.2.10: bytes under one key.
const BLOCK: usize = 1024;
const BOF: u16 = 0x0809;
/// BOF of every version: Excel 97 and 5, 4, 3, 2.
const BEGINS: [u16; 4] = [BOF, 0x0409, 0x0209, 0x0009];
const FILE_PASS: u16 = 0x2f;
const EOF: u16 = 0x0a;
const BOUND_SHEET: u16 = 0x85;
/// §2.2.10: BOF, FilePass, UsrExcl, FileLock, InterfaceHdr, RRDInfo, RRDHead.
const NOT_ENCRYPTED: [u16; 7] = [BOF, FILE_PASS, 0x0194, 0x0195, 0xe1, 0x0196, 0x0138];
/// §2.1.7.12: the storage of the caches of pivot tables.
const PIVOT_CACHES: &str = "_SX_DB_CUR";

/// Lists the records of a workbook: the kind, and the place of the body.
struct Records<'a> {
    bytes: &'a [u8],
    /// Number of bytes without the zeros at the end, which are padding.
    len: usize,
    at: usize,
    /// Substreams that have begun and not ended; fewer than none if a BOF is missing.
    open: i64,
}

impl<'a> Records<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let len = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        Self { bytes, len, at: 0, open: 0 }
    }

    /// Ends the list. The bytes after the last substream may be anything.
    fn end(&mut self, error: &str) -> Option<<Self as Iterator>::Item> {
        self.at = self.bytes.len();
        (self.open != 0).then(|| Err(damaged(error)))
    }
}

impl Iterator for Records<'_> {
    type Item = Result<(u16, Range<usize>), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        if at >= self.len {
            return None;
        }
        let Some([a, b, c, d]) = self.bytes[at..].first_chunk() else {
            return self.end("its last record is cut short");
        };
        let (kind, len) = (u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]));
        let body = at + 4..at + 4 + usize::from(len);
        if body.end > self.bytes.len() {
            return self.end(&format!("the record at byte {at} is cut short"));
        }
        match kind {
            EOF => self.open -= 1,
            kind if BEGINS.contains(&kind) => self.open += 1,
            _ => {}
        }
        self.at = body.end;
        Some(Ok((kind, body)))
    }
}

/// The stream of a workbook. Excel 97 and Excel 5 use different names.
fn workbook(file: &Compound) -> &'static str {
    if file.has("Workbook") { "Workbook" } else { "Book" }
}

/// Returns the version of Excel, and the protection of the workbook.
pub(super) fn protection(file: &Compound) -> Result<(Format, Protection), Error> {
    protection_of(&file.stream(workbook(file))?)
}

/// Returns true if the file has a second workbook, for Excel 5 and 95, that is protected too.
pub(super) fn has_protected_copy(file: &Compound) -> bool {
    let copy = file.has("Workbook").then(|| file.stream("Book").ok()).flatten();
    let protection = copy.and_then(|copy| protection_of(&copy).ok());
    protection.is_some_and(|(_, protection)| protection != Protection::None)
}

fn protection_of(workbook: &[u8]) -> Result<(Format, Protection), Error> {
    let format = match workbook.first_chunk() {
        // The version of Excel 97; older records begin with other bytes.
        Some([0x09, 0x08, _, _, _, 0x06]) => Format::Xls,
        Some([0x09, 0x00 | 0x02 | 0x04 | 0x08, ..]) => Format::Xls95,
        _ => return Err(damaged("the workbook does not begin with BOF")),
    };
    for record in Records::new(workbook) {
        let (kind, body) = record?;
        let word = |a: &u8, b: &u8| u16::from_le_bytes([*a, *b]);
        match (kind, &workbook[body]) {
            // Before Excel 97, there is only XOR.
            (FILE_PASS, [a, b, c, d] | [0, 0, a, b, c, d]) => {
                let xor = Xor { key: word(a, b), verifier: word(c, d) };
                return Ok((format, Protection::Xor(xor)));
            }
            (FILE_PASS, [1, 0, header @ ..]) => return Ok((format, header::parse(header)?)),
            (FILE_PASS, _) => {
                return Ok((format, Protection::Other("an unknown FilePass".to_owned())));
            }
            (EOF, _) => break,
            _ => {}
        }
    }
    Ok((format, Protection::None))
}

pub(super) fn decrypt(file: &mut Compound, cipher: &Cipher<'_>) -> Result<(), Error> {
    let mut names = vec![workbook(file).to_owned(), "Revision Log".to_owned()];
    // With CryptoAPI, the encrypted part of the caches lies in the encrypted summary.
    if !matches!(cipher, Cipher::Rc4(Handler::CryptoApi(_), _)) {
        names.extend(file.streams_in(PIVOT_CACHES));
    }
    for name in names.iter().filter(|name| file.has(name)).collect::<Vec<_>>() {
        let plain = decrypt_records(&file.stream(name)?, cipher)?;
        file.replace(name, &plain)?;
    }
    Ok(())
}

fn decrypt_records(stream: &[u8], cipher: &Cipher<'_>) -> Result<Vec<u8>, Error> {
    let mut plain = stream.to_vec();
    if let Cipher::Rc4(handler, key) = cipher {
        apply_blocks(handler, key, BLOCK, &mut plain);
    }
    let mut end = 0;
    for record in Records::new(stream) {
        let (kind, body) = record?;
        end = body.end;
        if let Cipher::Xor(array) = cipher {
            xor::apply_excel(array, body.start, &mut plain[body.clone()]);
        }
        let clear = match kind {
            _ if NOT_ENCRYPTED.contains(&kind) => body.start - 4..body.end,
            BOUND_SHEET => body.start - 4..body.end.min(body.start + 4),
            _ => body.start - 4..body.start,
        };
        plain[clear.clone()].copy_from_slice(&stream[clear]);
        if kind == FILE_PASS {
            // A meaningless record takes the place, because other records hold offsets.
            plain[body.start - 4..body.start - 2].fill(0);
            plain[body].fill(0);
        }
    }
    plain[end..].copy_from_slice(&stream[end..]);
    Ok(plain)
}

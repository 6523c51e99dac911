//! A whole document: opened by a password or a key, and decrypted in place.

use super::{
    Error, FileKey, Format, Handler, Protection,
    access::{self, Database},
    cipher::Cipher,
    compound::{Compound, MAGIC},
    error::damaged,
    excel, powerpoint, summary, word,
};

/// Largest file.
const MAX_FILE: usize = u32::MAX as usize >> 1;
/// [MS-XLS] §2.2.9: the password of a workbook that is encrypted and opens without being asked for one.
const EXCEL_DEFAULT: &str = "VelvetSweatshop";

/// The kind of password or key that opened a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenedWith {
    /// The whole password.
    Password,
    /// The first 15 characters of the password, because Word and Excel truncated it when they
    /// encrypted.
    First15,
    /// Excel's default password, `VelvetSweatshop`, since none was given.
    ExcelDefault,
    /// The key in the database; no password is needed.
    StoredKey,
}

/// A document that is decrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decrypted {
    /// The whole file.
    pub file: Vec<u8>,
    /// Descriptions of the parts that are still encrypted: damaged parts, and of a workbook, embedded
    /// objects and a copy for Excel 5 and 95.
    pub left_out: Vec<&'static str>,
}

/// A document in memory. It takes at most twice the memory of the file.
pub struct Document {
    file: File,
    format: Format,
    protection: Protection,
}

// No secret is shown.
impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Document").field("format", &self.format).finish_non_exhaustive()
    }
}

enum File {
    Compound(Box<Compound>),
    Database(Database),
}

impl Document {
    /// Reads a document, encrypted or not.
    ///
    /// # Errors
    /// If it is none of the four kinds, or damaged.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Error> {
        if bytes.len() > MAX_FILE {
            return Err(Error::Format(format!("it has more than {MAX_FILE} bytes")));
        }
        if access::is_database(&bytes) {
            let (database, format, protection) = Database::read(bytes)?;
            return Ok(Self { file: File::Database(database), format, protection });
        }
        if !bytes.starts_with(&MAGIC) {
            return Err(Error::Format(other_start(&bytes).to_owned()));
        }
        let file = Compound::read(bytes)?;
        let (format, protection) = match () {
            () if file.has("WordDocument") => word::protection(&file)?,
            () if file.has("Workbook") || file.has("Book") => excel::protection(&file)?,
            // A file of PowerPoint 97 may also hold a presentation of PowerPoint 95.
            () if powerpoint::is_95(&file) => (Format::Ppt95, Protection::None),
            () if file.has("PowerPoint Document") => (Format::Ppt, powerpoint::protection(&file)?),
            () if file.has("EncryptedPackage") => {
                return Err(Error::Unsupported(
                    "the encryption of Office 2007 and later, AES; msoffcrypto-tool opens it"
                        .to_owned(),
                ));
            }
            () => return Err(Error::Format("it is a compound file of another program".to_owned())),
        };
        Ok(Self { file: File::Compound(Box::new(file)), format, protection })
    }

    /// Returns the program whose format the document has.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the protection.
    pub fn protection(&self) -> &Protection {
        &self.protection
    }

    /// Returns the RC4 handler.
    ///
    /// # Errors
    /// If the document is not encrypted with RC4.
    pub fn handler(&self) -> Result<&Handler, Error> {
        match &self.protection {
            Protection::Rc4(handler) => Ok(handler),
            Protection::None => Err(Error::NotEncrypted),
            Protection::Xor(_) => {
                Err(Error::Unsupported("XOR obfuscation, which is not RC4".to_owned()))
            }
            Protection::Jet(_) => Err(Error::Unsupported(
                "the encoding of Access 97 to 2003, whose key lies in the file".to_owned(),
            )),
            Protection::Other(name) => Err(Error::Unsupported(name.clone())),
        }
    }

    /// Returns the file key of a password. A database of Jet needs no password, and its own
    /// password is not checked. The empty password also stands for Excel's default password.
    ///
    /// With the handler of Office 97, a password of more than 15 characters is tried whole, then
    /// truncated. Office up to 2003 and LibreOffice truncate it when they encrypt. Later versions
    /// of Office do not always.
    ///
    /// # Errors
    /// If the password is wrong or not UTF-8, or the document is not protected by one.
    pub fn open(&self, password: &[u8]) -> Result<(FileKey, OpenedWith), Error> {
        let password = str::from_utf8(password).map_err(|_| Error::Text)?;
        if let Protection::Jet(jet) = &self.protection {
            return Ok((jet.file_key(), OpenedWith::StoredKey));
        }
        for (password, with) in self.readings(password) {
            let (key, fits) = match &self.protection {
                Protection::Xor(xor) => {
                    let key = xor.file_key(password);
                    let fits = xor.fits(&key);
                    (key, fits)
                }
                _ => {
                    let handler = self.handler()?;
                    let key = handler.file_key(password);
                    let fits = handler.fits(&key);
                    (key, fits)
                }
            };
            if fits {
                return Ok((key, with));
            }
        }
        Err(Error::WrongPassword)
    }

    /// Returns the passwords that a password may stand for, in the order in which
    /// [`open`](Self::open) tries them.
    pub fn readings<'a>(
        &self,
        password: &'a str,
    ) -> impl Iterator<Item = (&'a str, OpenedWith)> + use<'a> {
        let is_excel = matches!(self.format, Format::Xls | Format::Xls95);
        let default = (password.is_empty() && is_excel).then_some(EXCEL_DEFAULT);
        let default = default.map(|password| (password, OpenedWith::ExcelDefault));
        let is_whole = matches!(self.protection, Protection::Rc4(Handler::CryptoApi(_)));
        let start = if is_whole { None } else { cut(password) };
        let start = start.map(|start| (start, OpenedWith::First15));
        [Some((password, OpenedWith::Password)), start, default].into_iter().flatten()
    }

    /// Returns the file key of these bytes.
    ///
    /// # Errors
    /// If the key is wrong, the document's keys have another length, or the document has no key.
    pub fn key(&self, bytes: &[u8]) -> Result<FileKey, Error> {
        let key = match &self.protection {
            Protection::Xor(xor) => xor.key(bytes),
            Protection::Jet(_) if bytes.len() != 4 => {
                Err(Error::KeyLength { expected: 4, len: bytes.len() })
            }
            Protection::Jet(_) => Ok(FileKey::of(bytes.to_vec())),
            _ => self.handler()?.key(bytes),
        }?;
        Cipher::new(&self.protection, &key)?;
        Ok(key)
    }

    /// Decrypts the document.
    ///
    /// Streams are decrypted in place, and the rest of the file stays as it is. Only the encrypted
    /// summary of RC4 CryptoAPI is replaced by streams at the end of the file.
    ///
    /// # Errors
    /// If the key is wrong, the document is damaged, or not encrypted.
    pub fn decrypt(self, key: &FileKey) -> Result<Decrypted, Error> {
        let Self { file, format, protection } = self;
        let cipher = Cipher::new(&protection, key)?;
        let mut file = match file {
            File::Compound(file) => *file,
            File::Database(database) => {
                return Ok(Decrypted { file: database.decrypt(&cipher)?, left_out: vec![] });
            }
        };
        let mut left_out = vec![];
        match (format, &cipher) {
            (Format::Doc, _) => word::decrypt(&mut file, &cipher)?,
            (Format::Xls | Format::Xls95, _) => {
                excel::decrypt(&mut file, &cipher)?;
                if excel::has_protected_copy(&file) {
                    left_out.push("its copy for Excel 5 and 95");
                }
            }
            (Format::Ppt, Cipher::Rc4(handler, key)) => {
                powerpoint::decrypt(&mut file, handler, key)?;
                if powerpoint::decrypt_pictures(&mut file, handler, key).is_err() {
                    left_out.push("its pictures, which are damaged");
                }
            }
            _ => return Err(damaged("this kind of file never has this encryption")),
        }
        if let Cipher::Rc4(handler @ Handler::CryptoApi(_), key) = &cipher {
            match summary::decrypt(&mut file, handler, key) {
                Ok(true) => {}
                Ok(false) => left_out.push("its embedded objects"),
                Err(_) => left_out.push("its summary, which is damaged"),
            }
        }
        Ok(Decrypted { file: file.into_bytes(), left_out })
    }
}

/// Names the format of a file that is no compound file.
fn other_start(bytes: &[u8]) -> &'static str {
    match bytes {
        [b'P', b'K', 3, 4, ..] => "it is a ZIP file, as Office 2007 and later write",
        [0xdb, 0xa5, ..] => "it is a document of Word 2",
        [0x09, 0x00, 0x04, 0x00, ..] => "it is a worksheet of Excel 2",
        [0x09, 0x02, 0x06, 0x00, ..] => "it is a worksheet of Excel 3",
        [0x09, 0x04, 0x06, 0x00, ..] => "it is a worksheet of Excel 4",
        _ => "it does not begin with the bytes d0 cf 11 e0 a1 b1 1a e1",
    }
}

/// Returns the first 15 characters of a longer password, in units of UTF-16.
fn cut(password: &str) -> Option<&str> {
    let mut units = 0;
    let (at, _) = password.char_indices().find(|(_, letter)| {
        units += letter.len_utf16();
        units > 15
    })?;
    Some(&password[..at])
}

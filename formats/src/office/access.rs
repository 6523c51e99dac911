//! Databases of Access: Jet 3 and 4, and RC4 databases of Access 2007.
//!
//! A database consists of pages. The first page is not encrypted. A part of it is masked with one
//! keystream that all databases share. This part contains the key of the other pages and the
//! password of the database. Microsoft has published no description. The sources are libmdb
//! (`HACKING` of mdbtools) and programs that read such files.

use arcfour::Rc4;

use super::{Error, Format, Jet, Protection, cipher::Cipher, error::damaged, header};

/// The first bytes, and the names of the engines that follow.
const MAGIC: [u8; 4] = [0, 1, 0, 0];
const JET: &[u8] = b"Standard Jet DB\0";
const ACE: &[u8] = b"Standard ACE DB\0";
const MONEY: &[u8] = b"MSISAM Database\0";
/// Place of the engine's version: 0 is Jet 3, 1 is Jet 4, and higher numbers are Access 2007 and
/// later.
const VERSION: usize = 0x14;
/// The key of the keystream that masks the header, and the place of the masked part.
const MASK_KEY: [u8; 4] = [0xc7, 0xda, 0x39, 0x6b];
const MASKED: usize = 0x18;
/// The key of the pages, the password, and the date of creation. The date is a second mask of Jet
/// 4's password.
const KEY: usize = 0x3e;
const PASSWORD: usize = 0x42;
const DATE: usize = 0x72;
/// Place of the encryption header of Access 2007: its length, then the header.
const INFO: usize = 0x299;

/// A database in memory.
pub(super) struct Database {
    bytes: Vec<u8>,
    is_jet3: bool,
}

/// Returns true if a file begins as a database does.
pub(super) fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
        && [JET, ACE, MONEY].iter().any(|name| bytes[MAGIC.len()..].starts_with(name))
}

impl Database {
    pub(super) fn read(bytes: Vec<u8>) -> Result<(Self, Format, Protection), Error> {
        if bytes[MAGIC.len()..].starts_with(MONEY) {
            return Err(Error::Format("it is a database of Microsoft Money".to_owned()));
        }
        let is_ace = bytes[MAGIC.len()..].starts_with(ACE);
        let (format, is_jet3) = match bytes.get(VERSION) {
            _ if is_ace => (Format::Accdb, false),
            Some(0) => (Format::Mdb97, true),
            Some(1) => (Format::Mdb, false),
            Some(version) => return Err(damaged(&format!("version {version} of its engine"))),
            None => return Err(damaged("it ends too early")),
        };
        let mut database = Self { bytes, is_jet3 };
        if database.bytes.len() < database.page() {
            return Err(damaged("it ends too early"));
        }
        let (key, has_password) = database
            .unmasked(|head| (page_key(head), password(head, is_jet3).any(|byte| byte != 0)));
        let protection = match (key, is_ace) {
            (0, _) if !has_password || is_ace => Protection::None,
            (_, true) => database.info()?,
            _ => Protection::Jet(Jet { key, has_password }),
        };
        Ok((database, format, protection))
    }

    /// Decrypts the pages, and removes the key and the password from the first page.
    pub(super) fn decrypt(mut self, cipher: &Cipher<'_>) -> Result<Vec<u8>, Error> {
        let page = self.page();
        let is_jet3 = self.is_jet3;
        let key = self.unmasked(|head| {
            let key = page_key(head);
            head[KEY..KEY + 4].fill(0);
            if let Cipher::Jet = cipher {
                let blank: Vec<u8> = password(head, is_jet3).collect();
                for (byte, blank) in head[PASSWORD..].iter_mut().zip(blank) {
                    *byte ^= blank;
                }
            }
            key
        });
        let numbered = (0..).zip(self.bytes.chunks_mut(page)).skip(1);
        match cipher {
            // The pages have no key; the database has only a password.
            Cipher::Jet if key == 0 => {}
            Cipher::Jet => numbered.for_each(|(number, page)| {
                let key = (key ^ number).to_le_bytes();
                Rc4::crypt(&key, page).expect("four bytes");
            }),
            Cipher::Rc4(handler, file_key) => {
                numbered.for_each(|(number, page)| {
                    handler.block_key(file_key, key ^ number).apply(page);
                });
                let len = usize::from(u16::from_le_bytes([self.bytes[INFO], self.bytes[INFO + 1]]));
                self.bytes[INFO..INFO + 2 + len].fill(0);
            }
            Cipher::Xor(_) => return Err(damaged("this kind of file never has this encryption")),
        }
        Ok(self.bytes)
    }

    /// Bytes of a page.
    fn page(&self) -> usize {
        if self.is_jet3 { 2048 } else { 4096 }
    }

    /// Runs `work` on the unmasked first page, then masks the page again.
    fn unmasked<T>(&mut self, work: impl FnOnce(&mut [u8]) -> T) -> T {
        let masked = MASKED..MASKED + if self.is_jet3 { 126 } else { 128 };
        let mask = Rc4::from_key(&MASK_KEY).expect("four bytes");
        mask.clone().apply(&mut self.bytes[masked.clone()]);
        let page = self.page();
        let done = work(&mut self.bytes[..page]);
        mask.clone().apply(&mut self.bytes[masked]);
        done
    }

    /// The encryption header of Access 2007 ([MS-OFFCRYPTO] §2.3.5.1, §2.3.6.1).
    fn info(&self) -> Result<Protection, Error> {
        let len = usize::from(u16::from_le_bytes([self.bytes[INFO], self.bytes[INFO + 1]]));
        let info = self.bytes[..self.page()].get(INFO + 2..INFO + 2 + len);
        let info = info.ok_or_else(|| damaged("its encryption header is cut short"))?;
        match header::parse(info)? {
            Protection::Other(name) => {
                Ok(Protection::Other(format!("{name}, the encryption of Access 2007 and later")))
            }
            protection => Ok(protection),
        }
    }
}

/// Returns the key of the pages from an unmasked first page; 0 means no key.
fn page_key(head: &[u8]) -> u32 {
    u32::from_le_bytes(head[KEY..KEY + 4].try_into().expect("four bytes"))
}

/// Returns the password from an unmasked first page, padded with zeros.
fn password(head: &[u8], is_jet3: bool) -> impl Iterator<Item = u8> {
    let (len, date) = match is_jet3 {
        true => (20, 0),
        // Returns the whole days since 1899. Access truncates the double to 32 bits.
        false => {
            (40, f64::from_le_bytes(head[DATE..DATE + 8].try_into().expect("eight bytes")) as i32)
        }
    };
    let mask = date.to_le_bytes();
    head[PASSWORD..PASSWORD + len]
        .iter()
        .zip(mask.into_iter().cycle())
        .map(|(byte, mask)| byte ^ mask)
}

//! A whole file: read, decrypted or encrypted, written.

use std::{
    io::{self, Write},
    sync::Arc,
};

use super::{
    Error, FileKey, Security, Source, Standard, ciphers::Ciphers, file::File, output, plan::Plan,
    scan::Kind, table::Table, value::Value,
};

/// The header of a file begins with this mark, among the first `HEAD` bytes.
const MARK: &[u8] = b"%PDF-";
const HEAD: usize = 1 << 10;

/// The header written for a file without a header.
const HEADER: &[u8] = b"%PDF-1.7\n";

const NO_DICTIONARY: &str = "its encryption dictionary is not there";

/// A PDF file.
///
/// The file is read in pieces and written while it is read. Memory grows with the number of
/// objects, not with the streams.
pub struct Document {
    file: File,
    /// `None` if the file has no header; empty if the header has no version.
    version: Option<String>,
    security: Option<Security>,
    plan: Option<Plan>,
    lost: Option<String>,
}

// No secret is shown.
impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Document").field("version", &self.version).finish_non_exhaustive()
    }
}

/// Options of encryption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encryption {
    /// V, with the R that goes with it: 1 (R 2, 40 bits), 2 (R 3) or 4 (R 4).
    pub version: u8,
    /// Length of the file key in bytes: 5 with V 1, 5 to 16 with V 2, 16 with V 4.
    pub key_len: usize,
    /// The password to open the file with; may be empty. In PDFDocEncoding.
    pub user_password: Vec<u8>,
    /// The password that permits everything. If it is empty, the user's password is used.
    pub owner_password: Vec<u8>,
    /// P: flags of the user password's permissions.
    pub permissions: i32,
    /// True if the metadata stream is encrypted too. Only V 4 leaves the choice.
    pub encrypt_metadata: bool,
}

impl Default for Encryption {
    /// V 2, 128 bits, everything permitted.
    fn default() -> Self {
        Self {
            version: 2,
            key_len: 16,
            user_password: vec![],
            owner_password: vec![],
            permissions: -4,
            encrypt_metadata: true,
        }
    }
}

impl Document {
    /// Reads a file, encrypted or not.
    ///
    /// # Errors
    /// If it cannot be read, or its cross-reference table cannot.
    pub fn read(source: impl Into<Source>) -> Result<Self, Error> {
        Self::open(source.into(), false)
    }

    /// Reads as much as possible of a file that may be damaged.
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn repair(source: impl Into<Source>) -> Result<Self, Error> {
        Self::open(source.into(), true)
    }

    fn open(mut source: Source, repairs: bool) -> Result<Self, Error> {
        let (mut version, mut lost) = (None, None);
        match header(&mut source) {
            Ok(found) => version = Some(found),
            Err(Error::Incomplete(why)) if repairs => lost = Some(why),
            Err(error) => return Err(error),
        }
        let table = match Table::read(&mut source) {
            Err(Error::Incomplete(why)) if repairs => {
                lost.get_or_insert(why);
                Table::rebuilt(&mut source)?
            }
            table => table?,
        };
        let mut file = File::new(source, table, repairs);
        let security = match security(&mut file) {
            Err(error @ (Error::Dictionary(_) | Error::Incomplete(_)))
                if repairs && !file.table.is_rebuilt =>
            {
                lost.get_or_insert_with(|| NO_DICTIONARY.to_owned());
                file.rebuild()?;
                security(&mut file).map_err(|now| match error {
                    Error::Incomplete(_) => now,
                    error => error,
                })?
            }
            security => security?,
        };
        Ok(Self { file, version, security, plan: None, lost })
    }

    /// Returns the parts of the file that could not be read. Lost objects are named only after
    /// decryption or encryption.
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// Returns the version in the file's header, such as 1.4, or an empty text.
    pub fn version(&self) -> &str {
        self.version.as_deref().unwrap_or_default()
    }

    /// Returns the encryption of the file, if it is encrypted.
    pub fn security(&self) -> Option<&Security> {
        self.security.as_ref()
    }

    /// Prepares decryption with a key, and looks for every object.
    ///
    /// # Errors
    /// If the key is wrong, the file is not encrypted or not with RC4, or an object that the trailer leads
    /// to is not there.
    pub fn decrypt(&mut self, key: &FileKey) -> Result<(), Error> {
        let security = self.security.as_ref().ok_or(Error::NotEncrypted)?;
        let standard = security.check(key)?;
        let (security, key) = (security.clone(), key.clone());
        self.change(Ciphers { security, standard, key, encrypts: false })?;
        self.security = None;
        Ok(())
    }

    /// Prepares encryption with RC4, which protects nothing. Use it for tests and teaching.
    ///
    /// # Errors
    /// If the file is encrypted or damaged, or no file key has that length with that V.
    ///
    /// # Panics
    /// If the system has no random bytes for the ID of a file without one.
    pub fn encrypt(&mut self, encryption: &Encryption) -> Result<FileKey, Error> {
        if self.security.is_some() || self.plan.is_some() {
            return Err(Error::AlreadyEncrypted);
        }
        let revision = match (encryption.version, encryption.key_len) {
            (1, 5) => 2,
            (2, 5..=16) => 3,
            (4, 16) => 4,
            (version, len) => {
                return Err(Error::Unsupported(format!("V {version} and a key of {len} bytes")));
            }
        };
        if !output::has_numbers_left(&self.file) {
            return Err(Error::Damaged("no object number is left for its encryption".to_owned()));
        }
        let id = match first_id(&mut self.file)? {
            Some(id) => id,
            None => {
                let mut id = vec![0; 16];
                getrandom::fill(&mut id).expect("the system has random bytes");
                id
            }
        };
        let standard = Standard {
            version: encryption.version,
            revision,
            key_len: encryption.key_len,
            owner: [0; 32],
            user: [0; 32],
            permissions: encryption.permissions,
            id: id.clone(),
            encrypt_metadata: encryption.encrypt_metadata,
        };
        let standard =
            standard.with_passwords(&encryption.user_password, &encryption.owner_password);
        let dict = Value::of(output::dictionary_of(&standard).as_bytes());
        let security = Security::parse(&dict, id, Ok)?;
        let key = standard.file_key(&encryption.user_password);
        self.change(Ciphers {
            security: security.clone(),
            standard,
            key: key.clone(),
            encrypts: true,
        })?;
        self.security = Some(security);
        Ok(key)
    }

    /// Plans the output. A damaged table is rebuilt if the file is to be repaired.
    fn change(&mut self, ciphers: Ciphers) -> Result<(), Error> {
        self.file.ciphers = Some(Arc::new(ciphers));
        let mut plan = Plan::new(&mut self.file);
        let is_whole = matches!(&plan, Ok(plan) if plan.lost.is_none());
        if self.file.repairs && !is_whole && !self.file.table.is_rebuilt {
            let lost = match &plan {
                Ok(plan) => plan.lost.clone(),
                Err(error) => Some(error.to_string()),
            };
            self.lost = self.lost.take().or(lost);
            self.file.rebuild()?;
            plan = Plan::new(&mut self.file);
        }
        let plan = plan?;
        self.lost = self.lost.take().or_else(|| plan.lost.clone()).or(self.file.mended.take());
        self.plan = Some(plan);
        Ok(())
    }

    /// Writes the file, decrypted or encrypted as prepared.
    ///
    /// # Errors
    /// If the file can no longer be read, or writing fails.
    ///
    /// # Panics
    /// If the file was neither decrypted nor encrypted.
    pub fn write(mut self, to: &mut impl Write) -> io::Result<()> {
        let plan = self.plan.take().expect("decrypt or encrypt it first");
        let header = if self.version.is_none() { HEADER } else { b"" };
        output::write(&mut self.file, &plan, header, to)
    }
}

/// Returns the place of the header, `%PDF-`. The header begins in the first 1024 bytes of a file.
///
/// `start` has the first 1028 bytes of the file or more, or else the whole file.
pub fn find_header(start: &[u8]) -> Option<usize> {
    memchr::memmem::find(&start[..start.len().min(HEAD + MARK.len() - 1)], MARK)
}

/// Returns the version of the file. Offsets count from its header.
fn header(source: &mut Source) -> Result<String, Error> {
    // A version may end later.
    let head = source.window(0, HEAD + 16)?;
    let head = &head[..head.len().min(HEAD + 16)];
    let start = find_header(head).ok_or_else(|| {
        Error::Incomplete(format!("it does not have %PDF- in its first {HEAD} bytes"))
    })?;
    let version = &head[start + MARK.len()..];
    let len = version.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let version = String::from_utf8_lossy(&version[..len]).into_owned();
    source.set_base(start as u64);
    Ok(version)
}

/// Returns the encryption of a file.
fn security(file: &mut File) -> Result<Option<Security>, Error> {
    let encrypt = Value::of(&file.table.trailer).get("Encrypt");
    if encrypt.is_null() {
        return Ok(None);
    }
    let dict = file.resolve(encrypt)?;
    if dict.kind() != Kind::Dictionary {
        return Err(match file.table.is_rebuilt {
            true => Error::Dictionary("it is nowhere in the file".to_owned()),
            false => Error::Incomplete(NO_DICTIONARY.to_owned()),
        });
    }
    let id = first_id(file)?.unwrap_or_default();
    Security::parse(&dict, id, |value| file.resolve(value)).map(Some)
}

/// The first string of the trailer's ID.
fn first_id(file: &mut File) -> Result<Option<Vec<u8>>, Error> {
    let ids = Value::of(&file.table.trailer).get("ID");
    let ids = file.elements(ids)?;
    Ok(ids.first().and_then(Value::string))
}

//! The entries of an encryption dictionary: ISO 32000-1:2008, tables 20, 21 and 25.

use std::{collections::BTreeMap, fmt};

use arcfour_text::Escaped;

use super::{Error, FileKey, Password, Standard, scan::Kind, value::Value};

/// A method of encrypting strings or streams.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// No encryption.
    Identity,
    /// RC4: `V2`, and all files with V 1 and 2.
    Rc4,
    /// AES-128 in CBC mode.
    AesV2,
    /// AES-256 in CBC mode.
    AesV3,
    /// Another method, by its name.
    Other(String),
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identity => "none",
            Self::Rc4 => "RC4",
            Self::AesV2 => "AES-128",
            Self::AesV3 => "AES-256",
            Self::Other(name) => name,
        })
    }
}

/// Contents of the encryption dictionary, with the file's ID; the cipher need not be RC4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Security {
    /// Filter: the security handler, `Standard` for passwords.
    pub handler: String,
    /// V: the algorithm.
    pub version: i64,
    /// R: the revision of the standard security handler.
    pub revision: i64,
    /// Length, in bits; many programs write something else.
    pub length: Option<i64>,
    /// The method for strings.
    pub strings: Method,
    /// The method for streams that name no crypt filter.
    pub streams: Method,
    /// The method for embedded files.
    pub embedded_files: Method,
    /// EncryptMetadata: whether the XMP metadata stream is encrypted too.
    pub encrypt_metadata: bool,
    /// P: the permissions of the user password.
    pub permissions: i32,
    /// O.
    pub owner: Vec<u8>,
    /// U.
    pub user: Vec<u8>,
    /// The first of the two strings of the trailer's ID; empty without an ID.
    pub id: Vec<u8>,
    /// The crypt filters by name.
    pub(super) filters: BTreeMap<Vec<u8>, Method>,
    /// Length of the crypt filter of streams, or else of strings.
    filter_length: Option<i64>,
}

/// Returns a name from the file in printable form, because a name may have any byte.
pub(super) fn printable(name: &[u8]) -> String {
    Escaped(&String::from_utf8_lossy(name)).to_string()
}

impl Security {
    /// Reads an encryption dictionary; `resolve` follows a reference.
    pub(super) fn parse(
        dict: &Value,
        id: Vec<u8>,
        mut resolve: impl FnMut(Value) -> Result<Value, Error>,
    ) -> Result<Self, Error> {
        let wrong = |what: &str| Error::Dictionary(what.to_owned());

        let handler =
            resolve(dict.get("Filter"))?.name().ok_or_else(|| wrong("it has no Filter"))?;
        let version = resolve(dict.get("V"))?.integer().unwrap_or(0);
        let revision = resolve(dict.get("R"))?.integer().unwrap_or(0);
        let mut filters = BTreeMap::from([(b"Identity".to_vec(), Method::Identity)]);
        let mut lengths = BTreeMap::new();
        let each = resolve(dict.get("CF"))?;
        for &part in each.entries().iter().filter(|_| each.kind() == Kind::Dictionary) {
            let key = each.key(part);
            let filter = resolve(each.part(part))?;
            if filter.kind() != Kind::Dictionary {
                continue;
            }
            let method = match resolve(filter.get("CFM"))?.name().as_deref() {
                Some(b"V2") => Method::Rc4,
                Some(b"AESV2") => Method::AesV2,
                Some(b"AESV3") => Method::AesV3,
                Some(other) => Method::Other(printable(other)),
                None => Method::Other("None".to_owned()),
            };
            lengths.insert(key.clone(), resolve(filter.get("Length"))?.integer());
            filters.entry(key).or_insert(method);
        }
        let mut entry = |name: &str| resolve(dict.get(name));
        let mut chosen = |key: &str| match version {
            4.. => Ok(entry(key)?.name().unwrap_or_else(|| b"Identity".to_vec())),
            _ => Ok::<_, Error>(b"V2".to_vec()),
        };
        let method = |filter: &[u8]| match version {
            ..4 => Ok(Method::Rc4),
            _ => filters.get(filter).cloned().ok_or_else(|| {
                Error::Dictionary(format!("it has no crypt filter /{}", printable(filter)))
            }),
        };
        let (stm, str) = (chosen("StmF")?, chosen("StrF")?);
        let embedded = entry("EFF")?.name().filter(|_| version >= 4);
        let embedded = embedded.unwrap_or_else(|| stm.clone());
        let filter_length = [&stm, &str].into_iter().find_map(|name| lengths.get(name).copied()?);
        // P is an unsigned number in some files.
        let permissions = entry("P")?.integer().unwrap_or(0) as i32;
        Ok(Self {
            handler: printable(&handler),
            version,
            revision,
            length: entry("Length")?.integer(),
            strings: method(&str)?,
            streams: method(&stm)?,
            embedded_files: method(&embedded)?,
            encrypt_metadata: entry("EncryptMetadata")?.text() != b"false",
            permissions,
            owner: entry("O")?.string().unwrap_or_default(),
            user: entry("U")?.string().unwrap_or_default(),
            id,
            filters,
            filter_length,
        })
    }

    /// Returns the standard security handler with RC4 for each key length that the dictionary may
    /// mean, the likeliest first.
    ///
    /// # Errors
    /// If the file is encrypted in another way, or an entry is missing.
    pub fn rc4(&self) -> Result<Vec<Standard>, Error> {
        let qpdf = "; `qpdf --decrypt` opens such files";
        let unsupported = |what: String| Err(Error::Unsupported(what));
        if self.handler != "Standard" {
            return unsupported(format!(
                "the security handler {}, not by a password",
                self.handler
            ));
        }
        for method in [&self.streams, &self.strings, &self.embedded_files] {
            match method {
                Method::Identity | Method::Rc4 => {}
                Method::AesV2 | Method::AesV3 => {
                    return unsupported(format!("{method}, which is not RC4{qpdf}"));
                }
                Method::Other(name) => return unsupported(format!("the crypt method {name}")),
            }
        }
        let (version, revision) = match (self.version, self.revision) {
            (version @ (1 | 2 | 4), revision @ 2..=4) => (version as u8, revision as u8),
            (5.., _) => return unsupported(format!("AES-256 (V {}){qpdf}", self.version)),
            (version, revision) => {
                return unsupported(format!(
                    "V {version} and R {revision}; V 1, 2 and 4 with R 2, 3 and 4 are RC4"
                ));
            }
        };
        // Some programs leave out the last bytes, which are zeros or mean nothing.
        let entry = |name: &str, bytes: &[u8]| {
            if bytes.is_empty() {
                return Err(Error::Dictionary(format!("it has no {name}")));
            }
            let mut whole = [0; 32];
            let len = bytes.len().min(whole.len());
            whole[..len].copy_from_slice(&bytes[..len]);
            Ok(whole)
        };
        let (owner, user) = (entry("O", &self.owner)?, entry("U", &self.user)?);
        let with = |key_len| Standard {
            version,
            revision,
            key_len,
            owner,
            user,
            permissions: self.permissions,
            id: self.id.clone(),
            encrypt_metadata: self.encrypt_metadata,
        };
        Ok(self.key_lens(version, revision).into_iter().map(with).collect())
    }

    /// Lengths of the file key in bytes.
    fn key_lens(&self, version: u8, revision: u8) -> Vec<usize> {
        // The length is in bits, as the standard says, or in bytes, as some programs write it.
        // Other numbers are ignored.
        let bytes = |length: i64| match length {
            5..=16 => Some(length as usize),
            40..=128 if length % 8 == 0 => Some(length as usize / 8),
            _ => None,
        };
        match (version, revision) {
            (1, _) => vec![5],
            // The standard says 40 bits; other readers take the Length.
            (_, 2) => distinct([5].into_iter().chain(self.length.and_then(bytes))),
            (2, _) => match (self.length, self.length.and_then(bytes)) {
                (None, _) => vec![5, 16],
                (_, Some(len)) => vec![len],
                // PoDoFo's test files say 41, 57 and 81 bits for keys of 5, 7 and 10 bytes.
                (Some(length), None) => {
                    let rounded = (40..128).contains(&length).then_some(length as usize / 8);
                    distinct(rounded.into_iter().chain([16, 5]))
                }
            },
            _ => {
                let said = [self.filter_length, self.length].into_iter().flatten();
                distinct([16].into_iter().chain(said.filter_map(bytes)))
            }
        }
    }

    /// Returns the handler, the file key and the owner of a password.
    ///
    /// # Errors
    /// If the password is wrong, or the file is encrypted in another way.
    pub fn open(&self, password: &[u8]) -> Result<(FileKey, Password), Error> {
        let fits = |standard: Standard| standard.open_text(password);
        self.rc4()?.into_iter().find_map(fits).ok_or(Error::WrongPassword)
    }

    /// Returns the handler that accepts a key.
    ///
    /// # Errors
    /// If no handler accepts the key, or the file is encrypted in another way.
    pub fn check(&self, key: &FileKey) -> Result<Standard, Error> {
        let fits = |standard: &Standard| standard.fits(key);
        self.rc4()?.into_iter().find(fits).ok_or(Error::WrongKey)
    }
}

/// The numbers in their order, each once.
fn distinct(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut found = vec![];
    for number in numbers {
        if !found.contains(&number) {
            found.push(number);
        }
    }
    found
}

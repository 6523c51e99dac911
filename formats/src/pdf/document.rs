//! A whole file: read, decrypted or encrypted, written.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    num::NonZero,
    thread,
};

use arcfour::{Rc4, apply_many, lanes};
use lopdf::{Dictionary, Object, ObjectId, Stream, StringFormat, dictionary};

use super::{Error, FileKey, Method, Security, Standard, file::Loaded, standard::ObjectKey};

/// Less than this is decrypted on the calling thread.
const INLINE: usize = 1 << 20;

/// A PDF file in memory.
///
/// Takes about twice the memory of the file; with hostile files up to 70 bytes for each byte of the
/// file, and 4 GiB for what its object streams hold.
pub struct Document {
    loaded: Loaded,
    security: Option<Security>,
}

/// How to encrypt a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encryption {
    /// V, with the R that goes with it: 1 (R 2, 40 bits), 2 (R 3) or 4 (R 4).
    pub version: u8,
    /// Length of the file key in bytes: 5 with V 1, 5 to 16 with V 2, 16 with V 4.
    pub key_len: usize,
    /// The password to open the file with; may be empty. In PDFDocEncoding.
    pub user_password: Vec<u8>,
    /// The password that permits everything; that of the user if it is empty.
    pub owner_password: Vec<u8>,
    /// Flags of what the user password permits: P.
    pub permissions: i32,
    /// Whether the metadata stream is encrypted too; always, but with V 4.
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
    /// If it cannot be read, or some of it is lost.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Error> {
        let document = Self::repair(bytes)?;
        match document.lost() {
            Some(lost) => Err(Error::Incomplete(lost.to_owned())),
            None => Ok(document),
        }
    }

    /// Reads what is there of a file that may be damaged.
    ///
    /// # Errors
    /// If nothing of it can be read.
    pub fn repair(bytes: Vec<u8>) -> Result<Self, Error> {
        let mut loaded = Loaded::read(bytes)?;
        let security = security(&loaded)?;
        if security.is_none() {
            loaded.open_object_streams()?;
        }
        Ok(Self { loaded, security })
    }

    /// Says which part of the file could not be read, if any.
    pub fn lost(&self) -> Option<&str> {
        self.loaded.lost.as_deref()
    }

    /// The version in the file's header, such as 1.4.
    pub fn version(&self) -> &str {
        &self.loaded.document.version
    }

    /// How the file is encrypted, if it is.
    pub fn security(&self) -> Option<&Security> {
        self.security.as_ref()
    }

    /// Decrypts the file.
    ///
    /// # Errors
    /// If the key is wrong, the file is not encrypted or not with RC4, or an object stream is damaged.
    pub fn decrypt(&mut self, key: &FileKey) -> Result<(), Error> {
        let security = self.security.as_ref().ok_or(Error::NotEncrypted)?;
        let standard = security.check(key)?;
        let ciphers = Ciphers { security, standard: &standard, key };
        for (&id, stream) in &mut self.loaded.object_streams {
            if ciphers.of_stream(&stream.dict, &security.streams)? {
                ciphers.start(id).apply(&mut stream.content);
            }
            drop_crypt_filter(&mut stream.dict);
        }
        let opened: BTreeSet<ObjectId> = self.loaded.open_object_streams()?.into_iter().collect();
        let encrypt = match self.loaded.encrypt.take() {
            Some(Object::Reference(id)) => Some(id),
            _ => None,
        };
        let document = &mut self.loaded.document;
        if let Some(id) = encrypt {
            document.objects.remove(&id);
        }
        let encrypted = document.objects.iter_mut().filter(|(id, _)| !opened.contains(id));
        ciphers.apply(encrypted)?;
        self.security = None;
        Ok(())
    }

    /// Encrypts the file with RC4, which protects nothing: for tests and teaching.
    ///
    /// # Errors
    /// If the file is encrypted, or no file key has that length with that V.
    ///
    /// # Panics
    /// If the system has no random bytes for the ID of a file without one.
    pub fn encrypt(&mut self, encryption: &Encryption) -> Result<FileKey, Error> {
        if self.security.is_some() {
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
        let document = &mut self.loaded.document;
        let id = match first_id(&document.trailer) {
            Some(id) => id,
            None => {
                let mut id = vec![0; 16];
                getrandom::fill(&mut id).expect("the system has random bytes");
                let string = Object::String(id.clone(), StringFormat::Hexadecimal);
                document.trailer.set("ID", Object::Array(vec![string.clone(), string]));
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
            encrypt_metadata: encryption.encrypt_metadata || encryption.version < 4,
        };
        let standard =
            standard.with_passwords(&encryption.user_password, &encryption.owner_password);
        let dict = dictionary_of(&standard);
        let security = Security::parse(&dict, id, |object| object)?;
        let key = standard.file_key(&encryption.user_password);
        let ciphers = Ciphers { security: &security, standard: &standard, key: &key };
        ciphers.apply(document.objects.iter_mut())?;
        let id = document.add_object(Object::Dictionary(dict));
        document.trailer.set("Encrypt", Object::Reference(id));
        self.security = Some(security);
        Ok(key)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If that fails.
    ///
    /// # Panics
    /// If the file was encrypted when it was read, and is so still.
    pub fn write(mut self, to: &mut impl Write) -> io::Result<()> {
        assert!(self.loaded.encrypt.is_none(), "decrypt it first");
        let document = &mut self.loaded.document;
        // The writer makes the cross-reference stream anew.
        document.objects.retain(|_, object| !matches!(object.type_name(), Ok(b"XRef")));
        document.max_id = document.objects.keys().next_back().map_or(0, |id| id.0);
        document.save_to(to)
    }
}

/// How a loaded file is encrypted.
fn security(loaded: &Loaded) -> Result<Option<Security>, Error> {
    let Some(encrypt) = &loaded.encrypt else { return Ok(None) };
    let document = &loaded.document;
    let resolve = |object| document.dereference(object).map_or(&Object::Null, |(_, object)| object);
    match resolve(encrypt) {
        Object::Dictionary(dict) => {
            let id = first_id_by(&document.trailer, &resolve).unwrap_or_default();
            Security::parse(dict, id, resolve).map(Some)
        }
        _ => Err(Error::Dictionary("it is not a dictionary, or not there".to_owned())),
    }
}

fn first_id(trailer: &Dictionary) -> Option<Vec<u8>> {
    first_id_by(trailer, &|object| object)
}

fn first_id_by<'a>(
    trailer: &'a Dictionary,
    resolve: &impl Fn(&'a Object) -> &'a Object,
) -> Option<Vec<u8>> {
    let ids = resolve(trailer.get(b"ID").ok()?).as_array().ok()?;
    resolve(ids.first()?).as_str().ok().map(<[u8]>::to_vec)
}

fn dictionary_of(standard: &Standard) -> Dictionary {
    let hex = |bytes: &[u8]| Object::String(bytes.to_vec(), StringFormat::Hexadecimal);
    let mut dict = dictionary! {
        "Filter" => "Standard",
        "V" => i64::from(standard.version),
        "R" => i64::from(standard.revision),
        "O" => hex(&standard.owner),
        "U" => hex(&standard.user),
        "P" => i64::from(standard.permissions),
    };
    if standard.version >= 2 {
        dict.set("Length", standard.key_len as i64 * 8);
    }
    if standard.version == 4 {
        let filter = dictionary! {
            "CFM" => "V2",
            "AuthEvent" => "DocOpen",
            "Length" => standard.key_len as i64,
        };
        dict.set("CF", dictionary! { "StdCF" => filter });
        dict.set("StmF", "StdCF");
        dict.set("StrF", "StdCF");
        if !standard.encrypt_metadata {
            dict.set("EncryptMetadata", false);
        }
    }
    dict
}

/// Ciphers that encrypt and decrypt the objects of a file.
struct Ciphers<'a> {
    security: &'a Security,
    standard: &'a Standard,
    key: &'a FileKey,
}

impl Ciphers<'_> {
    fn key(&self, (number, generation): ObjectId) -> ObjectKey {
        self.standard.object_key(self.key, number, generation)
    }

    fn start(&self, id: ObjectId) -> Rc4 {
        self.key(id).start()
    }

    /// Encrypts or decrypts all strings and streams.
    fn apply<'a>(
        &self,
        objects: impl Iterator<Item = (&'a ObjectId, &'a mut Object)>,
    ) -> Result<(), Error> {
        let mut jobs = vec![];
        for (&id, object) in objects {
            if matches!(object.type_name(), Ok(b"XRef")) {
                continue;
            }
            let mut cipher = None;
            if self.security.strings == Method::Rc4 {
                self.apply_to_strings(id, object, &mut cipher);
            }
            if let Object::Stream(stream) = object {
                let is_encrypted = self.of_stream(&stream.dict, self.default_of(&stream.dict))?;
                drop_crypt_filter(&mut stream.dict);
                if is_encrypted {
                    jobs.push((cipher.unwrap_or_else(|| self.start(id)), &mut stream.content[..]));
                }
            }
        }
        apply_all(jobs);
        Ok(())
    }

    /// Every string starts its object's keystream anew. The cipher at its start is kept.
    fn apply_to_strings(&self, id: ObjectId, object: &mut Object, cipher: &mut Option<Rc4>) {
        match object {
            Object::String(bytes, _) => {
                cipher.get_or_insert_with(|| self.start(id)).clone().apply(bytes);
            }
            Object::Array(each) => {
                each.iter_mut().for_each(|each| self.apply_to_strings(id, each, cipher));
            }
            Object::Dictionary(dict) | Object::Stream(Stream { dict, .. }) => {
                // The contents of a signature are what the file's bytes are signed with.
                let is_signature = dict.has(b"ByteRange") && dict.has(b"Contents");
                for (name, value) in dict.iter_mut() {
                    if !(is_signature && name == b"Contents") {
                        self.apply_to_strings(id, value, cipher);
                    }
                }
            }
            _ => {}
        }
    }

    /// The method of a stream that names no crypt filter.
    fn default_of(&self, dict: &Dictionary) -> &Method {
        match self.security.version {
            4.. if dict.has_type(b"Metadata") && !self.security.encrypt_metadata => {
                &Method::Identity
            }
            4.. if dict.has_type(b"EmbeddedFile") => &self.security.embedded_files,
            _ => &self.security.streams,
        }
    }

    /// Whether a stream is encrypted: by its own crypt filter, or else the default.
    fn of_stream(&self, dict: &Dictionary, default: &Method) -> Result<bool, Error> {
        let method = match crypt_filter(dict) {
            Some(name) if self.security.version >= 4 => {
                self.security.filters.get(&name).ok_or_else(|| {
                    let name = String::from_utf8_lossy(&name).into_owned();
                    Error::Damaged(format!(
                        "a stream names the crypt filter {name}, which is not there"
                    ))
                })?
            }
            _ => default,
        };
        match method {
            Method::Identity => Ok(false),
            Method::Rc4 => Ok(true),
            other => Err(Error::Unsupported(format!("{other}, in a stream"))),
        }
    }
}

/// The crypt filter that a stream names (ISO 32000-1, §7.4.10): it must be the first of its filters.
fn crypt_filter(dict: &Dictionary) -> Option<Vec<u8>> {
    let first = |value: &Object| match value {
        Object::Array(each) => each.first().cloned(),
        value => Some(value.clone()),
    };
    let filter = first(dict.get(b"Filter").ok()?)?;
    if !matches!(filter.as_name(), Ok(b"Crypt")) {
        return None;
    }
    let parameters = dict.get(b"DecodeParms").ok().and_then(first);
    let name = parameters.as_ref().and_then(|parameters| {
        parameters.as_dict().ok()?.get(b"Name").ok()?.as_name().ok().map(<[u8]>::to_vec)
    });
    Some(name.unwrap_or_else(|| b"Identity".to_vec()))
}

/// Takes the crypt filter off a stream: it means nothing once the file is decrypted.
fn drop_crypt_filter(dict: &mut Dictionary) {
    if crypt_filter(dict).is_none() {
        return;
    }
    for name in ["Filter", "DecodeParms"] {
        match dict.get_mut(name.as_bytes()) {
            Ok(Object::Array(each)) if each.len() > 1 => drop(each.remove(0)),
            Ok(_) => drop(dict.remove(name.as_bytes())),
            Err(_) => {}
        }
    }
}

/// Applies each cipher to its data: several streams in one loop, on all cores.
fn apply_all(mut jobs: Vec<(Rc4, &mut [u8])>) {
    // Streams in one loop go together as far as the shortest of them.
    jobs.sort_by_key(|(_, data)| std::cmp::Reverse(data.len()));
    let total: usize = jobs.iter().map(|(_, data)| data.len()).sum();
    let groups: Vec<_> = {
        let mut groups = vec![];
        let mut jobs = jobs.into_iter().peekable();
        while jobs.peek().is_some() {
            groups.push(jobs.by_ref().take(lanes()).unzip::<_, _, Vec<_>, Vec<_>>());
        }
        groups
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if total < INLINE { 1 } else { cores.min(groups.len()) };
    let mut shares: Vec<Vec<_>> = (0..threads.max(1)).map(|_| vec![]).collect();
    for (n, group) in groups.into_iter().enumerate() {
        shares[n % threads.max(1)].push(group);
    }
    let work = |share: Vec<(Vec<Rc4>, Vec<&mut [u8]>)>| {
        for (mut ciphers, mut data) in share {
            apply_many(&mut ciphers, &mut data);
        }
    };
    thread::scope(|scope| {
        let own = shares.pop();
        for share in shares {
            scope.spawn(move || work(share));
        }
        own.map(work);
    });
}

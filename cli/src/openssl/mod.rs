//! Files of `openssl enc -rc4`: maybe base64, maybe a header with a salt, then RC4 with a key
//! derived from a passphrase.

mod args;
mod header;
mod key;

use arcfour::{Backend, Rc4};
use zeroize::Zeroizing;

pub use args::{Direction, Format, OpensslArgs, Text};
pub use header::{Beginning, HeaderError, read, write};
pub use key::{Cipher, DEFAULT_ITERATIONS, Derivation, Hash, SALT};

use crate::{
    base64,
    failure::Failure,
    stream::{Block, Source, Stage},
};

/// Where the salt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Salt {
    /// In a header, chosen anew for each file: what `openssl enc` does.
    Header,
    /// Known to both sides, and in no header: `-S` since OpenSSL 3.0.
    Given([u8; SALT]),
    /// Nowhere: `-nosalt`.
    None,
}

/// All that turns a passphrase and a salt into a cipher.
pub struct Secret {
    /// The passphrase.
    pub passphrase: Zeroizing<Vec<u8>>,
    /// How the key comes about.
    pub derivation: Derivation,
    /// What computes the cipher.
    pub backend: Backend,
}

impl Secret {
    fn start(&self, salt: Option<&[u8; SALT]>) -> Result<Rc4, Failure> {
        let key = self.derivation.key(&self.passphrase, salt.map_or(&[], |salt| salt));
        Ok(Rc4::with_backend(&key, self.backend)?)
    }
}

/// Writes such a file.
pub struct Encrypt {
    cipher: Rc4,
    header: Option<[u8; header::LEN]>,
    encoder: Option<base64::Encoder>,
    scratch: Block,
    ended: bool,
}

impl Encrypt {
    /// A writer of a file.
    ///
    /// # Errors
    /// If the system has no random salt.
    pub fn new(secret: &Secret, salt: Salt, text: Text) -> Result<Self, Failure> {
        let (cipher, header) = match salt {
            Salt::Header => {
                let mut salt = [0; SALT];
                let failed = |error| Failure::Work(format!("cannot make a random salt: {error}"));
                getrandom::fill(&mut salt).map_err(failed)?;
                (secret.start(Some(&salt))?, Some(write(salt)))
            }
            Salt::Given(salt) => (secret.start(Some(&salt))?, None),
            Salt::None => (secret.start(None)?, None),
        };
        let encoder = match text {
            Text::Raw => None,
            Text::Lines => Some(base64::Encoder::new(true)),
            Text::OneLine => Some(base64::Encoder::new(false)),
        };
        Ok(Self { cipher, header, encoder, scratch: Block::new(), ended: false })
    }

    /// Replaces the plaintext in `block` by what stands for it in the file.
    fn apply(&mut self, block: &mut Block) -> Result<(), Failure> {
        self.cipher.apply(block.bytes_mut());
        if let Some(header) = self.header.take() {
            self.scratch
                .refill(|out| Ok::<_, Failure>(concatenate(&[&header, block.bytes()], out)))?;
            std::mem::swap(block, &mut self.scratch);
        }
        let Some(encoder) = &mut self.encoder else { return Ok(()) };
        let ended = self.ended;
        self.scratch.refill(|out| {
            let mut len = encoder.push(block.bytes(), out);
            if ended {
                len += encoder.finish(&mut out[len..]);
            }
            Ok::<_, Failure>(len)
        })?;
        std::mem::swap(block, &mut self.scratch);
        Ok(())
    }
}

fn concatenate(parts: &[&[u8]], out: &mut [u8]) -> usize {
    parts.iter().fold(0, |at, part| {
        out[at..at + part.len()].copy_from_slice(part);
        at + part.len()
    })
}

impl Stage for Encrypt {
    fn next(&mut self, source: &mut impl Source, block: &mut Block) -> Result<(), Failure> {
        while !self.ended {
            source.next(block)?;
            self.ended = block.bytes().is_empty();
            self.apply(block)?;
            if !block.bytes().is_empty() {
                return Ok(());
            }
        }
        block.refill(|_| Ok(0))
    }
}

/// Reads such a file.
pub struct Decrypt {
    secret: Secret,
    salt: Salt,
    decoder: Option<base64::Decoder>,
    /// What has come of the file before there is a cipher.
    head: Vec<u8>,
    cipher: Option<Rc4>,
    scratch: Block,
    failed: Option<base64::Base64Error>,
    ended: bool,
}

impl Decrypt {
    /// A reader of a file. Base64 may have any lines.
    pub fn new(secret: Secret, salt: Salt, text: Text) -> Self {
        Self {
            secret,
            salt,
            decoder: (text != Text::Raw).then(base64::Decoder::default),
            head: Vec::new(),
            cipher: None,
            scratch: Block::new(),
            failed: None,
            ended: false,
        }
    }

    fn decode(&mut self, block: &mut Block) -> Result<(), base64::Base64Error> {
        let Some(decoder) = &mut self.decoder else { return Ok(()) };
        if self.ended {
            return decoder.finish();
        }
        self.scratch.refill(|out| {
            let (len, result) = decoder.push(block.bytes(), out);
            self.failed = result.err();
            Ok(len)
        })?;
        std::mem::swap(block, &mut self.scratch);
        Ok(())
    }

    /// Replaces what `block` has of the file by the plaintext.
    fn apply(&mut self, block: &mut Block) -> Result<(), Failure> {
        if self.cipher.is_none() {
            self.head.extend_from_slice(block.bytes());
            let start = read(self.salt, &self.head, self.ended)?;
            block.refill(|out| match start {
                None => Ok(0),
                Some(Beginning { header_len, salt }) => {
                    self.cipher = Some(self.secret.start(salt.as_ref())?);
                    let head = std::mem::take(&mut self.head);
                    Ok::<_, Failure>(concatenate(&[&head[header_len..]], out))
                }
            })?;
        }
        if let Some(cipher) = &mut self.cipher {
            cipher.apply(block.bytes_mut());
        }
        Ok(())
    }
}

impl Stage for Decrypt {
    /// What stands before a bad digit is passed on first, as whole bytes.
    fn next(&mut self, source: &mut impl Source, block: &mut Block) -> Result<(), Failure> {
        while !self.ended {
            if let Some(error) = self.failed {
                return Err(error.into());
            }
            source.next(block)?;
            self.ended = block.bytes().is_empty();
            self.decode(block)?;
            self.apply(block)?;
            if !block.bytes().is_empty() {
                return Ok(());
            }
        }
        block.refill(|_| Ok(0))
    }
}

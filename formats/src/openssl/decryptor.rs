//! Decrypts a file of `openssl enc`.

use arcfour::Rc4;
use zeroize::Zeroizing;

use super::{
    header::{self, Beginning, HeaderError},
    key::{NoPbkdf2, keyed, start},
    options::{Options, Text},
};
use crate::{
    Transform,
    text::{Decoder, Encoding, TextError},
};

/// An error of decryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpensslError {
    /// The base64 text is invalid.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The header contradicts the options.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// The options ask for a key derivation that OpenSSL lacks.
    #[error(transparent)]
    NoPbkdf2(#[from] NoPbkdf2),
}

/// Decrypts a file of `openssl enc`.
pub struct Decryptor {
    passphrase: Zeroizing<Vec<u8>>,
    options: Options,
    decoder: Option<Decoder>,
    /// The decoded file, until its beginning is known.
    head: Vec<u8>,
    /// The cipher of a given key, until then.
    keyed: Option<Box<Rc4>>,
    cipher: Option<Box<Rc4>>,
}

// No secret is shown.
impl std::fmt::Debug for Decryptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Decryptor").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Decryptor {
    /// A decryptor of one file.
    pub fn new(passphrase: &[u8], options: Options) -> Self {
        Self {
            passphrase: Zeroizing::new(passphrase.to_vec()),
            options,
            decoder: (options.text != Text::Raw).then(|| Decoder::new(Encoding::Base64)),
            head: vec![],
            keyed: None,
            cipher: None,
        }
    }

    /// Makes a decryptor by the key, like `openssl enc -d -K`. `openssl enc -K` writes a header only
    /// if it has a passphrase too. The decryptor leaves out such a header.
    ///
    /// Only the options for the text's form and the backend matter.
    ///
    /// # Panics
    /// If the key has no byte or more than 256.
    pub fn with_key(key: &[u8], options: Options) -> Self {
        Self { keyed: Some(keyed(key, options.backend)), ..Self::new(b"", options) }
    }

    /// Decrypts the bytes of `out` from `at` on in place, and removes a header.
    fn decrypt(&mut self, out: &mut Vec<u8>, at: usize, ended: bool) -> Result<(), OpensslError> {
        if self.cipher.is_none() {
            self.head.extend_from_slice(&out[at..]);
            out.truncate(at);
            let beginning = match self.keyed {
                Some(_) => header::if_there(&self.head, ended),
                None => header::read(self.options.salt, &self.head, ended)?,
            };
            let Some(Beginning { header_len, salt }) = beginning else { return Ok(()) };
            out.extend_from_slice(&self.head[header_len..]);
            self.head = vec![];
            self.cipher = Some(match self.keyed.take() {
                Some(cipher) => cipher,
                None => start(&self.passphrase, salt, self.options)?,
            });
        }
        if let Some(cipher) = &mut self.cipher {
            cipher.apply(&mut out[at..]);
        }
        Ok(())
    }
}

impl Transform for Decryptor {
    type Error = OpensslError;

    /// A fault of the text is reported after the bytes before it are decrypted. A fault of the
    /// header is reported first.
    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<(), OpensslError> {
        let at = out.len();
        let decoded = match &mut self.decoder {
            Some(decoder) => decoder.push(input, out),
            None => {
                out.extend_from_slice(input);
                Ok(())
            }
        };
        self.decrypt(out, at, false)?;
        Ok(decoded?)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), OpensslError> {
        let at = out.len();
        if let Some(decoder) = &mut self.decoder {
            decoder.finish(out)?;
        }
        self.decrypt(out, at, true)
    }
}

//! Encrypts to a file of `openssl enc`.

use std::{convert::Infallible, io};

use arcfour::Rc4;

use super::{
    header,
    key::{keyed, start},
    options::{Options, SALT_LEN, Salt, Text},
};
use crate::{
    Transform,
    text::{Encoder, Encoding},
};

/// Encrypts to a file that `openssl enc -d` decrypts.
pub struct Encryptor {
    cipher: Box<Rc4>,
    /// The header that is still to be written.
    header: Vec<u8>,
    encoder: Option<Encoder>,
    /// The bytes of the file before they are encoded.
    bytes: Vec<u8>,
}

// No secret is shown.
impl std::fmt::Debug for Encryptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Encryptor").finish_non_exhaustive()
    }
}

impl Encryptor {
    /// An encryptor of one file. The passphrase may have any bytes. `openssl` itself takes no zero
    /// byte, and only the first line of a file.
    ///
    /// # Errors
    /// If the system has no random bytes for the salt, or OpenSSL no PBKDF2 with this hash function
    /// (`io::ErrorKind::InvalidInput`).
    pub fn new(passphrase: &[u8], options: Options) -> io::Result<Self> {
        let (salt, header) = match options.salt {
            Salt::Header => {
                let mut salt = [0; SALT_LEN];
                getrandom::fill(&mut salt)?;
                (Some(salt), header::write(salt).to_vec())
            }
            Salt::Given(salt) => (Some(salt), vec![]),
            Salt::GivenInHeader(salt) => (Some(salt), header::write(salt).to_vec()),
            Salt::None => (None, vec![]),
        };
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidInput, error);
        let cipher = start(passphrase, salt, options).map_err(invalid)?;
        Ok(Self { cipher, header, encoder: encoder(options.text), bytes: vec![] })
    }

    /// Makes an encryptor of a file without a header, by its key, like `openssl enc -K`.
    ///
    /// Only the options for the text's form and the backend matter.
    ///
    /// # Panics
    /// If the key has no byte or more than 256.
    pub fn with_key(key: &[u8], options: Options) -> Self {
        let cipher = keyed(key, options.backend);
        Self { cipher, header: vec![], encoder: encoder(options.text), bytes: vec![] }
    }

    /// Appends the encoded ciphertext of `plain` to `out`.
    fn encrypt(&mut self, plain: &[u8], out: &mut Vec<u8>) {
        out.append(&mut self.header);
        let at = out.len();
        out.extend_from_slice(plain);
        self.cipher.apply(&mut out[at..]);
    }
}

fn encoder(text: Text) -> Option<Encoder> {
    match text {
        Text::Raw => None,
        Text::Base64Lines => Some(Encoder::base64_in_lines()),
        Text::Base64 => Some(Encoder::new(Encoding::Base64)),
    }
}

impl Transform for Encryptor {
    type Error = Infallible;

    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<(), Infallible> {
        let Some(mut encoder) = self.encoder.take() else {
            self.encrypt(input, out);
            return Ok(());
        };
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        self.encrypt(input, &mut bytes);
        encoder.push(&bytes, out)?;
        (self.encoder, self.bytes) = (Some(encoder), bytes);
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Infallible> {
        self.push(&[], out)?; // the header of an empty file
        self.encoder.as_mut().map_or(Ok(()), |encoder| encoder.finish(out))
    }
}

//! Assigns a cipher to each string and stream of a file.

use std::sync::Arc;

use super::{
    Error, FileKey, Method, Security, Standard, crypt::printable, file::File, object::Object,
    standard::ObjectKey,
};

/// Ciphers that encrypt and decrypt the objects of a file.
pub(super) struct Ciphers {
    pub(super) security: Security,
    pub(super) standard: Standard,
    pub(super) key: FileKey,
    /// True if the file is encrypted, false if it is decrypted.
    pub(super) encrypts: bool,
}

/// The change to make to a stream's data.
#[derive(Default)]
pub(super) struct OfStream {
    pub(super) key: Option<ObjectKey>,
    /// True if the stream names a crypt filter, which has no meaning after decryption.
    pub(super) has_crypt_filter: bool,
}

impl Ciphers {
    /// Returns the key of an object's strings; `None` if they are not encrypted.
    pub(super) fn of_strings(&self, object: &Object) -> Option<ObjectKey> {
        let is_it = self.security.strings == Method::Rc4;
        is_it.then(|| self.key_of(object))
    }

    fn key_of(&self, object: &Object) -> ObjectKey {
        self.standard.object_key(&self.key, object.number, object.generation)
    }

    /// Returns the cipher of a stream, by its crypt filter or else by its type.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if it names a crypt filter that is not there.
    pub(super) fn of_stream(file: &mut File, object: &Object) -> Result<OfStream, Error> {
        let Some(ciphers) = file.ciphers.as_ref().map(Arc::clone) else {
            return Ok(OfStream::default());
        };
        let security = &ciphers.security;
        let kind = file.resolve(object.get("Type"))?.name();
        if kind.as_deref() == Some(b"XRef") {
            return Ok(OfStream::default());
        }
        let filters = file.elements(object.get("Filter"))?;
        let first = filters.first().and_then(|filter| filter.name());
        let has_crypt_filter = first.as_deref() == Some(b"Crypt");
        let method = match kind.as_deref() {
            _ if has_crypt_filter && security.version >= 4 && !ciphers.encrypts => {
                let parameters = file.elements(object.get("DecodeParms"))?;
                let name = parameters.first().map(|parameters| parameters.get("Name"));
                let name = name.map(|name| file.resolve(name)).transpose()?;
                let name = name.and_then(|name| name.name());
                let name = name.unwrap_or_else(|| b"Identity".to_vec());
                security.filters.get(&name).ok_or_else(|| {
                    let name = printable(&name);
                    Error::Incomplete(format!("names the crypt filter {name}, which is not there"))
                })?
            }
            Some(b"Metadata") if security.version >= 4 && !security.encrypt_metadata => {
                &Method::Identity
            }
            Some(b"EmbeddedFile") if security.version >= 4 => &security.embedded_files,
            _ => &security.streams,
        };
        let key = match method {
            Method::Identity => None,
            Method::Rc4 => Some(ciphers.key_of(object)),
            other => return Err(Error::Unsupported(format!("{other}, in a stream"))),
        };
        Ok(OfStream { key, has_crypt_filter })
    }
}

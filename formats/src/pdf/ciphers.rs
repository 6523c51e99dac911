//! Assigns a cipher to each string and stream of a file.

use super::{FileKey, Method, Security, Standard, object::Object, standard::ObjectKey};

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

    pub(super) fn key_of(&self, object: &Object) -> ObjectKey {
        self.standard.object_key(&self.key, object.number, object.generation)
    }

    /// Returns the method for a stream of this type that has no crypt filter.
    pub(super) fn of_type(&self, kind: Option<&[u8]>) -> &Method {
        let security = &self.security;
        match kind {
            Some(b"Metadata") if security.version >= 4 && !security.encrypt_metadata => {
                &Method::Identity
            }
            Some(b"EmbeddedFile") => &security.embedded_files,
            _ => &security.streams,
        }
    }
}

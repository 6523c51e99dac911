//! How a PDF file is encrypted.

use arcfour_formats::pdf::{Document, Security, Source};
use data_encoding::HEXLOWER;
use serde::Serialize;

use super::super::{
    document::{labelled_hash, read_all, refuse_too_long},
    failure::Failure,
    input::Input,
};

/// Returns the bytes of a document. A file is read in pieces, a pipe whole. A long file that is no
/// document is refused.
///
/// # Errors
/// If the file is refused, or cannot be read.
pub fn source(mut input: Input) -> Result<Source, Failure> {
    if !input.is_at_start_of_file() {
        return read_all(input).map(Source::from);
    }
    refuse_too_long(&mut input)?;
    let name = input.name().to_owned();
    Source::new(input).map_err(|error| Failure::read(&name, &error))
}

/// How a PDF file is encrypted.
#[derive(Serialize)]
pub struct Facts {
    pdf_version: String,
    encrypted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<String>,
    #[serde(flatten)]
    encryption: Option<Encryption>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
struct Encryption {
    handler: String,
    #[serde(rename = "V")]
    version: i64,
    #[serde(rename = "R")]
    revision: i64,
    #[serde(rename = "Length", skip_serializing_if = "Option::is_none")]
    length: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_bits: Option<usize>,
    strings: String,
    streams: String,
    embedded_files: String,
    metadata_encrypted: bool,
    permissions: i32,
    permitted: Vec<&'static str>,
    /// The entries ID, O and U, from which the keys are made.
    id: String,
    owner: String,
    user: String,
    /// The reason for which this program does not decrypt it.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsupported: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opens_without_password: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hashcat: Option<String>,
    /// hashcat's mode, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    hashcat_mode: Option<u32>,
}

/// The bits of P, from 1 (ISO 32000-1, table 22).
const PERMISSIONS: [(u32, &str); 8] = [
    (3, "print"),
    (4, "modify"),
    (5, "copy"),
    (6, "annotate"),
    (9, "fill forms"),
    (10, "extract for accessibility"),
    (11, "assemble"),
    (12, "print in high quality"),
];

impl Encryption {
    fn of(security: &Security) -> Self {
        let empty = security.open(b"");
        let standards = security.rc4();
        let hex = |bytes: &[u8]| HEXLOWER.encode(bytes);
        let permitted =
            PERMISSIONS.iter().filter(|(bit, _)| security.permissions >> (bit - 1) & 1 == 1);
        let key_len = match &empty {
            Ok((key, _)) => Some(key.bytes().len()),
            Err(_) => standards.as_ref().ok().map(|standards| standards[0].key_len),
        };
        let hashcat = standards.as_ref().ok().map(|standards| {
            let standard = &standards[0];
            format!(
                "$pdf${}*{}*{}*{}*{}*{}*{}*32*{}*32*{}",
                standard.version,
                standard.revision,
                8 * key_len.unwrap_or(standard.key_len),
                standard.permissions,
                u8::from(standard.encrypt_metadata),
                standard.id.len(),
                hex(&standard.id),
                hex(&standard.user),
                hex(&standard.owner)
            )
        });
        // Limits of the parsers of these modes; john has none.
        let hashcat_mode = standards.as_ref().ok().and_then(|standards| {
            let standard = &standards[0];
            let bits = 8 * key_len.unwrap_or(standard.key_len);
            match (standard.version, standard.revision, bits, standard.id.len()) {
                (1, 2, 40, 16) => Some(10400),
                (2, 3, 128, 16 | 32) | (4, 4, 128, 16 | 32) => Some(10500),
                _ => None,
            }
        });
        Self {
            handler: security.handler.clone(),
            version: security.version,
            revision: security.revision,
            length: security.length,
            key_bits: key_len.map(|len| 8 * len),
            strings: security.strings.to_string(),
            streams: security.streams.to_string(),
            embedded_files: security.embedded_files.to_string(),
            metadata_encrypted: security.encrypt_metadata,
            permissions: security.permissions,
            permitted: permitted.map(|(_, name)| *name).collect(),
            id: hex(&security.id),
            owner: hex(&security.owner),
            user: hex(&security.user),
            unsupported: standards.as_ref().err().map(ToString::to_string),
            opens_without_password: standards.is_ok().then_some(empty.is_ok()),
            hashcat,
            hashcat_mode,
        }
    }
}

impl Facts {
    /// Returns the facts of a document.
    pub fn of(document: &Document) -> Self {
        Self {
            pdf_version: document.version().to_owned(),
            encrypted: document.security().is_some(),
            damaged: document.lost().map(str::to_owned),
            encryption: document.security().map(Encryption::of),
        }
    }

    /// Returns the command that decrypts the file, where FILE stands for the file; `None` if there
    /// is no such command.
    pub fn next(&self) -> Option<&'static str> {
        match self.encryption.as_ref()?.opens_without_password? {
            true => Some("arcfour pdf decrypt FILE -o OUT"),
            false => Some("arcfour pdf decrypt --password FILE -o OUT"),
        }
    }

    /// Returns the facts by name.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![("PDF version", self.pdf_version.clone())];
        if let Some(damaged) = &self.damaged {
            rows.push(("damaged", damaged.clone()));
        }
        let yes_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        let Some(encryption) = &self.encryption else {
            rows.push(("encrypted", "no".to_owned()));
            return rows;
        };
        rows.push(("security handler", encryption.handler.clone()));
        rows.push(("V, R", format!("{}, {}", encryption.version, encryption.revision)));
        if let Some(length) = encryption.length {
            rows.push(("Length", length.to_string()));
        }
        if let Some(bits) = encryption.key_bits {
            rows.push(("key", format!("{bits} bits")));
        }
        rows.push(("strings", encryption.strings.clone()));
        rows.push(("streams", encryption.streams.clone()));
        rows.push(("embedded files", encryption.embedded_files.clone()));
        rows.push(("metadata encrypted", yes_no(encryption.metadata_encrypted)));
        let permitted = encryption.permitted.join(", ");
        rows.push(("P", format!("{} ({permitted})", encryption.permissions)));
        rows.push(("ID", encryption.id.clone()));
        rows.push(("O", encryption.owner.clone()));
        rows.push(("U", encryption.user.clone()));
        if let Some(opens) = encryption.opens_without_password {
            rows.push(("opens without password", yes_no(opens)));
        }
        rows
    }

    /// Returns the hash of the password, in the form of hashcat and john.
    pub fn hash(&self) -> Option<&str> {
        self.encryption.as_ref()?.hashcat.as_deref()
    }

    /// Returns the text after the facts: the hash of the password, and the reason for which the
    /// file is not decrypted.
    pub fn end(&self) -> String {
        let Some(encryption) = &self.encryption else { return String::new() };
        let mut text = String::new();
        if let Some(hashcat) = self.hash() {
            text += &labelled_hash(hashcat, encryption.hashcat_mode);
        }
        if let Some(unsupported) = &encryption.unsupported {
            text += &format!("Not decrypted here: {unsupported}.\n");
        }
        text
    }
}

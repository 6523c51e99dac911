//! Passwords of documents: their tests, by the same code that opens the documents.

use std::{fmt, sync::Arc};

use arcfour_attacks::search::PasswordTest;
use arcfour_formats::{
    office::{self, Protection},
    pdf::{self, Standard, pdf_doc_encoding},
};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// The test of a password of a PDF file: it is the user's or the owner's.
///
/// # Errors
/// If the file cannot be read, or is not encrypted with RC4, in words.
pub(super) fn pdf(bytes: Vec<u8>) -> Result<Arc<dyn PasswordTest>, String> {
    let sum = Sha256::digest(&bytes).into();
    let document = pdf::Document::repair(bytes).map_err(|error| error.to_string())?;
    let security = document.security().ok_or(pdf::Error::NotEncrypted);
    let standards = security.and_then(pdf::Security::rc4).map_err(|error| error.to_string())?;
    Ok(Arc::new(Pdf { standards, sum }))
}

/// The test of a password of an Office file.
///
/// # Errors
/// If the file cannot be read, or a password does not belong to its encryption, in words.
pub(super) fn office(bytes: Vec<u8>) -> Result<Arc<dyn PasswordTest>, String> {
    let sum = Sha256::digest(&bytes).into();
    let document = office::Document::read(bytes).map_err(|error| error.to_string())?;
    let known_bits = match document.protection() {
        Protection::Rc4(office::Handler::Office97(_)) => 40.0,
        Protection::Rc4(office::Handler::CryptoApi(header)) => f64::from(header.key_bits),
        // A key of 16 bits and a verifier of 15.
        Protection::Xor(_) => 31.0,
        Protection::Jet(_) => return Err("its key lies in the file: no password is needed".into()),
        _ => {
            return Err(document
                .handler()
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default());
        }
    };
    Ok(Arc::new(Office { document, known_bits, sum }))
}

/// A password as a terminal takes it: text, or `$HEX[...]` of bytes that are none, as hashcat and john print
/// them.
pub(super) fn shown(password: &[u8]) -> String {
    let text = str::from_utf8(password).ok().filter(|text| !text.chars().any(char::is_control));
    match text.filter(|text| !text.starts_with("$HEX[")) {
        Some(text) => text.to_owned(),
        None => format!("$HEX[{}]", HEXLOWER.encode(password)),
    }
}

#[derive(Debug)]
struct Pdf {
    standards: Vec<Standard>,
    sum: [u8; 32],
}

impl PasswordTest for Pdf {
    fn passes(&self, password: &[u8]) -> bool {
        let opens = |bytes: &[u8]| self.standards.iter().any(|it| it.open(bytes).is_some());
        let text = str::from_utf8(password).ok().filter(|text| !text.is_ascii());
        let encoded = text.and_then(pdf_doc_encoding);
        encoded.is_some_and(|encoded| opens(&encoded)) || opens(password)
    }

    fn known_bits(&self) -> f64 {
        // Another password may give the same key.
        let lens = self.standards.iter().map(|standard| standard.key_len);
        8.0 * lens.min().unwrap_or(0) as f64
    }

    fn canonical(&self) -> String {
        format!("pdf {}", HEXLOWER.encode(&self.sum))
    }
}

struct Office {
    document: office::Document,
    known_bits: f64,
    sum: [u8; 32],
}

impl fmt::Debug for Office {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Office({})", self.canonical())
    }
}

impl PasswordTest for Office {
    fn passes(&self, password: &[u8]) -> bool {
        self.document.open(password).is_ok()
    }

    fn known_bits(&self) -> f64 {
        self.known_bits
    }

    fn canonical(&self) -> String {
        format!("office {}", HEXLOWER.encode(&self.sum))
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn what_is_no_text_is_shown_as_digits() {
        assert_eq!(shown("gr\u{fc}n".as_bytes()), "gr\u{fc}n");
        assert_eq!(shown(b"gr\xfcn"), "$HEX[6772fc6e]");
        assert_eq!(shown(b"\x1b[2J"), "$HEX[1b5b324a]");
        assert_eq!(shown(b"$HEX[41]"), "$HEX[244845585b34315d]");
    }
}

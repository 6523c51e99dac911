//! Tests of document passwords. A password found side by side is confirmed by the code that opens
//! documents.

use std::{fmt, sync::Arc};

use arcfour_attacks::search::{OfficePasswords, PasswordTest, PdfPasswords, Whose};
use arcfour_formats::{
    office::{self, Protection},
    pdf,
};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The kind of PDF password to search.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum Of {
    /// The password that opens the document
    User,
    /// The password that permits everything
    Owner,
    /// The user's or the owner's password
    Either,
}

impl From<Of> for Whose {
    fn from(of: Of) -> Self {
        match of {
            Of::User => Self::User,
            Of::Owner => Self::Owner,
            Of::Either => Self::Either,
        }
    }
}

/// Returns the test for a user or owner password of a PDF file, as `whose` says.
///
/// # Errors
/// If the file cannot be read, or is not encrypted with RC4. The error is a message.
pub(super) fn pdf(bytes: Vec<u8>, whose: Whose) -> Result<Arc<dyn PasswordTest>, String> {
    let sum = Sha256::digest(&bytes).into();
    let document = pdf::Document::repair(bytes).map_err(|error| error.to_string())?;
    let security = document.security().ok_or(pdf::Error::NotEncrypted);
    let standards = security.and_then(pdf::Security::rc4).map_err(|error| error.to_string())?;
    // Another password may give the same key.
    let lens = standards.iter().map(|standard| standard.key_len);
    let known_bits = 8.0 * lens.min().unwrap_or(0) as f64;
    let readings = standards.into_iter().map(|standard| PdfPasswords::new(standard, whose));
    Ok(Arc::new(Pdf { readings: readings.collect(), whose, known_bits, sum }))
}

/// The test of a password of an Office file.
///
/// # Errors
/// If the file cannot be read, or its encryption has no password. The error is a message.
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

/// Writes a password for a terminal: as text, or `$HEX[...]` for other bytes, like hashcat and
/// john.
pub(super) fn shown(password: &[u8]) -> String {
    let text = str::from_utf8(password).ok().filter(|text| !text.chars().any(char::is_control));
    match text.filter(|text| !text.starts_with("$HEX[")) {
        Some(text) => text.to_owned(),
        None => format!("$HEX[{}]", HEXLOWER.encode(password)),
    }
}

#[derive(Debug)]
struct Pdf {
    /// Programs interpret an encryption dictionary differently.
    readings: Vec<PdfPasswords>,
    whose: Whose,
    known_bits: f64,
    sum: [u8; 32],
}

impl PasswordTest for Pdf {
    fn passes(&self, password: &[u8]) -> bool {
        let opens = |bytes: &Zeroizing<Vec<u8>>| self.readings.iter().any(|it| it.passes(bytes));
        pdf::readings(password).iter().any(opens)
    }

    fn passing(&self, passwords: &[&[u8]]) -> Vec<usize> {
        // An ASCII password has no other reading.
        let others: Vec<(usize, Zeroizing<Vec<u8>>)> = (passwords.iter().enumerate())
            .filter(|(_, password)| !password.is_ascii())
            .flat_map(|(n, password)| pdf::readings(password).into_iter().map(move |it| (n, it)))
            .filter(|(n, reading)| reading[..] != *passwords[*n])
            .collect();
        let tried: Vec<&[u8]> =
            passwords.iter().copied().chain(others.iter().map(|(_, bytes)| &bytes[..])).collect();
        let place = |n: usize| n.checked_sub(passwords.len()).map_or(n, |at| others[at].0);
        let passed = self.readings.iter().flat_map(|reading| reading.passing(&tried));
        confirmed(self, passwords, passed.map(place).collect())
    }

    fn known_bits(&self) -> f64 {
        self.known_bits
    }

    fn canonical(&self) -> String {
        let whose = match self.whose {
            Whose::Either => "",
            Whose::User => " user",
            Whose::Owner => " owner",
        };
        format!("pdf {}{whose}", HEXLOWER.encode(&self.sum))
    }
}

/// Returns the indexes of the passwords that also pass one by one, in order.
fn confirmed(test: &dyn PasswordTest, passwords: &[&[u8]], mut places: Vec<usize>) -> Vec<usize> {
    places.sort_unstable();
    places.dedup();
    places.retain(|&n| test.passes(passwords[n]));
    places
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

    fn passing(&self, passwords: &[&[u8]]) -> Vec<usize> {
        let Protection::Rc4(handler) = self.document.protection() else {
            return confirmed(self, passwords, (0..passwords.len()).collect());
        };
        // One buffer for all texts, because an allocation for each takes as long as its hash.
        let (mut units, mut tried) = (vec![], Vec::with_capacity(passwords.len()));
        for (n, password) in passwords.iter().enumerate() {
            if has_one_reading(password) {
                let start = units.len();
                units.resize(start + 2 * password.len(), 0);
                let (pairs, _) = units[start..].as_chunks_mut();
                pairs.iter_mut().zip(*password).for_each(|(pair, &byte)| *pair = [byte, 0]);
                tried.push((n, start..units.len()));
                continue;
            }
            let Ok(password) = str::from_utf8(password) else { continue };
            for (reading, _) in self.document.readings(password) {
                let start = units.len();
                units.extend(reading.encode_utf16().flat_map(u16::to_le_bytes));
                tried.push((n, start..units.len()));
            }
        }
        let texts: Vec<&[u8]> = tried.iter().map(|(_, range)| &units[range.clone()]).collect();
        let passed = OfficePasswords::new(handler.clone()).passing(&texts);
        confirmed(self, passwords, passed.into_iter().map(|n| tried[n].0).collect())
    }

    fn known_bits(&self) -> f64 {
        self.known_bits
    }

    fn canonical(&self) -> String {
        format!("office {}", HEXLOWER.encode(&self.sum))
    }
}

/// Returns true for passwords whose only [reading](office::Document::readings) is the password.
/// Most passwords are such, and the check takes less time than the readings.
fn has_one_reading(password: &[u8]) -> bool {
    (1..=15).contains(&password.len()) && password.is_ascii()
}

#[cfg(test)]
mod tests {
    use arcfour_formats::office::{Document, OpenedWith};

    use super::{has_one_reading, shown};

    #[test]
    fn short_passwords_of_ascii_have_one_reading() {
        for name in ["office97.doc", "libreoffice.xls", "cryptoapi-128.doc"] {
            let path = format!("{}/../vectors/office/{name}", env!("CARGO_MANIFEST_DIR"));
            let document = Document::read(std::fs::read(path).unwrap()).unwrap();
            for len in 1..=15 {
                let password = "pass word of 15"[..len].to_owned();
                assert!(has_one_reading(password.as_bytes()));
                let readings: Vec<_> = document.readings(&password).collect();
                assert_eq!(readings, [(&*password, OpenedWith::Password)], "{name}, {len}");
            }
        }
        for others in ["", "pass word of 15+", "gr\u{fc}n"] {
            assert!(!has_one_reading(others.as_bytes()), "{others}");
        }
    }

    #[test]
    fn what_is_no_text_is_shown_as_digits() {
        assert_eq!(shown("gr\u{fc}n".as_bytes()), "gr\u{fc}n");
        assert_eq!(shown(b"gr\xfcn"), "$HEX[6772fc6e]");
        assert_eq!(shown(b"\x1b[2J"), "$HEX[1b5b324a]");
        assert_eq!(shown(b"$HEX[41]"), "$HEX[244845585b34315d]");
    }
}

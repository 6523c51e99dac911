//! How a document of Office is protected.

use arcfour_formats::office::{Document, Format, Handler, OpenedWith, Protection};
use data_encoding::HEXLOWER;
use serde::Serialize;

use super::super::document::labelled_hash;

/// How a document of Office is protected.
#[derive(Serialize)]
pub struct Facts {
    format: String,
    protection: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_bits: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opens_without_password: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excel_default_password: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hashcat: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hashcat_mode: Option<u32>,
}

impl Facts {
    /// Returns the facts of a document.
    pub fn of(document: &Document) -> Self {
        let format = document.format();
        let mut facts = Self {
            format: format.to_string(),
            protection: String::new(),
            key_bits: None,
            salt: None,
            opens_without_password: None,
            excel_default_password: None,
            hashcat: None,
            hashcat_mode: None,
        };
        facts.protection = match document.protection() {
            Protection::None => "none".to_owned(),
            Protection::Xor(_) => {
                facts.opened(document);
                "XOR obfuscation, which is not RC4".to_owned()
            }
            Protection::Jet(jet) => {
                facts.key_bits = (jet.key != 0).then_some(32);
                facts.opens_without_password = Some(true);
                match (jet.key, jet.has_password) {
                    (0, _) => "a password that lies in the file; nothing is encrypted",
                    (_, false) => "RC4, with the key in the file",
                    (_, true) => "RC4, with the key and a password in the file",
                }
                .to_owned()
            }
            Protection::Other(name) => name.clone(),
            Protection::Rc4(handler) => facts.rc4(document, handler, format),
            _ => "unknown".to_owned(),
        };
        facts
    }

    fn rc4(&mut self, document: &Document, handler: &Handler, format: Format) -> String {
        let hex = |bytes: &[u8]| HEXLOWER.encode(bytes);
        let (name, bits, salt, verifier, hash) = match handler {
            Handler::Office97(header) => {
                let parts = (header.salt, header.verifier, hex(&header.verifier_hash));
                ("Office 97 RC4", 40, parts.0, parts.1, parts.2)
            }
            Handler::CryptoApi(header) => {
                let parts = (header.salt, header.verifier, hex(&header.verifier_hash));
                ("RC4 CryptoAPI", header.key_bits, parts.0, parts.1, parts.2)
            }
        };
        // Types 0 and 1 are with MD5; 3 is CryptoAPI with 40 bits, 4 with 128, 5 with 56.
        let kind = match (handler, bits, format) {
            (Handler::Office97(_), _, Format::Xls | Format::Xls95) => Some(0),
            (Handler::Office97(_), ..) => Some(1),
            (_, 40, _) => Some(3),
            (_, 128, _) => Some(4),
            (_, 56, _) => Some(5),
            _ => None,
        };
        self.hashcat =
            kind.map(|kind| format!("$oldoffice${kind}*{}*{}*{hash}", hex(&salt), hex(&verifier)));
        self.hashcat_mode = match kind {
            Some(0 | 1) => Some(9700),
            Some(3 | 4) => Some(9800),
            _ => None, // 56 bits: john only
        };
        self.key_bits = Some(bits);
        self.salt = Some(hex(&salt));
        self.opened(document);
        name.to_owned()
    }

    fn opened(&mut self, document: &Document) {
        let opened = document.open(b"").ok().map(|(_, with)| with);
        self.opens_without_password = Some(opened.is_some());
        self.excel_default_password = matches!(document.format(), Format::Xls | Format::Xls95)
            .then_some(opened == Some(OpenedWith::ExcelDefault));
    }

    /// Returns the command that decrypts the file, where FILE stands for the file; `None` if there
    /// is no such command.
    pub fn next(&self) -> Option<&'static str> {
        match self.opens_without_password? {
            true => Some("arcfour office decrypt FILE -o OUT"),
            false => Some("arcfour office decrypt --password FILE -o OUT"),
        }
    }

    /// Returns the facts by name.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows =
            vec![("format", self.format.clone()), ("protection", self.protection.clone())];
        if let Some(bits) = self.key_bits {
            rows.push(("key", format!("{bits} bits")));
        }
        if let Some(salt) = &self.salt {
            rows.push(("salt", salt.clone()));
        }
        if let Some(opens) = self.opens_without_password {
            let opens = match (opens, self.excel_default_password) {
                (true, Some(true)) => "yes, with Excel's default password",
                (true, _) => "yes",
                (false, _) => "no",
            };
            rows.push(("opens without password", opens.to_owned()));
        }
        rows
    }

    /// Returns the hash of the password, in the form of hashcat and john.
    pub fn hash(&self) -> Option<&str> {
        self.hashcat.as_deref()
    }

    /// Returns the text after the facts: the hash of the password.
    pub fn end(&self) -> String {
        let hash = self.hash().map(|hash| labelled_hash(hash, self.hashcat_mode));
        hash.unwrap_or_default()
    }
}

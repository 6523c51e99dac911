//! Wholly encrypted files: sealed files and files of `openssl enc`.

use std::io::{Read, Seek};
use std::path::Path;

use arcfour_container::{Cipher, HEADER_LEN, Header, KeyKind};
use arcfour_formats::openssl::MAGIC;

use crate::finding::Finding;
use crate::input::Input;
use crate::readers::{ReadError, Reader};
use crate::rules::RuleId;

const SEALED: RuleId = RuleId::new("sealed-rc4");
const SALTED: RuleId = RuleId::new("openssl-salted");

pub(super) struct Sealed;

impl Reader for Sealed {
    fn name(&self) -> &'static str {
        "sealed file"
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        head.get(..HEADER_LEN).is_some_and(|head| Header::parse(head).is_ok())
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let mut head = Vec::new();
        input.rewind()?;
        Read::take(&mut *input, HEADER_LEN as u64).read_to_end(&mut head)?;
        let header = Header::parse(&head).map_err(|fault| ReadError::Damaged(fault.to_string()))?;
        let (key, option) = match header.key {
            KeyKind::File => ("key file needed", "--seal-key KEY"),
            _ => ("passphrase needed", "--passphrase"),
        };
        let what = match header.cipher {
            Cipher::Rc4 => "RC4-drop[3072] with a MAC",
            _ => "PARC4-R, made of RC4, with a MAC",
        };
        found(
            Finding::new(SEALED, input.place(), format!("{what}, {key}"))
                .with("cipher", header.cipher.name())
                .with("key option", option),
        );
        Ok(())
    }
}

pub(super) struct Salted;

impl Reader for Salted {
    fn name(&self) -> &'static str {
        "openssl enc"
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        head.starts_with(MAGIC) || head.starts_with(b"U2FsdGVkX1")
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let mut head = Vec::new();
        input.rewind()?;
        Read::take(&mut *input, MAGIC.len() as u64).read_to_end(&mut head)?;
        let is_raw = head == MAGIC;
        // Block ciphers pad to whole blocks of 8 or 16 bytes.
        let evidence = match (is_raw, input.size() % 8) {
            (false, _) => "salted, in base64; the cipher is not said",
            (true, 0) => "salted; the cipher is not said",
            (true, _) => {
                "salted; the cipher is not said, and only a stream cipher gives this length"
            }
        };
        found(Finding::new(SALTED, input.place(), evidence));
        Ok(())
    }
}

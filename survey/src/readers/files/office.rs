//! Word, Excel, PowerPoint and Access 97 to 2003.

use std::io::{Read, Seek};
use std::path::Path;

use arcfour_formats::office::{Document, Error, Handler, OpenedWith, Protection};

use crate::finding::Finding;
use crate::input::Input;
use crate::readers::{ReadError, Reader};
use crate::rules::RuleId;

const OFFICE_97: RuleId = RuleId::new("office-97");
const CRYPTOAPI: RuleId = RuleId::new("office-cryptoapi");
const OPEN: RuleId = RuleId::new("office-open");
const JET: RuleId = RuleId::new("access-jet");

const COMPOUND: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const DATABASES: [&[u8]; 2] = [b"\0\x01\0\0Standard Jet DB\0", b"\0\x01\0\0Standard ACE DB\0"];
/// The first page of a database has all facts. A page has at most 4096 bytes, and two pages are
/// enough for every version.
const DATABASE: u64 = 8192;
/// The maximum size of a document, in bytes.
const MOST: u64 = 1 << 30;

pub(super) struct Office;

impl Reader for Office {
    fn name(&self) -> &'static str {
        "Office"
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        head.starts_with(COMPOUND) || is_database(head)
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let mut head = Vec::new();
        input.rewind()?;
        Read::take(&mut *input, DATABASE).read_to_end(&mut head)?;
        let bytes = if is_database(&head) { head } else { input.all(MOST)? };
        let document = match Document::read(bytes) {
            Ok(document) => document,
            Err(Error::Damaged(what)) => return Err(ReadError::Damaged(what)),
            // Compound files of other programs, and documents with newer protection.
            Err(_) => return Ok(()),
        };
        if let Some(finding) = finding(&document, input) {
            found(finding);
        }
        Ok(())
    }
}

fn is_database(head: &[u8]) -> bool {
    DATABASES.iter().any(|start| head.starts_with(start))
}

fn finding(document: &Document, input: &Input<'_>) -> Option<Finding> {
    let format = document.format();
    let handler = match document.protection() {
        Protection::Rc4(handler) => handler,
        Protection::Jet(jet) if jet.key != 0 => {
            let evidence = format!("{format}: the key lies in the file");
            return Some(Finding::new(JET, input.place(), evidence).with("key bits", "32"));
        }
        _ => return None,
    };
    let (rule, bits) = match handler {
        Handler::Office97(_) => (OFFICE_97, 40),
        Handler::CryptoApi(header) => (CRYPTOAPI, header.key_bits),
    };
    let opened = document.open(b"").ok().map(|(_, with)| with);
    let (rule, how) = match opened {
        Some(OpenedWith::ExcelDefault) => (OPEN, "opens with Excel's default password"),
        Some(_) => (OPEN, "opens without a password"),
        None => (rule, "password needed"),
    };
    let finding = Finding::new(rule, input.place(), format!("{format}, {bits}-bit key, {how}"))
        .with("format", format.to_string())
        .with("key bits", bits.to_string())
        .with("opens without a password", if opened.is_some() { "yes" } else { "no" });
    Some(if rule == OFFICE_97 { finding.with("search", "office") } else { finding })
}

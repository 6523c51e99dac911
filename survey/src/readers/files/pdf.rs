//! PDF files: only the encryption dictionary is read, at any place in the file.

use std::io::{self, Read, Seek};
use std::path::Path;

use arcfour_formats::pdf::{Document, Error, Method, Security, Source, find_header};

use crate::finding::Finding;
use crate::input::Input;
use crate::packing;
use crate::readers::{HEAD, ReadError, Reader};
use crate::rules::RuleId;

const BITS_40: RuleId = RuleId::new("pdf-40");
const PASSWORD: RuleId = RuleId::new("pdf");
const OPEN: RuleId = RuleId::new("pdf-open");
const OTHER: RuleId = RuleId::new("pdf-other");

/// The maximum size of a file in an archive, in bytes.
const MOST: u64 = 1 << 30;

pub(super) struct Pdf;

impl Reader for Pdf {
    fn name(&self) -> &'static str {
        "PDF"
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        // The first member of an archive may be one, and is not the file.
        packing::kind(head).is_none() && find_header(head).is_some()
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let document = match Document::repair(Source::new(input.owned(MOST)?)?) {
            Ok(document) => document,
            Err(Error::Read(what)) => return Err(ReadError::Io(io::Error::other(what))),
            Err(Error::Damaged(_)) if is_mention(input)? => return Ok(()),
            Err(other) => return Err(ReadError::Damaged(other.to_string())),
        };
        if let Some(finding) = document.security().and_then(|security| finding(security, input)) {
            found(finding);
        }
        Ok(())
    }
}

/// Returns true if a text stands before the header in its line, as in a program that mentions it.
/// A file with such a header may still be a PDF file.
fn is_mention(input: &mut Input<'_>) -> Result<bool, ReadError> {
    let mut source = input.owned(MOST)?;
    source.rewind()?;
    let mut head = vec![];
    source.take(HEAD as u64).read_to_end(&mut head)?;
    let before = find_header(&head).and_then(|at| head[..at].last());
    Ok(before.is_some_and(|&byte| byte == b'\t' || byte == b' ' || byte.is_ascii_graphic()))
}

fn finding(security: &Security, input: &Input<'_>) -> Option<Finding> {
    let methods = [&security.streams, &security.strings, &security.embedded_files];
    if methods.iter().all(|method| **method != Method::Rc4) {
        return None;
    }
    let Ok(standards) = security.rc4() else {
        let evidence = format!(
            "security handler {}, streams {}, strings {}",
            security.handler, security.streams, security.strings
        );
        return Some(Finding::new(OTHER, input.place(), evidence));
    };
    let opened = security.open(b"").ok();
    let bytes = opened.as_ref().map_or(standards[0].key_len, |(key, _)| key.bytes().len());
    let (rule, evidence) = match (&opened, bytes) {
        (Some(_), _) => (OPEN, "opens without a password"),
        (None, 5) => (BITS_40, "40-bit key, password needed"),
        (None, _) => (PASSWORD, "password needed"),
    };
    let finding = Finding::new(rule, input.place(), evidence)
        .with("key bits", (8 * bytes).to_string())
        .with("opens without a password", if opened.is_some() { "yes" } else { "no" });
    // Revisions 3 and 4 have another key test than revision 2, and their search takes longest.
    Some(if rule == BITS_40 && security.revision > 2 {
        finding.with("search", "pdf")
    } else {
        finding
    })
}

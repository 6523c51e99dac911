//! `arcfour inspect`

use std::io::Read;

use arcfour_container::{HEADER_LEN, Header, KeyKind};
use data_encoding::HEXLOWER;
use serde::Serialize;

use crate::console::{failure::Failure, shown::InspectArgs, table::named};

/// How other encrypted files begin, and the command for them.
const DOCUMENTS: [(&[u8], &str); 2] =
    [(b"%PDF-", "pdf"), (&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], "office")];

/// Show the header and the lengths of a sealed file, without its key
///
/// Nothing is verified here: only `arcfour open` does that.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour inspect backup.sealed
  arcfour inspect --json backup.sealed | jq .lengths.plaintext_bytes")]
pub struct Args {
    #[command(flatten)]
    shown: InspectArgs,
}

#[derive(Serialize)]
struct Facts {
    version: u8,
    cipher: &'static str,
    key: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    argon2id: Option<Argon2id>,
    chunk_bytes: usize,
    salt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lengths: Option<Lengths>,
}

#[derive(Serialize)]
struct Argon2id {
    memory_kib: u32,
    passes: u8,
    lanes: u8,
}

#[derive(Serialize)]
struct Lengths {
    sealed_bytes: u64,
    plaintext_bytes: u64,
    chunks: u64,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let input = self.shown.open()?;
        let (name, size) = (input.name().to_owned(), input.size());
        let mut bytes = Vec::with_capacity(HEADER_LEN);
        let mut start = input.take(HEADER_LEN as u64);
        start.read_to_end(&mut bytes).map_err(|error| Failure::read(&name, &error))?;
        let failed = |reason| Failure::Work(format!("cannot inspect {name}: {reason}"));
        let header = Header::parse(&bytes).map_err(|fault| {
            let other = DOCUMENTS.iter().find(|(start, _)| bytes.starts_with(start));
            let remedy =
                other.map(|(_, kind)| format!("; `arcfour {kind} inspect` reads this file"));
            failed(format!("{fault}{}", remedy.unwrap_or_default()))
        })?;
        let lengths = size.map(|size| lengths(&header, size)).transpose().map_err(failed)?;
        let facts = facts(&header, lengths);
        self.shown.print(&facts, Facts::text)
    }
}

fn lengths(header: &Header, sealed_bytes: u64) -> Result<Lengths, String> {
    let size = header.chunk_size;
    let plaintext_bytes = size.plain_len(sealed_bytes).ok_or_else(|| {
        format!("no sealed file with this header has {sealed_bytes} bytes: it was cut or extended")
    })?;
    Ok(Lengths { sealed_bytes, plaintext_bytes, chunks: size.chunks(plaintext_bytes) })
}

fn facts(header: &Header, lengths: Option<Lengths>) -> Facts {
    let (key, argon2id) = match header.key {
        KeyKind::File => ("key file", None),
        KeyKind::Passphrase(cost) => {
            let (memory_kib, passes, lanes) = (cost.memory_kib, cost.passes, cost.lanes);
            ("passphrase", Some(Argon2id { memory_kib, passes, lanes }))
        }
        _ => ("unknown", None),
    };
    Facts {
        version: 1,
        cipher: header.cipher.name(),
        key,
        argon2id,
        chunk_bytes: header.chunk_size.bytes(),
        salt: HEXLOWER.encode(&header.salt),
        lengths,
    }
}

impl Facts {
    fn text(&self) -> String {
        let mut rows = vec![
            ("version", self.version.to_string()),
            ("cipher", self.cipher.to_owned()),
            ("key", self.key.to_owned()),
        ];
        if let Some(Argon2id { memory_kib, passes, lanes }) = self.argon2id {
            rows.push(("Argon2id", format!("{memory_kib} KiB, {passes} passes, {lanes} lanes")));
        }
        rows.push(("chunk size", format!("{} bytes", self.chunk_bytes)));
        rows.push(("salt", self.salt.clone()));
        if let Some(lengths) = &self.lengths {
            rows.push(("sealed", format!("{} bytes", lengths.sealed_bytes)));
            rows.push(("plaintext", format!("{} bytes", lengths.plaintext_bytes)));
            rows.push(("chunks", lengths.chunks.to_string()));
        }
        named(rows) + "Nothing of this is verified: that takes `arcfour open`.\n"
    }
}

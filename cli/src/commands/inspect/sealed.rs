//! The header of a sealed file, read without its key.

use arcfour_container::{HEADER_LEN, Header, KeyKind};
use data_encoding::HEXLOWER;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Facts {
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
    /// Reads the header at the start of a file of `size` bytes, if its size is known.
    pub(super) fn read(start: &[u8], size: Option<u64>) -> Result<Self, String> {
        let header = Header::parse(&start[..start.len().min(HEADER_LEN)]);
        let header = header.map_err(|fault| fault.to_string())?;
        let lengths = size.map(|size| lengths(&header, size)).transpose()?;
        Ok(facts(&header, lengths))
    }

    /// Returns the command that opens it, where FILE stands for the file.
    pub(super) fn opened_by(&self) -> &'static str {
        match self.argon2id {
            Some(_) => "arcfour open --passphrase FILE -o OUT",
            None => "arcfour open --seal-key KEY FILE -o OUT",
        }
    }

    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
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
        rows
    }
}

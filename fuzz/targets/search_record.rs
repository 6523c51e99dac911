//! The record of a key search, its checksum made right. An accepted record is written back the
//! same. What it covers and what it misses make the whole space, once.

#![cfg_attr(not(test), no_main)]

use arcfour_attacks::search::Record;
use sha2::{Digest, Sha256};

arcfour_fuzz::target!(|text: &[u8]| {
    let text = arcfour_fuzz::text(text);
    // The last field is the checksum of the text with that field empty.
    let Some((start, _)) = text.rsplit_once("\"sum\":\"") else {
        let _ = Record::from_text(text);
        return;
    };
    let empty = format!("{start}\"sum\":\"\"}}\n");
    let sum = data_encoding::HEXLOWER.encode(&Sha256::digest(&empty));
    let Ok(record) = Record::from_text(&format!("{start}\"sum\":\"{sum}\"}}\n")) else { return };
    assert_eq!(Record::from_text(&record.to_text()).as_ref(), Ok(&record));
    let missing: u128 =
        record.missing(0..record.keys()).iter().map(|part| part.end - part.start).sum();
    assert_eq!(record.done() + missing, record.keys());
});

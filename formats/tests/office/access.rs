//! Makes databases that look like those by Access, plain and encrypted. `vectors/office/access.py`
//! has real ones.

use arcfour::Rc4;
use arcfour_formats::office::{FileKey, Handler};

/// The start of the keystream that masks the first page of every database by Access.
const MASK: [u8; 12] = [0xb5, 0x6f, 0x03, 0x62, 0x61, 0x08, 0xc2, 0x55, 0xeb, 0xa9, 0x67, 0x72];

pub fn page(version: u8) -> usize {
    if version == 0 { 2048 } else { 4096 }
}

/// Masks or unmasks a first page.
fn mask(database: &mut [u8]) {
    let mut keystream = vec![0; if database[0x14] == 0 { 126 } else { 128 }];
    Rc4::from_key(&[0xc7, 0xda, 0x39, 0x6b]).unwrap().fill(&mut keystream);
    assert_eq!(keystream[..12], MASK);
    for (byte, mask) in database[0x18..].iter_mut().zip(keystream) {
        *byte ^= mask;
    }
}

/// The second mask of Jet 4's password: the days until 2026-11-23, and a half.
const DAYS: f64 = 46349.5;

fn password_mask(version: u8) -> [u8; 4] {
    if version == 0 { [0; 4] } else { (DAYS as i32).to_le_bytes() }
}

/// A database of five pages, without a key or a password.
pub fn plain(engine: &str, version: u8) -> Vec<u8> {
    let page = page(version);
    let mut database = vec![0; 5 * page];
    for (n, byte) in database[page..].iter_mut().enumerate() {
        *byte = (n % 251) as u8;
    }
    database[..4].copy_from_slice(&[0, 1, 0, 0]);
    database[4..4 + engine.len()].copy_from_slice(engine.as_bytes());
    database[0x14] = version;
    if version > 0 {
        database[0x72..0x7a].copy_from_slice(&DAYS.to_le_bytes());
        for n in 0..40 {
            database[0x42 + n] = password_mask(version)[n % 4];
        }
    }
    mask(&mut database);
    database
}

/// Sets the key of the pages, and returns the function that encrypts a page.
fn set_key(database: &mut [u8], key: u32) -> impl Fn(usize) -> u32 + use<> {
    mask(database);
    database[0x3e..0x42].copy_from_slice(&key.to_le_bytes());
    mask(database);
    move |number| key ^ number as u32
}

/// A database of Jet with that key and password.
pub fn jet(plain: &[u8], key: u32, password: &str) -> Vec<u8> {
    let mut database = plain.to_vec();
    let version = database[0x14];
    let of_page = set_key(&mut database, key);
    mask(&mut database);
    let bytes: Vec<u8> = match version {
        0 => password.bytes().collect(),
        _ => password.encode_utf16().flat_map(u16::to_le_bytes).collect(),
    };
    for (n, byte) in bytes.into_iter().enumerate() {
        database[0x42 + n] ^= byte;
    }
    mask(&mut database);
    if key != 0 {
        for (number, page) in database.chunks_mut(page(version)).enumerate().skip(1) {
            Rc4::from_key(&of_page(number).to_le_bytes()).unwrap().apply(page);
        }
    }
    database
}

/// A database of Access 2007 with an encryption header.
pub fn accdb(plain: &[u8], handler: &Handler, key: &FileKey, header: &[u8]) -> Vec<u8> {
    let mut database = plain.to_vec();
    let of_page = set_key(&mut database, 0x8765_4321);
    for (number, page) in database.chunks_mut(4096).enumerate().skip(1) {
        handler.block_key(key, of_page(number)).apply(page);
    }
    database[0x299..0x29b].copy_from_slice(&(header.len() as u16).to_le_bytes());
    database[0x29b..0x29b + header.len()].copy_from_slice(header);
    database
}

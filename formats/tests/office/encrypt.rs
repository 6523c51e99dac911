//! Encrypts plain documents, for the tests of decryption: [MS-DOC] §2.2.6, [MS-XLS] §2.2.10,
//! [MS-PPT] §2.3.7, [MS-OFFCRYPTO] §2.3.5.4 and §2.3.7. The independent library `cfb` reads and
//! writes the compound files.

use std::io::{Cursor, Read, Write};

use arcfour_formats::office::{FileKey, Handler, Xor};
use cfb::CompoundFile;

/// Returns a stream of a compound file, if it exists.
pub fn stream(file: &[u8], name: &str) -> Option<Vec<u8>> {
    let mut compound = CompoundFile::open(Cursor::new(file)).unwrap();
    let mut bytes = vec![];
    compound.open_stream(name).ok()?.read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

/// Returns true if the compound file follows all rules of its format.
pub fn is_strict(file: &[u8]) -> bool {
    CompoundFile::open_strict(Cursor::new(file)).is_ok()
}

/// Returns a compound file with these streams. A path has at most one storage.
pub fn compound(streams: &[(&str, &[u8])]) -> Vec<u8> {
    let mut compound = CompoundFile::create(Cursor::new(vec![])).unwrap();
    for (path, bytes) in streams {
        if let Some((storage, _)) = path.split_once('/') {
            compound.create_storage_all(storage).unwrap();
        }
        compound.create_stream(path).unwrap().write_all(bytes).unwrap();
    }
    compound.flush().unwrap();
    compound.into_inner().into_inner()
}

/// Returns the file with a stream added or replaced.
pub fn with_stream(file: Vec<u8>, name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut compound = CompoundFile::open(Cursor::new(file)).unwrap();
    let mut stream = match compound.is_stream(name) {
        true => compound.open_stream(name).unwrap(),
        false => compound.create_stream(name).unwrap(),
    };
    stream.set_len(bytes.len() as u64).unwrap();
    stream.write_all(bytes).unwrap();
    stream.flush().unwrap();
    drop(stream);
    compound.flush().unwrap();
    compound.into_inner().into_inner()
}

/// Returns the file with an empty storage.
pub fn with_storage(file: Vec<u8>, name: &str) -> Vec<u8> {
    let mut compound = CompoundFile::open(Cursor::new(file)).unwrap();
    compound.create_storage(name).unwrap();
    compound.flush().unwrap();
    compound.into_inner().into_inner()
}

/// Returns the file with a stream removed.
fn without_stream(file: Vec<u8>, name: &str) -> Vec<u8> {
    let mut compound = CompoundFile::open(Cursor::new(file)).unwrap();
    compound.remove_stream(name).unwrap();
    compound.flush().unwrap();
    compound.into_inner().into_inner()
}

/// The names of the summary's streams.
pub const SUMMARY: [&str; 2] = ["\u{5}SummaryInformation", "\u{5}DocumentSummaryInformation"];

/// Puts both streams of the summary into an encrypted stream, and replaces the second by a
/// placeholder.
pub fn encrypt_summary(file: Vec<u8>, name: &str, handler: &Handler, key: &FileKey) -> Vec<u8> {
    let parts = SUMMARY.map(|name| (name, stream(&file, name).unwrap()));
    let file = without_stream(without_stream(file, SUMMARY[0]), SUMMARY[1]);
    let file = with_stream(file, SUMMARY[1], &[0xfe, 0xff, 5, 0]);
    with_summary(file, name, handler, key, &parts)
}

/// Returns the file with an encrypted summary of these streams.
pub fn with_summary(
    file: Vec<u8>,
    name: &str,
    handler: &Handler,
    key: &FileKey,
    parts: &[(&str, Vec<u8>)],
) -> Vec<u8> {
    let apply = |block: u32, data: &mut [u8]| handler.block_key(key, block).apply(data);
    let mut data = vec![0; 8];
    let mut descriptors = (parts.len() as u32).to_le_bytes().to_vec();
    for (block, (name, part)) in (1..).zip(parts) {
        let mut part = part.clone();
        for number in [data.len(), part.len()] {
            descriptors.extend((number as u32).to_le_bytes());
        }
        descriptors.extend([block as u8, 0, name.len() as u8, 1, 0, 0, 0, 0]);
        descriptors.extend(name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        apply(block, &mut part);
        data.extend(part);
    }
    let (at, len) = (data.len() as u32, descriptors.len() as u32 - 4);
    put(&mut data, 0, at);
    put(&mut data, 4, len);
    apply(0, &mut data[..8]);
    apply(0, &mut descriptors);
    data.extend(descriptors);
    with_stream(file, name, &data)
}

/// A picture of PowerPoint, field by field: the head, the identifiers, the tag or the metafile's
/// header, and the data. If the store has an entry, the entry and the name come first.
pub fn picture(kind: u16, instance: u16, in_store: bool, data: &[u8]) -> Vec<Vec<u8>> {
    let head = |instance: u16, kind: u16, len: usize| {
        let len = (len as u32).to_le_bytes();
        [&(instance << 4).to_le_bytes()[..], &kind.to_le_bytes(), &len].concat()
    };
    let two = [0x217, 0x6e1].contains(&instance);
    let mut fields = vec![vec![b'u'; 16]; if two { 2 } else { 1 }];
    fields.push(vec![b't'; if (0xf01a..=0xf01c).contains(&kind) { 34 } else { 1 }]);
    fields.push(data.to_vec());
    let len = fields.iter().map(Vec::len).sum();
    fields.insert(0, head(instance, kind, len));
    if in_store {
        let name = b"n\0a\0".to_vec();
        let mut entry: Vec<Vec<u8>> =
            [1, 1, 16, 2, 4, 4, 4, 1].iter().map(|len| vec![b'e'; *len]).collect();
        entry.extend([vec![name.len() as u8], vec![0], vec![0], name]);
        let len = len + 8 + entry.iter().map(Vec::len).sum::<usize>();
        entry.insert(0, head(2, 0xf007, len));
        fields.splice(0..0, entry);
    }
    fields
}

/// An entry of the store whose picture is elsewhere, field by field.
pub fn entry_without_picture() -> Vec<Vec<u8>> {
    let mut fields = picture(0xf01d, 0x46a, true, &[]);
    fields.truncate(1 + 12);
    let len: usize = fields[1..].iter().map(Vec::len).sum();
    put(&mut fields[0], 4, len as u32);
    fields
}

/// Adds encrypted pictures to a presentation.
pub fn with_pictures(
    file: Vec<u8>,
    fields: &[Vec<u8>],
    handler: &Handler,
    key: &FileKey,
) -> Vec<u8> {
    let mut stream = vec![];
    for field in fields {
        let mut field = field.clone();
        handler.block_key(key, 0).apply(&mut field);
        stream.extend(field);
    }
    with_stream(file, "Pictures", &stream)
}

/// Returns the encryption header as in a file, from its version on.
pub fn header(handler: &Handler, size_zero: bool) -> Vec<u8> {
    let mut bytes = vec![];
    match handler {
        Handler::Office97(header) => {
            bytes.extend([1, 0, 1, 0]);
            bytes.extend(header.salt);
            bytes.extend(header.verifier);
            bytes.extend(header.verifier_hash);
        }
        Handler::CryptoApi(header) => {
            let provider = "Microsoft Enhanced Cryptographic Provider v1.0\0";
            let provider: Vec<u8> = provider.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let bits = if size_zero { 0 } else { u32::from(header.key_bits) };
            bytes.extend([2, 0, 2, 0]);
            let mut number = |number: u32| bytes.extend(number.to_le_bytes());
            number(4); // fCryptoAPI
            number(32 + provider.len() as u32);
            for value in [4, 0, 0x6801, 0x8004, bits, 1, 0, 0] {
                number(value);
            }
            bytes.extend(&provider);
            bytes.extend(16u32.to_le_bytes());
            bytes.extend(header.salt);
            bytes.extend(header.verifier);
            bytes.extend(20u32.to_le_bytes());
            bytes.extend(header.verifier_hash);
        }
    }
    bytes
}

/// The document, encrypted.
pub fn document(
    plain: Vec<u8>,
    ending: &str,
    handler: &Handler,
    key: &FileKey,
    header: &[u8],
) -> Vec<u8> {
    match ending {
        "doc" => doc(plain, handler, key, header),
        "xls" => xls(plain, handler, key, header),
        _ => ppt(plain, handler, key, header),
    }
}

pub fn blocks(handler: &Handler, key: &FileKey, len: usize, data: &mut [u8]) {
    for (number, block) in data.chunks_mut(len).enumerate() {
        handler.block_key(key, number as u32).apply(block);
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn put(bytes: &mut [u8], at: usize, number: u32) {
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

/// Puts the header before the table, which moves all offsets of the FIB into the table.
fn doc(plain: Vec<u8>, handler: &Handler, key: &FileKey, header: &[u8]) -> Vec<u8> {
    let mut main = stream(&plain, "WordDocument").unwrap();
    let table_name = if main[0x0b] & 2 == 0 { "0Table" } else { "1Table" };
    let mut table = [header, &stream(&plain, table_name).unwrap()].concat();
    let pairs = usize::from(u16::from_le_bytes([main[0x98], main[0x99]]));
    for pair in 0..pairs {
        let at = 0x9a + 8 * pair;
        let (fc, lcb) = (u32_at(&main, at), u32_at(&main, at + 4));
        if lcb != 0 {
            put(&mut main, at, fc + header.len() as u32);
        }
    }
    main[0x0b] |= 1;
    put(&mut main, 0x0e, header.len() as u32);
    let base = main[..68].to_vec();
    blocks(handler, key, 512, &mut main);
    main[..68].copy_from_slice(&base);
    blocks(handler, key, 512, &mut table);
    table[..header.len()].copy_from_slice(header);
    let mut file = with_stream(plain, "WordDocument", &main);
    if let Some(mut data) = stream(&file, "Data") {
        blocks(handler, key, 512, &mut data);
        file = with_stream(file, "Data", &data);
    }
    with_stream(file, table_name, &table)
}

/// The records of a workbook: kind, start of the body, length.
fn records(workbook: &[u8]) -> Vec<(u16, usize, usize)> {
    let mut records = vec![];
    let mut at = 0;
    while workbook[at..].len() >= 4 && workbook[at..].iter().any(|byte| *byte != 0) {
        let kind = u16::from_le_bytes([workbook[at], workbook[at + 1]]);
        let len = usize::from(u16::from_le_bytes([workbook[at + 2], workbook[at + 3]]));
        records.push((kind, at + 4, len));
        at += 4 + len;
    }
    records
}

/// Returns the workbook with a record after its first; the sheets' offsets move.
fn with_record(workbook: &[u8], kind: u16, body: &[u8]) -> Vec<u8> {
    let (_, start, len) = records(workbook)[0];
    let mut new = workbook[..start + len].to_vec();
    new.extend(kind.to_le_bytes());
    new.extend((body.len() as u16).to_le_bytes());
    new.extend(body);
    new.extend(&workbook[start + len..]);
    for (kind, at, _) in records(&new) {
        if kind == 0x85 {
            let place = u32_at(&new, at);
            put(&mut new, at, place + 4 + body.len() as u32);
        }
    }
    new
}

fn xls(plain: Vec<u8>, handler: &Handler, key: &FileKey, header: &[u8]) -> Vec<u8> {
    let workbook = stream(&plain, "Workbook").unwrap();
    let clear = with_record(&workbook, 0x2f, &[&[1, 0], header].concat());
    with_stream(plain, "Workbook", &xls_records(&clear, handler, key))
}

/// How many bytes of a record's body are not encrypted.
fn kept(kind: u16, len: usize) -> usize {
    match kind {
        0x0809 | 0x2f | 0x0194 | 0x0195 | 0xe1 | 0x0196 | 0x0138 => len,
        0x85 => len.min(4),
        _ => 0,
    }
}

/// Returns the stream of a workbook with its records encrypted.
pub fn xls_records(clear: &[u8], handler: &Handler, key: &FileKey) -> Vec<u8> {
    let mut cipher = clear.to_vec();
    blocks(handler, key, 1024, &mut cipher);
    let mut end = 0;
    for (kind, at, len) in records(clear) {
        let kept = at - 4..at + kept(kind, len);
        cipher[kept.clone()].copy_from_slice(&clear[kept]);
        end = at + len;
    }
    cipher[end..].copy_from_slice(&clear[end..]);
    cipher
}

/// Does the same with an array of XOR obfuscation.
pub fn xor_records(workbook: &mut [u8], array: &FileKey) {
    for (kind, at, len) in records(workbook) {
        for n in kept(kind, len)..len {
            let key = array.bytes()[(at + len + n) % 16];
            workbook[at + n] = workbook[at + n].rotate_left(5) ^ key;
        }
    }
}

/// Puts the encryption session after the last object, and the directory and the edit after that.
fn ppt(plain: Vec<u8>, handler: &Handler, key: &FileKey, header: &[u8]) -> Vec<u8> {
    let mut user = stream(&plain, "Current User").unwrap();
    let mut document = stream(&plain, "PowerPoint Document").unwrap();
    let edit_at = u32_at(&user, 16) as usize;
    let edit = document[edit_at..edit_at + 36].to_vec();
    let directory_at = u32_at(&edit, 8 + 12) as usize;
    let directory_len = u32_at(&document, directory_at + 4) as usize;
    let directory = document[directory_at + 8..directory_at + 8 + directory_len].to_vec();
    let entry = u32_at(&directory, 0);
    let (first, count) = (entry & 0xf_ffff, entry >> 20);
    assert_eq!(directory.len(), 4 + 4 * count as usize, "one run of objects");
    assert_eq!(u32_at(&edit, 8 + 8), 0, "one edit");
    for n in 0..count {
        let at = u32_at(&directory, 4 + 4 * n as usize) as usize;
        let end = at + 8 + u32_at(&document, at + 4) as usize;
        handler.block_key(key, first + n).apply(&mut document[at..end]);
    }
    document.truncate(directory_at.min(edit_at));
    let session_at = document.len() as u32;
    let session = first + count;
    let record = |version: u16, kind: u16, body: &[u8]| {
        let len = (body.len() as u32).to_le_bytes();
        [&version.to_le_bytes()[..], &kind.to_le_bytes(), &len, body].concat()
    };
    document.extend(record(0x0f, 0x2f14, header));
    let new_directory_at = document.len() as u32;
    let mut body = (first | (count + 1) << 20).to_le_bytes().to_vec();
    body.extend(&directory[4..]);
    body.extend(session_at.to_le_bytes());
    document.extend(record(0, 0x1772, &body));
    let new_edit_at = document.len() as u32;
    let mut body = edit[8..].to_vec();
    put(&mut body, 12, new_directory_at);
    body.extend(session.to_le_bytes());
    document.extend(record(0, 0x0ff5, &body));
    put(&mut user, 12, 0xf3d1_c4df);
    put(&mut user, 16, new_edit_at);
    let file = with_stream(plain, "Current User", &user);
    with_stream(file, "PowerPoint Document", &document)
}

/// Returns the encrypted presentation with a second edit, which has a copy of the first object.
pub fn with_later_edit(file: Vec<u8>) -> Vec<u8> {
    let mut user = stream(&file, "Current User").unwrap();
    let mut document = stream(&file, "PowerPoint Document").unwrap();
    let edit_at = u32_at(&user, 16) as usize;
    let mut edit = document[edit_at..edit_at + 40].to_vec();
    let directory_at = u32_at(&edit, 8 + 12) as usize;
    let first = u32_at(&document, directory_at + 8) & 0xf_ffff;
    let places = [12, 16].map(|at| u32_at(&document, directory_at + at) as usize);
    let copy_at = document.len() as u32;
    document.extend_from_within(places[0]..places[1]);
    let new_directory_at = document.len() as u32;
    document.extend([0, 0, 0x72, 0x17, 8, 0, 0, 0]);
    document.extend([first | 1 << 20, copy_at].iter().flat_map(|word| word.to_le_bytes()));
    put(&mut user, 16, document.len() as u32);
    put(&mut edit, 8 + 8, edit_at as u32);
    put(&mut edit, 8 + 12, new_directory_at);
    document.extend(edit);
    let file = with_stream(file, "Current User", &user);
    with_stream(file, "PowerPoint Document", &document)
}

/// Returns a document of Word obfuscated with an array.
pub fn xor_doc(plain: Vec<u8>, xor: Xor, array: &FileKey) -> Vec<u8> {
    let apply = |stream: &mut [u8]| {
        for (byte, key) in stream.iter_mut().zip(array.bytes().iter().cycle()) {
            if *byte != 0 && byte != key {
                *byte ^= key;
            }
        }
    };
    let clear = stream(&plain, "WordDocument").unwrap();
    let mut main = clear.clone();
    apply(&mut main);
    main[..68].copy_from_slice(&clear[..68]);
    main[0x0b] |= 0x81;
    put(&mut main, 0x0e, u32::from(xor.key) << 16 | u32::from(xor.verifier));
    let table = if main[0x0b] & 2 == 0 { "0Table" } else { "1Table" };
    let mut tables = stream(&plain, table).unwrap();
    apply(&mut tables);
    with_stream(with_stream(plain, "WordDocument", &main), table, &tables)
}

/// Does the same for a workbook; `is_biff5` selects the format of Excel 5 and 95.
pub fn xor_xls(plain: Vec<u8>, xor: Xor, array: &FileKey, is_biff5: bool) -> Vec<u8> {
    let mut body = if is_biff5 { vec![] } else { vec![0, 0] };
    body.extend([xor.key, xor.verifier].iter().flat_map(|word| word.to_le_bytes()));
    let mut workbook = with_record(&stream(&plain, "Workbook").unwrap(), 0x2f, &body);
    if is_biff5 {
        workbook[4..6].copy_from_slice(&[0, 5]);
    }
    xor_records(&mut workbook, array);
    if is_biff5 {
        return with_stream(without_stream(plain, "Workbook"), "Book", &workbook);
    }
    with_stream(plain, "Workbook", &workbook)
}

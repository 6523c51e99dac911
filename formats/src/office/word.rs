//! Documents of Word: [MS-DOC] §2.2.6 and §2.5.

use super::{
    Error, Format, Protection, Xor,
    cipher::{Cipher, apply_blocks},
    compound::Compound,
    error::damaged,
    header, xor,
};

const MAIN: &str = "WordDocument";
/// §2.2.6.2: the start of the main stream that is not encrypted, and the bytes under one key.
const FIB_BASE: usize = 68;
const BLOCK: usize = 512;

/// The start of the main stream, the file information block.
struct Fib {
    format: Format,
    is_encrypted: bool,
    is_obfuscated: bool,
    table: &'static str,
    /// The length of the encryption header, or the password's data of XOR obfuscation.
    key: u32,
}

impl Fib {
    fn parse(main: &[u8]) -> Result<Self, Error> {
        let base: &[u8; FIB_BASE] = main.first_chunk().ok_or_else(|| damaged("a short FIB"))?;
        let format = match base[..2] {
            [0xec, 0xa5] => Format::Doc,
            // The second comes from East Asian versions.
            [0xdc, 0xa5] | [0x97..=0x99, 0xa6] => Format::Doc95,
            _ => return Err(Error::Format("its main stream is not that of Word".to_owned())),
        };
        Ok(Self {
            format,
            is_encrypted: base[0x0b] & 1 != 0,
            is_obfuscated: base[0x0b] & 0x80 != 0,
            table: if base[0x0b] & 2 != 0 { "1Table" } else { "0Table" },
            key: u32::from_le_bytes(base[0x0e..0x12].try_into().expect("four bytes")),
        })
    }
}

/// Returns the version of Word, and the protection of the document.
pub(super) fn protection(file: &Compound) -> Result<(Format, Protection), Error> {
    let fib = Fib::parse(&file.stream(MAIN)?)?;
    let protection = match (fib.format, fib.is_encrypted, fib.is_obfuscated) {
        (_, false, _) => Protection::None,
        (Format::Doc95, ..) => {
            Protection::Other("the XOR obfuscation of Word 6 and 95, which is not RC4".to_owned())
        }
        (_, _, true) => {
            Protection::Xor(Xor { key: (fib.key >> 16) as u16, verifier: fib.key as u16 })
        }
        _ => {
            let table = file.stream(fib.table)?;
            let header = table.get(..fib.key as usize);
            header::parse(header.ok_or_else(|| damaged("its encryption header is cut short"))?)?
        }
    };
    Ok((fib.format, protection))
}

pub(super) fn decrypt(file: &mut Compound, cipher: &Cipher<'_>) -> Result<(), Error> {
    let mut main = file.stream(MAIN)?;
    let fib = Fib::parse(&main)?;
    let mut base: [u8; FIB_BASE] = *main.first_chunk().ok_or_else(|| damaged("a short FIB"))?;
    apply(cipher, &mut main);
    base[0x0b] &= !0x81; // fEncrypted and fObfuscated
    base[0x0e..0x12].fill(0); // lKey
    main[..FIB_BASE].copy_from_slice(&base);
    let mut table = file.stream(fib.table)?;
    apply(cipher, &mut table);
    if let Cipher::Rc4(..) = cipher {
        let header = table.get_mut(..fib.key as usize);
        header.ok_or_else(|| damaged("its encryption header is cut short"))?.fill(0);
    }
    file.replace(MAIN, &main)?;
    file.replace(fib.table, &table)?;
    if file.has("Data") {
        let mut data = file.stream("Data")?;
        apply(cipher, &mut data);
        file.replace("Data", &data)?;
    }
    Ok(())
}

fn apply(cipher: &Cipher<'_>, stream: &mut [u8]) {
    match cipher {
        Cipher::Rc4(handler, key) => apply_blocks(handler, key, BLOCK, stream),
        Cipher::Xor(array) => xor::apply_word(array, stream),
        Cipher::Jet => {}
    }
}

//! Names by which a program asks for RC4, or offers it to others.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;
use object::{Architecture, Object, ObjectSymbol as _, ObjectSymbolTable as _, SectionKind};

use super::{dynamic, regions::Region};

/// The role of a name in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// The program imports the function.
    Imports,
    /// The program exports the function.
    Exports,
    /// The program contains the function.
    Contains,
    /// The program passes a number or a name that means RC4 to a library function.
    AsksFor,
}

/// A name of RC4 in a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The name in the program.
    pub name: String,
    /// The library to which the name belongs.
    pub library: &'static str,
    /// The role of the name.
    pub how: How,
}

/// Functions that are only for RC4, by library.
const FUNCTIONS: &[(&str, &[&str])] = &[
    (
        "OpenSSL",
        &[
            "RC4",
            "RC4_set_key",
            "private_RC4_set_key",
            "RC4_options",
            "EVP_rc4",
            "EVP_rc4_40",
            "EVP_rc4_hmac_md5",
        ],
    ),
    ("Windows", &["SystemFunction032", "SystemFunction033"]),
    ("Nettle", &["nettle_arcfour_set_key", "nettle_arcfour128_set_key", "nettle_arcfour_crypt"]),
    ("Mbed TLS", &["mbedtls_arc4_setup", "mbedtls_arc4_crypt", "mbedtls_arc4_init", "arc4_setup"]),
    ("wolfSSL", &["wc_Arc4SetKey", "wc_Arc4Process", "Arc4SetKey", "Arc4Process"]),
    (
        "LibTomCrypt",
        &[
            "rc4_stream_setup",
            "rc4_stream_crypt",
            "rc4_stream_keystream",
            "rc4_stream_memory",
            "rc4_start",
        ],
    ),
    ("NSS", &["RC4_CreateContext", "RC4_InitContext", "RC4_Encrypt", "RC4_Decrypt"]),
    ("Linux", &["arc4_setkey", "arc4_crypt"]),
    ("FFmpeg", &["av_rc4_init", "av_rc4_crypt", "av_rc4_alloc"]),
    ("PyCryptodome", &["ARC4_stream_init", "ARC4_stream_encrypt"]),
    (
        "Samba",
        &[
            "arcfour_init",
            "arcfour_crypt",
            "arcfour_crypt_blob",
            "arcfour_crypt_sbox",
            "samba_gnutls_arcfour_confounded_md5",
        ],
    ),
    (
        "MIT Kerberos",
        &[
            "krb5int_enc_arcfour",
            "krb5int_arcfour_encrypt",
            "krb5int_arcfour_decrypt",
            "krb5int_arcfour_gsscrypt",
        ],
    ),
    ("Heimdal", &["hc_RC4", "hc_RC4_set_key", "hc_EVP_rc4", "hc_EVP_rc4_40"]),
];

/// Substrings of mangled C++ names.
const MANGLED: &[(&str, &str)] = &[("Botan", "5Botan3RC4"), ("Crypto++", "9ARC4_Base")];

/// Functions of Go's library. Their names are in every Go program, even stripped.
const GO: &[&str] = &["crypto/rc4.NewCipher", "crypto/rc4.(*Cipher).XORKeyStream"];

/// A function that takes a number for the cipher, the number for RC4, and the library.
const NUMBERS: &[(&[&str], u32, &str, &str)] = &[
    (&["CryptDeriveKey", "CryptGenKey", "CryptImportKey"], 0x6801, "CALG_RC4", "Windows"),
    (&["gcry_cipher_open"], 301, "GCRY_CIPHER_ARCFOUR", "Libgcrypt"),
];

/// A function that takes the cipher's name, the name as it is in memory, and the library.
const TEXTS: &[(&[&str], &[u8], &str, &str)] = &[
    (&["BCryptOpenAlgorithmProvider"], b"R\0C\x004\0\0\0", "RC4", "Windows"),
    (&["EVP_CIPHER_fetch", "EVP_get_cipherbyname"], b"\0RC4\0", "RC4", "OpenSSL"),
    (&["EVP_CIPHER_fetch", "EVP_get_cipherbyname"], b"\0rc4\0", "rc4", "OpenSSL"),
    (&["gcry_cipher_map_name"], b"\0ARCFOUR\0", "ARCFOUR", "Libgcrypt"),
];

/// Maximum number of bytes between a number and the call that takes it.
const NEAR: usize = 64;
/// Maximum number of bytes of a name, also a mangled one.
const LONGEST: usize = 4096;

/// Returns all names of RC4 in a program.
pub(super) fn names(file: &object::File<'_>, regions: &[Region<'_>]) -> Vec<Name> {
    let symbols = symbols(file);
    let mut names = Vec::new();
    for (name, how) in &symbols {
        if let Some(library) = library(name) {
            names.push(Name { name: name.clone(), library, how: *how });
        }
    }
    for (functions, number, text, library) in NUMBERS {
        for function in functions.iter().filter(|function| symbols.contains_key(**function)) {
            let slots = slots(file, regions, function);
            let gives = |code: &Region<'_>| {
                gives(file.architecture(), (code.bytes, code.address), *number, slots.as_ref())
            };
            if regions.iter().filter(|region| region.is_code()).any(gives) {
                names.push(Name {
                    name: format!("{function}({text})"),
                    library,
                    how: How::AsksFor,
                });
            }
        }
    }
    for (functions, bytes, text, library) in TEXTS {
        for function in
            functions.iter().filter(|function| symbols.get(**function) == Some(&How::Imports))
        {
            let kinds = [SectionKind::ReadOnlyString, SectionKind::ReadOnlyData, SectionKind::Data];
            if kinds.iter().any(|kind| of_kind(regions, *kind).any(|data| has(data, bytes))) {
                names.push(Name {
                    name: format!("{function}({text:?})"),
                    library,
                    how: How::AsksFor,
                });
            }
        }
    }
    for name in GO {
        let kinds =
            [SectionKind::ReadOnlyData, SectionKind::Data, SectionKind::Unknown, SectionKind::Text];
        if kinds.iter().any(|kind| {
            of_kind(regions, *kind).any(|data| memmem::find(data, name.as_bytes()).is_some())
        }) {
            names.push(Name { name: (*name).to_owned(), library: "Go", how: How::Contains });
        }
    }
    names.sort();
    names.dedup();
    names
}

/// Returns the names of functions that are of interest, without the leading underscore of Mach-O. Names of a crafted file
/// can be longer together than the file.
fn symbols(file: &object::File<'_>) -> BTreeMap<String, How> {
    let mut symbols = BTreeMap::new();
    let mut add = |name: &[u8], how| {
        if name.len() > LONGEST {
            return;
        }
        let name = String::from_utf8_lossy(name);
        let name = name.split('@').next().unwrap_or_default();
        let name = match file.format() {
            object::BinaryFormat::MachO => name.strip_prefix('_').unwrap_or(name),
            _ => name.strip_prefix("__imp_").unwrap_or(name),
        };
        if library(name).is_some() || asks(name) {
            symbols.entry(name.to_owned()).or_insert(how);
        }
    };
    for import in file.imports().into_iter().flatten().flatten() {
        add(import.name().name().unwrap_or_default(), How::Imports);
    }
    for export in file.exports().into_iter().flatten().flatten() {
        add(export.name().name().unwrap_or_default(), How::Exports);
    }
    if file.sections().next().is_none() {
        for (name, is_imported) in dynamic::symbols(file) {
            add(name, if is_imported { How::Imports } else { How::Exports });
        }
    }
    for symbol in file.symbols() {
        let how = if symbol.is_undefined() { How::Imports } else { How::Contains };
        add(symbol.name_bytes().unwrap_or_default(), how);
    }
    symbols
}

fn of_kind<'data>(
    regions: &[Region<'data>],
    kind: SectionKind,
) -> impl Iterator<Item = &'data [u8]> {
    regions.iter().filter(move |region| region.kind == kind).map(|region| region.bytes)
}

fn library(name: &str) -> Option<&'static str> {
    let known = FUNCTIONS.iter().find(|(_, names)| names.contains(&name));
    let mangled = || MANGLED.iter().find(|(_, part)| name.contains(part));
    known.map(|(library, _)| *library).or_else(|| mangled().map(|(library, _)| *library))
}

/// Returns true for a function that takes a number or a text for the cipher.
fn asks(name: &str) -> bool {
    let mut lists = NUMBERS.iter().map(|row| row.0).chain(TEXTS.iter().map(|row| row.0));
    lists.any(|functions| functions.contains(&name))
}

/// Returns true if the data contain a whole zero-terminated text.
fn has(data: &[u8], text: &[u8]) -> bool {
    let wide = text[0] != 0;
    let inside =
        |at: usize| wide && at >= 2 && data[at - 1] == 0 && data[at - 2].is_ascii_graphic();
    memmem::find_iter(data, text).any(|at| !inside(at)) || (!wide && data.starts_with(&text[1..]))
}

/// Returns the places at which an ELF program keeps the address of an imported function, and the
/// stubs that jump to it; `None` for other formats.
fn slots(file: &object::File<'_>, regions: &[Region<'_>], function: &str) -> Option<BTreeSet<u64>> {
    if !matches!(file.format(), object::BinaryFormat::Elf) {
        return None;
    }
    let symbols = file.dynamic_symbol_table()?;
    let mut slots: BTreeSet<u64> = file
        .dynamic_relocations()?
        .filter(|(_, relocation)| match relocation.target() {
            object::RelocationTarget::Symbol(at) => symbols
                .symbol_by_index(at)
                .and_then(|symbol| symbol.name())
                .is_ok_and(|name| name == function),
            _ => false,
        })
        .map(|(address, _)| address)
        .collect();
    let mut stubs = Vec::new();
    for Region { address, bytes: code, .. } in regions.iter().filter(|region| region.is_code()) {
        // jmp [rip + distance], after endbr64 or not
        for at in memmem::find_iter(code, &[0xff, 0x25]) {
            let Some(bytes) = code.get(at + 2..at + 6) else { continue };
            let here = address.wrapping_add(at as u64);
            if slots.contains(&relative(bytes, here.wrapping_add(6))) {
                stubs.extend([here, here.wrapping_sub(4), here.wrapping_sub(5)]);
            }
        }
    }
    slots.extend(stubs);
    Some(slots)
}

fn relative(bytes: &[u8], next: u64) -> u64 {
    let distance = bytes.first_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes));
    next.wrapping_add_signed(i64::from(distance))
}

/// Returns true if code passes a number to a call soon after: a call of one of the slots, if they
/// are known.
fn gives(
    architecture: Architecture,
    (code, base): (&[u8], u64),
    number: u32,
    slots: Option<&BTreeSet<u64>>,
) -> bool {
    match architecture {
        Architecture::X86_64 | Architecture::I386 => memmem::find_iter(code, &number.to_le_bytes())
            .any(|at| {
                // mov r32, imm32; push imm32; mov [..], imm32
                let before = &code[at.saturating_sub(7)..at];
                let moved =
                    matches!(before.last(), Some(0xb8..=0xbf | 0x68)) || before.contains(&0xc7);
                let after = at + 4..code.len().min(at + 4 + NEAR);
                moved && after.clone().any(|at| calls(code, base, at, slots))
            }),
        Architecture::Aarch64 => {
            // movz wN, number; bl
            let word = |at: usize| {
                code.get(at..at + 4)
                    .and_then(|word| word.first_chunk())
                    .map_or(0, |word| u32::from_le_bytes(*word))
            };
            (0..code.len()).step_by(4).any(|at| {
                let moved = word(at) & !0x1f == 0x5280_0000 | (number & 0xffff) << 5;
                let is_call =
                    |word: u32| word >> 26 == 0b10_0101 || word & 0xffff_fc1f == 0xd63f_0000;
                moved && (at + 4..at + NEAR).step_by(4).any(|at| is_call(word(at)))
            })
        }
        _ => false,
    }
}

/// Returns true if a call to one of the slots is at a place in the code. If the slots are not
/// known, any call is enough.
fn calls(code: &[u8], base: u64, at: usize, slots: Option<&BTreeSet<u64>>) -> bool {
    let (skip, to) = match code[at..] {
        [0xe8, ..] => (1, None),
        [0xff, 0x15, ..] => (2, None),
        [0xff, second, ..] if second & 0x38 == 0x10 => (2, Some(slots.is_none())),
        _ => return false,
    };
    to.unwrap_or_else(|| {
        let Some(bytes) = code.get(at + skip..at + skip + 4) else { return false };
        let next = base.wrapping_add((at + skip + 4) as u64);
        slots.is_none_or(|slots| slots.contains(&relative(bytes, next)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_no_interest_are_not_kept() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let file = object::File::parse(&*program).unwrap();
        assert!(file.symbols().count() > 1000);
        let kept = symbols(&file);
        assert!(kept.keys().all(|name| library(name).is_some() || asks(name)), "{kept:?}");
    }
}

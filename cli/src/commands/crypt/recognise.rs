//! Whether a plaintext can be told from random bytes.
//!
//! There are two answers. A plaintext is recognised by the tests of `arcfour find`: as text, or by the bytes
//! that files of its kind begin with. Other plaintexts are told by the bits that an adaptive code saves.

use std::sync::LazyLock;

use arcfour_attacks::search::{Kind, Known, Pattern, Plaintext};

use super::code_length::saved_bits;

/// Number of bytes of a plaintext that are tested.
pub const START: usize = 4096;
/// Fewer bytes are not judged.
const SHORTEST: usize = 4;
/// Bytes that save fewer bits look random.
const RANDOM: f64 = 10.0;

/// Kinds of files, each with a pattern and its place.
const MAGIC: [(&str, u64, &str); 34] = [
    ("8-bit text", 0, "[09,0a,0d,20-7e,a0-ff]{64}"),
    ("UTF-16 text", 0, "ff fe [09,0a,0d,20-7e] 00 [09,0a,0d,20-7e] 00"),
    ("UTF-16 text", 0, "fe ff 00 [09,0a,0d,20-7e] 00 [09,0a,0d,20-7e]"),
    ("gzip data", 0, "1f 8b 08 [00-1f]"),
    ("compress data", 0, "1f 9d 90"),
    ("bzip2 data", 0, "42 5a 68 [31-39] 31 41 59 26 53 59"),
    ("xz data", 0, "fd 37 7a 58 5a 00"),
    ("Zstandard data", 0, "28 b5 2f fd"),
    ("LZ4 data", 0, "04 22 4d 18"),
    ("a 7z archive", 0, "37 7a bc af 27 1c"),
    ("a RAR archive", 0, "52 61 72 21 1a 07"),
    ("a tar archive", 257, "75 73 74 61 72"),
    ("a cpio archive", 0, "30 37 30 37 30 [31,32,37]"),
    ("a PNG picture", 0, "89 50 4e 47 0d 0a 1a 0a"),
    ("a JPEG picture", 0, "ff d8 ff [c0-fe]"),
    ("a GIF picture", 0, "47 49 46 38 [37,39] 61"),
    ("a TIFF picture", 0, "49 49 2a 00"),
    ("a TIFF picture", 0, "4d 4d 00 2a"),
    ("a BMP picture", 0, "42 4d ??{4} 00 00 00 00"),
    ("a RIFF file", 0, "52 49 46 46"),
    ("an Ogg file", 0, "4f 67 67 53 00"),
    ("an MP3 file", 0, "49 44 33 [02-04] 00"),
    ("an MP4 file", 4, "66 74 79 70"),
    ("a PDF file", 0, "25 50 44 46 2d"),
    ("a file of Office 97 to 2003", 0, "d0 cf 11 e0 a1 b1 1a e1"),
    ("an SQLite database", 0, "53 51 4c 69 74 65 20 66 6f 72 6d 61 74 20 33 00"),
    ("an ELF program", 0, "7f 45 4c 46 [01,02]"),
    ("a Windows program", 0, "4d 5a ??{58} ?? ?? 00 00"),
    ("a Java class", 0, "ca fe ba be 00"),
    ("a capture of packets", 0, "d4 c3 b2 a1 02 00"),
    ("a capture of packets", 0, "a1 b2 c3 d4 00 02"),
    ("a key in DER", 0, "30 82 ?? ?? 02 01 [00,03]"),
    ("a certificate in DER", 0, "30 82 ?? ?? 30 82"),
    ("a file of openssl enc", 0, "53 61 6c 74 65 64 5f 5f"),
];

static KINDS: LazyLock<Vec<(&str, Plaintext)>> = LazyLock::new(|| {
    let kind = |kind| Plaintext::new().of_kind(kind);
    let mut kinds = vec![
        ("printable text", kind(Kind::Printable)),
        ("UTF-8 text", kind(Kind::Utf8)),
        ("a ZIP archive", kind(Kind::Zip)),
    ];
    kinds.extend(MAGIC.map(|(name, at, pattern)| {
        let pattern: Pattern = pattern.parse().expect("a pattern");
        (name, Plaintext::new().with(at, pattern))
    }));
    kinds
});

/// Returns the kind of a plaintext by its start, if it is recognised.
pub fn recognise(start: &[u8]) -> Option<&'static str> {
    KINDS.iter().find(|(_, plain)| plain.fits(start)).map(|(name, _)| *name)
}

/// Upper bound of the probability that random bytes are recognised.
pub fn chance(len: usize) -> f64 {
    let zeros = vec![0; len.min(START)];
    let chance = |plain| Known::new(plain, &zeros, 0).map_or(0.0, |known| (-known.bits()).exp2());
    KINDS.iter().map(|(_, plain)| chance(plain)).sum()
}

/// Returns true if a plaintext that starts with `start` looks like random bytes.
///
/// It does so if its kind is not recognised and an adaptive code saves less than ten bits.
///
/// 16 or more random bytes fail the test less than once in 1000 times. 512 or more bytes with at
/// most 128 different values never pass. Compressed and encrypted data of unknown kinds pass, and
/// so do many binary data below 32 bytes.
pub fn looks_random(start: &[u8]) -> bool {
    start.len() >= SHORTEST && recognise(start).is_none() && saved_bits(start) < RANDOM
}

#[cfg(test)]
mod tests {
    use arcfour::{Backend, Rc4};

    use super::*;

    /// Keystreams of many keys, after the bytes that are biased.
    fn keystreams(count: u32, len: usize) -> impl Iterator<Item = Vec<u8>> {
        (0..count).map(move |n| {
            let mut cipher = Rc4::boxed(&n.to_be_bytes(), Backend::detect()).unwrap();
            cipher.skip(1024);
            let mut bytes = vec![0; len];
            cipher.fill(&mut bytes);
            bytes
        })
    }

    #[test]
    fn random_bytes_look_random_but_once_in_1000_times() {
        for (len, count) in [(16, 5000), (64, 5000), (300, 3000), (START, 1000)] {
            let others = keystreams(count, len).filter(|bytes| !looks_random(bytes)).count();
            assert!(others <= count as usize / 1000, "{len}: {others} of {count}");
        }
    }

    #[test]
    fn bytes_of_128_values_never_look_random() {
        for len in [512, 513, 1000, START] {
            // As evenly distributed as possible, and not text.
            let even: Vec<u8> = (0..len).map(|at| 2 * (at % 128) as u8 + 1).collect();
            assert_eq!((recognise(&even), looks_random(&even)), (None, false), "{len}");
            for bytes in keystreams(100, len) {
                let halved: Vec<u8> = bytes.iter().map(|byte| byte | 0x80).collect();
                assert_eq!((recognise(&halved), looks_random(&halved)), (None, false), "{len}");
            }
        }
    }

    #[test]
    fn less_than_four_bytes_do_not_look_random() {
        assert!(!looks_random(b"\xff\x80\x01") && looks_random(b"\xff\x80\x01\x7f"));
    }

    #[test]
    fn kinds_are_recognised_and_a_wrong_key_makes_none() {
        use std::io::Write;
        let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
        gzip.write_all(&[7; 1000]).unwrap();
        let latin1: Vec<u8> =
            b"Sch\xf6ne Gr\xfc\xdfe, ".iter().copied().cycle().take(100).collect();
        let text = "Quentin".repeat(10);
        let utf16: Vec<u8> = "\u{feff}Quentin".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (plain, kind) in [
            (b"hello\n".to_vec(), "printable text"),
            ("\u{fc}ber".into(), "UTF-8 text"),
            (latin1, "8-bit text"),
            (utf16, "UTF-16 text"),
            (gzip.finish().unwrap(), "gzip data"),
            (text.into_bytes(), "printable text"),
            (b"\x1f\x9d\x90\xff\xfe".to_vec(), "compress data"),
            (b"\xca\xfe\xba\xbe\0\0\x004".to_vec(), "a Java class"),
            (b"\xd4\xc3\xb2\xa1\x02\0\x04\0".to_vec(), "a capture of packets"),
            (b"\x30\x82\x04\xa3\x02\x01\0\x02".to_vec(), "a key in DER"),
            (b"\x30\x82\x03\x55\x30\x82\x02\x3d".to_vec(), "a certificate in DER"),
            (std::fs::read(std::env::current_exe().unwrap()).unwrap(), "an ELF program"),
        ] {
            let start = &plain[..plain.len().min(START)];
            assert_eq!(recognise(start), Some(kind));
        }
        assert_eq!(keystreams(1000, 64).find_map(|bytes| recognise(&bytes)), None);
        assert!(chance(START) < 1e-6 && chance(3) > 0.05);
        // The README says how often one of the 154 keys of a wrong passphrase is accepted.
        assert!([24, 32, 64, START].iter().all(|len| 154.0 * chance(*len) + 1e-6 < 1.0 / 50_000.0));
    }
}

//! Each filter and predictor against its definition.

use std::io::{self, Write};

use flate2::{Compression, write::ZlibEncoder};
use weezl::encode::Encoder;

use super::*;

const PLAIN: Parameters =
    Parameters { predictor: 1, colors: 1, bits: 8, columns: 1, early_change: 1 };

fn flate(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(vec![], Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn failed(filter: &str, data: &[u8]) -> String {
    decode(filter.as_bytes(), data, PLAIN).unwrap_err()
}

/// The examples of ISO 32000-1, §7.4.4.2, and of other descriptions.
#[test]
fn each_filter_decodes_its_data() {
    let (run, runs) = ([[127].as_slice(), &[b'x'; 128]].concat(), [129, b'y', 255, b'z']);
    let twice = [vec![b'y'; 128], vec![b'z'; 2]].concat();
    for (names, data, plain) in [
        (["FlateDecode", "Fl"], &flate(b"text")[..], &b"text"[..]),
        (
            ["LZWDecode", "LZW"],
            &[0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 1],
            &[45, 45, 45, 45, 45, 65, 45, 45, 45, 66],
        ),
        (["ASCIIHexDecode", "AHx"], b"41 4\n2F\t7>gone", b"AB\xf7"),
        (["ASCIIHexDecode", "AHx"], b"41427", b"ABp"),
        (["ASCII85Decode", "A85"], b"<~87cUR\nD]i,\"Ebo80~>gone", b"Hello World!"),
        (["ASCII85Decode", "A85"], b"z5sdq,z", b"\0\0\0\0ABCD\0\0\0\0"),
        (["ASCII85Decode", "A85"], b"s8W-!5l", b"\xff\xff\xff\xffA"),
        (["RunLengthDecode", "RL"], &[0, b'a', 1, b'b', b'c', 128, 9], b"abc"),
        (["RunLengthDecode", "RL"], &run, &[b'x'; 128]),
        (["RunLengthDecode", "RL"], &runs, &twice),
        (["Crypt", "Crypt"], b"text", b"text"),
    ] {
        for name in names {
            let decoded = decode(name.as_bytes(), data, PLAIN).unwrap();
            assert_eq!(decoded, plain, "{name} {}", data.escape_ascii());
        }
    }
    let filters = Value::of(b"[/AHx /RL]").elements();
    assert_eq!(decoded(b"0061026162 63>".to_vec(), &filters, &[]).unwrap(), b"aabc");
}

#[test]
fn damaged_data_are_refused() {
    assert_eq!(failed("Fl", b"text"), "its Flate data are damaged");
    assert_eq!(failed("LZW", &[0xff; 9]), "its LZW data are damaged");
    assert_eq!(failed("AHx", b"41g2"), "its hexadecimal data are damaged");
    for data in ["87z", "5", "87cURD", "s8W-\"", "87cUv", "s8"] {
        assert_eq!(failed("A85", data.as_bytes()), "its ASCII85 data are damaged", "{data}");
    }
    for data in [&[1, b'a'][..], &[200], &[0]] {
        assert_eq!(failed("RL", data), "its run lengths are damaged");
    }
    assert_eq!(failed("DCTDecode", b""), "its filter DCTDecode is not for data");
}

#[test]
fn lzw_codes_grow_early_or_late() {
    let plain: Vec<u8> = (0..40_000_u32).map(|n| ((n * n) >> 7) as u8).collect();
    let early = Encoder::with_tiff_size_switch(BitOrder::Msb, 8).encode(&plain).unwrap();
    let late = Encoder::new(BitOrder::Msb, 8).encode(&plain).unwrap();
    assert!(decode(b"LZW", &early, PLAIN).unwrap() == plain);
    assert!(decode(b"LZW", &late, Parameters { early_change: 0, ..PLAIN }).unwrap() == plain);
    assert!(decode(b"LZW", &late, PLAIN).ok() != Some(plain));
}

#[test]
fn a_stream_is_decoded_to_64_mib_at_most() {
    let larger = limited(io::repeat(7).take((64 << 20) + 1), "Flate").unwrap_err();
    assert_eq!(larger, "it holds more than 64 MiB");
    // The damage after the limit is not reached, so no more is held in memory.
    let runs = [&[129, 0].repeat(1 << 19)[..], &[0, 0, 1]].concat();
    assert_eq!(failed("RL", &runs), larger);
    let groups = [&[b'z'; (16 << 20) + 1][..], b"\x7f"].concat();
    assert_eq!(failed("A85", &groups), larger);
    assert_eq!(failed("A85", &groups[..=16 << 20]), larger);
    assert_eq!(decode(b"A85", &groups[..16 << 20], PLAIN).unwrap().len(), 64 << 20);
}

/// A line of the predictor may have more bytes than any memory.
#[test]
fn a_line_longer_than_the_data_is_cut_short() {
    let most = (1 << 20) - 1;
    let with = Parameters { predictor: 12, colors: most, bits: most, columns: most, ..PLAIN };
    assert_eq!(decode(b"Fl", &flate(&[2, 7, 8]), with).unwrap(), [7, 8]);
}

/// PNG, §9.2 and §9.4: what a filter of a row guesses from the bytes to the left, above, and above
/// to the left.
fn guess(kind: u8, left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i32::from(left), i32::from(up), i32::from(corner));
    let p = a + b - c;
    let (pa, pb, pc) = ((p - a).abs(), (p - b).abs(), (p - c).abs());
    let paeth = if pa <= pb && pa <= pc {
        a
    } else if pb <= pc {
        b
    } else {
        c
    };
    [0, a, b, (a + b).div_euclid(2), paeth][usize::from(kind)] as u8
}

#[test]
fn predictors_are_reversed() {
    for (colors, bits, columns) in [(1, 8, 5), (3, 8, 4), (2, 16, 3), (3, 2, 5), (1, 1, 3)] {
        let with = Parameters { colors, bits, columns, ..PLAIN };
        let pixel = (colors * bits + 7) as usize / 8;
        let row = (colors * bits * columns + 7) as usize / 8;
        // The last row is cut short. Few values, so that distances are often equal.
        let value = |n: u32| [0, 1, 2, 3, 130, 255, 60, 61][(n * n + n / 3) as usize % 8];
        let plain: Vec<u8> = (0..(row * 20 - row / 2) as u32).map(value).collect();
        let at = |n: usize, back: usize, inside: bool| match inside && n >= back {
            true => plain[n - back],
            false => 0,
        };
        let (mut png, mut tiff) = (vec![], vec![]);
        for (n, byte) in plain.iter().enumerate() {
            let (kind, inside) = ((n / row % 6) as u8, n % row >= pixel);
            if n % row == 0 {
                png.push(kind);
            }
            let left = at(n, pixel, inside);
            let guess = match kind {
                5 => 0,
                _ => guess(kind, left, at(n, row, true), at(n, row + pixel, inside)),
            };
            png.push(byte.wrapping_sub(guess));
            tiff.push(byte.wrapping_sub(left));
        }
        let decoded =
            |predictor, data: &[u8]| decode(b"Fl", &flate(data), Parameters { predictor, ..with });
        for predictor in [3, 10, 15] {
            assert!(decoded(predictor, &png).unwrap() == plain, "{with:?}");
        }
        match bits {
            8 => assert!(decoded(2, &tiff).unwrap() == plain, "{with:?}"),
            _ => assert_eq!(decoded(2, &tiff).unwrap_err(), "its TIFF predictor is not of 8 bits"),
        }
        assert!(decoded(1, &plain).unwrap() == plain && decoded(0, &plain).unwrap() == plain);
    }
    for columns in [-1, 0, 1 << 20] {
        let with = Parameters { predictor: 12, columns, ..PLAIN };
        assert_eq!(
            decode(b"Fl", &flate(b"text"), with).unwrap_err(),
            "its predictor has no such sizes"
        );
    }
    let dict = Value::of(b"<< /Predictor 2 /Colors 3 /BitsPerComponent 4 /Columns 5 >>");
    let with = Parameters::of(Some(&dict));
    assert_eq!((with.predictor, with.colors, with.bits, with.columns), (2, 3, 4, 5));
}

//! Filters of object streams and cross-reference streams: ISO 32000-1, §7.4.

use std::io::Read;

use flate2::read::ZlibDecoder;
use weezl::{BitOrder, LzwStatus, decode::Configuration};

use super::{
    crypt::printable,
    token::{is_space, nibble},
    value::Value,
};

/// Maximum size of a decoded stream, in bytes.
const MAX_DECODED: usize = 64 << 20;

/// The entries of a DecodeParms dictionary.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    predictor: i64,
    colors: i64,
    bits: i64,
    columns: i64,
    early_change: i64,
}

impl Parameters {
    fn of(dict: Option<&Value>) -> Self {
        let number =
            |name, default| dict.and_then(|dict| dict.get(name).integer()).unwrap_or(default);
        Self {
            predictor: number("Predictor", 1),
            colors: number("Colors", 1),
            bits: number("BitsPerComponent", 8),
            columns: number("Columns", 1),
            early_change: number("EarlyChange", 1),
        }
    }
}

/// Decodes the filters, in order. No value may be a reference.
pub(super) fn decoded(
    mut data: Vec<u8>,
    filters: &[Value],
    parameters: &[Value],
) -> Result<Vec<u8>, String> {
    for (n, filter) in filters.iter().enumerate() {
        let name = filter.name().ok_or("its Filter is not a name")?;
        data = decode(&name, &data, Parameters::of(parameters.get(n)))?;
    }
    within(data)
}

/// Decodes one filter.
fn decode(filter: &[u8], data: &[u8], with: Parameters) -> Result<Vec<u8>, String> {
    match filter {
        b"FlateDecode" | b"Fl" => predicted(limited(ZlibDecoder::new(data), "Flate")?, with),
        b"LZWDecode" | b"LZW" => predicted(lzw(data, with.early_change != 0)?, with),
        b"ASCIIHexDecode" | b"AHx" => ascii_hex(data),
        b"ASCII85Decode" | b"A85" => ascii85(data),
        b"RunLengthDecode" | b"RL" => run_length(data),
        b"Crypt" => Ok(data.to_vec()), // the data are already decrypted
        other => Err(format!("its filter {} is not for data", printable(other))),
    }
}

fn limited(from: impl Read, name: &str) -> Result<Vec<u8>, String> {
    let mut plain = vec![];
    let read = from.take(MAX_DECODED as u64 + 1).read_to_end(&mut plain);
    read.map_err(|_| format!("its {name} data are damaged"))?;
    within(plain)
}

fn lzw(mut data: &[u8], changes_early: bool) -> Result<Vec<u8>, String> {
    let mut decoder = match changes_early {
        true => Configuration::with_tiff_size_switch(BitOrder::Msb, 8).build(),
        false => Configuration::new(BitOrder::Msb, 8).build(),
    };
    let (mut plain, mut piece) = (vec![], vec![0; 1 << 14]);
    loop {
        let result = decoder.decode_bytes(data, &mut piece);
        plain.extend(&piece[..result.consumed_out]);
        data = &data[result.consumed_in..];
        match result.status {
            Ok(LzwStatus::Ok) if plain.len() <= MAX_DECODED => {}
            Ok(_) => return within(plain),
            Err(_) => return Err("its LZW data are damaged".to_owned()),
        }
    }
}

fn within(plain: Vec<u8>) -> Result<Vec<u8>, String> {
    match plain.len() {
        ..=MAX_DECODED => Ok(plain),
        _ => Err(format!("it holds more than {} MiB", MAX_DECODED >> 20)),
    }
}

fn ascii_hex(data: &[u8]) -> Result<Vec<u8>, String> {
    let mut digits = vec![];
    for &byte in data.iter().take_while(|&&byte| byte != b'>') {
        match nibble(byte) {
            Some(value) => digits.push(value),
            None if is_space(byte) => {}
            None => return Err("its hexadecimal data are damaged".to_owned()),
        }
    }
    Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect())
}

fn ascii85(data: &[u8]) -> Result<Vec<u8>, String> {
    let damaged = || "its ASCII85 data are damaged".to_owned();
    let (mut plain, mut group) = (vec![], vec![]);
    let put = |group: &mut Vec<u8>, plain: &mut Vec<u8>| {
        let count = group.len();
        group.resize(5, 84);
        let value = group.iter().fold(0u64, |value, &digit| value * 85 + u64::from(digit));
        let value = u32::try_from(value).map_err(|_| damaged())?;
        plain.extend(&value.to_be_bytes()[..count - 1]);
        group.clear();
        Ok::<_, String>(())
    };
    for &byte in data.strip_prefix(b"<~").unwrap_or(data) {
        if plain.len() > MAX_DECODED {
            break;
        }
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => plain.extend([0; 4]),
            b'!'..=b'u' => {
                group.push(byte - b'!');
                if group.len() == 5 {
                    put(&mut group, &mut plain)?;
                }
            }
            byte if is_space(byte) => {}
            _ => return Err(damaged()),
        }
    }
    match group.len() {
        0 => {}
        1 => return Err(damaged()),
        _ => put(&mut group, &mut plain)?,
    }
    within(plain)
}

fn run_length(mut data: &[u8]) -> Result<Vec<u8>, String> {
    let damaged = "its run lengths are damaged";
    let mut plain = vec![];
    while let Some((&count, rest)) = data.split_first() {
        if plain.len() > MAX_DECODED {
            break;
        }
        data = match count {
            128 => break,
            ..128 => {
                let (run, rest) = rest.split_at_checked(usize::from(count) + 1).ok_or(damaged)?;
                plain.extend(run);
                rest
            }
            129.. => {
                let (&byte, rest) = rest.split_first().ok_or(damaged)?;
                plain.resize(plain.len() + 257 - usize::from(count), byte);
                rest
            }
        };
    }
    within(plain)
}

/// Reverses the predictor of PNG, or of TIFF with 8 bits.
fn predicted(mut plain: Vec<u8>, with: Parameters) -> Result<Vec<u8>, String> {
    if with.predictor <= 1 {
        return Ok(plain);
    }
    let size = |value: i64| usize::try_from(value).ok().filter(|size| (1..1 << 20).contains(size));
    let sizes = size(with.colors).zip(size(with.bits)).zip(size(with.columns));
    let ((colors, bits), columns) = sizes.ok_or("its predictor has no such sizes")?;
    let (pixel, row) = ((colors * bits).div_ceil(8), (colors * bits * columns).div_ceil(8));
    if with.predictor == 2 {
        if bits != 8 {
            return Err("its TIFF predictor is not of 8 bits".to_owned());
        }
        for row in plain.chunks_mut(row) {
            for at in pixel..row.len() {
                row[at] = row[at].wrapping_add(row[at - pixel]);
            }
        }
        return Ok(plain);
    }
    let mut before = vec![0; row.min(plain.len())]; // no line is longer than the data
    let mut all = Vec::with_capacity(plain.len());
    for coded in plain.chunks(row + 1) {
        let (kind, coded) = (coded[0], &coded[1..]);
        let mut line = coded.to_vec();
        for at in 0..line.len() {
            let left = if at < pixel { 0 } else { line[at - pixel] };
            let corner = if at < pixel { 0 } else { before[at - pixel] };
            let up = before[at];
            let guess = match kind {
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                4 => paeth(left, up, corner),
                _ => 0,
            };
            line[at] = line[at].wrapping_add(guess);
        }
        all.extend(&line);
        before[..line.len()].copy_from_slice(&line);
    }
    Ok(all)
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let estimate = i16::from(left) + i16::from(up) - i16::from(corner);
    let distance = |value: u8| (estimate - i16::from(value)).abs();
    match (distance(left), distance(up), distance(corner)) {
        (a, b, c) if a <= b && a <= c => left,
        (_, b, c) if b <= c => up,
        _ => corner,
    }
}

#[cfg(test)]
mod tests;

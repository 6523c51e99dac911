//! Numbers on the command line: whole numbers in a range, and numbers of bytes such as `4096`,
//! `64KiB`, `1GB`.

use std::{fmt::Display, ops::RangeInclusive};

const UNITS: [(&str, u64); 8] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Parses a whole number of bytes with an optional unit after it.
///
/// # Errors
/// If the text is anything else, or the number does not fit 64 bits.
pub fn parse(text: &str) -> Result<u64, String> {
    let (number, factor) = UNITS
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))
        .unwrap_or((text, 1));
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        let units = UNITS.map(|(unit, _)| unit).join(", ");
        return Err(format!("not a whole number of bytes, with or without a unit of {units}"));
    }
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        .ok_or_else(|| format!("too large; the range is 0 to {} bytes", u64::MAX))
}

/// A parser of whole numbers in `range`. The option needs `allow_negative_numbers`, so that a negative
/// number gets the same message as any other that is out of range.
pub fn within<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: Copy + Display + PartialOrd + TryFrom<u64> + Send + Sync + 'static,
{
    move |text| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| text.parse::<u64>().ok()).flatten();
        let number = number.and_then(|number| T::try_from(number).ok());
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| format!("not a whole number from {} to {}", range.start(), range.end()))
    }
}

//! `[OFFSET:]WHAT`: something at an offset of a plaintext.

use std::{fmt, str::FromStr};

/// Something at an offset of the plaintext.
#[derive(Clone, Debug)]
pub struct At<T> {
    /// The offset, 0 if none was given.
    pub offset: u64,
    /// The value.
    pub what: T,
    /// True if the offset was given.
    given: bool,
    /// The typed text after the offset.
    pub rest: String,
}

impl<T> At<T> {
    /// Returns a note on an offset that may have been meant as text, such as a time of day.
    pub fn note(&self) -> Option<String> {
        let Self { offset, rest, .. } = self;
        let is_meant = !self.given || (*offset == 0 && split_offset(rest).is_some());
        (!is_meant).then(|| {
            format!(
                "note: --plain-text: {rest:?} is taken to stand at byte {offset} of the plaintext; put 0: \
                 before a text that begins with digits and a colon"
            )
        })
    }
}

/// Splits the digits of an offset before a colon from the rest.
fn split_offset(text: &str) -> Option<(&str, &str)> {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    text.split_once(':').filter(|(digits, _)| is_number(digits))
}

impl<T: FromStr<Err: fmt::Display>> FromStr for At<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (offset, rest, given) = match split_offset(text) {
            Some((digits, rest)) => {
                let too_large = |_| format!("the offset {digits} is above {}", u64::MAX);
                (digits.parse().map_err(too_large)?, rest, true)
            }
            None => (0, text, false),
        };
        let what = rest.parse().map_err(|error: T::Err| error.to_string())?;
        Ok(Self { offset, what, given, rest: rest.to_owned() })
    }
}

//! The options `--family` and `--iv-hex`.

use std::str::FromStr;

use arcfour::{Backend, DynKeystream, Family, StartError};
use arcfour_formats::text::{TextError, decode_hex};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::failure::Failure;

/// Reads the name of a family, which help and completion list.
pub fn parser() -> impl TypedValueParser<Value = Family> {
    let names = Family::ALL
        .iter()
        .map(|family| PossibleValue::new(family.name()).help(family.facts().about));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Family>())
}

/// Starts a cipher by the options given.
///
/// # Errors
/// As [`Family::start`].
pub fn start(
    family: Family,
    key: &[u8],
    iv: Option<&Iv>,
    backend: Option<Backend>,
) -> Result<Box<dyn DynKeystream>, Failure> {
    family.start(key, iv.map(|Iv(iv)| &iv[..]), backend).map_err(|error| {
        let option = if let StartError::IvMissing { .. } = error { ": --iv-hex" } else { "" };
        Failure::Usage(format!("{error}{option}"))
    })
}

/// An initialisation vector, for `--iv-hex`. The cipher checks its length.
#[derive(Clone, Debug)]
pub struct Iv(Vec<u8>);

impl Iv {
    /// Returns its bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl FromStr for Iv {
    type Err = TextError;

    fn from_str(digits: &str) -> Result<Self, TextError> {
        decode_hex(digits.as_bytes()).map(Self)
    }
}

//! The options for the keys or passwords to try.

use arcfour_attacks::search::{ByteSet, DOCUMENT_KEY, KeySpace, Pattern};

use super::mask::MaskArgs;
use crate::console::{failure::Failure, family::Iv, size};

/// The options that exclude a length.
const OTHERS: [&str; 10] = [
    "key_mask",
    "keys",
    "keys_format",
    "keys_in",
    "passwords",
    "password_mask",
    "charset_1",
    "charset_2",
    "charset_3",
    "charset_4",
];

/// What is known of the key.
#[derive(clap::Args)]
#[group(skip)]
pub(super) struct SpaceArgs {
    /// Try the keys that match this pattern, 1 to 256 bytes
    #[arg(long, value_name = "PATTERN", help_heading = "Key (one of mask, length, list)")]
    key_mask: Option<Pattern>,
    /// Try all keys of N bytes
    #[arg(long, value_name = "N", value_parser = size::within(1..=256_u16), allow_negative_numbers = true, help_heading = "Key (one of mask, length, list)")]
    key_length: Option<u16>,
    /// Put these bytes before each key of N bytes, as WEP does its IV
    #[arg(
        long,
        value_name = "HEX",
        requires = "key_length",
        conflicts_with_all = OTHERS,
        help_heading = "Key (one of mask, length, list)"
    )]
    key_prefix: Option<Iv>,
    /// Put these bytes after each key of N bytes
    #[arg(
        long,
        value_name = "HEX",
        requires = "key_length",
        conflicts_with_all = OTHERS,
        help_heading = "Key (one of mask, length, list)"
    )]
    key_suffix: Option<Iv>,
    #[command(flatten)]
    mask: MaskArgs,
}

impl SpaceArgs {
    /// Returns true if passwords are tried.
    pub(super) fn is_of_passwords(&self) -> bool {
        self.mask.is_given()
    }

    /// The keys.
    ///
    /// # Errors
    /// If they are too long, or too many, or a document has none so long.
    pub(super) fn read(self, of_document: bool, ascii: bool) -> Result<KeySpace, Failure> {
        if let Some(pattern) = self.mask.read(ascii)? {
            return KeySpace::new(pattern).map_err(|error| Failure::Usage(error.to_string()));
        }
        let pattern = match (self.key_mask, self.key_length) {
            (Some(pattern), _) => pattern,
            (None, Some(length)) => {
                let exact = |bytes: Option<Iv>| {
                    let bytes = bytes.map(Iv::into_bytes).unwrap_or_default();
                    bytes.into_iter().map(ByteSet::one).collect::<Vec<_>>()
                };
                let any = vec![ByteSet::ANY; usize::from(length)];
                let sets = [exact(self.key_prefix), any, exact(self.key_suffix)].concat();
                Pattern::new(sets).map_err(|error| Failure::Usage(error.to_string()))?
            }
            // clap requires a mask, a length or a list, except for documents.
            (None, None) => Pattern::new(vec![ByteSet::ANY; DOCUMENT_KEY]).expect("five bytes"),
        };
        let space = KeySpace::new(pattern).map_err(|error| Failure::Usage(error.to_string()))?;
        match space.key_len() {
            len if of_document && len != DOCUMENT_KEY => Err(Failure::Usage(format!(
                "the key has {len} bytes; the key of a document has {DOCUMENT_KEY}"
            ))),
            _ => Ok(space),
        }
    }
}

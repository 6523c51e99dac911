//! The keystream of a command: the family, the key, and the start.

use arcfour::{Backend, Family, Keystream, families::variant::Variant};
use arcfour_attacks::cryptoapi::DeriveKey;

use super::{
    backend::parse_backend,
    failure::Failure,
    family::{self, Iv},
    identity::Guard,
    key::{Key, KeyArgs},
    progress::Waiting,
    size,
};

/// The options of all commands that make a keystream.
#[derive(clap::Args)]
pub struct CipherArgs {
    /// The family of ciphers: `arcfour families` describes them
    #[arg(long, value_parser = family::parser(), ignore_case = true, default_value_t)]
    family: Family,
    /// RC4 with changes, such as `size=128, output=T[T[i]+T[j]]^0x55`: `arcfour families --help`
    /// lists them
    #[arg(long, value_name = "CHANGES", conflicts_with_all = ["family", "iv_hex", "backend"])]
    variant: Option<Variant>,
    /// The initialisation vector, as hexadecimal digits, 1 to 256 bytes: for vmpc and vmpc-ksa3
    #[arg(long, value_name = "HEX")]
    iv_hex: Option<Iv>,
    /// Discard the first N bytes of keystream, as RC4-drop does (256, 768, 1024, 1536, 3072 …)
    #[arg(long, value_name = "N", default_value = "0", value_parser = size::parse, allow_negative_numbers = true)]
    drop: u64,
    /// Begin at byte N of the message: discard N bytes of keystream besides --drop
    #[arg(long, value_name = "N", default_value = "0", value_parser = size::parse, allow_negative_numbers = true)]
    skip: u64,
    /// Compute by this backend, a name from `arcfour backends` [default: the fastest]
    #[arg(long, value_name = "NAME", value_parser = parse_backend)]
    pub backend: Option<Backend>,
    #[command(flatten)]
    pub key: KeyArgs,
    /// Derive the key from the given key, a password, like CryptDeriveKey of Windows: md5-40,
    /// md5-40-salt, md5-128 …
    ///
    /// The value has the hash, the bits of the key, and `salt` if CryptoAPI's 11 zero bytes of salt
    /// follow a 40-bit key.
    #[arg(long, value_name = "HASH-BITS")]
    derive_key: Option<DeriveKey>,
}

impl CipherArgs {
    /// Returns the cipher of these options.
    pub fn start(self, stdin_is_data: bool) -> Result<PendingCipher, Failure> {
        let key = self.key.read(stdin_is_data)?;
        let key = match self.derive_key {
            Some(derive) => Key { bytes: derive.key(&key.bytes), ..key },
            None => key,
        };
        let cipher = match &self.variant {
            Some(variant) => {
                variant.boxed(&key.bytes).map_err(|error| Failure::Usage(error.to_string()))?
            }
            None => family::start(self.family, &key.bytes, self.iv_hex.as_ref(), self.backend)?,
        };
        let unused = u128::from(self.drop) + u128::from(self.skip);
        let seekable = self.variant.is_none() && self.family.facts().seekable;
        Ok(PendingCipher { cipher, unused, seekable, guard: key.guard })
    }
}

/// A keyed cipher whose first bytes are not yet discarded. Discarding can take minutes, so open
/// files first.
pub struct PendingCipher {
    cipher: Box<dyn Keystream + Send>,
    unused: u128,
    seekable: bool,
    /// Keeps the output from being the key file.
    pub guard: Option<Guard>,
}

impl PendingCipher {
    /// Discards the bytes, with a progress bar if it takes long.
    pub fn discard(self) -> Box<dyn Keystream + Send> {
        /// Takes about 10 ms.
        const PIECE: u64 = 16 << 20;
        let Self { mut cipher, unused: mut left, seekable, guard: _ } = self;
        let piece = if seekable { u64::MAX } else { PIECE };
        let mut progress = Waiting::new("discarding", u64::try_from(left).unwrap_or(u64::MAX));
        while left > 0 {
            let n = u64::try_from(left).unwrap_or(u64::MAX).min(piece);
            cipher.skip(n);
            left -= u128::from(n);
            progress.advance(n);
        }
        cipher
    }
}

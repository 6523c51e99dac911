//! Which keystream a command makes: the family, the key, and where it begins.

use arcfour::{Backend, Family, Keystream};

use super::{
    backend::parse_backend,
    failure::Failure,
    family::{self, Iv},
    identity::Guard,
    key::KeyArgs,
    progress::Waiting,
    size,
};

/// Which keystream: what the commands that make one have in common.
#[derive(clap::Args)]
pub struct CipherArgs {
    /// The family of ciphers: `arcfour families` describes them
    #[arg(long, value_parser = family::parser(), ignore_case = true, default_value_t)]
    family: Family,
    /// The initialization vector, as hexadecimal digits, 1 to 256 bytes: for vmpc and vmpc-ksa3
    #[arg(long, value_name = "HEX")]
    iv_hex: Option<Iv>,
    /// Discard the first N bytes of keystream, as RC4-drop does (256, 768, 1024, 1536, 3072 …)
    #[arg(long, value_name = "N", default_value = "0", value_parser = size::parse, allow_negative_numbers = true)]
    drop: u64,
    /// Begin N bytes into the message: discard N more bytes of keystream than --drop says
    #[arg(long, value_name = "N", default_value = "0", value_parser = size::parse, allow_negative_numbers = true)]
    skip: u64,
    /// Compute by this backend, a name from `arcfour backends` [default: the fastest]
    #[arg(long, value_name = "NAME", value_parser = parse_backend)]
    pub backend: Option<Backend>,
    #[command(flatten)]
    pub key: KeyArgs,
}

impl CipherArgs {
    /// The cipher, if there is one by these options.
    pub fn start(self, stdin_is_data: bool) -> Result<PendingCipher, Failure> {
        let key = self.key.read(stdin_is_data)?;
        let cipher = family::start(self.family, &key.bytes, self.iv_hex.as_ref(), self.backend)?;
        let unused = u128::from(self.drop) + u128::from(self.skip);
        let seekable = self.family.facts().seekable;
        Ok(PendingCipher { cipher, unused, seekable, guard: key.guard })
    }
}

/// A keyed cipher whose first bytes are not discarded yet. That can take minutes: open files first.
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
        /// Takes some 10 ms.
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

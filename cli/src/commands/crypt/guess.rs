//! Guesses the options of `openssl enc` that made a file.

use std::io::Read;

use arcfour::{Backend, Rc4};
use arcfour_formats::{
    Transform,
    openssl::{
        Cipher, DEFAULT_ITERATIONS, Derivation, HEADER_LEN, Hash, MAGIC, Options, SALT_LEN, Salt,
        Text, derive_key,
    },
    text::{Decoder, Encoding},
};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{
    code_length::saved_bits,
    recognise::{START, chance, recognise},
};
use crate::console::{
    failure::Failure,
    filter::undecodable,
    input::Input,
    say::say,
    stream::{Block, CHUNK, Source},
};

/// Number of bytes that a guess reads: base64 of the header and of the tested start.
const HEAD: usize = 2 * START;
/// A shorter text of base64 characters may also be ciphertext.
const SHORTEST_BASE64: usize = 16;
/// The beginning of every file with a header in base64.
const MAGIC_BASE64: &[u8] = b"U2FsdGVkX1";
/// The longest line of base64 that openssl reads without -A.
const LONGEST_LINE: usize = 1023;

/// If a wrong key passes with at most this probability, a key that passes is accepted.
const CERTAIN: f64 = 1e-6;
/// The kind of a plaintext that is told by its statistics alone.
const STRUCTURED: &str = "data far from random";

/// The choices to try.
pub struct Choices {
    /// The ciphers. Each fixes the size of the key.
    pub ciphers: Vec<Cipher>,
    /// The hash functions.
    pub hashes: Vec<Hash>,
    /// The key derivations.
    pub derivations: Vec<Derivation>,
}

impl Default for Choices {
    /// All choices of OpenSSL. For PBKDF2, its default number of iterations, and the powers of ten
    /// beside it.
    fn default() -> Self {
        let pbkdf2s = [DEFAULT_ITERATIONS, 1000, 100_000].map(Derivation::Pbkdf2);
        Self {
            ciphers: Cipher::ALL.into(),
            hashes: Hash::ALL.into(),
            derivations: [&[Derivation::BytesToKey][..], &pbkdf2s].concat(),
        }
    }
}

impl Choices {
    /// Returns the most keys that the choices make.
    fn keys(&self) -> usize {
        self.ciphers.len() * self.hashes.len() * self.derivations.len()
    }
}

/// A file whose start has been read.
pub struct Begun {
    head: Vec<u8>,
    input: Input,
}

impl Begun {
    /// Reads the start of a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(mut input: Input) -> Result<Self, Failure> {
        let mut head = vec![];
        let read = (&mut input).take(HEAD as u64).read_to_end(&mut head);
        match read {
            Ok(_) => Ok(Self { head, input }),
            Err(error) => Err(Failure::read(input.name(), &error)),
        }
    }
}

impl Source for Begun {
    /// Returns the bytes already read, then the rest of the file.
    fn next(&mut self, block: &mut Block) -> Result<(), Failure> {
        const { assert!(HEAD <= CHUNK) }
        if self.head.is_empty() {
            return self.input.next(block);
        }
        let head = std::mem::take(&mut self.head);
        block.refill(|room| {
            room[..head.len()].copy_from_slice(&head);
            Ok(head.len())
        })
    }
}

/// A choice that fits.
struct Fit {
    options: Options,
    /// The kind of the plaintext.
    kind: &'static str,
    /// Upper bound of the probability that a wrong key fits as well.
    chance: f64,
}

/// The single choice that fits.
pub struct Guessed {
    fit: Fit,
    keys: usize,
    /// True if openssl reads the base64 text only after its white space is removed.
    is_spaced: bool,
}

/// Tries all choices for the file. `options` has the settings that are not guessed.
///
/// # Errors
/// If no choice gives a recognised plaintext, or several do.
pub fn guess(
    passphrase: &[u8],
    file: &Begun,
    mut options: Options,
    choices: &Choices,
) -> Result<Guessed, Failure> {
    let (salt, start) = look_at(&file.head, &mut options)?;
    if start.is_empty() {
        return Err(Failure::Work("cannot guess: the input has no ciphertext".into()));
    }
    let chance = chance(start.len());
    // A wrong passphrase makes only wrong keys.
    let least_saved = (choices.keys() as f64 / CERTAIN).log2();
    let mut tried: Vec<Zeroizing<Vec<u8>>> = vec![];
    let mut fits = vec![];
    for &derivation in &choices.derivations {
        let derive = |&hash| {
            // A shorter key is the start of a longer one.
            let longest = Options { cipher: Cipher::Rc4, hash, derivation, ..options };
            Some((hash, derive_key(passphrase, salt, longest).ok()?))
        };
        let keys: Vec<_> = choices.hashes.par_iter().filter_map(derive).collect();
        for &cipher in &choices.ciphers {
            for (hash, key) in &keys {
                let key = &key[..cipher.key_len()];
                if tried.iter().any(|other| other[..] == *key) {
                    continue; // md5-sha1 begins with md5
                }
                tried.push(Zeroizing::new(key.to_vec()));
                let plain = decrypted(key, &start);
                let (kind, chance) = match (recognise(&plain), saved_bits(&plain)) {
                    (Some(kind), _) => (kind, chance),
                    (None, saved) if saved >= least_saved => (STRUCTURED, (-saved).exp2()),
                    (None, _) => continue,
                };
                let options = Options { cipher, hash: *hash, derivation, ..options };
                fits.push(Fit { options, kind, chance });
            }
        }
        if let [fit] = &fits[..]
            && fit.chance < CERTAIN
        {
            break; // more iterations take longer
        }
    }
    let keys = tried.len();
    match fits.len() {
        0 => Err(Failure::Work(none_fits(keys, choices))),
        1 => {
            let is_spaced = options.text == Text::Base64 && !is_one_line(&file.head);
            Ok(Guessed { fit: fits.remove(0), keys, is_spaced })
        }
        _ => Err(Failure::Work(several_fit(&fits, keys, start.len()))),
    }
}

fn several_fit(fits: &[Fit], keys: usize, len: usize) -> String {
    const SHOWN: usize = 4;
    let ways = fits.iter().map(|Fit { options, kind, .. }| format!("{} ({kind})", ours(options)));
    let more = match fits.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "{} of {keys} keys fit the {len} bytes of ciphertext that were tried; give one of them: {}{more}",
        fits.len(),
        ways.take(SHOWN).collect::<Vec<_>>().join("; ")
    )
}

/// Returns the salt and the start of the ciphertext. Records in `options` the header and text form
/// of the file.
fn look_at(
    head: &[u8],
    options: &mut Options,
) -> Result<(Option<[u8; SALT_LEN]>, Vec<u8>), Failure> {
    let mut bytes = vec![];
    let decoded = Decoder::new(Encoding::Base64).push(head, &mut bytes);
    let is_base64 = options.text != Text::Raw
        || head.trim_ascii_start().starts_with(MAGIC_BASE64)
        || decoded.is_ok() && head.len() >= SHORTEST_BASE64;
    if is_base64 {
        decoded.map_err(undecodable)?;
        // OpenSSL needs an option for base64 without lines.
        options.text = if has_lines(head) { Text::Base64Lines } else { Text::Base64 };
    } else {
        bytes = head.to_vec();
    }
    if bytes.starts_with(MAGIC) {
        options.salt = Salt::Header; // also by -S of OpenSSL before 3.0
    } else if options.salt == Salt::Header {
        options.salt = Salt::None;
    }
    let (salt, header_len) = match options.salt {
        Salt::Header | Salt::GivenInHeader(_) => {
            (bytes[MAGIC.len()..].first_chunk().copied(), HEADER_LEN)
        }
        Salt::Given(salt) => (Some(salt), 0),
        Salt::None => (None, 0),
    };
    let start = bytes.get(header_len..).unwrap_or_default();
    Ok((salt, start[..start.len().min(START)].to_vec()))
}

/// Returns true if openssl reads a base64 text with -a alone.
fn has_lines(head: &[u8]) -> bool {
    let is_short = |line: &[u8]| line.len() <= LONGEST_LINE;
    head.contains(&b'\n') && head.split(|&byte| byte == b'\n').all(is_short)
}

/// Returns true if openssl reads a base64 text with -A: the file ends within `head`, and has no
/// white space but a line end.
fn is_one_line(head: &[u8]) -> bool {
    let line = head.strip_suffix(b"\n").unwrap_or(head);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    head.len() < HEAD && !line.iter().any(u8::is_ascii_whitespace)
}

fn decrypted(key: &[u8], start: &[u8]) -> Vec<u8> {
    let mut plain = start.to_vec();
    Rc4::boxed(key, Backend::detect()).expect("5 or 16 bytes").apply(&mut plain);
    plain
}

fn none_fits(keys: usize, choices: &Choices) -> String {
    let iterations: Vec<_> = choices
        .derivations
        .iter()
        .filter_map(|derivation| match derivation {
            Derivation::Pbkdf2(iterations) => Some(iterations.to_string()),
            Derivation::BytesToKey => None,
        })
        .collect();
    let pbkdf2 = match &iterations[..] {
        [] => String::new(),
        iterations => format!(" (PBKDF2 with {} iterations)", iterations.join(", ")),
    };
    format!(
        "none of {keys} keys{pbkdf2} makes text, a file of a known kind or other data far from random; a few \
         bytes, and compressed or encrypted files of other kinds, are not recognised under the right options: \
         try these without --guess; or the file has another number of iterations (--iter), a salt without a \
         header (--salt), another cipher or another passphrase"
    )
}

impl Guessed {
    /// Returns the options.
    pub fn options(&self) -> Options {
        self.fit.options
    }

    /// Prints the result, and its commands. `pass` and `input` are the passphrase and the file as
    /// words of a shell, if the input is not standard input.
    pub fn report(&self, pass: &str, input: Option<&str>) {
        let Self { fit: Fit { options, kind, chance }, keys, is_spaced } = self;
        let wrong = *keys as f64 * chance;
        let derivation = match options.derivation {
            Derivation::BytesToKey => "EVP_BytesToKey".to_owned(),
            Derivation::Pbkdf2(iterations) => format!("PBKDF2 of {iterations} iterations"),
        };
        let (bits, hash) = (8 * options.cipher.key_len(), options.hash.name());
        say(&format!(
            "found {kind} with a {bits}-bit key by {derivation} with {hash}: the only one of {keys} keys that fits"
        ));
        if wrong >= 0.01 {
            say(&format!(
                "warning: the file is short: {wrong:.2} wrong keys are expected to fit by chance"
            ));
        }
        say(&format!("the options instead of --guess: {}", ours(options)));
        let named =
            |before: &str| input.map(|input| format!("{before}{input}")).unwrap_or_default();
        let (joined, read) = match is_spaced {
            true => (format!(r"tr -d ' \t\r\n'{} | ", named(" < ")), String::new()),
            false => (String::new(), named(" -in ")),
        };
        let words = format!("{} -pass {pass}{read} -out OUT", theirs(options));
        say(&format!("the command of openssl: {joined}openssl enc -d {words}"));
    }
}

/// Returns the options of `arcfour crypt`.
fn ours(options: &Options) -> String {
    let mut words = format!("--openssl={} -d --md {}", options.cipher.name(), options.hash.name());
    if let Derivation::Pbkdf2(iterations) = options.derivation {
        words += &format!(" --iter {iterations}");
    }
    match options.salt {
        Salt::Header | Salt::GivenInHeader(_) => {}
        Salt::Given(salt) => words += &format!(" --salt {}", hex(salt)),
        Salt::None => words += " --nosalt",
    }
    if options.text != Text::Raw {
        words += " --base64";
    }
    words
}

/// Returns the options of `openssl enc` in OpenSSL 3.
fn theirs(options: &Options) -> String {
    let mut words = format!("-{} -md {}", options.cipher.name(), options.hash.name());
    if let Derivation::Pbkdf2(iterations) = options.derivation {
        words += &format!(" -iter {iterations}");
    }
    match options.salt {
        Salt::Header | Salt::GivenInHeader(_) => {}
        Salt::Given(salt) => words += &format!(" -S {}", hex(salt)),
        Salt::None => words += " -nosalt",
    }
    words += match options.text {
        Text::Raw => "",
        Text::Base64Lines => " -a",
        Text::Base64 => " -a -A",
    };
    words + " -provider legacy -provider default"
}

fn hex(salt: [u8; SALT_LEN]) -> String {
    data_encoding::HEXLOWER.encode(&salt)
}

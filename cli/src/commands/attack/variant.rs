//! `arcfour attack variant`

use std::{
    io::{self, Read},
    path::PathBuf,
};

use arcfour::MAX_KEY;
use arcfour_attacks::{
    search::{ByteSet, Pattern},
    variant::{Explanation, Known, MAX_DROP, MAX_KEYS, MAX_KNOWN, MAX_OFFSET, by_chance, explain},
};
use arcfour_formats::text::{quoted, quoted_path};
use data_encoding::HEXLOWER;
use serde_json::json;
use zeroize::Zeroizing;

use crate::console::{
    at::At, failure::Failure, input::Input, key::KeyArgs, output::print, say::say, secret,
    size::within,
};

/// Number of explanations printed without --all.
const SHOWN: usize = 4;

/// Find the change of RC4 that explains a known plaintext
///
/// Malware often changes RC4, or derives its key in another way than an analyst expects. This
/// command takes up to 100 keys, a ciphertext and a piece of its plaintext, and tries changes. For
/// each change that explains the piece it prints the number of equal bytes, and the command that
/// decrypts.
///
/// Keys tried: as it is, reversed, hashed, in UTF-16, in digits, decoded, padded, cut, and as
/// CryptDeriveKey makes it. Ciphers tried: other table sizes, key schedules, first values of i and
/// j, and outputs. Missing and broken swaps, added constants, and keystream dropped, added or
/// subtracted are tried too.
///
/// The search has six stages, and ends after the first stage that explains the text. First: RC4
/// with every form of the keys, which must explain all of the text. Second: one usual change, with
/// every form. Third: RC4 with every form and up to --drop bytes dropped. Fourth: one usual change,
/// with the keys as they are and up to --drop bytes dropped. Fifth: one change by a constant, with
/// every form. Sixth: two changes, with the keys as they are. The time grows with the number of
/// keys, and with the offset of the piece.
///
/// If a change agrees in all bytes of the piece, only such changes are printed. Otherwise a printed
/// change may only resemble the right one: x^k and x+k are equal in every byte without a carry.
#[derive(clap::Args)]
#[command(
    override_usage = "arcfour attack variant [OPTIONS] <KEY OPTION> <KNOWN OPTION> <IN>",
    after_help = "\
Examples:
  arcfour attack variant c2.bin --key Quentin --plain-text '{\"id\":\"'
  arcfour attack variant c2.bin --key-hex '01 02 03 04 05' --plain '4d 5a 90 00 03 00 00 00'
  arcfour attack variant c2.bin --keys strings.txt --plain-text 64:User-Agent
  arcfour attack variant dropped.bin --key-file key --plain-file 512:mz --json

Exit code 0: a change explains the text. Exit code 1: no change that was tried does, or the work failed."
)]
pub(super) struct Args {
    /// The ciphertext, or - for standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    known: KnownArgs,
    /// Maximum number of keystream bytes dropped before the ciphertext
    #[arg(long, value_name = "N", default_value = "4096", allow_negative_numbers = true,
        value_parser = within(0..=MAX_DROP as u64))]
    drop: u64,
    /// Print all explanations, not only the 4 simplest
    #[arg(long)]
    all: bool,
    /// Print a line of JSON for each explanation, and one at the end
    #[arg(long)]
    json: bool,
    /// Try each line of this file as a key, at most 100; - is standard input
    #[arg(
        long,
        value_name = "FILE",
        group = "KeyArgs",
        help_heading = "Key (exactly one, 1 to 256 bytes)"
    )]
    keys: Option<PathBuf>,
    #[command(flatten)]
    key: KeyArgs,
}

/// A piece of the plaintext.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct KnownArgs {
    /// The plaintext has this text at OFFSET, 0 if not said
    ///
    /// Digits before the first colon are the offset: write 0:10:15 for the text 10:15.
    #[arg(
        long,
        value_name = "[OFFSET:]TEXT",
        help_heading = "Plaintext (exactly one, 1 to 1024 bytes)"
    )]
    plain_text: Option<At<String>>,
    /// The plaintext has these bytes at OFFSET, as hexadecimal digits
    #[arg(
        long,
        value_name = "[OFFSET:]HEX",
        help_heading = "Plaintext (exactly one, 1 to 1024 bytes)"
    )]
    plain: Option<At<Pattern>>,
    /// The plaintext has the beginning of this file at OFFSET
    #[arg(
        long,
        value_name = "[OFFSET:]FILE",
        help_heading = "Plaintext (exactly one, 1 to 1024 bytes)"
    )]
    plain_file: Option<At<PathBuf>>,
}

impl KnownArgs {
    /// The offset, and the piece.
    fn read(self) -> Result<(usize, Vec<u8>), Failure> {
        let (offset, known) = match self {
            Self { plain_text: Some(text), .. } => {
                text.note().into_iter().for_each(|note| say(&note));
                (text.offset, text.what.into_bytes())
            }
            Self { plain: Some(pattern), .. } => {
                let byte = |set: &ByteSet| {
                    let mut values = (0..=255).filter(|&byte| set.contains(byte));
                    values.next().filter(|_| values.next().is_none())
                };
                let bytes: Option<Vec<u8>> = pattern.what.sets().iter().map(byte).collect();
                let bytes = bytes.ok_or_else(|| {
                    Failure::Usage(
                        "--plain: every byte must be known here: two hexadecimal digits".into(),
                    )
                })?;
                (pattern.offset, bytes)
            }
            Self { plain_file: Some(path), .. } => {
                let input = Input::open(&path.what)?;
                (path.offset, start(input, MAX_KNOWN)?)
            }
            _ => unreachable!("clap requires one"),
        };
        if offset > MAX_OFFSET as u64 {
            return Err(Failure::Usage(format!(
                "the known piece begins at byte {offset}; an offset is 0 to {MAX_OFFSET}"
            )));
        }
        match known.len() {
            1..=MAX_KNOWN => Ok((offset as usize, known)),
            len => Err(Failure::Usage(format!(
                "the plaintext has {len} bytes; 1 to {MAX_KNOWN} are compared"
            ))),
        }
    }
}

/// Returns the first bytes of an input.
fn start(input: Input, most: usize) -> Result<Vec<u8>, Failure> {
    let name = input.name().to_owned();
    let mut bytes = vec![];
    let read = input.take(most as u64).read_to_end(&mut bytes);
    read.map_err(|error| Failure::read(&name, &error))?;
    Ok(bytes)
}

/// Returns the lines of a file of keys, without their line ends.
fn lines(text: &[u8], name: &str) -> Result<Vec<Zeroizing<Vec<u8>>>, Failure> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut keys = vec![];
    for (n, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let n = n + 1;
        if n > MAX_KEYS {
            return Err(Failure::Usage(format!(
                "{name} has more than {MAX_KEYS} lines; at most {MAX_KEYS} keys are tried together"
            )));
        }
        if !(1..=MAX_KEY).contains(&line.len()) {
            return Err(Failure::Usage(format!(
                "line {n} of {name} has {} bytes; a key has 1 to {MAX_KEY}",
                line.len()
            )));
        }
        keys.push(Zeroizing::new(line.to_vec()));
    }
    Ok(keys)
}

impl Args {
    /// Returns the keys to try.
    fn keys(
        keys: Option<PathBuf>,
        key: KeyArgs,
        stdin: bool,
    ) -> Result<Vec<Zeroizing<Vec<u8>>>, Failure> {
        let Some(path) = keys else {
            let key = key.read(stdin)?.bytes;
            return match key.len() {
                1..=MAX_KEY => Ok(vec![key]),
                len => Err(Failure::Usage(format!(
                    "the key has {len} bytes; a key has 1 to {MAX_KEY}"
                ))),
            };
        };
        let name = format!("'{}'", path.display());
        let (file, _guard) = secret::open_file(&path, "list of keys", stdin)?;
        // A line has its two bytes of line end.
        let text = file.read(MAX_KEYS * (MAX_KEY + 2) + 1);
        let text = text.map_err(|error| Failure::read(&name, &error))?;
        lines(secret::without_mark(&text, &name)?, &name)
    }

    pub(super) fn run(self) -> Result<(), Failure> {
        let (offset, plain) = self.known.read()?;
        let stdin = self.input.as_os_str() == "-";
        let listed = self.keys.is_some();
        let keys = Self::keys(self.keys, self.key, stdin)?;
        let mut input = Input::open(&self.input)?;
        let name = input.name().to_owned();
        let skipped = io::copy(&mut (&mut input).take(offset as u64), &mut io::sink());
        let skipped = skipped.map_err(|error| Failure::read(&name, &error))?;
        let cipher = start(input, plain.len())?;
        if cipher.len() < plain.len() {
            return Err(Failure::Work(format!(
                "{name} has {} bytes, and the plaintext {}",
                skipped + cipher.len() as u64,
                offset + plain.len()
            )));
        }
        let known = Known { cipher: &cipher, plain: &plain, offset };
        let borrowed: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let found = explain(&borrowed, &known, self.drop as usize);
        let all = found.explanations.len();
        let shown = if self.all { all } else { all.min(SHOWN) };
        let file = if stdin { String::new() } else { format!(" {}", quoted_path(&self.input)) };
        for one in &found.explanations[..shown] {
            let chance = by_chance(found.tried, plain.len(), one.agree);
            let key = Zeroizing::new(HEXLOWER.encode(&one.key));
            let line = match self.json {
                true => json!({
                    "event": "explanation", "agree": one.agree, "known": plain.len(), "expected_by_chance": chance,
                    "key_line": listed.then_some(one.given + 1), "key_form": one.form, "key": *key, "variant": one.variant.to_string(), "drop": one.drop,
                })
                .to_string(),
                false => format!(
                    "{} of {} bytes agree: {}\n  {}",
                    one.agree,
                    plain.len(),
                    described(one, listed),
                    command(one, &file, &key)
                ),
            };
            print(format!("{line}\n").as_bytes())?;
        }
        if self.json {
            let end = json!({
                "event": "end", "tried": found.tried, "explanations": all, "least": found.least,
            });
            print(format!("{end}\n").as_bytes())?;
        }
        let whole = found.explanations.iter().any(|one| one.agree == plain.len());
        let agree = if whole { plain.len() } else { found.least };
        let chance = by_chance(found.tried, plain.len(), agree);
        let said = format!(
            "{} descriptions were tried; {chance:.1e} wrong ones are expected to agree in {agree} of {} bytes by chance",
            found.tried,
            plain.len()
        );
        if all == 0 {
            return Err(Failure::Work(format!("nothing explains {name}: {said}")));
        }
        let more = match all - shown {
            0 => String::new(),
            more => format!("{more} more with --all; "),
        };
        say(&format!("{more}{said}"));
        if chance > 0.1 {
            say(
                "warning: the known plaintext is too short to choose between the changes; give more of it",
            );
        }
        Ok(())
    }
}

/// Describes the change in words.
fn described(one: &Explanation, listed: bool) -> String {
    let mut parts = vec![one.variant.to_string()];
    if listed {
        parts.push(format!("the key of line {}", one.given + 1));
    }
    if !one.form.is_empty() {
        parts.push(format!("the key {}", one.form));
    }
    if one.drop > 0 {
        parts.push(format!("{} bytes dropped", one.drop));
    }
    parts.join("; ")
}

/// Returns the command that decrypts.
fn command(one: &Explanation, file: &str, key: &str) -> String {
    let mut command = format!("arcfour crypt{file} --key-hex {key}");
    let variant = one.variant.to_string();
    if variant != "rc4" {
        command += &format!(" --variant {}", quoted(&variant));
    }
    if one.drop > 0 {
        command += &format!(" --drop {}", one.drop);
    }
    command
}

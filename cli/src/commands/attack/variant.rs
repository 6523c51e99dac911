//! `arcfour attack variant`

use std::{io::Read, path::PathBuf};

use arcfour_attacks::{
    search::Pattern,
    variant::{Explanation, MAX_DROP, MAX_KNOWN, by_chance, explain},
};
use data_encoding::HEXLOWER;
use serde_json::json;
use zeroize::Zeroizing;

use crate::console::{
    failure::{Failure, warn},
    input::Input,
    key::KeyArgs,
    output::print,
    shell::quoted,
    size::within,
};

/// Explanations that are printed without --all.
const SHOWN: usize = 4;

/// Tell which change of RC4 explains a known text
///
/// Malware often changes RC4, or derives its key in another way than an analyst expects. This
/// command takes a key, a ciphertext and the start of its plaintext, and tries changes. For each
/// change that explains the text it prints the number of equal bytes, and the command that
/// decrypts.
///
/// Keys tried: as it is, reversed, hashed, in UTF-16, in digits, decoded, padded, cut, and as
/// CryptDeriveKey makes it. Ciphers tried: other table sizes, key schedules, first values of i and
/// j, and outputs. Missing and broken swaps, added constants, and keystream dropped, added or
/// subtracted are tried too.
///
/// The search has five stages, and ends after the first stage that explains the text. First: RC4,
/// or one usual change, with every form of the key. Second: RC4 with every form of the key and up
/// to --drop bytes dropped. Third: one usual change, with the key as it is and up to --drop bytes
/// dropped. Fourth: one change by a constant, with every form of the key. Fifth: two changes, with
/// the key as it is.
#[derive(clap::Args)]
#[command(
    override_usage = "arcfour attack variant [OPTIONS] <KEY OPTION> <KNOWN OPTION> <IN>",
    after_help = "\
Examples:
  arcfour attack variant c2.bin --key Quentin --plain-text '{\"id\":\"'
  arcfour attack variant c2.bin --key-hex '01 02 03 04 05' --plain '4d 5a 90 00 03 00 00 00'
  arcfour attack variant dropped.bin --key-file key --plain-file mz --json

Exit code 0: something explains the text; 1: nothing that was tried does, or the work failed."
)]
pub(super) struct Args {
    /// The ciphertext, or - for standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    known: KnownArgs,
    /// Most bytes of keystream dropped before the ciphertext
    #[arg(long, value_name = "N", default_value = "4096", allow_negative_numbers = true,
        value_parser = within(0..=MAX_DROP as u64))]
    drop: u64,
    /// Print all explanations, not only the 4 simplest
    #[arg(long)]
    all: bool,
    /// Print a line of JSON for each explanation, and one at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    key: KeyArgs,
}

/// What the plaintext begins with.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct KnownArgs {
    /// The plaintext begins with this text
    #[arg(long, value_name = "TEXT", help_heading = "Plaintext (exactly one, 1 to 1024 bytes)")]
    plain_text: Option<String>,
    /// The plaintext begins with these bytes, as hexadecimal digits
    #[arg(long, value_name = "HEX", help_heading = "Plaintext (exactly one, 1 to 1024 bytes)")]
    plain: Option<Pattern>,
    /// The plaintext begins as this file does
    #[arg(long, value_name = "FILE", help_heading = "Plaintext (exactly one, 1 to 1024 bytes)")]
    plain_file: Option<PathBuf>,
}

impl KnownArgs {
    fn read(self) -> Result<Vec<u8>, Failure> {
        let known = match self {
            Self { plain_text: Some(text), .. } => text.into_bytes(),
            Self { plain: Some(pattern), .. } => {
                let byte = |set: &arcfour_attacks::search::ByteSet| {
                    let mut values = (0..=255).filter(|&byte| set.contains(byte));
                    values.next().filter(|_| values.next().is_none())
                };
                let bytes: Option<Vec<u8>> = pattern.sets().iter().map(byte).collect();
                bytes.ok_or_else(|| {
                    Failure::Usage(
                        "--plain: every byte must be known here: two hexadecimal digits".into(),
                    )
                })?
            }
            Self { plain_file: Some(path), .. } => {
                let input = Input::open(&path)?;
                start(input, MAX_KNOWN)?
            }
            _ => unreachable!("clap requires one"),
        };
        match known.len() {
            1..=MAX_KNOWN => Ok(known),
            len => Err(Failure::Usage(format!(
                "the plaintext has {len} bytes; 1 to {MAX_KNOWN} are compared"
            ))),
        }
    }
}

/// The first bytes of an input.
fn start(input: Input, most: usize) -> Result<Vec<u8>, Failure> {
    let name = input.name().to_owned();
    let mut bytes = vec![];
    let read = input.take(most as u64).read_to_end(&mut bytes);
    read.map_err(|error| Failure::read(&name, &error))?;
    Ok(bytes)
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let plain = self.known.read()?;
        let stdin = self.input.as_os_str() == "-";
        let key = self.key.read(stdin)?.bytes;
        if !(1..=arcfour::MAX_KEY).contains(&key.len()) {
            return Err(Failure::Usage(format!(
                "the key has {} bytes; a key has 1 to {}",
                key.len(),
                arcfour::MAX_KEY
            )));
        }
        let input = Input::open(&self.input)?;
        let name = input.name().to_owned();
        let cipher = start(input, plain.len())?;
        if cipher.len() < plain.len() {
            return Err(Failure::Work(format!(
                "{name} has {} bytes, and the plaintext {}",
                cipher.len(),
                plain.len()
            )));
        }
        let found = explain(&key, &cipher, &plain, self.drop as usize);
        let all = found.explanations.len();
        let shown = if self.all { all } else { all.min(SHOWN) };
        let file = if stdin {
            String::new()
        } else {
            format!(" {}", quoted(&self.input.display().to_string()))
        };
        for one in &found.explanations[..shown] {
            let chance = by_chance(found.tried, plain.len(), one.agree);
            let key = Zeroizing::new(HEXLOWER.encode(&one.key));
            let line = match self.json {
                true => json!({
                    "event": "explanation", "agree": one.agree, "known": plain.len(), "expected_by_chance": chance,
                    "key_form": one.form, "key": *key, "variant": one.variant.to_string(), "drop": one.drop,
                })
                .to_string(),
                false => format!(
                    "{} of {} bytes agree: {}\n  {}",
                    one.agree,
                    plain.len(),
                    described(one),
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
        let chance = by_chance(found.tried, plain.len(), found.least);
        let said = format!(
            "{} descriptions were tried; {chance:.1e} wrong ones are expected to agree in {} of {} bytes",
            found.tried,
            found.least,
            plain.len()
        );
        if all == 0 {
            return Err(Failure::Work(format!("nothing explains {name}: {said}")));
        }
        let more = match all - shown {
            0 => String::new(),
            more => format!("{more} more with --all; "),
        };
        warn("arcfour", &format!("{more}{said}"));
        if chance > 0.1 {
            warn(
                "arcfour",
                "warning: too little of the plaintext is known to tell them apart; say more of it",
            );
        }
        Ok(())
    }
}

/// What was changed, in words.
fn described(one: &Explanation) -> String {
    let mut parts = vec![one.variant.to_string()];
    if !one.form.is_empty() {
        parts.push(format!("the key {}", one.form));
    }
    if one.drop > 0 {
        parts.push(format!("{} bytes dropped", one.drop));
    }
    parts.join("; ")
}

/// The command that decrypts.
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

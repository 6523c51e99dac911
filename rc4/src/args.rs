//! The command line of `rc4`.

use std::{ffi::OsString, os::unix::ffi::OsStrExt};

use arcfour::{KeyLengthError, MAX_KEY, MIN_KEY};
use arcfour_console::{EXIT_CODES, WARNING, failure::Failure};

/// Figure 7.1, word for word.
pub const USAGE: &str = "\
Usage: rc4 [OPTION]... KEY
Encrypt or decrypt a plain/cipher text using the RC4 algorithm
The input text will be read from stdin and en/decrypted using the key KEY
  --bench=N        benchmark mode, encrypts N random bytes
  --bench-loop=M   the encryption will be run M times, default is 1
  --in-hexa        input text will be interpreted as hexa, default is raw
  --out-hexa       output text will be written in hexa, default is raw
";

/// Every option of the figure: its name, value and effect. The parser, the manual page and the
/// completions read this.
pub const OPTIONS: [(&str, Option<&str>, &str); 4] = [
    ("bench", Some("N"), "benchmark mode, encrypts N random bytes"),
    ("bench-loop", Some("M"), "the encryption will be run M times, default is 1"),
    ("in-hexa", None, "input text will be interpreted as hexa, default is raw"),
    ("out-hexa", None, "output text will be written in hexa, default is raw"),
];

/// The options that the figure leaves out, for the help.
const HELP_NOTES: &str = "  --help           print this
  --version        print the version

";

/// The part of the help after the usage text.
pub const NOTES: &str = "\
The options go before the key. The key is 1 to 256 ASCII characters; after `--`
it may begin with a dash. Other users can see it in `ps`: `arcfour crypt` has
better ways to give it, and keys of any bytes.

Hexadecimal input is digits in any case, and may end with one line end (LF or
CR LF). Hexadecimal output is lower-case, with a line end only on a terminal.

Examples:
  $ echo -n \"Baptiste\" | rc4 --out-hexa Quentin
  b07ce1f8d34cb924
  $ echo -n \"b07ce1f8d34cb924\" | rc4 --in-hexa Quentin
  Baptiste
";

/// The options and the key.
#[derive(Debug, Default)]
pub struct Args {
    /// Bytes to encrypt in benchmark mode.
    pub bench: Option<usize>,
    /// Number of encryptions.
    pub bench_loop: Option<u64>,
    /// The input is hexadecimal text.
    pub in_hexa: bool,
    /// The output is hexadecimal text.
    pub out_hexa: bool,
    /// 1 to 256 ASCII characters.
    pub key: OsString,
}

/// A parsed command line.
#[derive(Debug)]
pub enum Request {
    /// The help or the version.
    Print(String),
    /// The work.
    Run(Args),
}

/// Parses a command line, the program's name first.
///
/// # Errors
/// If the usage is wrong. The message names the fault and the allowed values.
pub fn parse(line: impl IntoIterator<Item = OsString>) -> Result<Request, Failure> {
    read(line).map_err(Failure::Usage)
}

fn read(line: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let mut args = Args::default();
    let mut key = None;
    let mut given = vec![];
    // Reported only after all arguments are read, because a later argument may ask for the help.
    let mut late = None;
    let mut options_end = false;
    for (at, word) in line.into_iter().enumerate().skip(1) {
        let bytes = word.as_bytes();
        if options_end || !bytes.starts_with(b"-") || bytes == b"-" {
            if key.replace(word).is_some() {
                return Err(
                    "more than one argument for the KEY; there is one KEY, given last (quote \
                            it if it has spaces), and the input is read from stdin"
                        .into(),
                );
            }
            continue;
        }
        if bytes == b"--" {
            options_end = true;
            continue;
        }
        let text = word.to_string_lossy();
        let (name, value) = match text[1..].split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (&text[1..], None),
        };
        match (name, value) {
            ("-help", None) => return Ok(Request::Print(help())),
            ("-version", None) => {
                return Ok(Request::Print(format!("rc4 {}\n", env!("CARGO_PKG_VERSION"))));
            }
            _ => {}
        }
        let option = OPTIONS.iter().find(|(known, ..)| name.strip_prefix('-') == Some(*known));
        // The message does not repeat the word, because it may be part of a key.
        let (name, takes, _) = option.ok_or_else(|| {
            format!(
                "argument {at} is not an option; there are --bench=N, --bench-loop=M, --in-hexa, \
                 --out-hexa, --help and --version, and a KEY that begins with a dash goes after --"
            )
        })?;
        match (*takes, value) {
            (Some(takes), None) => {
                let shown = format!("--{name}=<{takes}>");
                return Err(format!("equal sign is needed when assigning values to '{shown}'"));
            }
            (None, Some(value)) => {
                return Err(format!(
                    "unexpected value '{value}' for '--{name}' found; no more were expected"
                ));
            }
            _ if given.contains(name) => {
                let value = takes.map(|takes| format!("=<{takes}>")).unwrap_or_default();
                return Err(format!(
                    "the argument '--{name}{value}' cannot be used multiple times"
                ));
            }
            _ => {}
        }
        given.push(*name);
        late = late.or((key.is_some()).then_some(*name));
        match (*name, value.unwrap_or_default()) {
            ("bench", value) => args.bench = Some(bench_bytes(value)?),
            ("bench-loop", value) => args.bench_loop = Some(bench_loop(value)?),
            ("in-hexa", _) => args.in_hexa = true,
            _ => args.out_hexa = true,
        }
    }
    args.key = key.ok_or_else(|| {
        format!("no KEY; it is {MIN_KEY} to {MAX_KEY} ASCII characters, given last")
    })?;
    if args.bench_loop.is_some() && args.bench.is_none() {
        return Err("--bench-loop=M needs --bench=N, the number of bytes to encrypt".into());
    }
    check_key(args.key.as_bytes())?;
    match late {
        Some(option) => {
            Err(format!("the option --{option} comes after the KEY; the KEY goes last"))
        }
        None => Ok(Request::Run(args)),
    }
}

fn help() -> String {
    format!("{WARNING}\n\n{USAGE}{HELP_NOTES}{NOTES}\n{EXIT_CODES}\n")
}

/// The message does not repeat the key, because it may be the right key with a typing error.
fn check_key(key: &[u8]) -> Result<(), String> {
    if let Some(offset) = key.iter().position(|byte| !byte.is_ascii()) {
        return Err(format!(
            "the key has a byte that is not ASCII at offset {offset}; `arcfour crypt` takes keys \
             of any bytes"
        ));
    }
    if !(MIN_KEY..=MAX_KEY).contains(&key.len()) {
        return Err(KeyLengthError { given: key.len() }.to_string());
    }
    Ok(())
}

fn bench_bytes(text: &str) -> Result<usize, String> {
    let range = 2..=isize::MAX as usize;
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (first, last) = (range.start(), range.end());
        format!(
            "invalid value '{text}' for '--bench=<N>': N is a whole number from {first} to {last}"
        )
    })
}

fn bench_loop(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| {
        let last = u64::MAX;
        format!(
            "invalid value '{text}' for '--bench-loop=<M>': M is a whole number from 1 to {last}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{OPTIONS, USAGE};

    /// The figure is the paper's; the parser, the manual page and the completions read the table.
    #[test]
    fn the_options_are_those_of_the_figure() {
        let figure = USAGE.lines().skip(3).map(|line| line.split_whitespace().collect::<Vec<_>>());
        let table = OPTIONS.iter().map(|(name, value, does)| {
            let value = value.map(|value| format!("={value}")).unwrap_or_default();
            format!("--{name}{value} {does}")
        });
        assert!(figure.map(|words| words.join(" ")).eq(table));
    }
}

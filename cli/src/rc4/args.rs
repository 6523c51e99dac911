//! The command line of `rc4`.

use std::{ffi::OsString, os::unix::ffi::OsStrExt};

use arcfour::{KeyLengthError, MAX_KEY, MIN_KEY};
use clap::{
    ArgMatches, CommandFactory, FromArgMatches, Parser,
    error::{ContextKind, Error, ErrorKind},
    parser::ValueSource,
};

use crate::{EXIT_CODES, console::failure::Failure};

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

/// The options that the figure leaves out, for the help.
const HELP_NOTES: &str = "  --help           print this
  --version        print the version

";

/// The part of the help after the usage text.
const NOTES: &str = "\
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
#[derive(Debug, Parser)]
#[command(
    name = "rc4",
    version,
    about = "encrypt or decrypt a plain/cipher text using the RC4 algorithm",
    after_help = NOTES,
    override_usage = "rc4 [OPTION]... KEY"
)]
pub struct Args {
    /// benchmark mode, encrypts N random bytes
    #[arg(long, value_name = "N", require_equals = true, value_parser = bench_bytes)]
    pub bench: Option<usize>,
    /// the encryption will be run M times, default is 1
    #[arg(long, value_name = "M", require_equals = true, value_parser = bench_loop)]
    pub bench_loop: Option<u64>,
    /// input text will be interpreted as hexa, default is raw
    #[arg(long)]
    pub in_hexa: bool,
    /// output text will be written in hexa, default is raw
    #[arg(long)]
    pub out_hexa: bool,
    /// 1 to 256 ASCII characters
    #[arg(value_name = "KEY")]
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
/// If the usage is wrong: what is, and what is allowed.
pub fn parse(line: impl IntoIterator<Item = OsString>) -> Result<Request, Failure> {
    let line: Vec<OsString> = line.into_iter().collect();
    let parsed = Args::command().try_get_matches_from(&line).and_then(|matches| {
        let args = Args::from_arg_matches(&matches)?;
        Ok((matches, args))
    });
    match parsed {
        Ok((matches, args)) => check(&matches, args).map_err(Failure::Usage),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp => Ok(Request::Print(format!(
                "{}\n\n{USAGE}{HELP_NOTES}{NOTES}\n{EXIT_CODES}\n",
                crate::WARNING
            ))),
            ErrorKind::DisplayVersion => Ok(Request::Print(error.to_string())),
            _ => Err(Failure::Usage(one_line(&error, &line))),
        },
    }
}

/// Checks the rules that involve several options.
fn check(matches: &ArgMatches, args: Args) -> Result<Request, String> {
    if args.bench_loop.is_some() && args.bench.is_none() {
        return Err("--bench-loop=M needs --bench=N, the number of bytes to encrypt".into());
    }
    check_key(args.key.as_bytes())?;
    let key = matches.index_of("key");
    for option in ["bench", "bench_loop", "in_hexa", "out_hexa"] {
        if matches.value_source(option) == Some(ValueSource::CommandLine)
            && matches.index_of(option) > key
        {
            let option = option.replace('_', "-");
            return Err(format!("the option --{option} comes after the KEY; the KEY goes last"));
        }
    }
    Ok(Request::Run(args))
}

/// Describes the error in one line that repeats no word that may be part of a key.
fn one_line(error: &Error, line: &[OsString]) -> String {
    let is_option =
        error.get(ContextKind::InvalidArg).is_some_and(|word| word.to_string().starts_with('-'));
    match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            format!("no KEY; it is {MIN_KEY} to {MAX_KEY} ASCII characters, given last")
        }
        ErrorKind::UnknownArgument if is_option => {
            let known =
                ["--bench", "--bench-loop", "--in-hexa", "--out-hexa", "--help", "--version"];
            let is_known = |word: &OsString| {
                let name = word.as_bytes().split(|&byte| byte == b'=').next().unwrap_or_default();
                !name.starts_with(b"-") || known.iter().any(|known| known.as_bytes() == name)
            };
            let at = line.iter().skip(1).position(|word| !is_known(word)).unwrap_or_default() + 1;
            format!(
                "argument {at} is not an option; there are --bench=N, --bench-loop=M, --in-hexa and \
                 --out-hexa, and a KEY that begins with a dash goes after --"
            )
        }
        ErrorKind::UnknownArgument => {
            "more than one argument for the KEY; there is one KEY, given \
             last (quote it if it has spaces), and the input is read from stdin"
                .into()
        }
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            line.strip_prefix("error: ").unwrap_or(line).to_owned()
        }
    }
}

/// The message does not repeat the key: it may be the right one, mistyped.
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
    number.ok_or(format!("N is a whole number from {} to {}", range.start(), range.end()))
}

fn bench_loop(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or(format!("M is a whole number from 1 to {}", u64::MAX))
}

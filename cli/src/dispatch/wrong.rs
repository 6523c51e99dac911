//! Messages on a wrong command line: the mistake, without words that may be secret, and the remedy.

use std::{ffi::OsString, path::Path};

use arcfour_formats::text::Escaped;
use clap::{
    Arg, Command,
    error::{ContextKind, ContextValue, ErrorKind},
};

/// Names that other programs use, and our options with the same effect. A command has some of them.
const MEANT: [(&[&str], &[&str]); 7] = [
    (&["k", "K", "key", "hex-key", "key-hex", "keyfile", "secret"], &KEYS),
    (&["p", "pass", "password", "passphrase", "user-password", "owner-password", "P"], &PASSWORDS),
    (&["w", "wordlist", "dictionary", "list", "words"], &["keys", "passwords"]),
    (&["n", "l", "length", "len", "count", "size"], &["bytes", "key-length"]),
    (&["hex", "hexa", "in-hexa", "out-hexa"], &["in-hex", "out-hex"]),
    (&["c", "cipher", "algorithm"], &["family", "cipher"]),
    (&["bits", "key-bits", "key-size"], &["key-length", "revision"]),
];
const KEYS: [&str; 9] = [
    "key",
    "key-hex",
    "key-file",
    "key-env",
    "seal-key",
    "file-key",
    "key-mask",
    "key-length",
    "keys",
];
/// A command takes passwords or keys.
const PASSWORDS: [&str; 13] = [
    "password",
    "password-file",
    "password-env",
    "passphrase",
    "passphrase-file",
    "passphrase-env",
    "passwords",
    "password-mask",
    "seal-key",
    "key",
    "key-hex",
    "key-file",
    "key-env",
];
/// Former subcommands of `arcfour attack` on simulated data, and former options of `attack wep`.
const EXPERIMENTS: [&str; 7] = ["broadcast", "cookie", "families", "key", "state", "votes", "weak"];
const OF_SIMULATED_WEP: [&str; 5] =
    ["--packets", "--seed", "--sender", "--trials", "--write-capture"];
/// Maximum number of options that are all named if none resembles the wrong one.
const FEW: usize = 6;

/// Returns the text for standard error, between `error:` and `usage`, the common end of such
/// messages.
pub(super) fn text(
    error: clap::Error,
    line: &[OsString],
    program: &Command,
    usage: &str,
) -> String {
    if let Some(message) = flag_with_value(&error, line) {
        return format!("error: {message}\n{usage}");
    }
    if let Some(message) = moved(line) {
        return format!("error: {message}\n{usage}");
    }
    let command = called(program, line);
    match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => {
            let word = context(&error, ContextKind::InvalidArg)
                .or_else(|| context(&error, ContextKind::InvalidSubcommand))
                .unwrap_or_default();
            match (error.kind(), word.starts_with('-')) {
                (ErrorKind::UnknownArgument, true) => unknown_option(error, &word, line, command),
                (ErrorKind::InvalidSubcommand, _) if command.is_subcommand_required_set() => {
                    presentable(error).to_string()
                }
                _ => excess(&error, &word, line, command, usage),
            }
        }
        _ => {
            let tip = tip_for(&error);
            let mut error = presentable(error);
            if let Some(tip) = tip {
                add_tip(&mut error, tip.to_owned());
            }
            error.to_string()
        }
    }
}

/// Returns the new place of an experiment that was a command.
fn moved(line: &[OsString]) -> Option<String> {
    let words: Vec<_> = line.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let [attack, name, options @ ..] = &words[..] else { return None };
    let of_wep = |option: &str| {
        OF_SIMULATED_WEP.contains(&option.split_once('=').map_or(option, |(name, _)| name))
    };
    let wep = name == "wep" && options.iter().any(|option| of_wep(option));
    (attack == "attack" && (wep || EXPERIMENTS.contains(&&**name))).then(|| {
        format!(
            "`{name}` on data made from a seed is an experiment of the lab: \
             cargo run --release -p arcfour-lab-attacks -- {name}"
        )
    })
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    error.get(kind).map(ToString::to_string)
}

/// Returns the command or subcommand with which the line begins.
fn called<'a>(program: &'a Command, line: &[OsString]) -> &'a Command {
    let mut command = program;
    for word in line.iter().skip(1) {
        match command.find_subcommand(word) {
            Some(subcommand) => command = subcommand,
            None => break,
        }
    }
    command
}

fn options(command: &Command) -> impl Iterator<Item = (&str, &Arg)> {
    let shown = command.get_arguments().filter(|option| !option.is_hide_set());
    shown.filter_map(|option| Some((option.get_long()?, option)))
}

/// Returns the named options that the command has, with their values' names.
fn existing(command: &Command, names: &[&str]) -> Option<String> {
    let found = names.iter().filter_map(|name| {
        let (long, option) = options(command).find(|(long, _)| long == name)?;
        let value = option.get_value_names().filter(|_| option.get_action().takes_values());
        Some(match value {
            Some([value, ..]) => format!("--{long} {value}"),
            _ => format!("--{long}"),
        })
    });
    let found: Vec<_> = found.collect();
    (!found.is_empty()).then(|| format!("this command has {}", found.join(", ")))
}

/// A word without a meaning. An unquoted key or password of several words leaves such words, so the
/// message gives the word's place and not the word.
fn excess(
    error: &clap::Error,
    word: &str,
    line: &[OsString],
    command: &Command,
    usage: &str,
) -> String {
    let place = line.iter().rposition(|given| given.to_string_lossy() == word).unwrap_or_default();
    let names = ["ciphertext", "key", "key-hex", "key-file", "key-env", "seal-key", "to", "output"];
    let tip = existing(command, &names).map(|tip| format!("\n  tip: {tip}\n")).unwrap_or_default();
    let form = context(error, ContextKind::Usage).map(|form| format!("\n{form}\n"));
    format!(
        "error: argument {place} belongs to no option, and is not shown, for it may be part of a secret; \
         quote a value that has spaces\n{tip}{}{usage}",
        form.unwrap_or_default()
    )
}

/// An unknown option, and the options that may be meant.
fn unknown_option(
    error: clap::Error,
    option: &str,
    line: &[OsString],
    command: &Command,
) -> String {
    // For `-md sha256` clap names `-m`.
    let joined = line.iter().filter_map(|word| word.to_str()).find(|word| {
        word.len() > 2 && option.len() == 2 && word.starts_with(option) && !word.starts_with("--")
    });
    let name = joined.unwrap_or(option).trim_start_matches('-');
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let two_dashes = joined
        .and_then(|_| options(command).find(|(long, _)| *long == name))
        .map(|(long, _)| format!("an option of several letters has two dashes: --{long}"));
    let tip = two_dashes.or_else(|| {
        let (_, meant) = MEANT.iter().find(|(names, _)| names.contains(&name))?;
        existing(command, meant)
    });
    let tip = tip.or_else(|| {
        let output = ["o", "out", "output"].contains(&name) && joined.is_none();
        // `man` writes files.
        let output = output && command.get_name() != "man";
        output.then(|| "this command writes to standard output; > FILE keeps what it writes".into())
    });
    let similar = context(&error, ContextKind::SuggestedArg);
    let mut error = presentable(error);
    error.remove(ContextKind::Suggested);
    match (tip, similar) {
        (Some(tip), _) => {
            error.remove(ContextKind::SuggestedArg);
            add_tip(&mut error, tip);
        }
        (None, Some(similar)) => {
            // clap also knows old names of options, which the help does not show.
            let old = |option: &&Arg| {
                let names = option.get_all_aliases().unwrap_or_default();
                names.iter().any(|name| similar == format!("--{name}"))
            };
            if let Some(long) = command.get_arguments().find(old).and_then(Arg::get_long) {
                let value = ContextValue::String(format!("--{long}"));
                error.insert(ContextKind::SuggestedArg, value);
            }
        }
        (None, None) => {
            let all: Vec<_> = options(command).map(|(long, _)| long).collect();
            if all.len() <= FEW
                && let Some(tip) = existing(command, &all)
            {
                add_tip(&mut error, tip);
            }
        }
    }
    error.to_string()
}

fn add_tip(error: &mut clap::Error, tip: String) {
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

/// Names the missing options that a given option needs.
fn tip_for(error: &clap::Error) -> Option<&'static str> {
    let named = [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| context(error, kind));
    let named = |text| named.iter().flatten().any(|names| names.contains(text));
    match error.kind() {
        ErrorKind::MissingRequiredArgument if named("--openssl[") => Some(
            "-e, -d, -K and the like are for files of `openssl enc`; RC4 alone encrypts and decrypts \
             alike, without -e and -d, and takes its key from --key-hex HEX",
        ),
        ErrorKind::MissingRequiredArgument if named("--to <DIR>") => {
            Some("many files go into a folder, --to DIR; one file goes to -o OUT")
        }
        ErrorKind::ArgumentConflict if named("[MORE]") => {
            Some("many files go into a folder, --to DIR, in place of -o OUT")
        }
        _ => None,
    }
}

/// The error with the words of the command line escaped.
fn presentable(mut error: clap::Error) -> clap::Error {
    let words: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(word) => Some((kind, Escaped(word).to_string())),
            _ => None,
        })
        .collect();
    for (kind, word) in words {
        error.insert(kind, ContextValue::String(word));
    }
    error
}

/// Returns true if a command line that was refused is a mistake, and not a request for help.
pub(super) fn is_wrong_usage(error: &clap::Error) -> bool {
    error.use_stderr() && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// Returns the message if a secret was typed after an option that asks for it. It names the option,
/// never the secret.
fn flag_with_value(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let invalid = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument if !invalid.starts_with('-') => {}
        ErrorKind::TooManyValues => {}
        ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict => {
            return secret_for_a_file(line);
        }
        _ => return None,
    }
    ["password", "passphrase"].into_iter().find_map(|what| {
        let option = format!("--{what}");
        let with_value = format!("{option}=");
        let follows =
            |pair: &[OsString]| pair[0] == *option && !pair[1].as_encoded_bytes().starts_with(b"-");
        let joined = |word: &OsString| word.as_encoded_bytes().starts_with(with_value.as_bytes());
        (line.windows(2).any(follows) || line.iter().any(joined)).then(|| takes_no_value(&option))
    })
}

/// Returns the message for a secret typed after `--password` or `--passphrase`, which take no
/// value. If no file has this name, the word may be the secret, so it is not shown.
pub(super) fn secret_for_a_file(line: &[OsString]) -> Option<String> {
    ["--password", "--passphrase"].into_iter().find_map(|option| {
        let follows = |pair: &[OsString]| {
            let word = &pair[1];
            pair[0] == option
                && !word.as_encoded_bytes().starts_with(b"-")
                && Path::new(word).symlink_metadata().is_err()
        };
        line.windows(2).any(follows).then(|| {
            format!("no file has the name that follows {option}; {}", takes_no_value(option))
        })
    })
}

fn takes_no_value(option: &str) -> String {
    format!(
        "{option} takes no value, for other users could see it; it asks on the terminal, and \
         {option}-file PATH or {option}-env NAME give it without one"
    )
}

//! `arcfour find`

mod kept;
mod keys_in;
mod known;
mod left_out;
mod list;
mod mask;
mod merge;
mod password;
mod report;
mod shard;
mod space;

use std::{
    num::NonZero,
    ops::{ControlFlow, Range},
    thread,
    time::{Duration, Instant},
};

use arcfour::{Family, families::variant::Variant};
use arcfour_attacks::{
    cryptoapi::DeriveKey,
    search::{Ended, Event, KeyTest, Record, Search},
};
use arcfour_formats::text::quoted;
use clap::ArgGroup;

use self::{
    kept::{Goal, Kept, RecordArgs},
    keys_in::KeysInArgs,
    known::KnownArgs,
    list::ListArgs,
    report::Report,
    shard::Shard,
    space::SpaceArgs,
};
use crate::console::{
    device::{self, Devices},
    failure::Failure,
    family::{self, Iv},
    say::say,
    size,
};

/// Duration of the measurement by `--estimate`.
const ESTIMATE: Duration = Duration::from_secs(1);

/// Find the key of a ciphertext with partly known plaintext
///
/// Tries every key that a mask or a list allows. Prints, as hexadecimal digits, each key that
/// decrypts the ciphertext to the known plaintext. For a PDF or Office file, passwords can be tried
/// too. For your own old data, for teaching, and for audits with permission.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    group = ArgGroup::new("keyspace")
        .args(["key_mask", "key_length", "keys", "keys_in", "passwords", "password_mask"]),
    group = ArgGroup::new("keys-tried").required(true).multiple(true)
        .args(["key_mask", "key_length", "keys", "keys_in", "passwords", "password_mask", "pdf", "office"]),
    group = ArgGroup::new("passwords-tried").args(["passwords", "password_mask"]),
    override_usage = "arcfour find [OPTIONS] <KEY OPTION>\n       arcfour find <COMMAND>",
    after_help = "\
Examples:
  arcfour find -c old.pdf.rc4 --key-length 5 --plain '25 50 44 46 2d 31 2e' --estimate
  arcfour find -c old.bin --key-mask '??{5} 06 06 9d cc' --plain 16:'00 00 ?? 01' --drop 256
  arcfour find -c old.zip.rc4 --keys words.txt --zip
  arcfour find -c c2.bin --keys-in sample.exe --plain-text '{\"id'
  arcfour find -c old.bin --key-length 5 --printable --shard 3/64 --record 3.json
  arcfour find --pdf old.pdf --estimate
  arcfour find --office old.doc --record old.json
  arcfour find --pdf old.pdf --passwords words.txt
  arcfour find --office old.doc --password-mask '?u?l?l?l?d?d' --estimate
  arcfour find merge 1.json 2.json 3.json

A pattern is a sequence of bytes. A byte is two hexadecimal digits, with '?' for an unknown digit, or a \
set such as [30-39,5f]. {N} after a byte repeats it.

A mask of passwords is in hashcat's letters. ?l is a-z, ?u A-Z, ?d 0-9, ?s the other printable ASCII, \
?a all of these. ?b is any byte, ?h 0-9a-f, ?H 0-9A-F. ?1 to ?4 are --charset-1 to --charset-4, ?? is a \
question mark. Other characters mean themselves.

If n bits of the key are unknown and k bits of the plaintext known, 2^(n - k) wrong keys match by \
chance. The number is printed first. Standard output has only the found keys and passwords.

Exit code 0: a key was found, or all of a shard was searched. Exit code 1: no key matches, or the search failed."
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    space: SpaceArgs,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    keys_in: KeysInArgs,
    #[command(flatten)]
    known: KnownArgs,
    /// The cipher
    #[arg(long, value_name = "FAMILY", default_value = "rc4", value_parser = family::parser())]
    family: Family,
    /// The cipher is RC4 with changes: `arcfour families --help` lists them. `apply` must be x^k
    #[arg(long, value_name = "CHANGES", conflicts_with_all = ["family", "iv_hex", "pdf", "office"])]
    variant: Option<Variant>,
    /// Try passwords, and derive their keys like CryptDeriveKey of Windows: md5-40, md5-40-salt,
    /// md5-128 …
    #[arg(long, value_name = "HASH-BITS", conflicts_with_all = ["pdf", "office"])]
    derive_key: Option<DeriveKey>,
    /// The IV, for families that take one, as hexadecimal digits
    #[arg(long, value_name = "HEX")]
    iv_hex: Option<Iv>,
    /// Search for all keys that match, not only for the first
    #[arg(long)]
    all: bool,
    /// Measure for a second, print the estimated time of the search, and exit
    #[arg(long, conflicts_with_all = ["record", "keys", "passwords"])]
    estimate: bool,
    /// Search part K of N equal parts of the keys
    #[arg(long, value_name = "K/N", conflicts_with_all = ["keys", "keys_in", "passwords"])]
    shard: Option<Shard>,
    #[command(flatten)]
    record: RecordArgs,
    /// The devices that help the threads: none (cpu), all GPUs (gpu), the GPUs if there are any (auto), or
    /// the adapter with this number in `arcfour backends`
    ///
    /// A GPU tests RC4 keys by known plaintext, and the 40-bit keys of PDF and Office 97 files. The
    /// processor tests again each key that a GPU reports, and continues alone if a GPU is lost. A GPU
    /// needs a build with the feature gpu.
    #[arg(long, value_name = "DEVICE", default_value = "cpu", conflicts_with_all = ["keys", "keys_in", "passwords", "estimate"])]
    device: Devices,
    /// Threads, 1 to 1024 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = size::within(1..=1024_u16), allow_negative_numbers = true)]
    threads: Option<u16>,
    /// Print lines of JSON: the estimate, matches, progress once a second, and the end
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    Merge(merge::Args),
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if let Some(Command::Merge(args)) = self.command {
            return args.run();
        }
        if self.known.is_stdin() && self.list.is_stdin() {
            let twice = "standard input cannot be both the ciphertext and the keys";
            return Err(Failure::Usage(twice.to_owned()));
        }
        self.record.check()?;
        let adapters = self.device.adapters("searches")?;
        let of_passwords = self.list.is_of_passwords() || self.space.is_of_passwords();
        let document = match of_passwords {
            true => Some(KeyTest::password(self.known.password_test()?)),
            false => self.known.document()?,
        };
        let of_document = document.is_some();
        let is_office = self.known.is_office();
        let iv = self.iv_hex.map(Iv::into_bytes);
        let (plaintext, next) = (
            self.known.described(),
            self.known.next_step(self.family, iv.as_deref(), of_passwords)
                + &next_options(self.variant.as_ref(), self.derive_key),
        );
        let test = match document {
            Some(test) => test,
            None => {
                let known = self.known.read()?;
                let refused = |error: arcfour::StartError| Failure::Usage(error.to_string());
                let test = match self.variant {
                    Some(variant) => KeyTest::of_variant(known, variant).ok_or_else(|| {
                        Failure::Usage(
                            "--variant: `find` cannot search with an `apply` other than x^k".into(),
                        )
                    })?,
                    None => KeyTest::new(known, self.family, iv).map_err(refused)?,
                };
                match self.derive_key {
                    Some(derive) => test.derived(derive),
                    None => test,
                }
            }
        };
        if let Some(modulus) = test.modulus() {
            say(&format!("keys whose bytes are equal modulo {modulus} are the same key"));
        }
        let threads = match self.threads {
            Some(threads) => NonZero::new(usize::from(threads)).expect("at least 1"),
            None => thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
        };
        let mut report = Report::new(self.json, plaintext, next, of_passwords);
        if let Some(file) = self.keys_in.open()? {
            return file.search(&test, threads, self.all, self.estimate, &mut report);
        }
        if let Some(keys) = self.list.open(is_office)? {
            return keys.search(&test, threads, self.all, self.record, &mut report);
        }
        let search = Search::new(self.space.read(of_document, is_office)?, test);
        let whole = 0..search.space().size();
        let range = match self.shard {
            Some(shard) => shard.of(search.space())?,
            None => whole,
        };
        report.begin(&search, &range)?;
        if self.estimate {
            return estimate(&search, range, threads, &mut report);
        }
        let opened = |adapter| {
            device::open(adapter, ["searches too", "search"], |adapter| adapter.open(&search))
        };
        let devices = adapters.into_iter().filter_map(opened).collect();
        let goal = Goal { range: range.clone(), all: self.all };
        let fresh = Record::new(&search);
        let (mut kept, mut record) = Kept::open(fresh, self.record, goal, &mut report)?;
        let ended = match kept.begin(&record) {
            ControlFlow::Continue(()) => {
                search.run_with(range, threads.get(), devices, &mut record, |record, event| {
                    match event {
                        Event::Progress(added) => kept.watch(record, added),
                        Event::Lost(why) => {
                            kept.report.lost(why);
                            ControlFlow::Continue(())
                        }
                    }
                })
            }
            ControlFlow::Break(()) => Ended::Stopped,
        };
        let found = kept.end(&record, ended)?;
        if found == 0 && self.shard.is_none() {
            let none = if of_passwords { "no password opens it" } else { "no key matches" };
            return Err(Failure::Work(none.to_owned()));
        }
        Ok(())
    }
}

/// Returns the cipher options of `arcfour crypt`.
fn next_options(variant: Option<&Variant>, derive: Option<DeriveKey>) -> String {
    let variant = variant.map(|variant| format!(" --variant {}", quoted(variant.to_string())));
    let derive = derive.map(|derive| format!(" --derive-key {derive}"));
    variant.into_iter().chain(derive).collect()
}

/// Measures the search for a second.
fn estimate(
    search: &Search,
    range: Range<u128>,
    threads: NonZero<usize>,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut record = Record::new(search);
    let start = Instant::now();
    search.run(range.clone(), threads, &mut record, |_, _| match start.elapsed() > ESTIMATE {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    let rate = record.done() as f64 / start.elapsed().as_secs_f64();
    report.estimate(range.end - range.start, rate, threads)
}

//! The output of a search: keys on standard output and the rest on standard error, or everything as
//! JSON.

use std::{
    io::{IsTerminal, stderr},
    num::NonZero,
    ops::Range,
    time::{Duration, Instant},
};

use arcfour_attacks::search::{Ended, Found, KeyTest, Record, Search};
use data_encoding::HEXLOWER;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::{left_out::LeftOut, password};
use crate::console::{device, duration::duration, failure::Failure, output::print, say::say};

/// Time between two reports of progress.
const TICK: Duration = Duration::from_secs(1);

/// Prints the progress of a search.
pub(super) struct Report {
    json: bool,
    /// Description of the known plaintext.
    plaintext: Option<String>,
    /// The command that uses a key, until it is printed.
    next: Option<String>,
    keys: Keys,
    /// True if the keys are passwords.
    passwords: bool,
    bar: ProgressBar,
    start: Instant,
    said: Instant,
    /// Number of keys covered when the search began.
    before: Option<u128>,
}

/// The source of the keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    /// The keys that match a mask.
    Space,
    /// The lines of a list.
    Lines,
    /// The lines of a list of unknown length.
    Stream,
}

impl Report {
    /// `plaintext` describes the known plaintext, `next` is the command that uses a key.
    pub(super) fn new(
        json: bool,
        plaintext: Option<String>,
        next: String,
        passwords: bool,
    ) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let now = Instant::now();
        let (keys, next) = (Keys::Space, Some(next));
        Self { json, plaintext, next, keys, passwords, bar, start: now, said: now, before: None }
    }

    /// Prints what is searched, and in which file.
    fn say_plaintext(&self) {
        if let Some(plaintext) = &self.plaintext {
            say(&format!("plaintext: {plaintext}"));
        }
    }

    /// Prints the number of keys in `range`, and the expected number of wrong matches there.
    pub(super) fn begin(&mut self, search: &Search, range: &Range<u128>) -> Result<(), Failure> {
        let (keys, all) = (range.end - range.start, search.space().size());
        let known = search.known_bits();
        let chance = search.expected_by_chance() * (keys as f64 / all as f64);
        if self.json {
            return line(&json!({
                "event": "begin", "keys": keys.to_string(), "key_bits": search.space().bits(),
                "all_keys": all.to_string(),
                "known_bits": known, "expected_by_chance": chance, "plaintext": self.plaintext,
                "first": range.start.to_string(), "last": (range.end - 1).to_string(),
            }));
        }
        self.say_plaintext();
        let whole = match keys == all {
            true => String::new(),
            false => format!("of 2^{:.1} ", search.space().bits()),
        };
        say(&format!(
            "2^{:.1} {whole}{}, {}; {} expected to match",
            (keys as f64).log2(),
            self.keys_name(),
            self.known(known),
            self.wrong_keys(chance)
        ));
        self.warn_of_wrong_keys(chance);
        Ok(())
    }

    /// Prints the same for a list. Its number of lines is known if it can be read twice.
    pub(super) fn begin_list(
        &mut self,
        name: &str,
        lines: Option<u64>,
        test: &KeyTest,
    ) -> Result<(), Failure> {
        self.keys = if lines.is_some() { Keys::Lines } else { Keys::Stream };
        let known = test.known_bits();
        let chance = test.expected_by_chance(lines.map_or(1, u128::from));
        if self.json {
            return line(&json!({
                "event": "begin", "lines": lines, "known_bits": known,
                "expected_by_chance": lines.map(|_| chance), "plaintext": self.plaintext,
            }));
        }
        self.say_plaintext();
        let (wrong, bits) = (self.wrong_keys(chance), self.known(known));
        say(&match lines {
            Some(1) => format!("1 line of {name}, {bits}; {wrong} expected to match"),
            Some(lines) => format!("{lines} lines of {name}, {bits}; {wrong} expected to match"),
            None => format!("the lines of {name}, {bits}; {wrong} expected to match in each line"),
        });
        if lines.is_some() {
            self.warn_of_wrong_keys(chance);
        }
        Ok(())
    }

    /// Prints the same for the `keys` substrings of a file, and their time at `rate` keys a second.
    pub(super) fn begin_substrings(
        &mut self,
        name: &str,
        keys: u64,
        rate: f64,
        test: &KeyTest,
    ) -> Result<(), Failure> {
        let (known, chance) = (test.known_bits(), test.expected_by_chance(keys.into()));
        let seconds = if keys == 0 { 0.0 } else { keys as f64 / rate };
        self.start = Instant::now();
        if self.json {
            return line(&json!({
                "event": "begin", "keys": keys.to_string(), "known_bits": known,
                "expected_by_chance": chance, "plaintext": self.plaintext, "seconds": seconds,
            }));
        }
        self.say_plaintext();
        let (bits, wrong) = (self.known(known), self.wrong_keys(chance));
        say(&format!("{keys} keys in {name}, {bits}; {wrong} expected to match"));
        self.warn_of_wrong_keys(chance);
        say(&format!("all keys take {}", duration(seconds)));
        Ok(())
    }

    /// Prints the outcome of the search of a file.
    pub(super) fn end_substrings(&mut self, done: u64, complete: bool) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        if !self.json {
            return Ok(());
        }
        line(&json!({
            "event": "end", "complete": complete, "done": done.to_string(),
            "seconds": self.start.elapsed().as_secs_f64(),
        }))
    }

    fn keys_name(&self) -> &'static str {
        if self.passwords { "passwords" } else { "keys" }
    }

    /// Returns the number of bits that test a key.
    fn known(&self, bits: f64) -> String {
        match self.passwords {
            true => format!("{bits:.1} bits checked"),
            false => format!("{bits:.1} bits of the plaintext known"),
        }
    }

    /// Writes an expected number of wrong keys.
    fn wrong_keys(&self, expected: f64) -> String {
        let keys = self.keys_name();
        match expected {
            0.0 => format!("no wrong {keys}"),
            0.01..1e6 => format!("{expected:.2} wrong {keys}"),
            _ => format!("2^{:.1} wrong {keys}", expected.log2()),
        }
    }

    /// Warns if a found key is probably wrong.
    fn warn_of_wrong_keys(&self, expected: f64) {
        if expected > 0.5 {
            say(match self.passwords {
                true => {
                    "warning: the password found may not be the lost one; --all lists every match"
                }
                false => {
                    "warning: the key found may be wrong; give more known plaintext, or list every match with --all"
                }
            });
        }
    }

    /// Prints the time that the search would take.
    pub(super) fn estimate(
        &mut self,
        keys: u128,
        rate: f64,
        threads: NonZero<usize>,
    ) -> Result<(), Failure> {
        let seconds = keys as f64 / rate;
        if self.json {
            return line(&json!({
                "event": "estimate", "keys": keys.to_string(), "keys_per_second": rate,
                "threads": threads, "seconds": seconds,
            }));
        }
        let name = self.keys_name();
        let one = rate / threads.get() as f64;
        let on = |cores: f64| duration(keys as f64 / (one * cores));
        print(
            format!(
                "{name:<9} {keys}\n\
                 rate      {:.3} million {name}/s on {threads} thread{}\n\
                 all {name:<5} {} here; {} on 16 such cores, {} on 256\n",
                rate / 1e6,
                if threads.get() == 1 { "" } else { "s" },
                duration(seconds),
                on(16.0),
                on(256.0),
            )
            .as_bytes(),
        )
    }

    /// Prints a matching key. In a list its number is the line number, from 1.
    pub(super) fn found(&mut self, number: u128, key: &[u8]) -> Result<(), Failure> {
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        let (name, key) = match self.passwords {
            true => ("password", password::shown(key)),
            false => ("key", hex(key)),
        };
        match (self.json, self.keys) {
            (true, Keys::Space) => {
                let number = number.to_string();
                return line(&json!({"event": "match", name: key, "number": number}));
            }
            (true, _) => {
                let number = number as u64 + 1;
                return line(&json!({"event": "match", name: key, "line": number}));
            }
            (false, _) => print(format!("{key}\n").as_bytes())?,
        }
        self.say_next();
        Ok(())
    }

    /// Prints a matching key, and its place in the file `name`.
    pub(super) fn found_in(&mut self, name: &str, found: &Found, at: u64) -> Result<(), Failure> {
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        let key = hex(&found.key);
        let is_text = found.key.iter().all(|byte| matches!(byte, b' '..=b'~'));
        let text = is_text.then(|| String::from_utf8_lossy(&found.key));
        if self.json {
            return line(&json!({
                "event": "match", "key": key, "offset": at, "form": found.form.to_string(), "text": text,
            }));
        }
        print(format!("{key}\n").as_bytes())?;
        let text = text.map(|text| format!(", the text {text:?}")).unwrap_or_default();
        say(&format!("{key} stands at {at:#010x} of {name} as {}{text}", found.form));
        self.say_next();
        Ok(())
    }

    /// Prints once the command that uses a key.
    fn say_next(&mut self) {
        if let Some(next) = self.next.take() {
            let what = match self.passwords {
                true => "a password that was found and put in a FILE",
                false => "a KEY that was found",
            };
            say(&format!("to decrypt with {what}: {next}"));
        }
    }

    /// Prints the progress of the search once a second.
    pub(super) fn progress(&mut self, record: &Record, range: &Range<u128>) -> Result<(), Failure> {
        // The sum over all ranges of a record is computed only when it is shown.
        if self.before.is_some() && self.said.elapsed() < TICK {
            return Ok(());
        }
        let total = range.end - range.start;
        let missing = record.missing(range.clone()).into_iter();
        let done = total - missing.map(|missing| missing.end - missing.start).sum::<u128>();
        self.progress_of(done, total)
    }

    /// Prints once a second that `done` of `total` keys were tried.
    pub(super) fn progress_of(&mut self, done: u128, total: u128) -> Result<(), Failure> {
        let before = *self.before.get_or_insert(done);
        if self.said.elapsed() < TICK {
            return Ok(());
        }
        self.said = Instant::now();
        let rate = (done - before) as f64 / self.start.elapsed().as_secs_f64();
        let left = (total - done) as f64 / rate;
        let endless = self.keys == Keys::Stream;
        if self.json {
            return line(&json!({
                "event": "progress", "done": done.to_string(),
                "of": (!endless).then(|| total.to_string()), "keys_per_second": rate,
                "seconds_left": (left.is_finite() && !endless).then_some(left),
            }));
        }
        if self.bar.is_hidden() && stderr().is_terminal() {
            let template = if endless { "{msg}" } else { "{bar:30} {percent}%  {msg}" };
            let style = ProgressStyle::with_template(template);
            self.bar.set_style(style.expect("the template is valid"));
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        // The bar counts in 64 bits.
        let scale = (total >> 63) + 1;
        self.bar.set_length((total / scale) as u64);
        self.bar.set_position((done / scale) as u64);
        let more = match endless {
            true => format!("{done} lines"),
            false => format!("{} left", duration(left)),
        };
        self.bar.set_message(format!("{:.2} M {}/s, {more}", rate / 1e6, self.keys_name()));
        Ok(())
    }

    /// Prints that a device was lost.
    pub(super) fn lost(&mut self, why: &str) {
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        device::lost(why);
    }

    /// Prints the lines of the list `name` that were no keys.
    pub(super) fn left_out(&mut self, left_out: &LeftOut, name: &str) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        for reason in left_out.reasons() {
            let (what, lines, first) = (&reason.what, reason.lines, reason.first);
            if self.json {
                line(&json!({
                    "event": "left_out", "what": what, "lines": lines, "first_line": first,
                }))?;
            } else if lines == 1 {
                say(&format!("line {first} of {name} was left out: {what}"));
            } else {
                say(&format!(
                    "{lines} lines of {name} were left out, the first line {first}: {what}"
                ));
            }
        }
        Ok(())
    }

    /// Prints the outcome.
    pub(super) fn end(
        &mut self,
        record: &Record,
        range: &Range<u128>,
        ended: Ended,
    ) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        if !self.json {
            return Ok(());
        }
        let complete = ended == Ended::Complete;
        if self.keys != Keys::Space {
            return line(&json!({
                "event": "end", "complete": complete, "done": record.done().to_string(),
                "seconds": self.start.elapsed().as_secs_f64(),
            }));
        }
        line(&json!({
            "event": "end", "complete": complete, "done": record.done().to_string(),
            "first": range.start.to_string(), "last": (range.end - 1).to_string(),
            "seconds": self.start.elapsed().as_secs_f64(),
        }))
    }
}

/// Returns the digits of a key.
pub(super) fn hex(key: &[u8]) -> String {
    HEXLOWER.encode(key)
}

fn line(value: &serde_json::Value) -> Result<(), Failure> {
    print(format!("{value}\n").as_bytes())
}

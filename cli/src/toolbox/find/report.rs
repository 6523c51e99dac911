//! What a search says: keys to standard output, all else to standard error, or all of it as JSON.

use std::{
    io::{IsTerminal, stderr},
    num::NonZero,
    ops::Range,
    time::{Duration, Instant},
};

use arcfour_attacks::search::{Ended, Record, Search};
use data_encoding::HEXLOWER;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::say;
use crate::{failure::Failure, toolbox::print};

/// Time between two reports of progress.
const TICK: Duration = Duration::from_secs(1);

/// Prints the progress of a search.
pub(super) struct Report {
    json: bool,
    bar: ProgressBar,
    start: Instant,
    said: Instant,
    /// Keys covered when the search began.
    before: Option<u128>,
}

impl Report {
    pub(super) fn new(json: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let now = Instant::now();
        Self { json, bar, start: now, said: now, before: None }
    }

    /// Says how much there is to do, and how many wrong keys will match.
    pub(super) fn begin(&mut self, search: &Search, range: &Range<u128>) -> Result<(), Failure> {
        let (keys, known) = (search.space().size(), search.known_bits());
        let chance = search.expected_by_chance();
        if self.json {
            return line(&json!({
                "event": "begin", "keys": keys.to_string(), "key_bits": search.space().bits(),
                "known_bits": known, "expected_by_chance": chance,
                "first": range.start.to_string(), "last": (range.end - 1).to_string(),
            }));
        }
        let bits = search.space().bits();
        say(&format!(
            "2^{bits:.1} keys, {known:.1} bits of the plaintext known; {} expected to match",
            wrong_keys(chance)
        ));
        if chance > 0.5 {
            say("warning: a key found may be a wrong one; say more of the plaintext, or use --all");
        }
        Ok(())
    }

    /// Says what the search would take.
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
        let one = rate / threads.get() as f64;
        let on = |cores: f64| duration(keys as f64 / (one * cores));
        print(
            format!(
                "keys      {keys}\n\
                 rate      {:.3} million keys/s on {threads} thread{}\n\
                 all keys  {} here; {} on 16 such cores, {} on 256\n",
                rate / 1e6,
                if threads.get() == 1 { "" } else { "s" },
                duration(seconds),
                on(16.0),
                on(256.0),
            )
            .as_bytes(),
        )
    }

    /// Prints a key that matches.
    pub(super) fn found(&mut self, number: u128, key: &[u8]) -> Result<(), Failure> {
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        match self.json {
            true => line(&json!({"event": "match", "key": hex(key), "number": number.to_string()})),
            false => print(format!("{}\n", hex(key)).as_bytes()),
        }
    }

    /// Says how far the search is, once a second.
    pub(super) fn progress(&mut self, record: &Record, range: &Range<u128>) -> Result<(), Failure> {
        let total = range.end - range.start;
        let missing = record.missing(range.clone()).into_iter();
        let done = total - missing.map(|missing| missing.end - missing.start).sum::<u128>();
        let before = *self.before.get_or_insert(done);
        if self.said.elapsed() < TICK {
            return Ok(());
        }
        self.said = Instant::now();
        let rate = (done - before) as f64 / self.start.elapsed().as_secs_f64();
        let left = (total - done) as f64 / rate;
        if self.json {
            return line(&json!({
                "event": "progress", "done": done.to_string(), "of": total.to_string(),
                "keys_per_second": rate, "seconds_left": left.is_finite().then_some(left),
            }));
        }
        if self.bar.is_hidden() && stderr().is_terminal() {
            let style = ProgressStyle::with_template("{bar:30} {percent}%  {msg}");
            self.bar.set_style(style.expect("the template is valid"));
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        // The bar counts in 64 bits.
        let scale = (total >> 63) + 1;
        self.bar.set_length((total / scale) as u64);
        self.bar.set_position((done / scale) as u64);
        self.bar.set_message(format!("{:.2} M keys/s, {} left", rate / 1e6, duration(left)));
        Ok(())
    }

    /// Says how it ended.
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
        line(&json!({
            "event": "end", "complete": complete, "done": record.done().to_string(),
            "first": range.start.to_string(), "last": (range.end - 1).to_string(),
            "seconds": self.start.elapsed().as_secs_f64(),
        }))
    }
}

/// The digits of a key.
pub(super) fn hex(key: &[u8]) -> String {
    HEXLOWER.encode(key)
}

fn line(value: &serde_json::Value) -> Result<(), Failure> {
    print(format!("{value}\n").as_bytes())
}

/// An expected number of wrong keys.
fn wrong_keys(expected: f64) -> String {
    match expected {
        0.01..1e6 => format!("{expected:.2} wrong keys"),
        _ => format!("2^{:.1} wrong keys", expected.log2()),
    }
}

/// Seconds, for people.
fn duration(seconds: f64) -> String {
    const YEAR: f64 = 365.25 * 86_400.0;
    match seconds {
        s if !s.is_finite() => "for ever".to_owned(),
        s if s < 1.0 => "less than a second".to_owned(),
        s if s < 120.0 => format!("{s:.0} seconds"),
        s if s < 7_200.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} hours", s / 3_600.0),
        s if s < 2.0 * YEAR => format!("{:.1} days", s / 86_400.0),
        s if s < 1e6 * YEAR => format!("{:.0} years", s / YEAR),
        s => format!("10^{:.1} years", (s / YEAR).log10()),
    }
}

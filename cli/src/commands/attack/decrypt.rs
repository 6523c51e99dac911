//! `arcfour attack decrypt`

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use arcfour::Rc4;
use arcfour_attacks::{
    search::Pattern,
    state::{MAX_PLACES, places, rewind},
};
use arcfour_files::read_full;
use data_encoding::HEXLOWER;
use serde_json::Value;
use zeroize::Zeroizing;

use super::memory::rewind as distance;
use crate::console::{
    failure::Failure,
    files::FileArgs,
    filter::Filter,
    input::Input,
    output::Shown,
    progress::Progress,
    say::say,
    stream::{self, Sink},
};

/// Maximum size of a file of states, in bytes.
const MOST: u64 = 64 << 20;

/// Decrypt the data before and after an RC4 state from a memory dump
///
/// RC4 runs forwards and backwards from a state, so no key is needed. Take the state from
/// `arcfour attack memory --json`. IN is ciphertext of the same stream. --before gives the place of
/// IN in the keystream; --plain finds it by the beginning of the plaintext.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour attack memory core.1234 --json > states
  arcfour attack decrypt --state states captured -o plain --plain '47 45 54 20 2f'
  arcfour attack decrypt --state states captured -o plain --before 24576

By chance a pattern with k known bits matches a wrong place once in 2^k bytes of keystream, so five bytes are enough.")]
pub(super) struct Args {
    /// The output of `arcfour attack memory --json`; - is standard input
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// The state's offset in the dump, such as 22936 or 0x5998, if the file has several states
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = offset)]
    offset: Option<u64>,
    /// Bytes of IN that were encrypted before the dump, up to 1 GiB. Give 0 if the dump was made just
    /// before the first byte of IN
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = distance, conflicts_with = "plain")]
    before: u64,
    /// The beginning of IN's plaintext, as in `arcfour find --plain`; finds the place of IN
    #[arg(long, value_name = "PATTERN")]
    plain: Option<Pattern>,
    /// Search the start of IN at most SIZE bytes of keystream from the state, up to 1 GiB
    #[arg(long, alias = "within", value_name = "SIZE", default_value = "1MiB", value_parser = distance, requires = "plain", conflicts_with = "before")]
    search_within: u64,
    #[command(flatten)]
    files: FileArgs,
}

/// Reads a number in the form of the printed offsets.
fn offset(text: &str) -> Result<u64, String> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    let number = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let number = number.then(|| u64::from_str_radix(digits, radix).ok()).flatten();
    number.ok_or_else(|| "not a whole number, or a hexadecimal one that begins with 0x".to_owned())
}

/// A state in a dump.
#[derive(PartialEq)]
struct State {
    offset: u64,
    s: [u8; 256],
    i: u8,
    j: u8,
}

impl State {
    fn of(line: &Value) -> Option<Self> {
        let table = HEXLOWER.decode(line["table"].as_str()?.as_bytes()).ok()?;
        let s: [u8; 256] = table.try_into().ok()?;
        let mut values = s;
        values.sort_unstable();
        let index = |name: &str| u8::try_from(line[name].as_u64()?).ok();
        let state = Self { offset: line["offset"].as_u64()?, s, i: index("i")?, j: index("j")? };
        (0..=255).eq(values).then_some(state)
    }

    /// Returns the cipher `place` bytes of keystream after the state, or before it if `place` is
    /// negative.
    fn cipher(&self, place: i64) -> Rc4 {
        let (mut s, mut i, mut j) = (self.s, self.i, self.j);
        if place < 0 {
            rewind(&mut s, &mut i, &mut j, place.unsigned_abs());
        }
        let mut cipher = Rc4::from_parts(&s, i, j);
        cipher.skip(place.max(0) as u64);
        cipher
    }
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.state == Path::new("-") && self.files.reads_stdin() {
            return Err(Failure::Usage("--state and IN cannot both be standard input".into()));
        }
        let file = Input::open(&self.state)?;
        let guard = file.guard();
        let states = self.choose(file)?;
        let (mut input, mut output) = self.files.open(Shown::Raw("a pipe"), &[Some(&guard)])?;
        let size = input.size();

        let mut start = vec![0; self.plain.as_ref().map_or(0, |plain| plain.sets().len())];
        let n = read_full(&mut input, &mut start);
        start.truncate(n.map_err(|error| Failure::read(input.name(), &error))?);
        let (state, place) = match &self.plain {
            Some(plain) => self.place(&states, plain, &start, input.name())?,
            None => (&states[0], -(self.before as i64)),
        };
        let mut cipher = state.cipher(place);
        cipher.apply(&mut start);
        let mut progress = Progress::new(&mut output, size);
        progress.write(&start)?;
        stream::send_through(input, Filter::new(Box::new(cipher), false, false), &mut progress)?;
        drop(progress);
        output.commit()
    }

    /// Returns the requested state, or the only one. Returns more than one reading of its indexes
    /// only if `--plain` can tell them apart.
    fn choose(&self, file: Input) -> Result<Vec<State>, Failure> {
        let name = file.name().to_owned();
        let mut text = Zeroizing::new(String::new()); // lines of states may have keys
        let read = file.take(MOST + 1).read_to_string(&mut text);
        read.map_err(|error| Failure::read(&name, &error))?;
        if text.len() as u64 > MOST {
            return Err(Failure::Work(format!(
                "{name} is no list of states: it has more than {MOST} bytes"
            )));
        }
        let mut states = vec![];
        for (number, line) in (1..).zip(text.lines()) {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            if value["event"] == "end" {
                continue;
            }
            let state = State::of(&value).ok_or_else(|| {
                Failure::Work(format!(
                    "line {number} of {name} is no state as `arcfour attack memory --json` prints it"
                ))
            })?;
            if self.offset.is_none_or(|offset| offset == state.offset) && !states.contains(&state) {
                states.push(state);
            }
        }
        let mut offsets: Vec<_> = states.iter().map(|state| state.offset).collect();
        offsets.sort_unstable();
        offsets.dedup();
        match offsets.len() {
            1 if states.len() > 1 && self.plain.is_none() => Err(Failure::Usage(format!(
                "{name} has {} readings of the state at {:#x}: --plain finds the right one",
                states.len(),
                offsets[0]
            ))),
            1 => Ok(states),
            0 => Err(Failure::Work(format!(
                "no such state in {name}: `arcfour attack memory --json` prints states"
            ))),
            n => {
                let offsets: Vec<_> = offsets.iter().map(|offset| format!("{offset:#x}")).collect();
                let offsets = offsets.join(", ");
                Err(Failure::Usage(format!(
                    "{name} has {n} states, at {offsets}: --offset chooses one"
                )))
            }
        }
    }

    /// Returns the state and the place of a file by its first bytes.
    fn place<'a>(
        &self,
        states: &'a [State],
        plain: &Pattern,
        start: &[u8],
        name: &str,
    ) -> Result<(&'a State, i64), Failure> {
        let length = plain.sets().len();
        if start.len() < length {
            return Err(Failure::Work(format!(
                "{name} has {} bytes, and --plain {length}",
                start.len()
            )));
        }
        let of = |state: &'a State| {
            let places = places(&state.s, state.i, state.j, start, plain, self.search_within);
            places.into_iter().map(move |place| (state, place))
        };
        match states.iter().flat_map(of).collect::<Vec<_>>()[..] {
            [] => Err(Failure::Work(format!(
                "no place within {} bytes of keystream before or after the state gives {name} the plaintext of --plain",
                self.search_within
            ))),
            [(state, place)] => {
                let side = if place < 0 { "before" } else { "after" };
                let bytes = place.unsigned_abs();
                say(&format!("{name} begins {bytes} bytes of keystream {side} the state"));
                Ok((state, place))
            }
            ref all => {
                let more = if all.len() >= MAX_PLACES { " or more" } else { "" };
                Err(Failure::Work(format!(
                    "{name} fits {}{more} places of the keystream: give more of its plaintext",
                    all.len()
                )))
            }
        }
    }
}

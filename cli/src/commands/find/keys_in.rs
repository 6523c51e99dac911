//! Tries the substrings of a program or a dump as keys.

use std::{
    fs::File,
    io,
    num::NonZero,
    ops::{ControlFlow, Range},
    os::unix::fs::FileExt,
    path::PathBuf,
    str::FromStr,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use arcfour_attacks::search::{Found, KeyTest, MAX_MATCHES, Substrings, Walk};

use super::report::Report;
use crate::console::{failure::Failure, progress::Waiting};

/// Minimum and maximum size of a piece, in bytes. A large file has several pieces for each thread.
/// Equal keys in a piece are tried once.
const PIECE: Range<u64> = 1 << 16..1 << 20;
/// Size of a piece during the measurement of the rate.
const SAMPLE: u64 = 1 << 12;
/// Duration of the measurement of the rate.
const MEASURED: Duration = Duration::from_millis(250);
/// Interval of progress updates.
const TICK: Duration = Duration::from_millis(100);

/// The options for the file that contains the key.
#[derive(clap::Args)]
#[group(skip)]
pub(super) struct KeysInArgs {
    /// Try every substring of this file, such as a program or a memory dump
    ///
    /// Substrings are taken of its bytes, of its text in UTF-16, and of its decoded hexadecimal
    /// digits and base64, also over several lines. Keys in blobs of the CryptoAPI are tried too (PLAINTEXTKEYBLOB,
    /// SIMPLEBLOB under the exponent-one key). The message on a key has its place and its form.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["pdf", "office", "record", "resume"],
        help_heading = "Key (one of mask, length, list)"
    )]
    keys_in: Option<PathBuf>,
    /// The lengths of the substrings, in bytes of the key, 1 to 256
    #[arg(
        long,
        value_name = "N|N-M,...",
        default_value = "4-32",
        requires = "keys_in",
        conflicts_with_all = ["key_mask", "key_length", "keys", "passwords", "password_mask", "pdf", "office", "record", "resume", "shard", "device"],
        help_heading = "Key (one of mask, length, list)"
    )]
    lengths: Lengths,
}

/// Lengths of keys, as `5,13,16-32`.
#[derive(Clone, Debug)]
struct Lengths(Substrings);

impl FromStr for Lengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let length =
                text.trim().parse().ok().filter(|length| (1..=arcfour::MAX_KEY).contains(length));
            length.ok_or_else(|| format!("{text:?} is not a key length of 1 to 256 bytes"))
        };
        let mut lengths = vec![];
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!("the range {part:?} ends before it begins"));
            }
            lengths.extend(first..=last);
        }
        Substrings::new(lengths).map(Self).map_err(|error| error.to_string())
    }
}

/// An open file whose substrings are tried as keys.
pub(super) struct KeyFile {
    file: File,
    name: String,
    len: u64,
    substrings: Substrings,
}

impl KeysInArgs {
    /// Opens the file, if there is one.
    ///
    /// # Errors
    /// If it cannot be opened, or cannot be read at any place.
    pub(super) fn open(self) -> Result<Option<KeyFile>, Failure> {
        let Some(path) = self.keys_in else { return Ok(None) };
        let name = format!("'{}'", path.display());
        let failed = |error| Failure::read(&name, &error);
        let file = File::open(&path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(Failure::Usage(format!(
                "--keys-in needs a file that can be read at any place; {name} is none"
            )));
        }
        Ok(Some(KeyFile { file, name, len: metadata.len(), substrings: self.lengths.0 }))
    }
}

impl KeyFile {
    /// Tests every substring, or measures the time for it.
    ///
    /// # Errors
    /// If the file cannot be read, or no key matches.
    pub(super) fn search(
        self,
        test: &KeyTest,
        threads: NonZero<usize>,
        all: bool,
        estimate: bool,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let size = (self.len / (4 * threads.get() as u64)).clamp(PIECE.start, PIECE.end);
        let (keys, fullest) = self.count(size, threads)?;
        let rate = self.rate(fullest, test, threads)?;
        report.begin_substrings(&self.name, keys, rate, test)?;
        if estimate {
            return report.estimate(keys.into(), rate, threads);
        }
        let (tried, mut found) = (AtomicU64::new(0), 0);
        let stop = AtomicBool::new(false);
        let work = |walk: &mut Walk<'_>, piece: &Piece, send: &dyn Fn(Vec<(u64, Found)>)| {
            walk.search(&piece.bytes, piece.starts.clone(), test, &stop, |keys, found| {
                tried.fetch_add(keys, Ordering::Relaxed);
                if !found.is_empty() {
                    send(found.into_iter().map(|one| (piece.at(one.offset), one)).collect());
                }
                ControlFlow::Continue(())
            });
        };
        let ended = self.in_pieces(0..self.len, size, threads, &stop, work, |passed| {
            for (at, one) in passed.iter().flatten() {
                if found > 0 && !all {
                    break;
                }
                report.found_in(&self.name, one, *at)?;
                found += 1;
            }
            report.progress_of(tried.load(Ordering::Relaxed).into(), keys.into())?;
            let enough = (found > 0 && !all) || found > MAX_MATCHES;
            Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        report.end_substrings(tried.into_inner(), ended.is_continue())?;
        match found {
            0 => Err(Failure::Work(format!("no key matches: {keys} of {} were tried", self.name))),
            _ if found > MAX_MATCHES => Err(Failure::Work(format!(
                "more than {MAX_MATCHES} keys match: give more known plaintext"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the number of keys, and the piece with most keys.
    fn count(&self, size: u64, threads: NonZero<usize>) -> Result<(u64, Range<u64>), Failure> {
        let mut waiting = Waiting::new("counting the keys", self.len);
        let (mut keys, mut most, mut fullest) = (0, 0, 0..0);
        let work = |walk: &mut Walk<'_>, piece: &Piece, send: &dyn Fn((Range<u64>, u64))| {
            send((piece.place.clone(), walk.count(&piece.bytes, piece.starts.clone())));
        };
        let never = AtomicBool::new(false);
        let each = |counted: Option<(Range<u64>, u64)>| {
            if let Some((place, count)) = counted {
                waiting.advance(place.end - place.start);
                keys += count;
                if count > most {
                    (most, fullest) = (count, place);
                }
            }
            Ok(ControlFlow::Continue(()))
        };
        let _ = self.in_pieces(0..self.len, size, threads, &never, work, each)?;
        Ok((keys, fullest))
    }

    /// Returns the rate in keys a second, measured on the keys of `place`.
    fn rate(
        &self,
        place: Range<u64>,
        test: &KeyTest,
        threads: NonZero<usize>,
    ) -> Result<f64, Failure> {
        let (start, stop, tried) = (Instant::now(), AtomicBool::new(false), AtomicU64::new(0));
        let work = |walk: &mut Walk<'_>, piece: &Piece, _: &dyn Fn(())| {
            walk.search(&piece.bytes, piece.starts.clone(), test, &stop, |keys, _| {
                tried.fetch_add(keys, Ordering::Relaxed);
                match start.elapsed() < MEASURED {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
        };
        let each = |_| {
            Ok(match start.elapsed() < MEASURED {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            })
        };
        let _ = self.in_pieces(place, SAMPLE, threads, &stop, work, each)?;
        Ok(tried.into_inner() as f64 / start.elapsed().as_secs_f64())
    }

    /// Runs `work` on the pieces of `place` in threads. Calls `each` with their messages, and with
    /// `None` at regular intervals. If `each` breaks, breaks too and sets `stop`.
    fn in_pieces<T: Send>(
        &self,
        place: Range<u64>,
        size: u64,
        threads: NonZero<usize>,
        stop: &AtomicBool,
        work: impl Fn(&mut Walk<'_>, &Piece, &dyn Fn(T)) + Sync,
        mut each: impl FnMut(Option<T>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<ControlFlow<()>, Failure> {
        let next = AtomicU64::new(place.start);
        let (sender, results) = mpsc::channel();
        let run = |sender: mpsc::Sender<io::Result<T>>| {
            let mut walk = self.substrings.walk();
            while !stop.load(Ordering::Relaxed) {
                let start = next.fetch_add(size, Ordering::Relaxed);
                if start >= place.end {
                    return;
                }
                let read = Piece::read(self, start..(start + size).min(place.end));
                // After the search has stopped, there is no receiver.
                let send = |what| _ = sender.send(what);
                match read {
                    Ok(piece) => work(&mut walk, &piece, &|what| send(Ok(what))),
                    Err(error) => return send(Err(error)),
                }
            }
        };
        let run = &run;
        thread::scope(|scope| {
            for n in 0..threads.get() {
                let sender = sender.clone();
                let spawned = thread::Builder::new().spawn_scoped(scope, move || run(sender));
                if spawned.is_err() {
                    assert!(n > 0, "the system gives not even one thread to search on");
                    break;
                }
            }
            drop(sender);
            let ended = loop {
                let what = match results.recv_timeout(TICK) {
                    Ok(Ok(what)) => Some(what),
                    Ok(Err(error)) => break Err(Failure::read(&self.name, &error)),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => {
                        break Ok(ControlFlow::Continue(()));
                    }
                };
                match each(what) {
                    Ok(ControlFlow::Continue(())) => {}
                    ended => break ended,
                }
            };
            stop.store(true, Ordering::Relaxed);
            ended
        })
    }
}

/// A piece of the file, with the bytes around it.
struct Piece {
    /// The place of the piece in the file.
    place: Range<u64>,
    bytes: Vec<u8>,
    /// The place of the piece in `bytes`.
    starts: Range<usize>,
}

impl Piece {
    fn read(from: &KeyFile, place: Range<u64>) -> io::Result<Self> {
        let before = place.start.min(from.substrings.before() as u64);
        let end = (place.end + from.substrings.after() as u64).min(from.len);
        let mut bytes = vec![0; (end - place.start + before) as usize];
        from.file.read_exact_at(&mut bytes, place.start - before).map_err(|error| {
            match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    io::Error::other("the file was cut short while it was read")
                }
                _ => error,
            }
        })?;
        let starts = before as usize..(before + place.end - place.start) as usize;
        Ok(Self { place, bytes, starts })
    }

    /// Returns the place in the file of the piece's byte `offset`.
    fn at(&self, offset: usize) -> u64 {
        self.place.start + offset as u64 - self.starts.start as u64
    }
}

//! The tables of a dump.
//!
//! Diary, on one core of a virtual Zen 5: a window of 256 bytes is read from its end; at the first byte that repeats one
//! after it, every window up to there is refused together. Random data repeat after some 20 bytes, so one byte in
//! twelve is read; zeros repeat at once. Where windows move on by few bytes, as in counting ramps, that
//! would read each byte up to 256 times, so there the window grows from its start instead, in one step a byte.

use std::io::{self, Read};

use super::{constant::is_constant, layout::AROUND};

/// Entries of a table.
const N: usize = 256;
/// Bytes of the largest table.
const LARGEST: usize = 4 * N;
/// Bytes read at a time.
const BLOCK: usize = 4 << 20;
/// A window that moves on by fewer entries than this grows from its start.
const SMALL_STEP: usize = 48;

/// A table of 256 different values in a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Where it starts, in bytes from the start of the dump.
    pub offset: u64,
    /// Bytes of each entry: 1, or 4 (little-endian, at an offset that is a multiple of 4).
    pub entry: usize,
    /// Its values.
    pub s: [u8; 256],
    /// Up to 8 bytes of the dump before it.
    pub before: Vec<u8>,
    /// Up to 8 bytes of the dump after it.
    pub after: Vec<u8>,
}

/// Reads `dump` to its end and calls `found` with every table that may be a state, in the order of their
/// ends, and `progress` with the number of bytes of each piece that was read. Takes 9 MiB of memory.
///
/// It leaves out constants of other programs: orderly tables, as the identity, and S-boxes of other ciphers.
///
/// # Errors
/// If reading fails or a callback does.
pub fn scan<E: From<io::Error>>(
    mut dump: impl Read,
    mut found: impl FnMut(Table) -> Result<(), E>,
    mut progress: impl FnMut(u64) -> Result<(), E>,
) -> Result<u64, E> {
    // What may begin a table or stand before one, and then the next block.
    const KEPT: usize = LARGEST + 2 * AROUND;
    let mut buffer = vec![0; KEPT + BLOCK];
    let (mut base, mut filled, mut fresh) = (0_u64, 0_usize, 0_usize);
    loop {
        let mut ended = false;
        while filled < buffer.len() {
            match dump.read(&mut buffer[filled..]) {
                Ok(0) => {
                    ended = true;
                    break;
                }
                Ok(n) => {
                    filled += n;
                    progress(n as u64)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        // A table is reported when all that may come after it is there.
        let data = &buffer[..filled];
        let complete = if ended { filled } else { filled - AROUND };
        let mut report = |start: usize, entry: usize| {
            let end = start + N * entry;
            if end <= fresh || end > complete {
                return Ok(());
            }
            let s = std::array::from_fn(|at| data[start + at * entry]);
            if is_constant(&s) {
                return Ok(());
            }
            found(Table {
                offset: base + start as u64,
                entry,
                s,
                before: data[start.saturating_sub(AROUND)..start].to_vec(),
                after: data[end..(end + AROUND).min(data.len())].to_vec(),
            })
        };
        let mut starts = vec![];
        windows(data, &mut |start| starts.push((start, 1)));
        // Blocks and what is kept of them are multiples of 4, and so is `base`.
        let (words, _) = data.as_chunks::<4>();
        word_windows(words, &mut |start| starts.push((4 * start, 4)));
        starts.sort_by_key(|&(start, entry)| start + N * entry);
        starts.into_iter().try_for_each(|(start, entry)| report(start, entry))?;
        if ended {
            return Ok(base + filled as u64);
        }
        let dropped = filled - KEPT;
        buffer.copy_within(dropped..filled, 0);
        fresh = complete - dropped;
        (base, filled) = (base + dropped as u64, KEPT);
    }
}

/// Calls `found` with the start of every window of 256 different bytes, but for those that follow one and are the
/// same turned by a byte.
fn windows(data: &[u8], found: &mut impl FnMut(usize)) {
    let mut start = 0;
    while start + N <= data.len() {
        let mut seen = [false; N];
        let window = &data[start..start + N];
        // The last byte that repeats one after it.
        let repeat =
            window.iter().rposition(|&byte| std::mem::replace(&mut seen[usize::from(byte)], true));
        match repeat {
            Some(at) if at + 1 >= SMALL_STEP => start += at + 1,
            _ => start = grow(data, start, found),
        }
    }
}

/// The same from `start` on, growing the window byte by byte until it moves on by many bytes. Gives where
/// it then starts.
fn grow(data: &[u8], mut start: usize, found: &mut impl FnMut(usize)) -> usize {
    let mut last = [0_usize; N]; // where each byte was last, from 1
    let mut reported = None;
    for (at, &byte) in data.iter().enumerate().skip(start) {
        let before = last[usize::from(byte)];
        last[usize::from(byte)] = at + 1;
        if before > start {
            let step = before - start;
            start = before;
            if step >= SMALL_STEP && at + 1 - start < N {
                return start;
            }
        }
        if at + 1 - start == N {
            // The one before it, turned?
            if reported.is_none_or(|reported| reported + 1 != start) {
                found(start);
            }
            reported = Some(start);
        }
    }
    data.len()
}

/// The same of 256 words below 256.
fn word_windows(data: &[[u8; 4]], found: &mut impl FnMut(usize)) {
    let mut start = 0;
    while start + N <= data.len() {
        let mut seen = [false; N];
        let window = &data[start..start + N];
        let refused = window.iter().rposition(|word| {
            word[1..] != [0; 3] || std::mem::replace(&mut seen[usize::from(word[0])], true)
        });
        match refused {
            Some(at) if at + 1 >= SMALL_STEP => start += at + 1,
            _ => start = grow_words(data, start, found),
        }
    }
}

/// [`grow`] of words.
fn grow_words(data: &[[u8; 4]], start: usize, found: &mut impl FnMut(usize)) -> usize {
    let end = data[start..].iter().position(|word| word[1..] != [0; 3]);
    let end = end.map_or(data.len(), |at| start + at);
    let bytes: Vec<u8> = data[start..end].iter().map(|word| word[0]).collect();
    let next = start + grow(&bytes, 0, &mut |at| found(start + at));
    // No window holds the word that ended them.
    if next >= end { end + 1 } else { next }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::experiment::Random;

    fn plain(data: &[u8]) -> Vec<(u64, usize)> {
        let mut all = vec![];
        for end in 1..=data.len() {
            for entry in [1, 4] {
                let Some(start) = end.checked_sub(N * entry) else { continue };
                if start % entry != 0 {
                    continue;
                }
                let mut values: Vec<u32> = data[start..end]
                    .chunks(entry)
                    .map(|chunk| {
                        let mut word = [0; 4];
                        word[..entry].copy_from_slice(chunk);
                        u32::from_le_bytes(word)
                    })
                    .collect();
                let s: [u8; 256] = std::array::from_fn(|at| values[at] as u8);
                values.sort_unstable();
                if values.into_iter().eq(0..256) && !is_constant(&s) {
                    all.push((start as u64, entry));
                }
            }
        }
        all
    }

    fn scanned(data: &[u8], piece: usize) -> Vec<(u64, usize)> {
        struct Pieces<'a>(&'a [u8], usize);
        impl Read for Pieces<'_> {
            fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
                let n = room.len().min(self.1).min(self.0.len());
                room[..n].copy_from_slice(&self.0[..n]);
                self.0 = &self.0[n..];
                Ok(n)
            }
        }
        let mut all = vec![];
        let push = |table: Table| {
            all.push((table.offset, table.entry));
            Ok::<_, io::Error>(())
        };
        let size = scan(Pieces(data, piece), push, |_| Ok(())).unwrap();
        assert_eq!(size, data.len() as u64);
        all
    }

    fn shuffled(random: &mut Random) -> [u8; 256] {
        let mut s: [u8; 256] = std::array::from_fn(|at| at as u8);
        for at in (1..256).rev() {
            s.swap(at, random.below(at as u32 + 1) as usize);
        }
        s
    }

    /// Every table that a plain loop over all windows finds: at the ends of the data, at odd offsets, next to ramps and
    /// repeats, and none besides.
    #[test]
    fn the_tables_are_those_of_a_plain_loop() {
        let mut random = Random::new("scan", 1, 0);
        for _ in 0..60 {
            let mut data = vec![];
            for _ in 0..random.below(6) + 1 {
                let s = shuffled(&mut random);
                let n = random.below(300) as usize;
                match random.below(7) {
                    0 => data.extend(s),
                    1 => data.extend(s.iter().flat_map(|&value| u32::from(value).to_le_bytes())),
                    2 => data.extend(random.bytes(n)),
                    3 => data.extend(vec![7; n]),
                    4 => data.extend((0..n).map(|at| at as u8)),
                    5 => data.extend((0..3 * n).map(|at| (at % 251) as u8)),
                    _ => data.extend(s.iter().cycle().skip(n).take(200 + n)),
                }
            }
            // A table turned by a byte follows in a repeat: only the first of a run is reported.
            let mut expected = plain(&data);
            let all = expected.clone();
            expected.retain(|&(start, entry)| {
                start < entry as u64 || !all.contains(&(start - entry as u64, entry))
            });
            assert_eq!(scanned(&data, usize::MAX), expected);
            assert_eq!(scanned(&data, 100), expected);
        }
    }

    /// A table on every side of the place where one block ends.
    #[test]
    fn no_table_is_lost_between_blocks() {
        let s = shuffled(&mut Random::new("scan", 2, 0));
        let words: Vec<u8> = s.iter().flat_map(|&value| u32::from(value).to_le_bytes()).collect();
        let first = BLOCK + LARGEST + 2 * AROUND; // the end of the first block
        let mut data = vec![0; 2 * BLOCK];
        for (table, entry) in [(&s[..], 1), (&words[..], 4)] {
            // What is kept of a block, what waits for what comes after it, and the lengths of both tables.
            let near = [0, 8, 256, 264, 512, 1024, 1032, 1040].into_iter();
            let backs = near.flat_map(|back: usize| [back.saturating_sub(4), back, back + 4]);
            for back in backs.chain([1, 3, 255, 257, 263, 265].into_iter().filter(|_| entry == 1)) {
                let at = first - back;
                let part = at..at + table.len() + 2;
                data[part.clone()].copy_from_slice(&[table, &[1, 2]].concat());
                let mut all = vec![];
                let push = |table: Table| {
                    all.push((table.offset, table.entry, table.after[..2].to_vec()));
                    Ok::<_, io::Error>(())
                };
                scan(&data[..], push, |_| Ok(())).unwrap();
                assert_eq!(all, [(at as u64, entry, vec![1, 2])], "{back}");
                data[part].fill(0);
            }
        }
    }
}

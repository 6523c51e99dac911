//! Finds the tables in a dump.
//!
//! Diary, on one core of a virtual Zen 5. A window of 256 bytes is read from its end. The first
//! byte that repeats a later byte refuses every window up to there together. Random data repeat
//! after about 20 bytes, so one byte in twelve is read. Zeros repeat at once. In counting ramps
//! windows advance by few bytes, so reading from the end would read each byte up to 256 times.
//! There the window grows from its start instead, one byte a step.

use std::io::{self, Read};

use super::{constant::is_constant, entry::Entry, layout::AROUND};

/// Number of entries of a table.
const N: usize = 256;
/// Size of the largest table, in bytes.
const LARGEST: usize = 8 * N;
/// Number of bytes read at a time.
const BLOCK: usize = 4 << 20;
/// A window that advances by fewer entries than this grows from its start.
const SMALL_STEP: usize = 48;

/// A table of 256 different values in a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its start, in bytes from the start of the dump.
    pub offset: u64,
    /// The storage of its entries. Entries of more than one byte begin at a multiple of their size.
    pub entry: Entry,
    /// Its values.
    pub s: [u8; 256],
    /// Up to 16 bytes of the dump before it.
    pub before: Vec<u8>,
    /// Up to 16 bytes of the dump after it.
    pub after: Vec<u8>,
}

/// Reads `dump` to its end. Calls `found` with every table that may be a state, in the order of
/// their ends. Calls `progress` with the number of bytes of each piece that was read. Takes 9 MiB
/// of memory.
///
/// It omits constants of other programs: regular tables such as the identity, and S-boxes of other
/// ciphers.
///
/// # Errors
/// If reading fails or a callback does.
pub fn scan<E: From<io::Error>>(
    mut dump: impl Read,
    mut found: impl FnMut(Table) -> Result<(), E>,
    mut progress: impl FnMut(u64) -> Result<(), E>,
) -> Result<u64, E> {
    // The bytes kept from the last block, which may precede or begin a table, then the next block.
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
        // A table is reported when all bytes that may follow it have been read.
        let data = &buffer[..filled];
        let complete = if ended { filled } else { filled - AROUND };
        let mut report = |start: usize, entry: Entry| {
            let end = start + N * entry.bytes();
            if end <= fresh || end > complete {
                return Ok(());
            }
            let s = entry.table(&data[start..end]).expect("a window is a table");
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
        windows(data, &mut |start| starts.push((start, Entry::Byte)));
        // Blocks and the part of a block that is kept are multiples of 8, and so is `base`.
        let longs = data.as_chunks().0;
        entry_starts::<2>(data, Entry::Half, &mut starts);
        entry_starts::<4>(data, Entry::Word, &mut starts);
        entry_starts::<4>(data, Entry::SmallInteger, &mut starts);
        entry_starts::<8>(data, Entry::Long, &mut starts);
        entry_starts::<8>(data, Entry::SmallIntegerHigh, &mut starts);
        pointer_windows(longs, &mut |start| starts.push((8 * start, Entry::Pointer)));
        starts.sort_by_key(|&(start, entry)| start + N * entry.bytes());
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

/// Calls `found` with the start of every window of 256 different bytes, except windows that are the
/// one before rotated by a byte.
fn windows(data: &[u8], found: &mut impl FnMut(usize)) {
    let mut start = 0;
    while start + N <= data.len() {
        let mut seen = [false; N];
        let window = &data[start..start + N];
        // The last byte that equals a later byte.
        let repeat =
            window.iter().rposition(|&byte| std::mem::replace(&mut seen[usize::from(byte)], true));
        match repeat {
            Some(at) if at + 1 >= SMALL_STEP => start += at + 1,
            _ => start += grow(data[start..].iter().copied(), &mut |at| found(start + at)),
        }
    }
}

/// Does the same, but grows the window byte by byte until it advances by many bytes. Returns its
/// start then, or the number of bytes if they end.
fn grow(data: impl Iterator<Item = u8>, found: &mut impl FnMut(usize)) -> usize {
    let mut last = [0_usize; N]; // the last place of each byte, from 1
    let (mut start, mut len, mut reported) = (0, 0, None);
    for (at, byte) in data.enumerate() {
        len = at + 1;
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
            // Is it the one before, rotated?
            if reported.is_none_or(|reported| reported + 1 != start) {
                found(start);
            }
            reported = Some(start);
        }
    }
    len
}

/// Adds the start of every window of 256 different entries of `K` bytes.
fn entry_starts<const K: usize>(data: &[u8], entry: Entry, starts: &mut Vec<(usize, Entry)>) {
    let found = &mut |start| starts.push((K * start, entry));
    entry_windows::<K>(data.as_chunks().0, |stored| entry.value(stored), found);
}

/// Does the same for 256 entries with values below 256.
fn entry_windows<const K: usize>(
    data: &[[u8; K]],
    value: impl Fn(&[u8; K]) -> Option<u8>,
    found: &mut impl FnMut(usize),
) {
    let mut start = 0;
    while start + N <= data.len() {
        let mut seen = [false; N];
        let window = &data[start..start + N];
        let refused = window.iter().rposition(|entry| match value(entry) {
            None => true,
            Some(value) => std::mem::replace(&mut seen[usize::from(value)], true),
        });
        match refused {
            Some(at) if at + 1 >= SMALL_STEP => start += at + 1,
            _ => start = grow_entries(data, &value, start, found),
        }
    }
}

/// [`grow`] for entries.
fn grow_entries<const K: usize>(
    data: &[[u8; K]],
    value: &impl Fn(&[u8; K]) -> Option<u8>,
    start: usize,
    found: &mut impl FnMut(usize),
) -> usize {
    let bytes = data[start..].iter().map_while(value);
    let next = start + grow(bytes, &mut |at| found(start + at));
    // No window holds the entry that ended the bytes.
    match data.get(next).and_then(value) {
        Some(_) => next,
        None => next + 1,
    }
}

/// Does the same for 256 pointers to adjacent objects ([`Entry::Pointer`]).
fn pointer_windows(data: &[[u8; 8]], found: &mut impl FnMut(usize)) {
    // Pointers of one table are close to each other, so two neighbours are enough to refuse most
    // windows.
    let near = |pair: &[[u8; 8]]| {
        let [a, b] = [pair[0], pair[1]].map(u64::from_le_bytes);
        Entry::is_near(a, b)
    };
    let (mut start, mut reported) = (0, None);
    while start + N <= data.len() {
        let window = &data[start..start + N];
        match window.windows(2).rposition(|pair| !near(pair)) {
            Some(at) => start += at + 1,
            None => {
                let table = Entry::Pointer.table(window.as_flattened()).is_some();
                if table && reported.is_none_or(|reported| reported + 1 != start) {
                    found(start);
                }
                reported = if table { Some(start) } else { reported };
                start += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;

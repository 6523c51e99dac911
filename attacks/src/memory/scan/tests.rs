//! Compares the scan with a plain loop, and reads dumps in blocks.

use std::io;

use super::*;
use crate::experiment::Random;

fn plain(data: &[u8]) -> Vec<(u64, Entry)> {
    let mut all = vec![];
    for end in 1..=data.len() {
        for entry in Entry::ALL {
            let size = entry.bytes();
            let Some(start) = end.checked_sub(N * size) else { continue };
            if start % size != 0 {
                continue;
            }
            let values = data[start..end].chunks(size).map(|chunk| {
                let mut long = [0; 8];
                long[..size].copy_from_slice(chunk);
                u64::from_le_bytes(long)
            });
            let first = if entry == Entry::Pointer { values.clone().min().unwrap() } else { 0 };
            let scaled = |value: u64| match entry {
                Entry::Byte | Entry::Half | Entry::Word | Entry::Long => Some(value),
                Entry::SmallInteger => value.is_multiple_of(2).then_some(value / 2),
                Entry::SmallIntegerHigh => value.is_multiple_of(1 << 32).then_some(value >> 32),
                Entry::Pointer => {
                    (value - first).is_multiple_of(32).then_some((value - first) / 32)
                }
            };
            let (mut s, mut seen) = ([0; 256], [false; 256]);
            let different = values.zip(&mut s).all(|(value, s)| {
                let Some(value) = scaled(value).filter(|value| *value < 256) else {
                    return false;
                };
                *s = value as u8;
                !std::mem::replace(&mut seen[value as usize], true)
            });
            if different && !is_constant(&s) {
                all.push((start as u64, entry));
            }
        }
    }
    all
}

fn scanned(data: &[u8], piece: usize) -> Vec<(u64, Entry)> {
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

/// The scan finds exactly the tables of a plain loop over all windows. Tables lie at the ends
/// of the data, at odd offsets, next to ramps and repeats.
#[test]
fn the_tables_are_those_of_a_plain_loop() {
    let mut random = Random::new("scan", 1, 0);
    for _ in 0..60 {
        let mut data = vec![];
        for _ in 0..random.below(6) + 1 {
            let s = shuffled(&mut random);
            let n = random.below(300) as usize;
            match random.below(12) {
                0 => data.extend(s),
                1 => data.extend(Entry::Word.stored(&s)),
                7 => data.extend(Entry::Half.stored(&s)),
                8 => data.extend(Entry::Long.stored(&s)),
                9 => data.extend(Entry::SmallInteger.stored(&s)),
                10 => data.extend(Entry::SmallIntegerHigh.stored(&s)),
                11 => data.extend(Entry::Pointer.stored(&s)),
                2 => data.extend(random.bytes(n)),
                3 => data.extend(vec![7; n]),
                4 => data.extend((0..n).map(|at| at as u8)),
                5 => data.extend((0..3 * n).map(|at| (at % 251) as u8)),
                _ => data.extend(s.iter().cycle().skip(n).take(200 + n)),
            }
        }
        // In a repeat, rotated copies of the table follow. Only the first of a run is reported.
        let mut expected = plain(&data);
        let all = expected.clone();
        expected.retain(|&(start, entry)| {
            let size = entry.bytes() as u64;
            start < size || !all.contains(&(start - size, entry))
        });
        assert_eq!(scanned(&data, usize::MAX), expected);
        assert_eq!(scanned(&data, 100), expected);
    }
}

/// A read that a signal interrupts is tried again, and another error ends the scan.
#[test]
fn an_interrupted_read_is_tried_again() {
    struct Failing<'a>(&'a [u8], Vec<io::ErrorKind>);
    impl Read for Failing<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let n = room.len().min(self.0.len()).min(100);
            match self.1.pop() {
                Some(error) if n > 0 => Err(error.into()),
                _ => self.0.read(&mut room[..n]),
            }
        }
    }
    let s = shuffled(&mut Random::new("scan", 3, 0));
    let data = [&[7; 17][..], &s, &[1, 2, 3, 4, 5, 6, 7, 8, 9].repeat(2)].concat();
    let mut found = vec![];
    let mut read = 0;
    let mut scanned = |errors| {
        let push = |table: Table| {
            found.push(table);
            Ok::<_, io::Error>(())
        };
        scan(Failing(&data, errors), push, |n| {
            read += n;
            Ok(())
        })
    };
    let interrupted = io::ErrorKind::Interrupted;
    assert_eq!(scanned(vec![interrupted; 2]).unwrap(), 291);
    let error = scanned(vec![io::ErrorKind::TimedOut, interrupted]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    // Up to sixteen bytes on either side.
    let (before, after) = (vec![7; AROUND], data[17 + N..][..AROUND].to_vec());
    assert_eq!(found, [Table { offset: 17, entry: Entry::Byte, s, before, after }]);
    assert_eq!(read, 291);
}

/// A list of pointers that is stored twice is reported once, like one before other pointers. Near
/// pointers that are no table are passed over.
#[test]
fn pointers_are_reported_once() {
    let s = shuffled(&mut Random::new("scan", 4, 0));
    let list = Entry::Pointer.stored(&s);
    let far = [7; 16];
    let mut repeated = list.clone();
    repeated.copy_within(..8, 8 * 100);
    for (data, found) in [
        (list.repeat(2), vec![0]),
        ([&far[..], &list, &far, &list, &list[..80], &far].concat(), vec![16, 2080]),
        ([&repeated[..], &far, &list].concat(), vec![2064]),
    ] {
        let expected: Vec<_> = found.into_iter().map(|start| (start, Entry::Pointer)).collect();
        assert_eq!(scanned(&data, usize::MAX), expected);
    }
}

/// Tables before, across and after the end of a block.
#[test]
fn no_table_is_lost_between_blocks() {
    let s = shuffled(&mut Random::new("scan", 2, 0));
    let words: Vec<u8> = s.iter().flat_map(|&value| u32::from(value).to_le_bytes()).collect();
    let first = BLOCK + LARGEST + 2 * AROUND; // the end of the first block
    let mut data = vec![0; 2 * BLOCK];
    for (table, entry) in [(&s[..], Entry::Byte), (&words[..], Entry::Word)] {
        // Combines the bytes kept from a block, a table that waits for its following bytes, and
        // the lengths of both tables.
        let tables = [0, 256, 512, 1024].into_iter();
        let near = tables.flat_map(|len| [len, len + AROUND, len + 2 * AROUND]);
        let backs = near.flat_map(|back: usize| [back.saturating_sub(4), back, back + 4]);
        for back in
            backs.chain([1, 3, 255, 257, 271, 273].into_iter().filter(|_| entry == Entry::Byte))
        {
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

/// A table of the largest size is reported whole, with the bytes before it, wherever a block ends.
#[test]
fn a_large_table_between_blocks_has_the_bytes_before_it() {
    let s = shuffled(&mut Random::new("scan", 3, 0));
    let longs: Vec<u8> = s.iter().flat_map(|&value| u64::from(value).to_le_bytes()).collect();
    for at in (BLOCK - 16..=BLOCK + 16).step_by(8) {
        let data = [&vec![9; at][..], &longs, &vec![9; BLOCK]].concat();
        let mut all = vec![];
        let push = |table: Table| {
            all.push((table.offset, table.entry, table.before));
            Ok::<_, io::Error>(())
        };
        scan(&data[..], push, |_| Ok(())).unwrap();
        assert_eq!(all, [(at as u64, Entry::Long, vec![9; AROUND])]);
    }
}

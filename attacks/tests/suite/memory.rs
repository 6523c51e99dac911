//! Finds states in constructed dumps: every layout, and data that is no state.

use std::io;

use arcfour::Rc4;
use arcfour_attacks::{
    experiment::Random,
    memory::{Entry, LAYOUTS, Opened, Table, scan},
};

fn tables(dump: &[u8]) -> Vec<Table> {
    let mut tables = vec![];
    let push = |table| {
        tables.push(table);
        Ok::<_, io::Error>(())
    };
    scan(dump, push, |_| Ok(())).unwrap();
    tables
}

/// Returns a dump with the state of `key` after `produced` bytes, in this layout.
fn dump(layout: usize, key: &[u8], produced: u64) -> Vec<u8> {
    let mut rc4 = Rc4::from_key(key).unwrap();
    rc4.skip(produced);
    let (s, i, j) = rc4.state().parts();
    let layout = &LAYOUTS[layout];
    let word = |value: u8, width: usize| u64::from(value).to_le_bytes()[..width].to_vec();
    let table = layout.entry.stored(s);
    let i = i.wrapping_add(layout.next.into());
    let indexes = [word(i, layout.width), word(j, layout.width)].concat();
    let state = if layout.before { [indexes, table].concat() } else { [table, indexes].concat() };
    [vec![0xaa; 40_000], state, vec![0xbb; 4096]].concat()
}

/// The indexes are read at their place in every layout, and are less than 256.
#[test]
fn every_layout_gives_its_indexes() {
    for (layout, wanted) in LAYOUTS.iter().enumerate() {
        for produced in [1, 255, 256, 5000] {
            let dump = dump(layout, b"a key", produced);
            let mut rc4 = Rc4::from_key(b"a key").unwrap();
            rc4.skip(produced);
            let (s, i, j) = rc4.state().parts();
            let size = wanted.entry.bytes() * 256;
            let start = 40_000 + if wanted.before { 2 * wanted.width } else { 0 };
            let found = tables(&dump);
            assert_eq!(found.len(), 1);
            assert_eq!((found[0].offset, &found[0].s), (start as u64, s));
            assert_eq!(found[0].before, dump[start - 16..start]);
            assert_eq!(found[0].after, dump[start + size..start + size + 16]);
            let stream = found[0].streams().find(|stream| *stream.layout == *wanted).unwrap();
            assert_eq!((stream.i, stream.j, &stream.s), (i, j, s), "{}", wanted.name);
            let words = wanted.width > 1 && wanted.entry != Entry::Byte;
            assert_eq!(stream.is_likely(), words, "{}", wanted.name);
            // An index of 256, and an end of the dump within the indexes.
            if wanted.width > 1 {
                let both = 2 * wanted.width;
                let first = if wanted.before { start - both } else { start + size };
                for at in [first + 1, first + both - 1] {
                    let mut changed = dump.clone();
                    changed[at] = 1;
                    let found = tables(&changed);
                    assert!(found[0].streams().all(|stream| *stream.layout != *wanted));
                }
            }
            let part = if wanted.before {
                &dump[start - 2 * wanted.width + 1..]
            } else {
                &dump[..start + size + 2 * wanted.width - 1]
            };
            let found = tables(part);
            assert!(found.iter().flat_map(Table::streams).all(|stream| *stream.layout != *wanted));
        }
    }
}

/// The key is found in every layout, for streams of any age.
#[test]
fn every_layout_gives_its_key() {
    let ages = [0, 1, 255, 256, 5000].into_iter().cycle();
    for (layout, produced) in (0..LAYOUTS.len()).chain([0; 4]).zip(ages) {
        let key = [7, 77, 177, 27, layout as u8];
        let tables = tables(&dump(layout, &key, produced));
        assert_eq!(tables.len(), 1, "{layout}");
        let mut streams = tables[0].streams();
        let stream = streams.find(|stream| *stream.layout == LAYOUTS[layout]).unwrap();
        let found = stream.find_key(&[5], 1 << 14, 1 << 14);
        assert_eq!(found, Some(Opened { key: key.to_vec(), produced }), "{layout}");
    }
}

/// The structures of the Linux kernel, from 3.7 on and before, and of NSS on x86-64. The kernel
/// keeps the next step's i: arc4_setkey sets x to 1.
#[test]
fn kernels_and_nss_are_read() {
    let mut rc4 = Rc4::from_key(b"Sesam").unwrap();
    rc4.skip(4000);
    let (s, i, j) = rc4.state().parts();
    let [x, y] = [i.wrapping_add(1), j];
    let words = |values: &[u8]| -> Vec<u8> {
        values.iter().flat_map(|&value| u32::from(value).to_le_bytes()).collect()
    };
    let longs = |values: &[u8]| -> Vec<u8> {
        values.iter().flat_map(|&value| u64::from(value).to_le_bytes()).collect()
    };
    for (program, state) in [
        ("Linux 3.7", [words(s), words(&[x, y])].concat()),
        ("Linux 3.6", [&s[..], &[x, y]].concat()),
        ("NSS", [longs(&[i, j]), longs(s)].concat()),
    ] {
        let tables = tables(&[&[0xaa; 4096][..], &state, &[0xbb; 4096]].concat());
        let keys = tables[0].streams().filter_map(|stream| stream.find_key(&[5], 4096, 1 << 14));
        let keys: Vec<_> = keys.collect();
        assert_eq!(keys, [Opened { key: b"Sesam".to_vec(), produced: 4000 }], "{program}");
    }
}

/// Zeros after a table of words are no indexes, also for programs that keep the next step's i. A
/// state of the Linux kernel before its first byte has the indexes 1 and 0.
#[test]
fn zeros_beside_a_table_are_no_indexes() {
    let rc4 = Rc4::from_key(b"Sesam").unwrap();
    let table = Entry::Word.stored(rc4.state().parts().0);
    for (index, likely) in [(0, false), (1, true)] {
        let dump = [&[0xaa; 4096][..], &table, &[index, 0, 0, 0, 0, 0, 0, 0]].concat();
        let found = tables(&dump);
        assert_eq!(found[0].streams().any(|stream| stream.is_likely()), likely);
        let mut kernel = found[0].streams().filter(|stream| stream.layout.next);
        assert!(kernel.all(|stream| stream.is_likely() == likely));
    }
}

/// Tables as separate objects, without indexes beside them. The table is found in every storage
/// form, and the key by trying all indexes.
#[test]
fn indexes_elsewhere_are_tried() {
    let mut rc4 = Rc4::from_key(b"12345").unwrap();
    rc4.skip(3);
    let (s, i, j) = rc4.state().parts();
    for entry in Entry::ALL {
        let dump = [&[0xaa; 4096][..], &entry.stored(s), &[0xbb; 4096]].concat();
        let tables = tables(&dump);
        let found: Vec<_> =
            tables.iter().map(|table| (table.offset, table.entry, &table.s)).collect();
        assert_eq!(found, [(4096, entry, s)]);
        if entry == Entry::Pointer {
            let (stream, opened) = tables[0].find_key_anywhere(&[5], 3, 1 << 10).unwrap();
            assert_eq!((stream.i, stream.j), (i, j));
            assert_eq!(opened, Opened { key: b"12345".to_vec(), produced: 3 });
            assert_eq!(tables[0].find_key_anywhere(&[5], 2, 16), None);
        }
    }
}

/// A stream older than the limit is not found, and no wrong beginning is accepted instead.
#[test]
fn a_stream_older_than_the_limit_has_no_key() {
    let tables = tables(&dump(0, b"12345", 5000));
    let stream = tables[0].streams().next().unwrap();
    assert!(stream.is_likely());
    assert_eq!(stream.find_key(&[5], 4999, 1 << 10), None);
    let found = stream.find_key(&[4, 5], 5000, 1 << 14).unwrap();
    assert_eq!((found.key, found.produced), (b"12345".to_vec(), 5000));
}

/// A table of words that is stored twice, like tables of noise, is no state, because the words
/// after it are its own beginning.
#[test]
fn a_repeated_table_is_no_stream() {
    let rc4 = Rc4::from_key(b"12345").unwrap();
    let (s, ..) = rc4.state().parts();
    let words: Vec<u8> = s.iter().flat_map(|&value| u32::from(value).to_le_bytes()).collect();
    let repeated = [&[0; 64][..], &words, &words, &[0xaa; 64]].concat();
    let found = tables(&repeated);
    assert!(!found.is_empty());
    assert!(found.iter().flat_map(Table::streams).all(|stream| !stream.is_likely()));
    // With other words after it, the table is a state.
    let alone = tables(&[&[0; 64][..], &words, &[7, 0, 0, 0, 8, 0, 0, 0]].concat());
    assert!(alone.iter().flat_map(Table::streams).any(|stream| stream.is_likely()));
}

/// Zeros contain no table. A table that no key makes has no key, and is not likely for any numbers
/// beside it.
#[test]
fn other_tables_are_no_streams() {
    assert_eq!(tables(&vec![0; 1 << 20]), []);
    let mut s: [u8; 256] = std::array::from_fn(|at| at as u8);
    let mut random = Random::new("test of memory", 0, 0);
    (1..256).for_each(|at| s.swap(at, random.below(at as u32 + 1) as usize));
    for numbers in [[0; 8], [1, 0, 0, 0, 2, 0, 0, 0]] {
        let dump = [&numbers[..], &s, &numbers].concat();
        let tables = tables(&dump);
        assert_eq!(tables.len(), 1);
        assert!(tables[0].streams().count() > 1);
        assert!(tables[0].streams().all(|stream| !stream.is_likely()));
        // Other layouts read the same numbers.
        let stream = tables[0].streams().last().unwrap();
        assert_eq!(stream.find_key(&[5, 13, 16], 1 << 15, 1 << 10), None);
    }
}

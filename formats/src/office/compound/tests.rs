//! Small compound files, made by hand or by the library `cfb`, with exact results and messages.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Write},
};

use cfb::{CompoundFile, Version};

use super::*;

const NONE: [u32; 3] = [FREE; 3];
const ROOT: u8 = 5;

/// An entry of the directory: name, kind, left, right and child, first sector, and length.
type Line<'a> = (&'a str, u8, [u32; 3], u32, u64);

/// A table of `len` sectors with these chains.
fn table(len: usize, chains: &[&[u32]]) -> Vec<u32> {
    let mut table = vec![FREE; len];
    for chain in chains {
        for (n, number) in chain.iter().enumerate() {
            table[*number as usize] = chain.get(n + 1).copied().unwrap_or(END_OF_CHAIN);
        }
    }
    table
}

fn set(file: &mut [u8], at: usize, number: u32) {
    file[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

/// A compound file of `sectors` sectors: the FAT in sector 0, the directory in sectors 1 and 3, and
/// the mini FAT in sector 2. No two places have the same bytes.
fn made(shift: u16, sectors: usize, fat: &[u32], mini: &[u32], lines: &[Line<'_>]) -> Vec<u8> {
    let sector = 1 << shift;
    let noise = |at: usize| (at.wrapping_mul(0x9e37_79b9) >> 11) as u8;
    let mut file: Vec<u8> = (0..sector * (1 + sectors)).map(noise).collect();
    file[..512].fill(0);
    file[..8].copy_from_slice(&MAGIC);
    file[30..32].copy_from_slice(&shift.to_le_bytes());
    file[32] = 6;
    for (at, number) in [(44, 1), (48, 1), (56, 4096), (60, 2), (64, 1), (68, END_OF_CHAIN)] {
        set(&mut file, at, number);
    }
    file[80..512].fill(0xff);
    for (place, table) in [(sector, fat), (3 * sector, mini)] {
        file[place..place + sector].fill(0xff);
        for (n, number) in table.iter().enumerate().take(sector / 4) {
            set(&mut file, place + 4 * n, *number);
        }
    }
    let places = [2, 4].into_iter().flat_map(|n| (n * sector..(n + 1) * sector).step_by(ENTRY));
    let (mut lines, empty) = (lines.iter(), ("", 0, NONE, 0, 0));
    for at in places {
        let (name, kind, links, start, size) = *lines.next().unwrap_or(&empty);
        file[at..at + ENTRY].fill(0);
        for (n, unit) in name.encode_utf16().enumerate() {
            file[at + 2 * n..][..2].copy_from_slice(&unit.to_le_bytes());
        }
        file[at + 66] = kind;
        for (n, link) in links.into_iter().enumerate() {
            set(&mut file, at + 68 + 4 * n, link);
        }
        set(&mut file, at + 116, start);
        file[at + 120..at + 128].copy_from_slice(&size.to_le_bytes());
    }
    file
}

/// The contents of the units with these starts, up to `size` bytes.
fn contents(file: &[u8], starts: &[usize], unit: usize, size: usize) -> Vec<u8> {
    starts.iter().flat_map(|at| &file[*at..*at + unit]).copied().take(size).collect()
}

fn message<T>(result: Result<T, Error>) -> String {
    result.err().expect("an error").to_string()
}

/// A file with a stream of 4096 bytes, the least in sectors of the file, and one of 4095, the most in
/// the mini stream. Neither has its sectors in order. Inside storages, paths have one slash or two.
#[test]
fn a_stream_consists_of_the_sectors_of_its_chain() {
    for shift in [9, 12] {
        let sector = 1_usize << shift;
        let count = (4096 / sector) as u32;
        let big: Vec<u32> = (20..20 + count).rev().collect();
        let mini: Vec<u32> = (5..5 + 2 * count).step_by(2).collect();
        let small: Vec<u32> = (0..64).map(|n| n ^ 1).collect();
        let fat = table(128, &[&[0], &[1, 3], &[2], &big, &mini]);
        let lines = [
            ("Root Entry", ROOT, [FREE, FREE, 1], 5, 4096),
            ("big", STREAM, [2, 3, FREE], big[0], 4096),
            ("store", STORAGE, [FREE, FREE, 4], 0, 0),
            ("Small/\u{c4}", STREAM, NONE, small[0], 4095),
            ("in", STREAM, [5, FREE, FREE], 0, 0),
            ("deep", STORAGE, [FREE, FREE, 6], 0, 0),
            ("x", STREAM, [FREE, 7, FREE], big[0], 4096),
            ("store", STREAM, [1, 99, FREE], 0, 0),
        ];
        let made = made(shift, 20 + count as usize, &fat, &table(64, &[&small]), &lines);
        let file = Compound::read(made.clone()).unwrap();
        let starts: Vec<usize> = big.iter().map(|n| (*n as usize + 1) * sector).collect();
        assert!(file.stream("BIG").unwrap() == contents(&made, &starts, sector, 4096));
        assert!(file.stream("//x").unwrap() == file.stream("big").unwrap());
        let per_sector = sector / 64;
        let place = |n: usize| (mini[n / per_sector] as usize + 1) * sector + n % per_sector * 64;
        let starts: Vec<usize> = small.iter().map(|n| place(*n as usize)).collect();
        assert!(file.stream("small\u{fffd}\u{c4}").unwrap() == contents(&made, &starts, 64, 4095));
        assert_eq!(file.streams_in("store"), ["store/in"]);
        assert_eq!(file.streams_in("stor"), [""; 0]);
        assert_eq!(file.streams_in("big"), [""; 0]);
        assert!(!file.has("store") && !file.has("deep") && file.has("STORE/in"));
        assert_eq!(
            message(file.stream("\u{5}no\n")),
            "the document is damaged: no\\n is not there"
        );
        assert!(file.into_bytes() == made);
    }
}

/// Adjacent sectors are one piece, unless only one of them is shared.
#[test]
fn pieces_end_where_sectors_are_not_adjacent() {
    let lines = |size: u64| {
        [
            ("Root Entry", ROOT, [FREE, FREE, 1], END_OF_CHAIN, 0),
            ("one", STREAM, [FREE, 2, FREE], 4, size),
            ("two", STREAM, NONE, 12, 4096),
        ]
    };
    let one = [4, 5, 6, 10, 11, 12, 13, 14, 15];
    let two = [12, 13, 14, 15, 16, 17, 18, 19];
    let mut fat = table(128, &[&[0], &[1, 3], &[2], &one, &two]);
    for (size, sectors, pieces) in [
        (4500, 20, &[(2560..4096, false), (5632..6656, false), (6656..8596, true)][..]),
        (4096, 20, &[(2560..4096, false), (5632..6656, false), (6656..8192, true)]),
    ] {
        let file = Compound::read(made(9, sectors, &fat, &[], &lines(size))).unwrap();
        let found = file.pieces("one").unwrap().into_iter();
        let found: Vec<_> = found.map(|piece| (piece.place, piece.is_shared)).collect();
        assert_eq!(found, pieces);
    }
    // A stream in a circle of sectors is read up to its length, if the file is as long.
    fat[15] = 4;
    let whole = made(9, 20, &fat, &[], &lines(512 * 21));
    let circle = Compound::read(whole.clone()).unwrap().stream("one").unwrap();
    assert!(circle[..4608] == circle[4608..9216] && circle.len() == 512 * 21);
    let larger = Compound::read(made(9, 20, &fat, &[], &lines(512 * 21 + 1))).unwrap();
    assert_eq!(
        message(larger.stream("one")),
        "the document is damaged: one claims to be larger than the file"
    );
    // With sectors of 512 bytes only the lower half of the length counts.
    let low = Compound::read(made(9, 20, &fat, &[], &lines(1 << 32 | 4200))).unwrap();
    assert!(low.stream("one").unwrap() == circle[..4200]);
    let fat = table(128, &[&[0], &[1, 3], &[2], &[4]]);
    let high = Compound::read(made(12, 5, &fat, &[], &lines(1 << 32 | 4096))).unwrap();
    assert!(message(high.stream("one")).ends_with("one claims to be larger than the file"));
}

/// The last sector may be cut short, but not before the end of the stream. No number beyond the table
/// is a sector.
#[test]
fn cut_streams_are_refused() {
    let one: Vec<u32> = (4..13).collect();
    let lines = |start: u32, size: u64| {
        [
            ("Root Entry", ROOT, [FREE, FREE, 1], 13, 64),
            ("one", STREAM, NONE, start, size),
            ("", 0, NONE, 0, 0),
        ]
    };
    let fat = table(128, &[&[0], &[1, 3], &[2], &one, &[13]]);
    let read = |lines: &[Line<'_>], len: usize| {
        let made = made(9, 15, &fat, &[END_OF_CHAIN], lines);
        Compound::read(made[..len].to_vec()).unwrap().stream("one")
    };
    let whole = 512 * 16;
    let end = 512 * 13 + 200;
    assert_eq!(read(&lines(4, 4296), whole).unwrap().len(), 4296);
    assert_eq!(read(&lines(4, 4296), end).unwrap().len(), 4296);
    assert_eq!(read(&lines(4, 4608), whole).unwrap().len(), 4608);
    let short = "the document is damaged: one is cut short";
    for (lines, len) in [
        (lines(4, 4296), end - 1),
        (lines(4, 4609), whole),
        (lines(128, 4096), whole),
        (lines(127, 4608), whole),
        (lines(0, 65), whole),
        (lines(8, 1), whole),
        (lines(128, 1), whole),
        (lines(0, 64), 512 * 14 + 511),
    ] {
        assert_eq!(message(read(&lines, len)), short, "{lines:?} {len}");
    }
    assert_eq!(read(&lines(0, 64), 512 * 15).unwrap().len(), 64);
    assert_eq!(read(&lines(128, 0), whole).unwrap().len(), 0);
}

/// Streams that share a sector with a stream, a table or the directory are not changed.
#[test]
fn a_shared_sector_is_not_changed() {
    let chain: Vec<u32> = (8..16).collect();
    let other: Vec<u32> = (16..24).collect();
    let mini_fat = table(64, &[&[0], &[1, 2], &[3], &[8, 9], &[10]]);
    let check = |chains: &[&[u32]], root: u32, one: (u32, u64), two: Line<'_>, place: usize| {
        let fat = table(128, &[&[&[0][..], &[1, 3], &[2]], chains].concat());
        let lines = [
            ("Root Entry", ROOT, [FREE, FREE, 1], root, 1024),
            ("\u{5}one", STREAM, [FREE, 2, FREE], one.0, one.1),
            two,
        ];
        let made = made(9, 24, &fat, &mini_fat, &lines);
        let mut file = Compound::read(made.clone()).unwrap();
        let new: Vec<u8> = file.stream("\u{5}one").unwrap().iter().map(|byte| byte ^ 1).collect();
        let replaced = file.replace("\u{5}one", &new);
        if place == 0 {
            replaced.unwrap();
            assert!(file.stream("\u{5}one").unwrap() == new);
            let changed = file.into_bytes();
            let count = changed.iter().zip(&made).filter(|(a, b)| a != b).count();
            assert_eq!(count, new.len());
        } else {
            let said = format!(
                "the document is damaged: one shares the sector at byte {place} with another"
            );
            assert_eq!(message(replaced), said);
        }
    };
    let whole = [&chain[..], &other, &[4, 5]];
    let two = |start: u32, size: u64| ("two", STREAM, NONE, start, size);
    check(&whole, 4, (8, 4096), two(16, 4096), 0);
    check(&whole, 4, (8, 4096), two(8, 4096), 9 * 512);
    check(&whole, 4, (8, 4096), two(15, 4096), 16 * 512);
    // A stream without a byte, and a storage, have no sector.
    check(&whole, 4, (8, 4096), two(8, 0), 0);
    check(&whole, 4, (8, 4096), ("two", STORAGE, NONE, 8, 4096), 0);
    // The FAT, the directory, the mini FAT, and the mini stream.
    let into = |last: u32| [8, 9, 10, 11, 12, 13, 14, last];
    for (last, place) in [(0, 512), (1, 1024), (2, 1536), (3, 2048), (4, 2560), (5, 3072)] {
        check(&[&into(last), &[1, 3], &[4, 5]], 4, (8, 4096), two(8, 0), place);
    }
    // Small sectors.
    check(&whole, 4, (1, 128), two(8, 128), 0);
    check(&whole, 4, (1, 128), two(1, 128), 5 * 512 + 64);
    check(&whole, 4, (1, 128), two(2, 64), 5 * 512 + 128);
    check(&whole, 4, (1, 128), two(1, 0), 0);
    // A sector of the mini stream that is shared as a whole, and its neighbour.
    let shared = [&[16, 17, 18, 19, 20, 21, 22, 5][..], &chain, &[4, 5]];
    check(&shared, 4, (8, 64), two(16, 4096), 6 * 512);
    check(&shared, 4, (1, 128), two(16, 4096), 0);
}

#[test]
fn faults_of_the_header_are_named() {
    let fat = table(128, &[&[0], &[1, 3], &[2]]);
    let whole = made(9, 4, &fat, &[], &[("Root Entry", ROOT, NONE, END_OF_CHAIN, 0)]);
    let read = |bytes: &[u8]| message(Compound::read(bytes.to_vec()));
    assert!(Compound::read(whole.clone()).is_ok());
    assert_eq!(read(&whole[..511]), "the document is damaged: it ends too early");
    let mut bare = whole[..512].to_vec();
    assert_eq!(read(&bare), "the document is damaged: it has no directory");
    bare.extend([0; 511]);
    assert_eq!(read(&bare), "the document is damaged: it ends too early");
    // The sector of the FAT is the last.
    let last = made(9, 5, &fat, &[], &[("Root Entry", ROOT, NONE, END_OF_CHAIN, 0)]);
    let mut last = [&last[..512 * 5], &last[512..1024]].concat();
    set(&mut last, 76, 4);
    assert!(Compound::read(last).is_ok());
    for (at, value, what) in [
        (30, 10, "its sectors have 2^10 bytes"),
        (32, 7, "streams of fewer than 4096 bytes lie in sectors of 2^7 bytes"),
        (57, 8, "streams of fewer than 2048 bytes lie in sectors of 2^6 bytes"),
    ] {
        let mut changed = whole.clone();
        changed[at] = value;
        assert_eq!(read(&changed), format!("the document is damaged: {what}"));
    }
}

/// With more than 109 sectors of the FAT, other sectors list the rest: here two, with room for 127
/// numbers each. The last sector of the file is the end of a stream.
#[test]
fn the_rest_of_a_long_fat_is_listed_in_other_sectors() {
    const SECTORS: usize = 128 * (109 + 127) + 1;
    let fat_sectors = SECTORS.div_ceil(128);
    let last = SECTORS as u32 - 1;
    // Sectors 4 and 5 list the FAT's numbers. The FAT begins at sector 6.
    let chain: Vec<u32> = (last - 7..=last).collect();
    let lines = [
        ("Root Entry", ROOT, [FREE, FREE, 1], END_OF_CHAIN, 0),
        ("end", STREAM, NONE, last - 7, 4096),
        ("list", STREAM, NONE, 4, 4096),
    ];
    let mut fat = table(SECTORS, &[&[1, 3], &[2], &chain]);
    let mut file = made(9, SECTORS, &[], &[], &lines);
    for (n, next) in [(4, 5), (5, 7777)] {
        set(&mut file, 512 * (n + 1) + 508, next);
        file[512 * (n + 1)..][..508].fill(0xff);
    }
    set(&mut file, 68, 4);
    for n in 0..fat_sectors {
        let slot = match n {
            0..109 => 76 + 4 * n,
            109..236 => 512 * 5 + 4 * (n - 109),
            _ => 512 * 6 + 4 * (n - 236),
        };
        set(&mut file, slot, 6 + n as u32);
    }
    fat.resize(128 * fat_sectors, 0xffff_ffff);
    for (n, number) in fat.iter().enumerate() {
        set(&mut file, 512 * 7 + 4 * n, *number);
    }
    let read = |file: &[u8]| Compound::read(file.to_vec()).and_then(|file| file.stream("end"));
    assert!(read(&file).unwrap() == file[file.len() - 4096..]);
    let compound = Compound::read(file.clone()).unwrap();
    // A third list is not read, because the FAT reaches the end of the file.
    assert_eq!(compound.difat_at, [512 * 5, 512 * 6]);
    assert_eq!(compound.fat_at.len(), fat_sectors);
    assert!(compound.shared.iter().all(|shared| !shared));
    // The last sector may be a list.
    let mut moved = file.clone();
    moved.copy_within(512 * 6..512 * 7, 512 * SECTORS);
    set(&mut moved, 512 * 5 + 508, last);
    assert_eq!(Compound::read(moved).unwrap().difat_at, [512 * 5, 512 * SECTORS]);
    // No list is read if the FAT reaches the end of the file without it.
    let short = file[..512 * (1 + 128 * 109)].to_vec();
    assert_eq!(Compound::read(short).unwrap().difat_at, [0; 0]);
    // A list beyond the end of the file ends the FAT.
    for next in [last + 1, END_OF_CHAIN] {
        let mut cut = file.clone();
        set(&mut cut, 512 * 5 + 508, next);
        let compound = Compound::read(cut.clone()).unwrap();
        assert_eq!(compound.fat_at.len(), 236);
        assert_eq!(message(read(&cut)), "the document is damaged: end is cut short");
    }
}

fn cfb_streams(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut file = CompoundFile::open_strict(Cursor::new(bytes)).unwrap();
    let paths: Vec<_> =
        file.walk().filter(cfb::Entry::is_stream).map(|entry| entry.path().to_owned()).collect();
    let mut streams = BTreeMap::new();
    for path in paths {
        let mut contents = vec![];
        file.open_stream(&path).unwrap().read_to_end(&mut contents).unwrap();
        streams.insert(path.to_str().unwrap().trim_start_matches('/').to_owned(), contents);
    }
    streams
}

/// A file that `cfb` made with one stream in a storage and one in the root.
fn cfb_file(version: Version, len: usize) -> (Vec<u8>, BTreeMap<String, Vec<u8>>) {
    let mut file = CompoundFile::create_with_version(version, Cursor::new(vec![])).unwrap();
    file.create_storage("/Store").unwrap();
    file.create_stream("/Store/in").unwrap().write_all(&[3; 100]).unwrap();
    file.create_stream("/first").unwrap().write_all(&vec![5; len]).unwrap();
    file.flush().unwrap();
    let bytes = file.into_inner().into_inner();
    let streams = cfb_streams(&bytes);
    assert_eq!(streams.len(), 2);
    (bytes, streams)
}

/// After each change, `cfb`, which is strict, reads the streams that should be there.
#[test]
fn streams_are_added_replaced_and_removed() {
    let put: &[(&str, usize)] = &[
        ("a", 0),
        ("b", 1),
        ("B\u{e9}", 64),
        ("\u{5}Summary", 4095),
        ("c", 4096),
        ("a", 65),
        ("b", 4097),
        ("a name of the longest kind, 31.", 512),
        ("cc", 70_000),
        ("FIRST", 63),
        ("d", 513),
        ("e", 3),
        ("c", 9000),
        ("f", 0),
        ("g", 2000),
        ("h", 4032),
        ("\u{5}Summary", 4000),
        ("cc", 12),
        ("i", 40_000),
    ];
    for version in [Version::V3, Version::V4] {
        let (bytes, mut streams) = cfb_file(version, 5000);
        let mut file = Compound::read(bytes).unwrap();
        // Enough for another sector of the directory, of 512 or 4096 bytes.
        let more: Vec<String> = (10..45).map(|n| format!("n{n}")).collect();
        let more = more.iter().map(|name| (name.as_str(), 7));
        for (n, (name, len)) in put.iter().copied().chain(more).enumerate() {
            let contents: Vec<u8> = (0..len).map(|at| (at % 253 + n) as u8).collect();
            file.put(name, &contents).unwrap();
            streams.retain(|known, _| known.to_uppercase() != name.to_uppercase());
            streams.insert(name.to_owned(), contents);
            assert!(cfb_streams(&file.bytes) == streams, "{version:?} {name} {len}");
            let again = Compound::read(file.bytes.clone()).unwrap();
            assert_eq!((&again.fat_at, &again.mini), (&file.fat_at, &file.mini));
            assert!(again.fat == file.fat && again.mini_fat == file.mini_fat);
            // Only a file with sectors of 4096 bytes tells how many the directory has.
            let sectors = file.directory.len() * ENTRY / file.sector;
            let told = if version == Version::V3 { 0 } else { sectors as u32 };
            assert_eq!(u32_at(&file.bytes, 40), told);
        }
        let names: Vec<String> =
            streams.keys().filter(|name| !name.contains('/')).cloned().collect();
        let used = |file: &Compound| file.fat.iter().filter(|next| **next != FREE).count();
        let before = used(&file);
        for name in &names {
            file.remove(name).unwrap();
            streams.remove(name).unwrap();
            assert!(cfb_streams(&file.bytes) == streams, "{version:?} without {name}");
        }
        // Only the tables, the directory and the mini stream keep their sectors.
        let kept = file.fat_at.len()
            + file.directory.len() * ENTRY / file.sector
            + file.mini.len()
            + file.mini_fat.len() * 4 / file.sector;
        assert!(used(&file) == kept && kept < before);
        assert_eq!(file.mini_fat.iter().filter(|next| **next != FREE).count(), 2);
        assert_eq!(
            message(file.remove("first")),
            "the document is damaged: a stream to remove is not there"
        );
    }
}

/// The lists of the FAT's sectors have room for a certain number.
#[test]
fn a_long_fat_grows_up_to_the_room_in_its_lists() {
    // 109 sectors of the FAT, all full, and no list in another sector.
    let len = |fat_sectors: usize| 512 * (128 * fat_sectors - fat_sectors);
    let (bytes, _) = cfb_file(Version::V3, len(109) - 4096);
    let mut file = Compound::read(bytes).unwrap();
    assert_eq!((file.fat_at.len(), file.difat_at.len()), (109, 0));
    assert_eq!(
        message(file.put("more", &[1; 8192])),
        "the document is damaged: its table of sectors is full"
    );
    let (bytes, mut streams) = cfb_file(Version::V3, len(110) - 8192);
    let mut file = Compound::read(bytes).unwrap();
    assert_eq!((file.fat_at.len(), file.difat_at.len()), (110, 1));
    streams.insert("more".to_owned(), vec![1; 70_000]);
    file.put("more", &streams["more"]).unwrap();
    assert_eq!(file.fat_at.len(), 111);
    assert!(cfb_streams(&file.bytes) == streams);
}

#[test]
fn the_last_stream_is_removed() {
    let mut file = CompoundFile::create(Cursor::new(vec![])).unwrap();
    file.create_stream("/only").unwrap().write_all(&[5; 5000]).unwrap();
    file.flush().unwrap();
    let mut file = Compound::read(file.into_inner().into_inner()).unwrap();
    file.remove("only").unwrap();
    assert_eq!(cfb_streams(&file.bytes), BTreeMap::new());
}

/// A list of 512 bytes has room for 127 numbers, and the number of the next list.
#[test]
fn each_list_of_the_fat_has_127_numbers() {
    for (numbers, list, slot) in [(126, 0, 126), (127, 1, 0), (128, 1, 1), (253, 1, 126)] {
        let (bytes, _) = cfb_file(Version::V3, 5000);
        let mut file = Compound::read(bytes).unwrap();
        let number = file.sectors() as u32;
        file.fat_at.resize(HEADER_DIFAT + numbers, file.fat_at[0]);
        file.fat.resize(128 * file.fat_at.len(), FREE);
        file.difat_at = vec![512 * 4, 512 * 6];
        file.grow_fat().unwrap();
        assert_eq!(u32_at(&file.bytes, [512 * 4, 512 * 6][list] + 4 * slot), number, "{numbers}");
    }
}

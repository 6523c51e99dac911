//! The families besides RC4: their vectors, what was published of them, and what is wrong with them.

use std::fs;

use arcfour::{
    KeyLengthError, Keystream, Parc4r, Plain, Rc4,
    families::{
        parc4i::{self, Reading},
        parc4r, rc4a, rc4plus, spritz,
        vmpc::{self, LengthError},
    },
};

use crate::vectors::{PAINTED, assert_fresh, painted, path};

type New = fn(key: &[u8], iv: &[u8]) -> Box<dyn Keystream>;

/// The families of `KEY OFFSET KEYSTREAM`, by the name of their file.
const KEYED: [(&str, &str, New); 6] = [
    ("rc4a", "RC4A", |key, _| plain(rc4a::State::ksa(key).unwrap())),
    ("rc4a-equal-keys", "RC4A with the key in both tables", |key, _| {
        plain(rc4a::State::ksa_equal_keys(key).unwrap())
    }),
    ("rc4plus", "RC4+", |key, _| plain(rc4plus::State::ksa(key).unwrap())),
    ("spritz", "Spritz", |key, _| plain(spritz::State::key_setup(key).unwrap())),
    ("parc4i", "PARC4-I as printed", |key, _| {
        plain(parc4i::State::ksa(key, Reading::Printed).unwrap())
    }),
    ("parc4i-text", "PARC4-I by its text", |key, _| {
        plain(parc4i::State::ksa(key, Reading::Text).unwrap())
    }),
];

/// The families of `KEY IV OFFSET KEYSTREAM`.
const WITH_IV: [(&str, &str, New); 2] = [
    ("vmpc", "VMPC", |key, iv| plain(vmpc::State::ksa(key, iv).unwrap())),
    ("vmpc-ksa3", "VMPC-KSA3", |key, iv| plain(vmpc::State::ksa3(key, iv).unwrap())),
];

fn plain<S: arcfour::families::Prga + 'static>(state: S) -> Box<dyn Keystream> {
    Box::new(Plain::new(state))
}

fn taken(cipher: &mut dyn Keystream, offset: u64, len: usize) -> Vec<u8> {
    cipher.skip(offset - cipher.position());
    let mut keystream = vec![0; len];
    cipher.fill(&mut keystream);
    keystream
}

fn first<const N: usize>(mut cipher: Box<dyn Keystream>) -> [u8; N] {
    taken(&mut *cipher, 0, N).try_into().unwrap()
}

/// Byte n of an IV of `len` bytes is (2 `len` + n) mod 251.
fn painted_iv(len: usize) -> Vec<u8> {
    (2 * len..3 * len).map(|n| (n % 251) as u8).collect()
}

const KEY_LENGTHS: [usize; 5] = [1, 5, 16, 32, 256];

/// Across the first return of i to 0, across 2^12 and 2^16, and, with 16 bytes of key, 2^20.
fn offsets(key: &[u8]) -> impl Iterator<Item = u64> {
    [0, 240, 4080, 65_520].into_iter().chain((key.len() == 16).then_some((1 << 20) - 16))
}

fn keyed((_, name, new): (&str, &str, New)) -> String {
    let mut text = format!("# {name} keystream.\n{PAINTED}#\n# KEY OFFSET KEYSTREAM\n\n");
    for key in KEY_LENGTHS.map(painted) {
        let mut cipher = new(&key, &[]);
        for offset in offsets(&key) {
            let keystream = hex::encode(taken(&mut *cipher, offset, 32));
            text += &format!("{} {offset} {keystream}\n", hex::encode(&key));
        }
    }
    text
}

fn with_iv((_, name, new): (&str, &str, New)) -> String {
    let mut text = format!(
        "# {name} keystream.\n{PAINTED}# Byte n of an IV of L bytes is (2 L + n) mod 251.\n#\n\
         # KEY IV OFFSET KEYSTREAM\n\n"
    );
    for (key, iv) in KEY_LENGTHS.into_iter().zip([256, 32, 16, 5, 1]) {
        let (key, iv) = (painted(key), painted_iv(iv));
        let mut cipher = new(&key, &iv);
        for offset in offsets(&key) {
            let keystream = hex::encode(taken(&mut *cipher, offset, 32));
            text += &format!("{} {} {offset} {keystream}\n", hex::encode(&key), hex::encode(&iv));
        }
    }
    text
}

fn parc4r() -> String {
    const BLOCK: u64 = parc4r::BLOCK as u64;
    const CHUNK: u64 = parc4r::CHUNK as u64;
    let mut text = format!(
        "# PARC4-R version 1 keystream: across the ends of blocks, rows and chunks, and far out.\n\
         {PAINTED}#\n# KEY OFFSET KEYSTREAM\n\n"
    );
    for key in KEY_LENGTHS.map(painted) {
        let mut offsets = vec![0, BLOCK - 16, 4 * BLOCK - 16, 5 * BLOCK - 16];
        if key.len() == 16 {
            offsets.extend([CHUNK / 2, CHUNK - 16, 2 * CHUNK - 16]);
            offsets.extend([(1 << 32) / CHUNK * CHUNK, u64::MAX / CHUNK * CHUNK - CHUNK]);
        }
        for offset in offsets {
            let mut cipher = Plain::new(parc4r::State::at_chunk(&key, offset / CHUNK).unwrap());
            let keystream = hex::encode(taken(&mut cipher, offset % CHUNK, 32));
            text += &format!("{} {offset} {keystream}\n", hex::encode(&key));
        }
    }
    text
}

fn spritz_hash() -> String {
    let head = "# Spritz hash-256.\n# Byte n of a message of L bytes is (L + n) mod 251; - is the \
                empty message.\n#\n# MESSAGE HASH\n\n";
    let lengths = [0, 1, 2, 31, 32, 63, 64, 65, 127, 128, 129, 255, 256, 1000];
    let rows = lengths.map(|len| {
        let message = painted(len);
        let shown = if len == 0 { "-".to_owned() } else { hex::encode(&message) };
        format!("{shown} {}\n", hex::encode(spritz::hash_256(&message)))
    });
    format!("{head}{}", rows.concat())
}

#[test]
fn files_are_fresh() {
    KEYED.iter().for_each(|family| assert_fresh(&format!("{}.txt", family.0), &keyed(*family)));
    WITH_IV.iter().for_each(|family| assert_fresh(&format!("{}.txt", family.0), &with_iv(*family)));
    assert_fresh("parc4r.txt", &parc4r());
    assert_fresh("spritz-hash.txt", &spritz_hash());
}

/// The lines of a file of published values.
fn rows(file: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path(file)).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

#[test]
fn vmpc_is_its_author_s() {
    for (file, (_, _, new)) in
        [("vmpc-published.txt", WITH_IV[0]), ("vmpc-ksa3-published.txt", WITH_IV[1])]
    {
        let rows = rows(file);
        assert_eq!(rows.len(), 4, "{file}");
        for row in rows {
            let [key, iv, keystream] = [0, 1, 3].map(|column| hex::decode(&row[column]).unwrap());
            let made = taken(&mut *new(&key, &iv), row[2].parse().unwrap(), keystream.len());
            assert_eq!(made, keystream, "{file}: {row:?}");
        }
    }
}

#[test]
fn spritz_is_its_authors() {
    let streams = rows("spritz-published.txt");
    let hashes = rows("spritz-hash-published.txt");
    assert_eq!((streams.len(), hashes.len()), (3, 3));
    for row in streams {
        let [key, keystream] = [0, 2].map(|column| hex::decode(&row[column]).unwrap());
        let mut spritz = Plain::new(spritz::State::key_setup(&key).unwrap());
        assert_eq!(taken(&mut spritz, 0, keystream.len()), keystream, "{row:?}");
    }
    for row in hashes {
        let [message, start] = [0, 1].map(|column| hex::decode(&row[column]).unwrap());
        assert_eq!(spritz::hash_256(&message)[..start.len()], start, "{row:?}");
    }
}

#[test]
fn rc4a_with_equal_keys_is_rc4_twice() {
    for key in KEY_LENGTHS.map(painted) {
        let mut rc4 = Rc4::from_key(&key).unwrap();
        let mut expected = [0; 1 << 16];
        rc4.fill(&mut expected);
        let equal: [u8; 1 << 17] = first(KEYED[1].2(&key, &[]));
        let lanes = [0, 1].map(|lane| agreement(&equal, 2, lane, &expected));
        assert!(is_one_swap_behind(lanes[0]), "{lanes:?}");
        assert_eq!(lanes[1], 1.0);
        let own: [u8; 1 << 17] = first(KEYED[0].2(&key, &[]));
        assert!((0..2).all(|lane| agreement(&own, 2, lane, &expected) < 0.01));
    }
}

/// Which of its lanes are RC4, and how nearly the others are.
#[test]
fn parc4i_is_rc4_four_times() {
    for ((_, name, new), exact) in
        [(KEYED[4], [false, false, false, true]), (KEYED[5], [false, true, false, true])]
    {
        let start: [u8; 16] = first(new(&[1, 2, 3, 4, 5], &[]));
        assert_eq!(hex::encode(start), "b2b2b2b2393939396363636305050505", "{name}");
        for key in KEY_LENGTHS.map(painted) {
            let mut expected = [0; 1 << 16];
            Rc4::from_key(&key).unwrap().fill(&mut expected);
            let made: [u8; 1 << 18] = first(new(&key, &[]));
            for (lane, exact) in exact.into_iter().enumerate() {
                let share = agreement(&made, 4, lane, &expected);
                let right = if exact { share == 1.0 } else { is_one_swap_behind(share) };
                assert!(right, "{name}, lane {lane}: {share}");
            }
        }
    }
}

/// What PARC4-I fails, PARC4-R passes: no lane is another's or RC4's, and equal bytes are as rare
/// as they should be.
#[test]
fn parc4r_repairs_it() {
    const LEN: usize = 1 << 20;
    let key = painted(16);
    let mut expected = vec![0; LEN];
    Rc4::from_key(&key).unwrap().fill(&mut expected);
    let mut made = vec![0; LEN];
    let mut parc4r = Parc4r::from_key(&key).unwrap();
    parc4r.fill(&mut made);
    let mut second = vec![0; LEN];
    parc4r.seek(parc4r::CHUNK as u64);
    parc4r.fill(&mut second);
    let block = parc4r::BLOCK;
    for (what, other) in [
        ("RC4", &expected[..]),
        ("the next byte", &made[1..]),
        ("the next lane", &made[block..]),
        ("the next row", &made[parc4r::LANES * block..]),
        ("the next chunk", &second[..]),
    ] {
        let share = agreement(&made, 1, 0, other);
        assert!(
            (share - 1.0 / 256.0).abs() < 5.0 * deviation(1.0 / 256.0, other.len()),
            "{what}: {share}"
        );
    }
}

/// Anywhere to anywhere, by seek and by skip, is where filling arrives.
#[test]
fn parc4r_seeks_and_skips() {
    const CHUNK: u64 = parc4r::CHUNK as u64;
    let key = painted(5);
    let mut whole = vec![0; 3 * parc4r::CHUNK];
    Parc4r::from_key(&key).unwrap().fill(&mut whole);
    let mut sought = Parc4r::from_key(&key).unwrap();
    let mut positions: Vec<_> = [0, 1, 1023, 1024, 5119, 5120, 5121, 700_001, CHUNK - 1, CHUNK]
        .into_iter()
        .chain([CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 3 * CHUNK - 40])
        .collect();
    for _ in 0..2 {
        for from in &positions {
            sought.seek(*from);
            assert_eq!(sought.position(), *from);
            for to in positions.iter().filter(|to| *to >= from) {
                let mut skipped = sought.clone();
                skipped.skip(to - from);
                assert_eq!(skipped.position(), *to);
                let mut made = [0; 40];
                skipped.fill(&mut made);
                assert_eq!(made, whole[*to as usize..][..40], "from {from} to {to}");
            }
        }
        positions.reverse();
    }
}

/// How many of the bytes of `lane`, of every `lanes`, are those of `other`.
fn agreement(stream: &[u8], lanes: usize, lane: usize, other: &[u8]) -> f64 {
    let pairs = stream[lane..].iter().step_by(lanes).zip(other);
    let (equal, all) =
        pairs.fold((0, 0), |(equal, all), (a, b)| (equal + i32::from(a == b), all + 1));
    f64::from(equal) / f64::from(all)
}

/// 254 of 256, within five standard deviations of 2^16 bytes.
fn is_one_swap_behind(share: f64) -> bool {
    let p = 254.0 / 256.0;
    (share - p).abs() < 5.0 * deviation(p, 1 << 16)
}

fn deviation(p: f64, n: usize) -> f64 {
    (p * (1.0 - p) / n as f64).sqrt()
}

#[test]
fn lengths_are_named() {
    for given in [0, 257] {
        let bytes = vec![7; given];
        let refused = KeyLengthError { given };
        assert_eq!(rc4a::State::ksa(&bytes).err(), Some(refused));
        assert_eq!(rc4a::State::ksa_equal_keys(&bytes).err(), Some(refused));
        assert_eq!(rc4plus::State::ksa(&bytes).err(), Some(refused));
        assert_eq!(spritz::State::key_setup(&bytes).err(), Some(refused));
        assert_eq!(parc4i::State::ksa(&bytes, Reading::Text).err(), Some(refused));
        assert_eq!(parc4r::State::new(&bytes).err(), Some(refused));
        assert_eq!(Parc4r::from_key(&bytes).err(), Some(refused));
        for new in [vmpc::State::ksa, vmpc::State::ksa3] {
            assert_eq!(new(&bytes, b"IV").err(), Some(LengthError::Key(refused)));
            let error = new(b"key", &bytes).err().unwrap();
            assert_eq!(error, LengthError::Iv { given });
            assert_eq!(
                error.to_string(),
                format!("the IV has {given} bytes; it must have 1 to 256")
            );
        }
    }
}

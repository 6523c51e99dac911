//! The families besides RC4: their vectors, their published values and their flaws.

use std::{fmt::Debug, fs};

use arcfour::{
    Backend, DynKeystream, Family, KeyLengthError, Keystream, Parc4r, Plain, Rc4, StartError,
    StreamCipherSeek,
    families::{
        parc4i, parc4r, rc4, rc4a, rc4plus, spritz,
        vmpc::{self, LengthError},
    },
};

use crate::{
    hex, unhex,
    vectors::{PAINTED, assert_fresh, painted, path},
};

/// A cipher by its definition: of a family, or RC4A with equal keys.
fn start(name: &str, key: &[u8], iv: Option<&[u8]>) -> Box<dyn DynKeystream> {
    if name == "rc4a-equal-keys" {
        return Box::new(Plain::new(rc4a::State::ksa_equal_keys(key).unwrap()));
    }
    let family: Family = name.parse().unwrap();
    let definition = Backend::named("definition").filter(|_| family.facts().fast);
    family.start(key, iv, definition).unwrap()
}

/// The files of `KEY OFFSET KEYSTREAM`, and their names for the ciphers.
const KEYED: [(&str, &str); 6] = [
    ("rc4a", "RC4A"),
    ("rc4a-equal-keys", "RC4A with the key in both tables"),
    ("rc4plus", "RC4+"),
    ("spritz", "Spritz"),
    ("parc4i", "PARC4-I as printed"),
    ("parc4i-text", "PARC4-I by its text"),
];

/// The files of `KEY IV OFFSET KEYSTREAM`.
const WITH_IV: [(&str, &str); 2] = [("vmpc", "VMPC"), ("vmpc-ksa3", "VMPC-KSA3")];

fn taken(cipher: &mut dyn Keystream, offset: u64, len: usize) -> Vec<u8> {
    cipher.skip(offset - cipher.position());
    let mut keystream = vec![0; len];
    cipher.fill(&mut keystream);
    keystream
}

fn first<const N: usize>(mut cipher: Box<dyn DynKeystream>) -> [u8; N] {
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

fn keyed((name, title): (&str, &str)) -> String {
    let mut text = format!("# {title} keystream.\n{PAINTED}#\n# KEY OFFSET KEYSTREAM\n\n");
    for key in KEY_LENGTHS.map(painted) {
        let mut cipher = start(name, &key, None);
        for offset in offsets(&key) {
            let keystream = hex(taken(&mut *cipher, offset, 32));
            text += &format!("{} {offset} {keystream}\n", hex(&key));
        }
    }
    text
}

fn with_iv((name, title): (&str, &str)) -> String {
    let mut text = format!(
        "# {title} keystream.\n{PAINTED}# Byte n of an IV of L bytes is (2 L + n) mod 251.\n#\n\
         # KEY IV OFFSET KEYSTREAM\n\n"
    );
    for (key, iv) in KEY_LENGTHS.into_iter().zip([256, 32, 16, 5, 1]) {
        let (key, iv) = (painted(key), painted_iv(iv));
        let mut cipher = start(name, &key, Some(&iv));
        for offset in offsets(&key) {
            let keystream = hex(taken(&mut *cipher, offset, 32));
            text += &format!("{} {} {offset} {keystream}\n", hex(&key), hex(&iv));
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
            let keystream = hex(taken(&mut cipher, offset % CHUNK, 32));
            text += &format!("{} {offset} {keystream}\n", hex(&key));
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
        let shown = if len == 0 { "-".to_owned() } else { hex(&message) };
        format!("{shown} {}\n", hex(spritz::hash_256(&message)))
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
    for name in ["vmpc", "vmpc-ksa3"] {
        let file = &format!("{name}-published.txt");
        let rows = rows(file);
        assert_eq!(rows.len(), 4, "{file}");
        for row in rows {
            let [key, iv, keystream] = [0, 1, 3].map(|column| unhex(&row[column]));
            let made =
                taken(&mut *start(name, &key, Some(&iv)), row[2].parse().unwrap(), keystream.len());
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
        let [key, keystream] = [0, 2].map(|column| unhex(&row[column]));
        let mut spritz = Plain::new(spritz::State::key_setup(&key).unwrap());
        assert_eq!(taken(&mut spritz, 0, keystream.len()), keystream, "{row:?}");
    }
    for row in hashes {
        let [message, start] = [0, 1].map(|column| unhex(&row[column]));
        assert_eq!(spritz::hash_256(&message)[..start.len()], start, "{row:?}");
    }
}

#[test]
fn rc4a_with_equal_keys_is_rc4_twice() {
    for key in KEY_LENGTHS.map(painted) {
        let mut rc4 = Rc4::from_key(&key).unwrap();
        let mut expected = [0; 1 << 16];
        rc4.fill(&mut expected);
        let equal: [u8; 1 << 17] = first(start("rc4a-equal-keys", &key, None));
        let lanes = [0, 1].map(|lane| agreement(&equal, 2, lane, &expected));
        assert!(is_one_swap_behind(lanes[0]), "{lanes:?}");
        assert_eq!(lanes[1], 1.0);
        let own: [u8; 1 << 17] = first(start("rc4a", &key, None));
        assert!((0..2).all(|lane| agreement(&own, 2, lane, &expected) < 0.01));
    }
}

/// Checks the registry's figures: which lanes are RC4, how often the other lanes agree with RC4,
/// and how often all four are equal.
#[test]
fn parc4i_is_rc4_in_four_lanes() {
    for (name, exact) in
        [("parc4i", [false, false, false, true]), ("parc4i-text", [false, true, false, true])]
    {
        let (mut rounds, mut equal) = (0, 0);
        let head: [u8; 16] = first(start(name, &[1, 2, 3, 4, 5], None));
        assert_eq!(hex(head), "b2b2b2b2393939396363636305050505", "{name}");
        for key in KEY_LENGTHS.map(painted) {
            let mut expected = [0; 1 << 16];
            Rc4::from_key(&key).unwrap().fill(&mut expected);
            let made: [u8; 1 << 18] = first(start(name, &key, None));
            rounds += made.len() / 4;
            equal += made.chunks(4).filter(|round| round.iter().all(|b| *b == round[0])).count();
            for (lane, exact) in exact.into_iter().enumerate() {
                let share = agreement(&made, 4, lane, &expected);
                let right = if exact { share == 1.0 } else { is_one_swap_behind(share) };
                assert!(right, "{name}, lane {lane}: {share}");
            }
        }
        let measured = format!("{:.1} % of rounds", 100.0 * equal as f64 / rounds as f64);
        let said = name.parse::<Family>().unwrap().facts().attack;
        assert!(said.contains(&measured), "{name}: {measured}, and not {said:?}");
    }
}

/// PARC4-R passes where PARC4-I fails: all lanes differ from each other and from RC4, and equal
/// bytes are as rare as expected.
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

/// Seek and skip between any two positions arrive at the state that filling reaches.
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

/// The trait of RustCrypto seeks to the same places, in any type of number that holds the position.
#[test]
fn parc4r_seeks_by_its_trait() {
    let mut sought = Parc4r::from_key(b"Key").unwrap();
    let mut by_trait = sought.clone();
    for position in [5121, 0, parc4r::CHUNK as u64 + 7, u64::MAX - 40] {
        sought.seek(position);
        by_trait.try_seek(position).unwrap();
        assert_eq!(by_trait.try_current_pos::<u64>().ok(), Some(position));
        assert_eq!(by_trait.try_current_pos::<u32>().ok(), position.try_into().ok());
        let mut made = [[0; 40]; 2];
        sought.fill(&mut made[0]);
        by_trait.fill(&mut made[1]);
        assert_eq!(made[0], made[1], "{position}");
    }
    assert!(by_trait.try_seek(1_u128 << 64).is_err());
    assert_eq!(by_trait.position(), u64::MAX, "a refused seek moves nothing");
}

/// Returns the share of bytes of lane number `lane` of `lanes` that equal the bytes of `other`.
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
fn names_are_read_in_any_case() {
    for (n, family) in Family::ALL.iter().enumerate() {
        assert_eq!(*family as usize, n, "the number that C knows it by");
        assert_eq!(family.name(), family.name().to_lowercase());
        for name in [family.name().to_owned(), family.name().to_uppercase(), family.to_string()] {
            assert_eq!(name.parse(), Ok(*family));
        }
    }
    for name in ["", "rc5", "rc4 ", "rc4\u{130}", "VMPC_KSA3"] {
        let error = name.parse::<Family>().unwrap_err();
        assert_eq!(error.name, name);
        let message = error.to_string();
        assert!(message.starts_with(&format!("there is no family {name:?}; there are rc4, ")));
        assert!(message.ends_with(", parc4r"), "{message}");
    }
}

/// The registry's row of each family, by words that no other family has in this place.
#[test]
fn the_registry_says_who_proposed_a_family_and_who_broke_it() {
    let rows = [
        ["rc4", "RC4 itself", "Rivest 1987", "broken", "from the first byte", "RFC 7465"],
        ["rc4a", "look up each other", "Paul & Preneel", "broken", "2^23", "Tsunoo"],
        ["vmpc", "VMPC, with an IV", "FSE 2004", "broken", "2^38", "Tsunoo"],
        ["vmpc-ksa3", "later key schedule", "after FSE 2004", "broken", "2^38", "Tsunoo"],
        ["rc4plus", "three look-ups", "Maitra & Paul", "broken", "faults", "Sarkar & Kacker"],
        ["spritz", "the sponge", "Rivest & Schuldt", "weakened", "2^60.8", "Banik & Isobe"],
        ["parc4i", "is printed", "Handa & Kapoor", "broken", "; all four", "parc4i.rs"],
        ["parc4i-text", "the text above", "Handa & Kapoor", "broken", "bytes 2", "parc4i.rs"],
        ["parc4r", "our repair", "this project", "unreviewed", "RC4-drop[3072]", "parc4r.rs"],
    ];
    assert_eq!(rows.map(|row| row[0]), *Family::ALL.iter().map(|f| f.name()).collect::<Vec<_>>());
    for (&family, row) in Family::ALL.iter().zip(rows) {
        let facts = family.facts();
        assert_eq!((facts.status.name(), facts.status.to_string()), (row[3], row[3].to_owned()));
        let texts = [facts.about, facts.paper, facts.attack, facts.source];
        for (text, words) in texts.into_iter().zip([row[1], row[2], row[4], row[5]]) {
            assert!(text.contains(words), "{family}: {text:?} lacks {words:?}");
        }
        assert_eq!(facts.seekable, family == Family::Parc4r, "{family}");
    }
}

#[test]
fn starts_are_refused_by_name() {
    let long = [7; 257];
    for &family in Family::ALL {
        let facts = family.facts();
        assert_eq!(facts.iv_bytes.is_some(), family.takes_iv());
        let iv = family.takes_iv().then_some(&b"IV"[..]);
        for key in [&[][..], &long] {
            let error = family.start(key, iv, None).err().unwrap();
            assert_eq!(error, StartError::KeyLength(KeyLengthError { given: key.len() }));
            assert!(!facts.key_bytes.contains(&key.len()));
        }
        let (least, most) = (*facts.key_bytes.start(), *facts.key_bytes.end());
        for len in [least, most] {
            assert!(family.start(&long[..len], iv, None).is_ok(), "{family}, {len}");
        }
        if let Some(bytes) = facts.iv_bytes {
            for iv in [&[][..], &long] {
                let error = family.start(b"key", Some(iv), None).err().unwrap();
                assert_eq!(error, StartError::IvLength { given: iv.len() });
                assert!(!bytes.contains(&iv.len()));
            }
            let error = family.start(b"key", None, None).err().unwrap();
            assert_eq!(
                error.to_string(),
                format!("the family {family} needs an IV of 1 to 256 bytes beside the key")
            );
        } else {
            for iv in [&[][..], b"IV"] {
                let error = family.start(b"key", Some(iv), None).err().unwrap();
                assert_eq!(
                    error.to_string(),
                    format!("the family {family} takes no IV; these do: vmpc, vmpc-ksa3")
                );
            }
        }
        match family.start(b"key", iv, Some(Backend::detect())) {
            Ok(_) => assert!(facts.fast),
            Err(error) => {
                assert!(!facts.fast);
                assert_eq!(
                    error.to_string(),
                    format!(
                        "the family {family} has no choice of backend; these have: rc4, rc4a, parc4r"
                    )
                );
            }
        }
    }
}

/// A clone continues from its original's position, and neither moves the other. Each family that
/// the registry calls seekable skips to the last position at once.
#[test]
fn clones_and_skips_of_any_family() {
    for &family in Family::ALL {
        let iv = family.takes_iv().then_some(&b"IV"[..]);
        let mut cipher = family.start(b"Key", iv, None).unwrap();
        cipher.skip(1001);
        let mut clone = cipher.clone();
        let [mut a, mut b] = [[0; 600]; 2];
        clone.fill(&mut a);
        assert_eq!((cipher.position(), clone.position()), (1001, 1601), "{family}");
        cipher.fill(&mut b);
        assert_eq!(a, b, "{family}");
        if family.facts().seekable {
            cipher.skip(u64::MAX - 1601);
            assert_eq!(cipher.position(), u64::MAX, "{family}");
        }
    }
}

#[test]
fn the_debug_form_of_a_state_shows_nothing() {
    let key = [42; 16];
    let states: [&dyn Debug; 7] = [
        &rc4::State::ksa(&key).unwrap(),
        &rc4a::State::ksa(&key).unwrap(),
        &rc4plus::State::ksa(&key).unwrap(),
        &spritz::State::key_setup(&key).unwrap(),
        &parc4i::State::<parc4i::Text>::ksa(&key).unwrap(),
        &parc4r::State::new(&key).unwrap(),
        &vmpc::State::<vmpc::Ksa>::ksa(&key, b"IV").unwrap(),
    ];
    for state in states {
        assert_eq!(format!("{state:?}"), "State { .. }");
    }
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
        assert_eq!(parc4i::State::<parc4i::Text>::ksa(&bytes).err(), Some(refused));
        assert_eq!(parc4r::State::new(&bytes).err(), Some(refused));
        assert_eq!(Parc4r::from_key(&bytes).err(), Some(refused));
        for new in [
            |key: &[u8], iv: &[u8]| vmpc::State::<vmpc::Ksa>::ksa(key, iv).err(),
            |key: &[u8], iv: &[u8]| vmpc::State::<vmpc::Ksa3>::ksa(key, iv).err(),
        ] {
            assert_eq!(new(&bytes, b"IV"), Some(LengthError::Key(refused)));
            let error = new(b"key", &bytes).unwrap();
            assert_eq!(error, LengthError::Iv { given });
            assert_eq!(
                error.to_string(),
                format!("the IV has {given} bytes; it must have 1 to 256")
            );
        }
    }
}

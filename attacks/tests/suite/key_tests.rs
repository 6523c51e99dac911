//! The tests of a key: known plaintexts, kinds of text, and what each test knows.

use std::sync::Arc;

use arcfour::{Family, Keystream, families::variant::Variant};
use arcfour_attacks::search::{
    KeySpace, KeyTest, Kind, Known, KnownError, OfficeVerifier, PasswordTest, Pattern, PdfVerifier,
    Plaintext, Search, SpaceError,
};
use proptest::{collection::vec, prelude::*, sample::select};

use super::search::{encrypted, pattern, run, search, space};

#[test]
fn kinds_of_text_are_recognised() {
    let zip = b"PK\x03\x04\x14\x00\x00\x00\x08\x00, the rest of the header of a file, and the file compressed";
    let utf8 =
        "Où est la clé ? Sous le paillasson, naturellement : elle y est toujours, où qu'on soit.";
    for (kind, plain) in [
        (Kind::Zip, &zip[..]),
        (Kind::Utf8, utf8.as_bytes()),
        (
            Kind::Printable,
            b"Dear Sir,\r\n\tenclosed please find the minutes of the last meeting, with thanks.",
        ),
    ] {
        // The text is also cut inside a character.
        for len in [plain.len(), 64, 16, 2] {
            let text = encrypted(Family::Rc4, b"Quentin", 768, &plain[..len]);
            let known = Known::new(&Plaintext::new().of_kind(kind), &text, 768).unwrap();
            let search = search(Family::Rc4, "51 75 65 6e 74 69 [60-6f]", known.clone());
            let test = KeyTest::new(known, Family::Rc4, None).unwrap();
            assert!(test.passes(b"Quentin").unwrap(), "{kind:?} of {len} bytes");
            assert!(len < 16 || !test.passes(b"Quentim").unwrap());
            assert!(run(&search).matches().iter().any(|(_, key)| key == b"Quentin"));
        }
    }
}

proptest! {
    /// The test of a plaintext and the search on its ciphertext agree.
    #[test]
    fn a_text_fits_where_its_key_passes(
        mut text in vec(select(b"PK\x03\x04 az\n\x00\x7f\xc3\xbc\xff".to_vec()), 0..70),
        zip in any::<bool>(),
        kinds in vec(select(vec![Kind::Printable, Kind::Utf8, Kind::Zip]), 0..2),
        (offset, byte) in (0..70u64, select(b"Ka\x03".to_vec())),
    ) {
        if zip {
            text = [b"PK\x03\x04\x14\x00\x00\x00\x08\x00", &text[..]].concat();
        }
        let exact = Pattern::exact(&[byte]).unwrap();
        let mut plain = Plaintext::new().with(offset, exact);
        plain = kinds.iter().fold(plain, |plain, &kind| plain.of_kind(kind));
        let ciphertext = encrypted(Family::Rc4, b"Quentin", 0, &text);
        let passes = match Known::new(&plain, &ciphertext, 0) {
            Ok(known) => KeyTest::new(known, Family::Rc4, None).unwrap().passes(b"Quentin").unwrap(),
            Err(_) => false,
        };
        prop_assert_eq!(plain.fits(&text), passes);
        let alone = kinds.iter().fold(Plaintext::new(), |plain, &kind| plain.of_kind(kind));
        if let Ok(known) = Known::new(&alone, &ciphertext, 0) {
            let test = KeyTest::new(known, Family::Rc4, None).unwrap();
            prop_assert_eq!(alone.fits(&text), test.passes(b"Quentin").unwrap());
        }
    }
}

/// The number of keys that match is the expected number, for keystreams whose bytes depend on each
/// other or have few values.
#[test]
fn as_many_keys_match_as_expected() {
    let count = |test: KeyTest, bits: f64| {
        assert!((test.known_bits() - bits).abs() < 1e-9, "{} bits", test.known_bits());
        let search = Search::new(space("?? ??"), test);
        let (found, expected) = (run(&search).matches().len(), search.expected_by_chance());
        assert!((0.5..2.0).contains(&(found as f64 / expected)), "{found}, expected {expected}");
    };
    let plain = |text: &str| Plaintext::new().with(0, pattern(text));
    let text = |family| encrypted(family, b"Qt", 0, b"Attacks");
    for family in [Family::Parc4i, Family::Parc4iText] {
        let known = |plain| Known::new(&plain, &text(family), 0).unwrap();
        let test = |known| KeyTest::new(known, family, None).unwrap();
        count(test(known(plain("41 74 74 61"))), 8.0);
        // Parts of two rounds, and four times the same bit.
        count(test(known(Plaintext::new().with(3, pattern("61 [60-6f]")))), 12.0);
        count(test(known(plain("[00-7f]{4}"))), 1.0);
    }
    let variant: Variant = "size=16".parse().unwrap();
    let mut changed = *b"Attack";
    variant.start(b"Qt").unwrap().apply(&mut changed);
    let known = Known::new(&plain("41"), &changed, 0).unwrap();
    let test = KeyTest::of_variant(known, variant).unwrap();
    assert_eq!(test.modulus(), Some(16));
    count(test, 4.0);
    let rc4 = Known::new(&plain("41"), &text(Family::Rc4), 0).unwrap();
    assert_eq!(KeyTest::new(rc4, Family::Rc4, None).unwrap().modulus(), None);
}

/// The bytes of ciphertext that a plaintext needs.
#[test]
fn a_plaintext_reaches_its_last_known_byte() {
    let at = |plain: Plaintext, offset, text| plain.with(offset, pattern(text));
    let plain = || Plaintext::new();
    for (plain, reach) in [
        (plain(), 0),
        (at(plain(), 0, "41"), 1),
        (at(at(plain(), 7, "41 42"), 3, "43"), 9),
        (plain().of_kind(Kind::Utf8), 64),
        (at(plain().of_kind(Kind::Zip), 62, "41"), 64),
        (at(plain().of_kind(Kind::Zip), 63, "41 41"), 65),
        (at(plain(), u64::MAX, "41 41"), u64::MAX),
    ] {
        assert_eq!(plain.reach(), reach);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let known = |plain: Plaintext, text: &[u8]| Known::new(&plain, text, 0).unwrap_err();
    let at = |offset, text| Plaintext::new().with(offset, pattern(text));
    assert_eq!(known(at(3, "41 42"), b"four"), KnownError::Short { end: 4, len: 4 });
    assert_eq!(known(at(u64::MAX, "41"), b"four"), KnownError::Far(u64::MAX));
    let far = Known::new(&at(0, "41"), b"four", u64::MAX - 4);
    assert_eq!(far.unwrap_err(), KnownError::Drop(u64::MAX - 4));
    assert_eq!(known(at(0, "41 42").with(1, pattern("43")), b"four"), KnownError::Contradiction(1));
    assert_eq!(known(at(0, "80").of_kind(Kind::Printable), b"four"), KnownError::Contradiction(0));
    assert_eq!(known(at(0, "?? ??"), b"four"), KnownError::Nothing);
    assert_eq!(known(Plaintext::new().of_kind(Kind::Utf8), b""), KnownError::Nothing);
    assert_eq!(KeySpace::new(pattern("00{257}")), Err(SpaceError::KeyLength(257)));
    assert!(
        matches!(KeySpace::new(pattern("??{8} [00,01]")), Err(SpaceError::Large { bits }) if bits == 65.0)
    );
    let text = "K".repeat(9);
    let vmpc = Known::new(&at(0, "41"), text.as_bytes(), 0).unwrap();
    assert!(KeyTest::new(vmpc, Family::Vmpc, None).is_err());
}

/// A password that has seven bytes.
#[derive(Debug)]
pub(super) struct Seven;

impl PasswordTest for Seven {
    fn passes(&self, password: &[u8]) -> bool {
        password.len() == 7
    }

    fn known_bits(&self) -> f64 {
        12.5
    }

    fn canonical(&self) -> String {
        "seven".to_owned()
    }
}

/// Keys of a list that pass, and the information of each test.
#[test]
fn a_test_tells_what_it_knows() {
    let text = encrypted(Family::Rc4, b"Quentin", 0, b"Plaintext");
    let plain = Plaintext::new().with(0, pattern("50 6c [60-6f]"));
    let known = Known::new(&plain, &text, 0).unwrap();
    let rc4 = KeyTest::new(known.clone(), Family::Rc4, None).unwrap();
    let variant = KeyTest::of_variant(known, "rc4".parse().unwrap()).unwrap();
    let password = KeyTest::password(Arc::new(Seven));
    let (verifier, verifier_hash) = ([0; 16], [0; 16]);
    let office = KeyTest::office(OfficeVerifier { verifier, verifier_hash });
    let pdf = KeyTest::pdf(PdfVerifier { hash: [0; 16], user: [0; 16] });
    let derived = rc4.clone().derived("md5-40".parse().unwrap());
    for (test, bits, passwords, passing) in [
        (rc4, 20.0, false, vec![1, 3]),
        (variant, 20.0, false, vec![1, 3]),
        (derived, 20.0, false, vec![]),
        (password, 12.5, true, vec![0, 1, 3]),
        (office, 128.0, false, vec![]),
        (pdf, 128.0, false, vec![]),
    ] {
        let keys: [&[u8]; 4] = [b"quentin", b"Quentin", b"Quenti", b"Quentin"];
        assert_eq!(test.passing(&keys), Ok(passing), "{test:?}");
        assert_eq!((test.known_bits(), test.is_of_passwords()), (bits, passwords), "{test:?}");
        assert_eq!(test.expected_by_chance(3 << 20), 3.0 * (20.0 - bits).exp2(), "{test:?}");
        let search = Search::new(space("61 ?? 63"), test);
        assert_eq!((search.known_bits(), search.is_of_passwords()), (bits, passwords));
        assert_eq!(search.expected_by_chance(), (8.0 - bits).exp2());
    }
}

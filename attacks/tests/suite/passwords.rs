//! Compares passwords tried side by side with the code that opens documents.

use arcfour_attacks::search::{OfficePasswords, PdfPasswords, Whose};
use arcfour_formats::{
    office::{CryptoApi, Handler, Office97},
    pdf::Standard,
};
use md5::{Digest, Md5};
use proptest::{
    collection::{SizeRange, vec},
    prelude::*,
    sample::{Index, select},
};
use sha1::Sha1;

/// More than one batch, and an incomplete one.
const MANY: usize = 170;

/// Handlers of Office for `password`, with every key length that files have.
fn handler(key_bits: u8, salt: [u8; 16], mut verifier: [u8; 16], password: &str) -> Handler {
    let with = |verifier: [u8; 16], hash: &[u8]| match key_bits {
        0 => Handler::Office97(Office97 {
            salt,
            verifier,
            verifier_hash: hash[..16].try_into().unwrap(),
        }),
        _ => Handler::CryptoApi(CryptoApi {
            key_bits,
            salt,
            verifier,
            verifier_hash: hash.try_into().unwrap(),
        }),
    };
    let hash = match key_bits {
        0 => Md5::digest(verifier).to_vec(),
        _ => Sha1::digest(verifier).to_vec(),
    };
    let mut text = [&verifier[..], &hash].concat();
    let blank = with(verifier, &[0; 20]);
    blank.block_key(&blank.file_key(password), 0).apply(&mut text);
    verifier.copy_from_slice(&text[..16]);
    with(verifier, &text[16..])
}

fn texts(chars: impl Into<SizeRange>) -> impl Strategy<Value = String> {
    vec(any::<char>(), chars).prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Passwords of 0 to 45 bytes. Only 32 bytes count, and two passwords share them.
    #[test]
    fn of_pdf_files(
        (version, revision, key_len) in select(vec![(1, 2, 5), (2, 3, 5), (2, 3, 7), (2, 3, 16), (4, 4, 16)]),
        (id, permissions, encrypt_metadata) in (vec(any::<u8>(), 0..70), any::<i32>(), any::<bool>()),
        mut passwords in vec(vec(any::<u8>(), 0..45), MANY),
        [user, owner, copy] in any::<[Index; 3]>(),
        whose in select(vec![Whose::User, Whose::Owner, Whose::Either]),
    ) {
        let [user, owner, copy] = [user, owner, copy].map(|index| index.index(MANY));
        passwords[copy] = passwords[user].iter().take(32).copied().collect();
        let standard = Standard {
            version, revision, key_len, owner: [0; 32], user: [0; 32], permissions, id, encrypt_metadata,
        };
        let standard = standard.with_passwords(&passwords[user], &passwords[owner]);
        let refs: Vec<&[u8]> = passwords.iter().map(|password| &password[..]).collect();
        let lanes = PdfPasswords::new(standard.clone(), whose);
        let passing = lanes.passing(&refs);
        let opens = |password: &[u8]| match whose {
            Whose::User => standard.open_user(password).is_some(),
            Whose::Owner => standard.open_owner(password).is_some(),
            Whose::Either => standard.open(password).is_some(),
        };
        let expected: Vec<_> = (0..MANY).filter(|&n| opens(&passwords[n])).collect();
        prop_assert_eq!(&passing, &expected);
        prop_assert!(whose == Whose::Owner || passing.contains(&user) && passing.contains(&copy));
        prop_assert!(whose == Whose::User || passwords[owner].is_empty() || passing.contains(&owner));
        prop_assert!(expected.iter().all(|&n| lanes.passes(&passwords[n])));
        prop_assert!(!lanes.passes(b"none of these"));
    }

    /// Passwords of 0 to 45 characters. Some characters take two units of UTF-16.
    #[test]
    fn of_office_files(
        key_bits in select(vec![0, 40, 56, 128]),
        salt: [u8; 16],
        verifier: [u8; 16],
        mut passwords in vec(texts(0..45), MANY),
        [planted, copy] in any::<[Index; 2]>(),
    ) {
        let [planted, copy] = [planted, copy].map(|index| index.index(MANY));
        passwords[copy] = passwords[planted].clone();
        let handler = handler(key_bits, salt, verifier, &passwords[planted]);
        let bytes = |text: &String| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let bytes: Vec<Vec<u8>> = passwords.iter().map(bytes).collect();
        let refs: Vec<&[u8]> = bytes.iter().map(|bytes| &bytes[..]).collect();
        let passing = OfficePasswords::new(handler.clone()).passing(&refs);
        let fits = |n: &usize| handler.fits(&handler.file_key(&passwords[*n]));
        prop_assert_eq!(&passing, &(0..MANY).filter(fits).collect::<Vec<_>>());
        prop_assert!(passing.contains(&planted) && passing.contains(&copy));
    }
}

/// The lanes after the last password are empty, and an empty password that is right is not found
/// there.
#[test]
fn lanes_without_a_password_do_not_count() {
    for key_bits in [0, 40, 128] {
        let passwords = OfficePasswords::new(handler(key_bits, [7; 16], [8; 16], ""));
        assert_eq!(passwords.passing(&[&b"x\0"[..]; 3]), [0; 0]);
        assert_eq!(passwords.passing(&[b"x\0", b"", b"y\0", b""]), [1, 3]);
    }
}

//! Tests the texts and the limits of keys and passphrases, and that no debug form shows a secret.

use std::io::{Read, empty};

use arcfour_container::{Cost, MAX_PASSPHRASE, Opener, Options, Sealer, Secret};

#[test]
fn the_longest_key_file_is_64_digits_and_a_line_end_of_two_bytes() {
    let text = "7".repeat(64) + "\r\n";
    assert!(Secret::from_key_file(text.as_bytes()).is_ok());
    assert_eq!(text.len(), Secret::MAX_KEY_FILE);
}

#[test]
fn the_message_of_a_refused_passphrase_says_which_limit_it_breaks() {
    let refused = |len| Secret::from_passphrase(&vec![7; len]).unwrap_err().to_string();
    assert_eq!(refused(0), "the passphrase is empty; it must have 1 to 4096 bytes");
    let long = "the passphrase has more than 4096 bytes; it must have 1 to 4096 bytes";
    assert_eq!(refused(MAX_PASSPHRASE + 1), long);
    assert!(Secret::from_passphrase(&[7; MAX_PASSPHRASE]).is_ok());
}

#[test]
fn the_message_for_the_wrong_kind_of_secret_names_the_kind_that_opens_the_file() {
    let (key, phrase) = (Secret::from_key(&[7; 32]), Secret::from_passphrase(b"a b").unwrap());
    let mut options = Options::default();
    options.cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };
    for (right, wrong, kinds) in [
        (&key, &phrase, "a key file, not a passphrase"),
        (&phrase, &key, "a passphrase, not a key file"),
    ] {
        let mut sealed = vec![];
        Sealer::new(empty(), right, options).unwrap().read_to_end(&mut sealed).unwrap();
        let error = Opener::new(&sealed[..], wrong).unwrap_err();
        assert_eq!(error.to_string(), format!("the file was sealed with {kinds}"));
    }
}

#[test]
fn no_debug_form_shows_more_than_a_name() {
    let secret = Secret::from_key(&[7; 32]);
    assert_eq!(format!("{secret:?}"), "Secret { .. }");
    assert_eq!(format!("{:?}", Secret::new_key_file().unwrap()), "KeyFile { .. }");
    let mut sealer = Sealer::new(empty(), &secret, Options::default()).unwrap();
    assert_eq!(format!("{sealer:?}"), "Sealer { .. }");
    let mut sealed = vec![];
    sealer.read_to_end(&mut sealed).unwrap();
    let opener = Opener::new(&sealed[..], &secret).unwrap();
    assert_eq!(format!("{opener:?}"), "Opener { .. }");
}

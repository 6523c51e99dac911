//! Tests the header that an opener shows, and the names of the ciphers.

use std::io::Read;

use arcfour_container::{Cipher, KeyKind, Opener, Options, Sealer, Secret};

#[test]
fn the_header_shows_what_the_file_was_sealed_with() {
    let secret = Secret::from_key(&[7; 32]);
    for (cipher, name) in Cipher::ALL.into_iter().zip(["rc4-drop3072", "parc4r"]) {
        let mut options = Options::default();
        options.cipher = cipher;
        let mut sealed = vec![];
        Sealer::new(&b"text"[..], &secret, options).unwrap().read_to_end(&mut sealed).unwrap();
        let opener = Opener::new(&sealed[..], &secret).unwrap();
        let header = opener.header();
        assert_eq!((header.cipher.name(), header.key), (name, KeyKind::File));
        assert_eq!(header.chunk_size, options.chunk_size);
        assert_eq!(header.salt, sealed[32..64]);
    }
}

//! Tests which chunk is named where a file is cut, or is not as long as it says, and when a range is verified.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use arcfour_container::{ChunkSize, Error, Fault, Opener, Options, Sealer, Secret};

/// States a length that may be wrong.
struct States(Cursor<Vec<u8>>, u64);

impl Read for States {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.read(room)
    }
}

impl Seek for States {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = self.0.seek(to)?;
        Ok(if to == SeekFrom::End(0) { self.1 } else { position })
    }
}

/// Chunks of 1024, 1024 and 452 bytes.
fn sealed() -> (Vec<u8>, Secret) {
    let (secret, mut options) = (Secret::from_key(&[7; 32]), Options::default());
    options.chunk_size = ChunkSize::new(1024).unwrap();
    let mut sealed = vec![];
    Sealer::new(&[7; 2500][..], &secret, options).unwrap().read_to_end(&mut sealed).unwrap();
    (sealed, secret)
}

#[test]
fn a_range_past_a_cut_names_the_first_chunk_that_is_missing() {
    let (sealed, secret) = sealed();
    for (len, missing) in [(96, 0), (96 + 1060, 1), (96 + 2 * 1060, 2), (sealed.len() - 1, 2)] {
        let error = Opener::range(Cursor::new(&sealed[..len]), &secret, 2499, 1).unwrap_err();
        let Error::Fault(Fault::Truncated { chunk }) = error else { panic!("{len}: {error}") };
        assert_eq!(chunk, missing, "{len}");
    }
}

/// The last chunk is 400 bytes shorter than the stated length wants.
#[test]
fn a_range_past_the_last_chunk_of_a_file_shorter_than_stated_names_the_next_chunk() {
    let (sealed, secret) = sealed();
    let input = States(Cursor::new(sealed.clone()), sealed.len() as u64 + 400);
    let mut opener = Opener::range(input, &secret, 2048, 600).unwrap();
    assert_eq!(opener.next_piece().unwrap().unwrap().len(), 452);
    let error = opener.next_piece().unwrap_err();
    assert!(matches!(error, Error::Fault(Fault::Truncated { chunk: 3 })), "{error}");
}

/// A range of no bytes has no later read, so its chunk is verified at once.
#[test]
fn a_range_is_verified_at_once_only_if_it_has_no_bytes() {
    let (mut sealed, secret) = sealed();
    sealed[96 + 1060 + 5] ^= 1;
    let range = |len| Opener::range(Cursor::new(&sealed[..]), &secret, 1024, len);
    let error = range(0).unwrap_err();
    assert!(matches!(error, Error::Fault(Fault::Corrupt { chunk: 1 })), "{error}");
    assert!(matches!(range(1).unwrap().next_piece(), Err(Error::Fault(_))));
}

//! Tests that reads and whole pieces, in any order, give each byte once.

use std::io::{Read, Result};

use arcfour_container::{ChunkSize, Error, Opener, Options, Sealer, Secret};
use proptest::{collection::vec, prelude::*};

/// More bytes than a file of this test has.
const LONGEST: usize = 10_000;

/// Reads all: a length is one read of at most this number of bytes, and 0 is the next piece.
fn mixed<S: Read>(
    mut source: S,
    next_piece: impl Fn(&mut S) -> std::result::Result<Option<Vec<u8>>, Error>,
    lens: &[usize],
) -> Result<Vec<u8>> {
    let mut all = vec![];
    for &len in lens.iter().cycle() {
        let bytes = match len {
            0 => next_piece(&mut source).unwrap().unwrap_or_default(),
            len => {
                let mut room = vec![0; len];
                let read = source.read(&mut room)?;
                room.truncate(read);
                room
            }
        };
        // A piece that comes again and again ends the loop too.
        if bytes.is_empty() || all.len() > LONGEST {
            break;
        }
        all.extend(bytes);
    }
    Ok(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn each_byte_comes_once(
        len in 0_usize..5000,
        lens in vec(prop_oneof![Just(0), 1_usize..3000], 1..12),
        threads in 1_usize..3,
    ) {
        let text: Vec<u8> = (0..len).map(|n| n as u8).collect();
        let secret = Secret::from_key(&[7; 32]);
        let mut options = Options::default();
        options.chunk_size = ChunkSize::new(1024).unwrap();
        let sealer = Sealer::new(std::io::Cursor::new(text.clone()), &secret, options).unwrap();
        let sealed = mixed(
            sealer.threads(threads),
            |sealer| Ok(sealer.next_piece()?.map(<[u8]>::to_vec)),
            &lens,
        ).unwrap();
        let opener = || Opener::new(std::io::Cursor::new(sealed.clone()), &secret).unwrap();
        let opened = mixed(
            opener().threads(threads),
            |opener| Ok(opener.next_piece()?.map(<[u8]>::to_vec)),
            &lens,
        ).unwrap();
        prop_assert_eq!(&opened, &text);
        let mut whole = vec![];
        opener().read_to_end(&mut whole).unwrap();
        prop_assert_eq!(whole, text);
    }
}

//! Seals and opens whole files through the public interface.

use std::io::{self, Cursor, Read};

use proptest::prelude::*;

use crate::{
    ChunkSize, Cipher, Cost, Error, Fault, Opener, Options, Sealer, Secret,
    testkit::{MOST, gather, plaintext, read, three_chunks},
};

fn secret() -> Secret {
    Secret::from_key_file(&[b'7'; 64]).unwrap()
}

fn options(chunk_size: u64) -> Options {
    let cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };
    Options { chunk_size: ChunkSize::new(chunk_size).unwrap(), cost, ..Options::default() }
}

fn seal(
    input: impl Read + Send + 'static,
    secret: &Secret,
    options: Options,
    threads: usize,
) -> Result<Vec<u8>, Error> {
    let mut sealer = Sealer::new(input, secret, options)?.threads(threads);
    let mut sealed = vec![];
    gather(&mut sealed, || Ok(sealer.next_piece()?.map(<[u8]>::to_vec)))?;
    Ok(sealed)
}

/// Gives a few bytes at a time, then ends or fails.
struct Trickle {
    bytes: Cursor<Vec<u8>>,
    step: usize,
    fails: bool,
}

impl Read for Trickle {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let len = self.step.min(room.len());
        match self.bytes.read(&mut room[..len])? {
            0 if self.fails => Err(io::Error::other("the cable is out")),
            n => Ok(n),
        }
    }
}

#[test]
fn any_length_there_and_back_by_any_family_chunk_size_and_number_of_threads() {
    for chunk in [1 << 10, 1 << 13, 1 << 20] {
        for len in [0, 1, 1023, 1024, 1025, 5 * 1024, 5 * 1024 + 1, 8192, 100_000, 3_000_000] {
            for threads in [1, 2, 7] {
                for cipher in Cipher::ALL {
                    let options = Options { cipher, ..options(chunk) };
                    let sealed =
                        seal(Cursor::new(plaintext(len)), &secret(), options, threads).unwrap();
                    let expected = options.chunk_size.sealed_len(len as u64);
                    assert_eq!(expected, Some(sealed.len() as u64));
                    let (opened, verdict) = read(&sealed, &secret(), threads);
                    assert!(verdict == "ok" && opened == plaintext(len), "{options:?} {len}");
                }
            }
        }
    }
}

#[test]
fn the_sealed_file_does_not_depend_on_threads_or_on_how_the_input_arrives() {
    let whole = |threads, step| {
        let bytes = Cursor::new(plaintext(50_000));
        let input = Trickle { bytes, step, fails: false };
        let sealer = Sealer::with_salt(input, &secret(), options(1024), [7; 32]).unwrap();
        let mut sealer = sealer.threads(threads);
        let mut sealed = vec![];
        gather(&mut sealed, || Ok(sealer.next_piece()?.map(<[u8]>::to_vec))).unwrap();
        sealed
    };
    let expected = whole(1, usize::MAX);
    for (threads, step) in [(1, 1), (1, 1000), (2, 1025), (5, 7)] {
        assert!(whole(threads, step) == expected, "{threads} {step}");
    }
}

#[test]
fn two_files_of_the_same_text_share_nothing() {
    let once = || seal(Cursor::new(plaintext(3000)), &secret(), options(1024), 1).unwrap();
    let (a, b) = (once(), once());
    assert_ne!(a[32..64], b[32..64], "the salt");
    let same = a[96..].iter().zip(&b[96..]).filter(|(a, b)| a == b).count();
    assert!(same < 100, "{same} of {} bytes are the same, where 12 are by chance", a.len());
}

#[test]
fn a_passphrase_opens_what_it_sealed_and_nothing_else_does() {
    let phrase = |text: &str| Secret::from_passphrase(text.as_bytes()).unwrap();
    let sealed = seal(Cursor::new(plaintext(10)), &phrase("a b"), options(1024), 1).unwrap();
    assert_eq!(read(&sealed, &phrase("a b"), 1), (plaintext(10), "ok"));
    assert_eq!(read(&sealed, &phrase("a  b"), 1), (vec![], "key-or-header"));
    assert_eq!(read(&sealed, &secret(), 1), (vec![], "other-key-kind"));
}

#[test]
fn a_failing_input_fails_and_stays_failed() {
    for threads in [1, 3] {
        for len in [0, 100, 20_000] {
            let bytes = Cursor::new(plaintext(len));
            let input = Trickle { bytes, step: 999, fails: true };
            let sealer = Sealer::new(input, &secret(), options(1024)).unwrap();
            let mut sealer = sealer.threads(threads);
            let mut sealed = vec![];
            let error = gather(&mut sealed, || Ok(sealer.next_piece()?.map(<[u8]>::to_vec)));
            let error = error.expect_err("it ended as if all were well");
            assert!(sealed.is_empty() || len > 0, "a header of nothing");
            assert!(matches!(error, Error::Read(_)), "{error}");
            assert!(matches!(sealer.next_piece(), Err(Error::Ended)));
            assert!(sealer.read(&mut [0]).is_err());
        }
    }
    let sealed = three_chunks();
    let key: String = (0..32).map(|n| format!("{n:02x}")).collect();
    let secret = Secret::from_key_file(key.as_bytes()).unwrap();
    let bytes = Cursor::new(sealed[..sealed.len() - 1].to_vec());
    let input = Trickle { bytes, step: 1, fails: true };
    let mut opener = Opener::new(input, &secret).unwrap();
    assert_eq!(opener.next_piece().unwrap().unwrap().len(), 1024);
    assert_eq!(opener.next_piece().unwrap().unwrap().len(), 1024);
    assert!(matches!(opener.next_piece(), Err(Error::Read(_))));
    assert!(matches!(opener.next_piece(), Err(Error::Ended)));
}

/// Reads and counts.
struct Counted(Cursor<Vec<u8>>, std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Read for Counted {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(room)?;
        self.1.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
        Ok(n)
    }
}

impl io::Seek for Counted {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

fn range(sealed: Vec<u8>, start: u64, len: u64) -> (Result<Vec<u8>, Error>, usize) {
    let count = std::sync::Arc::default();
    let input = Counted(Cursor::new(sealed), std::sync::Arc::clone(&count));
    let result = (|| {
        let mut opener = Opener::range(input, &secret(), start, len)?;
        let mut out = vec![];
        gather(&mut out, || Ok(opener.next_piece()?.map(<[u8]>::to_vec)))?;
        Ok(out)
    })();
    (result, count.load(std::sync::atomic::Ordering::Relaxed))
}

#[test]
fn a_range_reads_the_header_and_its_chunks_alone() {
    let sealed = seal(Cursor::new(plaintext(20_000)), &secret(), options(1024), 1).unwrap();
    let (bytes, read) = range(sealed, 5000, 10);
    assert_eq!(bytes.unwrap(), plaintext(20_000)[5000..5010]);
    assert_eq!(read, 96 + 1060);
}

#[test]
fn a_range_needs_only_its_chunks_to_be_sound() {
    let mut sealed = seal(Cursor::new(plaintext(5000)), &secret(), options(1024), 1).unwrap();
    sealed[96 + 1060 + 10] ^= 1; // in chunk 1
    assert_eq!(range(sealed.clone(), 2048, 2952).0.unwrap(), plaintext(5000)[2048..]);
    for start in [1024, 2047, 500] {
        let error = range(sealed.clone(), start, 1000).0.unwrap_err();
        assert!(matches!(error, Error::Fault(Fault::Corrupt { chunk: 1 })), "{error}");
    }
}

/// A script that probes with a range of no bytes learns that the file was changed there.
#[test]
fn a_range_of_no_bytes_is_verified() {
    for len in [0, 1, 1023, 1024, 1025, 2048, 5000] {
        let sealed = seal(Cursor::new(plaintext(len)), &secret(), options(1024), 1).unwrap();
        for start in [0, 1, 1023, 1024, 2048, len].into_iter().filter(|&start| start <= len) {
            assert_eq!(range(sealed.clone(), start as u64, 0).0.unwrap(), [], "{start} of {len}");
            let chunk = (start / 1024).min(len.saturating_sub(1) / 1024);
            let mut changed = sealed.clone();
            let at = (96 + chunk * 1060 + 5).min(changed.len() - 1);
            changed[at] ^= 1;
            range(changed, start as u64, 0).0.unwrap_err();
        }
        // Bytes after the end move the expected place of the last chunk.
        for more in [1, 20, 40, 2000] {
            let mut longer = sealed.clone();
            longer.resize(sealed.len() + more, 0);
            range(longer, len as u64 + 1, 0).0.unwrap_err();
        }
    }
}

#[test]
fn a_range_past_the_end_is_refused_by_the_last_chunk_alone() {
    let sealed = seal(Cursor::new(plaintext(5000)), &secret(), options(1024), 1).unwrap();
    for (start, len) in [(5000, 1), (0, 5001), (6000, 0), (u64::MAX, 1), (1, u64::MAX)] {
        let error = range(sealed.clone(), start, len).0.unwrap_err();
        assert!(matches!(error, Error::Range { plain: 5000, .. }), "{start} {len}: {error}");
    }
    for cut in 97..sealed.len() {
        let error = range(sealed[..cut].to_vec(), 4999, 1).0.unwrap_err();
        assert!(matches!(error, Error::Fault(Fault::Truncated { .. })), "{cut}: {error}");
    }
}

/// Uses every chunk size: with one lane a batch has one chunk of 256 KiB, with five a file may fit
/// into one batch.
#[test]
fn a_cut_file_is_never_taken_for_a_short_one() {
    for chunk in [1 << 10, 1 << 18, 1 << 20] {
        let (size, frame) = (chunk as usize, chunk as usize + 36);
        let len = 2 * size + size / 3;
        let sealed = seal(Cursor::new(plaintext(len)), &secret(), options(chunk), 1).unwrap();
        for cut in [96 + frame, 96 + 2 * frame, 96 + 2 * frame + 100, sealed.len() - 1] {
            for start in [2 * chunk, 3 * chunk, u64::MAX - 9] {
                let error = range(sealed[..cut].to_vec(), start, 10).0.unwrap_err();
                let is_cut = matches!(error, Error::Fault(Fault::Truncated { .. }));
                assert!(is_cut, "chunks of {chunk}, {cut} bytes, range from {start}: {error}");
            }
        }
        let error = range(sealed, len as u64, 10).0.unwrap_err();
        assert!(matches!(error, Error::Range { plain, .. } if plain == len as u64), "{error}");
    }
}

/// Reports a wrong length, like a file that changes while it is read.
struct Liar(Cursor<Vec<u8>>, i64);

impl Read for Liar {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.read(room)
    }
}

impl io::Seek for Liar {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let position = self.0.seek(to)?;
        let lie = if let io::SeekFrom::End(_) = to { self.1 } else { 0 };
        Ok(position.saturating_add_signed(lie))
    }
}

#[test]
fn an_input_that_lies_about_its_length_is_found_out() {
    let text = plaintext(1100);
    let sealed = seal(Cursor::new(text.clone()), &secret(), options(1024), 1).unwrap();
    let read = |lie, start: u64, len: u64| {
        let input = Liar(Cursor::new(sealed.clone()), lie);
        let mut released = vec![];
        let result = Opener::range(input, &secret(), start, len).and_then(|mut opener| {
            gather(&mut released, || Ok(opener.next_piece()?.map(<[u8]>::to_vec)))?;
            assert!(matches!(opener.next_piece(), Ok(None)), "it ended");
            Ok(())
        });
        (released, result)
    };
    for lie in [-1300, -1000, -500, -37, -1, 1, 77, 500, 5000, 1 << 40, i64::MAX] {
        for (start, len) in
            [(0, 1), (0, 1100), (500, 600), (1024, 76), (1024, 400), (1224, 100), (9999, 9)]
        {
            let (released, result) = read(lie, start, len);
            let what = format!("{lie}: {len} bytes from {start}");
            let there = start as usize..(start + len) as usize;
            match result {
                Ok(()) => assert_eq!(Some(&released[..]), text.get(there), "{what}"),
                Err(Error::Fault(Fault::Truncated { .. } | Fault::TrailingData { .. })) => {
                    assert!(
                        text[text.len().min(start as usize)..].starts_with(&released),
                        "{what}"
                    );
                }
                Err(Error::Range { plain: 1100, .. }) => assert!(there.end > 1100, "{what}"),
                Err(error) => panic!("{what}: {error}"),
            }
        }
    }
    let cut = |result| matches!(result, Err(Error::Fault(Fault::Truncated { .. })));
    assert!(cut(read(500, 1024, 400).1), "a short answer");
    assert!(cut(read(500, 1224, 100).1), "a panic");
}

/// Seals and opens borrowed inputs through `std::io::Read` and `BufRead`.
#[test]
fn sealing_and_opening_are_readers() {
    for len in [0, 1, 1024, 5000] {
        let text = plaintext(len);
        let mut sealed = vec![];
        let mut sealer = Sealer::new(&text[..], &secret(), options(1024)).unwrap();
        (&mut sealer).take(MOST as u64).read_to_end(&mut sealed).unwrap();
        assert_eq!(Some(sealed.len() as u64), options(1024).chunk_size.sealed_len(len as u64));
        assert_eq!(sealer.read(&mut [0]).unwrap(), 0);
        let mut opened = vec![];
        let mut opener = Opener::new(&sealed[..], &secret()).unwrap();
        let mut room = [0; 7];
        gather(&mut opened, || {
            let read = opener.read(&mut room).unwrap();
            Ok((read > 0).then(|| room[..read].to_vec()))
        })
        .unwrap();
        assert!(opened == text);

        *sealed.last_mut().unwrap() ^= 1;
        let opener = Opener::new(&sealed[..], &secret()).unwrap();
        let error = opener.take(MOST as u64).read_to_end(&mut vec![]);
        let error = error.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.downcast::<Error>().unwrap().to_string().contains("was changed"));
    }
}

/// An input gives one byte and then waits. The header is out before the chunk is full.
#[test]
fn the_header_does_not_wait_for_a_chunk() {
    struct One(bool);
    impl Read for One {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            assert!(!std::mem::replace(&mut self.0, true), "it would wait");
            room[0] = 7;
            Ok(1)
        }
    }
    let mut sealer = Sealer::new(One(false), &secret(), options(1024)).unwrap();
    assert_eq!(sealer.next_piece().unwrap().unwrap().len(), 96);
}

#[test]
fn no_cut_and_no_change_of_a_byte_goes_unnoticed() {
    let sealed = seal(Cursor::new(plaintext(1200)), &secret(), options(1024), 1).unwrap();
    let check = |changed: &[u8], what: &str| {
        let (released, verdict) = read(changed, &secret(), 1);
        assert_ne!(verdict, "ok", "{what}");
        assert!(released == plaintext(1024) || released.is_empty(), "{what}");
    };
    for at in 0..sealed.len() {
        check(&sealed[..at], &format!("cut to {at}"));
        let mut changed = sealed.clone();
        changed[at] ^= 1 << (at % 8);
        check(&changed, &format!("byte {at}"));
    }
}

#[test]
fn a_key_file_is_64_digits_and_at_most_one_line_end() {
    let digits = "0123456789abcdefABCDEF0123456789".repeat(2);
    for end in ["", "\n", "\r\n"] {
        assert!(Secret::from_key_file(format!("{digits}{end}").as_bytes()).is_ok(), "{end:?}");
    }
    let refused = [
        "",
        "\n",
        &digits[1..],
        &format!("{digits}0"),
        &format!("{digits}\r"),
        &format!("{digits}\n\n"),
        &format!(" {digits}"),
        &digits.replace('a', "g"),
    ];
    for text in refused {
        assert!(Secret::from_key_file(text.as_bytes()).is_err(), "{text:?}");
    }
    let text = Secret::new_key_file().unwrap();
    assert_eq!(text.as_str().len(), 65);
    assert!(Secret::from_key_file(text.as_str().as_bytes()).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_range_is_that_slice(plain in 0usize..6000, a in 0usize..6000, b in 0usize..6000) {
        let (a, b) = (a.min(plain), b.min(plain));
        let (start, end) = (a.min(b), a.max(b));
        let sealed = seal(Cursor::new(plaintext(plain)), &secret(), options(1024), 1).unwrap();
        let (bytes, _) = range(sealed, start as u64, (end - start) as u64);
        prop_assert_eq!(bytes.unwrap(), &plaintext(plain)[start..end]);
    }
}

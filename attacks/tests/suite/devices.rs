//! Searches with a device beside the threads: a program that tests keys as a GPU would.

use std::{
    error::Error,
    ops::{ControlFlow, Range},
    sync::atomic::AtomicBool,
};

use arcfour::{Family, Rc4};
use arcfour_attacks::search::{
    Device, Ended, Event, KeySpace, KeyTest, Known, OfficeVerifier, PdfVerifier, Plaintext, Record,
    Search, Sieve,
};

fn search() -> Search {
    let plain = Plaintext::new().with(0, "00".parse().unwrap()).with(2, "[00-7f]".parse().unwrap());
    let known = Known::new(&plain, &[0; 3], 5).unwrap();
    let keys = KeySpace::new("?? [01-07] ??".parse().unwrap()).unwrap();
    Search::new(keys, KeyTest::new(known, Family::Rc4, None).unwrap())
}

/// Tests keys by the sieve of the search.
struct Slow<'a> {
    search: &'a Search,
    /// Blocks until the device is lost.
    left: usize,
    /// Tests only the first byte, and reports keys twice and keys of other blocks.
    careless: bool,
}

impl Device for Slow<'_> {
    fn candidates(
        &mut self,
        range: Range<u128>,
        _: &AtomicBool,
    ) -> Result<Vec<u128>, Box<dyn Error + Send + Sync>> {
        self.left = self.left.checked_sub(1).ok_or("it was unplugged")?;
        let Some(Sieve::Keystream(tests)) = self.search.sieve() else { panic!("RC4 by keystream") };
        let tests = &tests[..if self.careless { 1 } else { tests.len() }];
        let passes = |number: &u128| {
            tests.iter().all(|(at, set)| {
                let mut cipher = Rc4::from_key(&self.search.space().key(*number)).unwrap();
                cipher.skip(*at);
                let mut byte = [0];
                cipher.fill(&mut byte);
                set.contains(byte[0])
            })
        };
        let mut found: Vec<_> = range.filter(passes).collect();
        if self.careless {
            let size = self.search.space().size();
            found.extend(found.clone());
            found.extend((0..size).step_by(1000));
            found.reverse();
        }
        Ok(found)
    }
}

/// Runs the search on `threads` threads and a device that is lost after `left` blocks. Returns the record, and
/// why devices were lost.
fn run(search: &Search, threads: usize, left: usize, careless: bool) -> (Record, Vec<String>) {
    let (mut record, mut lost) = (Record::new(search), vec![]);
    let device = Slow { search, left, careless };
    let all = 0..search.space().size();
    let ended = search.run_with(all, threads, vec![Box::new(device)], &mut record, |_, event| {
        if let Event::Lost(why) = event {
            lost.push(why.to_owned());
        }
        ControlFlow::Continue(())
    });
    assert_eq!(ended, Ended::Complete);
    assert!(record.is_complete());
    (record, lost)
}

#[test]
fn a_device_makes_the_record_that_threads_make() {
    let search = search();
    let mut right = Record::new(&search);
    let all = 0..search.space().size();
    search.run_with(all.clone(), 0, vec![], &mut right, |_, _| ControlFlow::Continue(()));
    assert!(right.is_complete() && right.matches().len() > 500, "{}", right.matches().len());
    for (threads, left, careless) in [
        (0, usize::MAX, false),
        (0, usize::MAX, true),
        (2, usize::MAX, true),
        (0, 3, false),
        (0, 0, false),
        (3, 0, true),
    ] {
        let (record, lost) = run(&search, threads, left, careless);
        assert_eq!(record.to_text(), right.to_text(), "{threads} {left} {careless}");
        match left {
            usize::MAX => assert_eq!(lost, [""; 0]),
            // The threads may test all keys before the device has a block.
            _ if threads > 0 => assert!(lost.len() < 2, "{lost:?}"),
            _ => assert_eq!(lost, ["it was unplugged"]),
        }
    }
}

#[test]
fn a_search_with_a_device_stops_when_it_is_told_to() {
    let search = search();
    let mut record = Record::new(&search);
    let device = Slow { search: &search, left: usize::MAX, careless: false };
    let all = 0..search.space().size();
    let ended =
        search.run_with(all, 0, vec![Box::new(device)], &mut record, |_, _| ControlFlow::Break(()));
    assert_eq!(ended, Ended::Stopped);
    assert!(!record.is_complete());
}

/// The sieve has the positions in the keystream, dropped bytes too, and their values.
#[test]
fn a_sieve_has_the_tested_positions() {
    let search = search();
    let Some(Sieve::Keystream([one, two])) = search.sieve() else { panic!("two bytes are known") };
    assert_eq!((one.0, two.0), (5, 7));
    assert_eq!([one.1, two.1].map(|set| set.to_string()), ["00", "[00-7f]"]);
}

/// A GPU has kernels for RC4 and two documents alone.
#[test]
fn other_searches_have_no_sieve() {
    let plain = Plaintext::new().with(0, "00".parse().unwrap());
    let known = Known::new(&plain, &[0], 0).unwrap();
    let keys = || KeySpace::new("??".parse().unwrap()).unwrap();
    let test =
        |family: Family| KeyTest::new(known.clone(), family, family.takes_iv().then(|| vec![1]));
    for &family in Family::ALL {
        let search = Search::new(keys(), test(family).unwrap());
        assert_eq!(search.sieve().is_some(), family == Family::Rc4, "{}", family.name());
    }
    let derived = test(Family::Rc4).unwrap().derived("md5-40".parse().unwrap());
    assert!(Search::new(keys(), derived).sieve().is_none());
    let variant = KeyTest::of_variant(known, "apply=x^k".parse().unwrap()).unwrap();
    assert!(Search::new(keys(), variant).sieve().is_none());
    // Documents have keys of five bytes.
    let pdf = KeyTest::pdf(PdfVerifier { hash: [1; 16], user: [2; 16] });
    let office = KeyTest::office(OfficeVerifier { verifier: [3; 16], verifier_hash: [4; 16] });
    for len in 4..=6 {
        let search = |test: &KeyTest| {
            let mask = format!("00{{{}}} ??", len - 1);
            Search::new(KeySpace::new(mask.parse().unwrap()).unwrap(), test.clone())
        };
        let (pdf, office) = (search(&pdf), search(&office));
        assert_eq!(matches!(pdf.sieve(), Some(Sieve::Pdf(pdf)) if pdf.hash == [1; 16]), len == 5);
        assert_eq!(pdf.sieve().is_some(), len == 5);
        let verifier =
            |sieve| matches!(sieve, Some(Sieve::Office(office)) if office.verifier == [3; 16]);
        assert_eq!(verifier(office.sieve()), len == 5);
        assert_eq!(office.sieve().is_some(), len == 5);
    }
}

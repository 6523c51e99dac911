//! Estimates the time of a search for a 40-bit key on this machine.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use arcfour_attacks::search::{
    KeySpace, KeyTest, OfficeVerifier, Pattern, PdfVerifier, Record, Search,
};

use crate::finding::Finding;

/// Duration of each measurement.
const MEASURED: Duration = Duration::from_millis(500);

/// Adds the fact `search seconds` to each finding whose key can be searched. Each kind of search is
/// measured once, for half a second.
pub fn estimate(findings: &mut [Finding]) {
    let [mut office, mut pdf] = [None; 2];
    for finding in findings {
        let seconds = match finding.fact("search") {
            Some("office") => office.get_or_insert_with(|| {
                measured(KeyTest::office(OfficeVerifier {
                    verifier: [0; 16],
                    verifier_hash: [1; 16],
                }))
            }),
            Some("pdf") => pdf.get_or_insert_with(|| {
                measured(KeyTest::pdf(PdfVerifier { hash: [0; 16], user: [1; 16] }))
            }),
            _ => continue,
        };
        let seconds = format!("{seconds:.0}");
        finding.facts.push(("search seconds", seconds));
    }
}

/// Returns the number of seconds for all keys.
fn measured(test: KeyTest) -> f64 {
    let pattern: Pattern = "??{5}".parse().expect("five bytes");
    let space = KeySpace::new(pattern).expect("2^40 keys");
    let (size, threads) =
        (space.size(), std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN));
    let search = Search::new(space, test);
    let (mut record, start) = (Record::new(&search), Instant::now());
    search.run(0..size, threads, &mut record, |_, _| match start.elapsed() > MEASURED {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    let rate = record.done() as f64 / start.elapsed().as_secs_f64();
    size as f64 / rate.max(1.0)
}

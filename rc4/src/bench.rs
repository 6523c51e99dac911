//! Benchmark mode: `--bench=N` and `--bench-loop=M`.

use std::{hint::black_box, io::Write};

use arcfour::{Rc4, families::rc4::State};
use arcfour_console::{
    failure::{Failure, warn},
    stdio,
};
use arcfour_measure::Meter;

/// Encrypts `bytes` random bytes `times` times, key set-up included each time, and prints the
/// average time of one encryption.
pub fn run(key: &[u8], bytes: usize, times: u64) -> Result<(), Failure> {
    let mut text = random(bytes)?;
    verify(key, &mut text)?;

    let mut meter = Meter::new();
    let sample = meter.sample(times, || crypt(key, black_box(&mut text)));

    let nanos = sample.nanos / sample.iterations as f64;
    let written = stdio::stdout().and_then(|mut out| {
        write!(
            out,
            "encryption time = {:.3} us\n\
         throughput      = {:.1} MB/s\n\
         cycles per byte = {:.3} at {:.2} GHz\n",
            nanos / 1e3,
            bytes as f64 / nanos * 1e3,
            sample.cycles() / bytes as f64,
            sample.ghz(),
        )
    });
    written.map_err(|error| Failure::write("standard output", &error))?;
    if !meter.accepts(&sample) {
        warn("rc4", "the core was not quiet or changed its clock; repeat for better figures");
    }
    Ok(())
}

/// The `rc4_crypt` of the paper: key schedule, keystream, xor.
fn crypt(key: &[u8], text: &mut [u8]) {
    Rc4::from_key(key).expect("the key served to verify").apply(text);
}

fn random(bytes: usize) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    text.try_reserve_exact(bytes).map_err(|_| {
        Failure::Work(format!("--bench={bytes}: not enough memory for this many bytes"))
    })?;
    text.resize(bytes, 0);
    getrandom::fill(&mut text).map_err(|error| Failure::read("random bytes", &error.into()))?;
    Ok(text)
}

/// Encrypts `text` once, piece by piece, and compares each piece with the definition, so that no
/// time is printed for a wrong result.
fn verify(key: &[u8], text: &mut [u8]) -> Result<(), Failure> {
    let mut rc4 = Rc4::from_key(key)?;
    let mut definition = State::ksa(key)?;
    let mut copy = [0; 4096];
    for piece in text.chunks_mut(copy.len()) {
        let copy = &mut copy[..piece.len()];
        copy.copy_from_slice(piece);
        rc4.apply(piece);
        if !copy.iter().zip(&*piece).all(|(plain, cipher)| plain ^ definition.prga() == *cipher) {
            return Err(Failure::Work(format!("{:?} made a wrong keystream", rc4.backend())));
        }
    }
    Ok(())
}

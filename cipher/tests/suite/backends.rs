//! Tests one stream of every subject of the checker, with every key length, length, split and
//! alignment.

use arcfour::{Backend, Technique};
use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};

use crate::{
    ambush::ambush,
    checker::{Op, subjects},
};

fn random_key(rng: &mut SmallRng) -> Vec<u8> {
    let len = rng.random_range(1..=256);
    key_of(len, rng)
}

fn key_of(len: usize, rng: &mut SmallRng) -> Vec<u8> {
    let mut key = vec![0; len];
    rng.fill_bytes(&mut key);
    key
}

fn shifts(rng: &mut SmallRng) -> [usize; 2] {
    rng.random::<[u8; 2]>().map(|shift| usize::from(shift % 64))
}

fn pick<T: Copy>(from: &[T], rng: &mut SmallRng) -> T {
    from[rng.random_range(0..from.len())]
}

#[test]
fn every_key_length() {
    for subject in subjects() {
        let mut rng = SmallRng::seed_from_u64(1);
        for len in (1..=256).flat_map(|len| [len; 8]) {
            let key = key_of(len, &mut rng);
            let mut stream = subject.start(&key);
            for op in Op::ALL {
                stream.step(op, rng.random_range(0..600), shifts(&mut rng));
            }
        }
    }
}

#[test]
fn every_length() {
    for subject in subjects() {
        let mut rng = SmallRng::seed_from_u64(2);
        let last = if subject.fast { 4096 } else { 600 };
        for len in 0..=last {
            // Lengths of several blocks of every kernel, each by one operation.
            let ops = if len <= 600 { &Op::ALL[..] } else { &[pick(&Op::ALL, &mut rng)] };
            for &op in ops {
                let key = random_key(&mut rng);
                let mut stream = subject.start(&key);
                stream.step(op, len, shifts(&mut rng));
                stream.step(pick(&Op::WRITING, &mut rng), 40, shifts(&mut rng));
            }
        }
    }
}

/// Every way to cut 600 bytes in two, by every pair of operations. Every way to cut 72 bytes in
/// three, by random operations.
#[test]
fn every_split() {
    for subject in subjects() {
        let mut rng = SmallRng::seed_from_u64(3);
        let stride = if subject.fast { 1 } else { 7 };
        for (first, second) in Op::ALL.iter().flat_map(|a| Op::ALL.map(|b| (*a, b))) {
            for cut in (0..=600).step_by(stride) {
                let key = random_key(&mut rng);
                let mut stream = subject.start(&key);
                stream.step(first, cut, shifts(&mut rng));
                stream.step(second, 600 - cut, shifts(&mut rng));
            }
        }
        for (a, b) in (0..=72).flat_map(|b| (0..=b).map(move |a| (a, b))).step_by(stride) {
            let key = random_key(&mut rng);
            let mut stream = subject.start(&key);
            for len in [a, b - a, 72 - b] {
                stream.step(pick(&Op::ALL, &mut rng), len, shifts(&mut rng));
            }
        }
    }
}

/// A stream in pieces of one length, for each length.
#[test]
fn every_chunk_length() {
    for subject in subjects() {
        let mut rng = SmallRng::seed_from_u64(8);
        for len in 1..=300 {
            let key = random_key(&mut rng);
            let mut stream = subject.start(&key);
            for _ in 0..=1500 / len {
                stream.step(pick(&Op::WRITING, &mut rng), len, shifts(&mut rng));
            }
        }
    }
}

/// Starts at every value of i, with every length until i has returned to 0 and one block more is
/// done.
#[test]
fn every_start() {
    for subject in subjects() {
        let mut rng = SmallRng::seed_from_u64(4);
        for start in (0..=255).step_by(if subject.fast { 1 } else { 7 }) {
            for len in (0..=80).chain(250 - start.min(170)..=330 - start) {
                let key = random_key(&mut rng);
                let mut stream = subject.start(&key);
                stream.step(Op::Skip, start, [0, 0]);
                stream.step(pick(&Op::WRITING, &mut rng), len, shifts(&mut rng));
            }
        }
    }
}

#[test]
fn every_alignment() {
    for subject in subjects() {
        let mut rng = SmallRng::seed_from_u64(5);
        let key = random_key(&mut rng);
        let mut stream = subject.start(&key);
        for (a, b) in (0..64).flat_map(|a| (0..64).map(move |b| (a, b))) {
            for len in [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 300] {
                stream.step(pick(&Op::WRITING, &mut rng), len, [a, b]);
            }
        }
    }
}

/// j lands on i−1 … i+4 in a large part of the first 256 steps. The steps are everywhere, or at
/// chosen places of a block, so that the first and last steps of any unrolling get their share.
#[test]
fn special_cases_often() {
    for subject in subjects() {
        let mut rng = SmallRng::seed_from_u64(6);
        for _ in 0..if subject.fast { 5_000 } else { 500 } {
            let period = rng.random_range(1..=64);
            let phase = rng.random_range(0..period);
            let key = ambush(|| rng.random(), |step| step % period == phase);
            let mut stream = subject.start(&key);
            let mut left: usize = 520;
            while left > 0 {
                let longest = pick(&[3, 20, 70, 300, 520], &mut rng).min(left);
                let len = rng.random_range(1..=longest);
                stream.step(pick(&Op::WRITING, &mut rng), len, shifts(&mut rng));
                left -= len;
            }
        }
    }
}

/// Random keys, splits and alignments: 3 MiB in pieces of each size, 1 MiB of a definition. `make soak` has run a terabyte.
#[test]
fn megabytes() {
    for subject in subjects() {
        let mut rng = SmallRng::seed_from_u64(7);
        for longest in [40, 300, 5_000, 100_000, 2_000_000] {
            let mut left: usize = if subject.fast { 3 << 20 } else { 1 << 20 };
            while left > 0 {
                let key = random_key(&mut rng);
                let mut stream = subject.start(&key);
                for _ in 0..8 {
                    let len = rng.random_range(0..=longest).min(left);
                    stream.step(pick(&Op::ALL, &mut rng), len, shifts(&mut rng));
                    left -= len;
                }
            }
        }
    }
}

/// A name selects one backend, which is equal to itself alone.
#[test]
fn a_backend_has_a_name_of_its_own() {
    let all: Vec<_> = Technique::all().filter_map(|technique| technique.backend).collect();
    assert!(Backend::available().eq(all.iter().copied()));
    assert_eq!(Backend::detect(), all[0]);
    for (n, backend) in all.iter().enumerate() {
        assert_eq!(Backend::named(backend.name()), Some(*backend));
        assert!(all[..n].iter().all(|other| other != backend && other.name() != backend.name()));
    }
    for name in ["", "Portable", "portable ", "xyzzy"] {
        assert_eq!(Backend::named(name), None, "{name:?}");
    }
}

#[test]
fn a_backend_tells_how_many_streams_share_a_loop() {
    for (name, lanes) in [("definition", 1), ("portable", 5)] {
        assert_eq!(Backend::named(name).unwrap().lanes(), lanes, "{name}");
    }
    assert_eq!(arcfour::lanes(), Backend::detect().lanes());
}

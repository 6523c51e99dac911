//! Many streams: equal and unequal, against the definition.

use arcfour::{Backend, Rc4, apply_many, families::rc4::State, fill_many};
use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};

use crate::{ambush::ambush, checker::Guarded};

/// A stream, its definition and the buffer of its next step.
struct Lane {
    stream: Rc4,
    definition: State,
    len: usize,
    buffer: Guarded,
}

fn lane(backend: Backend, rng: &mut SmallRng, position: usize, len: usize) -> Lane {
    let mut key = vec![0; rng.random_range(1..=256)];
    rng.fill_bytes(&mut key);
    if rng.random_ratio(1, 3) {
        key = ambush(|| rng.random(), |_| true).to_vec();
    }
    let mut stream = Rc4::with_backend(&key, backend).unwrap();
    let mut definition = State::ksa(&key).unwrap();
    stream.skip(position as u64);
    (0..position).for_each(|_| _ = definition.prga());
    Lane { stream, definition, len, buffer: Guarded::default() }
}

/// Runs all lanes once, by `fill_many` or `apply_many`, and compares bytes, margins and states.
fn step(lanes: &mut [Lane], fill: bool, rng: &mut SmallRng, what: &str) {
    for lane in &mut *lanes {
        lane.buffer.paint(lane.len, rng.random_range(0..64), 7);
    }
    let mut streams: Vec<_> = lanes.iter().map(|lane| lane.stream.clone()).collect();
    let before: Vec<_> = lanes.iter_mut().map(|lane| lane.buffer.inside().to_vec()).collect();
    let mut buffers: Vec<_> = lanes.iter_mut().map(|lane| lane.buffer.inside()).collect();
    if fill {
        fill_many(&mut streams, &mut buffers);
    } else {
        apply_many(&mut streams, &mut buffers);
    }
    for (n, (lane, stream)) in lanes.iter_mut().zip(streams).enumerate() {
        let expected: Vec<_> = (before[n].iter())
            .map(|data| lane.definition.prga() ^ if fill { 0 } else { *data })
            .collect();
        assert!(expected == lane.buffer.inside(), "{what}: stream {n}: the output differs");
        assert!(lane.buffer.margins_intact(), "{what}: stream {n}: wrote outside its output");
        assert_eq!(
            stream.position(),
            lane.stream.position() + lane.len as u64,
            "{what}: stream {n}: position"
        );
        lane.stream = stream;
        assert!(
            lane.stream.state().parts() == lane.definition.parts(),
            "{what}: stream {n}: the state differs"
        );
    }
}

/// 0 to 20 streams; positions equal, equal but for one, or not; lengths likewise.
#[test]
fn any_number_of_any_streams() {
    for backend in Backend::available() {
        let mut rng = SmallRng::seed_from_u64(11);
        for (count, round) in (0..=20).flat_map(|count| (0..45).map(move |round| (count, round))) {
            let mut lengths = unequal(round % 3, count, &[16, 70, 600, 5000], &mut rng);
            let positions = unequal(round / 3 % 3, count, &[1, 4, 256, 1000], &mut rng);
            let mut lanes: Vec<_> = (positions.into_iter().zip(&lengths))
                .map(|(position, len)| lane(backend, &mut rng, position, *len))
                .collect();
            for fill in [true, false, rng.random()] {
                let what = format!("{}, {count} streams of {lengths:?}", backend.name());
                step(&mut lanes, fill, &mut rng, &what);
                lengths = unequal(round % 3, count, &[16, 70, 600], &mut rng);
                lanes.iter_mut().zip(&lengths).for_each(|(lane, len)| lane.len = *len);
            }
        }
    }
}

/// `count` numbers below one of `limits`: all equal, all but one equal, or each on its own.
fn unequal(kind: usize, count: usize, limits: &[usize], rng: &mut SmallRng) -> Vec<usize> {
    let limit = limits[rng.random_range(0..limits.len())];
    let mut numbers = vec![rng.random_range(0..limit); count];
    match kind {
        1 if count > 0 => numbers[rng.random_range(0..count)] = rng.random_range(0..limit),
        2 => numbers.fill_with(|| rng.random_range(0..limit)),
        _ => {}
    }
    numbers
}

/// Every length up to some blocks, with exactly as many streams as the backend likes, and one more
/// and one less.
#[test]
fn every_length_of_full_lanes() {
    for backend in Backend::available() {
        let mut rng = SmallRng::seed_from_u64(12);
        let lanes = backend.lanes();
        for count in [lanes - 1, lanes, lanes + 1, 2 * lanes] {
            for len in 0..=300 {
                let mut lanes: Vec<_> =
                    (0..count).map(|_| lane(backend, &mut rng, 0, len)).collect();
                let what = format!("{}, {count} streams of {len}", backend.name());
                step(&mut lanes, len % 2 == 0, &mut rng, &what);
                step(&mut lanes, len % 2 == 1, &mut rng, &what);
            }
        }
    }
}

/// Streams of different backends side by side.
#[test]
fn mixed_backends() {
    let mut rng = SmallRng::seed_from_u64(13);
    for round in 0..200 {
        let backends: Vec<_> = Backend::available().collect();
        let len = rng.random_range(0..600);
        let mut lanes: Vec<_> = (0..20)
            .map(|_| lane(backends[rng.random_range(0..backends.len())], &mut rng, 0, len))
            .collect();
        step(&mut lanes, round % 2 == 0, &mut rng, "mixed backends");
    }
}

#[test]
#[should_panic(expected = "as many buffers as streams")]
fn a_buffer_too_few() {
    fill_many(&mut [Rc4::from_key(b"Key").unwrap()], &mut []);
}

#[test]
#[should_panic(expected = "as many pieces of data as streams")]
fn a_stream_too_few() {
    apply_many(&mut [], &mut [&mut [0; 4]]);
}

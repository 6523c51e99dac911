//! Compares many streams, equal and unequal, with the definition.

use arcfour::{
    Backend, FirstBytes, KeyLengthError, Rc4, apply_many, families::rc4::State, fill_many,
    rekey_many, sample_many,
};
use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};

use crate::{ambush::ambush, checker::Guarded, hex};

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

/// 0 to 20 streams. The positions are all equal, all but one equal, or random; so are the lengths.
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

/// Returns `count` random numbers below one of `limits`: all equal, all but one equal, or
/// independent.
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

/// Every length from 0 to 300, with one stream less than the backend's lanes, one for each lane,
/// one more, and two for each lane.
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

/// Returns a key of `len` bytes. Some keys of 256 bytes force the kernels' special cases.
fn key_of(len: usize, rng: &mut SmallRng) -> Vec<u8> {
    if len == 256 && rng.random_ratio(1, 2) {
        return ambush(|| rng.random(), |_| true).to_vec();
    }
    let mut key = vec![0; len];
    rng.fill_bytes(&mut key);
    key
}

/// Returns keys of one length, of one length but for one key, or of random lengths.
fn keys_of(len: usize, count: usize, kind: usize, rng: &mut SmallRng) -> Vec<Vec<u8>> {
    let odd = rng.random_range(0..count.max(1));
    (0..count)
        .map(|n| {
            let any = kind == 2 || (kind == 1 && n == odd);
            key_of(if any { rng.random_range(1..=256) } else { len }, rng)
        })
        .collect()
}

/// Returns a used stream with a random key and position.
fn used(backend: Backend, rng: &mut SmallRng) -> Rc4 {
    let len = rng.random_range(1..=256);
    let mut stream = Rc4::with_backend(&key_of(len, rng), backend).unwrap();
    stream.skip(rng.random_range(0..600));
    stream
}

fn assert_keyed(stream: &Rc4, key: &[u8], what: &str) {
    let expected = State::ksa(key).unwrap();
    let key = hex(key);
    assert_eq!(stream.position(), 0, "{what}, key {key}");
    assert!(stream.state().parts() == expected.parts(), "{what}, key {key}: the state differs");
}

#[test]
fn rekeyed_alone_at_every_key_length() {
    for backend in Backend::available() {
        let mut rng = SmallRng::seed_from_u64(14);
        for len in (1..=256).flat_map(|len| [len; 8]) {
            let mut stream = used(backend, &mut rng);
            for _ in 0..2 {
                let key = key_of(len, &mut rng);
                stream.rekey(&key).unwrap();
                assert_keyed(&stream, &key, backend.name());
                stream.skip(rng.random_range(0..300));
            }
        }
    }
}

/// Used streams of one backend or of several, with keys of one length or of several.
#[test]
fn rekeyed_together_at_every_key_length() {
    let backends: Vec<_> = Backend::available().collect();
    let mut rng = SmallRng::seed_from_u64(15);
    for backend in backends.iter().copied().map(Some).chain([None]) {
        let what = backend.map_or("mixed backends", Backend::name);
        for (len, kind) in (1..=256).flat_map(|len| (0..3).map(move |kind| (len, kind))) {
            let count = rng.random_range(0..=12);
            let mut streams: Vec<_> = (0..count)
                .map(|_| {
                    let any = backends[rng.random_range(0..backends.len())];
                    used(backend.unwrap_or(any), &mut rng)
                })
                .collect();
            for _ in 0..2 {
                let keys = keys_of(len, count, kind, &mut rng);
                let slices: Vec<_> = keys.iter().map(|key| &key[..]).collect();
                rekey_many(&mut streams, &slices).unwrap();
                for (stream, key) in streams.iter_mut().zip(&keys) {
                    assert_keyed(stream, key, what);
                }
                let mut outs = vec![[0; 40]; count];
                fill_many(
                    &mut streams,
                    &mut outs.iter_mut().map(|out| &mut out[..]).collect::<Vec<_>>(),
                );
                for (out, key) in outs.iter().zip(&keys) {
                    let mut expected = State::ksa(key).unwrap();
                    assert!(out.iter().all(|byte| *byte == expected.prga()), "{what}");
                }
            }
        }
    }
}

/// Compares `sample_many` with the definition, by every backend.
#[test]
fn sampled_at_every_key_length() {
    let mut rng = SmallRng::seed_from_u64(16);
    for backend in Backend::available() {
        for (len, kind) in (1..=256).flat_map(|len| (0..3).map(move |kind| (len, kind))) {
            let count = rng.random_range(0..=12);
            let keys = keys_of(len, count, kind, &mut rng);
            let lengths = unequal(kind, count, &[17, 70, 300], &mut rng);
            let mut buffers: Vec<_> = lengths
                .iter()
                .map(|&len| {
                    let mut buffer = Guarded::default();
                    buffer.paint(len, rng.random_range(0..64), 7);
                    buffer
                })
                .collect();
            let slices: Vec<_> = keys.iter().map(|key| &key[..]).collect();
            let mut outs: Vec<_> = buffers.iter_mut().map(Guarded::inside).collect();
            if backend == Backend::detect() && len % 2 == 0 {
                sample_many(&slices, &mut outs).unwrap();
            } else {
                backend.sample_many(&slices, &mut outs).unwrap();
            }
            for (buffer, key) in buffers.iter_mut().zip(&keys) {
                let mut expected = State::ksa(key).unwrap();
                let what = format!("{}, key {}", backend.name(), hex(key));
                assert!(buffer.inside().iter().all(|byte| *byte == expected.prga()), "{what}");
                assert!(buffer.margins_intact(), "{what}: wrote outside its output");
            }
        }
    }
}

/// One bad key among good keys leaves all streams unchanged.
#[test]
fn a_bad_key_among_many_is_refused() {
    let mut rng = SmallRng::seed_from_u64(17);
    for (at, given) in (0..7).flat_map(|at| [(at, 0), (at, 257)]) {
        let mut keys = vec![vec![1; 16]; 7];
        keys[at] = vec![1; given];
        let keys: Vec<_> = keys.iter().map(|key| &key[..]).collect();
        let mut streams: Vec<_> = (0..7).map(|_| used(Backend::detect(), &mut rng)).collect();
        let before: Vec<_> = streams.iter().map(|s| (s.position(), s.state().clone())).collect();
        assert_eq!(rekey_many(&mut streams, &keys), Err(KeyLengthError { given }));
        for (stream, (position, state)) in streams.iter().zip(&before) {
            assert!(stream.position() == *position && stream.state() == state, "{at}");
        }
        assert_eq!(streams[0].rekey(keys[at]), Err(KeyLengthError { given }));
        assert_eq!(streams[0].position(), before[0].0);
        let mut outs = [[9; 20]; 7];
        let refused = sample_many(&keys, &mut outs.each_mut().map(|out| &mut out[..]));
        assert_eq!((refused, outs), (Err(KeyLengthError { given }), [[9; 20]; 7]));
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

/// Compares `sample_many` with the definition: enough keys that tables lie interleaved, and outputs
/// around the length from which streams are used.
#[test]
fn sampled_side_by_side() {
    let mut rng = SmallRng::seed_from_u64(19);
    for (len, kind) in (1..=256).flat_map(|len| (0..3).map(move |kind| (len, kind))) {
        let count = rng.random_range(15..=50);
        let keys = keys_of(len, count, kind, &mut rng);
        let lengths = unequal(kind, count, &[2, 21, 66, 70], &mut rng);
        let mut buffers: Vec<_> = lengths.iter().map(|&len| vec![0; len]).collect();
        let slices: Vec<_> = keys.iter().map(|key| &key[..]).collect();
        let mut outs: Vec<_> = buffers.iter_mut().map(|buffer| &mut buffer[..]).collect();
        sample_many(&slices, &mut outs).unwrap();
        for (buffer, key) in buffers.iter().zip(&keys) {
            let mut expected = State::ksa(key).unwrap();
            assert!(buffer.iter().all(|byte| *byte == expected.prga()), "key {}", hex(key));
        }
    }
}

/// The rare cases, in which i, j and the index of the output meet, among all keys of two bytes.
#[test]
fn samples_of_all_short_keys() {
    let keys: Vec<_> = (0..=u16::MAX).map(u16::to_le_bytes).collect();
    let slices: Vec<_> = keys.iter().map(|key| &key[..]).collect();
    let mut samples = vec![[0; 64]; keys.len()];
    let mut outs: Vec<_> = samples.iter_mut().map(|sample| &mut sample[..]).collect();
    sample_many(&slices, &mut outs).unwrap();
    for (sample, key) in samples.iter().zip(&keys) {
        let mut expected = State::ksa(key).unwrap();
        assert!(sample.iter().all(|byte| *byte == expected.prga()), "key {}", hex(key));
    }
}

/// Compares `FirstBytes` with the definition.
#[test]
fn first_bytes_at_every_key_length() {
    let mut rng = SmallRng::seed_from_u64(18);
    let mut firsts = FirstBytes::new();
    for (len, kind) in (1..=256).flat_map(|len| (0..3).map(move |kind| (len, kind))) {
        let keys = keys_of(len, rng.random_range(0..=70), kind, &mut rng);
        let slices: Vec<_> = keys.iter().map(|key| &key[..]).collect();
        let mut bytes = vec![0; keys.len()];
        firsts.fill(&slices, &mut bytes).unwrap();
        for (byte, key) in bytes.into_iter().zip(&keys) {
            assert_eq!(byte, State::ksa(key).unwrap().prga(), "key {}", hex(key));
        }
    }
}

/// The first step swaps S\[1\] with an entry that it then looks up: the rare cases among all keys of
/// two bytes.
#[test]
fn first_bytes_of_all_short_keys() {
    let keys: Vec<_> = (0..=u16::MAX).map(u16::to_le_bytes).collect();
    let slices: Vec<_> = keys.iter().map(|key| &key[..]).collect();
    let mut bytes = vec![0; keys.len()];
    FirstBytes::new().fill(&slices, &mut bytes).unwrap();
    for (byte, key) in bytes.into_iter().zip(&keys) {
        assert_eq!(byte, State::ksa(key).unwrap().prga(), "key {}", hex(key));
    }
}

#[test]
fn first_bytes_of_a_bad_key_are_refused() {
    for given in [0, 257] {
        let mut bytes = [7; 2];
        let refused = FirstBytes::new().fill(&[b"good", &vec![1; given]], &mut bytes);
        assert_eq!((refused, bytes), (Err(KeyLengthError { given }), [7; 2]));
    }
}

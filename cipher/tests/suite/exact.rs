//! Uses keys and buffers that fill their allocation, so that valgrind reports each byte read or
//! written outside them. `make test` also runs these tests under valgrind.

use arcfour::{
    Backend, Rc4, StreamCipher, apply_many, families::rc4::State, fill_many, rekey_many,
};

fn keystream(key: &[u8], len: usize) -> Box<[u8]> {
    let mut state = State::ksa(key).unwrap();
    (0..len).map(|_| state.prga()).collect()
}

fn key(n: usize) -> Box<[u8]> {
    (0..=n % 256).map(|byte| (byte * 7 + n) as u8).collect()
}

#[test]
fn one_stream_in_exact_allocations() {
    for (backend, len) in Backend::available().flat_map(|b| (0..=300).map(move |len| (b, len))) {
        let key = key(len);
        let expected = keystream(&key, len);
        let new = || Rc4::with_backend(&key, backend).unwrap();
        let zeros = vec![0; len].into_boxed_slice();
        let [mut filled, mut applied, mut copied] = [zeros.clone(), zeros.clone(), zeros.clone()];
        new().fill(&mut filled);
        new().apply(&mut applied);
        new().apply_keystream_b2b(&zeros, &mut copied);
        let what = format!("{}, {len} bytes", backend.name());
        assert!([filled, applied, copied].iter().all(|made| *made == expected), "{what}");
    }
}

#[test]
fn many_streams_in_exact_allocations() {
    for (backend, count) in Backend::available().flat_map(|b| (0..=20).map(move |n| (b, n))) {
        for len in [0, 1, 15, 16, 17, 31, 32, 33, 64, 100] {
            let keys: Vec<_> = (0..count).map(|n| key(n * 13 + len)).collect();
            let expected: Vec<_> = keys.iter().map(|key| keystream(key, 2 * len)).collect();
            let mut streams: Vec<_> =
                keys.iter().map(|key| Rc4::with_backend(key, backend).unwrap()).collect();
            let what = format!("{}, {count} streams of {len}", backend.name());
            for (part, run) in [fill_many, apply_many].into_iter().enumerate() {
                let mut made = vec![vec![0; len].into_boxed_slice(); count];
                run(&mut streams, &mut made.iter_mut().map(|out| &mut **out).collect::<Vec<_>>());
                for (made, expected) in made.iter().zip(&expected) {
                    assert_eq!(**made, expected[part * len..][..len], "{what}");
                }
            }
        }
    }
}

#[test]
fn keys_in_exact_allocations() {
    for (backend, len) in Backend::available().flat_map(|b| (1..=256).map(move |len| (b, len))) {
        let keys: Vec<_> = (0..6).map(|n| key(len - 1 + 7 * n * (len % 2))).collect();
        let slices: Vec<_> = keys.iter().map(|key| &**key).collect();
        let what = format!("{}, keys of {len}", backend.name());
        let mut streams: Vec<_> =
            keys.iter().map(|_| Rc4::with_backend(b"used", backend).unwrap()).collect();
        streams.iter_mut().for_each(|stream| stream.skip(10));
        rekey_many(&mut streams, &slices).unwrap();
        for (stream, key) in streams.iter_mut().zip(&keys) {
            assert!(stream.state().parts() == State::ksa(key).unwrap().parts(), "{what}");
            stream.skip(3);
            stream.rekey(key).unwrap();
            assert!(stream.state().parts() == State::ksa(key).unwrap().parts(), "{what}");
        }
        let mut made = vec![vec![0; len].into_boxed_slice(); keys.len()];
        let mut outs: Vec<_> = made.iter_mut().map(|out| &mut **out).collect();
        backend.sample_many(&slices, &mut outs).unwrap();
        for (made, key) in made.iter().zip(&keys) {
            assert!(*made == keystream(key, len), "{what}");
        }
    }
}

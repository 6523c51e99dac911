//! Properties that hold for any key, data and cuts.

use arcfour::{Backend, FirstBytes, KeyInit, KeyLengthError, Keystream, Parc4r, Rc4, Rc4a, Spritz};
use proptest::{collection::vec, prelude::*, sample::select};

fn key() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 1..=256)
}

fn data() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..3000)
}

fn backend() -> impl Strategy<Value = Backend> {
    select(Backend::available().collect::<Vec<_>>())
}

fn applied(mut rc4: Rc4, data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    rc4.apply(&mut data);
    data
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cuts_do_not_matter(
        key in key(), data in data(), cuts in vec(1usize..400, 1..20), backend in backend(),
    ) {
        let mut rc4 = Rc4::with_backend(&key, backend).unwrap();
        let whole = applied(rc4.clone(), &data);
        let (mut pieces, mut rest, mut cuts) = (data.clone(), 0, cuts.into_iter().cycle());
        while rest < data.len() {
            let end = data.len().min(rest + cuts.next().unwrap());
            rc4.apply(&mut pieces[rest..end]);
            rest = end;
        }
        prop_assert_eq!(pieces, whole);
        prop_assert_eq!(rc4.position(), data.len() as u64);
    }

    #[test]
    fn twice_is_the_data(key in key(), data in data(), backend in backend()) {
        let rc4 = Rc4::with_backend(&key, backend).unwrap();
        prop_assert_eq!(applied(rc4.clone(), &applied(rc4, &data)), data);
    }

    #[test]
    fn apply_xors_what_fill_writes(key in key(), data in data(), backend in backend()) {
        let mut rc4 = Rc4::with_backend(&key, backend).unwrap();
        let encrypted = applied(rc4.clone(), &data);
        let mut keystream = vec![0; data.len()];
        rc4.fill(&mut keystream);
        let xored: Vec<_> = keystream.iter().zip(&data).map(|(k, d)| k ^ d).collect();
        prop_assert_eq!(encrypted, xored);
    }

    #[test]
    fn crypt_is_apply_from_position_0(key in key(), data in data()) {
        let mut message = data.clone();
        Rc4::crypt(&key, &mut message).unwrap();
        prop_assert_eq!(message, applied(Rc4::from_key(&key).unwrap(), &data));
    }

    #[test]
    fn skip_discards(key in key(), n in 0usize..20_000, backend in backend()) {
        let mut skipped = Rc4::with_backend(&key, backend).unwrap();
        let mut filled = skipped.clone();
        skipped.skip(n as u64);
        filled.fill(&mut vec![0; n]);
        prop_assert_eq!(skipped.position(), filled.position());
        prop_assert_eq!(skipped.state().parts(), filled.state().parts());
    }

    #[test]
    fn positions_add_up(key in key(), steps in vec((0u8..3, 0u64..3000), 0..20)) {
        let mut rc4 = Rc4::from_key(&key).unwrap();
        let mut sum = 0;
        for (op, n) in steps {
            let mut buffer = vec![0; n as usize];
            match op {
                0 => rc4.fill(&mut buffer),
                1 => rc4.apply(&mut buffer),
                _ => rc4.skip(n),
            }
            sum += n;
            prop_assert_eq!(rc4.position(), sum);
            prop_assert_eq!(u64::from(rc4.state().parts().1), sum % 256, "i counts the bytes");
        }
    }

    #[test]
    fn drop_is_skip_from_position_0(key in key(), n in 0u64..5000, data in data()) {
        let mut skipped = Rc4::from_key(&key).unwrap();
        skipped.skip(n);
        let dropped = Rc4::with_drop(&key, n).unwrap();
        prop_assert_eq!(dropped.position(), 0);
        prop_assert_eq!(applied(dropped, &data), applied(skipped, &data));
    }

    /// The schedule reads the key cyclically.
    #[test]
    fn a_key_repeated_is_the_same_key(key in vec(any::<u8>(), 1..=128), backend in backend()) {
        let times = 256 / key.len();
        let once = Rc4::with_backend(&key, backend).unwrap();
        let often = Rc4::with_backend(&key.repeat(times), backend).unwrap();
        prop_assert_eq!(once.state().parts(), often.state().parts());
    }

    #[test]
    fn s_stays_a_permutation(key in key(), n in 0u64..5000, backend in backend()) {
        let mut rc4 = Rc4::with_backend(&key, backend).unwrap();
        rc4.skip(n);
        let mut s = *rc4.state().parts().0;
        s.sort_unstable();
        prop_assert!(s.iter().copied().eq(0..=255));
    }
}

#[test]
fn a_key_of_the_wrong_length_is_named() {
    for len in [0, 257, 1000] {
        let key = vec![7; len];
        let refused = KeyLengthError { given: len };
        assert_eq!(Rc4::from_key(&key).unwrap_err(), refused);
        assert_eq!(Rc4::with_drop(&key, 768).unwrap_err(), refused);
        for backend in Backend::available() {
            assert_eq!(Rc4::with_backend(&key, backend).unwrap_err(), refused);
        }
        assert!(<Rc4 as KeyInit>::new_from_slice(&key).is_err());
        let mut message = *b"message";
        assert_eq!((Rc4::crypt(&key, &mut message), message), (Err(refused), *b"message"));
        assert_eq!(refused.to_string(), format!("the key has {len} bytes; it must have 1 to 256"));
    }
}

#[test]
fn debug_shows_neither_key_nor_table() {
    let (key, by) = ([42; 16], Backend::detect().name());
    let backend = format!("Backend({by})");
    assert_eq!(format!("{:?}", Backend::detect()), backend);
    let shown = format!("position: 7, backend: {backend}, ..");
    let (mut rc4, mut rc4a) = (Rc4::from_key(&key).unwrap(), Rc4a::from_key(&key).unwrap());
    let (mut parc4r, mut spritz) =
        (Parc4r::from_key(&key).unwrap(), Spritz::from_key(&key).unwrap());
    let ciphers: [&mut dyn Keystream; 4] = [&mut rc4, &mut rc4a, &mut parc4r, &mut spritz];
    ciphers.into_iter().for_each(|cipher| cipher.skip(7));
    assert_eq!(format!("{rc4:?}"), format!("Rc4 {{ {shown} }}"));
    assert_eq!(format!("{rc4a:?}"), format!("Rc4a {{ {shown} }}"));
    assert_eq!(format!("{parc4r:?}"), "Parc4r { position: 7, .. }");
    assert_eq!(format!("{spritz:?}"), "Plain { position: 7, .. }");
    assert_eq!(format!("{:?}", FirstBytes::new()), "FirstBytes { .. }");
}

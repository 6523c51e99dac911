//! Compares with independent implementations: OpenSSL's RC4 and the crate `rc4`.

use ::arcfour::{Backend, Rc4};
use openssl::{cipher::Cipher, cipher_ctx::CipherCtx, lib_ctx::LibCtx, provider::Provider};
use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};

/// RC4 of OpenSSL's legacy provider, loaded only for this stream.
pub struct OpenSsl {
    context: CipherCtx,
    _provider: Provider,
    _library: LibCtx,
}

impl OpenSsl {
    pub fn new(key: &[u8]) -> Self {
        let library = LibCtx::new().unwrap();
        let provider = Provider::load(Some(&library), "legacy").unwrap();
        let cipher = Cipher::fetch(Some(&library), "RC4", None).unwrap();
        let mut context = CipherCtx::new().unwrap();
        context.encrypt_init(Some(&cipher), None, None).unwrap();
        context.set_key_length(key.len()).unwrap();
        context.encrypt_init(None, Some(key), None).unwrap();
        Self { context, _provider: provider, _library: library }
    }

    pub fn apply(&mut self, data: &mut [u8]) {
        let written = self.context.cipher_update_inplace(data, data.len()).unwrap();
        assert_eq!(written, data.len());
    }
}

fn random(len: usize, rng: &mut SmallRng) -> Vec<u8> {
    let mut bytes = vec![0; len];
    rng.fill_bytes(&mut bytes);
    bytes
}

#[test]
fn openssl_agrees_on_every_key_length() {
    let mut rng = SmallRng::seed_from_u64(21);
    for len in (1..=256).flat_map(|len| [len; 4]) {
        let (key, data) = (random(len, &mut rng), random(4000, &mut rng));
        let mut theirs = data.clone();
        OpenSsl::new(&key).apply(&mut theirs);
        for backend in Backend::available() {
            let mut ours = data.clone();
            Rc4::with_backend(&key, backend).unwrap().apply(&mut ours);
            assert!(ours == theirs, "{} differs from OpenSSL, key {key:02x?}", backend.name());
        }
    }
}

#[test]
fn openssl_agrees_on_megabytes() {
    let mut rng = SmallRng::seed_from_u64(22);
    for _ in 0..4 {
        let (len, data) = (rng.random_range(1..=256), random(16 << 20, &mut rng));
        let key = random(len, &mut rng);
        let mut theirs = data.clone();
        OpenSsl::new(&key).apply(&mut theirs);
        for backend in Backend::available() {
            let mut ours = data.clone();
            Rc4::with_backend(&key, backend).unwrap().apply(&mut ours);
            assert!(ours == theirs, "{} differs from OpenSSL, key {key:02x?}", backend.name());
        }
    }
}

/// The same program against either crate.
macro_rules! program {
    ($name:ident) => {
        mod $name {
            use ::$name::{
                KeyInit, Rc4, StreamCipher,
                cipher::{InvalidLength, Key, KeySizeUser},
            };

            pub fn encrypt(key: &[u8], data: &[u8]) -> Result<Vec<u8>, InvalidLength> {
                let mut rc4 = Rc4::new_from_slice(key)?;
                let mut out = data.to_vec();
                let (first, rest) = out.split_at_mut(data.len() / 3);
                rc4.try_apply_keystream(first).unwrap();
                rc4.apply_keystream_b2b(&data[first.len()..], rest);
                Ok(out)
            }

            pub fn keystream(key: &Key<Rc4>) -> [u8; 100] {
                assert_eq!(key.len(), Rc4::key_size());
                let mut out = [0; 100];
                Rc4::new(key).write_keystream(&mut out);
                out
            }
        }
    };
}

program!(arcfour);
program!(rc4);

#[test]
fn drops_in_for_the_crate_rc4() {
    let mut rng = SmallRng::seed_from_u64(23);
    for len in 0..=300 {
        let (key, data) = (random(len, &mut rng), random(1000, &mut rng));
        assert_eq!(arcfour::encrypt(&key, &data), rc4::encrypt(&key, &data), "key of {len} bytes");
    }
    let key = std::array::from_fn(|n| n as u8).into();
    assert_eq!(arcfour::keystream(&key), rc4::keystream(&key));
}

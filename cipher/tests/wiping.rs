//! Searches the memory of this process, through /proc/self, for copies of keys and states.
//!
//! A separate program, so that no other test writes to the memory that is searched.

#![cfg(target_os = "linux")]

use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    sync::Mutex,
};

use data_encoding::HEXLOWER;

use arcfour::{
    Backend, Family, FirstBytes, KeyInit, KeyIvInit, Rc4, StreamCipher, Vmpc,
    families::variant::Variant, rekey_many, sample_many,
};

/// One test at a time: each searches all memory.
static ALONE: Mutex<()> = Mutex::new(());

/// Keys are stored and searched xored with this mask, so that the search itself holds no copy.
const MASK: u8 = 0x5a;

/// True if secrets must be gone. Without the feature the tests check that the secrets stay, which
/// shows that the search finds them.
const WIPED: bool = cfg!(feature = "zeroize");

fn memory() -> File {
    File::open("/proc/self/mem").unwrap()
}

/// The addresses at which the bytes, masked, lie in writable memory.
fn find(masked: &[u8]) -> Vec<u64> {
    let (memory, mut found) = (memory(), vec![]);
    let mut block = vec![0; 1 << 20];
    for line in fs::read_to_string("/proc/self/maps").unwrap().lines() {
        let mut columns = line.split_whitespace();
        let (range, rights) = (columns.next().unwrap(), columns.next().unwrap());
        if !rights.starts_with("rw") {
            continue;
        }
        let (start, end) = range.split_once('-').unwrap();
        let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16).unwrap());
        let mut at = start;
        while at < end {
            let len = block.len().min((end - at) as usize);
            let Ok(len) = memory.read_at(&mut block[..len], at) else { break };
            for (n, window) in block[..len].windows(masked.len()).enumerate() {
                if window.iter().zip(masked).all(|(byte, masked)| byte ^ MASK == *masked) {
                    found.push(at + n as u64);
                }
            }
            if at + len as u64 >= end || len < masked.len() {
                break;
            }
            at += (len - masked.len() + 1) as u64;
        }
    }
    // The kernel copied the found bytes here.
    block.fill(0);
    std::hint::black_box(&block);
    found
}

/// Unmasks `masked` in memory that is wiped afterwards, and calls `work` with the key. Returns how
/// often the key was found during the call, and where it is found at the end.
fn leftovers(masked: &[u8], work: impl FnOnce(&[u8])) -> (usize, Vec<u64>) {
    let mut key: Box<[u8]> = masked.into();
    key.iter_mut().for_each(|byte| *byte ^= MASK);
    work(&key);
    let meanwhile = find(masked).len();
    key.iter_mut().for_each(|byte| *byte ^= MASK);
    std::hint::black_box(&key);
    (meanwhile, find(masked))
}

/// Returns a masked key of `len` bytes, whose plain bytes are nowhere else in memory.
fn masked_key(len: usize, salt: u8) -> Vec<u8> {
    (0..len).map(|n| (n as u8).wrapping_mul(167).wrapping_add(salt) ^ (n / 7) as u8).collect()
}

#[test]
fn a_dropped_cipher_leaves_no_table() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (memory, mut all_left) = (memory(), 0);
    for &family in Family::ALL {
        let backends: Vec<_> =
            if family.facts().fast { Backend::available().map(Some).collect() } else { vec![None] };
        for backend in backends {
            let iv = family.takes_iv().then_some(&b"IV"[..]);
            let mut cipher = family.start(b"a key", iv, backend).unwrap();
            cipher.skip(1000);
            let (at, len) = (std::ptr::from_ref(&*cipher).addr() as u64, size_of_val(&*cipher));
            let read = || {
                let mut bytes = vec![0; len];
                memory.read_exact_at(&mut bytes, at).unwrap();
                bytes
            };
            let before = read();
            drop(cipher);
            let after = read();
            // The allocator writes to what is freed, and addresses and positions may stay. Sixteen
            // different bytes in a row belong to a table or a key.
            let secret = |n: &usize| {
                let mut bytes = before[*n..n + 16].to_vec();
                bytes.sort_unstable();
                bytes.windows(2).all(|pair| pair[0] != pair[1])
            };
            let secrets: Vec<_> = (0..=len - 16).filter(secret).collect();
            assert!(secrets.len() > 40, "{family}: the table was not where it is looked for");
            let left = secrets.iter().filter(|n| before[**n..][..16] == after[**n..][..16]).count();
            assert!(!WIPED || left == 0, "{family}: {left} of {} left", secrets.len());
            all_left += left;
        }
    }
    assert!(WIPED || all_left > 0, "nothing wiped the tables, and they are gone");
}

/// Returns the masked middle of the table that `start` makes of the key, so that the search also
/// finds a partial copy.
fn masked_table(key: &[u8]) -> Vec<u8> {
    let mut state = arcfour::families::rc4::State::ksa(key).unwrap();
    let masked = state.parts().0[100..132].iter().map(|byte| byte ^ MASK).collect();
    // The definition leaves its own copies.
    drop(std::mem::replace(&mut state, arcfour::families::rc4::State::ksa(b"-").unwrap()));
    clear_stack();
    masked
}

/// Overwrites what earlier calls left on the stack.
#[inline(never)]
fn clear_stack() {
    std::hint::black_box(&mut [0_u8; 64 << 10]);
}

/// The key can be computed from the table that the key schedule makes: no copy of it may stay on the stack.
#[test]
fn no_scheduled_table_stays_behind() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let ways: [fn(&[u8], Backend); 6] = [
        |key, backend| drop(Family::Rc4.start(key, None, Some(backend)).unwrap()),
        |key, backend| drop(Family::Rc4.start(key, None, Some(backend)).unwrap().clone()),
        |key, backend| drop(Rc4::boxed(key, backend).unwrap()),
        |key, _| Rc4::crypt(key, &mut []).unwrap(),
        |key, backend| {
            let mut rc4 = Rc4::with_backend(b"-", backend).unwrap();
            rc4.rekey(key).unwrap();
        },
        |key, backend| {
            let mut rc4 = Rc4::with_backend(b"-", backend).unwrap();
            rc4.clone_from(&*Rc4::boxed(key, backend).unwrap());
        },
    ];
    let mut all_left = 0;
    for (n, way) in ways.into_iter().enumerate() {
        for backend in Backend::available() {
            let key = masked_key(16, 200 + n as u8);
            let masked = masked_table(&key);
            if n == 0 {
                let kept = Rc4::boxed(&key, backend).unwrap();
                assert!(!find(&masked).is_empty(), "{backend:?}: the search does not find");
                drop(kept);
            }
            way(&key, backend);
            let left = find(&masked);
            assert!(!WIPED || left.is_empty(), "way {n}, {backend:?}: copies at {left:x?}");
            all_left += left.len();
        }
    }
    assert!(WIPED || all_left > 0, "nothing wiped the tables, and they are gone");
}

/// A cipher of any family that was started, cloned and dropped leaves nothing of its table.
#[test]
fn no_table_of_a_family_stays_on_the_stack() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let memory = memory();
    for &family in Family::ALL {
        let iv = family.takes_iv().then_some(&b"IV"[..]);
        let mut cipher = family.start(b"a key for the stack", iv, None).unwrap();
        cipher.skip(1); // Spritz mixes its table when it begins to write
        let (at, len) = (std::ptr::from_ref(&*cipher).addr() as u64, size_of_val(&*cipher));
        let mut masked = vec![0; len];
        memory.read_exact_at(&mut masked, at).unwrap();
        masked.iter_mut().for_each(|byte| *byte ^= MASK);
        // A piece of a table, whose bytes all differ.
        let differ = |bytes: &&[u8]| (1..bytes.len()).all(|n| !bytes[..n].contains(&bytes[n]));
        let piece = masked.chunks_exact(32).rfind(differ).unwrap();
        assert!(!find(piece).is_empty(), "{family}: the search does not find the cipher itself");
        drop(cipher.clone());
        drop(cipher);
        let left = find(piece);
        assert!(!WIPED || left.is_empty(), "{family}: copies at {left:x?}");
    }
}

/// Ways to use a key, with every family and backend.
fn use_key(key: &[u8]) {
    let mut data = [0; 100];
    for &family in Family::ALL {
        let iv = family.takes_iv().then_some(key);
        let mut cipher = family.start(key, iv, None).unwrap();
        cipher.apply(&mut data);
        cipher.clone().skip(5000);
    }
    for backend in Backend::available() {
        Rc4::with_backend(key, backend).unwrap().apply(&mut data);
        let mut streams: Vec<_> =
            (0..11).map(|_| Rc4::with_backend(b"used", backend).unwrap()).collect();
        rekey_many(&mut streams, &[key; 11]).unwrap();
        streams[0].rekey(key).unwrap();
        let mut outs = [[0; 32]; 11];
        backend.sample_many(&[key; 11], &mut outs.each_mut().map(|out| &mut out[..])).unwrap();
    }
    FirstBytes::new().fill(&[key; 35], &mut [0; 35]).unwrap();
    sample_many(&[key; 35], &mut [[0; 20]; 35].each_mut().map(|out| &mut out[..])).unwrap();
    Rc4::with_drop(key, 768).unwrap().fill(&mut data);
    Rc4::new_from_slice(key).unwrap().apply_keystream(&mut data);
    Vmpc::new_from_slices(key, key).unwrap().apply_keystream(&mut data);
}

/// The stack and the heap hold no copy of a key after its use. Neither the plain key is found, nor
/// the key repeated as the key schedule reads it.
#[test]
fn no_copy_of_a_key_stays() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for (n, len) in [16, 17, 24, 32, 33, 48, 100, 255, 256].into_iter().enumerate() {
        let masked = masked_key(len, 50 + n as u8);
        let (meanwhile, left) = leftovers(&masked, use_key);
        assert!(meanwhile > 0, "{len} bytes: the search does not find what is there");
        if WIPED {
            assert!(left.is_empty(), "{len} bytes: copies at {left:x?}");
            // The search does not find the beginning of the key either.
            let left = find(&masked[..16]);
            assert!(left.is_empty(), "{len} bytes: copies of the beginning at {left:x?}");
        } else {
            assert!(!left.is_empty(), "{len} bytes: nothing wiped it, and it is gone");
        }
    }
}

/// Keys and tables of many keys lie interleaved, so equal keys make repeated bytes.
#[test]
fn no_interleaved_copy_stays() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let ways: [fn(&[u8]); 2] = [
        |key| FirstBytes::new().fill(&[key; 32], &mut [0; 32]).unwrap(),
        |key| {
            let mut outs = [[0; 20]; 32];
            sample_many(&[key; 32], &mut outs.each_mut().map(|out| &mut out[..])).unwrap();
        },
    ];
    let mut all_left = 0;
    for (n, way) in ways.into_iter().enumerate() {
        let masked = masked_key(16, 150 + n as u8);
        // 32 keys in a row of `FirstBytes`, and 16 in a row of `sample_many`.
        let key = repeated(&masked, [32, 16][n]);
        let mut table = vec![];
        leftovers(&masked, |key| {
            table = repeated(&masked_table(key), 8);
            way(key);
        });
        for (what, masked) in [("key", key), ("table", table)] {
            let left = find(&masked);
            assert!(!WIPED || left.is_empty(), "way {n}: copies of the {what} at {left:x?}");
            all_left += left.len();
        }
    }
    assert!(WIPED || all_left > 0, "nothing wiped the copies, and they are gone");
}

/// The key and the table of a changed RC4 lie on the heap. The allocator overwrites the first bytes of
/// freed memory, so the test looks for later bytes of the key.
#[test]
fn a_dropped_variant_leaves_no_key_and_no_table() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (masked, mut table) = (masked_key(100, 120), vec![]);
    leftovers(&masked, |key| {
        table = masked_table(key);
        drop(Variant::default().start(key).unwrap());
    });
    let mut all_left = 0;
    for (what, masked) in [("key", &masked[32..64]), ("table", &table[..])] {
        let left = find(masked);
        assert!(!WIPED || left.is_empty(), "copies of the {what} at {left:x?}");
        all_left += left.len();
    }
    assert!(WIPED || all_left > 0, "nothing wiped the copies, and they are gone");
}

/// Returns each byte `count` times.
fn repeated(bytes: &[u8], count: usize) -> Vec<u8> {
    bytes.iter().flat_map(|byte| vec![*byte; count]).collect()
}

/// Keys that PARC4-R derives: PRK, and the key of lane 0 in chunk 0. Made by another program, and
/// masked.
#[test]
#[cfg(feature = "parc4r")]
fn no_copy_of_a_derived_key_stays() {
    const PRK: &str = "afe4b2c8acbafe52377292a31e0dec6d54ba05ccf39d67dd59b46acb325705ea";
    const LANE: &str = "0d8690f0a2e1c1d99ebf1187f51d16f33660c315d163ccfc74e9a80aa95eacc3";
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let [prk, lane] = [PRK, LANE].map(|digits| HEXLOWER.decode(digits.as_bytes()).unwrap());
    let mut parc4r =
        Family::Parc4r.start(b"PARC4-R: a key to look for in memory", None, None).unwrap();
    parc4r.skip(100);
    assert!(!find(&prk).is_empty(), "the cipher keeps PRK");
    if WIPED {
        let left = find(&lane);
        assert!(left.is_empty(), "the key of a lane at {left:x?}");
    }
    drop(parc4r);
    let left = find(&prk);
    assert_eq!(left.is_empty(), WIPED, "PRK at {left:x?}");
}

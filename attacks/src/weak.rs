//! Weak keys and states, whose pattern survives in RC4.
//!
//! **Weak keys.** S. Fluhrer, I. Mantin and A. Shamir (SAC 2001, §4) describe the invariance
//! weakness. The condition is K\[0\] = 1, K\[1\] ≥ 128 and K\[r\] ≡ 1 − r modulo 2. Then the key
//! schedule often leaves the lowest bit of every entry but two equal to the lowest bit of its
//! place. So the lowest bits of the first keystream bytes are known. For 16 bytes this holds for
//! one key in 2^24. I. Mantin (*Bar Mitzvah Attack*, Black Hat Asia 2015) recovers bits of TLS
//! plaintexts with such keys.
//!
//! **Short cycles.** H. Finney (sci.crypt, 1994): if j = i + 1 and S\[j\] = 1, this holds for ever,
//! and the state repeats after 256 · 255 steps. RC4 begins with i = j = 0 and its steps are
//! reversible, so it never reaches such a state.
//!
//! **Colliding keys.** M. Matsui (*Key Collisions of the RC4 Stream Cipher*, FSE 2009) found pairs
//! of keys with equal or nearly equal tables. The keys of a pair differ by 1 in one byte. At this
//! byte's step one j is its place d, and the other j is d + 1. If d and d + 1 are still in place,
//! the next step makes both j equal again, and two entries have changed places. This must happen
//! once in each repetition of the key, so long keys need it less often.
//!
//! **IV before or after.** The attack on WEP needs an IV before the secret key. With the IV after
//! the key, Klein's vote also holds for every byte but the first, which must be guessed (A. Klein,
//! Designs, Codes and Cryptography 48, 2008). [`klein_votes`] measures the success rates.

use arcfour::Rc4;

use crate::{
    experiment::{Random, Success},
    wep::{IV, MAX_KEY, klein_is_right},
};

/// Number of keystream bytes that are compared with the pattern.
pub const PATTERN: usize = 128;

/// The predicted lowest bit of keystream byte `t` (counting from 1) while S\[x\] ≡ x (mod 2) for every x. It is the parity of
/// i + j, where j = 1 + 2 + … + t.
pub fn pattern(t: usize) -> u8 {
    ((t + t * (t + 1) / 2) % 2) as u8
}

/// Returns a random key of the weak class.
///
/// # Panics
/// If the length is 0 or odd, because the parities then change at each repetition of the key.
pub fn weak_key(length: usize, random: &mut Random) -> Vec<u8> {
    assert!(length > 0 && length.is_multiple_of(2), "weak key of {length} bytes");
    let mut key = random.bytes(length);
    for (r, byte) in key.iter_mut().enumerate() {
        *byte = *byte & 0xfe | ((r + 1) % 2) as u8;
    }
    key[0] = 1;
    key[1] |= 0x80;
    key
}

/// Counts over several keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parities {
    /// Number of keys with at most two entries that differ in parity from their places after the
    /// schedule.
    pub kept: Success,
    /// For each of the first bytes of keystream: number of keys whose lowest bit follows the
    /// pattern.
    pub follows: [Success; PATTERN],
}

impl Default for Parities {
    fn default() -> Self {
        Self { kept: Success::default(), follows: [Success::default(); PATTERN] }
    }
}

impl Parities {
    /// Counts another key.
    ///
    /// # Panics
    /// If it is empty or has more than 256 bytes.
    pub fn add(&mut self, key: &[u8]) {
        let mut rc4 = Rc4::from_key(key).expect("1 to 256 bytes");
        let odd = |(place, entry): (usize, &u8)| place % 2 != usize::from(entry % 2);
        let wrong = rc4.state().parts().0.iter().enumerate().filter(|&at| odd(at)).count();
        self.kept.count(wrong <= 2);
        let mut keystream = [0; PATTERN];
        rc4.fill(&mut keystream);
        for (t, (follows, byte)) in (1..).zip(self.follows.iter_mut().zip(keystream)) {
            follows.count(byte % 2 == pattern(t));
        }
    }

    /// Adds the counts of another set.
    pub fn merge(mut self, other: &Self) -> Self {
        self.kept = self.kept + other.kept;
        for (all, more) in self.follows.iter_mut().zip(other.follows) {
            *all = *all + more;
        }
        self
    }
}

/// Returns Klein's votes from one packet for each byte of a random 13-byte secret key, given the
/// bytes before it. The first result has a random 3-byte IV in front of the key. The second has the
/// IV behind the key, where the first byte gets no vote.
pub fn klein_votes(random: &mut Random) -> [Success; 2] {
    let (secret, iv) = (random.bytes(MAX_KEY), random.bytes(IV));
    let keystream = |parts: [&[u8]; 2]| {
        let mut keystream = [0_u8; IV + MAX_KEY];
        Rc4::from_key(&parts.concat()).expect("16 bytes").fill(&mut keystream);
        keystream
    };
    let before = klein_is_right(&iv, &secret, &keystream([&iv, &secret])).collect();
    let after = klein_is_right(&secret[..1], &secret[1..], &keystream([&secret, &iv])).collect();
    [before, after]
}

/// Returns the period of the state with this table, i = 0, and j and the entry there as in Finney's
/// cycles.
pub fn finney_period(mut s: [u8; 256]) -> u64 {
    let one = s.iter().position(|&entry| entry == 1).expect("a permutation");
    s.swap(1, one);
    let start = Rc4::from_parts(&s, 0, 1);
    let mut rc4 = start.clone();
    let mut steps = 0;
    loop {
        rc4.skip(1);
        steps += 1;
        if rc4.state().parts() == start.state().parts() {
            return steps;
        }
    }
}

/// Two keys with nearly the same table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearCollision {
    /// The keys, which differ in the byte at [`CHANGED`], by 1.
    pub keys: [Vec<u8>; 2],
    /// Number of entries in which their tables differ after the key schedule.
    pub entries: usize,
    /// Number of pairs tried.
    pub tried: u64,
}

/// The place of the byte in which colliding keys differ.
pub const CHANGED: usize = 2;

/// Tries at most `most` random keys, and returns two keys whose tables differ in at most `entries`
/// places. The differing byte is chosen so that its first step has the required j.
///
/// # Panics
/// If the length is below 4 or above 256.
pub fn near_collision(
    length: usize,
    entries: usize,
    most: u64,
    random: &mut Random,
) -> Option<NearCollision> {
    assert!((4..=256).contains(&length), "key of {length} bytes");
    let table = |key: &[u8]| *Rc4::from_key(key).expect("4 to 256 bytes").state().parts().0;
    (1..=most).find_map(|tried| {
        let mut key = random.bytes(length);
        let (mut s, mut j) = (std::array::from_fn::<u8, 256, _>(|place| place as u8), 0_u8);
        for (i, &byte) in key[..CHANGED].iter().enumerate() {
            j = j.wrapping_add(s[i]).wrapping_add(byte);
            s.swap(i, usize::from(j));
        }
        key[CHANGED] = (CHANGED as u8).wrapping_sub(j).wrapping_sub(s[CHANGED]);
        let mut other = key.clone();
        other[CHANGED] = other[CHANGED].wrapping_add(1);
        let (one, two) = (table(&key), table(&other));
        let different = one.iter().zip(&two).filter(|(a, b)| a != b).count();
        (different <= entries).then_some(NearCollision {
            keys: [key, other],
            entries: different,
            tried,
        })
    })
}

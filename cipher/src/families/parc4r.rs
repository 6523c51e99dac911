//! PARC4-R, version 1: our repair of PARC4-I. Not published elsewhere; this page is its
//! specification.
//!
//! It keeps the aims of [`parc4i`](super::parc4i): several independent tables for the parallelism
//! within a core, and blocks for several cores. One thing changes: **every lane of every chunk gets
//! a separate key**, by a real key derivation. The lanes are plain RC4, so nothing is looked up
//! across tables.
//!
//! # Specification
//!
//! | name | value |
//! |---|---|
//! | [`LANES`] | 5 |
//! | [`BLOCK`] | 1024 bytes |
//! | row | one block of each lane, 5 × 1024 = 5120 bytes |
//! | [`CHUNK`] | 256 rows, 1,310,720 bytes |
//! | [`RECOMMENDED_DROP`] | 3072 bytes of each lane |
//!
//! The key K has 1 to 256 bytes. The keystream is chunk 0, chunk 1, chunk 2 … one after the other;
//! byte p stands in chunk c = ⌊p / 1,310,720⌋.
//!
//! 1. PRK = HKDF-Extract(salt = the 16 bytes `arcfour PARC4-R1` in ASCII, IKM = K), with HKDF of
//!    RFC 5869 on SHA-256: PRK = HMAC-SHA-256(key = salt, message = K), 32 bytes.
//! 2. For chunk c and lane l = 0 … 4 the lane key is HKDF-Expand(PRK, info, 32). Here info is 13
//!    bytes: `lane` in ASCII, c as 8 bytes big-endian, l as one byte. As 32 bytes are one block of
//!    HKDF, the lane key is HMAC-SHA-256(key = PRK, message = info followed by the byte 01).
//! 3. Lane l of chunk c is RC4-drop\[3072\] with its lane key: 256 blocks of 1024 bytes.
//! 4. The chunk is its rows in order; a row is the next block of lane 0, of lane 1, … of lane 4.
//!    Byte p of the keystream is at q = p mod 1,310,720 of its chunk. It is byte
//!    1024 ⌊q / 5120⌋ + (q mod 1024) of lane ⌊q / 1024⌋ mod 5.
//!
//! **In parallel.** The lanes of a chunk are independent, and so are chunks. Several cores take
//! whole chunks. **Seeking** to byte p derives the five keys of its chunk and advances within it;
//! nothing before the chunk is computed.
//!
//! **Why these numbers.** Five lanes are what one loop of the x86-64 backend runs. Blocks of 1024
//! bytes were measured on an AMD Zen 5 core, over all streams together. 5 streams take 0.39 ns per
//! byte, 8 streams 0.46 (5 and 3), and 4 streams 0.56 (one after the other). 5 streams take 0.41 ns
//! per byte with blocks of 256 bytes, and 0.38 with 4096 bytes. The loop takes rows of such blocks
//! in place, without a transposition, and i is 0 at the start of each. A new chunk takes 10 µs
//! (keys, schedules and 15,360 dropped bytes), 2 % of the chunk's time. Chunks are small enough to
//! spread a few megabytes over all cores.
//!
//! # What it does not protect
//!
//! It is still RC4: past the drop its long-term biases remain in every lane. No other cryptographer
//! has examined it. The same key gives the same keystream, so a key is for one message. Nothing
//! detects a changed message. New designs use AES-GCM or ChaCha20-Poly1305.

use super::{
    FromKey, Prga,
    rc4::{self, RECOMMENDED_DROP},
};
use crate::{
    error::{KeyLengthError, check_key},
    wipe::{WipedBytes, wipe, wipe_stack},
};
use hkdf::Hkdf;
use sha2::Sha256;

/// Number of lanes.
pub const LANES: usize = 5;
/// Bytes of a block: consecutive keystream of one lane.
pub const BLOCK: usize = 1024;
/// Bytes of a row: one block of each lane.
pub(crate) const ROW: usize = LANES * BLOCK;
/// After how many bytes all lanes get new keys.
pub const CHUNK: usize = 256 * ROW;
/// PRK of step 1, the key from which all lane keys are derived. Wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct MasterKey(WipedBytes<32>);

impl MasterKey {
    /// Step 1.
    pub(crate) fn extract(key: &[u8]) -> Result<Self, KeyLengthError> {
        check_key(key)?;
        let mut master = Self(WipedBytes([0; 32]));
        master.extract_in_frame(key);
        // The HMAC leaves its blocks on the stack.
        wipe_stack::<4096>();
        Ok(master)
    }

    /// Not inlined, so that [`wipe_stack`] reaches its stack frame.
    #[inline(never)]
    fn extract_in_frame(&mut self, key: &[u8]) {
        let (mut prk, _) = Hkdf::<Sha256>::extract(Some(b"arcfour PARC4-R1"), key);
        self.0.0.copy_from_slice(&prk);
        wipe(&mut prk);
    }

    /// Step 2, for all lanes of a chunk.
    pub(crate) fn lane_keys(&self, chunk: u64) -> [WipedBytes<32>; LANES] {
        let mut keys = [const { WipedBytes([0; 32]) }; LANES];
        self.expand_in_frame(chunk, &mut keys);
        wipe_stack::<4096>();
        keys
    }

    /// Not inlined, so that [`wipe_stack`] reaches its stack frame.
    #[inline(never)]
    fn expand_in_frame(&self, chunk: u64, keys: &mut [WipedBytes<32>; LANES]) {
        let hkdf = Hkdf::<Sha256>::from_prk(&self.0.0).expect("32 bytes are a valid PRK");
        for (lane, WipedBytes(key)) in keys.iter_mut().enumerate() {
            let info: [&[u8]; 3] = [b"lane", &chunk.to_be_bytes(), &[lane as u8]];
            hkdf.expand_multi_info(&info, key).expect("32 bytes are a valid length");
        }
    }
}

/// The definition, one byte at a time. Wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    master: MasterKey,
    lanes: [rc4::State; LANES],
    chunk: u64,
    offset: usize,
}

// Shows no secret.
impl core::fmt::Debug for State {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// The state before the first byte, from a key of 1 to 256 bytes.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn new(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::at_chunk(key, 0)
    }

    /// The state before the first byte of a chunk.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn at_chunk(key: &[u8], chunk: u64) -> Result<Self, KeyLengthError> {
        let master = MasterKey::extract(key)?;
        let lanes = Self::start(&master, chunk);
        Ok(Self { master, lanes, chunk, offset: 0 })
    }

    /// Steps 2 and 3.
    fn start(master: &MasterKey, chunk: u64) -> [rc4::State; LANES] {
        let keys = master.lane_keys(chunk);
        core::array::from_fn(|lane| {
            let mut rc4 = rc4::State::ksa(&keys[lane].0).expect("32 bytes are a valid key");
            (0..RECOMMENDED_DROP).for_each(|_| _ = rc4.prga());
            rc4
        })
    }

    /// Returns the position of the next byte, modulo 2^64.
    pub fn position(&self) -> u64 {
        self.chunk.wrapping_mul(CHUNK as u64).wrapping_add(self.offset as u64)
    }

    /// The lanes, for tests and teaching.
    pub fn lanes(&self) -> &[rc4::State; LANES] {
        &self.lanes
    }
}

impl Prga for State {
    /// Step 4.
    fn prga(&mut self) -> u8 {
        let byte = self.lanes[self.offset / BLOCK % LANES].prga();
        self.offset += 1;
        if self.offset == CHUNK {
            (self.chunk, self.offset) = (self.chunk.wrapping_add(1), 0);
            self.lanes = Self::start(&self.master, self.chunk);
        }
        byte
    }
}

impl FromKey for State {
    fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::new(key)
    }
}

// Its parts wipe all secrets.
#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for State {}

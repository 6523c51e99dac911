//! PARC4-R for use in programs: the lanes of the definition, in one loop where the machine can.

use cipher::{
    KeySizeUser, OverflowError, SeekNum, StreamCipherError, StreamCipherSeek, consts::U32,
    inout::InOutBuf,
};

use crate::{
    Backend, Rc4, apply_many,
    error::KeyLengthError,
    families::{
        parc4r::{BLOCK, CHUNK, LANES, MasterKey, ROW},
        rc4::RECOMMENDED_DROP,
    },
    fill_many,
    keystream::{key_init, stream_cipher},
    rekey_many,
    wipe::wipe,
};

/// PARC4-R: a keystream and its position. Wiped when dropped.
///
/// For several cores, give each its own clone and [`seek`](Self::seek) it to the chunk it is to
/// make: chunks begin at multiples of [`CHUNK`].
///
/// ```
/// use arcfour::{Parc4r, families::parc4r::CHUNK};
///
/// let parc4r = Parc4r::from_key(b"Key")?;
/// let mut data = vec![0; 3 * CHUNK];
/// std::thread::scope(|scope| {
///     for (chunk, data) in data.chunks_mut(CHUNK).enumerate() {
///         let mut parc4r = parc4r.clone();
///         scope.spawn(move || {
///             parc4r.seek((chunk * CHUNK) as u64);
///             parc4r.apply(data);
///         });
///     }
/// });
///
/// let mut at_once = vec![0; 3 * CHUNK];
/// parc4r.clone().fill(&mut at_once);
/// assert_eq!(data, at_once);
/// # Ok::<(), arcfour::KeyLengthError>(())
/// ```
///
/// Also implements the RustCrypto traits [`KeyInit`](cipher::KeyInit),
/// [`StreamCipher`](cipher::StreamCipher) and [`StreamCipherSeek`]. Only this family can seek,
/// because a chunk depends only on the key and the chunk's number.
#[derive(Clone)]
pub struct Parc4r {
    master: MasterKey,
    lanes: [Rc4; LANES],
    chunk: u64,
    /// Offset of the next byte within its chunk, below `CHUNK`.
    offset: usize,
}

impl Parc4r {
    /// Sets up PARC4-R with a key of 1 to 256 bytes, at position 0.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn from_key(key: &[u8]) -> Result<Self, KeyLengthError> {
        Self::with_backend(key, Backend::detect())
    }

    /// Sets up PARC4-R with lanes by a backend other than the fastest, for tests and measurements.
    ///
    /// # Errors
    /// If the key is empty or has more than 256 bytes.
    pub fn with_backend(key: &[u8], backend: Backend) -> Result<Self, KeyLengthError> {
        let master = MasterKey::extract(key)?;
        let lanes = core::array::from_fn(|_| Rc4::unkeyed(backend));
        let mut parc4r = Self { master, lanes, chunk: 0, offset: 0 };
        parc4r.start(0);
        Ok(parc4r)
    }

    /// Moves to a position of the keystream, forward or back. Takes no longer than making a chunk.
    pub fn seek(&mut self, position: u64) {
        self.start(position / CHUNK as u64);
        self.discard((position % CHUNK as u64) as usize);
    }

    /// Keys the lanes for a chunk.
    fn start(&mut self, chunk: u64) {
        let keys = self.master.lane_keys(chunk);
        rekey_many(&mut self.lanes, &keys.each_ref().map(|key| &key.0[..]))
            .expect("32 bytes are a valid key");
        let mut unused = [[0; RECOMMENDED_DROP]; LANES];
        fill_many(&mut self.lanes, &mut unused.each_mut().map(|bytes| &mut bytes[..]));
        wipe(unused.as_flattened_mut());
        (self.chunk, self.offset) = (chunk, 0);
    }

    /// Advances within the chunk.
    fn discard(&mut self, n: usize) {
        let mut unused = [0; ROW];
        for len in core::iter::repeat_n(ROW, n / ROW).chain([n % ROW]) {
            self.fill(&mut unused[..len]);
        }
        wipe(&mut unused);
    }

    /// Takes whole rows of all lanes at once, the rest of a row lane by lane.
    fn advance(
        &mut self,
        mut rest: &mut [u8],
        many: fn(&mut [Rc4], &mut [&mut [u8]]),
        one: fn(&mut Rc4, &mut [u8]),
    ) {
        while !rest.is_empty() {
            let len = if self.offset.is_multiple_of(ROW) && rest.len() >= ROW {
                let (blocks, _) = rest[..ROW].as_chunks_mut::<BLOCK>();
                let blocks: &mut [_; LANES] = blocks.try_into().expect("a block of each lane");
                many(&mut self.lanes, &mut blocks.each_mut().map(|block| &mut block[..]));
                ROW
            } else {
                let len = rest.len().min(BLOCK - self.offset % BLOCK);
                one(&mut self.lanes[self.offset / BLOCK % LANES], &mut rest[..len]);
                len
            };
            rest = &mut rest[len..];
            self.offset += len;
            if self.offset == CHUNK {
                self.start(self.chunk.wrapping_add(1));
            }
        }
    }

    /// Writes the next `out.len()` bytes of keystream.
    pub fn fill(&mut self, out: &mut [u8]) {
        self.advance(out, fill_many, Rc4::fill);
    }

    fn xor(&mut self, mut data: InOutBuf<'_, '_, u8>) {
        for mut byte in data.reborrow() {
            *byte.get_out() = *byte.get_in();
        }
        self.advance(data.get_out(), apply_many, Rc4::apply);
    }

    /// Advances by `n` bytes. Takes no longer than making a chunk.
    pub fn skip(&mut self, n: u64) {
        let target = self.offset as u128 + u128::from(n);
        let chunks = (target / CHUNK as u128) as u64;
        if chunks == 0 {
            self.discard(n as usize);
        } else {
            self.start(self.chunk.wrapping_add(chunks));
            self.discard((target % CHUNK as u128) as usize);
        }
    }

    /// Returns how many bytes of keystream have been used or skipped so far (modulo 2^64).
    pub fn position(&self) -> u64 {
        self.chunk.wrapping_mul(CHUNK as u64).wrapping_add(self.offset as u64)
    }

    /// Returns the lanes, for tests and teaching.
    pub fn lanes(&self) -> &[Rc4; LANES] {
        &self.lanes
    }
}

stream_cipher!(Parc4r);
key_init!(Parc4r);

impl KeySizeUser for Parc4r {
    type KeySize = U32;
}

impl StreamCipherSeek for Parc4r {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // A block of one byte. No byte of it is left over.
        T::from_block_byte(self.position(), 1, 1)
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        let (position, _) = position.into_block_byte::<u64>(1)?;
        Self::seek(self, position);
        Ok(())
    }
}

// Its parts wipe all secrets.
#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Parc4r {}

impl core::fmt::Debug for Parc4r {
    /// Shows neither key nor table.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Parc4r").field("position", &self.position()).finish_non_exhaustive()
    }
}

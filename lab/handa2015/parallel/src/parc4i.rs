//! PARC4-I with its loop unrolled, as in the paper: a round makes four bytes without a jump. Also
//! with the loop kept, one byte a turn, to measure the gain of unrolling.

use std::hint::black_box;

const LANES: usize = 4;

/// Four tables and their indexes. `TEXT` selects the lookups of the text instead of Algorithm 2's.
#[derive(Clone)]
pub struct Parc4i<const TEXT: bool> {
    s: [[u8; 256]; 4],
    i: u8,
    j: [u8; 4],
}

impl<const TEXT: bool> Parc4i<TEXT> {
    /// Algorithm 1: one key for all four tables, so it is scheduled once.
    pub fn ksa(key: &[u8]) -> Self {
        let mut s: [u8; 256] = std::array::from_fn(|i| i as u8);
        let mut j = 0_u8;
        for i in 0..256 {
            j = j.wrapping_add(s[i]).wrapping_add(key[i % key.len()]);
            s.swap(i, usize::from(j));
        }
        Self { s: [s; 4], i: 0, j: [0; 4] }
    }

    /// Shuffles table `LANE` and returns the sum that is looked up.
    #[inline(always)]
    fn shuffle<const LANE: usize>(&mut self) -> usize {
        let (s, j, i) = (&mut self.s[LANE], &mut self.j[LANE], usize::from(self.i));
        let x = s[i];
        *j = j.wrapping_add(x);
        let y = s[usize::from(*j)];
        s[i] = y;
        s[usize::from(*j)] = x;
        usize::from(x.wrapping_add(y))
    }

    #[inline(always)]
    fn round(&mut self) -> [u8; 4] {
        self.i = self.i.wrapping_add(1);
        let t = self.shuffle::<0>();
        let first = self.s[1][t];
        let t = self.shuffle::<1>();
        let second = self.s[if TEXT { 0 } else { 2 }][t];
        let t = self.shuffle::<2>();
        let third = self.s[3][t];
        let t = self.shuffle::<3>();
        let fourth = self.s[2][t];
        [first, second, third, fourth]
    }

    /// Xors whole rounds into the data. Unused bytes of the last round are lost.
    pub fn apply(mut self, data: &mut [u8]) {
        let (rounds, rest) = data.as_chunks_mut::<4>();
        for bytes in rounds {
            *bytes = (u32::from_ne_bytes(*bytes) ^ u32::from_ne_bytes(self.round())).to_ne_bytes();
        }
        rest.iter_mut().zip(self.round()).for_each(|(byte, key)| *byte ^= key);
    }

    /// Xors the same bytes with the loop over the tables kept, because the compiler does not know
    /// that it has four turns.
    pub fn apply_rolled(mut self, data: &mut [u8]) {
        let looked_up: [usize; LANES] = if TEXT { [1, 0, 3, 2] } else { [1, 2, 3, 2] };
        for round in data.chunks_mut(black_box(LANES)) {
            self.i = self.i.wrapping_add(1);
            let i = usize::from(self.i);
            for (lane, byte) in round.iter_mut().enumerate() {
                let (s, j) = (&mut self.s[lane], &mut self.j[lane]);
                let x = s[i];
                *j = j.wrapping_add(x);
                let y = s[usize::from(*j)];
                s[i] = y;
                s[usize::from(*j)] = x;
                *byte ^= self.s[looked_up[lane]][usize::from(x.wrapping_add(y))];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use arcfour::Keystream;

    use super::Parc4i;

    #[test]
    fn unrolled_and_rolled_are_the_definition() {
        for length in [0, 1, 3, 4, 255, 256, 1023, 70_000] {
            for key in [&b"k"[..], b"Handa and Kapoor", &[0xff; 256]] {
                let mut unrolled = vec![0x5a; length];
                Parc4i::<false>::ksa(key).apply(&mut unrolled);
                assert_eq!(
                    unrolled,
                    definition(arcfour::Parc4i::from_key(key), length),
                    "{length}"
                );
                let mut rolled = vec![0x5a; length];
                Parc4i::<false>::ksa(key).apply_rolled(&mut rolled);
                assert_eq!(rolled, unrolled, "{length}");
                let mut rolled = vec![0x5a; length];
                Parc4i::<true>::ksa(key).apply_rolled(&mut rolled);
                assert_eq!(
                    rolled,
                    definition(arcfour::Parc4iText::from_key(key), length),
                    "{length}"
                );
                let mut unrolled = vec![0x5a; length];
                Parc4i::<true>::ksa(key).apply(&mut unrolled);
                assert_eq!(
                    unrolled,
                    definition(arcfour::Parc4iText::from_key(key), length),
                    "{length}"
                );
            }
        }
    }

    fn definition<T: Keystream>(
        cipher: Result<T, arcfour::KeyLengthError>,
        length: usize,
    ) -> Vec<u8> {
        let mut data = vec![0x5a; length];
        cipher.unwrap().apply(&mut data);
        data
    }
}

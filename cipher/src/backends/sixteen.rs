//! Sixteen bytes, on which an operation works at once.

/// By a vector of SSE2, which every processor for this target has.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(feature = "portable")))]
mod vector {
    use core::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_cvtsi128_si64,
        _mm_loadu_si128, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8, _mm_setr_epi8,
        _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm_xor_si128,
    };

    #[derive(Clone, Copy)]
    pub(crate) struct Sixteen(__m128i);

    impl Sixteen {
        #[inline(always)]
        pub(crate) fn new([low, high]: [u64; 2]) -> Self {
            // SAFETY: the module is compiled only for targets with SSE2.
            Self(unsafe { _mm_set_epi64x(high as i64, low as i64) })
        }

        #[inline(always)]
        pub(crate) fn of(bytes: [u8; 16]) -> Self {
            // By name, because the compiler would write an array to memory and read it back.
            let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = bytes.map(|byte| byte as i8);
            // SAFETY: as above.
            Self(unsafe { _mm_setr_epi8(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) })
        }

        #[inline(always)]
        pub(crate) fn splat(byte: u8) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm_set1_epi8(byte as i8) })
        }

        #[inline(always)]
        pub(crate) fn words(self) -> [u64; 2] {
            // SAFETY: as above.
            let (low, high) = unsafe {
                let high = _mm_unpackhi_epi64(self.0, self.0);
                (_mm_cvtsi128_si64(self.0), _mm_cvtsi128_si64(high))
            };
            [low as u64, high as u64]
        }

        #[inline(always)]
        pub(crate) fn plus(self, other: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm_add_epi8(self.0, other.0) })
        }

        /// Takes the byte of `other` where the bytes of `a` and `b` are equal.
        #[inline(always)]
        pub(crate) fn replaced(self, a: Self, b: Self, other: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe {
                let is_equal = _mm_cmpeq_epi8(a.0, b.0);
                _mm_or_si128(_mm_andnot_si128(is_equal, self.0), _mm_and_si128(is_equal, other.0))
            })
        }

        /// Replaces each byte that equals the byte of `a` by the byte of `b`, and the other way
        /// round.
        #[inline(always)]
        pub(crate) fn exchanged(self, a: Self, b: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe {
                let either = _mm_or_si128(_mm_cmpeq_epi8(self.0, a.0), _mm_cmpeq_epi8(self.0, b.0));
                _mm_xor_si128(self.0, _mm_and_si128(either, _mm_xor_si128(a.0, b.0)))
            })
        }
    }

    /// Returns the columns of sixteen rows.
    #[inline(always)]
    pub(crate) fn columns(rows: [&[u8; 16]; 16]) -> [[u8; 16]; 16] {
        // SAFETY: as above; each load reads a whole row.
        let mut vectors = rows.map(|row| unsafe { _mm_loadu_si128(row.as_ptr().cast()) });
        // After four steps the bits of each byte's row and column have changed places.
        for _ in 0..4 {
            vectors = interleaved(vectors);
        }
        vectors.map(|vector| {
            let mut column = [0; 16];
            // SAFETY: as above; the store writes the whole array.
            unsafe { _mm_storeu_si128(column.as_mut_ptr().cast(), vector) };
            column
        })
    }

    /// Lays the bytes of the last eight vectors between the bytes of the first eight.
    #[inline(always)]
    fn interleaved(vectors: [__m128i; 16]) -> [__m128i; 16] {
        // SAFETY: as above.
        let low = |a, b| unsafe { _mm_unpacklo_epi8(a, b) };
        // SAFETY: as above.
        let high = |a, b| unsafe { _mm_unpackhi_epi8(a, b) };
        // By name, because the compiler would make a loop.
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = vectors;
        [
            low(a, i),
            high(a, i),
            low(b, j),
            high(b, j),
            low(c, k),
            high(c, k),
            low(d, l),
            high(d, l),
            low(e, m),
            high(e, m),
            low(f, n),
            high(f, n),
            low(g, o),
            high(g, o),
            low(h, p),
            high(h, p),
        ]
    }
}

/// By words of any processor.
#[cfg(any(
    test,
    not(all(target_arch = "x86_64", target_feature = "sse2", not(feature = "portable")))
))]
mod words {
    use core::array;

    #[derive(Clone, Copy)]
    pub(crate) struct Sixteen([u64; 2]);

    impl Sixteen {
        #[inline(always)]
        pub(crate) fn new(words: [u64; 2]) -> Self {
            Self(words)
        }

        #[inline(always)]
        pub(crate) fn of(bytes: [u8; 16]) -> Self {
            let (words, _) = bytes.as_chunks();
            Self([words[0], words[1]].map(u64::from_le_bytes))
        }

        #[inline(always)]
        pub(crate) fn splat(byte: u8) -> Self {
            Self([u64::from_ne_bytes([byte; 8]); 2])
        }

        #[inline(always)]
        pub(crate) fn words(self) -> [u64; 2] {
            self.0
        }

        #[inline(always)]
        pub(crate) fn plus(self, other: Self) -> Self {
            // The highest bits are added apart, so that no byte carries into the next.
            const HIGHEST: u64 = u64::from_ne_bytes([0x80; 8]);
            let plus = |a: u64, b: u64| ((a & !HIGHEST) + (b & !HIGHEST)) ^ ((a ^ b) & HIGHEST);
            Self([plus(self.0[0], other.0[0]), plus(self.0[1], other.0[1])])
        }

        /// As with vectors.
        #[inline(always)]
        pub(crate) fn replaced(self, a: Self, b: Self, other: Self) -> Self {
            Self(array::from_fn(|word| {
                let [own, a, b, other] =
                    [self, a, b, other].map(|bytes| bytes.0[word].to_ne_bytes());
                u64::from_ne_bytes(array::from_fn(|n| {
                    let is_equal = u8::from(a[n] == b[n]).wrapping_neg();
                    own[n] & !is_equal | other[n] & is_equal
                }))
            }))
        }

        /// As with vectors.
        #[inline(always)]
        pub(crate) fn exchanged(self, a: Self, b: Self) -> Self {
            Self(array::from_fn(|word| {
                let [at, a, b] = [self, a, b].map(|bytes| bytes.0[word].to_ne_bytes());
                u64::from_ne_bytes(array::from_fn(|n| {
                    // Masks, because the compiler makes slower vectors of conditions.
                    let either = u8::from(at[n] == a[n]) | u8::from(at[n] == b[n]);
                    at[n] ^ (a[n] ^ b[n]) & either.wrapping_neg()
                }))
            }))
        }
    }

    /// As with vectors.
    #[inline(always)]
    pub(crate) fn columns(rows: [&[u8; 16]; 16]) -> [[u8; 16]; 16] {
        array::from_fn(|column| rows.map(|row| row[column]))
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(feature = "portable")))]
pub(crate) use vector::{Sixteen, columns};
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(feature = "portable"))))]
pub(crate) use words::{Sixteen, columns};

#[cfg(test)]
mod tests {
    use core::array;

    use super::{Sixteen, columns, words};

    /// Pairs of bytes, all of them, each beside others.
    fn pairs() -> impl Iterator<Item = [[u64; 2]; 2]> {
        (0..=255_u8).flat_map(|a| (0..=255_u8).map(move |b| (a, b))).map(|(a, b)| {
            [[[a, 0xff, 1, !a, a, 0x80, 0, a], [a; 8]], [[b, 1, b, b, !b, 0x80, b, 0xff], [b; 8]]]
                .map(|words| words.map(u64::from_le_bytes))
        })
    }

    /// Applies `operation` to each byte and its pair.
    fn each(pair: [[u64; 2]; 2], operation: impl Fn(u8, u8) -> u8) -> [u64; 2] {
        let [a, b] = pair.map(|words| words.map(u64::to_le_bytes));
        array::from_fn(|word| {
            u64::from_le_bytes(array::from_fn(|n| operation(a[word][n], b[word][n])))
        })
    }

    #[test]
    fn bytes_stay_in_order() {
        let bytes = array::from_fn(|n| 0x7a + n as u8);
        let expected = [0x8180_7f7e_7d7c_7b7a, 0x8988_8786_8584_8382];
        assert_eq!(Sixteen::of(bytes).words(), expected);
        assert_eq!(words::Sixteen::of(bytes).words(), expected);
    }

    #[test]
    fn columns_become_rows() {
        let byte = |row, column| 16 * row as u8 + column as u8;
        let rows: [[u8; 16]; 16] = array::from_fn(|row| array::from_fn(|column| byte(row, column)));
        let expected = array::from_fn(|column| array::from_fn(|row| byte(row, column)));
        assert_eq!(columns(rows.each_ref()), expected);
        assert_eq!(words::columns(rows.each_ref()), expected);
    }

    #[test]
    fn each_byte_is_added_by_itself() {
        for [a, b] in pairs() {
            let expected = each([a, b], u8::wrapping_add);
            assert_eq!(Sixteen::new(a).plus(Sixteen::new(b)).words(), expected);
            assert_eq!(words::Sixteen::new(a).plus(words::Sixteen::new(b)).words(), expected);
        }
    }

    #[test]
    fn each_byte_is_replaced_by_itself() {
        let (own, other) = ([0x0706_0504_0302_0100, u64::MAX], [0x1716_1514_1312_1110, 0]);
        for [a, b] in pairs() {
            // All bits of a byte, if both are equal.
            let equal = each([a, b], |a, b| u8::from(a == b).wrapping_neg());
            let expected =
                array::from_fn(|word| own[word] & !equal[word] | other[word] & equal[word]);
            let [by_vector, with_a, with_b, by] = [own, a, b, other].map(Sixteen::new);
            assert_eq!(by_vector.replaced(with_a, with_b, by).words(), expected);
            let [by_words, with_a, with_b, by] = [own, a, b, other].map(words::Sixteen::new);
            assert_eq!(by_words.replaced(with_a, with_b, by).words(), expected);
        }
    }

    #[test]
    fn each_byte_is_exchanged_by_itself() {
        for (pair, with) in pairs().flat_map(|pair| [0, 1, 0xff].map(|with| (pair, with))) {
            let expected = each(pair, |at, a| match at {
                at if at == a => with,
                at if at == with => a,
                at => at,
            });
            let [at, a] = pair.map(Sixteen::new);
            assert_eq!(at.exchanged(a, Sixteen::splat(with)).words(), expected);
            let [at, a] = pair.map(words::Sixteen::new);
            assert_eq!(at.exchanged(a, words::Sixteen::splat(with)).words(), expected);
        }
    }
}

//! Sixteen bytes that are added at once.

/// By a vector of SSE2, which every processor for this target has.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(feature = "portable")))]
mod vector {
    use core::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_unpackhi_epi64,
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
    }
}

/// By words of any processor.
#[cfg(any(
    test,
    not(all(target_arch = "x86_64", target_feature = "sse2", not(feature = "portable")))
))]
mod words {
    #[derive(Clone, Copy)]
    pub(crate) struct Sixteen([u64; 2]);

    impl Sixteen {
        #[inline(always)]
        pub(crate) fn new(words: [u64; 2]) -> Self {
            Self(words)
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
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(feature = "portable")))]
pub(crate) use vector::Sixteen;
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(feature = "portable"))))]
pub(crate) use words::Sixteen;

#[cfg(test)]
mod tests {
    use super::{Sixteen, words};

    #[test]
    fn each_byte_is_added_by_itself() {
        for (a, b) in (0..=255_u8).flat_map(|a| (0..=255_u8).map(move |b| (a, b))) {
            let a = [[a, 0xff, 1, !a, a, 0x80, 0, a], [a; 8]];
            let b = [[b, 1, b, b, !b, 0x80, b, 0xff], [b; 8]];
            let expected = core::array::from_fn(|word| {
                u64::from_le_bytes(core::array::from_fn(|n| a[word][n].wrapping_add(b[word][n])))
            });
            let (a, b) = (a.map(u64::from_le_bytes), b.map(u64::from_le_bytes));
            assert_eq!(Sixteen::new(a).plus(Sixteen::new(b)).words(), expected);
            assert_eq!(words::Sixteen::new(a).plus(words::Sixteen::new(b)).words(), expected);
        }
    }
}

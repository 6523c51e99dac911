//! Ranges of numbers that neither overlap nor touch, in ascending order.

use std::ops::Range;

/// Sorts `ranges` and joins ranges that touch. Takes n log n comparisons for n ranges in any order,
/// because a record is untrusted input.
///
/// # Errors
/// The first part that two ranges share.
pub(super) fn joined<T: Ord + Copy>(mut ranges: Vec<Range<T>>) -> Result<Vec<Range<T>>, Range<T>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<T>> = vec![];
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start < last.end => {
                return Err(range.start..range.end.min(last.end));
            }
            Some(last) if range.start == last.end => last.end = range.end,
            _ => joined.push(range),
        }
    }
    Ok(joined)
}

/// Returns true if one of `ranges`, in ascending order, has `number`. Takes log n comparisons.
pub(super) fn contains<T: Ord>(ranges: &[Range<T>], number: &T) -> bool {
    let at = ranges.partition_point(|range| range.end <= *number);
    ranges.get(at).is_some_and(|range| range.start <= *number)
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, cmp::Ordering};

    use proptest::prelude::*;

    use super::*;

    thread_local! {
        static COMPARED: Cell<u64> = const { Cell::new(0) };
    }

    /// A number that counts its comparisons.
    #[derive(Clone, Copy, Debug)]
    struct Counted(u64);

    impl Ord for Counted {
        fn cmp(&self, other: &Self) -> Ordering {
            COMPARED.set(COMPARED.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    impl PartialOrd for Counted {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other).is_eq()
        }
    }

    impl Eq for Counted {}

    /// Ascending, descending and mixed: the work grows as n log n.
    #[test]
    fn many_ranges_take_few_comparisons() {
        const COUNT: u64 = 1 << 16;
        // An odd factor reaches every number below a power of two once.
        let orders: [fn(u64) -> u64; 3] = [|n| n, |n| COUNT - 1 - n, |n| n * 40_503 % COUNT];
        for order in orders {
            let ranges = (0..COUNT).map(|n| Counted(3 * order(n))..Counted(3 * order(n) + 2));
            let ranges: Vec<_> = ranges.collect();
            COMPARED.set(0);
            let joined = joined(ranges).unwrap();
            assert!((0..COUNT).all(|n| contains(&joined, &Counted(3 * n))));
            assert_eq!(joined.len() as u64, COUNT);
            let most = COUNT * u64::from(COUNT.ilog2()) * 6;
            assert!(COMPARED.get() < most, "{} comparisons, more than {most}", COMPARED.get());
        }
    }

    proptest! {
        /// Beside a table of 64 bits.
        #[test]
        fn joined_is_the_union(parts in prop::collection::vec((0u32..64, 1u32..8), 0..12)) {
            let bits = |&(start, len): &(u32, u32)| ((1u128 << len) - 1) << start;
            let sum: Vec<u128> = parts.iter().map(bits).collect();
            let union = sum.iter().fold(0, |all, part| all | part);
            let twice = sum.iter().map(|part| part.count_ones()).sum::<u32>() > union.count_ones();
            match joined(parts.iter().map(|&(start, len)| start..start + len).collect()) {
                Err(part) => {
                    prop_assert!(twice);
                    let of = |number| sum.iter().filter(|bits| *bits >> number & 1 == 1).count();
                    prop_assert!(!part.is_empty() && part.clone().all(|number| of(number) > 1));
                }
                Ok(joined) => {
                    prop_assert!(!twice);
                    prop_assert!((0..128).all(|n| contains(&joined, &n) == (union >> n & 1 == 1)));
                    prop_assert!(joined.windows(2).all(|pair| pair[0].end < pair[1].start));
                }
            }
        }
    }
}

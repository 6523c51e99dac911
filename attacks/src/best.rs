//! An order for candidates by likelihood.

use std::cmp::Ordering;

/// A candidate with a score. The higher score is the greater; with equal scores, the smaller
/// `what`.
pub(crate) struct Scored<T> {
    pub(crate) score: f32,
    pub(crate) what: T,
}

impl<T: Ord> Ord for Scored<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.what.cmp(&self.what))
    }
}

impl<T: Ord> PartialOrd for Scored<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> PartialEq for Scored<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Ord> Eq for Scored<T> {}

#[cfg(test)]
mod tests {
    use super::{Ordering, Scored};

    #[test]
    fn the_score_decides_and_then_the_smaller() {
        let one = |score, what| Scored { score, what };
        for (a, b, order) in [
            (one(1.0, 3), one(1.0, 3), Ordering::Equal),
            (one(2.0, 3), one(1.0, 3), Ordering::Greater),
            (one(2.0, 9), one(1.0, 3), Ordering::Greater),
            (one(1.0, 2), one(1.0, 3), Ordering::Greater),
            (one(-1.0, 2), one(1.0, 3), Ordering::Less),
        ] {
            assert_eq!((a.cmp(&b), b.cmp(&a)), (order, order.reverse()));
            assert_eq!(a.partial_cmp(&b), Some(order));
            assert_eq!(a == b, order.is_eq());
        }
    }
}

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

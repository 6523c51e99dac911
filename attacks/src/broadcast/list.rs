//! Lists paths through a chain of pairs, best first.
//!
//! Place t has `sizes[t]` choices. Pair t, between places t and t + 1, has a score for each two
//! choices. The score of a path is their sum.

use std::collections::BinaryHeap;

use crate::best::Scored;

/// A path to one choice of a place: its score, the choice before, and the rank among the paths to
/// that choice.
type Step = Scored<(usize, usize)>;

/// Returns the `most` best paths, best first, each as a list of choices. Uses the parallel list
/// Viterbi algorithm (N. Seshadri, C.-E. Sundberg, IEEE Transactions on Communications 42, 1994).
pub(super) fn best_paths(pairs: &[Vec<f64>], sizes: &[usize], most: usize) -> Vec<Vec<usize>> {
    let start = || vec![Scored { score: 0.0, what: (0, 0) }];
    let mut places: Vec<Vec<Vec<Step>>> = vec![(0..sizes[0]).map(|_| start()).collect()];
    for (t, scores) in pairs.iter().enumerate() {
        let before = &places[t];
        let to = |choice: usize| {
            let score = |from: usize| scores[from * sizes[t + 1] + choice] as f32;
            merged(before, score, most)
        };
        let next = (0..sizes[t + 1]).map(to).collect();
        places.push(next);
    }
    let last = places.last().expect("the first place at least");
    let ends = merged(last, |_| 0.0, most);
    let path = |end: &Step| {
        let (mut choice, mut rank) = end.what;
        let mut path = vec![choice];
        for place in places[1..].iter().rev() {
            (choice, rank) = place[choice][rank].what;
            path.push(choice);
        }
        path.reverse();
        path
    };
    ends.iter().map(path).collect()
}

/// Merges sorted lists of steps, after adding a score to each list, and returns the best steps.
fn merged(lists: &[Vec<Step>], add: impl Fn(usize) -> f32, most: usize) -> Vec<Step> {
    let step = |before: usize, rank: usize| {
        let score = lists[before].get(rank)?.score + add(before);
        Some(Scored { score, what: (before, rank) })
    };
    let mut heap: BinaryHeap<Step> = (0..lists.len()).filter_map(|list| step(list, 0)).collect();
    let mut best = vec![];
    while best.len() < most
        && let Some(next) = heap.pop()
    {
        heap.extend(step(next.what.0, next.what.1 + 1));
        best.push(next);
    }
    best
}

/// Number of steps into which a path's score is quantised for counting.
const PARTS: usize = 1 << 12;

/// Estimates the rank of `path`: 1 plus the number of paths with a better score. The deficit against the best path
/// is quantised into [`PARTS`] steps, and paths are counted by their quantised deficit.
pub(super) fn rank(pairs: &[Vec<f64>], sizes: &[usize], path: &[usize]) -> f64 {
    // The best path from each choice to the end.
    let mut rest = vec![vec![0.0; sizes[pairs.len()]]];
    for (t, scores) in pairs.iter().enumerate().rev() {
        let after = rest.last().expect("one was there first");
        let best = |row: &[f64]| row.iter().zip(after).map(|(a, b)| a + b).fold(f64::MIN, f64::max);
        rest.push(scores.chunks(sizes[t + 1]).map(best).collect());
    }
    rest.reverse();
    // Returns the loss of the step from a to b against the best step from a; 0 along the best path.
    let loss =
        |t: usize, a: usize, b: usize| rest[t][a] - rest[t + 1][b] - pairs[t][a * sizes[t + 1] + b];
    let best = rest[0].iter().copied().fold(f64::MIN, f64::max);
    let first = best - rest[0][path[0]];
    let own = first + (0..pairs.len()).map(|t| loss(t, path[t], path[t + 1])).sum::<f64>();
    if own < 1e-9 {
        return 1.0;
    }
    let part = own / PARTS as f64;
    let parts = |loss: f64| (loss / part).round() as usize;
    let mut ways: Vec<Vec<f64>> = vec![vec![0.0; PARTS]; sizes[0]];
    for (a, ways) in ways.iter_mut().enumerate() {
        if let Some(way) = ways.get_mut(parts(best - rest[0][a])) {
            *way = 1.0;
        }
    }
    for t in 0..pairs.len() {
        let mut next = vec![vec![0.0; PARTS]; sizes[t + 1]];
        for (a, ways) in ways.iter().enumerate() {
            for (b, next) in next.iter_mut().enumerate() {
                let lost = parts(loss(t, a, b));
                if lost < PARTS {
                    next[lost..].iter_mut().zip(ways).for_each(|(next, way)| *next += way);
                }
            }
        }
        ways = next;
    }
    1.0 + ways.iter().flatten().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::{best_paths, rank};
    use crate::experiment::Random;

    /// Lists all paths of a small chain by score, and compares the list with a plain enumeration.
    #[test]
    fn ways_come_best_first_and_are_counted() {
        let sizes = [1, 3, 4, 2, 1];
        let mut random = Random::new("test of ways", 0, 0);
        let pairs: Vec<Vec<f64>> = sizes
            .windows(2)
            .map(|two| (0..two[0] * two[1]).map(|_| random.standard_normal()).collect())
            .collect();
        let score = |path: &[usize]| -> f64 {
            (0..pairs.len()).map(|t| pairs[t][path[t] * sizes[t + 1] + path[t + 1]]).sum()
        };
        let mut all: Vec<Vec<usize>> =
            (0..24).map(|n| vec![0, n / 8, n / 2 % 4, n % 2, 0]).collect();
        all.sort_by(|a, b| score(b).total_cmp(&score(a)));
        assert_eq!(best_paths(&pairs, &sizes, 100), all);
        assert_eq!(best_paths(&pairs, &sizes, 5), all[..5]);
        for (before, path) in all.iter().enumerate() {
            let counted = rank(&pairs, &sizes, path);
            assert!((counted - (before + 1) as f64).abs() <= 1.0, "{counted} for {before}");
        }
    }

    /// Where each loss is a whole number of quanta, the rank is exact.
    #[test]
    fn a_rank_is_one_more_than_the_better_paths() {
        let pairs = [vec![-2.0, 0.0, -1.0], vec![0.0, -8.0, -16.0, 0.0, 0.0, -16.0]];
        let sizes = [1, 3, 2];
        for (path, expected) in [
            ([0, 1, 1], 1.0), // 0
            ([0, 2, 0], 2.0), // -1
            ([0, 0, 0], 3.0), // -2
            ([0, 0, 1], 4.0), // -10
            ([0, 1, 0], 5.0), // -16
            ([0, 2, 1], 6.0), // -17, in quanta of 17/4096
        ] {
            assert_eq!(rank(&pairs, &sizes, &path), expected, "{path:?}");
        }
    }
}

//! Recovers the state from keystream alone, for RC4 with a small table.
//!
//! L. Knudsen, W. Meier, B. Preneel, V. Rijmen and S. Verdoolaege (*Analysis Methods for (Alleged)
//! RC4*, Asiacrypt 1998, §3). The attack follows the generator from i = j = 0 with an empty table,
//! and guesses an entry only when it is needed. Each byte of keystream is used as soon as it
//! restricts the table. The attack backtracks at the first contradiction. The cost is counted in
//! entries assigned. [`expected_assignments`] is the expected cost if all places are alike.

use crate::experiment::Random;

/// Maximum number of entries of a table.
pub const MAX_TABLE: usize = 64;

/// RC4 with a table of `n` entries and arithmetic modulo `n`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallRc4 {
    /// The table, a permutation of the numbers below `n`.
    pub s: Vec<u8>,
    i: usize,
    j: usize,
}

impl SmallRc4 {
    /// Makes a random table of `n` entries, with i = j = 0.
    ///
    /// # Panics
    /// If `n` is 0 or more than [`MAX_TABLE`].
    pub fn random(n: usize, random: &mut Random) -> Self {
        assert!((1..=MAX_TABLE).contains(&n), "table of {n} entries");
        let mut s: Vec<u8> = (0..n as u8).collect();
        for last in (1..n).rev() {
            s.swap(last, random.below(last as u32 + 1) as usize);
        }
        Self { s, i: 0, j: 0 }
    }

    /// Returns the next `count` numbers of keystream.
    pub fn keystream(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next()).collect()
    }

    fn next(&mut self) -> u8 {
        let n = self.s.len();
        self.i = (self.i + 1) % n;
        self.j = (self.j + usize::from(self.s[self.i])) % n;
        self.s.swap(self.i, self.j);
        self.s[usize::from(self.s[self.i] + self.s[self.j]) % n]
    }
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The initial table, if one that makes the keystream was found. Entries that the keystream
    /// does not use are in arbitrary order.
    pub table: Option<Vec<u8>>,
    /// Number of assignments during the search, right or wrong.
    pub assignments: u64,
}

/// Finds the table of `n` entries that makes `keystream` from i = j = 0, with at most `most`
/// assignments. `known` has the entries that are given.
///
/// # Panics
/// If `known` is empty or has more than [`MAX_TABLE`] entries. If a number in `known` or in the
/// keystream is not below the length of `known`.
pub fn find_table(known: &[Option<u8>], keystream: &[u8], most: u64) -> Ended {
    let n = known.len();
    assert!((1..=MAX_TABLE).contains(&n), "table of {n} entries");
    assert!(known.iter().flatten().chain(keystream).all(|&value| usize::from(value) < n));
    let (s, place) = ([None; MAX_TABLE], [None; MAX_TABLE]);
    let mut search = Search { n, keystream, s, place, assignments: 0, most, end: 0 };
    for (place, value) in known.iter().enumerate() {
        if let Some(value) = *value {
            search.set(place, value);
        }
    }
    let found = search.step(0, 0, 0) == Ok(true);
    Ended { table: found.then(|| search.beginning()), assignments: search.assignments }
}

/// The limit of assignments was reached.
#[derive(PartialEq)]
struct Spent;

struct Search<'a> {
    n: usize,
    keystream: &'a [u8],
    s: [Option<u8>; MAX_TABLE],
    /// The place of each value.
    place: [Option<u8>; MAX_TABLE],
    assignments: u64,
    most: u64,
    /// j after the whole keystream.
    end: usize,
}

impl Search<'_> {
    fn set(&mut self, place: usize, value: u8) {
        self.s[place] = Some(value);
        self.place[usize::from(value)] = Some(place as u8);
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.s.swap(a, b);
        for place in [a, b] {
            if let Some(value) = self.s[place] {
                self.place[usize::from(value)] = Some(place as u8);
            }
        }
    }

    /// Continues with `value` at `place`, if the value has no place yet. Keeps the assignment if it
    /// is right.
    fn assign(
        &mut self,
        place: usize,
        value: u8,
        go_on: impl FnOnce(&mut Self) -> Result<bool, Spent>,
    ) -> Result<bool, Spent> {
        if self.place[usize::from(value)].is_some() {
            return Ok(false);
        }
        if self.assignments == self.most {
            return Err(Spent);
        }
        self.assignments += 1;
        self.set(place, value);
        let right = go_on(self)?;
        if !right {
            self.s[place] = None;
            self.place[usize::from(value)] = None;
        }
        Ok(right)
    }

    /// Returns true if the table can make the rest of the keystream, from number `t` on.
    fn step(&mut self, t: usize, i: usize, j: usize) -> Result<bool, Spent> {
        if t == self.keystream.len() {
            self.end = j;
            return Ok(true);
        }
        let i = (i + 1) % self.n;
        match self.s[i] {
            Some(x) => self.with_i(t, i, j, x),
            None => self.any(|search, x| search.assign(i, x, |search| search.with_i(t, i, j, x))),
        }
    }

    /// Tries every value.
    fn any(
        &mut self,
        mut attempt: impl FnMut(&mut Self, u8) -> Result<bool, Spent>,
    ) -> Result<bool, Spent> {
        for value in 0..self.n as u8 {
            if attempt(self, value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does the same when S\[i\] is known to be x.
    fn with_i(&mut self, t: usize, i: usize, j: usize, x: u8) -> Result<bool, Spent> {
        let j = (j + usize::from(x)) % self.n;
        if let Some(y) = self.s[j] {
            return self.with_both(t, i, j, x, y);
        }
        match self.place[usize::from(self.keystream[t])] {
            // After the swap the number has a place, so S[i] + S[j] is this place.
            Some(place) => {
                let place = if usize::from(place) == i { j } else { usize::from(place) };
                let y = ((place + self.n - usize::from(x)) % self.n) as u8;
                self.assign(j, y, |search| search.with_both(t, i, j, x, y))
            }
            None => {
                self.any(|search, y| search.assign(j, y, |search| search.with_both(t, i, j, x, y)))
            }
        }
    }

    /// Does the same when S\[j\] is known too, and is y.
    fn with_both(&mut self, t: usize, i: usize, j: usize, x: u8, y: u8) -> Result<bool, Spent> {
        let z = self.keystream[t];
        let at = usize::from(x + y) % self.n;
        self.swap(i, j);
        let right = match self.s[at] {
            Some(value) => value == z && self.step(t + 1, i, j)?,
            None => self.assign(at, z, |search| search.step(t + 1, i, j))?,
        };
        if !right {
            self.swap(i, j);
        }
        Ok(right)
    }

    /// Returns the table before the keystream, from the table after it.
    fn beginning(&self) -> Vec<u8> {
        let n = self.n;
        let mut unused = (0..n as u8).filter(|&value| self.place[usize::from(value)].is_none());
        let mut next = || unused.next().expect("as many values as places are left");
        let mut s: Vec<u8> =
            self.s[..n].iter().map(|value| value.unwrap_or_else(&mut next)).collect();
        let mut j = self.end;
        for t in (1..=self.keystream.len()).rev() {
            let i = t % n;
            s.swap(i, j);
            j = (j + n - usize::from(s[i])) % n;
        }
        s
    }
}

/// Returns the expected number of assignments of a whole search of a table of `n` entries, with
/// `known` entries given. Assumes that all places and values are alike, and omits the cost of the
/// right path. A recursion over the number of entries assigned.
///
/// With a entries assigned, S\[i\] is assigned with probability a/n. Otherwise n − a values are
/// tried. The same holds for S\[j\], whose value follows if the byte of keystream is in the table.
/// Then the entry at S\[i\] + S\[j\] is right, wrong or assigned.
pub fn expected_assignments(n: usize, known: usize) -> f64 {
    let size = n as f64;
    // For each number of entries: the cost of a step from its start, and from the point where S[i]
    // is known. 0 with all entries.
    let (mut whole, mut with_i) = (vec![0.0; n + 3], vec![0.0; n + 3]);
    for assigned in (known..n).rev() {
        let (p, free) = (assigned as f64 / size, (n - assigned) as f64);
        let (one_more, two_more) = (whole[assigned + 1], whole[assigned + 2]);
        // S[j] is known: with probability p/n the rest costs another step, plus the cost below.
        let both = (1.0 - p) * (1.0 - p) * (1.0 + one_more);
        // S[j] is unknown: it follows from the keystream, or all values are tried, and then the
        // place S[i] + S[j].
        let empty = 1.0 - (assigned as f64 + 1.0) / size;
        let follows = p * (free / size) * (1.0 + one_more);
        let tried = (1.0 - p) * free * (1.0 + empty * (1.0 + two_more));
        let known_i = p * both + (1.0 - p) * (follows + tried);
        let unknown_i = free * (1.0 + with_i[assigned + 1]);
        whole[assigned] = (p * known_i + (1.0 - p) * unknown_i) / (1.0 - p * p * p / size);
        with_i[assigned] = known_i + p * p / size * whole[assigned];
    }
    whole[known]
}

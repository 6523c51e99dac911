//! Runs RC4 backwards.

/// Undoes `n` steps of the keystream generator.
///
/// ```
/// use arcfour::Rc4;
/// use arcfour_attacks::state::rewind;
///
/// let mut rc4 = Rc4::from_key(b"Quentin")?;
/// let start = *rc4.state().parts().0;
/// rc4.skip(1000);
/// let (s, mut i, mut j) = rc4.state().parts();
/// let mut s = *s;
/// rewind(&mut s, &mut i, &mut j, 1000);
/// assert_eq!((s, i, j), (start, 0, 0));
/// # Ok::<(), arcfour::KeyLengthError>(())
/// ```
pub fn rewind(s: &mut [u8; 256], i: &mut u8, j: &mut u8, n: u64) {
    for _ in 0..n {
        s.swap(usize::from(*i), usize::from(*j));
        *j = j.wrapping_sub(s[usize::from(*i)]);
        *i = i.wrapping_sub(1);
    }
}

/// A possible start of a keystream: a state with i = j = 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The table.
    pub s: [u8; 256],
    /// Number of bytes of keystream made since.
    pub produced: u64,
}

/// Returns the states with i = j = 0, back to `most` bytes before this one, nearest first. The
/// keystream began at one of them. By chance, one state in 256 with i = 0 has j = 0.
pub fn beginnings(s: &[u8; 256], i: u8, j: u8, most: u64) -> impl Iterator<Item = Beginning> {
    let (mut s, mut i, mut j) = (*s, i, j);
    let mut produced = 0;
    let mut step = u64::from(i);
    std::iter::from_fn(move || {
        while produced + step <= most {
            rewind(&mut s, &mut i, &mut j, step);
            produced += step;
            step = 256;
            if j == 0 {
                return Some(Beginning { s, produced });
            }
        }
        None
    })
}

//! Finds the place in a keystream at which a ciphertext begins.

use arcfour::Rc4;

use super::rewind;
use crate::search::{ByteSet, Pattern};

/// Maximum number of listed places.
pub const MAX_PLACES: usize = 16;
/// Number of bytes of keystream made at a time.
const BLOCK: u64 = 1 << 16;

/// Returns the places at which a ciphertext may begin, in bytes of keystream after the state `s`,
/// `i`, `j`. Places before the state are negative. At these places the plaintext of `start`, the
/// first bytes of the ciphertext, matches `plain`. Searches up to `most` bytes before the state and
/// after it, and lists at most [`MAX_PLACES`].
///
/// ```
/// use arcfour::Rc4;
/// use arcfour_attacks::state::places;
///
/// let mut rc4 = Rc4::from_key(b"Quentin")?;
/// rc4.skip(700);
/// let mut text = *b"GET /secret";
/// rc4.apply(&mut text);
/// rc4.skip(289);
/// let (s, i, j) = rc4.state().parts();
/// assert_eq!(places(s, i, j, &text, &"47 45 54 20 2f".parse()?, 1 << 16), [-300]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If the pattern is longer than `start`, or `most` is 2^62 or more.
pub fn places(s: &[u8; 256], i: u8, j: u8, start: &[u8], plain: &Pattern, most: u64) -> Vec<i64> {
    let sets = plain.sets();
    assert!(sets.len() <= start.len(), "{} bytes for a pattern of {}", start.len(), sets.len());
    assert!(most < 1 << 62, "{most} bytes");
    // Returns the bytes of keystream that the pattern allows.
    let wanted: Vec<ByteSet> = sets.iter().zip(start).map(|(set, &byte)| set.xored(byte)).collect();
    let fits =
        |bytes: &[u8]| bytes.iter().zip(&wanted).all(|(&byte, wanted)| wanted.contains(byte));

    let (mut s, mut i, mut j) = (*s, i, j);
    rewind(&mut s, &mut i, &mut j, most);
    let mut rc4 = Rc4::from_parts(&s, i, j);
    let mut keystream = vec![0; wanted.len() - 1];
    rc4.fill(&mut keystream);
    let (mut places, mut at, last) = (vec![], -(most as i64), most as i64);
    while at <= last && places.len() < MAX_PLACES {
        let n = BLOCK.min((last - at) as u64 + 1) as usize;
        let kept = keystream.len();
        keystream.resize(kept + n, 0);
        rc4.fill(&mut keystream[kept..]);
        let windows = (at..).zip(keystream.windows(wanted.len()));
        let fitting = windows.filter(|(_, bytes)| fits(bytes)).map(|(at, _)| at);
        places.extend(fitting.take(MAX_PLACES - places.len()));
        keystream.drain(..n);
        at += n as i64;
    }
    places
}

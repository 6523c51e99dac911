//! Remembers the substrings that were tried.
//!
//! A table keeps the last place of each beginning. Suppose a start and that place have the first n
//! bytes in common. Then the substrings of up to n bytes were tried from that place, or from an
//! earlier one. A substring counts as tried only after its bytes were compared.

use super::decoded::Decoded;

/// Binary logarithm of the number of places kept.
const BITS: u32 = 20;

/// The last places of beginnings.
#[derive(Debug)]
pub(super) struct Seen {
    /// A place, counted from 1, and the remaining bytes of its run; 0 means no place.
    places: Vec<(u32, u16)>,
}

impl Seen {
    pub(super) fn new() -> Self {
        Self { places: vec![(0, 0); 1 << BITS] }
    }

    pub(super) fn clear(&mut self) {
        self.places.fill((0, 0));
    }

    /// Returns how many of the first `room` bytes at `start` equal those at an earlier place whose
    /// lengths were all tried. Keeps `start` as the last such place. `least` is the shortest useful
    /// length.
    pub(super) fn tried(
        &mut self,
        decoded: &Decoded,
        start: usize,
        room: usize,
        least: usize,
    ) -> usize {
        let here = &decoded.bytes[start..start + room];
        let beginning = here.iter().take(least.min(8));
        let word = beginning.fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
        let slot = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize;
        let (place, there) = self.places[slot];
        self.places[slot] = (start as u32 + 1, room as u16);
        match (place as usize).checked_sub(1) {
            None => 0,
            Some(place) => {
                let there = &decoded.bytes[place..place + usize::from(there)];
                here.iter().zip(there).take_while(|(a, b)| a == b).count()
            }
        }
    }
}

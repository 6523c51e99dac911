//! The votes of one packet for the next key byte.
//!
//! Before step q of the key schedule, which uses key byte q, the bytes before it are known, so the
//! table S and j are. The step makes j_q = j + S\[q\] + K\[q\], so a guess of j_q is a vote for
//! K\[q\]. The success rate of each kind of vote is measured ([`super::rates`]).
//!
//! Every packet casts Klein's vote and Maitra and Paul's; few packets cast the others.
//!
//! Sources: S. Fluhrer, I. Mantin, A. Shamir, SAC 2001, §7. KoreK, netstumbler.org, 2004, as R.
//! Chaabouni lists them (*Break WEP Faster with Statistical Analysis*, EPFL 2006, chapter 4). A.
//! Klein, Designs, Codes and Cryptography 48, 2008, §2. S. Maitra, G. Paul, FSE 2008: byte q + 1 of
//! keystream is S\[j_q\] more often than by chance.

use super::{IV, MAX_KEY, Packet};

/// The choice of votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Only the vote of Fluhrer, Mantin and Shamir.
    Fms,
    /// KoreK's votes, which include that vote.
    Korek,
    /// Only Klein's vote, the base of the attack of Tews, Weinmann and Pyshkin (PTW, WISA 2007).
    Klein,
    /// All votes.
    All,
}

impl Method {
    pub(super) fn counts(self, kind: usize) -> bool {
        match self {
            Self::Fms => kind == FMS,
            Self::Korek => kind != KLEIN && kind != MAITRA_PAUL,
            Self::Klein => kind == KLEIN,
            Self::All => true,
        }
    }
}

/// A vote: its kind, and a value of the key byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vote {
    /// Index in [`NAMES`].
    pub(super) kind: usize,
    /// The value of the key byte.
    pub(super) byte: u8,
}

/// Number of kinds of votes.
pub(super) const KINDS: usize = 25;
/// Names of the votes: Klein, FMS (Fluhrer, Mantin and Shamir), then KoreK's, as in his program.
pub(super) const NAMES: [&str; KINDS] = [
    "Klein",
    "FMS",
    "A_s13",
    "A_u13_1",
    "A_u5_1",
    "A_u5_2",
    "A_u13_2",
    "A_u13_3",
    "A_u5_3",
    "A_s5_2",
    "A_s5_3",
    "A_s3",
    "A_4_s13",
    "A_4_u5_1",
    "A_4_u5_2",
    "A_u5_4",
    "A_u15",
    "A_neg_1",
    "A_neg_2",
    "A_neg_3",
    "A_neg_4",
    "A_neg_5",
    "A_neg_6",
    "A_neg_7",
    "Maitra-Paul",
];
pub(super) const KLEIN: usize = 0;
pub(super) const MAITRA_PAUL: usize = 24;
const FMS: usize = 1;
/// Last step of the key schedule with votes.
pub(super) const LAST: usize = IV + MAX_KEY - 1;

/// The state in the middle of the key schedule.
pub(super) struct Partial {
    s: [u8; 256],
    inverse: [u8; 256],
    j: u8,
    /// The next step.
    q: usize,
    /// j after step 1.
    second: u8,
}

impl Partial {
    /// Runs the first steps, one for each key byte.
    pub(super) fn new(key: impl Iterator<Item = u8>) -> Self {
        static IDENTITY: [u8; 256] = {
            let mut s = [0; 256];
            let mut i = 0;
            while i < 256 {
                s[i] = i as u8;
                i += 1;
            }
            s
        };
        let mut partial = Self { s: IDENTITY, inverse: IDENTITY, j: 0, q: 0, second: 0 };
        key.for_each(|byte| partial.step(byte));
        partial
    }

    pub(super) fn step(&mut self, byte: u8) {
        let q = self.q;
        let (s, inverse) = (&mut self.s, &mut self.inverse);
        self.j = self.j.wrapping_add(s[q]).wrapping_add(byte);
        if q == 1 {
            self.second = self.j;
        }
        let j = usize::from(self.j);
        s.swap(q, j);
        (inverse[usize::from(s[q])], inverse[usize::from(s[j])]) = (q as u8, j as u8);
        self.q += 1;
    }

    pub(super) fn j(&self) -> u8 {
        self.j
    }

    /// Returns the entry at `place`.
    pub(super) fn at(&self, place: u8) -> u8 {
        self.s[usize::from(place)]
    }

    /// Returns the place of `value`.
    pub(super) fn place(&self, value: u8) -> u8 {
        self.inverse[usize::from(value)]
    }

    /// Returns Klein's vote for the next key byte, from the byte of keystream with the step's
    /// number.
    pub(super) fn klein(&self, z: u8) -> u8 {
        let q = self.q as u8;
        self.place(q.wrapping_sub(z)).wrapping_sub(self.j).wrapping_sub(self.at(q))
    }

    /// Returns the votes of a packet for the next key byte, from the known bytes of its keystream.
    pub(super) fn votes(&self, packet: &Packet, mut vote: impl FnMut(Vote)) {
        let (at, place) = (|place| self.at(place), |value| self.place(value));
        let q = self.q as u8;
        let (o1, o2) = (packet.keystream[0], packet.keystream[1]);
        let (s1, s2, sq) = (at(1), at(2), at(q));
        let (p1, p2) = (place(o1), place(o2));
        let known = self.j.wrapping_add(sq);
        if packet.known.has(self.q - 1) == 1 {
            vote(Vote { kind: KLEIN, byte: self.klein(packet.keystream[self.q - 1]) });
        }
        let mut cast = |kind, j: u8| vote(Vote { kind, byte: j.wrapping_sub(known) });
        if packet.known.has(self.q) == 1 {
            cast(MAITRA_PAUL, place(packet.keystream[self.q]));
        }
        if packet.known.has(0) & packet.known.has(1) == 0 {
            return;
        }

        if s1 < q && s1.wrapping_add(at(s1)) == q && p1 != 1 && p1 != at(s1) {
            cast(FMS, p1);
        }
        if s1 == q {
            if o1 == q {
                cast(2, place(0));
            } else if o1 == 1_u8.wrapping_sub(q) {
                cast(3, place(o1));
            } else if p1 < q {
                let j = place(p1.wrapping_sub(q));
                if j != 1 {
                    cast(4, j);
                }
            }
        }
        if p1 == 2 && sq == 1 {
            cast(5, 1);
        }
        if sq == q {
            if s1 == 0 && o1 == q {
                cast(6, 1);
            } else if s1 == 1_u8.wrapping_sub(q) && o1 == s1 {
                cast(7, 1);
            } else if s1 >= q.wrapping_neg() && q.wrapping_add(s1) == p1 {
                cast(8, 1);
            }
        }
        if s1 > q && s2.wrapping_add(s1) == q {
            if o2 == s1 {
                let j = place(s1.wrapping_sub(s2));
                if j != 1 && j != 2 {
                    cast(9, j);
                }
            } else if o2 == 2_u8.wrapping_sub(s2) && p2 != 1 && p2 != 2 {
                cast(10, p2);
            }
        }
        if s1 != 2 && s2 != 0 {
            let third = s1.wrapping_add(s2);
            if third < q && at(third).wrapping_add(s2) == q && p2 != 1 && p2 != 2 && p2 != third {
                cast(11, p2);
            }
        }
        if s1 == 2 {
            if q == 4 {
                if o2 == 0 {
                    cast(12, place(0));
                } else if self.second == 2 && p2 == 0 {
                    cast(13, place(254));
                } else if self.second == 2 && p2 == 2 {
                    cast(14, place(255));
                }
            } else if q > 4 && at(4).wrapping_add(2) == q && p2 != 1 && p2 != 4 {
                cast(15, p2);
            }
        }
        if s2 != 0 && o2 == 0 && sq == 0 {
            cast(16, 2);
        }
        if s2 == 0 && o2 == 0 {
            cast(17, 2);
        }
        if s2 == 0 && s1 == 2 && o1 == 2 {
            cast(18, 1);
            cast(23, 2);
        }
        if s1 == 1 && o1 == s2 {
            cast(19, 1);
            cast(20, 2);
        }
        if s1 == 0 && o1 == 1 && at(0) == 1 {
            cast(21, 0);
            cast(22, 1);
        }
    }
}

/// Returns for each byte of a key whether Klein's vote from a packet with this keystream is right.
/// `before` has the bytes before the key, at least one.
pub(crate) fn klein_is_right(
    before: &[u8],
    key: &[u8],
    keystream: &[u8],
) -> impl Iterator<Item = bool> {
    let mut partial = Partial::new(before.iter().copied());
    key.iter().zip(&keystream[before.len() - 1..]).map(move |(&byte, z)| {
        let vote = partial.klein(*z);
        partial.step(byte);
        vote == byte
    })
}

#[cfg(test)]
mod tests;

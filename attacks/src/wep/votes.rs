//! What one packet says of the next key byte.
//!
//! Before step q of the key schedule, which uses key byte q, the bytes before it are known, so the table S and j are.
//! The step makes j_q = j + S\[q\] + K\[q\]: a guess of j_q is a vote for K\[q\]. How often each kind of vote is right is
//! measured once for each q, over keys and packets of our own, so a vote weighs what it is worth, and one
//! that is right less often than chance weighs against.
//!
//! Sources: S. Fluhrer, I. Mantin, A. Shamir, SAC 2001, §7; KoreK, netstumbler.org, 2004, as R. Chaabouni lists them
//! (*Break WEP Faster with Statistical Analysis*, EPFL 2006, chapter 4); A. Klein, Designs, Codes and Cryptography 48,
//! 2008, §2.

use std::sync::LazyLock;

use super::{IV, KNOWN, Packet};
use crate::experiment::Random;

/// Which votes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// That of Fluhrer, Mantin and Shamir alone.
    Fms,
    /// KoreK's, which include it.
    Korek,
    /// Klein's alone, on which Tews, Weinmann and Pyshkin (PTW, WISA 2007) build.
    Klein,
    /// All of them.
    All,
}

impl Method {
    fn counts(self, kind: usize) -> bool {
        match self {
            Self::Fms => kind == FMS,
            Self::Korek => kind != KLEIN,
            Self::Klein => kind == KLEIN,
            Self::All => true,
        }
    }
}

/// A vote: its kind, and the key byte it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vote {
    /// 0 is Klein's, 1 that of Fluhrer, Mantin and Shamir, the others are KoreK's.
    pub kind: usize,
    /// The value of the key byte.
    pub byte: u8,
}

const KLEIN: usize = 0;
const FMS: usize = 1;
/// Kinds of votes.
pub(super) const KINDS: usize = 21;
/// Last step of the key schedule that a vote is for.
pub(super) const LAST: usize = KNOWN - 1;
/// Keys and packets of each over which the weights are measured.
const SAMPLE: (u64, usize) = (256, 1024);

/// The table in the middle of the key schedule.
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
    /// The first steps, as many as there are key bytes.
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

    /// The votes of a packet for the next key byte.
    pub(super) fn votes(&self, packet: &Packet, mut vote: impl FnMut(Vote)) {
        let at = |place: u8| self.s[usize::from(place)];
        let place = |value: u8| self.inverse[usize::from(value)];
        let q = self.q as u8;
        let (o1, o2) = (packet.keystream[0], packet.keystream[1]);
        let (s1, s2, sq) = (at(1), at(2), at(q));
        let (p1, p2) = (place(o1), place(o2));
        let known = self.j.wrapping_add(sq);
        let mut cast = |kind, j: u8| vote(Vote { kind, byte: j.wrapping_sub(known) });

        cast(KLEIN, place(q.wrapping_sub(packet.keystream[self.q - 1])));
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
        if p2 == 2 && sq == 1 {
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
        }
        if s1 == 1 && o1 == s2 {
            cast(19, 1);
            cast(20, 2);
        }
    }
}

/// What a vote changes.
#[derive(Clone, Copy, Default)]
pub(super) struct Weight {
    /// For the value voted for, against the others: a logarithm.
    pub(super) vote: f32,
    /// For every value, against chance.
    pub(super) base: f32,
}

/// The weights of each kind for each step, 0 where it is not counted.
pub(super) fn weights(method: Method) -> Vec<[Weight; KINDS]> {
    static ALL: LazyLock<Vec<[Weight; KINDS]>> = LazyLock::new(measured);
    let counted = |weights: &[Weight; KINDS]| {
        std::array::from_fn(|kind| match method.counts(kind) {
            true => weights[kind],
            false => Weight::default(),
        })
    };
    ALL.iter().map(counted).collect()
}

fn measured() -> Vec<[Weight; KINDS]> {
    let mut cast = [[(0_u32, 0_u32); KINDS]; LAST + 1];
    for trial in 0..SAMPLE.0 {
        let mut random = Random::new("votes of WEP packets", 0, trial);
        let key = random.bytes(LAST + 1 - IV);
        for packet in Packet::simulate(&key, SAMPLE.1, &mut random) {
            let mut partial = Partial::new(packet.iv.into_iter());
            for &byte in &key {
                let counts = &mut cast[partial.q];
                partial.votes(&packet, |vote| {
                    let (all, right) = &mut counts[vote.kind];
                    *all += 1;
                    *right += u32::from(vote.byte == byte);
                });
                partial.step(byte);
            }
        }
    }
    let weight = |(all, right): (u32, u32)| {
        // As if 256 more votes had been cast at random: a rare kind does not weigh what it may not be worth.
        let p = (f64::from(right) + 1.0) / (f64::from(all) + 256.0);
        let other = (1.0 - p) / 255.0;
        Weight { vote: (p / other).ln() as f32, base: (256.0 * other).ln() as f32 }
    };
    cast.iter().map(|counts| counts.map(weight)).collect()
}

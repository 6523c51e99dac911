//! Compares the votes with their conditions, and steps with a key schedule made by hand.

use super::*;
use crate::wep::{Bytes, KNOWN};

/// A table after `q` steps: these values at their places, and values of no vote elsewhere.
fn table(q: usize, j: u8, second: u8, fixed: &[(u8, u8)]) -> Partial {
    let mut s: [u8; 256] = std::array::from_fn(|place| (place as u8).wrapping_add(100));
    for (n, &(place, value)) in fixed.iter().enumerate() {
        let from = s.iter().position(|entry| *entry == value).unwrap();
        assert!(fixed[..n].iter().all(|(taken, _)| usize::from(*taken) != from), "{fixed:?}");
        s.swap(place.into(), from);
    }
    let mut inverse = [0; 256];
    (0..=255).for_each(|place| inverse[usize::from(s[usize::from(place)])] = place);
    Partial { s, inverse, j, q, second }
}

/// Returns the votes for j after the next step, given the known bytes of keystream.
fn votes(partial: &Partial, known: &[(usize, u8)]) -> Vec<(usize, u8)> {
    let (mut keystream, mut bits) = ([0; KNOWN], 0);
    for &(n, byte) in known {
        (keystream[n], bits) = (byte, bits | 1 << n);
    }
    let packet = Packet { iv: [0; IV], keystream, known: Bytes(bits), guessed: Bytes(0) };
    let mut votes = vec![];
    let entry = partial.s[partial.q];
    partial.votes(&packet, |vote| {
        votes.push((vote.kind, vote.byte.wrapping_add(partial.j).wrapping_add(entry)));
    });
    votes
}

/// Each of KoreK's votes under its conditions (Chaabouni, chapter 4), and no vote if one of
/// them fails. A row has q, j after step 1, entries of the table, and two bytes of keystream.
#[test]
#[rustfmt::skip]
fn votes_of_korek_have_their_conditions() {
    type Row<'a> = (usize, u8, &'a [(u8, u8)], [u8; 2], &'a [(usize, u8)]);
    let rows: &[Row] = &[
        (5, 9, &[(1, 3), (3, 2), (200, 77)], [77, 8], &[(FMS, 200)]),
        (5, 9, &[(1, 3), (3, 4), (200, 77)], [77, 8], &[]),
        (5, 9, &[(1, 3), (3, 2)], [3, 8], &[]),
        (5, 9, &[(1, 3), (3, 2), (2, 77)], [77, 8], &[]),
        (5, 9, &[(1, 5), (5, 0), (200, 77)], [77, 8], &[]),
        (5, 9, &[(1, 5), (90, 0)], [5, 8], &[(2, 90)]),
        (5, 9, &[(1, 6), (90, 0)], [5, 8], &[]),
        (5, 9, &[(1, 5), (91, 252)], [252, 8], &[(3, 91)]),
        (5, 9, &[(1, 5), (4, 60), (150, 255)], [60, 8], &[(4, 150)]),
        (5, 9, &[(1, 5), (5, 60), (150, 0)], [60, 8], &[]),
        (5, 9, &[(1, 5), (6, 60), (150, 1)], [60, 8], &[]),
        (5, 9, &[(2, 60), (5, 1)], [60, 8], &[(5, 1)]),
        (5, 9, &[(2, 60), (5, 9)], [60, 8], &[]),
        (5, 9, &[(3, 60), (5, 1)], [60, 8], &[]),
        (5, 9, &[(5, 5), (1, 0)], [5, 8], &[(6, 1)]),
        (5, 9, &[(5, 5), (1, 0)], [6, 8], &[]),
        (5, 9, &[(5, 5), (1, 7)], [5, 8], &[]),
        (5, 9, &[(5, 6), (1, 0)], [5, 8], &[]),
        (5, 9, &[(5, 5), (1, 252)], [252, 8], &[(7, 1)]),
        (5, 9, &[(5, 5), (1, 252)], [60, 8], &[]),
        (5, 9, &[(5, 5), (1, 250)], [250, 8], &[]),
        (5, 9, &[(5, 5), (1, 253), (2, 60)], [60, 8], &[(8, 1)]),
        (5, 9, &[(5, 5), (1, 251), (0, 60)], [60, 8], &[(8, 1)]),
        (5, 9, &[(5, 5), (1, 250), (255, 60)], [60, 8], &[]),
        (5, 9, &[(5, 5), (1, 253), (3, 60)], [60, 8], &[]),
        (5, 9, &[(5, 7), (1, 253), (2, 60)], [60, 8], &[]),
        (5, 9, &[(1, 200), (2, 61), (170, 139)], [8, 200], &[(9, 170)]),
        (5, 9, &[(1, 200), (2, 62), (170, 138)], [8, 200], &[]),
        (5, 9, &[(1, 174), (2, 87)], [8, 174], &[]), // j would be 2
        (5, 9, &[(1, 200), (2, 61), (180, 197)], [8, 197], &[(10, 180)]),
        (5, 9, &[(1, 200), (2, 61), (180, 196)], [8, 196], &[]),
        (5, 9, &[(1, 132), (2, 129)], [8, 129], &[]), // likewise
        (5, 9, &[(1, 5), (2, 0), (180, 2)], [8, 2], &[]),
        (5, 9, &[(1, 4), (2, 1), (180, 17)], [8, 17], &[]),
        (5, 9, &[(1, 1), (2, 3), (4, 2), (190, 66)], [8, 66], &[(11, 190)]),
        (5, 9, &[(1, 1), (2, 3), (4, 7), (190, 66)], [8, 66], &[]),
        (5, 9, &[(1, 2), (2, 1), (3, 4), (190, 66)], [8, 66], &[]),
        (5, 9, &[(1, 3), (2, 0), (3, 5), (190, 66)], [8, 66], &[]),
        (5, 9, &[(1, 1), (2, 3), (4, 2)], [8, 1], &[]),
        (5, 9, &[(1, 1), (2, 3), (4, 2)], [8, 3], &[]),
        (5, 9, &[(1, 1), (2, 3), (4, 2)], [8, 2], &[]),
        (4, 9, &[(1, 2), (99, 0)], [8, 0], &[(12, 99)]),
        (4, 9, &[(1, 3), (99, 0)], [8, 0], &[]),
        (5, 9, &[(1, 2), (99, 0)], [8, 0], &[]),
        (4, 2, &[(1, 2), (0, 70), (101, 254)], [8, 70], &[(13, 101)]),
        (4, 9, &[(1, 2), (0, 70), (101, 254)], [8, 70], &[]),
        (4, 2, &[(1, 2), (2, 70), (102, 255)], [8, 70], &[(14, 102)]),
        (4, 9, &[(1, 2), (2, 70), (102, 255)], [8, 70], &[]),
        (4, 2, &[(1, 2), (3, 70)], [8, 70], &[]),
        (6, 9, &[(1, 2), (4, 4), (190, 66)], [8, 66], &[(15, 190)]),
        (6, 9, &[(1, 2), (4, 5), (190, 66)], [8, 66], &[]),
        (6, 9, &[(1, 3), (4, 4), (190, 66)], [8, 66], &[]),
        (6, 9, &[(1, 2), (4, 4)], [8, 2], &[]),
        (6, 9, &[(1, 2), (4, 4)], [8, 4], &[]),
        (3, 9, &[(1, 2), (4, 1), (190, 66)], [8, 66], &[]),
        (5, 9, &[(5, 0)], [8, 0], &[(16, 2)]),
        (5, 9, &[(5, 0)], [8, 7], &[]),
        (5, 9, &[(6, 0)], [8, 0], &[]),
        (5, 9, &[(2, 0)], [8, 0], &[(17, 2)]),
        (5, 9, &[(2, 0)], [8, 7], &[]),
        (5, 9, &[(2, 0), (1, 2)], [2, 7], &[(18, 1), (23, 2)]),
        (5, 9, &[(2, 0), (1, 2)], [3, 7], &[]),
        (5, 9, &[(2, 0), (1, 3)], [2, 7], &[]),
        (5, 9, &[(2, 9), (1, 2)], [2, 7], &[]),
        (5, 9, &[(1, 1), (2, 44)], [44, 7], &[(19, 1), (20, 2)]),
        (5, 9, &[(1, 1), (2, 44)], [45, 7], &[]),
        (5, 9, &[(1, 7), (2, 44)], [44, 8], &[]),
        (5, 9, &[(1, 0), (0, 1)], [1, 7], &[(21, 0), (22, 1)]),
        (5, 9, &[(1, 0), (3, 1)], [1, 7], &[]),
        (5, 9, &[(1, 0), (0, 1)], [3, 7], &[]),
        (5, 9, &[(1, 9), (0, 1)], [1, 7], &[]),
    ];
    for (q, second, fixed, [o1, o2], expected) in rows {
        let partial = table(*q, 0x3d, *second, fixed);
        assert_eq!(votes(&partial, &[(0, *o1), (1, *o2)]), *expected, "{q} {fixed:?} {o1} {o2}");
        assert_eq!(votes(&partial, &[(0, *o1)]), []);
        assert_eq!(votes(&partial, &[(1, *o2)]), []);
    }
}

/// The steps of the key schedule with the key 1, 2, 3: j is 1, then 1 + 0 + 2, then 3 + 2 + 3.
#[test]
fn steps_are_those_of_the_key_schedule() {
    for (n, j, second, start) in [
        (0, 0, 0, [0, 1, 2, 3]),
        (1, 1, 0, [1, 0, 2, 3]),
        (2, 3, 3, [1, 3, 2, 0]),
        (3, 8, 3, [1, 3, 8, 0]),
    ] {
        let partial = Partial::new([1, 2, 3].into_iter().take(n));
        assert_eq!((partial.q, partial.j(), partial.second), (n, j, second));
        assert_eq!(partial.s[..4], start);
        assert!((0..=255).all(|place| partial.place(partial.at(place)) == place));
    }
}

/// Klein: j is where q − z_q stands, for byte q of keystream from 1. Maitra and Paul: j is
/// where byte q + 1 stands.
#[test]
fn votes_of_each_packet_need_one_byte() {
    let partial = table(6, 0x3d, 9, &[(77, 6_u8.wrapping_sub(201)), (88, 13)]);
    assert_eq!(votes(&partial, &[(5, 201)]), [(KLEIN, 77)]);
    assert_eq!(votes(&partial, &[(6, 13)]), [(MAITRA_PAUL, 88)]);
    assert_eq!(votes(&partial, &[(5, 201), (6, 13)]), [(KLEIN, 77), (MAITRA_PAUL, 88)]);
    assert_eq!(votes(&partial, &[(4, 201), (7, 13)]), []);
}

#[test]
fn a_method_counts_its_votes() {
    let counted = |method: Method| (0..KINDS).filter(move |&kind| method.counts(kind));
    assert_eq!(counted(Method::Fms).collect::<Vec<_>>(), [FMS]);
    assert_eq!(counted(Method::Klein).collect::<Vec<_>>(), [KLEIN]);
    assert!(counted(Method::Korek).eq(1..24));
    assert!(counted(Method::All).eq(0..25));
}

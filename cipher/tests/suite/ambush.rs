//! Makes keys that force the special cases of a kernel. A key of 256 bytes can lead to any
//! permutation. So a test can put j just ahead of i, where a kernel may have loaded values early.

use arcfour::families::rc4::State;

/// The 256-byte key whose schedule ends in the permutation `s`. This is Fisher and Yates' shuffle:
/// step i fetches s\[i\] from its place, which is never before i.
pub fn key_for(s: &[u8; 256]) -> [u8; 256] {
    let mut now: [u8; 256] = std::array::from_fn(|i| i as u8);
    let mut j = 0u8;
    std::array::from_fn(|i| {
        let lies = now.iter().position(|x| *x == s[i]).expect("s is a permutation") as u8;
        let k = lies.wrapping_sub(j).wrapping_sub(now[i]);
        j = lies;
        now.swap(i, usize::from(j));
        k
    })
}

/// A key whose j lands on i−1 … i+4 in the greatest possible number of `wanted` steps of the first
/// 256. In the other steps j lands where `random` says.
pub fn ambush(mut random: impl FnMut() -> u8, wanted: impl Fn(usize) -> bool) -> [u8; 256] {
    let mut value = [None; 256];
    let mut free = [true; 256];
    // The cell of the wanted permutation that now lies at n.
    let mut at: [usize; 256] = std::array::from_fn(|n| n);
    let mut j = 0u8;
    for step in 1..=256 {
        let i = step as u8;
        let x = *value[at[usize::from(i)]].get_or_insert_with(|| {
            let start = random();
            let near =
                (0..6).map(|d| i.wrapping_sub(j).wrapping_add((start % 6 + d) % 6).wrapping_sub(1));
            let any = (0..=255).map(|d| start.wrapping_add(d));
            let mut choices = near.filter(|_| wanted(step)).chain(any);
            let x = choices.find(|x| free[usize::from(*x)]).expect("256 values for 256 cells");
            free[usize::from(x)] = false;
            x
        });
        j = j.wrapping_add(x);
        at.swap(usize::from(i), usize::from(j));
    }
    // Each of the 256 steps looked at another place, but swaps may have hidden some cells.
    key_for(&value.map(|x| {
        x.unwrap_or_else(|| {
            let x = (0..=255).find(|x: &u8| free[usize::from(*x)]).expect("a value for each cell");
            free[usize::from(x)] = false;
            x
        })
    }))
}

#[test]
fn any_permutation_has_a_key() {
    let reversed = std::array::from_fn(|i| 255 - i as u8);
    let state = State::ksa(&key_for(&reversed)).unwrap();
    assert_eq!(state.parts(), (&reversed, 0, 0));
}

#[test]
fn ambushes_hit() {
    let mut random = State::ksa(b"ambushes hit").unwrap();
    let mut hits = |wanted: fn(usize) -> bool| {
        let mut state = State::ksa(&ambush(|| random.prga(), wanted)).unwrap();
        let hit = |_: &usize| {
            state.prga();
            let (_, i, j) = state.parts();
            j.wrapping_sub(i).wrapping_add(1) < 6
        };
        (1..=256).filter(hit).count()
    };
    let (often, rarely) = (hits(|_| true), hits(|_| false));
    assert!(often > 80, "{often} of 256 steps hit; 6 would be chance");
    assert!(rarely < 20, "{rarely} of 256 steps hit");
}

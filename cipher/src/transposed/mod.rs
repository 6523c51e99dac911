//! Many keys side by side: their tables lie interleaved, byte by byte.
//!
//! One load reads S\[i\] of eight keys, and one vector addition makes sixteen j. Only the entries at
//! j have places of their own.

mod first;
mod sample;

pub use first::FirstBytes;
pub(crate) use sample::sample;

use crate::{backends::columns, families::rc4::IDENTITY};

/// Number of tables that lie interleaved.
const GROUP: usize = 8;
/// S\[i\] of a group, for each i.
type Tables = [[u8; GROUP]; 256];

/// The tables before the key schedule. They are copied, because making them takes longer.
static UNKEYED: Tables = {
    let mut tables = [[0; GROUP]; 256];
    let mut i = 0;
    while i < 256 {
        tables[i] = [IDENTITY[i]; GROUP];
        i += 1;
    }
    tables
};

/// Writes the bytes of each key to its place in the rows. Returns the number of rows after which all
/// keys begin anew.
fn set_keys<const LANES: usize>(rows: &mut [[u8; LANES]; 256], keys: &[&[u8]]) -> usize {
    let len = keys[0].len();
    let used = if keys.iter().all(|key| key.len() == len) { len } else { 256 };
    if used == 16
        && let (groups, []) = keys.as_chunks::<16>()
    {
        for (group, keys) in groups.iter().enumerate() {
            let keys = keys.map(|key| key.first_chunk().expect("keys of 16 bytes"));
            for (row, column) in rows.iter_mut().zip(columns(keys)) {
                row.as_chunks_mut().0[group] = column;
            }
        }
        return used;
    }
    for (lane, key) in keys.iter().enumerate() {
        for rows in rows[..used].chunks_mut(key.len()) {
            rows.iter_mut().zip(*key).for_each(|(row, &byte)| row[lane] = byte);
        }
    }
    used
}

/// Returns the bytes of two groups of a row.
#[inline(always)]
fn half(row: &[u8], half: usize) -> [u64; 2] {
    let (groups, _) = row.as_chunks::<GROUP>();
    [2 * half, 2 * half + 1].map(|group| u64::from_le_bytes(groups[group]))
}

/// Calls `visit` with each pair of lanes of a group, by the first of them, and with the indexes of
/// their entries. In pairs, because x86-64 has names for the lowest two bytes of a register.
#[inline(always)]
fn for_each_pair(mut at: u64, mut visit: impl FnMut(usize, [usize; 2])) {
    for lane in (0..GROUP).step_by(2) {
        visit(lane, [usize::from(at as u8), usize::from((at >> 8) as u8)]);
        at >>= 16;
    }
}

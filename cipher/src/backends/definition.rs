//! The definition itself, one byte at a time: the yardstick, selectable like any other backend.

use super::Ops;
use crate::families::rc4::State;

pub(super) static OPS: Ops = Ops {
    name: "definition",
    about: "the textbook loop of families/rc4.rs, a byte at a time",
    needs: "nothing",
    available: || true,
    schedule: State::schedule,
    fill: |state, out| out.iter_mut().for_each(|byte| *byte = state.prga()),
    xor: |state, data| {
        for mut byte in data {
            *byte.get_out() = *byte.get_in() ^ state.prga();
        }
    },
    lanes: None,
};

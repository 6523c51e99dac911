//! The definition itself, one byte at a time: the yardstick, selectable like any other backend.

use super::Ops;

pub(super) static OPS: Ops = Ops {
    name: "definition",
    about: "the textbook loop of families/rc4.rs, a byte at a time",
    needs: "nothing",
    available: || true,
    schedule: |rc4, key| rc4.state.schedule(key),
    fill: |rc4, out| out.iter_mut().for_each(|byte| *byte = rc4.state.prga()),
    xor: |rc4, data| {
        for mut byte in data {
            *byte.get_out() = *byte.get_in() ^ rc4.state.prga();
        }
    },
    lanes: None,
};

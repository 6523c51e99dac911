//! The definition as a backend, one byte at a time. Tests compare every other backend with it.

use super::Vtable;
use crate::families;

pub(super) static VTABLE: Vtable = Vtable {
    name: "definition",
    about: "the textbook loops of families/, a byte at a time",
    needs: "nothing",
    available: || true,
    schedule: |rc4, key| rc4.state.schedule(key),
    fill: |rc4, out| families::fill(&mut rc4.state, out),
    xor: |rc4, data| families::xor(&mut rc4.state, data),
    lanes: None,
    rc4a_fill: families::fill,
    rc4a_xor: families::xor,
};

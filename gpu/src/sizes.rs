//! The sizes that the kernel has as constants.

const KERNEL: &str = include_str!("kernel.wgsl");
/// Bytes of the table of RC4.
const TABLE: u32 = 256;
/// Maximum number of lanes of a workgroup. More lanes than a subgroup has gain nothing, and small
/// groups leave little memory unused.
const MAX_LANES: u32 = 64;

/// Bytes of the keys that the host numbers or gives, and of the keys of RC4.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) key: u32,
    pub(crate) rc4: u32,
}

impl Sizes {
    /// Bytes of workgroup memory that a lane needs.
    pub(crate) fn lane_memory(self) -> u32 {
        TABLE + self.rc4.next_multiple_of(4)
    }

    /// Returns the number of lanes of a workgroup with `memory` bytes and at most `invocations`; 0
    /// if the memory is too small for one.
    pub(crate) fn lanes(self, memory: u32, invocations: u32) -> u32 {
        let most = (memory / self.lane_memory()).min(invocations).min(MAX_LANES);
        most.checked_ilog2().map_or(0, |bits| 1 << bits)
    }

    /// Returns the text of the kernel for workgroups of `lanes`.
    pub(crate) fn kernel(self, lanes: u32) -> String {
        let Self { key, rc4 } = self;
        format!(
            "const LANES = {lanes}u;\nconst KEY_BYTES = {key}u;\nconst RC4_BYTES = {rc4}u;\n{KERNEL}"
        )
    }
}

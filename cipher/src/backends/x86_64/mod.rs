//! Assembly for x86-64 with SSE4.1 (since 2008), under the System V calling convention on every
//! operating system.

mod stream;

use super::Ops;

cpufeatures::new!(sse41, "sse4.1");

pub(super) static OPS: Ops = Ops {
    name: "x86-64",
    about: "assembly: the next bytes of the table preloaded into registers",
    needs: "x86-64 with SSE4.1",
    available: sse41::get,
    lanes: 1,
    schedule: stream::schedule,
    fill: stream::fill,
    xor: stream::xor,
};

/// The key repeated to the 256 bytes that the key schedule reads.
fn expand_key(key: &[u8]) -> [u8; 256] {
    let mut out = [0; 256];
    out[..key.len()].copy_from_slice(key);
    let mut done = key.len();
    while done < out.len() {
        let more = done.min(out.len() - done);
        out.copy_within(..more, done);
        done += more;
    }
    out
}

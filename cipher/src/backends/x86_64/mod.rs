//! Assembly for x86-64 with SSE4.1 (since 2008), under the System V calling convention on every
//! operating system.

/// Pushes the registers that a function must give back.
macro_rules! save {
    () => {
        "push rbx\n push rbp\n push r12\n push r13\n push r14\n push r15\n"
    };
}

/// Pops what [`save`] pushed.
macro_rules! restore {
    () => {
        "pop r15\n pop r14\n pop r13\n pop r12\n pop rbp\n pop rbx\n"
    };
}

// Left as written: an instruction a line.
#[rustfmt::skip]
mod lanes;
#[rustfmt::skip]
mod rc4a;
#[rustfmt::skip]
mod stream;

use super::{Lanes, Ops, Rc4aOps};

cpufeatures::new!(sse41, "sse4.1");

pub(super) static OPS: Ops = Ops {
    name: "x86-64",
    about: "assembly: table bytes preloaded into registers; five streams in one loop",
    needs: "x86-64 with SSE4.1",
    available: sse41::get,
    schedule: stream::schedule,
    fill: stream::fill,
    xor: stream::xor,
    lanes: Some(Lanes {
        turn: lanes::TURN,
        schedule: lanes::schedule,
        fill: lanes::fill,
        xor: lanes::xor,
    }),
    rc4a: Rc4aOps { fill: rc4a::fill, xor: rc4a::xor },
};

/// The key over and over, N bytes of it.
fn repeated<const N: usize>(key: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    if let Ok(key) = <[u8; 16]>::try_from(key) {
        // The commonest length, without calls.
        out.as_chunks_mut().0.fill(key);
        return out;
    }
    let mut done = key.len().min(N);
    out[..done].copy_from_slice(&key[..done]);
    while done < N {
        let more = done.min(N - done);
        out.copy_within(..more, done);
        done += more;
    }
    out
}

fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    // Keeps the compiler from leaving the stores out.
    zeroize::optimization_barrier(bytes);
}

//! Assembly for x86-64 with SSE4.1 (since 2008), under the System V calling convention on every
//! operating system.

/// Pushes the registers that a function must give back.
macro_rules! save {
    () => {
        "push rbx\n push rbp\n push r12\n push r13\n push r14\n push r15\n"
    };
}

/// Pops the registers that [`save`] pushed.
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

use cipher::inout::InOutBuf;

use super::{LanesVtable, Vtable};
use crate::{
    Rc4,
    families::rc4a::State as Rc4aState,
    wipe::{wipe, wipe_stack},
};

cpufeatures::new!(sse41, "sse4.1");

pub(super) static VTABLE: Vtable = Vtable {
    name: "x86-64",
    about: "assembly: table bytes preloaded into registers; five streams in one loop",
    needs: "x86-64 with SSE4.1",
    available: sse41::get,
    schedule: stream::schedule,
    fill: fill::<Rc4>,
    xor: xor::<Rc4>,
    lanes: Some(LanesVtable {
        granularity: lanes::TURN,
        schedule: lanes::schedule,
        fill: lanes::fill,
        xor: lanes::xor,
    }),
    rc4a_fill: fill::<Rc4aState>,
    rc4a_xor: xor::<Rc4aState>,
};

/// Bytes of keystream in a turn of the unrolled loops for one stream.
const TURN: usize = 32;

/// A stream whose assembly makes whole turns.
trait Turns {
    /// Returns how many bytes bring the stream to where a turn can start.
    fn head(&self) -> usize;

    /// Writes a few bytes of keystream.
    fn fill_rest(&mut self, out: &mut [u8]);

    /// Xors a few bytes of keystream into data.
    fn xor_rest(&mut self, data: InOutBuf<'_, '_, u8>);

    /// Writes `turns` × [`TURN`] bytes of keystream to `output`.
    ///
    /// # Safety
    /// SSE4.1; `head` is 0; `output` is valid for that many bytes; `turns` > 0.
    unsafe fn fill_turns(&mut self, output: *mut u8, turns: usize);

    /// Xors `turns` × [`TURN`] bytes of keystream into those at `input` and writes them to `output`.
    ///
    /// # Safety
    /// As `fill_turns`, and `input` is valid for that many bytes, which are the same as those at
    /// `output` or disjoint.
    unsafe fn xor_turns(&mut self, input: *const u8, output: *mut u8, turns: usize);
}

/// # Safety
/// SSE4.1.
unsafe fn fill<S: Turns>(stream: &mut S, out: &mut [u8]) {
    let (head, out) = out.split_at_mut(stream.head().min(out.len()));
    let (turns, tail) = out.as_chunks_mut::<TURN>();
    stream.fill_rest(head);
    if !turns.is_empty() {
        // SAFETY: the caller's promise. The head brought the stream to where a turn can start.
        // `turns` is a slice of arrays of 32 bytes, and not empty.
        unsafe { stream.fill_turns(turns.as_mut_ptr().cast(), turns.len()) };
    }
    stream.fill_rest(tail);
}

/// # Safety
/// SSE4.1.
unsafe fn xor<S: Turns>(stream: &mut S, data: InOutBuf<'_, '_, u8>) {
    let head = stream.head().min(data.len());
    let (head, data) = data.split_at(head);
    let turned = data.len() / TURN * TURN;
    let (turns, tail) = data.split_at(turned);
    stream.xor_rest(head);
    if turned > 0 {
        let (input, output) = turns.into_raw();
        // SAFETY: the caller's promise. The head brought the stream to where a turn can start. An
        // `InOutBuf` is valid for its length at both pointers, which are equal or do not overlap.
        // 16 bytes are read before they are written.
        unsafe { stream.xor_turns(input, output, turned / TURN) };
    }
    stream.xor_rest(tail);
}

/// Does the work. It is compiled for SSE4.1 too, which inserts a byte into a vector by one
/// instruction. Only inlined functions are compiled so.
// Not inlined, because a loop of lanes needs all registers.
#[inline(never)]
pub(crate) fn with_inserts(work: impl FnOnce()) {
    if sse41::get() {
        // SAFETY: the processor has SSE4.1.
        unsafe { by_sse41(work) }
    } else {
        work();
    }
}

#[target_feature(enable = "sse4.1")]
fn by_sse41(work: impl FnOnce()) {
    work();
}

/// Writes the key repeatedly.
#[inline]
fn repeat(key: &[u8], out: &mut [u8]) {
    if let (Ok(key), (chunks, [])) = (<&[u8; 16]>::try_from(key), out.as_chunks_mut()) {
        // The commonest length, without calls.
        chunks.fill(*key);
        return;
    }
    let mut done = key.len().min(out.len());
    out[..done].copy_from_slice(&key[..done]);
    while done < out.len() {
        let more = done.min(out.len() - done);
        out.copy_within(..more, done);
        done += more;
    }
}

//! How fast a cipher runs: one file per technique, and the choice between them.
//!
//! A [`Backend`] is a proof: it exists only for a technique that this machine can run, so every
//! [`Backend`] may be called. All the `unsafe` of the library is in this folder.

// Miri runs no assembly.
#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_pointer_width = "64",
    not(miri),
    not(feature = "portable")
))]
#[rustfmt::skip]
mod aarch64;
mod definition;
mod portable;
mod sixteen;
// x32 has pointers of 32 bits, and Miri runs no assembly.
#[cfg(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(miri),
    not(feature = "portable")
))]
mod x86_64;

use core::fmt;

use cipher::inout::InOutBuf;

pub(crate) use self::sixteen::{Sixteen, columns};
#[cfg(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(miri),
    not(feature = "portable")
))]
pub(crate) use self::x86_64::with_inserts;
use crate::{Rc4, families::rc4a};

/// Does the work. On x86-64, it is compiled so that a byte enters a [`Sixteen`] by one instruction.
// Not inlined, because a loop of lanes needs all registers.
#[cfg(not(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(miri),
    not(feature = "portable")
)))]
#[inline(never)]
pub(crate) fn with_inserts(work: impl FnOnce()) {
    work();
}

/// Lists the functions of a technique.
///
/// # Safety
/// Its functions may be called only on a machine where `available` returns true. Safe functions are
/// stored as they are.
struct Vtable {
    name: &'static str,
    about: &'static str,
    needs: &'static str,
    available: fn() -> bool,
    schedule: unsafe fn(&mut Rc4, key: &[u8]),
    fill: unsafe fn(&mut Rc4, out: &mut [u8]),
    xor: unsafe fn(&mut Rc4, data: InOutBuf<'_, '_, u8>),
    lanes: Option<LanesVtable>,
    rc4a_fill: unsafe fn(&mut rc4a::State, out: &mut [u8]),
    rc4a_xor: unsafe fn(&mut rc4a::State, data: InOutBuf<'_, '_, u8>),
}

/// Number of streams a multi-stream backend interleaves in one loop.
pub(crate) const LANES: usize = 5;

/// Lists the functions of a technique for [`LANES`] streams in one loop.
///
/// # Safety
/// The conditions are the same as for [`Vtable`].
struct LanesVtable {
    granularity: usize,
    schedule: unsafe fn(&mut [Rc4; LANES], keys: [&[u8]; LANES]),
    fill: unsafe fn(&mut [Rc4; LANES], outs: [&mut [u8]; LANES]),
    xor: unsafe fn(&mut [Rc4; LANES], data: [&mut [u8]; LANES]),
}

/// All techniques of this build, fastest first.
static ALL: &[&Vtable] = &[
    #[cfg(all(
        target_arch = "aarch64",
        target_endian = "little",
        target_pointer_width = "64",
        not(miri),
        not(feature = "portable")
    ))]
    &aarch64::VTABLE,
    #[cfg(all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        not(miri),
        not(feature = "portable")
    ))]
    &x86_64::VTABLE,
    &portable::VTABLE,
    &definition::VTABLE,
];

/// A way to compute RC4 that this machine can run.
#[derive(Clone, Copy)]
pub struct Backend(&'static Vtable);

/// A technique, whether or not this machine can run it: a row of `arcfour backends`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Technique {
    /// The name that selects it.
    pub name: &'static str,
    /// Describes the technique in one line.
    pub about: &'static str,
    /// The processor features it needs.
    pub needs: &'static str,
    /// The backend, if this machine can run it.
    pub backend: Option<Backend>,
}

impl Technique {
    /// Lists all techniques of this build, fastest first.
    pub fn all() -> impl Iterator<Item = Self> {
        techniques(ALL)
    }
}

fn techniques(all: &'static [&Vtable]) -> impl Iterator<Item = Technique> {
    all.iter().map(|&vtable| Technique {
        name: vtable.name,
        about: vtable.about,
        needs: vtable.needs,
        backend: (vtable.available)().then_some(Backend(vtable)),
    })
}

fn fastest(all: &'static [&Vtable]) -> Backend {
    let first = all.iter().find(|vtable| (vtable.available)());
    Backend(first.expect("the portable backend needs nothing"))
}

impl Backend {
    /// Returns the fastest backend that this machine can run.
    pub fn detect() -> Self {
        fastest(ALL)
    }

    /// Returns the backend of that name, if there is one and this machine can run it.
    pub fn named(name: &str) -> Option<Self> {
        Technique::all().find(|technique| technique.name == name)?.backend
    }

    /// Lists all backends that this machine can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Technique::all().filter_map(|technique| technique.backend)
    }

    /// Returns the name that selects it.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns how many streams it runs in one loop: 1 if it takes them one after the other.
    pub fn lanes(self) -> usize {
        if self.0.lanes.is_some() { LANES } else { 1 }
    }

    /// Runs the key schedule with a key of 1 to 256 bytes on the initial state. The caller updates
    /// the position, here and below.
    #[inline]
    pub(crate) fn schedule(self, rc4: &mut Rc4, key: &[u8]) {
        // SAFETY: a `Backend` is only made after `available` returned true.
        unsafe { (self.0.schedule)(rc4, key) }
    }

    /// Writes keystream.
    #[inline]
    pub(crate) fn fill(self, rc4: &mut Rc4, out: &mut [u8]) {
        // SAFETY: as above.
        unsafe { (self.0.fill)(rc4, out) }
    }

    /// Xors keystream into data, in place or from one buffer to another.
    #[inline]
    pub(crate) fn xor(self, rc4: &mut Rc4, data: InOutBuf<'_, '_, u8>) {
        // SAFETY: as above.
        unsafe { (self.0.xor)(rc4, data) }
    }

    /// Writes keystream of RC4A.
    #[inline]
    pub(crate) fn rc4a_fill(self, state: &mut rc4a::State, out: &mut [u8]) {
        // SAFETY: as above.
        unsafe { (self.0.rc4a_fill)(state, out) }
    }

    /// Xors keystream of RC4A into data, in place or from one buffer to another.
    #[inline]
    pub(crate) fn rc4a_xor(self, state: &mut rc4a::State, data: InOutBuf<'_, '_, u8>) {
        // SAFETY: as above.
        unsafe { (self.0.rc4a_xor)(state, data) }
    }

    /// Returns the functions that run [`LANES`] streams in one loop, if this backend has them.
    #[inline]
    pub(crate) fn interleaved(self) -> Option<Interleaved> {
        self.0.lanes.as_ref().map(Interleaved)
    }
}

/// [`LANES`] streams in one loop, on a machine that can run it.
#[derive(Clone, Copy)]
pub(crate) struct Interleaved(&'static LanesVtable);

impl Interleaved {
    /// Returns the granularity of `fill` and `xor`. All streams have the same i and all buffers the
    /// same length, both multiples of it.
    #[inline]
    pub(crate) fn granularity(self) -> usize {
        self.0.granularity
    }

    /// Runs the key schedules with keys of 1 to 256 bytes on initial states.
    #[inline]
    pub(crate) fn schedule(self, streams: &mut [Rc4; LANES], keys: [&[u8]; LANES]) {
        // SAFETY: an `Interleaved` is only made from a `Backend`.
        unsafe { (self.0.schedule)(streams, keys) }
    }

    /// Writes keystream.
    #[inline]
    pub(crate) fn fill(self, streams: &mut [Rc4; LANES], outs: [&mut [u8]; LANES]) {
        // SAFETY: as above.
        unsafe { (self.0.fill)(streams, outs) }
    }

    /// Xors keystream into data.
    #[inline]
    pub(crate) fn xor(self, streams: &mut [Rc4; LANES], data: [&mut [u8]; LANES]) {
        // SAFETY: as above.
        unsafe { (self.0.xor)(streams, data) }
    }
}

impl PartialEq for Backend {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl Eq for Backend {}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that lacks the processor features of the fastest technique.
    static LACKING: &[&Vtable] = &[
        &Vtable {
            name: "lacking",
            about: "",
            needs: "what is not there",
            available: || false,
            schedule: |_, _| unreachable!("not available"),
            fill: |_, _| unreachable!("not available"),
            xor: |_, _| unreachable!("not available"),
            lanes: None,
            rc4a_fill: |_, _| unreachable!("not available"),
            rc4a_xor: |_, _| unreachable!("not available"),
        },
        &portable::VTABLE,
        &definition::VTABLE,
    ];

    #[test]
    fn a_technique_that_is_not_available_is_passed_over() {
        let backend = fastest(LACKING);
        assert_eq!(backend.name(), "portable");
        let listed: [Technique; 3] = core::array::from_fn(|n| techniques(LACKING).nth(n).unwrap());
        assert_eq!((listed[0].name, listed[0].backend), ("lacking", None));
        assert_eq!(listed[1].backend, Some(backend));
        let mut keystream = [0; 4];
        Rc4::with_backend(b"Key", backend).unwrap().fill(&mut keystream);
        assert_eq!(keystream, [0xeb, 0x9f, 0x77, 0x81]);
    }
}

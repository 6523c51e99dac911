//! How fast a cipher runs: one file per technique, and the choice between them.
//!
//! A [`Backend`] is a proof: it can only be had for a technique this machine can run, so whoever
//! holds one may call it. All the `unsafe` of the project that is not at an FFI edge is below this
//! folder.

mod definition;
mod portable;
#[cfg(all(target_arch = "x86_64", not(arcfour_backend = "portable")))]
mod x86_64;

use core::fmt;

use cipher::inout::InOutBuf;

use crate::{Rc4, families::rc4a};

/// What a technique offers. Every function may be called only if `available` said yes; that is
/// what a [`Backend`] stands for.
pub(crate) struct Ops {
    name: &'static str,
    about: &'static str,
    needs: &'static str,
    available: fn() -> bool,
    /// Key schedule of a key of 1 to 256 bytes, from the state before it. The position is left to
    /// the caller here and below.
    pub(crate) schedule: fn(&mut Rc4, key: &[u8]),
    /// Writes keystream.
    pub(crate) fill: fn(&mut Rc4, out: &mut [u8]),
    /// Xors keystream into data, in place or from one buffer to another.
    pub(crate) xor: fn(&mut Rc4, data: InOutBuf<'_, '_, u8>),
    /// Several streams in one loop, if it can.
    pub(crate) lanes: Option<Lanes>,
    pub(crate) rc4a: Rc4aOps,
}

/// RC4A.
pub(crate) struct Rc4aOps {
    /// Writes keystream.
    pub(crate) fill: fn(&mut rc4a::State, out: &mut [u8]),
    /// Xors keystream into data, in place or from one buffer to another.
    pub(crate) xor: fn(&mut rc4a::State, data: InOutBuf<'_, '_, u8>),
}

/// How many streams the techniques that can run in one loop.
pub(crate) const LANES: usize = 5;

/// [`LANES`] streams in one loop.
pub(crate) struct Lanes {
    /// `fill` and `xor` take streams of equal i, a multiple of this, and buffers of equal length,
    /// a multiple of this.
    pub(crate) turn: usize,
    /// Key schedules of keys of 1 to 256 bytes, from the states before them.
    pub(crate) schedule: fn(&mut [Rc4; LANES], keys: [&[u8]; LANES]),
    /// Writes keystream.
    pub(crate) fill: fn(&mut [Rc4; LANES], outs: [&mut [u8]; LANES]),
    /// Xors keystream into data.
    pub(crate) xor: fn(&mut [Rc4; LANES], data: [&mut [u8]; LANES]),
}

/// All techniques of this build, fastest first.
static ALL: &[&Ops] = &[
    #[cfg(all(target_arch = "x86_64", not(arcfour_backend = "portable")))]
    &x86_64::OPS,
    &portable::OPS,
    &definition::OPS,
];

/// A way to compute RC4 that this machine can run.
#[derive(Clone, Copy)]
pub struct Backend(&'static Ops);

/// A technique, whether or not this machine can run it: a row of `arcfour backends`.
#[derive(Clone, Copy, Debug)]
pub struct Technique {
    /// The name that selects it.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// The processor features it needs.
    pub needs: &'static str,
    /// The backend, if this machine can run it.
    pub backend: Option<Backend>,
}

impl Backend {
    /// The fastest backend this machine can run.
    pub fn detect() -> Self {
        let first = ALL.iter().find(|ops| (ops.available)());
        Self(first.expect("the portable backend needs nothing"))
    }

    /// The backend of that name, if there is one and this machine can run it.
    pub fn named(name: &str) -> Option<Self> {
        Technique::all().find(|technique| technique.name == name)?.backend
    }

    /// All backends this machine can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Technique::all().filter_map(|technique| technique.backend)
    }

    /// The name that selects it.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// How many streams it runs in one loop: 1 if it takes them one after the other.
    pub fn lanes(self) -> usize {
        if self.0.lanes.is_some() { LANES } else { 1 }
    }

    pub(crate) fn ops(self) -> &'static Ops {
        self.0
    }
}

impl Technique {
    /// All techniques of this build, fastest first.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().map(|&ops| Self {
            name: ops.name,
            about: ops.about,
            needs: ops.needs,
            backend: (ops.available)().then_some(Backend(ops)),
        })
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

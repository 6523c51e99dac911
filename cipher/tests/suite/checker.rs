//! The checker runs a cipher in lockstep with its definition.
//!
//! After every operation the output, the bytes around the output, the input and the full state are
//! compared. The tests in `backends.rs` choose the operations, the keys and the order.

use std::{cell::RefCell, fmt};

use arcfour::{
    Backend, KeyLengthError, Keystream, Parc4r, Plain, Rc4, Rc4a, StreamCipher,
    families::{self, Prga, parc4i, parc4r, rc4a, rc4plus, spritz, vmpc},
};

use crate::{
    hex,
    second::{self, Second},
};

/// A cipher for use in programs, beside its definition.
struct Pair<C, D> {
    cipher: C,
    definition: D,
    /// Compares the whole states of both.
    same: fn(&C, &D) -> bool,
}

/// The checker's interface to a cipher and its definition.
pub trait Subject {
    fn cipher(&mut self) -> &mut dyn StreamCipher;
    fn skip(&mut self, n: usize);
    /// The next bytes of keystream by the definition.
    fn expected(&mut self, out: &mut [u8]);
    /// Returns true if the whole states of cipher and definition are equal.
    fn agree(&self) -> bool;
}

impl<C: StreamCipher + Keystream, D: Prga> Subject for Pair<C, D> {
    fn cipher(&mut self) -> &mut dyn StreamCipher {
        &mut self.cipher
    }

    fn skip(&mut self, n: usize) {
        self.cipher.skip(n as u64);
    }

    fn expected(&mut self, out: &mut [u8]) {
        out.fill_with(|| self.definition.prga());
    }

    fn agree(&self) -> bool {
        (self.same)(&self.cipher, &self.definition)
    }
}

/// A family by a backend: its name, and a function that sets it up with a key of 1 to 256 bytes.
pub struct Setup {
    pub name: String,
    /// True if the cipher has code for long runs, in which long runs can find an error.
    pub fast: bool,
    pair: Box<NewPair>,
}

type NewPair = dyn Fn(&[u8]) -> Box<dyn Subject>;

/// Lists the checker's subjects, families × backends. Add a new family here.
pub fn subjects() -> impl Iterator<Item = Setup> {
    let rc4 = Backend::available().map(|backend| Setup {
        name: format!("RC4 by {}", backend.name()),
        fast: true,
        pair: Box::new(move |key| {
            Box::new(Pair {
                cipher: Rc4::with_backend(key, backend).unwrap(),
                definition: families::rc4::State::ksa(key).unwrap(),
                same: |cipher, definition| cipher.state().parts() == definition.parts(),
            })
        }),
    });
    let rc4a = Backend::available().map(|backend| Setup {
        name: format!("RC4A by {}", backend.name()),
        fast: true,
        pair: Box::new(move |key| {
            Box::new(Pair {
                cipher: Rc4a::with_backend(key, backend).unwrap(),
                definition: rc4a::State::ksa(key).unwrap(),
                same: |cipher, definition| cipher.state() == definition,
            })
        }),
    });
    let parc4r = Setup {
        name: "PARC4-R".to_owned(),
        fast: true,
        pair: Box::new(|key| {
            Box::new(Pair {
                cipher: Parc4r::from_key(key).unwrap(),
                definition: parc4r::State::new(key).unwrap(),
                same: |cipher, definition| {
                    let lanes = cipher.lanes().iter().map(|lane| lane.state().parts());
                    cipher.position() == definition.position()
                        && lanes.eq(definition.lanes().iter().map(|lane| lane.parts()))
                },
            })
        }),
    };
    rc4.chain(rc4a).chain([parc4r]).chain(plain_families())
}

/// The families without a backend, compared with [`second`]. It has its own states, so the output
/// after an operation shows whether the state was right. No backend is involved, so one build is
/// enough.
fn plain_families() -> impl Iterator<Item = Setup> {
    let families = [
        plain("RC4A, equal keys", rc4a::State::ksa_equal_keys, second::rc4a_equal_keys),
        plain(
            "VMPC",
            |key| Ok(vmpc::State::<vmpc::Ksa>::ksa(key, b"IV").unwrap()),
            |key| second::vmpc(key, b"IV", false),
        ),
        plain(
            "VMPC-KSA3",
            |key| Ok(vmpc::State::<vmpc::Ksa3>::ksa(key, b"IV").unwrap()),
            |key| second::vmpc(key, b"IV", true),
        ),
        plain("RC4+", rc4plus::State::ksa, second::rc4plus),
        plain("Spritz", spritz::State::key_setup, second::spritz),
        plain("PARC4-I as printed", parc4i::State::<parc4i::Printed>::ksa, |key| {
            second::parc4i(key, [2, 3, 4, 3])
        }),
        plain("PARC4-I by its text", parc4i::State::<parc4i::Text>::ksa, |key| {
            second::parc4i(key, [2, 1, 4, 3])
        }),
    ];
    families.into_iter().filter(|_| cfg!(not(feature = "portable")))
}

fn plain<S: Prga + 'static>(
    name: &str,
    new: fn(&[u8]) -> Result<S, KeyLengthError>,
    second: fn(&[u8]) -> Second,
) -> Setup {
    let pair = move |key: &[u8]| -> Box<dyn Subject> {
        Box::new(Pair {
            cipher: Plain::new(new(key).unwrap()),
            definition: second(key),
            same: |cipher, definition| cipher.position() == definition.made,
        })
    };
    Setup { name: name.to_owned(), fast: false, pair: Box::new(pair) }
}

impl Setup {
    /// Schedules the key and compares the states.
    pub fn start<'a>(&'a self, key: &'a [u8]) -> Lockstep<'a> {
        let lockstep = Lockstep { name: &self.name, key, position: 0, pair: (self.pair)(key) };
        assert!(lockstep.pair.agree(), "{lockstep}: the key schedule differs");
        lockstep
    }
}

/// An operation on a stream.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Keystream alone.
    Fill,
    /// Xor in place.
    Apply,
    /// Xor from one buffer to another.
    Copy,
    Skip,
}

impl Op {
    pub const ALL: [Self; 4] = [Self::Fill, Self::Apply, Self::Copy, Self::Skip];
    /// The operations that write.
    pub const WRITING: [Self; 3] = [Self::Fill, Self::Apply, Self::Copy];
}

pub struct Lockstep<'a> {
    name: &'a str,
    key: &'a [u8],
    position: u64,
    pair: Box<dyn Subject>,
}

impl fmt::Display for Lockstep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, key {}, position {}", self.name, hex(self.key), self.position)
    }
}

/// Input, output and expected output, kept between operations.
#[derive(Default)]
struct Buffers {
    input: Guarded,
    output: Guarded,
    expected: Vec<u8>,
}

thread_local!(static BUFFERS: RefCell<Buffers> = RefCell::default());

impl Lockstep<'_> {
    /// Takes one step of `len` bytes with input and output `shifts` bytes after a multiple of 64,
    /// and compares everything.
    pub fn step(&mut self, op: Op, len: usize, shifts: [usize; 2]) {
        BUFFERS.with_borrow_mut(|buffers| self.step_with(op, len, shifts, buffers));
    }

    fn step_with(&mut self, op: Op, len: usize, shifts: [usize; 2], buffers: &mut Buffers) {
        let Buffers { input, output, expected } = buffers;
        let (input_colour, output_colour) = if let Op::Apply = op { (1, 1) } else { (1, 101) };
        input.paint(len, shifts[0], input_colour);
        output.paint(len, shifts[1], output_colour);
        expected.resize(len, 0);
        self.pair.expected(expected);
        if let Op::Apply | Op::Copy = op {
            expected.iter_mut().zip(input.inside()).for_each(|(byte, data)| *byte ^= *data);
        }
        match op {
            Op::Fill => self.pair.cipher().write_keystream(output.inside()),
            Op::Apply => self.pair.cipher().apply_keystream(output.inside()),
            Op::Copy => self.pair.cipher().apply_keystream_b2b(input.inside(), output.inside()),
            Op::Skip => self.pair.skip(len),
        }
        let what = || format!("{op:?} of {len} bytes, shifts {shifts:?}");
        if !matches!(op, Op::Skip) && output.inside() != expected {
            let n = output.inside().iter().zip(expected).position(|(a, b)| a != b);
            panic!("{self}: {}: byte {} differs", what(), n.expect("equal lengths"));
        }
        let untouched = if let Op::Skip = op { output.intact() } else { output.margins_intact() };
        assert!(untouched && input.intact(), "{self}: {}: wrote outside its output", what());
        assert!(self.pair.agree(), "{self}: {}: the state after it differs", what());
        self.position += len as u64;
    }
}

/// A painted buffer with painted margins.
#[derive(Default)]
pub struct Guarded {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
    colour: usize,
}

impl Guarded {
    const MARGIN: usize = 128;

    /// Sets the length to `len`, `shift` bytes after a multiple of 64. Paints margins and inside,
    /// beginning with `colour`, below 251.
    pub fn paint(&mut self, len: usize, shift: usize, colour: usize) {
        let needed = len + 2 * Self::MARGIN + 64 + shift;
        if self.bytes.len() < needed {
            self.bytes.resize(needed, 0);
        }
        self.start = self.bytes[Self::MARGIN..].as_ptr().align_offset(64) + Self::MARGIN + shift;
        (self.len, self.colour) = (len, colour);
        for bytes in self.with_margins().chunks_mut(251) {
            bytes.copy_from_slice(&PAINT[colour..][..bytes.len()]);
        }
    }

    pub fn inside(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.len]
    }

    fn with_margins(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start - Self::MARGIN..][..self.len + 2 * Self::MARGIN]
    }

    /// Returns true if margins and inside still hold the painted bytes.
    fn intact(&mut self) -> bool {
        let colour = self.colour;
        is_painted(self.with_margins(), colour)
    }

    /// Returns true if the margins still hold the painted bytes.
    pub fn margins_intact(&mut self) -> bool {
        let (colour, after) = (self.colour, Self::MARGIN + self.len);
        let bytes = self.with_margins();
        is_painted(&bytes[..Self::MARGIN], colour) && is_painted(&bytes[after..], colour + after)
    }
}

/// Bytes counting modulo 251, a prime, so that no block equals its neighbour; twice, so that any
/// 251 follow one another.
const PAINT: [u8; 502] = {
    let mut paint = [0; 502];
    let mut n = 0;
    while n < paint.len() {
        paint[n] = (n % 251) as u8;
        n += 1;
    }
    paint
};

fn is_painted(bytes: &[u8], colour: usize) -> bool {
    bytes.chunks(251).all(|bytes| bytes == &PAINT[colour % 251..][..bytes.len()])
}

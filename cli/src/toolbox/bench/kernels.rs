//! What is measured: the library's calls, each with its check against the definition.

use std::{hint::black_box, iter};

use arcfour::{
    Backend, Rc4, Rc4a, StreamCipher, apply_many,
    families::{Prga, rc4, rc4a},
    fill_many, rekey_many,
};

use crate::failure::Failure;

const KEY_BYTES: usize = 16;
/// Keys in the ring: each is used once a round, so that no branch predictor learns one by heart.
const KEYS: usize = 4096;
/// Bytes of one call on long streams, all streams together.
const LONG: usize = 1 << 20;
/// Groups of keys, each as many as there are lanes, in one call on many keys.
const GROUPS: usize = 8;
/// Bytes made of each of many keys: the sampler's shape.
const SAMPLE: usize = 256;
const MESSAGES: [usize; 5] = [16, 64, 256, 1024, 4096];
/// Data begin at another place of a page in each call, so that no one is lucky with alignment.
const PAGE: usize = 4096;

/// A call of the library.
pub struct Kernel {
    pub name: &'static str,
    pub family: &'static str,
    pub backend: Backend,
    /// Streams in one call.
    pub streams: usize,
    /// Bytes made in one call, all streams together.
    pub bytes: usize,
    work: Work,
    keys: Keys,
    /// The streams that go on from call to call, or the last one scheduled.
    ciphers: Vec<Rc4>,
    rc4a: Rc4a,
    data: Vec<Paged>,
    input: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Xor,
    Copy,
    Keystream,
    Schedule,
    ScheduleAgain,
    Sample,
    Message,
    MessageAgain,
    Rc4aXor,
}

/// All kernels of a backend.
pub fn all(backend: Backend) -> impl Iterator<Item = Result<Kernel, Failure>> {
    let long = [Work::Xor, Work::Copy, Work::Keystream].map(|work| (work, 1, LONG));
    let rc4a = (Work::Rc4aXor, 1, LONG);
    let lanes = backend.lanes();
    let keys = GROUPS * lanes;
    let many = [
        (Work::Xor, lanes, LONG / lanes * lanes),
        (Work::Keystream, lanes, LONG / lanes * lanes),
        (Work::Schedule, keys, 0),
        (Work::Sample, keys, keys * SAMPLE),
    ];
    let many = many.into_iter().filter(move |_| lanes > 1);
    let messages = MESSAGES.map(|bytes| (Work::Message, 1, bytes));
    long.into_iter()
        .chain(iter::once((Work::Schedule, 1, 0)))
        .chain(messages)
        .chain([(Work::ScheduleAgain, 1, 0), (Work::MessageAgain, 1, MESSAGES[1])])
        .chain(many)
        .chain(iter::once(rc4a))
        .map(move |(work, streams, bytes)| Kernel::new(work, backend, streams, bytes))
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Self::Xor | Self::Rc4aXor => "xor in place",
            Self::Copy => "copy + xor",
            Self::Keystream => "keystream",
            Self::Schedule => "schedule",
            Self::ScheduleAgain => "schedule, same key",
            Self::Sample => "schedule + keystream",
            Self::Message => "message with set-up",
            Self::MessageAgain => "message, same key",
        }
    }

    fn family(self) -> &'static str {
        if self == Self::Rc4aXor { "rc4a" } else { "rc4" }
    }
}

impl Kernel {
    fn new(work: Work, backend: Backend, streams: usize, bytes: usize) -> Result<Self, Failure> {
        // One key over and over shows what a branch predictor that knows it is worth.
        let again = matches!(work, Work::ScheduleAgain | Work::MessageAgain);
        let keys = Keys::random(if again { 1 } else { KEYS })?;
        let ciphers = (0..streams).map(|n| Rc4::with_backend(keys.at(n), backend));
        let ciphers = ciphers.collect::<Result<_, _>>()?;
        let rc4a = Rc4a::with_backend(keys.at(0), backend)?;
        // Samples lie end to end, as a sampler counts them; other streams each have their own data.
        let pieces = if work == Work::Sample { 1 } else { streams };
        let data = (0..pieces).map(|_| Paged::random(bytes / pieces)).collect::<Result<_, _>>()?;
        let input = random(bytes)?;
        let (name, family) = (work.name(), work.family());
        Ok(Self { name, family, backend, streams, bytes, work, keys, ciphers, rc4a, data, input })
    }

    /// What is timed.
    pub fn call(&mut self) {
        let Self { backend, keys, ciphers, rc4a, data, input, .. } = self;
        match (self.work, &mut ciphers[..], &mut data[..]) {
            (Work::Xor, [cipher], [data]) => cipher.apply(data.next()),
            (Work::Copy, [cipher], [data]) => cipher.apply_keystream_b2b(input, data.next()),
            (Work::Keystream, [cipher], [data]) => cipher.fill(data.next()),
            (Work::Schedule | Work::ScheduleAgain, [cipher], _) => {
                cipher.rekey(keys.next()).expect(VALID)
            }
            (Work::Schedule, ciphers, _) => {
                rekey_many(ciphers, &keys.next_of(ciphers.len())).expect(VALID);
            }
            (Work::Sample, ciphers, [data]) => {
                let mut outs: Vec<_> = data.next().chunks_exact_mut(SAMPLE).collect();
                backend.sample_many(&keys.next_of(ciphers.len()), &mut outs).expect(VALID);
            }
            (Work::Rc4aXor, _, [data]) => rc4a.apply(data.next()),
            (Work::Message | Work::MessageAgain, _, [data]) => {
                start(keys.next(), *backend).apply(data.next())
            }
            (Work::Xor, ciphers, data) => apply_many(ciphers, &mut next_of_all(data)),
            (_, ciphers, data) => fill_many(ciphers, &mut next_of_all(data)),
        }
        black_box((ciphers, rc4a, data));
    }

    /// Calls once and holds what came out against the definition.
    pub fn verify(&mut self) -> Result<(), Failure> {
        let before: Vec<Vec<u8>> = self.data.iter().map(|data| data.upcoming().to_vec()).collect();
        self.call();
        for n in 0..self.streams {
            let key = self.keys.at(n);
            let mut definition: Box<dyn Prga> = match self.work {
                Work::Rc4aXor => Box::new(rc4a::State::ksa(key)?),
                _ => Box::new(rc4::State::ksa(key)?),
            };
            let mut next = || definition.prga();
            let right = match self.work {
                Work::Schedule | Work::ScheduleAgain => {
                    let mut first = [0; 1024];
                    self.ciphers[n].fill(&mut first);
                    first.iter().all(|&byte| byte == next())
                }
                Work::Sample => {
                    self.data[0].latest()[n * SAMPLE..][..SAMPLE].iter().all(|&byte| byte == next())
                }
                Work::Keystream => self.data[n].latest().iter().all(|&byte| byte == next()),
                work => {
                    let plain = if work == Work::Copy { Some(&self.input) } else { before.get(n) };
                    let plain = plain.expect("every such stream has its own data");
                    plain.iter().zip(self.data[n].latest()).all(|(a, &b)| a ^ next() == b)
                }
            };
            if !right {
                let Self { family, name, bytes, .. } = self;
                return Err(Failure::Work(format!(
                    "backend {}, {family}, {name}, {bytes} bytes: stream {n} is not the definition's",
                    self.backend.name()
                )));
            }
        }
        Ok(())
    }
}

const VALID: &str = "16 bytes are a valid key";

fn start(key: &[u8], backend: Backend) -> Rc4 {
    Rc4::with_backend(key, backend).expect(VALID)
}

fn next_of_all(data: &mut [Paged]) -> Vec<&mut [u8]> {
    data.iter_mut().map(Paged::next).collect()
}

/// A ring of keys.
struct Keys {
    ring: Vec<u8>,
    next: usize,
}

impl Keys {
    fn random(count: usize) -> Result<Self, Failure> {
        Ok(Self { ring: random(count * KEY_BYTES)?, next: 0 })
    }

    fn count(&self) -> usize {
        self.ring.len() / KEY_BYTES
    }

    fn at(&self, n: usize) -> &[u8] {
        &self.ring[n * KEY_BYTES..][..KEY_BYTES]
    }

    fn next(&mut self) -> &[u8] {
        let n = self.next;
        // A division here would be timed with the call.
        self.next = if n + 1 < self.count() { n + 1 } else { 0 };
        self.at(n)
    }

    /// The next `count` keys.
    fn next_of(&mut self, count: usize) -> Vec<&[u8]> {
        let first = self.next;
        self.next = (first + count) % self.count();
        (first..first + count).map(|n| self.at(n % self.count())).collect()
    }
}

/// A piece of data that begins at another place of a page each time.
struct Paged {
    buffer: Vec<u8>,
    offsets: Vec<usize>,
    next: usize,
    bytes: usize,
}

impl Paged {
    fn random(bytes: usize) -> Result<Self, Failure> {
        let pairs = random(2 * 256)?;
        let offset = |pair: &[u8; 2]| usize::from(u16::from_ne_bytes(*pair)) % PAGE;
        let offsets = pairs.as_chunks().0.iter().map(offset).collect();
        Ok(Self { buffer: random(bytes + PAGE)?, offsets, next: 0, bytes })
    }

    fn upcoming(&self) -> &[u8] {
        &self.buffer[self.offsets[self.next]..][..self.bytes]
    }

    fn next(&mut self) -> &mut [u8] {
        let at = self.offsets[self.next];
        self.next = (self.next + 1) % self.offsets.len();
        &mut self.buffer[at..][..self.bytes]
    }

    /// The piece that [`next`](Self::next) gave last.
    fn latest(&self) -> &[u8] {
        let last = (self.next + self.offsets.len() - 1) % self.offsets.len();
        &self.buffer[self.offsets[last]..][..self.bytes]
    }
}

pub(super) fn random(bytes: usize) -> Result<Vec<u8>, Failure> {
    let mut data = vec![0; bytes];
    getrandom::fill(&mut data).map_err(|error| Failure::read("random bytes", &error.into()))?;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_every_backend_is_the_definition() -> Result<(), Failure> {
        Backend::available().flat_map(all).try_for_each(|kernel| kernel?.verify())
    }

    #[test]
    fn a_kernel_elsewhere_in_its_stream_or_keys_is_found() -> Result<(), Failure> {
        for kernel in all(Backend::detect()) {
            let mut kernel = kernel?;
            if kernel.keys.count() == 1 {
                continue; // is never elsewhere
            }
            kernel.call();
            assert!(kernel.verify().is_err(), "{}", kernel.name);
        }
        Ok(())
    }
}

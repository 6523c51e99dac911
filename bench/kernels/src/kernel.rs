//! The kernels: calls of the library, each checked against the definition before it is timed.

use std::{hint::black_box, iter};

use arcfour::{
    Backend, Rc4, Rc4a, StreamCipher, apply_many,
    families::{Prga, rc4, rc4a},
    fill_many, rekey_many,
};
use arcfour_measure::{Goal, Meter, Summary};
use serde::{Deserialize, Serialize};

use crate::{
    Error,
    data::{Keys, Paged, random},
};

/// Keys in the ring: each is used once a round, so that no branch predictor learns one by heart.
const KEYS: usize = 4096;
/// Bytes of one call on long streams, all streams together.
const LONG: usize = 1 << 20;
/// Groups of keys in one call on many keys. Each group has one key for each lane.
const GROUPS: usize = 8;
/// Bytes made of each of many keys: the sampler's shape.
const SAMPLE: usize = 256;
const MESSAGES: [usize; 5] = [16, 64, 256, 1024, 4096];

/// The speed of a kernel: an object of `arcfour bench kernels --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelSpeed {
    /// Name of the call, such as `xor in place`.
    pub name: String,
    /// The family of the cipher.
    pub family: String,
    /// The backend's name.
    pub backend: String,
    /// Streams in one call.
    pub streams: usize,
    /// Bytes made in one call, all streams together.
    pub bytes: usize,
    /// Median core cycles of one call.
    pub cycles: f64,
    /// Minimum core cycles of one call; `None` in older records.
    pub least_cycles: Option<f64>,
    /// Quartile below the median, in core cycles.
    pub lower_quartile: f64,
    /// Quartile above the median, in core cycles.
    pub upper_quartile: f64,
    /// Median core cycles per byte; none if a call makes no bytes.
    pub cycles_per_byte: Option<f64>,
    /// Million bytes per second; none if a call makes no bytes.
    pub mb_per_s: Option<f64>,
    /// Median clock of the core.
    pub ghz: f64,
    /// Samples taken while the core was quiet.
    pub accepted: usize,
    /// Samples taken while it was not.
    pub rejected: usize,
    /// True if enough samples were accepted. If not, the figures are of all samples.
    pub quiet: bool,
    /// True if the bytes of the call were compared with the definition's.
    pub verified: bool,
}

/// A call of the library.
pub struct Kernel {
    backend: Backend,
    /// Streams in one call.
    streams: usize,
    /// Bytes made in one call, all streams together.
    bytes: usize,
    call: Call,
    keys: Keys,
    /// The streams that go on from call to call, or the last one scheduled.
    ciphers: Vec<Rc4>,
    rc4a: Rc4a,
    data: Vec<Paged>,
    input: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
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

/// Lists the kernels of a backend.
///
/// # Errors
/// An item is one if the system has no random bytes.
pub fn kernels(backend: Backend) -> impl Iterator<Item = Result<Kernel, Error>> {
    let long = [Call::Xor, Call::Copy, Call::Keystream].map(|call| (call, 1, LONG));
    let rc4a = (Call::Rc4aXor, 1, LONG);
    let lanes = backend.lanes();
    let keys = GROUPS * lanes;
    let many = [
        (Call::Xor, lanes, LONG / lanes * lanes),
        (Call::Keystream, lanes, LONG / lanes * lanes),
        (Call::Schedule, keys, 0),
        (Call::Sample, keys, keys * SAMPLE),
    ];
    let many = many.into_iter().filter(move |_| lanes > 1);
    let messages = MESSAGES.map(|bytes| (Call::Message, 1, bytes));
    long.into_iter()
        .chain(iter::once((Call::Schedule, 1, 0)))
        .chain(messages)
        .chain([(Call::ScheduleAgain, 1, 0), (Call::MessageAgain, 1, MESSAGES[1])])
        .chain(many)
        .chain(iter::once(rc4a))
        .map(move |(call, streams, bytes)| Kernel::new(call, backend, streams, bytes))
}

impl Call {
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
    fn new(call: Call, backend: Backend, streams: usize, bytes: usize) -> Result<Self, Error> {
        // Repeating one key shows the gain of a branch predictor that has learnt it.
        let again = matches!(call, Call::ScheduleAgain | Call::MessageAgain);
        let keys = Keys::random(if again { 1 } else { KEYS })?;
        let ciphers = (0..streams).map(|n| Rc4::with_backend(keys.at(n), backend));
        let ciphers = ciphers.collect::<Result<_, _>>().expect(VALID);
        let rc4a = Rc4a::with_backend(keys.at(0), backend).expect(VALID);
        // Samples lie end to end, as a sampler counts them; other streams each have their own data.
        let pieces = if call == Call::Sample { 1 } else { streams };
        let data = (0..pieces).map(|_| Paged::random(bytes / pieces)).collect::<Result<_, _>>()?;
        let input = random(bytes)?;
        Ok(Self { backend, streams, bytes, call, keys, ciphers, rc4a, data, input })
    }

    /// Compares one call with the definition, then takes the samples that `goal` asks for.
    ///
    /// # Errors
    /// If a byte is not the definition's.
    pub fn measure(mut self, meter: &mut Meter, goal: Goal) -> Result<KernelSpeed, Error> {
        self.verify()?;
        let samples = meter.collect(goal, || self.call());
        let summary = meter.summary(&samples, goal);
        let Self { call, backend, streams, bytes, .. } = self;
        let per_byte = |of: fn(&Summary, usize) -> f64| (bytes > 0).then(|| of(&summary, bytes));
        Ok(KernelSpeed {
            name: call.name().to_owned(),
            family: call.family().to_owned(),
            backend: backend.name().to_owned(),
            streams,
            bytes,
            cycles: summary.cycles,
            least_cycles: Some(summary.least),
            lower_quartile: summary.lower,
            upper_quartile: summary.upper,
            cycles_per_byte: per_byte(Summary::cycles_per_byte),
            mb_per_s: per_byte(Summary::mb_per_s),
            ghz: summary.ghz,
            accepted: summary.accepted,
            rejected: summary.rejected,
            quiet: summary.quiet,
            verified: true,
        })
    }

    /// Does the work that is timed.
    fn call(&mut self) {
        let Self { backend, keys, ciphers, rc4a, data, input, .. } = self;
        match (self.call, &mut ciphers[..], &mut data[..]) {
            (Call::Xor, [cipher], [data]) => cipher.apply(data.next()),
            (Call::Copy, [cipher], [data]) => cipher.apply_keystream_b2b(input, data.next()),
            (Call::Keystream, [cipher], [data]) => cipher.fill(data.next()),
            (Call::Schedule | Call::ScheduleAgain, [cipher], _) => {
                cipher.rekey(keys.next()).expect(VALID)
            }
            (Call::Schedule, ciphers, _) => {
                rekey_many(ciphers, &keys.next_of(ciphers.len())).expect(VALID);
            }
            (Call::Sample, ciphers, [data]) => {
                let mut outs: Vec<_> = data.next().chunks_exact_mut(SAMPLE).collect();
                backend.sample_many(&keys.next_of(ciphers.len()), &mut outs).expect(VALID);
            }
            (Call::Rc4aXor, _, [data]) => rc4a.apply(data.next()),
            (Call::Message | Call::MessageAgain, _, [data]) => {
                start(keys.next(), *backend).apply(data.next())
            }
            (Call::Xor, ciphers, data) => apply_many(ciphers, &mut next_of_all(data)),
            (_, ciphers, data) => fill_many(ciphers, &mut next_of_all(data)),
        }
        black_box((ciphers, rc4a, data));
    }

    /// Calls once, and compares the output with the definition.
    fn verify(&mut self) -> Result<(), Error> {
        let before: Vec<Vec<u8>> = self.data.iter().map(|data| data.upcoming().to_vec()).collect();
        self.call();
        for n in 0..self.streams {
            let key = self.keys.at(n);
            let mut definition: Box<dyn Prga> = match self.call {
                Call::Rc4aXor => Box::new(rc4a::State::ksa(key).expect(VALID)),
                _ => Box::new(rc4::State::ksa(key).expect(VALID)),
            };
            let mut next = || definition.prga();
            let right = match self.call {
                Call::Schedule | Call::ScheduleAgain => {
                    let mut first = [0; 1024];
                    self.ciphers[n].fill(&mut first);
                    first.iter().all(|&byte| byte == next())
                }
                Call::Sample => {
                    self.data[0].latest()[n * SAMPLE..][..SAMPLE].iter().all(|&byte| byte == next())
                }
                Call::Keystream => self.data[n].latest().iter().all(|&byte| byte == next()),
                call => {
                    let plain = if call == Call::Copy { Some(&self.input) } else { before.get(n) };
                    let plain = plain.expect("every such stream has its own data");
                    plain.iter().zip(self.data[n].latest()).all(|(a, &b)| a ^ next() == b)
                }
            };
            if !right {
                return Err(Error::Kernel {
                    backend: self.backend.name(),
                    family: self.call.family(),
                    name: self.call.name(),
                    bytes: self.bytes,
                    stream: n,
                });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_every_backend_is_the_definition() -> Result<(), Error> {
        Backend::available().flat_map(kernels).try_for_each(|kernel| kernel?.verify())
    }

    #[test]
    fn a_kernel_elsewhere_in_its_stream_or_keys_is_found() -> Result<(), Error> {
        for kernel in kernels(Backend::detect()) {
            let mut kernel = kernel?;
            if kernel.keys.count() == 1 {
                continue; // is never elsewhere
            }
            kernel.call();
            assert!(kernel.verify().is_err(), "{}", kernel.call.name());
        }
        Ok(())
    }
}

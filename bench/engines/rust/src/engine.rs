//! Runs a stream cipher under the protocol of bench/engines/README.md, generic in its type, so that no loop has
//! an indirect call.

use std::{
    hint::black_box,
    str::FromStr,
    time::{Duration, Instant},
};

use arcfour::StreamCipher;

pub const KEY_BYTES: usize = 16;

/// Keys in a ring, each used once a round, so that no branch predictor learns one by heart.
#[derive(Default)]
pub struct Keys {
    ring: Vec<u8>,
    next: usize,
}

impl Keys {
    pub fn new(ring: Vec<u8>) -> Self {
        Self { ring, next: 0 }
    }

    fn first(&self) -> &[u8] {
        &self.ring[..KEY_BYTES]
    }

    fn next(&mut self) -> &[u8] {
        let at = self.next;
        self.next = (at + KEY_BYTES) % self.ring.len();
        &self.ring[at..at + KEY_BYTES]
    }
}

/// The timed work.
pub enum Workload {
    /// Xor in place, continuing one stream.
    Stream,
    /// Key schedules.
    Setup,
    /// Key schedule and xor in place, a new key each time.
    Message,
}

impl FromStr for Workload {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        match name {
            "stream" => Ok(Self::Stream),
            "setup" => Ok(Self::Setup),
            "message" => Ok(Self::Message),
            _ => anyhow::bail!("no such work: {name}"),
        }
    }
}

pub trait Engine {
    fn name(&self) -> &str;
    fn version(&self) -> &str;
    /// Forgets the stream.
    fn reset(&mut self);
    fn run(
        &mut self,
        work: Workload,
        keys: &mut Keys,
        data: &mut [u8],
        iterations: u64,
    ) -> Duration;
}

pub struct Cipher<C, F> {
    name: &'static str,
    version: String,
    schedule: F,
    stream: Option<C>,
}

impl<C, F: Fn(&[u8]) -> C> Cipher<C, F> {
    pub fn new(name: &'static str, version: String, schedule: F) -> Self {
        Self { name, version, schedule, stream: None }
    }
}

impl<C: StreamCipher, F: Fn(&[u8]) -> C> Engine for Cipher<C, F> {
    fn name(&self) -> &str {
        self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn reset(&mut self) {
        self.stream = None;
    }

    fn run(
        &mut self,
        work: Workload,
        keys: &mut Keys,
        data: &mut [u8],
        iterations: u64,
    ) -> Duration {
        match work {
            Workload::Stream => {
                let stream = self.stream.get_or_insert_with(|| (self.schedule)(keys.first()));
                let start = Instant::now();
                for _ in 0..iterations {
                    stream.apply_keystream(black_box(&mut *data));
                }
                start.elapsed()
            }
            Workload::Setup => {
                let mut last = None;
                let start = Instant::now();
                for _ in 0..iterations {
                    last = Some((self.schedule)(keys.next()));
                    black_box(&mut last);
                }
                let time = start.elapsed();
                if let Some(mut last) = last {
                    last.apply_keystream(data);
                }
                time
            }
            Workload::Message => {
                let start = Instant::now();
                for _ in 0..iterations {
                    (self.schedule)(keys.next()).apply_keystream(black_box(&mut *data));
                }
                start.elapsed()
            }
        }
    }
}

//! Writes a file while it is read. Everything but objects and cross-reference sections is copied.

use std::{
    io::{self, Write},
    num::NonZero,
    ops::Range,
    thread,
};

use arcfour::{Backend, Rc4, apply_many, lanes, rekey_many};

use super::{source::Source, standard::ObjectKey};

/// Number of bytes that are gathered before they are decrypted and written.
const BATCH: usize = 8 << 20;
/// Fewer bytes than this are decrypted on the calling thread.
const INLINE: usize = 1 << 20;

/// The output of a file: bytes in order, some of them through a cipher.
pub(super) struct Target<'a> {
    to: &'a mut dyn Write,
    pending: Vec<u8>,
    /// The pending parts that a cipher must still change.
    jobs: Vec<(ObjectKey, Range<usize>)>,
    written: u64,
}

impl<'a> Target<'a> {
    pub(super) fn new(to: &'a mut dyn Write) -> Self {
        let pending = Vec::with_capacity(BATCH);
        Self { to, pending, jobs: vec![], written: 0 }
    }

    /// Number of bytes so far.
    pub(super) fn position(&self) -> u64 {
        self.written + self.pending.len() as u64
    }

    /// Returns the last pending byte.
    pub(super) fn last(&self) -> Option<u8> {
        self.pending.last().copied()
    }

    /// Returns the buffer to which small parts are appended.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.pending
    }

    /// Copies a part of the file, through a cipher if there is one.
    pub(super) fn copy(
        &mut self,
        source: &mut Source,
        range: Range<u64>,
        key: Option<ObjectKey>,
    ) -> io::Result<()> {
        let len = range.end - range.start;
        if len <= BATCH as u64 {
            if self.pending.len() as u64 + len > BATCH as u64 {
                self.flush()?;
            }
            let start = self.pending.len();
            source.append(range.start, len as usize, &mut self.pending)?;
            if let Some(key) = key {
                self.jobs.push((key, start..self.pending.len()));
            }
            return Ok(());
        }
        // A stream is one chain, so each part waits for the part before it.
        let start = |key: ObjectKey| Rc4::boxed(key.bytes(), Backend::detect());
        let mut cipher = key.map(|key| start(key).expect("10 to 16 bytes"));
        let mut at = range.start;
        while at < range.end {
            self.flush()?;
            let len = (range.end - at).min(BATCH as u64) as usize;
            source.append(at, len, &mut self.pending)?;
            if let Some(cipher) = &mut cipher {
                cipher.apply(&mut self.pending);
            }
            at += len as u64;
        }
        Ok(())
    }

    /// Decrypts and writes the pending bytes.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let (mut jobs, mut rest, mut at) = (vec![], &mut self.pending[..], 0);
        for (key, range) in self.jobs.drain(..) {
            let (data, after) = rest.split_at_mut(range.end - at);
            jobs.push((key, &mut data[range.start - at..]));
            (rest, at) = (after, range.end);
        }
        apply_all(jobs);
        let written = self.to.write_all(&self.pending);
        self.written += self.pending.len() as u64;
        self.pending.clear();
        written
    }
}

/// Applies each cipher to its data, several streams in one loop, on all cores.
fn apply_all(mut jobs: Vec<(ObjectKey, &mut [u8])>) {
    // Streams in one loop advance together up to the length of the shortest.
    jobs.sort_by_key(|(_, data)| std::cmp::Reverse(data.len()));
    let total: usize = jobs.iter().map(|(_, data)| data.len()).sum();
    let groups: Vec<_> = {
        let mut groups = vec![];
        let mut jobs = jobs.into_iter().peekable();
        while jobs.peek().is_some() {
            groups.push(jobs.by_ref().take(lanes()).unzip::<_, _, Vec<_>, Vec<_>>());
        }
        groups
    };
    let cores = || thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if total < INLINE { 1 } else { cores().min(groups.len()) };
    let mut shares: Vec<Vec<_>> = (0..threads.max(1)).map(|_| vec![]).collect();
    for (n, group) in groups.into_iter().enumerate() {
        shares[n % threads.max(1)].push(group);
    }
    let work = |share: Vec<(Vec<ObjectKey>, Vec<&mut [u8]>)>| {
        // The states do not move, and are wiped in place.
        let mut ciphers = vec![Rc4::from_key(&[0]).expect("one byte"); lanes()];
        for (keys, mut data) in share {
            let ciphers = &mut ciphers[..keys.len()];
            let keys: Vec<&[u8]> = keys.iter().map(ObjectKey::bytes).collect();
            rekey_many(ciphers, &keys).expect("10 to 16 bytes");
            apply_many(ciphers, &mut data);
        }
    };
    thread::scope(|scope| {
        let own = shares.pop();
        for share in shares {
            scope.spawn(move || work(share));
        }
        own.map(work);
    });
}

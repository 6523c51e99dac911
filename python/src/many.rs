//! `keystreams`: the keystreams of many keys, on all cores.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use arcfour::{Family, Rc4, fill_many, rekey_many, sample_many};
use pyo3::{
    exceptions::{PyMemoryError, PyTypeError, PyValueError},
    prelude::*,
};
use zeroize::Zeroizing;

use crate::{
    buffer::Buffer,
    errors::memory_error,
    families,
    numbers::Integer::{self, Fits},
    sealed::threads_of,
};

/// Keys that a thread takes at a time: a multiple of all numbers of lanes.
const BATCH: usize = 240;
/// Bytes of each keystream that are made between two looks whether to stop.
const STEP: usize = 1 << 16;
/// Time between two checks for an interrupt.
const PATIENCE: Duration = Duration::from_millis(50);

/// Return the first `n` bytes of keystream of each key: a uint8 array of shape (keys, n).
///
/// `keys` is a list of bytes-like objects, each of 1 to 256 bytes, or a uint8 array of shape (keys,
/// bytes). The first `drop` bytes of each keystream are discarded. `family` is one of
/// `arcfour.families`, in upper or lower case; all keys have the same `iv`, if the family needs
/// one. `threads` is 1 to 256, by default one for each core. Other Python threads run meanwhile.
/// Ctrl-C ends the call.
///
/// Raises ValueError for a length or a number out of range. Raises TypeError if a key is not
/// bytes-like, or if an IV is missing or refused. Raises MemoryError if the array does not fit in
/// memory.
#[pyfunction]
#[pyo3(
    signature = (keys, n, *, family="rc4", iv=None, drop=Fits(0), threads=None),
    text_signature = "(keys, n, *, family='rc4', iv=None, drop=0, threads=None)"
)]
pub fn keystreams<'py>(
    keys: &Bound<'py, PyAny>,
    n: Integer,
    family: &str,
    iv: Option<&Bound<'py, PyAny>>,
    drop: Integer,
    threads: Option<Integer>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let family = families::named(family)?;
    let n: usize = n.within("n", 0..=isize::MAX as u64)?;
    let drop = drop.within("drop", 0..=u64::MAX)?;
    let threads = threads_of(threads)?;
    let iv = iv.map(|iv| Ok::<_, PyErr>(Buffer::of(iv)?.bytes().to_vec())).transpose()?;
    families::start(family, &[0], iv.as_deref())?;
    let keys = Keys::of(keys)?;
    let count = keys.ends.len();
    let size =
        count.checked_mul(n).filter(|&size| size <= isize::MAX as usize).ok_or_else(|| {
            PyMemoryError::new_err(format!("{count} keystreams of {n} bytes are too many"))
        })?;
    // Without enough memory, a bytearray that Python makes prints a SystemError before it raises.
    let rows = py.import("numpy")?.call_method1("zeros", ((count, n), "u1"))?;
    Buffer::writable(&rows, size)?.change(|py, out| {
        if out.is_empty() {
            return Ok(());
        }
        let jobs = Mutex::new(out.chunks_mut(n * BATCH).enumerate());
        let stop = AtomicBool::new(false);
        let work = |_alive: mpsc::Sender<()>| {
            while !stop.load(Ordering::Relaxed) {
                let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((batch, out)) = job else { return };
                let rows: Vec<_> = out.chunks_mut(n).collect();
                let batch = (batch * BATCH..).take(rows.len()).map(|at| keys.get(at)).collect();
                fill(family, batch, iv.as_deref(), drop, rows, &stop);
            }
        };
        let (alive, ended) = mpsc::channel();
        let ended = Mutex::new(ended);
        // Nothing is sent: when the last thread ends, the channel does.
        let waits = || {
            let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
            ended.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout)
        };
        thread::scope(|scope| {
            for _ in 0..threads {
                let (work, alive) = (&work, alive.clone());
                let spawned = thread::Builder::new().spawn_scoped(scope, move || work(alive));
                spawned.inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            }
            std::mem::drop(alive);
            while py.detach(waits) {
                py.check_signals().inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            }
            Ok(())
        })
    })?;
    Ok(rows)
}

/// Fills a row for each key. Returns early if `stop` is set.
fn fill(
    family: Family,
    keys: Vec<&[u8]>,
    iv: Option<&[u8]>,
    drop: u64,
    mut rows: Vec<&mut [u8]>,
    stop: &AtomicBool,
) {
    if family == Family::Rc4 && drop == 0 {
        if rows[0].len() <= STEP {
            sample_many(&keys, &mut rows).expect("the lengths were checked");
            return;
        }
        let mut streams = vec![Rc4::from_key(&[0]).expect("one byte"); keys.len()];
        rekey_many(&mut streams, &keys).expect("the lengths were checked");
        let mut rows: Vec<_> = rows.into_iter().map(|row| row.chunks_mut(STEP)).collect();
        while !stop.load(Ordering::Relaxed) {
            let mut parts: Vec<_> = rows.iter_mut().filter_map(Iterator::next).collect();
            if parts.is_empty() {
                return;
            }
            fill_many(&mut streams, &mut parts);
        }
        return;
    }
    for (key, row) in keys.into_iter().zip(rows) {
        let mut stream = family.start(key, iv, None).expect("the lengths were checked");
        let step = if family.facts().seekable { drop } else { 1 << 20 };
        let mut left = drop;
        while left > 0 {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            stream.skip(left.min(step));
            left -= left.min(step);
        }
        for part in row.chunks_mut(STEP) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            stream.fill(part);
        }
    }
}

/// Keys, one after the other, and where each ends.
struct Keys {
    bytes: Zeroizing<Vec<u8>>,
    ends: Vec<usize>,
}

impl Keys {
    fn of(keys: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(array) = Buffer::of(keys) {
            let Some([count, len]) = array.table_of_bytes() else {
                let message = "keys must be a list, or an array of bytes with two dimensions";
                return Err(PyTypeError::new_err(message));
            };
            check(0, len)?;
            let bytes = array.secret()?;
            return Ok(Self { bytes, ends: (1..=count).map(|key| key * len).collect() });
        }
        let mut all = Self { bytes: Zeroizing::default(), ends: vec![] };
        for (index, key) in keys.try_iter()?.enumerate() {
            let key = key?;
            let key = Buffer::of(&key)?;
            check(index, key.len())?;
            if all.bytes.capacity() - all.bytes.len() < key.len() {
                // Grown here, so that what is left behind is wiped.
                let size = 2 * all.bytes.len() + 4096;
                let mut grown = Zeroizing::new(vec![]);
                grown.try_reserve_exact(size).map_err(|_| memory_error(size))?;
                grown.extend_from_slice(&all.bytes);
                all.bytes = grown;
            }
            all.bytes.extend_from_slice(key.bytes());
            all.ends.push(all.bytes.len());
        }
        Ok(all)
    }

    fn get(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }
}

fn check(index: usize, len: usize) -> PyResult<()> {
    if (1..=256).contains(&len) {
        return Ok(());
    }
    let message = format!("key {index} has {len} bytes; it must have 1 to 256");
    Err(PyValueError::new_err(message))
}

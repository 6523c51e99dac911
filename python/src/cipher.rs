//! A stream of any family.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use arcfour::{Backend, DynKeystream, Family, Keystream, Rc4};
use pyo3::{
    exceptions::{
        PyAttributeError, PyMemoryError, PyOverflowError, PyRuntimeError, PyTypeError, PyValueError,
    },
    prelude::*,
    types::{PyBytes, PyDict, PyTuple},
};

use crate::{
    buffer::Buffer,
    errors::value_error,
    families,
    numbers::Integer::{self, Fits},
};

/// Up to this number of bytes, a few microseconds, other threads are not let in.
const SHORT: usize = 4096;
/// Number of bytes between two checks for an interrupt: about a millisecond.
const BLOCK: usize = 1 << 20;
/// Time after which a call checks again whether another one is done.
const TURN: Duration = Duration::from_millis(1);

/// A keystream and the position in it.
///
/// `family` is one of `arcfour.families`, in upper or lower case. Keys have 1 to 256 bytes. `vmpc`
/// and `vmpc-ksa3` need an IV of 1 to 256 bytes; the other families refuse an IV. The first `drop`
/// bytes of keystream are discarded, and position 0 is after them.
///
/// Other threads run during calls on more than 4096 bytes. Threads that share a cipher take turns:
/// each call gets consecutive keystream, and the order of the calls is undefined. No thread may
/// write to a buffer that another call is using. After a KeyboardInterrupt, `position` is the end
/// of the bytes that were processed.
///
/// Raises ValueError if the family is unknown, or a length or `drop` is out of range. Raises
/// TypeError if the key is not bytes-like, or if an IV is missing or refused.
#[pyclass(module = "arcfour", name = "Cipher", subclass, frozen)]
pub struct Cipher {
    /// `None` until `__init__`.
    engine: Mutex<Option<Engine>>,
    /// The thread whose call has the engine, as [`this_thread`] names it, or 0.
    holder: AtomicUsize,
    /// Facts that never change, which can be read while a call holds the engine.
    about: Mutex<Option<About>>,
    position: AtomicU64,
}

#[derive(Clone, Copy)]
struct About {
    family: Family,
    key_size: usize,
}

/// A stream. RC4 has its own type, which shows its state.
enum Engine {
    Rc4(Box<Rc4>),
    Other(Box<dyn DynKeystream>),
}

impl Clone for Engine {
    /// A state of RC4 is copied to its box directly, so that no copy is left on the stack.
    fn clone(&self) -> Self {
        match self {
            Self::Rc4(rc4) => {
                let mut copy = Rc4::boxed(&[0], rc4.backend()).expect("one byte");
                (*copy).clone_from(rc4);
                Self::Rc4(copy)
            }
            Self::Other(other) => Self::Other(other.clone()),
        }
    }
}

impl Engine {
    fn start(family: Family, key: &[u8], iv: Option<&[u8]>) -> PyResult<Self> {
        match (family, iv) {
            (Family::Rc4, None) => {
                Rc4::boxed(key, Backend::detect()).map(Self::Rc4).map_err(value_error)
            }
            _ => families::start(family, key, iv).map(Self::Other),
        }
    }

    fn stream(&mut self) -> &mut dyn Keystream {
        match self {
            Self::Rc4(rc4) => &mut **rc4,
            Self::Other(other) => &mut **other,
        }
    }
}

/// The engine, for one call. Python code may run meanwhile, in this thread too.
struct Held<'a> {
    cipher: &'a Cipher,
    engine: MutexGuard<'a, Option<Engine>>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.cipher.holder.store(0, Ordering::Relaxed);
    }
}

/// A number that no other living thread has, and not 0.
fn this_thread() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| std::ptr::from_ref(mark).addr())
}

impl Held<'_> {
    fn engine(&mut self) -> PyResult<&mut Engine> {
        self.engine.as_mut().ok_or_else(unstarted)
    }

    /// Works on `data` block by block. For long data it lets other threads and signals in.
    fn work(
        &mut self,
        py: Python<'_>,
        data: &mut [u8],
        work: fn(&mut dyn Keystream, &mut [u8]),
    ) -> PyResult<()> {
        let position = &self.cipher.position;
        let engine = self.engine.as_mut().ok_or_else(unstarted)?;
        if data.len() <= SHORT {
            work(engine.stream(), data);
            position.fetch_add(data.len() as u64, Ordering::Relaxed);
            return Ok(());
        }
        for (n, block) in data.chunks_mut(BLOCK).enumerate() {
            if n > 0 {
                py.check_signals()?;
            }
            py.detach(|| work(engine.stream(), block));
            position.fetch_add(block.len() as u64, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Skips `n` bytes, and calls `done` with the number of bytes of each step.
fn advance(
    py: Python<'_>,
    engine: &mut Engine,
    family: Family,
    n: u64,
    done: impl Fn(u64),
) -> PyResult<()> {
    let step = if family.facts().seekable { n } else { BLOCK as u64 };
    let mut left = n;
    while left > 0 {
        let now = left.min(step);
        py.detach(|| engine.stream().skip(now));
        done(now);
        left -= now;
        py.check_signals()?;
    }
    Ok(())
}

fn unstarted() -> PyErr {
    PyRuntimeError::new_err("the cipher has no key: its __init__ was not called")
}

impl Cipher {
    /// A cipher before its `__init__`.
    pub fn unstarted() -> Self {
        Self {
            engine: Mutex::new(None),
            holder: AtomicUsize::new(0),
            about: Mutex::new(None),
            position: AtomicU64::new(0),
        }
    }

    /// Starts the stream after the first `drop` bytes of its keystream.
    ///
    /// # Errors
    /// As [`families::start`], and if it is interrupted; the cipher then stays as it was.
    pub fn start(
        &self,
        py: Python<'_>,
        family: Family,
        key: &[u8],
        iv: Option<&[u8]>,
        drop: u64,
    ) -> PyResult<()> {
        let mut engine = Engine::start(family, key, iv)?;
        advance(py, &mut engine, family, drop, |_| ())?;
        self.set(&mut self.hold(py)?, engine, About { family, key_size: key.len() }, 0);
        Ok(())
    }

    fn set(&self, held: &mut Held<'_>, engine: Engine, about: About, position: u64) {
        *held.engine = Some(engine);
        *self.about.lock().unwrap_or_else(PoisonError::into_inner) = Some(about);
        self.position.store(position, Ordering::Relaxed);
    }

    fn about(&self) -> PyResult<About> {
        self.about.lock().unwrap_or_else(PoisonError::into_inner).ok_or_else(unstarted)
    }

    /// Returns the engine when no other thread uses it.
    ///
    /// # Errors
    /// If this very thread does, and a signal handler calls; if it is interrupted.
    fn hold(&self, py: Python<'_>) -> PyResult<Held<'_>> {
        let me = this_thread();
        loop {
            let engine = match self.engine.try_lock() {
                Ok(engine) => engine,
                Err(TryLockError::Poisoned(error)) => error.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    if self.holder.load(Ordering::Relaxed) == me {
                        return Err(PyRuntimeError::new_err(
                            "the cipher is at work in this thread: a signal handler cannot use it",
                        ));
                    }
                    py.detach(|| thread::sleep(TURN));
                    py.check_signals()?;
                    continue;
                }
            };
            self.holder.store(me, Ordering::Relaxed);
            return Ok(Held { cipher: self, engine });
        }
    }

    fn apply<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        output: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let py = data.py();
        let input = Buffer::of(data)?;
        let output = output.map(|output| Buffer::writable(output, input.len())).transpose()?;
        let mut held = self.hold(py)?;
        let mut apply =
            |py, data: &mut [u8]| held.work(py, data, |stream, data| stream.apply(data));
        match output {
            Some(mut output) => input.copied_to(&mut output, apply).map(|()| None),
            None => PyBytes::new_with(py, input.len(), |out| {
                out.copy_from_slice(input.bytes());
                apply(py, out)
            })
            .map(Some),
        }
    }
}

#[pymethods]
impl Cipher {
    /// The arguments are `__init__`'s, so that a subclass may change them.
    #[new]
    #[pyo3(
        signature = (*_args, **_kwargs),
        text_signature = "(family, key, *, iv=None, drop=0)"
    )]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Self::unstarted()
    }

    #[pyo3(signature = (family, key, *, iv=None, drop=Fits(0)))]
    fn __init__(
        &self,
        family: &str,
        key: &Bound<'_, PyAny>,
        iv: Option<&Bound<'_, PyAny>>,
        drop: Integer,
    ) -> PyResult<()> {
        let family = families::named(family)?;
        let drop = drop.within("drop", 0..=u64::MAX)?;
        let iv = iv.map(Buffer::of).transpose()?;
        let iv = iv.as_ref().map(Buffer::bytes);
        self.start(key.py(), family, Buffer::of(key)?.bytes(), iv, drop)
    }

    #[classattr]
    fn block_size() -> usize {
        1
    }

    /// The length of the key in bytes, under PyCryptodome's name.
    #[getter]
    fn key_size(&self) -> PyResult<usize> {
        Ok(self.about()?.key_size)
    }

    /// The name of the family, in lower case.
    #[getter]
    fn family(&self) -> PyResult<&'static str> {
        Ok(self.about()?.family.name())
    }

    /// The number of keystream bytes that were used or skipped, modulo 2^64.
    ///
    /// During a call in another thread, the number grows in steps of about a MiB.
    #[getter]
    fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// The state of an RC4 stream: (S, i, j), with S as 256 bytes.
    ///
    /// A new value continues from that state, at position 0. A state reveals all of the keystream.
    ///
    /// Raises AttributeError for other families, ValueError if S is no permutation of 0 to 255, or
    /// i or j is not 0 to 255.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, u8, u8)> {
        match self.hold(py)?.engine()? {
            Engine::Rc4(rc4) => {
                let (s, i, j) = rc4.state().parts();
                Ok((PyBytes::new(py, s), i, j))
            }
            Engine::Other(_) => Err(self.has_no_state()?),
        }
    }

    #[setter]
    fn set_state(
        &self,
        py: Python<'_>,
        state: (Bound<'_, PyAny>, Integer, Integer),
    ) -> PyResult<()> {
        let table = Buffer::of(&state.0)?;
        let (i, j) = (state.1.within("i", 0..=255)?, state.2.within("j", 0..=255)?);
        let table = permutation("S", table.bytes())?;
        let mut held = self.hold(py)?;
        match held.engine()? {
            Engine::Rc4(rc4) => rc4.set_parts(table, i, j),
            Engine::Other(_) => return Err(self.has_no_state()?),
        }
        self.position.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Encrypt a contiguous buffer and advance the stream.
    ///
    /// Returns bytes. With `output`, a writable buffer of the same length, the result is written
    /// there and None is returned. `output` may overlap the plaintext. In place is fastest:
    /// `output` is the plaintext.
    ///
    /// Raises TypeError if a buffer is not bytes-like, holds Python objects or is read-only. Raises
    /// BufferError if a buffer is not contiguous, and ValueError if the lengths differ. The stream
    /// is unchanged then.
    #[pyo3(signature = (plaintext, output=None))]
    fn encrypt<'py>(
        &self,
        plaintext: &Bound<'py, PyAny>,
        output: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        self.apply(plaintext, output)
    }

    /// Decrypt: the same as `encrypt`.
    #[pyo3(signature = (ciphertext, output=None))]
    fn decrypt<'py>(
        &self,
        ciphertext: &Bound<'py, PyAny>,
        output: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        self.apply(ciphertext, output)
    }

    /// Return the next `n` bytes of keystream.
    ///
    /// Raises ValueError if `n` is negative or at least 2^63, MemoryError if memory does not
    /// suffice.
    fn keystream<'py>(&self, py: Python<'py>, n: Integer) -> PyResult<Bound<'py, PyBytes>> {
        let n = n.within("n", 0..=isize::MAX as u64)?;
        PyBytes::new_with(py, n, |out| self.hold(py)?.work(py, out, |stream, out| stream.fill(out)))
            .map_err(|error| match error.is_instance_of::<PyOverflowError>(py) {
                // Python has no bytes of almost 2^63, however much memory there is.
                true => PyMemoryError::new_err(format!("{n} bytes of keystream are too many")),
                false => error,
            })
    }

    /// Advance by `n` bytes. This takes as long as encrypting them; `parc4r` jumps to the chunk.
    ///
    /// Raises ValueError unless `n` is 0 to 2^64 - 1.
    fn skip(&self, py: Python<'_>, n: Integer) -> PyResult<()> {
        let n = n.within("n", 0..=u64::MAX)?;
        let mut held = self.hold(py)?;
        let family = self.about()?.family;
        let done = |now| {
            self.position.fetch_add(now, Ordering::Relaxed);
        };
        advance(py, held.engine()?, family, n, done)
    }

    /// Return an independent cipher of the same class in the same state.
    ///
    /// The attributes that a subclass adds are not copied themselves: both have the same ones.
    fn copy<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, cipher, class) = (this.py(), this.get(), this.get_type());
        let copy = class.call_method1("__new__", (&class,))?;
        copy_attributes(this, &copy)?;
        let mut held = cipher.hold(py)?;
        let engine = held.engine()?.clone();
        let new = copy.cast::<Self>()?.get();
        new.set(&mut new.hold(py)?, engine, cipher.about()?, cipher.position());
        drop(held);
        Ok(copy)
    }

    fn __copy__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::copy(this)
    }

    fn __deepcopy__<'py>(
        this: &Bound<'py, Self>,
        _memo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::copy(this)
    }

    fn __reduce_ex__(this: &Bound<'_, Self>, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        let kind = this.get_type().name()?;
        let message = format!("cannot pickle {kind}: its state is as secret as a key");
        Err(PyTypeError::new_err(message))
    }

    /// Neither key nor table.
    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        let (cipher, class) = (this.get(), this.get_type());
        let family = cipher.about().map_or("without a key", |about| about.family.name());
        let (module, name) = (class.module()?, class.qualname()?);
        Ok(format!("<{module}.{name} {family} at {}>", cipher.position()))
    }
}

/// Returns the table of a state, called `name`.
///
/// # Errors
/// `ValueError` if it is no permutation.
pub fn permutation<'a>(name: &str, table: &'a [u8]) -> PyResult<&'a [u8; 256]> {
    let mut seen = [false; 256];
    table.iter().for_each(|&value| seen[usize::from(value)] = true);
    let table = table.try_into().ok().filter(|_| !seen.contains(&false));
    table.ok_or_else(|| {
        let message = format!("{name} must be a permutation of 0 to 255, as 256 bytes");
        PyValueError::new_err(message)
    })
}

/// Gives `to` the attributes that a subclass added to `from`, in `__dict__` and in `__slots__`.
fn copy_attributes(from: &Bound<'_, Cipher>, to: &Bound<'_, PyAny>) -> PyResult<()> {
    let object = from.py().get_type::<PyAny>();
    // `__dict__`, None, or both of `__dict__` and the values of the slots. A subclass may have its
    // own method for pickle.
    let state = object.call_method1("__getstate__", (from,))?;
    let (attributes, slots) = match state.extract::<(Bound<'_, PyAny>, Bound<'_, PyDict>)>() {
        Ok((attributes, slots)) => (attributes, Some(slots)),
        Err(_) => (state, None),
    };
    if !attributes.is_none() {
        to.getattr("__dict__")?.call_method1("update", (attributes,))?;
    }
    for (name, value) in slots.into_iter().flatten() {
        object.call_method1("__setattr__", (to, name, value))?;
    }
    Ok(())
}

impl Cipher {
    fn has_no_state(&self) -> PyResult<PyErr> {
        let family = self.about()?.family;
        Ok(PyAttributeError::new_err(format!("only the state of rc4 can be seen, not of {family}")))
    }
}

//! A stream of any family.

use arcfour::{DynKeystream, Family};
use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyBytes};

use crate::{
    buffer::Buffer,
    families,
    numbers::Integer::{self, Fits},
};

/// Bytes that are not worth letting other threads in: some microseconds.
const SHORT: usize = 4096;
/// Bytes between two looks for an interrupt: about a millisecond.
const BLOCK: usize = 1 << 20;

/// A stream of keystream, and where it stands.
#[pyclass(module = "arcfour", name = "Cipher")]
pub struct Cipher {
    family: Family,
    engine: Box<dyn DynKeystream>,
    /// Where the engine stands when this stands at 0: behind the drop.
    origin: u64,
    key_size: usize,
}

impl Cipher {
    /// The cipher behind the first `drop` bytes of its keystream.
    ///
    /// # Errors
    /// As [`families::start`], and if it is interrupted.
    pub fn start(
        py: Python<'_>,
        family: Family,
        key: &[u8],
        iv: Option<&[u8]>,
        drop: u64,
    ) -> PyResult<Self> {
        let engine = families::start(family, key, iv)?;
        let mut cipher = Self { family, engine, origin: 0, key_size: key.len() };
        if drop > 0 {
            cipher.advance(py, drop)?;
            cipher.origin = cipher.engine.position();
        }
        Ok(cipher)
    }

    fn advance(&mut self, py: Python<'_>, n: u64) -> PyResult<()> {
        let step = if self.family.facts().seekable { n } else { BLOCK as u64 };
        let mut left = n;
        while left > 0 {
            let now = left.min(step);
            py.detach(|| self.engine.skip(now));
            py.check_signals()?;
            left -= now;
        }
        Ok(())
    }

    /// Works on `data` block by block, letting other threads and signals in if it is long.
    fn work(
        &mut self,
        py: Python<'_>,
        data: &mut [u8],
        work: fn(&mut dyn DynKeystream, &mut [u8]),
    ) -> PyResult<()> {
        if data.len() <= SHORT {
            work(&mut *self.engine, data);
            return Ok(());
        }
        for (n, block) in data.chunks_mut(BLOCK).enumerate() {
            if n > 0 {
                py.check_signals()?;
            }
            py.detach(|| work(&mut *self.engine, block));
        }
        Ok(())
    }

    fn apply<'py>(
        this: &Bound<'py, Self>,
        data: &Bound<'py, PyAny>,
        output: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let py = this.py();
        let mut cipher = alone(this)?;
        let mut apply = |data: &mut [u8]| cipher.work(py, data, |engine, data| engine.apply(data));
        let input = Buffer::of(data)?;
        match output {
            Some(output) => input.copied_to(output, apply).map(|()| None),
            None => PyBytes::new_with(py, input.len(), |out| {
                out.copy_from_slice(input.bytes());
                apply(out)
            })
            .map(Some),
        }
    }
}

/// The cipher, to be changed by this call alone.
fn alone<'py>(this: &Bound<'py, Cipher>) -> PyResult<PyRefMut<'py, Cipher>> {
    this.try_borrow_mut().map_err(|_| {
        PyRuntimeError::new_err(
            "the cipher is at work in another call; give each thread its own, by copy()",
        )
    })
}

#[pymethods]
impl Cipher {
    #[new]
    #[pyo3(
        signature = (family, key, *, iv=None, drop=Fits(0)),
        text_signature = "(family, key, *, iv=None, drop=0)"
    )]
    fn new(
        family: &str,
        key: &Bound<'_, PyAny>,
        iv: Option<&Bound<'_, PyAny>>,
        drop: Integer,
    ) -> PyResult<Self> {
        let family = families::named(family)?;
        let drop = drop.within("drop", 0..=u64::MAX)?;
        let iv = iv.map(Buffer::of).transpose()?;
        let iv = iv.as_ref().map(Buffer::bytes);
        Self::start(key.py(), family, Buffer::of(key)?.bytes(), iv, drop)
    }

    #[classattr]
    fn block_size() -> usize {
        1
    }

    #[getter]
    fn key_size(&self) -> usize {
        self.key_size
    }

    #[getter]
    fn family(&self) -> &'static str {
        self.family.name()
    }

    #[getter]
    fn position(this: &Bound<'_, Self>) -> PyResult<u64> {
        let cipher = alone(this)?;
        Ok(cipher.engine.position().wrapping_sub(cipher.origin))
    }

    #[pyo3(signature = (plaintext, output=None))]
    fn encrypt<'py>(
        this: &Bound<'py, Self>,
        plaintext: &Bound<'py, PyAny>,
        output: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Self::apply(this, plaintext, output)
    }

    #[pyo3(signature = (ciphertext, output=None))]
    fn decrypt<'py>(
        this: &Bound<'py, Self>,
        ciphertext: &Bound<'py, PyAny>,
        output: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Self::apply(this, ciphertext, output)
    }

    fn keystream<'py>(this: &Bound<'py, Self>, n: Integer) -> PyResult<Bound<'py, PyBytes>> {
        let n = n.within("n", 0..=isize::MAX as u64)?;
        let mut cipher = alone(this)?;
        PyBytes::new_with(this.py(), n, |out| {
            cipher.work(this.py(), out, |engine, out| engine.fill(out))
        })
    }

    fn skip(this: &Bound<'_, Self>, n: Integer) -> PyResult<()> {
        alone(this)?.advance(this.py(), n.within("n", 0..=u64::MAX)?)
    }

    fn copy(this: &Bound<'_, Self>) -> PyResult<Self> {
        let Self { family, ref engine, origin, key_size } = *alone(this)?;
        Ok(Self { family, engine: engine.clone(), origin, key_size })
    }

    fn __copy__(this: &Bound<'_, Self>) -> PyResult<Self> {
        Self::copy(this)
    }

    fn __deepcopy__(this: &Bound<'_, Self>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::copy(this)
    }

    /// Neither key nor table.
    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        let position = Self::position(this)?;
        Ok(format!("<arcfour.Cipher {} at {position}>", alone(this)?.family))
    }
}

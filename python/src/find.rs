//! `find`: the keys under which a ciphertext decrypts to what is known of it.

use std::{num::NonZero, ops::ControlFlow};

use arcfour_attacks::search::{
    Ended, KeySpace, KeyTest, Kind, Known, MAX_MATCHES, Match, Pattern, Plaintext, Record, Search,
};
use pyo3::{
    exceptions::{PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyString},
};

use crate::{
    buffer::Buffer,
    errors::value_error,
    families,
    numbers::Integer::{self, Fits},
    sealed::threads_of,
};

fn refused(name: &str, error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {error}"))
}

/// Find the keys that decrypt a ciphertext to a partly known plaintext.
///
/// Returns a list of bytes, in the order of the keys: every key that matches, and no other. `keys`
/// is a mask. A byte is two digits of `0-9a-f?`, where `?` is an unknown nibble, or a set such as
/// `[30-39,5f]`. `{3}` after a byte repeats it, and spaces are free. At most 2^64 keys may match
/// it. `plaintext` is bytes, a mask, or a mapping of offset to one of these. `kind` is the kind of
/// the beginning of the plaintext: 'printable', 'utf8' or 'zip'. `plaintext` or `kind` or both must
/// be given. The first `drop` bytes of keystream were discarded; `family` and `iv` are as for
/// `Cipher`.
///
/// `shard` is (index, count): the keys are split into `count` equal parts, and part `index`, from
/// 1, is searched. `threads` is 1 to 256, by default one for each core. `progress` is called with
/// the numbers of keys tested and of all keys, about ten times a second. An exception that it
/// raises ends the search, and so does Ctrl-C.
///
/// Raises ValueError for a wrong mask or number, or if too little of the plaintext is known to tell
/// keys apart. Raises TypeError for a wrong type. Raises RuntimeError if too many keys match: give
/// more of the plaintext.
#[pyfunction]
#[pyo3(
    signature = (ciphertext, keys, *, plaintext=None, kind=None, family="rc4", iv=None, drop=Fits(0), shard=(Fits(1), Fits(1)), threads=None, progress=None),
    text_signature = "(ciphertext, keys, *, plaintext=None, kind=None, family='rc4', iv=None, drop=0, shard=(1, 1), threads=None, progress=None)"
)]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn find<'py>(
    ciphertext: &Bound<'py, PyAny>,
    keys: &str,
    plaintext: Option<&Bound<'py, PyAny>>,
    kind: Option<&str>,
    family: &str,
    iv: Option<&Bound<'py, PyAny>>,
    drop: Integer,
    shard: (Integer, Integer),
    threads: Option<Integer>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let py = ciphertext.py();
    let family = families::named(family)?;
    let iv = iv.map(|iv| Ok::<_, PyErr>(Buffer::of(iv)?.bytes().to_vec())).transpose()?;
    let drop = drop.within("drop", 0..=u64::MAX)?;
    let threads = NonZero::new(threads_of(threads)?).expect("there is one at least");
    let space = keys.parse().map_err(|error| refused("keys", error))?;
    let space = KeySpace::new(space).map_err(|error| refused("keys", error))?;
    let shard = (shard.0.within("shard", 1..=u64::MAX)?, shard.1.within("shard", 1..=u64::MAX)?);
    let range = space.shard(shard.0, shard.1).map_err(|error| refused("shard", error))?;
    let all = range.end - range.start;

    let mut known = Plaintext::new();
    match plaintext {
        Some(plaintext) if is_mapping(plaintext)? => {
            for item in plaintext.call_method0("items")?.try_iter()? {
                let (offset, part) = item?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
                let offset = offset.extract::<Integer>()?.within("offset", 0..=u64::MAX)?;
                known = known.with(offset, pattern(&part)?);
            }
        }
        Some(plaintext) => known = known.with(0, pattern(plaintext)?),
        None if kind.is_none() => {
            return Err(PyTypeError::new_err("give plaintext= or kind=, or both"));
        }
        None => {}
    }
    if let Some(kind) = kind {
        known = known.of_kind(match kind {
            "printable" => Kind::Printable,
            "utf8" => Kind::Utf8,
            "zip" => Kind::Zip,
            _ => {
                let message = format!("kind is {kind:?}; it must be 'printable', 'utf8' or 'zip'");
                return Err(PyValueError::new_err(message));
            }
        });
    }
    let ciphertext = Buffer::of(ciphertext)?;
    let known = Known::new(&known, ciphertext.bytes(), drop).map_err(value_error)?;
    let test =
        KeyTest::new(known, family, iv).map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let search = Search::new(space, test);

    let mut record = Record::new(&search);
    let mut raised = None;
    let progress = progress.map(|progress| progress.clone().unbind());
    let watch = |record: &Record, _: &[Match]| {
        let asked = Python::attach(|py| {
            py.check_signals()?;
            match &progress {
                Some(progress) => progress.call1(py, (record.done(), all)).map(|_| ()),
                None => Ok(()),
            }
        });
        match asked {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                raised = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let ended = py.detach(|| search.run(range, threads, &mut record, watch));
    match (ended, raised) {
        (_, Some(error)) => Err(error),
        (Ended::TooManyMatches, None) => Err(PyRuntimeError::new_err(format!(
            "more than {MAX_MATCHES} keys match: too little is known of the plaintext"
        ))),
        (Ended::Complete | Ended::Stopped, None) => {
            Ok(record.matches().iter().map(|(_, key)| PyBytes::new(py, key)).collect())
        }
    }
}

/// Returns true for a `collections.abc.Mapping` that is neither text nor bytes-like.
///
/// # Errors
/// The errors of the object's own answer, which `cast` would drop.
fn is_mapping(plaintext: &Bound<'_, PyAny>) -> PyResult<bool> {
    if plaintext.is_instance_of::<PyString>() || Buffer::of(plaintext).is_ok() {
        return Ok(false);
    }
    plaintext.is_instance(&plaintext.py().import("collections.abc")?.getattr("Mapping")?)
}

/// A mask, or the bytes themselves.
fn pattern(part: &Bound<'_, PyAny>) -> PyResult<Pattern> {
    match part.cast::<PyString>() {
        Ok(mask) => mask.to_cow()?.parse().map_err(|error| refused("plaintext", error)),
        Err(_) => {
            Pattern::exact(Buffer::of(part)?.bytes()).map_err(|error| refused("plaintext", error))
        }
    }
}

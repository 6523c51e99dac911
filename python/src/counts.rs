//! Counts of shards.

use std::{fs::File, path::PathBuf};

use arcfour_stats::{
    campaign::Kind,
    file::{CountsFile, ReadError},
    table::{self, TableError},
};
use pyo3::{
    prelude::*,
    types::{PyByteArray, PyBytes},
};

use crate::{
    buffer::{Buffer, to_python},
    campaign::Campaign,
    errors::{os_error, value_error},
    streams::write_file,
};

/// The counts of some shards of a campaign.
///
/// The arrays have dtype uint64, are copied at each access and belong to the caller. An array has
/// no rows if the campaign does not count that statistic. Files and bytes have the format of
/// `arcfour bias`, and every read checks all of them.
#[pyclass(module = "arcfour.campaign", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct Counts(pub(crate) CountsFile);

#[pymethods]
impl Counts {
    /// Read the bytes of a file of counts.
    ///
    /// Raises ValueError if the bytes are damaged or no file of counts.
    #[staticmethod]
    fn parse(bytes: &Bound<'_, PyAny>) -> PyResult<Self> {
        CountsFile::parse(Buffer::of(bytes)?.bytes()).map(Self).map_err(value_error)
    }

    /// Read a file of counts.
    ///
    /// Raises OSError if the file cannot be read, ValueError with its name if it is damaged or no
    /// file of counts.
    #[staticmethod]
    pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let failed = |error| os_error(error, Some(&path));
        let input = File::open(&path).map_err(failed)?;
        py.detach(|| CountsFile::read(input)).map(Self).map_err(|error| match error {
            ReadError::Io(error) => failed(error),
            ReadError::Content(error) => value_error(format!("'{}': {error}", path.display())),
        })
    }

    /// Write a file of counts. The file appears when it is complete, and never in part.
    ///
    /// Raises FileExistsError if the file exists and `overwrite` is not set, OSError if it cannot
    /// be written.
    #[pyo3(signature = (path, *, overwrite=false))]
    pub(crate) fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        py.detach(|| write_file(&path, &self.0.to_bytes(), overwrite))
    }

    /// Return the bytes of a file of counts.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_python(py, &py.detach(|| self.0.to_bytes()))
    }

    /// The campaign whose shards were counted.
    #[getter]
    fn campaign(&self) -> Campaign {
        Campaign(self.0.campaign().clone())
    }

    /// The first and the last shard of each run of consecutive shards, in order.
    #[getter]
    fn shards(&self) -> Vec<(u64, u64)> {
        self.0.shards().to_vec()
    }

    /// The number of keystreams that were counted.
    #[getter]
    fn keystreams(&self) -> u64 {
        self.0.keystreams()
    }

    /// Shape (positions, 256): [r - 1, v] is how often Z_r = v.
    #[getter]
    fn single<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::Single, &[256])
    }

    /// Shape (positions, 256, 256): [r - 1, x, y] is how often Z_r = x and Z_r+1 = y.
    #[getter]
    fn digraphs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::Digraphs, &[256, 256])
    }

    /// Shape (pairs, 256, 256): [n, x, y] is how often Z_a = x and Z_b = y, of pair n.
    #[getter]
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::Pairs, &[256, 256])
    }

    /// Shape (pairs, 2): [n, 1] is how often Z_a = Z_b, [n, 0] is how often they differ.
    #[getter]
    fn equal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::Equal, &[2])
    }

    /// Shape (256, 256, 256): [i, x, y] is how often (Z_r, Z_r+1) = (x, y), r mod 256 = i.
    #[getter]
    fn long_term<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::LongTerm, &[256, 256])
    }

    /// Shape (gaps, 2): [g, 1] is how often (Z_r, Z_r+1) is repeated after g other bytes.
    #[getter]
    fn absab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::Absab, &[2])
    }

    /// Shape (ys, 256): [y, d] is how often S[y] - y (y + 1) / 2 - K[0] - ... - K[y] = d.
    #[getter]
    fn roos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::Roos, &[256])
    }

    /// Shape (1, 256, 256): [0, s, d] is how often K[0] + K[1] = s and Z_1 - K[2] - 3 = d.
    #[getter]
    fn roos_output<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::RoosOutput, &[256, 256])
    }

    /// Shape (positions, 256): [r - 1, d] is how often S[j] + Z_r - i = d after step r.
    #[getter]
    fn glimpse<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::Glimpse, &[256])
    }

    fn __repr__(&self) -> String {
        let (shards, keystreams) = (self.0.shards(), self.0.keystreams());
        format!("<arcfour.campaign.Counts: {keystreams} keystreams of shards {shards:?}>")
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("parse")?, (self.to_bytes(py)?,)))
    }
}

impl Counts {
    /// A new numpy array: groups by `cells`.
    fn table<'py>(
        &self,
        py: Python<'py>,
        kind: Kind,
        cells: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let table = self.0.table(kind).map_or(&[][..], |(_, table)| table);
        let bytes = PyByteArray::new_with(py, 8 * table.len(), |bytes| {
            for (bytes, count) in bytes.chunks_exact_mut(8).zip(table) {
                bytes.copy_from_slice(&count.to_le_bytes());
            }
            Ok(())
        })?;
        let groups = table.len() / cells.iter().product::<usize>();
        let shape = [&[groups], cells].concat();
        py.import("numpy")?.getattr("ndarray")?.call1((shape, "<u8", bytes))
    }
}

/// Read a published table of single-byte counts of 16-byte keys, as `arcfour bias compare` does.
///
/// Each line of the text is `position value count`, in order, and the first position is 0 or 1.
/// Text after % or # is ignored. Raises OSError if the file cannot be read, ValueError with its
/// name and the line if it is no table.
#[pyfunction]
pub fn read_table(py: Python<'_>, path: PathBuf) -> PyResult<Counts> {
    let failed = |error| os_error(error, Some(&path));
    let input = File::open(&path).map_err(failed)?;
    py.detach(|| table::read(input)).map(Counts).map_err(|error| match error {
        TableError::Io(error) => failed(error),
        error => value_error(format!("'{}': {error}", path.display())),
    })
}

/// Add counts. Raises ValueError if the campaigns differ or a shard is counted twice.
#[pyfunction]
pub fn merge(counts: &Bound<'_, PyAny>) -> PyResult<Counts> {
    let mut all: Option<CountsFile> = None;
    for more in counts.try_iter()? {
        let more = more?.cast_into::<Counts>()?;
        match &mut all {
            Some(all) => all.merge(more.get().0.clone()),
            None => more.get().0.refuse_unfinished().map(|()| all = Some(more.get().0.clone())),
        }
        .map_err(value_error)?;
    }
    all.map(Counts).ok_or_else(|| value_error("there are no counts to merge"))
}

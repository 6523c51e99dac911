//! Campaigns and their counts.

use std::{
    fs::File,
    io::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

use arcfour_stats::{
    campaign::{
        Campaign as Checked, CampaignError, Count, KeyPattern, Kind, MAX_KEYSTREAMS, MAX_LENGTH,
        Plan,
    },
    compare::{Agreement, compare as agreements},
    file::{CountsFile, ReadError},
    sampler::Sampler,
    table::{self, TableError},
    verify::{checks, verdicts},
};
use pyo3::{
    exceptions::{PyIndexError, PyValueError},
    prelude::*,
    types::{PyByteArray, PyBytes},
};

use crate::{
    buffer::Buffer,
    numbers::Integer::{self, Fits},
    streams::{new_file, os_error},
};

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string().trim_end().to_owned())
}

/// Which keys, how many, and what is counted of their keystreams: see `stats/README.md`.
///
/// `seed` are 32 bytes that all keys come from, and `keystreams` is the number of keystreams in
/// each shard. Counted are `single` bytes and `digraphs` from position 1 to the number given, and
/// joint `pairs` and `equal` bytes of pairs of positions. Counted are also `long_term` digraphs up
/// to a position by i, and `absab`: positions up to the first number, gaps below the second. Of the
/// key and the table: `roos` for y below it, `roos_output`, and `glimpse` up to a position.
/// Positions count from 1 after the drop.
///
/// Equal campaigns have the same `hash`, the SHA-256 that their files carry.
#[pyclass(module = "arcfour.campaign", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct Campaign(Checked);

#[pymethods]
impl Campaign {
    #[new]
    #[pyo3(
        signature = (seed, shards, keystreams, *, key_length=Fits(16), key_pattern=None, drop=Fits(0), single=Fits(0), digraphs=Fits(0), pairs=vec![], equal=vec![], long_term=Fits(0), absab=(Fits(0), Fits(0)), roos=Fits(0), roos_output=false, glimpse=Fits(0)),
        text_signature = "(seed, shards, keystreams, *, key_length=16, key_pattern=None, drop=0, single=0, digraphs=0, pairs=[], equal=[], long_term=0, absab=(0, 0), roos=0, roos_output=False, glimpse=0)"
    )]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn new(
        seed: &Bound<'_, PyAny>,
        shards: Integer,
        keystreams: Integer,
        key_length: Integer,
        key_pattern: Option<&str>,
        drop: Integer,
        single: Integer,
        digraphs: Integer,
        pairs: Vec<(Integer, Integer)>,
        equal: Vec<(Integer, Integer)>,
        long_term: Integer,
        absab: (Integer, Integer),
        roos: Integer,
        roos_output: bool,
        glimpse: Integer,
    ) -> PyResult<Self> {
        let key_pattern = match key_pattern {
            None => None,
            Some("tkip") => Some(KeyPattern::Tkip),
            Some(other) => {
                return Err(value_error(format!("key_pattern is {other:?}; it must be \"tkip\"")));
            }
        };
        let seed = Buffer::of(seed)?;
        if seed.len() != 32 {
            return Err(value_error(format!("the seed has {} bytes; it must have 32", seed.len())));
        }
        let length = u64::from(MAX_LENGTH);
        let positions = |name: &str, pairs: Vec<(Integer, Integer)>| {
            let position = |r: &Integer| r.within(&format!("a position of {name}"), 1..=length);
            pairs.iter().map(|(a, b)| Ok((position(a)?, position(b)?))).collect::<PyResult<_>>()
        };
        let plan = Plan {
            seed: seed.bytes().try_into().expect("it has 32 bytes"),
            shards: shards.within("shards", 1..=1 << 32)?,
            keystreams: keystreams.within("keystreams", 1..=MAX_KEYSTREAMS)?,
            key_length: key_length.within("key_length", 1..=256)?,
            key_pattern,
            drop: drop.within("drop", 0..=length)?,
            count: Count {
                single: single.within("single", 0..=length)?,
                digraphs: digraphs.within("digraphs", 0..=length)?,
                pairs: positions("pairs", pairs)?,
                equal: positions("equal", equal)?,
                long_term: long_term.within("long_term", 0..=length)?,
                absab: (
                    absab.0.within("the positions of absab", 0..=length)?,
                    absab.1.within("the gaps of absab", 0..=1 << 16)?,
                ),
                roos: roos.within("roos", 0..=256)?,
                roos_output,
                glimpse: glimpse.within("glimpse", 0..=length)?,
            },
        };
        plan.try_into().map(Self).map_err(value_error)
    }

    /// Read the text of a campaign's TOML file.
    ///
    /// Raises ValueError if it is no campaign.
    #[staticmethod]
    fn parse(toml: &str) -> PyResult<Self> {
        Checked::parse(toml).map(Self).map_err(value_error)
    }

    /// Read a campaign's TOML file.
    ///
    /// Raises OSError if it cannot be read, ValueError with its name if it is no campaign.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        let failed = |error| os_error(error, Some(&path));
        let input = File::open(&path).map_err(failed)?;
        Checked::read(input).map(Self).map_err(|error| match error {
            CampaignError::Io(error) => failed(error),
            error => value_error(format!("'{}': {error}", path.display())),
        })
    }

    /// The text of its TOML file.
    #[getter]
    fn toml(&self) -> String {
        text(&self.0)
    }

    /// The 32 bytes that all keys come from.
    #[getter]
    fn seed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.seed())
    }

    /// How many shards the campaign is cut into.
    #[getter]
    fn shards(&self) -> u64 {
        self.0.shards()
    }

    /// How many keystreams each shard counts.
    #[getter]
    fn keystreams(&self) -> u64 {
        self.0.keystreams()
    }

    /// The length of the keys in bytes.
    #[getter]
    fn key_length(&self) -> u16 {
        self.0.key_length()
    }

    /// How many bytes of each keystream are discarded before position 1.
    #[getter]
    fn drop(&self) -> u32 {
        self.0.drop()
    }

    /// The pattern of the keys, 'tkip' or None for random ones.
    #[getter]
    fn key_pattern(&self) -> Option<&'static str> {
        self.0.key_pattern().map(|KeyPattern::Tkip| "tkip")
    }

    /// Positions whose single bytes are counted.
    #[getter]
    fn single(&self) -> u32 {
        self.0.count().single
    }

    /// Positions whose digraphs are counted.
    #[getter]
    fn digraphs(&self) -> u32 {
        self.0.count().digraphs
    }

    /// The pairs of positions (a, b) that `Counts.pairs` has, in its order.
    #[getter]
    fn pairs(&self) -> Vec<(u32, u32)> {
        self.0.count().pairs.clone()
    }

    /// The pairs of positions (a, b) that `Counts.equal` has, in its order.
    #[getter]
    fn equal(&self) -> Vec<(u32, u32)> {
        self.0.count().equal.clone()
    }

    /// The last position of the digraphs that are counted by i.
    #[getter]
    fn long_term(&self) -> u32 {
        self.0.count().long_term
    }

    /// The last position and the number of gaps of the digraphs that are looked for again.
    #[getter]
    fn absab(&self) -> (u32, u32) {
        self.0.count().absab
    }

    /// The number of indexes y whose S[y] is compared with the key.
    #[getter]
    fn roos(&self) -> u32 {
        self.0.count().roos
    }

    /// Returns true if Z_1 is compared with the key.
    #[getter]
    fn roos_output(&self) -> bool {
        self.0.count().roos_output
    }

    /// Positions whose output is compared with S[j].
    #[getter]
    fn glimpse(&self) -> u32 {
        self.0.count().glimpse
    }

    /// The SHA-256 of the campaign, 64 hexadecimal digits: equal campaigns have the same.
    #[getter]
    fn hash(&self) -> String {
        self.0.hash()
    }

    fn __hash__(&self) -> u64 {
        u64::from_str_radix(&self.0.hash()[..16], 16).expect("a hash has hexadecimal digits")
    }

    fn __repr__(&self) -> String {
        let (shards, keystreams) = (self.0.shards(), self.0.keystreams());
        format!("<arcfour.campaign.Campaign: {shards} shards of {keystreams} keystreams>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("parse")?, (text(&self.0),)))
    }
}

fn text(plan: &Checked) -> String {
    toml::to_string(plan).expect("a campaign is valid TOML")
}

/// What was counted of some shards of a campaign.
///
/// The arrays have dtype uint64, are copied at each access and belong to the caller. They have no
/// rows if the campaign does not count them. Files and bytes have the format of `arcfour bias`, and
/// every read checks all of them.
#[pyclass(module = "arcfour.campaign", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct Counts(CountsFile);

#[pymethods]
impl Counts {
    /// Read the bytes of a file of counts.
    ///
    /// Raises ValueError if they are damaged or none.
    #[staticmethod]
    fn parse(bytes: &Bound<'_, PyAny>) -> PyResult<Self> {
        CountsFile::parse(Buffer::of(bytes)?.bytes()).map(Self).map_err(value_error)
    }

    /// Read a file of counts.
    ///
    /// Raises OSError if it cannot be read, ValueError with its name if it is damaged or none.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let failed = |error| os_error(error, Some(&path));
        let input = File::open(&path).map_err(failed)?;
        py.detach(|| CountsFile::read(input)).map(Self).map_err(|error| match error {
            ReadError::Io(error) => failed(error),
            ReadError::Content(error) => value_error(format!("'{}': {error}", path.display())),
        })
    }

    /// Write a file of counts, whole or not at all.
    ///
    /// Raises FileExistsError if there is one and `overwrite` is not set, OSError if it cannot be
    /// written.
    #[pyo3(signature = (path, *, overwrite=false))]
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        py.detach(|| {
            let mut file = new_file(&path, overwrite)?;
            let written = file.write_all(&self.0.to_bytes()).and_then(|()| file.commit());
            written.map_err(|error| os_error(error, Some(&path)))
        })
    }

    /// Return the bytes of a file of counts.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.0.to_bytes()))
    }

    /// The campaign whose shards were counted.
    #[getter]
    fn campaign(&self) -> Campaign {
        Campaign(self.0.campaign().clone())
    }

    /// The first and the last of each run of shards, in order.
    #[getter]
    fn shards(&self) -> Vec<(u64, u64)> {
        self.0.shards().to_vec()
    }

    /// How many keystreams were counted.
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

    /// Shape (pairs, 2): [n, 1] is how often Z_a = Z_b, [n, 0] how often not.
    #[getter]
    fn equal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::Equal, &[2])
    }

    /// Shape (256, 256, 256): [i, x, y] is how often (Z_r, Z_r+1) = (x, y), r mod 256 = i.
    #[getter]
    fn long_term<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py, Kind::LongTerm, &[256, 256])
    }

    /// Shape (gaps, 2): [g, 1] is how often (Z_r, Z_r+1) came again after g other bytes.
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
        Ok((py.get_type::<Self>().getattr("parse")?, (self.to_bytes(py),)))
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

/// How often `run_shard` reports.
const REPORTS: Duration = Duration::from_millis(50);

/// Count a shard, on one core. Other Python threads run meanwhile: use one for each core.
///
/// With `checkpoint`, a path, the counts are written there every `seconds`, whole or not at all. If
/// the file exists, the counting continues from it. The caller removes the file. `progress` is
/// called some twenty times a second with the number of keystreams counted so far. An exception
/// that it raises ends the count, and so does Ctrl-C. Raises IndexError if the campaign has no such
/// shard, ValueError if the checkpoint belongs to another shard, OSError if it cannot be read or
/// written.
#[pyfunction]
#[pyo3(
    signature = (campaign, index, *, checkpoint=None, seconds=30.0, progress=None),
    text_signature = "(campaign, index, *, checkpoint=None, seconds=30.0, progress=None)"
)]
pub fn run_shard(
    campaign: &Bound<'_, Campaign>,
    index: Integer,
    checkpoint: Option<PathBuf>,
    seconds: f64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Counts> {
    let plan = &campaign.get().0;
    let shards = 0..=plan.shards() - 1;
    let index = index
        .within("the shard", shards)
        .map_err(|error| PyIndexError::new_err(error.value(campaign.py()).to_string()))?;
    let py = campaign.py();
    let pause = Duration::try_from_secs_f64(seconds)
        .map_err(|_| value_error(format!("seconds is {seconds}; it must be 0 or more")))?;
    let kept = match &checkpoint {
        Some(path) if path.exists() => Some(Counts::load(py, path.clone())?.0),
        _ => None,
    };
    let mut sampler = match kept {
        Some(kept) if kept.campaign() == plan && kept.shards() == [(index, index)] => {
            Sampler::resume(kept).map_err(value_error)?
        }
        Some(_) => {
            let path = checkpoint.unwrap_or_default();
            return Err(value_error(format!(
                "'{}' is no checkpoint of shard {index} of this campaign",
                path.display()
            )));
        }
        None => py
            .detach(|| Sampler::start(plan.clone(), index))
            .map_err(|error| PyIndexError::new_err(error.to_string()))?,
    };
    let (mut saved, mut reported) = (Instant::now(), Instant::now());
    while py.detach(|| sampler.step()) {
        let mut goes_on = py.check_signals();
        if let Some(progress) = progress.filter(|_| reported.elapsed() >= REPORTS) {
            goes_on = goes_on.and_then(|()| progress.call1((sampler.done(),)).map(drop));
            reported = Instant::now();
        }
        // A shard that a signal ends, as at the time limit of a cluster, loses nothing.
        if let Some(path) = &checkpoint
            && (goes_on.is_err() || saved.elapsed() >= pause)
        {
            Counts(sampler.counts()).save(py, path.clone(), true)?;
            saved = Instant::now();
        }
        goes_on?;
    }
    Ok(Counts(py.detach(|| sampler.finish())))
}

/// Read a published table of single-byte counts of 16-byte keys, as `arcfour bias compare` does.
///
/// Each line of the text is `position value count`, in order, the first position 0 or 1; what
/// follows a % or # says nothing. Raises OSError if it cannot be read, ValueError with its name and
/// the line if it is no table.
#[pyfunction]
pub fn read_table(py: Python<'_>, path: PathBuf) -> PyResult<Counts> {
    let failed = |error| os_error(error, Some(&path));
    let input = File::open(&path).map_err(failed)?;
    py.detach(|| table::read(input)).map(Counts).map_err(|error| match error {
        TableError::Io(error) => failed(error),
        error => value_error(format!("'{}': {error}", path.display())),
    })
}

/// A row of `statistics.AGREEMENTS`.
type Row = (u32, f64, usize, f64, f64, &'static str);

/// Compare two samples: the rows of `arcfour.statistics.compare`.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    counts: &Bound<'_, Counts>,
    other: &Bound<'_, Counts>,
) -> PyResult<Vec<Row>> {
    let (a, b) = (&counts.get().0, &other.get().0);
    let positions = py.detach(|| agreements(a, b)).map_err(value_error)?;
    let row = |found: Agreement| {
        let correlation = found.correlation.unwrap_or(f64::NAN);
        let Agreement { position, chi_square, degrees, p_value, verdict, .. } = found;
        (position, chi_square, degrees, p_value, correlation, verdict.name())
    };
    Ok(positions.into_iter().map(row).collect())
}

/// Add up counts. Raises ValueError if campaigns differ or a shard comes twice.
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

/// A row of `statistics.VERDICTS`; what a sample does not show is not a number.
type Verdict = (String, &'static str, u64, u64, f64, f64, f64, f64, f64, f64, &'static str);

/// Look for the published biases: the rows of `arcfour.statistics.verify`.
#[pyfunction]
pub fn verify(py: Python<'_>, counts: &Bound<'_, Counts>) -> Vec<Verdict> {
    let file = &counts.get().0;
    let (checks, verdicts) = py.detach(|| {
        let checks = checks(file);
        let verdicts = verdicts(&checks);
        (checks, verdicts)
    });
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let rows = checks.into_iter().zip(verdicts).map(|(check, verdict)| {
        let measured = check.measured;
        (
            check.event.clone(),
            check.source,
            measured.hits,
            measured.trials,
            measured.chance,
            check.published,
            number(measured.probability()),
            number(measured.z()),
            number(check.expected_z()),
            number(check.needed()),
            verdict.name(),
        )
    });
    rows.collect()
}

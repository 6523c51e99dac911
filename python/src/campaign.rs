//! Campaigns.

use std::{fs::File, path::PathBuf};

use arcfour_stats::campaign::{
    Campaign as Checked, CampaignError, Count, KeyPattern, MAX_KEYSTREAMS, MAX_LENGTH, Plan,
};
use pyo3::{prelude::*, types::PyBytes};

use crate::{
    buffer::Buffer,
    errors::{os_error, value_error},
    numbers::Integer::{self, Fits},
};

/// A counting campaign: its keys, and the statistics of their keystreams. See `stats/README.md`.
///
/// All keys are derived from `seed`, 32 bytes. Each shard counts `keystreams` keystreams. `single`
/// bytes and `digraphs` are counted from position 1 to the number given. `pairs` counts both bytes
/// of pairs of positions, and `equal` their equality. `long_term` counts digraphs by i, up to a
/// position. `absab` counts repeated digraphs at positions up to its first number, with gaps below
/// its second. `roos` compares S[y] with the key for y below the number, `roos_output` compares Z_1
/// with the key, and `glimpse` compares S[j] with the output up to a position. Positions count from
/// 1 after the drop.
///
/// Equal campaigns have the same `hash`, the SHA-256 in their files.
#[pyclass(module = "arcfour.campaign", frozen, eq)]
#[derive(Clone, PartialEq)]
pub struct Campaign(pub(crate) Checked);

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
    /// Raises ValueError if the text is no campaign.
    #[staticmethod]
    fn parse(toml: &str) -> PyResult<Self> {
        Checked::parse(toml).map(Self).map_err(value_error)
    }

    /// Read a campaign's TOML file.
    ///
    /// Raises OSError if the file cannot be read, ValueError with its name if it is no campaign.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        let failed = |error| os_error(error, Some(&path));
        let input = File::open(&path).map_err(failed)?;
        Checked::read(input).map(Self).map_err(|error| match error {
            CampaignError::Io(error) => failed(error),
            error => value_error(format!("'{}': {error}", path.display())),
        })
    }

    /// The text of the campaign's TOML file.
    #[getter]
    fn toml(&self) -> String {
        text(&self.0)
    }

    /// The 32 bytes from which all keys are derived.
    #[getter]
    fn seed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.seed())
    }

    /// The number of shards.
    #[getter]
    fn shards(&self) -> u64 {
        self.0.shards()
    }

    /// The number of keystreams in each shard.
    #[getter]
    fn keystreams(&self) -> u64 {
        self.0.keystreams()
    }

    /// The length of the keys in bytes.
    #[getter]
    fn key_length(&self) -> u16 {
        self.0.key_length()
    }

    /// The number of keystream bytes that are discarded before position 1.
    #[getter]
    fn drop(&self) -> u32 {
        self.0.drop()
    }

    /// The pattern of the keys, 'tkip' or None for random ones.
    #[getter]
    fn key_pattern(&self) -> Option<&'static str> {
        self.0.key_pattern().map(|KeyPattern::Tkip| "tkip")
    }

    /// The number of positions whose single bytes are counted.
    #[getter]
    fn single(&self) -> u32 {
        self.0.count().single
    }

    /// The number of positions whose digraphs are counted.
    #[getter]
    fn digraphs(&self) -> u32 {
        self.0.count().digraphs
    }

    /// The pairs of positions (a, b), in the order of `Counts.pairs`.
    #[getter]
    fn pairs(&self) -> Vec<(u32, u32)> {
        self.0.count().pairs.clone()
    }

    /// The pairs of positions (a, b), in the order of `Counts.equal`.
    #[getter]
    fn equal(&self) -> Vec<(u32, u32)> {
        self.0.count().equal.clone()
    }

    /// The last position whose digraph is counted by i.
    #[getter]
    fn long_term(&self) -> u32 {
        self.0.count().long_term
    }

    /// The last position, and the number of gaps, of the repeated digraphs that are counted.
    #[getter]
    fn absab(&self) -> (u32, u32) {
        self.0.count().absab
    }

    /// The number of indexes y whose S[y] is compared with the key.
    #[getter]
    fn roos(&self) -> u32 {
        self.0.count().roos
    }

    /// True if Z_1 is compared with the key.
    #[getter]
    fn roos_output(&self) -> bool {
        self.0.count().roos_output
    }

    /// The number of positions whose output is compared with S[j].
    #[getter]
    fn glimpse(&self) -> u32 {
        self.0.count().glimpse
    }

    /// The SHA-256 of the campaign, 64 hexadecimal digits; equal campaigns have equal hashes.
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

//! The figures of the benchmark's newest recorded run on each kind of processor.

use serde::{Deserialize, Serialize};

/// One figure of one kind of processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The kind of processor, as [`arcfour_measure::processor`] names it.
    pub processor: String,
    /// The folder of `bench/runs` that has the run.
    pub run: String,
    /// The measurement, such as `one stream, 1 MiB, xor in place`.
    pub what: String,
    /// The unit, such as `cycles/byte`.
    pub unit: String,
    /// The figure; `None` if the machine was not quiet long enough.
    pub value: Option<f64>,
}

/// Every figure, grouped by processor.
pub fn measured() -> Vec<Measured> {
    let mut table = csv::Reader::from_reader(&include_bytes!("measured.csv")[..]);
    table.deserialize().collect::<Result<_, _>>().expect("the benchmark wrote this table")
}

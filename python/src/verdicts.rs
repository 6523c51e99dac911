//! Tests of counts: against each other, and against the published biases.

use arcfour_stats::{
    compare::{Agreement, compare as agreements},
    verify::{checks, verdicts},
};
use pyo3::prelude::*;

use crate::{counts::Counts, errors::value_error};

/// A row of `statistics.AGREEMENTS`.
type Row = (u32, f64, usize, f64, f64, &'static str);

/// Compare two samples. Returns the rows of `arcfour.statistics.compare`.
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

/// A row of `statistics.VERDICTS`; what a sample does not show is not a number.
type Verdict = (String, &'static str, u64, u64, f64, f64, f64, f64, f64, f64, &'static str);

/// Test for the published biases. Returns the rows of `arcfour.statistics.verify`.
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

//! Counting a shard.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use arcfour_stats::sampler::Sampler;
use pyo3::{exceptions::PyIndexError, prelude::*};

use crate::{campaign::Campaign, counts::Counts, errors::value_error, numbers::Integer};

/// How often `run_shard` reports.
const REPORTS: Duration = Duration::from_millis(50);

/// Count a shard on one core. Other Python threads run meanwhile: use one thread for each core.
///
/// With `checkpoint`, a path, the counts are written there every `seconds` seconds. The file is
/// never incomplete. If the file exists, the counting continues from it. The caller removes the
/// file. `progress` is called about twenty times a second with the number of keystreams counted so
/// far. An exception that it raises ends the count, and so does Ctrl-C. Raises IndexError if the
/// campaign has no such shard, ValueError if the checkpoint belongs to another shard. Raises
/// OSError if the checkpoint cannot be read or written.
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

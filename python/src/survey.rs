//! `survey`: the RC4 that is still there.

use std::{collections::BTreeMap, path::PathBuf, sync::atomic::Ordering, thread, time::Duration};

use arcfour_survey::{Finding as Found, Options, Outcome, Watch, estimate, report};
use pyo3::{
    prelude::*,
    types::{PyList, PyString},
};

use crate::{
    errors::os_error,
    numbers::Integer::{self, Fits},
};

/// Time between two looks at the signals.
const TICK: Duration = Duration::from_millis(20);

/// One use of RC4 at one place.
#[pyclass(frozen, eq, module = "arcfour")]
#[derive(PartialEq)]
pub struct Finding(Found);

#[pymethods]
impl Finding {
    /// The name of the rule: 'pdf-40', 'tls-chosen' and so on.
    #[getter]
    fn rule(&self) -> &'static str {
        self.0.rule.name()
    }

    /// The severity: 'high', 'medium' or 'low'.
    #[getter]
    fn severity(&self) -> &'static str {
        self.0.rule.rule().severity.name()
    }

    /// The kind of use, such as 'PDF, 40-bit key'.
    #[getter]
    fn what(&self) -> String {
        self.0.what()
    }

    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.place.path.clone()
    }

    /// The place in the file, such as 'line 31' or 'member a/b.doc'; None is the whole file.
    #[getter]
    fn within(&self) -> Option<&str> {
        self.0.place.within.as_deref()
    }

    /// The evidence for the finding, in words.
    #[getter]
    fn evidence(&self) -> &str {
        &self.0.evidence
    }

    /// The number of occurrences at this place.
    #[getter]
    fn count(&self) -> u64 {
        self.0.count
    }

    /// More facts by name, such as 'key bits' or 'search seconds'.
    #[getter]
    fn facts(&self) -> BTreeMap<&'static str, &str> {
        self.0.facts.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }

    /// The remedy, in a sentence.
    #[getter]
    fn remedy(&self) -> &'static str {
        &self.0.rule.rule().remedy
    }

    /// The command that is the next step, quoted for a shell, or None.
    #[getter]
    fn command(&self) -> Option<String> {
        self.0.command()
    }

    /// The sources of the rule: RFCs, CVEs, pages of vendors.
    #[getter]
    fn sources(&self) -> Vec<&'static str> {
        self.0.rule.rule().source.iter().map(String::as_str).collect()
    }

    fn __repr__(&self) -> String {
        let (what, place) = (self.0.what(), &self.0.place);
        format!("<arcfour.Finding: {what}, {place}, {}>", self.0.evidence)
    }
}

/// The result of a survey. Iterating over it yields the findings, the worst first.
#[pyclass(frozen, module = "arcfour")]
pub struct Survey {
    outcome: Outcome,
    findings: Py<PyList>,
}

#[pymethods]
impl Survey {
    /// The findings, the worst first, then by their places.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.findings.bind(py).get_slice(0, usize::MAX)
    }

    /// The number of files that were examined.
    #[getter]
    fn files(&self) -> u64 {
        self.outcome.files
    }

    /// How many files and members of archives each reader read, by the reader's name.
    #[getter]
    fn read(&self) -> BTreeMap<&'static str, u64> {
        self.outcome.read.clone()
    }

    /// The files that could not be read to their end, as pairs of place and reason.
    #[getter]
    fn unread(&self) -> Vec<(String, &str)> {
        let unread = self.outcome.unread.iter();
        unread.map(|(place, reason)| (place.to_string(), reason.as_str())).collect()
    }

    /// The uses of RC4 that a survey cannot see, in sentences.
    #[getter]
    fn not_seen(&self) -> Vec<&'static str> {
        report::BLIND.to_vec()
    }

    /// Return the report as SARIF 2.1.0, in JSON.
    fn sarif(&self) -> String {
        report::sarif(&self.outcome).to_string()
    }

    /// Return the report as a bill of materials, CycloneDX 1.6, in JSON.
    fn cyclonedx(&self) -> String {
        report::cyclonedx(&self.outcome).to_string()
    }

    /// Return the report as one self-contained page.
    fn html(&self) -> String {
        report::html(&self.outcome)
    }

    fn __len__(&self) -> usize {
        self.outcome.findings.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
        self.findings.bind(py).try_iter()
    }

    fn __repr__(&self) -> String {
        let (found, files) = (self.outcome.findings.len(), self.outcome.files);
        format!("<arcfour.Survey: findings {found}, files {files}>")
    }
}

/// Find the RC4 that is still there: in files, captures, keys, logs, configuration and programs.
///
/// `paths` is one path or several paths of files and folders. Archives inside archives are read to
/// `archive_depth` levels, 0 to 16. Links in folders are not followed. Folders on other file
/// systems are read with `cross_file_systems`. The survey uses all cores. Ctrl-C ends it.
///
/// The result yields the findings as `Finding`. Its `unread` names the files that could not be
/// read.
///
/// Raises OSError if one of `paths` does not exist, ValueError for a number out of range.
#[pyfunction]
#[pyo3(
    signature = (paths, *, archive_depth=Fits(1), cross_file_systems=false),
    text_signature = "(paths, *, archive_depth=1, cross_file_systems=False)"
)]
pub fn survey(
    paths: &Bound<'_, PyAny>,
    archive_depth: Integer,
    cross_file_systems: bool,
) -> PyResult<Survey> {
    let py = paths.py();
    let one = paths.is_instance_of::<PyString>() || paths.hasattr("__fspath__")?;
    let paths: Vec<PathBuf> = match one {
        true => vec![paths.extract()?],
        false => paths.try_iter()?.map(|path| path?.extract()).collect::<PyResult<_>>()?,
    };
    let archives = archive_depth.within("archive_depth", 0..=16)?;
    for path in &paths {
        path.metadata().map_err(|error| os_error(error, Some(path)))?;
    }
    let options = Options { archives, cross_file_systems, ..Options::default() };
    let watch = Watch::default();
    let outcome = py.detach(|| {
        thread::scope(|scope| {
            let working = scope.spawn(|| {
                let mut outcome = arcfour_survey::survey(&paths, &options, &watch);
                estimate(&mut outcome.findings);
                outcome
            });
            let mut raised = None;
            while !working.is_finished() {
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    watch.stop.store(true, Ordering::Relaxed);
                    raised.get_or_insert(error);
                }
                thread::park_timeout(TICK);
            }
            let outcome = working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            raised.map_or(Ok(outcome), Err)
        })
    })?;
    let findings = outcome.findings.iter().cloned().map(|found| Py::new(py, Finding(found)));
    let findings = PyList::new(py, findings.collect::<PyResult<Vec<_>>>()?)?;
    Ok(Survey { outcome, findings: findings.unbind() })
}

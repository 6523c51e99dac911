//! Lines of a list that cannot be keys.

/// Numbers of omitted lines, by reason.
#[derive(Default)]
pub(super) struct LeftOut {
    reasons: Vec<Reason>,
}

/// Lines omitted for one reason.
pub(super) struct Reason {
    /// The reason of the first line.
    pub(super) what: String,
    /// Number of lines.
    pub(super) lines: u64,
    /// Number of the first line, from 1.
    pub(super) first: u64,
}

impl LeftOut {
    /// Counts line number `line`. Reasons that differ only in the text in brackets count as one.
    pub(super) fn count(&mut self, what: String, line: u64) {
        let kind = |what: &str| what.split(" (").next().map(str::to_owned);
        match self.reasons.iter_mut().find(|reason| kind(&reason.what) == kind(&what)) {
            Some(reason) => reason.lines += 1,
            None => self.reasons.push(Reason { what, lines: 1, first: line }),
        }
    }

    /// Returns the number of omitted lines.
    pub(super) fn lines(&self) -> u64 {
        self.reasons.iter().map(|reason| reason.lines).sum()
    }

    /// Returns the reasons, in the order of their first lines.
    pub(super) fn reasons(&self) -> &[Reason] {
        &self.reasons
    }
}

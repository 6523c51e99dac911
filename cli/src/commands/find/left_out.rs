//! Lines of a list that cannot be keys.

/// How many lines were left out, by reason.
#[derive(Default)]
pub(super) struct LeftOut {
    reasons: Vec<Reason>,
}

/// Lines left out for one reason.
pub(super) struct Reason {
    /// What the first of them is.
    pub(super) what: String,
    /// How many there are.
    pub(super) lines: u64,
    /// The number of the first of them, from 1.
    pub(super) first: u64,
}

impl LeftOut {
    /// Counts line number `line`. Reasons that differ only in what stands in brackets are one.
    pub(super) fn count(&mut self, what: String, line: u64) {
        let kind = |what: &str| what.split(" (").next().map(str::to_owned);
        match self.reasons.iter_mut().find(|reason| kind(&reason.what) == kind(&what)) {
            Some(reason) => reason.lines += 1,
            None => self.reasons.push(Reason { what, lines: 1, first: line }),
        }
    }

    /// How many lines were left out.
    pub(super) fn lines(&self) -> u64 {
        self.reasons.iter().map(|reason| reason.lines).sum()
    }

    /// The reasons, in the order of their first lines.
    pub(super) fn reasons(&self) -> &[Reason] {
        &self.reasons
    }
}

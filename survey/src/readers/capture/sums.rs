//! Merges repeated sightings into one finding.

use std::collections::BTreeMap;

use crate::finding::{Finding, Place};
use crate::rules::RuleId;

/// Maximum number of findings of one capture, so that a scan with forged addresses does not fill
/// the memory.
const MOST: usize = 100_000;

/// The rule whose count is compared with the count of all tickets.
const TICKET: RuleId = RuleId::new("kerberos-ticket");

/// The key under which sightings are merged.
type Same = (RuleId, String, String);

/// The findings of a capture.
#[derive(Default)]
pub(super) struct Sums {
    seen: BTreeMap<Same, Sum>,
    /// Number of tickets, of any encryption.
    tickets: u64,
}

struct Sum {
    first: u64,
    count: u64,
    facts: Vec<(&'static str, String)>,
}

impl Sums {
    /// Counts a sighting at `place` (hosts, or a service), whose proof is the packet `frame`.
    pub(super) fn add(
        &mut self,
        rule: RuleId,
        place: impl Into<String>,
        frame: u64,
        evidence: impl Into<String>,
        facts: &[(&'static str, String)],
    ) {
        self.add_many(rule, place, (frame, 1), evidence, facts);
    }

    /// Counts sightings whose first is the packet `frame`.
    pub(super) fn add_many(
        &mut self,
        rule: RuleId,
        place: impl Into<String>,
        (frame, count): (u64, u64),
        evidence: impl Into<String>,
        facts: &[(&'static str, String)],
    ) {
        let same = (rule, place.into(), evidence.into());
        if self.seen.len() == MOST && !self.seen.contains_key(&same) {
            return;
        }
        let sum = self.seen.entry(same).or_insert_with(|| Sum {
            first: frame,
            count: 0,
            facts: facts.to_vec(),
        });
        sum.count += count;
        sum.first = sum.first.min(frame);
    }

    /// Counts a ticket of Kerberos, of any encryption.
    pub(super) fn ticket(&mut self) {
        self.tickets += 1;
    }

    /// Reports the findings, all in the file at `file`.
    pub(super) fn tell(self, file: &Place, found: &mut dyn FnMut(Finding)) {
        let tickets = self.tickets;
        for ((rule, place, evidence), sum) in self.seen {
            let inside = format!("{place}, frame {}", sum.first);
            let within = file
                .within
                .as_ref()
                .map_or_else(|| inside.clone(), |member| format!("{member}, {inside}"));
            let place = Place { path: file.path.clone(), within: Some(within) };
            let of = if rule == TICKET {
                format!(", {} of {tickets} tickets", sum.count)
            } else {
                String::new()
            };
            let mut finding = Finding::new(rule, place, evidence + &of).times(sum.count);
            finding.facts = sum.facts;
            finding.facts.push(("frame", sum.first.to_string()));
            found(finding);
        }
    }
}

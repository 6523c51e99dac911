//! The kind and the size of a table of counts.

/// The kind of one section of the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Single bytes; a group is a position.
    Single,
    /// Consecutive digraphs; a group is a position.
    Digraphs,
    /// Joint counts; a group is a pair of positions.
    Pairs,
    /// Equalities; a group is a pair of positions, its cells are different and equal.
    Equal,
    /// Long-term digraphs; a group is a value of i.
    LongTerm,
    /// ABSAB; a group is a gap, its cells are different and equal.
    Absab,
    /// The table after the key schedule minus Roos' prediction; a group is an index.
    Roos,
    /// The first byte of keystream minus Roos' prediction, by K\[0\] + K\[1\]; one group.
    RoosOutput,
    /// The table minus its prediction from the keystream; a group is a position.
    Glimpse,
}

impl Kind {
    /// All kinds, in the order of the files.
    pub const ALL: [Self; 9] = [
        Self::Single,
        Self::Digraphs,
        Self::Pairs,
        Self::Equal,
        Self::LongTerm,
        Self::Absab,
        Self::Roos,
        Self::RoosOutput,
        Self::Glimpse,
    ];

    /// Returns the name of its groups, as in `single:2`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Digraphs => "digraph",
            Self::Pairs => "pair",
            Self::Equal => "equal",
            Self::LongTerm => "long-term",
            Self::Absab => "absab",
            Self::Roos => "roos",
            Self::RoosOutput => "roos-output",
            Self::Glimpse => "glimpse",
        }
    }
}

/// A table of counts: `groups` tables of `cells` each, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The kind of its counts.
    pub kind: Kind,
    /// Number of groups.
    pub groups: usize,
    /// Cells of a group.
    pub cells: usize,
}

impl Section {
    /// Number of cells in all groups; at most [`MAX_CELLS`](super::MAX_CELLS) in a campaign.
    pub fn len(&self) -> usize {
        self.groups * self.cells
    }

    /// Returns true if the section has no cells.
    pub fn is_empty(&self) -> bool {
        self.groups == 0
    }
}

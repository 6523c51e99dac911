//! Names of cells.

use super::group::Group;
use crate::campaign::Campaign;

/// A cell of each group: bytes, or offsets from i, as in `0` or `255,i+2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellName {
    bytes: Vec<(bool, u8)>,
    text: String,
}

impl CellName {
    /// Returns the number of the cell in a group of `cells`.
    ///
    /// # Errors
    /// If the group has no such cell.
    pub fn cell(
        &self,
        group: Group,
        cells: usize,
        campaign: &Campaign,
    ) -> Result<usize, NoSuchCell> {
        let byte = |&(from_i, byte): &(bool, u8)| match from_i {
            true => group.i(campaign).map(|i| i.wrapping_add(byte)),
            false => Some(byte),
        };
        let bytes: Option<Vec<u8>> = self.bytes.iter().map(byte).collect();
        let cell = match (bytes.as_deref(), cells) {
            (Some(&[x, y]), 65_536) => Some(usize::from(x) << 8 | usize::from(y)),
            (Some(&[x]), 2 | 256) => Some(x.into()).filter(|&x| x < cells),
            _ => None,
        };
        cell.ok_or_else(|| NoSuchCell { group: group.name(campaign), cell: self.text.clone() })
    }
}

/// A group has no such cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{group} has no cell '{cell}'")]
pub struct NoSuchCell {
    group: String,
    cell: String,
}

/// A text does not name a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a cell is a byte (0 to 255) or two, X,Y; each may be given from i, as in i+1; of equalities \
     it is 1 (equal) or 0"
)]
pub struct CellNameError;

impl std::str::FromStr for CellName {
    type Err = CellNameError;

    fn from_str(text: &str) -> Result<Self, CellNameError> {
        let byte = |text: &str| match text.strip_prefix('i') {
            None => Some((false, text.parse().ok()?)),
            Some("") => Some((true, 0)),
            Some(offset) if offset.starts_with(['+', '-']) => {
                let offset: i16 = offset.parse().ok()?;
                (-255..=255).contains(&offset).then_some((true, offset as u8))
            }
            Some(_) => None,
        };
        let bytes: Option<Vec<_>> = text.split(',').map(byte).collect();
        let bytes = bytes.filter(|bytes| bytes.len() <= 2).ok_or(CellNameError)?;
        Ok(Self { bytes, text: text.into() })
    }
}

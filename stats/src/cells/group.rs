//! Groups of cells by name.

use crate::campaign::{Campaign, Kind};

/// A group of cells: its table, and its index in the table, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    pub(crate) kind: Kind,
    pub(crate) index: usize,
}

impl Group {
    /// Returns the group of position r, from 1, of a kind that counts by position.
    pub fn at(kind: Kind, r: u32) -> Option<Self> {
        Some(Self { kind, index: (r as usize).checked_sub(1)? })
    }

    /// Returns the group of positions a and b, of a kind that counts by pairs of positions.
    pub fn of(campaign: &Campaign, kind: Kind, a: u32, b: u32) -> Option<Self> {
        let list = match kind {
            Kind::Equal => &campaign.count().equal,
            _ => &campaign.count().pairs,
        };
        Some(Self { kind, index: list.iter().position(|&pair| pair == (a, b))? })
    }

    /// Returns the numbers of its name.
    fn numbers(self, campaign: &Campaign) -> Vec<u32> {
        let index = self.index as u32;
        let pair = |list: &[(u32, u32)]| list.get(self.index).map_or(vec![], |&(a, b)| vec![a, b]);
        match self.kind {
            Kind::Single | Kind::Digraphs | Kind::Glimpse => vec![index + 1],
            Kind::Pairs => pair(&campaign.count().pairs),
            Kind::Equal => pair(&campaign.count().equal),
            Kind::LongTerm | Kind::Absab | Kind::Roos => vec![index],
            Kind::RoosOutput => vec![],
        }
    }

    /// Returns its name, as in `single:2` or `pair:1,3`.
    pub fn name(self, campaign: &Campaign) -> String {
        let numbers: Vec<String> = self.numbers(campaign).iter().map(u32::to_string).collect();
        let colon = if numbers.is_empty() { "" } else { ":" };
        format!("{}{colon}{}", self.kind.name(), numbers.join(","))
    }

    /// Returns RC4's counter i at the group's first byte; `None` if its events differ in i.
    pub fn i(self, campaign: &Campaign) -> Option<u8> {
        match self.kind {
            Kind::LongTerm => Some(self.index as u8),
            Kind::Single | Kind::Digraphs | Kind::Glimpse => {
                Some((self.index as u64 + 1 + u64::from(campaign.drop())) as u8)
            }
            _ => None,
        }
    }
}

/// A selection of groups of one kind, as in `single`, `single:2`, `single:1-256` or `pair:1,3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    kind: Kind,
    numbers: Numbers,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Numbers {
    All,
    List(Vec<u32>),
    Run(u32, u32),
}

impl Selection {
    /// Returns the groups of a campaign that it names.
    ///
    /// # Errors
    /// If the campaign did not count all of them.
    pub fn groups(&self, campaign: &Campaign) -> Result<Vec<Group>, NotCounted> {
        let sections = campaign.sections();
        let section = sections.iter().find(|section| section.kind == self.kind);
        let groups = (0..section.map_or(0, |section| section.groups))
            .map(|index| Group { kind: self.kind, index });
        let wanted = |group: &Group| match (&self.numbers, &group.numbers(campaign)[..]) {
            (Numbers::All, _) => true,
            (Numbers::List(numbers), found) => numbers == found,
            (Numbers::Run(first, last), &[number]) => (*first..=*last).contains(&number),
            (Numbers::Run(..), _) => false,
        };
        let found: Vec<Group> = groups.filter(wanted).collect();
        let expected = match self.numbers {
            Numbers::Run(first, last) => u64::from(last - first) + 1,
            Numbers::All | Numbers::List(_) => 1,
        };
        if (found.len() as u64) < expected {
            return Err(NotCounted(self.text.clone()));
        }
        Ok(found)
    }
}

/// A campaign did not count these groups.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the campaign did not count {0}")]
pub struct NotCounted(String);

/// A text does not select groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "groups are single:R, digraph:R, pair:A,B, equal:A,B, long-term:I, absab:G, roos:Y, \
     roos-output or glimpse:R; a run of them as in single:1-256; or all, as in single"
)]
pub struct SelectionError;

impl std::str::FromStr for Selection {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Self, SelectionError> {
        let number = |text: &str| text.parse::<u32>().ok();
        let parse = || {
            let (name, numbers) =
                text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name)?;
            let numbers = match numbers.map(|text| (text, text.split_once('-'))) {
                None => Numbers::All,
                Some((_, Some((first, last)))) => Numbers::Run(number(first)?, number(last)?),
                Some((list, None)) => {
                    Numbers::List(list.split(',').map(number).collect::<Option<_>>()?)
                }
            };
            let empty = matches!(numbers, Numbers::Run(first, last) if first > last);
            (!empty).then(|| Self { kind, numbers, text: text.into() })
        };
        parse().ok_or(SelectionError)
    }
}

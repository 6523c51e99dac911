//! A cell of the counts beside what chance would give.

use statrs::function::erf::erfc;

use crate::{
    campaign::{Campaign, Kind},
    file::CountsFile,
};

/// How often an event came, and its probability if the null hypothesis were true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// How often it came.
    pub hits: u64,
    /// Out of how many.
    pub trials: u64,
    /// Its probability by chance.
    pub chance: f64,
}

impl Measure {
    /// Its frequency.
    pub fn probability(&self) -> f64 {
        self.hits as f64 / self.trials as f64
    }

    /// How much more frequent than by chance, relative to that.
    pub fn relative_bias(&self) -> f64 {
        self.probability() / self.chance - 1.0
    }

    /// Standard deviations above chance, by the normal approximation to the binomial.
    pub fn z(&self) -> f64 {
        let n = self.trials as f64;
        (self.hits as f64 - n * self.chance) / (n * self.chance * (1.0 - self.chance)).sqrt()
    }

    /// The probability of a z so far from 0 on either side.
    pub fn p_value(&self) -> f64 {
        erfc(self.z().abs() / std::f64::consts::SQRT_2)
    }
}

/// A group of cells: which table, and which of its groups, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The table.
    pub kind: Kind,
    /// The group.
    pub index: usize,
}

impl Group {
    /// The position r, from 1, of a kind that counts by position.
    pub fn at(kind: Kind, r: u32) -> Option<Self> {
        Some(Self { kind, index: (r as usize).checked_sub(1)? })
    }

    /// The two positions a and b of a kind that counts by pairs of them.
    pub fn of(campaign: &Campaign, kind: Kind, a: u32, b: u32) -> Option<Self> {
        let list = if kind == Kind::Equal { &campaign.count.equal } else { &campaign.count.pairs };
        Some(Self { kind, index: list.iter().position(|&pair| pair == (a, b))? })
    }

    /// The numbers in its name.
    fn numbers(self, campaign: &Campaign) -> Vec<u32> {
        let index = self.index as u32;
        let pair = |&(a, b): &(u32, u32)| vec![a, b];
        match self.kind {
            Kind::Single | Kind::Digraphs | Kind::Glimpse => vec![index + 1],
            Kind::Pairs => pair(&campaign.count.pairs[self.index]),
            Kind::Equal => pair(&campaign.count.equal[self.index]),
            Kind::LongTerm | Kind::Absab | Kind::Roos => vec![index],
            Kind::RoosOutput => vec![],
        }
    }

    /// Its name, as in `single:2` or `pair:1,3`.
    pub fn name(self, campaign: &Campaign) -> String {
        let numbers: Vec<String> = self.numbers(campaign).iter().map(u32::to_string).collect();
        let colon = if numbers.is_empty() { "" } else { ":" };
        format!("{}{colon}{}", self.kind.name(), numbers.join(","))
    }

    /// The i of its first byte, where all of its events have one i.
    pub fn i(self, campaign: &Campaign) -> Option<u8> {
        match self.kind {
            Kind::LongTerm => Some(self.index as u8),
            Kind::Single | Kind::Digraphs | Kind::Glimpse => {
                Some((self.index as u64 + 1 + u64::from(campaign.drop)) as u8)
            }
            _ => None,
        }
    }
}

/// Some groups of one kind, as in `single`, `single:2`, `single:1-256` or `pair:1,3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    kind: Kind,
    which: Which,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Which {
    All,
    Numbers(Vec<u32>),
    Run(u32, u32),
}

impl Selection {
    /// The groups of a campaign that it names.
    ///
    /// # Errors
    /// If the campaign did not count all of them.
    pub fn groups(&self, campaign: &Campaign) -> Result<Vec<Group>, String> {
        let sections = campaign.sections();
        let section = sections.iter().find(|section| section.kind == self.kind);
        let groups = (0..section.map_or(0, |section| section.groups))
            .map(|index| Group { kind: self.kind, index });
        let wanted = |group: &Group| match (&self.which, &group.numbers(campaign)[..]) {
            (Which::All, _) => true,
            (Which::Numbers(numbers), found) => numbers == found,
            (Which::Run(first, last), &[number]) => (*first..=*last).contains(&number),
            (Which::Run(..), _) => false,
        };
        let found: Vec<Group> = groups.filter(wanted).collect();
        let expected = match self.which {
            Which::Run(first, last) => (last - first) as usize + 1,
            Which::All | Which::Numbers(_) => 1,
        };
        if found.len() < expected {
            return Err(format!("the campaign did not count {}", self.text));
        }
        Ok(found)
    }
}

impl std::str::FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u32>().ok();
        let parse = || {
            let (name, numbers) =
                text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name)?;
            let which = match numbers.map(|text| (text, text.split_once('-'))) {
                None => Which::All,
                Some((_, Some((first, last)))) => Which::Run(number(first)?, number(last)?),
                Some((list, None)) => {
                    Which::Numbers(list.split(',').map(number).collect::<Option<_>>()?)
                }
            };
            let empty = matches!(which, Which::Run(first, last) if first > last);
            (!empty).then(|| Self { kind, which, text: text.into() })
        };
        parse().ok_or_else(|| {
            "groups are single:R, digraph:R, pair:A,B, equal:A,B, long-term:I, absab:G, roos:Y, \
             roos-output or glimpse:R; a run of them as in single:1-256; or all, as in single"
                .into()
        })
    }
}

/// A cell of each group: bytes, or offsets from i, as in `0` or `255,i+2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellName {
    bytes: Vec<(bool, u8)>,
    text: String,
}

impl CellName {
    /// The number of the cell in a group of `cells`.
    ///
    /// # Errors
    /// If the group has no such cell.
    pub fn cell(&self, group: Group, cells: usize, campaign: &Campaign) -> Result<usize, String> {
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
        cell.ok_or_else(|| format!("{} has no cell '{}'", group.name(campaign), self.text))
    }
}

impl std::str::FromStr for CellName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
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
        let bytes = bytes.filter(|bytes| bytes.len() <= 2).ok_or(
            "a cell is a byte (0 to 255) or two, X,Y; each may be given from i, as in i+1; of \
             equalities it is 1 (equal) or 0",
        )?;
        Ok(Self { bytes, text: text.into() })
    }
}

/// The cells of a group, with the sums its null hypothesis needs.
pub struct Cells<'a> {
    /// How often each value came.
    pub counts: &'a [u64],
    /// How many events there were.
    pub trials: u64,
    /// The chance of each cell, or the frequencies of the first and of the second byte.
    null: Null,
}

enum Null {
    Fixed(Vec<f64>),
    Independence(Vec<f64>, Vec<f64>),
}

impl<'a> Cells<'a> {
    /// The cells of `group`; none if the campaign did not count it.
    ///
    /// Single bytes are held against uniformity, pairs against the independence of their two
    /// bytes; so are equalities, as far as single bytes were counted too.
    pub fn of(file: &'a CountsFile, group: Group) -> Option<Self> {
        let sections = file.campaign.sections();
        let table = sections.iter().position(|section| section.kind == group.kind)?;
        let counts = file.counts.tables[table].chunks(sections[table].cells).nth(group.index)?;
        let trials: u64 = counts.iter().sum();
        let null = match group.kind {
            Kind::Single | Kind::Roos | Kind::Glimpse => Null::Fixed(vec![1.0 / 256.0; 256]),
            Kind::Equal => {
                let (a, b) = file.campaign.count.equal[group.index];
                Null::Fixed(unequal(equal_by_chance(file, a, b)))
            }
            Kind::Absab => Null::Fixed(unequal(1.0 / 65_536.0)),
            Kind::Digraphs | Kind::Pairs | Kind::LongTerm | Kind::RoosOutput => {
                let frequency = |count: u64| count as f64 / trials as f64;
                let rows = counts.chunks(256).map(|row| frequency(row.iter().sum()));
                let columns = (0..256).map(|b| frequency(counts.iter().skip(b).step_by(256).sum()));
                Null::Independence(rows.collect(), columns.collect())
            }
        };
        Some(Self { counts, trials, null })
    }

    /// A cell: x, or 256 x + y of a pair; 0 is different and 1 is equal.
    pub fn measure(&self, cell: usize) -> Measure {
        let chance = match &self.null {
            Null::Fixed(chances) => chances[cell],
            Null::Independence(first, second) => first[cell >> 8] * second[cell & 255],
        };
        Measure { hits: self.counts[cell], trials: self.trials, chance }
    }
}

fn unequal(equal: f64) -> Vec<f64> {
    vec![1.0 - equal, equal]
}

/// Σ P(Z_a = x) P(Z_b = x), or 1/256 if single bytes were not counted there.
fn equal_by_chance(file: &CountsFile, a: u32, b: u32) -> f64 {
    let single = |r| Cells::of(file, Group::at(Kind::Single, r)?);
    let (Some(a), Some(b)) = (single(a), single(b)) else { return 1.0 / 256.0 };
    let n = a.trials as f64 * b.trials as f64;
    a.counts.iter().zip(b.counts).map(|(&a, &b)| a as f64 * b as f64).sum::<f64>() / n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign() -> Campaign {
        Campaign::parse(&format!(
            "seed = '{}'\nshards = 1\nkeystreams = 1\nkey-length = 16\ndrop = 254\n[count]\n\
             single = 4\npairs = [[1, 3], [9, 7]]\nequal = [[1, 2]]\nlong-term = 1\nroos-output = true",
            "00".repeat(32)
        ))
        .unwrap()
    }

    #[test]
    fn selections_name_groups() {
        let campaign = campaign();
        let names = |text: &str| -> Result<Vec<String>, String> {
            let groups = text.parse::<Selection>()?.groups(&campaign)?;
            Ok(groups.iter().map(|group| group.name(&campaign)).collect())
        };
        assert_eq!(names("single:2-3").unwrap(), ["single:2", "single:3"]);
        assert_eq!(names("pair").unwrap(), ["pair:1,3", "pair:9,7"]);
        assert_eq!(names("pair:9,7").unwrap(), ["pair:9,7"]);
        assert_eq!(names("roos-output").unwrap(), ["roos-output"]);
        assert_eq!(names("long-term").unwrap().len(), 256);
        for text in ["single:0", "single:3-5", "pair:7,9", "pair:1-3", "digraph", "single:1,2"] {
            assert_eq!(names(text).unwrap_err(), format!("the campaign did not count {text}"));
        }
        for text in ["", "singel", "single:", "single:2-1", "single:x", "single:-1"] {
            assert!(names(text).unwrap_err().starts_with("groups are single:R"), "{text}");
        }
    }

    #[test]
    fn cells_are_named_by_bytes_or_from_i() {
        let campaign = campaign();
        let cell = |kind, index, cells, text: &str| {
            text.parse::<CellName>()?.cell(Group { kind, index }, cells, &campaign)
        };
        assert_eq!(cell(Kind::LongTerm, 255, 65_536, "255,i+2"), Ok(255 << 8 | 1));
        assert_eq!(cell(Kind::Single, 1, 256, "i"), Ok(0)); // r = 2 behind 254 bytes
        assert_eq!(cell(Kind::Single, 1, 256, "i-1"), Ok(255));
        assert_eq!(cell(Kind::Equal, 0, 2, "1"), Ok(1));
        for (kind, cells, text) in [
            (Kind::Single, 256, "1,2"),
            (Kind::Pairs, 65_536, "7"),
            (Kind::Pairs, 65_536, "i,7"),
            (Kind::Equal, 2, "2"),
        ] {
            assert!(cell(kind, 0, cells, text).unwrap_err().contains("has no cell"), "{text}");
        }
        for text in ["256", "", "1,2,3", "i1", "i+256", "-1"] {
            assert!(text.parse::<CellName>().is_err(), "{text}");
        }
    }
}

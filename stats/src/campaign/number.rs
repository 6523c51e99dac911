//! The numbers of a campaign, with their names and ranges.

use toml::de::{DeTable, DeValue};

use super::{CampaignError, MAX_KEYSTREAMS, MAX_LENGTH, Plan};

/// A number of a campaign.
pub(super) struct Number {
    /// The name in errors: the path in the file, with the meaning of an entry of a list in brackets.
    name: &'static str,
    low: u64,
    high: u64,
    /// The index in its list, 0 outside a list.
    index: usize,
    of: fn(&Plan) -> u64,
}

const fn number(name: &'static str, low: u64, high: u64, of: fn(&Plan) -> u64) -> Number {
    Number { name, low, high, index: 0, of }
}

/// The highest position.
const LAST: u64 = MAX_LENGTH as u64;

/// All numbers but the lists of pairs.
pub(super) const NUMBERS: [Number; 11] = [
    number("shards", 1, 1 << 32, |plan| plan.shards),
    number("keystreams", 1, MAX_KEYSTREAMS, |plan| plan.keystreams),
    number("key-length", 1, 256, |plan| plan.key_length.into()),
    number("drop", 0, LAST, |plan| plan.drop.into()),
    number("count.single", 0, LAST, |plan| plan.count.single.into()),
    number("count.digraphs", 0, LAST, |plan| plan.count.digraphs.into()),
    number("count.long-term", 0, LAST, |plan| plan.count.long_term.into()),
    number("count.absab (positions)", 0, LAST, |plan| plan.count.absab.0.into()),
    Number {
        index: 1,
        ..number("count.absab (gaps)", 0, 1 << 16, |plan| plan.count.absab.1.into())
    },
    number("count.roos", 0, 256, |plan| plan.count.roos.into()),
    number("count.glimpse", 0, LAST, |plan| plan.count.glimpse.into()),
];

impl Number {
    /// Checks this number of a plan.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), CampaignError> {
        range(self.name, (self.of)(plan).into(), self.low, self.high)
    }
}

/// Checks a position of a list of pairs, `count.pairs` or `count.equal`.
pub(super) fn position(list: &str, value: i128) -> Result<(), CampaignError> {
    let name = match list {
        "count.pairs" => "a position of count.pairs",
        _ => "a position of count.equal",
    };
    range(name, value, 1, LAST)
}

/// Checks a value.
pub(super) fn range(
    name: &'static str,
    value: i128,
    low: u64,
    high: u64,
) -> Result<(), CampaignError> {
    let fine = (i128::from(low)..=high.into()).contains(&value);
    fine.then_some(()).ok_or(CampaignError::Range { name, value, low, high })
}

/// Returns the error of a number that is too large for its field, or negative. The TOML reader gives
/// neither its name nor its range.
pub(super) fn misfit(text: &str) -> Option<CampaignError> {
    let table = DeTable::parse(text).ok()?.into_inner();
    let scalars = NUMBERS.iter().filter_map(|number| {
        let path = number.name.split(" (").next()?;
        let value = *integers(&table, path).get(number.index)?;
        range(number.name, value, number.low, number.high).err()
    });
    let pairs = ["count.pairs", "count.equal"].into_iter().flat_map(|list| {
        let values = integers(&table, list).into_iter();
        values.filter_map(move |value| position(list, value).err())
    });
    scalars.chain(pairs).next()
}

/// Returns the integers at a path, of a list in its order.
fn integers(table: &DeTable, path: &str) -> Vec<i128> {
    let mut names = path.split('.');
    let first = names.next().and_then(|name| table.get(name));
    let value = names.fold(first, |value, name| value?.get_ref().get(name));
    value.map(|value| flat(value.get_ref())).unwrap_or_default()
}

fn flat(value: &DeValue) -> Vec<i128> {
    match value {
        DeValue::Integer(digits) => {
            i128::from_str_radix(digits.as_str(), digits.radix()).into_iter().collect()
        }
        DeValue::Array(values) => values.iter().flat_map(|value| flat(value.get_ref())).collect(),
        _ => vec![],
    }
}

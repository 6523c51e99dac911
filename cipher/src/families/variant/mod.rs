//! RC4 with changes, such as another table size, key schedule or output. Some programs change RC4
//! so to hide their encryption.
//!
//! A [`Variant`] is read from a description, a list of `name=value` with commas between them. A
//! name that is missing has RC4's value, so `rc4` alone is RC4:
//!
//! | name | RC4's value | |
//! |---|---|---|
//! | `size` | `256` | i and j count modulo this, 2 to 4096 |
//! | `table` | `size` | entries of the table T, `size` to 4096; the key schedule goes through all of them |
//! | `fill` | `i` | entry i before the key schedule |
//! | `passes` | `1` | how often the key schedule goes through the table, 1 to 64 |
//! | `schedule` | `j+T[i]+K[i]` | the next j of the key schedule |
//! | `schedule-swap` | `swap` | `swap`, `none`, `half` (T\[i\] = T\[j\] alone), `xor` (by three xors: zero where i = j) |
//! | `start-i`, `start-j` | `0` | i and j before the first byte; `j` is where the key schedule left j |
//! | `step-i`, `step-j` | `i+1`, `j+T[i]` | the next i and then the next j, for each byte |
//! | `swap` | `swap` | as `schedule-swap`, for each byte |
//! | `output` | `T[(T[i]+T[j])%N]` | the byte of keystream, k |
//! | `apply` | `x^k` | the byte written for the byte x that is read |
//!
//! Expressions have C's operators `| ^ & << >> + - * % ~` and their order, and numbers as `10` and
//! `0x0a`. The variables are i and j; n, the number of bytes before this one; L, the key's length;
//! and N, which is `size`. The table T is indexed modulo its entries, the key K modulo its length.
//!
//! Binary Refinery's `rc4mod -t 128` is `size=128, table=256`: its table has 256 entries at least.

mod cipher;
mod expression;

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};
use core::{error, fmt, str::FromStr};

pub use self::cipher::Cipher;
use self::expression::Expression;

/// The maximum number of entries of a table.
pub const MAX_TABLE: usize = 4096;
/// The maximum number of passes of the key schedule.
pub const MAX_PASSES: usize = 64;
/// The maximum length of a description, in characters.
pub const MAX_DESCRIPTION: usize = 2048;

/// A way to exchange two entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Swap {
    Full,
    None,
    Half,
    Xor,
}

impl Swap {
    const ALL: [(&str, Self); 4] =
        [("swap", Self::Full), ("none", Self::None), ("half", Self::Half), ("xor", Self::Xor)];

    #[expect(
        clippy::manual_swap,
        reason = "the xor swap writes 0 where i = j: programs have this fault"
    )]
    fn apply(self, table: &mut [u8], i: usize, j: usize) {
        match self {
            Self::Full => table.swap(i, j),
            Self::None => {}
            Self::Half => table[i] = table[j],
            Self::Xor => {
                table[i] ^= table[j];
                table[j] ^= table[i];
                table[i] ^= table[j];
            }
        }
    }
}

/// The names of the expressions, RC4's, and the variables and tables that each may use.
const EXPRESSIONS: [(&str, &str, &str, &str); 8] = [
    ("fill", "i", "iLN", "K"),
    ("schedule", "j+T[i]+K[i]", "ijLN", "TK"),
    ("start-i", "0", "ijLN", "TK"),
    ("start-j", "0", "ijLN", "TK"),
    ("step-i", "i+1", "ijnLN", "TK"),
    ("step-j", "j+T[i]", "ijnLN", "TK"),
    ("output", "T[(T[i]+T[j])%N]", "ijnLN", "TK"),
    ("apply", "x^k", "xkn", ""),
];
const FILL: usize = 0;
const SCHEDULE: usize = 1;
const START_I: usize = 2;
const START_J: usize = 3;
const STEP_I: usize = 4;
const STEP_J: usize = 5;
const OUTPUT: usize = 6;
const APPLY: usize = 7;
/// The other names.
const NUMBERS: [&str; 3] = ["size", "table", "passes"];
const SWAPS: [&str; 2] = ["schedule-swap", "swap"];

/// A changed RC4.
///
/// ```
/// use arcfour::{Keystream, families::variant::Variant};
///
/// let variant: Variant = "size=128, schedule=j+T[i]+K[i]+7".parse()?;
/// let mut text = *b"Plaintext";
/// variant.start(b"Key")?.apply(&mut text);
/// variant.start(b"Key")?.apply(&mut text);
/// assert_eq!(&text, b"Plaintext");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    size: usize,
    table: usize,
    passes: usize,
    swaps: [Swap; 2],
    expressions: Vec<Expression>,
}

impl Default for Variant {
    /// RC4.
    fn default() -> Self {
        let expressions = EXPRESSIONS.map(|(_, text, variables, tables)| {
            Expression::parse(text, variables, tables).expect("RC4's expressions are right")
        });
        let swaps = [Swap::Full; 2];
        Self { size: 256, table: 256, passes: 1, swaps, expressions: expressions.into() }
    }
}

/// An error in the description of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantError(String);

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for VariantError {}

/// Reads a number of a range.
fn number(name: &str, value: &str, least: usize, most: usize) -> Result<usize, VariantError> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number
        .ok_or_else(|| VariantError(format!("{name}: {value:?} is no number of {least} to {most}")))
}

impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Self, VariantError> {
        if text.len() > MAX_DESCRIPTION {
            let len = text.len();
            return Err(VariantError(format!(
                "{len} characters; a description has at most {MAX_DESCRIPTION}"
            )));
        }
        let mut variant = Self::default();
        if text.trim() == "rc4" {
            return Ok(variant);
        }
        let mut named = Vec::new();
        let mut table = None;
        for part in text.split(',') {
            let Some((name, value)) = part.split_once('=') else {
                return Err(VariantError(format!(
                    "{:?} is no change: write name=value, with commas between changes",
                    part.trim()
                )));
            };
            let (name, value) = (name.trim(), value.trim());
            if named.contains(&name) {
                return Err(VariantError(format!("{name} is given twice")));
            }
            named.push(name);
            let place = EXPRESSIONS.iter().position(|(known, ..)| *known == name);
            if let Some(place) = place {
                let (_, _, variables, tables) = EXPRESSIONS[place];
                variant.expressions[place] = Expression::parse(value, variables, tables)
                    .map_err(|why| VariantError(format!("{name}: {value:?}: {why}")))?;
            } else if let Some(place) = SWAPS.iter().position(|known| *known == name) {
                let swap = Swap::ALL.iter().find(|(known, _)| *known == value);
                variant.swaps[place] = swap.map(|(_, swap)| *swap).ok_or_else(|| {
                    VariantError(format!("{name}: {value:?} is none of swap, none, half, xor"))
                })?;
            } else {
                match name {
                    "size" => variant.size = number(name, value, 2, MAX_TABLE)?,
                    "table" => table = Some(number(name, value, 2, MAX_TABLE)?),
                    "passes" => variant.passes = number(name, value, 1, MAX_PASSES)?,
                    _ => {
                        let names = NUMBERS.iter().chain(&SWAPS).copied();
                        let names = names.chain(EXPRESSIONS.iter().map(|(name, ..)| *name));
                        let names: Vec<_> = names.collect();
                        return Err(VariantError(format!(
                            "there is no change {name:?}; there are {}",
                            names.join(", ")
                        )));
                    }
                }
            }
        }
        variant.table = table.unwrap_or(variant.size);
        if variant.table < variant.size {
            return Err(VariantError(format!(
                "table: {} entries, where i and j count to {}: {} to {MAX_TABLE} are possible",
                variant.table, variant.size, variant.size
            )));
        }
        Ok(variant)
    }
}

impl fmt::Display for Variant {
    /// Writes the changes in the order of the list above, or `rc4` without changes: [`FromStr`]
    /// reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rc4 = Self::default();
        let mut parts = Vec::new();
        let mut number = |name: &str, value: usize, normal: usize| {
            if value != normal {
                parts.push(format!("{name}={value}"));
            }
        };
        number("size", self.size, rc4.size);
        number("table", self.table, self.size);
        number("passes", self.passes, rc4.passes);
        for (name, swap) in SWAPS.iter().zip(self.swaps) {
            let (word, _) = Swap::ALL[swap as usize];
            if swap != Swap::Full {
                parts.push(format!("{name}={word}"));
            }
        }
        for ((name, ..), pair) in
            EXPRESSIONS.iter().zip(self.expressions.iter().zip(&rc4.expressions))
        {
            if pair.0 != pair.1 {
                parts.push(format!("{name}={}", pair.0));
            }
        }
        f.write_str(&if parts.is_empty() { "rc4".to_owned() } else { parts.join(", ") })
    }
}

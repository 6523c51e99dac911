//! Looks for each published bias in the counts.
//!
//! Every check is a two-sided binomial test. Holm's method (1979) keeps the probability of even one
//! false positive in the whole list at [`ALPHA`].

mod check;
mod list;
mod uniformity;

pub use self::{
    check::{ALPHA, Check, POWER, Verdict, holm, verdicts},
    list::checks,
    uniformity::{LEAST_EXPECTED, Uniformity, uniformity},
};

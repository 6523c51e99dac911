//! Finds the RC4 that is still there: in files, captures, keys, logs, configuration and programs.
#![warn(missing_debug_implementations)]
//!
//! RC4 is broken. Do not use it for anything new.
//!
//! A [`readers::Reader`] knows one format and reports each use of RC4 as a [`Finding`]. A finding
//! names a [`Rule`] of `rules.toml`, which has the severity, the remedy and the source.

mod archive;
mod estimate;
mod finding;
mod input;
mod packing;
pub mod readers;
pub mod report;
mod rules;
mod survey;

pub use estimate::estimate;
pub use finding::{Finding, Place};
pub use input::{Input, Source};
pub use packing::is_packed;
pub use rules::{Asset, Rule, RuleId, Severity, rules};
pub use survey::{Options, Outcome, Watch, look, survey};

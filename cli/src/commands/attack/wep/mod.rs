//! `arcfour attack wep`

mod args;
mod attack;

pub(super) use self::args::Args;

//! The tests of the attacks, a file for each: one program, since each would be compiled with the whole library.

mod backtrack;
mod broadcast;
mod cryptoapi;
mod memory;
mod passwords;
mod recorded;
mod runs;
mod search;
mod state;
mod substrings;
mod variant;
mod weak;
mod wep;

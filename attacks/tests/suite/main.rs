//! The tests of the attacks, one file each. They are one program, because each program links the
//! whole library.

mod backtrack;
mod broadcast;
mod captures;
mod cryptoapi;
mod devices;
mod families;
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

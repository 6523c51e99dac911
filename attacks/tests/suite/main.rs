//! The tests of the attacks, one file each. They are one program, because each program links the
//! whole library.

mod backtrack;
mod broadcast;
mod captures;
mod captures_decrypted;
mod captures_ivs;
mod captures_simulated;
mod cryptoapi;
mod devices;
mod families;
mod key_patterns;
mod key_tests;
mod memory;
mod passwords;
mod recorded;
mod runs;
mod search;
mod search_records;
mod state;
mod substrings;
mod variant;
mod weak;
mod wep;

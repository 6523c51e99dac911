//! The commands of `arcfour`. Each has a file or a folder, and none imports another.

pub mod attack;
pub mod backends;
pub mod bench;
pub mod bias;
pub mod completions;
pub mod crypt;
pub mod ent;
pub mod families;
pub mod find;
pub mod inspect;
pub mod keygen;
pub mod keystream;
pub mod man;
pub mod office;
pub mod open;
pub mod pdf;
pub mod seal;
pub mod survey;

#![doc = include_str!("../README.md")]
#![warn(missing_debug_implementations)]

pub mod campaign;
pub mod cells;
pub mod compare;
pub mod ent;
pub mod file;
pub mod keys;
pub mod published;
pub mod sampler;
pub mod table;
pub mod verify;

/// Escapes untrusted text for a message: control characters, and characters that a terminal would
/// hide.
fn shown(text: &str) -> String {
    let shown = |c: char| match c {
        '\'' | '"' | '\\' => c.to_string(),
        c => c.escape_debug().to_string(),
    };
    text.chars().map(shown).collect()
}

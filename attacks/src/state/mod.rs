//! Goes back from a state to the start of the stream, and to the key.
//!
//! RC4 runs backwards as fast as forwards, so a state found in memory gives every byte of keystream
//! before and after it. [`beginnings`] goes back to the states with i = j = 0, and [`find_key`]
//! finds the key of such a state.

mod key;
mod place;
mod rewind;
mod votes;

pub use key::{FoundKey, find_key};
pub use place::{MAX_PLACES, places};
pub use rewind::{Beginning, beginnings, rewind};
pub use votes::MAX_LENGTH;

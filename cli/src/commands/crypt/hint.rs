//! A hint on standard error if the output looks random.

use super::recognise::{START, looks_random};
use crate::console::{
    failure::Failure,
    say::say,
    stream::{Block, Source, Stage},
};

/// A stage whose first output is examined.
pub struct Hinting<S> {
    stage: S,
    advice: &'static str,
    /// The start of the output, until it is judged.
    start: Option<Vec<u8>>,
}

impl<S: Stage> Hinting<S> {
    /// Wraps a stage. `advice` ends the hint.
    pub fn new(stage: S, advice: &'static str) -> Self {
        Self { stage, advice, start: Some(vec![]) }
    }
}

impl<S: Stage> Stage for Hinting<S> {
    /// Changes nothing, and holds nothing back.
    fn next(&mut self, source: &mut impl Source, block: &mut Block) -> Result<(), Failure> {
        self.stage.next(source, block)?;
        let Some(start) = &mut self.start else { return Ok(()) };
        let bytes = block.bytes();
        let ended = bytes.is_empty();
        start.extend_from_slice(&bytes[..bytes.len().min(START - start.len())]);
        if ended || start.len() == START {
            if looks_random(start) {
                say(&format!("hint: the output looks random; {}", self.advice));
            }
            self.start = None;
        }
        Ok(())
    }
}

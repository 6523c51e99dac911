//! The stage in the middle of both commands: text to bytes, the cipher, bytes to text.

use arcfour::Keystream;

use crate::{
    failure::Failure,
    hex,
    stream::{Block, Source, Stage},
};

/// Decodes hexadecimal input if asked to, applies the cipher, encodes the output if asked to.
pub struct Filter {
    decoder: Option<hex::Decoder>,
    cipher: Box<dyn Keystream + Send>,
    encode: bool,
    scratch: Block,
    failed: Option<hex::HexError>,
}

impl Filter {
    /// A filter with the cipher where the stream begins.
    pub fn new(cipher: Box<dyn Keystream + Send>, in_hex: bool, out_hex: bool) -> Self {
        Self {
            decoder: in_hex.then(hex::Decoder::default),
            cipher,
            encode: out_hex,
            scratch: Block::new(),
            failed: None,
        }
    }

    fn apply(&mut self, block: &mut Block) -> Result<(), hex::HexError> {
        if let Some(decoder) = &mut self.decoder {
            self.scratch.refill(|out| {
                let (len, result) = decoder.push(block.bytes(), out);
                self.failed = result.err();
                Ok(len)
            })?;
            std::mem::swap(block, &mut self.scratch);
        }
        self.cipher.apply(block.bytes_mut());
        if self.encode {
            self.scratch.refill(|out| Ok(hex::encode(block.bytes(), out)))?;
            std::mem::swap(block, &mut self.scratch);
        }
        Ok(())
    }
}

impl Stage for Filter {
    /// What stands before a bad digit is passed on first, as whole bytes.
    fn next(&mut self, source: &mut impl Source, block: &mut Block) -> Result<(), Failure> {
        loop {
            if let Some(error) = self.failed {
                return Err(error.into());
            }
            source.next(block)?;
            if block.bytes().is_empty() {
                return Ok(self.decoder.as_ref().map_or(Ok(()), hex::Decoder::finish)?);
            }
            self.apply(block)?;
            if !block.bytes().is_empty() {
                return Ok(());
            }
        }
    }
}

//! The middle stage of both commands: a cipher, or a conversion of the formats crate.

use arcfour::Keystream;
use arcfour_text::{Decoder, Encoder, Encoding, TextError, Transform};

use super::{
    failure::Failure,
    stream::{Block, Source, Stage},
};

/// Decodes hexadecimal input if asked to, applies the cipher, encodes the output if asked to.
pub enum Filter {
    /// Bytes to bytes, in place.
    Raw(Box<dyn Keystream + Send>),
    /// Text on one side or both.
    Hex(Converter<HexCipher>),
}

impl Filter {
    /// A filter with the cipher where the stream begins.
    pub fn new(cipher: Box<dyn Keystream + Send>, in_hex: bool, out_hex: bool) -> Self {
        if !in_hex && !out_hex {
            return Self::Raw(cipher);
        }
        let decoder = in_hex.then(|| Decoder::new(Encoding::Hex));
        let encoder = out_hex.then(|| Encoder::new(Encoding::Hex));
        let cipher = HexCipher { decoder, cipher, encoder, bytes: vec![] };
        Self::Hex(Converter::new(cipher, undecodable))
    }
}

/// The failure of an input whose text is invalid.
pub fn undecodable(error: TextError) -> Failure {
    Failure::Work(format!("cannot decode the input: {error}"))
}

impl Stage for Filter {
    fn next(&mut self, source: &mut impl Source, block: &mut Block) -> Result<(), Failure> {
        match self {
            Self::Raw(cipher) => {
                source.next(block)?;
                cipher.apply(block.bytes_mut());
                Ok(())
            }
            Self::Hex(converter) => converter.next(source, block),
        }
    }
}

/// A cipher with hexadecimal text before it, after it or both.
pub struct HexCipher {
    decoder: Option<Decoder>,
    cipher: Box<dyn Keystream + Send>,
    encoder: Option<Encoder>,
    /// Output of the cipher before it is encoded.
    bytes: Vec<u8>,
}

impl Transform for HexCipher {
    type Error = TextError;

    fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<(), TextError> {
        self.bytes.clear();
        let decoded = match &mut self.decoder {
            Some(decoder) => decoder.push(input, &mut self.bytes),
            None => {
                self.bytes.extend_from_slice(input);
                Ok(())
            }
        };
        self.cipher.apply(&mut self.bytes);
        match &mut self.encoder {
            Some(encoder) => encoder.push(&self.bytes, out).unwrap_or_else(|never| match never {}),
            None => out.append(&mut self.bytes),
        }
        decoded
    }

    /// The encoder never holds digits back, so only the decoder must be finished.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), TextError> {
        self.decoder.as_mut().map_or(Ok(()), |decoder| decoder.finish(out))
    }
}

/// A transform as a stage.
pub struct Converter<T: Transform> {
    transform: T,
    describe: fn(T::Error) -> Failure,
    out: Vec<u8>,
    failed: Option<Failure>,
    ended: bool,
}

impl<T: Transform> Converter<T> {
    /// Makes a stage whose failures `describe` turns into messages. The output of a block must fit
    /// into a block.
    pub fn new(transform: T, describe: fn(T::Error) -> Failure) -> Self {
        Self { transform, describe, out: vec![], failed: None, ended: false }
    }
}

impl<T: Transform + Send + 'static> Stage for Converter<T> {
    /// Bytes that come before a fault are passed on before it is reported.
    fn next(&mut self, source: &mut impl Source, block: &mut Block) -> Result<(), Failure> {
        self.out.clear();
        while self.out.is_empty() {
            match self.failed.take() {
                Some(failure) => return Err(failure),
                None if self.ended => break,
                None => source.next(block)?,
            }
            self.ended = block.bytes().is_empty();
            let result = match self.ended {
                true => self.transform.finish(&mut self.out),
                false => self.transform.push(block.bytes(), &mut self.out),
            };
            self.failed = result.err().map(self.describe);
        }
        block.refill(|room| {
            room[..self.out.len()].copy_from_slice(&self.out);
            Ok(self.out.len())
        })
    }
}

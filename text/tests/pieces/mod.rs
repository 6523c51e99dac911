//! Sends one input in pieces of many lengths through a transform and through its reader.

use std::{
    fmt::Debug,
    io::{self, ErrorKind, Read},
};

use arcfour_text::Transform;

/// Gives pieces of one length, with an interruption before each.
struct Uneven<'a> {
    rest: &'a [u8],
    len: usize,
    interrupted: bool,
}

impl Read for Uneven<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let len = self.len.min(self.rest.len()).min(room.len());
        let (piece, rest) = self.rest.split_at(len);
        room[..len].copy_from_slice(piece);
        self.rest = rest;
        Ok(len)
    }
}

/// Returns the output of `transform` for `input` in pieces of `len` bytes, and the fault.
pub fn pushed<T: Transform>(
    mut transform: T,
    input: &[u8],
    len: usize,
) -> (Vec<u8>, Option<T::Error>) {
    let mut out = vec![];
    for piece in input.chunks(len) {
        if let Err(error) = transform.push(piece, &mut out) {
            return (out, Some(error));
        }
    }
    let error = transform.finish(&mut out).err();
    (out, error)
}

/// Does the same through a reader, into a buffer of `len` bytes.
fn read<T: Transform>(transform: T, input: &[u8], len: usize) -> (Vec<u8>, Option<T::Error>) {
    let mut reader = transform.reader(Uneven { rest: input, len, interrupted: false });
    let (mut out, mut room) = (vec![], vec![0; len]);
    loop {
        match reader.read(&mut room) {
            Ok(0) => return (out, None),
            Ok(n) => out.extend_from_slice(&room[..n]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::InvalidData);
                assert_eq!(reader.read(&mut room).unwrap(), 0, "nothing comes after a fault");
                let fault = error.into_inner().unwrap().downcast().unwrap();
                return (out, Some(*fault));
            }
        }
    }
}

/// Compares the output of pieces of many lengths with the output of one piece.
pub fn same<T: Transform<Error: Debug + PartialEq>>(new: impl Fn() -> T, input: &[u8]) {
    let whole = pushed(new(), input, input.len().max(1));
    for len in (1..=9).chain([47, 48, 49, 63, 64, 65, 4096]) {
        assert_eq!(pushed(new(), input, len), whole, "{len}");
        assert_eq!(read(new(), input, len), whole, "{len}");
    }
}

//! Hashes keys and passwords, and leaves no copy of them in memory.

use md5::digest::{Digest, FixedOutputReset, Output};
use zeroize::{Zeroize, Zeroizing};

/// The hash of a secret.
///
/// The hash function's state does not move, because a call that takes it by value leaves a copy.
/// Hash functions also copy a block to the stack. So zeros of the same length are hashed
/// afterwards, which overwrite that copy.
pub(crate) fn digest<H: Digest + FixedOutputReset>(secret: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut hash = H::new();
    let mut made = Output::<H>::default();
    let bytes = hashed(&mut hash, secret, &mut made);
    hashed(&mut hash, &vec![0; secret.len()], &mut made);
    made.as_mut_slice().zeroize();
    bytes
}

#[inline(never)]
fn hashed<H: Digest + FixedOutputReset>(
    hash: &mut H,
    secret: &[u8],
    made: &mut Output<H>,
) -> Zeroizing<Vec<u8>> {
    Digest::update(hash, secret);
    FixedOutputReset::finalize_into_reset(hash, made);
    Zeroizing::new(made.to_vec())
}

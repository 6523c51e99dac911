//! Ways to apply the keystream.

/// Computes the plaintext byte from a ciphertext byte, a keystream byte and the position.
type Apply = fn(u8, u8, usize) -> u8;
/// Ways to apply the keystream. `C` is a constant found by comparison.
const APPLIED: [(&str, Apply); 7] = [
    ("x^k", |x, k, _| x ^ k),
    ("x-k", |x, k, _| x.wrapping_sub(k)),
    ("x+k", |x, k, _| x.wrapping_add(k)),
    ("k-x", |x, k, _| k.wrapping_sub(x)),
    ("x^k^n", |x, k, n| x ^ k ^ n as u8),
    ("x^k^C", |x, k, _| x ^ k),
    ("(x^k)+C", |x, k, _| x ^ k),
];
/// Number of descriptions compared at each place of a keystream. A constant counts for its 255
/// values other than 0.
pub(super) const COMPARED: u64 = 5 + 2 * 255;

/// Returns the ways to apply the keystream that explain at least `least` bytes. The texts begin at
/// byte `offset` of the stream.
pub(super) fn agreeing(
    (cipher, plain): (&[u8], &[u8]),
    offset: usize,
    keystream: &[u8],
    least: usize,
) -> Vec<(String, usize)> {
    let mut found = vec![];
    for (text, apply) in APPLIED {
        let at = |n: usize| apply(cipher[n], keystream[n], offset + n);
        let constant = match text {
            "x^k^C" => at(0) ^ plain[0],
            "(x^k)+C" => plain[0].wrapping_sub(at(0)),
            _ => 0,
        };
        if text.contains('C') && constant == 0 {
            continue;
        }
        let matches = |n: &usize| match text {
            "(x^k)+C" => at(*n).wrapping_add(constant) == plain[*n],
            _ => at(*n) ^ constant == plain[*n],
        };
        let agree = (0..plain.len()).filter(matches).count();
        if agree >= least {
            found.push((text.replace('C', &constant.to_string()), agree));
        }
    }
    found
}

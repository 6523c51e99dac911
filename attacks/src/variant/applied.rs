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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each way is recognised from the ciphertext that undoes it, by the number of bytes that agree.
    #[test]
    fn each_way_is_recognised() {
        // The positions pass 255, where n is 0 again.
        const OFFSET: usize = 250;
        let plain: Vec<u8> = (0..20_u8).map(|n| n.wrapping_mul(29) ^ 0x41).collect();
        let keystream: Vec<u8> =
            (0..21_u8).map(|n| n.wrapping_mul(113).wrapping_add(200)).collect();
        let undo: [(&str, Apply); 8] = [
            ("x^k", |p, k, _| p ^ k),
            ("x-k", |p, k, _| p.wrapping_add(k)),
            ("x+k", |p, k, _| p.wrapping_sub(k)),
            ("k-x", |p, k, _| k.wrapping_sub(p)),
            ("x^k^n", |p, k, n| p ^ k ^ n as u8),
            ("x^k^90", |p, k, _| p ^ k ^ 0x5a),
            ("(x^k)+90", |p, k, _| p.wrapping_sub(0x5a) ^ k),
            ("(x^k)+255", |p, k, _| p.wrapping_add(1) ^ k),
        ];
        for (text, undo) in undo {
            let cipher = |at: usize| undo(plain[at], keystream[at], OFFSET + at);
            let mut cipher: Vec<u8> = (0..20).map(cipher).collect();
            let found =
                |cipher: &[u8], least| agreeing((cipher, &plain), OFFSET, &keystream, least);
            assert_eq!(found(&cipher, 20), [(text.to_owned(), 20)]);
            assert_eq!(found(&cipher, 21), []);
            cipher[19] ^= 0x80;
            cipher[7] ^= 1;
            assert_eq!(found(&cipher, 18), [(text.to_owned(), 18)]);
            assert_eq!(found(&cipher, 19), []);
        }
        assert_eq!(COMPARED, 5 + 255 + 255);
    }
}

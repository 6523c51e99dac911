//! Tells structured bytes from random bytes by the length of an adaptive code.
//!
//! The code of Krichevsky and Trofimov (1981) learns while it reads. It puts bytes into m classes.
//! If n of the N bytes so far were in a class, the class has the probability (n + 1/2)/(N + m/2).
//! Each byte of a class gets an equal part of it. A byte of probability p takes −log2 p bits.

/// Divides all bytes into classes, numbered from 0.
type Classes = fn(u8) -> usize;

/// The divisions. Text has few bytes that are not printable. Text in other alphabets, pictures and
/// sound have few values of the high four bits. Programs, tables and long texts have frequent bytes.
const DIVISIONS: [Classes; 3] = [
    |byte| usize::from(matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')),
    |byte| usize::from(byte >> 4),
    usize::from,
];

/// Returns the number of bits that the best of three codes saves, compared with eight bits a byte.
///
/// Random bytes save b bits or more with a probability of at most 2^−b, at every length. The reason
/// is Markov's inequality: the mean of 2^b over all bytes is at most 1, because codes obey Kraft's.
pub fn saved_bits(bytes: &[u8]) -> f64 {
    let best = DIVISIONS.map(|classes| saved_by(classes, bytes)).into_iter().fold(0.0, f64::max);
    best - (DIVISIONS.len() as f64).log2() // the bits that name the code
}

fn saved_by(classes: Classes, bytes: &[u8]) -> f64 {
    let mut sizes = [0.0; 256];
    (0..=255).for_each(|byte| sizes[classes(byte)] += 1.0);
    let half = sizes.iter().filter(|size| **size > 0.0).count() as f64 / 2.0;
    let mut counts = [0.0; 256];
    let step = |(before, &byte): (usize, &u8)| {
        let class = classes(byte);
        let probability = (counts[class] + 0.5) / (before as f64 + half) / sizes[class];
        counts[class] += 1.0;
        8.0 + probability.log2()
    };
    bytes.iter().enumerate().map(step).sum()
}

#[cfg(test)]
mod tests {
    use arcfour::{Backend, Rc4};

    use super::*;

    fn keystream(key: u32, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        Rc4::boxed(&key.to_be_bytes(), Backend::detect()).unwrap().fill(&mut bytes);
        bytes
    }

    #[test]
    fn keystreams_save_as_few_bits_as_the_bound_says() {
        for (len, count) in [(3, 20_000), (16, 20_000), (64, 10_000), (300, 2000), (4096, 100)] {
            let saved: Vec<_> = (0..count).map(|key| saved_bits(&keystream(key, len))).collect();
            for bits in [1, 4, 7, 10] {
                let above = saved.iter().filter(|saved| **saved >= f64::from(bits)).count();
                let most = f64::from(count) / f64::from(1 << bits);
                assert!(above as f64 <= most + 3.0 * most.sqrt(), "{len}, {bits}: {above}");
            }
            assert!(saved.iter().all(|saved| *saved < 27.0), "{len}");
        }
    }

    #[test]
    fn a_short_code_is_computed_as_on_paper() {
        // Probabilities of the first division, text and other bytes: 1/2, then 3/4, then 1/6.
        let expected = [0.5 / 98.0, 0.75 / 98.0, 1.0 / 6.0 / 158.0].map(|p: f64| 8.0 + p.log2());
        let saved = saved_by(DIVISIONS[0], b"ab\0");
        assert!((saved - expected.iter().sum::<f64>()).abs() < 1e-9, "{saved}");
        assert_eq!(saved_bits(b""), -3f64.log2());
    }
}

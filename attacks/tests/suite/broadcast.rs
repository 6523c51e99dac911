//! Recovers a plaintext that was encrypted under many keys.

use arcfour_attacks::{
    broadcast::{
        Alphabet, Cookie, POSITIONS, Surroundings, ciphertexts, likeliest, likelihoods,
        recorded_keystreams,
    },
    experiment::Random,
};

/// The second byte, twice as often 0, comes out first, and with more ciphertexts the right bytes come nearer to the top at all positions.
///
/// Place 0 is the likeliest of 256 values. The mean of the right values' places over all positions
/// is by chance 127.5, and its deviation 4.6 places. Six seeds gave a mean of 95 with 2^21
/// ciphertexts, and 126 with 2^13. Each limit is 4.7 deviations from its mean. Chance exceeds it
/// once in a million.
#[test]
fn more_ciphertexts_give_more_bytes() {
    let mut random = Random::new("test of broadcasts", 1, 0);
    let mut plain = [0; POSITIONS];
    random.fill(&mut plain);
    let mut mean_place = |n| {
        let counts = ciphertexts(&plain, n, &mut random);
        assert!(counts.iter().all(|counts| counts.iter().sum::<u64>() == n));
        assert_eq!(likeliest(&counts)[1], plain[1], "{n} ciphertexts");
        let scores = likelihoods(&counts);
        let place = |(scores, &right): (&[f64; 256], &u8)| {
            scores.iter().filter(|score| **score > scores[usize::from(right)]).count()
        };
        scores.iter().zip(&plain).map(place).sum::<usize>() as f64 / POSITIONS as f64
    };
    let few = mean_place(1 << 13);
    assert!(few > 104.0, "{few}");
    let many = mean_place(1 << 21);
    assert!(many < 117.0, "{many}");
}

/// A text is xored over the keystreams, whatever it is.
#[test]
fn ciphertexts_are_keystreams_and_a_text() {
    let mut plain = [0; POSITIONS];
    let counts = |plain: &[u8; POSITIONS]| {
        ciphertexts(plain, 50, &mut Random::new("test of broadcasts", 2, 0))
    };
    let keystreams = counts(&plain);
    Random::new("test of broadcasts", 3, 0).fill(&mut plain);
    let encrypted = counts(&plain);
    assert_eq!((keystreams.len(), encrypted.len()), (POSITIONS, POSITIONS));
    for ((keystream, encrypted), plain) in keystreams.iter().zip(&encrypted).zip(plain) {
        assert_eq!(keystream.iter().sum::<u64>(), 50);
        assert!((0..=255).all(|z| keystream[usize::from(z)] == encrypted[usize::from(z ^ plain)]));
    }
}

/// Each ciphertext adds the logarithm of its probability, in units of chance.
#[test]
fn a_likelihood_is_a_sum_of_logarithms() {
    let counts = |some: &[(usize, u64)]| {
        let mut counts = vec![[0; 256]; POSITIONS];
        for position in &mut counts {
            some.iter().for_each(|&(byte, n)| position[byte] = n);
        }
        counts
    };
    let one = likelihoods(&counts(&[(0, 1)]));
    assert_eq!(one.len(), POSITIONS);
    for (position, logs) in one.iter().enumerate() {
        // The probabilities add up to 1, and all but one or two are near 1/256.
        let sum: f64 = logs.iter().map(|log| log.exp()).sum();
        assert!((sum / 256.0 - 1.0).abs() < 1e-9, "{position}: {sum}");
        assert!(logs[100..120].iter().all(|log| log.abs() < 0.01), "{position}");
    }
    // The second byte is twice as often 0, and byte 16 more often 240.
    assert!((one[1][0] - 2_f64.ln()).abs() < 0.002 && one[15][240] > 0.03);
    for (byte, n) in [(0, 3), (1, 1), (0xa5, 70)] {
        let several = likelihoods(&counts(&[(byte, n)]));
        for (several, one) in several.iter().zip(&one) {
            for plain in 0..256 {
                let expected = n as f64 * one[plain ^ byte];
                assert!((several[plain] - expected).abs() < 1e-9, "{byte} {n} {plain}");
            }
        }
    }
    assert_eq!(likeliest(&counts(&[(0xa5, 70)]))[1], 0xa5);
    let both = likelihoods(&counts(&[(7, 2), (200, 5)]));
    for (both, one) in both.iter().zip(&one) {
        assert!((both[9] - 2.0 * one[9 ^ 7] - 5.0 * one[9 ^ 200]).abs() < 1e-9);
    }
    assert!(recorded_keystreams() >= 1 << 30);
}

/// With enough requests the right cookie is the likeliest. With few requests its rank is low, and
/// the list has it at that rank.
#[test]
fn cookies_are_ranked() {
    let alphabet = Alphabet::Hex;
    let mut random = Random::new("test of cookies", 1, 0);
    let mut ranks = vec![];
    for requests in [23, 30, 34].map(|power| f64::from(power).exp2()) {
        let cookie = Cookie::random(alphabet, &mut random);
        assert!(cookie.text.iter().all(u8::is_ascii_hexdigit));
        let likelihoods = cookie.requests(requests, Surroundings::Around, &mut random);
        let rank = likelihoods.rank(&cookie.text);
        let list = likelihoods.likeliest(100);
        assert_eq!(list.len(), 100);
        match list.iter().position(|text| *text == cookie.text) {
            Some(place) => {
                let place = place as f64 + 1.0;
                assert!(rank < 1.2 * place + 3.0 && rank > 0.8 * place - 3.0, "{place} {rank}");
            }
            None => assert!(rank > 90.0, "{rank}"),
        }
        ranks.push(rank);
    }
    assert!(ranks[0] > 1e12 && ranks[2] < 1.5, "{ranks:?}");
    // The same counts, with known plaintext nearer to the cookie.
    let rank = |known| {
        let mut random = Random::new("test of cookies", 2, 0);
        let cookie = Cookie::random(alphabet, &mut random);
        cookie.requests(28_f64.exp2(), known, &mut random).rank(&cookie.text)
    };
    assert!(rank(Surroundings::Everywhere) < rank(Surroundings::Around));
    assert_eq!(Alphabet::Rfc6265.characters().len(), 90);
    assert_eq!(Alphabet::Base64Url.characters().len(), 64);
}

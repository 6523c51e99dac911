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

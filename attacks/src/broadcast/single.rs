//! Recovers plaintext by the biases of single bytes at the first positions.
//!
//! N. AlFardan, D. Bernstein, K. Paterson, B. Poettering and J. Schuldt (USENIX Security 2013,
//! §4.1, algorithm 2). For each position, the attack takes the plaintext byte that makes the
//! ciphertext bytes likeliest, by the distribution of keystream bytes there. Our own keys gave this
//! distribution: `counts/single-256.cnt`, which `arcfour bias show` reads.

use std::sync::LazyLock;

use arcfour_stats::{
    campaign::{Campaign, Kind},
    file::CountsFile,
    sampler::Sampler,
};
use data_encoding::HEXLOWER;

use crate::experiment::Random;

/// Number of positions attacked, from the first byte of keystream on.
pub const POSITIONS: usize = 256;
/// Maximum number of ciphertexts made at once.
pub const MAX_CIPHERTEXTS: u64 = 1 << 36;

/// Counts of each value at each position: 256 numbers for each position.
pub type Counts = Vec<[u64; 256]>;

static RECORDED: LazyLock<CountsFile> = LazyLock::new(|| {
    CountsFile::parse(include_bytes!("../../counts/single-256.cnt")).expect("tested to be sound")
});

fn by_position(file: &CountsFile) -> Counts {
    let (_, cells) = file.table(Kind::Single).expect("it counts single bytes");
    cells.as_chunks::<256>().0.to_vec()
}

/// Number of keystreams in the distribution.
pub fn recorded_keystreams() -> u64 {
    RECORDED.keystreams()
}

/// Returns the counts of `n` ciphertexts of `plain` under random keys of 16 bytes.
///
/// # Panics
/// If `n` is 0 or more than [`MAX_CIPHERTEXTS`].
pub fn ciphertexts(plain: &[u8; POSITIONS], n: u64, random: &mut Random) -> Counts {
    assert!((1..=MAX_CIPHERTEXTS).contains(&n), "{n} ciphertexts");
    let seed = HEXLOWER.encode(&random.bytes(32));
    let campaign = Campaign::parse(&format!(
        "seed = '{seed}'\nshards = 1\nkeystreams = {n}\nkey-length = 16\n[count]\nsingle = {POSITIONS}\n"
    ));
    let campaign = campaign.expect("a campaign within its limits");
    let mut sampler = Sampler::start(campaign, 0).expect("the first shard");
    while sampler.step() {}
    let keystreams = by_position(&sampler.finish());
    // The count of keystream byte z is the count of ciphertext byte z ^ plain.
    let encrypted = |(counts, &plain): (&[u64; 256], &u8)| {
        std::array::from_fn(|c| counts[c ^ usize::from(plain)])
    };
    keystreams.iter().zip(plain).map(encrypted).collect()
}

/// Returns the log-likelihood of each plaintext byte at each position, given the counts of
/// ciphertext bytes there. Leaves out the part that all bytes of a position have in common.
pub fn likelihoods(ciphertexts: &Counts) -> Vec<[f64; 256]> {
    let recorded = by_position(&RECORDED);
    let position = |(counts, recorded): (&[u64; 256], &[u64; 256])| {
        let sum: u64 = recorded.iter().sum();
        // The likelihood is taken relative to the uniform distribution, so that the common part of
        // all bytes costs no precision.
        let logs = recorded.map(|count| (256.0 * (count as f64 + 1.0) / (sum as f64 + 256.0)).ln());
        let score = |plain: usize| -> f64 {
            counts.iter().enumerate().map(|(c, &n)| n as f64 * logs[c ^ plain]).sum()
        };
        std::array::from_fn(score)
    };
    ciphertexts.iter().zip(&recorded).map(position).collect()
}

/// Returns the likeliest plaintext, given the counts of ciphertext bytes at the first positions.
pub fn likeliest(ciphertexts: &Counts) -> Vec<u8> {
    let best = |scores: [f64; 256]| {
        let best =
            (0..=255).max_by(|&a, &b| scores[usize::from(a)].total_cmp(&scores[usize::from(b)]));
        best.expect("there are 256 values")
    };
    likelihoods(ciphertexts).into_iter().map(best).collect()
}

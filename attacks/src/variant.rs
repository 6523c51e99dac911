//! Which change of RC4, and which form of its key, explains a known text.

use std::collections::HashSet;

use arcfour::{Keystream, MAX_KEY, families::variant::Variant};
use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE, HEXUPPER};
use md5::Md5;
use rayon::prelude::*;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use crate::cryptoapi::DeriveKey;

/// The most bytes of a known text that are compared.
pub const MAX_KNOWN: usize = 1024;
/// The most bytes of keystream that may be dropped.
pub const MAX_DROP: usize = 65_536;
/// Partial agreement counts if fewer wrong descriptions than this are expected to agree as far.
const CHANCE: f64 = 1e-3;

/// A change: the part of RC4 that it changes, and its description.
type Change = (&'static str, String);

/// What explains a known text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// How many changes it takes.
    pub changes: usize,
    /// How the key was made of the one given.
    pub form: String,
    /// That key.
    pub key: Vec<u8>,
    /// The cipher.
    pub variant: Variant,
    /// Bytes of keystream dropped before the first.
    pub drop: usize,
    /// How many bytes of the known text it explains.
    pub agree: usize,
}

/// What a search has tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// What was found, the fewest changes first.
    pub explanations: Vec<Explanation>,
    /// How many descriptions were compared.
    pub tried: u64,
    /// The fewest bytes that count as an explanation.
    pub least: usize,
}

/// How many of `tried` wrong descriptions are expected to agree in at least `agree` of `known` bytes by chance.
pub fn by_chance(tried: u64, known: usize, agree: usize) -> f64 {
    let p = 1.0 / 256.0_f64;
    // Terms of the binomial distribution, from that for no agreement on.
    let mut term = (1.0 - p).powi(known as i32);
    let mut tail = 0.0;
    for n in 0..=known {
        if n >= agree {
            tail += term;
        }
        term *= (known - n) as f64 / (n + 1) as f64 * p / (1.0 - p);
    }
    tail * tried as f64
}

/// The forms of a key that programs use, each once: as it is, the first.
fn forms(key: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut bases = vec![(String::new(), key.to_vec())];
    let zero = |key: &[u8], zeros: usize| [key, &vec![0; zeros]].concat();
    let wide =
        |order: fn(u16) -> [u8; 2]| key.iter().flat_map(|&byte| order(byte.into())).collect();
    let little: Vec<u8> = wide(u16::to_le_bytes);
    bases.push(("UTF-16".into(), little.clone()));
    bases.push(("with a zero byte at its end".into(), zero(key, 1)));
    bases.push(("UTF-16 with its zero at the end".into(), zero(&little, 2)));
    bases.push(("UTF-16, big-endian".into(), wide(u16::to_be_bytes)));
    let trimmed = key.trim_ascii();
    for decoded in [HEXLOWER_PERMISSIVE.decode(trimmed).ok(), BASE64.decode(trimmed).ok()] {
        bases.extend(decoded.map(|bytes| ("decoded from its text".into(), bytes)));
    }
    let mut all = bases.clone();
    for (name, base) in &bases {
        let of = |what: &str| match name.as_str() {
            "" => what.to_owned(),
            name => format!("{what} of the key, {name}"),
        };
        for (hash, bytes) in [
            ("MD5", Md5::digest(base).to_vec()),
            ("SHA-1", Sha1::digest(base).to_vec()),
            ("SHA-256", Sha256::digest(base).to_vec()),
            ("SHA-512", Sha512::digest(base).to_vec()),
        ] {
            let digits =
                [("digits", HEXLOWER.encode(&bytes)), ("capital digits", HEXUPPER.encode(&bytes))];
            all.push((of(hash), bytes));
            all.extend(
                digits.map(|(how, text)| (of(&format!("{hash} in {how}")), text.into_bytes())),
            );
        }
        let ways = DeriveKey::ALL.iter();
        all.extend(
            ways.map(|(way, derive)| (of(&format!("CryptDeriveKey {way}")), derive.key(base))),
        );
    }
    all.push(("reversed".into(), key.iter().rev().copied().collect()));
    for width in [2, 4, 8] {
        let swapped = key.chunks(width).flat_map(|word| word.iter().rev().copied()).collect();
        all.push((format!("with the bytes of each word of {width} reversed"), swapped));
    }
    all.push(("in hexadecimal digits".into(), HEXLOWER.encode(key).into_bytes()));
    all.push(("in capital hexadecimal digits".into(), HEXUPPER.encode(key).into_bytes()));
    all.push(("in base64".into(), BASE64.encode(key).into_bytes()));
    for len in [5, 7, 8, 13, 16, 20, 24, 32, 64, 128, 256] {
        match len < key.len() {
            true => all.push((format!("its first {len} bytes"), key[..len].to_vec())),
            false => all
                .push((format!("with zeros to {len} bytes"), zero(key, len - key.len().min(len)))),
        }
    }
    if let Some(end) = key.iter().position(|&byte| byte == 0) {
        all.push(("cut at its first zero byte".into(), key[..end].to_vec()));
    }
    let mut seen = HashSet::new();
    all.retain(|(_, key)| (1..=MAX_KEY).contains(&key.len()) && seen.insert(key.clone()));
    all
}

/// The changes that are tried with every form of the key and with each other.
fn usual() -> Vec<Change> {
    let lists: [(&str, &[&str]); 9] = [
        (
            "schedule",
            &[
                "j+T[i]",
                "j+K[i]",
                "T[i]+K[i]",
                "j+T[i]+K[i]+1",
                "j+T[i]+K[i]-1",
                "j+T[i]-K[i]",
                "j-T[i]+K[i]",
                "j^T[i]^K[i]",
                "(j+T[i])^K[i]",
                "j+(T[i]^K[i])",
                "j^(T[i]+K[i])",
                "j+T[i]+K[i]+i",
                "j+T[i]+(K[i]^i)",
                "j+T[i]+K[i]+L",
                "j+T[i]+K[i]*2",
                "j+T[i]+K[L-1-i]",
                "j+T[i]+~K[i]",
            ],
        ),
        ("schedule-swap", &["none", "half", "xor"]),
        ("swap", &["none", "half", "xor"]),
        ("fill", &["N-1-i", "0", "i+1", "~i"]),
        ("passes", &["2", "3", "4"]),
        ("start-j", &["j", "K[0]", "L"]),
        ("start-i", &["j", "1", "N-1", "L"]),
        (
            "step-j",
            &[
                "j+T[i]+K[n]",
                "j+T[i]+i",
                "j^T[i]",
                "j+1",
                "T[i]",
                "j+T[i]+n",
                "j+K[n]",
                "j-T[i]",
                "j+T[i]+T[j]",
            ],
        ),
        (
            "output",
            &[
                "T[T[i]^T[j]]",
                "T[i]^T[j]",
                "T[i]+T[j]",
                "(T[i]+T[j])%N",
                "T[i]",
                "T[j]",
                "T[T[i]]",
                "T[T[j]]",
                "T[i+j]",
                "T[T[i]-T[j]]",
                "T[T[j]-T[i]]",
                "T[T[T[i]+T[j]]+1]",
                "T[T[i]+T[j]]^T[i]",
                "T[T[i]+T[j]]^T[j]",
                "T[T[i]+T[j]]+T[i]",
                "T[T[i]+T[j]]+T[j]",
                "T[T[i]+T[j]]^i",
                "T[T[i]+T[j]]^j",
                "T[T[i]+T[j]]+i",
                "T[T[i]+T[j]]+j",
                "T[T[i]+T[j]]^K[n]",
                "T[T[i]+T[j]]+K[n]",
                "T[T[T[i]+T[j]]]",
                "T[T[i]|T[j]]",
                "T[T[i]&T[j]]",
                "T[T[i]+T[j]]+T[T[i]^T[j]]",
                "T[T[i]+T[j]+i]",
                "T[T[i]+T[j]+j]",
            ],
        ),
    ];
    let mut all: Vec<Change> = vec![];
    for (name, values) in lists {
        all.extend(values.iter().map(|value| (name, format!("{name}={value}"))));
    }
    for size in [16, 32, 64, 128, 255, 257, 512] {
        all.push(("size", format!("size={size}")));
        if size < 256 {
            all.push(("size", format!("size={size}, table=256")));
        }
    }
    all
}

/// The changes by a constant, for all constants.
fn constants() -> Vec<Change> {
    let forms: [(&str, &str); 10] = [
        ("schedule", "j+T[i]+K[i]+C"),
        ("schedule", "(j+T[i]+K[i])^C"),
        ("schedule", "j+T[i]+(K[i]^C)"),
        ("fill", "i+C"),
        ("fill", "i^C"),
        ("start-i", "C"),
        ("start-j", "C"),
        ("step-i", "i+C"),
        ("step-j", "j+T[i]+C"),
        ("output", "T[T[i]+T[j]+C]"),
    ];
    let by = |constant: usize| {
        let of = move |(name, form): (&'static str, &str)| {
            (name, format!("{name}={}", form.replace('C', &constant.to_string())))
        };
        forms.into_iter().map(of)
    };
    let mut all: Vec<Change> = (1..256).flat_map(by).collect();
    all.extend((2..=512).map(|size| ("size", format!("size={size}"))));
    all.extend((2..256).map(|size| ("size", format!("size={size}, table=256"))));
    all.extend((5..=16).map(|passes| ("passes", format!("passes={passes}"))));
    all
}

/// The plaintext byte from a ciphertext byte, a keystream byte and the position.
type Apply = fn(u8, u8, usize) -> u8;
/// Ways to apply the keystream. `C` is a constant that is found by comparison.
const APPLIED: [(&str, Apply); 7] = [
    ("x^k", |x, k, _| x ^ k),
    ("x-k", |x, k, _| x.wrapping_sub(k)),
    ("x+k", |x, k, _| x.wrapping_add(k)),
    ("k-x", |x, k, _| k.wrapping_sub(x)),
    ("x^k^n", |x, k, n| x ^ k ^ n as u8),
    ("x^k^C", |x, k, _| x ^ k),
    ("(x^k)+C", |x, k, _| x ^ k),
];
/// Descriptions that are compared at each place of a keystream: a constant counts for all its values but 0.
const COMPARED: u64 = 5 + 2 * 255;

/// A step of the search: forms of the key, changes of the cipher, and how much may be dropped.
struct Step<'a> {
    forms: &'a [(String, Vec<u8>)],
    changes: Vec<Vec<&'a Change>>,
    drop: usize,
}

impl Step<'_> {
    fn size(&self) -> u64 {
        self.forms.len() as u64 * self.changes.len() as u64 * (self.drop as u64 + 1) * COMPARED
    }

    fn run(&self, cipher: &[u8], plain: &[u8], least: usize) -> Vec<Explanation> {
        let each = |changes: &Vec<&Change>| {
            let text = changes.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ");
            let text = if text.is_empty() { "rc4".to_owned() } else { text };
            let variant: Variant = text.parse().expect("the changes of the lists are right");
            let mut found = vec![];
            let mut keystream = vec![0; self.drop + plain.len()];
            for (at, (form, key)) in self.forms.iter().enumerate() {
                let mut stream = variant.start(key).expect("the forms have 1 to 256 bytes");
                stream.fill(&mut keystream);
                for drop in 0..=self.drop {
                    for (apply, agree) in agreeing(cipher, plain, &keystream[drop..], least) {
                        let whole = match (text.as_str(), apply.as_str()) {
                            (_, "x^k") => text.clone(),
                            ("rc4", apply) => format!("apply={apply}"),
                            (text, apply) => format!("{text}, apply={apply}"),
                        };
                        let more = [at > 0, drop > 0, apply != "x^k"].map(usize::from);
                        found.push(Explanation {
                            changes: changes.len() + more.iter().sum::<usize>(),
                            form: form.clone(),
                            key: key.clone(),
                            variant: whole.parse().expect("a list of right changes"),
                            drop,
                            agree,
                        });
                    }
                }
            }
            found
        };
        self.changes.par_iter().flat_map_iter(each).collect()
    }
}

/// The ways to apply the keystream that explain at least `least` bytes.
fn agreeing(cipher: &[u8], plain: &[u8], keystream: &[u8], least: usize) -> Vec<(String, usize)> {
    let mut found = vec![];
    for (text, apply) in APPLIED {
        let at = |n: usize| apply(cipher[n], keystream[n], n);
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

/// Searches for the changes that decrypt `cipher` to `plain` with `key`, in five steps. Ends after
/// the first step that explains the text.
///
/// 1: RC4, and each usual change, with every form of the key. 2: RC4 with every form of the key and
/// up to `drop` bytes dropped. 3: each usual change, with the key as it is and up to `drop` bytes
/// dropped. 4: changes by a constant, with every form of the key. 5: two changes, with the key as
/// it is.
///
/// # Panics
/// If the texts are empty or differ in length, or `key` is not 1 to 256 bytes.
pub fn explain(key: &[u8], cipher: &[u8], plain: &[u8], drop: usize) -> Explained {
    assert!(cipher.len() == plain.len() && !plain.is_empty() && (1..=MAX_KEY).contains(&key.len()));
    let forms = forms(key);
    let (usual, constants) = (usual(), constants());
    let single = usual.iter().map(|change| vec![change]);
    let all = || usual.iter().chain(&constants);
    let pairs = usual
        .iter()
        .flat_map(|one| all().filter(|other| other.0 != one.0).map(move |other| vec![one, other]));
    let rc4 = [vec![]];
    let usual_or_none = || rc4.iter().cloned().chain(single.clone()).collect::<Vec<_>>();
    let constant = constants.iter().map(|change| vec![change]).collect();
    let steps = [
        Step { forms: &forms, changes: usual_or_none(), drop: 0 },
        Step { forms: &forms, changes: rc4.to_vec(), drop },
        Step { forms: &forms[..1], changes: usual_or_none(), drop },
        Step { forms: &forms, changes: constant, drop: 0 },
        Step { forms: &forms[..1], changes: pairs.collect(), drop: 0 },
    ];
    // All that may be tried counts, so that no step is judged by less than the search.
    let size = steps.iter().map(Step::size).sum();
    let known = plain.len();
    let least = (1..known).find(|&agree| by_chance(size, known, agree) < CHANCE).unwrap_or(known);
    let (mut explanations, mut tried) = (vec![], 0);
    for step in steps {
        tried += step.size();
        explanations = step.run(cipher, plain, least);
        if !explanations.is_empty() {
            break;
        }
    }
    explanations.sort_by_key(|found| {
        (found.known_first(known), found.changes, found.drop, found.variant.to_string().len())
    });
    Explained { explanations, tried, least }
}

impl Explanation {
    /// Orders by the bytes that are not explained.
    fn known_first(&self, known: usize) -> usize {
        known - self.agree
    }
}

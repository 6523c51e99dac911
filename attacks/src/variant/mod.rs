//! Finds the change of RC4, and the form of its key, that explain a known text.

mod applied;
mod changes;
mod forms;

use arcfour::{Keystream, MAX_KEY, families::variant::Variant};
use rayon::prelude::*;
use zeroize::Zeroizing;

use self::{
    applied::{COMPARED, agreeing},
    changes::{Change, constants, usual},
    forms::{Form, forms},
};

/// The maximum number of bytes of a known text that are compared.
pub const MAX_KNOWN: usize = 1024;
/// The maximum number of dropped bytes of keystream.
pub const MAX_DROP: usize = 65_536;
/// The maximum offset of a known text in the plaintext.
pub const MAX_OFFSET: usize = 65_536;
/// The maximum number of keys tried together.
pub const MAX_KEYS: usize = 100;
/// Partial agreement counts only if fewer wrong descriptions than this are expected to agree as
/// far.
const CHANCE: f64 = 1e-3;

/// A part of a ciphertext with known plaintext.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The part's ciphertext.
    pub cipher: &'a [u8],
    /// Its plaintext, of the same length.
    pub plain: &'a [u8],
    /// Number of bytes of ciphertext before the part.
    pub offset: usize,
}

/// An explanation of a known text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Number of changes.
    pub changes: usize,
    /// Index of the given key from which the key was derived, from 0.
    pub given: usize,
    /// The derivation of the key from the given key; empty for the key itself.
    pub form: String,
    /// The derived key.
    pub key: Zeroizing<Vec<u8>>,
    /// The cipher.
    pub variant: Variant,
    /// Number of bytes of keystream dropped first.
    pub drop: usize,
    /// Number of bytes of the known text that it explains.
    pub agree: usize,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The explanations found, the fewest changes first.
    pub explanations: Vec<Explanation>,
    /// Number of descriptions compared.
    pub tried: u64,
    /// Minimum number of bytes of an explanation.
    pub least: usize,
}

/// Returns how many of `tried` wrong descriptions are expected to agree in at least `agree` of
/// `known` bytes by chance.
pub fn by_chance(tried: u64, known: usize, agree: usize) -> f64 {
    let p = 1.0 / 256.0_f64;
    // Terms of the binomial distribution, from 0 agreements on.
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

/// A step of the search: forms of the keys, changes of the cipher, and the maximum drop.
struct Step<'a> {
    forms: Vec<&'a Form>,
    changes: Vec<Vec<&'a Change>>,
    drop: usize,
}

impl Step<'_> {
    fn size(&self) -> u64 {
        self.forms.len() as u64 * self.changes.len() as u64 * (self.drop as u64 + 1) * COMPARED
    }

    fn run(&self, known: &Known, least: usize) -> Vec<Explanation> {
        let changed = |changes: &Vec<&Change>| {
            let text = changes.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ");
            let text = if text.is_empty() { "rc4".to_owned() } else { text };
            let variant: Variant = text.parse().expect("the changes of the lists are right");
            let each = |form: &&Form| self.compare(form, &variant, changes.len(), known, least);
            self.forms.par_iter().flat_map_iter(each).collect::<Vec<_>>()
        };
        self.changes.par_iter().flat_map_iter(changed).collect()
    }

    /// Returns the explanations with one form of a key and one cipher that takes `changes` changes.
    fn compare(
        &self,
        form: &Form,
        variant: &Variant,
        changes: usize,
        known: &Known,
        least: usize,
    ) -> Vec<Explanation> {
        let mut stream = variant.start(&form.key).expect("the forms have 1 to 256 bytes");
        let mut keystream = vec![0; known.offset + self.drop + known.plain.len()];
        stream.fill(&mut keystream);
        let text = variant.to_string();
        let mut found = vec![];
        for drop in 0..=self.drop {
            let keystream = &keystream[known.offset + drop..];
            // In unchanged RC4 the position includes dropped bytes, as in `crypt --drop`.
            let at = known.offset + drop;
            for (apply, agree) in agreeing((known.cipher, known.plain), at, keystream, least) {
                let whole = match (text.as_str(), apply.as_str()) {
                    (_, "x^k") => text.clone(),
                    ("rc4", apply) => format!("apply={apply}"),
                    (text, apply) => format!("{text}, apply={apply}"),
                };
                let more = [!form.name.is_empty(), drop > 0, apply != "x^k"].map(usize::from);
                found.push(Explanation {
                    changes: changes + more.iter().sum::<usize>(),
                    given: form.given,
                    form: form.name.clone(),
                    key: form.key.clone(),
                    variant: whole.parse().expect("a list of right changes"),
                    drop,
                    agree,
                });
            }
        }
        found
    }
}

/// Searches for the changes that decrypt the known text with one of the keys, in six steps. Ends
/// after the first step that explains the text; step 1 must explain all of it.
///
/// 1: RC4 with every form of the keys. 2: one usual change, with every form. 3: RC4 with every form
/// and up to `drop` bytes dropped. 4: one usual change, with the keys as they are and up to `drop`
/// bytes dropped. 5: one change by a constant, with every form. 6: two changes, with the keys as
/// they are.
///
/// # Panics
/// If the texts are empty or differ in length, there is no key, or a key is not 1 to 256 bytes.
pub fn explain(keys: &[&[u8]], known: &Known, drop: usize) -> Explained {
    assert!(known.cipher.len() == known.plain.len() && !known.plain.is_empty());
    assert!(!keys.is_empty() && keys.iter().all(|key| (1..=MAX_KEY).contains(&key.len())));
    let forms = forms(keys);
    let every = || forms.iter().collect::<Vec<_>>();
    let given = || forms.iter().filter(|form| form.name.is_empty()).collect::<Vec<_>>();
    let (usual, constants) = (usual(), constants());
    let single = || usual.iter().map(|change| vec![change]).collect::<Vec<_>>();
    let rc4 = || vec![vec![]];
    let all = || usual.iter().chain(&constants);
    let pairs = usual
        .iter()
        .flat_map(|one| all().filter(|other| other.0 != one.0).map(move |other| vec![one, other]));
    let constant = constants.iter().map(|change| vec![change]).collect();
    let steps = [
        Step { forms: every(), changes: rc4(), drop: 0 },
        Step { forms: every(), changes: single(), drop: 0 },
        Step { forms: every(), changes: rc4(), drop },
        Step { forms: given(), changes: single(), drop },
        Step { forms: every(), changes: constant, drop: 0 },
        Step { forms: given(), changes: pairs.collect(), drop: 0 },
    ];
    // All descriptions of the whole search count, so that no step has a lower threshold than the
    // search.
    let size = steps.iter().map(Step::size).sum();
    let len = known.plain.len();
    let least = (1..len).find(|&agree| by_chance(size, len, agree) < CHANCE).unwrap_or(len);
    let (mut explanations, mut tried) = (vec![], 0);
    for (n, step) in steps.iter().enumerate() {
        tried += step.size();
        explanations.extend(step.run(known, least));
        // RC4 and many changed ciphers agree in the first bytes, so step 1 must explain the whole
        // text.
        let whole = explanations.iter().any(|found: &Explanation| found.agree == len);
        if whole || (n > 0 && !explanations.is_empty()) {
            break;
        }
    }
    explanations.sort_by_key(|found| {
        (len - found.agree, found.changes, found.drop, found.variant.to_string().len())
    });
    Explained { explanations, tried, least }
}

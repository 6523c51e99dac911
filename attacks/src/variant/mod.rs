//! Which change of RC4, and which form of its key, explains a known text.

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

/// The most bytes of a known text that are compared.
pub const MAX_KNOWN: usize = 1024;
/// The most bytes of keystream that may be dropped.
pub const MAX_DROP: usize = 65_536;
/// The last byte of the plaintext at which a known text may begin.
pub const MAX_OFFSET: usize = 65_536;
/// The most keys that are tried together.
pub const MAX_KEYS: usize = 100;
/// Partial agreement counts if fewer wrong descriptions than this are expected to agree as far.
const CHANCE: f64 = 1e-3;

/// A part of a ciphertext whose plaintext is known.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The ciphertext of the part.
    pub cipher: &'a [u8],
    /// Its plaintext, of the same length.
    pub plain: &'a [u8],
    /// How many bytes of ciphertext stand before the part.
    pub offset: usize,
}

/// What explains a known text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// How many changes it takes.
    pub changes: usize,
    /// Which of the given keys the key was made of, counted from 0.
    pub given: usize,
    /// How the key was made of the one given: empty for the key itself.
    pub form: String,
    /// That key.
    pub key: Zeroizing<Vec<u8>>,
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

/// A step of the search: forms of the keys, changes of the cipher, and how much may be dropped.
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

    /// The explanations with one form of a key and one cipher, which takes `changes` changes.
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
            // Without change the position counts dropped bytes too, as `crypt --drop` has it.
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
    // All that may be tried counts, so that no step is judged by less than the search.
    let size = steps.iter().map(Step::size).sum();
    let len = known.plain.len();
    let least = (1..len).find(|&agree| by_chance(size, len, agree) < CHANCE).unwrap_or(len);
    let (mut explanations, mut tried) = (vec![], 0);
    for (n, step) in steps.iter().enumerate() {
        tried += step.size();
        explanations.extend(step.run(known, least));
        // RC4 agrees with many a changed cipher in the first bytes: a part of the text is not enough at first.
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

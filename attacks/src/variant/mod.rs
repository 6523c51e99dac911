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
    /// The explanations found: first by the number of bytes, then by the fewest changes.
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

/// Returns a usual change together with each change of another part.
fn pairs<'a>(usual: &'a [Change], constants: &'a [Change]) -> Vec<Vec<&'a Change>> {
    let all = || usual.iter().chain(constants);
    let with =
        |one: &'a Change| all().filter(|other| other.0 != one.0).map(move |other| vec![one, other]);
    usual.iter().flat_map(with).collect()
}

/// Searches for the changes that decrypt the known text with one of the keys, in six steps. Ends
/// after the first step that explains the text; step 1 must explain all of it. If an explanation
/// agrees in all bytes, the result has only such explanations. For x^k and x+k agree in many bytes by
/// their structure, not by chance.
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
    let constant = constants.iter().map(|change| vec![change]).collect();
    let steps = [
        Step { forms: every(), changes: rc4(), drop: 0 },
        Step { forms: every(), changes: single(), drop: 0 },
        Step { forms: every(), changes: rc4(), drop },
        Step { forms: given(), changes: single(), drop },
        Step { forms: every(), changes: constant, drop: 0 },
        Step { forms: given(), changes: pairs(&usual, &constants), drop: 0 },
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
        let is_whole = |found: &Explanation| found.agree == len;
        if explanations.iter().any(is_whole) {
            explanations.retain(is_whole);
            break;
        }
        if n > 0 && !explanations.is_empty() {
            break;
        }
    }
    explanations.sort_by_key(|found| {
        (len - found.agree, found.changes, found.drop, found.variant.to_string().len())
    });
    Explained { explanations, tried, least }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the binomial distribution from `agree` on, times the number tried.
    #[test]
    fn chance_is_binomial() {
        let p = 1.0 / 256.0;
        for (tried, known, agree, expected) in [
            (7, 3, 0, 7.0),
            (256, 1, 1, 1.0),
            (65_536, 2, 1, 511.0),
            (65_536, 2, 2, 1.0),
            (1 << 24, 3, 2, 1.0 + 3.0 * 255.0),
            (1, 1000, 1, 1.0 - (1.0_f64 - p).powi(1000)),
            (5, 4, 5, 0.0),
        ] {
            let got = by_chance(tried, known, agree);
            assert!((got - expected).abs() < 1e-9 * expected.max(1.0), "{known} {agree}: {got}");
        }
    }

    fn form(name: &str, key: &[u8]) -> Form {
        Form { given: 3, name: name.to_owned(), key: Zeroizing::new(key.to_vec()) }
    }

    /// Each form with each cipher at each drop, and each way to apply the keystream.
    #[test]
    fn the_size_of_a_step_is_a_product() {
        let (one, changes) = (form("", b"a"), usual());
        for (forms, ciphers, drop, size) in [(1, 1, 0, 515), (2, 3, 0, 3090), (2, 3, 4, 15_450)] {
            let changes = changes[..ciphers].iter().map(|change| vec![change]).collect();
            assert_eq!(Step { forms: vec![&one; forms], changes, drop }.size(), size);
        }
    }

    /// A form of the key, a drop, a way to apply the keystream and each change of the cipher count.
    #[test]
    fn an_explanation_counts_its_changes() {
        let plain = b"a known text of some length";
        for (name, drop, apply, change, offset) in [
            ("", 0, "x^k", "", 0),
            ("reversed", 0, "x^k", "", 5),
            ("", 2, "x^k", "", 0),
            ("", 0, "x+k", "", 3),
            ("reversed", 3, "x^k^7", "swap=none", 0),
            ("", 1, "x^k^n", "", 9),
            ("", 0, "x^k", "output=T[T[i]^T[j]]", 1),
        ] {
            let given = [change, if apply == "x^k" { "" } else { "apply=" }];
            let mut text =
                given.join(if change.is_empty() || given[1].is_empty() { "" } else { ", " });
            text.push_str(if apply == "x^k" { "" } else { apply });
            let text = if text.is_empty() { "rc4".to_owned() } else { text };
            let variant: Variant = text.parse().unwrap();
            let mut whole = [&vec![0; offset + drop][..], plain].concat();
            // Encryption adds the keystream, if decryption subtracts it.
            let encrypting: Variant = text.replace("x+k", "x-k").parse().unwrap();
            encrypting.start(b"a key").unwrap().apply(&mut whole);
            let known = Known { cipher: &whole[offset + drop..], plain, offset };
            let (form, changed) = (form(name, b"a key"), ("swap", change.to_owned()));
            let changes = if change.is_empty() { vec![] } else { vec![&changed] };
            let count = changes.len()
                + [!name.is_empty(), drop > 0, apply != "x^k"]
                    .map(usize::from)
                    .iter()
                    .sum::<usize>();
            let found = Step { forms: vec![&form], changes: vec![changes], drop: 3 }
                .run(&known, plain.len());
            let expected = Explanation {
                changes: count,
                given: 3,
                form: name.to_owned(),
                key: form.key.clone(),
                variant,
                drop,
                agree: plain.len(),
            };
            assert_eq!(found, [expected], "{text}");
        }
    }

    /// Two changes are of different parts, and each pair is a cipher.
    #[test]
    fn pairs_change_two_parts() {
        let (usual, constants) = (usual(), constants());
        let pairs = pairs(&usual, &constants);
        let of =
            |part: &str, list: &[Change]| list.iter().filter(|change| change.0 == part).count();
        let expected = usual.iter().map(|(part, _)| {
            usual.len() + constants.len() - of(part, &usual) - of(part, &constants)
        });
        assert_eq!(pairs.len(), expected.sum::<usize>());
        assert!(pairs.iter().all(|pair| pair.len() == 2 && pair[0].0 != pair[1].0));
        assert!(
            pairs
                .iter()
                .step_by(97)
                .all(|pair| { format!("{}, {}", pair[0].1, pair[1].1).parse::<Variant>().is_ok() })
        );
    }
}

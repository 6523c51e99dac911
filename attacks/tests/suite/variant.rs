//! Planted changes of RC4 are found, and nothing is found by chance.

use arcfour::{Keystream, families::variant::Variant};
use arcfour_attacks::variant::{Explained, Known, explain};

const PLAIN: &[u8; 24] = b"GET /gate.php HTTP/1.1\r\n";

/// Returns the explanations of a text that begins with `PLAIN`.
fn at_the_start(key: &[u8], cipher: &[u8], drop: usize) -> Explained {
    explain(&[key], &Known { cipher, plain: PLAIN, offset: 0 }, drop)
}

/// Returns the descriptions that explain all bytes of `PLAIN` under a cipher with these changes.
fn explained(changes: &str, given: &[u8], used: &[u8], dropped: usize, drop: usize) -> Vec<String> {
    let variant: Variant = changes.parse().unwrap();
    let mut keystream = vec![0; dropped + PLAIN.len()];
    variant.start(used).unwrap().fill(&mut keystream);
    let cipher: Vec<u8> = PLAIN.iter().zip(&keystream[dropped..]).map(|(p, k)| p ^ k).collect();
    let found = at_the_start(given, &cipher, drop);
    found
        .explanations
        .iter()
        .filter(|each| each.agree == PLAIN.len())
        .map(|each| format!("{}; {}; {}", each.variant, each.form, each.drop))
        .collect()
}

/// The changes are among the explanations of a text that they encrypted.
fn found(changes: &str) {
    let found = explained(changes, b"Quentin", b"Quentin", 0, 0);
    assert!(
        found.iter().any(|each| each.starts_with(&format!("{changes};"))),
        "{changes}: {found:?}"
    );
}

#[test]
fn one_usual_change_is_found() {
    ["schedule-swap=none", "swap=none", "size=128"].into_iter().for_each(found);
}

#[test]
fn a_reversed_key_and_dropped_bytes_are_found() {
    let found = explained("rc4", b"Quentin", b"nitneuQ", 68, 100);
    assert!(found.iter().any(|each| each.ends_with("; 68")), "{found:?}");
}

/// The second key of three encrypted. The known text stands in the middle, where i, j and the
/// position differ from the start.
#[test]
fn a_piece_in_the_middle_is_explained_by_one_key_of_several() {
    let variant: Variant = "step-j=j+T[i]+n, apply=x^k^n".parse().unwrap();
    let mut whole = vec![b'.'; 300];
    whole.extend(PLAIN);
    variant.start(b"nitneuQ").unwrap().apply(&mut whole);
    let keys: [&[u8]; 3] = [b"one", b"Quentin", b"nitneu"];
    let known = Known { cipher: &whole[300..], plain: PLAIN, offset: 300 };
    let found = explain(&keys, &known, 0).explanations;
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!((one.given, one.form.as_str(), one.agree), (1, "reversed", PLAIN.len()));
    assert_eq!((one.variant.clone(), &one.key[..]), (variant, &b"nitneuQ"[..]));
}

/// `apply` sees the position in the stream, of dropped bytes too: the description decrypts from there.
#[test]
fn a_description_with_dropped_bytes_decrypts() {
    let variant: Variant = "apply=x^k^n".parse().unwrap();
    let mut whole = vec![b'.'; 67];
    whole.extend(PLAIN);
    variant.start(b"Quentin").unwrap().apply(&mut whole);
    let found = at_the_start(b"Quentin", &whole[67..], 100).explanations;
    assert!(found.iter().any(|one| one.drop == 67 && one.variant == variant), "{found:?}");
}

/// A part of the text is explained by RC4, and a part by a change. The longer part comes first.
#[test]
fn partial_agreement_is_sorted() {
    let start = |changes: &str| changes.parse::<Variant>().unwrap().start(b"Quentin").unwrap();
    let mut cipher = *PLAIN;
    let mut changed = *PLAIN;
    start("rc4").apply(&mut cipher);
    start("output=T[T[i]^T[j]]").apply(&mut changed);
    for (from, more, less) in
        [(14, "rc4", "output=T[T[i]^T[j]]"), (9, "output=T[T[i]^T[j]]", "rc4")]
    {
        let mixed = [&cipher[..from], &changed[from..]].concat();
        let Explained { explanations, least, .. } = at_the_start(b"Quentin", &mixed, 0);
        assert!((2..10).contains(&least), "{least}");
        let place = |wanted: &str| {
            explanations.iter().position(|one| one.variant.to_string() == wanted).unwrap()
        };
        assert!(place(more) < place(less), "{explanations:?}");
        assert!(explanations.is_sorted_by_key(|one| PLAIN.len() - one.agree));
        assert!(explanations.iter().all(|one| one.agree >= least));
    }
    // What explains the whole text ends the search at its step.
    let all = at_the_start(b"Quentin", &cipher, 0);
    assert!(all.explanations.iter().any(|one| one.agree == PLAIN.len() && one.changes == 0));
    let forms = all.tried / 515;
    assert!(all.tried == 515 * forms && (50..500).contains(&forms), "{}", all.tried);
}

/// x^k and x+k agree in every byte without a carry, which is no chance. What explains the whole text
/// leaves no room for what explains a part of it.
#[test]
fn a_whole_explanation_drops_the_partial_ones() {
    let plain: Vec<u8> = PLAIN.iter().copied().cycle().take(600).collect();
    let mut cipher = plain.clone();
    arcfour::Rc4::from_key(b"Quentin").unwrap().apply(&mut cipher);
    let known = Known { cipher: &cipher, plain: &plain, offset: 0 };
    let Explained { explanations, least, .. } = explain(&[b"Quentin"], &known, 0);
    let agree: Vec<_> =
        explanations.iter().map(|one| (one.variant.to_string(), one.agree)).collect();
    assert_eq!(agree, [("rc4".to_owned(), 600)]);
    assert!(least < 60, "{least}");
    // One wrong byte, and there is no whole explanation.
    cipher[599] ^= 1;
    let known = Known { cipher: &cipher, plain: &plain, offset: 0 };
    let explained = explain(&[b"Quentin"], &known, 0).explanations;
    assert!(explained[0].agree == 599 && explained.len() > 1, "{explained:?}");
}

#[test]
#[ignore = "half a minute: every constant, with every form of the key"]
fn one_change_by_a_constant_is_found() {
    ["start-i=9", "output=T[T[i]+T[j]+9]"].into_iter().for_each(found);
}

#[test]
#[ignore = "half a minute: the whole search"]
fn chance_explains_nothing() {
    let cipher: Vec<u8> = (0..PLAIN.len() as u8).map(|n| n.wrapping_mul(151) ^ 0xc3).collect();
    assert!(at_the_start(b"Quentin", &cipher, 0).explanations.is_empty());
}

//! A case for `arcfour attack variant`: the key and the change that encrypted are found, and each explanation encrypts as it says.
//!
//! The first line of the input is a description of a cipher. Then come a form of the key, an offset, the key's length, the key and the
//! plaintext. The fuzzer drops no bytes of keystream: that search takes seconds.

#![cfg_attr(not(test), no_main)]

use arcfour::{Keystream, families::variant::Variant};
use arcfour_attacks::variant::{Known, explain};

arcfour_fuzz::target!(|input: &[u8]| {
    let (description, rest) =
        input.split_at(input.iter().position(|byte| *byte == b'\n').unwrap_or(0));
    let [_, form, offset, key_len, rest @ ..] = rest else { return };
    let (key, plain) = rest.split_at(rest.len().min(1 + usize::from(*key_len) % 32));
    // From 16 bytes on no wrong description agrees by chance.
    if key.is_empty() || !(16..=64).contains(&plain.len()) {
        return;
    }
    if let Ok(variant) = String::from_utf8_lossy(description).parse::<Variant>() {
        described(&variant, key, plain);
    }
    planted(*form, key, plain, (*offset).into());
});

/// A description is printed as it reads back, and its stream does not depend on how it is cut.
fn described(variant: &Variant, key: &[u8], plain: &[u8]) {
    let again: Variant = variant.to_string().parse().expect("what was printed is a description");
    assert_eq!(&again, variant);
    let mut whole = plain.to_vec();
    variant.start(key).expect("1 to 32 bytes").apply(&mut whole);
    let mut stream = again.start(key).expect("1 to 32 bytes");
    let mut cut = plain.to_vec();
    cut.chunks_mut(3).for_each(|piece| stream.apply(piece));
    assert_eq!(cut, whole, "{variant}");
    assert_eq!(stream.position(), plain.len() as u64);
}

/// A form of the key by hand.
fn formed(form: u8, key: &[u8]) -> Vec<u8> {
    match form % 4 {
        0 => key.to_vec(),
        1 => key.iter().rev().copied().collect(),
        2 => key.iter().flat_map(|byte| [*byte, 0]).collect(),
        _ => [key, &[0]].concat(),
    }
}

/// RC4 with a form of the key, and a change that every search tries first, is found where it was planted.
fn planted(form: u8, key: &[u8], plain: &[u8], offset: usize) {
    let used = formed(form, key);
    let changes = ["rc4", "apply=x-k", "apply=k-x", "apply=x^k^n", "apply=x^k^85", "apply=(x^k)+7"];
    let change = changes[usize::from(form / 4) % changes.len()];
    let variant: Variant = change.parse().expect("it is right");
    let mut text = vec![0; offset];
    text.extend(plain);
    encrypt(&variant, &used, &mut text);
    let cipher = &text[offset..];
    let found = explain(&[b"another key", key], &Known { cipher, plain, offset }, 0);
    let right = found.explanations.iter().any(|one| {
        *one.key == *used && one.drop == 0 && one.variant == variant && one.agree == plain.len()
    });
    assert!(right, "{change}: {found:?}");
    for one in &found.explanations {
        let mut decrypted = vec![0; offset];
        decrypted.extend(cipher);
        one.variant.start(&one.key).expect("1 to 256 bytes").apply(&mut decrypted);
        let pairs = decrypted[offset..].iter().zip(plain);
        assert_eq!(pairs.filter(|(a, b)| a == b).count(), one.agree, "{one:?}");
        assert!(one.agree >= found.least);
    }
}

/// Makes of a plaintext what the cipher decrypts to it.
fn encrypt(variant: &Variant, key: &[u8], text: &mut [u8]) {
    let mut keystream = vec![0; text.len()];
    variant.start(key).expect("1 to 64 bytes").fill(&mut keystream);
    for (n, (byte, k)) in text.iter_mut().zip(keystream).enumerate() {
        let wanted = |x: &u8| variant.applied(*x, k, n as u64) == *byte;
        *byte = (0..=255).find(wanted).expect("each of the changes maps bytes one to one");
    }
}

//! The changes of RC4 that the search tries.

/// A change: the changed part of RC4, and its description.
pub(super) type Change = (&'static str, String);

/// The changes tried with every form of the key and with each other.
pub(super) fn usual() -> Vec<Change> {
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
pub(super) fn constants() -> Vec<Change> {
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use arcfour::families::variant::Variant;

    use super::*;

    /// Every change is a cipher, none comes twice in its list, and two constants make RC4.
    #[test]
    fn changes_are_different_ciphers() {
        for (changes, number) in [
            (usual(), 17 + 3 + 3 + 4 + 3 + 3 + 4 + 9 + 28 + 7 + 5),
            (constants(), 255 * 10 + 511 + 254 + 12),
        ] {
            assert_eq!(changes.len(), number);
            let texts: HashSet<&str> = changes.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(texts.len(), number);
            for (part, text) in changes {
                assert!(text.starts_with(&format!("{part}=")), "{text}");
                let variant: Variant = text.parse().unwrap();
                let rc4 = ["size=256", "step-i=i+1"].contains(&text.as_str());
                assert_eq!(variant.to_string() == "rc4", rc4, "{text}");
            }
        }
    }
}

//! Patterns of keys and plaintexts: their texts, and the faults in them.

use arcfour_attacks::search::{ByteSet, Pattern};
use proptest::prelude::*;

#[test]
fn faults_are_named_with_their_place() {
    for (text, message) in [
        ("", "the pattern is empty: it must have at least one byte, such as '??' or '4f'"),
        ("  ", "the pattern is empty: it must have at least one byte, such as '??' or '4f'"),
        ("4", "expected the second digit of a byte, or '?', at offset 1 of the pattern"),
        ("41 4", "expected the second digit of a byte, or '?', at offset 4 of the pattern"),
        ("0x41", "expected the second digit of a byte, or '?', at offset 1 of the pattern"),
        ("41,42", "expected a hexadecimal digit, '?' or '[' at offset 2 of the pattern"),
        ("é1", "expected a hexadecimal digit, '?' or '[' at offset 0 of the pattern"),
        ("[41", "expected '-', ',' or ']' at offset 3 of the pattern"),
        ("[]", "expected two hexadecimal digits at offset 1 of the pattern"),
        ("[5a-41]", "the range 5a-41 at offset 1 of the pattern goes down"),
        ("41{0}", "expected a count of at least 1 at offset 3 of the pattern"),
        ("41{", "expected a count of at least 1 at offset 3 of the pattern"),
        ("41{3", "expected '}' at offset 4 of the pattern"),
        ("41{99999999999999999999}", "the pattern has more than 4096 bytes"),
    ] {
        assert_eq!(text.parse::<Pattern>().unwrap_err().to_string(), message, "{text:?}");
    }
}

/// The shortest text of a set, and the longest pattern.
#[test]
fn sets_are_printed_in_runs() {
    for (text, printed) in [
        ("00", "00"),
        ("4F", "4f"),
        ("[4f]", "4f"),
        ("[00-ff]", "??"),
        ("[40-4f]", "4?"),
        ("[05,15,25,35,45,55,65,75,85,95,a5,b5,c5,d5,e5,f5]", "?5"),
        ("[01,02,03,07]", "[01-03,07]"),
        ("[fe,00,ff,10-11]", "[00,10-11,fe-ff]"),
        ("[41]{2} 5a", "41 41 5a"),
    ] {
        let pattern: Pattern = text.parse().unwrap();
        assert_eq!(
            (pattern.to_string(), format!("{:?}", pattern.sets()[0])),
            (printed.to_owned(), printed[..printed.find(' ').unwrap_or(printed.len())].to_owned())
        );
    }
    for (text, length) in [
        ("??{4096}", Some(4096)),
        ("??{4097}", None),
        ("??{4095}41", Some(4096)),
        ("41 ??{4096}", None),
    ] {
        assert_eq!(text.parse::<Pattern>().ok().map(|pattern| pattern.sets().len()), length);
    }
    assert!(Pattern::exact(&[7; 4096]).is_ok() && Pattern::exact(&[7; 4097]).is_err());
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(sets in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 1..9)) {
        let sets = sets.into_iter().map(|values| values.into_iter().collect::<ByteSet>()).collect();
        let pattern = Pattern::new(sets).unwrap();
        prop_assert_eq!(pattern.to_string().parse(), Ok(pattern));
    }

    #[test]
    fn no_text_makes_it_panic(text in "[0-9a-f?{}\\[\\], -]{0,20}|.{0,8}") {
        let _ = text.parse::<Pattern>();
    }
}

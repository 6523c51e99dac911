//! Tests of sizes and ranges on the command line.

use arcfour_console::size::{parse, within};

#[test]
fn whole_numbers_with_units() {
    for (text, bytes) in [
        ("0", 0),
        ("007", 7),
        ("4096", 4096),
        ("1KiB", 1024),
        ("3kB", 3000),
        ("2TiB", 2 << 40),
        ("18446744073709551615", u64::MAX),
    ] {
        assert_eq!(parse(text), Ok(bytes), "{text}");
    }
}

#[test]
fn numbers_out_of_range_name_the_range() {
    for text in ["0", "257", "-1", "+1", "", "1.0", "1e1", "18446744073709551616", "x"] {
        let message = "not a whole number from 1 to 256".to_owned();
        assert_eq!(within(1_u16..=256)(text), Err(message), "{text}");
    }
    assert_eq!(within(1_u16..=256)("256"), Ok(256));
    assert_eq!(within(0..=u64::MAX)("18446744073709551615"), Ok(u64::MAX));
}

#[test]
fn everything_else_is_refused() {
    for text in
        ["", "KiB", "-1", "+1", "1.5GiB", "1e3", "1 KiB", "1K", "1kib", "0x10", "1_000", "१"]
    {
        assert!(parse(text).unwrap_err().starts_with("not a whole number"), "{text}");
    }
    for text in ["18446744073709551616", "16777216TiB", "99999999999999999999999"] {
        assert!(parse(text).unwrap_err().starts_with("too large"), "{text}");
    }
}
